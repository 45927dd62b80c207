//! A specification document: Markdown in, clauses and typed tables out.
//!
//! Prose is for people; clauses and the three tables of section 6 are read by
//! the oracle, so that document and judge cannot drift apart.

mod branches;
mod clause;
mod delay;
mod document;
mod loops;
mod parsers;
mod read;
mod when;
mod words;

pub use branches::{BranchRow, Composition, Lasts, Scope, ToldSource, UntoldWait};
pub use clause::{Clause, Keyword, Observable};
pub use delay::{Growth, LocalDelay, Param, Ratio, Term};
pub use document::Spec;
pub use loops::{
    Anchor, AttemptsRule, Budget, LoopRow, Machine, Overrun, RepeatedMethod, Repeats, Resets,
};
pub use parsers::{
    AboveThreshold, DateShape, DateWait, Digits, FractionRule, ParserRow, RepeatedLines, Surfaced,
    ToldJitter, Whitespace, ZeroRule,
};
pub use read::CellError;
pub use when::{Compare, Condition, ConditionWord, When};

#[cfg(test)]
mod tests;
