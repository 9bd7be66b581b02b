//! Composition of a called function's pointer effect with the state at the call.

use super::{
    Object, PointsTo,
    flow::{Aliases, Flow, TEXT, UNKNOWN, unique},
    offset::Offset,
    state::{Contents, Targets, stored},
};
use crate::dataflow::{Facts, Lattice};
use adir::{ValueId, hashed::HashMap};
use std::rc::Rc;

/// Bytes that a function moves in its caller's memory, pointers perhaps among them: of which its
/// slots say nothing where it does not handle them as pointers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Where they go.
    pub to: Targets,
    /// What they are.
    pub from: Source,
    /// How many.
    pub bytes: u64,
    /// The source says that they are integers.
    pub is_integer: bool,
    /// The source declares them, and no pointer among them.
    pub is_of_numbers: bool,
}

/// What is moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// What memory holds.
    Memory(Targets),
    /// Bits of any origin.
    Bits,
    /// Addresses of characters: what functions on text store (`library.rs`).
    Text,
}

impl Source {
    /// Where it is, if that is memory.
    pub fn memory(&self) -> Option<&Targets> {
        match self {
            Source::Memory(from) => Some(from),
            Source::Bits | Source::Text => None,
        }
    }
}

impl Move {
    /// The same without memory from which no pointers come: numbers that lie somewhere are none.
    fn of_pointers(mut self) -> Move {
        if let Source::Memory(from) = &mut self.from {
            from.retain(|o| !self.is_of_numbers || o != UNKNOWN);
        }
        self
    }
    /// Whether another moves as many bytes between the same objects, elsewhere in them.
    pub fn differs_in_offset(&self, other: &Move) -> bool {
        let objects = |m: &Move| m.from.memory().map(|from| from.objects.clone());
        let same = |m: &Move| {
            let is_text = m.from == Source::Text;
            (m.to.objects.clone(), objects(m), is_text, m.bytes, m.is_integer, m.is_of_numbers)
        };
        self != other && same(self) == same(other)
    }
    /// Either of the two.
    pub fn join(&mut self, other: &Move) {
        self.to.join(&other.to);
        if let (Source::Memory(from), Source::Memory(others)) = (&mut self.from, &other.from) {
            from.join(others);
        }
    }
}

/// What the names of a called function stand for at one call: its objects, in the caller's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Binding {
    targets: HashMap<usize, Targets>,
    /// The callee's blocks of the heap, if there are several: the caller has one name for all.
    blocks: Vec<usize>,
}

impl Binding {
    /// What the callee's object is in the caller; `None` for what the caller cannot see.
    pub fn get(&self, callee_object: usize) -> Option<&Targets> {
        self.targets.get(&callee_object)
    }
    /// The callee's blocks of the heap, if there are several: the caller has one name for all.
    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }
    /// The callee's objects that the caller sees, and what they are there.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Targets)> {
        self.targets.iter().map(|(&object, targets)| (object, targets))
    }
    /// The same, further on.
    pub fn at(&self, callee_object: usize, offset: Offset) -> Option<Targets> {
        self.get(callee_object).map(|t| t.plus(offset))
    }
    /// Targets of the callee as the caller names them.
    pub fn translated(&self, targets: &Targets) -> Targets {
        let mut all = Targets::NONE;
        for (o, offset) in targets.each() {
            if let Some(t) = self.at(o as usize, offset) {
                all.join(&t);
            }
        }
        all
    }
}

/// Where a callee stores what, and whether it surely does.
type Stored = (Rc<Targets>, Rc<Targets>, bool);

/// What a call does, in the caller's names.
pub(super) struct Effect {
    /// With which names.
    binding: Binding,
    stores: Vec<Stored>,
    moves: Vec<Move>,
    returned: Targets,
}

