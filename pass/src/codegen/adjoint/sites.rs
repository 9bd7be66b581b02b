//! Where memory is taken for what is recorded: in a loop, if not for all iterations of a run at
//! once, and for the frame of a call.
//!
//! The site of a loop is a block of it, not in a loop within: each time control gets there, memory
//! is taken and put at the end of the loop's chain, and undoing the site takes it from there. So
//! what is undone in the same iteration before the site is has its record at the end of the chain.
//! That is true of blocks that the site dominates, and the site is
//!
//! ```text
//! the nearest common dominator of all blocks whose undoing reads a record of the loop
//! ```
//!
//! so that iterations that read nothing, as they `continue` before, record nothing. What is defined
//! before the site is recorded there. A counted loop keeps its arrays where the site is the header,
//! as each iteration records then, and where nothing in the loop is a call that records: arrays can
//! be written side by side.
//!
//! A call has a frame if control gets to the block that all readers of the frame have behind them.
//! So calls that do nothing but return at once have none: half of those on a tree.

use super::{
    arrays::Carried,
    needs::{Needs, Node},
    plan::level_of,
    sources::{Origin, Sources},
};
use adir::{BlockId, Body, LoopId, ValueId, hashed::HashMap};
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

/// Which records undoing each block reads.
pub struct Readers<'a> {
    needs: &'a Needs<'a>,
    sources: &'a Sources<'a>,
    recorded: &'a BTreeSet<Node>,
    carried: &'a HashMap<ValueId, Carried>,
    found: OnceCell<Vec<(BlockId, BTreeSet<Node>)>>,
}

impl<'a> Readers<'a> {
    /// Finds out when it is asked.
    pub fn new(
        sources: &'a Sources<'a>,
        recorded: &'a BTreeSet<Node>,
        carried: &'a HashMap<ValueId, Carried>,
    ) -> Readers<'a> {
        Readers { needs: sources.needs(), sources, recorded, carried, found: OnceCell::new() }
    }

    /// The records that looking up these nodes reads.
    fn records_behind(&self, nodes: BTreeSet<Node>) -> BTreeSet<Node> {
        let mut seen = BTreeSet::new();
        let mut work: Vec<Node> = nodes.into_iter().collect();
        while let Some(node) = work.pop() {
            if !seen.insert(node) || self.recorded.contains(&node) {
                continue;
            }
            if let Origin::From(from) = self.sources.origin(node) {
                work.extend(from);
            }
            if let Node::Primal(v) = node
                && let Some(carried) = self.carried.get(&v)
            {
                work.extend([Node::Primal(carried.start), Node::Primal(carried.latch)]);
            }
        }
        seen.retain(|n| self.recorded.contains(n));
        seen
    }

    /// The blocks whose undoing reads any of these records.
    fn of(&self, records: &BTreeSet<Node>) -> impl Iterator<Item = BlockId> {
        let found = self.found.get_or_init(|| {
            let reversed = self.needs.body().order.iter().filter(|&&b| self.needs.is_reversed(b));
            reversed
                .map(|&b| (b, self.records_behind(self.needs.read_in(b, &self.sources.regions))))
                .collect()
        });
        found.iter().filter(|(_, read)| !read.is_disjoint(records)).map(|r| r.0)
    }
}

/// The block behind which a call needs its frame, which holds `own` and the ends of the chains of
/// `chained` loops.
pub fn frame_site(readers: &Readers, own: &BTreeSet<Node>, chained: &[LoopId]) -> Option<BlockId> {
    let body = readers.needs.body();
    let outermost = |mut l: LoopId| {
        while let Some(around) = body[l].parent {
            l = around;
        }
        body[l].preheader
    };
    let all = readers.of(own).chain(chained.iter().map(|&l| outermost(l)));
    let all = all.reduce(|x, y| body.common_dominator(x, y))?;
    // The entry is in no loop.
    Some(body.nearest_dominator(all, |b| body[b].innermost.is_none()))
}

/// The sites of all loops that need one.
pub fn sites(readers: &Readers) -> BTreeMap<LoopId, BlockId> {
    let (body, recorded) = (readers.needs.body(), readers.recorded);
    let mut found = BTreeMap::new();
    for l in body.loop_ids() {
        let own: BTreeSet<Node> =
            recorded.iter().copied().filter(|&n| level_of(body, n) == Some(l)).collect();
        if own.is_empty() {
            continue;
        }
        let header = body[l].header;
        let site = if can_have_site(readers, l, &own) { site(readers, l, &own) } else { header };
        if body[l].taken.is_none() || site != header {
            found.insert(l, site);
        }
    }
    found
}

