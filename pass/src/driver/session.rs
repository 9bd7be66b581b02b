//! The work on one module: units and derivatives, each made once.

use crate::{
    annotations::attributes::{EARLIER, GENERATED},
    annotations::{
        config::Config,
        joint,
        registry::{self, Adjoint, Registry, Tangent},
    },
    canon::{self, Manner},
    codegen::{GaveUp, Queries},
    codegen::{
        adjoint::{self, Advance, checkpoint},
        globals, handles,
        inner::{self, Inner},
        refusal,
        tangent::{self, Carried},
        teams, validate,
    },
    diagnostics::{Code, Diagnostic},
    driver::program::{self, Units},
    frontend::{Before, Host},
    frontend::{
        by_value::{self, Shape},
        request,
    },
    image::unit::Unit,
    llvm::{Builder, Function, Module, Type},
    report::Reports,
};
use adanalysis::{activity::Param, calls::Caller, context::Context, stats, types::Pointee};
use adir::hashed::{HashMap, HashSet};
use std::rc::Rc;

/// Instructions that inlining may add to all canonical copies of a module together.
const INLINE_BUDGET: usize = 60_000;
/// Contexts in which one function is differentiated for the same activity of its parameters;
/// further ones share the derivative that relies on nothing.
const MOST_CONTEXTS: usize = 6;

/// A function, the activity of its parameters, and what its caller knows.
type Variant = (Function, Vec<Param>, Context);
/// The same, and a number of directions.
type Directions = (Variant, usize);

/// Caches of one run of the pass.
pub struct Session {
    /// The module.
    pub module: Module,
    /// Options.
    pub config: Config,
    /// Annotations of functions and globals.
    pub registry: Registry,
    units: Units,
    /// Units of attempts before, for diagnostics that name their instructions.
    retired: Vec<Rc<Unit>>,
    /// What requests differentiate.
    roots: Vec<Function>,
    /// What canonical copies share.
    canon: canon::Shared,
    tangents: HashMap<(Variant, Carried), Result<Function, Vec<Diagnostic>>>,
    adjoints:
        HashMap<(Directions, adjoint::FrameStorage), Result<Rc<adjoint::Pair>, Vec<Diagnostic>>>,
    advances: HashMap<(Variant, Advance), Result<Function, Vec<Diagnostic>>>,
    /// What functions take and return by value, and the functions of scalars in their place.
    by_value: HashMap<Function, (Function, Rc<Shape>)>,
    /// Functions that call annotated ones.
    callers: HashMap<Function, Function>,
    contexts: HashMap<(Function, Vec<Param>), Vec<Context>>,
    /// What was made to validate derivatives of calls.
    validated: validate::Made,
    /// Functions whose calls cannot be joint, and why; since the last request.
    refused_joint: HashMap<Function, String>,
    /// Searches that stopped at a limit, by function.
    gave_up: HashMap<Function, Vec<GaveUp>>,
    /// What people want to know of them.
    pub reports: Reports,
    /// Functions that were generated, in order: they are simplified at the end.
    pub generated: Vec<Function>,
    /// Adjoints that differentiated code asks for.
    pub inner: Inner,
}

impl Session {
    /// A session on `module`.
    pub fn new(module: Module, config: Config, registry: Registry) -> Session {
        Session {
            module,
            canon: canon::Shared::new(
                if config.uses("inlining") { INLINE_BUDGET } else { 0 },
                config.calls,
            ),
            reports: Reports::new(module.context(), config.report.is_some()),
            config,
            registry,
            units: HashMap::default(),
            retired: vec![],
            roots: vec![],
            by_value: HashMap::default(),
            callers: HashMap::default(),
            contexts: HashMap::default(),
            validated: HashMap::default(),
            refused_joint: HashMap::default(),
            gave_up: HashMap::default(),
            tangents: HashMap::default(),
            adjoints: HashMap::default(),
            advances: HashMap::default(),
            generated: vec![],
            inner: Inner::default(),
        }
    }

    /// What is differentiated where requests name these functions.
    pub fn differentiated(&mut self, named: impl Iterator<Item = Function>) -> Vec<Function> {
        named.filter_map(|f| Some(self.by_value(f).ok()?.0)).collect()
    }

