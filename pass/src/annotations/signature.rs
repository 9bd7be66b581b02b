//! How a derivative's arguments and results meet those of the code that asks for it.

use crate::llvm::{Builder, Module, Opcode, Type, Value};
use llvm_sys::LLVMTypeKind;

/// `value` as an argument of type `to`: C promoted small types on their way through `...`. `None`
/// where they do not fit.
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

/// Whether a value of type `ty` may be how the ABI returns a struct of `members`. Registers hold 8
/// bytes: three floats come back as two and one. A struct of one member comes back as that.
pub fn fits(module: Module, ty: Type, members: &[Type]) -> bool {
    if ty.is_void() || !ty.is_sized() {
        return false;
    }
    if let [one] = members {
        return only_member(ty) == *one;
    }
    let words = |ty| module.alloc_size(ty).div_ceil(8);
    words(ty) == words(module.context().structure(members))
}

/// The type itself, or what a struct or an array of one member holds.
fn only_member(ty: Type) -> Type {
    match () {
        () if ty.is_struct() && ty.struct_members().len() == 1 => {
            only_member(ty.struct_members()[0])
        }
        () if ty.kind() == LLVMTypeKind::LLVMArrayTypeKind && ty.array_length() == 1 => {
            only_member(ty.element())
        }
        () => ty,
    }
}

/// The members of a struct that a function returned: as a value, or at an address.
pub fn members(
    module: Module,
    b: &Builder,
    returned: Value,
    types: &[Type],
    at_address: bool,
) -> Vec<Value> {
    let layout = module.context().structure(types);
    let at = if at_address {
        returned
    } else if let [one] = types
        && *one == returned.ty()
    {
        return vec![returned];
    } else if types.is_empty() {
        return vec![];
    } else if returned.ty().is_struct() && returned.ty().struct_members() == types {
        return (0..types.len()).map(|i| b.extract(returned, i as u32)).collect();
    } else {
        let slot = slot(b, larger(module, returned.ty(), layout));
        b.store(returned, slot).set_alignment(16);
        slot
    };
    types.iter().enumerate().map(|(i, &ty)| b.load(ty, b.member(layout, at, i as u32))).collect()
}

/// A stack variable in the entry block of the function that `b` fills: in a loop, one for all
/// iterations.
pub fn slot(b: &Builder, ty: Type) -> Value {
    let entry = Builder::new(b.context());
    entry.position_at_start(b.block().function().blocks()[0]);
    let slot = entry.alloca(ty, "adjoints");
    slot.set_alignment(slot.alignment().max(16));
    slot
}

fn larger(module: Module, a: Type, b: Type) -> Type {
    if module.alloc_size(a) >= module.alloc_size(b) { a } else { b }
}
