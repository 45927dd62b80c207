//! The kernel calls that the filter stops: their entry and their end.

use std::io;

use libc::*;

use super::memory::{Fraction, Memory};
use super::page::ClockPage;
use super::ptrace::Until;
use super::stops::is_interrupted;
use super::supervisor::{Supervisor, alive};
use super::timers::Creation;
use super::tracee::{Disarmed, Ending, Restart, State};
use super::waits::{self, TimedCall, Without, is_wall};
use super::x86_64::Registers;
use crate::{Error, Report};

/// A timed wait that is over when it begins costs so much: programs that
/// truncate what is left of a wait would ask for nothing for ever.
const EXPIRED: u64 = 1_000;
/// A sleep so short is spent at the entry of its call; a longer one must hear
/// signals.
const SHORT_SLEEP: u64 = 20_000_000;
/// Random bytes for one call; whoever wants more asks again, as of the kernel.
const MOST_RANDOM: usize = 1 << 20;
/// The kernel's word for a call that it begins again unless a handler runs.
const ERESTARTNOHAND: i64 = -514;

/// How a stopped call goes on.
enum Next {
    /// As the program made it.
    Kernel,
    /// It is not made, and returns this.
    Answer(i64),
    /// Its end is looked at.
    Watch(State),
}

impl Supervisor {
    /// A call begins.
    pub(super) fn call_begins(&mut self, thread: pid_t) -> Result<(), Error> {
        let Some(mut registers) = self.registers(thread)? else {
            return Ok(());
        };
        let (number, args) = (registers.number(), registers.args());
        let Some(process) = self.threads.get(&thread).map(|tracee| tracee.process) else {
            return Ok(());
        };
        let next = match self.other_call(process, number, args) {
            Some(answered) => alive("answer", thread, forgiving(answered))?,
            None => return self.wait_begins(thread, process, registers),
        };
        match next.unwrap_or(Next::Kernel) {
            Next::Kernel => self.resume(thread, Until::Event, 0),
            Next::Answer(result) => {
                registers.answer(result);
                self.set_registers(thread, &registers)?;
                self.resume(thread, Until::Event, 0)
            }
            Next::Watch(state) => {
                self.set_state(thread, state);
                self.resume(thread, Until::CallEnd, 0)
            }
        }
    }

    /// Calls that do not wait; none: this one does.
    fn other_call(
        &mut self,
        process: pid_t,
        number: i64,
        args: [u64; 6],
    ) -> Option<io::Result<Next>> {
        let Self {
            clock,
            memories,
            timers,
            receive,
            random,
            ..
        } = self;
        let page = &clock.0.page;
        if number == libc::SYS_alarm {
            return Some(Ok(Next::Answer(timers.alarm(process, args[0], page))));
        }
        if number == libc::SYS_timer_delete {
            timers.deleted(process, args[0] as i32);
            return Some(Ok(Next::Kernel));
        }
        let memory = memories.of(process)?;
        let kernel_or = |result: Option<i64>| result.map_or(Next::Kernel, Next::Answer);
        Some(match number {
            libc::SYS_clock_gettime | libc::SYS_gettimeofday | libc::SYS_time => {
                reading(number, args, memory, page).map(Next::Answer)
            }
            libc::SYS_getrandom => {
                let count = usize::try_from(args[1])
                    .unwrap_or(usize::MAX)
                    .min(MOST_RANDOM);
                match random.next(process, count) {
                    Some(bytes) => memory
                        .write(args[0], &bytes)
                        .map(|()| Next::Answer(i64::try_from(bytes.len()).unwrap_or(0))),
                    None => Ok(Next::Kernel),
                }
            }
            libc::SYS_setsockopt => Ok(kernel_or(receive.set(process, args, memory))),
            libc::SYS_timer_create => Ok(Next::Watch(State::CreatingTimer(Creation::read(
                args, memory,
            )))),
            libc::SYS_timer_settime => timers
                .set_posix(process, args, memory, page)
                .map(Next::Answer),
            libc::SYS_timer_gettime => timers
                .get_posix(process, args, memory, page)
                .map(Next::Answer),
            libc::SYS_timerfd_settime => {
                timers.set_file(process, args, memory, page).map(kernel_or)
            }
            libc::SYS_timerfd_gettime => {
                timers.get_file(process, args, memory, page).map(kernel_or)
            }
            libc::SYS_setitimer => {
                let interval = timers.interval(process, Some(args[1]), args[2], memory, page);
                interval.map(Next::Answer)
            }
            libc::SYS_getitimer => {
                let interval = timers.interval(process, None, args[1], memory, page);
                interval.map(Next::Answer)
            }
            _ => return None,
        })
    }

