//! The names of memory that a function has: objects, and the slots in them that hold pointers. Both
//! grow while the analysis runs: a slot is found when a pointer is first loaded from it or stored
//! in it.

use super::{
    Object,
    offset::{Offset, overlap},
    state::{Contents, Targets},
};
use crate::dataflow::{Content, Lattice};
use adir::{Body, Callee, Op, Ty, ValueId, hashed::HashMap, target};
use bitvec::prelude::*;
use std::{cell::RefCell, rc::Rc};

/// Steps through pointers in memory that are distinguished: a linked structure goes on for ever.
const MOST_STEPS: u32 = 3;
/// Objects behind the pointers of one object, and of those that they lead to, beyond which a step
/// further is not distinguished: the children of a tree's nodes have as many each.
const MOST_BEHIND: u32 = 32;
/// Slots of one object that are distinguished.
const MOST_SLOTS: usize = 32;

/// A place that holds a pointer: exactly one, or one per stride.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Index of the object that it is in.
    pub object: u32,
    /// Where in it.
    pub offset: Offset,
    /// The slot that has taken it in.
    merged: Option<u32>,
    /// The object that its pointer leads to at the entry.
    behind: Option<u32>,
}

/// How the names of memory have grown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Growth {
    /// Not at all.
    #[default]
    None,
    /// There are more objects, slots or escapes.
    More,
    /// Slots have become wider, or one.
    Merged,
}

pub struct Universe {
    pub objects: Vec<Object>,
    pub slots: Vec<Slot>,
    pub escapes: BitVec,
    /// The objects that instructions and parameters name.
    pub names: HashMap<ValueId, u32>,
    /// What happened to objects and slots since the last look.
    growth: Growth,
    noalias: Vec<bool>,
    /// By object: its slots that are not merged, ascending.
    slots_of: Vec<Vec<u32>>,
    /// Objects that have slots.
    with_slots: Vec<u32>,
    /// By object that is behind no other: objects that are behind it.
    behind: HashMap<u32, u32>,
    /// Of constant tables, how many pointers lead on from them.
    steps: HashMap<ValueId, u32>,
    /// Symbols of global variables.
    globals: HashMap<Rc<str>, u32>,
    /// Answers of `aliased` since objects, slots or escapes last changed.
    aliased: RefCell<HashMap<Vec<u32>, Rc<BitVec>>>,
}

impl Universe {
    pub fn new(body: &Body) -> Universe {
        let mut objects = vec![Object::Unknown, Object::Text];
        let (mut names, mut globals) = (HashMap::default(), HashMap::default());
        for v in body.value_ids() {
            let object = match &body[v].op {
                Op::Param(i) if body[v].ty == Ty::Ptr => Object::Param(*i),
                Op::Alloca(_) | Op::Call(Callee::Allocate(_)) => Object::Local(v),
                Op::Global(_) => Object::Global(v),
                Op::Call(Callee::Defined) => Object::Returned(v),
                _ => continue,
            };
            if let (Object::Global(_), Some(symbol)) = (object, &body[v].symbol) {
                globals.entry(symbol.clone()).or_insert(objects.len() as u32);
            }
            names.insert(v, objects.len() as u32);
            objects.push(object);
        }
        let escapes = bitvec![0; objects.len()];
        Universe {
            objects,
            slots: vec![],
            escapes,
            names,
            growth: Growth::None,
            noalias: body.noalias.clone(),
            slots_of: vec![],
            with_slots: vec![],
            behind: HashMap::default(),
            steps: body.value_ids().filter_map(|v| Some((v, body[v].steps?))).collect(),
            globals,
            aliased: RefCell::default(),
        }
    }

    /// The same with the names of an earlier result.
    pub fn with_names(body: &Body, objects: &[Object], slots: &[Slot]) -> Universe {
        let mut universe = Universe::new(body);
        universe.objects = objects.to_vec();
        universe.escapes = bitvec![0; objects.len()];
        universe.slots = slots.to_vec();
        for object in 0..objects.len() as u32 {
            if let (root, 1..) = universe.root(object) {
                *universe.behind.entry(root).or_default() += 1;
            }
        }
        for (i, slot) in slots.iter().enumerate().filter(|(_, s)| s.merged.is_none()) {
            universe.list(i as u32, slot.object);
        }
        universe
    }

