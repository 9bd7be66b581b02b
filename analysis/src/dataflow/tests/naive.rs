//! The least solution by definition: go round all blocks until nothing changes.

use crate::dataflow::{Analysis, Direction, Facts, Lattice, engine::Solution, solve};
use adir::{BlockId, Body, EntityMap, ValueId};
use std::fmt::Debug;

/// Blocks that the entry reaches, by number.
pub fn reached(body: &Body) -> Vec<BlockId> {
    let mut seen = vec![false; body.blocks.len()];
    let mut stack = vec![BlockId(0)];
    while let Some(b) = stack.pop() {
        if !std::mem::replace(&mut seen[b.index()], true) {
            stack.extend(&body[b].succs);
        }
    }
    body.block_ids().filter(|b| seen[b.index()]).collect()
}

/// Where the state after `b` goes.
fn next<A: Analysis>(body: &Body, b: BlockId) -> Vec<BlockId> {
    match A::DIRECTION {
        Direction::Forward => body[b].succs.clone(),
        Direction::Backward => {
            reached(body).into_iter().filter(|p| body[*p].succs.contains(&b)).collect()
        }
    }
}

fn boundary<A: Analysis>(body: &Body, analysis: &A, b: BlockId) -> Option<A::Domain> {
    let is_boundary = match A::DIRECTION {
        Direction::Forward => b == BlockId(0),
        Direction::Backward => body[b].succs.is_empty(),
    };
    is_boundary.then(|| analysis.boundary(body, b))
}

/// Runs a block.
fn through<A: Analysis>(
    body: &Body,
    analysis: &A,
    b: BlockId,
    state: &mut A::Domain,
    facts: &mut Facts<A::Fact>,
) {
    let mut insts = body[b].insts.clone();
    if A::DIRECTION == Direction::Backward {
        insts.reverse();
    }
    insts.into_iter().for_each(|v| analysis.apply(body, v, state, facts));
}

fn table<T: Lattice>(body: &Body, facts: &Facts<T>) -> Vec<T> {
    body.value_ids().map(|v| facts.get(v).clone()).collect()
}

/// States by block and facts by value.
pub fn naive<A: Analysis>(
    body: &Body,
    analysis: &A,
    seeds: &[(ValueId, A::Fact)],
) -> (EntityMap<BlockId, A::Domain>, Vec<A::Fact>)
where
    A::Fact: PartialEq,
{
    let mut states = EntityMap::with(body.blocks.len(), analysis.bottom());
    let mut facts = Facts::new(body.values.len(), analysis.no_fact());
    seeds.iter().for_each(|(v, fact)| facts.raise(*v, fact));
    loop {
        let before = table(body, &facts);
        let mut grew = false;
        for b in reached(body) {
            if let Some(boundary) = boundary(body, analysis, b) {
                grew |= states[b].join(&boundary);
            }
            let mut state = states[b].clone();
            through(body, analysis, b, &mut state, &mut facts);
            for to in next::<A>(body, b) {
                grew |= states[to].join(&state);
            }
        }
        if !grew && table(body, &facts) == before {
            return (states, before);
        }
    }
}

/// Solves, and checks the solution: it is the least, it satisfies the equations, and where the
/// entry does not come nothing is known.
pub fn checked<A: Analysis>(
    body: &Body,
    analysis: &A,
    seeds: &[(ValueId, A::Fact)],
) -> Solution<A::Domain, A::Fact>
where
    A::Domain: PartialEq + Debug,
    A::Fact: PartialEq + Debug,
{
    let solution = solve(body, analysis, seeds);
    let name = A::NAME;
    let (states, facts) = naive(body, analysis, seeds);
    assert_eq!(solution.states, states, "states of {name} in\n{body}");
    assert_eq!(table(body, &solution.facts), facts, "facts of {name} in\n{body}");
    let reached = reached(body);
    for b in body.block_ids() {
        if !reached.contains(&b) {
            assert_eq!(
                *solution.state(b),
                analysis.bottom(),
                "{name} at {b:?}, which is not reached, in\n{body}"
            );
            continue;
        }
        let is_below = |low: &A::Domain, high: &A::Domain| !high.clone().join(low);
        if let Some(boundary) = boundary(body, analysis, b) {
            assert!(
                is_below(&boundary, solution.state(b)),
                "boundary of {name} at {b:?} in\n{body}"
            );
        }
        let mut state = solution.state(b).clone();
        let mut after = solution.facts.clone();
        through(body, analysis, b, &mut state, &mut after);
        assert_eq!(table(body, &after), facts, "{name} raises facts in {b:?} of\n{body}");
        for to in next::<A>(body, b) {
            assert!(is_below(&state, solution.state(to)), "{name} from {b:?} to {to:?} in\n{body}");
        }
    }
    assert!(solution.visits >= reached.len());
    solution
}

/// Whether one solution is nowhere above another.
pub fn is_below<D: Lattice, F: Lattice>(
    body: &Body,
    low: &Solution<D, F>,
    high: &Solution<D, F>,
) -> bool {
    let states = body.block_ids().all(|b| !high.state(b).clone().join(low.state(b)));
    states && body.value_ids().all(|v| !high.facts.get(v).clone().join(low.facts.get(v)))
}
