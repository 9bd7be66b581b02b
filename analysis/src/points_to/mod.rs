//! Points-to: which memory objects a pointer may name, and at which offset.
//!
//! Forward, flow-sensitive in memory, context-sensitive by summaries. Two phases, as in the C
//! paper:
//! - *Pointer effects*, relative, bottom-up: this analysis. Memory of the caller has symbolic
//!   names: `Param i` for what parameter i leads to, `Behind s` for what the pointer leads to that
//!   slot s held at the entry. The contents of all slots at the exit are the function's pointer
//!   effect; a caller composes it with its own state (`calls.rs`).
//! - *Destinations*, absolute, top-down: the [`Binding`] of a call says what the callee's names
//!   stand for in the caller; [`super::context`] passes on what follows from it (which of them
//!   cannot overlap).
//!
//! Facts, per pointer: a set of objects, with an offset in each, `c mod g` (g = 0: exactly c; g =
//! 1: anything); bottom = no object.
//!   parameter i: {Param i}, 0       alloca, malloc: {Local v}, 0      global: {Global v}, 0      null: {}
//!   gep p, k + Σ i_j s_j: objects of p; (c + k) mod gcd(g, s_1, s_2, …), or by a difference of
//!   addresses (`difference.rs`) phi, select: union; c mod gcd(g1, g2, |c1 - c2|)
//!   load p: contents of the slots that p names;      inttoptr: {Unknown}
//! States: content of each slot (a place that holds a pointer). A store sets the one slot that it
//! surely names, adds to those that it may name. Arrays are atoms: one slot for all elements at a
//! stride; members of structures are apart; heap objects are distinguished by allocation site,
//! those of callees by call site. Errs towards more objects: an object too many costs a record or a
//! shadow, one too few is a wrong gradient. Source: Hascoët & Pascual 2002 (C pointers), section 5.

mod calls;
mod difference;
mod flow;
mod library;
mod offset;
mod state;
#[cfg(test)]
mod tests;
mod universe;
mod visible;

pub use calls::{Binding, Move};
pub use difference::ends;
pub use flow::TEXT;
pub use offset::{Offset, gcd, overlap};
pub use state::Targets;

use crate::dataflow::{Pool, Pooled, solve, solve_again, visit};
use adir::{Body, Callee, Cast, EntityMap, Op, ValueId, foreign, hashed::HashMap, library::ranks};
use bitvec::prelude::*;
use flow::Flow;
use state::{Contents, stored};
use std::rc::Rc;
use universe::{Growth, Universe};
use visible::Left;

/// Memory that has one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// Any memory that the function did not name.
    Unknown,
    /// What functions of the library keep, text and tables: the characters of strings that it
    /// allocated among it. It holds neither reals nor addresses of the program.
    Text,
    /// What a pointer parameter leads to.
    Param(u32),
    /// What the pointer leads to that a slot held when the function was entered.
    Behind(u32),
    /// A stack variable or an allocation of this function.
    Local(ValueId),
    /// What a called function allocated, by call.
    Returned(ValueId),
    /// A global variable.
    Global(ValueId),
}

/// The result.
pub struct PointsTo {
    /// All objects; `objects[0]` is `Unknown`, `objects[1]` is `Text`.
    pub objects: Vec<Object>,
    slots: Vec<universe::Slot>,
    targets: EntityMap<ValueId, Targets>,
    escapes: BitVec,
    noalias: Vec<bool>,
    bindings: HashMap<ValueId, Binding>,
    exit: Contents,
    returned: Targets,
    /// What moves in the caller's memory besides.
    moves: Vec<Move>,
    texts: HashMap<ValueId, Targets>,
    characters: HashMap<ValueId, Targets>,
    /// A pointer may have been stored at an address of which nothing is known.
    stores_anywhere: bool,
    /// What functions do to pointers that call this one again did not settle: nothing is known of
    /// them.
    pub gave_up: bool,
    /// Objects on the heap that this function allocates.
    heap: BitVec,
    /// Objects that callers may see.
    visible: BitVec,
    /// Symbols of globals.
    symbols: HashMap<usize, Rc<str>>,
    /// Globals that stand for the memory of foreign code.
    outside: Vec<usize>,
    /// That of these through which derivatives go.
    library: Option<usize>,
    /// That for what other ranks hold.
    ranks: Option<usize>,
    /// Global variables that foreign code does not access.
    hidden: BitVec,
}

