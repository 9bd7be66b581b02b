//! Which reals are found in integers, and that what breaks one is seen.

use crate::testing::{function, v};
use adir::ScalarKind;

/// A float in the upper half of a register, beside an integer, taken apart and put together again.
const BESIDE: &str = "body @f(v0: i64)
 v20 = const 32
 v21 = const 4294967295
 b0:
   v1: i64 = lshr v0, v20
   v2: i32 = intcast v1
   v3: f32 = bitcast v2
   v4: f32 = fmul v3, v3
   v5: i32 = bitcast v4
   v6: i64 = zeroextend v5
   v7: i64 = shl v6, v20
   v8: i64 = and v0, v21
   v9: i64 = or v7, v8
   ret v9";

#[test]
fn reals_are_found_where_they_are_shifted_to() {
    let f = function(BESIDE);
    let lanes = |n| f.bits.lanes(v(n)).collect::<Vec<_>>();
    assert_eq!(lanes(0), [(4, ScalarKind::F32)]);
    assert_eq!(lanes(1), [(0, ScalarKind::F32)]);
    assert_eq!(lanes(7), [(4, ScalarKind::F32)]);
    assert_eq!(lanes(9), [(4, ScalarKind::F32)]);
    assert!(lanes(8).is_empty(), "the mask takes the real away");
    for (n, i) in [(1, 0), (2, 0), (6, 0), (7, 0), (8, 0), (9, 0), (9, 1)] {
        assert!(f.bits.moves_whole(&f.body, v(n), i), "v{n}");
    }
}

#[test]
fn a_constant_that_is_stored_among_reals_is_no_real_elsewhere() {
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: i1)
         v3: i64 = const 2
         b0:
           v4: f64 = load v0
           store v3, v0
           condbr v2 -> b1 b2
         b1:
           v5: i64 = load v1 integer member
           br -> b2
         b2:
           v6: i64 = phi [b1 v5] [b0 v3]
           v7: i64 = add v6, v3
           store v7, v1
           ret",
    );
    assert!(!f.bits.has_reals(v(6)) && !f.bits.has_reals(v(5)));
}

#[test]
fn what_breaks_a_real_moves_nothing() {
    for (operation, constant) in
        [("and", "4286578687"), ("or", "2147483648"), ("shl", "1"), ("lshr", "12"), ("add", "1")]
    {
        let f = function(&format!(
            "body @f(v0: f32)
             v20 = const {constant}
             b0:
               v1: i32 = bitcast v0
               v2: i64 = zeroextend v1
               v3: i64 = {operation} v2, v20
               v4: i32 = intcast v3
               v5: f32 = bitcast v4
               ret v5"
        ));
        assert!(!f.bits.moves_whole(&f.body, v(3), 0), "{operation}");
    }
}

#[test]
fn two_kinds_of_real_at_one_place_contradict_each_other() {
    let f = function(
        "body @f(v0: i64, v1: ptr)
         b0:
           v2: f64 = bitcast v0
           v3: i32 = intcast v0
           v4: f32 = bitcast v3
           v5: f64 = floatcast v4
           v6: f64 = fadd v2, v5
           ret v6",
    );
    assert!(f.bits.is_contradictory(v(0)));
}

#[test]
fn bits_that_are_compared_decide_and_bits_that_become_a_real_do_more() {
    let f = function(
        "body @f(v0: f64, v1: ptr)
         v20 = const 32
         v21 = const 2147483647
         b0:
           v2: i64 = bitcast v0
           v3: i64 = lshr v2, v20
           v4: i32 = intcast v3
           v5: i32 = and v4, v21
           v6: i1 = icmp v5, v21
           v7: i64 = and v2, v21
           v8: f64 = bitcast v7
           v9: i64 = zeroextend v5
           v10: ptr = gep v1 of v1, v9
           v11: f64 = select v6, v8, v0
           ret v11",
    );
    let decide: Vec<u32> = (2..10).filter(|&n| f.bits.is_decision(v(n))).collect();
    assert_eq!(decide, [3, 4, 5, 6, 9]);
}

#[test]
fn a_constant_that_is_stored_as_a_real_says_nothing_of_its_other_uses() {
    let f = function(
        "body @f(v0: ptr, v1: i64, v2: i1)
         v20 = const 0
         b0:
           v3: f64 = load v0
           v4: i64 = select v2, v20, v1
           v5 = store v20, v0
           ret v4",
    );
    assert!(!f.bits.has_reals(v(4)) && !f.bits.has_reals(v(1)));
}
