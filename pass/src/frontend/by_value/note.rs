//! Notes on functions straight from clang: which parameters are parts of one argument.
//!
//! Clang stores each parameter to a stack variable of the type that the source gives the argument,
//! first of all and whatever the level; parts of one argument go to one variable. What a function
//! returns in registers it loads from such a variable. The next pass takes the variables away, so
//! what they say is written down.

use super::{Layout, NOTED};
use crate::llvm::{Function, Intrinsic, Module, Opcode, Value};
use adir::target;

/// Notes what the functions of a module take and return by value.
pub fn note(module: Module) {
    if !module.idents().iter().any(|i| i.contains("clang")) {
        return;
    }
    for f in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        if let Some(text) = text(module, f) {
            f.add_attribute_string(NOTED, &text);
        }
    }
}

/// Takes the notes away.
pub fn forget(module: Module) {
    module.functions().into_iter().for_each(|f| f.remove_attribute_string(NOTED));
}

/// The result, then each parameter that starts an argument of several parts, or of another type
/// than its own.
fn text(module: Module, f: Function) -> Option<String> {
    let params = f.params();
    let stack_variables: Vec<Option<Value>> = params.iter().map(|p| stack_variable(*p)).collect();
    let mut parts = vec![result(module, f).unwrap_or_default()];
    let mut i = 0;
    while i < params.len() {
        let count = match stack_variables[i] {
            Some(first) => stack_variables[i..].iter().take_while(|h| **h == Some(first)).count(),
            None => 1,
        };
        let layout = stack_variables[i].and_then(|stack_variable| {
            Layout::of(module, source(module, f, i, stack_variable).allocated_type())
        });
        let layout = layout.filter(|l| !l.is_just(params[i].ty()));
        parts.push(layout.map(|l| l.text(count)).unwrap_or_default());
        parts.extend(std::iter::repeat_n(String::new(), count - 1));
        i += count;
    }
    parts.iter().any(|p| !p.is_empty()).then(|| parts.join(";"))
}

/// The stack variable to which a parameter is stored, if that is all that happens to it.
fn stack_variable(param: Value) -> Option<Value> {
    let users = param.users();
    let [store] = users[..] else { return None };
    if !store.is_instruction() || store.opcode() != Opcode::LLVMStore || store.operand(0) != param {
        return None;
    }
    variable(store.operand(1))
}

/// The stack variable into which an address leads.
fn variable(address: Value) -> Option<Value> {
    let mut at = address;
    while at.is_instruction() && at.opcode() == Opcode::LLVMGetElementPtr {
        at = at.operand(0);
    }
    (at.is_instruction() && at.opcode() == Opcode::LLVMAlloca).then_some(at)
}

/// The variable of the source for the home of parameter `i`. Where registers hold more than the
/// struct, there are two variables, and a copy between them. Parts of a struct never promise to be
/// defined, numbers do: a copy of those is the user's.
fn source(module: Module, f: Function, i: usize, stack_variable: Value) -> Value {
    let size = |v: Value| module.alloc_size(v.allocated_type());
    let copy = || {
        copies(stack_variable)
            .find(|(_, from)| *from == stack_variable)
            .and_then(|(to, _)| variable(to))
    };
    match f.param_has_attribute(i, "noundef") {
        true => stack_variable,
        false => copy().filter(|to| size(*to) < size(stack_variable)).unwrap_or(stack_variable),
    }
}

/// The copies from and to a variable: (to, from).
fn copies(variable: Value) -> impl Iterator<Item = (Value, Value)> {
    let is_copy = |u: &Value| {
        u.is_instruction()
            && u.opcode() == Opcode::LLVMCall
            && u.intrinsic().is_some_and(Intrinsic::is_memcpy)
    };
    variable.users().into_iter().filter(is_copy).map(|c| (c.operand(0), c.operand(1)))
}

/// What is returned in registers, where its type is not what the source calls it.
fn result(module: Module, f: Function) -> Option<String> {
    let ty = f.ty().function_result();
    let returns = f
        .blocks()
        .into_iter()
        .filter_map(|b| b.terminator())
        .filter(|t| t.opcode() == Opcode::LLVMRet);
    let [ret] = returns.collect::<Vec<_>>()[..] else {
        return None;
    };
    if ty.is_void() {
        return None;
    }
    let value = ret.operand(0);
    if !value.is_instruction() || value.opcode() != Opcode::LLVMLoad {
        return None;
    }
    let stack_variable = variable(value.operand(0))?;
    let size = |v: Value| module.alloc_size(v.allocated_type());
    let copy = || {
        copies(stack_variable)
            .find(|(to, _)| *to == stack_variable)
            .and_then(|(_, from)| variable(from))
    };
    let origin = match ty.is_struct() {
        true => copy().filter(|from| size(*from) < size(stack_variable)).unwrap_or(stack_variable),
        false => stack_variable,
    };
    let layout = Layout::of(module, origin.allocated_type())?;
    // A member of a variable that is returned is no struct.
    let whole = module.alloc_size(ty).div_ceil(target::pointer())
        == layout.size.div_ceil(target::pointer());
    (whole && !layout.is_just(ty) && layout.holds_real()).then(|| layout.text(1))
}