/// The pointer effects of the functions that a body calls; `None` where nothing is known of one.
pub type Effects<'a> = &'a dyn Fn(ValueId) -> Option<Rc<PointsTo>>;

impl PointsTo {
    /// Computes the targets of every pointer of `body`. With `tracks` off, what pointers in memory
    /// lead to is unknown. `last` is the result for other effects: its names stay.
    pub fn compute(
        body: &Body,
        effects: Effects,
        tracks: bool,
        last: Option<&PointsTo>,
    ) -> PointsTo {
        let universe = match last {
            Some(last) => Universe::with_names(body, &last.objects, &last.slots),
            None => Universe::new(body),
        };
        let flow = Flow::new(body, universe, effects, tracks);
        Targets::with_pool(Pool::clear);
        let seeds = flow.seeds();
        // New slots and escapes mean more to look at; both only grow, and there are few. What was
        // found without them still holds, unless slots became one: it may name what only one of
        // them led to.
        let mut solution = solve(body, &flow, &seeds);
        loop {
            match flow.take_growth() {
                Growth::None => break,
                Growth::More => solve_again(body, &flow, &mut solution),
                Growth::Merged => solution = solve(body, &flow, &seeds),
            }
        }
        let mut bindings = HashMap::default();
        let (mut exit, mut returned) = (Contents::default(), Targets::NONE);
        let facts = solution.facts.clone();
        let (mut moves, mut texts) = (vec![], HashMap::default());
        let mut characters = HashMap::default();
        visit(body, &flow, &mut solution, |v, state| match body[v].op {
            Op::Call(Callee::Defined | Callee::Custom) if let Some(callee) = effects(v) => {
                let binding = flow.bind(v, &callee, state, &facts);
                moves.extend(flow.moves(&callee, &binding));
                bindings.insert(v, binding);
            }
            Op::Store | Op::Call(Callee::MemCpy | Callee::MemMove) => {
                moves.extend(flow.moved(v, &facts))
            }
            Op::Call(Callee::Passive | Callee::Unknown | Callee::Custom) => {
                moves.extend(flow.moved_by_library(v, state, &facts));
                texts.extend(flow.touched_by_text(v, state, &facts).map(|all| (v, all)));
                characters.extend(flow.characters(v, state, &facts).map(|all| (v, all)));
            }
            Op::Ret => {
                exit = state.clone();
                returned =
                    body[v].operands.first().map_or(Targets::NONE, |&o| facts.get(o).clone());
            }
            _ => {}
        });
        let targets: EntityMap<ValueId, Targets> =
            body.value_ids().map(|v| facts.get(v).clone()).collect();
        let moves = flow.visible(moves, last.map_or(&[], |l| &l.moves));
        let stores_anywhere = flow.stores_anywhere();
        let Universe { objects, slots, escapes, .. } = flow.into_universe();
        let heap = on_heap(body, &objects);
        let left = Left {
            objects: &objects,
            slots: &slots,
            escapes: &escapes,
            stores_anywhere,
            exit: &exit,
            returned: &returned,
            moves: &moves,
        };
        let visible = left.visible(body, visible::given(body, effects, &bindings, &targets));
        let named = objects.iter().enumerate().filter_map(|(i, o)| match o {
            Object::Global(v) => Some((i, body[*v].symbol.clone()?)),
            _ => None,
        });
        let symbols: HashMap<usize, Rc<str>> = named.collect();
        PointsTo {
            heap,
            visible,
            outside: outside(&symbols),
            library: object_of(&symbols, foreign::LIBRARY),
            ranks: object_of(&symbols, foreign::RANKS),
            symbols,
            hidden: hidden(body, &objects),
            objects,
            slots,
            targets,
            escapes,
            noalias: body.noalias.clone(),
            bindings,
            exit,
            returned,
            moves,
            texts,
            characters,
            stores_anywhere,
            gave_up: false,
        }
    }

