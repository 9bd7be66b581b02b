//! In-out: what a function reads and overwrites of the memory that its caller sees.
//!
//! Forward. Domain: locations that may still hold what they held at the entry; join = union; bottom
//! = {}.
//!   Kept⁻(entry) = all visible locations        Kept⁺(I) = Kept⁻(I) \ kills(I)        Kept⁻(I) = ∪ Kept⁺(predecessors)
//!   in  = ∪ reads(I) ∩ Kept⁻(I)      out = ∪ writes(I)      surely overwritten = out \ Kept⁻(exit)
//! These are the four booleans of the specification: read and then overwritten, read only,
//! overwritten only, neither. Recursion: the summary of a function that is not known yet says that
//! it does not return; sweeps over the component enlarge it to the least fixpoint. Errs towards
//! more reads and writes, and towards keeping. Source: Hascoët & Pascual, RR-7957, section 5.2.

#[cfg(test)]
mod tests;

use super::{
    locations::{ANY_BYTES, Locations},
    points_to::{Object, Offset, PointsTo},
};
use crate::dataflow::{
    Analysis, Direction, Facts,
    sets::{self, and, meet},
    solve, visit,
};
use adir::{BlockId, Body, Callee, Op, ValueId};
use bitvec::prelude::*;
use std::{collections::BTreeSet, rc::Rc};

/// A piece of the function's visible memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MemoryRange {
    /// Index of the object among the function's own.
    pub object: usize,
    /// Where in it.
    pub offset: Offset,
    /// How many bytes.
    pub bytes: u64,
}

impl MemoryRange {
    /// Of a location of the function.
    pub fn of(locations: &Locations, loc: usize) -> MemoryRange {
        let c = locations.component(loc);
        MemoryRange { object: c.object, offset: c.offset, bytes: c.bytes }
    }
    /// Whether it stands for the whole object.
    pub fn is_whole(&self) -> bool {
        self.bytes >= ANY_BYTES
    }
}

/// The summary of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InOut {
    /// Places of which some entry value may be read.
    pub reads: Vec<MemoryRange>,
    /// Places that may be overwritten.
    pub writes: Vec<MemoryRange>,
    /// Places that surely are; `None` while it is not known that the function returns.
    pub kills: Option<Vec<MemoryRange>>,
    /// The same without paths from which the function does not return (exceptions, ends of the
    /// program), where that is less.
    back: Option<Rc<InOut>>,
    /// Places that may go elsewhere (library/outside.rs): by themselves, or by way of memory of its
    /// own.
    pub sent: Vec<MemoryRange>,
    /// Places that what comes from elsewhere may be stored in.
    pub received: Vec<MemoryRange>,
}

