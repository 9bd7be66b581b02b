//! The plan of an adjoint: what is recorded, where it is kept, what is recomputed.
//!
//! Storage follows the loop nest. The function's own values lie in its frame. A loop whose trip
//! count is known at its entry keeps one block of memory per run, an array per recorded value
//! (structure of arrays); a loop whose count is not known keeps one block per iteration, and so do
//! loops around calls in which few iterations record (sites.rs). The blocks of a loop form a chain
//! through their first word, across all its runs: the reverse sweep walks it from the end, and
//! needs nothing recorded to find its way. A value that a counted loop carries to its next
//! iteration is recorded once, and read one iteration before. Copies of arrays (arrays.rs) are such
//! arrays, with some elements more.

use super::{
    FrameStorage,
    arrays::Carried,
    cut::CutGraph,
    needs::Node,
    sites::{self, Readers},
    sources::{Origin, Sources},
};
use crate::codegen::GaveUp;
use adanalysis::affine::around;
use adir::{BlockId, Body, EntityMap, LoopId, Op, Ty, ValueId, hashed::HashMap};
use std::{collections::BTreeSet, fmt};

/// Bytes before the arrays of a run: the link of the chain, and the number of iterations.
pub const HEADER: u64 = 16;
/// Bytes before the values of an iteration: the link of the chain.
pub const LINK: u64 = 8;
/// Cost of a record inside a loop, relative to one outside, per level.
const LOOP_FACTOR: u64 = 8;
/// Cost of what the reverse sweep has at hand.
const AT_HAND: u64 = 1;
/// Cost of the smallest record: it takes instructions, if hardly memory.
const LEAST: u64 = 2;
/// Bytes of the largest frame that is put together in registers.
const MOST_LATE: u64 = 256;
/// Nodes below which a plan does not ask how often the reverse sweep computes each of them.
const MANY_NODES: usize = 512;
/// How often the reverse sweep may compute a node again on average, in different blocks, before the
/// plan counts each time.
const MOST_COPIES: u64 = 3;
/// Plans that are made with the numbers of copies that the last one led to.
const MOST_SOLUTIONS: usize = 4;
/// Deepest level that is distinguished.
const DEEPEST: u32 = 8;

/// Size of an address: the shadow of a pointer in one direction, or a tape.
pub const WORD: u64 = 8;

/// A recorded node.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Loop whose block holds it; `None` for the frame.
    pub level: Option<LoopId>,
    /// Bytes from the start of the frame, of the iteration's values, or (times the number of
    /// iterations) of the run's arrays.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// Bytes by which arrays before it are longer than others.
    pub shift: u64,
    /// Where its byte is one that narrow nodes share.
    pub packed: Option<Packed>,
    /// Bytes from the start of the value: those of the directions before.
    pub part: u64,
}

/// Bits of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packed {
    /// The lowest.
    pub first: u32,
    /// How many.
    pub width: u32,
}

impl Slot {
    /// Alignment that its address surely has.
    pub fn alignment(self) -> u32 {
        self.bytes.min(8).next_power_of_two() as u32
    }
    /// Of the slot of a pointer's shadows, the one in that direction.
    pub fn of_direction(self, direction: usize) -> Slot {
        Slot { part: direction as u64 * WORD, ..self }
    }

    /// The next bits of the same byte, if there are so many.
    fn beside(self, width: u32) -> Option<Slot> {
        let first = self.packed.map(|p| p.first + p.width).filter(|first| first + width <= 8)?;
        Some(Slot { packed: Some(Packed { first, width }), ..self })
    }
}

/// Values recorded per iteration of one loop, or per call of the function.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Nodes in the order of their offsets.
    pub nodes: Vec<Node>,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Bytes by which arrays are longer than one value per iteration.
    pub more: u64,
    /// Offsets of bytes that several narrow nodes share.
    pub shared: Vec<u64>,
    /// The block of a loop where memory for one iteration is taken; `None` where all of a run have
    /// theirs at once. Of the frame of a call, the block without which there is none.
    pub site: Option<BlockId>,
}

