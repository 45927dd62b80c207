//! `holdoff vtime` and `holdoff doctor --system` as a user types them; and which
//! runtimes draw the same twice if the kernel's random bytes are the same.
//!
//! What a computer lacks (virtual time, an interpreter) makes a test *ignored*,
//! with a line that says so; it never makes one pass.
#![cfg_attr(
    unix,
    expect(clippy::unwrap_used, reason = "a test stops at the first surprise")
)]

#[cfg(unix)]
mod command;
#[cfg(unix)]
mod kit;
#[cfg(unix)]
mod kits;
#[cfg(unix)]
mod refused;
#[cfg(unix)]
mod seeds;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    let lack = (!arguments.list && !has_virtual_time()).then_some("virtual time");
    let mut trials = command::trials(lack);
    trials.extend(seeds::trials(lack));
    trials.extend(kits::trials(lack));
    trials.extend(refused::trials(lack));
    libtest_mimic::run(&arguments, trials).exit_code()
}

#[cfg(unix)]
fn has_virtual_time() -> bool {
    let output = kit::holdoff(&["doctor", "--system", "--require", "virtual"]);
    output.status.success()
}

#[cfg(not(unix))]
fn main() {}