    /// Makes the units of all functions that requests ask for at once: each knows all its callers.
    pub fn load(&mut self, sources: &[Function]) {
        let mut roots: Vec<Function> = sources.iter().map(|&f| self.subject(f)).collect();
        roots.retain(|f| !self.units.contains_key(f));
        let known: Vec<Function> = self.units.keys().copied().collect();
        let mut passed = self.passed();
        let views = |f: &Function| {
            let own = request::memory::accesses(self.module, *f);
            let calls = request::memory::calls(self.module, *f);
            passed
                .remove(f)
                .unwrap_or_default()
                .into_iter()
                .chain(calls)
                .chain([own])
                .filter(|all| !all.is_empty())
                .collect()
        };
        let roots: Vec<_> =
            roots.iter().map(views).zip(&roots).map(|(views, f)| (*f, views)).collect();
        program::load(self.module, &self.config, &roots, &mut self.canon, &mut self.units, &|f| {
            inner::effects_of(&self.inner.left, f)
        });
        for (_, unit) in self.units.iter().filter(|(f, _)| !known.contains(f)) {
            let Ok(unit) = unit else { continue };
            if self.config.prints("body") {
                eprintln!("{}", unit.body);
            }
            if self.config.prints("types") {
                eprint!(
                    "types @{}\n{}",
                    unit.canon.source.name(),
                    unit.types.listing(&unit.memory)
                );
            }
            if self.config.prints("canon") {
                eprintln!("{}", unit.canon.function.print());
            }
        }
    }

    /// What requests pass to the functions that they differentiate.
    fn passed(&mut self) -> HashMap<Function, Vec<Vec<Pointee>>> {
        let mut all: HashMap<Function, Vec<Vec<Pointee>>> = HashMap::default();
        for call in request::calls(self.module) {
            let Some((named, passed)) =
                request::memory::passed(self.module, call).filter(|(_, passed)| !passed.is_empty())
            else {
                continue;
            };
            // Where structs are passed in pieces, parameters have other numbers.
            if self.by_value(named).is_ok_and(|(f, _)| f == named) {
                let views = all.entry(self.subject(named)).or_default();
                if !views.contains(&passed) {
                    views.push(passed);
                }
            }
        }
        all
    }

    /// Makes the units of what all requests differentiate.
    pub fn load_all(&mut self, roots: Vec<Function>) {
        self.load(&roots);
        self.roots = roots;
    }
    /// Which way calls are taken.
    pub fn manner(&self) -> Manner {
        self.canon.manner
    }
    /// Whether callees hand over exceptions.
    pub fn has_handed(&self) -> bool {
        self.canon.has_handed()
    }
    /// Functions that were generated so far, finished or not.
    pub fn all_generated(&self) -> HashSet<Function> {
        self.module
            .functions()
            .into_iter()
            .filter(|f| f.attribute_string(GENERATED).is_some())
            .collect()
    }
    /// After a request that failed: forgets what was generated since there was only `before`, and
    /// reads all functions anew, in that manner.
    pub fn start_again(&mut self, before: &HashSet<Function>, manner: Manner) {
        let failed: HashSet<Function> = self.all_generated().difference(before).copied().collect();
        self.retired.extend(self.units.drain().filter_map(|(_, unit)| unit.ok()));
        self.tangents.clear();
        self.adjoints.clear();
        self.advances.clear();
        self.contexts.clear();
        self.validated.clear();
        self.by_value.retain(|_, (f, _)| !failed.contains(f));
        self.callers.retain(|_, f| !failed.contains(f));
        self.generated.retain(|f| !failed.contains(f));
        self.inner.forget(&failed);
        failed.iter().for_each(|f| f.delete_body());
        for f in failed {
            if f.value().users().is_empty() {
                f.delete();
            } else {
                Builder::at_end(self.module.context(), f.append_block("entry")).unreachable();
            }
        }
        self.canon.renew(if self.config.uses("inlining") { INLINE_BUDGET } else { 0 }, manner);
        let roots = self.roots.clone();
        self.load(&roots);
    }

