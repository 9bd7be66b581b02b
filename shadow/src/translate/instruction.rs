//! Questions about one instruction, which several parts of the translator ask.

use iced_x86::{Code, Instruction, Mnemonic, OpAccess, OpKind, Register};

use crate::machine::word;

/// Whether an instruction asks the kernel: by `syscall`, or by the interrupt that is Linux's on
/// i386.
pub fn is_system_call(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Syscall
        || !word::IS_64 && instruction.code() == Code::Int_imm8 && instruction.immediate8() == 0x80
}

/// Instructions that write or read all vector registers.
pub fn touches_all_vectors(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Vzeroupper
            | Vzeroall
            | Xsave
            | Xsave64
            | Xsavec
            | Xsavec64
            | Xsaveopt
            | Xsaveopt64
            | Fxsave
            | Fxsave64
            | Xrstor
            | Xrstor64
            | Fxrstor
            | Fxrstor64
    )
}

/// Whether a register is only part of an address at which an instruction touches memory.
pub fn is_address(i: &Instruction, register: Register) -> bool {
    if i.mnemonic() == Mnemonic::Lea {
        return false;
    }
    let is = |r: Register| r != Register::None && r.full_register() == register.full_register();
    (is(i.memory_base()) || is(i.memory_index()))
        && !(0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Register && is(i.op_register(k)))
}

/// Whether a register is the second byte of another.
pub fn is_second_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

/// Whether what an instruction stores are doubles.
pub fn is_double_store(i: &Instruction) -> bool {
    use Mnemonic::*;
    let is_of = matches!(
        i.mnemonic(),
        Movsd | Movlpd | Movhpd | Movupd | Vmovsd | Vmovlpd | Vmovhpd | Vmovupd
    );
    is_of && !i.is_string_instruction() && i.op0_kind() == OpKind::Memory
}

/// Whether an access may write.
pub fn writes(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

/// Whether an access may read.
pub fn reads(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}
