//! Functions that run a primal or a derivative on a frame.

use super::Frame;
use crate::{
    codegen::{Queries, wrapper::Gradient},
    llvm::{Builder, Function, Module, Type, Value},
};
use adanalysis::activity::Param;

/// In the order in which the runtime takes them; those that cannot be made are absent.
#[derive(Clone, Copy)]
pub struct Thunks {
    /// The function itself.
    pub primal: Function,
    /// Its tangent.
    pub tangent: Option<Function>,
    /// Its adjoint.
    pub adjoint: Option<Function>,
    /// Its tangent with stops.
    pub walk: Option<Function>,
}

impl Thunks {
    /// A table of them.
    pub fn table(&self, module: Module, b: &Builder) -> Value {
        let ptr = module.context().ptr();
        let all = [Some(self.primal), self.tangent, self.adjoint, self.walk];
        let table = crate::annotations::signature::slot(b, ptr.array(all.len() as u64));
        for (i, f) in all.into_iter().enumerate() {
            let at = i as u64 * module.alloc_size(ptr);
            let value = f.map_or(ptr.zero(), Function::value);
            b.store(value, b.byte_offset(table, b.context().int(64).int(at)));
        }
        table
    }
}

/// What runs a function that is declared inactive: the derivative of its result is zero.
pub fn inactive(queries: &mut dyn Queries, source: Function, frame: &Frame) -> Thunks {
    let result = source.ty().function_result();
    let mut of = |name: &str, is_tangent: bool| {
        let f = declare(queries, source, name);
        let b = Builder::at_end(queries.module().context(), f.append_block("entry"));
        let at = f.params()[0];
        primal(&b, source, frame, at);
        if is_tangent {
            frame.store(&b, at, frame.of_result(0), result.zero());
        }
        b.ret_void();
        queries.finish(f).ok().map(|()| f)
    };
    let primal = of("primal", false).expect("a call and its arguments are valid code");
    Thunks { primal, tangent: of("inactive", true), adjoint: None, walk: None }
}

/// What runs `source`, its tangent, its adjoint and its tangent with stops.
pub fn make(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    frame: &Frame,
    (tangent, gradient, walk): (Option<Function>, Option<Gradient>, Option<Function>),
) -> Thunks {
    let mut of = |name: &str, fill: &dyn Fn(&Builder, Value)| {
        let f = declare(queries, source, name);
        let b = Builder::at_end(queries.module().context(), f.append_block("entry"));
        fill(&b, f.params()[0]);
        b.ret_void();
        queries.finish(f).ok().map(|()| f)
    };
    let primal = of("primal", &|b, at| self::primal(b, source, frame, at));
    Thunks {
        primal: primal.expect("a call and its arguments are valid code"),
        tangent: tangent
            .and_then(|f| of("tangent", &|b, at| self::tangent(b, source, params, frame, at, f))),
        adjoint: gradient
            .and_then(|g| of("adjoint", &|b, at| adjoint(b, source, params, frame, at, g))),
        walk: walk
            .and_then(|f| of("walk", &|b, at| self::tangent(b, source, params, frame, at, f))),
    }
}

/// A function that takes a frame.
pub fn declare(queries: &dyn Queries, source: Function, name: &str) -> Function {
    let context = queries.module().context();
    let ty = Type::function(context.void(), &[context.ptr()], false);
    let f = queries.new_function(&format!("{}.validate.{name}", source.name()), ty, source);
    f.add_attribute("noinline");
    f
}

/// The arguments in the frame.
fn arguments(b: &Builder, source: Function, frame: &Frame, at: Value) -> Vec<Value> {
    let types = source.ty().function_params();
    types.iter().zip(&frame.values).map(|(ty, &place)| frame.load(b, at, place, *ty)).collect()
}

fn primal(b: &Builder, source: Function, frame: &Frame, at: Value) {
    let call = b.call(source, &arguments(b, source, frame, at));
    call.copy_abi(source);
    if !call.ty().is_void() {
        frame.store(b, at, frame.result, call);
    }
}

/// Runs a tangent.
pub fn tangent(
    b: &Builder,
    source: Function,
    params: &[Param],
    frame: &Frame,
    at: Value,
    tangent: Function,
) {
    let mut args = arguments(b, source, frame, at);
    args.extend(shadows(b, source, params, frame, at, Param::is_active));
    let call = b.call(tangent, &args);
    if call.ty().is_void() {
        return;
    }
    frame.store(b, at, frame.result, b.extract(call, 0));
    for direction in 0..frame.width {
        let dot = b.extract(call, 1 + direction as u32);
        frame.store(b, at, frame.of_result(direction), dot);
    }
}

fn adjoint(
    b: &Builder,
    source: Function,
    params: &[Param],
    frame: &Frame,
    at: Value,
    gradient: Gradient,
) {
    let mut args = arguments(b, source, frame, at);
    args.extend(shadows(b, source, params, frame, at, |p| p == Param::Shadowed));
    if gradient.has_seed {
        let ty = source.ty().function_result();
        let seed = |direction| frame.load(b, at, frame.of_result(direction), ty);
        args.extend((0..frame.width).map(seed));
    }
    let call = b.call(gradient.function, &args);
    let mut next = u32::from(gradient.has_result);
    for i in (0..params.len()).filter(|&i| params[i] == Param::Active) {
        for direction in 0..frame.width {
            let place = frame.shadow(i, direction).expect("an active parameter has one");
            frame.store(b, at, place, b.extract(call, next));
            next += 1;
        }
    }
}

fn shadows(
    b: &Builder,
    source: Function,
    params: &[Param],
    frame: &Frame,
    at: Value,
    has: impl Fn(Param) -> bool,
) -> Vec<Value> {
    let types = source.ty().function_params();
    let all = (0..params.len()).filter(|&i| has(params[i]));
    let of = |i: usize| {
        let types = &types;
        (0..frame.width).map(move |direction| {
            let place = frame.shadow(i, direction).expect("an active parameter has one");
            frame.load(b, at, place, types[i])
        })
    };
    all.flat_map(of).collect()
}
