//! [`Timers`]: timers that a process sets and does not wait for: POSIX timers,
//! the interval timer, alarms and timerfd.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use libc::{c_int, pid_t};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_gettime, timerfd_settime};

use super::memory::{Fraction, Memory};
use super::page::ClockPage;
use super::signals::{self, Target};
use super::waits::{Deadline, is_wall};
use crate::{Role, TimedWait, WaitKind};

/// What a process asked timer_create for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Creation {
    clock: u64,
    notice: Notice,
}

/// How a process learns that a POSIX timer is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notice {
    Signal {
        signal: c_int,
        value: u64,
    },
    Thread {
        thread: pid_t,
        signal: c_int,
        value: u64,
    },
    Nothing,
}

#[derive(Debug)]
enum Kind {
    Posix { id: i32, clock: u64, notice: Notice },
    Interval,
    File(OwnedFd),
}

#[derive(Debug)]
struct Timer {
    process: pid_t,
    kind: Kind,
    due: Option<Deadline>,
    interval: u64,
    began: u64,
    asked: u64,
}

/// All timers of a tree.
#[derive(Debug, Default)]
pub(super) struct Timers {
    timers: Vec<Timer>,
}

/// How a timer is set: relative or absolute, and for how long.
struct Setting {
    due: Option<Deadline>,
    interval: u64,
    asked: u64,
}

const EINVAL: i64 = -(libc::EINVAL as i64);

impl Creation {
    /// Reads the arguments of timer_create.
    pub(super) fn read(args: [u64; 6], memory: &Memory) -> Self {
        let event: Option<[u8; 24]> = (args[1] != 0).then(|| memory.read(args[1]).ok()).flatten();
        let notice = match event {
            None => Notice::Signal {
                signal: libc::SIGALRM,
                value: 0,
            },
            Some(event) => Notice::read(&event),
        };
        Self {
            clock: args[0],
            notice,
        }
    }
}

impl Notice {
    /// Reads struct sigevent.
    fn read(event: &[u8; 24]) -> Self {
        let int = |at: usize| {
            i32::from_ne_bytes([event[at], event[at + 1], event[at + 2], event[at + 3]])
        };
        let mut value = [0; 8];
        value.copy_from_slice(&event[..8]);
        let (value, signal) = (u64::from_ne_bytes(value), int(8));
        match int(12) {
            libc::SIGEV_NONE => Self::Nothing,
            libc::SIGEV_THREAD_ID => Self::Thread {
                thread: int(16),
                signal,
                value,
            },
            _ => Self::Signal { signal, value },
        }
    }
}

impl Timers {
    /// A process has created a POSIX timer.
    pub(super) fn created(&mut self, process: pid_t, id: i32, creation: Creation) {
        self.deleted(process, id);
        self.timers.push(Timer {
            process,
            kind: Kind::Posix {
                id,
                clock: creation.clock,
                notice: creation.notice,
            },
            due: None,
            interval: 0,
            began: 0,
            asked: 0,
        });
    }

    /// A process has deleted a POSIX timer.
    pub(super) fn deleted(&mut self, process: pid_t, id: i32) {
        self.timers
            .retain(|timer| !(timer.process == process && timer.is_posix(id)));
    }

    /// A process is gone, or runs another program: its timers are no more. A
    /// timerfd lives as long as its descriptor, which is looked at when it
    /// would be over.
    pub(super) fn forget(&mut self, process: pid_t) {
        self.timers
            .retain(|timer| timer.process != process || matches!(timer.kind, Kind::File(_)));
    }

    /// timer_settime: its result.
    pub(super) fn set_posix(
        &mut self,
        process: pid_t,
        args: [u64; 6],
        memory: &Memory,
        page: &ClockPage,
    ) -> io::Result<i64> {
        let Some(timer) = self.posix(process, args[0]) else {
            return Ok(EINVAL);
        };
        let Kind::Posix { clock, .. } = timer.kind else {
            return Ok(EINVAL);
        };
        let is_absolute = args[1] & libc::TIMER_ABSTIME as u64 != 0;
        let Some(setting) = read_setting(args[2], is_absolute, clock, memory, page)? else {
            return Ok(EINVAL);
        };
        if args[3] != 0 {
            timer.write(args[3], memory, page, Fraction::Nanoseconds)?;
        }
        timer.set(setting, page);
        Ok(0)
    }