/// What is recorded, where it is kept, what is recomputed.
pub struct Plan {
    slots: HashMap<Node, Slot>,
    recomputed: BTreeSet<Node>,
    carried: HashMap<ValueId, Carried>,
    /// What copies of sections cost, as in the choice of what to record.
    copied: u64,
    /// The function's frame: recorded values, then the ends of the chains of `chained` loops.
    pub frame: Level,
    /// Per loop.
    pub loops: EntityMap<LoopId, Level>,
    /// Loops that record anything, with the offset of their chain's end in the frame.
    pub chained: Vec<(LoopId, u64)>,
    /// Size of the frame in bytes.
    pub frame_bytes: u64,
    /// Number of directions: a slot of a pointer's shadow holds one for each.
    pub width: usize,
    /// Where the last of [`MOST_SOLUTIONS`] plans still computes much again.
    pub gave_up: Option<GaveUp>,
}

impl Plan {
    /// Nothing is recorded, and nothing asked for.
    pub fn nothing(body: &Body, width: usize) -> Plan {
        Plan {
            slots: HashMap::default(),
            recomputed: BTreeSet::new(),
            carried: HashMap::default(),
            copied: 0,
            frame: Level::default(),
            loops: EntityMap::with(body.loops.len(), Level::default()),
            chained: vec![],
            frame_bytes: 0,
            width,
            gave_up: None,
        }
    }
    /// Chooses the cheapest records from which all that is needed can be had.
    pub fn compute(
        body: &Body,
        sources: &Sources,
        needed: Vec<Node>,
        place: FrameStorage,
        width: usize,
    ) -> Plan {
        // Everything that may take part, with its origin.
        let mut index: HashMap<Node, usize> = HashMap::default();
        let mut nodes: Vec<(Node, Option<Vec<Node>>)> = vec![];
        let mut work = needed.clone();
        while let Some(node) = work.pop() {
            if index.contains_key(&node) {
                continue;
            }
            let from = match sources.origin(node) {
                Origin::Free => continue,
                Origin::Record => None,
                Origin::From(from) => Some(from),
            };
            index.insert(node, nodes.len());
            work.extend(from.iter().flatten());
            nodes.push((node, from));
        }
        let from: Vec<Option<Vec<usize>>> = nodes
            .iter()
            .map(|(_, from)| {
                Some(from.as_ref()?.iter().filter_map(|f| index.get(f).copied()).collect())
            })
            .collect();
        let wanted: Vec<usize> = needed.iter().filter_map(|n| index.get(n).copied()).collect();
        let level = |node| LOOP_FACTOR.pow(depth_of(body, node).min(DEEPEST));
        let solve = |copies: &[u64]| {
            let mut graph = CutGraph::new(nodes.len());
            for (i, &(node, _)) in nodes.iter().enumerate() {
                let bytes = if is_at_hand(body, node, place) {
                    AT_HAND
                } else {
                    bytes_of(body, node, width).max(LEAST)
                };
                let more = match node {
                    Node::Entry(y, x) => sources.regions.price(y, x),
                    Node::Section(v, _) => sources.sections.price(body, v, LOOP_FACTOR),
                    _ => 0,
                };
                graph.cost(i, (bytes + more) * level(node));
                match &from[i] {
                    None => graph.root(i),
                    Some(from) => {
                        // What needs nothing is recomputed from nothing.
                        let once = sources.effort(node);
                        let effort = if copies[i] > 1 { once.max(1) * copies[i] } else { once };
                        graph.recompute(i, effort * level(node));
                        from.iter().for_each(|&f| graph.depends(i, f));
                    }
                }
            }
            wanted.iter().for_each(|&n| graph.need(n));
            graph.solve()
        };
        let mut copies = vec![1; nodes.len()];
        let mut cut = solve(&copies);
        let blocks = body.order.iter().filter(|&&b| sources.needs().is_reversed(b)).count();
        let mut gave_up = None;
        for solution in 0..=MOST_SOLUTIONS {
            if blocks == 1 || nodes.len() < MANY_NODES {
                break;
            }
            let now = copies_of(body, sources, &index, &from, &cut);
            let (all, distinct) = (now.iter().sum::<u64>(), now.iter().filter(|&&n| n > 0).count());
            if all <= MOST_COPIES * distinct as u64 {
                break;
            }
            if solution == MOST_SOLUTIONS {
                gave_up = Some(GaveUp {
                    analysis: "plan",
                    reason: format!(
                        "the best of {} plans computes {distinct} values again in {all} places",
                        MOST_SOLUTIONS + 1
                    ),
                    cost: "time and size of the reverse sweep",
                });
                break;
            }
            copies.iter_mut().zip(now).for_each(|(known, now)| *known = now.max(*known));
            cut = solve(&copies);
        }
        let mut recorded: BTreeSet<Node> = cut.into_iter().map(|i| nodes[i].0).collect();
        let carried = carried(body, &mut recorded, sources);
        let recomputed = nodes.iter().map(|n| n.0).filter(|n| !recorded.contains(n)).collect();
        let copied = |&node: &Node| match node {
            Node::Section(v, _) => sources.sections.price(body, v, LOOP_FACTOR) * level(node),
            _ => 0,
        };
        let copied = recorded.iter().map(copied).sum();
        let mut plan = Plan { recomputed, carried, copied, gave_up, ..Plan::nothing(body, width) };
        let carried = plan.carried.clone();
        let readers = Readers::new(sources, &recorded, &carried);
        for (l, site) in sites::sites(&readers) {
            plan.loops[l].site = Some(site);
        }
        plan.lay_out(body, &recorded, sources, place);
        if place == FrameStorage::Call && !place.returns_frame(plan.frame_bytes) {
            let chained: Vec<LoopId> = plan.chained.iter().map(|c| c.0).collect();
            plan.frame.site =
                sites::frame_site(&readers, &plan.frame.nodes.iter().copied().collect(), &chained);
        }
        plan
    }

