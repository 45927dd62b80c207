//! Probes before verdicts: does the adapter do what its manifest says of it at
//! all? Without them a count of attempts means nothing.

use std::collections::BTreeMap;

use super::WorldFailure;
use crate::adapter::protocol::{ClockKind, ParamValue, Verb};
use crate::model::{
    Action, Bounds, CallId, CasePlan, ClockPlan, ExchangeKind, LoopId, Observation, Outcome,
    PlannedAction, PlannedBody, PlannedCall, PlannedStep, PrefixMode, Presence, Span, Spelling,
    Times,
};
use crate::spec::Machine;

/// A loop that no adapter has.
const NO_LOOP: &str = "holdoff-probe-no-such-loop";
/// A status that ends every call that waits for an answer.
const TERMINAL: u16 = 404;
/// A status that every retrying loop honours.
const REPEATED: u16 = 503;

/// What the probes of one loop of one adapter are made of; all of it stands in
/// its manifest and in the table of loops.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeHost {
    /// The loop, by the adapter's own row name.
    pub loop_id: LoopId,
    /// What kind of loop it is.
    pub machine: Machine,
    /// The call that is made.
    pub verb: Verb,
    /// Status and body of a success.
    pub ok: (u16, PlannedBody),
    /// Body of an error.
    pub error: PlannedBody,
    /// Knobs to set.
    pub params: BTreeMap<String, ParamValue>,
    /// Attempts that the knob or the constant allows. None: unbounded, or more
    /// than a probe should make.
    pub attempts: Option<u32>,
    /// The clock of the first probe; each further one starts a minute later.
    pub clock: ClockPlan,
    /// Whether the SDK takes a base URL with a path.
    pub prefix: PrefixMode,
}

/// What a probe must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    Unsupported,
    Returned,
    Raised,
    Attempts(u32),
}

/// One probe: a case with what it must show.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The case to play.
    pub plan: CasePlan,
    shows: Shows,
}

/// What a probe showed instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeFailure {
    /// An adapter that opens a loop it cannot have would pass any case.
    #[error("a loop that does not exist was opened instead of answered `unsupported`")]
    OpensAnything,
    /// The loop that the manifest claims is not there.
    #[error("the loop is claimed, but answered `unsupported`: {0}")]
    Unsupported(String),
    /// The number of requests is wrong.
    #[error("{awaited} attempts were awaited after {reply}, {seen} were seen")]
    Attempts {
        /// What was answered.
        reply: String,
        /// How many should have come.
        awaited: u32,
        /// How many came.
        seen: usize,
    },
    /// The call did not come to an end of its own.
    #[error("the call {0}")]
    Broken(String),
    /// The call ended in another way.
    #[error("`{awaited}` was awaited after {reply}, the call ended with {seen}")]
    Outcome {
        /// What was answered.
        reply: String,
        /// What should have come.
        awaited: &'static str,
        /// What came.
        seen: String,
    },
    /// There is no observation.
    #[error(transparent)]
    World(#[from] WorldFailure),
}

impl ProbeFailure {
    /// Last lines of the adapter's log, if it failed before its call was made.
    pub fn log(&self) -> &[String] {
        match self {
            Self::World(failure) => failure.log(),
            _ => &[],
        }
    }
}

/// The probes of one loop, in the order in which they are to be played. Exhaust
/// is probed under owned clocks only, and only where attempts are bounded.
pub fn probes(host: &ProbeHost) -> Vec<Probe> {
    let mut shows = vec![Shows::Unsupported, Shows::Returned];
    let asks_once = matches!(
        host.machine,
        Machine::Retry | Machine::Queue | Machine::Gate | Machine::Replay
    );
    if asks_once {
        shows.push(Shows::Raised);
    }
    let exhausts = host.machine == Machine::Retry && host.clock.kind != ClockKind::Real;
    if let Some(attempts) = host.attempts.filter(|_| exhausts) {
        shows.push(Shows::Attempts(attempts));
    }
    let probe = |(number, shows)| host.probe(number, shows);
    (0u32..).zip(shows).map(probe).collect()
}

