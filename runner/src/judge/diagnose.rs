//! [`diagnose`]: which defects would show just this.

use super::compare::unpredicted;
use super::recorded::recorded_text;
use super::tolerance::case_tolerance;
use super::verdict::Diagnosis;
use super::view::CallView;
use super::waits::Source;
use crate::adapter::protocol::ClockKind;
use crate::defect::{Defect, catalogue};
use crate::model::{Allowed, DefectId, Interval, Observation, Span};
use crate::oracle::{Behaviour, Expectation, Setting, expectation};
use crate::spec::Param;

/// Names the defects, or the pair of them, under which the oracle predicts what
/// was seen: those that the fixture is there to catch first, then those under
/// which it was least of a chance.
pub fn diagnose(setting: &Setting<'_>, observations: &[Observation]) -> Diagnosis {
    Hypotheses::of(setting).explain(observations)
}

/// What the oracle predicts of one case under each defect.
#[derive(Debug)]
pub struct Hypotheses<'a> {
    setting: Setting<'a>,
    right: Expectation,
    /// Defects that change something here.
    differing: Vec<(&'static Defect, Expectation)>,
}

impl<'a> Hypotheses<'a> {
    /// Those of one case.
    pub fn of(setting: &Setting<'a>) -> Self {
        let right = expectation(setting, &Behaviour::default());
        let differing = catalogue()
            .iter()
            .map(|defect| (defect, expectation(setting, &defect.behaviour())))
            .filter(|(_, wrong)| *wrong != right)
            .collect();
        Self {
            setting: *setting,
            right,
            differing,
        }
    }

    /// Names what predicts the observations; see [`diagnose`].
    pub fn explain(&self, observations: &[Observation]) -> Diagnosis {
        // What differs is what the author states of requests, and that is said
        // of the specified client alone: no defect predicts it.
        if unpredicted(&self.setting, &self.right, observations).is_empty() {
            return Diagnosis::Unexplained;
        }
        let mut matching: Vec<_> = self
            .differing
            .iter()
            .filter(|(_, wrong)| unpredicted(&self.setting, wrong, observations).is_empty())
            .filter(|(_, wrong)| self.is_credible(wrong, observations))
            .map(|(defect, wrong)| (self.room(wrong), defect.id()))
            .collect();
        matching.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        let Some((least, _)) = matching.first() else {
            return self.pair(observations).unwrap_or(Diagnosis::Unexplained);
        };
        // A draw that happens to fall on a value is no evidence beside a
        // defect that predicts just this value.
        let most = least + std::f64::consts::LN_2;
        matching.retain(|(room, _)| *room <= most);
        matching.sort_by_key(|(_, defect)| self.claimed(defect));
        Diagnosis::ConsistentWith(matching.into_iter().map(|(_, defect)| defect).collect())
    }

    /// Where among its `kills` a fixture names a defect; last if it does not.
    fn claimed(&self, defect: &DefectId) -> usize {
        let kills = &self.setting.case.kills;
        let place = kills.iter().position(|claimed| claimed == defect);
        place.unwrap_or(kills.len())
    }

