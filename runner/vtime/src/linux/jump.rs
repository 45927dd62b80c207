//! The clock moves to the next deadline, if everybody rests.

use libc::pid_t;

use super::procfs::is_alive;
use super::ptrace;
use super::queue::Scheduled;
use super::quiet::{Rest, first_look, second_look};
use super::supervisor::Supervisor;
use super::tracee::{Ending, State};
use super::waits;
use crate::{Error, Fired, Report, Role, Stop, TimedWait, WaitKind, WallStep};

/// Waits of housekeepers that are shorter move the clock as any other.
const HOUSEKEEPING: u64 = 49_000_000;
/// Waits of housekeepers that end one after the other, with nothing else to
/// do for anybody: nobody will ever do anything.
const ROUNDS: u32 = 64;
/// A wait in whole milliseconds ends so much late, as the kernel's never end on
/// the nanosecond: programs that truncate what is left (Go) would find
/// themselves a few nanoseconds early, one for each reading since they counted,
/// and wait for a whole millisecond more. No more than that: a client that
/// sleeps in slices (tokio) adds it up.
const OVERDUE: u64 = 50;
/// Real time for which nothing has had a deadline: a jump cannot be taken back,
/// and neither can the word that all hangs.
const HUNG: std::time::Duration = std::time::Duration::from_millis(10);

/// What has a deadline. Of equal ones the first kind comes first: what the
/// caller has scheduled precedes what the tree waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Scheduled,
    Wait(pid_t),
    Timer(usize),
    Receive(pid_t),
}

/// The deadlines that are next: of those that move the clock, and of the
/// housekeepers.
#[derive(Debug, Default)]
struct Next {
    any: Option<(u64, Due)>,
    housekeeping: Option<(u64, Due)>,
}

impl Supervisor {
    /// Moves the clock on if everybody rests; false: not now.
    pub(super) fn try_to_move(&mut self) -> Result<bool, Error> {
        let busy = match self.look()? {
            Looked::Changed => return Ok(true),
            Looked::Quiet => None,
            Looked::Busy(busy) => Some(busy),
        };
        self.check_page();
        let Some(busy) = busy else {
            self.starvation.rested();
            return self.quiet();
        };
        let Some(busy) = busy else { return Ok(false) };
        let now = self.clock.0.page.now();
        let Some(limit) = self.starvation.runs(busy, &self.threads, now) else {
            return Ok(false);
        };
        // The clock creeps on beside the one who spins.
        match self.next().any {
            Some((at, due)) if at <= limit => self.meet(at, due),
            _ => Ok(false),
        }
    }

    fn look(&mut self) -> Result<Looked, Error> {
        if let Some(busy) = self.hot.busy(&self.threads) {
            return Ok(Looked::Busy(Some(busy)));
        }
        let first = first_look(&mut self.threads);
        if first != Rest::Quiet {
            return Ok(self.found(first));
        }
        if !self.own.first_look() {
            return Ok(Looked::Busy(None));
        }
        if let Ok(Some((thread, change))) = ptrace::any_change() {
            self.changed(thread, change)?;
            return Ok(Looked::Changed);
        }
        let second = second_look(&self.threads);
        if second != Rest::Quiet {
            return Ok(self.found(second));
        }
        if !self.own.second_look() || self.clock.0.is_held() {
            return Ok(Looked::Busy(None));
        }
        Ok(Looked::Quiet)
    }

    fn found(&mut self, rest: Rest) -> Looked {
        match rest {
            Rest::Quiet => Looked::Quiet,
            Rest::Busy(busy) => {
                if let Some(thread) = busy {
                    self.hot.note(thread);
                }
                Looked::Busy(busy)
            }
            Rest::Ghost(thread) => {
                if !is_alive(thread) {
                    self.threads.remove(&thread);
                }
                Looked::Busy(None)
            }
        }
    }

    pub(super) fn check_page(&mut self) {
        match self.clock.0.page.check(self.checked, self.moved) {
            Ok(checked) => {
                self.checked = checked;
                self.moved = 0;
            }
            Err(found) => {
                self.checked = self.clock.0.page.checked();
                self.moved = 0;
                self.stop(Stop::Corrupt { found });
            }
        }
    }

    /// Everybody rests: the clock moves to what is next.
    fn quiet(&mut self) -> Result<bool, Error> {
        let next = self.next();
        let Some(run) = &mut self.run else {
            return Ok(false);
        };
        let chosen = match (next.any, next.housekeeping) {
            (Some(any), _) => {
                run.housekeeping = 0;
                Some(any)
            }
            (None, Some(late)) if run.housekeeping < ROUNDS => Some(late),
            _ => None,
        };
        let Some((at, due)) = chosen else {
            return self.hung();
        };
        run.hung = None;
        let now = self.clock.0.page.now();
        if at > now && !self.is_wire_empty()? {
            return Ok(false);
        }
        let Some(run) = &mut self.run else {
            return Ok(false);
        };
        if u128::from(at) > run.limits.horizon.as_nanos() {
            let wait = self.wait_of(due);
            self.stop(Stop::NeverEnded { wait });
            return Ok(true);
        }
        run.events += 1;
        if run.events > run.limits.events {
            self.stop(Stop::TooManyEvents);
            return Ok(true);
        }
        if next.any.is_none() {
            run.housekeeping += 1;
        }
        self.meet(at, due)
    }

    /// Whether no bytes are between two sockets, while everybody rests. What
    /// was on its way a moment ago may have come meanwhile, and be what
    /// somebody works on.
    fn is_wire_empty(&mut self) -> Result<bool, Error> {
        Ok(!self.wire.is_loaded()?
            && second_look(&self.threads) == Rest::Quiet
            && self.own.second_look()
            && !self.clock.0.is_held())
    }

