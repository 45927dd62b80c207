//! Signals: sending them, and what a process does with them.

use std::io;

use libc::{c_int, pid_t};

/// Bytes of siginfo_t.
const INFO: usize = 128;

/// Sends a signal to a process.
pub(super) fn send(process: pid_t, signal: c_int) -> io::Result<()> {
    // SAFETY: the call touches no memory of this process.
    answered(unsafe { libc::kill(process, signal) }.into())
}

/// The kernel's answer to a call whose result is nothing.
fn answered(result: libc::c_long) -> io::Result<()> {
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Who gets a timer's signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Any thread of the process.
    Process(pid_t),
    /// This thread of it.
    Thread(pid_t, pid_t),
}

/// Sends the signal of a POSIX timer, as the kernel would.
pub(super) fn send_timer(to: Target, signal: c_int, timer: i32, value: u64) -> io::Result<()> {
    let mut info = [0_u8; INFO];
    let mut put = |at: usize, bytes: &[u8]| info[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &signal.to_ne_bytes());
    put(8, &libc::SI_TIMER.to_ne_bytes());
    put(16, &timer.to_ne_bytes());
    put(24, &value.to_ne_bytes());
    let info = info.as_ptr();
    answered(match to {
        // SAFETY: `info` is valid for the 128 bytes that the kernel reads.
        Target::Process(process) => unsafe {
            libc::syscall(libc::SYS_rt_sigqueueinfo, process, signal, info)
        },
        // SAFETY: as above.
        Target::Thread(process, thread) => unsafe {
            libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, signal, info)
        },
    })
}

/// What a process does with a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disposition {
    /// A handler of its own runs.
    Caught,
    /// Nothing happens.
    Ignored,
    /// What the kernel does by itself.
    Default,
}

/// What a thread's process does with a signal.
pub(super) fn disposition(thread: pid_t, signal: c_int) -> Disposition {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    disposition_in(&status, signal)
}

fn disposition_in(status: &str, signal: c_int) -> Disposition {
    let bit = u32::try_from(signal - 1)
        .ok()
        .and_then(|bit| 1_u64.checked_shl(bit));
    let has = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.unwrap_or(0) & bit.unwrap_or(0) != 0
    };
    if has("SigCgt:") {
        return Disposition::Caught;
    }
    let is_harmless =
        [libc::SIGCHLD, libc::SIGURG, libc::SIGWINCH, libc::SIGCONT].contains(&signal);
    if has("SigIgn:") || is_harmless {
        return Disposition::Ignored;
    }
    Disposition::Default
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_what_becomes_of_a_signal() {
        let status = "Name:\tx\nSigIgn:\t0000000000001000\nSigCgt:\t0000000000000002\n";
        let of = |signal| disposition_in(status, signal);
        assert_eq!(of(libc::SIGINT), Disposition::Caught);
        assert_eq!(of(libc::SIGPIPE), Disposition::Ignored);
        assert_eq!(of(libc::SIGCHLD), Disposition::Ignored, "by default");
        assert_eq!(of(libc::SIGTERM), Disposition::Default);
        assert_eq!(of(64), Disposition::Default);
        assert_eq!(of(99), Disposition::Default);
    }
}
