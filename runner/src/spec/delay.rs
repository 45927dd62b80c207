//! Column *Local delay*: what a loop waits by itself.

use std::fmt;

use super::words::words;
use crate::model::Span;

/// A delay that a loop computes by itself. `i` counts the retries of the call
/// from 0; `U(a, b)` is a uniform draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalDelay {
    /// `none`: no time.
    None,
    /// `exponential(base, factor, cap)`: `min(base × factor^i, cap)`.
    Exponential(Growth),
    /// `full-jitter(base, factor, cap)`: `U(0, min(base × factor^i, cap))`.
    FullJitter(Growth),
    /// `interval`: the loop's interval as it is now.
    Interval,
    /// `interval + 5s`: the interval grows by this, and is waited.
    IntervalPlus(Span),
    /// `uniform(lo, hi)`: `U(lo, hi)`.
    Uniform {
        /// Shortest.
        lo: Term,
        /// Longest.
        hi: Term,
    },
    /// `fixed(d)`.
    Fixed(Term),
    /// `d + jitter(max = j)`: `d + U(0, j)`, outside every cap of `d`.
    Jittered {
        /// What is waited at least.
        delay: Box<Self>,
        /// The most that is added.
        max: Term,
    },
    /// `d * spread(lo, hi)`: `d × U(lo, hi)`.
    Spread {
        /// What is spread.
        delay: Box<Self>,
        /// Smallest factor.
        lo: Ratio,
        /// Largest factor.
        hi: Ratio,
    },
    /// `max(a, b)`.
    Max(Box<Self>, Box<Self>),
}

/// Arguments of an exponential growth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The delay for `i = 0`.
    pub base: Term,
    /// What each retry multiplies it by.
    pub factor: Ratio,
    /// The most it becomes.
    pub cap: Term,
}

/// An argument that is a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `30s`.
    Duration(Span),
    /// `interval`: a knob of the loop.
    Param(Param),
    /// `2 * interval`: a multiple of a knob.
    Times(u32, Param),
}

words! {
    /// Knobs of the loops, by the names that fixtures use. `max_attempts` is
    /// read by [`AttemptsRule`](super::AttemptsRule).
    pub enum Param {
        /// Base of the exponential delay.
        BaseDelay = "base_delay",
        /// The most that jitter adds.
        MaxJitter = "max_jitter",
        /// Interval of a poll.
        Interval = "interval",
        /// Lifetime of what is polled for.
        Lifetime = "lifetime",
        /// The longest told wait.
        WaitCeiling = "wait_ceiling",
        /// Length of the throttle budget.
        Budget = "budget",
        /// Time limit of one attempt.
        RequestTimeout = "request_timeout",
    }
}

/// A non-negative decimal number with up to six decimals, such as a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(u64);

impl Ratio {
    const MILLIONTHS: u64 = 1_000_000;

    /// A ratio of so many millionths.
    pub const fn from_millionths(millionths: u64) -> Self {
        Self(millionths)
    }

    /// A whole number; saturates.
    pub const fn from_integer(number: u64) -> Self {
        Self(number.saturating_mul(Self::MILLIONTHS))
    }

    /// The number in millionths.
    pub const fn as_millionths(self) -> u64 {
        self.0
    }

    /// The nearest float.
    pub fn as_f64(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a factor has few digits")]
        let millionths = self.0 as f64;
        millionths / 1e6
    }

    /// `span` times this number, rounded down to the nanosecond, saturating.
    pub fn times(self, span: Span) -> Span {
        let product = span.as_nanos().checked_mul(i128::from(self.0));
        product.map_or(Span::MAX, |product| {
            Span::from_nanos(product / i128::from(Self::MILLIONTHS))
        })
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / Self::MILLIONTHS, self.0 % Self::MILLIONTHS);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:06}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

impl Term {
    /// The length, given what each knob is set to; `None` if the knob is not.
    pub fn resolve(self, knob: &dyn Fn(Param) -> Option<Span>) -> Option<Span> {
        match self {
            Self::Duration(span) => Some(span),
            Self::Param(param) => knob(param),
            Self::Times(count, param) => knob(param).map(|span| span * u64::from(count)),
        }
    }
}

impl Growth {
    /// `min(base × factor^i, cap)`, without ever forming a power that does
    /// not fit: growing stops at the cap.
    pub fn at(&self, index: u64, knob: &dyn Fn(Param) -> Option<Span>) -> Option<Span> {
        let cap = self.cap.resolve(knob)?;
        let mut delay = self.base.resolve(knob)?.min(cap);
        for _ in 0..index {
            let grown = self.factor.times(delay).min(cap);
            if grown == delay {
                break;
            }
            delay = grown;
        }
        Some(delay)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(span) => write!(f, "{span}"),
            Self::Param(param) => write!(f, "{param}"),
            Self::Times(count, param) => write!(f, "{count} * {param}"),
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, factor, cap } = self;
        write!(f, "base = {base}, factor = {factor}, cap = {cap}")
    }
}

impl fmt::Display for LocalDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Exponential(growth) => write!(f, "exponential({growth})"),
            Self::FullJitter(growth) => write!(f, "full-jitter({growth})"),
            Self::Interval => f.write_str("interval"),
            Self::IntervalPlus(step) => write!(f, "interval + {step}"),
            Self::Uniform { lo, hi } => write!(f, "uniform({lo}, {hi})"),
            Self::Fixed(term) => write!(f, "fixed({term})"),
            Self::Jittered { delay, max } => write!(f, "{delay} + jitter(max = {max})"),
            Self::Spread { delay, lo, hi } => write!(f, "{delay} * spread({lo}, {hi})"),
            Self::Max(left, right) => write!(f, "max({left}, {right})"),
        }
    }
}
