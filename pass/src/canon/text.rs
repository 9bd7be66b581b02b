//! Which copies of memory move the characters of a `std::string`.
//!
//! All of them go through `char_traits<char>`, whose functions LLVM inlines: so their copies are marked before it does.

use crate::llvm::{Function, Kind, Module, Value};

/// Attribute of a call that copies characters.
const MARK: &str = "adcc-text";

/// What copies and moves characters, wherever its body comes from.
const COPIES: &[&str] = &["_ZNSt11char_traitsIcE4copyEPcPKcm", "_ZNSt11char_traitsIcE4moveEPcPKcm"];

/// Marks the copies in functions of a module straight from the front end.
pub fn mark(module: Module) {
    COPIES.iter().filter_map(|name| module.function(name)).for_each(mark_copies);
}

/// Marks the copies of a function, if it is one of those.
pub fn mark_model(function: Function, symbol: &str) {
    if COPIES.contains(&symbol) {
        mark_copies(function);
    }
}

fn mark_copies(function: Function) {
    for call in function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|&i| is_copy(i)) {
        call.set_call_string(MARK, "");
    }
}

fn is_copy(v: Value) -> bool {
    let name = || v.called().as_function().map(|f| f.name()).unwrap_or_default();
    v.is_call() && ["llvm.memcpy.", "llvm.memmove."].iter().any(|copy| name().starts_with(copy))
}

/// Whether a call copies characters: one that is marked, or one from a literal. Passes that copy from there at once, past what the
/// characters were in before, leave no mark.
pub fn is_said(v: Value) -> bool {
    is_copy(v) && (v.call_string(MARK).is_some() || is_literal(v.operand(1)))
}

fn is_literal(v: Value) -> bool {
    v.is_global_constant() && {
        let ty = v.global_type();
        ty.kind() == Kind::LLVMArrayTypeKind && ty.element().is_int() && ty.element().int_width() == 8
    }
}
