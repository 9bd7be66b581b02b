//! The plan of an adjoint: what is recorded, where it is kept, what is recomputed.
//!
//! Storage follows the loop nest. The function's own values lie in its frame. A loop whose trip count is known at its
//! entry keeps one block of memory per run, an array per recorded value (structure of arrays); a loop whose count is
//! not known keeps one block per iteration. The blocks of a loop form a chain through their first word, across all its
//! runs: the reverse sweep walks it from the end, and needs nothing recorded to find its way.

use super::{
    cut::CutGraph,
    needs::{Needs, Node, Origin},
};
use crate::ir::{Body, LoopId, Ty};
use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

/// Bytes before the values of a block: the link of the chain, and for counted loops the number of iterations.
pub const HEADER: u64 = 16;
/// Cost of a record inside a loop, relative to one outside, per level.
const LOOP_FACTOR: u64 = 8;
/// Deepest level that is told apart.
const DEEPEST: u32 = 8;

/// A recorded node.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Loop whose block holds it; `None` for the frame.
    pub level: Option<LoopId>,
    /// Bytes from the start of the frame, of the iteration's block, or (times the number of iterations) of the run's
    /// arrays.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
}

impl Slot {
    /// Alignment that its address surely has.
    pub fn alignment(self) -> u32 {
        self.bytes.min(8).next_power_of_two() as u32
    }
}

/// Values recorded per iteration of one loop, or per call of the function.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Nodes in the order of their offsets.
    pub nodes: Vec<Node>,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// What is recorded, where it is kept, what is recomputed.
pub struct Plan {
    slots: HashMap<Node, Slot>,
    recomputed: BTreeSet<Node>,
    /// The function's frame: recorded values, then the ends of the chains of `chained` loops.
    pub frame: Level,
    /// Per loop.
    pub loops: Vec<Level>,
    /// Loops that record anything, with the offset of their chain's end in the frame.
    pub chained: Vec<(LoopId, u64)>,
    /// Size of the frame in bytes.
    pub frame_bytes: u64,
}

impl Plan {
    /// Chooses the cheapest records from which all that is needed can be had.
    pub fn compute(body: &Body, needs: &Needs) -> Plan {
        let needed = needs.needed();
        // Everything that may take part, with its origin.
        let mut index: HashMap<Node, usize> = HashMap::new();
        let mut nodes: Vec<(Node, Option<Vec<Node>>)> = vec![];
        let mut work = needed.clone();
        while let Some(node) = work.pop() {
            if index.contains_key(&node) {
                continue;
            }
            let from = match needs.origin(node) {
                Origin::Free => continue,
                Origin::Record => None,
                Origin::From(from) => Some(from),
            };
            index.insert(node, nodes.len());
            work.extend(from.iter().flatten());
            nodes.push((node, from));
        }
        let mut graph = CutGraph::new(nodes.len());
        for (i, (node, from)) in nodes.iter().enumerate() {
            let depth = level_of(body, *node).map_or(0, |l| body[l].depth).min(DEEPEST);
            graph.cost(i, bytes_of(body, *node).max(1) * LOOP_FACTOR.pow(depth));
            match from {
                None => graph.root(i),
                // What needs nothing is recomputed from nothing.
                Some(from) => from.iter().filter_map(|f| index.get(f)).for_each(|&f| graph.depends(i, f)),
            }
        }
        for n in needed.iter().filter_map(|n| index.get(n)) {
            graph.need(*n);
        }
        let recorded: BTreeSet<Node> = graph.solve().into_iter().map(|i| nodes[i].0).collect();
        let recomputed = nodes.iter().map(|n| n.0).filter(|n| !recorded.contains(n)).collect();
        let mut plan = Plan {
            slots: HashMap::new(),
            recomputed,
            frame: Level::default(),
            loops: vec![Level::default(); body.loops.len()],
            chained: vec![],
            frame_bytes: 0,
        };
        plan.lay_out(body, recorded);
        plan
    }

    /// Wide values first, so that all are aligned.
    fn lay_out(&mut self, body: &Body, recorded: BTreeSet<Node>) {
        let mut order: Vec<Node> = recorded.into_iter().collect();
        order.sort_by_key(|&n| (std::cmp::Reverse(bytes_of(body, n)), n));
        for node in order {
            let level = level_of(body, node);
            let bytes = bytes_of(body, node);
            let at = match level {
                Some(l) => &mut self.loops[l.index()],
                None => &mut self.frame,
            };
            self.slots.insert(node, Slot { level, offset: at.bytes, bytes });
            at.nodes.push(node);
            at.bytes += bytes;
        }
        let mut end = self.frame.bytes.next_multiple_of(8);
        for (i, level) in self.loops.iter().enumerate() {
            if !level.nodes.is_empty() {
                self.chained.push((LoopId(i as u32), end));
                end += 8;
            }
        }
        self.frame_bytes = end;
    }

    /// Where a node is recorded.
    pub fn slot(&self, node: Node) -> Option<Slot> {
        self.slots.get(&node).copied()
    }
    /// Whether a node may be recomputed in the reverse sweep.
    pub fn is_recomputed(&self, node: Node) -> bool {
        self.recomputed.contains(&node)
    }
    /// Whether the loop records anything.
    pub fn records(&self, l: LoopId) -> bool {
        !self.loops[l.index()].nodes.is_empty()
    }
}

/// Loop whose iterations each have a value of the node.
pub fn level_of(body: &Body, node: Node) -> Option<LoopId> {
    match node {
        Node::Primal(v) | Node::Shadow(v) | Node::Tape(v) => body.loop_of(v),
        Node::Pred(b) => body[b].innermost,
    }
}

/// Size of a node in memory.
pub fn bytes_of(body: &Body, node: Node) -> u64 {
    match node {
        Node::Primal(v) => match body[v].ty {
            Ty::Int(bits) => u64::from(bits.div_ceil(8)).next_power_of_two(),
            _ => body[v].bytes,
        },
        Node::Shadow(_) | Node::Tape(_) => 8,
        Node::Pred(b) => pred_bytes(body[b].preds.len()),
    }
}

/// Size of a predecessor's number.
pub fn pred_bytes(preds: usize) -> u64 {
    if preds <= 256 { 1 } else { 4 }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "plan: frame of {} bytes: {:?}", self.frame_bytes, self.frame.nodes)?;
        for (i, level) in self.loops.iter().enumerate().filter(|(_, l)| !l.nodes.is_empty()) {
            writeln!(f, "  loop l{i}: {} bytes per iteration: {:?}", level.bytes, level.nodes)?;
        }
        writeln!(f, "  recomputed: {:?}", self.recomputed)
    }
}
