//! [`ThreadFiles`]: what the kernel's files say of a thread.

use std::fs::File;
use std::os::unix::fs::FileExt;

use libc::pid_t;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It sleeps until somebody or something wakes it.
    Asleep,
    /// It waits for the kernel, and cannot be interrupted.
    Uninterruptible,
    /// It is stopped.
    Stopped,
    /// It runs, or would if it had a processor.
    Busy,
    /// It has ended.
    Gone,
}

/// Two files of a thread, kept open.
#[derive(Debug)]
pub(super) struct ThreadFiles {
    stat: File,
    schedstat: File,
}

impl ThreadFiles {
    /// Of a thread; none if it is gone.
    pub(super) fn open(process: pid_t, thread: pid_t) -> Option<Self> {
        let open = |name| File::open(format!("/proc/{process}/task/{thread}/{name}")).ok();
        Some(Self {
            stat: open("stat")?,
            schedstat: open("schedstat")?,
        })
    }

    /// What the thread is doing.
    pub(super) fn life(&self) -> Life {
        let mut buffer = [0; 512];
        let count = self.stat.read_at(&mut buffer, 0).unwrap_or(0);
        life_in(&buffer[..count])
    }

    /// How often the thread was given a processor; none if it is gone.
    pub(super) fn switches(&self) -> Option<u64> {
        self.scheduling(2)
    }

    /// Nanoseconds for which the thread has had a processor.
    pub(super) fn computed(&self) -> Option<u64> {
        self.scheduling(0)
    }

    fn scheduling(&self, field: usize) -> Option<u64> {
        let mut buffer = [0; 128];
        let count = self.schedstat.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(&buffer[..count]).ok()?;
        text.split_ascii_whitespace().nth(field)?.parse().ok()
    }
}

/// The state stands behind the name, which is in parentheses and may hold any.
fn life_in(stat: &[u8]) -> Life {
    let name_ends = stat.iter().rposition(|byte| *byte == b')');
    match name_ends.and_then(|at| stat.get(at + 2)) {
        Some(b'S' | b'I') => Life::Asleep,
        Some(b'D') => Life::Uninterruptible,
        Some(b't' | b'T') => Life::Stopped,
        Some(b'Z' | b'X' | b'x') | None => Life::Gone,
        Some(_) => Life::Busy,
    }
}

/// The process of a thread; itself if it is gone.
pub(super) fn process_of(thread: pid_t) -> pid_t {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    line.and_then(|id| id.trim().parse().ok()).unwrap_or(thread)
}

/// The name of a thread, at most fifteen bytes.
pub(super) fn name_of(process: pid_t, thread: pid_t) -> String {
    let path = format!("/proc/{process}/task/{thread}/comm");
    std::fs::read_to_string(path).map_or_else(|_| String::new(), |name| name.trim_end().to_owned())
}

/// Whether a thread has not ended; one that has stays there until its parent
/// asks for it.
pub(super) fn is_alive(thread: pid_t) -> bool {
    std::fs::read(format!("/proc/{thread}/stat")).is_ok_and(|stat| life_in(&stat) != Life::Gone)
}

/// Whether there is such a thread.
pub(super) fn exists(thread: pid_t) -> bool {
    std::fs::exists(format!("/proc/{thread}")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_found_behind_any_name() {
        assert_eq!(life_in(b"7 (a) S) R) S 1 2"), Life::Asleep);
        assert_eq!(life_in(b"7 (a) R 1"), Life::Busy);
        assert_eq!(life_in(b"7 (a) D 1"), Life::Uninterruptible);
        assert_eq!(life_in(b"7 (a) Z 1"), Life::Gone);
        assert_eq!(life_in(b""), Life::Gone);
    }

    #[test]
    fn a_process_that_has_ended_is_not_alive_before_it_is_asked_for() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = pid_t::try_from(child.id()).unwrap();
        while is_alive(id) {
            std::thread::yield_now();
        }
        assert!(exists(id));
        child.wait().unwrap();
        assert!(!exists(id) && !is_alive(id));
    }

    #[test]
    fn a_running_thread_is_seen_to_run() {
        let process = pid_t::try_from(std::process::id()).unwrap();
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        let files = ThreadFiles::open(process, thread).unwrap();
        assert_eq!(files.life(), Life::Busy);
        assert!(files.switches().unwrap() > 0);
        assert!(ThreadFiles::open(process, pid_t::MAX).is_none());
        assert_eq!(process_of(thread), process);
        assert!(exists(thread) && !exists(pid_t::MAX));
        assert!(is_alive(thread) && !is_alive(pid_t::MAX));
    }
}
