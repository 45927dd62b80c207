//! Closed intervals of time, and sets of them.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::Span;

/// A closed interval of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Shortest.
    pub lo: Span,
    /// Longest.
    pub hi: Span,
}

impl Interval {
    /// Exactly `span`.
    pub const fn exact(span: Span) -> Self {
        Self { lo: span, hi: span }
    }

    /// From `lo` to `hi`; swapped if they are the wrong way round.
    pub fn new(lo: Span, hi: Span) -> Self {
        Self {
            lo: lo.min(hi),
            hi: lo.max(hi),
        }
    }

    /// Whether it is one single length.
    pub fn is_exact(self) -> bool {
        self.lo == self.hi
    }

    /// Whether `span` lies in it, give or take.
    pub fn contains(self, span: Span, tolerance: Tolerance) -> bool {
        span >= self.lo - tolerance.early && span <= self.hi + tolerance.late
    }

    /// Length of it.
    pub fn width(self) -> Span {
        self.hi - self.lo
    }

    /// Applies a monotone function to both ends.
    pub fn map(self, f: impl Fn(Span) -> Span) -> Self {
        Self::new(f(self.lo), f(self.hi))
    }

    /// The pointwise maximum of two independent draws.
    pub fn max(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The pointwise minimum of two independent draws.
    pub fn min(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.min(other.hi),
        }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            lo: self.lo + other.lo,
            hi: self.hi + other.hi,
        }
    }
}

impl From<Span> for Interval {
    fn from(span: Span) -> Self {
        Self::exact(span)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_exact() {
            f.pad(&self.lo.to_string())
        } else {
            f.pad(&format!("{}..{}", self.lo, self.hi))
        }
    }
}

/// How far outside an interval a measurement may lie, by the clock in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// How much earlier.
    pub early: Span,
    /// How much later.
    pub late: Span,
}

impl Tolerance {
    /// None at all.
    pub const EXACT: Self = Self {
        early: Span::ZERO,
        late: Span::ZERO,
    };
}

/// The lengths that a specification allows: any of some intervals, or
/// anything (recorded, never judged).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allowed {
    /// One of these; never empty.
    AnyOf(Vec<Interval>),
    /// Not settled: recorded, never judged.
    Observed,
}

impl Allowed {
    /// Exactly `span`.
    pub fn exact(span: Span) -> Self {
        Self::AnyOf(vec![Interval::exact(span)])
    }

    /// One of `intervals`, in order and without doubles.
    pub fn any_of(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let mut intervals: Vec<_> = intervals.into_iter().collect();
        intervals.sort();
        intervals.dedup();
        Self::AnyOf(intervals)
    }

    /// Whether `span` is allowed, give or take.
    pub fn contains(&self, span: Span, tolerance: Tolerance) -> bool {
        match self {
            Self::AnyOf(intervals) => intervals
                .iter()
                .any(|interval| interval.contains(span, tolerance)),
            Self::Observed => true,
        }
    }

    /// The one length that is allowed, if there is only one.
    pub fn as_exact(&self) -> Option<Span> {
        match self {
            Self::AnyOf(intervals) => match intervals.as_slice() {
                [only] if only.is_exact() => Some(only.lo),
                _ => None,
            },
            Self::Observed => None,
        }
    }

    /// The longest that is allowed.
    pub fn longest(&self) -> Option<Span> {
        match self {
            Self::AnyOf(intervals) => intervals.iter().map(|interval| interval.hi).max(),
            Self::Observed => None,
        }
    }

    /// The shortest that is allowed.
    pub fn shortest(&self) -> Option<Span> {
        match self {
            Self::AnyOf(intervals) => intervals.iter().map(|interval| interval.lo).min(),
            Self::Observed => None,
        }
    }
}

impl From<Interval> for Allowed {
    fn from(interval: Interval) -> Self {
        Self::AnyOf(vec![interval])
    }
}

impl Add<&Allowed> for &Allowed {
    type Output = Allowed;

    /// Every sum of one of each.
    fn add(self, other: &Allowed) -> Allowed {
        match (self, other) {
            (Allowed::AnyOf(left), Allowed::AnyOf(right)) => {
                Allowed::any_of(left.iter().flat_map(|a| right.iter().map(move |b| *a + *b)))
            }
            _ => Allowed::Observed,
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyOf(intervals) => match intervals.as_slice() {
                [only] => only.fmt(f),
                several => {
                    let list: Vec<_> = several.iter().map(ToString::to_string).collect();
                    f.pad(&format!("one-of({})", list.join(", ")))
                }
            },
            Self::Observed => f.pad("observe"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(n: i128) -> Span {
        Span::from_secs(n)
    }

    #[test]
    fn tolerance_widens_each_side_by_itself() {
        let tolerance = Tolerance {
            early: Span::from_millis(1),
            late: Span::from_millis(5),
        };
        let interval = Interval::new(secs(1), secs(2));
        assert!(interval.contains(Span::from_millis(999), tolerance));
        assert!(!interval.contains(Span::from_millis(998), tolerance));
        assert!(interval.contains(Span::from_millis(2005), tolerance));
        assert!(!interval.contains(Span::from_millis(2006), tolerance));
    }

    #[test]
    fn sums_of_choices_are_all_sums() {
        let choice = Allowed::any_of([Interval::exact(secs(3)), Interval::exact(secs(9))]);
        let sum = &choice + &Allowed::exact(secs(1));
        assert_eq!(sum.to_string(), "one-of(4s, 10s)");
        assert_eq!((&choice + &Allowed::Observed), Allowed::Observed);
    }

    #[test]
    fn doubles_collapse() {
        let same = Allowed::any_of([Interval::exact(secs(3)), Interval::exact(secs(3))]);
        assert_eq!(same.as_exact(), Some(secs(3)));
    }
}
