//! Rounding by a large constant: `(x + c) - c` with c = 2^52 or 1.5 * 2^52 for double, where reals
//! lie one whole number apart. Libraries round vectors so. The sum is a function of x that is
//! constant between its jumps: its derivative is zero, not 1.

use crate::llvm::{Intrinsic, Opcode, TypeKind, Unconstrained, Value};

/// Whether a sum or difference is there to round: what it is used for is to take the constant away
/// again, or to look at its bits as an integer.
pub fn is_rounding(sum: Value) -> bool {
    let users = sum.users();
    adds_constant(sum).is_some()
        && !users.is_empty()
        && users.iter().all(|u| match u.operation() {
            Opcode::LLVMBitCast => u.ty().scalar().is_int(),
            Opcode::LLVMFAdd | Opcode::LLVMFSub => {
                adds_constant(*u).is_some_and(|c| adds_constant(sum) == Some(-c))
            }
            _ => false,
        })
}

/// The rounding constant that an instruction adds to its first operand, or to the product of two.
fn adds_constant(inst: Value) -> Option<f64> {
    let is_fma = |call: Value| match call.unconstrained() {
        Some(Unconstrained::Function(name)) => name.starts_with("llvm.fm"),
        _ => matches!(call.intrinsic(), Some(Intrinsic::Fma | Intrinsic::Fmuladd)),
    };
    let (sign, added) = match inst.operation() {
        Opcode::LLVMFAdd => (1.0, 1),
        Opcode::LLVMFSub => (-1.0, 1),
        Opcode::LLVMCall if is_fma(inst) => (1.0, 2),
        _ => return None,
    };
    let first = match inst.ty().scalar().kind() {
        TypeKind::LLVMDoubleTypeKind => 2f64.powi(52),
        TypeKind::LLVMFloatTypeKind => 2f64.powi(23),
        _ => return None,
    };
    let constants = [first, 1.5 * first, -first, -1.5 * first];
    constants.into_iter().find(|&c| inst.operand(added) == inst.ty().real(c)).map(|c| sign * c)
}
