//! Where a value comes from that only went through stack variables: code at -O0 copies all it
//! passes on.

use crate::llvm::{Intrinsic, Opcode, Value};

/// Copies that are followed.
const MOST_COPIES: usize = 16;

/// What `value` is a copy of: itself where nothing is known.
pub(super) fn origin(value: Value) -> Value {
    let mut at = value;
    for _ in 0..MOST_COPIES {
        match source(at, MOST_COPIES) {
            Some(from) => at = from,
            None => break,
        }
    }
    at
}

/// The same; where it is read from a constant variable or table, what is there.
pub(super) fn constant(value: Value) -> Value {
    let at = origin(value);
    let is_load = at.is_instruction() && at.opcode() == Opcode::LLVMLoad;
    let read = is_load.then(|| element(at.operand(0))).flatten();
    read.filter(|read| read.ty() == at.ty()).unwrap_or(at)
}

/// What is at the address of a constant variable, or of an element of a constant array.
fn element(address: Value) -> Option<Value> {
    let known = |variable: Value| {
        variable
            .initializer()
            .filter(|_| variable.is_global_variable() && variable.is_global_constant())
    };
    // The address of a variable is that of its first element.
    let first = |mut value: Value| {
        while let Some(inner) = value.constant_element(0) {
            value = inner;
        }
        value
    };
    let is_step = match address.const_opcode() {
        Some(op) => op == Opcode::LLVMGetElementPtr,
        None => address.is_instruction() && address.opcode() == Opcode::LLVMGetElementPtr,
    };
    if !is_step {
        return known(address).map(first);
    }
    let table = known(address.operand(0))?;
    let index = |k: u32| address.operand(k as usize).as_int();
    let ty = address.gep_type();
    match address.operand_count() {
        3 if ty == table.ty() && index(1) == Some(0) => {
            table.constant_element(index(2)?.try_into().ok()?).map(first)
        }
        // LLVM's own form: bytes.
        2 if ty.is_int() && ty.int_width() == 8 => {
            let bytes = u64::try_from(index(1)?).ok()?;
            let one = table.constant_element(0).filter(|one| one.ty().is_pointer())?;
            let each = adir::target::pointer();
            let nth = bytes.is_multiple_of(each).then_some(bytes / each)?;
            table.constant_element(nth.try_into().ok()?).filter(|e| e.ty() == one.ty())
        }
        _ => None,
    }
}

/// What a value is a copy of, one step back.
fn source(value: Value, depth: usize) -> Option<Value> {
    if !value.is_instruction() {
        return None;
    }
    match value.opcode() {
        Opcode::LLVMSExt | Opcode::LLVMZExt => Some(value.operand(0)),
        Opcode::LLVMLoad if !value.is_volatile() && !value.is_atomic() => {
            let slot = origin_of_address(value.operand(0), depth)?;
            let mut stored =
                slot.users().into_iter().filter(|u| is_store_to(*u, slot)).map(|s| s.operand(0));
            let first = stored.next()?;
            (first.ty() == value.ty()
                && stored.all(|other| is_same(first, other))
                && is_only_read(slot, depth))
            .then_some(first)
        }
        _ => None,
    }
}

/// Whether two values are the same: one, or loads of one global variable.
fn is_same(a: Value, b: Value) -> bool {
    let global = |v: Value| {
        let is_load = v.is_instruction() && v.opcode() == Opcode::LLVMLoad;
        is_load.then(|| v.operand(0)).filter(|g| g.is_global_variable())
    };
    a == b || global(a).is_some() && global(a) == global(b)
}

/// The stack variable that an address is.
fn origin_of_address(address: Value, depth: usize) -> Option<Value> {
    let mut at = address;
    for _ in 0..depth {
        if !at.is_instruction() {
            return None;
        }
        if at.opcode() == Opcode::LLVMAlloca {
            return Some(at);
        }
        at = source(at, depth - 1)?;
    }
    None
}

fn is_store_to(user: Value, slot: Value) -> bool {
    user.is_instruction() && user.opcode() == Opcode::LLVMStore && user.operand(1) == slot
}

/// Whether nothing but the stores to it changes a stack variable.
fn is_only_read(slot: Value, depth: usize) -> bool {
    slot.users().into_iter().all(|u| is_store_to(u, slot) || reads(u, slot, depth))
}

/// Whether an instruction at most reads what an address leads to.
fn reads(user: Value, address: Value, depth: usize) -> bool {
    if !user.is_instruction() || depth == 0 {
        return false;
    }
    match user.opcode() {
        Opcode::LLVMLoad => true,
        // The address is copied to another variable: what is done with its copies counts.
        Opcode::LLVMStore if user.operand(0) == address => {
            let slot = user.operand(1);
            let is_variable = slot.is_instruction() && slot.opcode() == Opcode::LLVMAlloca;
            let of_copy = |u: Value| match () {
                () if is_store_to(u, slot) => true,
                () if u.is_instruction() && u.opcode() == Opcode::LLVMLoad => {
                    u.users().into_iter().all(|w| reads(w, u, depth - 1))
                }
                () => is_idle(u),
            };
            is_variable && slot.users().into_iter().all(of_copy)
        }
        _ => is_idle(user),
    }
}

/// Whether a call only says something to the compiler.
fn is_idle(user: Value) -> bool {
    let is_call = user.is_instruction() && user.opcode() == Opcode::LLVMCall;
    let is_idle = |i: Intrinsic| i.is_lifetime() || i.is_debug() || i == Intrinsic::Assume;
    is_call && user.intrinsic().is_some_and(is_idle)
}
