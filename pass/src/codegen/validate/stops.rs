//! Tangents that stop before each derivative that they call: there the runtime validates it.

use super::{
    Frame, Made, call, definition, is_checked, runtime, text, thunks, variables_with_shadows,
};
use crate::{
    annotations::checkpoint::OUTLINED,
    codegen::{
        Queries, blocks, globals,
        sweep::Sweep,
        tangent::{self, Carried},
        wrapper::{self, Gradient},
    },
    diagnostics::{self, Diagnostic},
    image::unit::Unit,
    llvm::{Builder, Function, Opcode, Value},
};
use adanalysis::{activity::Param, context::Context};
use adir::{Callee, Op, Ty, ValueId};

/// The tangent of `source` with stops, as others are.
pub fn tangent(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: Context,
) -> Result<Function, Vec<Diagnostic>> {
    let unit = queries.unit(source).map_err(|d| vec![d])?;
    let f = tangent::declare(queries, &unit, params, Carried::ONE);
    if let Err(found) = tangent::define_with_stops(queries, &unit, params, &context, f) {
        crate::codegen::refusal::define(queries.module(), f, source, &found);
        return Err(found);
    }
    queries.finish(f)?;
    Ok(f)
}

/// Emits the stop before the derivative of the call `v`; the builder of `sweep` stands where its
/// arguments are computed.
pub fn stop(
    queries: &mut dyn Queries,
    sweep: &mut Sweep,
    unit: &Unit,
    context: &Context,
    v: ValueId,
) -> Result<(), Vec<Diagnostic>> {
    let copy = sweep.value(v);
    let Some(source) = copy.called().as_function().filter(|f| is_checked(*f, context)) else {
        return Ok(());
    };
    let operands = unit.body[v].operands.clone();
    let params = sweep.activity.call_params(&unit.body, v);
    let is_odd = |(&o, p): (&ValueId, &Param)| *p == Param::Active && unit.body[o].ty == Ty::Ptr;
    if operands.len() != source.ty().function_params().len()
        || operands.iter().zip(&params).any(is_odd)
    {
        return Ok(());
    }
    let module = queries.module();
    let variables = variables_with_shadows(module, context);
    let frame = Frame::new(module, source, &params, 1).with_variables(variables.len());
    let is_inactive = matches!(unit.body[v].op, Op::Call(Callee::Passive));
    if is_inactive && !params.iter().any(|p| p.is_active()) {
        return Ok(());
    }
    let thunks = match is_inactive {
        true => Some(thunks::inactive(queries, source, &frame)),
        false => of_call(queries, source, &params, context, &frame),
    };
    let Some(thunks) = thunks else { return Ok(()) };
    let place = diagnostics::place_text(unit.body.llvm(v), unit.canon.source);
    let (name, _) = definition(source);
    let text = match text::knows(queries, source) {
        true => text::of_function(queries, source, &params, &frame, &variables, &name, &place)?,
        false => {
            let variables = if is_inactive { &[][..] } else { &variables };
            text::of_call(queries, (unit, v), source, &params, &frame, variables, &place)
        }
    };

    sweep.position_for_arguments(v);
    let primals: Vec<Value> = operands.iter().map(|&o| sweep.value(o)).collect();
    let shadowed = operands.iter().zip(&params).filter(|(_, p)| **p == Param::Shadowed);
    let shadows: Vec<Value> = shadowed.flat_map(|(&o, _)| sweep.shadows(o)).collect();
    let b = &sweep.builder;
    let at = frame.room(b);
    frame.fill(b, at, &primals, &shadows);
    for (i, primal) in primals.iter().enumerate().filter(|(_, p)| p.ty().is_pointer()) {
        if let Some(variable) = primal.variable() {
            let end = b.byte_offset(variable.base, b.context().int(64).int(variable.bytes));
            frame.set_spans(b, at, i, [Some((variable.base, end)), None]);
        }
    }
    for (&(variable, shadow), &(place, beside)) in variables.iter().zip(&frame.variables) {
        frame.store(b, at, place, globals::address(module, b, variable));
        frame.store(b, at, beside, globals::address(module, b, shadow));
    }
    call(module, b, "adrt_validate_call", &text, at, &thunks);
    Ok(())
}

/// Tells the runtime of memory of the function that `sweep` copies, once it has a shadow: of a variable or
/// a block; or that it is freed.
pub fn memory(queries: &mut dyn Queries, sweep: &mut Sweep, unit: &Unit, v: ValueId) {
    let (module, copy) = (sweep.module, sweep.value(v));
    let (ptr, i64) = (module.context().ptr(), module.context().int(64));
    if matches!(unit.body[v].op, Op::Call(Callee::Free)) {
        sweep.builder.position_before(copy);
        let block = sweep.value(unit.body[v].operands[0]);
        sweep.builder.call(runtime(module, "adrt_validate_freed", &[ptr]), &[block]);
        return;
    }
    let layout = text::of_object(queries, unit, v);
    if layout.is_empty() || !sweep.activity.has_shadow(v) {
        return;
    }
    let Some(shadow) = sweep.shadow(v) else { return };
    sweep.position_after(v);
    let b = &sweep.builder;
    let bytes = match unit.body[v].op {
        Op::Alloca(_) => Some(sweep.allocated_bytes(copy)),
        _ => blocks::bytes_of(module, b, copy),
    };
    let Some(bytes) = bytes else { return };
    let bytes = if bytes.ty() == i64 { bytes } else { b.cast(Opcode::LLVMZExt, bytes, i64) };
    let name = unit.body.llvm(v).name();
    let name = if name.is_empty() { "local memory".into() } else { name };
    let tell = runtime(module, "adrt_validate_object", &[ptr, ptr, i64, ptr, ptr]);
    b.call(tell, &[copy, shadow, bytes, b.text(&name), b.text(&layout)]);
}

/// What runs a function that is called, and its derivatives; `None` if none can be made.
fn of_call(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
    frame: &Frame,
) -> Option<thunks::Thunks> {
    let symbols = context.globals().keys().map(|s| s.to_string()).collect();
    let key = (source, params.to_vec(), symbols);
    if let Some(known) = queries.validated().get(&key) {
        return Some(*known).filter(|t| t.tangent.is_some() || t.adjoint.is_some());
    }
    let inside = context.of_unknown_call(params.len());
    let tangent = queries.tangents(source, params, inside.clone(), Carried::ONE).ok();
    // The sweeps of checkpointed loops and regions are the runtime's to drive.
    let gradient: Option<Gradient> = match source.attribute_string(OUTLINED) {
        Some(_) => None,
        None => wrapper::gradient_of_call(queries, source, params, &inside).ok(),
    };
    let mut made = thunks::make(queries, source, params, frame, (tangent, gradient, None));
    let goes_on = text::knows(queries, source);
    let walk = goes_on.then(|| thunks::declare(queries, source, "walk"));
    made.walk = walk;
    // Before its body, so that recursion finds it.
    insert(queries.validated(), key, made);
    if let Some(walk) = walk {
        let b = Builder::at_end(queries.module().context(), walk.append_block("entry"));
        if let Ok(f) = self::tangent(queries, source, params, inside) {
            thunks::tangent(&b, source, params, frame, walk.params()[0], f);
        }
        b.ret_void();
        queries.finish(walk).ok()?;
    }
    Some(made).filter(|t| t.tangent.is_some() || t.adjoint.is_some())
}

fn insert(made: &mut Made, key: (Function, Vec<Param>, Vec<String>), thunks: thunks::Thunks) {
    made.insert(key, thunks);
}