    /// timer_gettime: its result.
    pub(super) fn get_posix(
        &mut self,
        process: pid_t,
        args: [u64; 6],
        memory: &Memory,
        page: &ClockPage,
    ) -> io::Result<i64> {
        let Some(timer) = self.posix(process, args[0]) else {
            return Ok(EINVAL);
        };
        timer.write(args[1], memory, page, Fraction::Nanoseconds)?;
        Ok(0)
    }

    /// timerfd_settime: its result; none: the kernel's to give.
    pub(super) fn set_file(
        &mut self,
        process: pid_t,
        args: [u64; 6],
        memory: &Memory,
        page: &ClockPage,
    ) -> io::Result<Option<i64>> {
        let Some(file) = duplicate(process, args[0]) else {
            return Ok(None);
        };
        let clock = clock_of(process, args[0]);
        let is_absolute = args[1] & 1 != 0;
        let Some(setting) = read_setting(args[2], is_absolute, clock, memory, page)? else {
            return Ok(None);
        };
        let known = self
            .timers
            .iter()
            .position(|timer| timer.is_file(process, args[0]));
        if args[3] != 0 {
            match known {
                Some(known) => {
                    self.timers[known].write(args[3], memory, page, Fraction::Nanoseconds)?;
                }
                None => memory.write(args[3], &[0; 32])?,
            }
        }
        // What has expired and was not read is forgotten by a new setting.
        if timerfd_settime(&file, TimerfdTimerFlags::empty(), &one_shot(0)).is_err() {
            return Ok(None);
        }
        if let Some(known) = known {
            self.timers.swap_remove(known);
        }
        let mut timer = Timer {
            process,
            kind: Kind::File(file),
            due: None,
            interval: 0,
            began: 0,
            asked: 0,
        };
        timer.set(setting, page);
        if timer.due.is_some() {
            self.timers.push(timer);
        }
        Ok(Some(0))
    }

    /// timerfd_gettime: its result; none: the kernel's to give.
    pub(super) fn get_file(
        &self,
        process: pid_t,
        args: [u64; 6],
        memory: &Memory,
        page: &ClockPage,
    ) -> io::Result<Option<i64>> {
        let known = self
            .timers
            .iter()
            .find(|timer| timer.is_file(process, args[0]));
        match known {
            Some(timer) => {
                timer.write(args[1], memory, page, Fraction::Nanoseconds)?;
                Ok(Some(0))
            }
            None => Ok(None),
        }
    }

    /// setitimer and getitimer of the real interval timer: the result.
    pub(super) fn interval(
        &mut self,
        process: pid_t,
        new: Option<u64>,
        old: u64,
        memory: &Memory,
        page: &ClockPage,
    ) -> io::Result<i64> {
        let setting = match new {
            None => None,
            Some(0) => Some((0, 0)),
            Some(address) => {
                let interval = memory.time(address, Fraction::Microseconds)?;
                let value = memory.time(address + 16, Fraction::Microseconds)?;
                let (Some(interval), Some(value)) = (interval, value) else {
                    return Ok(EINVAL);
                };
                Some((interval, value))
            }
        };
        if old != 0 {
            match self.interval_timer(process) {
                Some(timer) => timer.write(old, memory, page, Fraction::Microseconds)?,
                None => memory.write(old, &[0; 32])?,
            }
        }
        if let Some((interval, value)) = setting {
            self.set_interval(process, interval, value, page);
        }
        Ok(0)
    }

    /// alarm: the seconds that were left of the one before.
    pub(super) fn alarm(&mut self, process: pid_t, seconds: u64, page: &ClockPage) -> i64 {
        const SECOND: u64 = 1_000_000_000;
        let left = self
            .interval_timer(process)
            .map_or(0, |timer| timer.left(page));
        let seconds = seconds & u64::from(u32::MAX);
        self.set_interval(process, 0, seconds * SECOND, page);
        left.div_ceil(SECOND).cast_signed()
    }

