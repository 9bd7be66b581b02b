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
//! request would have none: they are refused.

use crate::{
    annotations::{attributes::is_ours, registry::Tangent},
    codegen::{
        Queries, globals,
        tangent::Carried,
        wrapper::{self, Gradient},
    },
    diagnostics::{Code, Diagnostic, names::readable},
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};
use adanalysis::{activity::Param, context::Context, points_to::Object};
use adir::{Op, hashed::HashSet};
use std::collections::BTreeSet;

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
    /// What all stand-ins share with other code.
    pub shared: Vec<Shared>,
}

/// The global variables that a stand-in uses.
pub struct Shared {
    function: Function,
    /// What it differentiates, unless that is ours: then it may be gone, and no other code calls it.
    source: Option<Function>,
    /// How the source names that.
    name: String,
    /// Those of which the function may read what they hold when it is called, or where that leads.
    read: Vec<Value>,
    /// Those that hold data of the function's that has a derivative.
    active: Vec<Value>,
}

/// An adjoint in the place of which another function is called.
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
    /// F: `(parameters…, tangents…, out)`; the result and its tangent go to `out`.
    pub linear: Function,
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
    let shared = shared(queries, &stand_in, source)?;
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
        types: source.ty().function_params(),
        result: source.ty().function_result(),
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
fn varied(types: &[Type], params: &[Param]) -> Vec<Param> {
    let of = |(ty, p): (&Type, &Param)| if ty.is_float() { Param::Active } else { *p };
    types.iter().zip(params).map(of).collect()
}

/// F.
fn linear(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
) -> Result<Function, Vec<Diagnostic>> {
    let context = queries.module().context();
    let varied = varied(&source.ty().function_params(), params);
    let needed = Context::of_request(&vec![false; params.len()]);
    let tangent = wrapper::tangent(queries, source, &varied, &needed, Carried::ONE)?;
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
        let (types, result) = (&self.types, self.result);
        let varied = varied(types, &self.params);
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
        // What is not used must not look like memory that has a tangent.
        let results = match result.is_void() {
            true => context.ptr().zero(),
            false => b.alloca(pair, "results"),
        };
        let seeds = b.alloca(pair, "seeds");
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

fn shared(
    queries: &mut dyn Queries,
    stand_in: &StandIn,
    source: Function,
) -> Result<Shared, Vec<Diagnostic>> {
    let StandIn { function, ref types, ref params, .. } = *stand_in;
    let unit = queries.unit(source).map_err(|d| vec![d])?;
    let (body, memory) = (&unit.body, &unit.memory);
    let variable = |mut object: usize| loop {
        match memory.objects[object] {
            Object::Behind(slot) => object = memory.slot(slot).0,
            Object::Global(g) if matches!(body[g].op, Op::Global(false)) => {
                return Some(body.llvm(g));
            }
            _ => return None,
        }
    };
    let reads = unit.summary.in_out.reads.iter();
    let read = reads.filter_map(|place| variable(place.object)).collect();
    let needed = Context::of_request(&vec![false; params.len()]);
    let settled = globals::settle(queries, source, &varied(types, params), &needed, 1)?;
    Ok(Shared {
        function,
        source: Some(source).filter(|f| !is_ours(*f)),
        name: readable(&source.source_name()),
        read,
        active: settled.variables().to_vec(),
    })
}

/// What is wrong with the derivative of `outer` as far as it reaches stand-ins that share variables
/// with the code around them.
pub fn check_variables(queries: &mut dyn Queries, outer: Function) -> Vec<Diagnostic> {
    let mut found = vec![];
    let module = queries.module();
    for shared in &queries.inner().shared {
        let inside: Vec<Function> = [shared.function].into_iter().chain(shared.source).collect();
        let around = reached(module, outer, &inside);
        if !around.contains(&shared.function) {
            continue;
        }
        let is_around = |user: &Value| {
            let f = user.block().function();
            !inside.contains(&f) && around.contains(&f)
        };
        let is_kept = |g: &Value| shared.read.contains(g);
        let is_written = |g: &Value| {
            instructions_of(*g)
                .into_iter()
                .any(|i| is_around(&i) && (i.opcode() != Opcode::LLVMLoad || i.ty().is_pointer()))
        };
        let is_used = |g: &Value| instructions_of(*g).iter().any(is_around);
        let holds_data = |g: &&Value| !globals::is_integers(g.global_type());
        let lost = shared.read.iter().filter(|g| is_written(g));
        let lost = lost.chain(shared.active.iter().filter(|g| is_kept(g) || is_used(g)));
        let lost = lost.filter(holds_data);
        let names: BTreeSet<String> = lost.map(|g| readable(&g.name())).collect();
        found.extend(names.into_iter().map(|name| {
            let text = format!(
                "global variable '{name}' connects '{}', of which an inner request takes the \
                adjoint, with the code around that request: its derivative would be lost",
                shared.name
            );
            let remedy = "pass the memory to the function as an argument, in the inner request as \
                well; or make the inner request a tangent";
            Diagnostic::new(Code::InactiveMemory, None, text, remedy)
        }));
    }
    found
}

/// What an adjoint is told that reaches a stand-in.
pub fn refuse_adjoint(call: Option<Value>) -> Diagnostic {
    let text = String::from("the adjoint of code that asks for an adjoint is not supported yet");
    let remedy = "make one of the two requests or heads a tangent: a second derivative is the same \
        number either way";
    Diagnostic::new(Code::RequestUnsupported, call, text, remedy)
}

/// The functions that `f` may call, itself among them; `ends` are not looked into.
fn reached(module: Module, f: Function, ends: &[Function]) -> HashSet<Function> {
    // Calls through pointers may go to all of which an address is taken.
    let is_taken = |f: &Function| {
        let is_other = |u: Value| !u.is_instruction() || !u.is_call() || u.called() != f.value();
        !f.is_declaration() && f.value().users().into_iter().any(is_other)
    };
    let taken: Vec<Function> = module.functions().into_iter().filter(is_taken).collect();
    let mut seen = HashSet::from_iter([f]);
    let mut work = vec![f];
    while let Some(f) = work.pop() {
        if f.is_declaration() || ends.contains(&f) {
            continue;
        }
        for inst in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            let operands = (0..inst.operand_count()).filter_map(|i| inst.operand(i).as_function());
            work.extend(operands.filter(|g| seen.insert(*g)));
            let called = inst.is_call().then(|| inst.called());
            if called.is_some_and(|c| c.as_function().is_none() && !c.is_assembly()) {
                work.extend(taken.iter().copied().filter(|g| seen.insert(*g)));
            }
        }
    }
    seen
}

/// The instructions that use an address, or others made of it as constants.
fn instructions_of(address: Value) -> Vec<Value> {
    let (mut found, mut work) = (vec![], vec![address]);
    while let Some(v) = work.pop() {
        for user in v.users() {
            if user.is_instruction() {
                found.push(user);
            } else if !user.is_global_variable() {
                work.push(user);
            }
        }
    }
    found
}
