//! What a client does with a told wait: limits of the host, then composition
//! with the local delay.

use std::collections::BTreeSet;

use super::behaviour::{Behaviour, ClockUse, ComposeAs, Fit, Honoured, Jitter, OverRange, Unit};
use super::setting::Setting;
use crate::fixture::Step;
use crate::model::{Allowed, Interval, Span, TokenContext, wall_shifted};
use crate::retry_after::{Reading, Switch, Told, ToldForm, WallReading, read};
use crate::spec::{BranchRow, Composition, Param, ToldSource, UntoldWait};

/// What a reply names, in every way in which it may be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    /// Alternatives; one, unless the specification leaves a choice or the
    /// instant of the reply is a draw.
    pub(super) alternatives: Vec<Told>,
}

impl Named {
    /// Whether some reading of it is a told wait.
    pub(super) fn is_told(&self) -> bool {
        self.alternatives
            .iter()
            .any(|told| matches!(told, Told::Wait(..) | Told::Unsettled(_)))
    }

    /// Whether every reading of it is a told wait.
    pub(super) fn is_surely_told(&self) -> bool {
        let told = |told: &Told| matches!(told, Told::Wait(..) | Told::Unsettled(_));
        !self.alternatives.is_empty() && self.alternatives.iter().all(told)
    }

    /// What an error shows of it: the value as the server named it.
    pub(super) fn on_error(&self, limit: Option<Span>) -> Option<Allowed> {
        if self
            .alternatives
            .iter()
            .any(|told| matches!(told, Told::Unsettled(_)))
            || self.alternatives.len() > 1
        {
            let spans: BTreeSet<_> = self.alternatives.iter().filter_map(shown).collect();
            return match spans.len() {
                1 if self.alternatives.iter().all(|told| shown(told).is_some()) => {
                    spans.first().map(|span| Allowed::exact(*span))
                }
                _ => Some(Allowed::Observed),
            };
        }
        let span = self.alternatives.first().and_then(shown)?;
        limit
            .is_none_or(|limit| span <= limit)
            .then(|| Allowed::exact(span))
    }
}

fn shown(told: &Told) -> Option<Span> {
    match told {
        Told::Wait(span, _) => Some(*span),
        _ => None,
    }
}

/// Reads what a reply of `step`, served at `at`, names under `branch`.
pub(super) fn named(
    setting: &Setting<'_>,
    behaviour: &Behaviour,
    branch: &BranchRow,
    step: &Step,
    at: &Allowed,
) -> Named {
    let Some(parser) = branch
        .parser
        .as_ref()
        .and_then(|id| setting.spec.parser(id))
    else {
        return Named {
            alternatives: vec![Told::Nothing],
        };
    };
    let reads_retry_after = branch
        .told_by
        .iter()
        .any(|source| matches!(source, ToldSource::Seconds | ToldSource::Date));
    if !reads_retry_after || behaviour.told.honoured == Honoured::Never {
        return Named {
            alternatives: vec![Told::Nothing],
        };
    }
    let reading = in_the_locale(setting, &behaviour.reading);
    let mut alternatives = Vec::new();
    for wall in setting.walls_of(at) {
        let context = TokenContext {
            wall,
            base_url: "",
            mark: "",
            request_url: "",
        };
        let lines: Vec<String> = step
            .headers
            .iter()
            .filter(|(name, _)| name == "retry-after")
            .map(|(_, value)| value.resolve(&context))
            .collect();
        let clock = WallReading {
            wall,
            zone: setting.zone(),
        };
        match read(&lines, parser, &reading, &clock) {
            Told::AnyOf(choices) => alternatives.extend(
                choices
                    .into_iter()
                    .map(|told| taken(setting, told, behaviour)),
            ),
            told => {
                let told = read_again(
                    setting,
                    behaviour,
                    told,
                    &mut |clock| read(&lines, parser, &reading, clock),
                    &clock,
                );
                alternatives.push(taken(setting, told, behaviour));
            }
        }
    }
    alternatives.dedup();
    Named { alternatives }
}

/// The defect that looks for the names of a date in the language of its process
/// finds the English ones in an English one only.
fn in_the_locale(setting: &Setting<'_>, reading: &Reading) -> Reading {
    let mut reading = reading.clone();
    let locale = setting.case.clock.locale.as_deref().unwrap_or("C");
    let is_english = ["C", "POSIX", "en"]
        .iter()
        .any(|name| locale.split(['.', '_']).next() == Some(name));
    if reading.dates.local_names.is_on() && !is_english {
        reading.dates.none = Switch::On;
    }
    reading
}

