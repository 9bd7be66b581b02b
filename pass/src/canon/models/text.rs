//! Which copies of memory move the characters of a `std::string`.
//!
//! All of them go through `char_traits<char>`, whose functions LLVM inlines: so their copies are
//! marked before it does. Lengths and capacities are marked as well: a capacity lies in a union
//! with characters, and its type says nothing.

use crate::llvm::{Function, Module, TypeKind, Value};
use adir::library::is_named;

/// Attribute of a call that copies characters.
const MARK: &str = "adcc-text";

/// What copies and moves characters, wherever its body comes from.
const COPIES: &[&str] = &["_ZNSt11char_traitsIcE4copyEPcPKcm", "_ZNSt11char_traitsIcE4moveEPcPKcm"];

/// How the names of the members of `std::string` begin.
const MEMBERS: &[&str] = &[
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
];

/// Marks what functions of a module do to strings, straight from the front end.
pub fn mark(module: Module) {
    module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration())
        .for_each(|f| mark_function(f, &f.name()));
}

/// Marks what a function does to a string, if this is the symbol of one of those.
pub fn mark_function(function: Function, symbol: &str) {
    if COPIES.iter().any(|copy| is_named(symbol, copy)) {
        mark_copies(function);
    } else if is_member(symbol) {
        crate::canon::types::integers::mark_members(function);
    }
}

/// Whether a symbol is that of a member of `std::string`.
pub fn is_member(symbol: &str) -> bool {
    MEMBERS.iter().any(|p| symbol.starts_with(p))
}

fn mark_copies(function: Function) {
    for call in function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|&i| is_copy(i))
    {
        call.set_call_string(MARK, "");
    }
}

fn is_copy(v: Value) -> bool {
    v.is_call() && v.intrinsic().is_some_and(|i| i.is_memcpy() || i.is_memmove())
}

/// Whether a call copies characters: one that is marked, or one from a literal. Passes that copy
/// from there at once, past what the characters were in before, leave no mark.
pub fn is_character_copy(v: Value) -> bool {
    is_copy(v) && (v.call_string(MARK).is_some() || is_literal(v.operand(1)))
}

fn is_literal(v: Value) -> bool {
    v.is_global_constant() && {
        let ty = v.global_type();
        ty.kind() == TypeKind::LLVMArrayTypeKind
            && ty.element().is_int()
            && ty.element().int_width() == 8
    }
}
