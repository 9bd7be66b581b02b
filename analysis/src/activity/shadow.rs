//! Shadows of pointers: which memory needs one, and which pointers lead to memory that has one.
//!
//! Flow-insensitive: whether an object has a shadow does not change while it exists. shadow(p) in
//! {none < yes, no < mixed}: parameters as requested; a local object has a shadow iff something
//! varied, or a pointer with a shadow, may be stored in it, or a pointer to it, or loaded from it,
//! joins one with a shadow or is stored in memory that has one, or pointers are copied from it to
//! such memory; a pointer loaded from shadowed memory has the shadow that the shadow memory holds; a
//! global variable has one iff the context lists it; constant tables have none unless their address
//! joins that of active memory: they have zeros. Iterated to the least fixpoint; addresses start anew
//! whenever a local object gains its shadow. Errs towards shadows; what is mixed is refused
//! (check.rs).

use super::{
    Param, is_joined, port_locations,
    varied::{Varied, reads_outside},
};
use crate::{
    context::Context,
    dataflow::sets,
    dependency::Port,
    points_to::Object,
    summary::{Known, Summary},
    types::ScalarKind,
};
use adir::{
    Callee, Cast, EntityMap, Op, Ty, ValueData, ValueId, foreign,
    hashed::HashSet,
    library::{self, strings},
    target,
};
use bitvec::prelude::*;
use std::rc::Rc;

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
    fn is_possible(self) -> bool {
        matches!(self, Shadow::Yes | Shadow::Mixed)
    }
}

/// Whether a pointer leads to tables of C++ classes alone: nobody needs a shadow of what they name.
fn is_in_class_table(known: Known, pointer: ValueId) -> bool {
    let is_table = |o: usize| {
        matches!(known.memory.objects[o], Object::Global(_))
            && known.memory.symbol(o).is_some_and(|s| library::is_class_table(s))
    };
    let mut objects = known.memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_table)
}

/// Whether a member of a string returns the address of its characters.
fn returns_characters(call: &ValueData) -> bool {
    matches!(call.op, Op::Call(Callee::Passive))
        && strings::returns_characters(call.symbol.as_deref().unwrap_or_default())
}

/// The shadows of one function.
pub struct Shadows {
    of: EntityMap<ValueId, Shadow>,
    /// Local objects, and constant tables, that have one.
    local: BitVec,
    params: Vec<Param>,
    entries: Vec<Option<bool>>,
    /// Per object: the global variable through which it is reached.
    roots: Vec<Option<usize>>,
    /// Further global variables may gain shadows.
    is_open: bool,
    /// All that memory without a name may be has a shadow already.
    has_unknown: bool,
    /// Copies that may move varied data, or pointers that have shadows.
    moving: BitVec,
}

impl Shadows {
    /// Shadows if every local object had one: no pointer has one that has none here.
    pub fn possible(known: Known, params: &[Param], context: &Context) -> Shadows {
        let mut this = Shadows::new(known, params, context);
        for (o, object) in known.memory.objects.iter().enumerate() {
            let open = context.is_open && is_variable(known, o);
            if open || matches!(object, Object::Local(_) | Object::Returned(_)) {
                this.local.set(o, true);
            }
        }
        this.settle(known, None);
        this
    }
    /// Shadows as they are needed.
    pub fn compute(known: Known, params: &[Param], context: &Context, varied: &Varied) -> Shadows {
        let mut this = Shadows::new(known, params, context);
        this.settle(known, Some(varied));
        this.moving.clone_from(&varied.copies);
        for v in known
            .body
            .insts()
            .filter(|&v| matches!(known.body[v].op, Op::Call(Callee::MemCpy | Callee::MemMove)))
        {
            let moves = varied.copies[v.index()] || this.may_move_pointers(known, v);
            this.moving.set(v.index(), moves);
        }
        this
    }

