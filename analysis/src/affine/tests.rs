//! A load and a store in a nest of two loops, over v10 (v11 times more) and v20 (v21 times more).

use super::*;
use adir_testing::{body, v};

/// Whether they stay apart in a run of loop `l`, with the load at v0 + `load` and the store at v0 +
/// `store` as the text of a `gep` has it.
fn apart(l: u32, load: &str, store: &str) -> bool {
    let body = body(&format!(
        "body @f(v0: ptr noalias, v1: i64, v2: f64, v3: i1)
         loop l0 header b1 preheader b0 latch b3 counter v10 taken v11 exits b4:v13 single
         loop l1 header b2 preheader b1 latch b2 counter v20 taken v21 exits b3:v23 single
           v4: i64 = const 0
           v5: i64 = const 1
           v6: i64 = const 4
         b0:
           v11: i64 = add v1, v5
           v9: i64 = add v6, v4
           br -> b1
         b1: // in l0
           v10: i64 = phi [b0 v4] [b3 v12]
           v21: i64 = add v10, v4
           br -> b2
         b2: // in l1
           v20: i64 = phi [b1 v4] [b2 v22]
           v30: ptr = gep v0 + {load}
           v31: ptr = gep v0 + {store}
           v7: f64 = load v30
           v8: void = store v2, v31
           v22: i64 = add v20, v5 nsw
           condbr v3 -> b2 b3
         b3: // in l0
           v23: i64 = phi [b2 v20]
           v12: i64 = add v10, v5 nsw
           condbr v3 -> b1 b4
         b4:
           v13: i64 = phi [b3 v10]
           ret"
    ));
    let (read, written) = (Address::of(&body, v(30)), Address::of(&body, v(31)));
    stays_apart(&body, LoopId(l), (&read, 8), (&written, 8))
}

#[test]
fn what_lies_behind_all_that_is_read_is_apart() {
    assert!(
        apart(1, "0 + v10*8", "8 + v10*8 + v20*8"),
        "a[k] and a[k + 1 + i] in one iteration of k"
    );
    assert!(!apart(1, "0 + v10*8", "0 + v10*8 + v20*8"), "i is zero first");
    assert!(!apart(0, "0 + v10*8", "8 + v10*8 + v20*8"), "another k");
    assert!(apart(0, "0 + v10*-8", "8 + v20*8"));
    assert!(!apart(0, "0 + v10*-8", "4 + v20*8"), "half of it");
}

#[test]
fn what_lies_before_all_that_is_read_is_apart() {
    assert!(apart(1, "8 + v10*8", "0 + v10*8 + v20*-8"));
    assert!(!apart(1, "8 + v10*8", "8 + v10*8 + v20*-8"));
}

#[test]
fn counters_end_where_their_loops_do() {
    assert!(apart(1, "8 + v10*8", "0 + v20*8"), "i is at most k");
    assert!(!apart(1, "0 + v10*8", "0 + v20*8"));
    assert!(!apart(0, "8 + v10*8", "0 + v20*8"), "the count of i is not of one k");
    assert!(apart(0, "16 + v1*8", "0 + v10*8"), "k is at most n + 1");
    assert!(!apart(0, "8 + v1*8", "0 + v10*8"));
}

#[test]
fn what_is_not_known_may_meet() {
    assert!(!apart(1, "0 + v1*8", "8 + v9*8"));
}
