//! The engine on graphs written by hand: expected states and facts, and agreement with the naive
//! solver.

use super::{
    mocks::{Flowing, Live, LiveNames, Needed, Origins, Reaching, set},
    naive::checked,
};
use adir::{BlockId, Body, ValueId};
use adir_testing::parsed as body;
use bitvec::prelude::*;
use std::collections::BTreeMap;

fn members(set: &BitVec) -> Vec<usize> {
    set.iter_ones().collect()
}

/// Stores that reach each block, with v0 for what was there at the entry.
fn reaching(b: &Body) -> Vec<Vec<usize>> {
    let solution = checked(b, &Reaching { entry: set(b, [0]) }, &[]);
    b.block_ids().map(|block| members(solution.state(block))).collect()
}

/// Names that are live at the end of each block.
fn live(b: &Body, exit: &[u32]) -> Vec<Vec<usize>> {
    let solution = checked(b, &LiveNames { exit: set(b, exit.iter().copied()) }, &[]);
    b.block_ids().map(|block| members(solution.state(block))).collect()
}

#[test]
fn a_branch() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           v3 = condbr v2 -> b1 b2
         b1:
           v4 = store v1, v0
           v5 = br -> b3
         b2:
           v6: f64 = load v0
           v7 = br -> b3
         b3:
           v8 = store v1, v0
           v9 = ret",
    );
    assert_eq!(reaching(&b), [vec![0], vec![0], vec![0], vec![0, 4]]);
    assert_eq!(live(&b, &[0]), [vec![0], vec![], vec![], vec![0]]);
    assert_eq!(live(&b, &[1]), [vec![0, 1], vec![1], vec![1], vec![1]]);
}

#[test]
fn both_edges_of_a_branch_may_lead_to_one_block() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           v3 = store v1, v0
           v4 = condbr v2 -> b1 b1
         b1:
           v5: f64 = load v0
           v6 = ret",
    );
    assert_eq!(reaching(&b), [vec![0], vec![3]]);
    assert_eq!(live(&b, &[]), [vec![0], vec![]]);
}

const NEST: &str = "
    body @f(v0: ptr, v1: f64, v2: i1, v3: ptr)
    loop l0 header b1 preheader b0 latch b4 counter v2
    loop l1 header b2 preheader b1 latch b3 counter v2
    b0:
      v4 = br -> b1
    b1:
      v5 = store v1, v0
      v6 = br -> b2
    b2:
      v7: f64 = load v0
      v8 = condbr v2 -> b3 b4
    b3:
      v9 = store v1, v3
      v10 = br -> b2
    b4:
      v11: f64 = load v3
      v12 = condbr v2 -> b1 b5
    b5:
      v13 = ret
";

#[test]
fn nested_loops() {
    let b = body(NEST);
    let inside = vec![0, 5, 9];
    assert_eq!(
        reaching(&b),
        [vec![0], inside.clone(), vec![5, 9], vec![5, 9], vec![5, 9], vec![5, 9]]
    );
    assert_eq!(live(&b, &[]), [vec![3], vec![0, 3], vec![0, 3], vec![0, 3], vec![3], vec![]]);
    assert_eq!(live(&b, &[0])[4], [0, 3]);
}

#[test]
fn a_self_loop() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1, v3: ptr)
         loop l0 header b1 preheader b0 latch b1 counter v2
         b0:
           br -> b1
         b1:
           v4: f64 = load v0
           v5 = store v1, v3
           v6: f64 = load v3
           v7 = store v1, v0
           v8 = condbr v2 -> b1 b2
         b2:
           ret",
    );
    assert_eq!(reaching(&b), [vec![0], vec![0, 5, 7], vec![5, 7]]);
    assert_eq!(live(&b, &[]), [vec![0], vec![0], vec![]]);
}

