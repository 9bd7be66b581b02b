//! To-be-recorded: what the reverse sweep needs and no longer finds in memory.
//!
//! On SSA a value is never overwritten, so the question is asked of memory: does a location still
//! hold, when the reverse sweep gets there, what it held after instruction I? Backward. Domain:
//! locations that may be overwritten from here to the end of the reverse sweep; join = union.
//!   Over⁺(exit) = locations that the caller does not keep      Over⁻(I) = Over⁺(I) ∪ writes(I), if I is diff-present
//!   Over⁺(I) = ∪ Over⁻(successors)
//!   load I may be repeated in the reverse sweep                  iff reads(I) ∩ Over⁺(I) = ∅
//!   the value that store I stores may be loaded from there       iff writes(I) ∩ Over⁺(I) = ∅
//! Where a location is an array, the elements may still differ: each later store is then compared
//! as a linear form (`affine.rs`). What is neither repeatable, nor in memory, nor recomputed from
//! such values must be recorded (`plan`). Errs towards recording: one record too many costs tape,
//! one too few is a wrong gradient. Source: Hascoët & Pascual, RR-7957, section 5.2 (TBR, and the
//! sets Cst of in-out analysis).

#[cfg(test)]
mod tests;

use super::{
    affine::{Address, comes_after, never_meets},
    context::Context,
    locations::LocSet,
    points_to::Object,
    summary::Known,
};
use crate::dataflow::{
    Analysis, Direction, Facts,
    sets::{self, meet},
    solve, visit,
};
use adir::{BlockId, Body, Callee, Op, ValueId, hashed::HashMap};
use bitvec::prelude::*;
use std::rc::Rc;

/// Comparisons of single accesses in one function: more, and arrays count as overwritten.
const MOST_COMPARISONS: usize = 200_000;

/// The result.
pub struct Tbr {
    reloadable: BitVec,
    /// Per value: the store that leaves it in memory.
    stored: HashMap<ValueId, ValueId>,
    /// Locations that may be overwritten after each call to a function with a body.
    after_calls: HashMap<ValueId, BitVec>,
    /// Per load that may not be repeated: one write that may overwrite it, if it is one of this
    /// function.
    culprits: HashMap<ValueId, ValueId>,
}

impl Tbr {
    /// Nothing is found in memory.
    pub fn nothing(body: &Body) -> Tbr {
        Tbr {
            reloadable: bitvec![0; body.values.len()],
            stored: HashMap::default(),
            after_calls: HashMap::default(),
            culprits: HashMap::default(),
        }
    }
    /// Decides for each load and store of a body. `is_present` tells which instructions the forward
    /// sweep keeps.
    pub fn compute(known: Known, context: &Context, is_present: &dyn Fn(ValueId) -> bool) -> Tbr {
        let Known { body, memory, locations, .. } = known;
        let kept = |o: usize| match memory.objects[o] {
            Object::Global(g) if matches!(body[g].op, Op::Global(true)) => true,
            _ => context.is_stable(memory, o),
        };
        let exit = locations.of_objects(|o| !kept(o));
        let flow = Overwritten { known, exit: exit.clone(), is_present };
        let mut solution = solve(body, &flow, &[]);
        let mut this = Tbr {
            reloadable: bitvec![0; body.values.len()],
            stored: HashMap::default(),
            after_calls: HashMap::default(),
            culprits: HashMap::default(),
        };
        let mut arrays = Arrays::new(known, is_present);
        visit(body, &flow, &mut solution, |v, over| {
            let Some(access) = locations.access(v) else { return };
            let survives = |arrays: &mut Arrays, own: &BitVec| {
                let any = own.any();
                match meet(own, over) {
                    false => Ok(any),
                    true if meet(own, &exit) => Err(None),
                    true => arrays.overwriter(v, own).map_or(Ok(any), |w| Err(Some(w))),
                }
            };
            match body[v].op {
                Op::Load if !body[v].is_once => match survives(&mut arrays, &access.reads.own) {
                    Ok(yes) => this.reloadable.set(v.index(), yes),
                    Err(culprit) => drop(culprit.map(|w| this.culprits.insert(v, w))),
                },
                Op::Store if is_present(v) && !body[v].is_once => {
                    let value = body.operand(v, 0);
                    let beside = body[value].block.is_some() && body[value].block == body[v].block;
                    if beside
                        && body[value].ty.is_real()
                        && survives(&mut arrays, &access.writes.own) == Ok(true)
                    {
                        this.stored.entry(value).or_insert(v);
                    }
                }
                Op::Call(Callee::Defined) => drop(this.after_calls.insert(v, over.clone())),
                _ => {}
            }
        });
        this
    }

