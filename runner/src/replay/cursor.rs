use std::collections::HashMap;

use crate::model::{Exchange, ExchangeKind, PlannedStep, Presence, Times};

/// How far a script is played.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    /// How often each step was served.
    served: HashMap<usize, u32>,
    /// Which step answered an exchange: asked again, it answers again.
    answered: HashMap<u32, Option<usize>>,
}

impl Cursor {
    /// The step that answers an exchange: the first that is not used up and
    /// fits. Only a step for another route does not fit; it is passed over and
    /// stays where it is, whether it is optional or not.
    pub(super) fn step(
        &mut self,
        script: &[PlannedStep],
        exchange: u32,
        path: &str,
    ) -> Option<usize> {
        if let Some(step) = self.answered.get(&exchange) {
            return *step;
        }
        let step = script.iter().enumerate().position(|(index, step)| {
            let served = self.served.get(&index).copied().unwrap_or(0);
            !is_used_up(step.times, served) && fits(step.route.as_deref(), path)
        });
        self.answered.insert(exchange, step);
        if let Some(step) = step {
            let served = self.served.entry(step).or_default();
            *served = served.saturating_add(1);
        }
        step
    }
}

fn is_used_up(times: Times, served: u32) -> bool {
    match times {
        Times::Exactly(times) => served >= times,
        Times::Forever => false,
    }
}

/// Whether a request to `path`, below the prefix, is one to `route`: the route
/// is its first segments, or its last ones.
fn fits(route: Option<&str>, path: &str) -> bool {
    let Some(route) = route else {
        return true;
    };
    let bounded = format!("{}/", path.trim_end_matches('/'));
    let inner = format!("/{}/", route.trim_matches('/'));
    bounded.starts_with(&inner) || bounded.ends_with(&inner)
}

/// Indices of required steps that were not served as often as they say, by the
/// exchanges of a case; one that is served for ever must be served once.
pub fn unserved(script: &[PlannedStep], exchanges: &[Exchange]) -> Vec<usize> {
    let missing = |(index, step): (usize, &PlannedStep)| {
        let by_step = |exchange: &&Exchange| {
            exchange.kind == ExchangeKind::Scripted && exchange.step == Some(index)
        };
        let served = exchanges.iter().filter(by_step).count();
        let needed = match step.times {
            Times::Exactly(times) => usize::try_from(times).unwrap_or(usize::MAX),
            Times::Forever => 1,
        };
        (step.presence == Presence::Required && served < needed).then_some(index)
    };
    script.iter().enumerate().filter_map(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{PlannedBody, Spelling};

    fn step(route: Option<&str>, times: Times) -> PlannedStep {
        PlannedStep {
            status: 200,
            headers: Vec::new(),
            body: PlannedBody::default(),
            times,
            route: route.map(Into::into),
            delay: None,
            presence: Presence::Required,
            owner: None,
            fault: None,
            spelling: Spelling::Lower,
        }
    }

    fn play(script: &[PlannedStep], paths: &[&str]) -> Vec<Option<usize>> {
        let mut cursor = Cursor::default();
        let numbered = (0..).zip(paths);
        numbered
            .map(|(number, path)| cursor.step(script, number, path))
            .collect()
    }

    #[test]
    fn steps_are_served_in_order_and_so_often() {
        let script = [step(None, Times::Exactly(2)), step(None, Times::Exactly(1))];
        let played = play(&script, &["/a", "/a", "/a", "/a"]);
        assert_eq!(played, [Some(0), Some(0), Some(1), None]);
        let script = [step(None, Times::Exactly(1)), step(None, Times::Forever)];
        assert_eq!(play(&script, &["/"; 3]), [Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn a_step_for_another_route_stays_where_it_is() {
        let script = [
            step(Some("connect"), Times::Forever),
            step(Some("poll"), Times::Exactly(1)),
            step(None, Times::Exactly(1)),
        ];
        let played = play(&script, &["/poll/1", "/connect/1", "/poll/1", "/connect"]);
        assert_eq!(played, [Some(1), Some(0), Some(2), Some(0)]);
    }

    #[test]
    fn routes_are_whole_segments_at_an_end_of_the_path() {
        for path in ["/hop2", "/hop2/", "/hop2/1234567", "/files/7/hop2"] {
            assert!(fits(Some("hop2"), path), "{path}");
        }
        for path in ["", "/hop22/1", "/files/hop2/7", "/xhop2"] {
            assert!(!fits(Some("hop2"), path), "{path}");
        }
    }

    #[test]
    fn an_exchange_that_asks_again_gets_the_same_step() {
        let script = [step(None, Times::Exactly(1)), step(None, Times::Exactly(1))];
        let mut cursor = Cursor::default();
        assert_eq!(cursor.step(&script, 0, "/"), Some(0));
        assert_eq!(cursor.step(&script, 0, "/"), Some(0));
        assert_eq!(cursor.step(&script, 1, "/"), Some(1));
    }
}
