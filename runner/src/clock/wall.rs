//! The wall clock of a case whose time the runner owns.

use jiff::Timestamp;

use crate::model::{ClockPlan, Span, wall_shifted};

/// The wall clock at an instant of the case: where it stood at the open, plus
/// the instant, plus the steps applied by then.
pub(super) fn wall_at(plan: &ClockPlan, now: Span) -> Timestamp {
    let steps = plan.steps.iter().filter(|step| step.at <= now);
    let shift = steps.fold(now, |shift, step| shift + step.by);
    wall_shifted(plan.wall, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::protocol::ClockKind;
    use crate::model::{DateWindow, WallStep};

    #[test]
    fn a_step_moves_the_wall_clock_from_its_instant_on() {
        let plan = ClockPlan {
            kind: ClockKind::Injected,
            wall: "2030-01-01T00:00:00.25Z".parse().unwrap(),
            tick: None,
            steps: vec![WallStep {
                at: Span::from_secs(3),
                by: Span::from_secs(-3600),
            }],
            date_window: DateWindow::Free,
        };
        let at = |now: i64| wall_at(&plan, Span::from_millis(now)).to_string();
        assert_eq!(at(2_999), "2030-01-01T00:00:03.249Z");
        assert_eq!(at(3_000), "2029-12-31T23:00:03.25Z");
        assert_eq!(at(4_000), "2029-12-31T23:00:04.25Z");
    }
}