    fn list(&mut self, slot: u32, object: u32) {
        if self.slots_of.len() <= object as usize {
            self.slots_of.resize(object as usize + 1, vec![]);
        }
        let all = &mut self.slots_of[object as usize];
        if all.is_empty() {
            self.with_slots.push(object);
        }
        all.push(slot);
    }

    fn note_growth(&mut self, growth: Growth) {
        self.growth = self.growth.max(growth);
        self.aliased.get_mut().clear();
    }
    /// What happened to objects and slots since the last call.
    pub fn take_growth(&mut self) -> Growth {
        std::mem::take(&mut self.growth)
    }

    /// The object that a global variable of that name is.
    pub fn global(&self, symbol: &Rc<str>) -> Option<u32> {
        self.globals.get(symbol).copied()
    }

    /// Of all objects with slots: whether a byte there may have another name in one of `objects`,
    /// or lie elsewhere in it, as it is several.
    pub fn aliased(&self, objects: &[u32]) -> Rc<BitVec> {
        if let Some(known) = self.aliased.borrow().get(objects) {
            return known.clone();
        }
        let mut found = bitvec![0; self.objects.len()];
        for &slots in &self.with_slots {
            let other = |&o: &u32| (o != slots || self.is_many(o)) && self.may_alias(o, slots);
            found.set(slots as usize, objects.iter().any(other));
        }
        let found = Rc::new(found);
        self.aliased.borrow_mut().insert(objects.to_vec(), found.clone());
        found
    }

    pub fn may_alias(&self, a: u32, b: u32) -> bool {
        may_alias(&self.objects, &self.escapes, &self.noalias, a as usize, b as usize)
    }

    /// Whether an object is several, which may overlap at different offsets.
    pub fn is_many(&self, object: u32) -> bool {
        is_many(&self.objects, &self.slots, object as usize)
    }

    /// Marks an object whose address is known elsewhere.
    pub fn escape(&mut self, object: u32) {
        if !self.escapes[object as usize] {
            self.escapes.set(object as usize, true);
            self.note_growth(Growth::More);
        }
    }

    /// The slot of `object` that holds the pointer at `offset`; slots that overlap become one.
    pub fn slot(&mut self, object: u32, offset: Offset) -> u32 {
        let all = self.slots_of(object);
        let crowded = all.len() >= MOST_SLOTS;
        let offset = if crowded { Offset::ANY } else { offset };
        // Mostly it is one that is known.
        let same = |s: u32| {
            let s = &self.slots[s as usize];
            overlap(s.offset, target::pointer(), offset, target::pointer())
        };
        let mut found = all.iter().copied().filter(|&s| same(s));
        let Some(first) = found.next() else {
            drop(found);
            self.slots.push(Slot { object, offset, merged: None, behind: None });
            self.list(self.slots.len() as u32 - 1, object);
            self.note_growth(Growth::More);
            return self.slots.len() as u32 - 1;
        };
        let rest: Vec<u32> = found.collect();
        let wide = rest.iter().fold(self.slots[first as usize].offset.join(offset), |w, &s| {
            w.join(self.slots[s as usize].offset)
        });
        for &s in &rest {
            self.slots[s as usize].merged = Some(first);
        }
        if !rest.is_empty() {
            self.slots_of[object as usize].retain(|s| !rest.contains(s));
            self.note_growth(Growth::Merged);
        }
        if wide != self.slots[first as usize].offset {
            self.slots[first as usize].offset = wide;
            self.note_growth(Growth::Merged);
        }
        first
    }

