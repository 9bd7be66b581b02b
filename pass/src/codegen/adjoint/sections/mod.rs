//! Parts of arrays that a nest of loops reads again and again, copied to the tape once before it
//! instead of recorded in it.
//!
//! In `c[j][i] += a[l][i] b[j][l]`, with loops j, l, i from the outermost, `a[l][i]` is the same in
//! all iterations of j. Where the array is overwritten after the nest, a record per innermost
//! iteration holds each element as often as j has values; one copy, made before loop j, holds it
//! once. For a load in a nest, `around` is the outermost loop of the nest such that
//!
//!   nothing in it may write what the load reads, or end it early (calls),
//!   which iterations do the load, and where it reads then, follows from what is known before
//!   `around` and from counters of loops: the dimensions of the copy,
//!   the counter of `around` itself is none of them.
//!
//! The copy is made by loops over the dimensions, under the same conditions as the load
//! (copy.rs): it reads what the nest reads, and nothing else. Its elements lie by the counters,
//! the innermost dimension densest, as if each dimension always had its largest count; so
//! triangular nests leave gaps. Errs towards recording.

mod copy;
mod expressions;
mod path;

pub use copy::{alignment, given, header_bytes, maker};

use super::needs::Node;
use adanalysis::{
    affine::{Address, Recurrence, recurrences, stays_apart},
    dataflow::sets::meet,
    locations::LocSet,
    summary::Known,
    tbr::Tbr,
};
use adir::{BlockId, Body, Callee, LoopId, Op, Ty, ValueId, hashed::HashMap, library};
use expressions::Expressions;
use std::{collections::BTreeSet, rc::Rc};

/// Dimensions of a copy at most.
const MOST_DIMENSIONS: usize = 4;

/// What leads from the header of the outermost loop to a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Only where the condition has that value.
    If(ValueId, bool),
    /// For each iteration of a loop, one dimension of the copy.
    For(LoopId),
}

/// A copy of what a load reads.
#[derive(Clone, Debug)]
pub struct Section {
    /// The loop before which it is made.
    pub around: LoopId,
    /// The load.
    pub load: ValueId,
    /// From the header of `around` to the load.
    pub steps: Vec<Step>,
    /// What of before the loop the steps and the address read.
    pub outside: Vec<ValueId>,
    /// Whether the innermost dimension walks through memory element by element.
    pub is_dense: bool,
}

impl Section {
    /// What the plan records of it: where the copy lies, or its only element.
    pub fn node(&self) -> Node {
        match self.is_single() {
            true => Node::Once(self.load, self.around),
            false => Node::Section(self.load, self.around),
        }
    }
    /// Whether it has one element.
    pub fn is_single(&self) -> bool {
        self.dimensions().next().is_none()
    }
    /// Its dimensions, the outermost first.
    pub fn dimensions(&self) -> impl DoubleEndedIterator<Item = LoopId> + '_ {
        self.steps.iter().filter_map(|step| match step {
            Step::For(l) => Some(*l),
            Step::If(..) => None,
        })
    }
}

/// Copies that may be made.
#[derive(Default)]
pub struct Sections {
    all: HashMap<ValueId, Section>,
    /// Per load: the one that stands for its copy.
    of: HashMap<ValueId, ValueId>,
}

impl Sections {
    /// Finds all of a body.
    pub fn find(known: Known, tbr: &Tbr) -> Sections {
        let body = known.body;
        let nests: Vec<Option<Nest>> = body.loop_ids().map(|l| Nest::of(known, l)).collect();
        let growing = recurrences(body);
        let mut this = Sections::default();
        // Loads of one block at the same address have one copy.
        let mut same: HashMap<(BlockId, ValueId, u64, Ty), ValueId> = HashMap::default();
        for load in body.insts().filter(|&v| is_candidate(body, v) && !tbr.is_reloadable(v)) {
            let data = &body[load];
            let key = (body.block_of(load), body.operand(load, 0), data.bytes, data.ty);
            if let Some(&first) = same.get(&key) {
                this.of.insert(load, first);
            } else if let Some(section) = widest(known, &nests, &growing, load) {
                same.insert(key, load);
                this.of.insert(load, load);
                this.all.insert(load, section);
            }
        }
        this
    }

    /// The copy that holds what a load reads.
    pub fn of(&self, load: ValueId) -> Option<&Section> {
        self.all.get(self.of.get(&load)?)
    }
    /// What its elements cost, in records of the loop around it.
    pub fn price(&self, body: &Body, load: ValueId, factor: u64) -> u64 {
        let elements = self.of(load).map_or(0, |s| s.dimensions().count() as u32);
        body[load].bytes.saturating_mul(factor.saturating_pow(elements))
    }
}

/// Whether a load may have a copy.
fn is_candidate(body: &Body, load: ValueId) -> bool {
    let data = &body[load];
    matches!(data.op, Op::Load)
        && !data.is_once
        && (data.ty.is_real() || matches!(data.ty, Ty::Int(8 | 16 | 32 | 64)))
        && body.loop_of(load).is_some()
}

/// A loop in which all iterations come to their end, as far as copies must know it.
struct Nest {
    /// What may write, by where: what writes to the same places together.
    writers: Vec<(LocSet, Vec<ValueId>)>,
}

