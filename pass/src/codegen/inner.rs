//! Adjoints that differentiated code asks for, and their tangents.
//!
//! The adjoint of f turns (x, y') into x' = J(x)^T y'. Its tangent in the direction (dx, dy') is
//!   dx' = J(x)^T dy' + d(J(x)^T y')/dx dx.
//! Second derivatives are symmetric: the same numbers are what the adjoint of the tangent of f, of
//! F(x, dx) = (f(x), J(x) dx), adds to x, where the adjoint of f(x) is dy' and that of J(x) dx is y';
//! what it adds to dx is x'. So no record of an adjoint is ever differentiated: a tangent of the
//! adjoint costs an adjoint of the tangent.
//!
//! Such an adjoint is called through a function of its own, the stand-in, which no analysis looks
//! into: it has a registered tangent. F and the stand-in are made with the request. The adjoint of F
//! is made in a later wave of requests (driver/nesting.rs), if some tangent reaches the stand-in.
//! With F's adjoint in a stand-in again, there are derivatives of any order.

use crate::{
    annotations::registry::Tangent,
    codegen::{
        Queries,
        wrapper::{self, Gradient},
    },
    diagnostics::Diagnostic,
    llvm::{Builder, Function, Type, Value},
};
use adanalysis::{activity::Param, context::Context};

/// String attribute of stand-ins.
pub const STAND_IN: &str = "adcc-inner-adjoint";

/// What is left to do for the adjoints that differentiated code asks for.
#[derive(Default)]
pub struct Inner {
    /// The requests of this wave that stand in code which others differentiate.
    pub requests: Vec<Value>,
    /// Whether requests of a later wave differentiate what this one makes.
    pub has_outer: bool,
    /// Stand-ins whose tangents have no body yet.
    pub left: Vec<StandIn>,
}

/// An adjoint in the place of which another function is called.
pub struct StandIn {
    /// What is differentiated, and how its parameters take part.
    source: Function,
    params: Vec<Param>,
    /// `(parameters…, shadows of pointers…[, adjoint of the result], out)`; what the gradient returns
    /// goes to `out`.
    function: Function,
    /// Its tangent: behind each parameter that has one, the shadow or derivative.
    tangent: Function,
    shadows: Vec<bool>,
    /// F: `(parameters…, tangents…, out)`; the result and its tangent go to `out`.
    pub linear: Function,
    /// Members of what the gradient returns.
    members: Vec<Type>,
    has_seed: bool,
    has_result: bool,
    /// How diagnostics name the request.
    pub asked: String,
}

/// Calls the gradient of `source` where other requests differentiate the call. Returns what the
/// gradient returns.
pub fn call(
    queries: &mut dyn Queries,
    b: &Builder,
    (source, params): (Function, &[Param]),
    gradient: Gradient,
    args: &[Value],
    asked: String,
) -> Result<Value, Vec<Diagnostic>> {
    let stand_in = stand_in(queries, source, params, gradient, asked)?;
    let returned = gradient.function.ty().function_result();
    let layout = layout(queries, &stand_in.members);
    let out = crate::annotations::signature::slot(b, layout);
    b.call(stand_in.function, &[args, &[out]].concat());
    queries.inner().left.push(stand_in);
    if returned.is_void() {
        return Ok(out);
    }
    let mut all = returned.poison();
    for (i, ty) in returned.struct_members().into_iter().enumerate() {
        let member = b.load(ty, b.member(layout, out, i as u32));
        all = b.insert_value(all, member, i as u32);
    }
    Ok(all)
}

/// A struct of members, of a byte if there are none.
fn layout(queries: &dyn Queries, members: &[Type]) -> Type {
    let context = queries.module().context();
    if members.is_empty() {
        context.structure(&[context.int(8)])
    } else {
        context.structure(members)
    }
}

fn stand_in(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    gradient: Gradient,
    asked: String,
) -> Result<StandIn, Vec<Diagnostic>> {
    let context = queries.module().context();
    let returned = gradient.function.ty().function_result();
    let members = if returned.is_void() { vec![] } else { returned.struct_members() };
    let given = gradient.function.ty().function_params();
    let types = [&given[..], &[context.ptr()]].concat();
    let name = format!("{}.inner", gradient.function.name());
    let ty = Type::function(context.void(), &types, false);
    let function = queries.new_function(&name, ty, source);
    function.add_attribute_string(STAND_IN, "");
    let b = Builder::at_end(context, function.append_block("entry"));
    let args = function.params();
    let (out, args) = args.split_last().expect("it has `out`");
    let call = b.call(gradient.function, args);
    let layout = layout(queries, &members);
    for i in 0..members.len() as u32 {
        b.store(b.extract(call, i), b.member(layout, *out, i));
    }
    b.ret_void();
    queries.finish(function)?;

    let is_shadowed = |i: usize, ty: &Type| match params.get(i) {
        Some(Param::Const) => ty.is_float(),
        _ => ty.is_pointer() || ty.is_float(),
    };
    let shadows: Vec<bool> = types.iter().enumerate().map(|(i, ty)| is_shadowed(i, ty)).collect();
    let with_shadow = |(ty, &has): (&Type, &bool)| if has { vec![*ty; 2] } else { vec![*ty] };
    let doubled: Vec<Type> = types.iter().zip(&shadows).flat_map(with_shadow).collect();
    let ty = Type::function(context.void(), &doubled, false);
    let tangent = queries.new_function(&format!("{name}.tangent"), ty, source);
    queries.register_tangent(function, Tangent::own(tangent, shadows.clone()));
    let linear = linear(queries, source, params)?;
    Ok(StandIn {
        source,
        params: params.to_vec(),
        function,
        tangent,
        shadows,
        linear,
        members,
        has_seed: gradient.has_seed,
        has_result: gradient.has_result,
        asked,
    })
}

