//! The transfer functions of points-to.

use super::{
    Binding, Effects, Move, Object, PointsTo,
    calls::{Effect, Source},
    escaping, is_single,
    offset::{Offset, ahead, overlap},
    state::{Contents, Targets},
    universe::{Growth, Universe},
};
use crate::dataflow::{Analysis, Content, Direction, Facts, Lattice, Pooled};
use adir::{
    BlockId, Body, Callee, Cast, Op, Ty, ValueId, foreign, hashed::HashMap, library, target,
};
use bitvec::prelude::*;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The object `Unknown`.
pub(super) const UNKNOWN: u32 = 0;
/// The object `Text`.
pub const TEXT: u32 = 1;
/// Bytes that are all of an object.
pub(super) const ALL: u64 = u64::MAX >> 2;

/// What is stored in memory that may have other names, too: by the objects with such names.
#[derive(Default)]
pub(super) struct Aliases(Vec<(Rc<BitVec>, Rc<Targets>)>);

impl Aliases {
    fn add(&mut self, aliased: Rc<BitVec>, stored: &Rc<Targets>) {
        match self.0.iter_mut().find(|(known, _)| Rc::ptr_eq(known, &aliased)) {
            Some((_, all)) => join(all, stored),
            None => self.0.push((aliased, stored.clone())),
        }
    }
}

/// The one copy of a set of targets.
pub(super) fn unique(targets: Targets) -> Rc<Targets> {
    Targets::with_pool(|pool| pool.unique(targets))
}
pub(super) fn join(all: &mut Rc<Targets>, more: &Rc<Targets>) {
    *all = Targets::with_pool(|pool| pool.join(all, more));
}

pub(super) struct Flow<'a> {
    pub body: &'a Body,
    pub universe: RefCell<Universe>,
    pub effects: Effects<'a>,
    /// What calls did when they were visited last.
    pub(super) translated: RefCell<HashMap<ValueId, Rc<Effect>>>,
    tracks: bool,
    stores_anywhere: Cell<bool>,
}

