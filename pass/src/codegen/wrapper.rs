//! The gradient as one function: frame on the stack, forward sweep, reverse sweep, both inlined.

use crate::{
    codegen::Queries,
    codegen::{
        adjoint::{self, Advance, FrameStorage, Pair, tape},
        files,
        globals::{self, Settled, Start},
        prebuilt::runtime::Runtime,
        refusal,
        tangent::Carried,
        unwinding, versions,
    },
    diagnostics::Diagnostic,
    image::unit::Unit,
    llvm::{Builder, Function, Type, Value},
};
use adanalysis::{activity::Param, context::Context, stats};

/// A gradient function and what it takes and returns.
#[derive(Clone, Copy)]
pub struct Gradient {
    /// `f.adjoint(params…, shadows of pointers…[, adjoint of the result]) -> {[result, ]adjoints of active by-value parameters}`;
    /// in several directions, each shadow and adjoint becomes as many, side by side.
    pub function: Function,
    /// Whether the last parameters are the adjoints of the result.
    pub has_seed: bool,
    /// Whether the primal result comes before the adjoints.
    pub has_result: bool,
    /// Number of directions.
    pub width: usize,
}

/// The tangent of `source` for parameters of that activity, as a request calls it.
pub fn tangent(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
    carried: Carried,
) -> Result<Function, Vec<Diagnostic>> {
    let width = carried.width();
    tangent_by(queries, source, params, context, width, &mut |queries, context| {
        queries.tangents(source, params, context, carried)
    })
}

/// Makes a tangent for the context of a request.
type Maker<'m> = dyn FnMut(&mut dyn Queries, Context) -> Result<Function, Vec<Diagnostic>> + 'm;

/// The same, where `make` makes the function that is called.
pub fn tangent_by(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
    width: usize,
    make: &mut Maker,
) -> Result<Function, Vec<Diagnostic>> {
    let mut globals = globals::settle(queries, source, params, context, width)?;
    globals.check_directions(source, width)?;
    let tangent = make(queries, globals.context.clone());
    let tangent = globals.check(tangent)?;
    let module = queries.module();
    if !globals.has_begin() && !files::are_watched(module) {
        return Ok(tangent);
    }
    let f = queries.new_function(&format!("{}.tangent", source.name()), tangent.ty(), source);
    let b = Builder::at_end(module.context(), f.append_block("entry"));
    let given = f.params();
    globals.emit_begin(module, &b, &given, Start::Tangent(&given[params.len()..]));
    let began = files::begin(module, &b);
    let call = b.call(tangent, &given);
    files::end(module, &b, began);
    globals.emit_end(module, &b);
    if call.ty().is_void() {
        b.ret_void();
    } else {
        b.ret(call);
    }
    unwinding::guard_files(module, tangent, call, began);
    queries.finish(f)?;
    Ok(f)
}

/// Makes the gradient function of `source` for parameters of that activity in `width` directions;
/// `with_result`, it returns the primal result as well, if there is one.
pub fn gradient(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
    width: usize,
    with_result: bool,
) -> Result<Gradient, Vec<Diagnostic>> {
    let globals = globals::settle(queries, source, params, context, width)?;
    globals.check_directions(source, width)?;
    gradient_with(queries, source, params, globals, width, with_result)
}

/// The forward sweep of `source` that logs what memory held. Variables are as they are.
pub fn logged(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
) -> Result<Function, Vec<Diagnostic>> {
    let mut globals = globals::settle(queries, source, params, context, 1)?;
    let made = queries.advance(source, params, globals.context.clone(), Advance::Logged);
    globals.check(made)
}

/// The gradient of a function that differentiated code calls: variables have the shadows that
/// `context` says, and keep what these hold.
pub fn gradient_of_call(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
) -> Result<Gradient, Vec<Diagnostic>> {
    gradient_with(queries, source, params, Settled::of_call(params, context), 1, false)
}