    /// The pair under which what was seen was least of a chance. There are
    /// thousands of pairs, so that some wide draw would explain anything: only
    /// those count that leave waits no more room than the specification does.
    /// Beside a defect that the fixture is there to catch, the other may change
    /// nothing by itself: rounding shows only where a date is read.
    fn pair(&self, observations: &[Observation]) -> Option<Diagnosis> {
        let widest = self.widest(&self.right).max(
            self.setting
                .span_knob(Param::MaxJitter)
                .unwrap_or(Span::ZERO),
        );
        let mut best: Option<(f64, Diagnosis)> = None;
        let shows = |defect: &Defect| {
            self.differing
                .iter()
                .any(|(one, _)| one.name == defect.name)
        };
        let is_claimed = |defect: &Defect| self.setting.case.kills.contains(&defect.id());
        for (index, left) in catalogue().iter().enumerate() {
            for right in &catalogue()[index + 1..] {
                let is_hidden = match (shows(left), shows(right)) {
                    (true, true) => false,
                    (true, false) => !is_claimed(left),
                    (false, true) => !is_claimed(right),
                    (false, false) => true,
                };
                if is_hidden {
                    continue;
                }
                let mut behaviour = left.behaviour();
                (right.bend)(&mut behaviour);
                let wrong = expectation(&self.setting, &behaviour);
                let room = self.room(&wrong);
                let is_better = best.as_ref().is_none_or(|(least, _)| room < *least);
                if is_better
                    && self.widest(&wrong) <= widest
                    && unpredicted(&self.setting, &wrong, observations).is_empty()
                    && self.is_credible(&wrong, observations)
                {
                    best = Some((room, Diagnosis::Pair(left.id(), right.id())));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// Whether the draws of a prediction look drawn. A wide draw holds almost
    /// any wait: one of a whole second, or one right beside the specified wait,
    /// is hardly a draw at all.
    fn is_credible(&self, wrong: &Expectation, observations: &[Observation]) -> bool {
        let draws = self.draws(wrong, observations);
        let is_whole = |draw: &Draw| draw.seen == Span::from_secs(draw.seen.floor_secs());
        if self.setting.clock != ClockKind::Real && !draws.is_empty() && draws.iter().all(is_whole)
        {
            return false;
        }
        let besides = draws.iter().filter_map(|draw| {
            let distance = (draw.seen - draw.specified?).abs() + self.blur();
            Some(share(distance, draw.room.width()))
        });
        besides.product::<f64>() >= LEAST_CHANCE
    }

    /// The waits that this prediction leaves to chance otherwise than the
    /// specification does, as they were seen.
    fn draws(&self, wrong: &Expectation, observations: &[Observation]) -> Vec<Draw> {
        let mut draws = Vec::new();
        for (id, call) in &wrong.calls {
            let source = Source::of(&self.setting, call);
            let right = self.right.calls.get(id);
            let right = right.map(|call| source.predicted(call)).unwrap_or_default();
            let predicted = source.predicted(call).into_iter().enumerate();
            let rooms: Vec<_> = predicted
                .filter_map(|(index, length)| {
                    let specified = right.get(index).copied();
                    match length {
                        Allowed::AnyOf(room) if specified != Some(length) => match room[..] {
                            [room] if !room.is_exact() => Some((index, room, specified)),
                            _ => None,
                        },
                        _ => None,
                    }
                })
                .collect();
            for observation in observations {
                let calls = wrong.calls.len();
                let seen = source.seen(&CallView::new(observation, id, calls), calls);
                draws.extend(rooms.iter().filter_map(|(index, room, specified)| {
                    Some(Draw {
                        seen: (*seen.get(*index)?)?,
                        room: *room,
                        specified: specified.and_then(Allowed::as_exact),
                    })
                }));
            }
        }
        draws
    }

    fn waits<'e>(&'e self, expectation: &'e Expectation) -> impl Iterator<Item = &'e Allowed> {
        let calls = expectation.calls.values();
        calls.flat_map(|call| Source::of(&self.setting, call).predicted(call))
    }

    /// The widest draw of a wait; a choice between exact values is none, what
    /// is not settled may be anything.
    fn widest(&self, expectation: &Expectation) -> Span {
        let width = |length: &Allowed| match length {
            Allowed::AnyOf(intervals) => intervals.iter().map(|interval| interval.width()).max(),
            Allowed::Observed => Some(Span::MAX),
        };
        let widths = self.waits(expectation).filter_map(width);
        widths.max().unwrap_or(Span::ZERO)
    }

    /// How far apart two measured waits may be and still be one.
    fn blur(&self) -> Span {
        let tolerance = case_tolerance(&self.setting);
        tolerance.early + tolerance.late + Span::from_nanos(1)
    }

    /// How much room a prediction leaves for chance: the logarithm of the number
    /// of nanoseconds that each wait could have lasted.
    fn room(&self, expectation: &Expectation) -> f64 {
        let blur = self.blur();
        let room = |length: &Allowed| match length {
            Allowed::AnyOf(intervals) => intervals
                .iter()
                .fold(Span::ZERO, |sum, interval| sum + interval.width() + blur),
            Allowed::Observed => Span::from_secs(1_000_000_000),
        };
        #[expect(clippy::cast_precision_loss, reason = "a likelihood")]
        self.waits(expectation)
            .map(|length| (room(length).as_nanos().max(1) as f64).ln())
            .sum()
    }
}

/// A wait that a prediction leaves to chance.
struct Draw {
    seen: Span,
    room: Interval,
    /// What the specification wants there, if it is one value.
    specified: Option<Span>,
}

/// A draw that falls this near to the specified wait, by chance, is not taken
/// for one.
const LEAST_CHANCE: f64 = 0.01;

/// How much of a draw's room lies within `distance` of some value, on both
/// sides of it.
#[expect(clippy::cast_precision_loss, reason = "a probability")]
fn share(distance: Span, room: Span) -> f64 {
    let (distance, room) = (distance.as_nanos() as f64, room.as_nanos() as f64);
    (2.0 * distance / room).min(1.0)
}

/// Whether the oracle predicts what was seen under that defect.
pub fn shows_defect(setting: &Setting<'_>, defect: &Defect, observations: &[Observation]) -> bool {
    unpredicted(
        setting,
        &expectation(setting, &defect.behaviour()),
        observations,
    )
    .is_empty()
}

/// Whether the oracle predicts what was seen under both defects.
pub fn shows_pair(
    setting: &Setting<'_>,
    [left, right]: [&Defect; 2],
    observations: &[Observation],
) -> bool {
    let mut behaviour = left.behaviour();
    (right.bend)(&mut behaviour);
    unpredicted(setting, &expectation(setting, &behaviour), observations).is_empty()
}

/// A short name of how a case differs, for known.yaml: the defect that is
/// diagnosed, the list of two, or the timeline.
pub fn signature(
    diagnosis: &Diagnosis,
    observation: &Observation,
    setting: &Setting<'_>,
) -> String {
    match diagnosis {
        Diagnosis::ConsistentWith(defects) if !defects.is_empty() => defects[0].to_string(),
        Diagnosis::Pair(left, right) => format!("[{left}, {right}]"),
        _ => recorded_text(setting, observation),
    }
}
