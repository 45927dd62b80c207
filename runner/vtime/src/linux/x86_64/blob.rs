//! The clock functions that stand in for the kernel's own: position-independent
//! code that is copied behind them and reads the page of the clock.
//!
//! It knows the page by the eight bytes at its start. A reading is one locked
//! addition, so that no two readings are equal and none needs a stop.

use std::arch::global_asm;

global_asm!(
    ".pushsection .rodata.holdoff_vtime, \"a\"",
    ".balign 16",
    ".globl holdoff_vtime_blob",
    ".hidden holdoff_vtime_blob",
    "holdoff_vtime_blob:",
    "20: .quad 0",
    // long clock_gettime(unsigned id, struct timespec *to)
    ".globl holdoff_vtime_clock_gettime",
    ".hidden holdoff_vtime_clock_gettime",
    "holdoff_vtime_clock_gettime:",
    "mov r8, [rip + 20b]",
    "cmp edi, 16",
    "jae 24f",
    "mov ecx, edi",
    "mov eax, 1",
    "shl eax, cl",
    // REALTIME, its coarse and alarm kin, TAI
    "test eax, 0x921",
    "jnz 22f",
    // MONOTONIC, its raw and coarse kin, BOOTTIME and its alarm
    "test eax, 0x2d2",
    "jz 24f",
    "mov rcx, [r8 + 8]",
    "jmp 23f",
    "22: mov rcx, [r8 + 16]",
    "23: mov rax, [r8 + 24]",
    "lock xadd [r8], rax",
    "add rax, rcx",
    "xor edx, edx",
    "mov ecx, 1000000000",
    "div rcx",
    "mov [rsi], rax",
    "mov [rsi + 8], rdx",
    "xor eax, eax",
    "ret",
    "24: mov edi, edi",
    "mov eax, 228",
    "syscall",
    "ret",
    // int gettimeofday(struct timeval *to, struct timezone *zone)
    ".globl holdoff_vtime_gettimeofday",
    ".hidden holdoff_vtime_gettimeofday",
    "holdoff_vtime_gettimeofday:",
    "test rdi, rdi",
    "jz 25f",
    "mov r8, [rip + 20b]",
    "mov rax, [r8 + 24]",
    "lock xadd [r8], rax",
    "add rax, [r8 + 16]",
    "xor edx, edx",
    "mov ecx, 1000000000",
    "div rcx",
    "mov [rdi], rax",
    "mov rax, rdx",
    "xor edx, edx",
    "mov ecx, 1000",
    "div rcx",
    "mov [rdi + 8], rax",
    "25: test rsi, rsi",
    "jz 26f",
    "mov qword ptr [rsi], 0",
    "26: xor eax, eax",
    "ret",
    // time_t time(time_t *to)
    ".globl holdoff_vtime_time",
    ".hidden holdoff_vtime_time",
    "holdoff_vtime_time:",
    "mov r8, [rip + 20b]",
    "mov rax, [r8]",
    "add rax, [r8 + 16]",
    "xor edx, edx",
    "mov ecx, 1000000000",
    "div rcx",
    "test rdi, rdi",
    "jz 27f",
    "mov [rdi], rax",
    "27: ret",
    // getrandom without the kernel: -ENOSYS, at which callers ask the kernel
    ".globl holdoff_vtime_getrandom",
    ".hidden holdoff_vtime_getrandom",
    "holdoff_vtime_getrandom:",
    "mov rax, -38",
    "ret",
    // One kernel call on behalf of the supervisor, then a stop
    ".globl holdoff_vtime_gadget",
    ".hidden holdoff_vtime_gadget",
    "holdoff_vtime_gadget:",
    "mov rax, r15",
    "syscall",
    "int3",
    ".globl holdoff_vtime_blob_end",
    ".hidden holdoff_vtime_blob_end",
    "holdoff_vtime_blob_end:",
    ".popsection",
);

unsafe extern "C" {
    static holdoff_vtime_blob: u8;
    static holdoff_vtime_clock_gettime: u8;
    static holdoff_vtime_gettimeofday: u8;
    static holdoff_vtime_time: u8;
    static holdoff_vtime_getrandom: u8;
    static holdoff_vtime_gadget: u8;
    static holdoff_vtime_blob_end: u8;
}

/// A function of the kernel's image, and where its replacement is in the blob.
pub(super) struct Replacement {
    /// Its name there.
    pub(super) name: &'static str,
    /// Bytes from the start of the blob.
    pub(super) offset: u64,
}

/// All replacements.
pub(super) fn replacements() -> [Replacement; 4] {
    let of = |name, function: *const u8| Replacement {
        name,
        offset: offset(function),
    };
    [
        of(
            "__vdso_clock_gettime",
            &raw const holdoff_vtime_clock_gettime,
        ),
        of("__vdso_gettimeofday", &raw const holdoff_vtime_gettimeofday),
        of("__vdso_time", &raw const holdoff_vtime_time),
        of("__vdso_getrandom", &raw const holdoff_vtime_getrandom),
    ]
}

/// Where the supervisor's own kernel calls enter.
pub(super) fn gadget() -> u64 {
    offset(&raw const holdoff_vtime_gadget)
}

/// The code, for the clock page at `page`.
pub(super) fn blob(page: u64) -> Vec<u8> {
    let start = &raw const holdoff_vtime_blob;
    let length = usize::try_from(offset(&raw const holdoff_vtime_blob_end))
        .expect("the blob is a few hundred bytes");
    // SAFETY: both symbols are of one section, the second behind the first, and
    // what is between them is initialized and never written.
    let code = unsafe { std::slice::from_raw_parts(start, length) };
    let mut blob = page.to_le_bytes().to_vec();
    blob.extend_from_slice(&code[8..]);
    blob
}

fn offset(of: *const u8) -> u64 {
    let start = &raw const holdoff_vtime_blob;
    (of.addr() - start.addr()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blob_begins_with_the_page_and_ends_with_the_gadgets_stop() {
        let blob = blob(0x1122_3344_5566_7788);
        assert_eq!(blob[..8], 0x1122_3344_5566_7788_u64.to_le_bytes());
        assert_eq!(blob.last(), Some(&0xcc));
        assert!(blob.len() < 512, "it must fit behind the kernel's code");
        assert!(replacements().iter().all(|one| one.offset < gadget()));
    }
}
