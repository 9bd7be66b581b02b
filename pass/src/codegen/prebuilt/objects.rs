//! Extents of variables, which the runtime has to know of what machine code may reach.
//!
//! Blocks of the heap it knows itself. Of the stack, code that asks for derivatives and code that
//! is differentiated describe their own variables to it as long as they exist; global variables
//! with shadows are described when a request starts.

use super::{layout, runtime::Runtime};
use crate::{
    image::unit::Unit,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value, Variable},
};
use adir::{Callee, Op, ValueId, foreign};

/// Whether anything in the module may call machine code.
pub fn are_needed(module: Module) -> bool {
    module.global(foreign::LIBRARY).is_some()
}

/// Whether a stack variable may be known to a function that is called.
pub fn is_passed_on(unit: &Unit, variable: ValueId) -> bool {
    let Some(object) = unit.memory.points_to(variable).next() else { return false };
    let is_given = |v: ValueId| {
        let calls = matches!(
            unit.body[v].op,
            Op::Call(Callee::Custom | Callee::Defined | Callee::Indirect | Callee::Unknown)
        );
        calls
            && unit.body[v].operands.iter().any(|&o| unit.memory.points_to(o).any(|p| p == object))
    };
    unit.memory.escapes(object) || unit.body.insts().any(is_given)
}

/// Attribute of a parameter that leads into a variable of the caller: its bytes, and how far into it.
const INTO: &str = "adcc.into";

/// Notes of the parameters of a function into what variables the arguments of its only call lead.
pub fn note_arguments(f: Function, arguments: &[Value]) {
    for (i, argument) in arguments.iter().enumerate().filter(|(_, a)| a.ty().is_pointer()) {
        let Some(variable) = argument.variable() else { continue };
        if let Some(offset) = variable.offset {
            f.add_param_string(i as u32, INTO, &format!("{} {offset}", variable.bytes));
        }
    }
}

/// The variable into which a pointer leads, here or in the caller.
pub fn variable_of(b: &Builder, pointer: Value) -> Option<Variable> {
    let noted = || {
        let f = b.block().function();
        let i = f.params().into_iter().position(|p| p == pointer)?;
        let text = f.param_string(i as u32, INTO)?;
        let (bytes, offset) = text.split_once(' ')?;
        let (bytes, offset) = (bytes.parse().ok()?, offset.parse::<u64>().ok()?);
        let i64 = b.context().int(64);
        let base = b.byte_offset(pointer, i64.int(0u64.wrapping_sub(offset)));
        Some(Variable { base, bytes, offset: Some(offset) })
    };
    pointer.variable().or_else(noted)
}

/// The type of a variable of this function, or a global one.
fn type_of(variable: &Variable) -> Option<Type> {
    let base = variable.base;
    let is_local = base.is_instruction() && base.opcode() == Opcode::LLVMAlloca;
    match base.is_global_variable() {
        true => Some(base.global_type()),
        false => is_local.then(|| base.allocated_type()),
    }
}

/// Tells of the variables into which arguments of a request lead; how many.
pub fn describe_arguments<'v>(
    module: Module,
    b: &Builder,
    pairs: impl Iterator<Item = (&'v Value, &'v Value)>,
) -> u64 {
    let context = module.context();
    let i64 = context.int(64);
    let runtime = Runtime { module, b };
    let number = |v: Value| b.cast(Opcode::LLVMPtrToInt, v, i64);
    let least = |x: Value, y: Value| b.select(b.icmp(IntPredicate::LLVMIntULT, x, y), x, y);
    let mut described = 0;
    for (&primal, &shadow) in pairs.filter(|(p, s)| p.ty().is_pointer() && s.ty().is_pointer()) {
        let (object, beside) = (variable_of(b, primal), variable_of(b, shadow));
        let (Some(object), Some(beside)) = (object, beside) else {
            if let Some(one) = object.or(beside) {
                runtime.extent(one.base, one.bytes);
                described += 1;
            }
            continue;
        };
        // What both have, around what the pointers lead to.
        let at = |pointer: Value, base: Value| b.sub(number(pointer), number(base));
        let (before, before_shadow) = (at(primal, object.base), at(shadow, beside.base));
        let back = least(before, before_shadow);
        let on = least(
            b.sub(i64.int(object.bytes), before),
            b.sub(i64.int(beside.bytes), before_shadow),
        );
        let down = b.sub(i64.zero(), back);
        // Where it begins with the variable, the type says what it holds.
        if let (Some(from), Some(from_shadow)) = (object.offset, beside.offset)
            && from <= from_shadow
        {
            let layout = type_of(&object).and_then(|ty| layout::of_type(module, ty));
            runtime.layout_of_variable(layout.as_ref());
        }
        runtime.object(b.byte_offset(primal, down), b.byte_offset(shadow, down), b.add(back, on));
        described += 1;
    }
    described
}
