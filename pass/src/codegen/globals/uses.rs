//! What the module does with the addresses of its variables, and with the pointers in them.
//!
//! A request adds code to the function in which it stands, which uses addresses of variables as well:
//! so what the program does is noted before the first request is answered.

use super::holds_pointers;
use crate::{
    annotations::{
        attributes::is_ours,
        visibility::{ACCESSED, ACCESSED_IN_UNIT, LEADS, LEADS_IN_UNIT},
    },
    llvm::{Module, Opcode, Value},
};
use std::collections::BTreeSet;

/// Notes on the variables what [`is_only_accessed`] and [`targets`] find of them now.
pub fn note(module: Module) {
    let own = module.globals().into_iter().filter(|g| g.is_private_global());
    for g in own {
        g.clear_mark(ACCESSED);
        g.clear_mark(LEADS);
        if g.is_global_constant() {
            continue;
        }
        if is_only_accessed(g) {
            g.set_mark(ACCESSED);
        }
        if holds_pointers(module, g)
            && let Some(targets) = targets(g)
        {
            let symbols: Vec<String> = targets.iter().map(|t| t.name()).collect();
            g.set_mark_text(LEADS, &symbols.join("\n"));
        }
    }
}

/// The variables that the pointers in `variable` may lead to, or lead right behind, if the module
/// shows all of them: no other module knows the variable, its address goes nowhere, and what is
/// stored there is made of its own pointers and of addresses of variables.
pub fn targets(variable: Value) -> Option<Vec<Value>> {
    let noted = variable.mark_text(LEADS_IN_UNIT).or_else(|| variable.mark_text(LEADS));
    if let Some(symbols) = noted {
        let module = variable.global_module();
        let stored = symbols.lines().map(|symbol| module.global(symbol));
        let mut found: Vec<Value> = stored.collect::<Option<_>>()?;
        found.extend(variable.named_by_initializer());
        found.sort_unstable();
        found.dedup();
        return Some(found);
    }
    if !variable.is_private_global() || variable.is_thread_local() {
        return None;
    }
    let mut found = variable.named_by_initializer();
    let (mut work, mut stored) = (vec![variable], vec![]);
    while let Some(address) = work.pop() {
        for user in users(address) {
            match opcode(user)? {
                Opcode::LLVMLoad => {}
                Opcode::LLVMStore if user.operand(0) == address => return None,
                Opcode::LLVMStore => stored.push(user.operand(0)),
                Opcode::LLVMGetElementPtr if user.operand(0) == address => work.push(user),
                _ => return None,
            }
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(v) = stored.pop() {
        if !seen.insert(v)
            || v.is_null()
            || v.ty().is_float()
            || v.ty().is_int() && v.ty().int_width() <= 32
        {
            continue;
        }
        if v.is_global_variable() {
            found.push(v);
            continue;
        }
        match opcode(v)? {
            Opcode::LLVMGetElementPtr | Opcode::LLVMFreeze => stored.push(v.operand(0)),
            Opcode::LLVMPHI => stored.extend((0..v.operand_count()).map(|i| v.operand(i))),
            Opcode::LLVMSelect => stored.extend([v.operand(1), v.operand(2)]),
            Opcode::LLVMLoad if v.ty().is_pointer() && base(v.operand(0)) == variable => {}
            _ => return None,
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Whether all that the module does with a variable's address is to load and store there, and no
/// other module knows it: no argument leads there.
pub fn is_only_accessed(variable: Value) -> bool {
    if variable.has_mark(ACCESSED_IN_UNIT) || variable.has_mark(ACCESSED) {
        return true;
    }
    let mut work = vec![variable];
    while let Some(address) = work.pop() {
        for user in users(address) {
            match opcode(user) {
                Some(Opcode::LLVMLoad) => {}
                Some(Opcode::LLVMStore) if user.operand(0) != address => {}
                Some(Opcode::LLVMGetElementPtr) => work.push(user),
                _ => return false,
            }
        }
    }
    variable.is_private_global()
}

/// Who uses an address. What is generated does what the function does that it comes from.
fn users(address: Value) -> impl Iterator<Item = Value> {
    let is_generated = |user: &Value| user.is_instruction() && is_ours(user.block().function());
    address.users().into_iter().filter(move |user| !is_generated(user))
}

/// What an instruction or a constant expression does.
fn opcode(v: Value) -> Option<Opcode> {
    v.const_opcode().or_else(|| v.is_instruction().then(|| v.opcode()))
}

/// The address that others are offsets from.
fn base(mut address: Value) -> Value {
    while opcode(address) == Some(Opcode::LLVMGetElementPtr) {
        address = address.operand(0);
    }
    address
}
