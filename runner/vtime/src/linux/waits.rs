//! Timed waits: what a kernel call with a timeout waits for, and what it
//! returns when its time is over.

use std::io;

use libc::*;

use super::memory::{Fraction, Memory, offer_time};
use super::page::ClockPage;
use crate::WaitKind;

const MILLISECOND: u64 = 1_000_000;
/// Bits of a futex operation.
const FUTEX_OPERATION: u64 = 127;
const FUTEX_WAIT: u64 = 0;
const FUTEX_LOCK_PI: u64 = 6;
const FUTEX_REALTIME: u64 = 256;

/// When a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadline {
    /// At an instant of the virtual clock.
    Virtual(u64),
    /// When the wall clock shows this, in nanoseconds since 1970; it may be put
    /// forward or back before.
    Wall(u64),
}

impl Deadline {
    /// The instant of the virtual clock at which it is over, as things stand.
    pub(super) fn instant(self, page: &ClockPage) -> u64 {
        match self {
            Self::Virtual(at) => at,
            Self::Wall(at) => {
                let start = i128::from(page.wall_start().cast_signed());
                let instant = (i128::from(at) - start).max(0);
                u64::try_from(instant).unwrap_or(u64::MAX)
            }
        }
    }

    /// What a clock of the process shows, as an instant; `at` is absolute.
    pub(super) fn on_clock(clock: u64, at: u64, page: &ClockPage) -> Self {
        if is_wall(clock) {
            Self::Wall(at)
        } else {
            Self::Virtual(at.saturating_sub(page.monotonic_start()))
        }
    }
}

/// Whether a clock of the kernel is a wall clock.
pub(super) fn is_wall(clock: u64) -> bool {
    const WALL: [c_int; 4] = [
        CLOCK_REALTIME,
        CLOCK_REALTIME_COARSE,
        CLOCK_REALTIME_ALARM,
        CLOCK_TAI,
    ];
    WALL.iter()
        .any(|wall| u64::from(wall.unsigned_abs()) == clock)
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    /// The kernel call.
    pub(super) number: i64,
    pub(super) kind: WaitKind,
    pub(super) deadline: Deadline,
    /// Nanoseconds from when it was asked for.
    pub(super) asked: u64,
    /// When it was asked for.
    pub(super) began: u64,
}

/// How the kernel is kept from ending a wait by its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Without {
    /// This argument gets this value, which means no timeout.
    Argument(usize, u64),
    /// The call is nothing but time; what is left of it is written here if a
    /// signal ends it, unless that is 0.
    Sleep {
        /// Address.
        remainder: u64,
    },
}

/// A kernel call that waits for a limited time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedCall {
    pub(super) wait: Wait,
    pub(super) without: Without,
}

/// Reads a call that the filter has stopped. None: the call does not wait, or
/// is wrong, and the kernel says so better.
pub(super) fn read(
    number: i64,
    args: [u64; 6],
    memory: &Memory,
    page: &ClockPage,
) -> Option<TimedCall> {
    let now = page.now();
    let (kind, limit, without) = match number {
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => sleep(number, args, memory, page)?,
        _ => other(number, args, memory, page)?,
    };
    let (deadline, asked) = match limit {
        Limit::For(asked) => (Deadline::Virtual(now.saturating_add(asked)), asked),
        // Whoever knows an instant has read the clock, which has moved on since.
        Limit::Until(deadline) => {
            let read = now.saturating_sub(page.tick());
            (deadline, deadline.instant(page).saturating_sub(read))
        }
    };
    let wait = Wait {
        number,
        kind,
        deadline,
        asked,
        began: now,
    };
    Some(TimedCall { wait, without })
}

enum Limit {
    For(u64),
    Until(Deadline),
}

type Parts = (WaitKind, Limit, Without);

fn sleep(number: i64, args: [u64; 6], memory: &Memory, page: &ClockPage) -> Option<Parts> {
    let (clock, flags, request, remainder) = match number {
        libc::SYS_nanosleep => (
            u64::from(CLOCK_MONOTONIC.unsigned_abs()),
            0,
            args[0],
            args[1],
        ),
        _ => (args[0], args[1], args[2], args[3]),
    };
    // Clocks of what a process computes are the kernel's own.
    if [CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID].contains(&(clock as c_int))
        || (clock as c_int) < 0
    {
        return None;
    }
    let time = time(memory, request)?;
    let is_absolute = flags & TIMER_ABSTIME as u64 != 0;
    Some(if is_absolute {
        let until = Deadline::on_clock(clock, time, page);
        (
            WaitKind::Sleep,
            Limit::Until(until),
            Without::Sleep { remainder: 0 },
        )
    } else {
        (
            WaitKind::Sleep,
            Limit::For(time),
            Without::Sleep { remainder },
        )
    })
}

