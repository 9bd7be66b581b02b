//! Adjoint mode: an augmented forward sweep that records, and a reverse sweep that accumulates
//! adjoints.
//!
//! `forward(params…, shadows of pointers…[, frame]) -> result | frame | {result, frame[, shadow of the result]}`
//! and `reverse(frame[, adjoint of the result]) -> {adjoints of the active by-value parameters}`. A
//! request inlines both into one function, with the frame on its stack: what is recorded outside
//! loops is then a register. A call from differentiated code calls them apart, with the frame in
//! the arena, and hands the parameters to the reverse sweep again (live_ins.rs). In several
//! directions at once, each shadow and each adjoint becomes as many, side by side; all else is
//! there once. Equations: Hascoët & Pascual, RR-7957, section 5.4; control-flow reversal: Naumann
//! et al., sections 4.1 to 4.5.

mod accumulate;
mod arrays;
mod bits;
pub mod checkpoint;
mod control;
mod copies;
mod custom;
mod cut;
mod forward;
pub mod leftovers;
pub mod live_ins;
mod lookup;
mod memory;
pub mod needs;
pub mod order;
pub mod plan;
mod preaccumulate;
pub mod predecessors;
pub mod recording;
mod reverse;
pub mod sections;
pub mod shared;
mod sites;
pub mod sources;
pub mod tape;
pub mod unaligned;
mod untyped;
mod variables;
mod zeros;

use crate::{
    annotations::{checkpoint::OUTLINED, config::Sums},
    codegen::{
        Queries,
        check::{self, Mode},
        digits,
        sweep::Filled,
    },
    diagnostics::Diagnostic,
    image::unit::Unit,
    llvm::{DebugScope, Function, Type, Words},
};
use adanalysis::{
    activity::{Activity, Param},
    calls::Caller,
    context::Context,
    diff_liveness::DiffLiveness,
    stats,
    tbr::Tbr,
};
use adir::{ValueId, target};
use live_ins::LiveIns;
use needs::Needs;
use sources::Sources;
use std::{
    cell::{Cell, OnceCell},
    rc::Rc,
};

/// Where a frame lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FrameStorage {
    /// The caller gives it, and inlines both sweeps: stack variables of the function outlive the
    /// forward sweep, and memory behind parameters is not overwritten between the sweeps.
    Caller,
    /// The forward sweep takes it from the tape's arena and returns it.
    Arena,
    /// The same, and the reverse sweep takes the parameters again, at its end. A frame of one word
    /// is returned itself.
    Call,
    /// There is none: the sweep records nothing, and nobody undoes it.
    None,
    /// There is none: the sweep logs what memory held (`forward/logged.rs`).
    Logged,
}

/// A forward sweep that records nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Advance {
    /// With the shadows of pointers in so many directions.
    Plain(usize),
    /// In one direction, with a log of what memory held, its last parameter (`forward/logged.rs`).
    Logged,
}

impl Advance {
    fn width(self) -> usize {
        match self {
            Advance::Plain(width) => width,
            Advance::Logged => 1,
        }
    }
    fn place(self) -> FrameStorage {
        match self {
            Advance::Plain(_) => FrameStorage::None,
            Advance::Logged => FrameStorage::Logged,
        }
    }
}

impl FrameStorage {
    /// Whether the sweeps are functions of their own, between which other code runs.
    pub fn is_apart(self) -> bool {
        matches!(self, FrameStorage::Arena | FrameStorage::Call)
    }
    /// Whether there is a frame, which records go to.
    pub fn records(self) -> bool {
        !matches!(self, FrameStorage::None | FrameStorage::Logged)
    }
    /// Whether a frame of so many bytes is returned in place of its address.
    pub fn returns_frame(self, bytes: u64) -> bool {
        self == FrameStorage::Call && bytes <= target::pointer()
    }
}

impl Pair {
    /// Debug information of one of the sweeps.
    fn scope_of(&self, unit: &Unit, sweep: Function, words: Words) -> Option<Rc<DebugScope>> {
        let own = || DebugScope::new(sweep, unit.canon.function, words).map(Rc::new);
        self.scope.clone().or_else(own)
    }
}

