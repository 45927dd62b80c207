//! [`Memory`]: the memory of a traced process.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

use libc::pid_t;

const SECOND: u64 = 1_000_000_000;

/// The memory of a traced process, by the kernel's file of it. It is that of
/// one program: after an exec it must be opened anew.
#[derive(Debug)]
pub(super) struct Memory(File);

/// The memories of all processes of a tree, opened when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Memories(HashMap<pid_t, Memory>);

impl Memories {
    /// The memory of a process; none if it is gone.
    pub(super) fn of(&mut self, process: pid_t) -> Option<&Memory> {
        match self.0.entry(process) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(unknown) => Memory::open(process)
                .ok()
                .map(|memory| &*unknown.insert(memory)),
        }
    }

    /// A process is gone, or runs another program.
    pub(super) fn forget(&mut self, process: pid_t) {
        self.0.remove(&process);
    }
}

/// How the kernel writes the part of a time below a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    /// Nanoseconds: struct timespec.
    Nanoseconds,
    /// Microseconds: struct timeval.
    Microseconds,
}

impl Fraction {
    fn nanoseconds(self) -> u64 {
        match self {
            Self::Nanoseconds => 1,
            Self::Microseconds => 1_000,
        }
    }
}

impl Memory {
    /// The memory of a process.
    pub(super) fn open(process: pid_t) -> io::Result<Self> {
        let path = format!("/proc/{process}/mem");
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map(Self)
    }

    /// Reads bytes.
    pub(super) fn read<const N: usize>(&self, address: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact_at(&mut bytes, address)?;
        Ok(bytes)
    }

    /// Reads so many bytes.
    pub(super) fn read_vec(&self, address: u64, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.0.read_exact_at(&mut bytes, address)?;
        Ok(bytes)
    }

    /// Writes bytes, also where the process itself may not.
    pub(super) fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, address)
    }

    /// Reads a word.
    pub(super) fn word(&self, address: u64) -> io::Result<u64> {
        self.read(address).map(u64::from_le_bytes)
    }

    /// Reads a time in nanoseconds. What the kernel calls invalid, as it does a
    /// negative one, is none.
    pub(super) fn time(&self, address: u64, fraction: Fraction) -> io::Result<Option<u64>> {
        let seconds = self.word(address)?.cast_signed();
        let rest = self.word(address + 8)?;
        let unit = fraction.nanoseconds();
        if rest >= SECOND / unit {
            return Ok(None);
        }
        let Ok(seconds) = u64::try_from(seconds) else {
            return Ok(None);
        };
        Ok(Some(
            seconds.saturating_mul(SECOND).saturating_add(rest * unit),
        ))
    }

    /// Writes a time given in nanoseconds.
    pub(super) fn set_time(&self, address: u64, time: u64, fraction: Fraction) -> io::Result<()> {
        self.write(address, &encoded(time, fraction))
    }
}

fn encoded(time: u64, fraction: Fraction) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&(time / SECOND).to_le_bytes());
    bytes[8..].copy_from_slice(&(time % SECOND / fraction.nanoseconds()).to_le_bytes());
    bytes
}

/// Writes a time where the process itself may write. Elsewhere nothing is
/// written, and nothing is said, as by the kernel: a program may well keep a
/// limit among its constants.
pub(super) fn offer_time(process: pid_t, address: u64, time: u64, fraction: Fraction) {
    let mut bytes = encoded(time, fraction);
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let remote = libc::iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(address as usize),
        iov_len: bytes.len(),
    };
    // SAFETY: `local` names sixteen bytes that live as long as the call, which
    // only reads them; `remote` is of another process.
    unsafe { libc::process_vm_writev(process, &raw const local, 1, &raw const remote, 1, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Memory {
        Memory::open(std::process::id().try_into().unwrap()).unwrap()
    }

    #[test]
    fn times_are_read_as_the_kernel_means_them() {
        let memory = own();
        let at = |time: &[i64; 2], fraction| {
            memory
                .time(time.as_ptr().expose_provenance() as u64, fraction)
                .unwrap()
        };
        assert_eq!(at(&[2, 5], Fraction::Nanoseconds), Some(2_000_000_005));
        assert_eq!(at(&[2, 5], Fraction::Microseconds), Some(2_000_005_000));
        assert_eq!(at(&[-1, 0], Fraction::Nanoseconds), None);
        assert_eq!(at(&[0, 1_000_000_000], Fraction::Nanoseconds), None);
        assert_eq!(at(&[i64::MAX, 0], Fraction::Nanoseconds), Some(u64::MAX));
    }

    #[test]
    fn a_time_is_offered_where_it_may_be_written() {
        let process = std::process::id().try_into().unwrap();
        let (mut time, constant) = ([0_i64; 2], &[7_i64, 7]);
        let address = time.as_mut_ptr().expose_provenance() as u64;
        offer_time(process, address, 2_000_005_000, Fraction::Microseconds);
        assert_eq!(own().word(address).unwrap(), 2);
        assert_eq!(own().word(address + 8).unwrap(), 5);
        let fixed = constant.as_ptr().expose_provenance() as u64;
        offer_time(process, fixed, 1, Fraction::Nanoseconds);
        assert_eq!(own().word(fixed).unwrap(), 7);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        assert!(own().word(8).is_err());
    }
}
