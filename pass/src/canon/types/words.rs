//! Words that are loaded once and used as a pointer and as a real, or as a real and as an integer
//! that is shorter: members of a union, of which passes made one register. What a word is, is known
//! of accesses to memory; so each kind gets a load of its own.

use super::integers;
use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// Gives pointers, reals and integers that are the same word loads of their own. Comes after the
/// passes that would make them one again.
pub fn load_apart(module: Module, function: Function) {
    let b = Builder::new(module.context());
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let is_plain = |i: &Value| !i.is_volatile() && !i.is_atomic() && is_word(module, i.ty());
    let loads: Vec<Value> =
        insts.into_iter().filter(|i| i.opcode() == Opcode::LLVMLoad).filter(is_plain).collect();
    for load in loads {
        let all = conversions(module, load);
        let views = || all.iter().copied().chain([load]);
        let is = |kind: fn(Type) -> bool| views().any(|c| kind(c.ty()));
        let is_short = |u: &Value| {
            u.is_instruction() && u.opcode() == Opcode::LLVMTrunc && u.ty().int_width() >= 8
        };
        let short: Vec<Value> = views().flat_map(Value::users).filter(is_short).collect();
        if !is(Type::is_float) || !is(Type::is_pointer) && short.is_empty() {
            continue;
        }
        for part in short {
            b.position_before(load);
            let other = b.load(part.ty(), load.operand(0));
            other.set_alignment(load.alignment().min(other.alignment()));
            part.copy_location(other);
            integers::mark_member(other);
            part.replace_uses(other);
            part.erase();
        }
        // What is stored as a pointer may be the real: it is moved as a word of any kind.
        let is_moved = |user: &Value, view: Value| {
            user.opcode() == Opcode::LLVMStore && user.operand(0) == view && user.operand(1) != view
        };
        let pointers = || views().filter(|view| view.ty().is_pointer());
        let stores: Vec<Value> = pointers()
            .flat_map(|view| view.users().into_iter().filter(move |u| is_moved(u, view)))
            .collect();
        if !stores.is_empty() {
            b.position_before(load);
            let word = b.load(module.size_type(), load.operand(0));
            word.set_alignment(load.alignment());
            load.copy_location(word);
            for store in stores {
                store.set_operand(0, word);
                store.clear_metadata("tbaa");
            }
        }
        for &conversion in &all {
            b.position_before(load);
            let other = b.load(conversion.ty(), load.operand(0));
            other.set_alignment(load.alignment());
            load.copy_location(other);
            if conversion.ty().is_int() {
                integers::mark_member(other);
            }
            if conversion.ty().is_pointer() && is_handed_on(conversion) {
                integers::mark_word(other);
            }
            conversion.replace_uses(other);
        }
        // Those that are made of others come last.
        all.into_iter().rev().for_each(Value::erase);
        load.clear_metadata("tbaa");
        if load.ty().is_pointer() && is_handed_on(load) {
            integers::mark_word(load);
        }
    }
}

/// Whether a value is handed on as it is: where that goes is not looked at.
fn is_handed_on(value: Value) -> bool {
    value.users().into_iter().any(|user| integers::hands_on(user, value))
}

/// What a word is converted to, and that again.
fn conversions(module: Module, load: Value) -> Vec<Value> {
    let mut found: Vec<Value> = vec![];
    let mut work = vec![load];
    while let Some(word) = work.pop() {
        let converts = |u: &Value| {
            use Opcode::*;
            u.is_instruction()
                && matches!(u.opcode(), LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast)
                && is_word(module, u.ty())
        };
        let new = word.users().into_iter().filter(converts).filter(|u| !found.contains(u));
        let new: Vec<Value> = new.collect();
        found.extend(&new);
        work.extend(new);
    }
    found
}

/// Whether a type is that of one word that may be a pointer.
fn is_word(module: Module, ty: Type) -> bool {
    (ty.is_pointer() || ty.is_int() || ty.is_float())
        && module.store_size(ty) == module.alloc_size(module.context().ptr())
}
