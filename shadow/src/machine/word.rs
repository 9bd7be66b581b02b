//! The machine's word: what x86-64 and i386 have under different names.
//!
//! Addresses and general registers are kept as `u64` everywhere; on i386 their upper halves are
//! zero. Code that is written for the processor takes its registers, operands and encodings of
//! moves from here, so that one text serves both.

use iced_x86::{
    Code, IcedError, Instruction, MemoryOperand, Register,
    code_asm::{AsmMemoryOperand, CodeAssembler, CodeLabel},
};

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::*;
    pub use iced_x86::code_asm::{
        AsmRegister64 as General, qword_ptr as word_ptr, r11 as spare, rax as a, rbp as bp,
        rbx as b, rcx as c, rdi as di, rdx as d, rsi as si, rsp as sp,
    };

    /// Bytes of a word.
    pub const BYTES: usize = 8;
    /// Bytes from one `long double` to the next.
    pub const LONG_DOUBLE: usize = 16;
    /// Bytes below the stack pointer that a leaf function may use.
    pub const RED_ZONE: u64 = 128;
    /// The segment of thread-local storage, where the state is.
    pub const THREAD: Register = Register::FS;
    /// The segment of shadow memory.
    pub const SHADOW: Register = Register::GS;

    /// `mov register, word`.
    pub const LOAD: Code = Code::Mov_r64_rm64;
    /// `mov word, register`.
    pub const STORE: Code = Code::Mov_rm64_r64;
    /// `cmp word, byte`.
    pub const COMPARE: Code = Code::Cmp_rm64_imm8;
    /// A word of a general register, or of memory, to a vector register.
    pub const TO_VECTOR: Code = Code::Movq_xmm_rm64;
    /// And back.
    pub const FROM_VECTOR: Code = Code::Movq_rm64_xmm;

    /// The registers that shadow code names to iced.
    pub const A: Register = Register::RAX;
    /// See above.
    pub const C: Register = Register::RCX;
    /// See above.
    pub const SP: Register = Register::RSP;
    /// See above.
    pub const BP: Register = Register::RBP;

    /// Jumps if the counter is zero: no flag is asked for or changed.
    pub fn jump_if_none(code: &mut CodeAssembler, to: CodeLabel) -> Result<(), IcedError> {
        code.jrcxz(to)
    }
    /// What a register's constant is to iced.
    pub type Immediate = u64;
    /// Saves components of the processor's state.
    pub fn save(code: &mut CodeAssembler, to: AsmMemoryOperand) -> Result<(), IcedError> {
        code.xsave64(to)
    }
    /// Loads them.
    pub fn restore(code: &mut CodeAssembler, from: AsmMemoryOperand) -> Result<(), IcedError> {
        code.xrstor64(from)
    }
    /// Pushes the flags.
    pub fn push_flags(code: &mut CodeAssembler) -> Result<(), IcedError> {
        code.pushfq()
    }
    /// Pops them.
    pub fn pop_flags(code: &mut CodeAssembler) -> Result<(), IcedError> {
        code.popfq()
    }
    /// Jumps to where a word in memory says.
    pub fn jump_through(slot: u64) -> Result<Instruction, IcedError> {
        Instruction::with1(
            Code::Jmp_rm64,
            MemoryOperand::with_base_displ(Register::RIP, slot as i64),
        )
    }

    /// An operand of the thread's storage.
    pub fn of_thread(operand: AsmMemoryOperand) -> AsmMemoryOperand {
        operand.fs()
    }
    /// An operand of shadow memory.
    pub fn in_shadow(operand: AsmMemoryOperand) -> AsmMemoryOperand {
        operand.gs()
    }

    /// All general registers, by number.
    pub const ALL: [General; 16] = {
        use iced_x86::code_asm::*;
        [rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15]
    };
}

#[cfg(target_arch = "x86")]
mod machine {
    use super::*;
    pub use iced_x86::code_asm::{
        AsmRegister32 as General, dword_ptr as word_ptr, eax as a, ebp as bp, ebx as b, ecx as c,
        ecx as spare, edi as di, edx as d, esi as si, esp as sp,
    };

