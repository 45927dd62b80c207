//! [`Registers`]: a stopped thread's registers, by what they mean in a call of
//! the kernel.

/// Length of the instruction that enters the kernel.
const ENTRY: u64 = 2;

/// The registers of a stopped thread.
#[derive(Clone, Copy)]
pub(crate) struct Registers(pub(crate) libc::user_regs_struct);

impl Registers {
    /// Number of the kernel call that the thread is in.
    pub(crate) fn number(&self) -> i64 {
        self.0.orig_rax.cast_signed()
    }

    /// Makes the thread call another function.
    pub(crate) fn set_number(&mut self, number: i64) {
        self.0.orig_rax = number.cast_unsigned();
    }

    /// The six arguments.
    pub(crate) fn args(&self) -> [u64; 6] {
        let r = &self.0;
        [r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9]
    }

    /// Replaces one argument.
    pub(crate) fn set_arg(&mut self, index: usize, value: u64) {
        let r = &mut self.0;
        let registers = [
            &mut r.rdi, &mut r.rsi, &mut r.rdx, &mut r.r10, &mut r.r8, &mut r.r9,
        ];
        if let Some(register) = registers.into_iter().nth(index) {
            *register = value;
        }
    }

    /// What the call returned.
    pub(crate) fn result(&self) -> i64 {
        self.0.rax.cast_signed()
    }

    /// Replaces what the call returned.
    pub(crate) fn set_result(&mut self, result: i64) {
        self.0.rax = result.cast_unsigned();
    }

    /// At the entry of a call: it is not made, and returns this.
    pub(crate) fn answer(&mut self, result: i64) {
        self.0.orig_rax = u64::MAX;
        self.set_result(result);
    }

    /// At the end of a call: it is made again.
    pub(crate) fn rewind(&mut self) {
        self.0.rip = self.0.rip.wrapping_sub(ENTRY);
        self.0.rax = self.0.orig_rax;
    }

    /// Where the program goes on.
    pub(crate) fn ip(&self) -> u64 {
        self.0.rip
    }

    /// The stack pointer.
    pub(crate) fn stack(&self) -> u64 {
        self.0.rsp
    }

    /// Registers for a kernel call through the gadget at `gadget`. The number
    /// goes through a register of its own: after exec the kernel overwrites the
    /// one for results.
    pub(crate) fn for_call(&self, gadget: u64, number: i64, args: [u64; 6]) -> Self {
        let mut call = *self;
        call.0.rip = gadget;
        call.0.orig_rax = u64::MAX;
        call.0.rax = number.cast_unsigned();
        call.0.r15 = number.cast_unsigned();
        for (index, value) in args.into_iter().enumerate() {
            call.set_arg(index, value);
        }
        call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank() -> Registers {
        // SAFETY: the structure holds integers only, for which zero is valid.
        Registers(unsafe { std::mem::zeroed() })
    }

    #[test]
    fn arguments_are_those_of_the_kernel_not_of_a_function() {
        let mut registers = blank();
        for index in 0..6 {
            registers.set_arg(index, index as u64 + 1);
        }
        assert_eq!(registers.args(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(registers.0.r10, 4, "a function would use rcx");
        registers.set_arg(6, 9);
        assert_eq!(registers.args(), [1, 2, 3, 4, 5, 6], "there is no seventh");
    }

    #[test]
    fn a_call_is_skipped_or_made_again() {
        let mut registers = blank();
        registers.0.rip = 100;
        registers.set_number(libc::SYS_nanosleep);
        registers.set_result(-4);
        let mut again = registers;
        again.rewind();
        assert_eq!((again.ip(), again.result()), (98, libc::SYS_nanosleep));
        registers.answer(-110);
        assert_eq!((registers.number(), registers.result()), (-1, -110));
    }
}