    /// The function whose body is differentiated for `source`: where the user annotated what its
    /// derivative is, a function that calls it.
    fn subject(&mut self, source: Function) -> Function {
        if registry::of(source).is_none() {
            return source;
        }
        if let Some(&caller) = self.callers.get(&source) {
            return caller;
        }
        let f = self.new_function(&format!("{}.registered", source.name()), source.ty(), source);
        let b = Builder::at_end(self.module.context(), f.append_block("entry"));
        let call = b.call(source, &f.params());
        if call.ty().is_void() {
            b.ret_void()
        } else {
            b.ret(call)
        }
        f.settle_debug();
        self.generated.push(f);
        self.callers.insert(source, f);
        f
    }

    /// The context in which a derivative is made: the one that is asked for, unless the function
    /// has too many already.
    fn context(&mut self, source: Function, params: &[Param], context: Context) -> Context {
        let known = self.contexts.entry((source, params.to_vec())).or_default();
        if !known.contains(&context) {
            if known.len() >= MOST_CONTEXTS {
                return context.without_claims();
            }
            known.push(context.clone());
        }
        context
    }

    /// What the report says of a derivative that calls share, as they are made in too many contexts.
    fn shared_context(&self, unit: &Unit, caller: &Caller) -> Option<GaveUp> {
        let known = self.contexts.get(&(unit.canon.source, caller.activity.params.clone()))?;
        (known.len() >= MOST_CONTEXTS && !known.contains(caller.context)).then(|| GaveUp {
            analysis: "contexts",
            reason: format!("calls in more than {MOST_CONTEXTS} contexts, which share this one"),
            cost: "records that callers' knowledge of memory would save",
        })
    }

    /// Takes the bodies of our functions away after an error: what is half made must not reach code
    /// generation.
    pub fn drop_generated(&mut self) {
        self.generated.clear();
        for f in
            self.module.functions().into_iter().filter(|f| f.attribute_string(GENERATED).is_some())
        {
            f.delete_body();
        }
    }

    /// Whether a body that is differentiated calls `f`.
    pub fn is_called(&self, f: Function) -> bool {
        let calls = |unit: &Unit| {
            let body = &unit.body;
            body.insts().map(|v| body.llvm(v)).any(|i| i.is_call() && i.called() == f.value())
        };
        self.units.values().filter_map(|u| u.as_ref().ok()).chain(&self.retired).any(|u| calls(u))
    }

    /// A session for the requests around those that were answered: what these made is code like other
    /// code.
    pub fn into_next_wave(mut self) -> Session {
        let mut registry = std::mem::replace(&mut self.registry, Registry::empty(self.module));
        registry.note_used(|f| self.is_called(f));
        self.drop_units();
        for f in self.all_generated() {
            if f.attribute_string(GENERATED).as_deref() != Some("prebuilt") {
                f.remove_attribute_string(GENERATED);
                f.add_attribute_string(EARLIER, "");
            }
        }
        globals::settle_shadows(self.module);
        let mut next = Session::new(self.module, self.config, registry);
        next.inner.left = self.inner.left;
        next.inner.shared = self.inner.shared;
        next.reports = self.reports;
        next
    }

    /// Deletes the canonical copies.
    pub fn drop_units(&mut self) {
        let _t = stats::stage("delete copies");
        for unit in self.units.drain().filter_map(|(_, u)| u.ok()).chain(self.retired.drain(..)) {
            unit.canon.function.delete();
        }
        self.canon.drop_prepared();
        self.canon.drop_outlined();
        crate::canon::models::delete(self.module);
        crate::canon::teams::settle(self.module);
    }
}

/// What the report says of a function of which the callees' effects on pointers are not known.
fn unsettled(unit: &Unit) -> Option<GaveUp> {
    unit.memory.gave_up.then(|| GaveUp {
        analysis: "points-to",
        reason: "functions that call each other store too many pointers in memory".into(),
        cost: "what those calls do to memory is unknown: records and shadows that are not needed",
    })
}

