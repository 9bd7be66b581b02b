//! Which conditions and loops lead from the header of a loop to a block in it.

use super::Step;
use adir::{BlockId, Body, LoopId, Op};
use std::collections::BTreeSet;

/// The way from the header of `around` to a block in it, whose steps decide alone in which
/// iterations control gets there: that loop, then conditions and loops, the outermost first.
pub(super) fn to(body: &Body, around: LoopId, block: BlockId) -> Option<Vec<Step>> {
    let mut steps = vec![];
    let mut at = block;
    loop {
        if let Some(l) = body.loop_headed_by(at).filter(|&l| body.contains(l, block)) {
            steps.push(Step::For(l));
            if l == around {
                break;
            }
            at = body[l].preheader;
            continue;
        }
        let above = body.idom(at)?;
        match loop_left(body, above, at) {
            // The loop ends, whatever it does.
            Some(l) => {
                let mut exits = body[l].exits.iter();
                if !exits.all(|&(exit, _)| exit == at || leads_to(body, exit, at)) {
                    return None;
                }
                at = body[l].preheader;
            }
            None => {
                steps.extend(condition(body, above, at)?);
                at = above;
            }
        }
    }
    steps.reverse();
    Some(steps)
}

/// The outermost loop around `above` that is not around `at`.
fn loop_left(body: &Body, above: BlockId, at: BlockId) -> Option<LoopId> {
    body.loops_left(above, at).pop()
}

/// On what it depends whether control gets from `above`, which dominates it immediately, to `at`;
/// nothing where it always does.
fn condition(body: &Body, above: BlockId, at: BlockId) -> Option<Option<Step>> {
    let succs = &body[above].succs;
    if body[at].preds == [above] && succs.iter().any(|s| *s != at) {
        let branch = body.terminator(above);
        let is_branch = matches!(body[branch].op, Op::CondBr);
        return is_branch.then(|| Some(Step::If(body.operand(branch, 0), succs[0] == at)));
    }
    leads_to(body, above, at).then_some(None)
}

/// Whether all ways from a block come to `to` in the same iteration of the loops around both.
fn leads_to(body: &Body, from: BlockId, to: BlockId) -> bool {
    let within = body[from].innermost;
    let mut seen = BTreeSet::from([from]);
    let mut work = vec![from];
    while let Some(b) = work.pop() {
        if body[b].succs.is_empty() {
            return false;
        }
        for &s in body[b].succs.iter().filter(|&&s| s != to) {
            let is_back = within.is_some_and(|l| body[l].header == s);
            let leaves = within.is_some_and(|l| !body.contains(l, s));
            if is_back || leaves {
                return false;
            }
            if seen.insert(s) {
                work.push(s);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use adir_testing::{body, v};

    /// In a loop: a branch around a loop (b2 to b3 or b13), which has a branch in it (b4 to b5 or b7),
    /// then another loop (b8).
    const TEXT: &str = "body @f(v0: i1, v1: i1, v20: i1, v21: i1)
     loop l0 header b1 preheader b0 latch b10 counter v2 exits b12:v5 single
     loop l1 header b4 preheader b3 latch b7 counter v7 exits b11:v9 single
     loop l2 header b8 preheader b6 latch b8 counter v10 exits b9:v12 single
       v3: i64 = const 0
       v4: i64 = const 1
     b0:
       br -> b1
     b1: // in l0
       v2: i64 = phi [b0 v3] [b10 v6]
       br -> b2
     b2: // in l0
       condbr v0 -> b3 b13
     b3: // in l0
       br -> b4
     b4: // in l1
       v7: i64 = phi [b3 v3] [b7 v8]
       condbr v1 -> b5 b7
     b5: // in l1
       br -> b7
     b7: // in l1
       v8: i64 = add v7, v4
       condbr v20 -> b4 b11
     b11: // in l0
       v9: i64 = phi [b7 v7]
       br -> b6
     b13: // in l0
       br -> b6
     b6: // in l0
       br -> b8
     b8: // in l2
       v10: i64 = phi [b6 v3] [b8 v11]
       v11: i64 = add v10, v4
       condbr v20 -> b8 b9
     b9: // in l0
       v12: i64 = phi [b8 v10]
       br -> b10
     b10: // in l0
       v6: i64 = add v2, v4
       condbr v21 -> b1 b12
     b12:
       v5: i64 = phi [b10 v2]
       ret";

    fn way(around: u32, block: u32) -> Option<Vec<Step>> {
        to(&body(TEXT), LoopId(around), BlockId(block))
    }
    fn once(l: u32) -> Step {
        Step::For(LoopId(l))
    }

    #[test]
    fn conditions_and_loops_are_listed_from_outside() {
        let entered = Step::If(v(0), true);
        assert_eq!(way(0, 2), Some(vec![once(0)]));
        assert_eq!(way(0, 13), Some(vec![once(0), Step::If(v(0), false)]));
        assert_eq!(way(0, 5), Some(vec![once(0), entered, once(1), Step::If(v(1), true)]));
        assert_eq!(way(0, 7), Some(vec![once(0), entered, once(1)]), "both sides come to the join");
        assert_eq!(way(1, 7), Some(vec![once(1)]));
    }
    #[test]
    fn what_comes_to_its_end_is_no_condition() {
        assert_eq!(way(0, 11), Some(vec![once(0), Step::If(v(0), true)]), "behind the loop");
        assert_eq!(way(0, 8), Some(vec![once(0), once(2)]), "behind loop and branch");
        assert_eq!(way(0, 10), Some(vec![once(0)]));
    }
}
