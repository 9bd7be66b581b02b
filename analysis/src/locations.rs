//! Memory locations: the units of memory that the analyses distinguish, and which of them each
//! instruction touches.
//!
//! A location is a component of an object: accesses whose bytes may overlap fall into the same
//! component, so members of a structure are apart and an array is one atom; one more location per
//! object stands for all bytes that no scalar access touches. Memory may have several names. A set
//! has the locations that an access names (`own`), or also those of other objects that may share
//! bytes with them (`all`), and of the object itself where it is several. Two accesses meet iff
//! `all` of one meets `own` of the other: states gather `all`, tests ask with `own`.
//!   reads(I), writes(I): locations of which I may read, may write a byte. kills(I): locations that
//!   I surely overwrites completely: a write at an exact offset of a single object.
//! Errs towards larger reads and writes, smaller kills.

use super::{
    context::Context,
    dataflow::{Lattice, sets},
    in_out::{InOut, MemoryRange},
    names,
    points_to::{Object, Offset, PointsTo, Targets, gcd, overlap},
};
use adir::{
    Body, Callee, Op, Ty, ValueId, foreign,
    hashed::HashMap,
    library::{self, outside::Outside, ranks},
};
use bitvec::prelude::*;
use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

/// A set of locations, by index.
pub type LocSet = Rc<BitVec>;

/// Bytes of an access of unknown length.
pub const ANY_BYTES: u64 = u64::MAX >> 2;
/// Components of one object that are distinguished.
const MOST_COMPONENTS: usize = 64;

/// A component of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// Index of the object.
    pub object: usize,
    /// Where it begins.
    pub offset: Offset,
    /// How many bytes it has (per stride, if it has one).
    pub bytes: u64,
    /// It stands for what no other component of the object covers.
    pub is_rest: bool,
}

/// Locations by the names of an access, and by all names.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Locations that the access names.
    pub own: LocSet,
    /// These, and those that may share bytes with them.
    pub all: LocSet,
}

/// What an instruction does to memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// May read.
    pub reads: Touched,
    /// May write.
    pub writes: Touched,
    /// Surely overwrites.
    pub kills: LocSet,
}

/// The locations of one body, for one context.
pub struct Locations {
    components: Vec<Component>,
    of_object: Vec<Vec<u32>>,
    accesses: HashMap<ValueId, Access>,
    /// Of calls that do less if they return.
    returning: HashMap<ValueId, Access>,
    none: Touched,
    overlapping: Vec<Vec<usize>>,
    /// Per object, the locations of all that it overlaps, once someone has asked.
    around: Vec<OnceCell<BitVec>>,
    exchanges: HashMap<ValueId, Exchange>,
    /// What was asked of called functions' places: each analysis asks for all of them at each visit.
    places: RefCell<Places>,
}

/// The caller's locations that places of called functions may be.
#[derive(Clone, Default)]
struct Places {
    own: HashMap<(ValueId, MemoryRange), Rc<BitVec>>,
    all: HashMap<(ValueId, MemoryRange), Rc<BitVec>>,
}

/// Memory that a call exchanges with what is outside of the code that is differentiated.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What may go there.
    pub sent: Touched,
    /// What may be overwritten with what comes from there.
    pub received: Touched,
}

/// What is known of the memory effects of called functions; `None` where nothing is.
pub type Summaries<'a> = &'a dyn Fn(ValueId) -> Option<Rc<InOut>>;

