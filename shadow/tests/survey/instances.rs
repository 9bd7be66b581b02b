//! Instances of a form: with registers and with memory, masks, broadcasts, rounding of its own,
//! immediates.

use iced_x86::{
    Code, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpCodeOperandKind,
    OpKind, Register, RoundingControl,
};

use super::{frame::MEMORY, processor};

/// Registers of general operands, by the operand's number. RAX, RCX and RDX are those that some
/// forms name themselves, RDI leads to the frame.
const GENERAL: [Register; 4] = [Register::RBX, Register::RSI, Register::R8, Register::R9];
/// The register of indices of gathers and scatters.
pub const INDEX: u32 = 7;
/// The mask register.
pub const MASK: Register = Register::K1;

fn general(n: usize, size: usize) -> Register {
    let whole = GENERAL[n];
    match size {
        1 => [Register::BL, Register::SIL, Register::R8L, Register::R9L][n],
        2 => [Register::BX, Register::SI, Register::R8W, Register::R9W][n],
        4 => whole.full_register32(),
        _ => whole,
    }
}

/// The register of an operand, and whether memory may stand there.
fn register(kind: OpCodeOperandKind, n: u32) -> Option<(Register, bool)> {
    use OpCodeOperandKind as K;
    let of = |size| general(n as usize, size);
    Some(match kind {
        K::mm_or_mem => (Register::MM1 + n, true),
        K::xmm_or_mem => (Register::XMM1 + n, true),
        K::ymm_or_mem => (Register::YMM1 + n, true),
        K::zmm_or_mem => (Register::ZMM1 + n, true),
        K::k_or_mem => (Register::K2 + n, true),
        K::r8_or_mem => (of(1), true),
        K::r16_or_mem => (of(2), true),
        K::r32_or_mem => (of(4), true),
        K::r64_or_mem => (of(8), true),
        K::mm_reg | K::mm_rm => (Register::MM1 + n, false),
        K::xmm_reg | K::xmm_rm | K::xmm_vvvv | K::xmm_is4 => (Register::XMM1 + n, false),
        K::ymm_reg | K::ymm_rm | K::ymm_vvvv | K::ymm_is4 => (Register::YMM1 + n, false),
        K::zmm_reg | K::zmm_rm | K::zmm_vvvv => (Register::ZMM1 + n, false),
        // The first of four.
        K::zmmp3_vvvv => (Register::ZMM4, false),
        K::k_reg | K::k_rm | K::k_vvvv => (Register::K2 + n, false),
        // The first of two: its number is even.
        K::kp1_reg => (Register::K2, false),
        K::r8_reg | K::r8_opcode => (of(1), false),
        K::r16_reg | K::r16_rm | K::r16_opcode => (of(2), false),
        K::r32_reg | K::r32_rm | K::r32_opcode | K::r32_vvvv => (of(4), false),
        K::r64_reg | K::r64_rm | K::r64_opcode | K::r64_vvvv => (of(8), false),
        K::seg_rSI | K::es_rDI | K::seg_rDI => (Register::None, true),
        K::al => (Register::AL, false),
        K::cl => (Register::CL, false),
        K::ax => (Register::AX, false),
        K::dx => (Register::DX, false),
        K::eax => (Register::EAX, false),
        K::rax => (Register::RAX, false),
        K::mem
        | K::mem_vsib32x
        | K::mem_vsib64x
        | K::mem_vsib32y
        | K::mem_vsib64y
        | K::mem_vsib32z
        | K::mem_vsib64z => (Register::None, true),
        _ => return None,
    })
}

fn immediate(kind: OpCodeOperandKind) -> Option<OpKind> {
    use OpCodeOperandKind as K;
    Some(match kind {
        K::imm8 | K::imm8_const_1 => OpKind::Immediate8,
        K::imm8sex16 => OpKind::Immediate8to16,
        K::imm8sex32 => OpKind::Immediate8to32,
        K::imm8sex64 => OpKind::Immediate8to64,
        K::imm16 => OpKind::Immediate16,
        K::imm32 => OpKind::Immediate32,
        K::imm32sex64 => OpKind::Immediate32to64,
        K::imm64 => OpKind::Immediate64,
        _ => return None,
    })
}

fn index(kind: OpCodeOperandKind) -> Option<Register> {
    use OpCodeOperandKind as K;
    match kind {
        K::mem_vsib32x | K::mem_vsib64x => Some(Register::XMM0 + INDEX),
        K::mem_vsib32y | K::mem_vsib64y => Some(Register::YMM0 + INDEX),
        K::mem_vsib32z | K::mem_vsib64z => Some(Register::ZMM0 + INDEX),
        _ => None,
    }
}

/// Memory where a register points that the form names.
fn pointed(kind: OpCodeOperandKind) -> Option<OpKind> {
    match kind {
        OpCodeOperandKind::seg_rSI => Some(OpKind::MemorySegRSI),
        OpCodeOperandKind::es_rDI => Some(OpKind::MemoryESRDI),
        OpCodeOperandKind::seg_rDI => Some(OpKind::MemorySegRDI),
        _ => None,
    }
}