    fn new(known: Known, params: &[Param], context: &Context) -> Shadows {
        let objects = known.memory.objects.len();
        let entry =
            |o: usize| known.memory.entry(o).map(|(i, _)| params[i as usize] == Param::Shadowed);
        Shadows {
            of: EntityMap::with(known.body.values.len(), Shadow::None),
            local: (0..objects).map(|o| context.has_shadow(known.memory, o)).collect(),
            params: params.to_vec(),
            entries: (0..objects).map(entry).collect(),
            roots: (0..objects)
                .map(|o| known.memory.root(o).map(|(g, _)| g).filter(|g| is_variable(known, *g)))
                .collect(),
            is_open: context.is_open,
            has_unknown: false,
            moving: bitvec![0; known.body.values.len()],
        }
    }

    /// Whether pointer `v` has a shadow.
    pub fn of(&self, v: ValueId) -> Shadow {
        self.of[v]
    }
    /// Whether a copy may move varied data, or pointers that have shadows; whether what is loaded as
    /// a pointer may be varied.
    pub fn is_moving(&self, copy: ValueId) -> bool {
        self.moving[copy.index()]
    }
    /// Whether an object may have a shadow.
    pub fn is_object_shadowed(
        &self,
        known: &super::super::points_to::PointsTo,
        object: usize,
    ) -> bool {
        match known.objects[object] {
            Object::Local(_) | Object::Global(_) => self.local[object],
            Object::Param(_) | Object::Behind(_) => self.is_entry_shadowed(object),
            Object::Unknown | Object::Returned(_) => true,
            Object::Text => false,
        }
    }
    fn is_entry_shadowed(&self, object: usize) -> bool {
        self.entries[object].unwrap_or_else(|| self.roots[object].is_some_and(|g| self.local[g]))
    }
    /// Whether a call reads or overwrites global variables that have shadows, or what pointers in
    /// them lead to.
    pub fn touches_globals(&self, known: Known, call: ValueId) -> bool {
        let Some(access) = known.locations.access(call) else { return false };
        let is_global = |l: usize| {
            self.roots[known.locations.component(l).object].is_some_and(|g| self.local[g])
        };
        sets::ones(&access.reads.own).chain(sets::ones(&access.writes.own)).any(is_global)
    }

    fn settle(&mut self, known: Known, varied: Option<&Varied>) {
        loop {
            let locals = self.local.count_ones();
            self.start(known);
            while known
                .body
                .insts()
                .fold(false, |changed, v| self.visit(known, varied, v) | changed)
            {}
            if self.local.count_ones() == locals {
                return;
            }
        }
    }

    fn start(&mut self, known: Known) {
        let body = known.body;
        self.of.fill(Shadow::None);
        for (&p, activity) in body.params.iter().zip(&self.params) {
            self.of[p] = if *activity == Param::Shadowed { Shadow::Yes } else { Shadow::No };
        }
        for v in body.value_ids() {
            if matches!(body[v].op, Op::Global(_) | Op::ConstantExpr) && body[v].ty == Ty::Ptr {
                let shadowed = known.memory.points_to(v).all(|o| self.local[o]);
                self.of[v] = if shadowed { Shadow::Yes } else { Shadow::No };
            }
        }
    }

    /// One step; whether it changed anything. Without `varied`, nothing gains a shadow.
    fn visit(&mut self, known: Known, varied: Option<&Varied>, v: ValueId) -> bool {
        let shadow = self.flow(known, varied, v);
        let changed = varied.is_some_and(|varied| self.demand(known, varied, v, shadow));
        let all = self.of(v).join(shadow);
        std::mem::replace(&mut self.of[v], all) != all || changed
    }