#[test]
fn a_cycle_with_two_entries() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           v3 = condbr v2 -> b1 b2
         b1:
           v4 = store v1, v0
           v5 = condbr v2 -> b2 b3
         b2:
           v6: f64 = load v0
           v7 = br -> b1
         b3:
           v8 = ret",
    );
    assert_eq!(reaching(&b), [vec![0], vec![0, 4], vec![0, 4], vec![4]]);
    assert_eq!(live(&b, &[]), [vec![0], vec![0], vec![], vec![]]);
    assert_eq!(live(&b, &[0]), [vec![0], vec![0], vec![], vec![0]]);
}

#[test]
fn what_is_not_reached_keeps_the_least_state_and_gives_nothing() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1)
         b0:
           v3 = br -> b1
         b1:
           v4: f64 = load v0
           v5 = ret
         b2: // leads into what is reached
           v6 = store v1, v0
           v7 = condbr v2 -> b1 b3
         b3:
           v8 = ret",
    );
    assert_eq!(reaching(&b), [vec![0], vec![0], vec![], vec![]]);
    assert_eq!(live(&b, &[1]), [vec![0, 1], vec![1], vec![], vec![]]);
    // Users there are not asked either.
    let solution = checked(&b, &Needed, &[(ValueId(8), true), (ValueId(6), true)]);
    assert!(!solution.facts.get(ValueId(1)));
}

#[test]
fn an_endless_loop_has_no_boundary_behind_it() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1, v3: ptr)
         b0:
           v4 = condbr v2 -> b1 b3
         b1:
           v5: f64 = load v0
           v6 = br -> b2
         b2:
           v7 = store v1, v0
           v8 = br -> b1
         b3:
           v9 = ret",
    );
    // What is live in the loop is what the loop reads; the exit's v3 is not.
    assert_eq!(live(&b, &[3]), [vec![0, 3], vec![], vec![0], vec![3]]);
    assert_eq!(reaching(&b), [vec![0], vec![0, 7], vec![0, 7], vec![0]]);
    let endless = body(
        "body @f(v0: ptr, v1: f64)\nb0:\nv2 = br -> b1\nb1:\nv3: f64 = load v0\nv4 = br -> b1",
    );
    assert_eq!(live(&endless, &[1]), [vec![0], vec![0]]);
}

#[test]
fn the_entry_may_be_a_loop() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1)\nb0:\nv3 = store v1, v0\nv4 = condbr v2 -> b0 b1\nb1:\nv5 = ret",
    );
    assert_eq!(reaching(&b), [vec![0, 3], vec![3]]);
    assert_eq!(live(&b, &[0]), [vec![0], vec![0]]);
}

#[test]
fn each_block_without_successors_is_a_boundary_backward() {
    let b = body(
        "body @f(v0: ptr, v1: f64, v2: i1, v3: ptr)
         b0:
           v4 = switch v2 -> b1 b2 b3
         b1:
           v5 = ret
         b2:
           v6 = store v1, v0
           v7 = unreachable
         b3:
           v8: f64 = load v3
           v9 = ret",
    );
    assert_eq!(live(&b, &[0]), [vec![0, 3], vec![0], vec![0], vec![0]]);
}

/// Three values that go round: v5 takes v6, v6 takes v7, v7 takes v1.
const SHIFT: &str = "
    body @f(v0: f64, v1: f64, v2: i1, v3: ptr)
    loop l0 header b1 preheader b0 latch b3 counter v2
    b0:
      v4 = br -> b1
    b1:
      v5: f64 = phi [b0 v0] [b3 v6]
      v6: f64 = phi [b0 v0] [b3 v7]
      v7: f64 = phi [b0 v0] [b3 v1]
      v8: i1 = fcmp v5, v5
      v9 = br -> b2
    b2:
      v10 = store v0, v3
      v11 = br -> b3
    b3:
      v12 = condbr v8 -> b1 b4
    b4:
      v13: f64 = load v3
      v14 = ret v5
";

