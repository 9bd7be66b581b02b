//! Adjoints that differentiated code asks for, and their tangents.
//!
//! The adjoint of f turns (x, y') into x' = J(x)^T y'. Its tangent in the direction (dx, dy') is
//!   dx' = J(x)^T dy' + d(J(x)^T y')/dx dx.
//! Second derivatives are symmetric: the same numbers are what the adjoint of the tangent of f, of
//! F(x, dx) = (f(x), J(x) dx), adds to x, where the adjoint of f(x) is dy' and that of J(x) dx is y';
//! what it adds to dx is x'. So no record of an adjoint is ever differentiated: a tangent of the
//! adjoint costs an adjoint of the tangent.
//!
//! Heads are such requests, too: the function that an adjoint head generates is a wrapper around it.
//!
//! Such an adjoint is called through a function of its own, the stand-in, which no analysis looks
//! into: it has a registered tangent. F and the stand-in are made with the request. The adjoint of F
//! is made in a later wave of requests (driver/nesting.rs), if some tangent reaches the stand-in.
//! With F's adjoint in a stand-in again, there are derivatives of any order.
//!
//! What goes by arguments has tangents so. Global variables that f shares with the code around the
//! request would have none: they are refused (variables.rs). The adjoint of the stand-in is the same
//! adjoint of F in another role (adjoint.rs).

mod adjoint;
mod effects;
mod tangent;
mod variables;

use crate::{
    annotations::registry::Tangent,
    codegen::{
        Queries,
        tangent::Carried,
        wrapper::{self, Gradient},
    },
    diagnostics::{Code, Diagnostic, names::readable},
    image::Imported,
    llvm::{Builder, Function, Type, Value},
};
use adanalysis::{activity::Param, context::Context};
use adir::{ValueId, hashed::HashSet};
use adjoint::{Repeats, is_reached};
pub use adjoint::{end, join, refused, restore};
pub use effects::{Effects, of as effects_of};
pub use variables::{Shared, check_variables, own_variables};

/// How the names of the runtime's functions for logs begin.
const UNDO: &str = "adrt_undo_";

/// String attribute of stand-ins.
pub const STAND_IN: &str = "adcc-inner-adjoint";

/// What to do where an inner adjoint cannot run twice.
pub const ONCE: &str = "ask for one direction, and make one of the two requests or heads a tangent: a \
    second derivative is the same number either way";

/// What is left to do for the adjoints that differentiated code asks for.
#[derive(Default)]
pub struct Inner {
    /// The requests of this wave that stand in code which others differentiate.
    pub requests: Vec<Value>,
    /// Whether requests of a later wave differentiate what this one makes.
    pub has_outer: bool,
    /// Stand-ins whose derivatives may have no body yet.
    pub left: Vec<StandIn>,
    /// What all stand-ins share with other code.
    pub shared: Vec<Shared>,
}

/// An adjoint in the place of which another function is called.
#[derive(Clone)]
pub struct StandIn {
    /// What the differentiated function takes and returns, and how its parameters take part.
    types: Vec<Type>,
    result: Type,
    params: Vec<Param>,
    /// `(parameters…, shadows of pointers…[, adjoint of the result], out)`; what the gradient returns
    /// goes to `out`.
    function: Function,
    /// Its tangent: behind each parameter that has one, the shadow or derivative.
    tangent: Function,
    shadows: Vec<bool>,
    /// What its adjoint, and tangents in several directions, consist of.
    repeats: Repeats,
    /// F: `(parameters…, tangents…, out)`; the result and its tangent go to `out`.
    linear: Function,
    /// The same in as many directions as the adjoint has: their tangents stand side by side.
    wide: Function,
    /// Number of directions.
    width: usize,
    /// A function that does to memory what the stand-in does.
    effects: Function,
    /// Members of what the gradient returns.
    members: Vec<Type>,
    has_seed: bool,
    has_result: bool,
    /// How diagnostics name the request.
    pub asked: String,
}

