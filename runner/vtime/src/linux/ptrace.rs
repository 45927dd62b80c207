//! The tracing calls of the kernel, one function each. All of them must be
//! called from the one thread that traces.

use std::io;
use std::mem::MaybeUninit;

use libc::{c_int, c_long, pid_t};

use super::x86_64::Registers;

/// Which stops a traced thread makes beside those for signals, and that it
/// dies with its tracer.
const OPTIONS: c_int = libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEVFORKDONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_EXITKILL;

/// Wait for children of the calling thread only: other threads of this process
/// have their own.
const WNOTHREAD: c_int = 0x2000_0000;

/// Something that happened to a traced thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is gone.
    Exited(crate::Exit),
    /// It is stopped.
    Stopped(StopReason),
}

/// Why a thread is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// At the entry of a kernel call that the filter names.
    Filter,
    /// At the end of a kernel call.
    CallEnd,
    /// It has made a thread or a process.
    Birth(Birth),
    /// The process that it made by vfork has gone its own way.
    VforkDone,
    /// It runs a new program.
    Exec,
    /// An interrupt of ours, its own first stop, or, with this signal, a stop
    /// of the whole process.
    Trap(c_int),
    /// A signal is about to be delivered.
    Signal(c_int),
    /// Anything else.
    Other,
}

/// How a thread came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Birth {
    /// clone or fork: both go on.
    Beside,
    /// vfork: the parent waits, without a way to interrupt it.
    Vfork,
}

fn request(
    request: libc::c_uint,
    thread: pid_t,
    address: usize,
    data: usize,
) -> io::Result<c_long> {
    // SAFETY: no caller passes an address of this process but `registers`,
    // `set_registers` and `message`, which pass one that is valid for the size
    // that the kernel reads or writes.
    let result = unsafe { libc::ptrace(request, thread, address, data) };
    if result == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

/// Begins to trace a thread without stopping it.
pub(super) fn seize(thread: pid_t) -> io::Result<()> {
    let options = usize::try_from(OPTIONS).expect("options are bits of a positive number");
    request(libc::PTRACE_SEIZE, thread, 0, options).map(drop)
}

/// How a stopped thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// To the next stop that the options name.
    Event,
    /// To the end of the kernel call that it enters, at the latest.
    CallEnd,
}

/// Lets a stopped thread go on, with a signal or with none (0).
pub(super) fn resume(thread: pid_t, until: Until, signal: c_int) -> io::Result<()> {
    let how = match until {
        Until::Event => libc::PTRACE_CONT,
        Until::CallEnd => libc::PTRACE_SYSCALL,
    };
    let signal = usize::try_from(signal).unwrap_or_default();
    request(how, thread, 0, signal).map(drop)
}

/// Leaves a thread stopped as its process is, until that is continued.
pub(super) fn listen(thread: pid_t) -> io::Result<()> {
    request(libc::PTRACE_LISTEN, thread, 0, 0).map(drop)
}

/// Interrupts a running thread.
pub(super) fn interrupt(thread: pid_t) -> io::Result<()> {
    request(libc::PTRACE_INTERRUPT, thread, 0, 0).map(drop)
}

/// Registers of a stopped thread.
pub(super) fn registers(thread: pid_t) -> io::Result<Registers> {
    let mut registers = MaybeUninit::<libc::user_regs_struct>::uninit();
    request(
        libc::PTRACE_GETREGS,
        thread,
        0,
        registers.as_mut_ptr().expose_provenance(),
    )?;
    // SAFETY: the kernel has filled the structure, or the call would have failed.
    Ok(Registers(unsafe { registers.assume_init() }))
}

/// Sets the registers of a stopped thread.
pub(super) fn set_registers(thread: pid_t, registers: &Registers) -> io::Result<()> {
    let address = (&raw const registers.0).expose_provenance();
    request(libc::PTRACE_SETREGS, thread, 0, address).map(drop)
}

/// The number that comes with an event: the thread that was made, or the id
/// that a thread had before it ran a new program.
pub(super) fn message(thread: pid_t) -> io::Result<pid_t> {
    let mut message: libc::c_ulong = 0;
    let address = (&raw mut message).expose_provenance();
    request(libc::PTRACE_GETEVENTMSG, thread, 0, address)?;
    Ok(pid_t::try_from(message).unwrap_or_default())
}

/// What happened to any traced thread, if anything has; none at all are left:
/// an error, ECHILD.
pub(super) fn any_change() -> io::Result<Option<(pid_t, Change)>> {
    change(-1, libc::WNOHANG)
}

/// Waits for what happens next to this thread.
pub(super) fn next_change(thread: pid_t) -> io::Result<Change> {
    loop {
        match change(thread, 0) {
            Ok(Some((_, change))) => return Ok(change),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn change(thread: pid_t, flags: c_int) -> io::Result<Option<(pid_t, Change)>> {
    let mut status = 0;
    // SAFETY: `status` is valid for the write.
    let found = unsafe { libc::waitpid(thread, &raw mut status, flags | libc::__WALL | WNOTHREAD) };
    match found {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        found => Ok(Some((found, read(status)))),
    }
}

fn read(status: c_int) -> Change {
    if libc::WIFEXITED(status) {
        return Change::Exited(crate::Exit::Code(libc::WEXITSTATUS(status)));
    }
    if libc::WIFSIGNALED(status) {
        return Change::Exited(crate::Exit::Signal(libc::WTERMSIG(status)));
    }
    let signal = libc::WSTOPSIG(status);
    Change::Stopped(match status >> 16 {
        0 if signal == libc::SIGTRAP | 0x80 => StopReason::CallEnd,
        0 => StopReason::Signal(signal),
        libc::PTRACE_EVENT_SECCOMP => StopReason::Filter,
        libc::PTRACE_EVENT_CLONE | libc::PTRACE_EVENT_FORK => StopReason::Birth(Birth::Beside),
        libc::PTRACE_EVENT_VFORK => StopReason::Birth(Birth::Vfork),
        libc::PTRACE_EVENT_VFORK_DONE => StopReason::VforkDone,
        libc::PTRACE_EVENT_EXEC => StopReason::Exec,
        libc::PTRACE_EVENT_STOP => StopReason::Trap(signal),
        _ => StopReason::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read() {
        let stopped = |event: c_int, signal: c_int| read((event << 16) | (signal << 8) | 0x7f);
        let is = |reason| Change::Stopped(reason);
        assert_eq!(stopped(0, libc::SIGTRAP | 0x80), is(StopReason::CallEnd));
        assert_eq!(
            stopped(0, 64),
            is(StopReason::Signal(64)),
            "a realtime signal"
        );
        assert_eq!(stopped(7, libc::SIGTRAP), is(StopReason::Filter));
        assert_eq!(
            stopped(2, libc::SIGTRAP),
            is(StopReason::Birth(Birth::Vfork))
        );
        assert_eq!(
            stopped(128, libc::SIGSTOP),
            is(StopReason::Trap(libc::SIGSTOP))
        );
        assert_eq!(read(3 << 8), Change::Exited(crate::Exit::Code(3)));
        assert_eq!(read(9), Change::Exited(crate::Exit::Signal(9)));
    }
}
