//! What was seen is written into known.yaml so that it can be read again and is
//! found again.

use std::path::Path;

use holdoff::adapter::protocol::ClockKind;
use holdoff::judge::{recorded_text, shows_recorded};
use holdoff::known::{Known, Signature, Timeline};
use holdoff::model::{Ending, Observation};
use holdoff::oracle::{Behaviour, Setting, expectation};

use crate::enact::{Chance, enact};
use crate::stage::stage;

/// Asserts that the timeline of `seen` is read again as one that `seen` shows.
fn is_found_again(setting: &Setting<'_>, seen: &Observation) {
    let id = &setting.case.id;
    let recorded = recorded_text(setting, seen);
    let text = format!(
        "- versions: '*'\n  case: {id}\n  signature: {recorded}\n  undecided: x\n  because: x\n"
    );
    let known = Known::read(Path::new("known.yaml"), &text)
        .unwrap_or_else(|errors| panic!("{id}\n{errors}"));
    let Signature::Timeline(timeline) = &known.entries[0].signature else {
        panic!("{id}: no timeline in {recorded}");
    };
    let is_shown = match timeline {
        Timeline::OneCall(call) => {
            let only = seen.started.keys().next().unwrap();
            shows_recorded(setting, only, call, seen)
        }
        Timeline::Calls(calls) => calls
            .iter()
            .all(|(call, recorded)| shows_recorded(setting, call, recorded, seen)),
    };
    assert!(is_shown, "{id}: {recorded}");
}

#[test]
fn every_timeline_is_read_and_found_again() {
    for case in &stage().cases {
        let setting = stage().setting(case);
        let right = expectation(&setting, &Behaviour::default());
        is_found_again(&setting, &enact(&setting, &right, &mut Chance::new(3)));
    }
}

#[test]
fn an_early_watch_is_read_and_found_again_wherever_it_was_cut() {
    for case in &stage().cases {
        let mut setting = stage().setting(case);
        setting.clock = ClockKind::Real;
        let right = expectation(&setting, &Behaviour::default());
        let whole = enact(&setting, &right, &mut Chance::new(3));
        for kept in 0..=whole.exchanges.len().min(3) {
            let mut seen = whole.clone();
            seen.ending = Ending::Watched;
            seen.exchanges.truncate(kept);
            seen.results.clear();
            is_found_again(&setting, &seen);
            // A watch that ends before the hook is called.
            seen.events.clear();
            is_found_again(&setting, &seen);
        }
    }
}