    fn wait_begins(
        &mut self,
        thread: pid_t,
        process: pid_t,
        mut registers: Registers,
    ) -> Result<(), Error> {
        let Self {
            clock,
            memories,
            threads,
            housekeeping,
            ..
        } = self;
        let page = &clock.0.page;
        let (number, args) = (registers.number(), registers.args());
        let memory = memories.of(process);
        let call = memory.and_then(|memory| waits::read(number, args, memory, page));
        let Some(TimedCall { mut wait, without }) = call else {
            return self.resume(thread, Until::Event, 0);
        };
        let Some(tracee) = threads.get_mut(&thread) else {
            return Ok(());
        };
        tracee.count_wait(housekeeping);
        if let Some(restart) = tracee.restart.take()
            && restart.wait.number == number
            && restart.ip == registers.ip()
            && restart.args == args
        {
            wait = restart.wait;
        }
        let left = wait.deadline.instant(page).saturating_sub(page.now());
        let is_sleep = matches!(without, Without::Sleep { .. });
        if left == 0 && (is_sleep || number == libc::SYS_futex) {
            page.add(EXPIRED);
            self.moved = self.moved.saturating_add(EXPIRED);
            registers.answer(waits::result_of(number));
            self.set_registers(thread, &registers)?;
            return self.resume(thread, Until::Event, 0);
        }
        if is_sleep && left <= SHORT_SLEEP {
            tracee.state = State::Held(wait);
            return Ok(());
        }
        tracee.state = State::Waiting(Disarmed {
            wait,
            without,
            args,
            ending: Ending::Open,
        });
        match without {
            Without::Argument(index, value) => registers.set_arg(index, value),
            // The same without any time: signals end it as they end a sleep.
            Without::Sleep { .. } => {
                for index in 0..4 {
                    registers.set_arg(index, 0);
                }
                registers.set_number(libc::SYS_ppoll);
            }
        }
        self.set_registers(thread, &registers)?;
        self.resume(thread, Until::CallEnd, 0)
    }

    /// A call ends whose end is looked at.
    pub(super) fn call_ends(&mut self, thread: pid_t) -> Result<(), Error> {
        let Some(mut registers) = self.registers(thread)? else {
            return Ok(());
        };
        let Some(tracee) = self.threads.get_mut(&thread) else {
            return Ok(());
        };
        let process = tracee.process;
        match tracee.state {
            State::CreatingTimer(creation) => {
                tracee.state = State::Running;
                if registers.result() == 0 {
                    let id = self
                        .memories
                        .of(process)
                        .map(|memory| memory.read(registers.args()[2]));
                    if let Some(Ok(id)) = id {
                        self.timers
                            .created(process, i32::from_ne_bytes(id), creation);
                    }
                }
            }
            State::Waiting(disarmed) => {
                tracee.state = State::Running;
                self.wait_ends(thread, process, &mut registers, &disarmed)?;
                self.set_registers(thread, &registers)?;
            }
            _ => {}
        }
        self.resume(thread, Until::Event, 0)
    }

    fn wait_ends(
        &mut self,
        thread: pid_t,
        process: pid_t,
        registers: &mut Registers,
        disarmed: &Disarmed,
    ) -> Result<(), Error> {
        let Disarmed { wait, args, .. } = disarmed;
        for (index, value) in args.iter().enumerate() {
            registers.set_arg(index, *value);
        }
        registers.set_number(wait.number);
        let rest = wait
            .deadline
            .instant(&self.clock.0.page)
            .saturating_sub(self.clock.0.page.now());
        let is_interrupted = is_interrupted(registers.result());
        let is_over = is_interrupted && disarmed.ending == Ending::Over;
        if is_over {
            registers.set_result(waits::result_of(wait.number));
        } else if is_interrupted {
            self.interrupted(thread, registers, disarmed);
        }
        if let Some(memory) = self.memories.of(process) {
            let written = match disarmed.without {
                _ if is_over => waits::clear(wait.number, *args, memory),
                Without::Sleep { remainder } if is_interrupted && remainder != 0 => {
                    memory.set_time(remainder, rest, Fraction::Nanoseconds)
                }
                _ => Ok(()),
            };
            alive("write the rest of a wait of", thread, forgiving(written))?;
        }
        waits::write_rest(wait.number, *args, rest, process);
        if is_over && let Some(tracee) = self.threads.get(&thread) {
            let reported = tracee.reported(wait);
            self.report(Report::Waited(reported));
        }
        Ok(())
    }

    /// A signal came first: the wait keeps its deadline if it is made again.
    fn interrupted(&mut self, thread: pid_t, registers: &mut Registers, disarmed: &Disarmed) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.restart = Some(Restart {
                ip: registers.ip(),
                args: disarmed.args,
                wait: disarmed.wait,
            });
        }
        let is_final = registers.result() == -i64::from(EINTR);
        if !is_final || matches!(disarmed.without, Without::Sleep { .. }) {
            registers.set_result(ERESTARTNOHAND);
        }
    }
}

/// A program that names memory which it has not is told by the kernel, later
/// and better; one whose memory is gone is gone.
fn forgiving<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|_| io::Error::from_raw_os_error(ESRCH))
}

/// A reading of a clock by way of the kernel: its result.
fn reading(number: i64, args: [u64; 6], memory: &Memory, page: &ClockPage) -> io::Result<i64> {
    match number {
        libc::SYS_clock_gettime => {
            let start = if is_wall(args[0]) {
                page.wall_start()
            } else {
                page.monotonic_start()
            };
            let shown = page.read().wrapping_add(start);
            memory.set_time(args[1], shown, Fraction::Nanoseconds)?;
            Ok(0)
        }
        libc::SYS_gettimeofday => {
            let shown = page.read().wrapping_add(page.wall_start());
            if args[0] != 0 {
                memory.set_time(args[0], shown, Fraction::Microseconds)?;
            }
            if args[1] != 0 {
                memory.write(args[1], &[0; 8])?;
            }
            Ok(0)
        }
        _ => {
            let seconds = page.now().wrapping_add(page.wall_start()) / 1_000_000_000;
            if args[0] != 0 {
                memory.write(args[0], &seconds.to_le_bytes())?;
            }
            Ok(seconds.cast_signed())
        }
    }
}
