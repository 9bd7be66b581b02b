//! What the reverse sweep needs from the forward sweep.
//!
//! Needed are: operands and results that partials read; shadow addresses of accesses; which way
//! control came into a join; how often a loop ran; what called functions keep for their own reverse
//! sweep.

use super::{live_ins::LiveIns, preaccumulate::Regions};
use crate::{
    canon::stand_ins,
    codegen::{
        equals::{Equal, equals, reading},
        partial::{self, Partials},
    },
    image::{Imported, unit::Unit},
};
use adanalysis::activity::Activity;
use adir::{
    BlockId, Body, Callee, EntityMap, LoopId, Op, Ty, ValueId,
    hashed::HashMap,
    library::{ranks, threads},
};
use adrules::Output;
use std::collections::BTreeSet;

/// Something that the reverse sweep may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A primal value.
    Primal(ValueId),
    /// The shadow of a pointer.
    Shadow(ValueId),
    /// What a called forward sweep returned for its reverse sweep.
    Tape(ValueId),
    /// A copy of a part of an array, made before the loop in which this value is read from it
    /// (arrays.rs).
    Array(ValueId),
    /// A copy of what this value is read from in the iterations of a loop, made before it
    /// (sections/).
    Section(ValueId, LoopId),
    /// What this value is in all iterations of a loop, read before it (sections/).
    Once(ValueId, LoopId),
    /// The number of the predecessor through which control entered a block.
    Pred(BlockId),
    /// The derivative of a region's output with respect to one of its inputs (preaccumulate).
    Entry(ValueId, ValueId),
}

impl Node {
    /// The primal values that must be computed for it to exist.
    pub fn values(self, body: &Body) -> Vec<ValueId> {
        match self {
            Node::Primal(v)
            | Node::Shadow(v)
            | Node::Tape(v)
            | Node::Array(v)
            | Node::Section(v, _)
            | Node::Once(v, _) => vec![v],
            Node::Entry(y, x) => vec![y, x],
            // Branches are taken by the forward sweep as by the primal.
            Node::Pred(b) => body[b]
                .preds
                .iter()
                .filter_map(|p| adanalysis::control::condition(body, *p))
                .collect(),
        }
    }
}

/// What the reverse sweep does, as far as the plan must know.
pub struct Needs<'a> {
    unit: &'a Unit,
    activity: &'a Activity,
    inert: EntityMap<LoopId, bool>,
    /// Of calls whose partials are values of other calls: those.
    equals: HashMap<ValueId, Vec<Equal>>,
    /// Whether values may be recomputed.
    pub recompute: bool,
    /// What reverse sweeps are given again.
    pub live_ins: LiveIns,
}

impl<'a> Needs<'a> {
    /// Looks at what `unit` does under `activity`.
    pub fn new(unit: &'a Unit, activity: &'a Activity, recompute: bool) -> Self {
        let mut this = Needs {
            unit,
            activity,
            inert: EntityMap::with(unit.body.loops.len(), true),
            equals: HashMap::default(),
            recompute,
            live_ins: LiveIns::default(),
        };
        for &b in &unit.body.order {
            if unit.body[b].returns && unit.body[b].insts.iter().any(|&v| this.has_reverse(v)) {
                let mut at = unit.body[b].innermost;
                while let Some(l) = at {
                    this.inert[l] = false;
                    at = unit.body[l].parent;
                }
            }
        }
        this.find_equals();
        this
    }

    /// What is computed anyway is read where it need not be recorded for that alone, unless outside
    /// loops.
    fn find_equals(&mut self) {
        let body = self.body();
        let reversed =
            body.order.iter().filter(|&&b| self.is_reversed(b)).flat_map(|&b| &body[b].insts);
        let found = |&v: &ValueId| {
            let partials = partial::partials(body, v).filter(|_| self.has_reverse(v))?;
            let found = equals(body, v, &partials, |w| is_at_hand(body, w, v));
            (!found.is_empty()).then_some((v, found))
        };
        self.equals = reversed.filter_map(found).collect();
        if self.equals.is_empty() {
            return;
        }
        let needed = self.collect(false, |_| false);
        let body = self.body();
        for found in self.equals.values_mut() {
            found.retain(|e| {
                body.loop_of(e.value).is_none() || needed.contains(&Node::Primal(e.value))
            });
        }
    }

    /// The partials of `v` as the reverse sweep takes them.
    pub fn partials(&self, v: ValueId) -> Option<Partials> {
        let partials = partial::partials(self.body(), v)?;
        Some(match self.equals.get(&v) {
            Some(found) => reading(partials, self.body()[v].operands.len(), found),
            None => partials,
        })
    }