/// Which parameters of the tangent have derivatives: reals that the request calls constant may have
/// some in the code around it.
fn varied(source: Function, params: &[Param]) -> Vec<Param> {
    let types = source.ty().function_params();
    let of = |(ty, p): (Type, &Param)| if ty.is_float() { Param::Active } else { *p };
    types.into_iter().zip(params).map(of).collect()
}

/// F.
fn linear(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
) -> Result<Function, Vec<Diagnostic>> {
    let context = queries.module().context();
    let varied = varied(source, params);
    let needed = Context::of_request(&vec![false; params.len()]);
    let tangent = wrapper::tangent(queries, source, &varied, &needed, 1)?;
    let types = [tangent.ty().function_params(), vec![context.ptr()]].concat();
    let ty = Type::function(context.void(), &types, false);
    let f = queries.new_function(&format!("{}.linear", source.name()), ty, source);
    let b = Builder::at_end(context, f.append_block("entry"));
    let all = f.params();
    let (out, args) = all.split_last().expect("it has `out`");
    let call = b.call(tangent, args);
    let result = source.ty().function_result();
    if !result.is_void() {
        let pair = context.structure(&[result, result]);
        for i in 0..if result.holds_float() { 2 } else { 1 } {
            b.store(b.extract(call, i), b.member(pair, *out, i));
        }
    }
    b.ret_void();
    queries.finish(f)?;
    Ok(f)
}

impl StandIn {
    /// Whether a tangent calls it, or may still do so.
    pub fn is_reached(&self) -> bool {
        !self.tangent.value().users().is_empty()
    }

    /// Deletes what nobody needs.
    pub fn forget(&self) {
        for f in [self.tangent, self.linear] {
            if f.value().users().is_empty() {
                f.delete();
            }
        }
    }

    /// Gives the tangent its body.
    pub fn define(&self, queries: &mut dyn Queries) -> Result<(), Vec<Diagnostic>> {
        let context = queries.module().context();
        let types = self.source.ty().function_params();
        let result = self.source.ty().function_result();
        let varied = varied(self.source, &self.params);
        let has_tangent = |i: &usize| varied[*i] != Param::Const;

        // How F's parameters take part: those that the request differentiates by, and their tangents.
        let mut params = self.params.clone();
        params.extend((0..types.len()).filter(has_tangent).map(|i| self.params[i]));
        params.push(if result.holds_float() { Param::Shadowed } else { Param::Const });
        let needed = Context::of_request(&vec![false; params.len()]);
        let gradient = wrapper::gradient(queries, self.linear, &params, &needed, 1, false)?;

        let b = Builder::at_end(context, self.tangent.append_block("entry"));
        let mut left = self.tangent.params().into_iter();
        let mut next = |has: bool| {
            let own = left.next().expect("as many as its type says");
            (own, has.then(|| left.next().expect("as many as its type says")))
        };
        let mut given: Vec<(Value, Option<Value>)> =
            self.shadows.iter().map(|&has| next(has)).collect();
        let (out, out_tangent) = given.pop().expect("it has `out`");
        let out_tangent = out_tangent.expect("it has a shadow");
        let seed = if self.has_seed { given.pop() } else { None };
        let adjoints = given.split_off(types.len());

        let pair = context.structure(&[result, result]);
        let pair = if result.is_void() { context.structure(&[context.int(8)]) } else { pair };
        let (results, seeds) = (b.alloca(pair, "results"), b.alloca(pair, "seeds"));
        if let Some((seed, Some(tangent))) = seed {
            b.store(tangent, b.member(pair, seeds, 0));
            b.store(seed, b.member(pair, seeds, 1));
        }
        let mut args: Vec<Value> = given.iter().map(|(own, _)| *own).collect();
        let tangents = (0..types.len()).filter(has_tangent).map(|i| given[i].1.expect("varied"));
        args.extend(tangents);
        args.push(results);
        // What F's adjoint adds to x is the tangent of what the request adds, and the other way round.
        args.extend(adjoints.iter().map(|(_, tangent)| tangent.expect("a pointer")));
        args.extend(adjoints.iter().map(|(own, _)| *own));
        if result.holds_float() {
            args.push(seeds);
        }
        let call = match queries.inner().has_outer {
            true => {
                let asked = self.asked.clone();
                call(queries, &b, (self.linear, &params), gradient, &args, asked)?
            }
            false => b.call(gradient.function, &args),
        };

        let layout = layout(queries, &self.members);
        let put = |i: u32, primal: Value, tangent: Value| {
            b.store(primal, b.member(layout, out, i));
            b.store(tangent, b.member(layout, out_tangent, i));
        };
        let mut at = 0;
        if self.has_result {
            let load = |i| b.load(result, b.member(pair, results, i));
            put(0, load(0), if result.holds_float() { load(1) } else { result.zero() });
            at = 1;
        }
        let gains = self.params.iter().filter(|p| **p == Param::Active).count() as u32;
        for i in 0..gains {
            put(at + i, b.extract(call, gains + i), b.extract(call, i));
        }
        b.ret_void();
        queries.finish(self.tangent)
    }
}