/// The two sweeps of one function.
pub struct Pair {
    /// The function.
    pub source: Function,
    /// The forward sweep.
    pub forward: Function,
    /// The reverse sweep.
    pub reverse: Function,
    /// Where the frame lives.
    pub place: FrameStorage,
    /// Number of directions.
    pub width: usize,
    /// Whether the reverse sweep takes the adjoints of active arguments so far, and goes on with
    /// them ([`goes_on`]).
    pub goes_on: bool,
    /// Whether the reverse sweep takes adjoints of the result.
    pub has_seed: bool,
    /// Size of the frame in bytes; known once both are defined.
    pub frame_bytes: Cell<u64>,
    /// Whether the tape runtime is used; known once both are defined.
    pub uses_runtime: Cell<bool>,
    /// Debug information of both, where they become one function.
    pub scope: Option<Rc<DebugScope>>,
    /// What the reverse sweep reads of the parameters that it is given.
    reads: OnceCell<Vec<live_ins::Read>>,
}

/// Declares both sweeps.
pub fn declare(
    queries: &dyn Queries,
    unit: &Unit,
    params: &[Param],
    place: FrameStorage,
    width: usize,
) -> Pair {
    let context = queries.module().context();
    let source = unit.canon.source;
    let forward = declare_forward(queries, unit, params, place, width, "forward");
    let mut taken = vec![context.ptr()];
    let has_seed = has_seed(unit);
    if has_seed {
        taken.extend(vec![source.ty().function_result(); width]);
    }
    if place == FrameStorage::Call {
        taken.extend(Pair::live_in_types(&source.ty().function_params(), params, width));
    }
    let returned = adjoints_type(queries, unit, params, width);
    let goes_on = goes_on(source);
    if goes_on && !returned.is_void() {
        taken.extend(returned.struct_members());
    }
    let reverse = queries.new_function(
        &format!("{}.reverse", source.name()),
        Type::function(returned, &taken, false),
        source,
    );
    let scope = match place {
        // The gradient takes it, and needs no other for what is inlined there.
        FrameStorage::Caller => {
            let scope = DebugScope::new(forward, unit.canon.function, Words::ADJOINT);
            [forward, reverse].into_iter().for_each(Function::clear_debug);
            scope.map(Rc::new)
        }
        _ => None,
    };
    let (frame_bytes, uses_runtime, reads) =
        (Cell::new(0), Cell::new(place.is_apart()), OnceCell::new());
    Pair {
        source,
        forward,
        reverse,
        place,
        width,
        has_seed,
        goes_on,
        frame_bytes,
        uses_runtime,
        scope,
        reads,
    }
}

fn declare_forward(
    queries: &dyn Queries,
    unit: &Unit,
    params: &[Param],
    place: FrameStorage,
    width: usize,
    name: &str,
) -> Function {
    let context = queries.module().context();
    let source = unit.canon.source;
    let result = source.ty().function_result();
    let mut types = source.ty().function_params();
    let shadowed = types.iter().zip(params).filter(|(_, p)| **p == Param::Shadowed);
    let shadows: Vec<Type> = shadowed.flat_map(|(t, _)| vec![*t; width]).collect();
    types.extend(shadows);
    types.extend((place == FrameStorage::Logged).then(|| context.ptr()));
    let returned = match place {
        FrameStorage::Caller => {
            types.push(context.ptr());
            result
        }
        FrameStorage::None | FrameStorage::Logged if result.is_pointer() => {
            context.structure(&vec![result; 1 + width])
        }
        FrameStorage::None | FrameStorage::Logged => result,
        FrameStorage::Arena | FrameStorage::Call if result.is_void() => context.ptr(),
        FrameStorage::Arena | FrameStorage::Call if result.is_pointer() => {
            context.structure(&[vec![result, context.ptr()], vec![result; width]].concat())
        }
        FrameStorage::Arena | FrameStorage::Call => context.structure(&[result, context.ptr()]),
    };
    queries.new_function(
        &format!("{}.{name}", source.name()),
        Type::function(returned, &types, false),
        source,
    )
}

