//! How often the diagnosis is right, measured on every case of the repository.

use std::collections::BTreeMap;

use holdoff::adapter::protocol::ClockKind;
use holdoff::defect::{Defect, catalogue, find};
use holdoff::judge::{Diagnosis, Hypotheses, judge, shows_defect, visibility};
use holdoff::model::{DefectId, Observation, Span};
use holdoff::oracle::{Behaviour, Expectation, Setting, Visibility, expectation, tells_apart};

use crate::enact::{Chance, enact};
use crate::stage::stage;

/// Share of the visible defects whose diagnosis must name the right class first.
const LEAST_RIGHT: f64 = 0.95;

/// What a diagnosis turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// The defect itself, or one that predicts the very same of this case.
    Right,
    /// Named, but not first.
    Listed,
    /// Another one, whose wide draw happens to hold what was seen.
    Coincidence,
    /// Another one, although it predicts something else.
    Wrong,
    /// Nothing was named.
    Unexplained,
    /// It looked as specified.
    Unseen,
}

/// One case with everything that is needed to measure it.
struct Measured<'a> {
    setting: Setting<'a>,
    seen: Visibility,
    right: Expectation,
    hypotheses: Hypotheses<'a>,
    runs: u32,
}

fn measured() -> impl Iterator<Item = Measured<'static>> {
    let stage = stage();
    stage.cases.iter().map(|case| {
        let setting = stage.setting(case);
        Measured {
            seen: visibility(ClockKind::Injected, &stage.host, case.runs),
            right: expectation(&setting, &Behaviour::default()),
            hypotheses: Hypotheses::of(&setting),
            runs: case.runs,
            setting,
        }
    })
}

impl Measured<'_> {
    fn enacted(&self, truth: &Expectation, chance: &mut Chance) -> Vec<Observation> {
        (0..self.runs)
            .map(|_| enact(&self.setting, truth, chance))
            .collect()
    }

    /// Whether the two are one class here: they predict the very same, or exact
    /// values of which no difference is seen.
    fn same(&self, one: &Expectation, other: &Expectation) -> bool {
        let is_seen = || tells_apart(one, other, &self.seen) || tells_apart(other, one, &self.seen);
        let is_exact = !is_drawn(one) && !is_drawn(other);
        without_reasons(one) == without_reasons(other) || (is_exact && !is_seen())
    }

    /// The word on what is diagnosed of a client that does as `truth` says.
    fn word(&self, truth: &Expectation, name: Option<&str>, chance: &mut Chance) -> Word {
        let observations = self.enacted(truth, chance);
        if judge(&self.setting, &self.right, &observations).is_empty() {
            return Word::Unseen;
        }
        let named = match self.hypotheses.explain(&observations) {
            Diagnosis::ConsistentWith(named) => named,
            Diagnosis::Pair(left, right) => {
                return self.word_on(truth, &pair(&left, &right));
            }
            Diagnosis::Unexplained => return Word::Unexplained,
        };
        match self.word_on(truth, &behaviour(&named[0])) {
            Word::Right => Word::Right,
            _ if named.iter().any(|id| Some(id.as_str()) == name) => Word::Listed,
            word => word,
        }
    }

    /// Another amount of jitter is jitter, if it is anything.
    fn is_at_most_called_jitter(&self, truth: &Expectation, chance: &mut Chance) {
        let diagnosis = self.hypotheses.explain(&self.enacted(truth, chance));
        let is_fine = match &diagnosis {
            Diagnosis::ConsistentWith(named) => {
                let mut names = named.iter().map(DefectId::as_str);
                names.all(|name| name.starts_with("jitter-"))
            }
            Diagnosis::Pair(..) => false,
            Diagnosis::Unexplained => true,
        };
        assert!(is_fine, "{}: {diagnosis}", self.setting.case.id);
    }

    fn word_on(&self, truth: &Expectation, named: &Behaviour) -> Word {
        let predicted = expectation(&self.setting, named);
        if self.same(truth, &predicted) {
            Word::Right
        } else if is_drawn(&predicted) || is_drawn(truth) {
            Word::Coincidence
        } else {
            Word::Wrong
        }
    }
}

fn behaviour(id: &DefectId) -> Behaviour {
    find(id.as_str()).unwrap().behaviour()
}

fn pair(left: &DefectId, right: &DefectId) -> Behaviour {
    let mut both = behaviour(left);
    (find(right.as_str()).unwrap().bend)(&mut both);
    both
}

fn without_reasons(expectation: &Expectation) -> Expectation {
    let mut bare = expectation.clone();
    let attempts = bare.calls.values_mut().flat_map(|call| &mut call.attempts);
    for gap in attempts.filter_map(|attempt| attempt.gap.as_mut()) {
        gap.why.clear();
    }
    bare
}

/// Whether some wait is left to chance.
fn is_drawn(expectation: &Expectation) -> bool {
    let mut calls = expectation.calls.values();
    calls.any(|call| {
        let gaps = call.gaps().map(|gap| &gap.length);
        let hooks = call.hooks.iter().map(|hook| &hook.delay);
        let mut waits = gaps.chain(hooks).chain(&call.asked);
        waits.any(|length| length.as_exact().is_none())
    })
}

#[derive(Default)]
struct Tally(BTreeMap<Word, usize>);

impl Tally {
    fn add(&mut self, word: Word) {
        *self.0.entry(word).or_default() += 1;
    }

    fn of(&self, word: Word) -> usize {
        self.0.get(&word).copied().unwrap_or(0)
    }

    /// Share of what was seen.
    #[expect(clippy::cast_precision_loss, reason = "a share of thousands")]
    fn share(&self, word: Word) -> f64 {
        let seen: usize = self.0.values().sum::<usize>() - self.of(Word::Unseen);
        self.of(word) as f64 / seen.max(1) as f64
    }
}