/// The form with registers or with memory; none if it has no such operand, or one of another kind.
fn plain(code: Code, memory: bool, value: u64) -> Option<Instruction> {
    let mut i = Instruction::default();
    i.set_code(code);
    let (mut has_memory, mut has_immediate) = (false, false);
    for (k, &kind) in code.op_code().op_kinds().iter().enumerate() {
        let n = k as u32;
        if let Some(immediate) = immediate(kind) {
            // Two of them: a field's length and where it begins.
            if std::mem::replace(&mut has_immediate, true) {
                i.set_op_kind(n, OpKind::Immediate8_2nd);
                i.set_immediate8_2nd(value as u8);
                continue;
            }
            i.set_op_kind(n, immediate);
            let value = if kind == OpCodeOperandKind::imm8_const_1 { 1 } else { value };
            match immediate {
                OpKind::Immediate8 => i.set_immediate8(value as u8),
                OpKind::Immediate16 => i.set_immediate16(value as u16),
                OpKind::Immediate32 => i.set_immediate32(value as u32),
                OpKind::Immediate64 => i.set_immediate64(value),
                OpKind::Immediate8to16 => i.set_immediate8to16(value as i8 as i16),
                OpKind::Immediate8to32 => i.set_immediate8to32(value as i8 as i32),
                OpKind::Immediate8to64 => i.set_immediate8to64(value as i8 as i64),
                _ => i.set_immediate32to64(value as i32 as i64),
            }
            continue;
        }
        let (register, may_be_memory) = register(kind, n)?;
        if may_be_memory && (memory || register == Register::None) {
            has_memory = true;
            if let Some(kind) = pointed(kind) {
                i.set_op_kind(n, kind);
                continue;
            }
            i.set_op_kind(n, OpKind::Memory);
            i.set_memory_base(Register::RDI);
            i.set_memory_displacement64(MEMORY as u64);
            i.set_memory_displ_size(8);
            if code.mnemonic() == Mnemonic::Lea {
                i.set_memory_base(Register::RSI);
                i.set_memory_index(Register::R8);
            }
            if let Some(index) = index(kind) {
                i.set_memory_index(index);
                i.set_memory_index_scale(code.op_code().memory_size().element_size().max(4) as u32);
            }
        } else {
            i.set_op_kind(n, OpKind::Register);
            i.set_op_register(n, register);
        }
    }
    (has_memory == memory).then_some(i)
}

/// The same with the second byte of a register, if the first operand is the first one of RBX. (A
/// divisor has its place.)
fn second_bytes(plain: &Instruction) -> Option<Instruction> {
    if plain.op0_register() != Register::BL
        || matches!(plain.mnemonic(), Mnemonic::Div | Mnemonic::Idiv)
    {
        return None;
    }
    let mut i = *plain;
    i.set_op0_register(Register::BH);
    // SIL has a prefix with which there are no second bytes.
    (1..i.op_count())
        .filter(|&k| plain.op_register(k) == Register::SIL)
        .for_each(|k| i.set_op_register(k, Register::DH));
    Some(i)
}

/// All instances of a form that has no operands but registers, memory and immediates.
pub fn instances(code: Code, immediates: &[u64]) -> Vec<Instruction> {
    let form = code.op_code();
    let has_immediate = form
        .op_kinds()
        .iter()
        .any(|k| immediate(*k).is_some_and(|_| *k != OpCodeOperandKind::imm8_const_1));
    let mut all = Vec::new();
    for &value in &immediates[..if has_immediate { immediates.len() } else { 1 }] {
        for memory in [false, true] {
            let Some(plain) = plain(code, memory, value) else { continue };
            if !processor::runs(&plain) {
                continue;
            }
            let mut with = Vec::new();
            if !form.require_op_mask_register() {
                with.push(plain);
            }
            if form.can_use_op_mask_register() {
                let mut masked = plain;
                masked.set_op_mask(MASK);
                with.push(masked);
                if form.can_use_zeroing_masking()
                    && plain.op0_kind() == OpKind::Register
                    && !plain.op0_register().is_k()
                {
                    masked.set_zeroing_masking(true);
                    with.push(masked);
                }
            }
            if memory && form.can_broadcast() {
                for mut broadcast in with.clone() {
                    broadcast.set_is_broadcast(true);
                    with.push(broadcast);
                }
            }
            with.extend(second_bytes(&plain));
            if form.can_use_rep_prefix() || form.can_use_repne_prefix() {
                for mut repeated in with.clone() {
                    if form.can_use_rep_prefix() {
                        repeated.set_has_rep_prefix(true);
                    } else {
                        repeated.set_has_repne_prefix(true);
                    }
                    with.push(repeated);
                }
            }
            if !memory && form.can_use_rounding_control() {
                for mut rounded in with.clone() {
                    rounded.set_rounding_control(RoundingControl::RoundUp);
                    with.push(rounded);
                }
            } else if !memory && form.can_suppress_all_exceptions() {
                for mut quiet in with.clone() {
                    quiet.set_suppress_all_exceptions(true);
                    with.push(quiet);
                }
            }
            all.extend(with);
        }
    }
    all
}

/// Registers that an instruction may write, and whether it may write memory.
pub fn written(i: &Instruction) -> (Vec<Register>, bool) {
    let writes = |a: OpAccess| {
        matches!(
            a,
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        )
    };
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(i);
    let registers =
        info.used_registers().iter().filter(|u| writes(u.access())).map(|u| u.register()).collect();
    (registers, info.used_memory().iter().any(|m| writes(m.access())))
}

/// Forms of 64-bit mode, but those of encodings that only one coprocessor had.
pub fn forms() -> impl Iterator<Item = Code> {
    Code::values().filter(|c| {
        let form = c.op_code();
        form.is_instruction() && form.mode64() && form.encoding() != EncodingKind::MVEX
    })
}
