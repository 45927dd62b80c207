//! [`Vdso`]: the kernel's clock functions in a process's memory, and how ours
//! take their place.

use std::io;

use libc::pid_t;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol};

use super::super::memory::Memory;
use super::super::page::SIZE as PAGE;
use super::super::ptrace::{self, Change, StopReason, Until};
use super::Registers;
use super::blob;

/// Free space below the stack pointer: the program may use 128 bytes there.
const BELOW_STACK: u64 = 4_096;
/// The opcode of a jump to an address relative to its end, and its length.
const JUMP: u8 = 0xe9;
const JUMP_LENGTH: u64 = 5;
/// The blob begins at a line of the cache.
const LINE: usize = 64;

/// Whether a process's clock functions were replaced.
#[derive(Debug)]
pub(crate) enum Injection {
    /// They read the page.
    Done,
    /// They cannot be: the image is not as expected, or the process cannot open
    /// the page.
    Impossible,
    /// The process is gone, and this is how.
    Lost(Change),
}

/// The image of the kernel's functions in a process that has just begun a new
/// program.
pub(crate) struct Vdso<'a> {
    thread: pid_t,
    memory: &'a Memory,
    registers: Registers,
    base: u64,
    image: Vec<u8>,
}

impl<'a> Vdso<'a> {
    /// The image at `base`; none if it is not there.
    pub(crate) fn read(
        thread: pid_t,
        memory: &'a Memory,
        registers: Registers,
        base: u64,
    ) -> Option<Self> {
        let maps = std::fs::read_to_string(format!("/proc/{thread}/maps")).ok()?;
        let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
        let (from, to) = line.split_whitespace().next()?.split_once('-')?;
        let (from, to) = (hex(from)?, hex(to)?);
        if from != base {
            return None;
        }
        let image = memory
            .read_vec(base, usize::try_from(to - from).ok()?)
            .ok()?;
        Some(Self {
            thread,
            memory,
            registers,
            base,
            image,
        })
    }

    /// Puts our functions in place of the kernel's, reading the page that the
    /// process can open by `path`.
    pub(crate) fn replace(&self, path: &str) -> io::Result<Injection> {
        let Some((at, functions)) = self.place() else {
            return Ok(Injection::Impossible);
        };
        self.memory.write(at, &blob::blob(0))?;
        let page = match self.map(at + blob::gadget(), path)? {
            Ok(page) => page,
            Err(injection) => return Ok(injection),
        };
        self.memory.write(at, &blob::blob(page))?;
        for (function, offset) in functions {
            let from = self.base + function;
            let distance = (at + offset).wrapping_sub(from + JUMP_LENGTH).cast_signed();
            let distance = i32::try_from(distance).map_err(io::Error::other)?;
            let mut jump = vec![JUMP];
            jump.extend_from_slice(&distance.to_le_bytes());
            self.memory.write(from, &jump)?;
        }
        Ok(Injection::Done)
    }

    /// Where the blob goes, and which functions, by their place in the image,
    /// are replaced by what in the blob. None if the image has no room.
    fn place(&self) -> Option<(u64, Vec<(u64, u64)>)> {
        let room = blob::blob(0).len().next_multiple_of(LINE);
        let from = self.image.len().checked_sub(room)?;
        if self.image[from..].iter().any(|byte| *byte != 0) {
            return None;
        }
        let elf = ElfFile64::<Endianness>::parse(&*self.image).ok()?;
        let replacements = blob::replacements();
        let functions: Vec<_> = elf
            .dynamic_symbols()
            .filter_map(|symbol| {
                let name = symbol.name().ok()?;
                let found = replacements.iter().find(|one| one.name == name)?;
                Some((symbol.address(), found.offset))
            })
            .collect();
        let has_clock = functions
            .iter()
            .any(|(_, offset)| *offset == replacements[0].offset);
        has_clock.then_some((self.base + from as u64, functions))
    }

    /// Makes the process map the page.
    fn map(&self, gadget: u64, path: &str) -> io::Result<Result<u64, Injection>> {
        let mut call = RemoteCalls {
            vdso: self,
            gadget,
            postponed: Vec::new(),
        };
        let mapped = call.map(path);
        ptrace::set_registers(self.thread, &self.registers)?;
        call.deliver_postponed();
        mapped
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// Kernel calls that a stopped process makes for us.
struct RemoteCalls<'a> {
    vdso: &'a Vdso<'a>,
    gadget: u64,
    /// Signals that came meanwhile.
    postponed: Vec<libc::c_int>,
}

impl RemoteCalls<'_> {
    fn map(&mut self, path: &str) -> io::Result<Result<u64, Injection>> {
        let vdso = self.vdso;
        let text = (vdso.registers.stack() - BELOW_STACK) & !15;
        let mut bytes = path.as_bytes().to_vec();
        bytes.push(0);
        vdso.memory.write(text, &bytes)?;
        let flags = (libc::O_RDWR | libc::O_CLOEXEC).cast_unsigned().into();
        let cwd = i64::from(libc::AT_FDCWD).cast_unsigned();
        let fd = match self.make(libc::SYS_openat, [cwd, text, flags, 0, 0, 0])? {
            Ok(fd) => fd,
            Err(change) => return Ok(Err(Injection::Lost(change))),
        };
        if fd < 0 {
            return Ok(Err(Injection::Impossible));
        }
        let (fd, access) = (fd.cast_unsigned(), libc::PROT_READ | libc::PROT_WRITE);
        let shared = libc::MAP_SHARED.cast_unsigned().into();
        let args = [0, PAGE as u64, access.cast_unsigned().into(), shared, fd, 0];
        let page = self.make(libc::SYS_mmap, args)?;
        let closed = self.make(libc::SYS_close, [fd, 0, 0, 0, 0, 0])?;
        Ok(match (page, closed) {
            (Err(change), _) | (_, Err(change)) => Err(Injection::Lost(change)),
            (Ok(page), _) if page < 0 => Err(Injection::Impossible),
            (Ok(page), _) => Ok(page.cast_unsigned()),
        })
    }

    fn make(&mut self, number: i64, args: [u64; 6]) -> io::Result<Result<i64, Change>> {
        let thread = self.vdso.thread;
        let call = self.vdso.registers.for_call(self.gadget, number, args);
        ptrace::set_registers(thread, &call)?;
        loop {
            ptrace::resume(thread, Until::Event, 0)?;
            match ptrace::next_change(thread)? {
                Change::Stopped(StopReason::Signal(libc::SIGTRAP)) => break,
                Change::Stopped(StopReason::Signal(signal)) => self.postponed.push(signal),
                Change::Stopped(_) => {}
                gone @ Change::Exited(_) => return Ok(Err(gone)),
            }
        }
        Ok(Ok(ptrace::registers(thread)?.result()))
    }

    fn deliver_postponed(&self) {
        for signal in &self.postponed {
            // A process that is gone needs no signal.
            let _ = super::super::signals::send(self.vdso.thread, *signal);
        }
    }
}
