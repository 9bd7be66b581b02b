//! How a derivative's arguments and results meet those of the code that asks for it.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

/// `value` as an argument of type `to`: C promoted small types on their way through `...`. `None` where they do not fit.
pub fn convert(b: &Builder, value: Value, to: Type) -> Option<Value> {
    let from = value.ty();
    if from == to {
        return Some(value);
    }
    if from.is_float() && to.is_float() {
        return Some(b.float_cast(value, to));
    }
    if from.is_int() && to.is_int() && from.int_width() > to.int_width() && from.int_width() <= 32 {
        return Some(b.cast(Opcode::LLVMTrunc, value, to));
    }
    None
}

/// The members of a struct value, laid out in memory as C lays them out and read back as `to` (how the ABI returns
/// such a struct). `None` where the sizes differ.
pub fn reinterpret(module: Module, b: &Builder, members: &[Value], to: Type) -> Option<Value> {
    // Registers hold 8 bytes: three floats come back as two and one.
    let words = |ty| module.alloc_size(ty).div_ceil(8);
    if words(layout(b, members)) != words(to) {
        return None;
    }
    let slot = b.alloca(to, "adjoints");
    store(b, members, slot);
    Some(b.load(to, slot))
}

/// Stores the members where the caller wants them. False where the sizes differ.
pub fn store_at(module: Module, b: &Builder, members: &[Value], at: Value, of: Type) -> bool {
    if module.alloc_size(layout(b, members)) != module.alloc_size(of) {
        return false;
    }
    store(b, members, at);
    true
}

fn layout(b: &Builder, members: &[Value]) -> Type {
    let types: Vec<Type> = members.iter().map(|m| m.ty()).collect();
    b.context().structure(&types)
}

fn store(b: &Builder, members: &[Value], at: Value) {
    let layout = layout(b, members);
    for (i, &m) in members.iter().enumerate() {
        b.store(m, b.member(layout, at, i as u32));
    }
}