impl Inner {
    /// Forgets what was made with functions that are gone.
    pub fn forget(&mut self, gone: &HashSet<Function>) {
        self.left.retain(|stand_in| !gone.contains(&stand_in.linear));
        self.shared.retain(|shared| !gone.contains(&shared.function));
    }
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
    // A register with several reals, or with one beside an integer, has no shadow of its own.
    let types = source.ty().function_params();
    let is_packed = |(ty, p): (&Type, &Param)| *p == Param::Active && !ty.is_float();
    let result = source.ty().function_result();
    if types.iter().zip(params).any(is_packed) || gradient.has_seed && !result.is_float() {
        let text = format!(
            "other requests differentiate the code that asks for the adjoint of '{}', which takes or \
            returns several reals, or a real and an integer, in one register: not supported yet",
            readable(&source.source_name())
        );
        let remedy = "pass the struct through a pointer, or ask for a tangent there";
        return Err(vec![Diagnostic::new(Code::RequestUnsupported, None, text, remedy)]);
    }
    let stand_in = stand_in(queries, source, params, gradient, asked)?;
    let returned = gradient.function.ty().function_result();
    let layout = layout(queries, &stand_in.members);
    let out = crate::annotations::signature::slot(b, layout);
    b.call(stand_in.function, &[args, &[out]].concat());
    let shared = variables::shared(queries, &stand_in, source)?;
    queries.inner().shared.push(shared);
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
        Some(Param::Const | Param::Exception) => ty.is_float(),
        _ => ty.is_pointer() || ty.is_float(),
    };
    let shadows: Vec<bool> = types.iter().enumerate().map(|(i, ty)| is_shadowed(i, ty)).collect();
    let with_shadow = |(ty, &has): (&Type, &bool)| if has { vec![*ty; 2] } else { vec![*ty] };
    let doubled: Vec<Type> = types.iter().zip(&shadows).flat_map(with_shadow).collect();
    let ty = Type::function(context.void(), &doubled, false);
    let tangent = queries.new_function(&format!("{name}.tangent"), ty, source);
    queries.register_tangent(function, Tangent::own(tangent, shadows.clone()));
    let repeats = adjoint::declare(queries, source, function, &shadows)?;
    let width = gradient.width;
    let one = linear(queries, source, params, 1)?;
    let wide = if width == 1 { one } else { linear(queries, source, params, width)? };
    let effects = queries.new_function(&format!("{name}.effects"), function.ty(), source);
    let stand_in = StandIn {
        types: source.ty().function_params(),
        result: source.ty().function_result(),
        params: params.to_vec(),
        function,
        tangent,
        shadows,
        repeats,
        linear: one,
        wide,
        width,
        effects,
        members,
        has_seed: gradient.has_seed,
        has_result: gradient.has_result,
        asked,
    };
    stand_in.define_effects(queries)?;
    Ok(stand_in)
}

/// Which parameters of the tangent have derivatives: reals that the request calls constant may have
/// some in the code around it.
fn varied(types: &[Type], params: &[Param]) -> Vec<Param> {
    let of = |(ty, p): (&Type, &Param)| if ty.is_float() { Param::Active } else { *p };
    types.iter().zip(params).map(of).collect()
}

/// F in so many directions.
fn linear(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    width: usize,
) -> Result<Function, Vec<Diagnostic>> {
    let context = queries.module().context();
    let varied = varied(&source.ty().function_params(), params);
    let needed = Context::of_request(&vec![false; params.len()]);
    let carried = Carried::Derivatives(width);
    let tangent = wrapper::tangent(queries, source, &varied, &needed, carried)?;
    let types = [tangent.ty().function_params(), vec![context.ptr()]].concat();
    let ty = Type::function(context.void(), &types, false);
    let f = queries.new_function(&format!("{}.linear", source.name()), ty, source);
    // Where it is called to tell what it does to memory (effects.rs).
    f.add_attribute("noinline");
    let b = Builder::at_end(context, f.append_block("entry"));
    let all = f.params();
    let (out, args) = all.split_last().expect("it has `out`");
    let call = b.call(tangent, args);
    let result = source.ty().function_result();
    if !result.is_void() {
        let results = context.structure(&vec![result; 1 + width]);
        for i in 0..if result.holds_float() { 1 + width as u32 } else { 1 } {
            b.store(b.extract(call, i), b.member(results, *out, i));
        }
    }
    b.ret_void();
    queries.finish(f)?;
    Ok(f)
}

