//! Reads of memory that counts as constant and that machine code may have written to: checked at
//! run time.
//!
//! What the user calls constant has no shadow. A library that is given it may find pointers there
//! and leave active values behind them: in a workspace of its own, which is right, or in what code
//! compiled here reads next, as constants. Where a library is given memory itself, the runtime sees
//! that nothing active is left there; behind pointers in it, the code that reads has to ask. So has
//! what reads or writes a variable without shadow that foreign code may access by itself
//! (globals.rs says which of those have one).

use super::runtime::Runtime;
use crate::{
    annotations::registry,
    codegen::{globals, sweep::Sweep},
    image::unit::Unit,
    llvm::{Opcode, Value},
};
use adanalysis::{
    activity::Shadow,
    calls::Caller,
    dependency::Port,
    points_to::{Object, PointsTo},
    summary::Known,
};
use adir::{Callee, Op, Ty, ValueId};
use std::rc::Rc;

/// Emits the check of an instruction of the primal, before it.
pub fn check(sweep: &Sweep, caller: &Caller, v: ValueId) {
    if !caller.context.calls_prebuilt() || !caller.live.is_present(v) {
        return;
    }
    let (body, unit) = (sweep.body(), sweep.unit);
    let i64 = sweep.module.context().int(64);
    let runtime = Runtime { module: sweep.module, b: &sweep.builder };
    let position = || sweep.builder.position_before(sweep.value(v));
    let operands = &body[v].operands;
    let is_without_shadow = |pointer: ValueId| {
        may_be_written(caller, pointer) || is_shared(sweep.unit, caller, pointer)
    };
    let bytes = |o: ValueId| {
        let bytes = sweep.value(o);
        if bytes.ty() == i64 { bytes } else { sweep.builder.cast(Opcode::LLVMZExt, bytes, i64) }
    };
    match &body[v].op {
        Op::Load if reads_reals(sweep, v) && is_without_shadow(operands[0]) => {
            position();
            runtime.constant(sweep.value(operands[0]), i64.int(body[v].bytes));
        }
        // What a library left active there would be so still.
        Op::Store if may_be_real(body[operands[0]].ty) && is_without_shadow(operands[1]) => {
            position();
            runtime.constant_store(sweep.value(operands[1]), i64.int(body[operands[0]].bytes));
        }
        Op::Call(Callee::MemSet) if is_without_shadow(operands[0]) => {
            position();
            runtime.constant_store(sweep.value(operands[0]), bytes(operands[2]));
        }
        Op::Call(Callee::MemCpy | Callee::MemMove)
            if !unit.copies_text(v)
                && (is_without_shadow(operands[0]) || is_without_shadow(operands[1])) =>
        {
            position();
            let bytes = bytes(operands[2]);
            if is_without_shadow(operands[1]) {
                runtime.constant(sweep.value(operands[1]), bytes);
            }
            if is_without_shadow(operands[0]) {
                runtime.constant_store(sweep.value(operands[0]), bytes);
            }
        }
        Op::Call(Callee::Defined) if !caller.activity.is_active_call(v) => {
            let variables = variables_of(sweep.unit, caller, v);
            if !variables.is_empty() {
                position();
                for variable in variables {
                    runtime.constant(
                        variable,
                        i64.int(sweep.module.alloc_size(variable.global_type()).max(8)),
                    );
                }
            }
            let read: Vec<Value> = read_by(caller, v).into_iter().map(|o| sweep.value(o)).collect();
            if !read.is_empty() {
                position();
                read.into_iter().for_each(|pointer| runtime.constant_behind(pointer));
            }
            let found = pointers_read_by(caller, v);
            if !found.is_empty() {
                position();
                for (symbol, offset) in found {
                    let Some(variable) =
                        sweep.module.global(&symbol).filter(|g| !g.is_thread_local())
                    else {
                        continue;
                    };
                    let at = sweep.builder.byte_offset(variable, i64.int(offset));
                    runtime.constant_behind(sweep.builder.load(sweep.module.context().ptr(), at));
                }
            }
        }
        _ => {}
    }
}

/// Whether bits that are stored may be those of a real.
fn may_be_real(ty: Ty) -> bool {
    match ty {
        Ty::Int(bits) => bits >= 32,
        Ty::Vector(_) => true,
        ty => ty.holds_float(),
    }
}

fn reads_reals(sweep: &Sweep, load: ValueId) -> bool {
    let data = &sweep.body()[load];
    match data.ty {
        Ty::Int(_) | Ty::Vector(false) => {
            sweep.unit.accessed(load, data.operands[0], data.bytes).iter().any(|h| h.is_real())
        }
        ty => ty.holds_float(),
    }
}

