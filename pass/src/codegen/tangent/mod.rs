//! Tangent mode: one sweep that computes values and derivatives together.
//!
//! `f.tangent(params…, shadows and derivatives of active ones in order) -> {primal result, its derivative}`.
//! In several directions at once, each shadow and derivative becomes as many, side by side. The
//! derivative of an instruction is emitted beside its copy, from the same partials as the adjoint
//! uses. Equations: Hascoët & Pascual, RR-7957, section 5.3.

mod calls;
mod carried;
mod custom;
mod memory;
mod sets;
mod values;

use crate::{
    codegen::Queries,
    codegen::{
        digits::{self, Digits},
        handles, kept,
        prebuilt::constants,
        sweep::{self, Filled, Sweep, Zeros},
        text, validate,
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
};
use adir::{Callee, Op, Ty, ValueId};
pub use carried::Carried;

/// Declares the tangent of `unit` for parameters of that activity: its type says what it takes and
/// returns.
pub fn declare(queries: &dyn Queries, unit: &Unit, params: &[Param], carried: Carried) -> Function {
    let width = carried.width();
    let source = unit.canon.source;
    let context = queries.module().context();
    let mut types = source.ty().function_params();
    let active = types.iter().zip(params).filter(|(_, p)| p.is_active());
    let extra: Vec<Type> = active.flat_map(|(t, _)| std::iter::repeat_n(*t, width)).collect();
    types.extend(extra);
    let result = source.ty().function_result();
    let result =
        if result.is_void() { result } else { context.structure(&vec![result; 1 + width]) };
    let what = if carried == Carried::Sets { "pattern" } else { "tangent" };
    queries.new_function(
        &format!("{}.{what}", source.name()),
        Type::function(result, &types, false),
        source,
    )
}

/// Fills a declared tangent.
pub fn define(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    function: Function,
    carried: Carried,
) -> Result<(), Vec<Diagnostic>> {
    fill(queries, unit, params, context, (function, carried), false)
}

/// The same in one direction, with a stop before each call of a derivative.
pub fn define_with_stops(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    function: Function,
) -> Result<(), Vec<Diagnostic>> {
    fill(queries, unit, params, context, (function, Carried::ONE), true)
}

fn fill(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    (function, carried): (Function, Carried),
    stops: bool,
) -> Result<(), Vec<Diagnostic>> {
    let width = carried.width();
    let locations = stats::time("locations", || unit.locations(context));
    let known = unit.known(&locations);
    let activity = stats::time("activity", || {
        Activity::of_tangent(known, params, context, queries.config().uses("activity"))
    });
    stats::time("check", || {
        crate::codegen::check::check(
            unit,
            known,
            context,
            &activity,
            crate::codegen::check::Mode::Tangent,
        )
    })?;
    if carried == Carried::Sets {
        sets::check(unit, &activity)?;
    } else if !stops {
        queries.registry().check_calls(unit, &activity, crate::codegen::check::Mode::Tangent)?;
    }
    let live = stats::time("diff-liveness", || match queries.config().uses("diff-liveness") {
        true => DiffLiveness::compute(
            known,
            context,
            &[used(unit, &activity), digits::values(unit, &activity)].concat(),
            &|call| activity.is_active_call(call),
        ),
        false => DiffLiveness::everything(&unit.body),
    });
    let caller = Caller { known, context, activity: &activity, live: &live, tbr: None };
    let _t = stats::stage("generate tangent");
    let all = function.params();
    let extra = &all[unit.body.params.len()..];
    let shadows = sweep::shadow_params(extra, width, params.iter().map(|p| p.is_active()));
    let scope = DebugScope::new(function, unit.canon.function, Words::TANGENT);
    let sweep = Sweep::new(
        queries.module(),
        unit,
        &caller,
        Filled { function, scope: scope.as_ref() },
        &shadows,
        width,
        Zeros::Source,
    );
    Tangent { sweep, queries: &mut *queries, caller: &caller, unit, carried, width, stops }
        .run()?;
    if carried != Carried::Sets {
        queries.report_tangent(unit, &caller);
    }
    Ok(())
}

/// What derivative instructions read of the primal: operands and results of what is differentiated.
fn used(unit: &Unit, activity: &Activity) -> Vec<ValueId> {
    let body = &unit.body;
    let differentiated = |&v: &ValueId| match body[v].op {
        Op::Store | Op::Call(_) => true,
        Op::Load if activity.is_checked(v) => true,
        _ => activity.is_active(v) || (body[v].ty == Ty::Ptr && activity.has_shadow(v)),
    };
    let values = body.insts().filter(differentiated).flat_map(|v| {
        // What a store stores is only moved; where it goes is read.
        let operands = if matches!(body[v].op, Op::Store) {
            &body[v].operands[1..]
        } else {
            &body[v].operands
        };
        operands.iter().copied().chain(activity.is_active(v).then_some(v))
    });
    values.collect()
}

struct Tangent<'a, 's> {
    sweep: Sweep<'a>,
    queries: &'s mut dyn Queries,
    caller: &'a Caller<'a>,
    unit: &'a Unit,
    /// What stands beside each real.
    carried: Carried,
    /// Number of directions.
    width: usize,
    /// Whether calls of derivatives are validated.
    stops: bool,
}

impl Tangent<'_, '_> {
    fn run(&mut self) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        self.each(|this| {
            this.sweep.start_phis(|activity, body, v| match body[v].ty {
                Ty::Ptr => activity.has_shadow(v),
                _ => activity.is_active(v),
            });
            Ok(())
        })?;
        let digits = Digits::new(&mut self.sweep);
        for v in body.insts().collect::<Vec<_>>() {
            self.sweep.visit(v);
            constants::check(&self.sweep, self.caller, v);
            digits.emit(&mut self.sweep, v);
            self.stop(v)?;
            match &body[v].op {
                // What takes the place of the primal instruction does so for all directions.
                Op::Call(Callee::Defined) if self.sweep.activity.is_active_call(v) => {
                    self.defined_call(v)?
                }
                Op::Call(Callee::Defined) => {
                    handles::check_in_callee(&mut self.sweep, self.queries, self.caller, v);
                    self.each(|this| this.inst(v))?;
                }
                Op::Call(Callee::Custom) if self.sweep.activity.is_active_call(v) => {
                    self.custom_call(v)?
                }
                Op::Call(Callee::Unknown) if kept::ends_sweep(body, self.sweep.activity, v) => {
                    kept::refuse(&mut self.sweep, v)
                }
                Op::Call(Callee::Unwound | Callee::Passive)
                    if kept::takes_reals(body, self.sweep.activity, v) =>
                {
                    kept::refuse_half(&mut self.sweep, v, kept::NO_SHADOW)
                }
                Op::Ret => self.ret(v),
                Op::Call(Callee::Passive) => {
                    self.each(|this| this.inst(v))?;
                    text::follow(&mut self.sweep, v, |sweep, delete, old| {
                        sweep.builder.call(delete, &[old]);
                    });
                }
                _ => self.each(|this| this.inst(v))?,
            }
            let is_memory =
                matches!(body[v].op, Op::Alloca(_) | Op::Call(Callee::Allocate(_) | Callee::Free));
            if self.stops && is_memory && self.caller.live.is_present(v) {
                validate::stops::memory(self.queries, &mut self.sweep, self.unit, v);
            }
        }
        self.each(|this| {
            this.sweep.finish_phis();
            Ok(())
        })?;
        self.sweep.name_shadows();
        for v in body.insts().filter(|&v| !self.caller.live.is_present(v)) {
            self.sweep.erase(v);
        }
        digits.finish();
        self.erase_dead_loads();
        Ok(())
    }

    /// Has a derivative that is about to be called validated, where that is wanted.
    fn stop(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let is_checked = match self.unit.body[v].op {
            Op::Call(Callee::Defined | Callee::Custom) => self.sweep.activity.is_active_call(v),
            // Of what is declared inactive, the result may depend on what is varied all the same.
            Op::Call(Callee::Passive) => self.unit.body[v].ty.is_real(),
            _ => false,
        };
        if !self.stops || !is_checked {
            return Ok(());
        }
        validate::stops::stop(self.queries, &mut self.sweep, self.unit, self.caller.context, v)
    }

    /// Erases loads whose values no code needs: the address may come from a variable whose stores
    /// are left out.
    fn erase_dead_loads(&mut self) {
        let body = &self.unit.body;
        for v in body
            .insts()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .filter(|&v| !self.caller.live.is_live(v))
        {
            let is_real = matches!(
                body[v].op,
                Op::FNeg | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FCmp
            );
            let is_other = matches!(
                body[v].op,
                Op::Load
                    | Op::Gep(..)
                    | Op::Cast(_)
                    | Op::Select
                    | Op::IntBinary(_)
                    | Op::ICmp
                    | Op::Freeze
                    | Op::Phi(_)
            );
            if (is_real || is_other) && !body[v].is_once && self.sweep.value(v).users().is_empty() {
                self.sweep.erase(v);
            }
        }
    }

    /// Does something for one direction after the other.
    fn each(
        &mut self,
        mut act: impl FnMut(&mut Self) -> Result<(), Vec<Diagnostic>>,
    ) -> Result<(), Vec<Diagnostic>> {
        for direction in 0..self.width {
            self.sweep.direction = direction;
            act(self)?;
        }
        self.sweep.direction = 0;
        Ok(())
    }

    /// The derivative of an instruction in the present direction.
    fn inst(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let op = &self.unit.body[v].op;
        if self.sweep.shadow_pointer(v) && !matches!(op, Op::Call(_)) {
            return Ok(());
        }
        match op {
            Op::Load | Op::Store | Op::Update(_) => self.memory(v),
            Op::Call(callee) => self.call(v, callee),
            _ => self.value(v),
        }
        Ok(())
    }

    /// Returns {result, derivatives}.
    fn ret(&mut self, v: adir::ValueId) {
        let copy = self.sweep.value(v);
        self.sweep.builder.position_before(copy);
        self.sweep.forget_variables();
        let Some(&result) = self.unit.body[v].operands.first() else { return };
        let primal = self.sweep.value(result);
        // What leads to a result that no code needs may be left out in part.
        let primal = if self.caller.live.is_live(result) { primal } else { primal.ty().zero() };
        let derivatives = self.sweep.shadows(result);
        let b = &self.sweep.builder;
        let mut all = b.context().structure(&vec![primal.ty(); 1 + self.width]).poison();
        for (i, member) in std::iter::once(primal).chain(derivatives).enumerate() {
            all = b.insert_value(all, member, i as u32);
        }
        b.ret(all);
        self.sweep.erase(v);
    }
}
