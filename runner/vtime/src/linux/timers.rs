//! [`Timers`]: timers that a process sets and does not wait for: POSIX timers,
//! the interval timer, alarms and timerfd.

use std::io;

use libc::{c_int, pid_t};

use super::memory::{Fraction, Memory};
use super::page::ClockPage;
use super::signals::{self, Target};
use super::timerfd::{self, TimerFile};
use super::waits::Deadline;
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
    File(TimerFile),
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

impl Setting {
    const NEVER: Self = Self {
        due: None,
        interval: 0,
        asked: 0,
    };

    /// Once, after so many nanoseconds; never after none.
    fn after(nanoseconds: u64, page: &ClockPage) -> Self {
        let at = Deadline::Virtual(page.now().saturating_add(nanoseconds));
        Self {
            due: (nanoseconds > 0).then_some(at),
            asked: nanoseconds,
            ..Self::NEVER
        }
    }

    /// Reads struct itimerspec or itimerval; its value is an instant of the
    /// clock `absolute`, if that is given. None if the kernel would call it
    /// invalid.
    fn read(
        address: u64,
        fraction: Fraction,
        absolute: Option<u64>,
        memory: &Memory,
        page: &ClockPage,
    ) -> io::Result<Option<Self>> {
        let interval = memory.time(address, fraction)?;
        let value = memory.time(address + 16, fraction)?;
        let (Some(interval), Some(value)) = (interval, value) else {
            return Ok(None);
        };
        let once = match absolute {
            Some(clock) if value > 0 => {
                let due = Deadline::on_clock(clock, value, page);
                Self {
                    due: Some(due),
                    asked: due.instant(page).saturating_sub(page.now()),
                    ..Self::NEVER
                }
            }
            _ => Self::after(value, page),
        };
        Ok(Some(Self { interval, ..once }))
    }
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
        let kind = Kind::Posix {
            id,
            clock: creation.clock,
            notice: creation.notice,
        };
        self.timers.push(Timer::new(process, kind));
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
        let absolute = (args[1] & libc::TIMER_ABSTIME as u64 != 0).then_some(clock);
        let fraction = Fraction::Nanoseconds;
        let Some(setting) = Setting::read(args[2], fraction, absolute, memory, page)? else {
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
        let Some(file) = TimerFile::duplicate(process, args[0]) else {
            return Ok(None);
        };
        let clock = timerfd::clock_of(process, args[0]);
        let absolute = (args[1] & 1 != 0).then_some(clock);
        let fraction = Fraction::Nanoseconds;
        let Some(setting) = Setting::read(args[2], fraction, absolute, memory, page)? else {
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
        if file.disarm().is_err() {
            return Ok(None);
        }
        if let Some(known) = known {
            self.timers.swap_remove(known);
        }
        self.arm(Timer::new(process, Kind::File(file)), setting, page);
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
            Some(0) => Some(Setting::NEVER),
            Some(address) => {
                let fraction = Fraction::Microseconds;
                let Some(setting) = Setting::read(address, fraction, None, memory, page)? else {
                    return Ok(EINVAL);
                };
                Some(setting)
            }
        };
        if old != 0 {
            match self.interval_timer(process) {
                Some(timer) => timer.write(old, memory, page, Fraction::Microseconds)?,
                None => memory.write(old, &[0; 32])?,
            }
        }
        if let Some(setting) = setting {
            self.set_interval(process, setting, page);
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
        self.set_interval(process, Setting::after(seconds * SECOND, page), page);
        left.div_ceil(SECOND).cast_signed()
    }

    fn interval_timer(&mut self, process: pid_t) -> Option<&mut Timer> {
        let mut timers = self.timers.iter_mut();
        timers.find(|timer| timer.process == process && matches!(timer.kind, Kind::Interval))
    }

    fn set_interval(&mut self, process: pid_t, setting: Setting, page: &ClockPage) {
        self.timers
            .retain(|timer| !(timer.process == process && matches!(timer.kind, Kind::Interval)));
        self.arm(Timer::new(process, Kind::Interval), setting, page);
    }

    /// Keeps a timer that is set; one that is not is none.
    fn arm(&mut self, mut timer: Timer, setting: Setting, page: &ClockPage) {
        timer.set(setting, page);
        if timer.due.is_some() {
            self.timers.push(timer);
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
                file.expire()?;
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
    /// One that is not set.
    fn new(process: pid_t, kind: Kind) -> Self {
        Self {
            process,
            kind,
            due: None,
            interval: 0,
            began: 0,
            asked: 0,
        }
    }

    fn is_posix(&self, wanted: i32) -> bool {
        matches!(self.kind, Kind::Posix { id, .. } if id == wanted)
    }

    fn is_file(&self, process: pid_t, fd: u64) -> bool {
        matches!(&self.kind, Kind::File(file) if file.is_open_as(process, fd))
    }

    /// Whether no process has it open, be it who set it or who inherited it:
    /// then nobody can learn of it.
    fn is_closed(&self, processes: impl Iterator<Item = pid_t>) -> bool {
        let Kind::File(file) = &self.kind else {
            return false;
        };
        !std::iter::once(self.process)
            .chain(processes.filter(|process| *process != self.process))
            .any(|process| file.is_open_in(process))
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
