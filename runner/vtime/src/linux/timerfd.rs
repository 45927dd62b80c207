//! [`TimerFile`]: a timerfd of a process, held open here too.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use libc::{c_int, pid_t};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_gettime, timerfd_settime};

use super::waits::is_wall;

/// A timerfd of a process, held open here too. The kernel never sets it by
/// itself: it is made to expire.
#[derive(Debug)]
pub(super) struct TimerFile(OwnedFd);

impl TimerFile {
    /// The one that a process has as this descriptor.
    pub(super) fn duplicate(process: pid_t, fd: u64) -> Option<Self> {
        let process = pidfd_open(Pid::from_raw(process)?, PidfdFlags::empty()).ok()?;
        let fd = pidfd_getfd(process.as_fd(), fd as c_int, PidfdGetfdFlags::empty());
        fd.ok().map(Self)
    }

    /// Forgets what has expired and was not read.
    pub(super) fn disarm(&self) -> io::Result<()> {
        self.set(0)
    }

    /// Makes it expire now, and waits for that: until then nobody is woken,
    /// which would look like rest.
    pub(super) fn expire(&self) -> io::Result<()> {
        self.set(1)?;
        loop {
            let left = timerfd_gettime(&self.0)?.it_value;
            if (left.tv_sec, left.tv_nsec) == (0, 0) {
                return Ok(());
            }
            std::thread::yield_now();
        }
    }

    fn set(&self, nanoseconds: i64) -> io::Result<()> {
        let after = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
        let once = Itimerspec {
            it_interval: after(0),
            it_value: after(nanoseconds),
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once)?;
        Ok(())
    }

    /// Whether a process has it open.
    pub(super) fn is_open_in(&self, process: pid_t) -> bool {
        let Ok(fds) = std::fs::read_dir(format!("/proc/{process}/fd")) else {
            return false;
        };
        fds.flatten().any(|entry| {
            let name = entry.file_name();
            let fd = name.to_str().and_then(|name| name.parse().ok());
            fd.is_some_and(|fd| self.is_open_as(process, fd))
        })
    }

    /// Whether it is this descriptor of a process.
    pub(super) fn is_open_as(&self, process: pid_t, fd: u64) -> bool {
        const KCMP_FILE: c_int = 0;
        let (own, ours) = (std::process::id(), self.0.as_raw_fd());
        // SAFETY: the call compares two descriptors and touches no memory.
        let compared = unsafe { libc::syscall(libc::SYS_kcmp, own, process, KCMP_FILE, ours, fd) };
        if compared >= 0 {
            return compared == 0;
        }
        // A kernel without that call: any timerfd at the same number.
        let link = std::fs::read_link(format!("/proc/{process}/fd/{fd}"));
        link.is_ok_and(|link| link.as_os_str() == "anon_inode:[timerfd]")
    }
}

/// Which clock a timerfd counts by.
pub(super) fn clock_of(process: pid_t, fd: u64) -> u64 {
    let info = std::fs::read_to_string(format!("/proc/{process}/fdinfo/{fd}")).unwrap_or_default();
    let line = info.lines().find_map(|line| line.strip_prefix("clockid:"));
    let clock = line.and_then(|clock| clock.trim().parse().ok());
    clock.filter(|clock| is_wall(*clock)).unwrap_or(1)
}