impl<'a> Flow<'a> {
    pub fn new(body: &'a Body, universe: Universe, effects: Effects<'a>, tracks: bool) -> Flow<'a> {
        Flow {
            body,
            universe: RefCell::new(universe),
            effects,
            translated: RefCell::default(),
            tracks,
            stores_anywhere: Cell::new(false),
        }
    }
    pub fn take_growth(&self) -> Growth {
        self.universe.borrow_mut().take_growth()
    }
    pub fn into_universe(self) -> Universe {
        self.universe.into_inner()
    }
    pub fn stores_anywhere(&self) -> bool {
        self.stores_anywhere.get()
    }
    /// Whether pointers in memory are followed.
    pub fn tracks(&self) -> bool {
        self.tracks
    }

    /// Targets of what is no instruction.
    pub fn seeds(&self) -> Vec<(ValueId, Targets)> {
        let universe = self.universe.borrow();
        let mut seeds: Vec<(ValueId, Targets)> = vec![];
        for v in self.body.value_ids() {
            let data = &self.body[v];
            match &data.op {
                Op::Param(_) | Op::Global(_) if data.ty == Ty::Ptr => {
                    seeds.push((v, Targets::start_of(universe.names[&v])));
                }
                Op::ConstantExpr if data.ty == Ty::Ptr => {
                    let mut all = Targets::NONE;
                    self.constant_objects(&universe, v, &mut all);
                    // A member of a variable.
                    if let (Some(at), Some(&object)) =
                        (data.constant, universe.names.get(&data.operands[0]))
                    {
                        all = Targets::start_of(object).at(Offset::new(at, 0));
                    }
                    seeds.push((v, all));
                }
                _ => {}
            }
        }
        seeds
    }

    fn constant_objects(&self, universe: &Universe, v: ValueId, all: &mut Targets) {
        for &o in &self.body[v].operands {
            match universe.names.get(&o) {
                Some(&object) => _ = all.join(&Targets::within(object)),
                None => self.constant_objects(universe, o, all),
            }
        }
    }

    /// Whether an object is a table of virtual functions.
    fn is_virtual_table(&self, object: u32) -> bool {
        let Object::Global(g) = self.universe.borrow().objects[object as usize] else {
            return false;
        };
        self.body[g].symbol.as_deref().is_some_and(library::is_virtual_table)
    }

    /// What a load may bring of what lies there, as far as the source says what that leads to: tables of
    /// virtual functions are no data, and constant.
    fn as_told(&self, load: ValueId, loaded: Rc<Targets>) -> Rc<Targets> {
        let data = &self.body[load];
        let is_data = |o: u32| match self.universe.borrow().objects[o as usize] {
            Object::Param(_) | Object::Local(_) | Object::Returned(_) => true,
            Object::Global(_) => !self.is_virtual_table(o),
            Object::Behind(_) | Object::Unknown | Object::Text => false,
        };
        let fits = |o: u32| match () {
            () if data.is_to_data => !self.is_virtual_table(o),
            () if data.is_to_table => !is_data(o),
            () => true,
        };
        if loaded.objects.iter().all(|&o| fits(o)) {
            return loaded;
        }
        let mut kept = (*loaded).clone();
        kept.retain(fits);
        if kept.objects.is_empty() {
            kept.join(&Targets::within(UNKNOWN));
        }
        unique(kept)
    }

    /// What a pointer loaded from `address` may lead to.
    pub fn loaded(&self, address: &Targets, state: &Contents) -> Rc<Targets> {
        if !self.tracks {
            return unique(Targets::within(UNKNOWN));
        }
        let mut universe = self.universe.borrow_mut();
        let mut all = unique(Targets::NONE);
        for (object, at) in address.each() {
            if object == UNKNOWN || object == TEXT {
                join(&mut all, &unique(Targets::within(object)));
                continue;
            }
            if let Object::Global(g) = universe.objects[object as usize]
                && self.body[g].symbol.as_deref().is_some_and(library::is_class_table)
            {
                join(&mut all, &unique(Targets::within(TEXT)));
                continue;
            }
            let slot = universe.slot(object, at);
            let content = state.get(slot);
            content.into_iter().flat_map(Content::held).for_each(|held| join(&mut all, held));
            if content.is_none_or(|c| c.may_keep_entry)
                && let Some(behind) = universe.behind(slot)
            {
                let offset = if behind == UNKNOWN { Offset::ANY } else { Offset::START };
                join(&mut all, &unique(Targets::new(vec![behind], offset)));
            }
        }
        all
    }

    /// Stores a pointer, or something that may be one; `surely`, or perhaps. The same memory under
    /// other names is left to [`Self::store_aliases`].
    pub fn store(
        &self,
        address: &Targets,
        stored: &Rc<Targets>,
        surely: bool,
        state: &mut Contents,
        others: &mut Aliases,
    ) {
        if !self.tracks {
            self.stores_anywhere.set(true);
            return;
        }
        let mut universe = self.universe.borrow_mut();
        if let [object] = address.objects[..]
            && object != UNKNOWN
            && object != TEXT
        {
            let slot = universe.slot(object, address.offset);
            let exact =
                address.offset.is_exact() && universe.slots[slot as usize].offset == address.offset;
            if surely && exact && is_single(self.body, universe.objects[object as usize]) {
                // What was stored before under other names is overwritten, too.
                drop(universe);
                self.store_aliases(others, state);
                universe = self.universe.borrow_mut();
                state.set(slot, stored);
            } else {
                state.add(slot, stored);
            }
        } else {
            for (object, at) in address.each().filter(|&(o, _)| o != UNKNOWN && o != TEXT) {
                let slot = universe.slot(object, at);
                state.add(slot, stored);
            }
        }
        if address.objects.contains(&UNKNOWN) {
            self.stores_anywhere.set(true);
        }
        others.add(universe.aliased(&address.objects), stored);
    }

    /// Stores what is left of stores: the same memory under its other names, and at the other
    /// places where one of several pointers may lead.
    pub fn store_aliases(&self, others: &mut Aliases, state: &mut Contents) {
        let others = std::mem::take(&mut others.0);
        if others.is_empty() {
            return;
        }
        let universe = self.universe.borrow();
        for (object, slots) in universe.by_object() {
            let mut here = others
                .iter()
                .filter(|(aliased, _)| aliased.get(object as usize).is_some_and(|is| *is))
                .map(|(_, stored)| stored);
            let Some(first) = here.next() else { continue };
            let mut all = first.clone();
            here.for_each(|stored| join(&mut all, stored));
            slots.iter().for_each(|&slot| state.add_aliased(slot, &all));
        }
    }

    /// Bytes that may be pointers overwrite part of the memory behind `address`. Where the source
    /// says that they are integers, only the very same memory counts, not what may be the same.
    pub fn blur(&self, address: &Targets, bytes: u64, is_integer: bool, state: &mut Contents) {
        let universe = self.universe.borrow();
        let unknown = unique(Targets::within(UNKNOWN));
        let aliased = universe.aliased(&address.objects);
        for (object, slots) in universe.by_object() {
            let is_aliased = !is_integer && aliased[object as usize];
            let within = address.within_object(object);
            if !is_aliased && within.is_none() {
                continue;
            }
            for &slot in slots {
                let at = universe.slots[slot as usize].offset;
                let same = || within.is_some_and(|w| overlap(w, bytes, at, target::pointer()));
                if same() {
                    state.add(slot, &unknown);
                } else if is_aliased {
                    state.add_aliased(slot, &unknown);
                }
            }
        }
        if address.objects.contains(&UNKNOWN) && !is_integer {
            self.stores_anywhere.set(true);
        }
    }

    /// memcpy, memmove: the slots of the destination get what the slots of the source hold in
    /// `source`.
    pub fn copy(
        &self,
        to: &Targets,
        from: &Targets,
        bytes: u64,
        source: &Contents,
        state: &mut Contents,
    ) {
        self.copied_slots(to, from, bytes);
        let slots: Vec<(u32, Offset, u32, bool)> = {
            let universe = self.universe.borrow();
            let aliased = universe.aliased(&to.objects);
            let mut hit = vec![];
            for (object, slots) in universe.by_object() {
                let is_aliased = aliased[object as usize];
                let within = to.within_object(object);
                if !is_aliased && within.is_none() {
                    continue;
                }
                for &s in slots {
                    let at = universe.slots[s as usize].offset;
                    let named = || within.is_some_and(|w| overlap(w, bytes, at, target::pointer()));
                    if is_aliased || named() {
                        hit.push((s, at, object, is_aliased));
                    }
                }
            }
            hit.sort_unstable_by_key(|h| h.0);
            hit
        };
        // What other names get is the same for all of them.
        let anywhere = slots.iter().any(|hit| hit.3).then(|| self.loaded_anywhere(from, source));
        for (slot, at, object, aliased) in slots {
            if let Some(to) = to.within_object(object) {
                let source_of_slot = from.plus(ahead(to, bytes, at, target::pointer()));
                state.add(slot, &self.loaded(&source_of_slot, source));
            }
            if let Some(anywhere) = anywhere.as_ref().filter(|_| aliased) {
                state.add_aliased(slot, anywhere);
            }
        }
        if to.objects.contains(&UNKNOWN) {
            self.stores_anywhere.set(true);
        }
    }

    /// Slots of the destination of a copy for those of its source that are known.
    fn copied_slots(&self, to: &Targets, from: &Targets, bytes: u64) {
        let mut universe = self.universe.borrow_mut();
        let known: Vec<(Offset, Offset)> = {
            let slots = from
                .each()
                .flat_map(|(o, from)| universe.slots_of(o).iter().map(move |&s| (from, s)));
            let offsets = slots.map(|(from, s)| (from, universe.slots[s as usize].offset));
            offsets.filter(|&(from, at)| overlap(from, bytes, at, target::pointer())).collect()
        };
        for (from, at) in known {
            let beyond = ahead(from, bytes, at, target::pointer());
            for (object, to) in to.each().filter(|&(o, _)| o != UNKNOWN && o != TEXT) {
                universe.slot(object, to.plus(beyond));
            }
        }
    }

    /// Whatever pointer lies somewhere in the memory behind `address`.
    fn loaded_anywhere(&self, address: &Targets, state: &Contents) -> Rc<Targets> {
        let slots: Vec<(u32, Offset)> = {
            let universe = self.universe.borrow();
            let slots = address
                .objects
                .iter()
                .flat_map(|&o| universe.slots_of(o).iter().map(move |&s| (o, s)));
            slots.map(|(o, s)| (o, universe.slots[s as usize].offset)).collect()
        };
        let mut all = unique(Targets::within(UNKNOWN));
        for (object, offset) in slots {
            join(&mut all, &self.loaded(&Targets::new(vec![object], offset), state));
        }
        all
    }

    /// A pointer that a called function finds in memory and makes known elsewhere is known to be so
    /// here.
    fn escape_in_call(&self, callee: &PointsTo, binding: &Binding) {
        let is_known =
            |o: &usize| matches!(callee.objects[*o], Object::Behind(_)) && callee.escapes(*o);
        let found: Vec<usize> = (0..callee.objects.len()).filter(is_known).collect();
        let mut universe = self.universe.borrow_mut();
        for &o in found.iter().filter_map(|o| binding.get(*o)).flat_map(|targets| &targets.objects)
        {
            if matches!(universe.objects[o as usize], Object::Behind(_)) {
                universe.escape(o);
            }
        }
    }

    /// A function of which nothing is known may store any pointer that has escaped in all memory
    /// that has. Callers see nothing of it where no return follows: what an exception leaves
    /// behind, they do not know anyway.
    pub fn unknown_call(&self, call: ValueId, state: &mut Contents, facts: &Facts<Targets>) {
        if foreign::keeps_nothing(self.body, call) {
            return;
        }
        if let Some(given) = self.given_memory(call, facts) {
            self.blur(&given, ALL, false, state);
            return;
        }
        self.store_anywhere_of(call, state);
    }

    /// The same of a function with a body that stores some pointer somewhere.
    pub fn store_anywhere_of(&self, call: ValueId, state: &mut Contents) {
        if self.body[call].block.is_none_or(|b| self.body[b].returns) {
            self.stores_anywhere.set(true);
        }
        self.escaped_get_unknown(state);
    }

    /// Some pointer that has escaped is stored in memory that has.
    pub fn store_anywhere(&self, state: &mut Contents) {
        self.stores_anywhere.set(true);
        self.escaped_get_unknown(state);
    }

    fn escaped_get_unknown(&self, state: &mut Contents) {
        let universe = self.universe.borrow();
        let unknown = unique(Targets::within(UNKNOWN));
        for (_, slots) in universe.by_object().filter(|(o, _)| universe.may_alias(UNKNOWN, *o)) {
            slots.iter().for_each(|&slot| state.add(slot, &unknown));
        }
    }
}

