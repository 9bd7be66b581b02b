//! Why a value is active: breadth-first trees over the image, from the independents and from the
//! outputs.
//!
//! Forward, from active parameters and the memory behind shadowed ones: a varied value leads to its
//! varied users; a store, copy or call that takes it to the objects that it may write; an object to
//! the loads, copies and calls that may read it. Backward, from the result and from memory that the
//! caller sees, the same steps the other way. Steps are instructions and parameters; an object is
//! only passed through. One tree each way per function, so the cost is linear in values, operands
//! and points-to sets; a chain is read off the tree when it is asked for. These are explanations of
//! the analyses' results, not analyses: a value that a tree does not reach has no chain.

use crate::image::unit::Unit;
use adanalysis::{
    activity::{Activity, Shadow},
    points_to::Object,
};
use adir::{Callee, EntityMap, Op, Ty, ValueId};
use std::collections::VecDeque;

/// The two trees.
pub struct Why {
    varied: Tree,
    useful: Tree,
}

#[derive(Default)]
struct Tree {
    reached: Vec<bool>,
    parent: EntityMap<ValueId, Option<ValueId>>,
}

impl Tree {
    fn chain(&self, v: ValueId) -> Vec<ValueId> {
        let mut chain = vec![];
        let mut at = self.reached[v.index()].then_some(v);
        while let Some(u) = at {
            chain.push(u);
            at = self.parent[u];
        }
        chain
    }
}

impl Why {
    /// Builds both trees.
    pub fn compute(unit: &Unit, activity: &Activity) -> Why {
        let effects = Effects::new(unit, activity);
        Why { varied: Search::new(&effects).forward(), useful: Search::new(&effects).backward() }
    }
    /// The step before `v` on the way from an independent.
    pub fn varied_from(&self, v: ValueId) -> Option<ValueId> {
        self.varied.parent[v]
    }
    /// The step after `v` on the way to an output.
    pub fn useful_to(&self, v: ValueId) -> Option<ValueId> {
        self.useful.parent[v]
    }
    /// From an independent to `v`; empty where none leads there.
    pub fn varied_chain(&self, v: ValueId) -> Vec<ValueId> {
        let mut chain = self.varied.chain(v);
        chain.reverse();
        chain
    }
    /// From `v` to an output; empty where it leads to none.
    pub fn useful_chain(&self, v: ValueId) -> Vec<ValueId> {
        self.useful.chain(v)
    }
}

/// Who reads and writes each object, as far as active data go.
struct Effects<'a> {
    unit: &'a Unit,
    activity: &'a Activity,
    readers: Vec<Vec<ValueId>>,
    writers: Vec<Vec<ValueId>>,
}

impl<'a> Effects<'a> {
    fn new(unit: &'a Unit, activity: &'a Activity) -> Self {
        let n = unit.memory.objects.len();
        let mut this =
            Effects { unit, activity, readers: vec![vec![]; n], writers: vec![vec![]; n] };
        for v in unit.body.insts() {
            for o in this.reads(v) {
                this.readers[o].push(v);
            }
            for o in this.writes(v) {
                this.writers[o].push(v);
            }
        }
        this
    }

    /// Varied, or a pointer to active memory.
    fn carries(&self, v: ValueId) -> bool {
        self.activity.is_varied(v)
            || (self.unit.body[v].ty == Ty::Ptr
                && matches!(self.activity.shadow(v), Shadow::Yes | Shadow::Mixed))
    }

    fn behind(&self, pointers: impl Iterator<Item = ValueId>) -> Vec<usize> {
        pointers.filter(|&p| self.carries(p)).flat_map(|p| self.unit.memory.points_to(p)).collect()
    }

    fn reads(&self, v: ValueId) -> Vec<usize> {
        let operands = &self.unit.body[v].operands;
        match &self.unit.body[v].op {
            Op::Load if self.carries(v) => self.behind(operands[..1].iter().copied()),
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                self.behind(operands[1..2].iter().copied())
            }
            Op::Call(Callee::Defined) => self.behind(operands.iter().copied()),
            _ => vec![],
        }
    }

    fn writes(&self, v: ValueId) -> Vec<usize> {
        let operands = &self.unit.body[v].operands;
        match &self.unit.body[v].op {
            Op::Store if self.carries(operands[0]) => self.behind(operands[1..2].iter().copied()),
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                self.behind(operands[..1].iter().copied())
            }
            Op::Call(Callee::Defined) => self.behind(operands.iter().copied()),
            Op::Call(Callee::Rule(rule, _)) => {
                self.behind(rule.float_pointees.iter().map(|&p| operands[p]))
            }
            _ => vec![],
        }
    }
}

