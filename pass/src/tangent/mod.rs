//! Tangent mode: one sweep that computes values and derivatives together.
//!
//! `f.tangent(params…, shadows and derivatives of active ones in order) -> {primal result, its derivative}`.
//! The derivative of an instruction is emitted beside its copy, from the same partials as the adjoint uses.
//! Equations: Hascoët & Pascual, RR-7957, section 5.3.

mod calls;
mod custom;
mod memory;
mod values;

use crate::{
    analysis::{
        activity::{Activity, Param},
        calls::Caller,
        context::Context,
        diff_liveness::DiffLiveness,
    },
    diag::Diagnostic,
    ir::{Op, Ty, ValueId},
    llvm::{Function, Type},
    report,
    session::Session,
    stats,
    sweep::{Sweep, Zeros},
    unit::Unit,
};

/// Declares the tangent of `unit` for parameters of that activity: its type says what it takes and returns.
pub fn declare(session: &Session, unit: &Unit, params: &[Param]) -> Function {
    let source = unit.canon.source;
    let context = session.module.context();
    let mut types = source.ty().function_params();
    let extra: Vec<Type> =
        types.iter().zip(params).filter(|(_, p)| **p != Param::Const).map(|(t, _)| *t).collect();
    types.extend(extra);
    let result = source.ty().function_result();
    let result = if result.is_void() { result } else { context.structure(&[result, result]) };
    session.new_function(&format!("{}.tangent", source.name()), Type::function(result, &types, false), source)
}

/// Fills a declared tangent.
pub fn define(
    session: &mut Session,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    function: Function,
) -> Result<(), Vec<Diagnostic>> {
    let locations = stats::time("locations", || unit.locations(context));
    let known = unit.known(&locations);
    let activity = stats::time("activity", || Activity::compute(known, params, context, session.config.uses("activity")));
    stats::time("check", || crate::check::check(unit, &activity, crate::check::Mode::Tangent))?;
    session.registry.check_calls(unit, &activity, crate::check::Mode::Tangent)?;
    let live = stats::time("diff-liveness", || match session.config.uses("diff-liveness") {
        true => DiffLiveness::compute(known, context, &used(unit, &activity), &|call| activity.is_active_call(call)),
        false => DiffLiveness::everything(&unit.body),
    });
    let caller = Caller { known, context, activity: &activity, live: &live, tbr: None };
    let _t = stats::stage("generate tangent");
    let all = function.params();
    let mut extra = all[unit.body.params.len()..].iter().copied();
    let shadows: Vec<_> = params.iter().map(|p| if *p == Param::Const { None } else { extra.next() }).collect();
    let sweep = Sweep::new(session.module, unit, &activity, function, &shadows, Zeros::Source);
    Tangent { sweep, session: &mut *session, caller: &caller, unit }.run()?;
    report::tangent(session, unit, &caller);
    Ok(())
}

/// What derivative instructions read of the primal: operands and results of what is differentiated.
fn used(unit: &Unit, activity: &Activity) -> Vec<ValueId> {
    let body = &unit.body;
    let differentiated = |&v: &ValueId| match body[v].op {
        Op::Store | Op::Call(_) => true,
        _ => activity.is_active(v) || (body[v].ty == Ty::Ptr && activity.has_shadow(v)),
    };
    let values = body.insts().filter(differentiated).flat_map(|v| {
        // What a store stores is only moved; where it goes is read.
        let operands = if matches!(body[v].op, Op::Store) { &body[v].operands[1..] } else { &body[v].operands };
        operands.iter().copied().chain(activity.is_active(v).then_some(v))
    });
    values.collect()
}

struct Tangent<'a, 's> {
    sweep: Sweep<'a>,
    session: &'s mut Session,
    caller: &'a Caller<'a>,
    unit: &'a Unit,
}

impl Tangent<'_, '_> {
    fn run(&mut self) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        self.sweep.start_phis(|activity, body, v| match body[v].ty {
            Ty::Ptr => activity.has_shadow(v),
            _ => activity.is_active(v),
        });
        for v in body.insts().collect::<Vec<_>>() {
            if self.sweep.shadow_pointer(v) && !matches!(body[v].op, Op::Call(_)) {
                continue;
            }
            match &body[v].op {
                Op::Load | Op::Store | Op::Update(_) => self.memory(v),
                Op::Call(callee) => self.call(v, callee)?,
                Op::Ret => self.ret(v),
                _ => self.value(v),
            }
        }
        self.sweep.finish_phis();
        for v in body.insts().filter(|&v| !self.caller.live.is_present(v)) {
            self.sweep.erase(v);
        }
        Ok(())
    }

    /// Returns {result, derivative}.
    fn ret(&mut self, v: crate::ir::ValueId) {
        let copy = self.sweep.value(v);
        self.sweep.builder.position_before(copy);
        let Some(&result) = self.unit.body[v].operands.first() else { return };
        let b = &self.sweep.builder;
        let primal = self.sweep.value(result);
        let derivative = self.sweep.shadow(result).unwrap_or_else(|| primal.ty().zero());
        let pair = b.context().structure(&[primal.ty(), primal.ty()]).poison();
        let pair = b.insert_value(b.insert_value(pair, primal, 0), derivative, 1);
        b.ret(pair);
        self.sweep.erase(v);
    }
}