/// The defect that reads a ticking clock twice: once to see that a date lies
/// ahead, once more to compute how far.
fn read_again(
    setting: &Setting<'_>,
    behaviour: &Behaviour,
    told: Told,
    again: &mut dyn FnMut(&WallReading) -> Told,
    clock: &WallReading,
) -> Told {
    let (ClockUse::TwoReadings, Some(tick), Told::Wait(_, ToldForm::Date)) =
        (behaviour.clock, setting.case.clock.tick, &told)
    else {
        return told;
    };
    let later = WallReading {
        wall: wall_shifted(clock.wall, tick),
        zone: clock.zone.clone(),
    };
    match again(&later) {
        Told::Nothing => Told::Wait(Span::ZERO, ToldForm::Date),
        told => told,
    }
}

/// A value as the client takes it: in its unit, below its threshold.
fn taken(setting: &Setting<'_>, told: Told, behaviour: &Behaviour) -> Told {
    let use_ = &behaviour.told;
    match told {
        Told::Wait(span, form) => {
            // What does not fit the parser's number is malformed, except to the
            // defects that are about it.
            let is_kept = matches!(use_.over_range, OverRange::Raises | OverRange::Wraps64);
            if !is_kept && setting.host.parse_limit.is_some_and(|limit| span > limit) {
                return Told::Nothing;
            }
            let span = scaled(span, form, use_.unit);
            if use_.discard_above.is_some_and(|limit| span > limit) {
                Told::Nothing
            } else {
                Told::Wait(span, form)
            }
        }
        told => told,
    }
}

/// What a client does after a retryable failure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NextStep {
    /// It waits.
    Wait(ChosenWait),
    /// The call ends with the failure's error.
    Ends,
    /// The call ends with an error of the reader.
    Raises,
}

/// A wait, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChosenWait {
    /// On the wire.
    pub(super) length: Allowed,
    /// The form in which it was told, if it was.
    pub(super) form: Option<ToldForm>,
    /// For people.
    pub(super) why: String,
}

impl ChosenWait {
    /// Whether it was told.
    pub(super) fn is_told(&self) -> bool {
        self.form.is_some()
    }
}

/// Chooses the wait after a failure with `status` (none: no reply) that names
/// `named`, where the local delay would be `local`.
pub(super) fn choose(
    setting: &Setting<'_>,
    behaviour: &Behaviour,
    branch: &BranchRow,
    status: Option<u16>,
    named: &Named,
    local: Interval,
) -> NextStep {
    let mut intervals = Vec::new();
    let mut reasons = BTreeSet::new();
    let mut told_form = None;
    for alternative in &named.alternatives {
        match one_wait(setting, behaviour, branch, status, alternative, local) {
            One::Told(interval, form, why) => {
                told_form = Some(form);
                reasons.insert(why);
                intervals.push(interval);
            }
            One::Local(why) => {
                reasons.insert(why);
                intervals.push(local);
            }
            One::Observed => {
                let why = "not settled by the specification: recorded, never judged".to_owned();
                return NextStep::Wait(ChosenWait {
                    length: Allowed::Observed,
                    form: Some(ToldForm::Date),
                    why,
                });
            }
            One::Ends => return NextStep::Ends,
            One::Raises => return NextStep::Raises,
        }
    }
    let why = reasons.into_iter().collect::<Vec<_>>().join("; or ");
    NextStep::Wait(ChosenWait {
        length: Allowed::any_of(intervals),
        form: told_form,
        why,
    })
}

enum One {
    Told(Interval, ToldForm, String),
    Local(String),
    Observed,
    Ends,
    Raises,
}