impl Locations {
    /// Divides the memory of `body` and looks at every instruction.
    pub fn compute(
        body: &Body,
        memory: &PointsTo,
        summaries: Summaries,
        context: &Context,
    ) -> Locations {
        let n = memory.objects.len();
        let mut found: Vec<Vec<(Offset, u64)>> = vec![vec![]; n];
        let mut touch = |targets: &Targets, bytes: u64| {
            for (o, offset) in targets.each() {
                add_component(&mut found[o as usize], offset, bytes);
            }
        };
        for v in body.insts() {
            let operands = &body[v].operands;
            match &body[v].op {
                Op::Load | Op::Update(_) => touch(memory.targets(operands[0]), body[v].bytes),
                Op::Store => touch(memory.targets(operands[1]), body[operands[0]].bytes),
                Op::Call(Callee::Rule(rule, precision)) => {
                    let bytes = if *precision == adrules::Precision::F32 { 4 } else { 8 };
                    rule.float_pointees
                        .iter()
                        .for_each(|&p| touch(memory.targets(operands[p]), bytes));
                }
                Op::Call(Callee::Defined | Callee::Custom) => {
                    let (Some(callee), Some(binding)) = (summaries(v), memory.binding(v)) else {
                        continue;
                    };
                    for place in callee.reads.iter().chain(&callee.writes).filter(|p| !p.is_whole())
                    {
                        if let Some(targets) = binding.at(place.object, place.offset) {
                            touch(&targets, place.bytes);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut this = Locations {
            components: vec![],
            of_object: vec![vec![]; n],
            accesses: HashMap::default(),
            returning: HashMap::default(),
            none: Touched::default(),
            overlapping: vec![],
            around: vec![OnceCell::new(); n],
            places: RefCell::default(),
            exchanges: HashMap::default(),
        };
        for (object, mut list) in found.into_iter().enumerate() {
            // Summaries name pieces in this order: one that hung on the order of accesses would
            // never settle in a recursion.
            list.sort_unstable();
            let parts = list.into_iter().map(|(offset, bytes)| Component {
                object,
                offset,
                bytes,
                is_rest: false,
            });
            let rest = Component { object, offset: Offset::ANY, bytes: ANY_BYTES, is_rest: true };
            for part in parts.chain([rest]) {
                this.of_object[object].push(this.components.len() as u32);
                this.components.push(part);
            }
        }
        // No code writes constants: what else they overlap does not matter.
        let constant = |o: usize| matches!(memory.objects[o], Object::Global(g) if matches!(body[g].op, Op::Global(true)));
        let alias = |a: usize, b: usize| match a == b {
            _ if constant(a) || constant(b) => false,
            true => memory.is_many(a),
            false => memory.may_alias(a, b) && !context.are_disjoint(memory, a, b),
        };
        this.overlapping = (0..n).map(|a| (0..n).filter(|&b| alias(a, b)).collect()).collect();
        this.none = this.named(this.empty());
        this.look(body, memory, summaries);
        for v in
            body.insts().filter(|&v| body[v].outside.has(Outside::SENDS.union(Outside::RECEIVES)))
        {
            let exchange = this.exchange_of(body, memory, v, summaries);
            this.exchanges.insert(v, exchange);
        }
        this
    }

    /// No location.
    pub fn empty(&self) -> BitVec {
        bitvec![0; self.components.len()]
    }
    fn named(&self, own: BitVec) -> Touched {
        let all = self.widened(&own);
        Touched { own: Rc::new(own), all: Rc::new(all) }
    }

    /// Number of locations.
    pub fn len(&self) -> usize {
        self.components.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }
    /// The component that a location is.
    pub fn component(&self, loc: usize) -> &Component {
        &self.components[loc]
    }
    /// What `v` does to memory; `None` where it does nothing.
    pub fn access(&self, v: ValueId) -> Option<&Access> {
        self.accesses.get(&v)
    }
    /// What a call does to memory if it returns, where that is less.
    pub fn access_if_it_returns(&self, v: ValueId) -> Option<&Access> {
        self.returning.get(&v)
    }
    /// What a call exchanges with what is outside.
    pub fn exchange(&self, call: ValueId) -> Option<&Exchange> {
        self.exchanges.get(&call)
    }
    /// All locations whose object satisfies `is`.
    pub fn of_objects(&self, is: impl Fn(usize) -> bool) -> BitVec {
        self.components.iter().map(|c| is(c.object)).collect()
    }

    /// Locations of which an access of `bytes` bytes may touch a byte, by its own names.
    pub fn own(&self, targets: &Targets, bytes: u64) -> BitVec {
        let mut set = self.empty();
        self.add_own(&mut set, targets, bytes);
        set
    }
    fn add_own(&self, set: &mut BitVec, targets: &Targets, bytes: u64) {
        for (o, offset) in targets.each() {
            let mut covered = false;
            for &l in &self.of_object[o as usize] {
                let c = &self.components[l as usize];
                if !c.is_rest && overlap(offset, bytes, c.offset, c.bytes) {
                    set.set(l as usize, true);
                    covered |= contains(c, offset, bytes);
                } else if c.is_rest && !covered {
                    set.set(l as usize, true);
                }
            }
        }
    }

    /// A set with the locations of all objects that may share bytes with it.
    pub fn widened(&self, own: &BitVec) -> BitVec {
        let mut set = own.clone();
        let mut last = usize::MAX;
        for l in sets::ones(own) {
            let object = self.components[l].object;
            if object == last {
                continue;
            }
            last = object;
            set.join(self.around(object));
        }
        set
    }

    /// The locations of all objects that may share bytes with one.
    fn around(&self, object: usize) -> &BitVec {
        self.around[object].get_or_init(|| {
            let mut set = self.empty();
            let others = self.overlapping[object].iter().flat_map(|&o| &self.of_object[o]);
            others.for_each(|&l| set.set(l as usize, true));
            set
        })
    }

    /// Locations that a write of exactly these bytes overwrites completely.
    fn killed(&self, body: &Body, memory: &PointsTo, targets: &Targets, bytes: u64) -> BitVec {
        let mut set = self.empty();
        if let [object] = targets.objects[..]
            && targets.offset.is_exact()
            && memory.is_single(body, object as usize)
        {
            for &l in &self.of_object[object as usize] {
                let c = &self.components[l as usize];
                let start = c.offset.constant - targets.offset.constant;
                if !c.is_rest
                    && c.offset.is_exact()
                    && start >= 0
                    && start as u64 + c.bytes <= bytes
                {
                    set.set(l as usize, true);
                }
            }
        }
        set
    }

    fn look(&mut self, body: &Body, memory: &PointsTo, summaries: Summaries) {
        // Most accesses are of few kinds: sets are shared.
        let mut known: HashMap<(Targets, u64), Touched> = HashMap::default();
        for v in body.insts() {
            let operands = &body[v].operands;
            let mut touched = |targets: &Targets, bytes: u64| {
                let key = (targets.clone(), bytes);
                known.entry(key).or_insert_with(|| self.named(self.own(targets, bytes))).clone()
            };
            let none = || self.none.clone();
            let access = match &body[v].op {
                Op::Load => Access {
                    reads: touched(memory.targets(operands[0]), body[v].bytes),
                    writes: none(),
                    kills: none().own,
                },
                Op::Update(_) => {
                    let both = touched(memory.targets(operands[0]), body[v].bytes);
                    Access { reads: both.clone(), writes: both, kills: none().own }
                }
                Op::Store => {
                    let (to, bytes) = (memory.targets(operands[1]), body[operands[0]].bytes);
                    let kills = Rc::new(self.killed(body, memory, to, bytes));
                    Access { reads: none(), writes: touched(to, bytes), kills }
                }
                Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                    let exact = body[operands[2]].constant.map(|n| n.max(0) as u64);
                    let bytes = exact.unwrap_or(ANY_BYTES);
                    let to = memory.targets(operands[0]);
                    let reads = match body[v].op {
                        Op::Call(Callee::MemSet) => none(),
                        _ => touched(memory.targets(operands[1]), bytes),
                    };
                    let kills =
                        exact.map_or(none().own, |n| Rc::new(self.killed(body, memory, to, n)));
                    Access { reads, writes: touched(to, bytes), kills }
                }
                Op::Call(Callee::Rule(..)) => Access {
                    reads: none(),
                    writes: self.given(body, memory, operands),
                    kills: none().own,
                },
                // Marks of lifetimes, promises and checkpoints touch nothing.
                Op::Call(Callee::Inactive)
                    if body[v].symbol.as_deref().is_some_and(names::is_mark) =>
                {
                    continue;
                }
                // What is freed may be anything afterwards.
                Op::Call(Callee::Free) => Access {
                    reads: none(),
                    writes: self.given(body, memory, operands),
                    kills: none().own,
                },
                // What it overwrites nobody sees.
                Op::Call(Callee::Inactive)
                    if body[v].symbol.as_deref().is_some_and(adir::library::is_leaving) =>
                {
                    let mut reads = self.anything(body, memory, v).reads;
                    reads = self.followed(memory, &reads);
                    Access { reads, writes: none(), kills: none().own }
                }
                Op::Call(Callee::Inactive) => {
                    let symbol = body[v].symbol.as_deref().unwrap_or_default();
                    let first =
                        usize::from(ranks::begins_with_handle(symbol) && !operands.is_empty());
                    let mut given = self.given(body, memory, &operands[first..]);
                    if body[v].symbol.as_deref().is_some_and(library::pointers::returns_own) {
                        let mut set = (*given.own).clone();
                        self.add_own(&mut set, &memory.targets(v).at(Offset::ANY), ANY_BYTES);
                        given = self.named(set);
                    }
                    let follows = body[v].symbol.as_deref().is_some_and(names::takes_list);
                    let reads = if follows { self.followed(memory, &given) } else { given.clone() };
                    Access { reads, writes: given, kills: none().own }
                }
                Op::Call(Callee::Defined | Callee::Custom) => {
                    match (summaries(v), memory.binding(v)) {
                        (Some(callee), Some(_)) => {
                            if !std::ptr::eq(callee.if_it_returns(), &*callee) {
                                let access = self.call(body, memory, v, callee.if_it_returns());
                                self.returning.insert(v, access);
                            }
                            self.call(body, memory, v, &callee)
                        }
                        _ => self.anything(body, memory, v),
                    }
                }
                Op::Call(
                    Callee::Passive
                    | Callee::Unknown
                    | Callee::Indirect
                    | Callee::Assembly
                    | Callee::Unwound,
                )
                | Op::Atomic
                | Op::Other => self.anything(body, memory, v),
                _ => continue,
            };
            self.accesses.insert(v, access);
        }
    }

    fn exchange_of(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        summaries: Summaries,
    ) -> Exchange {
        let operands = &body[v].operands;
        if matches!(body[v].op, Op::Call(Callee::Defined)) {
            let (Some(callee), Some(_)) = (summaries(v), memory.binding(v)) else {
                let all = self.anything(body, memory, v).writes;
                return Exchange { sent: all.clone(), received: all };
            };
            let union = |places: &[MemoryRange]| {
                let mut set = self.empty();
                places.iter().for_each(|place| self.add_place(&mut set, memory, v, place));
                self.named(set)
            };
            return Exchange { sent: union(&callee.sent), received: union(&callee.received) };
        }
        let mut set = self.empty();
        let pointers = operands.iter().chain([&v]).filter(|o| body[**o].ty == Ty::Ptr);
        for &o in pointers {
            self.add_own(&mut set, &memory.targets(o).at(Offset::ANY), ANY_BYTES);
        }
        if body[v].outside.has(Outside::SHARES) {
            sets::add(&mut set, &self.anything(body, memory, v).writes.own);
            set |= self.of_objects(|o| matches!(memory.objects[o], Object::Global(g) if matches!(body[g].op, Op::Global(false))));
        }
        let all = self.named(set);
        let of = |direction: Outside| {
            if body[v].outside.has(direction) { all.clone() } else { self.none.clone() }
        };
        Exchange { sent: of(Outside::SENDS), received: of(Outside::RECEIVES) }
    }

    /// All memory that pointer arguments name.
    fn given(&self, body: &Body, memory: &PointsTo, operands: &[ValueId]) -> Touched {
        let mut set = self.empty();
        // No code writes constants, formats of output for one.
        let is_variable = |o: &&ValueId| body[**o].ty == Ty::Ptr && !is_constant(body, **o);
        for &o in operands.iter().filter(is_variable) {
            self.add_own(&mut set, &memory.targets(o).at(Offset::ANY), ANY_BYTES);
        }
        self.named(set)
    }

    /// The same, and all to which pointers in memory may lead.
    fn followed(&self, memory: &PointsTo, given: &Touched) -> Touched {
        let stored: Vec<usize> = memory.stored_objects().collect();
        let mut set = self.of_objects(|o| memory.may_alias(0, o) || stored.contains(&o));
        sets::add(&mut set, &given.own);
        self.named(set)
    }

    /// What a called function does to the caller's memory.
    fn call(&self, body: &Body, memory: &PointsTo, v: ValueId, callee: &InOut) -> Access {
        let union = |places: &[MemoryRange]| {
            let mut set = self.empty();
            places.iter().for_each(|place| self.add_place(&mut set, memory, v, place));
            self.named(set)
        };
        let mut kills = self.empty();
        for place in callee.kills.iter().flatten().filter(|p| !p.is_whole() && p.offset.is_exact())
        {
            if let Some(targets) = memory.binding(v).and_then(|b| b.at(place.object, place.offset))
            {
                sets::add(&mut kills, &self.killed(body, memory, &targets, place.bytes));
            }
        }
        Access { reads: union(&callee.reads), writes: union(&callee.writes), kills: Rc::new(kills) }
    }

    /// The caller's locations that a place of a called function may be, by the caller's names for
    /// it.
    pub fn place(&self, memory: &PointsTo, call: ValueId, place: &MemoryRange) -> Rc<BitVec> {
        let known = &mut self.places.borrow_mut().own;
        let place = known
            .entry((call, *place))
            .or_insert_with(|| Rc::new(self.compute_place(memory, call, place)));
        place.clone()
    }
    fn compute_place(&self, memory: &PointsTo, call: ValueId, place: &MemoryRange) -> BitVec {
        let mut set = self.empty();
        self.add_place(&mut set, memory, call, place);
        set
    }
    fn add_place(&self, set: &mut BitVec, memory: &PointsTo, call: ValueId, place: &MemoryRange) {
        match memory.binding(call).and_then(|b| b.at(place.object, place.offset)) {
            Some(targets) if place.is_whole() => {
                self.add_own(set, &targets.at(Offset::ANY), ANY_BYTES)
            }
            Some(targets) => self.add_own(set, &targets, place.bytes),
            None => {}
        }
    }
    /// The same by all names.
    pub fn place_all(&self, memory: &PointsTo, call: ValueId, place: &MemoryRange) -> Rc<BitVec> {
        let own = self.place(memory, call, place);
        let known = &mut self.places.borrow_mut().all;
        let place = known.entry((call, *place)).or_insert_with(|| Rc::new(self.widened(&own)));
        place.clone()
    }

    /// What a call of foreign code is given: what its arguments lead to, its own memory, memory
    /// without a name.
    pub fn given_to_foreign(&self, body: &Body, memory: &PointsTo, v: ValueId) -> BitVec {
        let mut set = self.of_objects(|o| o == 0 || memory.is_outside(o));
        for o in foreign::given(body, v).filter(|o| body[*o].ty == Ty::Ptr) {
            self.add_own(&mut set, &memory.targets(o).at(Offset::ANY), ANY_BYTES);
        }
        set
    }

    /// A function of which nothing is known touches what it is given and what has escaped, and what
    /// these lead to; foreign code no hidden variables, functions of the system's libraries only
    /// what they are given (library/given.rs), those on text what strings and streams lead to.
    fn anything(&self, body: &Body, memory: &PointsTo, v: ValueId) -> Access {
        if let Some(text) = memory.touched_by_text(v) {
            let touched = self.named(self.own(text, ANY_BYTES));
            return Access {
                reads: touched.clone(),
                writes: touched,
                kills: self.none.own.clone(),
            };
        }
        if let Some(roles) = ranks::roles_of(&body[v]) {
            return self.message(body, memory, v, &roles);
        }
        let is_foreign = foreign::is_call(body, v);
        let is_known =
            |o: usize| memory.may_alias(0, o) && !memory.is_hidden(o) || memory.is_outside(o);
        let is_given_all = foreign::accesses_arguments_only(body, v);
        let mut set = self.of_objects(|o| match is_foreign {
            true => is_known(o),
            false => !is_given_all && memory.may_alias(0, o),
        });
        for o in foreign::given(body, v) {
            self.add_own(&mut set, &memory.targets(o).at(Offset::ANY), ANY_BYTES);
        }
        // What it returns may lead to memory of its own, which the next call overwrites (`gmtime`).
        if body[v].symbol.as_deref().is_some_and(library::pointers::returns_own) {
            self.add_own(&mut set, &memory.targets(v).at(Offset::ANY), ANY_BYTES);
        }
        let touched = self.named(set);
        Access { reads: touched.clone(), writes: touched, kills: self.none.own.clone() }
    }
}

/// Whether a component surely holds all bytes of an access.
fn contains(c: &Component, offset: Offset, bytes: u64) -> bool {
    match c.offset.modulus {
        0 => {
            let start = offset.constant - c.offset.constant;
            offset.is_exact() && start >= 0 && start as u64 + bytes <= c.bytes
        }
        m => {
            let start = (offset.constant - c.offset.constant).rem_euclid(m as i64) as u64;
            (offset.is_exact() || offset.modulus.is_multiple_of(m))
                && (start + bytes <= c.bytes || c.bytes >= m)
        }
    }
}

/// Adds an access to the components of an object; those that overlap become one.
fn add_component(list: &mut Vec<(Offset, u64)>, offset: Offset, bytes: u64) {
    if list.len() >= MOST_COMPONENTS {
        *list = vec![(Offset::ANY, 1)];
        return;
    }
    let mut new = (offset, bytes.max(1));
    while let Some(i) = list.iter().position(|&(o, b)| overlap(o, b, new.0, new.1)) {
        let old = list.swap_remove(i);
        new = merge(old, new);
    }
    list.push(new);
}

/// The least component that holds two.
fn merge((a, a_bytes): (Offset, u64), (b, b_bytes): (Offset, u64)) -> (Offset, u64) {
    let g = gcd(a.modulus, b.modulus);
    let (a, b) = (Offset::new(a.constant, g), Offset::new(b.constant, g));
    let start = a.constant.min(b.constant);
    let end = (a.constant.saturating_add_unsigned(a_bytes))
        .max(b.constant.saturating_add_unsigned(b_bytes));
    let bytes = end.abs_diff(start);
    if g != 0 && bytes >= g { (Offset::ANY, 1) } else { (Offset::new(start, g), bytes) }
}

/// Whether an address is one of constant memory.
fn is_constant(body: &Body, address: ValueId) -> bool {
    match body[address].op {
        Op::Global(is_constant) => is_constant,
        Op::ConstantExpr => body[address].operands.first().is_some_and(|&o| is_constant(body, o)),
        _ => false,
    }
}

mod messages;

#[cfg(test)]
mod access_tests;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(constant: i64, modulus: u64) -> Offset {
        Offset::new(constant, modulus)
    }

    #[test]
    fn members_stay_apart_and_arrays_become_atoms() {
        let mut list = vec![];
        for (offset, bytes) in [(at(0, 24), 8), (at(8, 24), 8), (at(16, 24), 4)] {
            add_component(&mut list, offset, bytes);
        }
        assert_eq!(list.len(), 3);
        add_component(&mut list, at(0, 0), 8);
        assert_eq!(list.len(), 3, "the first element's member is in the members of all elements");
        let mut array = vec![];
        (0..5).for_each(|i| add_component(&mut array, at(8 * i, 0), 8));
        assert_eq!(array.len(), 5);
        add_component(&mut array, at(0, 8), 8);
        assert_eq!(array, [(at(0, 8), 8)].map(|(o, b)| merge((o, b), (o, b))));
    }

    #[test]
    fn overlapping_accesses_share_a_component() {
        let mut list = vec![];
        add_component(&mut list, at(0, 0), 8);
        add_component(&mut list, at(4, 0), 8);
        assert_eq!(list, [(at(0, 0), 12)]);
        add_component(&mut list, at(12, 0), 4);
        assert_eq!(list.len(), 2);
    }
}
