//! States between instructions.

use super::mocks::{LiveNames, Origins, Reaching, set};
use crate::dataflow::{Cursor, solve, visit};
use adir::{Body, Op, ValueId};
use adir_testing::{bodies, parsed as body, programs};
use bitvec::prelude::*;
use proptest::prelude::*;

/// v5, v6, v8 store in v0; v7 loads it.
const DIAMOND: &str = "
    body @f(v0: ptr, v1: f64, v2: i1)
    b0:
      v5 = store v1, v0
      v3 = condbr v2 -> b1 b2
    b1:
      v6 = store v1, v0
      v7: f64 = load v0
      v8 = store v7, v0
      v9 = br -> b2
    b2:
      v10: f64 = load v0
      v11 = ret v10
    b3:
      v12 = store v1, v0
      v13 = br -> b2
";

#[test]
fn before_and_after_forward() {
    let b = body(DIAMOND);
    let analysis = Reaching { entry: set(&b, [0]) };
    let mut solution = solve(&b, &analysis, &[]);
    let mut cursor = Cursor::new(&b, &analysis, &mut solution);
    let cases: [(u32, &[u32], &[u32]); 8] = [
        (5, &[0], &[5]),
        (3, &[5], &[5]),
        (6, &[5], &[6]),
        (7, &[6], &[6]),
        (8, &[6], &[8]),
        (9, &[8], &[8]),
        (10, &[5, 8], &[5, 8]),
        (11, &[5, 8], &[5, 8]),
    ];
    for (v, before, after) in cases {
        assert_eq!(*cursor.before(ValueId(v)), set(&b, before.iter().copied()), "before v{v}");
        assert_eq!(*cursor.after(ValueId(v)), set(&b, after.iter().copied()), "after v{v}");
    }
    // In any order, and from block to block.
    assert_eq!(*cursor.before(ValueId(6)), set(&b, [5]));
    assert_eq!(*cursor.after(ValueId(5)), set(&b, [5]));
}

#[test]
fn before_and_after_backward() {
    let b = body(DIAMOND);
    let analysis = LiveNames { exit: set(&b, [1]) };
    let mut solution = solve(&b, &analysis, &[]);
    let mut cursor = Cursor::new(&b, &analysis, &mut solution);
    let cases: [(u32, &[u32], &[u32]); 8] = [
        (11, &[1], &[1]),
        (10, &[0, 1], &[1]),
        (9, &[0, 1], &[0, 1]),
        (8, &[1], &[0, 1]),
        (7, &[0, 1], &[1]),
        (6, &[1], &[0, 1]),
        (3, &[0, 1], &[0, 1]),
        (5, &[1], &[0, 1]),
    ];
    for (v, before, after) in cases {
        assert_eq!(*cursor.before(ValueId(v)), set(&b, before.iter().copied()), "before v{v}");
        assert_eq!(*cursor.after(ValueId(v)), set(&b, after.iter().copied()), "after v{v}");
    }
}

#[test]
fn where_the_entry_does_not_come_nothing_happens() {
    let b = body(
        "body @f(v0: f64)
         b0:
           v1: f64 = fneg v0
           ret v1
         b1:
           v2: f64 = fadd v0, v1
           br -> b1",
    );
    let mut seed = set(&b, [0]);
    let mut solution = solve(&b, &Origins, &[(ValueId(0), seed.clone())]);
    Cursor::new(&b, &Origins, &mut solution).after(ValueId(2));
    assert!(solution.facts.get(ValueId(2)).is_empty(), "a query changes no fact");
    assert_eq!(*solution.facts.get(ValueId(1)), seed);
    let b = body(DIAMOND);
    seed = set(&b, []);
    let analysis = Reaching { entry: set(&b, [0]) };
    let mut solution = solve(&b, &analysis, &[]);
    let mut cursor = Cursor::new(&b, &analysis, &mut solution);
    assert_eq!(
        (cursor.before(ValueId(12)).clone(), cursor.after(ValueId(12)).clone()),
        (seed.clone(), seed)
    );
}

#[test]
fn a_visit_sees_each_reached_instruction_once_from_where_information_comes() {
    let b = body(DIAMOND);
    let forward = Reaching { entry: set(&b, [0]) };
    let mut seen = vec![];
    visit(&b, &forward, &mut solve(&b, &forward, &[]), |v, state| seen.push((v.0, state.clone())));
    let stores: Vec<_> =
        seen.iter().filter(|(v, _)| matches!(b[ValueId(*v)].op, Op::Store)).cloned().collect();
    assert_eq!(stores, [(5, set(&b, [0])), (6, set(&b, [5])), (8, set(&b, [6]))]);
    assert_eq!(seen.len(), b.insts().count());
    let backward = LiveNames { exit: set(&b, []) };
    let mut stores = vec![];
    visit(&b, &backward, &mut solve(&b, &backward, &[]), |v, state| {
        if matches!(b[v].op, Op::Store) {
            stores.push((v.0, state.clone()));
        }
    });
    stores.sort_by_key(|s| s.0);
    assert_eq!(stores, [5, 6, 8].map(|v| (v, set(&b, [0]))));
}

/// Cursor and visit agree with each other and with the states at the ends of blocks.
fn agree(b: &Body, bits: &BitVec) {
    let forward = Reaching { entry: bits.clone() };
    let mut solution = solve(b, &forward, &[]);
    let mut seen = vec![];
    visit(b, &forward, &mut solution, |v, state| seen.push((v, state.clone())));
    assert!(seen.iter().map(|s| s.0).eq(b.insts()));
    let mut cursor = Cursor::new(b, &forward, &mut solution);
    seen.iter().for_each(|(v, state)| assert_eq!(cursor.before(*v), state));
    for pair in seen.windows(2).filter(|w| b[w[0].0].block == b[w[1].0].block) {
        assert_eq!(*cursor.after(pair[0].0), pair[1].1);
    }
    let backward = LiveNames { exit: bits.clone() };
    let mut solution = solve(b, &backward, &[]);
    let mut seen = vec![];
    visit(b, &backward, &mut solution, |v, state| seen.push((v, state.clone())));
    let mut cursor = Cursor::new(b, &backward, &mut solution);
    seen.iter().for_each(|(v, state)| assert_eq!(cursor.after(*v), state));
    for pair in seen.windows(2).filter(|w| b[w[0].0].block == b[w[1].0].block) {
        assert_eq!(*cursor.before(pair[0].0), pair[1].1);
    }
}

proptest! {
    #[test]
    fn cursors_and_visits_agree(b in prop_oneof![bodies(), programs()], bits in any::<u64>()) {
        let bits = set(&b, (0..b.values.len() as u32).filter(|v| bits >> (v % 64) & 1 == 1));
        agree(&b, &bits);
    }
}
