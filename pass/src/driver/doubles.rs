//! Whether all reals that have derivatives, and that differentiated code moves, are doubles.
//!
//! Copies of memory of which nothing is known move bits, but sums of adjoints need their kind
//! (runtime/src/untyped.rs). Adjoints come from operations of the code that is differentiated, and from
//! whoever makes a request, in the memory that it passes. So there is no other kind than double where
//! - no function that a request reaches knows of memory that holds another kind of real, or none has
//!   a value of one but constants, and no memory surely holds one that a request passes (the load
//!   factors of hash tables are such constants);
//! - all functions that it calls are differentiated, so that none brings adjoints from elsewhere;
//! - it is known what lies in the memory that requests pass, and in that which pointers there lead to.

use adanalysis::{
    bottom_up::Draft,
    points_to::{Object, Offset},
    types::ScalarKind,
};
use adir::{Body, Callee, Cast, Op, Ty, ValueId};

/// Whether that is so of all functions of one load.
pub fn are_all(drafts: &[Draft]) -> bool {
    let is_known = |d: &Draft| !calls_others(d) && (!d.is_asked() || knows_what_is_passed(d));
    drafts.iter().all(is_known)
        && (!drafts.iter().any(has_others) || drafts.iter().all(has_constant_others))
}

fn is_other(kind: ScalarKind) -> bool {
    kind.is_real() && kind != ScalarKind::F64
}

/// Whether a function calls what is not differentiated, and may bring adjoints from elsewhere.
fn calls_others(draft: &Draft) -> bool {
    let body = &draft.body;
    body.value_ids().any(|v| {
        matches!(
            body[v].op,
            Op::Call(Callee::Unknown | Callee::Indirect | Callee::Custom | Callee::Assembly)
        )
    })
}

/// Whether a function has reals of another kind in memory.
fn has_others(draft: &Draft) -> bool {
    let body = &draft.body;
    let moves_others = |v: ValueId| body[v].fields.iter().any(|f| is_other(f.1));
    body.value_ids().any(moves_others) || draft.types.kinds().any(is_other)
}

/// Whether all such reals are constants that the functions store, if that is so of each.
fn has_constant_others(draft: &Draft) -> bool {
    let Draft { body, memory, types, .. } = draft;
    let is_given = |o: usize| match memory.objects[o] {
        Object::Global(v) => matches!(body[v].op, Op::Global(false)),
        Object::Param(_) | Object::Behind(_) => draft.is_asked(),
        Object::Unknown | Object::Text | Object::Local(_) | Object::Returned(_) => false,
    };
    let mut given = (0..memory.objects.len()).filter(|&o| is_given(o));
    !body.value_ids().any(|v| may_be_other(body, v))
        && given.all(|o| !types.accessed_in(o).any(is_other))
        && !draft.passed().any(is_other)
}

/// Whether a value is, or has elements that may be, a real of another kind, but for constants.
fn may_be_other(body: &Body, v: ValueId) -> bool {
    let data = &body[v];
    let has_reals = match data.ty {
        Ty::Vector(has_reals) | Ty::Aggregate(has_reals) => has_reals,
        ty => ty.is_real() && ty != Ty::F64,
    };
    has_reals && !matches!(data.op, Op::Constant | Op::Undef | Op::Cast(Cast::IntToFloat))
}

/// Whether it is known what surely lies in all memory that a request passes.
fn knows_what_is_passed(draft: &Draft) -> bool {
    let (body, memory, types) = (&draft.body, &draft.memory, &draft.types);
    let mut pointers = body.params.iter().copied().filter(|p| body[*p].ty == Ty::Ptr);
    let is_known = |p: ValueId| {
        let found: Vec<_> = memory.points_to(p).flat_map(|o| types.surely_in(o)).collect();
        // What may be copied to many places, and to this one, does not show that a real is a pointer.
        let is_real = |at: Offset| found.contains(&(at, ScalarKind::F64));
        let leads_on = found.iter().any(|&(at, kind)| kind == ScalarKind::Ptr && !is_real(at));
        let behind = |o: &usize| {
            matches!(memory.objects[*o], Object::Behind(_))
                && memory.entry(*o).is_some_and(|(i, _)| body.params.get(i as usize) == Some(&p))
        };
        let mut objects = (0..memory.objects.len()).filter(behind);
        !found.is_empty() && (!leads_on || objects.all(|o| types.has_evidence(o)))
    };
    pointers.all(is_known)
}
