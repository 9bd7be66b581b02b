//! Small analyses: each direction with states, with facts, and with both. They ask nothing of a
//! body: any operation may have any operands. The name of memory is the value that is its address;
//! two addresses never name the same memory.

use crate::dataflow::{Analysis, Direction, Facts, Lattice};
use adir::{BlockId, Body, Op, ValueId};
use bitvec::prelude::*;
use std::collections::BTreeMap;

/// A set of values.
pub fn set(body: &Body, values: impl IntoIterator<Item = u32>) -> BitVec {
    let mut set = bitvec![0; body.values.len()];
    values.into_iter().for_each(|v| set.set(v as usize, true));
    set
}

/// What a load or store names.
fn address(body: &Body, v: ValueId) -> Option<ValueId> {
    match body[v].op {
        Op::Load => body[v].operands.first().copied(),
        Op::Store => body[v].operands.get(1).copied(),
        _ => None,
    }
}

fn is_store(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Store)
}

/// Forward, states: what may be in memory, as the stores that left it there, or as the address for
/// what was there at the entry.
pub struct Reaching {
    /// Addresses whose memory counts at the entry.
    pub entry: BitVec,
}

impl Analysis for Reaching {
    type Domain = BitVec;
    type Fact = ();
    const NAME: &'static str = "reaching stores";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> BitVec {
        bitvec![0; self.entry.len()]
    }
    fn no_fact(&self) {}
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        self.entry.clone()
    }
    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, _: &mut Facts<()>) {
        if let (true, Some(p)) = (is_store(body, v), address(body, v)) {
            state.set(p.index(), false);
            let others =
                body.value_ids().filter(|&w| is_store(body, w) && address(body, w) == Some(p));
            others.for_each(|w| state.set(w.index(), false));
            state.set(v.index(), true);
        }
    }
}

/// Backward, states: addresses whose memory may be read before it is overwritten.
pub struct LiveNames {
    /// What is read after the end of each block without successors.
    pub exit: BitVec,
}

impl Analysis for LiveNames {
    type Domain = BitVec;
    type Fact = ();
    const NAME: &'static str = "live names";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> BitVec {
        bitvec![0; self.exit.len()]
    }
    fn no_fact(&self) {}
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        self.exit.clone()
    }
    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, _: &mut Facts<()>) {
        if let Some(p) = address(body, v) {
            state.set(p.index(), !is_store(body, v));
        }
    }
}

/// Forward, facts: from which seeds a value comes.
pub struct Origins;

impl Analysis for Origins {
    type Domain = ();
    type Fact = BitVec;
    const NAME: &'static str = "origins";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) {}
    fn no_fact(&self) -> BitVec {
        BitVec::new()
    }
    fn boundary(&self, _: &Body, _: BlockId) {}
    fn apply(&self, body: &Body, v: ValueId, (): &mut (), facts: &mut Facts<BitVec>) {
        for &o in &body[v].operands {
            let fact = facts.get(o).clone();
            facts.raise(v, &fact);
        }
    }
}

/// Backward, facts: which values the seeds are computed from.
pub struct Needed;

impl Analysis for Needed {
    type Domain = ();
    type Fact = bool;
    const NAME: &'static str = "needed";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) {}
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, _: &Body, _: BlockId) {}
    fn apply(&self, body: &Body, v: ValueId, (): &mut (), facts: &mut Facts<bool>) {
        if *facts.get(v) {
            body[v].operands.iter().for_each(|&o| facts.raise(o, &true));
        }
    }
}

/// Forward, both: from which seeds values and what memory holds come.
pub struct Flowing {
    /// What memory holds at the entry.
    pub entry: BTreeMap<ValueId, BitVec>,
    /// Stores are also of what this condition comes from: a fact that is no operand.
    pub condition: Option<ValueId>,
    /// The blocks with stores, if there is a condition.
    pub watchers: Vec<BlockId>,
}

impl Flowing {
    pub fn new(entry: BTreeMap<ValueId, BitVec>) -> Flowing {
        Flowing { entry, condition: None, watchers: vec![] }
    }
    pub fn under(body: &Body, entry: BTreeMap<ValueId, BitVec>, condition: ValueId) -> Flowing {
        let stores = body.insts().filter(|&v| is_store(body, v)).filter_map(|v| body[v].block);
        Flowing { watchers: stores.collect(), condition: Some(condition), entry }
    }
}

impl Analysis for Flowing {
    type Domain = BTreeMap<ValueId, BitVec>;
    type Fact = BitVec;
    const NAME: &'static str = "flowing";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> Self::Domain {
        BTreeMap::new()
    }
    fn no_fact(&self) -> BitVec {
        BitVec::new()
    }
    fn boundary(&self, _: &Body, _: BlockId) -> Self::Domain {
        self.entry.clone()
    }
    fn apply(&self, body: &Body, v: ValueId, state: &mut Self::Domain, facts: &mut Facts<BitVec>) {
        match (&body[v].op, address(body, v)) {
            (Op::Load, Some(p)) => {
                if let Some(scalar) = state.get(&p) {
                    facts.raise(v, scalar);
                }
            }
            (Op::Store, Some(p)) => {
                let mut stored = facts.get(body.operand(v, 0)).clone();
                if let Some(c) = self.condition {
                    stored.join(facts.get(c));
                }
                state.insert(p, stored);
            }
            _ => Origins.apply(body, v, &mut (), facts),
        }
    }
    fn watchers(&self, v: ValueId) -> &[BlockId] {
        if self.condition == Some(v) { &self.watchers } else { &[] }
    }
}

/// Backward, both: which memory is read, and which values are computed, for what the seeds and the
/// exit ask for.
pub struct Live {
    /// What is read after the end of each block without successors.
    pub exit: BitVec,
}

impl Analysis for Live {
    type Domain = BitVec;
    type Fact = bool;
    const NAME: &'static str = "live";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> BitVec {
        bitvec![0; self.exit.len()]
    }
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        self.exit.clone()
    }
    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        match (is_store(body, v), address(body, v)) {
            (true, Some(p)) => {
                if state.replace(p.index(), false) {
                    body[v].operands.iter().for_each(|&o| facts.raise(o, &true));
                }
            }
            (false, Some(p)) if *facts.get(v) => {
                state.set(p.index(), true);
                facts.raise(p, &true);
            }
            (false, Some(_)) => {}
            (_, None) => Needed.apply(body, v, &mut (), facts),
        }
    }
}
