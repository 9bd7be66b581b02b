//! More active parameters, and a context of which less is known, make more varied, useful and
//! shadowed.

use crate::{
    activity::{Activity, Param, Shadow},
    context::Context,
    points_to::Object,
    tests::{Facts, context, params},
};
use adir::{Callee, Op, ValueId};
use adir_testing::programs;
use proptest::prelude::*;

fn is_shadow_possible(activity: &Activity, v: ValueId) -> bool {
    matches!(activity.shadow(v), Shadow::Yes | Shadow::Mixed)
}

/// Whether one result is nowhere above another.
fn assert_below(facts: &Facts, low: &Activity, high: &Activity) -> Result<(), TestCaseError> {
    // A choice between memory with a shadow and memory without one gives local memory shadows in
    // vain, makes calls active that take it, and varied what these write; it is refused.
    let is_mixed = facts.body.value_ids().any(|v| low.shadow(v) == Shadow::Mixed);
    for v in facts.body.value_ids() {
        prop_assert!(
            is_mixed || !low.is_varied(v) || high.is_varied(v),
            "varied {:?} in\n{}",
            v,
            facts.body
        );
        prop_assert!(!low.is_useful(v) || high.is_useful(v), "useful {:?} in\n{}", v, facts.body);
        prop_assert!(
            is_mixed || !low.is_active_call(v) || high.is_active_call(v),
            "call {:?} in\n{}",
            v,
            facts.body
        );
        prop_assert!(!low.is_moving(v) || high.is_moving(v), "copy {:?} in\n{}", v, facts.body);
        let (few, many) = (is_shadow_possible(low, v), is_shadow_possible(high, v));
        prop_assert!(is_mixed || !few || many, "shadow of {:?} in\n{}", v, facts.body);
    }
    Ok(())
}

proptest! {
    #[test]
    fn in_parameters_and_context(body in programs(), active in any::<[u64; 2]>(), bits in any::<[u64; 2]>()) {
        let facts = Facts::new(body);
        let of = |active: u64, bits: u64, follows: bool| {
            Activity::compute(facts.known(), &params(&facts.body, active), &context(&facts.body, bits), follows)
        };
        let low = of(active[0], bits[0], true);
        assert_below(&facts, &low, &of(active[0] | active[1], bits[0], true))?;
        assert_below(&facts, &low, &of(active[0], bits[0] | bits[1], true))?;
        assert_below(&facts, &low, &of(active[0] | active[1], bits[0] | bits[1], true))?;
        let unknown = Context::unknown(facts.body.params.len());
        assert_below(&facts, &low, &Activity::compute(facts.known(), &params(&facts.body, active[0]), &unknown, true))?;
    }

    #[test]
    fn where_memory_is_not_followed(body in programs(), active in any::<u64>(), bits in any::<u64>()) {
        let facts = Facts::new(body);
        let of = |follows: bool| {
            Activity::compute(facts.known(), &params(&facts.body, active), &context(&facts.body, bits), follows)
        };
        let (low, high) = (of(true), of(false));
        for v in facts.body.value_ids() {
            prop_assert!(!low.is_varied(v) || high.is_varied(v), "varied {:?} in\n{}", v, facts.body);
            prop_assert!(!low.is_active(v) || high.is_active(v), "active {:?} in\n{}", v, facts.body);
        }
    }

    #[test]
    fn nothing_is_active_where_no_parameter_is(body in programs()) {
        let facts = Facts::new(body);
        let body = &facts.body;
        // Memory that the function did not name, and functions of which nothing is known, may be
        // active for themselves.
        let is_unknown = |v: ValueId| matches!(body[v].op, Op::Call(Callee::Unknown | Callee::Defined));
        let is_elsewhere = |v: ValueId| facts.memory.points_to(v).any(|o| facts.memory.objects[o] == Object::Unknown);
        if body.value_ids().any(|v| is_unknown(v) || is_elsewhere(v)) {
            return Ok(());
        }
        let none = vec![Param::Const; body.params.len()];
        let activity = Activity::compute(facts.known(), &none, &Context::unknown(none.len()), true);
        for v in body.value_ids() {
            prop_assert!(!activity.is_varied(v) && !activity.is_useful(v), "{:?} in\n{}", v, body);
            prop_assert!(!is_shadow_possible(&activity, v), "shadow of {:?} in\n{}", v, body);
        }
    }
}
