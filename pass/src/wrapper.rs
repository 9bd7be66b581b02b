//! The gradient as one function: frame on the stack, forward sweep, reverse sweep, both inlined.

use crate::{
    adjoint::{self, Pair, Place, tape},
    analysis::{activity::Param, context::Context},
    diag::{Code, Diagnostic},
    globals::{self, Settled},
    llvm::{Builder, Function, Type, Value},
    session::Session,
    stats,
    unit::Unit,
    unwinding,
    versions,
};

/// A gradient function and what it takes and returns.
#[derive(Clone, Copy)]
pub struct Gradient {
    /// `f.adjoint(params…, shadows of pointers…[, adjoint of the result]) -> {[result, ]adjoints of active by-value parameters}`.
    pub function: Function,
    /// Whether the last parameter is the adjoint of the result.
    pub has_seed: bool,
    /// Whether the primal result comes before the adjoints.
    pub has_result: bool,
}

/// The tangent of `source` in `width` directions for parameters of that activity, as a request calls it.
pub fn tangent(
    session: &mut Session,
    source: Function,
    params: &[Param],
    context: &Context,
    width: usize,
) -> Result<Function, Vec<Diagnostic>> {
    let mut globals = globals::settle(session, source, params, context)?;
    if width > 1 && globals.has_begin() {
        let text = format!("'{}' holds active data in global variables, which have one shadow, not {width}", source.name());
        let remedy = "ask for one direction at a time, or pass the memory as an active argument";
        return Err(vec![Diagnostic::new(Code::RequestUnsupported, None, text, remedy)]);
    }
    let tangent = session.tangents(source, params, globals.context.clone(), width);
    let tangent = globals.check(tangent)?;
    if !globals.has_begin() {
        return Ok(tangent);
    }
    let f = session.new_function(&format!("{}.tangent", source.name()), tangent.ty(), source);
    let b = Builder::at_end(session.module.context(), f.append_block("entry"));
    globals.emit_begin(session.module, &b, &f.params());
    let call = b.call(tangent, &f.params());
    if call.ty().is_void() {
        b.ret_void();
    } else {
        b.ret(call);
    }
    session.finish(f)?;
    Ok(f)
}

/// Makes the gradient function of `source` for parameters of that activity; `with_result`, it returns the primal result as
/// well, if there is one.
pub fn gradient(
    session: &mut Session,
    source: Function,
    params: &[Param],
    context: &Context,
    with_result: bool,
) -> Result<Gradient, Vec<Diagnostic>> {
    let mut globals = globals::settle(session, source, params, context)?;
    let unit = session.unit(source).map_err(|d| vec![d])?;
    let result = source.ty().function_result();
    let has_result = with_result && !result.is_void();
    let mut context = globals.context.clone();
    context.result_live = has_result;
    let has_seed = adjoint::has_seed(&unit);

    let all = source.ty().function_params();
    let mut types = all.clone();
    types.extend(all.iter().zip(params).filter(|(_, p)| **p == Param::Shadowed).map(|(t, _)| *t));
    if has_seed {
        types.push(result);
    }
    let mut returned = adjoint::adjoints_type(session, &unit, params);
    if has_result {
        let mut members = if returned.is_void() { vec![] } else { returned.struct_members() };
        members.insert(0, result);
        returned = session.module.context().structure(&members);
    }
    let ty = Type::function(returned, &types, false);
    let name = format!("{}.adjoint", source.name());
    let mut shape = Shape { globals: &mut globals, unit: &unit, params, ty, has_seed, has_result };
    let function = match versions::choice(session, &unit, params, &context, &name, ty) {
        None => shape.version(session, &context, &name)?,
        Some(choice) => {
            let apart = shape.version(session, &choice.context, &format!("{name}.apart"))?;
            let any = shape.version(session, &context, &format!("{name}.any"))?;
            choice.noalias.iter().for_each(|&i| apart.add_param_attribute(i, "noalias"));
            choice.finish(session.module, apart, any);
            session.finish(choice.function)?;
            choice.function
        }
    };
    Ok(Gradient { function, has_seed, has_result })
}

/// What all versions of a gradient have in common.
struct Shape<'a> {
    globals: &'a mut Settled,
    unit: &'a Unit,
    params: &'a [Param],
    ty: Type,
    has_seed: bool,
    has_result: bool,
}

impl Shape<'_> {
    /// The gradient for one context.
    fn version(&mut self, session: &mut Session, context: &Context, name: &str) -> Result<Function, Vec<Diagnostic>> {
        let pair = adjoint::declare(session, self.unit, self.params, Place::Caller);
        let defined = adjoint::define(session, self.unit, self.params, context, &pair);
        self.globals.check(defined)?;
        session.finish(pair.forward)?;
        session.finish(pair.reverse)?;
        let f = session.new_function(name, self.ty, self.unit.canon.source);
        stats::time("generate wrapper", || fill(session, f, &pair, self));
        session.finish(f)?;
        Ok(f)
    }
}

fn fill(session: &Session, f: Function, pair: &Pair, shape: &Shape) {
    let (source, has_seed, has_result) = (shape.unit.canon.source, shape.has_seed, shape.has_result);
    let module = session.module;
    let context = module.context();
    let b = Builder::at_end(context, f.append_block("entry"));
    let mut args = f.params();
    let seed = if has_seed { args.pop() } else { None };
    let frame = b.alloca(context.int(8).array(pair.frame_bytes.get().max(1)), "frame");
    frame.set_alignment(16);
    shape.globals.emit_begin(module, &b, &args);
    let mark = pair.uses_runtime.get().then(|| tape::mark(module, &b, source));
    args.push(frame);
    let forward = b.call(pair.forward, &args);
    let mut taken = vec![frame];
    taken.extend(seed);
    let reverse = b.call(pair.reverse, &taken);
    if let Some(mark) = mark {
        tape::rewind(module, &b, mark);
    }
    if has_result {
        let mut all = b.insert_value(f.ty().function_result().poison(), forward, 0);
        let adjoints = if reverse.ty().is_void() { 0 } else { reverse.ty().struct_members().len() };
        for i in 0..adjoints as u32 {
            all = b.insert_value(all, b.extract(reverse, i), i + 1);
        }
        b.ret(all);
    } else if reverse.ty().is_void() {
        b.ret_void();
    } else {
        b.ret(reverse);
    }
    let forward = unwinding::guard(module, pair.forward, forward, mark);
    // The frame's slots become registers once both sweeps are in one function.
    for call in [forward, reverse] {
        let inlined: bool = Value::inline(call);
        assert!(inlined, "a sweep could not be inlined into its gradient");
    }
}