#[test]
fn a_simulated_client_does_what_its_behaviour_predicts() {
    let mut wrong = Vec::new();
    for case in measured() {
        let mut chance = Chance::new(1);
        let observations = case.enacted(&case.right, &mut chance);
        let differences = judge(&case.setting, &case.right, &observations);
        wrong.extend(
            differences
                .iter()
                .map(|found| format!("{}: as specified: {}", case.setting.case.id, found.text)),
        );
        for defect in catalogue() {
            let truth = expectation(&case.setting, &defect.behaviour());
            let observations = case.enacted(&truth, &mut chance);
            if !shows_defect(&case.setting, defect, &observations) {
                wrong.push(format!("{}: {}", case.setting.case.id, defect.name));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of them\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_defect_of_the_catalogue_is_named_first() {
    let mut all = Tally::default();
    let mut confused: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for (number, case) in measured().enumerate() {
        let mut chance = Chance::new(number as u64);
        for defect in catalogue() {
            let truth = expectation(&case.setting, &defect.behaviour());
            if !tells_apart(&case.right, &truth, &case.seen) {
                continue;
            }
            let word = case.word(&truth, Some(defect.name), &mut chance);
            all.add(word);
            if word == Word::Unseen {
                println!("  unseen: {} in {}", defect.name, case.setting.case.id);
            }
            if !matches!(word, Word::Right | Word::Unseen) {
                *confused
                    .entry((defect.name, format!("{word:?}")))
                    .or_default() += 1;
            }
        }
    }
    println!("one defect: {:?}", all.0);
    for ((defect, word), count) in confused {
        println!("  {defect}: {word} {count} times");
    }
    assert!(all.share(Word::Right) >= LEAST_RIGHT, "{:?}", all.0);
    assert_eq!(all.of(Word::Wrong), 0);
    assert_eq!(all.of(Word::Unseen), 0);
}

/// The one behaviour that a draw of the catalogue may hold.
const JITTER: &str = "jitter of 250 ms";

/// Behaviours that the catalogue does not have.
fn outsiders(chance: &mut Chance) -> [(&'static str, Behaviour); 3] {
    let bent = |bend: &dyn Fn(&mut Behaviour)| {
        let mut behaviour = Behaviour::default();
        bend(&mut behaviour);
        behaviour
    };
    let jitter = i128::from(chance.bits() % 250_000_000);
    [
        (
            "cap 45 s",
            bent(&|b| b.told.cap = Some(Span::from_secs(45))),
        ),
        ("2 s more", bent(&|b| b.told.added = Span::from_secs(2))),
        (JITTER, bent(&|b| b.told.added = Span::from_nanos(jitter))),
    ]
}

#[test]
fn what_the_catalogue_does_not_have_is_not_named_wrongly() {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (number, case) in measured().enumerate() {
        let mut chance = Chance::new(number as u64);
        for (name, behaviour) in outsiders(&mut chance) {
            let truth = expectation(&case.setting, &behaviour);
            if !tells_apart(&case.right, &truth, &case.seen) {
                continue;
            }
            let word = case.word(&truth, None, &mut chance);
            tallies.entry(name).or_default().add(word);
            if name == JITTER {
                case.is_at_most_called_jitter(&truth, &mut chance);
            }
        }
    }
    for (name, tally) in &tallies {
        println!("{name}: {:?}", tally.0);
    }
    for (name, tally) in &tallies {
        assert_eq!(tally.of(Word::Wrong), 0, "{name}");
        let coincidences = tally.share(Word::Coincidence);
        assert!(
            *name == JITTER || coincidences < 0.02,
            "{name}: {coincidences}"
        );
    }
    assert_eq!(tallies.len(), 3);
}

#[test]
fn two_defects_at_once_are_named_or_unexplained() {
    /// Pairs tried of each case.
    const TRIED: usize = 4;
    let mut all = Tally::default();
    for (number, case) in measured().enumerate() {
        let mut chance = Chance::new(number as u64);
        let differing: Vec<&Defect> = catalogue()
            .iter()
            .filter(|defect| {
                let truth = expectation(&case.setting, &defect.behaviour());
                tells_apart(&case.right, &truth, &case.seen)
            })
            .collect();
        for _ in 0..TRIED.min(differing.len() / 2) {
            let (left, right) = (
                differing[chance.below(differing.len())],
                differing[chance.below(differing.len())],
            );
            let truth = expectation(&case.setting, &pair(&left.id(), &right.id()));
            if tells_apart(&case.right, &truth, &case.seen) {
                all.add(case.word(&truth, Some(left.name), &mut chance));
            }
        }
    }
    println!("two defects: {:?}", all.0);
    assert_eq!(all.of(Word::Wrong), 0, "{:?}", all.0);
    assert!(all.share(Word::Right) >= 0.8, "{:?}", all.0);
}

/// Rounding shows only where a date is read, so one of these two is hidden.
#[test]
fn a_defect_that_shows_only_beside_another_is_named_with_it() {
    let case = measured()
        .find(|case| case.setting.case.id.as_str() == "holdoff/parsing/other-dates@est")
        .unwrap();
    let clocked = Setting {
        wall: "2030-01-01T00:00:00.4Z".parse().unwrap(),
        ..case.setting
    };
    let both = pair(&"date-truncated".into(), &"lenient-dates".into());
    let truth = expectation(&clocked, &both);
    let seen = enact(&clocked, &truth, &mut Chance::new(1));
    let named = Hypotheses::of(&clocked).explain(&[seen]);
    assert_eq!(
        named,
        Diagnosis::Pair("date-truncated".into(), "lenient-dates".into())
    );
}
