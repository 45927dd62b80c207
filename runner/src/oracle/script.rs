//! The script as the mock server serves it.

use crate::fixture::{Case, Step};
use crate::model::{Fault, Presence, Span, Times};

/// Position in a script.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    steps: &'a [Step],
    next: usize,
    served: u32,
}

/// What answers a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Served<'a> {
    /// A step of the script, by index.
    Step(usize, &'a Step),
    /// Nothing of the script: the overflow reply, a 500.
    Overflow,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(case: &'a Case) -> Self {
        Self {
            steps: &case.script,
            next: 0,
            served: 0,
        }
    }

    /// Serves one request to `route`.
    pub(super) fn serve(&mut self, route: &str) -> Served<'a> {
        while let Some(step) = self.steps.get(self.next) {
            let fits = step.route.as_deref().is_none_or(|wanted| route == wanted);
            if !fits {
                if step.presence == Presence::Required {
                    return Served::Overflow;
                }
                self.advance();
                continue;
            }
            let index = self.next;
            self.served += 1;
            if step.times == Times::Exactly(self.served) {
                self.advance();
            }
            return Served::Step(index, step);
        }
        Served::Overflow
    }

    /// Required steps that were not fully served.
    pub(super) fn unserved(&self) -> Vec<usize> {
        let required = |index: &usize| {
            let step = &self.steps[*index];
            let begun = *index == self.next && self.served > 0;
            step.presence == Presence::Required && !(begun && step.times == Times::Forever)
        };
        (self.next..self.steps.len()).filter(required).collect()
    }

    fn advance(&mut self) {
        self.next += 1;
        self.served = 0;
    }
}

/// How a served request ends for the client, and how long after it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// A whole reply.
    Reply(Span),
    /// The connection fails.
    Broken(Span),
    /// The client's own time limit passes first.
    TimedOut(Span),
    /// Nothing, ever.
    Never,
}

/// How a step ends for a client with that time limit.
pub(super) fn arrival(step: &Step, timeout: Option<Span>) -> Arrival {
    let delay = step.delay.unwrap_or(Span::ZERO);
    match (step.fault, timeout) {
        (Some(Fault::Stall | Fault::StallMidBody), None) => Arrival::Never,
        (Some(Fault::Stall | Fault::StallMidBody), Some(timeout)) => Arrival::TimedOut(timeout),
        (_, Some(timeout)) if delay >= timeout => Arrival::TimedOut(timeout),
        (Some(_), _) => Arrival::Broken(delay),
        (None, _) => Arrival::Reply(delay),
    }
}

/// What answers a request, for people.
pub(super) fn describe(served: Served<'_>) -> String {
    match served {
        Served::Step(_, step) => describe_step(step),
        Served::Overflow => "500 (beyond the script)".to_owned(),
    }
}

/// A step for people: `503 retry-after: 120`.
pub fn describe_step(step: &Step) -> String {
    if let Some(fault) = step.fault {
        return match fault {
            Fault::Reset => "connection reset",
            Fault::CloseBeforeReply => "connection closed",
            Fault::CloseMidBody => "connection cut in the body",
            Fault::Stall => "no reply",
            Fault::StallMidBody => "half a body, then nothing",
            Fault::MalformedStatus => "malformed status line",
        }
        .to_owned();
    }
    let told = step
        .headers
        .iter()
        .filter(|(name, _)| name.contains("retry-after") || name.contains("ratelimit"))
        .map(|(name, value)| format!(" {name}: {value}"));
    std::iter::once(step.status.to_string())
        .chain(told)
        .collect()
}