    /// Of a function that does nothing.
    pub fn nothing(body: &Body) -> PointsTo {
        let objects: Vec<Object> = Universe::new(body).objects;
        let escapes = bitvec![0; objects.len()];
        let heap = on_heap(body, &objects);
        let visible = bitvec![1; objects.len()];
        let rest = PointsTo::unknown(body);
        PointsTo { objects, escapes, heap, visible, stores_anywhere: false, ..rest }
    }
    /// Before anything is known: no names at all.
    pub fn unknown(body: &Body) -> PointsTo {
        PointsTo {
            objects: vec![],
            slots: vec![],
            targets: EntityMap::with(body.values.len(), Targets::NONE),
            escapes: BitVec::new(),
            noalias: body.noalias.clone(),
            bindings: HashMap::default(),
            exit: Contents::default(),
            returned: Targets::NONE,
            moves: vec![],
            texts: HashMap::default(),
            characters: HashMap::default(),
            stores_anywhere: true,
            gave_up: false,
            heap: BitVec::new(),
            visible: BitVec::new(),
            symbols: HashMap::default(),
            outside: vec![],
            library: None,
            ranks: None,
            hidden: BitVec::new(),
        }
    }
    /// Whether two results for one body are the same to callers.
    pub fn has_same_effect(&self, other: &PointsTo) -> bool {
        let slot = |s: &universe::Slot| (s.object, s.offset);
        self.objects == other.objects
            && self.slots.iter().map(slot).eq(other.slots.iter().map(slot))
            && self.exit == other.exit
            && self.returned == other.returned
            && self.moves == other.moves
            && self.stores_anywhere == other.stores_anywhere
            && self.escapes == other.escapes
            && self.visible == other.visible
    }

    /// Pointers that slots may hold at the exit: how large the effect is.
    pub fn size(&self) -> usize {
        self.exit.changed().map(|(_, content)| stored(content).objects.len()).sum()
    }

