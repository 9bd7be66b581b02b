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