impl InOut {
    /// Whether the function is known to return.
    pub fn returns(&self) -> bool {
        self.kills.is_some()
    }
    /// What it reads and overwrites if it returns.
    pub fn if_it_returns(&self) -> &InOut {
        self.back.as_deref().unwrap_or(self)
    }
    /// All memory that callers see may be read and overwritten.
    pub fn everything(memory: &PointsTo) -> InOut {
        let visible = (0..memory.objects.len()).filter(|&o| memory.is_visible(o));
        let whole: Vec<MemoryRange> = visible
            .map(|object| MemoryRange { object, offset: Offset::ANY, bytes: ANY_BYTES })
            .collect();
        InOut {
            reads: whole.clone(),
            writes: whole.clone(),
            kills: Some(vec![]),
            back: None,
            sent: whole.clone(),
            received: whole,
        }
    }
    /// That of an adjoint, from that of the tangent with adjoints in the place of tangents, behind the
    /// parameters `adjoints`: where that one reads or writes, the adjoint does both, and the same holds
    /// of global variables, which may be shadows.
    pub fn of_adjoint(self, memory: &PointsTo, adjoints: &[u32]) -> InOut {
        let is_adjoint = |p: &&MemoryRange| {
            memory.entry(p.object).is_some_and(|(i, _)| adjoints.contains(&i))
                || memory.root(p.object).is_some()
        };
        let all = self.reads.iter().chain(&self.writes).filter(is_adjoint);
        let all: BTreeSet<MemoryRange> = all.copied().collect();
        let with = |places: &[MemoryRange]| {
            places.iter().chain(&all).copied().collect::<BTreeSet<_>>().into_iter().collect()
        };
        InOut {
            reads: with(&self.reads),
            writes: with(&self.writes),
            kills: self.kills.map(|k| k.into_iter().filter(|p| !is_adjoint(&p)).collect()),
            back: self.back.map(|back| Rc::new(InOut::clone(&back).of_adjoint(memory, adjoints))),
            ..self
        }
    }
    /// The summary of `body`, whose locations know the summaries of what it calls.
    pub fn compute(
        body: &Body,
        memory: &PointsTo,
        locations: &Locations,
        returns: &dyn Fn(ValueId) -> bool,
    ) -> InOut {
        let visible = locations.of_objects(|o| memory.is_visible(o));
        let unchanged = Unchanged { locations, visible: &visible, returns };
        let mut solution = solve(body, &unchanged, &[]);
        let (mut reads, mut writes) = (bitvec![0; locations.len()], bitvec![0; locations.len()]);
        let (mut reads_back, mut writes_back) = (reads.clone(), writes.clone());
        let mut at_exit = None;
        visit(body, &unchanged, &mut solution, |v, state| {
            if let (Some(access), Some(unchanged)) = (locations.access(v), state) {
                reads |= and(&access.reads.own, unchanged);
                sets::add(&mut writes, &access.writes.own);
                if body[v].block.is_none_or(|b| body[b].returns) {
                    let access = locations.access_if_it_returns(v).unwrap_or(access);
                    reads_back |= and(&access.reads.own, unchanged);
                    sets::add(&mut writes_back, &access.writes.own);
                }
            }
            if matches!(body[v].op, Op::Ret) {
                at_exit = state.clone();
            }
        });
        // What lies in constants no code changes, and callers have no names for most of them.
        let constants = locations.of_objects(|o| is_numbers(body, memory, o));
        let counts = visible.clone() & !constants;
        for set in [&mut reads, &mut writes, &mut reads_back, &mut writes_back] {
            *set &= &counts;
        }
        let places = |set: &BitVec| {
            sets::ones(set).map(|l| MemoryRange::of(locations, l)).collect::<Vec<_>>()
        };
        let kills = at_exit.map(|unchanged: BitVec| places(&and(&writes, &!unchanged)));
        let back = ((&reads_back, &writes_back) != (&reads, &writes)).then(|| {
            Rc::new(InOut {
                reads: places(&reads_back),
                writes: places(&writes_back),
                kills: kills.clone(),
                back: None,
                ..InOut::default()
            })
        });
        let (sent, received) = exchanged(body, locations, &visible);
        InOut {
            reads: places(&reads),
            writes: places(&writes),
            kills,
            back,
            sent: places(&sent),
            received: places(&received),
        }
    }
}

/// Whether an object is a constant without pointers.
fn is_numbers(body: &Body, memory: &PointsTo, object: usize) -> bool {
    let Object::Global(g) = memory.objects[object] else { return false };
    matches!(body[g].op, Op::Global(true)) && body[g].steps == Some(0)
}

/// What goes elsewhere, and what comes from there, of the visible memory. Where memory of the
/// function's own is between, all that it reads otherwise may go there, and come to all that it
/// writes.
fn exchanged(body: &Body, locations: &Locations, visible: &BitVec) -> (BitVec, BitVec) {
    let none = || bitvec![0; locations.len()];
    let (mut sent, mut received, mut read, mut written) = (none(), none(), none(), none());
    for v in body.insts() {
        if let Some(exchange) = locations.exchange(v) {
            sets::add(&mut sent, &exchange.sent.own);
            sets::add(&mut received, &exchange.received.own);
        } else if let Some(access) = locations.access(v) {
            sets::add(&mut read, &access.reads.own);
            sets::add(&mut written, &access.writes.own);
        }
    }
    let own = !visible.clone();
    if meet(&sent, &own) {
        sent |= &read;
    }
    if meet(&received, &own) {
        received |= &written;
    }
    (and(&sent, visible), and(&received, visible))
}

struct Unchanged<'a> {
    locations: &'a Locations,
    visible: &'a BitVec,
    returns: &'a dyn Fn(ValueId) -> bool,
}

impl Analysis for Unchanged<'_> {
    /// `None` while the point is not reached.
    type Domain = Option<BitVec>;
    type Fact = ();
    const NAME: &'static str = "in-out";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> Option<BitVec> {
        None
    }
    fn no_fact(&self) {}
    fn boundary(&self, _: &Body, _: BlockId) -> Option<BitVec> {
        Some(self.visible.clone())
    }
    fn apply(&self, body: &Body, v: ValueId, state: &mut Option<BitVec>, _: &mut Facts<()>) {
        if matches!(body[v].op, Op::Call(Callee::Defined)) && !(self.returns)(v) {
            *state = None;
        }
        if let (Some(unchanged), Some(access)) = (state, self.locations.access(v)) {
            sets::remove(unchanged, &access.kills);
        }
    }
}