fn one_wait(
    setting: &Setting<'_>,
    behaviour: &Behaviour,
    branch: &BranchRow,
    status: Option<u16>,
    told: &Told,
    local: Interval,
) -> One {
    let (span, form) = match told {
        Told::Wait(span, form) => (*span, *form),
        Told::Unsettled(_) => return One::Observed,
        Told::Raises => return One::Raises,
        Told::Nothing | Told::AnyOf(_) => return untold(branch, "nothing was told"),
    };
    if status.is_some_and(|status| behaviour.told.ignored_at.contains(&status)) {
        return untold(branch, "the told wait is not used at this status");
    }
    let use_ = &behaviour.told;
    let scheduled = match within_limits(setting, use_.over_range, span) {
        Limited::To(span) => span,
        Limited::Malformed(why) => return untold(branch, why),
        Limited::Raises => return One::Raises,
    };
    if use_.give_up_above.is_some_and(|limit| scheduled > limit) {
        return One::Ends;
    }
    let told = bent(setting, behaviour, scheduled);
    let composed = match (use_.composition, branch.composition) {
        (ComposeAs::Add, _) => told + local,
        (ComposeAs::Longer, _) | (ComposeAs::Specified, Composition::Floor) => told.max(local),
        (ComposeAs::Shorter, _) => told.min(local),
        (ComposeAs::Specified, _) => told,
    };
    let shape = match form {
        ToldForm::Seconds => "seconds",
        ToldForm::Date => "a date",
    };
    let why = format!(
        "told {span} as {shape}, composition {} of branch `{}`",
        branch.composition, branch.id
    );
    let limit = setting.host.schedule_limit.unwrap_or(Span::MAX);
    One::Told(composed.map(|span| span.min(limit)), form, why)
}

fn untold(branch: &BranchRow, reason: &str) -> One {
    match branch.untold_wait {
        UntoldWait::NotApplicable => One::Ends,
        _ => One::Local(format!(
            "{reason}, so the local delay `{}` of branch `{}`",
            branch.local_delay, branch.id
        )),
    }
}

fn scaled(span: Span, form: ToldForm, unit: Unit) -> Span {
    match (form, unit) {
        (ToldForm::Date, _) | (_, Unit::Seconds) => span,
        (ToldForm::Seconds, Unit::Millis) => Span::from_nanos(span.as_nanos() / 1_000),
        (ToldForm::Seconds, Unit::Nanos) => Span::from_nanos(span.as_nanos() / 1_000_000_000),
    }
}

enum Limited {
    To(Span),
    Malformed(&'static str),
    Raises,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the defects wrap"
)]
fn within_limits(setting: &Setting<'_>, over: OverRange, span: Span) -> Limited {
    let host = setting.host;
    let secs = u64::try_from(span.floor_secs().max(0)).unwrap_or(u64::MAX);
    if over == OverRange::Wraps64 {
        let nanos = secs.wrapping_mul(1_000_000_000) as i64;
        let wrapped = Span::from_nanos(i128::from(nanos.max(0)));
        return Limited::To(
            host.schedule_limit
                .map_or(wrapped, |limit| wrapped.min(limit)),
        );
    }
    let beyond = |limit: Option<Span>| limit.is_some_and(|limit| span > limit);
    if beyond(host.parse_limit) {
        return match over {
            OverRange::Raises => Limited::Raises,
            _ => Limited::Malformed("the value is above what the host can parse"),
        };
    }
    match over {
        OverRange::FiresAtOnce if u128::from(secs) * 1_000 > 2_147_483_647 => {
            return Limited::To(Span::from_millis(1));
        }
        OverRange::Wraps32 => {
            let millis = secs.wrapping_mul(1_000) as i32;
            return Limited::To(Span::from_millis(i64::from(millis.max(0))));
        }
        _ => {}
    }
    if beyond(host.schedule_limit) {
        return match over {
            OverRange::Raises => Limited::Raises,
            OverRange::FallsBack => {
                Limited::Malformed("the value is above what the host can schedule")
            }
            _ => Limited::To(host.schedule_limit.unwrap_or(span)),
        };
    }
    Limited::To(span)
}

fn bent(setting: &Setting<'_>, behaviour: &Behaviour, span: Span) -> Interval {
    let use_ = &behaviour.told;
    let mut span = span + use_.added;
    if let Some(cap) = use_.cap {
        span = span.min(cap);
    }
    if use_.fit == Fit::CutToTimeout
        && let Some(timeout) = setting.span_knob(Param::RequestTimeout)
    {
        span = span.min(timeout);
    }
    match use_.jitter {
        Jitter::None => Interval::exact(span),
        Jitter::Up => {
            let most = setting
                .span_knob(Param::MaxJitter)
                .unwrap_or(DEFAULT_JITTER);
            Interval::new(span, span + most)
        }
        Jitter::Factor(lo, hi) => Interval::new(span.scale(lo), span.scale(hi)),
    }
}

/// Jitter of clients whose knob is not set (SPEC.md §7).
const DEFAULT_JITTER: Span = Span::from_millis(100);
