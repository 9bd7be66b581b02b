//! What derivatives of parallel regions do not do: in the reverse sweep, several threads would add to one shadow, of which
//! only single floats and doubles are added as one step; and barriers must have their place there.

use super::{
    Mode,
    copied::{Moved, members, moved},
};
use crate::{
    canon::stand_ins,
    codegen::adjoint::checkpoint,
    diagnostics::{Code, Diagnostic},
    image::unit::Unit,
    llvm::{Function, TypeKind},
};
use adanalysis::{
    activity::Activity, context::Context, points_to::Object, summary::Known, types::ScalarKind,
};
use adir::{
    Callee, Op, ValueId,
    hashed::HashSet,
    library::{ranks, threads},
};

const CALL_REMEDY: &str =
    "make the call outside of the region, or give the derivative the function's source";

struct Check<'a> {
    unit: &'a Unit,
    known: Known<'a>,
    context: &'a Context,
    activity: &'a Activity,
    mode: Mode,
}

/// What is wrong with a function that the threads of a team run.
pub fn check(
    unit: &Unit,
    known: Known,
    context: &Context,
    activity: &Activity,
    mode: Mode,
) -> Vec<Diagnostic> {
    if !context.is_parallel {
        return vec![];
    }
    let check = Check { unit, known, context, activity, mode };
    let said = |v: ValueId| {
        let (what, remedy) = check.wrong(v)?;
        let text = format!("a parallel region {what}: its derivative is not supported");
        Some(Diagnostic::new(Code::Parallel, Some(unit.body.llvm(v)), text, remedy))
    };
    unit.body.insts().filter_map(said).collect()
}

impl Check<'_> {
    fn wrong(&self, v: ValueId) -> Option<(&'static str, &'static str)> {
        let body = &self.unit.body;
        let operands = &body[v].operands;
        if operands.iter().any(|&o| self.is_of_thread(o)) {
            let remedy = "pass the memory as an argument, or declare it in the region";
            return Some((
                "accesses active data in a variable of each thread (threadprivate)",
                remedy,
            ));
        }
        match &body[v].op {
            // Messages of the main thread, whose rules know of the others.
            Op::Call(Callee::Custom) if ranks::is_call(&body[v]) => None,
            Op::Call(Callee::Custom)
                if self.activity.is_active_call(v)
                    && (self.mode == Mode::Adjoint || stand_ins::is_called(body.llvm(v))) =>
            {
                Some(("calls machine code or a function with a registered derivative", CALL_REMEDY))
            }
            _ if self.mode == Mode::Tangent => None,
            Op::Call(_) if body[v].symbol.as_deref().is_some_and(threads::orders) => {
                let remedy = "use critical sections, or omp_set_lock";
                Some(("orders threads by such locks", remedy))
            }
            Op::Call(Callee::MemCpy | Callee::MemMove)
                if self.is_shared(operands[1])
                    && self.activity.has_shadow(operands[0])
                    && moved(self.unit, v)
                        .is_none_or(|m| m.may_hold_reals() && !self.are_added(v, &m)) =>
            {
                let remedy = "copy its members one by one, as float or double";
                Some((
                    "copies reals of unknown kind, or of another kind than float and double, from shared memory",
                    remedy,
                ))
            }
            Op::Call(Callee::Defined)
                if checkpoint::is_loop(body.callee(v)) && self.is_seen_by_others(v) =>
            {
                let remedy = "checkpoint a loop around the region";
                Some(("checkpoints a loop that other threads see", remedy))
            }
            Op::Call(Callee::Defined)
                if !self.activity.is_active_call(v) && body.called(v).is_some_and(waits) =>
            {
                let remedy = "write the barrier, or the work-sharing loop, in the region itself";
                Some(("calls a function without active data that has a barrier", remedy))
            }
            Op::Load | Op::Update(_)
                if self.activity.is_active(v)
                    && self.is_shared(operands[0])
                    && !self.is_added(v) =>
            {
                let remedy = "use float or double there";
                Some(("reads active reals of such a type from shared memory", remedy))
            }
            _ => None,
        }
    }

    fn is_shared(&self, pointer: ValueId) -> bool {
        self.activity.has_shadow(pointer)
            && self.context.is_shared_target(&self.unit.memory, pointer)
    }

    /// Whether a call synchronises threads, or overwrites memory that they share: it may not be done again.
    fn is_seen_by_others(&self, v: ValueId) -> bool {
        let (body, memory) = (&self.unit.body, &self.unit.memory);
        let is_shared = |l: usize| {
            let object = self.known.locations.component(l).object;
            !matches!(memory.objects[object], Object::Local(_)) || memory.escapes(object)
        };
        let access = self.known.locations.access(v);
        access.is_none_or(|a| a.writes.own.iter_ones().any(is_shared))
            || body.called(v).is_some_and(|f| calls(f, |name| threads::mirror(name).is_some()))
    }

    /// Whether an operand is a variable with a shadow that each thread has for itself: who would clear it?
    fn is_of_thread(&self, o: ValueId) -> bool {
        matches!(self.unit.body[o].op, Op::Global(false))
            && self.unit.body.llvm(o).is_thread_local()
            && self.activity.has_shadow(o)
    }

    /// Whether all reals among what the copy `v` moves are of kinds that are known, and added as one step.
    fn are_added(&self, v: ValueId, moved: &Moved) -> bool {
        let is_one = |kind: ScalarKind| matches!(kind, ScalarKind::F64 | ScalarKind::F32);
        match moved {
            Moved::Fields((fields, _)) => fields.iter().all(|f| !f.1.is_real() || is_one(f.1)),
            Moved::Untyped(Some(kind)) => is_one(*kind),
            Moved::Untyped(None) => members(self.unit, v).is_some(),
        }
    }

    /// Whether reals of this type are added as one step.
    fn is_added(&self, v: ValueId) -> bool {
        let kind = self.unit.body.llvm(v).ty().scalar().kind();
        let is_real = self.unit.body[v].ty.holds_float();
        !is_real
            || !matches!(
                kind,
                TypeKind::LLVMX86_FP80TypeKind
                    | TypeKind::LLVMFP128TypeKind
                    | TypeKind::LLVMHalfTypeKind
                    | TypeKind::LLVMBFloatTypeKind
            )
    }
}

/// Whether a function, or one that it calls by name, waits for the other threads of its team.
fn waits(f: Function) -> bool {
    calls(f, threads::waits)
}

/// Whether a function, or one that it calls by name, calls one of these names.
fn calls(f: Function, is_one: impl Fn(&str) -> bool) -> bool {
    let (mut seen, mut work) = (HashSet::from_iter([f]), vec![f]);
    while let Some(f) = work.pop() {
        if is_one(&f.name()) {
            return true;
        }
        let calls = f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call());
        let called = calls.filter_map(|c| c.called().as_function());
        work.extend(called.filter(|g| seen.insert(*g)));
    }
    false
}
