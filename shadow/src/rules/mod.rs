//! What each instruction does to shadows.
//!
//! [`rule`] gives the [`Rule`] of a form of an instruction, from tables by mnemonic: the inline
//! emitter, the slow path and the test of completeness read the same. [`tangent`] is what rules
//! mean for dots.
//!
//! **In:** an instruction; values and dots of its operands, as bytes. **Out:** dots of its results,
//! their partials, or a reason why there are none. Nothing here knows of threads, shadow memory or
//! translations.
//!
//! **What must hold:** a zero shadow is inactive. What has no rule for active data is an error at run time when it
//! meets some, never a zero.
//!
//! - [`kinds`] are the rules, `arithmetic`, `moves`, `integers`, `stack` and `general` the tables.
//! - [`tangent`] is for one instruction, with masks (those of integer arithmetic: `masked`; what
//!   that leaves in `elements`), `lanes` for its numbers; [`real`] for numbers, [`bits`] for
//!   bitwise operations and [`power`] for the scaling and cutting that they do, [`extended`] for 80
//!   bits.
//! - [`whole`] tells conversions to integers that round from those that take numbers apart.
//! - [`partials`] are for recordings. [`native`] runs one instruction on data of ours: moves and
//!   conversions of dots are the instruction itself.

mod arithmetic;
pub mod bits;
mod elements;
pub mod extended;
mod general;
pub(crate) mod integer;
mod integers;
pub mod kinds;
mod lanes;
mod masked;
mod moves;
pub mod native;
pub mod partials;
pub mod power;
pub mod real;
mod stack;
pub mod tangent;
pub mod whole;

use iced_x86::{
    Code, CpuidFeature, EncodingKind, Instruction, Mnemonic, OpCodeOperandKind, OpKind,
};

pub use kinds::{Element, Form, Lanes, Rule, Steering, Upper, X87};

/// What a form of an instruction does to shadows.
pub fn rule(code: Code) -> Rule {
    match code.op_code().encoding() {
        EncodingKind::XOP => {
            return Rule::Refused("only discontinued processors have it (XOP)");
        }
        EncodingKind::D3NOW => {
            return Rule::Refused("only discontinued processors have it (3DNow!)");
        }
        EncodingKind::MVEX => {
            return Rule::Refused("only discontinued processors have it (Knights Corner)");
        }
        EncodingKind::Legacy | EncodingKind::VEX | EncodingKind::EVEX => {}
        _ => return Rule::Unknown,
    }
    let features = code.cpuid_features();
    if features.contains(&CpuidFeature::KNC) {
        return Rule::Refused("only discontinued processors have it (Knights Corner)");
    }
    if features.iter().any(|f| matches!(f, CpuidFeature::CYRIX_EMMI | CpuidFeature::CYRIX_FPU)) {
        return Rule::Refused("only discontinued processors have it (Cyrix)");
    }
    if features.contains(&CpuidFeature::AVX512_FP16) {
        return Rule::Refused(integers::HALF);
    }
    // Some mnemonics stand for instructions on strings and on vectors; `general` knows those by
    // their codes.
    general::rule(code)
        .or_else(|| moves_or_compare(code))
        .or_else(|| integers::rule(code.mnemonic()))
        .or_else(|| stack::rule(code.mnemonic()))
        .unwrap_or(Rule::Unknown)
}

fn moves_or_compare(code: Code) -> Option<Rule> {
    moves::rule(code).or_else(|| arithmetic::rule(code.mnemonic()))
}

/// Where a scalar result has the rest of its register from.
pub fn upper(code: Code) -> Upper {
    match code.op_code().encoding() {
        EncodingKind::Legacy | EncodingKind::D3NOW => Upper::Kept,
        _ if matches!(rule(code), Rule::Fma { .. }) => Upper::First,
        _ => Upper::Second,
    }
}

/// Whether an operand is an immediate.
fn is_immediate(kind: OpCodeOperandKind) -> bool {
    use OpCodeOperandKind as K;
    matches!(
        kind,
        K::imm4_m2z
            | K::imm8
            | K::imm8_const_1
            | K::imm8sex16
            | K::imm8sex32
            | K::imm8sex64
            | K::imm16
            | K::imm32
            | K::imm32sex64
            | K::imm64
    )
}

/// The operands that an instruction of arithmetic computes with, by their numbers: the last `count`
/// that are no immediates.
pub fn sources(code: Code, count: usize) -> impl Iterator<Item = usize> {
    let kinds = code.op_code().op_kinds();
    let operands = kinds.iter().filter(|&&k| !is_immediate(k)).count();
    operands.saturating_sub(count)..operands
}

/// Whether the result does not depend on operands: `xorps x, x`, `sub r, r` and the like, by which
/// compilers make constants.
pub fn is_constant(i: &Instruction) -> bool {
    use Mnemonic::*;
    if i.has_op_mask() {
        return false;
    }
    let same = |a: u32, b: u32| {
        i.op_kind(a) == OpKind::Register
            && i.op_kind(b) == OpKind::Register
            && i.op_register(a) == i.op_register(b)
    };
    match i.mnemonic() {
        Xor | Sub | Xorps | Xorpd | Pxor | Pandn | Andnps | Andnpd | Psubb | Psubw | Psubd
        | Psubq | Pcmpeqb | Pcmpeqw | Pcmpeqd | Pcmpeqq | Pcmpgtb | Pcmpgtw | Pcmpgtd | Pcmpgtq => {
            same(0, 1)
        }
        Vxorps | Vxorpd | Vpxor | Vpxord | Vpxorq | Vpandn | Vpandnd | Vpandnq | Vandnps
        | Vandnpd | Vpsubb | Vpsubw | Vpsubd | Vpsubq | Vpcmpeqb | Vpcmpeqw | Vpcmpeqd
        | Vpcmpeqq | Vpcmpgtb | Vpcmpgtw | Vpcmpgtd | Vpcmpgtq | Vp2intersectd | Vp2intersectq => {
            same(1, 2)
        }
        Vpternlogd | Vpternlogq => matches!(i.immediate8(), 0x00 | 0xff),
        _ => false,
    }
}