    /// Bytes of a word.
    pub const BYTES: usize = 4;
    /// Bytes from one `long double` to the next.
    pub const LONG_DOUBLE: usize = 12;
    /// Bytes below the stack pointer that a leaf function may use.
    pub const RED_ZONE: u64 = 0;
    /// The segment of thread-local storage, where the state is.
    pub const THREAD: Register = Register::GS;
    /// The segment of shadow memory.
    pub const SHADOW: Register = Register::FS;

    /// `mov register, word`.
    pub const LOAD: Code = Code::Mov_r32_rm32;
    /// `mov word, register`.
    pub const STORE: Code = Code::Mov_rm32_r32;
    /// `cmp word, byte`.
    pub const COMPARE: Code = Code::Cmp_rm32_imm8;
    /// A word of a general register, or of memory, to a vector register.
    pub const TO_VECTOR: Code = Code::Movd_xmm_rm32;
    /// And back.
    pub const FROM_VECTOR: Code = Code::Movd_rm32_xmm;

    /// The registers that shadow code names to iced.
    pub const A: Register = Register::EAX;
    /// See above.
    pub const C: Register = Register::ECX;
    /// See above.
    pub const SP: Register = Register::ESP;
    /// See above.
    pub const BP: Register = Register::EBP;

    /// Jumps if the counter is zero: no flag is asked for or changed.
    pub fn jump_if_none(code: &mut CodeAssembler, to: CodeLabel) -> Result<(), IcedError> {
        code.jecxz(to)
    }
    /// What a register's constant is to iced.
    pub type Immediate = u32;
    /// Saves components of the processor's state.
    pub fn save(code: &mut CodeAssembler, to: AsmMemoryOperand) -> Result<(), IcedError> {
        code.xsave(to)
    }
    /// Loads them.
    pub fn restore(code: &mut CodeAssembler, from: AsmMemoryOperand) -> Result<(), IcedError> {
        code.xrstor(from)
    }
    /// Pushes the flags.
    pub fn push_flags(code: &mut CodeAssembler) -> Result<(), IcedError> {
        code.pushfd()
    }
    /// Pops them.
    pub fn pop_flags(code: &mut CodeAssembler) -> Result<(), IcedError> {
        code.popfd()
    }
    /// Jumps to where a word in memory says.
    pub fn jump_through(slot: u64) -> Result<Instruction, IcedError> {
        Instruction::with1(Code::Jmp_rm32, MemoryOperand::with_displ(slot, BYTES as u32))
    }

    /// An operand of the thread's storage.
    pub fn of_thread(operand: AsmMemoryOperand) -> AsmMemoryOperand {
        operand.gs()
    }
    /// An operand of shadow memory.
    pub fn in_shadow(operand: AsmMemoryOperand) -> AsmMemoryOperand {
        operand.fs()
    }

    /// All general registers, by number.
    pub const ALL: [General; 8] = {
        use iced_x86::code_asm::*;
        [eax, ecx, edx, ebx, esp, ebp, esi, edi]
    };
}

pub use machine::*;

/// Bits of a word: what decoders and encoders are asked for.
pub const BITS: u32 = 8 * BYTES as u32;
/// Whether vector registers and 64-bit operations may be used as the x86-64 emitters do.
pub const IS_64: bool = BYTES == 8;

/// Where the thread's storage is: its first word points to itself.
pub fn thread_pointer() -> u64 {
    let base: usize;
    // SAFETY: so the ABI has it.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!("mov {}, fs:[0]", out(reg) base, options(nostack, readonly, preserves_flags));
        #[cfg(target_arch = "x86")]
        std::arch::asm!("mov {}, gs:[0]", out(reg) base, options(nostack, readonly, preserves_flags));
    }
    base as u64
}

/// Writes a word to memory.
///
/// # Safety
/// It can be written.
pub unsafe fn set(address: u64, word: u64) {
    // SAFETY: by contract.
    unsafe { (address as *mut usize).write_unaligned(word as usize) };
}

/// The word in memory at an address.
///
/// # Safety
/// It can be read.
pub unsafe fn at(address: u64) -> u64 {
    // SAFETY: by contract.
    unsafe { (address as *const usize).read_unaligned() as u64 }
}