fn other(number: i64, args: [u64; 6], memory: &Memory, page: &ClockPage) -> Option<Parts> {
    let wall = |at| Limit::Until(Deadline::Wall(at));
    let pointer = |index| Without::Argument(index, 0);
    let some = |index: usize| time(memory, args[index]).filter(|time| *time > 0);
    Some(match number {
        libc::SYS_futex => {
            let operation = args[1] & FUTEX_OPERATION;
            let at = time(memory, args[3])?;
            let limit = if operation == FUTEX_WAIT {
                Limit::For(at)
            } else if operation == FUTEX_LOCK_PI || args[1] & FUTEX_REALTIME != 0 {
                wall(at)
            } else {
                Limit::Until(Deadline::on_clock(CLOCK_MONOTONIC as u64, at, page))
            };
            (WaitKind::Futex, limit, pointer(3))
        }
        libc::SYS_futex_waitv => {
            let at = time(memory, args[3])?;
            let limit = Limit::Until(Deadline::on_clock(args[4], at, page));
            (WaitKind::Futex, limit, pointer(3))
        }
        libc::SYS_poll => (
            WaitKind::Poll,
            Limit::For(milliseconds(args[2])),
            Without::Argument(2, u64::MAX),
        ),
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => (
            WaitKind::Poll,
            Limit::For(milliseconds(args[3])),
            Without::Argument(3, u64::MAX),
        ),
        libc::SYS_ppoll => (WaitKind::Poll, Limit::For(some(2)?), pointer(2)),
        libc::SYS_pselect6 => (WaitKind::Poll, Limit::For(some(4)?), pointer(4)),
        libc::SYS_epoll_pwait2 => (WaitKind::Poll, Limit::For(some(3)?), pointer(3)),
        libc::SYS_io_getevents => (WaitKind::Poll, Limit::For(some(4)?), pointer(4)),
        libc::SYS_select => {
            let time = selected(memory, args[4])?;
            (WaitKind::Poll, Limit::For(time), pointer(4))
        }
        libc::SYS_rt_sigtimedwait => (WaitKind::Signal, Limit::For(some(2)?), pointer(2)),
        libc::SYS_semtimedop => (
            WaitKind::Queue,
            Limit::For(time(memory, args[3])?),
            pointer(3),
        ),
        libc::SYS_mq_timedsend | libc::SYS_mq_timedreceive => {
            (WaitKind::Queue, wall(time(memory, args[4])?), pointer(4))
        }
        _ => return None,
    })
}

fn milliseconds(argument: u64) -> u64 {
    (argument & u64::from(u32::MAX)) * MILLISECOND
}

fn time(memory: &Memory, address: u64) -> Option<u64> {
    memory.time(address, Fraction::Nanoseconds).ok().flatten()
}

/// select takes more microseconds than a second has.
fn selected(memory: &Memory, address: u64) -> Option<u64> {
    let seconds = memory.word(address).ok()?;
    let micros = memory.word(address + 8).ok()?;
    let time = seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(micros.saturating_mul(1_000));
    (time > 0 && seconds.cast_signed() >= 0 && micros.cast_signed() >= 0).then_some(time)
}

/// Whether a call is told its timeout in milliseconds.
pub(super) fn is_in_milliseconds(number: i64) -> bool {
    [libc::SYS_poll, libc::SYS_epoll_wait, libc::SYS_epoll_pwait].contains(&number)
}

/// What a call returns whose time is over.
pub(super) fn result_of(number: i64) -> i64 {
    match number {
        libc::SYS_futex
        | libc::SYS_futex_waitv
        | libc::SYS_mq_timedsend
        | libc::SYS_mq_timedreceive => -i64::from(ETIMEDOUT),
        libc::SYS_rt_sigtimedwait | libc::SYS_semtimedop => -i64::from(EAGAIN),
        _ => 0,
    }
}

/// What is written to memory when the time of a call is over: no descriptor is
/// ready, and no time is left.
pub(super) fn clear(number: i64, args: [u64; 6], memory: &Memory) -> io::Result<()> {
    if number != libc::SYS_select && number != libc::SYS_pselect6 {
        return Ok(());
    }
    let count = usize::try_from(args[0].min(1 << 20)).unwrap_or_default();
    let none = vec![0; count.div_ceil(64) * 8];
    for set in [args[1], args[2], args[3]] {
        if set != 0 {
            memory.write(set, &none)?;
        }
    }
    Ok(())
}

