//! The waits of a call, from whatever shows most of them: a cancelled wait
//! lies before no attempt, but a hook announces it and a sleeper is asked.

use super::tolerance::only_sleeps_are_seen;
use super::view::CallView;
use crate::adapter::protocol::EventName;
use crate::model::{Allowed, Feature, Span};
use crate::oracle::{CallExpectation, Setting};

/// What shows waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Gaps between requests.
    Gaps,
    /// What the retry hook announces.
    Hooks,
    /// What the sleeper is asked for.
    Sleeps,
}

impl Source {
    /// The source that shows most waits of a prediction.
    pub(super) fn of(setting: &Setting<'_>, call: &CallExpectation) -> Self {
        let mut most = Self::Gaps;
        let others = [
            (
                Self::Hooks,
                setting.host.features.contains(&Feature::RetryHook),
            ),
            (
                Self::Sleeps,
                only_sleeps_are_seen(setting.clock, setting.host),
            ),
        ];
        for (source, is_seen) in others {
            let count = |source: Self| source.predicted(call).len();
            if is_seen && count(source) > count(most) {
                most = source;
            }
        }
        most
    }

    /// The waits that are predicted.
    pub(super) fn predicted(self, call: &CallExpectation) -> Vec<&Allowed> {
        match self {
            Self::Gaps => call.gaps().map(|gap| &gap.length).collect(),
            Self::Hooks => call.hooks.iter().map(|hook| &hook.delay).collect(),
            Self::Sleeps => {
                let is_any = |length: &&Allowed| length.as_exact() != Some(Span::ZERO);
                call.asked.iter().filter(is_any).collect()
            }
        }
    }

    /// The waits that were seen, `None` where one cannot be told.
    pub(super) fn seen(self, view: &CallView<'_>, calls: usize) -> Vec<Option<Span>> {
        match self {
            Self::Gaps => (1..view.attempts.len())
                .map(|index| view.gap_before(index)?.length)
                .collect(),
            Self::Hooks => {
                let events = view.events(EventName::Retry).into_iter();
                events.map(|event| event.delay).collect()
            }
            Self::Sleeps => view.asked(calls).into_iter().map(Some).collect(),
        }
    }
}
