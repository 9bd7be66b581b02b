//! The adjoint of an inner adjoint, and what lets either run again.
//!
//! The stand-in turns memory m and its adjoint m' into f(m) and J(m)^T m'. Let the code around have the
//! adjoints b of m and w of m', as they are behind the call. Before it they are
//!   J(m)^T b + d<m', J(m) w>/dm for m,   and J(m) w for m'.
//! That is the adjoint of F at (m, w), the tangent of f, where f(m) has the adjoint b and J(m) w has m': it
//! turns b into the first, and F itself turns w into the second. The same function as for the tangent
//! (tangent.rs), where the four take other roles.
//!
//! It runs in the reverse sweep, when m and m' hold other numbers. So a copy of F that logs memory runs
//! first (codegen/adjoint/forward/logged.rs), in the forward sweep: what it changes is undone at once, and before the
//! adjoint of F runs, memory holds again what it held. An adjoint in several directions has one m' and one w
//! for each: then F is the tangent in as many directions, and the sums are the adjoint of that. A tangent in several directions runs
//! once for each, and needs the same.

use super::{ONCE, StandIn, layout, varied};
use crate::{
    annotations::registry::{Adjoint, Rule},
    codegen::{
        Queries,
        adjoint::{
            self,
            checkpoint::{self, Repeated},
        },
        wrapper,
    },
    diagnostics::{self, Code, Diagnostic, names::readable},
    llvm::{Builder, Function, Module, Type, Value},
};
use adanalysis::{activity::Param, context::Context};

/// Functions of a stand-in that are declared with it, and defined when code calls them.
#[derive(Clone)]
pub struct Repeats {
    /// `(parameters, shadows of pointers…) -> log`: what memory holds that the stand-in accesses.
    pub keep: Function,
    /// `(parameters, shadows of pointers…, log) -> adjoints of reals`. The log does not end.
    pub reverse: Function,
    /// Which parameters have a shadow behind them in all of them.
    pub shadows: Vec<bool>,
    /// Why f must not run twice.
    refused: Vec<Diagnostic>,
}

/// Declares the functions of the stand-in `function` of the adjoint of `source`, and registers them.
pub(super) fn declare(
    queries: &mut dyn Queries,
    source: Function,
    function: Function,
    shadows: &[bool],
) -> Result<Repeats, Vec<Diagnostic>> {
    let context = queries.module().context();
    let own = function.ty().function_params();
    let is_shadowed = |(ty, &has): (&Type, &bool)| has && ty.is_pointer();
    let shadows: Vec<bool> = own.iter().zip(shadows).map(is_shadowed).collect();
    let with_shadow = |(ty, &has): (&Type, &bool)| if has { vec![*ty; 2] } else { vec![*ty] };
    let doubled: Vec<Type> = own.iter().zip(&shadows).flat_map(with_shadow).collect();
    let reals: Vec<Type> = own.iter().copied().filter(|ty| ty.is_float()).collect();
    let adjoints = if reals.is_empty() { context.void() } else { context.structure(&reals) };
    let name = function.name();
    let new = |what: &str, params: &[Type], result: Type| {
        let ty = Type::function(result, params, false);
        queries.new_function(&format!("{name}.{what}"), ty, source)
    };
    let ptr = context.ptr();
    let keep = new("keep", &doubled, ptr);
    // Whether a place lies in its frame is told by an address (runtime/src/undo.rs).
    keep.add_attribute("noinline");
    keep.remove_attribute(adjoint::STACK_ELSEWHERE);
    let reverse = new("reverse", &[doubled, vec![ptr]].concat(), adjoints);
    let rule = Adjoint::own(Rule::own(keep, vec![ptr]), Rule::own(reverse, reals), shadows.clone());
    queries.register_adjoint(function, rule);
    let refused = check_repeats(queries, source)?;
    Ok(Repeats { keep, reverse, shadows, refused })
}