/// Whether memory may be taken elsewhere than at the header.
fn can_have_site(readers: &Readers, l: LoopId, own: &BTreeSet<Node>) -> bool {
    // What comes from the iteration before is read where that recorded nothing, perhaps.
    let is_carried = readers.carried.values().any(|c| c.around == l);
    let is_copied = own.iter().any(|n| matches!(n, Node::Array(_)));
    let calls = own.iter().any(|n| matches!(n, Node::Tape(_)));
    !is_carried && !is_copied && (readers.needs.body()[l].taken.is_none() || calls)
}

/// The site of `l`, which records `own`, by what undoing each block reads.
fn site(readers: &Readers, l: LoopId, own: &BTreeSet<Node>) -> BlockId {
    let body = readers.needs.body();
    let known: Vec<BlockId> = own.iter().filter_map(|&n| block_of(body, n)).collect();
    let found = nearest(body, l, readers.of(own), &known);
    found.filter(|&b| readers.needs.is_reversed(b)).unwrap_or(body[l].header)
}

/// The block of `l` itself that dominates all where records are read, and lies behind or before
/// each where one becomes known.
fn nearest(
    body: &Body,
    l: LoopId,
    read: impl Iterator<Item = BlockId>,
    known: &[BlockId],
) -> Option<BlockId> {
    let read: Vec<BlockId> = read.collect();
    if !read.iter().all(|&b| body.contains(l, b)) {
        return None;
    }
    let mut at = read.into_iter().reduce(|x, y| body.common_dominator(x, y))?;
    loop {
        // The header is one.
        at = body.nearest_dominator(at, |b| body[b].innermost == Some(l));
        match known.iter().find(|&&d| !body.dominates(d, at) && !body.dominates(at, d)) {
            Some(&d) => at = body.common_dominator(at, d),
            None => return Some(at),
        }
    }
}

/// The block in which a node becomes known.
pub fn block_of(body: &Body, node: Node) -> Option<BlockId> {
    match node {
        Node::Primal(v) | Node::Shadow(v) | Node::Tape(v) | Node::Array(v) | Node::Entry(v, _) => {
            body[v].block
        }
        Node::Section(_, l) | Node::Once(_, l) => Some(body[l].preheader),
        Node::Pred(b) => Some(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adir_testing::body;

    /// A loop with a branch (b2 to b3 or b5), a join within one side (b3 to b4), and a loop on the
    /// other (b6).
    const TEXT: &str = "body @f(v0: i1, v1: i1, v20: i1)
     loop l0 header b1 preheader b0 latch b9 counter v2 exits b10:v5 single
     loop l1 header b6 preheader b5 latch b6 counter v7 exits b8:v9 single
       v3: i64 = const 0
       v4: i64 = const 1
     b0:
       br -> b1
     b1: // in l0
       v2: i64 = phi [b0 v3] [b9 v6]
       br -> b2
     b2: // in l0
       condbr v0 -> b3 b5
     b3: // in l0
       condbr v1 -> b4 b7
     b4: // in l0
       br -> b7
     b7: // in l0
       br -> b9
     b5: // in l0
       br -> b6
     b6: // in l1
       v7: i64 = phi [b5 v3] [b6 v8]
       v8: i64 = add v7, v4
       condbr v1 -> b6 b8
     b8: // in l0
       v9: i64 = phi [b6 v7]
       br -> b9
     b9: // in l0
       v6: i64 = add v2, v4
       condbr v20 -> b1 b10
     b10:
       v5: i64 = phi [b9 v2]
       ret";

    /// The site of the outer loop where records are read in these blocks, and become known in
    /// those.
    fn outer(read: &[u32], known: &[u32]) -> Option<u32> {
        let blocks = |numbers: &[u32]| numbers.iter().map(|&b| BlockId(b)).collect::<Vec<_>>();
        nearest(&body(TEXT), LoopId(0), blocks(read).into_iter(), &blocks(known)).map(|b| b.0)
    }

    #[test]
    fn the_site_dominates_all_readers() {
        assert_eq!(outer(&[4], &[4]), Some(4));
        assert_eq!(outer(&[4, 7], &[4]), Some(3));
        assert_eq!(outer(&[4, 8], &[1]), Some(2));
        assert_eq!(outer(&[9], &[1]), Some(9));
    }
    #[test]
    fn the_site_is_in_no_inner_loop() {
        assert_eq!(outer(&[6], &[5]), Some(5));
        assert_eq!(outer(&[8], &[5]), Some(8));
    }
    #[test]
    fn what_is_known_on_one_path_only_is_stored_behind_the_site() {
        assert_eq!(outer(&[7], &[4]), Some(3));
        assert_eq!(outer(&[9], &[4, 1]), Some(2));
    }
    #[test]
    fn readers_outside_the_loop_have_no_site() {
        assert_eq!(outer(&[4, 10], &[4]), None);
    }
}
