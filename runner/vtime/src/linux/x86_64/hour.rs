//! A program that sleeps for an hour, small enough to carry along: the self-test
//! needs no other.

/// Where the program is mapped, from its first byte.
const BASE: u64 = 0x40_0000;
const HEADER: u16 = 64;
const SEGMENT: u16 = 56;
const SEGMENTS: u16 = 2;

/// Reads the monotonic clock, sleeps, reads it again, and exits with the seconds
/// that passed less those that it slept.
#[rustfmt::skip]
const CODE: &[u8] = &[
    0xbf, 0x01, 0x00, 0x00, 0x00,             // mov edi, CLOCK_MONOTONIC
    0x48, 0x8d, 0x74, 0x24, 0xc0,             // lea rsi, [rsp-64]
    0xb8, 0xe4, 0x00, 0x00, 0x00,             // mov eax, SYS_clock_gettime
    0x0f, 0x05,                               // syscall
    0x48, 0x8d, 0x3d, 0x32, 0x00, 0x00, 0x00, // lea rdi, [rip+hour]
    0x31, 0xf6,                               // xor esi, esi
    0xb8, 0x23, 0x00, 0x00, 0x00,             // mov eax, SYS_nanosleep
    0x0f, 0x05,                               // syscall
    0xbf, 0x01, 0x00, 0x00, 0x00,             // mov edi, CLOCK_MONOTONIC
    0x48, 0x8d, 0x74, 0x24, 0xe0,             // lea rsi, [rsp-32]
    0xb8, 0xe4, 0x00, 0x00, 0x00,             // mov eax, SYS_clock_gettime
    0x0f, 0x05,                               // syscall
    0x48, 0x8b, 0x7c, 0x24, 0xe0,             // mov rdi, [rsp-32]
    0x48, 0x2b, 0x7c, 0x24, 0xc0,             // sub rdi, [rsp-64]
    0x48, 0x2b, 0x3d, 0x07, 0x00, 0x00, 0x00, // sub rdi, [rip+hour]
    0xb8, 0x3c, 0x00, 0x00, 0x00,             // mov eax, SYS_exit
    0x0f, 0x05,                               // syscall
    0x10, 0x0e, 0, 0, 0, 0, 0, 0,             // hour: 3600 seconds
    0, 0, 0, 0, 0, 0, 0, 0,                   // and no nanoseconds
];

/// The program as a file of the format ELF.
pub(crate) fn program() -> Vec<u8> {
    let entry = u64::from(HEADER + SEGMENTS * SEGMENT);
    let length = entry + CODE.len() as u64;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec(); // 64 bits, little-endian
    file.resize(16, 0);
    let half = |file: &mut Vec<u8>, values: &[u16]| {
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    };
    half(&mut file, &[2, 62]); // a fixed place; x86-64
    word(&mut file, &[1]);
    long(&mut file, &[BASE + entry, u64::from(HEADER), 0]);
    word(&mut file, &[0]);
    half(&mut file, &[HEADER, SEGMENT, SEGMENTS, 0, 0, 0]);
    word(&mut file, &[1, 5]); // to be mapped, to be read and executed
    long(&mut file, &[0, BASE, BASE, length, length, 0x1000]);
    word(&mut file, &[0x6474_e551, 6]); // the stack, which holds no code
    long(&mut file, &[0, 0, 0, 0, 0, 16]);
    file.extend(CODE);
    file
}

fn word(file: &mut Vec<u8>, values: &[u32]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn long(file: &mut Vec<u8>, values: &[u64]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use object::read::elf::{ElfFile64, FileHeader};
    use object::{Endianness, Object, elf};

    use super::*;

    #[test]
    fn the_file_is_a_program_that_begins_with_the_code() {
        let file = program();
        let read = ElfFile64::<Endianness>::parse(&*file).unwrap();
        let header = read.elf_header();
        let little = Endianness::Little;
        assert_eq!(header.e_machine.get(little), elf::EM_X86_64);
        assert!(header.is_type_64());
        let at = usize::try_from(read.entry() - BASE).unwrap();
        assert_eq!(&file[at..], CODE);
        assert_eq!(header.program_headers(little, &*file).unwrap().len(), 2);
    }
}