/// The struct of adjoints of the active by-value parameters, in order, those of one in all
/// directions side by side; void where there is none.
pub fn adjoints_type(queries: &dyn Queries, unit: &Unit, params: &[Param], width: usize) -> Type {
    let context = queries.module().context();
    let all = unit.canon.source.ty().function_params();
    let active = all.iter().zip(params).filter(|(_, p)| **p == Param::Active);
    let active: Vec<Type> = active.flat_map(|(t, _)| vec![*t; width]).collect();
    if active.is_empty() { context.void() } else { context.structure(&active) }
}

/// What is known before code is made.
pub struct Planned<'a> {
    /// The function, its activity and context.
    pub caller: Caller<'a>,
    /// Which values the reverse sweep needs.
    pub needs: &'a Needs<'a>,
    /// Where it has them from.
    pub sources: &'a Sources<'a>,
    /// How they are recorded.
    pub plan: &'a plan::Plan,
}

/// Defines both sweeps.
pub fn define(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    pair: &Pair,
) -> Result<(), Vec<Diagnostic>> {
    analyse(
        queries,
        unit,
        params,
        context,
        (pair.place, pair.width, Some(pair)),
        |queries, planned| {
            let Planned { ref caller, needs, sources, plan } = planned;
            if queries.config().prints("plan") {
                eprintln!("{}: {plan}", unit.body.name);
            }
            pair.frame_bytes.set(plan.frame_bytes);
            let uses = stats::time("generate forward", || {
                let scope = pair.scope_of(unit, pair.forward, Words::FORWARD);
                let filled = Filled { function: pair.forward, scope: scope.as_deref() };
                forward::emit(queries, caller, unit, Some(sources), plan, filled, pair.place)
            })?;
            pair.uses_runtime.set(pair.uses_runtime.get() || uses);
            stats::time("generate reverse", || {
                reverse::emit(queries, caller, unit, needs, sources, plan, pair)
            })?;
            queries.report_adjoint(unit, pair, &planned);
            Ok(())
        },
    )
}

/// Declares a forward sweep that records nothing: the primal, with the shadows of pointers.
pub fn declare_advance(
    queries: &dyn Queries,
    unit: &Unit,
    params: &[Param],
    form: Advance,
) -> Function {
    let name = if form == Advance::Logged { "logged" } else { "advance" };
    let f = declare_forward(queries, unit, params, form.place(), form.width(), name);
    if form == Advance::Logged {
        f.remove_attribute(STACK_ELSEWHERE);
    }
    f
}

/// The attribute of functions whose variables may lie in the heap (AddressSanitizer). A log tells variables
/// of what it logs by their place in the stack.
pub const STACK_ELSEWHERE: &str = "sanitize_address";

/// Defines it.
pub fn define_advance(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    (function, form): (Function, Advance),
) -> Result<(), Vec<Diagnostic>> {
    let locations = stats::time("locations", || unit.locations(context));
    let known = unit.known(&locations);
    let activity = stats::time("activity", || {
        Activity::compute(known, params, context, queries.config().uses("activity"))
    });
    stats::time("check", || check::check(unit, known, context, &activity, Mode::Adjoint))?;
    queries.registry().check_calls(unit, &activity, Mode::Adjoint)?;
    let live = DiffLiveness::everything(&unit.body);
    let caller = Caller { known, context, activity: &activity, live: &live, tbr: None };
    let plan = plan::Plan::nothing(&unit.body, form.width());
    stats::time("generate forward", || {
        let scope = DebugScope::new(function, unit.canon.function, Words::ADVANCE);
        let filled = Filled { function, scope: scope.as_ref() };
        forward::emit(queries, &caller, unit, None, &plan, filled, form.place())
    })?;
    Ok(())
}

/// How much the sweeps of a request would record in loops; `None` where they cannot be made.
pub fn traffic(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    width: usize,
) -> Option<u64> {
    let traffic = |_: &mut dyn Queries, planned: Planned| Ok(planned.plan.traffic(&unit.body));
    analyse(queries, unit, params, context, (FrameStorage::Caller, width, None), traffic).ok()
}