    /// Whether load `v` gives the same value again in the reverse sweep.
    pub fn is_reloadable(&self, v: ValueId) -> bool {
        self.reloadable[v.index()]
    }
    /// A store, run whenever `v` is computed, whose memory still holds `v` in the reverse sweep.
    pub fn stored(&self, v: ValueId) -> Option<ValueId> {
        self.stored.get(&v).copied()
    }
    /// Locations that may be overwritten after a call, before its reverse.
    pub fn after_call(&self, call: ValueId) -> Option<&BitVec> {
        self.after_calls.get(&call)
    }
    /// A write of this function because of which load `v` may not be repeated.
    pub fn culprit(&self, v: ValueId) -> Option<ValueId> {
        self.culprits.get(&v).copied()
    }
}

struct Overwritten<'a> {
    known: Known<'a>,
    exit: BitVec,
    is_present: &'a dyn Fn(ValueId) -> bool,
}

impl Analysis for Overwritten<'_> {
    type Domain = BitVec;
    type Fact = ();
    const NAME: &'static str = "tbr";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> BitVec {
        self.known.locations.empty()
    }
    fn no_fact(&self) {}
    fn boundary(&self, body: &Body, block: BlockId) -> BitVec {
        if Some(block) == body.exit { self.exit.clone() } else { self.bottom() }
    }
    fn apply(&self, _: &Body, v: ValueId, state: &mut BitVec, _: &mut Facts<()>) {
        if let Some(access) = self
            .known
            .locations
            .access(v)
            .filter(|_| overwrites(self.known.body, v) && (self.is_present)(v))
        {
            sets::add(state, &access.writes.all);
        }
    }
}

/// Single accesses, compared as linear forms.
struct Arrays<'a> {
    known: Known<'a>,
    /// Writes with the same locations together, in the order of the program.
    writers: Vec<(LocSet, Vec<ValueId>)>,
    addresses: HashMap<ValueId, Address>,
    left: usize,
}

impl<'a> Arrays<'a> {
    fn new(known: Known<'a>, is_present: &dyn Fn(ValueId) -> bool) -> Arrays<'a> {
        let written = |v: ValueId| {
            let access = known.locations.access(v).filter(|a| a.writes.own.any())?;
            (overwrites(known.body, v) && is_present(v)).then_some((v, &access.writes.all))
        };
        let mut writers: Vec<(LocSet, Vec<ValueId>)> = vec![];
        let mut known_sets: HashMap<*const BitVec, usize> = HashMap::default();
        for (w, all) in known.body.insts().filter_map(written) {
            let group = *known_sets.entry(Rc::as_ptr(all)).or_insert_with(|| {
                writers.push((all.clone(), vec![]));
                writers.len() - 1
            });
            writers[group].1.push(w);
        }
        Arrays { known, writers, addresses: HashMap::default(), left: MOST_COMPARISONS }
    }

    /// A write that may overwrite what `v` accesses (locations `own`) after `v`.
    fn overwriter(&mut self, v: ValueId, own: &BitVec) -> Option<ValueId> {
        let body = self.known.body;
        let groups = self.writers.iter().filter(|(all, _)| meet(own, all));
        for w in groups.flat_map(|(_, list)| list.clone()).collect::<Vec<_>>() {
            if !self.may_follow(v, w) {
                continue;
            }
            let Op::Store = body[w].op else { return Some(w) };
            if self.left == 0 {
                return Some(w);
            }
            self.left -= 1;
            let (first, later) = (self.address(v), self.address(w));
            if !never_meets(body, (v, &first, bytes(body, v)), (w, &later, bytes(body, w))) {
                return Some(w);
            }
        }
        None
    }

    /// Whether `w` may run after `v`: later in the order of blocks, or in a loop around both.
    fn may_follow(&self, v: ValueId, w: ValueId) -> bool {
        let body = self.known.body;
        let block = body.block_of(w);
        let mut at = body.loop_of(v);
        while let Some(l) = at {
            if body.contains(l, block) {
                return true;
            }
            at = body[l].parent;
        }
        comes_after(body, v, w)
    }

    fn address(&mut self, v: ValueId) -> Address {
        let body = self.known.body;
        let pointer = match body[v].op {
            Op::Load => body.operand(v, 0),
            _ => body.operand(v, 1),
        };
        self.addresses.entry(v).or_insert_with(|| Address::of(body, pointer)).clone()
    }
}

/// Whether a write happens before the reverse sweep is done: the forward sweep puts off what the
/// function frees.
fn overwrites(body: &Body, v: ValueId) -> bool {
    !matches!(body[v].op, Op::Call(Callee::Free))
}

fn bytes(body: &Body, v: ValueId) -> u64 {
    match body[v].op {
        Op::Store => body[body.operand(v, 0)].bytes,
        _ => body[v].bytes,
    }
}