    /// The shadow of `v` that follows from those of its operands and of objects.
    fn flow(&self, known: Known, varied: Option<&Varied>, v: ValueId) -> Shadow {
        let data = &known.body[v];
        let operand = |i: usize| self.of(data.operands[i]);
        match &data.op {
            Op::Alloca(_) | Op::Call(Callee::Allocate(_)) => {
                match known.memory.points_to(v).any(|o| self.local[o]) {
                    true => Shadow::Yes,
                    false => Shadow::No,
                }
            }
            _ if !known.body.holds_pointer(v) => Shadow::None,
            Op::Load if is_in_class_table(known, data.operands[0]) => Shadow::None,
            Op::Freeze
            | Op::Cast(Cast::Bits | Cast::AddressSpace)
            | Op::Gep(..)
            | Op::ExtractValue(_)
            | Op::Load
            | Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => operand(0),
            Op::Cast(Cast::IntToPtr) | Op::ExtractElement | Op::InsertElement | Op::Shuffle(_) => {
                Shadow::Mixed
            }
            Op::InsertValue(_) => operand(0).join(operand(1)),
            Op::Phi(_) | Op::Select => {
                chosen(data).iter().fold(Shadow::None, |s, &o| s.join(self.of(o)))
            }
            Op::Call(Callee::Defined) => {
                let given = self.touches_globals(known, v) || self.is_given(known, varied, v);
                self.returned(known, v, given)
            }
            Op::Call(Callee::Custom | Callee::Unknown | Callee::Indirect | Callee::Assembly)
                if self.is_given(known, varied, v) =>
            {
                Shadow::Yes
            }
            // As the string's (codegen/text.rs).
            Op::Call(_) if returns_characters(data) => operand(0),
            // Nobody needs a shadow of the library's tables: null will do.
            Op::Call(_) if known.memory.is_text(v) => Shadow::None,
            // Atomics: from memory of which nothing is known, refused where that has a shadow. What
            // is thrown has none.
            Op::Call(_) | Op::Atomic | Op::Other => Shadow::No,
            _ => Shadow::None,
        }
    }

    /// Gives shadows to the objects for which `v`, whose own shadow is this, needs them; whether
    /// that was news.
    fn demand(&mut self, known: Known, varied: &Varied, v: ValueId, shadow: Shadow) -> bool {
        let body = known.body;
        let data = &body[v];
        let operands = &data.operands;
        let is_varied = |o: ValueId| varied.values[o.index()];
        match &data.op {
            Op::Phi(_) | Op::Select if shadow == Shadow::Mixed => {
                self.promote_all(known, chosen(data))
            }
            Op::Update(_) => is_varied(operands[1]) && self.promote(known, operands[0]),
            // The caller may store in it what is varied.
            Op::Ret => self.promote_all(known, operands.iter().filter(|&&o| body.holds_pointer(o))),
            Op::Store => {
                let stores_pointer = body[operands[0]].ty == Ty::Ptr;
                let carries = stores_pointer && self.of(operands[0]).is_possible();
                let mut changed =
                    (is_varied(operands[0]) || carries) && self.promote(known, operands[1]);
                // What lies beside it in the shadow memory must be a shadow, too.
                if stores_pointer
                    && self.of(operands[1]).is_possible()
                    && self.of(operands[0]) != Shadow::Yes
                {
                    changed |= self.promote(known, operands[0]);
                }
                changed
            }
            Op::Call(callee) => self.demand_of_call(known, varied, v, callee),
            _ => false,
        }
    }

    fn demand_of_call(
        &mut self,
        known: Known,
        varied: &Varied,
        call: ValueId,
        callee: &Callee,
    ) -> bool {
        let body = known.body;
        let operands = &body[call].operands;
        match callee {
            Callee::Rule(rule, _) => {
                let brings = |p: usize, i: usize| {
                    varied.values[operands[i].index()]
                        && rule.partial(adrules::Output::Pointee(p), i).is_some()
                };
                let written = rule.float_pointees.iter().copied();
                let written = written.filter(|&p| (0..operands.len()).any(|i| brings(p, i)));
                self.promote_all(known, written.map(|p| &operands[p]))
            }
            Callee::MemCpy | Callee::MemMove => {
                let moves = varied.copies[call.index()] || self.may_move_pointers(known, call);
                let changed = moves && self.promote(known, operands[0]);
                changed | self.promote_copied(known, call)
            }
            Callee::Defined => {
                let given =
                    self.touches_globals(known, call) || self.is_given(known, Some(varied), call);
                let mut changed = given && self.promote_given(known, varied, call);
                changed |=
                    (given || self.is_returning(known, call)) && self.promote_beside(known, call);
                changed |= self.promote_keepers(known, call);
                changed | self.promote_found(known, varied, call)
            }
            Callee::Custom
            | Callee::Unknown
            | Callee::Indirect
            | Callee::Assembly
            | Callee::Unwound => {
                let found = self.promote_found(known, varied, call);
                let pointers: Vec<ValueId> =
                    foreign::given(body, call).filter(|&o| body[o].ty == Ty::Ptr).collect();
                found
                    | (self.is_given(known, Some(varied), call)
                        && self.promote_all(known, &pointers))
            }
            Callee::MemSet
            | Callee::Allocate(_)
            | Callee::Free
            | Callee::KeptBytes
            | Callee::Inactive
            | Callee::Passive
            | Callee::PureInt => false,
        }
    }

