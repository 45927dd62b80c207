//! From an expectation to an observation of a client that keeps to it, with
//! every draw taken from a seeded generator.

use std::collections::BTreeMap;

use holdoff::adapter::protocol::{EventName, Verb};
use holdoff::fixture::CallStep;
use holdoff::model::{
    Allowed, Asked, CallId, Ending, Exchange, ExchangeKind, Fault, Observation, ObservedEvent,
    ObservedResult, Outcome, RaisedError, Span, Tolerance,
};
use holdoff::oracle::{
    Authorization, BodyOf, CallExpectation, Expectation, ExpectedAttempt, ExpectedOutcome,
    ExpectedRequest, MethodOf, Setting, Target,
};
use holdoff::spec::Param;

/// A small generator of chance: the same seed, the same draws.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// The next 64 bits (splitmix64).
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `most`.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.bits() % most.max(1) as u64).unwrap()
    }

    /// A length that is allowed; an hour where anything is.
    pub(crate) fn draw(&mut self, allowed: &Allowed) -> Span {
        let Allowed::AnyOf(intervals) = allowed else {
            return Span::from_secs(3_600);
        };
        let interval = intervals[self.below(intervals.len())];
        let width = u128::try_from(interval.width().as_nanos()).unwrap() + 1;
        let share = u128::from(self.bits()) % width;
        interval.lo + Span::from_nanos(i128::try_from(share).unwrap())
    }
}

/// What is seen of a client that does what `expectation` says.
pub(crate) fn enact(
    setting: &Setting<'_>,
    expectation: &Expectation,
    chance: &mut Chance,
) -> Observation {
    let mut seen = Observation {
        unserved: expectation.unserved.clone(),
        ..Observation::default()
    };
    for (id, call) in &expectation.calls {
        let actor = Actor {
            setting,
            id,
            call,
            draws: Vec::new(),
            free_at: Vec::new(),
            chance,
        };
        actor.act(&mut seen);
    }
    seen.exchanges.sort_by_key(|exchange| exchange.at);
    let never = |outcome: &Outcome| matches!(outcome, Outcome::NeverEnded { .. });
    if seen.results.values().any(|result| never(&result.outcome)) {
        seen.ending = Ending::Horizon;
    }
    seen
}

/// One call.
struct Actor<'a> {
    setting: &'a Setting<'a>,
    id: &'a CallId,
    call: &'a CallExpectation,
    /// What was drawn for each gap, with what it was drawn from.
    draws: Vec<(Allowed, Span)>,
    /// When the client knows how each attempt ended.
    free_at: Vec<Span>,
    chance: &'a mut Chance,
}

