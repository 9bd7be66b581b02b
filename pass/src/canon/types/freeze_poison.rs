//! Values of reals that nobody asks for get some value.
//!
//! LLVM puts poison where no result depends on it: in elements of constant vectors, in elements
//! that a shuffle leaves open, where a variable is not set on some path. The adjoint of such an
//! element is zero, and its product with another factor's adjoint is that zero times poison, which
//! is poison: from there it would reach derivatives that somebody asks for. Any number will do;
//! this one is within the domain of most functions, and no pole of their derivatives.
//!
//! The other way round, a sweep leaves out stores that it does not need. What is computed from
//! their memory is undefined there, and no call may promise that it is not: LLVM would conclude
//! that the call is never reached.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// What undefined reals become.
const SOME: f64 = 0.5;

/// Leaves no poison and no undefined values among the reals that a canonical copy computes with.
pub fn define(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    for inst in function.blocks().into_iter().flat_map(|b| b.instructions()).collect::<Vec<_>>() {
        builder.position_before(inst);
        match inst.opcode() {
            // What is stored undefined may stay so: memory keeps it, and who reads it reads an
            // undefined value.
            Opcode::LLVMStore | Opcode::LLVMRet => {}
            Opcode::LLVMShuffleVector => shuffle(&builder, inst),
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                operands(&builder, inst, inst.argument_count());
                inst.allow_undefined_arguments();
            }
            Opcode::LLVMLoad => inst.clear_metadata("noundef"),
            _ => operands(&builder, inst, inst.operand_count()),
        }
    }
}

fn operands(builder: &Builder, inst: Value, count: usize) {
    for i in 0..count {
        if let Some(defined) = defined(builder, inst.operand(i)) {
            inst.set_operand(i, defined);
        }
    }
}

fn is_real(ty: Type) -> bool {
    (ty.is_float() || ty.is_vector()) && ty.scalar().is_float()
}

/// A constant without undefined parts; `None` where `v` has none.
fn defined(builder: &Builder, v: Value) -> Option<Value> {
    let ty = v.ty();
    if !is_real(ty) || v.is_instruction() {
        return None;
    }
    if v.is_undef() {
        return Some(ty.real(SOME));
    }
    if !ty.is_vector() {
        return None;
    }
    let mut whole = v;
    for i in 0..ty.vector_length() {
        if v.constant_element(i).is_some_and(Value::is_undef) {
            whole = builder.insert_element(
                whole,
                ty.element().real(SOME),
                builder.context().int(32).int(i.into()),
            );
        }
    }
    (whole != v).then_some(whole)
}

/// Elements that a shuffle leaves open come from a constant, or from the first vector where both
/// are in use.
fn shuffle(builder: &Builder, inst: Value) {
    if !is_real(inst.ty()) {
        return;
    }
    let (x, y) = (inst.operand(0), inst.operand(1));
    let (first, second) = (defined(builder, x).unwrap_or(x), defined(builder, y).unwrap_or(y));
    let count = x.ty().vector_length();
    let other = if y.is_undef() { count } else { 0 };
    let mask = inst.shuffle_mask();
    if first == x && second == y && mask.iter().all(Option::is_some) {
        return;
    }
    let mask: Vec<_> = mask.into_iter().map(|m| Some(m.unwrap_or(other))).collect();
    let whole = builder.shuffle(first, second, &mask);
    inst.replace_uses(whole);
    inst.erase();
}
