//! Words that are loaded once and used as a pointer and as a real: members of a union, of which
//! passes made one register. What a word is, is known of accesses to memory; so each kind gets a load
//! of its own.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// Gives pointers, reals and integers that are the same word loads of their own. Comes after the
/// passes that would make them one again.
pub fn load_apart(module: Module, function: Function) {
    let b = Builder::new(module.context());
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let is_plain = |i: &Value| !i.is_volatile() && !i.is_atomic() && is_word(module, i.ty());
    for load in insts.into_iter().filter(|i| i.opcode() == Opcode::LLVMLoad).filter(is_plain) {
        let all = conversions(module, load);
        let is = |kind: fn(Type) -> bool| kind(load.ty()) || all.iter().any(|c| kind(c.ty()));
        if !is(Type::is_pointer) || !is(Type::is_float) {
            continue;
        }
        for conversion in all {
            b.position_before(load);
            let other = b.load(conversion.ty(), load.operand(0));
            other.set_alignment(load.alignment());
            other.copy_location(load);
            conversion.replace_uses(other);
        }
        load.clear_metadata("tbaa");
    }
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