fn analyse<R>(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    (place, width, pair): (FrameStorage, usize, Option<&Pair>),
    then: impl FnOnce(&mut dyn Queries, Planned) -> Result<R, Vec<Diagnostic>>,
) -> Result<R, Vec<Diagnostic>> {
    let uses = |analysis: &str| queries.config().uses(analysis);
    let locations = stats::time("locations", || unit.locations(context));
    let known = unit.known(&locations);
    let activity =
        stats::time("activity", || Activity::compute(known, params, context, uses("activity")));
    stats::time("check", || check::check(unit, known, context, &activity, Mode::Adjoint))?;
    queries.registry().check_calls(unit, &activity, Mode::Adjoint)?;
    let mut needs = stats::time("needs", || Needs::new(unit, &activity, uses("recompute")));
    let needed = stats::time("needs", || needs.needed());
    let live = stats::time("diff-liveness", || match uses("diff-liveness") {
        true => {
            let mut used: Vec<ValueId> = needed.iter().flat_map(|n| n.values(&unit.body)).collect();
            used.extend(digits::values(unit, &activity));
            if forward::reads_errno(queries.module()) {
                // The calls stay that set it.
                let calls = unit.body.insts().filter(|&v| forward::is_value_call(&unit.body, v));
                used.extend(calls.flat_map(|v| unit.body[v].operands.iter().copied()));
            }
            DiffLiveness::compute(known, context, &used, &|call| activity.is_active_call(call))
        }
        false => DiffLiveness::everything(&unit.body),
    });
    let tbr = stats::time("tbr", || match uses("tbr") {
        true => Tbr::compute(known, context, &|v| live.is_present(v)),
        false => Tbr::nothing(&unit.body),
    });
    let caller = Caller { known, context, activity: &activity, live: &live, tbr: Some(&tbr) };
    // Partials that are multiplied in groups round in another order.
    let preaccumulates = uses("preaccumulation") && queries.config().sums == Sums::Free;
    let calls = match pair {
        Some(_) => live_ins::calls(queries, &caller, unit, &needs, width),
        None => vec![],
    };
    let mut reads = vec![live_ins::Read::default(); unit.body.params.len()];
    let (sources, plan) = loop {
        let nodes = live_ins::nodes(&caller, &unit.body, &calls, pair.map(|p| (p, &reads[..])));
        needs.live_ins = LiveIns { params: place == FrameStorage::Call, calls: nodes };
        let needed = stats::time("needs", || needs.needed());
        let mut sources = stats::time("plan", || Sources::new(&needs, &tbr, known));
        let mut plan =
            stats::time("plan", || plan::Plan::compute(&unit.body, &sources, needed, place, width));
        if preaccumulates {
            stats::time("preaccumulation", || {
                preaccumulate::improve(&mut plan, &mut sources, place, width)
            });
        }
        let grows = live_ins::grow(&mut reads, &live_ins::reads(&unit.body, &sources, &plan));
        // Only what the function hands to itself depends on what it reads.
        if !(grows
            && pair
                .is_some_and(|own| calls.iter().any(|(_, callee)| callee.forward == own.forward)))
        {
            break (sources, plan);
        }
    };
    if let Some(pair) = pair {
        pair.reads.get_or_init(|| reads);
    }
    then(queries, Planned { caller, needs: &needs, sources: &sources, plan: &plan })
}

/// Whether the reverse sweep of a function goes on with its caller's sums instead of beginning its
/// own: checkpointed loops and their steps are part of the function around them, and terms are
/// added one after the other as if they still were there.
fn goes_on(source: Function) -> bool {
    source.attribute_string(OUTLINED).is_some()
}

/// Whether the function's result has an adjoint.
pub fn has_seed(unit: &Unit) -> bool {
    let exit = unit.body.exit.map(|b| unit.body.terminator(b));
    let result = exit.and_then(|ret| unit.body[ret].operands.first().copied());
    result.is_some_and(|v| unit.body[v].ty.holds_float() || unit.bits.has_reals(v))
}
