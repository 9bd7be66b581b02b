//! Where memory is taken for what is recorded: in a loop, if not for all iterations of a run at once, and for the frame of a call.
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
//!
//! A call has a frame if control gets to the block that all readers of the frame have behind them. So calls that do nothing but return at
//! once have none: half of those on a tree.

use super::{
    needs::{Needs, Node},
    plan::level_of,
    sources::{Origin, Sources},
};
use crate::{
    analysis::affine::around,
    ir::{BlockId, Body, LoopId},
};
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

/// Which records undoing each block reads.
pub struct Readers<'a> {
    needs: &'a Needs<'a>,
    sources: &'a Sources<'a>,
    recorded: &'a BTreeSet<Node>,
    found: OnceCell<Vec<(BlockId, BTreeSet<Node>)>>,
}

impl<'a> Readers<'a> {
    /// Finds out when it is asked.
    pub fn new(needs: &'a Needs<'a>, sources: &'a Sources<'a>, recorded: &'a BTreeSet<Node>) -> Readers<'a> {
        Readers { needs, sources, recorded, found: OnceCell::new() }
    }

    /// The blocks whose undoing reads any of these records.
    fn of(&self, records: &BTreeSet<Node>) -> impl Iterator<Item = BlockId> {
        let found = self.found.get_or_init(|| {
            let reversed = self.needs.body().order.iter().filter(|&&b| self.needs.is_reversed(b));
            reversed.map(|&b| (b, records_behind(self.needs.read_in(b), self.sources, self.recorded))).collect()
        });
        found.iter().filter(|(_, read)| !read.is_disjoint(records)).map(|r| r.0)
    }
}

/// The block behind which a call needs its frame, which holds `own` and the ends of the chains of `chained` loops.
pub fn frame_site(readers: &Readers, own: &BTreeSet<Node>, chained: &[LoopId]) -> Option<BlockId> {
    let body = readers.needs.body();
    let outermost = |mut l: LoopId| {
        while let Some(around) = body[l].parent {
            l = around;
        }
        body[l].preheader
    };
    let all = readers.of(own).chain(chained.iter().map(|&l| outermost(l)));
    let mut at = all.reduce(|x, y| body.common_dominator(x, y))?;
    while body[at].innermost.is_some() {
        at = body.idom(at).expect("the entry is in no loop");
    }
    Some(at)
}

/// The sites of all loops that need one.
pub fn sites(readers: &Readers) -> BTreeMap<LoopId, BlockId> {
    let (body, recorded) = (readers.needs.body(), readers.recorded);
    let mut found = BTreeMap::new();
    for l in (0..body.loops.len() as u32).map(LoopId) {
        let own: BTreeSet<Node> = recorded.iter().copied().filter(|&n| level_of(body, n) == Some(l)).collect();
        if own.is_empty() {
            continue;
        }
        let header = body[l].header;
        let site = if can_have_site(body, l, &own) { site(readers, l, &own) } else { header };
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
fn site(readers: &Readers, l: LoopId, own: &BTreeSet<Node>) -> BlockId {
    let body = readers.needs.body();
    let header = body[l].header;
    let mut at: Option<BlockId> = None;
    for b in readers.of(own) {
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
            None => return if readers.needs.is_reversed(at) { at } else { header },
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
