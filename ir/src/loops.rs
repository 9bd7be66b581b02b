//! What follows from a body's text: predecessors, order, dominators, natural loops, which blocks
//! return, users.

use crate::hashed::HashSet;
use crate::{BlockId, Body, EntityMap, LoopId, ValueId};
use petgraph::{
    algo::dominators::simple_fast,
    graph::{DiGraph, NodeIndex},
    visit::DfsPostOrder,
};

/// Header of a natural loop, its latches and its blocks.
pub struct NaturalLoop {
    /// Its header.
    pub header: BlockId,
    /// The blocks inside that lead to the header.
    pub latches: Vec<BlockId>,
    /// All its blocks.
    pub blocks: HashSet<BlockId>,
}

/// The flow graph.
pub fn flow_graph(body: &Body) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(body.blocks.len(), body.blocks.len() * 2);
    for _ in &body.blocks {
        graph.add_node(());
    }
    for b in body.block_ids() {
        for &s in &body[b].succs {
            graph.update_edge(NodeIndex::new(b.index()), NodeIndex::new(s.index()), ());
        }
    }
    graph
}

/// Fills predecessors, the order, dominators and `returns`. Blocks that the entry does not reach
/// are in neither.
pub fn connect(body: &mut Body) {
    let graph = flow_graph(body);
    let mut order = vec![];
    let mut walk = DfsPostOrder::new(&graph, NodeIndex::new(0));
    while let Some(n) = walk.next(&graph) {
        order.push(BlockId(n.index() as u32));
    }
    order.reverse();
    for &b in &order {
        for s in body[b].succs.clone() {
            if !body[s].preds.contains(&b) {
                body[s].preds.push(b);
            }
        }
    }
    body.rank = EntityMap::with(body.blocks.len(), u32::MAX);
    for (i, b) in order.iter().enumerate() {
        body.rank[*b] = i as u32;
        for (k, v) in body[*b].insts.clone().into_iter().enumerate() {
            body[v].place = k as u32;
        }
    }
    body.order = order;
    let dominators = simple_fast(&graph, NodeIndex::new(0));
    let idom = |b: BlockId| dominators.immediate_dominator(NodeIndex::new(b.index()));
    body.idoms = body.block_ids().map(|b| idom(b).map(|d| BlockId(d.index() as u32))).collect();
    if let Some(exit) = body.exit {
        let mut stack = vec![exit];
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut body[b].returns, true) {
                stack.extend(body[b].preds.clone());
            }
        }
    }
}

/// Natural loops, outer before inner. `Err` names a block of an irreducible cycle.
pub fn natural_loops(body: &Body) -> Result<Vec<NaturalLoop>, BlockId> {
    let mut position = EntityMap::with(body.blocks.len(), usize::MAX);
    for (i, b) in body.order.iter().enumerate() {
        position[*b] = i;
    }
    let mut loops: Vec<NaturalLoop> = vec![];
    for &header in &body.order {
        let mut back =
            body[header].preds.iter().filter(|p| position[**p] >= position[header]).peekable();
        if back.peek().is_none() {
            continue;
        }
        if !back.all(|&p| body.dominates(header, p)) {
            return Err(header);
        }
        loops.extend(natural_loop(body, header));
    }
    Ok(loops)
}

/// The natural loop of `header`, if it heads one: the blocks that reach, without passing `header`,
/// a predecessor that `header` dominates.
pub fn natural_loop(body: &Body, header: BlockId) -> Option<NaturalLoop> {
    let latches: Vec<_> =
        body[header].preds.iter().copied().filter(|&p| body.dominates(header, p)).collect();
    let mut blocks = HashSet::from_iter([header]);
    let mut stack = latches.clone();
    while let Some(b) = stack.pop() {
        if blocks.insert(b) {
            stack.extend(&body[b].preds);
        }
    }
    (!latches.is_empty()).then_some(NaturalLoop { header, latches, blocks })
}

/// Innermost loop per block; loops come outer before inner, so the last one wins.
pub fn assign_innermost(body: &mut Body, loops: &[NaturalLoop]) {
    for (i, l) in loops.iter().enumerate() {
        for &b in &l.blocks {
            body[b].innermost = Some(LoopId(i as u32));
        }
    }
}

/// The users of each value: instructions of reachable blocks, in order, once per operand.
pub fn users(body: &Body) -> EntityMap<ValueId, Vec<ValueId>> {
    let mut users = EntityMap::with(body.values.len(), vec![]);
    for v in body.insts() {
        for &o in &body[v].operands {
            users[o].push(v);
        }
    }
    users
}