/// Refuses code that runs an inner adjoint for several directions, as a request made it: what gives memory
/// back between them has no derivative.
pub fn check_directions(body: &Imported) -> Result<(), Vec<Diagnostic>> {
    let is_ours = |v: &ValueId| body[*v].symbol.as_deref().is_some_and(|s| s.starts_with(UNDO));
    let Some(call) = body.insts().find(is_ours) else { return Ok(()) };
    let text = "a request in this code asks for several directions of code that asks for an adjoint: \
        the derivative of that is not supported yet";
    let remedy = "ask for one direction there, in a loop";
    Err(vec![Diagnostic::new(Code::RequestUnsupported, Some(body.llvm(call)), text, remedy)])
}

/// A function that logs what memory a stand-in accesses.
pub struct Keep {
    /// `(parameters, shadows of pointers…) -> log`.
    pub function: Function,
    /// Which parameters are followed by their shadow.
    pub shadows: Vec<bool>,
}

/// That of the stand-in `f`; `None` of other functions.
pub fn keep(queries: &mut dyn Queries, f: Function) -> Option<Keep> {
    let mut all = queries.inner().left.iter();
    let stand_in = all.find(|stand_in| stand_in.function == f)?;
    let repeats = &stand_in.repeats;
    Some(Keep { function: repeats.keep, shadows: repeats.shadows.clone() })
}

impl StandIn {
    /// Whether code calls a derivative of it that has no body yet.
    pub fn is_reached(&self) -> bool {
        is_reached(self.tangent) || self.repeats.is_reached()
    }

    /// Gives what code calls of its derivatives a body.
    pub fn define(&self, queries: &mut dyn Queries) -> Result<(), Vec<Diagnostic>> {
        if is_reached(self.tangent) {
            self.define_tangent(queries)?;
        }
        if self.repeats.is_reached() {
            self.define_repeats(queries)?;
        }
        Ok(())
    }

    /// Deletes what nobody needs.
    pub fn forget(&self) {
        let made = [self.tangent].into_iter().chain(self.repeats.all()).chain([self.effects]);
        for f in made.chain(self.analysed()) {
            if f.value().users().is_empty() {
                f.delete();
            }
        }
    }

    /// What the derivatives of later waves are made of.
    pub fn analysed(&self) -> impl Iterator<Item = Function> + use<> {
        [self.linear].into_iter().chain((self.wide != self.linear).then_some(self.wide))
    }

    /// Whether a later wave needs `f`.
    pub fn needs(&self, f: Function) -> bool {
        self.effects == f || self.analysed().any(|g| g == f)
    }

    /// How the parameters of F in so many directions take part, if f's do so, and their tangents as the
    /// request says.
    fn params_of_linear(&self, own: &[Param], width: usize) -> Vec<Param> {
        let varied = varied(&self.types, &self.params);
        let tangents = self.params.iter().zip(varied).filter(|(_, p)| p.is_active());
        let tangents = tangents.flat_map(|(p, _)| vec![*p; width]);
        let result = if self.result.holds_float() { Param::Shadowed } else { Param::Const };
        own.iter().copied().chain(tangents).chain([result]).collect()
    }

    /// What F in so many directions writes its result and the tangents of that to.
    fn results_type(&self, queries: &dyn Queries, width: usize) -> Type {
        queries.module().context().structure(&vec![self.result; 1 + width])
    }

    /// A variable of that type. What is not used must not look like memory that has a derivative: there
    /// is none without a result.
    fn results(&self, queries: &dyn Queries, b: &Builder, width: usize) -> Option<Value> {
        (!self.result.is_void()).then(|| b.alloca(self.results_type(queries, width), "results"))
    }

    /// The same for adjoints of a real result.
    fn seeds(&self, queries: &dyn Queries, b: &Builder, width: usize) -> Option<Value> {
        let has_seeds = self.result.holds_float();
        has_seeds.then(|| b.alloca(self.results_type(queries, width), "seeds"))
    }

    /// How many parameters are adjoints of the result.
    fn seed_count(&self) -> usize {
        if self.has_seed { self.width } else { 0 }
    }
}
