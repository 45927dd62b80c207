//! [`Calm`]: whether all has been heard that somebody may say in this instant.

use std::time::{Duration, Instant};

/// Real time of silence after which what was woken in the background, or let go
/// by another call, is taken to do nothing. A request on loopback is seen within
/// a millisecond; the rest is for a busy machine.
const SETTLE: Duration = Duration::from_millis(100);
/// A reaction takes a few wake-ups more than an answer to `advance`: on a
/// machine on which that takes long, silence means less.
const SETTLE_ANSWERS: u32 = 10;
/// Longest silence that is waited for.
const LONGEST_SETTLE: Duration = Duration::from_secs(1);
/// Real time for the answer to `advance`. An adapter whose one thread sits in
/// a request cannot answer, and must not turn a hang into a lack of time.
const PATIENCE: Duration = Duration::from_secs(2);

/// What has been heard by now, under a clock that the runner owns.
#[derive(Debug)]
pub(super) struct Calm {
    /// `advance`s without their `advanced`.
    advancing: u32,
    /// When the last of them was sent.
    advanced_at: Instant,
    /// How long the slowest answer took.
    slowest: Duration,
    /// The adapter's pipe was read up to the present instant.
    is_read: bool,
    /// Enough real time passed since something happened.
    is_settled: bool,
    /// The `close` may still have consequences that nobody announced.
    close_is_fresh: bool,
}

impl Calm {
    pub(super) fn new() -> Self {
        Self {
            advancing: 0,
            advanced_at: Instant::now(),
            slowest: Duration::ZERO,
            is_read: false,
            is_settled: false,
            close_is_fresh: false,
        }
    }

    /// Something happened: what follows from it is not heard yet.
    pub(super) fn stirred(&mut self) {
        self.is_read = false;
        self.is_settled = false;
    }

    /// A sleep ended, whose call will say what it does next.
    pub(super) fn woken(&mut self) {
        self.is_read = false;
    }

    /// `advance` was sent.
    pub(super) fn asked(&mut self, now: Instant) {
        self.advancing += 1;
        self.advanced_at = now;
    }

    /// `advanced` came, after all that the adapter had said before.
    pub(super) fn answered(&mut self, now: Instant) {
        let took = now.saturating_duration_since(self.advanced_at);
        self.slowest = self.slowest.max(took);
        self.advancing = self.advancing.saturating_sub(1);
        self.is_read = self.advancing == 0;
    }

    /// Whether an answer to `advance` is missing.
    pub(super) fn is_asking(&self) -> bool {
        self.advancing > 0
    }

    /// Until when the missing answer is awaited.
    pub(super) fn patience(&self) -> Instant {
        self.advanced_at + PATIENCE
    }

    /// The missing answer will not come.
    pub(super) fn unanswered(&mut self) {
        self.advancing = 0;
        self.is_read = true;
    }

    /// Whether the adapter's pipe was read up to now.
    pub(super) fn is_read(&self) -> bool {
        self.is_read
    }

    /// For how long there must be silence.
    pub(super) fn silence(&self) -> Duration {
        let scaled = self.slowest.saturating_mul(SETTLE_ANSWERS);
        scaled.clamp(SETTLE, LONGEST_SETTLE)
    }

    /// There was that silence.
    pub(super) fn settled(&mut self) {
        self.is_settled = true;
    }

    /// Whether there was silence since something happened.
    pub(super) fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// `close` was sent.
    pub(super) fn closing(&mut self) {
        self.close_is_fresh = true;
    }

    /// Nothing more follows from the `close`.
    pub(super) fn closed(&mut self) {
        self.close_is_fresh = false;
    }

    /// Whether something may still follow from the `close`.
    pub(super) fn close_is_fresh(&self) -> bool {
        self.close_is_fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pipe_is_read_when_the_last_answer_came_and_nothing_after_it() {
        let (mut calm, now) = (Calm::new(), Instant::now());
        calm.asked(now);
        calm.asked(now);
        calm.answered(now);
        assert!(calm.is_asking() && !calm.is_read());
        calm.answered(now);
        assert!(!calm.is_asking() && calm.is_read());
        calm.stirred();
        assert!(!calm.is_read());
        calm.asked(now);
        calm.unanswered();
        assert!(!calm.is_asking() && calm.is_read());
    }

    #[test]
    fn the_slower_the_answers_the_longer_the_silence() {
        let (mut calm, now) = (Calm::new(), Instant::now());
        assert_eq!(calm.silence(), SETTLE);
        for (took, silence) in [(1, 100), (50, 500), (1, 500), (900, 1_000)] {
            calm.asked(now);
            calm.answered(now + Duration::from_millis(took));
            assert_eq!(calm.silence(), Duration::from_millis(silence), "{took}");
        }
    }

    #[test]
    fn silence_ends_when_something_happens() {
        let mut calm = Calm::new();
        calm.settled();
        calm.woken();
        assert!(calm.is_settled());
        calm.stirred();
        assert!(!calm.is_settled());
    }
}