    /// Slots of one object.
    pub fn slots_of(&self, object: u32) -> &[u32] {
        self.slots_of.get(object as usize).map_or(&[], |all| all)
    }
    /// Slots of one object after the other, with the object.
    pub fn by_object(&self) -> impl Iterator<Item = (u32, &[u32])> + '_ {
        self.with_slots.iter().map(|&o| (o, self.slots_of(o)))
    }

    /// The object that the pointer leads to which a slot holds at the entry; `None` where it holds
    /// none.
    pub fn behind(&mut self, slot: u32) -> Option<u32> {
        let object = self.slots[slot as usize].object;
        match self.objects[object as usize] {
            Object::Local(_) => return None,
            Object::Unknown | Object::Text | Object::Returned(_) => return Some(0),
            Object::Param(_) | Object::Behind(_) | Object::Global(_) => {}
        }
        let (root, steps) = self.root(object);
        if let Object::Global(table) = self.objects[root as usize]
            && self.steps.get(&table).is_some_and(|&most| steps >= most)
        {
            return None;
        }
        if steps >= MOST_STEPS {
            return Some(0);
        }
        if let Some(known) = self.slots[slot as usize].behind {
            return Some(known);
        }
        let all = self.behind.entry(root).or_default();
        if steps > 0 && *all >= MOST_BEHIND {
            return Some(0);
        }
        *all += 1;
        self.note_growth(Growth::More);
        let new = self.objects.len() as u32;
        self.objects.push(Object::Behind(slot));
        self.escapes.push(false);
        self.slots[slot as usize].behind = Some(new);
        Some(new)
    }

    /// What a slot holds in a state, as far as that has a name.
    pub fn held(&self, slot: u32, state: &Contents) -> Targets {
        let content = state.get(slot);
        let mut all = Targets::NONE;
        content.into_iter().flat_map(Content::held).for_each(|held| _ = all.join(held));
        let keeps_entry = content.is_none_or(|c| c.may_keep_entry);
        if let Some(behind) = self.slots[slot as usize].behind.filter(|_| keeps_entry) {
            all.join(&Targets::start_of(behind));
        }
        all
    }

    /// The object from which pointers lead to another, and how many do, one behind the other.
    fn root(&self, object: u32) -> (u32, u32) {
        let (mut at, mut steps) = (object, 0);
        while let Object::Behind(s) = self.objects[at as usize] {
            at = self.slots[s as usize].object;
            steps += 1;
        }
        (at, steps)
    }
}

/// Whether an object is what several pointers lead to: those of an array. Offsets count from each
/// pointer, so that the same byte may have several.
pub fn is_many(objects: &[Object], slots: &[Slot], mut object: usize) -> bool {
    while let Object::Behind(slot) = objects[object] {
        let slot = &slots[slot as usize];
        if !slot.offset.is_exact() {
            return true;
        }
        object = slot.object as usize;
    }
    false
}

/// Whether two objects may share a byte.
pub fn may_alias(
    objects: &[Object],
    escapes: &BitVec,
    noalias: &[bool],
    a: usize,
    b: usize,
) -> bool {
    use Object::*;
    let noalias = |i: u32| noalias.get(i as usize).copied().unwrap_or(false);
    let escapes = |o: usize| escapes.get(o).is_some_and(|b| *b);
    match (objects[a], objects[b]) {
        _ if a == b => true,
        (Unknown, Local(_)) => escapes(b),
        (Local(_), Unknown) => escapes(a),
        // Nothing that existed at the entry is a local object, or was allocated since; nor is a local
        // object what a call allocates.
        (Local(_) | Returned(_), Param(_) | Behind(_) | Global(_) | Local(_))
        | (Param(_) | Behind(_) | Global(_) | Local(_), Local(_) | Returned(_)) => false,
        // Another call may return what an earlier one allocated and kept.
        (Returned(_), Returned(_) | Unknown) | (Unknown, Returned(_)) => true,
        (Param(i), Param(j)) => !noalias(i) && !noalias(j),
        // A restricted pointer that was stored may come back from memory.
        (Param(i), Unknown) => !noalias(i) || escapes(a),
        (Unknown, Param(i)) => !noalias(i) || escapes(b),
        (Param(i), Behind(_) | Global(_)) | (Behind(_) | Global(_), Param(i)) => !noalias(i),
        (Global(_), Global(_)) => false,
        // Characters that the library allocates here are none that the function was given: callers
        // give those their names.
        (Text, Unknown | Returned(_)) | (Unknown | Returned(_), Text) => true,
        (Text, _) | (_, Text) => false,
        (Behind(_), Behind(_) | Global(_)) | (Global(_), Behind(_)) => true,
        (Unknown, Unknown | Behind(_) | Global(_)) | (Behind(_) | Global(_), Unknown) => true,
    }
}
