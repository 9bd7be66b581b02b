//! Dependence on decisions.

use crate::{
    dependency::{Dependences, Dependency, Port},
    tests::Facts,
};
use adir_testing::parsed as body;

/// The outputs of a function with what they depend on.
fn dependency(text: &str) -> Dependency {
    let facts = Facts::new(body(text));
    Dependency::compute(&facts.body, &facts.memory, &facts.locations, &|_| None)
}

fn of(dependences: &Dependences, output: impl Fn(&Port) -> bool) -> Vec<u32> {
    let from = dependences.iter().filter(|d| output(&d.0)).flat_map(|d| d.1.to_vec());
    let mut params: Vec<u32> =
        from.filter_map(|p| if let Port::Param(i) = p { Some(i) } else { None }).collect();
    params.sort_unstable();
    params.dedup();
    params
}

#[test]
fn what_decides_about_a_store_may_be_known_only_after_some_rounds() {
    // v11 decides whether the store runs again. v1 reaches it through v17, v6, v16 and v5, one
    // round after what the store leaves in memory has settled.
    let found = dependency(
        "body @f(v0: i64, v1: i64, v2: ptr, v3: f64)
         loop l0 header b1 preheader b0 latch b3 counter v8
         v20 = const 0
         v21 = const 1
         b0:
           br -> b1
         b1:
           v8: i64 = phi [b0 v20] [b3 v21]
           v5: i64 = phi [b0 v0] [b3 v16]
           v6: i64 = phi [b0 v0] [b3 v17]
           br -> b2
         b2:
           v12 = store v3, v2
           br -> b3
         b3:
           v11: i1 = icmp v5, v0
           v16: i64 = add v6, v21
           v17: i64 = add v1, v21
           condbr v11 -> b1 b4
         b4:
           ret",
    );
    let memory = |p: &Port| matches!(p, Port::Memory(_));
    assert_eq!(of(&found.any, memory), [0, 1, 3]);
    assert_eq!(of(&found.differentiable, memory), [3]);
}

#[test]
fn what_decides_about_a_decision_decides_too() {
    let found = dependency(
        "body @f(v0: i1, v1: i1, v2: f64, v3: f64)
         b0:
           condbr v0 -> b1 b4
         b1:
           condbr v1 -> b2 b3
         b2:
           br -> b3
         b3:
           v4: f64 = phi [b2 v2] [b1 v3]
           br -> b4
         b4:
           v5: f64 = phi [b0 v2] [b3 v4]
           v6 = ret v5",
    );
    let result = |p: &Port| *p == Port::Result;
    assert_eq!(of(&found.any, result), [0, 1, 2, 3]);
    assert_eq!(of(&found.differentiable, result), [2, 3]);
}

#[test]
fn a_store_depends_on_the_decisions_around_its_own() {
    let found = dependency(
        "body @f(v0: i1, v1: i1, v2: ptr, v3: f64)
         b0:
           condbr v0 -> b1 b4
         b1:
           condbr v1 -> b2 b3
         b2:
           v4 = store v3, v2
           br -> b3
         b3:
           br -> b4
         b4:
           ret",
    );
    let memory = |p: &Port| matches!(p, Port::Memory(_));
    assert_eq!(of(&found.any, memory), [0, 1, 3]);
    assert_eq!(of(&found.differentiable, memory), [3]);
}