impl Queries for Session {
    fn module(&self) -> Module {
        self.module
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn validated(&mut self) -> &mut validate::Made {
        &mut self.validated
    }

    fn accesses(&self, function: Function) -> Vec<Pointee> {
        request::memory::accesses(self.module, function)
    }

    fn note_refused(&mut self, step: Function, found: &[Diagnostic]) {
        let is_of_region =
            |d: &&Diagnostic| matches!(d.code, Code::Checkpoint | Code::RequestUnsupported);
        if let (Some(callee), Some(why)) =
            (joint::joint_by_option(step), found.iter().find(is_of_region))
        {
            self.refused_joint.entry(callee).or_insert_with(|| why.reason.clone());
        }
    }

    fn unit(&mut self, source: Function) -> Result<Rc<Unit>, Diagnostic> {
        let source = self.subject(source);
        if !self.units.contains_key(&source) {
            self.load(&[source]);
        }
        self.units[&source].clone()
    }

    fn tangents(
        &mut self,
        source: Function,
        params: &[Param],
        context: Context,
        carried: Carried,
    ) -> Result<Function, Vec<Diagnostic>> {
        let context = self.context(source, params, context);
        let key = ((source, params.to_vec(), context.clone()), carried);
        if let Some(known) = self.tangents.get(&key) {
            return known.clone();
        }
        let unit = self.unit(source).map_err(|d| vec![d])?;
        let f = tangent::declare(self, &unit, params, carried);
        // Before its body, so that recursion finds it.
        self.tangents.insert(key.clone(), Ok(f));
        self.reports.enter();
        let defined = match teams::is_team(source) {
            true => teams::define_tangent(self, &unit, params, &context, (f, carried)),
            false => tangent::define(self, &unit, params, &context, f, carried),
        };
        self.reports.leave();
        if let Err(found) = defined {
            refusal::define(self.module, f, source, &found);
            self.tangents.insert(key, Err(found.clone()));
            return Err(found);
        }
        if let Err(found) = self.finish(f) {
            self.tangents.insert(key, Err(found.clone()));
            return Err(found);
        }
        Ok(f)
    }

    fn adjoint(
        &mut self,
        source: Function,
        params: &[Param],
        context: Context,
        width: usize,
        place: adjoint::FrameStorage,
    ) -> Result<Rc<adjoint::Pair>, Vec<Diagnostic>> {
        let context = self.context(source, params, context);
        let is_own = checkpoint::is_loop(source) || teams::is_team(source);
        let place = if is_own { adjoint::FrameStorage::Arena } else { place };
        let key = (((source, params.to_vec(), context.clone()), width), place);
        if let Some(known) = self.adjoints.get(&key) {
            return known.clone();
        }
        let unit = self.unit(source).map_err(|d| vec![d])?;
        let pair = Rc::new(adjoint::declare(self, &unit, params, place, width));
        self.adjoints.insert(key.clone(), Ok(pair.clone()));
        let defined = match checkpoint::is_loop(source) {
            true => checkpoint::define(self, &unit, params, &context, &pair),
            false if teams::is_team(source) => teams::define(self, &unit, params, &context, &pair),
            false => adjoint::define(self, &unit, params, &context, &pair),
        };
        if let Err(found) = defined {
            refusal::define(self.module, pair.forward, source, &found);
            refusal::define(self.module, pair.reverse, source, &found);
            self.adjoints.insert(key, Err(found.clone()));
            return Err(found);
        }
        let finished = self.finish(pair.forward).and_then(|()| self.finish(pair.reverse));
        if let Err(found) = finished {
            self.adjoints.insert(key, Err(found.clone()));
            return Err(found);
        }
        Ok(pair)
    }

    fn advance(
        &mut self,
        source: Function,
        params: &[Param],
        context: Context,
        form: Advance,
    ) -> Result<Function, Vec<Diagnostic>> {
        let context = self.context(source, params, context);
        let key = ((source, params.to_vec(), context.clone()), form);
        if let Some(known) = self.advances.get(&key) {
            return known.clone();
        }
        let unit = self.unit(source).map_err(|d| vec![d])?;
        let f = adjoint::declare_advance(self, &unit, params, form);
        self.advances.insert(key.clone(), Ok(f));
        let defined = match teams::is_team(source) {
            true => teams::define_advance(self, &unit, params, &context, (f, form)),
            false => adjoint::define_advance(self, &unit, params, &context, (f, form)),
        };
        if let Err(found) = defined {
            refusal::define(self.module, f, source, &found);
            self.advances.insert(key, Err(found.clone()));
            return Err(found);
        }
        if let Err(found) = self.finish(f) {
            self.advances.insert(key, Err(found.clone()));
            return Err(found);
        }
        Ok(f)
    }

    fn new_function(&self, name: &str, ty: Type, source: Function) -> Function {
        let f = self.module.add_function(name, ty);
        f.set_external(false);
        self.adopt(f, source);
        f
    }

    fn finish(&mut self, f: Function) -> Result<(), Vec<Diagnostic>> {
        handles::inline_comparisons(self.module, f);
        f.settle_debug();
        if self.config.prints("derivative") {
            eprintln!("{}", f.print());
        }
        self.generated.push(f);
        stats::time("verify", || f.verify()).map_err(|reason| {
            if self.config.prints("broken") {
                eprintln!("{}", f.print());
            }
            let text = format!("generated function '{}' is invalid: {reason}", f.name());
            vec![Diagnostic::new(
                Code::Internal,
                None,
                text,
                "report this as a bug of adcc with the source file",
            )]
        })
    }

    fn register_tangent(&mut self, f: Function, tangent: Tangent) {
        self.registry.register_tangent(f, tangent);
    }

    fn register_adjoint(&mut self, f: Function, adjoint: Adjoint) {
        self.registry.register_adjoint(f, adjoint);
    }

    fn inner(&mut self) -> &mut Inner {
        &mut self.inner
    }

    fn note_gave_up(&mut self, source: Function, what: GaveUp) {
        let known = self.gave_up.entry(source).or_default();
        if !known.contains(&what) {
            known.push(what);
        }
    }

    fn report_tangent(&mut self, unit: &Unit, caller: &Caller) {
        let gave_up =
            self.shared_context(unit, caller).into_iter().chain(unsettled(unit)).collect();
        self.reports.tangent(&self.config, unit, caller, gave_up);
    }

    fn report_adjoint(&mut self, unit: &Unit, pair: &adjoint::Pair, planned: &adjoint::Planned) {
        let mut gave_up = self.gave_up.get(&unit.canon.source).cloned().unwrap_or_default();
        gave_up.extend(planned.plan.gave_up.clone());
        gave_up.extend(self.shared_context(unit, &planned.caller));
        gave_up.extend(unsettled(unit));
        self.reports.adjoint(&self.config, unit, pair, planned, gave_up);
    }
}

impl Host for Session {
    fn before(&self) -> Before {
        Before { generated: self.all_generated(), reported: self.reports.known() }
    }