    fn hung(&mut self) -> Result<bool, Error> {
        if !self.is_wire_empty()? {
            return Ok(false);
        }
        let Some(run) = &mut self.run else {
            return Ok(false);
        };
        let since = *run.hung.get_or_insert_with(std::time::Instant::now);
        if since.elapsed() < HUNG {
            return Ok(false);
        }
        self.stop(Stop::Hung);
        Ok(true)
    }

    fn next(&mut self) -> Next {
        let page = &self.clock.0.page;
        let mut next = Next::default();
        let earlier = |slot: &mut Option<(u64, Due)>, candidate| {
            if slot.is_none_or(|found| candidate < found) {
                *slot = Some(candidate);
            }
        };
        for tracee in self.threads.values() {
            let Some(wait) = tracee.open_wait() else {
                continue;
            };
            let keeps_house = tracee.role == Role::Housekeeping
                && wait.kind == WaitKind::Futex
                && wait.asked >= HOUSEKEEPING;
            let slot = if keeps_house {
                &mut next.housekeeping
            } else {
                &mut next.any
            };
            earlier(
                slot,
                (wait.deadline.instant(page), Due::Wait(tracee.thread)),
            );
        }
        if let Some(at) = self.clock.0.queue().first() {
            earlier(&mut next.any, (at, Due::Scheduled));
        }
        while let Some((at, index)) = self.timers.first(page) {
            let is_next = next.any.is_none_or(|found| (at, Due::Timer(index)) < found);
            let leaders = self.threads.values().filter(|tracee| tracee.leads());
            let processes = leaders.map(|tracee| tracee.process);
            if is_next && self.timers.drop_closed(index, processes) {
                continue;
            }
            earlier(&mut next.any, (at, Due::Timer(index)));
            break;
        }
        if let Some((at, thread)) = self.receive.first(self.threads.values(), page.now()) {
            earlier(&mut next.any, (at, Due::Receive(thread)));
        }
        next
    }

    fn wait_of(&mut self, due: Due) -> Option<TimedWait> {
        match due {
            Due::Scheduled => None,
            Due::Timer(index) => Some(self.timers.reported(index)),
            Due::Receive(thread) => self.receive.take(self.threads.get(&thread)?),
            Due::Wait(thread) => {
                let tracee = self.threads.get(&thread)?;
                Some(tracee.reported(&tracee.open_wait()?))
            }
        }
    }

    /// The clock moves to a deadline, and whoever waited for it is woken.
    fn meet(&mut self, at: u64, due: Due) -> Result<bool, Error> {
        let now = self.clock.0.page.now();
        if at > now {
            self.moved = self.moved.saturating_add(self.clock.0.page.advance(at));
        }
        match due {
            Due::Scheduled => self.fire(),
            Due::Wait(thread) => self.end_wait(thread)?,
            Due::Receive(thread) => self.end_receive(thread)?,
            Due::Timer(index) => {
                let reported = self.timers.reported(index);
                self.report(Report::Waited(reported));
                if let Err(source) = self.timers.fire(index, &self.clock.0.page)
                    && source.raw_os_error() != Some(libc::ESRCH)
                {
                    return Err(Error::System {
                        attempted: "end a timer",
                        source,
                    });
                }
            }
        }
        Ok(true)
    }

    fn fire(&mut self) {
        let Some((at, event, scheduled)) = self.clock.0.queue().pop() else {
            return;
        };
        match scheduled {
            Scheduled::Event => {
                let fired = Fired {
                    event,
                    at: std::time::Duration::from_nanos(at),
                    hold: self.clock.hold(),
                };
                self.report(Report::Fired(fired));
            }
            Scheduled::Step(step) => {
                let page = &self.clock.0.page;
                let start = page.wall_start();
                page.set_wall_start(match step {
                    WallStep::Forward(by) => start.wrapping_add(super::clock::nanoseconds(by)),
                    WallStep::Back(by) => start.wrapping_sub(super::clock::nanoseconds(by)),
                });
            }
        }
    }

    fn end_wait(&mut self, thread: pid_t) -> Result<(), Error> {
        let Some(tracee) = self.threads.get_mut(&thread) else {
            return Ok(());
        };
        match &mut tracee.state {
            State::Held(wait) => {
                let reported = *wait;
                tracee.state = State::Running;
                let reported = tracee.reported(&reported);
                self.report(Report::Waited(reported));
                if let Some(mut registers) = self.registers(thread)? {
                    registers.answer(0);
                    self.set_registers(thread, &registers)?;
                    self.resume(thread, ptrace::Until::Event, 0)?;
                }
                Ok(())
            }
            State::Waiting(disarmed) => {
                disarmed.ending = Ending::Over;
                if waits::is_in_milliseconds(disarmed.wait.number) {
                    self.clock.0.page.add(OVERDUE);
                    self.moved = self.moved.saturating_add(OVERDUE);
                }
                self.interrupt(thread)
            }
            _ => Ok(()),
        }
    }

    fn end_receive(&mut self, thread: pid_t) -> Result<(), Error> {
        let Some(tracee) = self.threads.get_mut(&thread) else {
            return Ok(());
        };
        tracee.state = State::ReceiveOver;
        if let Some(wait) = self.receive.take(tracee) {
            self.report(Report::Waited(wait));
        }
        self.interrupt(thread)
    }
}

#[derive(Debug)]
enum Looked {
    /// Somebody runs; if of the tree, this thread.
    Busy(Option<pid_t>),
    /// Something happened meanwhile.
    Changed,
    Quiet,
}
