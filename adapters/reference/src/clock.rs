//! Time, as the client sees it: the system's, or the runner's by request.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep};

use crate::emitter::Emitter;
use crate::protocol::{Beside, Outgoing};
use crate::span::Span;

/// tokio's timer wheel holds about two years; longer waits go in slices.
const LONGEST_SLICE: Duration = Duration::from_secs(365 * 86_400);

/// The two clocks and the sleeper of one case.
#[derive(Clone, Debug)]
pub(crate) enum Clock {
    /// The operating system's, through tokio.
    System { opened: Instant },
    /// The runner's, asked over the protocol.
    Injected(Arc<InjectedClock>),
}

impl Clock {
    pub(crate) fn system() -> Self {
        Self::System {
            opened: Instant::now(),
        }
    }

    /// One reading of the monotonic clock: time since the case was opened.
    pub(crate) fn now(&self) -> Span {
        match self {
            Self::System { opened } => span_of(opened.elapsed()),
            Self::Injected(clock) => clock.read(|hands| hands.now),
        }
    }

    /// What has passed since the case was opened, for measuring what the
    /// transport does: no reading that a decision rests on, so it does not tick.
    pub(crate) fn stopwatch(&self) -> Span {
        match self {
            Self::System { opened } => span_of(opened.elapsed()),
            Self::Injected(clock) => clock.hands().now,
        }
    }

    /// The wall clock as a timer sees it that looks at nothing else: like the
    /// stopwatch it does not tick.
    pub(crate) fn wall_of_a_timer(&self) -> Span {
        match self {
            Self::System { .. } => self.wall(),
            Self::Injected(clock) => clock.hands().wall,
        }
    }

    /// One reading of the wall clock: time since 1970.
    pub(crate) fn wall(&self) -> Span {
        match self {
            Self::System { .. } => Span::from_nanos(jiff::Timestamp::now().as_nanosecond()),
            Self::Injected(clock) => clock.read(|hands| hands.wall),
        }
    }

    /// Arms a timer; time runs from here, not from the first poll.
    pub(crate) fn timer(&self, call: &str, duration: Span, beside: Option<Beside>) -> Timer {
        match self {
            Self::System { .. } if duration <= Span::ZERO => Timer::Over,
            Self::System { .. } => Timer::system(duration.to_std()),
            Self::Injected(clock) => Timer::Injected(clock.ask(call, duration, beside)),
        }
    }
}

fn span_of(duration: Duration) -> Span {
    Span::from_nanos(i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX))
}

/// A running timer.
#[derive(Debug)]
pub(crate) enum Timer {
    Over,
    System {
        end: Option<Instant>,
        slice: Pin<Box<Sleep>>,
    },
    Injected(oneshot::Receiver<()>),
}

impl Timer {
    fn system(duration: Duration) -> Self {
        let now = Instant::now();
        Self::System {
            end: now.checked_add(duration),
            slice: Box::pin(tokio::time::sleep(duration.min(LONGEST_SLICE))),
        }
    }

    /// Waits for the end of the timer; may be called again if it was dropped.
    pub(crate) async fn ended(&mut self) {
        match self {
            Self::Over => return,
            Self::System { end, slice } => loop {
                slice.as_mut().await;
                let now = Instant::now();
                let rest = match end {
                    Some(end) if *end <= now => break,
                    Some(end) => *end - now,
                    None => LONGEST_SLICE,
                };
                slice.as_mut().reset(now + rest.min(LONGEST_SLICE));
            },
            Self::Injected(answer) => {
                if answer.await.is_err() {
                    // The case is over; nobody will say how time moved.
                    std::future::pending::<()>().await;
                }
            }
        }
        *self = Self::Over;
    }
}

/// Clocks that stand still until the runner moves them.
#[derive(Debug)]
pub(crate) struct InjectedClock {
    case: String,
    emitter: Emitter,
    hands: Mutex<Hands>,
}

#[derive(Debug)]
struct Hands {
    now: Span,
    wall: Span,
    tick: Span,
    /// Sum of the ticks of all readings so far.
    drift: Span,
    last_sleep: u64,
    asleep: HashMap<u64, oneshot::Sender<()>>,
}

impl InjectedClock {
    pub(crate) fn new(case: String, emitter: Emitter, now: Span, wall: Span, tick: Span) -> Self {
        let hands = Hands {
            now,
            wall,
            tick,
            drift: Span::ZERO,
            last_sleep: 0,
            asleep: HashMap::new(),
        };
        Self {
            case,
            emitter,
            hands: Mutex::new(hands),
        }
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, which: impl FnOnce(&Hands) -> Span) -> Span {
        let mut hands = self.hands();
        let reading = which(&hands) + hands.drift;
        hands.drift = hands.drift + hands.tick;
        reading
    }

    fn ask(&self, call: &str, duration: Span, during: Option<Beside>) -> oneshot::Receiver<()> {
        let (answer, receiver) = oneshot::channel();
        let mut hands = self.hands();
        hands.last_sleep += 1;
        let n = hands.last_sleep;
        hands.asleep.insert(n, answer);
        self.emitter.emit(&Outgoing::Sleep {
            case: self.case.clone(),
            call: call.to_owned(),
            duration,
            n,
            during,
        });
        receiver
    }

    /// The runner moved the clocks.
    pub(crate) fn moved(&self, now: Span, wall: Span) {
        let mut hands = self.hands();
        hands.now = now;
        hands.wall = wall;
    }

    /// The runner says that sleep `n` is over.
    pub(crate) fn slept(&self, n: u64) {
        // Nobody waits for the timer of a request that was answered; that is
        // no error of the runner's.
        if let Some(answer) = self.hands().asleep.remove(&n) {
            let _ = answer.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(tick: Span) -> (Clock, Arc<InjectedClock>) {
        let (emitter, _) = Emitter::new(String::new());
        let clock = InjectedClock::new(
            "c".into(),
            emitter,
            Span::from_secs(5),
            Span::from_secs(1_000),
            tick,
        );
        let clock = Arc::new(clock);
        (Clock::Injected(Arc::clone(&clock)), clock)
    }

    #[test]
    fn every_reading_advances_both_clocks_afterwards() {
        let (clock, hands) = injected(Span::from_secs(1));
        assert_eq!(clock.now(), Span::from_secs(5));
        assert_eq!(clock.wall(), Span::from_secs(1_001));
        assert_eq!(clock.now(), Span::from_secs(7));
        hands.moved(Span::from_secs(100), Span::from_secs(2_000));
        assert_eq!(clock.now(), Span::from_secs(103));
    }

    #[tokio::test]
    async fn a_sleep_ends_when_the_runner_says_so() {
        let (clock, hands) = injected(Span::ZERO);
        let mut first = clock.timer("a", Span::from_secs(60), None);
        let mut second = clock.timer("a", Span::from_secs(1), Some(Beside::Request));
        hands.slept(2);
        hands.slept(9);
        second.ended().await;
        let unanswered = tokio::time::timeout(Duration::ZERO, first.ended()).await;
        assert!(unanswered.is_err());
        hands.slept(1);
        first.ended().await;
    }

    #[tokio::test]
    async fn a_negative_sleep_of_the_system_is_over_at_once() {
        let clock = Clock::system();
        clock.timer("a", Span::from_secs(-5), None).ended().await;
        let before = clock.now();
        assert!(clock.now() >= before);
    }
}