    /// Wide values first, so that all are aligned; the ways that control came share bytes, but in a
    /// frame that becomes registers.
    fn lay_out(
        &mut self,
        body: &Body,
        recorded: &BTreeSet<Node>,
        sources: &Sources,
        place: FrameStorage,
    ) {
        let mut order: Vec<Node> = recorded.iter().copied().collect();
        order.sort_by_key(|&n| (std::cmp::Reverse(bytes_of(body, n, self.width)), n));
        let mut narrow: HashMap<Option<LoopId>, u32> = HashMap::default();
        for &node in order.iter().filter(|&&n| bits_of(body, n).is_some()) {
            *narrow.entry(level_of(body, node)).or_default() += 1;
        }
        // The slot that came last into a level's last shared byte.
        let mut last: HashMap<Option<LoopId>, Slot> = HashMap::default();
        for node in order {
            let level = level_of(body, node);
            let bytes = bytes_of(body, node, self.width);
            let at = match level {
                Some(l) => &mut self.loops[l],
                None => &mut self.frame,
            };
            let may_share = level.is_some() || place != FrameStorage::Caller;
            let bits = bits_of(body, node).filter(|_| may_share && narrow[&level] > 1);
            let beside = bits.and_then(|bits| last.get(&level)?.beside(bits));
            let packed = bits.map(|width| Packed { first: 0, width });
            let slot = beside.unwrap_or(Slot {
                level,
                offset: at.bytes,
                bytes,
                shift: at.more,
                packed,
                part: 0,
            });
            self.slots.insert(node, slot);
            at.nodes.push(node);
            if packed.is_some() {
                last.insert(level, slot);
            }
            if beside.is_some() {
                continue;
            }
            if packed.is_some() {
                at.shared.push(slot.offset);
            }
            at.bytes += bytes;
            if let Node::Array(v) = node {
                at.more += sources.arrays.array(v).map_or(0, |a| a.more * a.bytes);
            }
        }
        let mut end = self.frame.bytes.next_multiple_of(8);
        for (l, level) in self.loops.iter() {
            if !level.nodes.is_empty() {
                self.chained.push((l, end));
                end += 8;
            }
        }
        self.frame_bytes = end;
    }