/// The kernel writes to the timeout of select, pselect6 and ppoll how much of
/// it is left, however they ended.
pub(super) fn write_rest(number: i64, args: [u64; 6], rest: u64, process: libc::pid_t) {
    let (address, fraction) = match number {
        libc::SYS_select => (args[4], Fraction::Microseconds),
        libc::SYS_pselect6 => (args[4], Fraction::Nanoseconds),
        libc::SYS_ppoll => (args[2], Fraction::Nanoseconds),
        _ => return,
    };
    if address != 0 {
        offer_time(process, address, rest, fraction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting() -> (Memory, ClockPage) {
        let own = pid_t::try_from(std::process::id()).unwrap();
        let page = ClockPage::create(1_000_000_000_000, 1).unwrap();
        page.advance(5);
        (Memory::open(own).unwrap(), page)
    }

    fn at(time: &[i64; 2]) -> u64 {
        time.as_ptr().expose_provenance() as u64
    }

    fn waits(number: i64, args: [u64; 6]) -> Option<(Deadline, u64)> {
        let (memory, page) = setting();
        read(number, args, &memory, &page).map(|call| (call.wait.deadline, call.wait.asked))
    }

    #[test]
    fn relative_and_absolute_waits_have_one_kind_of_deadline() {
        let two = [2, 0];
        let relative = waits(libc::SYS_nanosleep, [at(&two), 0, 0, 0, 0, 0]);
        assert_eq!(
            relative,
            Some((Deadline::Virtual(2_000_000_005), 2_000_000_000))
        );
        let (_, page) = setting();
        let late = page.monotonic_start() + 1_000;
        let absolute = [(late / 1_000_000_000).cast_signed(), 1_000];
        let until = waits(libc::SYS_clock_nanosleep, [1, 1, at(&absolute), 0, 0, 0]);
        assert_eq!(until, Some((Deadline::Virtual(1_000), 996)));
        let wall = [1_001, 0];
        let until = waits(libc::SYS_clock_nanosleep, [0, 1, at(&wall), 0, 0, 0]);
        assert_eq!(
            until,
            Some((Deadline::Wall(1_001_000_000_000), 999_999_996))
        );
    }

    #[test]
    fn a_futex_is_relative_or_absolute_by_its_operation() {
        let time = [1_001, 0];
        let futex = |operation| waits(libc::SYS_futex, [0, operation, 0, at(&time), 0, 0]);
        assert_eq!(futex(128).unwrap().1, 1_001_000_000_000, "WAIT, private");
        let wall = Some(Deadline::Wall(1_001_000_000_000));
        assert_eq!(
            futex(9 | 256).map(|wait| wait.0),
            wall,
            "WAIT_BITSET, realtime"
        );
        assert_eq!(futex(6).map(|wait| wait.0), wall, "LOCK_PI");
        assert_eq!(
            futex(9).map(|wait| wait.0),
            Some(Deadline::Virtual(0)),
            "long over"
        );
    }

    #[test]
    fn what_does_not_wait_or_is_wrong_is_the_kernels() {
        let (none, wrong, overflowed) = ([0, 0], [0, 2_000_000_000], [i64::MIN, 0]);
        assert_eq!(waits(libc::SYS_ppoll, [0, 0, at(&none), 0, 0, 0]), None);
        assert_eq!(
            waits(libc::SYS_nanosleep, [at(&wrong), 0, 0, 0, 0, 0]),
            None
        );
        let until = waits(libc::SYS_clock_nanosleep, [1, 1, at(&overflowed), 0, 0, 0]);
        assert_eq!(until, None);
        assert_eq!(waits(libc::SYS_nanosleep, [8, 0, 0, 0, 0, 0]), None);
        assert_eq!(waits(libc::SYS_read, [0; 6]), None);
        let cpu = CLOCK_PROCESS_CPUTIME_ID as u64;
        let two = [2, 0];
        assert_eq!(
            waits(libc::SYS_clock_nanosleep, [cpu, 0, at(&two), 0, 0, 0]),
            None
        );
    }

    #[test]
    fn a_step_of_the_wall_clock_moves_deadlines_on_it_only() {
        let (_, page) = setting();
        let (fixed, wall) = (Deadline::Virtual(9), Deadline::Wall(1_000_000_000_100));
        assert_eq!((fixed.instant(&page), wall.instant(&page)), (9, 100));
        page.set_wall_start(1_000_000_000_060);
        assert_eq!((fixed.instant(&page), wall.instant(&page)), (9, 40));
        page.set_wall_start(2_000_000_000_000);
        assert_eq!(wall.instant(&page), 0, "over");
    }
}