struct Search<'a> {
    effects: &'a Effects<'a>,
    tree: Tree,
    /// Per object: whether it was reached.
    objects: Vec<bool>,
    queue: VecDeque<ValueId>,
}

impl<'a> Search<'a> {
    fn new(effects: &'a Effects<'a>) -> Self {
        let n = effects.unit.body.values.len();
        let tree = Tree { reached: vec![false; n], parent: EntityMap::with(n, None) };
        Search {
            effects,
            tree,
            objects: vec![false; effects.unit.memory.objects.len()],
            queue: VecDeque::new(),
        }
    }

    fn reach(&mut self, v: ValueId, parent: Option<ValueId>) {
        if !std::mem::replace(&mut self.tree.reached[v.index()], true) {
            self.tree.parent[v] = parent;
            self.queue.push_back(v);
        }
    }

    /// Goes through `object` to the instructions of `of`; an unknown pointer may lead to all memory
    /// that escaped.
    fn pass(
        &mut self,
        object: usize,
        parent: Option<ValueId>,
        of: fn(&'a Effects<'a>) -> &'a [Vec<ValueId>],
    ) {
        if self.objects[object] {
            return;
        }
        let memory = &self.effects.unit.memory;
        let mut same = vec![object];
        match memory.objects[object] {
            Object::Unknown => {
                same.extend((1..memory.objects.len()).filter(|&o| memory.escapes(o)))
            }
            _ if memory.escapes(object) => same.push(0),
            _ => {}
        }
        for o in same {
            if !std::mem::replace(&mut self.objects[o], true) {
                for &v in &of(self.effects)[o] {
                    self.reach(v, parent);
                }
            }
        }
    }

    fn forward(mut self) -> Tree {
        let effects = self.effects;
        let (body, memory) = (&effects.unit.body, &effects.unit.memory);
        for (&p, activity) in body.params.iter().zip(&effects.activity.params) {
            if activity.is_active() {
                self.reach(p, None);
            }
        }
        while let Some(u) = self.queue.pop_front() {
            // A pointer from outside leads to active memory.
            if body[u].ty == Ty::Ptr && matches!(body[u].op, Op::Param(_) | Op::Load | Op::Call(_))
            {
                for o in memory.points_to(u) {
                    self.pass(o, Some(u), |e| &e.readers);
                }
            }
            for o in effects.writes(u) {
                self.pass(o, Some(u), |e| &e.readers);
            }
            let pointer = body[u].ty == Ty::Ptr;
            for &w in &body.users[u] {
                let takes = match &body[w].op {
                    Op::Store => body.operand(w, 0) == u,
                    Op::Call(Callee::Defined) => true,
                    Op::Call(Callee::Rule(rule, _)) => {
                        effects.carries(w) || !rule.float_pointees.is_empty()
                    }
                    // Memory is reached through objects, not through addresses.
                    Op::Load | Op::Call(_) => false,
                    _ => effects.carries(w) && (body[w].ty == Ty::Ptr) == pointer,
                };
                if takes {
                    self.reach(w, Some(u));
                }
            }
        }
        self.tree
    }

    fn backward(mut self) -> Tree {
        let effects = self.effects;
        let (body, memory) = (&effects.unit.body, &effects.unit.memory);
        for v in body.insts().filter(|&v| matches!(body[v].op, Op::Ret)) {
            self.reach(v, None);
        }
        for (o, object) in memory.objects.iter().enumerate() {
            if !matches!(object, Object::Local(_)) {
                self.pass(o, None, |e| &e.writers);
            }
        }
        while let Some(w) = self.queue.pop_front() {
            for o in effects.reads(w) {
                if let Object::Param(i) = memory.objects[o] {
                    self.reach(body.params[i as usize], Some(w));
                }
                self.pass(o, Some(w), |e| &e.writers);
            }
            let operands = &body[w].operands;
            let is_pointer = body[w].ty == Ty::Ptr && !matches!(body[w].op, Op::Load | Op::Call(_));
            let fed = match &body[w].op {
                Op::Store => &operands[..1],
                Op::Load => &operands[..1],
                Op::Call(Callee::MemCpy | Callee::MemMove) => &operands[1..2],
                _ => &operands[..],
            };
            for &o in fed {
                // An address is data where it comes from memory itself.
                let leads = body[o].ty == Ty::Ptr
                    && effects.carries(o)
                    && (is_pointer
                        || memory.points_to(o).any(|i| memory.objects[i] == Object::Unknown));
                if effects.activity.is_varied(o) || leads {
                    self.reach(o, Some(w));
                }
            }
        }
        self.tree
    }
}
