//! Uses of a word's bits as a number, and the conditions under which their results are chosen.

use crate::llvm::{Opcode, Value};

/// Whether an instruction takes its operand for a number, of which a real's bits are none.
pub fn is_number(u: Value) -> bool {
    use Opcode::*;
    matches!(
        u.opcode(),
        LLVMSIToFP | LLVMUIToFP | LLVMMul | LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem
    )
}

/// Whether an instruction computes with an integer, and not as code does that changes the sign of a real,
/// puts parts of words together or takes them apart.
pub fn is_arithmetic(u: Value) -> bool {
    use Opcode::*;
    let is_part = |v: Value| {
        v.is_plain_constant()
            || v.is_instruction() && matches!(v.opcode(), LLVMShl | LLVMZExt | LLVMAnd | LLVMXor)
    };
    match u.opcode() {
        LLVMAdd | LLVMSub => true,
        LLVMShl | LLVMLShr | LLVMAShr => !u.operand(1).is_plain_constant(),
        LLVMAnd | LLVMOr | LLVMXor => !is_part(u.operand(0)) && !is_part(u.operand(1)),
        _ => false,
    }
}

/// Whether a call multiplies and adds.
fn is_fused(call: Value) -> bool {
    let called = call.called().as_function().map(|f| f.name()).unwrap_or_default();
    called.starts_with("llvm.fmuladd.") || called.starts_with("llvm.fma.")
}

/// Where a value is computed in advance: the condition under which its result is chosen, and whether
/// that is so where it holds.
pub fn guard(user: Value) -> Option<(Value, bool)> {
    use Opcode::*;
    let mut found = None;
    let mut work = vec![user];
    while let Some(v) = work.pop() {
        for u in v.users() {
            let is_here = u.is_instruction() && u.block() == user.block();
            match u.opcode() {
                LLVMSelect if is_here && u.operand(0) != v && u.operand(1) != u.operand(2) => {
                    let here = (u.operand(0), u.operand(1) == v);
                    if *found.get_or_insert(here) != here {
                        return None;
                    }
                }
                LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSIToFP | LLVMUIToFP | LLVMAdd | LLVMSub
                | LLVMMul | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg
                    if is_here =>
                {
                    work.push(u)
                }
                LLVMCall if is_here && is_fused(u) => work.push(u),
                _ => return None,
            }
        }
    }
    let is_known = |condition: &Value| {
        let is_later = |i: &Value| i == condition || *i == user;
        !condition.is_instruction()
            || condition.block() != user.block()
            || user.block().instructions().iter().find(|i| is_later(i)) == Some(condition)
    };
    found.filter(|(condition, _)| is_known(condition))
}