impl Flow<'_> {
    /// The binding of a call, with memory as it is before the call.
    pub fn bind(
        &self,
        call: ValueId,
        callee: &PointsTo,
        state: &Contents,
        facts: &Facts<Targets>,
    ) -> Binding {
        let mut binding = Binding::default();
        // A slot's object comes before what is behind the slot.
        for (i, &object) in callee.objects.iter().enumerate() {
            if !callee.is_visible(i) {
                continue;
            }
            let targets = match object {
                Object::Param(p) => match self.body[call].operands.get(p as usize) {
                    Some(&argument) => facts.get(argument).clone(),
                    None => Targets::within(UNKNOWN),
                },
                Object::Behind(slot) => {
                    let (object, offset) = callee.slot(slot);
                    match binding.at(object, offset) {
                        Some(address) => Targets::clone(&self.loaded(&address, state)),
                        None => Targets::within(UNKNOWN),
                    }
                }
                Object::Global(_) => self.global(callee, i),
                Object::Returned(_) | Object::Local(_)
                    if self.is_stand_in(call) && !callee.hands_out(i) =>
                {
                    continue;
                }
                Object::Returned(_) => Targets::within(self.block_of(call)),
                Object::Unknown => Targets::within(UNKNOWN),
                Object::Text => Targets::within(TEXT),
                Object::Local(_) => match self.block_of(call) {
                    UNKNOWN => Targets::within(UNKNOWN),
                    block => Targets::start_of(block),
                },
            };
            binding.targets.insert(i, targets);
        }
        let is_block =
            |o: &usize| matches!(callee.objects[*o], Object::Local(_)) && callee.is_visible(*o);
        let blocks: Vec<usize> = (0..callee.objects.len()).filter(is_block).collect();
        binding.blocks = if blocks.len() > 1 { blocks } else { vec![] };
        binding
    }

    /// Whether a call has a derivative of its own: no address that it returns or stores is followed.
    fn is_stand_in(&self, call: ValueId) -> bool {
        !self.universe.borrow().names.contains_key(&call)
    }

    /// The caller's name for what a call allocates.
    fn block_of(&self, call: ValueId) -> u32 {
        self.universe.borrow().names.get(&call).copied().unwrap_or(UNKNOWN)
    }

    /// The caller's name for a global variable that the callee names.
    fn global(&self, callee: &PointsTo, object: usize) -> Targets {
        let Some(symbol) = callee.symbols.get(&object) else { return Targets::within(UNKNOWN) };
        match self.universe.borrow().global(symbol) {
            Some(object) => Targets::start_of(object),
            None => Targets::within(UNKNOWN),
        }
    }

    /// What a called function moves, in the caller's names.
    pub fn moves<'m>(
        &self,
        callee: &'m PointsTo,
        binding: &'m Binding,
    ) -> impl Iterator<Item = Move> + use<'m> {
        callee.moves.iter().map(|m| {
            let from = match &m.from {
                Source::Memory(from) => Source::Memory(binding.translated(from)),
                other => other.clone(),
            };
            Move { to: binding.translated(&m.to), from, ..m.clone() }
        })
    }

    /// What a call does in the caller's names. Blocks are visited again and again, mostly with the
    /// same binding: it is translated once.
    fn effect(&self, call: ValueId, callee: &PointsTo, binding: &Binding) -> Rc<Effect> {
        if let Some(known) = self.translated.borrow().get(&call).filter(|e| e.binding == *binding) {
            return known.clone();
        }
        // Many places hold the same.
        let mut known: HashMap<*const Targets, Rc<Targets>> = HashMap::default();
        let stores = callee
            .exit
            .changed()
            .filter(|(_, content)| !content.is_only_aliased())
            .filter_map(|(slot, content)| {
                let (object, offset) = callee.slot(slot);
                let address = unique(binding.at(object, offset)?);
                let held = stored(content);
                let pointers = known
                    .entry(std::ptr::from_ref(held))
                    .or_insert_with(|| unique(binding.translated(held)));
                Some((address, pointers.clone(), !content.may_keep_entry))
            })
            .collect();
        let mut moves: Vec<Move> = vec![];
        for m in self.moves(callee, binding).map(Move::of_pointers) {
            if !moves.contains(&m) {
                moves.push(m);
            }
        }
        let returned = binding.translated(&callee.returned);
        let effect = Rc::new(Effect { binding: binding.clone(), stores, moves, returned });
        self.translated.borrow_mut().insert(call, effect.clone());
        effect
    }

    /// Stores what a callee has stored, by its names of the places: what may be the same place by another
    /// name, the caller knows better.
    fn run_stores(&self, stores: &[Stored], state: &mut Contents) {
        // Two of its places may be one here, and it is not known which was written last: what is
        // overwritten comes first.
        let mut none = Aliases::default();
        for (address, pointers, _) in stores.iter().filter(|(.., surely)| *surely) {
            self.store(address, pointers, true, state, &mut none);
        }
        let mut others = Aliases::default();
        for (address, pointers, _) in stores {
            self.store(address, pointers, false, state, &mut others);
        }
        self.store_aliases(&mut others, state);
    }

    /// Runs a call with a known effect over the state; what a pointer that it returns leads to.
    pub fn call(
        &self,
        call: ValueId,
        callee: &PointsTo,
        binding: &Binding,
        state: &mut Contents,
    ) -> Targets {
        let effect = self.effect(call, callee, binding);
        let before = state.clone();
        self.run_stores(&effect.stores, state);
        for m in &effect.moves {
            match &m.from {
                Source::Memory(from) => self.copy(&m.to, from, m.bytes, &before, state),
                Source::Bits => self.blur(&m.to, m.bytes, m.is_integer, state),
                Source::Text => self.store_text(&m.to, m.bytes, state),
            }
        }
        // In any order: what one brings another may take on. What is added only grows.
        let copies = || effect.moves.iter().filter_map(|m| Some((m, m.from.memory()?)));
        let mut seen = before;
        while copies().next().is_some() {
            let last = state.clone();
            for (m, from) in copies().filter(|(_, from)| self.differs(from, &seen, &last)) {
                self.copy(&m.to, from, m.bytes, &last, state);
            }
            if *state == last {
                break;
            }
            seen = last;
        }
        if callee.stores_anywhere {
            self.store_anywhere_of(call, state);
        }
        effect.returned.clone()
    }

    /// Whether objects hold other pointers in one state than in another.
    fn differs(&self, of: &Targets, a: &Contents, b: &Contents) -> bool {
        let universe = self.universe.borrow();
        of.objects.iter().any(|&o| universe.slots_of(o).iter().any(|&s| a.differs_at(b, s)))
    }
}