impl ProbeHost {
    fn probe(&self, number: u32, shows: Shows) -> Probe {
        let (status, body) = match shows {
            Shows::Unsupported | Shows::Returned => self.ok.clone(),
            Shows::Raised => (TERMINAL, self.error.clone()),
            Shows::Attempts(_) => (REPEATED, self.error.clone()),
        };
        let presence = match shows {
            Shows::Unsupported => Presence::Optional,
            _ => Presence::Required,
        };
        let mut clock = self.clock.clone();
        let later = Span::from_secs(60) * u64::from(number);
        clock.wall = crate::model::wall_shifted(clock.wall, later);
        let call = PlannedCall {
            id: CallId::from("probe"),
            verb: self.verb,
            mark: format!("{}", 9_000_001 + number),
            cancel: None,
            auth: None,
        };
        let plan = CasePlan {
            case: format!("probe-{number}"),
            loop_id: match shows {
                Shows::Unsupported => LoopId::from(NO_LOOP),
                _ => self.loop_id.clone(),
            },
            params: self.params.clone(),
            seed: 1,
            clock,
            actions: vec![PlannedAction {
                at: Span::ZERO,
                action: Action::Call(call),
            }],
            script: vec![PlannedStep {
                status,
                headers: Vec::new(),
                body,
                times: Times::Forever,
                route: None,
                delay: None,
                presence,
                owner: None,
                fault: None,
                spelling: Spelling::default(),
            }],
            prefix: self.prefix,
            bounds: bounds(),
        };
        Probe { plan, shows }
    }
}

/// A day of owned time holds the waits of any sane number of attempts.
fn bounds() -> Bounds {
    Bounds {
        horizon: Span::from_secs(86_400),
        quiet_until: None,
        tail: Span::from_secs(60),
        events: 50_000,
        real_time: Span::from_secs(20),
        watch: None,
    }
}

impl Probe {
    /// Whether the observation shows what it must.
    ///
    /// # Errors
    /// What it shows instead.
    pub fn check(&self, seen: &Observation) -> Result<(), ProbeFailure> {
        match (&seen.unsupported, self.shows) {
            (Some(_), Shows::Unsupported) => return Ok(()),
            (None, Shows::Unsupported) => return Err(ProbeFailure::OpensAnything),
            (Some(said), _) => return Err(ProbeFailure::Unsupported(said.reason.clone())),
            (None, _) => {}
        }
        let outcome = seen.results.values().next().map(|result| &result.outcome);
        if let Some(words) = outcome.and_then(broken) {
            return Err(ProbeFailure::Broken(words));
        }
        let reply = format!("{}", self.plan.script[0].status);
        let answered = [ExchangeKind::Scripted, ExchangeKind::Overflow];
        let attempts = seen.exchanges.iter();
        let attempts = attempts.filter(|exchange| answered.contains(&exchange.kind));
        let attempts = attempts.count();
        let awaited = match self.shows {
            Shows::Attempts(awaited) => awaited,
            _ => 1,
        };
        if attempts != awaited as usize {
            return Err(ProbeFailure::Attempts {
                reply,
                awaited,
                seen: attempts,
            });
        }
        let (awaited, right) = match self.shows {
            Shows::Returned => (
                "returned",
                matches!(outcome, Some(Outcome::Returned { .. })),
            ),
            _ => ("raised", matches!(outcome, Some(Outcome::Raised { .. }))),
        };
        if right {
            return Ok(());
        }
        Err(ProbeFailure::Outcome {
            reply,
            awaited,
            seen: outcome.map_or_else(
                || "no result".to_owned(),
                |outcome| serde_json::to_string(outcome).expect("an outcome is JSON"),
            ),
        })
    }
}

/// What went wrong with a call that neither returned nor raised: counting its
/// attempts would hide it.
fn broken(outcome: &Outcome) -> Option<String> {
    let because = |words: &str, detail: &str| Some(format!("{words}: {detail}"));
    match outcome {
        Outcome::Crashed { detail } => because("crashed", detail),
        Outcome::ProtocolError { detail } => because("broke the adapter protocol", detail),
        Outcome::AdapterError { trace } => because("failed in the adapter", trace),
        Outcome::OutOfTime | Outcome::Hung | Outcome::NeverEnded { .. } | Outcome::Starved => {
            Some(crate::judge::outcome_words(outcome))
        }
        Outcome::Returned { .. }
        | Outcome::Raised { .. }
        | Outcome::Cancelled
        | Outcome::Unsupported { .. } => None,
    }
}
