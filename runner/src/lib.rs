//! Holdoff: a cross-SDK conformance test runner for retry loops.

pub mod adapter;
pub mod check;
pub mod cli;
pub mod clock;
pub mod defect;
pub mod diagnostic;
pub mod escape;
pub mod fixture;
mod group;
pub mod judge;
pub mod known;
pub mod manifest;
pub mod model;
pub mod oracle;
pub mod replay;
pub mod report;
pub mod retry_after;
pub mod run;
pub mod scaffold;
pub mod spec;
pub mod tap;
pub mod world;
pub mod yaml;
