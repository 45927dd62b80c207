use std::collections::HashMap;

use crate::model::{Exchange, ExchangeKind, PlannedStep, Presence, Times};

/// How far a script is played.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    /// The step that is next.
    next: usize,
    /// How often it was served.
    served: u32,
    /// Which step answered an exchange: asked again, it answers again.
    answered: HashMap<u32, Option<usize>>,
}

impl Cursor {
    /// The step that answers an exchange: the next one, if it fits. Only a step
    /// for another route does not fit; it is skipped for good if it is
    /// optional, else the request is beyond the script.
    pub(super) fn step(
        &mut self,
        script: &[PlannedStep],
        exchange: u32,
        path: &str,
    ) -> Option<usize> {
        if let Some(step) = self.answered.get(&exchange) {
            return *step;
        }
        let step = self.serve(script, path);
        self.answered.insert(exchange, step);
        step
    }

    fn serve(&mut self, script: &[PlannedStep], path: &str) -> Option<usize> {
        loop {
            let index = self.next;
            let step = script.get(index)?;
            if fits(step.route.as_deref(), path) {
                self.served = self.served.saturating_add(1);
                if step.times == Times::Exactly(self.served) {
                    self.advance();
                }
                return Some(index);
            }
            match step.presence {
                Presence::Required => return None,
                Presence::Optional => self.advance(),
            }
        }
    }

    fn advance(&mut self) {
        self.next += 1;
        self.served = 0;
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
    fn a_required_step_for_another_route_waits_for_it() {
        let script = [
            step(Some("connect"), Times::Exactly(1)),
            step(Some("poll"), Times::Forever),
        ];
        let played = play(&script, &["/poll/1", "/connect/1", "/connect", "/poll/1"]);
        assert_eq!(played, [None, Some(0), None, Some(1)]);
    }

    #[test]
    fn an_optional_step_for_another_route_is_skipped_for_good() {
        let mut optional = step(Some("poll"), Times::Exactly(2));
        optional.presence = Presence::Optional;
        let script = [optional.clone(), step(None, Times::Exactly(1)), optional];
        let played = play(&script, &["/poll/1", "/x", "/y", "/poll/1", "/x"]);
        assert_eq!(played, [Some(0), Some(1), None, None, None]);
        let served = play(&script, &["/x", "/poll/1"]);
        assert_eq!(served, [Some(1), Some(2)]);
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
