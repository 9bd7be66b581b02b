//! Where a loop takes memory for what it records, if not for all iterations of a run at once.
//!
//! The site of a loop is a block of it, not in a loop within: each time control gets there, memory is taken and put at the end of the
//! loop's chain, and undoing the site takes it from there. So what is undone in the same iteration before the site is has its record at
//! the end of the chain. That is true of blocks that the site dominates, and the site is
//!
//! ```text
//! the nearest common dominator of all blocks whose undoing reads a record of the loop
//! ```
//!
//! so that iterations that read nothing, as they `continue` before, record nothing. What is defined before the site is recorded there.
//! A counted loop keeps its arrays where the site is the header, as each iteration records then, and where nothing in the loop is a
//! call that records: arrays can be written side by side.

use super::{
    needs::{Needs, Node},
    plan::level_of,
    sources::{Origin, Sources},
};
use crate::{
    analysis::affine::around,
    ir::{BlockId, Body, LoopId},
};
use std::collections::{BTreeMap, BTreeSet};

/// The sites of all loops that need one.
pub fn sites(needs: &Needs, sources: &Sources, recorded: &BTreeSet<Node>) -> BTreeMap<LoopId, BlockId> {
    let body = needs.body();
    let mut found = BTreeMap::new();
    let mut reads: Option<Vec<(BlockId, BTreeSet<Node>)>> = None;
    for l in (0..body.loops.len() as u32).map(LoopId) {
        let own: BTreeSet<Node> = recorded.iter().copied().filter(|&n| level_of(body, n) == Some(l)).collect();
        if own.is_empty() {
            continue;
        }
        let header = body[l].header;
        let site = if can_have_site(body, l, &own) {
            let reads = reads.get_or_insert_with(|| {
                let reversed = body.order.iter().filter(|&&b| needs.is_reversed(b));
                reversed.map(|&b| (b, records_behind(needs.read_in(b), sources, recorded))).collect()
            });
            site(needs, reads, l, &own)
        } else {
            header
        };
        if body[l].taken.is_none() || site != header {
            found.insert(l, site);
        }
    }
    found
}

/// Whether memory may be taken elsewhere than at the header.
fn can_have_site(body: &Body, l: LoopId, own: &BTreeSet<Node>) -> bool {
    // What comes from the iteration before is read where that recorded nothing, perhaps.
    let is_alone = |n: &Node| match n {
        Node::Primal(v) => body[l].taken.is_none() || around(body, *v).is_none_or(|(at, _, latch)| at != l || !own.contains(&Node::Primal(latch))),
        Node::Array(_) => false,
        Node::Shadow(_) | Node::Tape(_) | Node::Pred(_) => true,
    };
    let calls = own.iter().any(|n| matches!(n, Node::Tape(_)));
    own.iter().all(is_alone) && (body[l].taken.is_none() || calls)
}

/// The site of `l`, which records `own`, by what undoing each block reads.
fn site(needs: &Needs, reads: &[(BlockId, BTreeSet<Node>)], l: LoopId, own: &BTreeSet<Node>) -> BlockId {
    let body = needs.body();
    let header = body[l].header;
    let mut at: Option<BlockId> = None;
    for &(b, _) in reads.iter().filter(|(_, read)| !read.is_disjoint(own)) {
        if !body.contains(l, b) {
            return header;
        }
        at = Some(at.map_or(b, |at| body.common_dominator(at, b)));
    }
    let Some(mut at) = at else { return header };
    loop {
        // A block of the loop itself, and one that knows all that is recorded, or comes before it.
        while body[at].innermost != Some(l) {
            at = body.idom(at).expect("the header dominates its loop");
        }
        let apart = own.iter().filter_map(|&n| block_of(body, n)).find(|&d| !body.dominates(d, at) && !body.dominates(at, d));
        match apart {
            Some(d) => at = body.common_dominator(at, d),
            None => return if needs.is_reversed(at) { at } else { header },
        }
    }
}

/// The records that looking up these nodes reads.
fn records_behind(nodes: BTreeSet<Node>, sources: &Sources, recorded: &BTreeSet<Node>) -> BTreeSet<Node> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<Node> = nodes.into_iter().collect();
    while let Some(node) = work.pop() {
        if !seen.insert(node) || recorded.contains(&node) {
            continue;
        }
        if let Origin::From(from) = sources.origin(node) {
            work.extend(from);
        }
    }
    seen.retain(|n| recorded.contains(n));
    seen
}

/// The block in which a node becomes known.
pub fn block_of(body: &Body, node: Node) -> Option<BlockId> {
    match node {
        Node::Primal(v) | Node::Shadow(v) | Node::Tape(v) | Node::Array(v) => body[v].block,
        Node::Pred(b) => Some(b),
    }
}