    fn split_refused(&mut self, before: &Before) -> bool {
        let refused = std::mem::take(&mut self.refused_joint);
        for (callee, reason) in &refused {
            joint::make_split_for(*callee, reason);
        }
        if !refused.is_empty() {
            self.start_again(&before.generated, self.manner());
            self.reports.forget(before.reported);
        }
        !refused.is_empty()
    }

    fn by_value(&mut self, source: Function) -> Result<(Function, Rc<Shape>), Diagnostic> {
        if let Some(known) = self.by_value.get(&source) {
            return Ok(known.clone());
        }
        let shape = Shape::of(self.module, source)?;
        // What has no derivative is refused later, under its own name.
        let function = match shape.is_plain() || source.is_variadic() || source.is_interposable() {
            true => source,
            false => {
                let f = by_value::scalars(self, source, &shape);
                self.finish(f).map_err(|mut d| d.remove(0))?;
                f
            }
        };
        let known = (function, Rc::new(shape));
        self.by_value.insert(source, known.clone());
        Ok(known)
    }

    fn note_generated(
        &mut self,
        symbol: &str,
        names: Vec<Vec<String>>,
        types: Option<Vec<String>>,
    ) {
        self.config.argnames.extend(names.into_iter().map(|names| (symbol.to_owned(), names)));
        self.config.argtypes.extend(types.map(|types| (symbol.to_owned(), types)));
    }

    fn adopt(&self, f: Function, source: Function) {
        f.describe(source);
        f.copy_target_attributes(source);
        f.add_attribute_string(GENERATED, "");
    }
}