    fn interval_timer(&mut self, process: pid_t) -> Option<&mut Timer> {
        let mut timers = self.timers.iter_mut();
        timers.find(|timer| timer.process == process && matches!(timer.kind, Kind::Interval))
    }

    fn set_interval(&mut self, process: pid_t, interval: u64, value: u64, page: &ClockPage) {
        self.timers
            .retain(|timer| !(timer.process == process && matches!(timer.kind, Kind::Interval)));
        if value > 0 {
            self.timers.push(Timer {
                process,
                kind: Kind::Interval,
                due: Some(Deadline::Virtual(page.now().saturating_add(value))),
                interval,
                began: page.now(),
                asked: value,
            });
        }
    }

    fn posix(&mut self, process: pid_t, id: u64) -> Option<&mut Timer> {
        let mut timers = self.timers.iter_mut();
        timers.find(|timer| timer.process == process && timer.is_posix(id as i32))
    }

    /// The timer that is over first, and when.
    pub(super) fn first(&self, page: &ClockPage) -> Option<(u64, usize)> {
        let due = |(index, timer): (usize, &Timer)| Some((timer.due?.instant(page), index));
        self.timers.iter().enumerate().filter_map(due).min()
    }

    /// What a timer waits for, for the caller.
    pub(super) fn reported(&self, index: usize) -> TimedWait {
        let timer = &self.timers[index];
        TimedWait {
            thread: timer.process.unsigned_abs(),
            process: timer.process.unsigned_abs(),
            kind: WaitKind::Timer,
            asked: std::time::Duration::from_nanos(timer.asked),
            began: std::time::Duration::from_nanos(timer.began),
            role: Role::Worker,
        }
    }

    /// Drops a timer whose file nobody has any more; false: it is alive.
    pub(super) fn drop_closed(
        &mut self,
        index: usize,
        processes: impl Iterator<Item = pid_t>,
    ) -> bool {
        let is_closed = self.timers[index].is_closed(processes);
        if is_closed {
            self.timers.swap_remove(index);
        }
        is_closed
    }

    /// A timer is over: its process learns of it, and an interval begins anew.
    pub(super) fn fire(&mut self, index: usize, page: &ClockPage) -> io::Result<()> {
        let timer = &mut self.timers[index];
        let at = timer.due.map_or(0, |due| due.instant(page));
        timer.due =
            (timer.interval > 0).then(|| Deadline::Virtual(at.saturating_add(timer.interval)));
        timer.began = at;
        timer.asked = timer.interval;
        let (process, is_set) = (timer.process, timer.due.is_some());
        match &timer.kind {
            Kind::Interval => signals::send(process, libc::SIGALRM),
            Kind::File(file) => {
                expire(file)?;
                // A file that we hold is not closed when the process closes it.
                if !is_set {
                    self.timers.swap_remove(index);
                }
                Ok(())
            }
            Kind::Posix { id, notice, .. } => match *notice {
                Notice::Nothing => Ok(()),
                Notice::Signal { signal, value } => {
                    signals::send_timer(Target::Process(process), signal, *id, value)
                }
                Notice::Thread {
                    thread,
                    signal,
                    value,
                } => signals::send_timer(Target::Thread(process, thread), signal, *id, value),
            },
        }
    }
}

impl Timer {
    fn is_posix(&self, wanted: i32) -> bool {
        matches!(self.kind, Kind::Posix { id, .. } if id == wanted)
    }

    fn is_file(&self, process: pid_t, fd: u64) -> bool {
        matches!(&self.kind, Kind::File(file) if is_same_file(file, process, fd))
    }

    /// Whether no process has it open, be it who set it or who inherited it:
    /// then nobody can learn of it.
    fn is_closed(&self, processes: impl Iterator<Item = pid_t>) -> bool {
        let Kind::File(file) = &self.kind else {
            return false;
        };
        !std::iter::once(self.process)
            .chain(processes.filter(|process| *process != self.process))
            .any(|process| has_file(file, process))
    }

    fn set(&mut self, setting: Setting, page: &ClockPage) {
        self.due = setting.due;
        self.interval = setting.interval;
        self.asked = setting.asked;
        self.began = page.now();
    }

