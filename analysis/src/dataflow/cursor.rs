//! States between instructions: a solution keeps one state per block, a cursor works out those in
//! between.

use super::engine::{Analysis, Direction, Solution, apply_block};
use adir::{BlockId, Body, ValueId};

/// Answers for the points of one block at a time. Queries in the block's order cost one pass over
/// it.
pub struct Cursor<'a, A: Analysis> {
    body: &'a Body,
    analysis: &'a A,
    solution: &'a mut Solution<A::Domain, A::Fact>,
    block: Option<BlockId>,
    /// Per instruction of `block`: the states before and after it.
    states: Vec<(A::Domain, A::Domain)>,
}

impl<'a, A: Analysis> Cursor<'a, A> {
    /// A cursor on a solution of `analysis`.
    pub fn new(
        body: &'a Body,
        analysis: &'a A,
        solution: &'a mut Solution<A::Domain, A::Fact>,
    ) -> Cursor<'a, A> {
        Cursor { body, analysis, solution, block: None, states: vec![] }
    }

    /// The state immediately before `inst` runs.
    pub fn before(&mut self, inst: ValueId) -> &A::Domain {
        let i = self.seek(inst);
        &self.states[i].0
    }
    /// The state immediately after `inst` has run.
    pub fn after(&mut self, inst: ValueId) -> &A::Domain {
        let i = self.seek(inst);
        &self.states[i].1
    }

    fn seek(&mut self, inst: ValueId) -> usize {
        let block = self.body.block_of(inst);
        if self.block != Some(block) {
            self.block = Some(block);
            self.states = points(self.body, self.analysis, self.solution, block);
        }
        self.body[inst].place as usize
    }
}

/// States before and after each instruction of `block`, in its order. Where the entry does not
/// come, nothing happens: they are all the least one.
fn points<A: Analysis>(
    body: &Body,
    analysis: &A,
    solution: &mut Solution<A::Domain, A::Fact>,
    block: BlockId,
) -> Vec<(A::Domain, A::Domain)> {
    let mut state = solution.states[block].clone();
    if body.rank[block] == u32::MAX {
        return vec![(state.clone(), state); body[block].insts.len()];
    }
    let mut entering = vec![];
    apply_block(body, analysis, block, &mut state, &mut solution.facts, |_, s| {
        entering.push(s.clone())
    });
    entering.push(state);
    let pairs = entering.windows(2).map(|w| (w[0].clone(), w[1].clone()));
    match A::DIRECTION {
        Direction::Forward => pairs.collect(),
        Direction::Backward => pairs.rev().map(|(after, before)| (before, after)).collect(),
    }
}

/// Calls `each(inst, state)` for every instruction that the entry reaches, with the state on the
/// side where information enters it: before it (forward), after it (backward). Costs one
/// application per instruction and copies one state per block.
pub fn visit<A: Analysis>(
    body: &Body,
    analysis: &A,
    solution: &mut Solution<A::Domain, A::Fact>,
    mut each: impl FnMut(ValueId, &A::Domain),
) {
    for &block in &body.order {
        let mut state = solution.states[block].clone();
        apply_block(body, analysis, block, &mut state, &mut solution.facts, &mut each);
    }
}
