//! What is known of the bytes of objects.

use super::{Field, Held, text::takes_others};
use crate::analysis::points_to::{Binding, Offset, PointsTo, gcd, overlap};
use crate::ir::ValueId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Entries of one object beyond which evidence that comes from elsewhere is left out.
const MOST_ENTRIES: usize = 256;
/// Strides below this, in bytes, tell nothing apart that a copy moves.
const LEAST_STRIDE: u64 = 4;
/// Places that are listed one by one where a copy takes part of an array to a known place.
const MOST_PLACES: u64 = 64;

/// Something that lies at an offset of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where; modulo a stride for the elements of arrays.
    pub offset: Offset,
    /// Its size.
    pub bytes: u64,
    /// What it is.
    pub held: Held,
    /// From a declared type, not from an access.
    pub declared: bool,
    /// How sure it is that the evidence is of this object.
    pub sure: Sure,
}

/// How sure evidence is. An iterator's pointer may name each node of a list and its header, where the list's size lies at the
/// place of a node's number: that the number is a real says nothing of the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// The source calls it an integer, in this object, which is one variable or what a parameter leads to.
    Source,
    /// A type, or an access to this object.
    Access,
    /// An access that may be to other objects.
    Perhaps,
}

impl Entry {
    /// The same elsewhere, seen `from` somewhere; `None` where nothing is left of what the offset said.
    fn moved(self, from: Offset, offset: Offset) -> Option<Entry> {
        let says = |modulus| modulus == 0 || modulus >= self.bytes.max(LEAST_STRIDE);
        (says(offset.modulus) && says(from.modulus)).then_some(Entry { offset, sure: self.sure.max(Sure::Access), ..self })
    }

    /// Whether this says of the elements of an array what the other says of some of them.
    fn includes(&self, other: &Entry) -> bool {
        self != other
            && (self.held, self.bytes) == (other.held, other.bytes)
            && (self.declared || !other.declared)
            && self.sure <= other.sure
            && self.offset.includes(other.offset)
    }
}

/// Entries by object.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Evidence {
    entries: HashMap<usize, Vec<Entry>>,
    /// Kinds that copies, by called functions perhaps, may bring to an object, nobody knows where.
    brought: BTreeMap<usize, BTreeSet<Held>>,
}

/// Objects between which bytes may be copied, in any number of steps: destination and source.
pub type Flows = BTreeSet<(usize, usize)>;

/// A copy of bytes within one function.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// Address of the destination.
    pub to: ValueId,
    /// Address of the source.
    pub from: ValueId,
    /// Its length, where that is a constant.
    pub bytes: Option<u64>,
    /// Whether the source says that it is of characters.
    pub is_text: bool,
}

