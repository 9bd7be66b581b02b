//! Arrays that a loop reads element by element, copied to the tape before it instead of recorded in
//! it.
//!
//! In `y[i] = f(x[i-1], x[i], x[i+1])` three loads read the same elements in different iterations.
//! Where x is overwritten after the loop, one copy of x holds all that they read: for loads at
//! `root + c_k + s i + terms`, with s = ± the size of an element,
//!
//!   elements = taken + 1 + (max c - min c) / |s|, from the lowest address on.
//!
//! The loop's trip count is known at its entry, and each load is done in each iteration, so that
//! all elements may be read before it. Nothing that the loop stores is loaded later in the same
//! run, so that memory holds before it what they read: by locations, by addresses as linear forms
//! (analysis/affine.rs), or because the source says so (`restrict`, in a function that was
//! inlined). What a phi of the header brings from such a load is the element one iteration before:
//! an element too if what it starts from was loaded from there, else that or its start. Errs
//! towards recording.

use super::sections::Sections;
use adanalysis::{
    affine::{Address, around, never_meets_within},
    dataflow::sets::meet,
    summary::Known,
    tbr::Tbr,
};
use adir::{
    BlockId, Callee, LoopId, Op, Ty, ValueId,
    hashed::HashMap,
    library::{self, threads},
};

/// Elements that neighbours may be apart to be of one copy.
const MOST_APART: i64 = 8;

/// A copy of a part of an array.
#[derive(Clone, Debug)]
pub struct Array {
    /// The loop before which it is made.
    pub around: LoopId,
    /// Where its first element is; with the loop's counter among its terms.
    pub first: Address,
    /// Size of an element.
    pub bytes: u64,
    /// Elements beyond the number of iterations.
    pub more: u64,
    /// Whether the loop goes towards lower addresses.
    pub falls: bool,
}

/// What is read from a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// The load that stands for the copy.
    pub array: ValueId,
    /// Its number, above that of the iteration; where the loop falls, above the number of those
    /// that follow.
    pub offset: u64,
}

/// What a phi of a loop's header holds: its start, then what `latch` was one iteration before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// The loop.
    pub around: LoopId,
    /// Its value in the first iteration.
    pub start: ValueId,
    /// Its value in any other: that of `latch` in the iteration before.
    pub latch: ValueId,
}

/// Copies that may be made, and what they would hold.
#[derive(Default)]
pub struct Arrays {
    copies: HashMap<ValueId, Array>,
    elements: HashMap<ValueId, Element>,
    carried: HashMap<ValueId, Carried>,
}

/// A load, or a phi that brings what one loaded, at an address.
type Read = (ValueId, Address);

impl Arrays {
    /// Finds all of a body, but for what has larger copies.
    pub fn find(known: Known, tbr: &Tbr, sections: &Sections) -> Arrays {
        let body = known.body;
        let mut this = Arrays::default();
        for id in body.loop_ids() {
            let l = &body[id];
            if l.taken.is_some() && l.single_exiting && is_plain(known, id) {
                this.of_loop(known, tbr, sections, id);
            }
        }
        this
    }

    fn of_loop(&mut self, known: Known, tbr: &Tbr, sections: &Sections, l: LoopId) {
        let body = known.body;
        let counter = body[l].counter;
        let insts: Vec<ValueId> =
            blocks(known, l).flat_map(|b| body[b].insts.iter().copied()).collect();
        // Those whose addresses differ by constants together.
        let mut groups: Vec<Vec<Read>> = vec![];
        for &v in insts.iter().filter(|&&v| {
            matches!(body[v].op, Op::Load) && body[v].ty.is_real() && !body[v].is_once
        }) {
            let block = body.block_of(v);
            if tbr.is_reloadable(v) || sections.of(v).is_some() || !always(known, l, block) {
                continue;
            }
            let address = Address::of(body, body.operand(v, 0));
            if !is_of_copy(known, l, &address, body[v].bytes) || !holds_before(known, l, v, &insts)
            {
                continue;
            }
            match groups
                .iter_mut()
                .find(|g| body[g[0].0].ty == body[v].ty && g[0].1.is_beside(&address))
            {
                Some(group) => group.push((v, address)),
                None => groups.push(vec![(v, address)]),
            }
        }
        for mut reads in groups {
            add_phis(known, l, &mut reads);
            reads.sort_by_key(|(v, address)| (address.constant, *v));
            let bytes = body[reads[0].0].bytes;
            let is_near = |x: &Read, y: &Read| {
                let gap = y.1.constant.wrapping_sub(x.1.constant);
                (0..=MOST_APART * bytes as i64).contains(&gap) && gap % bytes as i64 == 0
            };
            for run in reads.chunk_by(is_near) {
                self.add(l, run, bytes, run[0].1.coefficient(counter) < 0);
            }
        }
        self.add_carried(known, l);
    }