    /// The image.
    pub fn body(&self) -> &'a Imported {
        &self.unit.body
    }

    /// Whether `v` has an adjoint.
    pub fn is_active(&self, v: ValueId) -> bool {
        self.activity.is_active(v)
    }
    /// Whether nothing in the loop has a reverse: the reverse sweep passes it by.
    pub fn is_inert(&self, l: LoopId) -> bool {
        self.inert[l]
    }
    /// The outermost inert loop around `block`.
    pub fn inert_around(&self, block: BlockId) -> Option<LoopId> {
        let mut found = None;
        let mut at = self.body()[block].innermost;
        while let Some(l) = at {
            if self.is_inert(l) {
                found = Some(l);
            }
            at = self.body()[l].parent;
        }
        found
    }
    /// Whether the reverse sweep visits the block.
    pub fn is_reversed(&self, block: BlockId) -> bool {
        self.body()[block].returns && self.inert_around(block).is_none()
    }

    /// Whether an integer store may overwrite reals.
    pub fn stores_reals(&self, store: ValueId) -> bool {
        let (stored, address) = (self.body().operand(store, 0), self.body().operand(store, 1));
        match self.body()[stored].ty {
            Ty::Int(_) | Ty::Vector(false) => {
                self.activity.is_varied(stored) || self.unit.may_store_real(store, address)
            }
            ty => ty.holds_float(),
        }
    }

    /// Whether the reverse sweep does something for `v`.
    pub fn has_reverse(&self, v: ValueId) -> bool {
        let data = &self.body()[v];
        match &data.op {
            Op::Store => self.activity.has_shadow(data.operands[1]) && self.stores_reals(v),
            Op::Load if self.activity.is_checked(v) => self.activity.has_shadow(data.operands[0]),
            Op::Call(Callee::MemCpy | Callee::MemMove) if self.unit.copies_text(v) => false,
            Op::Update(_) | Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                self.activity.has_shadow(data.operands[0])
            }
            Op::Call(Callee::Rule(rule, _)) => {
                self.activity.is_active(v)
                    || rule
                        .float_pointees
                        .iter()
                        .any(|&p| self.activity.has_shadow(data.operands[p]))
            }
            Op::Call(Callee::Defined | Callee::Custom) => self.activity.is_active_call(v),
            Op::Call(Callee::Inactive) => threads::mirror_of(data).is_some(),
            _ => self.activity.is_active(v),
        }
    }

    /// All nodes that the reverse sweep asks for.
    pub fn needed(&self) -> Vec<Node> {
        self.collect(true, |_| false).into_iter().collect()
    }

    /// The same where entries of regions take the place of what their members need.
    pub fn needed_with(&self, regions: &Regions) -> Vec<Node> {
        let mut needed = self.collect(true, |v| regions.of(v).is_some());
        needed.extend(regions.entries());
        needed.into_iter().collect()
    }

    /// The same, with values of other calls that partials read, or without, and but for
    /// instructions that are `left_out`.
    fn collect(&self, with_others: bool, left_out: impl Fn(ValueId) -> bool) -> BTreeSet<Node> {
        let mut needed = BTreeSet::new();
        for &b in self.body().order.iter().filter(|&&b| self.is_reversed(b)) {
            self.by_block(b, with_others, &left_out, &mut needed);
        }
        needed
    }

    /// The nodes that undoing the block asks for, with entries of regions in place of what their
    /// members need.
    pub fn read_in(&self, b: BlockId, regions: &Regions) -> BTreeSet<Node> {
        let mut read = BTreeSet::new();
        self.by_block(b, true, &|v| regions.of(v).is_some(), &mut read);
        read.extend(
            self.body()[b].insts.iter().filter_map(|&v| regions.read_in_place(v)).flatten(),
        );
        read
    }

    fn by_block(
        &self,
        b: BlockId,
        with_others: bool,
        left_out: &impl Fn(ValueId) -> bool,
        needed: &mut BTreeSet<Node>,
    ) {
        for &v in &self.body()[b].insts {
            if self.has_reverse(v) && !left_out(v) {
                self.by_inst(v, with_others, needed);
            }
        }
        if self.joins(b) {
            needed.insert(Node::Pred(b));
        }
        for l in &self.body().loops {
            for &(exit, last) in &l.exits {
                if exit == b && self.is_reversed(l.header) {
                    needed.insert(self.trip_count(l, last));
                }
            }
        }
    }

    /// The nodes that the reverse of `v` reads, where it has one.
    pub fn read_by(&self, v: ValueId) -> BTreeSet<Node> {
        let mut read = BTreeSet::new();
        self.by_inst(v, true, &mut read);
        read
    }

    /// Whether the reverse sweep must choose between predecessors of `b` by what was recorded:
    /// where it goes on in different places, or gives the adjoint of a phi to different values, as
    /// where a loop that it passes by has several exits.
    pub fn joins(&self, b: BlockId) -> bool {
        self.body()[b].preds.len() > 1
            && self.body().loop_headed_by(b).is_none()
            && (self.brings_different(b)
                || !self.body()[b].preds.iter().all(|&p| self.passes_by(b, p)))
    }
    /// Whether an active phi of `b` takes different values.
    fn brings_different(&self, b: BlockId) -> bool {
        let phis =
            self.body()[b].insts.iter().take_while(|&&v| matches!(self.body()[v].op, Op::Phi(_)));
        let differs =
            |v: ValueId| self.body()[v].operands.iter().any(|&o| o != self.body().operand(v, 0));
        phis.into_iter().any(|&v| self.activity.is_active(v) && differs(v))
    }
    /// Whether the edge comes out of an inert loop.
    pub fn passes_by(&self, b: BlockId, pred: BlockId) -> bool {
        self.inert_around(pred).is_some_and(|l| !self.body().contains(l, b))
    }

    /// The node that tells the last value of a loop's counter at the exit where `last` stands.
    pub fn trip_count(&self, l: &adir::LoopData, last: ValueId) -> Node {
        match l.taken {
            Some(taken) if l.single_exiting => Node::Primal(taken),
            _ => Node::Primal(last),
        }
    }

    fn by_inst(&self, v: ValueId, with_others: bool, needed: &mut BTreeSet<Node>) {
        let body = self.body();
        let data = &body[v];
        let operands = &data.operands;
        match &data.op {
            Op::Load | Op::Update(_) => drop(needed.insert(Node::Shadow(operands[0]))),
            Op::Store => drop(needed.insert(Node::Shadow(operands[1]))),
            Op::Select => drop(needed.insert(Node::Primal(operands[0]))),
            Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                needed.insert(Node::Shadow(operands[0]));
                needed.insert(Node::Primal(operands[2]));
                if self.activity.has_shadow(operands[1]) {
                    needed.insert(Node::Shadow(operands[1]));
                }
            }
            Op::Call(Callee::Defined) => {
                needed.insert(Node::Tape(v));
                needed.extend(self.live_ins.calls.get(&v).into_iter().flatten());
            }
            // Its reverse function is given what the augmented one was given.
            Op::Call(Callee::Custom) => {
                needed.insert(Node::Tape(v));
                // All is on the tape.
                if ranks::is_call(data) {
                    return;
                }
                if !stand_ins::is_called(self.unit.body.llvm(v)) {
                    needed.extend(operands.iter().map(|&o| Node::Primal(o)));
                }
                needed.extend(
                    operands
                        .iter()
                        .filter(|&&o| self.activity.has_shadow(o))
                        .map(|&o| Node::Shadow(o)),
                );
            }
            // The same arguments again.
            Op::Call(Callee::Inactive) => needed.extend(operands.iter().map(|&o| Node::Primal(o))),
            Op::ExtractElement => drop(needed.insert(Node::Primal(operands[1]))),
            Op::InsertElement => drop(needed.insert(Node::Primal(operands[2]))),
            _ => {
                let Some(partials) = self.partials(v) else { return };
                if let Op::Call(Callee::Rule(rule, _)) = data.op {
                    for &p in rule
                        .float_pointees
                        .iter()
                        .filter(|&&p| self.activity.has_shadow(operands[p]))
                    {
                        needed.insert(Node::Shadow(operands[p]));
                    }
                }
                self.by_terms(v, &partials, with_others, needed);
            }
        }
    }

    /// Operands and result that the partials of `v` read.
    fn by_terms(
        &self,
        v: ValueId,
        partials: &Partials,
        with_others: bool,
        needed: &mut BTreeSet<Node>,
    ) {
        let operands = &self.body()[v].operands;
        for (out, i, expr) in &partials.terms {
            if !self.activity.is_varied(operands[*i]) || !self.output_counts(v, *out) {
                continue;
            }
            let read = partials
                .read_by(self.body(), v, expr)
                .into_iter()
                .filter(|&k| with_others || k < operands.len());
            needed.extend(read.map(|k| Node::Primal(partials.parameter(self.body(), v, k))));
            if expr.uses_result() {
                needed.insert(Node::Primal(v));
            }
        }
    }

    /// Whether an output of `v` has an adjoint.
    pub fn output_counts(&self, v: ValueId, out: Output) -> bool {
        match out {
            Output::Pointee(p) => self.activity.has_shadow(self.body().operand(v, p)),
            _ => self.activity.is_active(v),
        }
    }
}

/// Whether the value of `w` can be had where `v` is undone: both are there once, or in each
/// iteration of the same loops.
fn is_at_hand(body: &Body, w: ValueId, v: ValueId) -> bool {
    let (Some(there), Some(here)) = (body[w].block, body[v].block) else { return false };
    there == here
        || body.dominates(there, here) && body.loop_of(w).is_none_or(|l| body.contains(l, here))
}
