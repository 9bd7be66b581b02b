//! Fewer promises about parameters make more pointers meet.

use crate::points_to::PointsTo;
use adir::{Body, Ty, ValueId};
use adir_testing::programs;
use proptest::prelude::*;

fn pointers(body: &Body) -> Vec<ValueId> {
    body.value_ids().filter(|&v| body[v].ty == Ty::Ptr).collect()
}

fn may_meet(memory: &PointsTo, p: ValueId, q: ValueId) -> bool {
    memory.points_to(p).any(|a| memory.points_to(q).any(|b| memory.may_alias(a, b)))
}

proptest! {
    #[test]
    fn in_promises_about_parameters(body in programs(), kept in any::<[bool; 3]>()) {
        let strict = PointsTo::compute(&body, &|_| None, true, None);
        let mut less = body.clone();
        less.noalias.iter_mut().zip(kept).for_each(|(promise, kept)| *promise &= kept);
        let fewer_promises = PointsTo::compute(&less, &|_| None, true, None);
        for &p in &pointers(&body) {
            for &q in &pointers(&body) {
                prop_assert!(!may_meet(&strict, p, q) || may_meet(&fewer_promises, p, q), "{:?} and {:?} in\n{}", p, q, body);
            }
        }
    }

    #[test]
    fn in_following_memory(body in programs()) {
        let followed = PointsTo::compute(&body, &|_| None, true, None);
        let simple = PointsTo::compute(&body, &|_| None, false, None);
        for &p in &pointers(&body) {
            for &q in &pointers(&body) {
                prop_assert!(!may_meet(&followed, p, q) || may_meet(&simple, p, q), "{:?} and {:?} in\n{}", p, q, body);
            }
        }
    }
}