    /// Whether a call is given varied data, or a pointer that may have a shadow.
    fn is_given(&self, known: Known, varied: Option<&Varied>, call: ValueId) -> bool {
        let is_varied = |o: ValueId| varied.is_some_and(|a| a.values[o.index()]);
        foreign::given(known.body, call).any(|o| is_varied(o) || self.of(o).is_possible())
    }

    fn promote_all<'v>(
        &mut self,
        known: Known,
        pointers: impl IntoIterator<Item = &'v ValueId>,
    ) -> bool {
        pointers.into_iter().fold(false, |changed, &o| self.promote(known, o) | changed)
    }

    /// The memory of foreign code gets a shadow where a call leads to code that finds something
    /// varied there.
    fn promote_found(&mut self, known: Known, varied: &Varied, call: ValueId) -> bool {
        let before = varied.before_calls.get(&call).filter(|_| self.is_open);
        if !before.is_some_and(|before| reads_outside(known, call, before)) {
            return false;
        }
        let outside = (0..known.memory.objects.len()).filter(|&o| known.memory.is_outside(o));
        outside.fold(false, |changed, o| !self.local.replace(o, true) | changed)
    }

    /// Whether the pointer has a shadow that a function with a body returns. One that is
    /// differentiated, as it is given anything active or returns memory that needs a shadow, gives
    /// shadows to all that it allocates and to constant tables; the rest has one or not as it has
    /// here.
    fn returned(&self, known: Known, call: ValueId, given: bool) -> Shadow {
        let objects = || known.memory.points_to(call);
        // A variable's address may come from a function that is given nothing and touches nothing.
        let own = |o: &usize| match known.memory.objects[*o] {
            Object::Returned(c) => c == call,
            Object::Global(_) => true,
            _ => false,
        };
        if !given && !objects().any(|o| own(&o) && self.local[o]) {
            return Shadow::No;
        }
        let of = |o: usize| match known.memory.objects[o] {
            Object::Returned(_) | Object::Unknown | Object::Text => true,
            Object::Global(g) => matches!(known.body[g].op, Op::Global(true)) || self.local[o],
            Object::Local(_) => self.local[o],
            Object::Param(_) | Object::Behind(_) => self.is_entry_shadowed(o),
        };
        objects()
            .map(|o| if of(o) { Shadow::Yes } else { Shadow::No })
            .fold(Shadow::None, Shadow::join)
    }

    /// Whether a copy may move pointers that have shadows.
    fn may_move_pointers(&self, known: Known, v: ValueId) -> bool {
        let operands = &known.body[v].operands;
        if !self.of(operands[1]).is_possible() || known.copies_text(v) {
            return false;
        }
        let bytes = known.body[operands[2]].constant.map_or(u64::MAX >> 2, |n| n as u64);
        bytes >= target::pointer()
            && known.types.may_hold_pointers(known.memory, operands[1], bytes)
    }

    /// Constant tables and local objects with addresses that are copied to memory with a shadow: what
    /// lies in the shadow must be shadows.
    fn promote_copied(&mut self, known: Known, copy: ValueId) -> bool {
        let operands = &known.body[copy].operands;
        if !self.of(operands[0]).is_possible() || known.copies_text(copy) {
            return false;
        }
        let bytes = known.body[operands[2]].constant.map_or(u64::MAX >> 2, |n| n as u64);
        let moves_pointers = || {
            let kinds = known.types.all_kinds(known.memory, operands[1], bytes);
            bytes >= target::pointer() && kinds.contains(&ScalarKind::Ptr)
        };
        let holds_addresses = |o: &usize| match known.memory.objects[*o] {
            Object::Global(g) => {
                let table = &known.body[g];
                matches!(table.op, Op::Global(true)) && table.steps != Some(0)
            }
            Object::Local(_) => !self.local[*o] && moves_pointers(),
            _ => false,
        };
        let sources: Vec<usize> =
            known.memory.points_to(operands[1]).filter(holds_addresses).collect();
        sources.into_iter().fold(false, |changed, o| self.promote_object(known, o) | changed)
    }

    /// Memory that a called function is given: what it stores varied data or pointers in, or joins
    /// with other memory.
    fn promote_given(&mut self, known: Known, varied: &Varied, call: ValueId) -> bool {
        let operands = &known.body[call].operands;
        let mut changed = false;
        let Some(summary) = known.callees.get(&call) else {
            for &o in operands.iter().filter(|&&o| known.body[o].ty == Ty::Ptr) {
                changed |= self.promote(known, o);
            }
            return changed;
        };
        let (pointers, _) = summary.memory.stores_pointers();
        let moved = summary.memory.moved_to();
        for (i, &o) in operands.iter().enumerate().filter(|(_, o)| known.body[**o].ty == Ty::Ptr) {
            let given = moved.contains(&(i as u32))
                && known.types.may_hold_pointers(known.memory, o, u64::MAX >> 2);
            if given || pointers.contains(&(i as u32)) || is_joined(summary, i as u32) {
                changed |= self.promote(known, o);
            }
        }
        for object in self.gains(known, varied, call, summary) {
            changed |= self.promote_object(known, object);
        }
        changed
    }

    /// Whether a called function allocates memory that needs a shadow.
    fn is_returning(&self, known: Known, call: ValueId) -> bool {
        let is_own = |o: usize| matches!(known.memory.objects[o], Object::Returned(c) if c == call);
        sets::ones(&self.local).any(is_own)
    }

    /// Memory of which a called function that is differentiated stores the address: the address of
    /// its shadow is stored beside, in the shadow of the place.
    fn promote_beside(&mut self, known: Known, call: ValueId) -> bool {
        let Some(summary) = known.callees.get(&call) else { return false };
        let is_stored = |i: usize| {
            let object = summary.memory.object_of_param(i as u32);
            object.is_some_and(|object| summary.memory.hands_out(object))
        };
        let operands = known.body[call].operands.iter().enumerate();
        let stored = operands.filter(|(i, o)| known.body[**o].ty == Ty::Ptr && is_stored(*i));
        self.promote_all(known, stored.map(|(_, o)| o))
    }

    /// Where a called function keeps the address of memory that needs a shadow, the address of the
    /// shadow is kept beside.
    fn promote_keepers(&mut self, known: Known, call: ValueId) -> bool {
        let Some(summary) = known.callees.get(&call) else { return false };
        // The address of a variable is given to nobody: the function names it.
        let binding = known.memory.binding(call);
        let stored = || {
            summary
                .memory
                .stored_objects()
                .filter_map(|o| binding?.get(o))
                .flat_map(|t| t.objects.iter().map(|&o| o as usize))
        };
        let keeps_variable = || stored().any(|o| is_variable(known, o) && self.local[o]);
        if !self.is_returning(known, call) && !keeps_variable() {
            return false;
        }
        let (params, _) = summary.memory.stores_pointers();
        let pointers = params.iter().filter_map(|&p| known.body[call].operands.get(p as usize));
        let mut objects: Vec<usize> = pointers.flat_map(|&o| known.memory.points_to(o)).collect();
        let globals =
            summary.memory.stores_in_globals().filter_map(|g| known.memory.binding(call)?.get(g));
        objects.extend(globals.flat_map(|t| t.objects.iter().map(|&o| o as usize)));
        objects.into_iter().fold(false, |changed, o| self.promote_object(known, o) | changed)
    }

    /// Objects in which a called function stores something varied.
    fn gains(&self, known: Known, varied: &Varied, call: ValueId, summary: &Summary) -> Vec<usize> {
        let Some(before) = varied.before_calls.get(&call) else { return vec![] };
        // What the function's parameters may share with the memory that it names, the caller knows better.
        let written: HashSet<usize> = summary.in_out.writes.iter().map(|w| w.object).collect();
        let mut found = vec![];
        // Many outputs in a row depend on the same inputs.
        let mut last: Option<(&Rc<[Port]>, bool)> = None;
        for (output, from) in &summary.dependency.differentiable {
            let Port::Memory(place) = output else { continue };
            if !written.contains(&place.object) {
                continue;
            }
            // Of memory without a name, what foreign code may know has bytes of its own memory,
            // too.
            let is_outside = summary.memory.is_outside(place.object);
            let input = |port: &Port| match port {
                Port::Param(i) => varied.values[known.body.operand(call, *i as usize).index()],
                Port::Memory(input) if is_outside && input.object == 0 => false,
                Port::Memory(input) => super::meet(&port_locations(known, call, input), before),
                Port::Result => false,
            };
            let brings = match last {
                Some((ports, brings)) if !is_outside && ports == from => brings,
                _ => from.iter().any(input),
            };
            last = (!is_outside).then_some((from, brings));
            if brings
                && let Some(targets) = known.memory.binding(call).and_then(|b| b.get(place.object))
            {
                found.extend(targets.objects.iter().map(|&o| o as usize));
            }
        }
        found
    }

    /// Gives shadows to the local objects that `pointer` may name; whether that was news.
    fn promote(&mut self, known: Known, pointer: ValueId) -> bool {
        let body = known.body;
        let objects: Vec<usize> = known.memory.points_to(pointer).collect();
        let mut changed =
            objects.into_iter().fold(false, |changed, o| self.promote_object(known, o) | changed);
        // A pointer that was loaded finds its shadow where the shadow of its memory is.
        let mut at = pointer;
        while matches!(
            body[at].op,
            Op::Gep(..) | Op::Freeze | Op::Cast(Cast::Bits | Cast::AddressSpace)
        ) {
            at = body.operand(at, 0);
        }
        if matches!(body[at].op, Op::Load) {
            for o in known.memory.points_to(body.operand(at, 0)).collect::<Vec<_>>() {
                changed |= self.promote_object(known, o);
            }
        }
        changed
    }

    fn promote_object(&mut self, known: Known, o: usize) -> bool {
        match known.memory.objects[o] {
            Object::Local(_) | Object::Returned(_) => !self.local.replace(o, true),
            // A pointer from memory may lead to any local object whose address was stored.
            Object::Text => false,
            Object::Unknown if self.has_unknown => false,
            Object::Unknown => {
                self.has_unknown = true;
                let mut changed = false;
                for escaped in (0..known.memory.objects.len()).filter(|&e| known.memory.escapes(e))
                {
                    if matches!(known.memory.objects[escaped], Object::Local(_)) {
                        changed |= !self.local.replace(escaped, true);
                    }
                }
                // Nor is it known whether a library allocated it.
                if let Some(library) = known.memory.library().filter(|_| self.is_open) {
                    changed |= !self.local.replace(library, true);
                }
                changed
            }
            // A table that joins active memory gets zeros beside it; other globals have no shadow.
            Object::Global(g) if matches!(known.body[g].op, Op::Global(true)) => {
                !self.local.replace(o, true)
            }
            // What a global variable is, or what a pointer in it leads to.
            Object::Global(_) | Object::Behind(_) => match self.roots[o] {
                Some(global) if self.is_open => !self.local.replace(global, true),
                _ => false,
            },
            Object::Param(_) => false,
        }
    }
}

/// The operands of which a phi or a choice gives one.
fn chosen(data: &ValueData) -> &[ValueId] {
    if matches!(data.op, Op::Select) { &data.operands[1..] } else { &data.operands }
}

/// Whether an object is a global variable that is not constant.
pub fn is_variable(known: Known, object: usize) -> bool {
    matches!(known.memory.objects[object], Object::Global(g) if matches!(known.body[g].op, Op::Global(false)))
}