/// Why `source` must not run twice with the same effect.
fn check_repeats(
    queries: &mut dyn Queries,
    source: Function,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let name = readable(&source.source_name());
    let mut found = match checkpoint::check_repeats(queries, source, Repeated::Logged) {
        Ok(_) => vec![],
        Err(found) => found,
    };
    let unit = queries.unit(source).map_err(|d| vec![d])?;
    // Its shadow would be that of the other run.
    if unit.memory.stored_pointers().any(|(o, _)| unit.memory.is_visible(o)) {
        let reason = "it stores addresses in memory that other code sees";
        found.push(Diagnostic::new(Code::RequestUnsupported, None, reason, ""));
    }
    // The canonical code to which the sites belong is gone when this is said.
    let said = |d: Diagnostic| {
        let place = d.site.and_then(diagnostics::place);
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        let text = format!(
            "the adjoint of code that asks for the adjoint of '{name}', and its tangents in several \
            directions, run '{name}' again: {}{place}",
            d.reason
        );
        Diagnostic::new(Code::RequestUnsupported, None, text, ONCE)
    };
    Ok(found.into_iter().map(said).collect())
}

/// Why the stand-in `f` must not run twice; nothing of other functions.
pub fn refused(queries: &mut dyn Queries, f: Function) -> Vec<Diagnostic> {
    let mut all = queries.inner().left.iter();
    all.find(|s| s.function == f).map_or_else(Vec::new, |s| s.repeats.refused.clone())
}

impl Repeats {
    /// Whether code calls one of them that has no body yet.
    pub fn is_reached(&self) -> bool {
        self.all().into_iter().any(is_reached)
    }

    pub fn all(&self) -> [Function; 2] {
        [self.reverse, self.keep]
    }
}

/// Whether code calls a function of ours that has no body yet.
pub fn is_reached(f: Function) -> bool {
    f.is_declaration() && !f.value().users().is_empty()
}

impl StandIn {
    /// Gives what code calls of the adjoint a body.
    pub(super) fn define_repeats(&self, queries: &mut dyn Queries) -> Result<(), Vec<Diagnostic>> {
        let Repeats { keep, reverse, ref refused, .. } = self.repeats;
        if !refused.is_empty() {
            return Err(refused.clone());
        }
        if is_reached(reverse) {
            self.define_reverse(queries, reverse)?;
        }
        if is_reached(keep) {
            self.define_keep(queries, keep)?;
        }
        Ok(())
    }

    /// Runs F, with the adjoints in the place of tangents, and undoes it.
    fn define_keep(
        &self,
        queries: &mut dyn Queries,
        keep: Function,
    ) -> Result<(), Vec<Diagnostic>> {
        let module = queries.module();
        let context = module.context();
        let ptr = context.ptr();
        let params = self.params_of_linear(&varied(&self.types, &self.params), self.width);
        let needed = Context::of_request(&vec![false; params.len()]);
        let logged = wrapper::logged(queries, self.wide, &params, &needed)?;
        let b = Builder::at_end(context, keep.append_block("entry"));
        let (own, shadows) = self.given(keep);
        let adjoints = self.adjoints(&own);
        let begin = module.declare("adrt_undo_begin", Type::function(ptr, &[ptr], false));
        let log = b.call(begin, &[frame(module, &b)]);
        let results = self.results(queries, &b, self.width);
        let mut args = self.arguments(&own, adjoints, |_, ty| ty.zero());
        args.push(results.unwrap_or(ptr.zero()));
        args.extend(shadows[..shadows.len() - 1].iter().flatten());
        args.extend(self.seeds(queries, &b, self.width));
        args.push(log);
        b.call(logged, &args);
        b.call(restore(module), &[log]);
        b.ret(log);
        queries.finish(keep)
    }

