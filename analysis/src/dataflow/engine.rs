//! The solver: a worklist of blocks, the first in the order of visits next.
//!
//! The order is reverse postorder (backward: its reverse) with each loop in one piece: what follows
//! a loop is not looked at before the loop has settled, and a chain of loops costs what its loops
//! cost. Plain reverse postorder may place a loop's exit before its body, and then each loop of a
//! chain is visited again for each one before it.

use super::lattice::Lattice;
use crate::stats;
use adir::{BlockId, Body, EntityMap, ValueId};
use bitvec::prelude::*;
use std::collections::BTreeSet;

/// Which way information flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the entry, along edges.
    Forward,
    /// From the exits, against edges.
    Backward,
}

/// One analysis of one body.
pub trait Analysis {
    /// A state: what holds at a point of the program.
    type Domain: Lattice;
    /// What holds of an SSA value.
    type Fact: Lattice;
    /// Its name, for `-ad-time` and internal errors.
    const NAME: &'static str;
    /// Its direction.
    const DIRECTION: Direction;

    /// The least state.
    fn bottom(&self) -> Self::Domain;
    /// The least fact.
    fn no_fact(&self) -> Self::Fact;
    /// The state at the entry (forward), or at the end of a block without successors (backward).
    fn boundary(&self, body: &Body, block: BlockId) -> Self::Domain;
    /// Effect of `inst` on the state, and on facts. Monotone in both.
    fn apply(
        &self,
        body: &Body,
        inst: ValueId,
        state: &mut Self::Domain,
        facts: &mut Facts<Self::Fact>,
    );
    /// Blocks where `apply` looks at the fact of `v` although no instruction there has it as
    /// operand (backward: although none there is `v`).
    fn watchers(&self, _v: ValueId) -> &[BlockId] {
        &[]
    }
}

/// Facts of all values of a body, and which have changed since the engine looked.
#[derive(Clone)]
pub struct Facts<T> {
    table: EntityMap<ValueId, T>,
    changed: Vec<ValueId>,
}

impl<T: Lattice> Facts<T> {
    /// The same fact for all `n` values.
    pub fn new(n: usize, fact: T) -> Facts<T> {
        Facts { table: EntityMap::with(n, fact), changed: vec![] }
    }
    /// The fact of `v`.
    pub fn get(&self, v: ValueId) -> &T {
        &self.table[v]
    }
    /// Joins `fact` to that of `v`.
    pub fn raise(&mut self, v: ValueId, fact: &T) {
        if self.table[v].join(fact) {
            self.changed.push(v);
        }
    }
}

/// The least fixpoint of an analysis.
pub struct Solution<D, F> {
    /// State where information enters each block: before its first instruction (forward), after its
    /// last (backward).
    pub states: EntityMap<BlockId, D>,
    /// Facts of the values.
    pub facts: Facts<F>,
    /// Visits of blocks that it took.
    pub visits: usize,
}

/// Solves `analysis` on the blocks of `body` that the entry reaches; what it does not reach keeps
/// the least state. `seeds` are facts that hold from the start.
pub fn solve<A: Analysis>(
    body: &Body,
    analysis: &A,
    seeds: &[(ValueId, A::Fact)],
) -> Solution<A::Domain, A::Fact> {
    let _stage = stats::stage(A::NAME);
    let mut facts = Facts::new(body.values.len(), analysis.no_fact());
    for (v, fact) in seeds {
        facts.raise(*v, fact);
    }
    // All blocks are visited anyway.
    facts.changed.clear();
    let mut states = EntityMap::with(body.blocks.len(), analysis.bottom());
    for &b in body.order.iter().filter(|b| is_boundary::<A>(body, **b)) {
        states[b].join(&analysis.boundary(body, b));
    }
    let mut solution = Solution { states, facts, visits: 0 };
    raise(body, analysis, &mut solution);
    solution
}

/// Raises a solution to one of `analysis`, whose effects have become greater since it was found.
pub fn solve_again<A: Analysis>(
    body: &Body,
    analysis: &A,
    solution: &mut Solution<A::Domain, A::Fact>,
) {
    let _stage = stats::stage(A::NAME);
    raise(body, analysis, solution);
}

