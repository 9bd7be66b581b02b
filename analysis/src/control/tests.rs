//! Control dependence of small graphs.

use super::Control;
use crate::testing::body;
use adir::BlockId;

/// Per block, the blocks whose branches it depends on.
fn branches(text: &str) -> Vec<Vec<u32>> {
    let body = body(text);
    let control = Control::compute(&body);
    let of = |b: BlockId| {
        let mut found: Vec<u32> = control.branches(b).iter().map(|a| a.0).collect();
        found.sort_unstable();
        found
    };
    body.block_ids().map(of).collect()
}

#[test]
fn sides_of_a_branch_depend_on_it_and_what_follows_does_not() {
    let found = branches(
        "body @f(v0: i1, v1: i1)
         b0:
           condbr v0 -> b1 b4
         b1:
           condbr v1 -> b2 b3
         b2:
           br -> b3
         b3:
           br -> b5
         b4:
           br -> b5
         b5:
           ret",
    );
    assert_eq!(found, [vec![], vec![0], vec![1], vec![0], vec![0], vec![]]);
}

#[test]
fn a_loop_decides_about_itself() {
    let found = branches(
        "body @f(v0: i1, v1: i1)
         loop l0 header b1 counter v2 exits b4:v5 single
           v3: i64 = const 0
           v4: i64 = const 1
         b0:
           br -> b1
         b1:
           v2: i64 = phi [b0 v3] [b3 v6]
           condbr v0 -> b2 b3
         b2:
           br -> b3
         b3:
           v6: i64 = add v2, v4
           condbr v1 -> b1 b4
         b4:
           v5: i64 = phi [b3 v2]
           ret",
    );
    assert_eq!(found, [vec![], vec![3], vec![1], vec![3], vec![]]);
}

#[test]
fn a_branch_with_one_end_decides_whether_the_other_goes_on() {
    let found = branches(
        "body @f(v0: i1)
         b0:
           condbr v0 -> b1 b2
         b1:
           unreachable
         b2:
           ret",
    );
    assert_eq!(found, [vec![], vec![0], vec![0]]);
}

#[test]
fn cases_of_a_switch_that_fall_together() {
    let found = branches(
        "body @f(v0: i64)
         b0:
           switch v0 -> b1 b2 b2 b3
         b1:
           br -> b2
         b2:
           br -> b3
         b3:
           ret",
    );
    assert_eq!(found, [vec![], vec![0], vec![0], vec![]]);
}

#[test]
fn a_branch_both_ways_to_the_same_block_decides_nothing() {
    assert_eq!(
        branches("body @f(v0: i1)\nb0:\ncondbr v0 -> b1 b1\nb1:\nret"),
        [vec![], Vec::<u32>::new()]
    );
}