    /// Objects that a pointer may name, as indices into `objects`. A value that is no pointer names
    /// none.
    pub fn points_to(&self, v: ValueId) -> impl Iterator<Item = usize> + '_ {
        self.targets[v].objects.iter().map(|&o| o as usize)
    }
    /// The objects that a pointer may name, by index, with its offset in each.
    pub fn places(&self, v: ValueId) -> impl Iterator<Item = (usize, Offset)> + '_ {
        self.targets[v].each().map(|(o, offset)| (o as usize, offset))
    }
    /// The offset at which a pointer leads into an object, where there it is one.
    pub fn start_in(&self, v: ValueId, object: usize) -> Option<Offset> {
        self.targets[v].within_object(object as u32).filter(|at| at.is_exact())
    }
    /// The same as a set, with the offset.
    pub fn targets(&self, v: ValueId) -> &Targets {
        &self.targets[v]
    }
    /// The object behind pointer parameter `i`.
    pub fn object_of_param(&self, i: u32) -> Option<usize> {
        self.objects.iter().position(|o| *o == Object::Param(i))
    }
    /// Offset of a pointer within its objects.
    pub fn offset(&self, v: ValueId) -> Offset {
        let targets = &self.targets[v];
        if targets.objects.is_empty() { Offset::ANY } else { targets.offset }
    }
    /// Whether an object's address is known outside the names that this function has for it.
    pub fn escapes(&self, object: usize) -> bool {
        self.escapes.get(object).is_some_and(|b| *b)
    }
    /// Whether the address that the function is given as argument `i` is known nowhere else after
    /// it.
    pub fn keeps_to_itself(&self, i: u32) -> bool {
        self.object_of_param(i).is_some_and(|o| !self.escapes(o))
    }
    /// The memory in which the function found the pointer that leads to an object.
    pub fn holder(&self, object: usize) -> Option<usize> {
        match self.objects[object] {
            Object::Behind(slot) => Some(self.slot(slot).0),
            _ => None,
        }
    }
    /// What the names of a called function stand for; `None` where nothing is known of it.
    pub fn binding(&self, call: ValueId) -> Option<&Binding> {
        self.bindings.get(&call)
    }
    /// Whether a pointer leads to nothing but text and tables of the library.
    pub fn is_text(&self, v: ValueId) -> bool {
        let mut objects = self.points_to(v).peekable();
        objects.peek().is_some() && objects.all(|o| self.objects[o] == Object::Text)
    }
    /// All memory that a call of a function on text reads or writes, if that is known.
    pub fn touched_by_text(&self, call: ValueId) -> Option<&Targets> {
        self.texts.get(&call)
    }
    /// The characters, but for short ones, of the strings that such a call is given.
    pub fn characters_of(&self, call: ValueId) -> Option<&Targets> {
        self.characters.get(&call)
    }
    /// Whether an object is an allocation of this function, which may outlive it.
    pub fn is_heap(&self, object: usize) -> bool {
        self.heap[object]
    }
    /// Whether callers may see an object: all but variables, and but for blocks that were allocated
    /// here and of which no address leaves.
    pub fn is_visible(&self, object: usize) -> bool {
        self.visible[object]
    }
    /// Whether some pointer may lead to the object or to another one.
    pub fn is_joined(&self, object: usize) -> bool {
        self.targets.values().any(|t| t.objects.len() > 1 && t.objects.contains(&(object as u32)))
    }
    /// Whether a pointer may lead to memory that has one name for several objects, or to several.
    pub fn is_vague(&self, v: ValueId) -> bool {
        let is_one = |o: usize| !matches!(self.objects[o], Object::Unknown) && !self.is_many(o);
        let mut objects = self.points_to(v);
        !objects.next().is_some_and(is_one) || objects.next().is_some()
    }
    /// The object and offset of the slot that a `Behind` object stands for.
    pub fn slot(&self, slot: u32) -> (usize, Offset) {
        let s = &self.slots[slot as usize];
        (s.object as usize, s.offset)
    }
    /// The parameter through which the function reaches an object: itself (0 steps) or through
    /// pointers in memory (more).
    pub fn entry(&self, object: usize) -> Option<(u32, u32)> {
        let (mut at, mut steps) = (object, 0);
        loop {
            match self.objects[at] {
                Object::Param(i) => return Some((i, steps)),
                Object::Behind(s) => at = self.slot(s).0,
                _ => return None,
            }
            steps += 1;
        }
    }
    /// The global variable through which the function reaches an object, as an index: itself (0
    /// steps) or through pointers in memory (more). Constant tables hold no pointers that anybody
    /// overwrites, and do not count.
    pub fn root(&self, object: usize) -> Option<(usize, u32)> {
        let (mut at, mut steps) = (object, 0);
        loop {
            match self.objects[at] {
                Object::Global(_) => return self.symbols.contains_key(&at).then_some((at, steps)),
                Object::Behind(s) => at = self.slot(s).0,
                _ => return None,
            }
            steps += 1;
        }
    }
    /// Symbol of the global variable that an object is.
    pub fn symbol(&self, object: usize) -> Option<&Rc<str>> {
        self.symbols.get(&object)
    }
    /// Global variables in whose memory a call to this function stores pointers.
    pub fn stores_in_globals(&self) -> impl Iterator<Item = usize> + '_ {
        self.exit
            .changed()
            .filter_map(|(slot, _)| self.root(self.slots[slot as usize].object as usize))
            .map(|(o, _)| o)
    }

    /// Whether an object is memory that exists once, under a name that stands for nothing else: a
    /// store at an exact offset overwrites it.
    pub fn is_single(&self, body: &Body, object: usize) -> bool {
        is_single(body, self.objects[object])
    }

    /// Whether an object is what several pointers lead to, so that a byte may lie at several
    /// offsets in it.
    pub fn is_many(&self, object: usize) -> bool {
        universe::is_many(&self.objects, &self.slots, object)
    }
    /// Whether two objects may share a byte.
    pub fn may_alias(&self, a: usize, b: usize) -> bool {
        if self.ranks.is_some_and(|ranks| a == ranks || b == ranks) {
            return a == b;
        }
        for (one, other) in [(a, b), (b, a)] {
            if self.is_outside(one) && self.is_variable_outside(other) {
                return true;
            }
            // Other memory than variables counts where derivatives go through foreign code only:
            // who refuses its calls asks for the rest by arguments.
            if a != b && self.symbol(one).is_some_and(|s| **s == *foreign::OUTSIDE) {
                return false;
            }
        }
        universe::may_alias(&self.objects, &self.escapes, &self.noalias, a, b)
    }

    /// Whether an object stands for the memory of foreign code.
    pub fn is_outside(&self, object: usize) -> bool {
        self.outside.contains(&object)
    }
    /// Whether an object stands for the memory of foreign code through which derivatives go.
    pub fn is_library(&self, object: usize) -> bool {
        self.library == Some(object)
    }
    /// The object that stands for such memory, if there is one.
    pub fn library(&self) -> Option<usize> {
        self.library
    }
    /// The object that stands for what other ranks hold, if there is one.
    pub fn ranks(&self) -> Option<usize> {
        self.ranks
    }
    /// Whether an object is a global variable that foreign code does not access.
    pub fn is_hidden(&self, object: usize) -> bool {
        self.hidden.get(object).is_some_and(|h| *h)
    }
    /// Whether an object is a global variable that foreign code may access: the variables that
    /// stand for its memory have bytes of it.
    fn is_variable_outside(&self, object: usize) -> bool {
        self.symbols.contains_key(&object) && !self.is_hidden(object)
    }

    /// Objects of the caller that may be given a pointer by a call to this function: which
    /// parameters' memory gets pointers stored in it, and whether other memory does.
    pub fn stores_pointers(&self) -> (Vec<u32>, bool) {
        let mut params = vec![];
        let mut elsewhere = self.stores_anywhere;
        for (slot, _) in self.exit.changed() {
            match self.entry(self.slots[slot as usize].object as usize) {
                Some((i, _)) => params.push(i),
                None => {
                    elsewhere |= !matches!(
                        self.objects[self.slots[slot as usize].object as usize],
                        Object::Local(_)
                    )
                }
            }
        }
        params.sort_unstable();
        params.dedup();
        (params, elsewhere)
    }
    /// Where callers see that the address of memory may lie which a call to this function
    /// allocated: objects, and offsets in them.
    pub fn kept_allocations(&self) -> impl Iterator<Item = (usize, Offset)> + '_ {
        let is_new = |o: &u32| match self.objects[*o as usize] {
            Object::Local(_) => self.is_heap(*o as usize),
            Object::Returned(_) => true,
            Object::Unknown
            | Object::Text
            | Object::Param(_)
            | Object::Behind(_)
            | Object::Global(_) => false,
        };
        let is_own = |slot: u32| {
            matches!(
                self.objects[self.slots[slot as usize].object as usize],
                Object::Local(_) | Object::Returned(_)
            )
        };
        let keeps = move |(slot, content): &(u32, &state::Content)| {
            !is_own(*slot) && stored(content).objects.iter().any(is_new)
        };
        self.exit.changed().filter(keeps).map(|(slot, _)| self.slot(slot))
    }
    /// Objects whose addresses a call to this function may store in memory that callers see.
    pub fn stored_objects(&self) -> impl Iterator<Item = usize> + '_ {
        self.exit
            .changed()
            .flat_map(|(_, content)| stored(content).objects.iter().map(|&o| o as usize))
    }
    /// Whether the address of an object may lie in memory that callers see, because a call to this
    /// function stored it there.
    pub fn hands_out(&self, object: usize) -> bool {
        self.exit.changed().any(|(_, content)| stored(content).objects.contains(&(object as u32)))
    }
    /// Where callers see that a call to this function may have stored pointers: objects, and
    /// offsets in them.
    pub fn stored_pointers(&self) -> impl Iterator<Item = (usize, Offset)> + '_ {
        self.exit.changed().map(|(slot, _)| self.slot(slot))
    }
    /// Where pointers lie that a call to this function may load or store: objects, and offsets in
    /// them.
    pub fn pointer_places(&self) -> impl Iterator<Item = (usize, Offset)> + '_ {
        (0..self.slots.len() as u32).map(|slot| self.slot(slot))
    }
    /// Parameters in whose memory bytes are moved, pointers perhaps among them.
    pub fn moved_to(&self) -> Vec<u32> {
        let objects = self.moves.iter().filter(|m| !m.is_integer).flat_map(|m| &m.to.objects);
        let mut params: Vec<u32> =
            objects.filter_map(|&o| Some(self.entry(o as usize)?.0)).collect();
        params.sort_unstable();
        params.dedup();
        params
    }
}