    fn left(&self, page: &ClockPage) -> u64 {
        self.due
            .map_or(0, |due| due.instant(page).saturating_sub(page.now()).max(1))
    }

    fn write(
        &self,
        address: u64,
        memory: &Memory,
        page: &ClockPage,
        fraction: Fraction,
    ) -> io::Result<()> {
        memory.set_time(address, self.interval, fraction)?;
        memory.set_time(address + 16, self.left(page), fraction)
    }
}

/// Reads struct itimerspec; none if the kernel would call it invalid.
fn read_setting(
    address: u64,
    is_absolute: bool,
    clock: u64,
    memory: &Memory,
    page: &ClockPage,
) -> io::Result<Option<Setting>> {
    let interval = memory.time(address, Fraction::Nanoseconds)?;
    let value = memory.time(address + 16, Fraction::Nanoseconds)?;
    let (Some(interval), Some(value)) = (interval, value) else {
        return Ok(None);
    };
    let now = page.now();
    let due = match value {
        0 => None,
        value if is_absolute => Some(Deadline::on_clock(clock, value, page)),
        value => Some(Deadline::Virtual(now.saturating_add(value))),
    };
    let asked = due.map_or(0, |due| due.instant(page).saturating_sub(now));
    Ok(Some(Setting {
        due,
        interval,
        asked,
    }))
}

fn one_shot(nanoseconds: i64) -> Itimerspec {
    let zero = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    Itimerspec {
        it_interval: zero,
        it_value: Timespec {
            tv_sec: 0,
            tv_nsec: nanoseconds,
        },
    }
}

/// Makes a timerfd expire now, and waits for it: until then nobody is woken,
/// which would look like rest.
fn expire(file: &OwnedFd) -> io::Result<()> {
    timerfd_settime(file, TimerfdTimerFlags::empty(), &one_shot(1))?;
    loop {
        let left = timerfd_gettime(file)?.it_value;
        if (left.tv_sec, left.tv_nsec) == (0, 0) {
            return Ok(());
        }
        std::thread::yield_now();
    }
}

fn duplicate(process: pid_t, fd: u64) -> Option<OwnedFd> {
    let process = pidfd_open(Pid::from_raw(process)?, PidfdFlags::empty()).ok()?;
    pidfd_getfd(process.as_fd(), fd as c_int, PidfdGetfdFlags::empty()).ok()
}

/// Which clock a timerfd counts by.
fn clock_of(process: pid_t, fd: u64) -> u64 {
    let info = std::fs::read_to_string(format!("/proc/{process}/fdinfo/{fd}")).unwrap_or_default();
    let line = info.lines().find_map(|line| line.strip_prefix("clockid:"));
    let clock = line.and_then(|clock| clock.trim().parse().ok());
    clock.filter(|clock| is_wall(*clock)).unwrap_or(1)
}

/// Whether a process has the file that we hold.
fn has_file(file: &OwnedFd, process: pid_t) -> bool {
    let Ok(fds) = std::fs::read_dir(format!("/proc/{process}/fd")) else {
        return false;
    };
    fds.flatten().any(|entry| {
        let name = entry.file_name();
        let fd = name.to_str().and_then(|name| name.parse().ok());
        fd.is_some_and(|fd| is_same_file(file, process, fd))
    })
}

/// Whether a descriptor of a process is the file that we hold.
fn is_same_file(file: &OwnedFd, process: pid_t, fd: u64) -> bool {
    const KCMP_FILE: c_int = 0;
    let own = std::process::id();
    // SAFETY: the call compares two descriptors and touches no memory.
    let compared = unsafe {
        libc::syscall(
            libc::SYS_kcmp,
            own,
            process,
            KCMP_FILE,
            file.as_raw_fd(),
            fd,
        )
    };
    if compared >= 0 {
        return compared == 0;
    }
    // A kernel without that call: any timerfd at the same number.
    let link = std::fs::read_link(format!("/proc/{process}/fd/{fd}"));
    link.is_ok_and(|link| link.as_os_str() == "anon_inode:[timerfd]")
}
