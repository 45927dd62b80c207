//! [`ReceiveTimeouts`]: sockets that were given a timeout for reading. The
//! kernel does not know of it; who is blocked in such a read is seen when all
//! is quiet, and the time runs from then.

use std::collections::HashMap;
use std::path::PathBuf;

use libc::pid_t;

use super::memory::{Fraction, Memory};
use super::tracee::{State, Tracee};
use crate::{TimedWait, WaitKind};

const RECEIVE_OPTIONS: [u64; 2] = [20, 66];
/// The last of them counts in 64 bits on every machine, as all do here.
const READS: [i64; 8] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_preadv2,
];

/// A thread that is blocked in a read with a timeout.
#[derive(Clone, Copy, Debug)]
struct Blocked {
    /// How often the thread had run when it was found.
    switches: Option<u64>,
    began: u64,
    timeout: u64,
}

/// Sockets with a timeout for reading, and who waits at them.
#[derive(Debug, Default)]
pub(super) struct ReceiveTimeouts {
    /// By the kernel's name of the socket: several descriptors may be one.
    sockets: HashMap<PathBuf, u64>,
    blocked: HashMap<pid_t, Blocked>,
}

impl ReceiveTimeouts {
    /// setsockopt with a timeout: its result; none: the kernel's to give.
    pub(super) fn set(&mut self, process: pid_t, args: [u64; 6], memory: &Memory) -> Option<i64> {
        let timeout = memory.time(args[3], Fraction::Microseconds).ok()??;
        let socket = socket(process, args[0])?;
        if RECEIVE_OPTIONS.contains(&args[2]) {
            if timeout == 0 {
                self.sockets.remove(&socket);
            } else {
                self.sockets.insert(socket, timeout);
            }
        }
        Some(0)
    }

    /// The read that is over first, and when. `threads` are at rest.
    pub(super) fn first<'a>(
        &mut self,
        threads: impl Iterator<Item = &'a Tracee>,
        now: u64,
    ) -> Option<(u64, pid_t)> {
        if self.sockets.is_empty() {
            return None;
        }
        threads
            .filter(|tracee| tracee.state == State::Running)
            .filter_map(|tracee| {
                let timeout = self.timeout_of(tracee)?;
                let begun = Blocked {
                    switches: tracee.switches,
                    began: now,
                    timeout,
                };
                let blocked = self.blocked.entry(tracee.thread).or_insert(begun);
                if blocked.switches != tracee.switches {
                    *blocked = begun;
                }
                let over = blocked.began.saturating_add(blocked.timeout);
                Some((over, tracee.thread))
            })
            .min()
    }

    fn timeout_of(&self, tracee: &Tracee) -> Option<u64> {
        let (process, thread) = (tracee.process, tracee.thread);
        let call =
            std::fs::read_to_string(format!("/proc/{process}/task/{thread}/syscall")).ok()?;
        let mut words = call.split_ascii_whitespace();
        let number: i64 = words.next()?.parse().ok()?;
        let fd = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        if !READS.contains(&number) {
            return None;
        }
        self.sockets.get(&socket(process, fd)?).copied()
    }

    /// Takes the read of a thread away, for the caller.
    pub(super) fn take(&mut self, tracee: &Tracee) -> Option<TimedWait> {
        let blocked = self.blocked.remove(&tracee.thread)?;
        Some(TimedWait {
            thread: tracee.thread.unsigned_abs(),
            process: tracee.process.unsigned_abs(),
            kind: WaitKind::Receive,
            asked: std::time::Duration::from_nanos(blocked.timeout),
            began: std::time::Duration::from_nanos(blocked.began),
            role: tracee.role,
        })
    }

    /// A thread is gone.
    pub(super) fn forget(&mut self, thread: pid_t) {
        self.blocked.remove(&thread);
    }
}

fn socket(process: pid_t, fd: u64) -> Option<PathBuf> {
    let link = std::fs::read_link(format!("/proc/{process}/fd/{fd}")).ok()?;
    link.to_str()?.starts_with("socket:").then_some(link)
}
