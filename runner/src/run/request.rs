//! [`RunRequest`]: what is to be run, and how.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::clock::ClockChoice;
use super::event::{AdapterLine, ClauseText, RunHeader, SCHEMA};
use super::plan::dated_steps;
use super::target::Target;
use crate::adapter::protocol::ClockKind;
use crate::fixture::Case;
use crate::model::{Allowed, Span};
use crate::oracle::{Behaviour, Expectation, Setting, expectation};
use crate::spec::Spec;
use crate::world::WorldCommand;

/// What is to be run, and how.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The specification.
    pub spec: Arc<Spec>,
    /// Cases, in the order of their ids.
    pub cases: Vec<Arc<Case>>,
    /// Adapters, in the order of their names.
    pub targets: Vec<Arc<Target>>,
    /// Which clocks.
    pub clock: ClockChoice,
    /// Real clock: cases that take longer are only watched.
    pub max_wait: Span,
    /// Real clock: for how long.
    pub early_watch: Span,
    /// Cases at the same time.
    pub jobs: NonZeroUsize,
    /// Seed of all chance.
    pub seed: u64,
    /// How a world is started.
    pub world: WorldCommand,
    /// SHA-256 over the fixtures.
    pub fixtures_digest: String,
    /// Options that a reproduction needs beside adapter, case and clock.
    pub options: Vec<String>,
    /// Entries of known.yaml that name nothing.
    pub stale: Vec<String>,
}

impl RunRequest {
    /// Default of `--max-wait`.
    pub const MAX_WAIT: Span = Span::from_secs(5);
    /// Default of `--early-watch`.
    pub const EARLY_WATCH: Span = Span::from_secs(1);

    /// What sinks are told before the first case.
    pub fn header(&self) -> RunHeader {
        let cited = self.cases.iter().flat_map(|case| &case.clauses);
        RunHeader {
            schema: SCHEMA,
            holdoff: env!("CARGO_PKG_VERSION").to_owned(),
            spec_digest: self.spec.digest().to_owned(),
            fixtures_digest: self.fixtures_digest.clone(),
            seed: self.seed,
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            adapters: self
                .targets
                .iter()
                .map(|target| self.adapter_line(target))
                .collect(),
            clauses: ClauseText::of(&self.spec, cited),
            options: self.options.clone(),
        }
    }

    fn adapter_line(&self, target: &Target) -> AdapterLine {
        let mut by_clock = [
            (ClockKind::Virtual, 0_usize),
            (ClockKind::Injected, 0),
            (ClockKind::Real, 0),
        ];
        let mut watched = 0;
        for case in &self.cases {
            let host = &target.launch.host;
            let Ok(clock) = self.clock.select(&self.spec, case, host) else {
                continue;
            };
            if clock == ClockKind::Real && self.is_too_long(target, case) {
                watched += 1;
                continue;
            }
            for (kind, count) in &mut by_clock {
                *count += usize::from(*kind == clock);
            }
        }
        let mut clocks: Vec<_> = by_clock
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} under the {} clock", super::clock_name(*kind)))
            .collect();
        if watched > 0 {
            clocks.push(format!("{watched} only watched for what comes too early"));
        }
        if clocks.is_empty() {
            clocks.push("no clock of this run serves".to_owned());
        }
        AdapterLine {
            name: target.name().to_owned(),
            cases: self.cases.len(),
            judgeable: by_clock.iter().map(|(_, count)| count).sum(),
            clocks: clocks.join(", "),
        }
    }

    fn is_too_long(&self, target: &Target, case: &Case) -> bool {
        let setting = Setting {
            spec: &self.spec,
            case,
            host: &target.launch.host,
            clock: ClockKind::Real,
            wall: super::canonical(),
            horizon: None,
        };
        let expected = expectation(&setting, &Behaviour::default());
        matches!(self.watch(case, &expected), Watch::Early(_))
    }

    /// How a case is watched under the real clock.
    pub(super) fn watch(&self, case: &Case, expected: &Expectation) -> Watch {
        let last = super::last_instant(case, expected);
        let is_open = expected
            .calls
            .values()
            .flat_map(|call| call.gaps())
            .any(|gap| gap.length == Allowed::Observed);
        let held = HOLD * dated_steps(case);
        if last > self.max_wait || is_open {
            Watch::Early(self.early_watch + held.min(HOLD))
        } else {
            Watch::Whole(last + WHOLE_SLACK + held)
        }
    }
}

/// A reply with a date is held for the right part of a second, so long at most.
const HOLD: Span = Span::from_secs(1);

/// Real time beyond the last expected instant in which a case must be over.
const WHOLE_SLACK: Span = Span::from_secs(3);

/// How a case is watched under the real clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// It takes too long: only what comes too early is seen.
    Early(Span),
    /// It is played to its end, which comes before this.
    Whole(Span),
}

impl Watch {
    /// The instant at which watching ends.
    pub(super) fn end(self) -> Span {
        match self {
            Self::Early(end) | Self::Whole(end) => end,
        }
    }
}
