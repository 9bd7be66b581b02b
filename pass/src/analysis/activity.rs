//! Activity: which values may depend on an independent input in a differentiable way, and which pointers have a shadow.
//!
//! Forward, flow-insensitive in memory. Two facts, iterated together to a fixpoint:
//!   varied(v): a real (or the bits of one) computed from a varied operand or loaded through a shadowed pointer;
//!     parameters that the request made active.
//!   useful(v): backward, see `find_useful`; active = varied and useful.
//!   shadow(p) in {none < yes, no < mixed}: parameters as requested; a local object has a shadow iff something varied,
//!     or a pointer with a shadow, may be stored in it, or a pointer to it joins one with a shadow; a pointer loaded
//!     from shadowed memory has the shadow that the shadow memory holds; addresses of globals have none,
//!     but for constant tables whose address joins that of active memory: they have zeros.
//! Errs towards active: a value too many costs time, one too few is a wrong gradient.
//! Source: Hascoët & Pascual, RR-7957, section 5.2 (varied, useful).

use super::{
    memory::{Memory, Object},
    types::{Held, Types},
};
use crate::ir::{Body, Callee, Cast, Op, Ty, ValueId};
use bitvec::prelude::*;

/// What a request says of one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Param {
    /// Inactive.
    Const,
    /// A real by value with a derivative.
    Active,
    /// A pointer with a shadow.
    Shadowed,
}

/// Whether a pointer has a shadow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shadow {
    /// It names no object: null, undefined.
    None,
    /// All objects that it may name have shadows.
    Yes,
    /// None of them has.
    No,
    /// Some have, some have not; or nothing is known.
    Mixed,
}

impl Shadow {
    fn join(self, other: Shadow) -> Shadow {
        match (self, other) {
            (a, b) if a == b => a,
            (Shadow::None, x) | (x, Shadow::None) => x,
            _ => Shadow::Mixed,
        }
    }
}

/// The result.
pub struct Activity {
    /// What the request said.
    pub params: Vec<Param>,
    varied: BitVec,
    useful: BitVec,
    shadow: Vec<Shadow>,
    local: BitVec,
}

impl Activity {
    /// Computes the facts of `body` for parameters of the given activity.
    pub fn compute(body: &Body, memory: &Memory, types: &Types, params: &[Param]) -> Activity {
        let n = body.values.len();
        let mut this = Activity {
            params: params.to_vec(),
            varied: bitvec![0; n],
            useful: bitvec![0; n],
            shadow: vec![Shadow::None; n],
            local: bitvec![0; memory.objects.len()],
        };
        // Shadows of addresses start anew whenever a local object gains its shadow: only then are they monotone.
        loop {
            this.start(body, memory);
            let locals = this.local.count_ones();
            while body.insts().fold(false, |changed, v| this.visit(body, memory, types, v) | changed) {}
            if this.local.count_ones() == locals {
                this.find_useful(body);
                return this;
            }
        }
    }

    fn start(&mut self, body: &Body, memory: &Memory) {
        self.shadow.fill(Shadow::None);
        for (&p, activity) in body.params.iter().zip(&self.params) {
            match activity {
                Param::Active => self.varied.set(p.index(), true),
                Param::Shadowed => self.shadow[p.index()] = Shadow::Yes,
                Param::Const => self.shadow[p.index()] = Shadow::No,
            }
        }
        for v in body.value_ids() {
            if matches!(body[v].op, Op::Global(_) | Op::ConstantExpr) && body[v].ty == Ty::Ptr {
                let shadowed = memory.points_to(v).all(|o| self.local[o]);
                self.shadow[v.index()] = if shadowed { Shadow::Yes } else { Shadow::No };
            }
        }
    }

