//! The `holdoff` command.
fn main() {}