/// Whether a pointer leads to memory without shadow, by a pointer in memory that a library may
/// know.
fn may_be_written(caller: &Caller, pointer: ValueId) -> bool {
    let memory = caller.known.memory;
    if caller.activity.shadow(pointer) != Shadow::No {
        return false;
    }
    let holders: Vec<usize> = memory.points_to(pointer).filter_map(|o| memory.holder(o)).collect();
    match memory.points_to(pointer).next() {
        // By more steps than are distinguished.
        Some(_) if holders.is_empty() => memory.points_to(pointer).all(|o| o == 0),
        _ => holders.into_iter().any(|holder| !caller.context.is_private(memory, holder)),
    }
}

/// Whether a pointer leads to a variable without shadow that holds reals, as far as is known, and
/// that foreign code may access.
fn is_shared(unit: &Unit, caller: &Caller, pointer: ValueId) -> bool {
    caller.activity.shadow(pointer) == Shadow::No
        && caller
            .known
            .memory
            .points_to(pointer)
            .any(|o| shared_variable(unit, caller, o).is_some())
}

/// The variable that an object is, if it is such a one.
fn shared_variable(unit: &Unit, caller: &Caller, object: usize) -> Option<Value> {
    let Known { body, memory, .. } = caller.known;
    let Object::Global(v) = memory.objects[object] else { return None };
    let is_one = matches!(body[v].op, Op::Global(false))
        && !memory.is_hidden(object)
        && !memory.is_outside(object)
        && !caller.context.has_shadow(memory, object);
    Some(unit.body.llvm(v)).filter(|g| {
        is_one && !registry::is_inactive_global(*g) && globals::holds_reals(g.global_type())
    })
}

/// Such variables that a function without derivatives reads or writes.
fn variables_of(unit: &Unit, caller: &Caller, call: ValueId) -> Vec<Value> {
    let Some(callee) = caller.known.callees.get(&call) else { return vec![] };
    let Some(binding) = caller.known.memory.binding(call) else { return vec![] };
    let read = callee
        .in_out
        .reads
        .iter()
        .chain(&callee.in_out.writes)
        .filter_map(|place| binding.get(place.object))
        .flat_map(|targets| targets.objects.clone());
    let mut found: Vec<Value> = read
        .filter_map(|o| shared_variable(unit, caller, o as usize))
        .filter(|g| !g.is_thread_local())
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Arguments of a function without derivatives that lead to such memory, of which its results are
/// differentiable functions.
fn read_by(caller: &Caller, call: ValueId) -> Vec<ValueId> {
    let Some(callee) = caller.known.callees.get(&call) else { return vec![] };
    let Some(binding) = caller.known.memory.binding(call) else { return vec![] };
    let memory = caller.known.memory;
    let is_known = |o: u32| {
        memory.holder(o as usize).is_some_and(|holder| !caller.context.is_private(memory, holder))
    };
    let inputs = callee.dependency.differentiable.iter().flat_map(|(_, inputs)| inputs.iter());
    let places =
        inputs.filter_map(
            |input| if let Port::Memory(place) = input { Some(place.object) } else { None },
        );
    let read = places.filter(|o| {
        binding.get(*o).is_some_and(|targets| targets.objects.iter().any(|&o| is_known(o)))
    });
    let mut params: Vec<u32> = read.filter_map(|o| Some(callee.memory.entry(o)?.0)).collect();
    params.sort_unstable();
    params.dedup();
    let operands = params
        .into_iter()
        .filter_map(|p| caller.known.body[call].operands.get(p as usize).copied());
    operands.filter(|&o| caller.activity.shadow(o) == Shadow::No).collect()
}

/// Pointers in variables, by symbol and offset, that lead to memory without shadow of which the
/// results of a function without derivatives are differentiable functions, and that foreign code
/// may know.
fn pointers_read_by(caller: &Caller, call: ValueId) -> Vec<(Rc<str>, u64)> {
    let Some(callee) = caller.known.callees.get(&call) else { return vec![] };
    let memory = &callee.memory;
    let inputs = callee.dependency.differentiable.iter().flat_map(|(_, inputs)| inputs.iter());
    let places =
        inputs.filter_map(
            |input| if let Port::Memory(place) = input { Some(place.object) } else { None },
        );
    let is_constant =
        |o: &usize| caller.context.entry(memory, *o).is_none_or(|e| !e.varied && !e.useful);
    let mut found: Vec<_> =
        places.filter(is_constant).filter_map(|o| first_pointer(memory, o)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The pointer in a variable that foreign code may know, through which a function reaches an
/// object: symbol and offset.
fn first_pointer(memory: &PointsTo, object: usize) -> Option<(Rc<str>, u64)> {
    let mut at = object;
    while let Object::Behind(slot) = memory.objects[at] {
        let (holder, offset) = memory.slot(slot);
        if matches!(memory.objects[holder], Object::Global(_)) {
            let is_known = memory.root(holder).is_some()
                && !memory.is_hidden(holder)
                && !memory.is_outside(holder);
            return (is_known && offset.is_exact()).then(|| {
                Some((memory.symbol(holder)?.clone(), u64::try_from(offset.constant).ok()?))
            })?;
        }
        at = holder;
    }
    None
}