    /// Whether the derivative of `v` may be nonzero.
    pub fn is_varied(&self, v: ValueId) -> bool {
        self.varied[v.index()]
    }
    /// Whether `v` is varied and something with a derivative depends on it: only such values have an adjoint.
    pub fn is_active(&self, v: ValueId) -> bool {
        self.varied[v.index()] && self.useful[v.index()]
    }
    /// Whether pointer `v` has a shadow.
    pub fn shadow(&self, v: ValueId) -> Shadow {
        self.shadow[v.index()]
    }
    /// Whether pointer `v` has a shadow, for certain.
    pub fn has_shadow(&self, v: ValueId) -> bool {
        self.shadow[v.index()] == Shadow::Yes
    }
    /// Whether a call to a function with a body takes part in derivatives.
    pub fn is_active_call(&self, body: &Body, call: ValueId) -> bool {
        body[call].operands.iter().any(|&o| self.is_varied(o) || matches!(self.shadow(o), Shadow::Yes | Shadow::Mixed))
    }
    /// What the call makes of its arguments.
    pub fn call_params(&self, body: &Body, call: ValueId) -> Vec<Param> {
        let of = |&o: &ValueId| match body[o].ty {
            Ty::Ptr if self.has_shadow(o) => Param::Shadowed,
            _ if self.is_varied(o) => Param::Active,
            _ => Param::Const,
        };
        body[call].operands.iter().map(of).collect()
    }

    /// Backward: useful(v) iff v is returned, stored in shadowed memory, given to an active call, or an operand with a
    /// nonzero partial of something varied and useful.
    fn find_useful(&mut self, body: &Body) {
        let mut work: Vec<ValueId> = body.insts().collect();
        while let Some(u) = work.pop() {
            let data = &body[u];
            let feeds: Vec<ValueId> = match &data.op {
                Op::Ret => data.operands.clone(),
                Op::Store if self.has_shadow(data.operands[1]) => vec![data.operands[0]],
                Op::Call(Callee::Defined) if self.is_active_call(body, u) => data.operands.clone(),
                Op::Call(Callee::Rule(rule, _)) => {
                    let stores = rule.float_pointees.iter().any(|&p| self.has_shadow(data.operands[p]));
                    let used = |i: usize| {
                        rule.partials_of(i).any(|(o, _)| match o {
                            adrules::Output::Pointee(_) => stores,
                            _ => self.is_active(u),
                        })
                    };
                    data.operands.iter().enumerate().filter(|(i, _)| used(*i)).map(|(_, &o)| o).collect()
                }
                Op::Call(_) | Op::Store | Op::Load | Op::ICmp | Op::FCmp => vec![],
                _ if self.is_active(u) => data.operands.clone(),
                _ => vec![],
            };
            for o in feeds {
                if self.varied[o.index()] && !self.useful.replace(o.index(), true) && body[o].block.is_some() {
                    work.push(o);
                }
            }
        }
    }