impl Analysis for Flow<'_> {
    type Domain = Contents;
    type Fact = Targets;
    const NAME: &'static str = "points-to";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> Contents {
        Contents::default()
    }
    fn no_fact(&self) -> Targets {
        Targets::NONE
    }
    fn boundary(&self, _: &Body, _: BlockId) -> Contents {
        Contents::entry()
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut Contents, facts: &mut Facts<Targets>) {
        let data = &body[v];
        let of = |i: usize| facts.get(data.operands[i]).clone();
        let callee = if self.tracks && matches!(data.op, Op::Call(Callee::Defined | Callee::Custom))
        {
            (self.effects)(v)
        } else {
            None
        };
        let given = if self.keeps_text(v, state, facts) { &[] } else { escaping(body, v) };
        for (i, &o) in given.iter().enumerate() {
            if callee.as_ref().is_some_and(|c| c.keeps_to_itself(i as u32)) {
                continue;
            }
            let mut universe = self.universe.borrow_mut();
            facts.get(o).objects.iter().for_each(|&o| universe.escape(o));
        }
        let callee = callee.map(|callee| {
            let binding = self.bind(v, &callee, state, facts);
            self.escape_in_call(&callee, &binding);
            (callee, binding)
        });
        let is_pointer = body.holds_pointer(v);
        let targets = match &data.op {
            Op::Gep(constant, strides) if is_pointer => {
                self.led_on(&of(0), *constant, strides, facts)
            }
            Op::Phi(_) | Op::Freeze => union(facts, &data.operands),
            Op::Select => union(facts, &data.operands[1..]),
            Op::ExtractValue(_) | Op::InsertValue(_) => union(facts, &data.operands),
            Op::Cast(Cast::AddressSpace | Cast::Bits) => of(0),
            Op::Load if data.ty == Ty::Ptr => {
                let loaded = self.loaded(facts.get(data.operands[0]), state);
                facts.raise(v, &self.as_told(v, loaded));
                return;
            }
            Op::Store => {
                let stored = &body[data.operands[0]];
                match stored.ty {
                    Ty::Ptr => {
                        let mut others = Aliases::default();
                        self.store(&of(1), &unique(of(0)), true, state, &mut others);
                        self.store_aliases(&mut others, state);
                    }
                    ty if ty.is_real() => {}
                    Ty::Int(_) if stored.bytes < target::pointer() => {}
                    _ => self.store_bits(v, &of(1), state),
                }
                return;
            }
            Op::Update(_) => return,
            Op::Alloca(_) | Op::Call(Callee::Allocate(_)) => {
                Targets::start_of(self.universe.borrow().names[&v])
            }
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                let bytes = copied_bytes(body, v);
                let source = state.clone();
                let mut from = of(1);
                // Numbers that lie somewhere are no pointers.
                from.retain(|o| !data.is_of_numbers || o != UNKNOWN);
                self.copy(&of(0), &from, bytes, &source, state);
                of(0)
            }
            Op::Call(Callee::MemSet) => of(0),
            Op::Call(Callee::Defined | Callee::Custom) if let Some((callee, binding)) = callee => {
                self.call(v, &callee, &binding, state)
            }
            Op::Call(Callee::Defined) => {
                self.unknown_call(v, state, facts);
                Targets::within(UNKNOWN)
            }
            Op::Call(
                Callee::Passive
                | Callee::Custom
                | Callee::Unknown
                | Callee::Indirect
                | Callee::Assembly
                | Callee::Unwound,
            )
            | Op::Atomic => {
                if let Some(returned) = self.text_call(v, state, facts) {
                    if is_pointer {
                        facts.raise(v, &returned);
                    }
                    return;
                }
                if !self.library_stores(v, state, facts) {
                    self.unknown_call(v, state, facts);
                }
                self.library_returns(v, state, facts)
            }
            Op::Call(Callee::Inactive) => {
                self.library_stores(v, state, facts);
                self.library_returns(v, state, facts)
            }
            _ => Targets::within(UNKNOWN),
        };
        if is_pointer {
            facts.raise(v, &targets);
        }
    }
}

