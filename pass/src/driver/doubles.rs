//! Whether all reals that differentiated code moves are doubles.
//!
//! Copies of memory of which nothing is known move bits, but sums of adjoints need their kind
//! (runtime/src/untyped.rs). Adjoints come from operations of the code that is differentiated, and from
//! whoever makes a request, in the memory that it passes. So there is no other kind than double where
//! - no function that a request reaches has a value, or knows of memory, of another kind of real;
//! - all functions that it calls are differentiated, so that none brings adjoints from elsewhere;
//! - it is known what lies in the memory that requests pass, and in that which pointers there lead to.

use adanalysis::{bottom_up::Draft, points_to::Object, types::ScalarKind};
use adir::{Callee, Op, Ty, ValueId};

/// Whether that is so of all functions of one load.
pub fn are_all(drafts: &[Draft]) -> bool {
    drafts.iter().all(|d| has_no_others(d) && (!d.is_asked() || knows_what_is_passed(d)))
}

fn is_other(kind: ScalarKind) -> bool {
    kind.is_real() && kind != ScalarKind::F64
}

/// Whether a function has no reals of another kind, and calls nothing that could.
fn has_no_others(draft: &Draft) -> bool {
    let body = &draft.body;
    let is_clear = |v: ValueId| {
        let data = &body[v];
        let is_outside = matches!(
            data.op,
            Op::Call(Callee::Unknown | Callee::Indirect | Callee::Custom | Callee::Assembly)
        );
        !is_outside && !data.fields.iter().any(|f| is_other(f.1))
    };
    body.value_ids().all(is_clear) && !draft.types.kinds().any(is_other)
}

/// Whether there is evidence of all memory that a request passes.
fn knows_what_is_passed(draft: &Draft) -> bool {
    const EVERYTHING: u64 = u64::MAX >> 2;
    let (body, memory, types) = (&draft.body, &draft.memory, &draft.types);
    let mut pointers = body.params.iter().copied().filter(|p| body[*p].ty == Ty::Ptr);
    let is_known = |p: ValueId| {
        let kinds = types.all_kinds(memory, p, EVERYTHING);
        let leads_on = kinds.contains(&ScalarKind::Ptr);
        let behind = |o: &usize| {
            matches!(memory.objects[*o], Object::Behind(_))
                && memory.entry(*o).is_some_and(|(i, _)| body.params.get(i as usize) == Some(&p))
        };
        let mut objects = (0..memory.objects.len()).filter(behind);
        !kinds.is_empty() && (!leads_on || objects.all(|o| types.has_evidence(o)))
    };
    pointers.all(is_known)
}