    /// What is recorded per iteration of a loop, or per call.
    pub fn level(&self, level: Option<LoopId>) -> &Level {
        level.map_or(&self.frame, |l| &self.loops[l])
    }

    /// Where a node is recorded.
    pub fn slot(&self, node: Node) -> Option<Slot> {
        self.slots.get(&node).copied()
    }
    /// How `v` is read from the records of the iteration before, if it is.
    pub fn carried(&self, v: ValueId) -> Option<Carried> {
        self.carried.get(&v).copied()
    }
    /// Whether a node may be recomputed in the reverse sweep.
    pub fn is_recomputed(&self, node: Node) -> bool {
        self.recomputed.contains(&node)
    }
    /// All nodes that may be recomputed, in order.
    pub fn recomputed(&self) -> impl Iterator<Item = Node> + '_ {
        self.recomputed.iter().copied()
    }
    /// What is recorded in loops, in bytes that count as much as in the choice of what to record.
    pub fn traffic(&self, body: &Body) -> u64 {
        let factor = |l: LoopId| LOOP_FACTOR.pow(body[l].depth.min(DEEPEST));
        let records: u64 = self.loops.iter().map(|(l, level)| level.bytes * factor(l)).sum();
        records + self.copied
    }
    /// Whether memory for the frame of a call is taken when it returns, behind that of the calls
    /// within.
    pub fn has_late_frame(&self, place: FrameStorage) -> bool {
        place.is_apart() && !place.returns_frame(self.frame_bytes) && self.frame_bytes <= MOST_LATE
    }
    /// The block without which a call has no frame, where there is one that is not always passed.
    pub fn frame_site(&self, body: &Body, place: FrameStorage) -> Option<BlockId> {
        self.frame.site.filter(|&b| b != body.order[0] && self.has_late_frame(place))
    }
    /// The block of the loop where memory for one iteration is taken, if it is.
    pub fn site(&self, l: LoopId) -> Option<BlockId> {
        self.loops[l].site
    }
    /// The loop that takes memory for one iteration in that block.
    pub fn taken_in(&self, body: &Body, b: BlockId) -> Option<LoopId> {
        body[b].innermost.filter(|&l| self.site(l) == Some(b))
    }
    /// Bytes before the values of one of the loop's blocks.
    pub fn header_bytes(&self, l: LoopId) -> u64 {
        match self.site(l) {
            Some(_) => LINK,
            None => HEADER,
        }
    }
    /// Whether any entry of a region is recorded.
    pub fn records_entries(&self) -> bool {
        self.slots.keys().any(|n| matches!(n, Node::Entry(..)))
    }
    /// Whether the loop records anything.
    pub fn records(&self, l: LoopId) -> bool {
        !self.loops[l].nodes.is_empty()
    }
}

/// How often the reverse sweep computes each node again with that cut: in each block that asks for
/// it, or for what is computed from it.
fn copies_of(
    body: &Body,
    sources: &Sources,
    index: &HashMap<Node, usize>,
    from: &[Option<Vec<usize>>],
    cut: &[usize],
) -> Vec<u64> {
    let mut copies = vec![0; from.len()];
    let mut is_recorded = vec![false; from.len()];
    cut.iter().for_each(|&i| is_recorded[i] = true);
    // The last block that was seen to compute it.
    let mut seen = vec![u32::MAX; from.len()];
    let needs = sources.needs();
    for &b in body.order.iter().filter(|&&b| needs.is_reversed(b)) {
        let mut work: Vec<usize> = needs
            .read_in(b, &sources.regions)
            .iter()
            .filter_map(|n| index.get(n).copied())
            .collect();
        while let Some(i) = work.pop() {
            if !is_recorded[i] && seen[i] != b.0 {
                seen[i] = b.0;
                copies[i] += 1;
                work.extend(from[i].iter().flatten());
            }
        }
    }
    copies
}