#[test]
fn facts_go_round_as_often_as_they_must() {
    let b = body(SHIFT);
    let seeds = [(ValueId(0), set(&b, [0])), (ValueId(1), set(&b, [1]))];
    let solution = checked(&b, &Origins, &seeds);
    assert_eq!(members(solution.facts.get(ValueId(14))), [0, 1]);
    assert_eq!(members(solution.facts.get(ValueId(7))), [0, 1]);
    let solution = checked(&b, &Needed, &[(ValueId(14), true)]);
    assert!(*solution.facts.get(ValueId(1)) && *solution.facts.get(ValueId(0)));
    assert!(!solution.facts.get(ValueId(8)) && !solution.facts.get(ValueId(3)));
}

#[test]
fn a_fact_that_is_no_operand_is_watched() {
    // v1 comes to v8 when the state of b2 has settled.
    let b = body(
        "body @f(v0: f64, v1: f64, v2: i1, v3: ptr)
         loop l0 header b1 preheader b0 latch b3 counter v2
         b0:
           v4 = br -> b1
         b1:
           v5: f64 = phi [b0 v0] [b3 v6]
           v9 = br -> b2
         b2:
           v10 = store v0, v3
           v11 = br -> b3
         b3:
           v8: i1 = fcmp v5, v5
           v6: f64 = fneg v1
           v12 = condbr v8 -> b1 b4
         b4:
           v13: f64 = load v3
           v14 = ret v5",
    );
    let seeds = [(ValueId(0), set(&b, [0])), (ValueId(1), set(&b, [1]))];
    let solution = checked(&b, &Flowing::under(&b, BTreeMap::new(), ValueId(8)), &seeds);
    assert_eq!(members(solution.facts.get(ValueId(13))), [0, 1]);
    assert_eq!(members(&solution.state(BlockId(4))[&ValueId(3)]), [0, 1]);
    let solution = checked(&b, &Flowing::new(BTreeMap::new()), &seeds);
    assert_eq!(members(solution.facts.get(ValueId(13))), [0]);
}

#[test]
fn states_and_facts_make_each_other_grow() {
    // What v0 holds goes to v3 in one round, and to v4 in the next.
    let b = body(
        "body @f(v0: ptr, v3: ptr, v4: ptr, v2: i1)
         loop l0 header b1 preheader b0 latch b1 counter v2
         b0:
           v5 = br -> b1
         b1:
           v6: f64 = load v3
           v7 = store v6, v4
           v8: f64 = load v0
           v9 = store v8, v3
           v10 = condbr v2 -> b1 b2
         b2:
           v11: f64 = load v4
           v12 = ret v11",
    );
    let entry = BTreeMap::from([0, 3, 4].map(|p| (ValueId(p), set(&b, [p]))));
    let solution = checked(&b, &Flowing::new(entry), &[]);
    assert_eq!(members(solution.facts.get(ValueId(12))), [0, 3]);
    assert_eq!(members(&solution.state(BlockId(1))[&ValueId(4)]), [0, 3, 4]);
    let solution = checked(&b, &Live { exit: set(&b, []) }, &[(ValueId(12), true)]);
    assert!([6, 8, 11].iter().all(|&v| *solution.facts.get(ValueId(v))));
    assert_eq!(members(solution.state(BlockId(0))), [0, 3]);
    let solution = checked(&b, &Live { exit: set(&b, []) }, &[]);
    assert!(b.value_ids().all(|v| !solution.facts.get(v)));
}

#[test]
fn seeds_hold_where_nothing_is_computed() {
    let b = body("body @f(v0: f64)\nb0:\nv1: f64 = fneg v0\nv2 = ret");
    let solution = checked(&b, &Origins, &[(ValueId(1), set(&b, [1])), (ValueId(1), set(&b, [2]))]);
    assert_eq!(members(solution.facts.get(ValueId(1))), [1, 2]);
    assert_eq!(solution.visits, 1);
    assert_eq!(members(&solution.values(|f| f.any())), [1]);
}
