//! Where the exceptions are found that calls hand over (canon/calls/pending/).
//!
//! Such a call returns with a number beside its result: zero, or the kind of an exception. Behind it
//! stands a branch by that number. Where other instructions between them may read memory, or the branch
//! has become something else, nothing is said of the call.

use crate::llvm::{Block, IntPredicate, Opcode, Value};
use adir::target;

/// Blocks between a call and the branch that are looked into.
const MOST_STEPS: usize = 4;

/// The blocks to which the branch behind a call leads if it has handed over an exception.
pub fn blocks_behind(call: Value) -> Option<Vec<Block>> {
    let mut behind: Vec<Value> = match call.is_invoke() {
        true => call.invoke_destinations().0.instructions(),
        false => {
            let all = call.block().instructions();
            all.into_iter().skip_while(|i| *i != call).skip(1).collect()
        }
    };
    for _ in 0..MOST_STEPS {
        let next = behind.last().map(|end| end.successors()).unwrap_or_default();
        let ([next], false) = (&next[..], behind.last().is_some_and(|end| end.is_invoke())) else {
            break;
        };
        behind.pop();
        behind.extend(next.instructions());
    }
    let place = call.operand(call.argument_count().checked_sub(1)?).base();
    // What is handed over: the exception's address, the number, and one that stands for an exception
    // which is kept.
    let word = i64::from(target::pointer_bits()) / 8;
    let is_number = |v: Value| {
        let (base, at) = v.operand(0).base();
        v.opcode() == Opcode::LLVMLoad && (base, at) == (place.0, place.1 + word)
    };
    let is_handed = |v: Value| {
        let (base, at) = v.operand(0).base();
        let within = place.1..place.1 + 3 * word;
        v.opcode() == Opcode::LLVMLoad && base == place.0 && within.contains(&at)
    };
    let (&end, between) = behind.split_last()?;
    if !between.iter().all(|&i| reads_nothing(i) || is_handed(i)) {
        return None;
    }
    let condition = (end.operand_count() > 0).then(|| end.operand(0))?;
    let is_zero = |v: Value| v.as_int() == Some(0);
    let successors = end.successors();
    let (normal, handed): (Vec<_>, Vec<_>) = match end.opcode() {
        Opcode::LLVMBr if successors.len() == 2 && condition.opcode() == Opcode::LLVMICmp => {
            let (left, right) = (condition.operand(0), condition.operand(1));
            let is_test = between.contains(&condition)
                && between.contains(&left)
                && is_number(left)
                && is_zero(right);
            let normal = match condition.int_predicate() {
                IntPredicate::LLVMIntEQ if is_test => 0,
                IntPredicate::LLVMIntNE if is_test => 1,
                _ => return None,
            };
            (vec![successors[normal]], vec![successors[1 - normal]])
        }
        Opcode::LLVMSwitch if between.contains(&condition) && is_number(condition) => {
            let is_normal = |i: usize| end.case(i).is_some_and(is_zero);
            let (normal, handed): (Vec<_>, Vec<_>) =
                (0..successors.len()).partition(|&i| is_normal(i));
            let blocks = |of: Vec<usize>| of.into_iter().map(|i| successors[i]).collect();
            (blocks(normal), blocks(handed))
        }
        _ => return None,
    };
    let is_apart = !normal.is_empty() && handed.iter().all(|b| !normal.contains(b));
    is_apart.then_some(handed)
}

/// Whether an instruction hands an exception over, at the place where a function does so: stores the number
/// of a kind.
pub fn hands_over(inst: Value, place: Value) -> bool {
    inst.opcode() == Opcode::LLVMStore
        && inst.operand(1).base() == (place, i64::from(target::pointer_bits()) / 8)
        && inst.operand(0).as_int() != Some(0)
}

fn reads_nothing(inst: Value) -> bool {
    use Opcode::*;
    matches!(
        inst.opcode(),
        LLVMPHI
            | LLVMGetElementPtr
            | LLVMICmp
            | LLVMFCmp
            | LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMShl
            | LLVMFAdd
            | LLVMFSub
            | LLVMFMul
            | LLVMFDiv
            | LLVMFNeg
            | LLVMSelect
            | LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMSIToFP
            | LLVMUIToFP
            | LLVMFPExt
            | LLVMFPTrunc
            | LLVMExtractValue
            | LLVMFreeze
    )
}
