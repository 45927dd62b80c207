//! Holdoff: a cross-SDK conformance test runner for retry loops.

pub mod adapter;
pub mod fixture;
pub mod model;
pub mod spec;
