//! Tests of the reader as a whole.

mod errors;
mod properties;
mod repository;