/// Takes phis out of what is recorded that can be read from other records, one iteration before.
fn carried(
    body: &Body,
    recorded: &mut BTreeSet<Node>,
    sources: &Sources,
) -> HashMap<ValueId, Carried> {
    let mut carried: HashMap<ValueId, Carried> = HashMap::default();
    for node in recorded.clone() {
        let Node::Primal(phi) = node else { continue };
        let Some((l, start, latch)) = around(body, phi).filter(|(l, ..)| body[*l].taken.is_some())
        else {
            continue;
        };
        // Follow the values back to one that keeps its record.
        let mut at = latch;
        while let Some(c) = carried.get(&at) {
            at = c.latch;
        }
        if at != phi && body.loop_of(at) == Some(l) && recorded.contains(&Node::Primal(at)) {
            carried.insert(phi, Carried { around: l, start, latch });
            recorded.remove(&node);
            if !matches!(sources.origin(Node::Primal(start)), Origin::Free) {
                recorded.insert(Node::Primal(start));
            }
        }
    }
    carried
}

/// Parameters of both sweeps in one function are still there in the reverse sweep, and so are their
/// shadows.
fn is_at_hand(body: &Body, node: Node, place: FrameStorage) -> bool {
    let (Node::Primal(v) | Node::Shadow(v)) = node else { return false };
    place == FrameStorage::Caller && matches!(body[v].op, Op::Param(_))
}

/// Loop whose iterations each have a value of the node.
pub fn level_of(body: &Body, node: Node) -> Option<LoopId> {
    match node {
        Node::Primal(v) | Node::Shadow(v) | Node::Tape(v) | Node::Array(v) | Node::Entry(v, _) => {
            body.loop_of(v)
        }
        Node::Section(_, l) | Node::Once(_, l) => body[l].parent,
        Node::Pred(b) => body[b].innermost,
    }
}

/// Loops around a node.
fn depth_of(body: &Body, node: Node) -> u32 {
    level_of(body, node).map_or(0, |l| body[l].depth)
}

/// Size of a node in memory, in `width` directions.
pub fn bytes_of(body: &Body, node: Node, width: usize) -> u64 {
    match node {
        Node::Primal(v) | Node::Array(v) | Node::Once(v, _) => match body[v].ty {
            Ty::Int(bits) => u64::from(bits.div_ceil(8)).next_power_of_two(),
            _ => body[v].bytes,
        },
        Node::Shadow(_) => WORD * width as u64,
        Node::Tape(_) | Node::Section(..) => WORD,
        Node::Entry(y, _) => body[y].bytes,
        Node::Pred(b) => pred_bytes(body[b].preds.len()),
    }
}

/// Bits that tell what a node is, where a byte has room for more than one such node.
fn bits_of(body: &Body, node: Node) -> Option<u32> {
    match node {
        Node::Primal(v) => (body[v].ty == Ty::Int(1)).then_some(1),
        Node::Pred(b) => {
            Some(usize::BITS - (body[b].preds.len() - 1).leading_zeros()).filter(|&bits| bits <= 4)
        }
        Node::Shadow(_)
        | Node::Tape(_)
        | Node::Array(_)
        | Node::Section(..)
        | Node::Once(..)
        | Node::Entry(..) => None,
    }
}

/// Size of a predecessor's number.
pub fn pred_bytes(preds: usize) -> u64 {
    if preds <= 256 { 1 } else { 4 }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "plan: frame of {} bytes: {:?}", self.frame_bytes, self.frame.nodes)?;
        for (l, level) in self.loops.iter().filter(|(_, level)| !level.nodes.is_empty()) {
            write!(f, "  loop {l:?}: {} bytes per iteration: {:?}", level.bytes, level.nodes)?;
            match level.site {
                Some(b) => writeln!(f, ", taken in b{}", b.0)?,
                None => writeln!(f)?,
            }
        }
        writeln!(f, "  recomputed: {:?}", self.recomputed)
    }
}
