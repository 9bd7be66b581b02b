//! Control dependence: which branches decide whether a block runs.
//!
//! Block b depends on the branch of block a iff one way out of a surely leads to b and another may
//! not: b post-dominates a successor of a, but not a itself. Source: Ferrante, Ottenstein, Warren,
//! "The program dependence graph and its use in optimization", section 3.

#[cfg(test)]
mod tests;

use adir::{BlockId, Body, EntityMap, Op, ValueId};
use petgraph::{
    algo::dominators::{Dominators, simple_fast},
    graph::{DiGraph, NodeIndex},
};

/// The branches that each block depends on.
pub struct Control {
    branches: EntityMap<BlockId, Vec<BlockId>>,
}

impl Control {
    /// Computes control dependence. Blocks from which no end is reached (endless loops) depend on
    /// every branch around them.
    pub fn compute(body: &Body) -> Control {
        let n = body.blocks.len();
        let end = NodeIndex::new(n);
        let mut reversed: DiGraph<(), ()> = DiGraph::with_capacity(n + 1, 2 * n);
        for _ in 0..=n {
            reversed.add_node(());
        }
        for &b in &body.order {
            if body[b].succs.is_empty() {
                reversed.update_edge(end, NodeIndex::new(b.index()), ());
            }
            for s in &body[b].succs {
                reversed.update_edge(NodeIndex::new(s.index()), NodeIndex::new(b.index()), ());
            }
        }
        let post = simple_fast(&reversed, end);
        let mut branches = vec![vec![]; n];
        for &a in &body.order {
            if body[a].succs.iter().all(|s| *s == body[a].succs[0]) {
                continue;
            }
            let stop = parent(&post, a.index());
            for s in &body[a].succs {
                // Up the post-dominator tree from the successor to what post-dominates the branch
                // itself.
                let mut at = Some(s.index());
                while let Some(b) = at.filter(|&b| b != n && Some(b) != stop) {
                    if !branches[b].contains(&a) {
                        branches[b].push(a);
                    }
                    at = parent(&post, b);
                }
            }
        }
        Control { branches: branches.into() }
    }

    /// Blocks whose branches decide whether `b` runs.
    pub fn branches(&self, b: BlockId) -> &[BlockId] {
        &self.branches[b]
    }
}

/// The value that the branch at the end of a block looks at.
pub fn condition(body: &Body, b: BlockId) -> Option<ValueId> {
    let last = body.terminator(b);
    matches!(body[last].op, Op::CondBr | Op::Switch).then(|| body.operand(last, 0))
}

fn parent(post: &Dominators<NodeIndex>, b: usize) -> Option<usize> {
    post.immediate_dominator(NodeIndex::new(b)).map(NodeIndex::index)
}
