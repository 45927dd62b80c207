//! The `holdoff` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    holdoff::cli::main()
}