    fn visit(&mut self, body: &Body, memory: &Memory, types: &Types, v: ValueId) -> bool {
        let data = &body[v];
        let operands = &data.operands;
        let any_varied = |this: &Activity| operands.iter().any(|&o| this.is_varied(o));
        let mut changed = false;
        let mut varied = false;
        let mut shadow = Shadow::None;
        match &data.op {
            Op::FNeg | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::Freeze | Op::Vector
            | Op::ExtractValue(_) | Op::InsertValue => {
                varied = any_varied(self);
                if data.ty == Ty::Ptr {
                    shadow = if matches!(data.op, Op::Freeze) { self.shadow(operands[0]) } else { Shadow::Mixed };
                }
            }
            Op::Cast(Cast::Float | Cast::Bits) => {
                varied = any_varied(self);
                shadow = if data.ty == Ty::Ptr { self.shadow(operands[0]) } else { Shadow::None };
            }
            Op::Cast(Cast::AddressSpace) | Op::Gep(..) => shadow = self.shadow(operands[0]),
            Op::Cast(Cast::IntToPtr) => shadow = Shadow::Mixed,
            Op::Phi(_) | Op::Select => {
                let joined = if matches!(data.op, Op::Select) { &operands[1..] } else { &operands[..] };
                varied = joined.iter().any(|&o| self.is_varied(o));
                if data.ty == Ty::Ptr {
                    shadow = joined.iter().fold(Shadow::None, |s, &o| s.join(self.shadow(o)));
                    if matches!(shadow, Shadow::Mixed) {
                        for &o in joined {
                            changed |= self.promote(body, memory, o);
                        }
                    }
                }
            }
            Op::Alloca(_) | Op::Call(Callee::Malloc | Callee::Calloc) => shadow = self.local_shadow(memory, v),
            Op::Load => {
                let address = self.shadow(operands[0]);
                let shadowed = matches!(address, Shadow::Yes | Shadow::Mixed);
                match data.ty {
                    Ty::Ptr => shadow = address,
                    Ty::Int(_) if shadowed => {
                        let held = types.accessed(body, memory, v, operands[0], data.bytes);
                        // Bits that are only moved, of which nothing is known, may be those of a real.
                        varied = held.is_empty() || held.iter().any(|h| matches!(h, Held::F32 | Held::F64));
                    }
                    _ if data.ty.holds_float() => varied = shadowed,
                    _ => {}
                }
            }
            Op::Store => {
                let carries = matches!(self.shadow(operands[0]), Shadow::Yes | Shadow::Mixed);
                if self.is_varied(operands[0]) || (body[operands[0]].ty == Ty::Ptr && carries) {
                    changed |= self.promote(body, memory, operands[1]);
                }
            }
            Op::Call(callee) => {
                match callee {
                    Callee::Rule(rule, _) => {
                        let output = |this: &Activity, out: adrules::Output| {
                            operands.iter().enumerate().any(|(i, &o)| this.is_varied(o) && rule.partial(out, i).is_some())
                        };
                        let elements = (0..rule.elements.len()).map(adrules::Output::Element);
                        varied = std::iter::once(adrules::Output::Return).chain(elements).any(|out| output(self, out));
                        for &p in &rule.float_pointees {
                            if output(self, adrules::Output::Pointee(p)) {
                                changed |= self.promote(body, memory, operands[p]);
                            }
                        }
                    }
                    Callee::MemCpy | Callee::MemMove => {
                        if matches!(self.shadow(operands[1]), Shadow::Yes | Shadow::Mixed) {
                            changed |= self.promote(body, memory, operands[0]);
                        }
                        shadow = self.shadow(operands[0]);
                    }
                    Callee::MemSet => shadow = self.shadow(operands[0]),
                    _ if self.is_active_call(body, v) && !matches!(callee, Callee::Inactive | Callee::PureInt | Callee::Free) => {
                        varied = data.ty.holds_float();
                        if data.ty == Ty::Ptr {
                            shadow = Shadow::Yes;
                        }
                        for &o in operands {
                            if body[o].ty == Ty::Ptr {
                                changed |= self.promote(body, memory, o);
                            }
                        }
                    }
                    _ => shadow = if data.ty == Ty::Ptr { Shadow::No } else { Shadow::None },
                }
                if data.ty != Ty::Ptr {
                    shadow = Shadow::None;
                }
            }
            _ => {}
        }
        if varied && !self.varied[v.index()] {
            self.varied.set(v.index(), true);
            changed = true;
        }
        let shadow = self.shadow[v.index()].join(shadow);
        if shadow != self.shadow[v.index()] {
            self.shadow[v.index()] = shadow;
            changed = true;
        }
        changed
    }

    /// Gives shadows to the local objects that `pointer` may name; whether that was news.
    fn promote(&mut self, body: &Body, memory: &Memory, pointer: ValueId) -> bool {
        let mut changed = false;
        for o in memory.points_to(pointer) {
            match memory.objects[o] {
                Object::Local(_) => changed |= !self.local.replace(o, true),
                // A pointer from memory may lead to any local object whose address was stored.
                Object::Unknown => {
                    for escaped in (0..memory.objects.len()).filter(|&e| memory.escapes(e)) {
                        if matches!(memory.objects[escaped], Object::Local(_)) {
                            changed |= !self.local.replace(escaped, true);
                        }
                    }
                }
                // A table that joins active memory gets zeros beside it; other globals have no shadow.
                Object::Global(g) if matches!(body[g].op, Op::Global(true)) => changed |= !self.local.replace(o, true),
                Object::Param(_) | Object::Global(_) => {}
            }
        }
        changed
    }

    fn local_shadow(&self, memory: &Memory, v: ValueId) -> Shadow {
        let shadowed = memory.points_to(v).any(|o| self.local[o]);
        if shadowed { Shadow::Yes } else { Shadow::No }
    }
}