fn on_heap(body: &Body, objects: &[Object]) -> BitVec {
    objects
        .iter()
        .map(|o| matches!(o, Object::Local(v) if matches!(body[*v].op, Op::Call(_))))
        .collect()
}

fn object_of(symbols: &HashMap<usize, Rc<str>>, name: &str) -> Option<usize> {
    symbols.iter().find(|(_, s)| ***s == *name).map(|(o, _)| *o)
}

fn outside(symbols: &HashMap<usize, Rc<str>>) -> Vec<usize> {
    symbols.iter().filter(|(_, s)| foreign::is_memory(s)).map(|(o, _)| *o).collect()
}

fn hidden(body: &Body, objects: &[Object]) -> BitVec {
    // No code writes constants.
    let is_one = |v: ValueId| body[v].is_hidden || matches!(body[v].op, Op::Global(true));
    objects.iter().map(|o| matches!(o, Object::Global(v) if is_one(*v))).collect()
}

fn is_single(body: &Body, object: Object) -> bool {
    match object {
        Object::Param(_) | Object::Global(_) => true,
        Object::Local(v) => matches!(body[v].op, Op::Alloca(true)),
        Object::Unknown | Object::Text | Object::Behind(_) | Object::Returned(_) => false,
    }
}

/// Pointers whose addresses leave the names that this function has for them: stored as values,
/// returned, turned into integers, or given to a function.
fn escaping(body: &Body, v: ValueId) -> &[ValueId] {
    let data = &body[v];
    match &data.op {
        Op::Call(_) if let Some(i) = ranks::kept(data) => &data.operands[i..=i],
        Op::Call(_) if foreign::keeps_nothing(body, v) => &[],
        Op::Call(_) if foreign::keeps_first_only(body, v) => &data.operands[..1],
        Op::Store => &data.operands[..1],
        Op::Ret
        | Op::Cast(Cast::PtrToInt)
        | Op::ExtractElement
        | Op::InsertElement
        | Op::Shuffle(_)
        | Op::Atomic
        | Op::Other => &data.operands,
        Op::Call(
            Callee::Defined
            | Callee::Passive
            | Callee::Custom
            | Callee::Unknown
            | Callee::Indirect
            | Callee::Assembly
            | Callee::Unwound,
        ) => &data.operands,
        _ => &[],
    }
}
