//! What the tests of this folder share. Each target uses a part of it.

#![allow(dead_code, unreachable_pub, reason = "each target uses a part")]

pub mod machine;
pub mod marker;
pub mod server;
pub mod tools;
pub mod tree;
pub mod trials;
