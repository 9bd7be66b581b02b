//! Finding regions: from each output downwards, as far as it saves records.

use super::{Edge, Region, Regions, edges, read_by};
use crate::codegen::adjoint::{
    FrameStorage,
    needs::{Needs, Node},
    plan::{bytes_of, level_of},
    sources::{Origin, Sources},
};
use adir::{
    Body, Op, ValueId,
    hashed::{HashMap, HashSet},
};
use std::collections::BTreeSet;

/// Members of one region.
const MOST_MEMBERS: usize = 48;
/// Members of a region that may save effort only.
const LONG: usize = 4;
/// Inputs of one region.
const MOST_INPUTS: usize = 12;
/// Nodes that are looked at to find what one region's partials are had from.
const MOST_NODES: usize = 600;

impl Regions {
    /// Those of the blocks whose records cost memory.
    pub fn find(needs: &Needs, sources: &Sources, place: FrameStorage) -> Regions {
        let body = needs.body();
        let mut found = Regions::default();
        for &b in body.order.iter().filter(|&&b| needs.is_reversed(b)) {
            // What a request records outside loops becomes registers.
            if body[b].innermost.is_none() && !place.is_apart() {
                continue;
            }
            for &v in body[b].insts.iter().rev() {
                if !found.of.contains_key(&v)
                    && let Some(region) = (Search { needs, sources, body }).below(v)
                {
                    found.add(needs, region, sources);
                }
            }
        }
        found
    }
}

struct Search<'a> {
    needs: &'a Needs<'a>,
    sources: &'a Sources<'a>,
    body: &'a Body,
}

/// Records from which the partials of a region are had.
#[derive(Default)]
struct Roots {
    seen: HashSet<Node>,
    bytes: u64,
    /// Per node that was asked for: whether it needs any record.
    rooted: HashMap<Node, bool>,
}

impl Search<'_> {
    /// The region with output `y` that saves most records, if any does.
    fn below(&self, y: ValueId) -> Option<Region> {
        let mut all = edges(self.needs, y)?;
        let mut members: BTreeSet<ValueId> = BTreeSet::from([y]);
        let mut roots = Roots::default();
        let mut rooted: Vec<bool> = vec![];
        let mut best: Option<(u64, usize)> = None;
        loop {
            for edge in &all[rooted.len()..] {
                rooted.push(self.is_rooted(y, edge, &mut roots)?);
            }
            let row = self.row_bytes(y, &all, &rooted);
            let gain = row.and_then(|row| roots.bytes.checked_sub(row));
            if let Some(gain) =
                gain.filter(|&gain| gain > 0 || roots.bytes > 0 && members.len() >= LONG)
                && best.is_none_or(|(most, _)| gain >= most)
            {
                best = Some((gain, all.len()));
            }
            // The last value that only members read comes next: all its users are members by then,
            // or none of them will be.
            let inputs = all.iter().map(|e| e.from).filter(|v| !members.contains(v));
            let next = inputs
                .filter(|&v| self.only_serves(v, y, &members))
                .max_by_key(|&v| self.body.position(v));
            let Some((v, more)) = next.and_then(|v| Some((v, edges(self.needs, v)?))) else {
                break;
            };
            members.insert(v);
            all.extend(more);
            if members.len() == MOST_MEMBERS {
                break;
            }
        }
        let (_, count) = best?;
        all.truncate(count);
        Some(Region::new(y, all))
    }

    /// Whether `v` may be a member, and its adjoint comes from members only.
    fn only_serves(&self, v: ValueId, y: ValueId, members: &BTreeSet<ValueId>) -> bool {
        let is_part = self.body[v].block.is_some()
            && self.body[v].block == self.body[y].block
            && self.body[v].ty == self.body[y].ty
            && edges(self.needs, v).is_some();
        let counts =
            |u: &&ValueId| self.needs.has_reverse(**u) || matches!(self.body[**u].op, Op::Ret);
        is_part && self.body.users[v].iter().filter(counts).all(|u| members.contains(u))
    }

    /// Bytes of the entries whose partials need records; `None` where there are too many inputs.
    fn row_bytes(&self, y: ValueId, all: &[Edge], rooted: &[bool]) -> Option<u64> {
        let region = Region::new(y, all.to_vec());
        if region.inputs.len() > MOST_INPUTS {
            return None;
        }
        let is_rooted =
            |edge: &Edge| all.iter().zip(rooted).any(|(e, rooted)| e == edge && *rooted);
        let costs = |x: &&ValueId| region.edges_to(|input| input == **x).into_iter().any(is_rooted);
        Some(
            region
                .inputs
                .iter()
                .filter(costs)
                .map(|&x| bytes_of(self.body, Node::Entry(y, x), 1))
                .sum(),
        )
    }

    /// Whether the partial along `edge` is had from records of `y`'s loop. What it adds to them
    /// goes to `roots`; `None` where there is too much to look at.
    fn is_rooted(&self, y: ValueId, edge: &Edge, roots: &mut Roots) -> Option<bool> {
        let mut any = false;
        for node in read_by(self.needs, edge) {
            any |= match roots.rooted.get(&node) {
                Some(&known) => known,
                None => {
                    let known = self.walk(y, node, roots)?;
                    roots.rooted.insert(node, known);
                    known
                }
            };
        }
        Some(any)
    }

    fn walk(&self, y: ValueId, node: Node, roots: &mut Roots) -> Option<bool> {
        let depth = |node| level_of(self.body, node).map_or(0, |l| self.body[l].depth);
        let here = depth(Node::Primal(y));
        let mut any = false;
        let mut seen: HashSet<Node> = HashSet::default();
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            // What is recorded outside costs little.
            if !seen.insert(node) || depth(node) < here {
                continue;
            }
            if seen.len() + roots.seen.len() > MOST_NODES {
                return None;
            }
            match self.sources.origin(node) {
                Origin::Free => {}
                Origin::From(from) => work.extend(from),
                Origin::Record => {
                    any = true;
                    if roots.seen.insert(node) {
                        roots.bytes += bytes_of(self.body, node, 1);
                    }
                }
            }
        }
        Some(any)
    }
}
