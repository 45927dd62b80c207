//! Everything that is the processor's: registers, call numbers in the filter,
//! the machine code that replaces the kernel's own clock functions.

mod blob;
mod filter;
mod hour;
mod registers;
mod vdso;

pub(super) use filter::{Filters, Randomness};
pub(super) use hour::program as hour;
pub(super) use registers::Registers;
pub(super) use vdso::{Injection, Vdso};
