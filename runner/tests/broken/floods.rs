//! Adapters that write a gibibyte, under a limit of our own memory.

use std::time::Duration;

use holdoff::adapter::protocol::ClockKind;
use holdoff::model::{Ending, Span};
use libtest_mimic::Trial;

use crate::stage::{plan, play, spec};
use crate::trial;

/// Most that a world may hold in memory, whatever is written to it.
const MEMORY: u64 = 256 << 20;

/// Real time for a gibibyte through a pipe, read without optimisation on a
/// busy machine.
const PATIENCE: Span = Span::from_secs(120);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("floods", || {
            flooded("floods", "returned", Ending::Quiet, PATIENCE)
        }),
        trial("floods-lines", || {
            flooded("floods-lines", "returned", Ending::Quiet, PATIENCE)
        }),
        trial("floods-one-message", || {
            flooded(
                "floods-one-message",
                "protocol-error",
                Ending::Dead,
                PATIENCE,
            )
        }),
        trial("floods-messages", || {
            let some = Span::from_secs(2);
            flooded("floods-messages", "out-of-time", Ending::RealTime, some)
        }),
        trial("floods-for-ever", || {
            let some = Span::from_secs(2);
            flooded("floods-for-ever", "out-of-time", Ending::RealTime, some)
        }),
    ]
}

async fn flooded(name: &str, outcome: &str, ending: Ending, patience: Span) {
    let seen = play(spec(name), &plan(ClockKind::Injected, patience)).await;
    let text = seen.outcome();
    assert!(
        text.starts_with(&format!(r#"{{"kind":"{outcome}""#)),
        "{text}"
    );
    assert_eq!(seen.run.as_ref().unwrap().ending, ending, "{text}");
    let kept = &seen.run.as_ref().unwrap().log_tail;
    let kept: usize = kept.iter().map(String::len).sum();
    assert!(kept <= 64 << 10, "{kept} bytes of log were kept");
    let bound = patience.to_std() + Duration::from_secs(15);
    assert!(seen.took < bound, "it took {:?}", seen.took);
    if cfg!(target_os = "linux") {
        let memory = seen.memory.unwrap();
        assert!(memory < MEMORY, "the world grew to {} MiB", memory >> 20);
    }
    eprintln!(
        "{name}: {:?}, {:?} KiB",
        seen.took,
        seen.memory.map(|bytes| bytes >> 10)
    );
}
