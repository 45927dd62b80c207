//! [`Setting`]: what a case is derived for.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::adapter::protocol::{ClockKind, ParamValue};
use crate::fixture::Case;
use crate::model::{Allowed, Host, Span, wall_shifted, wall_span};
use crate::spec::{BranchRow, LoopRow, Machine, Param, Spec};

/// What a case is derived for: specification, host, clock.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The specification.
    pub spec: &'a Spec,
    /// The case.
    pub case: &'a Case,
    /// The host.
    pub host: &'a Host,
    /// Who owns time.
    pub clock: ClockKind,
    /// The wall clock at open.
    pub wall: Timestamp,
    /// Where the world stops, if that is known already.
    pub horizon: Option<Span>,
}

/// Sub-second phases at which replies with dates are served under the real
/// clock (the tap holds them until then): both ends of the window.
const REAL_PHASES: [Span; 2] = [Span::from_millis(200), Span::from_millis(600)];

impl<'a> Setting<'a> {
    /// The row of the loop under test.
    pub fn loop_row(&self) -> Option<&'a LoopRow> {
        self.spec.loop_row(&self.case.loop_id)
    }

    /// The loop that a call runs in: the loop under test, or for a replay,
    /// which is charged to the running loop, the first retry loop.
    pub fn running_loop(&self) -> Option<&'a LoopRow> {
        let row = self.loop_row()?;
        match row.machine {
            Machine::Replay => self
                .spec
                .loops
                .iter()
                .find(|row| row.machine == Machine::Retry),
            _ => Some(row),
        }
    }

    /// The branches that can govern a reply, in the order in which they are
    /// tried: replays first, since they apply to any running loop.
    pub fn branches(&self) -> Vec<&'a BranchRow> {
        let of_machine = |wanted: Machine| {
            self.spec
                .loops
                .iter()
                .filter(move |row| row.machine == wanted)
                .map(|row| &row.id)
        };
        let running = self.running_loop().map(|row| &row.id);
        of_machine(Machine::Replay)
            .chain(running)
            .flat_map(|id| self.spec.branches_of(id))
            .collect()
    }

    /// A duration knob: the host's constant if it has no such knob, else what
    /// the fixture sets.
    pub fn span_knob(&self, param: Param) -> Option<Span> {
        match self.knob(&param.to_string())? {
            ParamValue::Duration(span) => Some(span),
            ParamValue::Count(_) => None,
        }
    }

    /// The attempts knob.
    pub fn max_attempts(&self) -> Option<i64> {
        match self.knob("max_attempts")? {
            ParamValue::Count(count) => Some(i64::try_from(count).unwrap_or(i64::MAX)),
            ParamValue::Duration(_) => None,
        }
    }

    fn knob(&self, name: &str) -> Option<ParamValue> {
        let host_loop = self.host.loops.get(&self.case.loop_id);
        let constant = host_loop.and_then(|host_loop| host_loop.constants.get(name));
        let stated = self.case.params.get(name);
        // Beside a knob a constant is what the SDK does if it is not set.
        let value = if self.host.params.contains(name) {
            stated.or(constant)
        } else {
            constant.or(stated)
        };
        value.copied()
    }

    /// The wall clock at an instant of the case, steps applied.
    pub fn wall_at(&self, instant: Span) -> Timestamp {
        let stepped = self
            .case
            .clock
            .steps
            .iter()
            .filter(|step| step.at <= instant)
            .map(|step| step.by);
        wall_shifted(self.wall, stepped.fold(instant, |sum, by| sum + by))
    }

    /// Wall clocks that stand for all at which a reply of `instant` may be
    /// served: the ends of its intervals; where they cross a second, both sides
    /// of it.
    pub fn walls_of(&self, instant: &Allowed) -> Vec<Timestamp> {
        let Allowed::AnyOf(intervals) = instant else {
            return vec![self.wall];
        };
        let mut walls = Vec::new();
        for interval in intervals {
            let low = self.wall_at(interval.lo);
            walls.push(low);
            if !interval.is_exact() {
                let next_second = Span::from_secs(wall_span(low).floor_secs() + 1);
                let to_next = next_second - wall_span(low);
                if interval.lo + to_next <= interval.hi {
                    walls.push(self.wall_at(interval.lo + to_next));
                    walls.push(self.wall_at(interval.lo + to_next - Span::from_nanos(1)));
                }
                walls.push(self.wall_at(interval.hi));
            }
        }
        if self.clock == ClockKind::Real {
            let second = |wall: &Timestamp| Span::from_secs(wall_span(*wall).floor_secs());
            let held: Vec<_> = walls
                .iter()
                .flat_map(|wall| {
                    REAL_PHASES
                        .map(|phase| wall_shifted(Timestamp::UNIX_EPOCH, second(wall) + phase))
                })
                .collect();
            return held;
        }
        walls
    }

    /// The zone of the adapter's process.
    pub fn zone(&self) -> TimeZone {
        self.case
            .clock
            .zone
            .as_deref()
            .and_then(|name| TimeZone::get(name).ok())
            .unwrap_or(TimeZone::UTC)
    }
}

/// The first retrying branch of the running loop: how told waits are read
/// where no row governs, and whose local delay `local(n)` stands for.
pub fn first_retry_branch<'a>(setting: &Setting<'a>) -> Option<&'a BranchRow> {
    let running = setting.running_loop()?;
    setting
        .spec
        .branches_of(&running.id)
        .find(|branch| branch.repeats() && branch.parser.is_some())
}