impl Evidence {
    /// Adds an entry; whether that was news.
    pub fn add(&mut self, object: usize, entry: Entry) -> bool {
        let list = self.entries.entry(object).or_default();
        let news = !list.contains(&entry);
        if news {
            list.push(entry);
        }
        news
    }
    /// The same for evidence from elsewhere, of which there may be too much.
    fn add_further(&mut self, object: usize, entry: Option<Entry>) -> bool {
        let has_room = self.entries.get(&object).is_none_or(|list| list.len() < MOST_ENTRIES);
        entry.is_some_and(|e| has_room && self.add(object, e))
    }
    /// What is known of one object, without reals that may be elsewhere where the source has an integer here.
    pub fn of(&self, object: usize) -> impl Iterator<Item = &Entry> {
        let all = self.entries.get(&object).map_or(&[][..], |list| list);
        let is_integer = |at: &Entry| all.iter().any(|e| e.sure == Sure::Source && e.offset == at.offset && e.bytes == at.bytes);
        all.iter().filter(move |e| e.sure != Sure::Perhaps || !e.held.is_real() || !is_integer(e))
    }
    /// What is known of the objects that a pointer may name, with its offset in each.
    pub fn behind<'a>(&'a self, memory: &'a PointsTo, pointer: ValueId) -> impl Iterator<Item = (Offset, &'a Entry)> {
        memory.places(pointer).flat_map(|(o, at)| self.of(o).map(move |e| (at, e)))
    }
    /// What is known of `bytes` bytes behind a pointer, with its offset in each object. Where a declared type covers them, accesses count only at the very
    /// same place: one at a variable index seems to reach beyond the member that it stays in.
    pub fn overlapping(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<(Offset, Entry)> {
        let found = self.behind(memory, pointer).filter(|(at, e)| overlap(*at, bytes, e.offset, e.bytes));
        let mut found: Vec<(Offset, Entry)> = found.map(|(at, e)| (at, *e)).collect();
        if found.iter().any(|(_, e)| e.declared) {
            found.retain(|(at, e)| e.declared || e.offset == *at);
        }
        found
    }
    /// Whether there is evidence of an object, and all of it is of one kind.
    pub fn says_only(&self, object: usize, held: Held) -> bool {
        let mut entries = self.entries.get(&object).into_iter().flatten().peekable();
        let mut brought = self.brought.get(&object).into_iter().flatten();
        entries.peek().is_some() && entries.all(|e| e.held == held) && brought.all(|k| *k == held)
    }
    /// The kinds of what lies in `bytes` bytes behind a pointer, sorted, each once.
    pub fn held(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<Held> {
        let mut found: Vec<Held> = self.overlapping(memory, pointer, bytes).iter().map(|(_, e)| e.held).collect();
        found.sort();
        found.dedup();
        found
    }
    /// What lies in `bytes` bytes behind a pointer, by offset from there; integers byte by byte.
    pub fn within(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<Field> {
        let mut fields: Vec<Field> = vec![];
        for (offset, e) in self.overlapping(memory, pointer, bytes) {
            let stride = gcd(offset.modulus, e.offset.modulus);
            let relative = e.offset.constant - offset.constant;
            let first = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            let step = if stride == 0 { usize::MAX >> 1 } else { stride as usize };
            for at in (first..bytes as i64).step_by(step) {
                let parts = if e.held == Held::Int { e.bytes } else { 1 };
                for part in (0..parts as i64).map(|k| at + k) {
                    let field = (part as u64, e.held);
                    if part >= 0 && part as u64 + e.held.bytes() <= bytes && !fields.contains(&field) {
                        fields.push(field);
                    }
                }
            }
        }
        fields.sort();
        fields
    }

    /// Takes over what a called function knows of the memory that it shares with its caller. `recursive`: the caller may
    /// call itself through it, and shift its arguments again and again. `is_single`: an object of the caller is one variable,
    /// or what a parameter leads to. Whether that was news.
    pub fn learn(&mut self, binding: &Binding, callee: &Evidence, recursive: bool, is_single: &dyn Fn(usize) -> bool) -> bool {
        let mut grew = false;
        for (&object, known) in &callee.entries {
            let Some(targets) = binding.get(object) else { continue };
            for e in known {
                for (o, base) in targets.each() {
                    let again = if recursive { base.constant } else { 0 };
                    let offset = base.shifted(e.offset.constant, [e.offset.modulus as i64, again].into_iter());
                    let sure = match (targets.objects.len(), e.sure) {
                        (1, Sure::Source) if !is_single(o as usize) || !offset.is_exact() => Sure::Access,
                        (1, sure) => sure,
                        _ => Sure::Perhaps,
                    };
                    grew |= self.add(o as usize, Entry { offset, sure, ..*e });
                }
            }
        }
        for (&object, kinds) in &callee.brought {
            for &o in binding.get(object).map_or(&[][..], |targets| &targets.objects) {
                let known = self.brought.entry(o as usize).or_default();
                let before = known.len();
                known.extend(kinds);
                grew |= known.len() > before;
            }
        }
        grew
    }

    /// What a function that is called knows from its caller, whose evidence this is.
    pub fn handed_on(&self, binding: &Binding) -> Evidence {
        let mut handed = Evidence::default();
        for (object, targets) in binding.iter() {
            for (base, e) in targets.each().flat_map(|(o, base)| self.of(o as usize).map(move |e| (base, e))) {
                let modulus = gcd(base.modulus, e.offset.modulus);
                handed.add_further(object, e.moved(base, Offset::new(e.offset.constant - base.constant, modulus)));
            }
        }
        for (object, targets) in binding.iter() {
            let kinds: Vec<Held> = targets.objects.iter().filter_map(|&o| self.brought.get(&(o as usize))).flatten().copied().collect();
            if !kinds.is_empty() {
                handed.brought.entry(object).or_default().extend(kinds);
            }
        }
        for list in handed.entries.values_mut() {
            let all = std::mem::take(list);
            list.extend(all.iter().filter(|e| !all.iter().any(|other| other.includes(e))));
            list.sort();
        }
        handed
    }

    /// What is known of other objects.
    pub fn without(&self, leaves_out: impl Fn(usize) -> bool) -> Evidence {
        let mut rest = self.clone();
        rest.entries.retain(|&o, _| !leaves_out(o));
        rest.brought.retain(|&o, _| !leaves_out(o));
        rest
    }

    /// Adds what `other` knows; whether that was news.
    pub fn join(&mut self, other: &Evidence) -> bool {
        let mut grew = false;
        for (&object, known) in &other.entries {
            known.iter().for_each(|e| grew |= self.add_further(object, Some(*e)));
        }
        for (&object, kinds) in &other.brought {
            let known = self.brought.entry(object).or_default();
            let before = known.len();
            known.extend(kinds);
            grew |= known.len() > before;
        }
        grew
    }

    /// Notes for the destinations of flows the kinds of what lies in their sources. `exact` ones carried evidence to its places, but
    /// for what has none: what was brought, and entries at offsets that say nothing.
    pub fn bring(&mut self, vague: &Flows, exact: &Flows) {
        loop {
            let mut grew = false;
            let flows = vague.iter().map(|f| (f, false)).chain(exact.iter().map(|f| (f, true)));
            for (&(to, from), is_exact) in flows.filter(|((to, from), _)| to != from) {
                let is_lost = |e: &&Entry| !is_exact || (1..e.bytes.max(LEAST_STRIDE)).contains(&e.offset.modulus);
                let mut kinds: BTreeSet<Held> = self.of(from).filter(is_lost).map(|e| e.held).collect();
                kinds.extend(self.brought.get(&from).into_iter().flatten());
                if !kinds.is_empty() {
                    let known = self.brought.entry(to).or_default();
                    let before = known.len();
                    known.extend(kinds);
                    grew |= known.len() > before;
                }
            }
            if !grew {
                return;
            }
        }
    }
    /// Whether copies may bring other reals, or pointers, to where `pointer` leads than those that an answer has.
    pub fn brings_others(&self, memory: &PointsTo, pointer: ValueId, has: impl Fn(Held) -> bool) -> bool {
        let mut kinds = memory.points_to(pointer).filter_map(|o| self.brought.get(&o)).flatten();
        kinds.any(|&held| held != Held::Int && !has(held))
    }

    /// Lets copies carry what is known of one side to the other, until nothing is new. Copied bytes are the same on both
    /// sides.
    pub fn spread(&mut self, memory: &PointsTo, copies: &[Copy]) -> bool {
        let mut any = false;
        loop {
            let mut grew = false;
            for copy in copies {
                for (from, to) in [(copy.from, copy.to), (copy.to, copy.from)] {
                    if !copy.is_text || takes_others(self, memory, from, copy.bytes) {
                        grew |= self.carry(memory, from, to, copy.bytes);
                    }
                }
            }
            any |= grew;
            if !grew {
                return any;
            }
        }
    }

    fn carry(&mut self, memory: &PointsTo, from: ValueId, to: ValueId, bytes: Option<u64>) -> bool {
        let known: Vec<(Offset, Entry)> = self.behind(memory, from).map(|(at, e)| (at, *e)).collect();
        // Within one object, what is known of it is known already, and would be shifted again and again.
        let is_other = |&(o, _): &(usize, Offset)| memory.points_to(from).all(|f| f != o);
        let places: Vec<(usize, Offset)> = memory.places(to).filter(is_other).collect();
        // What is copied through a pointer to one of several objects lies in that one.
        let several = memory.points_to(to).nth(1).is_some();
        let mut grew = false;
        for (start, e) in known {
            let e = Entry { sure: if several { Sure::Perhaps } else { e.sure }, ..e };
            let stride = gcd(start.modulus, e.offset.modulus);
            let seen = Offset::new(0, stride);
            let relative = e.offset.constant - start.constant;
            let first = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            let mut add = |at: Offset| places.iter().for_each(|&(o, to)| grew |= self.add_further(o, e.moved(seen, to.plus(at))));
            let fits = |at: i64| at >= 0 && bytes.is_none_or(|n| at as u64 + e.bytes <= n);
            match bytes {
                Some(n) if stride != 0 && n / stride <= MOST_PLACES => (0..=(n / stride) as i64)
                    .map(|k| first + k * stride as i64)
                    .filter(|&at| fits(at))
                    .for_each(|at| add(Offset::new(at, 0))),
                _ if stride == 0 && !fits(first) => {}
                _ => add(Offset::new(first, stride)),
            }
        }
        grew
    }
}
