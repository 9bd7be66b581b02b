//! The instructions: all forms with rules, with registers and memory that meet.

use adshadow::rules::{self, Element, Rule};
use iced_x86::{
    Code, ConditionCode, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};

use super::{
    forms::{Numbers, forms, instruction, variants},
    frame::{Frame, MEMORY},
    model::number,
};

pub const GENERAL: [Register; 12] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R14,
    Register::R15,
];

/// Other registers, and another place in the frame.
pub fn varied(i: &Instruction, seeds: &mut Numbers) -> Instruction {
    let mut i = *i;
    // Few of them, so that instructions meet.
    let most =
        if i.encoding() == iced_x86::EncodingKind::EVEX && seeds.next() & 1 == 0 { 32 } else { 6 };
    for k in 0..i.op_count() {
        match i.op_kind(k) {
            OpKind::Register => {
                let r = i.op_register(k);
                let n = seeds.next() as u32 % most;
                let new = if r.is_xmm() {
                    Register::XMM0 + n
                } else if r.is_ymm() {
                    Register::YMM0 + n
                } else if r.is_zmm() {
                    Register::ZMM0 + n
                } else if r.is_gpr32() {
                    GENERAL[n as usize % GENERAL.len()].full_register32()
                } else if r.is_gpr64() {
                    GENERAL[n as usize % GENERAL.len()]
                } else {
                    r
                };
                i.set_op_register(k, new);
            }
            OpKind::Memory => {
                i.set_memory_base(Register::RDI);
                i.set_memory_displacement64(MEMORY as u64 + 64 * (seeds.next() % 4));
                i.set_memory_displ_size(8);
            }
            _ => {}
        }
    }
    i
}

/// Instructions on general registers whose forms are tried.
pub fn is_integer(code: Code) -> bool {
    use Mnemonic::*;
    matches!(
        code.mnemonic(),
        And | Or
            | Xor
            | Not
            | Andn
            | Shl
            | Shr
            | Sar
            | Rol
            | Ror
            | Rorx
            | Shlx
            | Shrx
            | Sarx
            | Mov
            | Movzx
            | Movsx
            | Movsxd
            | Xchg
            | Xadd
            | Cmpxchg
            | Bswap
            | Add
            | Sub
            | Neg
            | Imul
            | Inc
            | Dec
            | Adc
            | Sbb
            | Popcnt
            | Cmp
            | Test
            | Cmovb
            | Cmovae
            | Cmove
            | Cmovne
            | Cmovs
            | Cmovg
            | Cmovle
            | Movbe
            | Movnti
    ) && code.op_code().mode64()
        && !code.op_code().op_kinds().is_empty()
}

pub fn all_forms() -> Vec<Instruction> {
    let vectors =
        |r: Rule| !matches!(r, Rule::Refused(_) | Rule::X87(_) | Rule::Control | Rule::Unknown);
    let mut all = variants(&[0, 0x1b, 0xca], vectors);
    // MMX leaves the unit's stack in another state.
    all.retain(|i| {
        !(0..i.op_count()).any(|k| i.op_register(k).is_mm()) && i.mnemonic() != Mnemonic::Movntdqa
    });
    for code in forms().filter(|c| is_integer(*c)) {
        for memory in [false, true] {
            all.extend([0, 32, 63].iter().filter_map(|&n| instruction(code, memory, n)));
        }
    }
    all
}

/// Flags that an instruction leaves undefined differ from run to run.
pub fn undefined(i: &Instruction) -> u64 {
    use iced_x86::RflagsBits as R;
    let bits =
        [(R::CF, 1), (R::PF, 4), (R::AF, 0x10), (R::ZF, 0x40), (R::SF, 0x80), (R::OF, 0x800)];
    bits.iter().filter(|(r, _)| i.rflags_undefined() & r != 0).map(|(_, b)| b).sum()
}

pub fn element_of(i: &Instruction) -> Element {
    let is_double = format!("{:?}", i.mnemonic()).ends_with('d')
        || matches!(rules::rule(i.code()).form(), Some(f) if f.element == Element::F64);
    if is_double { Element::F64 } else { Element::F32 }
}

/// Forms whose dots depend on more than operands: values and flags are compared, dots by other
/// tests.
pub fn is_elsewhere(i: &Instruction) -> bool {
    i.condition_code() != ConditionCode::None
        || matches!(i.mnemonic(), Mnemonic::Xchg | Mnemonic::Cmpxchg | Mnemonic::Xadd)
}

/// Dots of whatever an instruction touches become zero.
pub fn calm(i: &Instruction, dots: &mut Frame) {
    let mut factory = InstructionInfoFactory::new();
    for used in factory.info(i).used_registers() {
        let r = used.register();
        if used.access() == OpAccess::None {
            continue;
        }
        if r.is_vector_register() {
            dots.vectors[r.number()] = [0; 64];
        } else if r.is_gpr() {
            dots.general[number(r)] = 0;
        }
    }
    if i.memory_base() == Register::RDI {
        dots.memory.fill(0);
    }
}
