//! Variables in which words begin where they begin in the memory that they are copied from and to.
//!
//! Passes make variables of parts of structs: what follows an integer of four bytes begins in the
//! middle of a word, and the variable has no more alignment than that. Copies of which no type is
//! known move shadows word by word, and find no words there (runtime/src/untyped.rs). Such a variable
//! becomes one whose words are aligned, and begins as far behind the start of one as the part did.

use crate::llvm::{Builder, Function, Module, Opcode, TypeKind, Value};
use adir::target;

/// Aligns the words of the variables of a canonical copy.
pub fn align_words(module: Module, function: Function) {
    if target::pointer() != 8 {
        return;
    }
    let is_loose = |v: &Value| {
        v.opcode() == Opcode::LLVMAlloca && v.operand(0).as_int() == Some(1) && v.alignment() < 8
    };
    let first = function.blocks()[0].instructions();
    let mut loose: Vec<Value> = first
        .into_iter()
        .filter(|v| is_loose(v) && module.alloc_size(v.allocated_type()) >= target::pointer())
        .collect();
    // What is aligned tells where words of others begin.
    loop {
        let count = loose.len();
        loose.retain(|&variable| {
            let Some(at) = word_offset(variable) else { return true };
            align(module, variable, at);
            false
        });
        if loose.len() == count {
            return;
        }
    }
}

/// How far behind the start of a word a variable begins, if all that is copied there from elsewhere,
/// or from there, and begins or ends in a place that is known, says the same.
fn word_offset(variable: Value) -> Option<u64> {
    let mut found = None;
    for (pointer, at) in pointers(variable) {
        for copy in pointer.users().into_iter().filter(|u| is_copy(*u)) {
            for (own, other) in [(0, 1), (1, 0)] {
                let place = || place_in_word(copy, other);
                let Some(place) = (copy.operand(own) == pointer).then(place).flatten() else {
                    continue;
                };
                let start = (place - at).rem_euclid(8) as u64;
                if found.is_some_and(|known| known != start) {
                    return None;
                }
                found = Some(start);
            }
        }
    }
    found
}

/// An address and those at constant distances from it.
fn pointers(variable: Value) -> Vec<(Value, i64)> {
    let mut all = vec![(variable, 0)];
    let mut next = 0;
    while next < all.len() {
        let steps = all[next]
            .0
            .users()
            .into_iter()
            .filter(|u| u.is_instruction() && u.opcode() == Opcode::LLVMGetElementPtr);
        let steps: Vec<(Value, i64)> = steps
            .map(|u| (u, u.base()))
            .filter(|(_, (base, _))| *base == variable)
            .map(|(u, (_, at))| (u, at))
            .collect();
        all.extend(steps);
        next += 1;
    }
    all
}

fn is_copy(user: Value) -> bool {
    user.is_instruction() && user.intrinsic().is_some_and(|i| i.is_memcpy() || i.is_memmove())
}

/// Where in a word argument `i` of a copy begins, if that is known.
fn place_in_word(copy: Value, i: usize) -> Option<i64> {
    if copy.call_alignment(i) >= 8 {
        return Some(0);
    }
    let (base, at) = copy.operand(i).base();
    if !base.is_instruction() || base.opcode() != Opcode::LLVMAlloca {
        return Some((at - aligned_access(base)?).rem_euclid(8));
    }
    (base.alignment() >= 8).then(|| at.rem_euclid(8))
}

/// How far behind an address something is accessed that begins at the start of a word, if anything is.
fn aligned_access(base: Value) -> Option<i64> {
    let is_access = |pointer: Value, user: &Value| match user.opcode() {
        Opcode::LLVMLoad => user.alignment() >= 8,
        Opcode::LLVMStore => user.operand(1) == pointer && user.alignment() >= 8,
        _ => false,
    };
    let accesses = |&(pointer, _): &(Value, i64)| {
        pointer.users().into_iter().any(|u| u.is_instruction() && is_access(pointer, &u))
    };
    pointers(base).into_iter().find(accesses).map(|(_, at)| at)
}

/// Makes a variable begin `at` bytes behind the start of a word.
fn align(module: Module, variable: Value, at: u64) {
    if at == 0 {
        variable.set_alignment(8);
        return;
    }
    let context = module.context();
    let ty = variable.allocated_type();
    let is_of_bytes = ty.kind() == TypeKind::LLVMArrayTypeKind && ty.element() == context.int(8);
    if !is_of_bytes {
        return;
    }
    let builder = Builder::new(context);
    builder.position_before(variable);
    let whole = builder.alloca(context.int(8).array(at + ty.array_length()), "");
    whole.set_alignment(8);
    let part = builder.byte_offset(whole, context.int(64).int(at));
    let is_mark = |u: &Value| u.is_instruction() && u.intrinsic().is_some_and(|i| i.is_lifetime());
    for mark in variable.users().into_iter().filter(is_mark) {
        mark.set_operand(0, whole);
    }
    variable.replace_uses(part);
    variable.erase();
}
