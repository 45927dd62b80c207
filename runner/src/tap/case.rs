use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::clock::CaseClock;
use super::event::CaseKey;
use super::head::Head;
use super::ledger::Ledger;
use crate::model::{Action, CallId, CasePlan, PrefixMode, Span};

/// Where a case is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It is being played.
    Open,
    /// It is over; what comes is late.
    Ended,
}

/// One opened case.
pub(super) struct CaseFile {
    pub(super) key: CaseKey,
    pub(super) plan: Arc<CasePlan>,
    pub(super) clock: Arc<dyn CaseClock>,
    /// Scheme, host and port.
    pub(super) origin: String,
    /// Empty, or a path that starts with a slash.
    pub(super) prefix: String,
    /// Calls with their marks.
    calls: Vec<(CallId, String)>,
    pub(super) phase: watch::Sender<Phase>,
    ledger: Mutex<Ledger>,
    /// Questions are asked in the order in which requests became complete.
    pub(super) turn: tokio::sync::Mutex<()>,
}

/// Whose a request is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Belonging {
    /// A call's, with the path below the prefix.
    Call {
        call: CallId,
        mark: String,
        path: String,
    },
    /// Nobody's.
    Nobody,
}

impl CaseFile {
    pub(super) fn new(
        key: CaseKey,
        plan: &CasePlan,
        clock: Arc<dyn CaseClock>,
        origin: String,
    ) -> Self {
        let prefix = match plan.prefix {
            PrefixMode::Random => format!("/c/{:08x}", random_word()),
            PrefixMode::None => String::new(),
        };
        let calls = plan.actions.iter().filter_map(|planned| {
            if let Action::Call(call) = &planned.action {
                Some((call.id.clone(), call.mark.clone()))
            } else {
                None
            }
        });
        Self {
            key,
            calls: calls.collect(),
            plan: Arc::new(plan.clone()),
            clock,
            origin,
            prefix,
            phase: watch::Sender::new(Phase::Open),
            ledger: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn base_url(&self) -> String {
        format!("{}{}", self.origin, self.prefix)
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(super) fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An exchange ends at `at` with its reply, or because the client gave that
    /// up, unless it ended before.
    pub(super) fn ended(&self, number: u32, at: Span) {
        self.ledger().edit(number, |exchange| {
            exchange.replied_at.get_or_insert(at);
        });
    }

    /// The path below the prefix, if the request is below it.
    pub(super) fn below_prefix<'a>(&self, path: &'a str) -> Option<&'a str> {
        let rest = path.strip_prefix(self.prefix.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }

    /// The call to which a request belongs: the only one, or the one whose mark
    /// it shows, in its target before its headers before its body.
    pub(super) fn belonging(&self, head: &Head, body: &[u8]) -> Belonging {
        let Some(path) = self.below_prefix(&head.path) else {
            return Belonging::Nobody;
        };
        let found = match self.calls.as_slice() {
            [only] => Some(only),
            several => {
                let by = |shows: &dyn Fn(&str) -> bool| {
                    several
                        .iter()
                        .find(|(_, mark)| !mark.is_empty() && shows(mark))
                };
                by(&|mark| path.contains(mark) || head.query.contains(mark))
                    .or_else(|| {
                        by(&|mark| {
                            let mut values = head.lines.iter().map(|line| &line.value);
                            values.any(|value| contains(value, mark.as_bytes()))
                        })
                    })
                    .or_else(|| by(&|mark| contains(body, mark.as_bytes())))
            }
        };
        match found {
            Some((call, mark)) => Belonging::Call {
                call: call.clone(),
                mark: mark.clone(),
                path: path.to_owned(),
            },
            None => Belonging::Nobody,
        }
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

/// Unguessable enough that a case does not meet another one's prefix.
fn random_word() -> u32 {
    let word = RandomState::new().build_hasher().finish();
    u32::try_from(word >> 32).unwrap_or_default()
}
