//! The machine's word: what x86-64 and i386 have under different names.
//!
//! Addresses and general registers are kept as `u64` everywhere; on i386 their upper halves are zero. Code that is written for the processor takes its
//! registers, operands and encodings of moves from here, so that one text serves both.

use iced_x86::{Code, Register, code_asm::AsmMemoryOperand};

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::*;
    pub use iced_x86::code_asm::{
        AsmRegister64 as General, qword_ptr as word_ptr, r11 as spare, rax as a, rbp as bp, rbx as b, rcx as c, rdi as di, rdx as d, rsi as si, rsp as sp,
    };

    /// Bytes of a word.
    pub const BYTES: usize = 8;
    /// Bytes below the stack pointer that a leaf function may use.
    pub const RED_ZONE: u64 = 128;
    /// The segment of thread-local storage, where the state is.
    pub const THREAD: Register = Register::FS;
    /// The segment of shadow memory.
    pub const SHADOW: Register = Register::GS;

    /// `mov register, word`.
    pub const LOAD: Code = Code::Mov_r64_rm64;
    /// `cmp word, byte`.
    pub const COMPARE: Code = Code::Cmp_rm64_imm8;
    /// A word of a general register, or of memory, to a vector register.
    pub const TO_VECTOR: Code = Code::Movq_xmm_rm64;
    /// And back.
    pub const FROM_VECTOR: Code = Code::Movq_rm64_xmm;

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
        AsmRegister32 as General, dword_ptr as word_ptr, eax as a, ebp as bp, ebx as b, ecx as c, ecx as spare, edi as di, edx as d, esi as si, esp as sp,
    };

    /// Bytes of a word.
    pub const BYTES: usize = 4;
    /// Bytes below the stack pointer that a leaf function may use.
    pub const RED_ZONE: u64 = 0;
    /// The segment of thread-local storage, where the state is.
    pub const THREAD: Register = Register::GS;
    /// The segment of shadow memory.
    pub const SHADOW: Register = Register::FS;

    /// `mov register, word`.
    pub const LOAD: Code = Code::Mov_r32_rm32;
    /// `cmp word, byte`.
    pub const COMPARE: Code = Code::Cmp_rm32_imm8;
    /// A word of a general register, or of memory, to a vector register.
    pub const TO_VECTOR: Code = Code::Movd_xmm_rm32;
    /// And back.
    pub const FROM_VECTOR: Code = Code::Movd_rm32_xmm;

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

/// An address in shadow memory, or beside: sums of addresses and distances wrap as the machine's do.
pub const fn wrapped(address: u64) -> u64 {
    address as usize as u64
}

/// The word in memory at an address.
///
/// # Safety
/// It can be read.
pub unsafe fn at(address: u64) -> u64 {
    // SAFETY: by contract.
    unsafe { (address as *const usize).read_unaligned() as u64 }
}