    /// A copy for these, if it would hold several.
    fn add(&mut self, l: LoopId, run: &[Read], bytes: u64, falls: bool) {
        let (array, first) = &run[0];
        let offset =
            |address: &Address| address.constant.wrapping_sub(first.constant) as u64 / bytes;
        let more = offset(&run[run.len() - 1].1);
        if more == 0 {
            return;
        }
        for (v, address) in run {
            self.elements.insert(*v, Element { array: *array, offset: offset(address) });
        }
        self.copies.insert(*array, Array { around: l, first: first.clone(), bytes, more, falls });
    }

    /// Other phis that bring an element, or what brings one.
    fn add_carried(&mut self, known: Known, l: LoopId) {
        let body = known.body;
        let phis = reals_around(known, l);
        for _ in &phis {
            let found = self.carried.len();
            for &phi in phis.iter().filter(|phi| !self.elements.contains_key(phi)) {
                let Some((_, start, latch)) =
                    around(body, phi).filter(|a| body.loop_of(a.2) == Some(l))
                else {
                    continue;
                };
                if self.elements.contains_key(&latch) || self.carried.contains_key(&latch) {
                    self.carried.entry(phi).or_insert(Carried { around: l, start, latch });
                }
            }
            if self.carried.len() == found {
                break;
            }
        }
    }

    /// The copy that a load stands for.
    pub fn array(&self, load: ValueId) -> Option<&Array> {
        self.copies.get(&load)
    }
    /// Where `v` lies in a copy.
    pub fn element(&self, v: ValueId) -> Option<Element> {
        self.elements.get(&v).copied()
    }
    /// How `v` follows from elements of iterations before.
    pub fn carried(&self, v: ValueId) -> Option<Carried> {
        self.carried.get(&v).copied()
    }
    /// The copy from which a phi takes what it brings.
    pub fn behind(&self, phi: ValueId) -> Option<ValueId> {
        let mut at = phi;
        for _ in 0..=self.carried.len() {
            match self.elements.get(&at) {
                Some(element) => return Some(element.array),
                None => at = self.carried.get(&at)?.latch,
            }
        }
        None
    }
}

/// Phis that bring from the latch what one of these reads, and start from what was loaded just
/// before the loop, from where this one would have read one iteration before the first.
fn add_phis(known: Known, l: LoopId, reads: &mut Vec<Read>) {
    let body = known.body;
    let counter = body[l].counter;
    let phis: Vec<ValueId> = reals_around(known, l);
    for _ in &phis {
        let found = reads.len();
        for &phi in &phis {
            let Some((_, start, latch)) =
                around(body, phi).filter(|_| !reads.iter().any(|r| r.0 == phi))
            else {
                continue;
            };
            let Some((_, address)) = reads.iter().find(|r| r.0 == latch) else { continue };
            let before = address.one_before(counter);
            let is_there = matches!(body[start].op, Op::Load)
                && body[start].block == Some(body[l].preheader)
                && !body[start].is_once;
            if is_there
                && stays(known, start)
                && Address::of(body, body.operand(start, 0)) == before.at_start(counter)
            {
                reads.push((phi, before));
            }
        }
        if reads.len() == found {
            break;
        }
    }
}

/// Reals that the loop carries from iteration to iteration.
fn reals_around(known: Known, l: LoopId) -> Vec<ValueId> {
    let body = known.body;
    let phis = body[body[l].header]
        .insts
        .iter()
        .copied()
        .take_while(|&v| matches!(body[v].op, Op::Phi(_)));
    phis.filter(|&v| body[v].ty.is_real()).collect()
}

