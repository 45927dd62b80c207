//! Reads a document: all its mistakes at once, or a [`Spec`](super::Spec).

mod branches;
mod cell;
mod clauses;
mod delay;
mod document;
mod fault;
mod lex;
mod loops;
mod markdown;
mod parsers;
mod tables;
mod when;

pub use fault::CellError;
