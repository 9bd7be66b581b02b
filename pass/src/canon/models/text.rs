//! Which copies of memory move the characters of a `std::string`.
//!
//! All of them go through `char_traits<char>`, whose functions LLVM inlines: so their copies are
//! marked before it does. A single character is loaded and stored there; that becomes a copy again,
//! which is text unless something is known that speaks against it, like all others. Lengths and capacities are marked as well: a capacity lies in a union
//! with characters, and its type says nothing.

use crate::llvm::{Builder, Function, Linkage, Module, Opcode, TypeKind, Value};
use adir::{
    library::{is_named, is_text},
    target,
};

/// Attribute of a call that copies characters.
const MARK: &str = "adcc-text";

/// What copies and moves characters, wherever its body comes from.
const COPIES: &[&str] = &["_ZNSt11char_traitsIcE4copyEPcPKcm", "_ZNSt11char_traitsIcE4moveEPcPKcm"];

/// What copies one character, and the type of these accesses.
const ASSIGNS: &str = "_ZNSt11char_traitsIcE6assignERcRKc";
const CHARACTER: &str = "character";

/// How the names of the members of `std::string` begin.
const MEMBERS: &[&str] = &[
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
];

/// Marks what functions of a module do to strings, straight from the front end. The library has the
/// members of streams; the copies of them that headers bring for the passes go, so that all text of a stream
/// is made by calls.
pub fn mark(module: Module) {
    let is_of_stream = |f: &Function| {
        f.linkage() == Linkage::Elsewhere
            && is_text(&f.name())
            && !super::linked::is_of_string(&f.name())
    };
    module.functions().into_iter().filter(is_of_stream).for_each(Function::delete_body);
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
    } else if is_named(symbol, ASSIGNS) {
        let insts = || function.blocks().into_iter().flat_map(|b| b.instructions());
        insts().filter(|&i| is_byte(i)).for_each(|i| i.set_lone_tbaa_type(CHARACTER));
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

/// Whether a byte is loaded or stored.
fn is_byte(v: Value) -> bool {
    let ty = match v.opcode() {
        Opcode::LLVMLoad => v.ty(),
        Opcode::LLVMStore => v.operand(0).ty(),
        _ => return false,
    };
    ty.is_int() && ty.int_width() == 8
}

/// Makes characters that are loaded and stored at once copies of memory. Comes after the passes that
/// would undo it. Where pointers have four bytes, a copy of which nothing is known is refused, and a
/// byte that is moved is not.
pub fn copy_characters(module: Module, function: Function) {
    if target::pointer() != 8 {
        return;
    }
    let builder = Builder::new(module.context());
    let one = module.context().int(64).int(1);
    let is_character = |v: Value| is_byte(v) && v.tbaa_type().is_some_and(|name| name == CHARACTER);
    let is_moved = |load: Value, store: Value| {
        load.opcode() == Opcode::LLVMLoad
            && store.opcode() == Opcode::LLVMStore
            && store.operand(0) == load
            && is_character(load)
            && is_character(store)
            && load.users().len() == 1
    };
    if !super::bits::may_be(module) {
        mark_sources(function, &is_character);
    }
    let mut moved: Vec<(Value, Value)> = vec![];
    for block in function.blocks() {
        let insts: Vec<Value> = block.instructions().into_iter().collect();
        let pairs = insts.windows(2).map(|pair| (pair[0], pair[1]));
        moved.extend(pairs.filter(|&(load, store)| is_moved(load, store)));
    }
    for (load, store) in moved {
        builder.position_before(store);
        let copy = builder.memcpy(store.operand(1), 1, load.operand(0), 1, one);
        store.copy_location(copy);
        copy.set_call_string(MARK, "");
        store.erase();
        load.erase();
    }
}

/// Marks the bytes that become characters of strings, wherever they were loaded, as integers: no string of the
/// program has bits of reals.
fn mark_sources(function: Function, is_character: &dyn Fn(Value) -> bool) {
    for store in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        if store.opcode() == Opcode::LLVMStore && is_character(store) {
            let byte = store.operand(0);
            if byte.is_instruction() && is_byte(byte) && !is_character(byte) {
                crate::canon::types::integers::mark_member(byte);
            }
        }
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
