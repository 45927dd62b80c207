//! [`Filters`]: which calls of the kernel stop a thread. Arguments are tested,
//! so that most calls, among them every untimed wait, never stop.

use std::collections::BTreeMap;
use std::io;

use libc::*;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, Gt, Le, MaskedEq, Ne};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use crate::Error;

/// Operations of futex that wait: WAIT, WAIT_BITSET, LOCK_PI, WAIT_REQUEUE_PI,
/// LOCK_PI2; and the bits that choose one.
const FUTEX_WAITS: [u64; 5] = [0, 9, 6, 11, 13];
const FUTEX_OPERATION: u64 = 127;

/// Clocks that are replaced; the others count what a process has computed.
const CLOCKS: [u64; 9] = [0, 1, 4, 5, 6, 7, 8, 9, 11];

/// Calls that always stop.
const ALWAYS: [i64; 11] = [
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_time,
    SYS_alarm,
    SYS_timer_create,
    SYS_timer_delete,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
];

/// Calls that stop if this argument, a pointer to a timeout, is not null.
const POINTED: [(i64, u8); 10] = [
    (SYS_ppoll, 2),
    (SYS_select, 4),
    (SYS_pselect6, 4),
    (SYS_epoll_pwait2, 3),
    (SYS_rt_sigtimedwait, 2),
    (SYS_semtimedop, 3),
    (SYS_mq_timedsend, 4),
    (SYS_mq_timedreceive, 4),
    (SYS_futex_waitv, 3),
    (SYS_io_getevents, 4),
];

/// Calls that stop if this argument, in milliseconds, is positive.
const MILLISECONDS: [(i64, u8); 3] = [(SYS_epoll_wait, 3), (SYS_epoll_pwait, 3), (SYS_poll, 2)];

/// Calls that do not exist: io_uring waits inside the kernel, where nothing
/// stops it. Runtimes fall back to epoll.
const DENIED: [i64; 3] = [
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
];

/// Socket options that set a timeout.
const TIMEOUT_OPTIONS: [u64; 4] = [20, 21, 66, 67];

/// Which random bytes are asked for from the supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Randomness {
    /// None.
    Kernel,
    /// All that getrandom gives.
    Seeded,
}

/// Two programs for the kernel: what stops, and what does not exist.
pub(crate) struct Filters {
    stops: BpfProgram,
    denials: BpfProgram,
}

impl Filters {
    pub(crate) fn new(randomness: Randomness) -> Result<Self, Error> {
        let compiled = compile(stops(randomness), SeccompAction::Trace(0)).and_then(|stops| {
            let denied = DENIED.iter().map(|number| (*number, Vec::new())).collect();
            let no_such_call = SeccompAction::Errno(ENOSYS.cast_unsigned());
            Ok(Self {
                stops,
                denials: compile(denied, no_such_call)?,
            })
        });
        compiled.map_err(|error| Error::System {
            attempted: "build the filter of kernel calls",
            source: io::Error::other(error),
        })
    }

    /// Puts the calling thread under the filters, and gives up new privileges,
    /// without which the kernel refuses. Allocates nothing: it is called
    /// between fork and exec.
    pub(crate) fn apply(&self) -> io::Result<()> {
        for program in [&self.denials, &self.stops] {
            apply_filter(program).map_err(|_| io::Error::last_os_error())?;
        }
        Ok(())
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn compile(rules: Rules, action: SeccompAction) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(rules, SeccompAction::Allow, action, TargetArch::x86_64)?.try_into()
}

fn stops(randomness: Randomness) -> Rules {
    let mut rules: Rules = ALWAYS.iter().map(|number| (*number, Vec::new())).collect();
    for (number, arg) in POINTED {
        rules.insert(number, vec![all([is(arg, Qword, Ne, 0)])]);
    }
    for (number, arg) in MILLISECONDS {
        let positive = [
            is(arg, Dword, Gt, 0),
            is(arg, Dword, Le, u64::from(i32::MAX.unsigned_abs())),
        ];
        rules.insert(number, vec![all(positive)]);
    }
    let waits = FUTEX_WAITS.map(|operation| {
        all([
            is(1, Dword, MaskedEq(FUTEX_OPERATION), operation),
            is(3, Qword, Ne, 0),
        ])
    });
    rules.insert(SYS_futex, waits.into());
    rules.insert(
        SYS_clock_gettime,
        CLOCKS.map(|clock| all([is(0, Dword, Eq, clock)])).into(),
    );
    let real = u64::from(ITIMER_REAL.unsigned_abs());
    for number in [SYS_setitimer, SYS_getitimer] {
        rules.insert(number, vec![all([is(0, Dword, Eq, real)])]);
    }
    rules.insert(
        SYS_setsockopt,
        TIMEOUT_OPTIONS
            .map(|option| {
                all([
                    is(1, Dword, Eq, u64::from(SOL_SOCKET.unsigned_abs())),
                    is(2, Dword, Eq, option),
                ])
            })
            .into(),
    );
    if randomness == Randomness::Seeded {
        rules.insert(SYS_getrandom, Vec::new());
    }
    rules
}

fn is(arg: u8, length: SeccompCmpArgLen, operator: SeccompCmpOp, value: u64) -> SeccompCondition {
    SeccompCondition::new(arg, length, operator, value).expect("a call has six arguments")
}

fn all<const N: usize>(conditions: [SeccompCondition; N]) -> SeccompRule {
    SeccompRule::new(conditions.into()).expect("a rule has a condition")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_compile_with_and_without_a_seed() {
        let plain = Filters::new(Randomness::Kernel).unwrap();
        let seeded = Filters::new(Randomness::Seeded).unwrap();
        assert!(seeded.stops.len() > plain.stops.len());
        assert!(plain.stops.len() < 4_096, "the kernel takes no more");
    }
}