fn gradient_with(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    mut globals: Settled,
    width: usize,
    with_result: bool,
) -> Result<Gradient, Vec<Diagnostic>> {
    let unit = queries.unit(source).map_err(|d| vec![d])?;
    let result = source.ty().function_result();
    let has_result = with_result && !result.is_void();
    let mut context = globals.context.clone();
    context.result_live = has_result;
    let has_seed = adjoint::has_seed(&unit);

    let all = source.ty().function_params();
    let mut types = all.clone();
    let shadowed = all.iter().zip(params).filter(|(_, p)| **p == Param::Shadowed);
    types.extend(shadowed.flat_map(|(t, _)| vec![*t; width]));
    if has_seed {
        types.extend(vec![result; width]);
    }
    let mut returned = adjoint::adjoints_type(queries, &unit, params, width);
    if has_result {
        let mut members = if returned.is_void() { vec![] } else { returned.struct_members() };
        members.insert(0, result);
        returned = queries.module().context().structure(&members);
    }
    let ty = Type::function(returned, &types, false);
    let name = format!("{}.adjoint", source.name());
    let mut shape =
        Shape { globals: &mut globals, unit: &unit, params, width, ty, has_seed, has_result };
    let function = match versions::choice(queries, &unit, params, &context, &name, (ty, width)) {
        None => shape.version(queries, &context, &name)?,
        Some(choice) => {
            let apart = shape.version(queries, &choice.context, &format!("{name}.apart"))?;
            let any = shape.version(queries, &context, &format!("{name}.any"))?;
            choice.noalias.iter().for_each(|&i| apart.add_param_attribute(i, "noalias"));
            choice.finish(queries.module(), apart, any);
            queries.finish(choice.function)?;
            choice.function
        }
    };
    Ok(Gradient { function, has_seed, has_result, width })
}

/// What all versions of a gradient have in common.
struct Shape<'a> {
    globals: &'a mut Settled,
    unit: &'a Unit,
    params: &'a [Param],
    width: usize,
    ty: Type,
    has_seed: bool,
    has_result: bool,
}

impl Shape<'_> {
    /// The gradient for one context.
    fn version(
        &mut self,
        queries: &mut dyn Queries,
        context: &Context,
        name: &str,
    ) -> Result<Function, Vec<Diagnostic>> {
        let pair =
            adjoint::declare(queries, self.unit, self.params, FrameStorage::Caller, self.width);
        let defined = adjoint::define(queries, self.unit, self.params, context, &pair);
        if let Err(found) = &defined {
            // Validation goes on without it.
            for f in [pair.forward, pair.reverse] {
                refusal::define(queries.module(), f, self.unit.canon.source, found);
            }
        }
        self.globals.check(defined)?;
        queries.finish(pair.forward)?;
        queries.finish(pair.reverse)?;
        let source = self.unit.canon.source;
        let f = queries.new_function(name, self.ty, source);
        if let Some(scope) = &pair.scope {
            scope.attach(f, source);
        }
        // It accesses through a parameter what the function accesses through it; so does what it
        // kept of the parameter.
        let restricted =
            (0..self.params.len()).filter(|&i| source.param_has_attribute(i, "noalias"));
        restricted.for_each(|i| f.add_param_attribute(i, "noalias"));
        stats::time("generate wrapper", || fill(queries, f, &pair, self));
        queries.finish(f)?;
        Ok(f)
    }
}

fn fill(queries: &dyn Queries, f: Function, pair: &Pair, shape: &Shape) {
    let (source, has_seed, has_result) =
        (shape.unit.canon.source, shape.has_seed, shape.has_result);
    let module = queries.module();
    let context = module.context();
    let b = Builder::at_end(context, f.append_block("entry"));
    let mut args = f.params();
    let seeds = args.split_off(args.len() - if has_seed { shape.width } else { 0 });
    let frame = b.alloca(context.int(8).array(pair.frame_bytes.get().max(1)), "frame");
    frame.set_alignment(16);
    shape.globals.emit_begin(module, &b, &args, Start::Gradient(&args[shape.params.len()..]));
    let mark = pair.uses_runtime.get().then(|| tape::mark(module, &b, source));
    let is_left = shape.globals.calls_prebuilt() && unwinding::may_leave(module, pair.forward);
    let calls = is_left.then(|| Runtime { module, b: &b }.calls());
    args.push(frame);
    let began = files::begin(module, &b);
    let forward = b.call(pair.forward, &args);
    files::end(module, &b, began);
    shape.globals.emit_end(module, &b);
    let mut taken = vec![frame];
    taken.extend(seeds);
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
    let forward =
        calls.map_or(forward, |calls| unwinding::guard_calls(module, pair.forward, forward, calls));
    let forward = unwinding::guard_files(module, pair.forward, forward, began);
    // The frame's slots become registers once both sweeps are in one function.
    for call in [forward, reverse] {
        let inlined: bool = Value::inline(call);
        assert!(inlined, "a sweep could not be inlined into its gradient");
    }
}