impl Flow<'_> {
    /// Stores what is no pointer by its type, but may be the bits of one.
    fn store_bits(&self, v: ValueId, address: &Targets, state: &mut Contents) {
        self.blur(
            address,
            self.body[self.body.operand(v, 0)].bytes,
            stores_integer(self.body, v),
            state,
        );
    }
}

/// Moves of one function that are distinguished.
const MOST_MOVES: usize = 64;

impl Flow<'_> {
    /// The bytes that a store or a copy moves, unless they are known to be no pointers or known to
    /// be one.
    pub fn moved(&self, v: ValueId, facts: &Facts<Targets>) -> Option<Move> {
        let (body, of) = (self.body, |i: usize| facts.get(self.body.operand(v, i)).clone());
        let Op::Store = body[v].op else {
            return Some(Move {
                to: of(0),
                from: Source::Memory(of(1)),
                bytes: copied_bytes(body, v),
                is_integer: body[v].is_integer,
                is_of_numbers: body[v].is_of_numbers,
            });
        };
        let stored = &body[body.operand(v, 0)];
        match stored.ty {
            Ty::Ptr => None,
            ty if ty.is_real() => None,
            Ty::Int(_) if stored.bytes < target::pointer() => None,
            _ => Some(Move {
                to: of(1),
                from: Source::Bits,
                bytes: stored.bytes,
                is_integer: stores_integer(body, v),
                is_of_numbers: false,
            }),
        }
    }

    /// Moves as a caller sees them. What goes by way of a stack variable may be any pointer.
    pub fn visible(&self, moves: Vec<Move>, last: &[Move]) -> Vec<Move> {
        let universe = self.universe.borrow();
        let is_hidden = |&o: &u32| match universe.objects[o as usize] {
            Object::Local(v) => matches!(self.body[v].op, Op::Alloca(_)),
            _ => false,
        };
        let mut visible: Vec<Move> = vec![];
        for mut m in moves.into_iter().filter(|_| self.tracks) {
            m.to.retain(|o| !is_hidden(&o) && o != UNKNOWN);
            if let Source::Memory(from) = &mut m.from
                && from.objects.iter().any(is_hidden)
            {
                match m.is_of_numbers {
                    true => from.retain(|o| !is_hidden(&o)),
                    false => m.from = Source::Bits,
                }
            }
            // Recursion that shifts its arguments settles on all multiples of the shift.
            if let Some(before) =
                last.iter().find(|l| l.differs_in_offset(&m)).filter(|_| !last.contains(&m))
            {
                m.join(before);
            }
            if !m.to.objects.is_empty() && !visible.contains(&m) {
                visible.push(m);
            }
        }
        if visible.len() > MOST_MOVES {
            let mut to = Targets::NONE;
            visible.iter().for_each(|m| _ = to.join(&m.to));
            return vec![Move {
                to: to.at(Offset::ANY),
                from: Source::Bits,
                bytes: ALL,
                is_integer: false,
                is_of_numbers: false,
            }];
        }
        visible
    }
}

/// Whether the source says that a store of bits stores an integer.
pub(super) fn stores_integer(body: &Body, store: ValueId) -> bool {
    body[store].is_integer || body[body.operand(store, 0)].constant.is_some()
}

/// Bytes that a copy moves.
pub(super) fn copied_bytes(body: &Body, copy: ValueId) -> u64 {
    body[body.operand(copy, 2)].constant.map_or(ALL, |n| n as u64)
}

fn union(facts: &Facts<Targets>, values: &[ValueId]) -> Targets {
    let mut all = Targets::NONE;
    for &v in values {
        all.join(facts.get(v));
    }
    all
}