impl Nest {
    fn of(known: Known, l: LoopId) -> Option<Nest> {
        let body = known.body;
        let counts = |m: LoopId| body[m].taken.is_some() && body[m].single_exiting;
        if !counts(l) {
            return None;
        }
        let blocks = || body.order.iter().copied().filter(|&b| body.contains(l, b));
        let is_plain = |&v: &ValueId| is_plain(body, v);
        let ends = |b: BlockId| body[b].innermost.is_some_and(|m| body[m].single_exiting);
        if !blocks().all(|b| ends(b) && body[b].insts.iter().all(is_plain)) {
            return None;
        }
        let mut writers: Vec<(LocSet, Vec<ValueId>)> = vec![];
        let mut groups: HashMap<*const _, usize> = HashMap::default();
        for v in blocks().flat_map(|b| body[b].insts.iter().copied()) {
            let Some(access) = known.locations.access(v).filter(|a| a.writes.all.any()) else {
                continue;
            };
            let all = &access.writes.all;
            let group = *groups.entry(Rc::as_ptr(all)).or_insert_with(|| {
                writers.push((all.clone(), vec![]));
                writers.len() - 1
            });
            writers[group].1.push(v);
        }
        Some(Nest { writers })
    }
}

/// Whether control goes on behind an instruction, whatever it does.
fn is_plain(body: &Body, v: ValueId) -> bool {
    match &body[v].op {
        Op::Call(Callee::Rule(..) | Callee::PureInt) => true,
        Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => true,
        Op::Call(Callee::Inactive) => body[v].symbol.as_deref().is_some_and(library::is_intrinsic),
        Op::Call(_)
        | Op::Invoke
        | Op::Update(_)
        | Op::Atomic
        | Op::Other
        | Op::Unreachable
        | Op::Ret => false,
        Op::Load | Op::Store => !body[v].is_once,
        _ => true,
    }
}

/// The copy before the outermost loop for which there is one.
fn widest(
    known: Known,
    nests: &[Option<Nest>],
    growing: &HashMap<ValueId, Recurrence>,
    load: ValueId,
) -> Option<Section> {
    let body = known.body;
    let reads = known.locations.access(load).map(|a| &a.reads.own).filter(|own| own.any())?;
    let innermost = body.loop_of(load);
    let mut found = None;
    for around in std::iter::successors(innermost, |&l| body[l].parent) {
        let Some(nest) = &nests[around.index()] else { break };
        let stays =
            |&w: &ValueId| body.are_apart_in(around, load, w) || is_apart(body, around, load, w);
        let meeting = nest.writers.iter().filter(|(all, _)| meet(reads, all));
        if !meeting.flat_map(|(_, list)| list).all(stays) {
            break;
        }
        let Some(section) = section(body, growing, around, load) else { break };
        if section.dimensions().all(|l| l != around) {
            found = Some(section);
        }
    }
    found.filter(|s| s.dimensions().count() <= MOST_DIMENSIONS)
}

/// Whether `w` is a store that never changes what the load reads in a run of the loop.
fn is_apart(body: &Body, around: LoopId, load: ValueId, w: ValueId) -> bool {
    let Op::Store = body[w].op else { return false };
    let (read, written) =
        (Address::of(body, body.operand(load, 0)), Address::of(body, body.operand(w, 1)));
    let stored = body[body.operand(w, 0)].bytes;
    stays_apart(body, around, (&read, body[load].bytes), (&written, stored))
}

/// The copy of what a load reads in the iterations of `around`, which may be one of its dimensions.
fn section(
    body: &Body,
    growing: &HashMap<ValueId, Recurrence>,
    around: LoopId,
    load: ValueId,
) -> Option<Section> {
    let way = path::to(body, around, body.block_of(load))?;
    let chain: Vec<LoopId> = way
        .iter()
        .filter_map(|step| match step {
            Step::For(l) => Some(*l),
            Step::If(..) => None,
        })
        .collect();
    let mut read = Expressions::new(body, growing, around, &chain);
    let pointer = body.operand(load, 0);
    let mut dimensions: BTreeSet<LoopId> = read.counters(pointer)?;
    for step in &way {
        if let Step::If(condition, _) = step {
            dimensions.extend(read.counters(*condition)?);
        }
    }
    // How often a loop runs counts where its counter does.
    let mut work: Vec<LoopId> = dimensions.iter().copied().collect();
    while let Some(l) = work.pop() {
        let more = read.counters(body[l].taken?)?;
        work.extend(more.into_iter().filter(|&m| dimensions.insert(m)));
    }
    let is_kept = |step: &Step| match step {
        Step::For(l) => dimensions.contains(l),
        Step::If(..) => true,
    };
    let steps: Vec<Step> = way.into_iter().filter(is_kept).collect();
    let is_dense = match steps.last() {
        Some(&Step::For(l)) => {
            let address = Address::of(body, pointer);
            let mut is_fixed = |v: ValueId| read.counters(v).is_some_and(|all| !all.contains(&l));
            address.coefficient(body[l].counter) == body[load].bytes as i64
                && [address.root]
                    .into_iter()
                    .chain(address.terms.keys().copied())
                    .all(|v| v == body[l].counter || is_fixed(v))
        }
        _ => false,
    };
    Some(Section { around, load, steps, outside: read.outside(), is_dense })
}
