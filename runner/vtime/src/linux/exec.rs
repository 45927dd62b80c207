//! A process begins another program: its clock functions are replaced before
//! its first instruction.

use libc::pid_t;

use super::memory::Memory;
use super::ptrace::{self, Change};
use super::supervisor::{Supervisor, alive};
use super::tracee::State;
use super::x86_64::{Injection, Registers, Vdso};
use crate::Error;

/// Entries of the vector that the kernel gives a program.
const AT_IGNORE: u64 = 1;
const AT_RANDOM: u64 = 25;
const AT_SYSINFO_EHDR: u64 = 33;
/// More entries than the kernel ever writes.
const ENTRIES: u64 = 128;
/// More words than arguments and environment can have.
const WORDS: u64 = 1 << 21;

/// Whether the program has begun.
#[derive(Debug)]
pub(super) enum Started {
    Yes,
    /// It is gone, and this is how.
    Lost(Change),
}

/// The entries of the vector that matter here, by their addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Vector {
    /// The entry that names the kernel's functions, and their address.
    vdso: Option<(u64, u64)>,
    /// Sixteen random bytes.
    random: Option<u64>,
}

impl Supervisor {
    /// A thread's process runs a new program; all its other threads are gone.
    pub(super) fn started(&mut self, thread: pid_t) -> Result<Started, Error> {
        let former = alive("ask for the former id of", thread, ptrace::message(thread))?;
        self.threads
            .retain(|id, tracee| tracee.process != thread && Some(*id) != former);
        self.threads.remove(&thread);
        self.adopt(thread, State::Running);
        self.memories.forget(thread);
        self.timers.forget(thread);
        let Some(registers) = self.registers(thread)? else {
            return Ok(Started::Yes);
        };
        let random = self.random.next(thread, 16);
        let path = self.clock.0.page.path();
        let Some(memory) = self.memories.of(thread) else {
            return Ok(Started::Yes);
        };
        let prepared = prepare(thread, memory, registers, random.as_deref(), &path);
        Ok(alive("prepare the program of", thread, prepared)?.unwrap_or(Started::Yes))
    }
}

fn prepare(
    thread: pid_t,
    memory: &Memory,
    registers: Registers,
    random: Option<&[u8]>,
    path: &str,
) -> std::io::Result<Started> {
    let vector = Vector::read(memory, registers.stack())?;
    if let (Some(address), Some(bytes)) = (vector.random, random) {
        memory.write(address, bytes)?;
    }
    let Some((entry, base)) = vector.vdso else {
        return Ok(Started::Yes);
    };
    let replaced = match Vdso::read(thread, memory, registers, base) {
        Some(vdso) => vdso.replace(path)?,
        None => Injection::Impossible,
    };
    match replaced {
        Injection::Done => {}
        Injection::Lost(change) => return Ok(Started::Lost(change)),
        // Without the kernel's functions every reading is a call of the kernel,
        // which the filter stops: slow, and right.
        Injection::Impossible => memory.write(entry, &AT_IGNORE.to_le_bytes())?,
    }
    Ok(Started::Yes)
}

impl Vector {
    /// Reads what lies above the arguments and the environment on a fresh stack.
    fn read(memory: &Memory, stack: u64) -> std::io::Result<Self> {
        let arguments = memory.word(stack)?;
        let mut at = stack + 8 * (arguments.min(WORDS) + 2);
        for _ in 0..WORDS {
            let word = memory.word(at)?;
            at += 8;
            if word == 0 {
                break;
            }
        }
        let mut vector = Self::default();
        for _ in 0..ENTRIES {
            let value = memory.word(at + 8)?;
            match memory.word(at)? {
                0 => break,
                AT_SYSINFO_EHDR => vector.vdso = Some((at, value)),
                AT_RANDOM => vector.random = Some(value),
                _ => {}
            }
            at += 16;
        }
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vector_is_found_behind_arguments_and_environment() {
        let memory = Memory::open(pid_t::try_from(std::process::id()).unwrap()).unwrap();
        let stack: [u64; 15] = [
            2,
            71,
            72,
            0, // arguments
            81,
            0, // environment
            3,
            99,
            AT_RANDOM,
            5_000,
            AT_SYSINFO_EHDR,
            7_000,
            0,
            0,
            0,
        ];
        let at = stack.as_ptr().expose_provenance() as u64;
        let vector = Vector::read(&memory, at).unwrap();
        assert_eq!(vector.random, Some(5_000));
        assert_eq!(vector.vdso, Some((at + 80, 7_000)));
    }
}