fn blocks<'a>(known: Known<'a>, l: LoopId) -> impl Iterator<Item = BlockId> + 'a {
    let body = known.body;
    body.order.iter().copied().filter(move |&b| body.contains(l, b))
}

/// Whether no loop is inside, and all iterations come to their end: nothing is called that may do
/// something else.
fn is_plain(known: Known, l: LoopId) -> bool {
    let body = known.body;
    let is_plain = |v: &ValueId| match &body[*v].op {
        Op::Call(Callee::Rule(..) | Callee::PureInt) => true,
        Op::Call(Callee::Inactive) => body[*v].symbol.as_deref().is_some_and(library::is_intrinsic),
        Op::Call(_)
        | Op::Invoke
        | Op::Update(_)
        | Op::Atomic
        | Op::Other
        | Op::Unreachable
        | Op::Ret => false,
        Op::Load | Op::Store => !body[*v].is_once,
        Op::Param(_)
        | Op::Constant
        | Op::ConstantExpr
        | Op::Global(_)
        | Op::Function
        | Op::Undef => true,
        Op::FNeg | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FCmp | Op::ICmp => {
            true
        }
        Op::IntBinary(_)
        | Op::Cast(_)
        | Op::Select
        | Op::Freeze
        | Op::Gep(..)
        | Op::Phi(_)
        | Op::Alloca(_) => true,
        Op::ExtractValue(_)
        | Op::InsertValue(_)
        | Op::ExtractElement
        | Op::InsertElement
        | Op::Shuffle(_) => true,
        Op::Br | Op::CondBr | Op::Switch => true,
    };
    !body.loops.iter().any(|inner| inner.parent == Some(l))
        && blocks(known, l).all(|b| body[b].insts.iter().all(is_plain))
}

/// Whether `block` is run in each iteration, also the last.
fn always(known: Known, l: LoopId, block: BlockId) -> bool {
    let body = known.body;
    let leaves = |b: &BlockId| body[*b].succs.iter().any(|s| !body.contains(l, *s));
    body.dominates(block, body[l].latch)
        && blocks(known, l).filter(leaves).all(|b| body.dominates(block, b))
}

/// Whether an address walks by one element per iteration, from where it is known before the loop.
fn is_of_copy(known: Known, l: LoopId, address: &Address, bytes: u64) -> bool {
    let body = known.body;
    let is_outside = |v: ValueId| body[v].block.is_none_or(|b| !body.contains(l, b));
    let counter = body[l].counter;
    address.coefficient(counter).unsigned_abs() == bytes
        && is_outside(address.root)
        && address
            .terms
            .keys()
            .all(|&v| v == counter || is_outside(v) && matches!(body[v].ty, Ty::Int(1..=64)))
}

/// Whether memory holds before the loop what `load` reads in any iteration.
fn holds_before(known: Known, l: LoopId, load: ValueId, insts: &[ValueId]) -> bool {
    let body = known.body;
    let Some(access) = known.locations.access(load).filter(|a| a.reads.own.any()) else {
        return false;
    };
    // Behind a barrier, or in a critical section, other threads have stored there.
    if insts.iter().any(|&w| threads::mirror_of(&body[w]).is_some()) {
        return false;
    }
    let address = Address::of(body, body.operand(load, 0));
    insts.iter().all(|&w| {
        let meets =
            known.locations.access(w).is_some_and(|a| meet(&access.reads.own, &a.writes.all));
        if !meets || body.are_apart_in(l, load, w) {
            return true;
        }
        let Op::Store = body[w].op else { return false };
        let later = Address::of(body, body.operand(w, 1));
        let stored = body[body.operand(w, 0)].bytes;
        never_meets_within(body, l, (w, &later, stored), (load, &address, body[load].bytes))
    })
}

/// Whether nothing overwrites what `load` reads before its block ends.
fn stays(known: Known, load: ValueId) -> bool {
    let body = known.body;
    let Some(access) = known.locations.access(load).filter(|a| a.reads.own.any()) else {
        return false;
    };
    let block = body.block_of(load);
    let behind = body[block].insts.iter().copied().skip_while(|&v| v != load).skip(1);
    behind
        .into_iter()
        .all(|w| !known.locations.access(w).is_some_and(|a| meet(&access.reads.own, &a.writes.all)))
}
