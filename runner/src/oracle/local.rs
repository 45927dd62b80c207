//! The local delay of a branch (SPEC.md §7), and how defects bend it.

use super::behaviour::{CeilingUse, GrowthShape, LocalJitter, LocalShape};
use super::setting::Setting;
use crate::model::{Interval, Span};
use crate::spec::{Growth, LocalDelay, Param, Term};

/// The local delay before retry `index`, counted from 0; its width is the draw.
pub fn local_delay(
    setting: &Setting<'_>,
    delay: &LocalDelay,
    index: u32,
    shape: LocalShape,
) -> Interval {
    let local = Local {
        setting,
        index,
        shape,
    };
    if shape.growth == GrowthShape::Missing {
        return Interval::exact(Span::ZERO);
    }
    local.eval(delay)
}

struct Local<'a> {
    setting: &'a Setting<'a>,
    index: u32,
    shape: LocalShape,
}

impl Local<'_> {
    fn eval(&self, delay: &LocalDelay) -> Interval {
        match delay {
            LocalDelay::None => Interval::exact(Span::ZERO),
            LocalDelay::Exponential(growth) => Interval::exact(self.grown(growth)),
            LocalDelay::FullJitter(growth) => Interval::new(Span::ZERO, self.grown(growth)),
            LocalDelay::Interval => Interval::exact(self.knob(Param::Interval)),
            LocalDelay::IntervalPlus(step) => Interval::exact(self.knob(Param::Interval) + *step),
            LocalDelay::Uniform { lo, hi } => Interval::new(self.term(*lo), self.term(*hi)),
            LocalDelay::Fixed(term) => Interval::exact(self.term(*term)),
            LocalDelay::Jittered { delay, max } => self.jittered(delay, *max),
            LocalDelay::Spread { delay, lo, hi } => {
                let inner = self.eval(delay);
                Interval::new(lo.times(inner.lo), hi.times(inner.hi))
            }
            LocalDelay::Max(left, right) => self.eval(left).max(self.eval(right)),
        }
    }

    fn jittered(&self, delay: &LocalDelay, max: Term) -> Interval {
        let most = self
            .setting
            .span_knob(Param::MaxJitter)
            .unwrap_or_else(|| self.term(max));
        let inner = self.eval(delay);
        match (self.shape.jitter, self.shape.ceiling, delay) {
            (LocalJitter::Missing, _, _) => inner,
            (_, CeilingUse::AfterJitter, LocalDelay::Exponential(growth)) => (inner
                + Interval::new(Span::ZERO, most))
            .map(|span| span.min(self.term(growth.cap))),
            _ => inner + Interval::new(Span::ZERO, most),
        }
    }

    fn grown(&self, growth: &Growth) -> Span {
        let base = self
            .setting
            .span_knob(Param::BaseDelay)
            .unwrap_or_else(|| self.term(growth.base));
        let uncapped = match self.shape.ceiling {
            CeilingUse::Missing => true,
            CeilingUse::NotToBase => self.index == 0,
            CeilingUse::Specified | CeilingUse::AfterJitter => false,
        };
        let cap = if uncapped {
            Span::MAX
        } else {
            self.term(growth.cap)
        };
        let growth = Growth {
            base: Term::Duration(base),
            factor: growth.factor,
            cap: Term::Duration(cap),
        };
        let at = |index: u32| growth.at(u64::from(index), &|_| None).unwrap_or(cap);
        match self.shape.growth {
            GrowthShape::Specified => at(self.index),
            GrowthShape::Missing => Span::ZERO,
            GrowthShape::Constant => at(0),
            GrowthShape::Linear => (base * (u64::from(self.index) + 1)).min(cap),
            GrowthShape::Plateau => at(self.index.min(3)),
            GrowthShape::Wraps => wrapped_millis(base, self.index).min(cap),
            GrowthShape::StartsLate => at(self.index + 1),
        }
    }

    fn term(&self, term: Term) -> Span {
        term.resolve(&|param| self.setting.span_knob(param))
            .unwrap_or(Span::ZERO)
    }

    fn knob(&self, param: Param) -> Span {
        self.term(Term::Param(param))
    }
}

/// Doubling 32-bit milliseconds: what a fixed-width shift does to a delay.
#[expect(clippy::cast_possible_truncation, reason = "the defect truncates")]
fn wrapped_millis(base: Span, index: u32) -> Span {
    let mut millis = (base.as_nanos() / 1_000_000) as i32;
    for _ in 0..index {
        millis = millis.wrapping_mul(2);
    }
    Span::from_millis(i64::from(millis.max(0)))
}