/// Visits all blocks until nothing changes.
fn raise<A: Analysis>(body: &Body, analysis: &A, solution: &mut Solution<A::Domain, A::Fact>) {
    let order = order_of_visits(body, A::DIRECTION);
    let mut rank = EntityMap::with(body.blocks.len(), usize::MAX);
    order.iter().enumerate().for_each(|(i, &b)| rank[b] = i);
    let mut queue: BTreeSet<usize> = (0..order.len()).collect();
    while let Some(next) = queue.pop_first() {
        let block = order[next];
        solution.visits += 1;
        let mut state = solution.states[block].clone();
        walk(body, A::DIRECTION, block, |v| {
            analysis.apply(body, v, &mut state, &mut solution.facts);
            for raised in solution.facts.changed.drain(..) {
                let blocks = readers(body, A::DIRECTION, raised, v)
                    .chain(analysis.watchers(raised).iter().copied());
                queue.extend(blocks.map(|b| rank[b]).filter(|&r| r != usize::MAX));
            }
        });
        let to: &[BlockId] = match A::DIRECTION {
            Direction::Forward => &body[block].succs,
            Direction::Backward => &body[block].preds,
        };
        for &s in to {
            if rank[s] != usize::MAX && solution.states[s].join(&state) {
                queue.insert(rank[s]);
            }
        }
    }
}

/// The reached blocks in the order in which information passes them, each loop in one piece.
fn order_of_visits(body: &Body, direction: Direction) -> Vec<BlockId> {
    let mut order = body.order.clone();
    if !body.loops.is_empty() {
        // Headers of the loops around the block, outermost first; a header comes before the rest of
        // its loop.
        order.sort_by_cached_key(|&b| {
            let mut key = vec![body.rank[b]];
            let mut at = body[b].innermost;
            while let Some(l) = at {
                key.push(body.rank[body[l].header]);
                at = body[l].parent;
            }
            key.reverse();
            key
        });
    }
    if direction == Direction::Backward {
        order.reverse();
    }
    order
}

/// Blocks whose instructions look at the fact of `raised`, which instruction `by` has raised. What
/// comes after `by` in its own visit sees the fact as it is.
fn readers(
    body: &Body,
    direction: Direction,
    raised: ValueId,
    by: ValueId,
) -> impl Iterator<Item = BlockId> {
    let here = (body[by].block, body[by].place);
    let comes = move |v: &ValueId| {
        let is_ahead = match direction {
            Direction::Forward => body[*v].place > here.1,
            Direction::Backward => body[*v].place < here.1,
        };
        body[*v].block == here.0 && is_ahead
    };
    let (users, own) = match direction {
        Direction::Forward => (&body.users[raised][..], None),
        Direction::Backward => (&[][..], Some(raised)),
    };
    users.iter().copied().chain(own).filter(move |v| !comes(v)).filter_map(|v| body[v].block)
}

/// Whether information enters the program at `block`.
fn is_boundary<A: Analysis>(body: &Body, block: BlockId) -> bool {
    match A::DIRECTION {
        Direction::Forward => body.order.first() == Some(&block),
        Direction::Backward => body[block].succs.is_empty(),
    }
}

/// Runs the instructions of one block over `state`; `each` sees the state on the entering side of
/// each instruction.
pub(super) fn apply_block<A: Analysis>(
    body: &Body,
    analysis: &A,
    block: BlockId,
    state: &mut A::Domain,
    facts: &mut Facts<A::Fact>,
    mut each: impl FnMut(ValueId, &A::Domain),
) {
    walk(body, A::DIRECTION, block, |v| {
        each(v, state);
        analysis.apply(body, v, state, facts);
    });
}

/// The instructions of one block in the order in which information passes them.
fn walk(body: &Body, direction: Direction, block: BlockId, step: impl FnMut(ValueId)) {
    match direction {
        Direction::Forward => body[block].insts.iter().copied().for_each(step),
        Direction::Backward => body[block].insts.iter().rev().copied().for_each(step),
    }
}

impl<D: Lattice, F: Lattice> Solution<D, F> {
    /// Values whose bit a query has set, as one set: how analyses hand out yes-or-no facts.
    pub fn values(&self, is: impl Fn(&F) -> bool) -> BitVec {
        self.facts.table.values().map(is).collect()
    }
    /// The state where information enters `block`.
    pub fn state(&self, block: BlockId) -> &D {
        &self.states[block]
    }
}