impl Actor<'_> {
    fn act(mut self, seen: &mut Observation) {
        let (start, verb) = self.planned();
        seen.started.insert(self.id.clone(), start);
        let mut exchanges = Vec::new();
        let call = self.call;
        for (index, attempt) in call.attempts.iter().enumerate() {
            let gap = match &attempt.gap {
                Some(gap) => self.draw_gap(&gap.length),
                None => self.chance.draw(&call.lead),
            };
            let before = if index == 0 {
                start
            } else {
                self.free_at[index - 1]
            };
            let (exchange, free_at) = self.exchange(attempt, before + gap, verb);
            self.free_at.push(free_at);
            exchanges.push(exchange);
        }
        let at = self.instant(&call.ends, start);
        let late = usize::try_from(self.call.late_attempts).unwrap();
        let in_time = exchanges.len() - late;
        for exchange in &mut exchanges[in_time..] {
            exchange.kind = ExchangeKind::Late;
        }
        seen.exchanges.append(&mut exchanges);
        self.sleeps(seen);
        self.hooks(seen, start);
        let outcome = self.outcome();
        seen.results
            .insert(self.id.clone(), ObservedResult { at, outcome });
    }

    fn planned(&self) -> (Span, Verb) {
        let planned = self.setting.case.calls.iter().find_map(|step| match step {
            CallStep::Call { id, at, verb, .. } if id == self.id => Some((*at, *verb)),
            _ => None,
        });
        planned.expect("the call is planned")
    }

    fn draw_gap(&mut self, length: &Allowed) -> Span {
        let drawn = self.chance.draw(length);
        self.draws.push((length.clone(), drawn));
        drawn
    }

    /// The gaps' own draws in order, for what repeats them elsewhere.
    fn same_draw(&mut self, length: &Allowed, from: &mut usize) -> Span {
        if length.as_exact().is_none() {
            let rest = &self.draws[(*from).min(self.draws.len())..];
            if let Some(index) = rest.iter().position(|(of, _)| of == length) {
                *from += index + 1;
                return self.draws[*from - 1].1;
            }
        }
        self.chance.draw(length)
    }

    /// An instant that the client can be at: the end of an attempt, if one fits.
    fn instant(&mut self, allowed: &Allowed, start: Span) -> Span {
        let fits = |at: &&Span| **at >= start && allowed.contains(**at, Tolerance::EXACT);
        match (allowed, self.free_at.iter().rev().find(fits)) {
            (_, Some(at)) => *at,
            (Allowed::Observed, None) => self.free_at.last().copied().unwrap_or(start),
            (_, None) => self.chance.draw(allowed),
        }
    }

    fn exchange(&self, attempt: &ExpectedAttempt, at: Span, verb: Verb) -> (Exchange, Span) {
        let step = attempt.step.map(|index| &self.setting.case.script[index]);
        let delay = step.and_then(|step| step.delay).unwrap_or(Span::ZERO);
        let timeout = self.setting.span_knob(Param::RequestTimeout);
        let is_stalled = step.is_some_and(|step| step.fault == Some(Fault::Stall));
        let timed_out = timeout.filter(|timeout| is_stalled || delay >= *timeout);
        let has_reply = timed_out.is_none() && !is_stalled;
        let failed = step.is_some_and(|step| step.fault.is_some());
        let body = body(&attempt.request, verb);
        let exchange = Exchange {
            at,
            connection: 1,
            call: Some(self.id.clone()),
            kind: match attempt.step {
                Some(_) => ExchangeKind::Scripted,
                None => ExchangeKind::Overflow,
            },
            method: method(&attempt.request, verb).to_owned(),
            path: match attempt.request.target {
                Target::Page(_) => "/items/1000001".to_owned(),
                Target::HopTwo => "/hop2".to_owned(),
            },
            query: match attempt.request.target {
                Target::Page(page) if page > 1 => format!("page={page}"),
                _ => String::new(),
            },
            headers: authorization(&attempt.request),
            body: body.to_owned(),
            body_digest: format!("digest of {body:?}"),
            body_len: body.len() as u64,
            step: attempt.step,
            meant_for: None,
            status: (has_reply && !failed).then(|| step.map_or(500, |step| step.status)),
            reply_headers: Vec::new(),
            replied_at: has_reply.then(|| at + delay),
        };
        (exchange, at + timed_out.unwrap_or(delay))
    }

    fn sleeps(&mut self, seen: &mut Observation) {
        let mut from = 0;
        let call = self.call;
        for length in &call.asked {
            let asked = Asked {
                at: Span::ZERO,
                call: Some(self.id.clone()),
                duration: self.same_draw(length, &mut from),
                during: None,
            };
            seen.asked.push(asked);
        }
    }

    fn hooks(&mut self, seen: &mut Observation, start: Span) {
        let event = |at, event| ObservedEvent {
            at,
            call: self.id.clone(),
            event,
            failed_attempt: None,
            next_attempt: None,
            delay: None,
            status: None,
        };
        let refreshes = (0..self.call.refreshes).map(|_| event(start, EventName::Refresh));
        seen.events.extend(refreshes);
        let mut from = 0;
        let sent: Vec<Span> = self.sent(seen);
        let call = self.call;
        for hook in &call.hooks {
            let delay = self.same_draw(&hook.delay, &mut from);
            let failed = usize::try_from(hook.failed_attempt).unwrap();
            let fits = |at: &Span| hook.at.contains(*at, Tolerance::EXACT);
            let candidates = [failed.checked_sub(1), Some(failed)].into_iter().flatten();
            let ends = candidates.filter_map(|index| self.free_at.get(index).copied());
            let next = sent.get(failed).copied();
            let known = ends.chain(next).find(fits);
            seen.events.push(ObservedEvent {
                at: known.unwrap_or_else(|| self.chance.draw(&hook.at)),
                call: self.id.clone(),
                event: EventName::Retry,
                failed_attempt: Some(hook.failed_attempt),
                next_attempt: Some(hook.next_attempt),
                delay: Some(delay),
                status: hook.status,
            });
        }
    }

    /// When this call's attempts were sent.
    fn sent(&self, seen: &Observation) -> Vec<Span> {
        let own = |exchange: &&Exchange| exchange.call.as_ref() == Some(self.id);
        seen.exchanges
            .iter()
            .filter(own)
            .map(|exchange| exchange.at)
            .collect()
    }

    fn outcome(&mut self) -> Outcome {
        let call = self.call;
        match &call.outcome {
            ExpectedOutcome::Returned => Outcome::Returned { status: None },
            ExpectedOutcome::Cancelled => Outcome::Cancelled,
            ExpectedOutcome::Hung => Outcome::Hung,
            ExpectedOutcome::NeverEnded => Outcome::NeverEnded { asked: None },
            ExpectedOutcome::Raised {
                kind,
                status,
                retry_after,
            } => Outcome::Raised {
                error: RaisedError {
                    kind: *kind,
                    status: *status,
                    retry_after: retry_after.as_ref().map(|told| self.chance.draw(told)),
                    message: "in the SDK's own words".to_owned(),
                },
            },
        }
    }
}

fn method(request: &ExpectedRequest, verb: Verb) -> &'static str {
    match (request.method, request.target, verb) {
        (MethodOf::Get, ..) | (_, Target::HopTwo, _) => "GET",
        (_, _, Verb::Write | Verb::Upload) => "PUT",
        (_, _, Verb::WriteUnsafe | Verb::Send) => "POST",
        _ => "GET",
    }
}

fn body(request: &ExpectedRequest, verb: Verb) -> &'static str {
    let sends = matches!(
        verb,
        Verb::Write | Verb::Upload | Verb::WriteUnsafe | Verb::Send
    );
    if sends && request.body == BodyOf::Own {
        r#"{"mark":"1000001"}"#
    } else {
        ""
    }
}

fn authorization(request: &ExpectedRequest) -> Vec<(String, String)> {
    let value = match request.authorization {
        Authorization::Free | Authorization::Absent => return Vec::new(),
        Authorization::First | Authorization::Present => "Bearer t1",
        Authorization::Second => "Bearer t2",
    };
    BTreeMap::from([("authorization", value)])
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