    fn define_reverse(
        &self,
        queries: &mut dyn Queries,
        reverse: Function,
    ) -> Result<(), Vec<Diagnostic>> {
        let module = queries.module();
        let context = module.context();
        let params = self.params_of_linear(&varied(&self.types, &self.params), self.width);
        let needed = Context::of_request(&vec![false; params.len()]);
        let gradient = wrapper::gradient(queries, self.wide, &params, &needed, 1, false)?;

        let b = Builder::at_end(context, reverse.append_block("entry"));
        let (own, shadows) = self.given(reverse);
        let log = *reverse.params().last().expect("the log is the last");
        b.call(restore(module), &[log]);
        let layout = layout(queries, &self.members);
        let out = shadows.last().copied().flatten().expect("`out` has a shadow");
        let member = |i: usize| b.load(self.members[i], b.member(layout, out, i as u32));

        let results = self.results(queries, &b, self.width);
        let all_results = self.results_type(queries, self.width);
        let seeds = self.seeds(queries, &b, self.width);
        let given_seeds = &own[own.len() - 1 - self.seed_count()..own.len() - 1];
        if let Some(seeds) = seeds {
            let of_result = if self.has_result { member(0) } else { self.result.zero() };
            b.store(of_result, b.member(all_results, seeds, 0));
            for i in 0..self.width {
                let seed = given_seeds.get(i).copied().unwrap_or(self.result.zero());
                b.store(seed, b.member(all_results, seeds, 1 + i as u32));
            }
        }
        // The adjoints of what the stand-in returns for active reals.
        let gains: Vec<Value> =
            (usize::from(self.has_result)..self.members.len()).map(member).collect();
        let mut left = gains.into_iter();
        let of_real = |i: usize, ty: Type| match self.params[i] {
            Param::Active => left.next().expect("as many as there are active reals"),
            _ => ty.zero(),
        };
        let adjoints = self.adjoints(&own);
        let outer = &shadows[self.types.len()..];
        let mut args = self.arguments(&own, outer.iter().copied().flatten(), of_real);
        args.push(results.unwrap_or(context.ptr().zero()));
        args.extend(shadows[..self.types.len()].iter().flatten());
        args.extend(adjoints);
        args.extend(seeds);
        let call = b.call(gradient.function, &args);

        // Where nothing is written there, it has no shadow.
        if !self.members.is_empty() {
            b.memset(out, context.int(8).zero(), context.int(64).int(module.alloc_size(layout)));
        }
        let reals = self.types.iter().filter(|ty| ty.is_float()).count() as u32;
        let mut adjoints: Vec<Value> = (0..reals).map(|i| b.extract(call, i)).collect();
        for i in 0..self.seed_count() as u32 {
            let results = results.expect("a real result");
            adjoints.push(b.load(self.result, b.member(all_results, results, 1 + i)));
        }
        if adjoints.is_empty() {
            b.ret_void();
        } else {
            let mut all = reverse.ty().function_result().poison();
            for (i, adjoint) in adjoints.into_iter().enumerate() {
                all = b.insert_value(all, adjoint, i as u32);
            }
            b.ret(all);
        }
        queries.finish(reverse)
    }

    /// The stand-in's parameters among those of a sweep, and the shadow behind each.
    fn given(&self, sweep: Function) -> (Vec<Value>, Vec<Option<Value>>) {
        let mut left = sweep.params().into_iter();
        let mut next = || left.next().expect("as many as its type says");
        let types = self.function.ty().function_params();
        let has = types.iter().zip(&self.shadows).map(|(ty, &has)| has && ty.is_pointer());
        has.map(|has| (next(), has.then(&mut next))).unzip()
    }

    /// The adjoints of memory among the stand-in's parameters.
    pub(super) fn adjoints<'v>(&self, own: &'v [Value]) -> impl Iterator<Item = Value> + 'v {
        let behind = 1 + self.seed_count();
        own[self.types.len()..own.len() - behind].iter().copied()
    }

    /// The first arguments of F in all directions: parameters of f, and in the place of their tangents these pointers and
    /// reals.
    pub(super) fn arguments(
        &self,
        own: &[Value],
        mut pointers: impl Iterator<Item = Value>,
        mut of_real: impl FnMut(usize, Type) -> Value,
    ) -> Vec<Value> {
        let mut args = own[..self.types.len()].to_vec();
        for (i, (ty, p)) in self.types.iter().zip(varied(&self.types, &self.params)).enumerate() {
            let mut tangent = || match ty.is_float() {
                true => of_real(i, *ty),
                false => pointers.next().expect("as many as there are pointers"),
            };
            if p.is_active() {
                args.extend((0..self.width).map(|_| tangent()));
            }
        }
        args
    }
}

/// Where the frame of the function that `b` fills begins: its variables lie below.
fn frame(module: Module, b: &Builder) -> Value {
    let context = module.context();
    let i32 = context.int(32);
    let ty = Type::function(context.ptr(), &[i32], false);
    b.call(module.declare("llvm.frameaddress.p0", ty), &[i32.zero()])
}

/// The function that gives memory back what it held.
pub fn restore(module: Module) -> Function {
    let context = module.context();
    module.declare("adrt_undo_restore", Type::function(context.void(), &[context.ptr()], false))
}

/// The function by which a log takes in another one, which ends.
pub fn join(module: Module) -> Function {
    let context = module.context();
    let ptr = context.ptr();
    module.declare("adrt_undo_join", Type::function(context.void(), &[ptr, ptr], false))
}

/// The function that ends a log.
pub fn end(module: Module) -> Function {
    let context = module.context();
    module.declare("adrt_undo_end", Type::function(context.void(), &[context.ptr()], false))
}
