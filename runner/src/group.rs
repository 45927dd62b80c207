//! Process groups: the one place that knows how an operating system ends a
//! process with all that it started. On Unix that is a group and its signals,
//! on Windows a job.

use process_wrap::tokio::{ChildWrapper, CommandWrap};

/// Gives what `command` starts a group of its own, so that it can be ended
/// whole, and so that an interrupt at the terminal does not reach it.
pub(crate) fn own(command: &mut CommandWrap) {
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
}

/// Asks a group to end. Windows has no way to ask: there it is ended.
pub(crate) fn ask_to_end(child: &mut dyn ChildWrapper) {
    // Fails when nobody is left, which is what it is for.
    #[cfg(unix)]
    let _ = child.signal(rustix::process::Signal::TERM.as_raw());
    #[cfg(not(unix))]
    let _ = child.start_kill();
}

/// Kills the group of a leader here and now, without its handle. A job needs
/// no such thing: it is killed when its last handle is closed, at the latest
/// when this process exits.
pub(crate) fn kill(leader: Option<u32>) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};

        let leader = leader.and_then(|id| i32::try_from(id).ok());
        if let Some(group) = leader.and_then(Pid::from_raw) {
            // Fails when nobody is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// How a process ended, in the words of the standard library.
pub(crate) fn exit_words(exit: holdoff_vtime::Exit) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        use std::process::ExitStatus;

        let status = match exit {
            holdoff_vtime::Exit::Code(code) => (code & 0xff) << 8,
            holdoff_vtime::Exit::Signal(signal) => signal & 0x7f,
        };
        ExitStatus::from_raw(status).to_string()
    }
    #[cfg(not(unix))]
    exit.to_string()
}

/// Gives what `command` starts a group of its own; as [`own`] does, for a
/// process that somebody else keeps.
pub(crate) fn lead(command: &mut std::process::Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}
