//! What is known of the bytes of objects.

use super::{
    Claim, Copy, Entry, Field, Flows, ScalarKind, Sure,
    brought::{Brought, EVERYWHERE, Place, landing},
    entry::LEAST_STRIDE,
    known::Known,
    text::takes_others,
};
use crate::points_to::{Binding, Object, Offset, PointsTo, Targets, gcd, overlap};
use adir::{
    ValueId,
    hashed::{HashMap, HashSet},
};
use std::{collections::BTreeSet, rc::Rc};

/// Entries of one object beyond which what comes from elsewhere is left out, or may be brought.
const MOST_ENTRIES: usize = 256;
/// Places that are listed one by one where a copy takes part of an array to a known place.
const MOST_PLACES: u64 = 64;

/// Entries by object.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What one object has, the evidence of several functions and views may share.
    pub(super) entries: HashMap<usize, Rc<Known>>,
    /// Kinds that copies, perhaps of called functions, may bring to places that have no entries.
    pub(super) copied_in: Brought,
    /// Objects that functions without code get to see.
    exposed: BTreeSet<usize>,
    /// Variables whose type declares all their members one by one.
    typed: BTreeSet<usize>,
    /// Objects that stand for several blocks of a called function: what is known of one need not be
    /// of another.
    shared: BTreeSet<usize>,
    /// It is of a function that no other one calls: it and those that it calls make all accesses to
    /// global variables.
    whole: bool,
}

/// What lies behind a pointer parameter, as who calls from elsewhere knows it: parameter, place,
/// kind, and whether a type declares it.
pub type Pointee = (u32, Offset, ScalarKind, bool);

impl Evidence {
    /// What those know who call from elsewhere.
    pub fn from_request(memory: &PointsTo, all: &[Pointee]) -> Evidence {
        let mut evidence = Evidence::default();
        for &(param, offset, scalar, declared) in all {
            if let Some(object) = memory.object_of_param(param) {
                evidence.add(
                    object,
                    Entry {
                        offset,
                        bytes: scalar.bytes(),
                        scalar,
                        declared,
                        sure: Sure::Access,
                        claim: Claim::Proven,
                        least: i64::MIN,
                    },
                );
            }
        }
        evidence
    }
    /// Adds an entry; whether that was news.
    pub fn add(&mut self, object: usize, entry: Entry) -> bool {
        let known = self.entries.entry(object).or_default();
        let news = !known.contains(&entry);
        if news {
            Rc::make_mut(known).add(entry);
        }
        news
    }
    /// The same for evidence from elsewhere, of which there may be too much.
    pub(super) fn add_further(&mut self, object: usize, entry: Option<Entry>) -> bool {
        let Some(entry) = entry else { return false };
        let known = self.entries.entry(object).or_default();
        if known.contains(&entry) {
            return false;
        }
        if known.list().len() < MOST_ENTRIES {
            Rc::make_mut(known).add(entry);
            return true;
        }
        // Nobody may believe that there is none.
        entry.scalar != ScalarKind::Int
            && self.copied_in.add(object, entry.scalar, (entry.offset, entry.bytes))
    }
    /// The kinds of all that was seen, or that copies may bring.
    pub fn kinds(&self) -> impl Iterator<Item = ScalarKind> {
        let seen = self.entries.values().flat_map(|known| known.list().iter().map(|e| e.scalar));
        seen.chain(self.copied_in.objects().flat_map(|o| self.copied_in.kinds(o)))
    }
    /// The kinds of what was seen of one object, or copies may bring there.
    pub fn kinds_in(&self, object: usize) -> impl Iterator<Item = ScalarKind> {
        self.all(object).iter().map(|e| e.scalar).chain(self.copied_in.kinds(object))
    }
    /// What surely lies in one object, and where.
    pub fn surely_in(&self, object: usize) -> impl Iterator<Item = (Offset, ScalarKind)> {
        let entries = self.all(object).iter().filter(|e| e.sure != Sure::Perhaps);
        entries.map(|e| (e.offset, e.scalar))
    }
    /// All that was seen of one object.
    pub fn all(&self, object: usize) -> &[Entry] {
        self.entries.get(&object).map_or(&[][..], |known| known.list())
    }
    /// What is known of one object, without reals that may be elsewhere where the source has an
    /// integer here, and without integers that nothing proves where a real lies.
    pub fn of(&self, object: usize) -> impl Iterator<Item = &Entry> {
        self.entries.get(&object).map_or(&[][..], |known| known.counting()).iter()
    }
    /// What is known of the objects that a pointer may name, with its offset in each.
    pub fn behind<'a>(
        &'a self,
        memory: &'a PointsTo,
        pointer: ValueId,
    ) -> impl Iterator<Item = (Offset, &'a Entry)> {
        memory.places(pointer).flat_map(move |(o, at)| {
            self.of(o).filter(move |e| self.settles(memory, o, e)).map(move |e| (at, e))
        })
    }
    /// The same, without integers that may lie in another block of several than the pointer names.
    pub fn surely_behind<'a>(
        &'a self,
        memory: &'a PointsTo,
        pointer: ValueId,
    ) -> impl Iterator<Item = (Offset, &'a Entry)> {
        memory.places(pointer).flat_map(move |(o, at)| {
            let is_mixed = self.is_mixed(o);
            self.of(o)
                .filter(move |e| self.settles(memory, o, e) && !(is_mixed && e.is_vague_integer()))
                .map(move |e| (at, e))
        })
    }
    /// Whether an object stands for several blocks, which do not all hold the same.
    pub(super) fn is_mixed(&self, object: usize) -> bool {
        self.shared.contains(&object) && {
            let seen = self.entries.get(&object).into_iter().flat_map(|known| known.kinds());
            let mut kinds = seen.chain(self.copied_in.kinds(object));
            kinds.next().is_some_and(|first| kinds.any(|kind| kind != first))
        }
    }
    /// Whether evidence of an object counts: that an integer is only moved proves nothing but where
    /// all accesses are known.
    pub(super) fn settles(&self, memory: &PointsTo, object: usize, e: &Entry) -> bool {
        e.claim != Claim::Type || (!self.exposed.contains(&object) && self.owns(memory, object))
    }
    /// Whether all accesses to an object are known, but for those of functions without code.
    fn owns(&self, memory: &PointsTo, object: usize) -> bool {
        match memory.objects.get(object) {
            Some(Object::Local(_)) => true,
            Some(Object::Global(_)) => self.whole && !memory.is_library(object),
            _ => false,
        }
    }
    /// Notes that no other function calls the one that this is of.
    pub fn complete(&mut self) {
        self.whole = true;
    }
    /// Notes that an object is a variable whose type declares all its members one by one.
    pub fn note_type(&mut self, object: usize) {
        self.typed.insert(object);
    }
    /// Where in a variable the elements of an array lie of which `at` names one, if the source
    /// spells their members: other members of the variable lie at multiples of the array's stride,
    /// too.
    fn elements(&self, object: usize, at: Offset, members: &[Field]) -> Vec<Offset> {
        let (Some(&(ahead, first)), true) = (members.first(), self.typed.contains(&object)) else {
            return vec![];
        };
        let declared: BTreeSet<(i64, ScalarKind)> = self
            .all(object)
            .iter()
            .filter(|e| e.declared && e.offset.is_exact())
            .map(|e| (e.offset.constant, e.scalar))
            .collect();
        let starts = declared.iter().filter(|d| d.1 == first).map(|d| d.0 - ahead as i64);
        let is_one = |start: &i64| {
            at.includes(Offset::new(*start, 0))
                && members.iter().all(|m| declared.contains(&(start + m.0 as i64, m.1)))
        };
        starts.filter(is_one).map(|start| Offset::new(start, 0)).collect()
    }
    /// The places of one side of a copy, as far as its members tell them.
    fn places_of_copy(&self, side: &Targets, copy: &Copy) -> Vec<(usize, Offset)> {
        let of = |(o, at): (u32, Offset)| {
            let elements = match &copy.members {
                Some(members) if !at.is_exact() => self.elements(o as usize, at, members),
                _ => vec![],
            };
            let places = if elements.is_empty() { vec![at] } else { elements };
            places.into_iter().map(move |at| (o as usize, at))
        };
        side.each().flat_map(of).collect()
    }
    /// Notes that not all accesses to an object are seen.
    pub fn expose(&mut self, object: usize) {
        self.exposed.insert(object);
    }
    /// Whether not all accesses to an object are seen.
    pub fn is_exposed(&self, object: usize) -> bool {
        self.exposed.contains(&object)
    }
    /// The same, where not all accesses to the objects are seen of which `other` says so; `None` if
    /// that says no more.
    pub fn exposed_as(&self, other: &Evidence) -> Option<Evidence> {
        let is_news = !other.exposed.is_subset(&self.exposed);
        is_news.then(|| Evidence { exposed: &self.exposed | &other.exposed, ..self.clone() })
    }
    /// Notes of objects that share bytes by copies with reals, or with memory of which not all is
    /// known, that integers which are only moved there prove nothing. Whether that was news.
    pub fn expose_along(&mut self, memory: &PointsTo, flows: &Flows) -> bool {
        let mut any = false;
        loop {
            let is_open = |o: usize| {
                let mut entries = self.all(o).iter().peekable();
                let is_proven = entries.peek().is_some()
                    && entries
                        .clone()
                        .all(|e| e.scalar == ScalarKind::Int && e.claim <= Claim::Struct);
                let is_own = self.owns(memory, o);
                entries.any(|e| e.scalar.is_real())
                    || self.exposed.contains(&o)
                    || (!is_own && !is_proven)
            };
            let pairs = flows.iter().flat_map(|(to, from)| [(to, from), (from, to)]);
            let found: Vec<usize> = pairs
                .filter(|&(o, other)| !self.exposed.contains(&o) && is_open(other))
                .map(|p| p.0)
                .collect();
            if found.is_empty() {
                return any;
            }
            self.exposed.extend(found);
            any = true;
        }
    }
    /// Whether the source has integers behind a pointer, and nothing else is known of there.
    pub fn claims_integers(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        let mut all = memory.points_to(pointer).flat_map(|o| self.of(o)).peekable();
        all.peek().is_some() && all.all(|e| e.scalar == ScalarKind::Int)
    }
    /// What is known of `bytes` bytes behind a pointer, with its offset in each object. Where a
    /// declared type covers them, accesses count only at the very same place, or with offsets that
    /// tell members apart: one at a variable index seems to reach beyond the member that it stays
    /// in.
    pub fn overlapping(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
    ) -> Vec<(Offset, Entry)> {
        self.places_of(memory, pointer, bytes).into_iter().map(|(_, at, e)| (at, e)).collect()
    }
    /// The same, with the object.
    pub fn places_of(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
    ) -> Vec<(usize, Offset, Entry)> {
        // Few entries overlap; whether one counts is asked of all others.
        let of = |(o, at): (usize, Offset)| {
            let here = move |e: &&Entry| e.overlaps(at, bytes);
            let known = self.entries.get(&o);
            known.into_iter().flat_map(move |known| {
                let counts = move |e: &&Entry| known.counts(e) && self.settles(memory, o, e);
                known.list().iter().filter(here).filter(counts).map(move |e| (o, at, *e))
            })
        };
        let mut found: Vec<_> = memory.places(pointer).flat_map(of).collect();
        let declared: Vec<Offset> = found
            .iter()
            .filter(|(_, _, e)| e.declared && e.claim <= Claim::Proven)
            .map(|(_, _, e)| e.offset)
            .collect();
        let tells = |at: Offset| {
            at.is_exact()
                || declared.iter().any(|d| !d.is_exact() && at.modulus.is_multiple_of(d.modulus))
        };
        if !declared.is_empty() {
            found.retain(|(_, at, e)| {
                e.declared || e.offset == *at || e.sure != Sure::Perhaps && tells(e.offset)
            });
        }
        found
    }
    /// Whether integers of `bytes` bytes surely lie somewhere in an object; of a vector's elements,
    /// if it has so many bytes.
    pub fn has_integers(&self, object: usize, bytes: u64) -> bool {
        const VECTOR: u64 = 16;
        let is_part = |all: u64, one: u64| all >= VECTOR && one >= 4 && all.is_multiple_of(one);
        let fits =
            |e: &Entry| e.bytes == bytes || is_part(bytes, e.bytes) || is_part(e.bytes, bytes);
        self.all(object)
            .iter()
            .any(|e| e.scalar == ScalarKind::Int && e.claim <= Claim::Struct && fits(e))
    }
    /// Whether there is evidence of an object, and all of it is of one kind.
    pub fn says_only(&self, object: usize, scalar: ScalarKind) -> bool {
        let mut entries = self.all(object).iter().peekable();
        entries.peek().is_some()
            && entries.all(|e| e.scalar == scalar)
            && self.copied_in.kinds(object).all(|k| k == scalar)
    }
    /// Whether a pointer may lie in the first `bytes` bytes of one of `places`.
    pub fn holds_pointer(&self, places: &Targets, bytes: u64) -> bool {
        places.each().any(|(object, at)| {
            let here = self.all(object as usize).iter();
            here.filter(|e| e.scalar == ScalarKind::Ptr)
                .any(|e| overlap(at, bytes, e.offset, e.bytes))
        })
    }
    /// Whether an integer of `bytes` bytes surely lies at each of `places`.
    pub fn holds_integer(&self, places: &Targets, bytes: u64) -> bool {
        let is_there = |(object, at): (u32, Offset)| {
            self.all(object as usize).iter().any(|e| {
                let is_sure = matches!(e.claim, Claim::Index | Claim::Proven);
                (e.scalar, e.offset, e.bytes) == (ScalarKind::Int, at, bytes) && is_sure
            })
        };
        !places.objects.is_empty() && places.each().all(is_there)
    }
    /// The kinds of the reals that lie in an object, or may be brought there; `None` for each that is
    /// known not to be aligned to its size.
    pub fn reals(&self, object: usize) -> impl Iterator<Item = Option<ScalarKind>> {
        let is_aligned = |e: &Entry| {
            let Offset { constant, modulus } = e.offset;
            modulus == 1
                || (constant.unsigned_abs() % e.bytes == 0 && modulus.is_multiple_of(e.bytes))
        };
        let reals = self.all(object).iter().filter(|e| e.scalar.is_real());
        let seen = reals.map(move |e| is_aligned(e).then_some(e.scalar));
        let brought = self.copied_in.kinds(object);
        seen.chain(brought.filter(|scalar| scalar.is_real()).map(Some))
    }
    /// The kinds of what lies in `bytes` bytes behind a pointer, sorted, each once.
    pub fn scalar(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<ScalarKind> {
        let mut found: Vec<ScalarKind> =
            self.overlapping(memory, pointer, bytes).iter().map(|(_, e)| e.scalar).collect();
        found.sort();
        found.dedup();
        found
    }
    /// The kinds of what lies anywhere in the memory that a pointer leads into.
    pub fn anywhere(&self, memory: &PointsTo, pointer: ValueId) -> Vec<ScalarKind> {
        let of = |(o, _)| self.of(o).filter(move |e| self.settles(memory, o, e)).map(|e| e.scalar);
        memory.places(pointer).flat_map(of).collect()
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
                let parts = if e.scalar == ScalarKind::Int { e.bytes } else { 1 };
                for part in (0..parts as i64).map(|k| at + k) {
                    let field = (part as u64, e.scalar);
                    if part >= 0
                        && part as u64 + e.scalar.bytes() <= bytes
                        && !fields.contains(&field)
                    {
                        fields.push(field);
                    }
                }
            }
        }
        fields.sort();
        fields
    }

    /// Takes over what a called function knows of the memory that it shares with its caller.
    /// `recursive`: the caller may call itself through it, and shift its arguments again and again.
    /// `is_single`: an object of the caller is one variable, or what a parameter leads to. Whether
    /// that was news.
    pub fn learn(
        &mut self,
        binding: &Binding,
        callee: &Evidence,
        recursive: bool,
        is_single: &dyn Fn(usize) -> bool,
    ) -> bool {
        let mut grew = false;
        for (&object, known) in &callee.entries {
            let Some(targets) = binding.get(object) else { continue };
            for e in known.list() {
                for (o, base) in targets.each() {
                    let again = if recursive { base.constant } else { 0 };
                    let offset = base
                        .shifted(e.offset.constant, [e.offset.modulus as i64, again].into_iter());
                    let sure = match (targets.objects.len(), e.sure) {
                        (1, Sure::Source) if !is_single(o as usize) || !offset.is_exact() => {
                            Sure::Access
                        }
                        (1, sure) => sure,
                        _ => Sure::Perhaps,
                    };
                    let least = if base.is_exact() && again == 0 {
                        e.least.saturating_add(base.constant)
                    } else {
                        i64::MIN
                    };
                    grew |= self.add(o as usize, Entry { offset, sure, least, ..*e });
                }
            }
        }
        for &object in &callee.exposed {
            let targets = binding.get(object).map_or(&[][..], |targets| &targets.objects);
            targets.iter().for_each(|&o| grew |= self.exposed.insert(o as usize));
        }
        for &object in binding.blocks().iter().chain(&callee.shared) {
            let targets = binding.get(object).map_or(&[][..], |targets| &targets.objects);
            targets.iter().for_each(|&o| grew |= self.shared.insert(o as usize));
        }
        for object in callee.copied_in.objects() {
            let Some(targets) = binding.get(object) else { continue };
            for (o, base) in targets.each() {
                let again = if recursive { base.constant } else { 0 };
                for (kind, (at, bytes)) in callee.copied_in.of(object) {
                    let at = base.shifted(at.constant, [at.modulus as i64, again].into_iter());
                    grew |= self.copied_in.add(o as usize, kind, (at, bytes));
                }
            }
        }
        grew
    }

    /// What is known of other objects.
    pub fn without(&self, leaves_out: impl Fn(usize) -> bool) -> Evidence {
        let mut rest = self.clone();
        rest.entries.retain(|&o, _| !leaves_out(o));
        rest.copied_in.retain(|o| !leaves_out(o));
        rest
    }

    /// Adds what `other` knows; whether that was news.
    pub fn join(&mut self, other: &Evidence) -> bool {
        let mut grew = false;
        for (&object, known) in &other.entries {
            match self.entries.get(&object) {
                Some(mine) if Rc::ptr_eq(mine, known) => {}
                None if known.list().len() <= MOST_ENTRIES => {
                    self.entries.insert(object, known.clone());
                    grew |= !known.list().is_empty();
                }
                _ => {
                    known.list().iter().for_each(|e| grew |= self.add_further(object, Some(*e)));
                }
            }
        }
        other.exposed.iter().for_each(|&o| grew |= self.exposed.insert(o));
        other.shared.iter().for_each(|&o| grew |= self.shared.insert(o));
        self.typed.extend(&other.typed);
        grew | self.copied_in.join(&other.copied_in)
    }

    /// Notes for the destinations of flows the kinds of what lies in their sources: of `vague` ones
    /// anywhere, of `partial` copies in the bytes that they move. `exact` ones carried evidence to
    /// its places, but for what has none: what was brought, and entries at offsets that say nothing.
    /// What was known `before` went that way already.
    pub fn copy_in(&mut self, before: &Evidence, vague: &Flows, partial: &[Copy], exact: &[Copy]) {
        // The more is known, the less counts: what counts of the old has counted before.
        let news_of = |all: &Evidence, o: usize| {
            let old = before.all(o).len();
            let known = all.entries.get(&o).filter(|known| known.list().len() > old).cloned();
            known.into_iter().flat_map(move |known| {
                let counted = (old..known.list().len()).filter(|&i| known.counts(&known.list()[i]));
                counted.map(|i| known.list()[i]).collect::<Vec<_>>()
            })
        };
        for (to, from) in vague.iter().filter(|(to, from)| to != from) {
            let kinds: BTreeSet<ScalarKind> = news_of(self, from).map(|e| e.scalar).collect();
            for kind in kinds {
                self.copied_in.add(to, kind, EVERYWHERE);
            }
        }
        let is_lost = |e: &Entry| (1..e.bytes.max(LEAST_STRIDE)).contains(&e.offset.modulus);
        let copies = || partial.iter().map(|c| (c, false)).chain(exact.iter().map(|c| (c, true)));
        for (copy, is_exact) in copies() {
            // Elements of an array that change places are the same kinds; a shift within one object
            // brings them elsewhere.
            let is_shift = |way: &(usize, Offset, usize, Offset)| way.0 != way.2 || way.1 != way.3;
            for (from, start, to, at) in copy.ways().filter(is_shift) {
                let is_exact = is_exact && from != to;
                let moves = |e: &Entry| !e.is_behind(start, copy.bytes);
                for e in news_of(self, from).filter(|e| (!is_exact || is_lost(e)) && moves(e)) {
                    for place in landing(start, copy.bytes, at, (e.offset, e.bytes)) {
                        self.copied_in.add(to, e.scalar, place);
                    }
                }
            }
        }
        // Objects that something was brought to since their copies were followed.
        let mut news: HashSet<usize> = self.copied_in.changed_since(&before.copied_in).collect();
        while !news.is_empty() {
            let is_news = |o: usize| news.contains(&o);
            // Within one object as well: from the place where something came to others.
            let mut found = vec![];
            for (to, from) in vague.iter().filter(|(_, from)| is_news(*from)) {
                found.extend(self.copied_in.kinds(from).map(|kind| (to, kind, EVERYWHERE)));
            }
            for (copy, _) in copies() {
                for (from, start, to, at) in copy.ways().filter(|way| is_news(way.0)) {
                    for (kind, place) in self.copied_in.of(from) {
                        let places = landing(start, copy.bytes, at, place);
                        found.extend(places.into_iter().map(|place| (to, kind, place)));
                    }
                }
            }
            found.retain(|&(to, kind, place)| self.copied_in.add(to, kind, place));
            news = found.into_iter().map(|f| f.0).collect();
        }
    }
    /// Whether copies may bring other reals, or pointers, to `bytes` bytes where `pointer` leads than
    /// those that an answer has.
    pub fn brings_others(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        has: impl Fn(ScalarKind) -> bool,
    ) -> bool {
        self.kinds_brought(memory, pointer, bytes)
            .any(|scalar| scalar != ScalarKind::Int && !has(scalar))
    }

    /// The kinds that copies may bring to `bytes` bytes where `pointer` leads.
    pub fn kinds_brought<'a>(
        &'a self,
        memory: &'a PointsTo,
        pointer: ValueId,
        bytes: u64,
    ) -> impl Iterator<Item = ScalarKind> {
        memory.places(pointer).flat_map(move |(o, at)| self.copied_in.kinds_at(o, at, bytes))
    }

    /// Whether copies bring a pointer to a place among `bytes` bytes where `pointer` leads.
    pub fn brings_pointer(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        self.brought_behind(memory, pointer).any(|(at, place, kind)| {
            kind == ScalarKind::Ptr && place != EVERYWHERE && overlap(at, bytes, place.0, place.1)
        })
    }

    /// What copies may bring to an object, and where.
    pub fn brought_to(&self, object: usize) -> impl Iterator<Item = (ScalarKind, Place)> {
        self.copied_in.of(object)
    }

    /// What copies may bring to where `pointer` leads: its offset in the object, the place and the kind.
    pub fn brought_behind<'a>(
        &'a self,
        memory: &'a PointsTo,
        pointer: ValueId,
    ) -> impl Iterator<Item = (Offset, Place, ScalarKind)> {
        memory
            .places(pointer)
            .flat_map(|(o, at)| self.copied_in.of(o).map(move |(kind, place)| (at, place, kind)))
    }

    /// Lets copies carry what is known of one side to the other, until nothing is new. Copied bytes
    /// are the same on both sides.
    pub fn spread(&mut self, memory: &PointsTo, copies: &[Copy]) -> bool {
        let mut any = false;
        // How much was known of each side of each copy when it last carried that: it only grows.
        let mut carried = vec![[None; 2]; copies.len()];
        loop {
            let mut grew = false;
            for (copy, carried) in copies.iter().zip(&mut carried) {
                let sides = [(&copy.from, &copy.to), (&copy.to, &copy.from)];
                for ((from, to), carried) in sides.into_iter().zip(carried) {
                    let known = from.objects.iter().map(|&o| self.all(o as usize).len());
                    let known = Some(known.sum::<usize>());
                    if std::mem::replace(carried, known) == known {
                        continue;
                    }
                    if !copy.is_text || takes_others(self, from, copy.bytes) {
                        grew |= self.carry(memory, from, to, copy);
                    }
                }
            }
            any |= grew;
            if !grew {
                return any;
            }
        }
    }

    fn carry(&mut self, memory: &PointsTo, from: &Targets, to: &Targets, copy: &Copy) -> bool {
        let bytes = copy.bytes;
        let mut known: Vec<(Offset, Entry)> = vec![];
        for (o, at) in self.places_of_copy(from, copy) {
            let is_mixed = self.is_mixed(o);
            let counts = self
                .of(o)
                .filter(|e| self.settles(memory, o, e) && !(is_mixed && e.is_vague_integer()));
            // What lies in one of several blocks may lie in this one.
            let sure = |e: &Entry| if is_mixed { Sure::Perhaps } else { e.sure };
            known.extend(counts.map(|e| (at, Entry { sure: sure(e), ..*e })));
        }
        // Within one object, what is known of it is known already, and would be shifted again and
        // again.
        let mut places = self.places_of_copy(to, copy);
        places.retain(|&(o, _)| !from.objects.contains(&(o as u32)));
        // What is copied through a pointer to one of several objects lies in that one.
        let several = to.objects.len() > 1;
        let mut grew = false;
        for (start, e) in known {
            let stride = gcd(start.modulus, e.offset.modulus);
            // That one of several elements is an integer proves nothing of the others.
            let claim = if stride == e.offset.modulus { e.claim } else { e.claim.max(Claim::Type) };
            let e = Entry { sure: if several { Sure::Perhaps } else { e.sure }, claim, ..e };
            let seen = Offset::new(0, stride);
            let relative = e.offset.constant - start.constant;
            let first = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            let mut add = |e: Entry, at: Offset| {
                places
                    .iter()
                    .for_each(|&(o, to)| grew |= self.add_further(o, e.moved(seen, to.plus(at))))
            };
            // An access at a variable index need not be to all the places that its offset includes.
            let one = Entry { sure: if e.declared { e.sure } else { Sure::Perhaps }, ..e };
            let is_meant =
                |at: i64| !start.is_exact() || start.constant.saturating_add(at) >= e.least;
            let fits =
                |at: i64| at >= 0 && bytes.is_none_or(|n| at as u64 + e.bytes <= n) && is_meant(at);
            match bytes {
                _ if e.is_behind(start, bytes) => {}
                Some(n) if stride != 0 && n / stride <= MOST_PLACES => (0..=(n / stride) as i64)
                    .map(|k| first + k * stride as i64)
                    .filter(|&at| fits(at))
                    .for_each(|at| add(one, Offset::new(at, 0))),
                _ if stride == 0 && !fits(first) => {}
                _ => add(e, Offset::new(first, stride)),
            }
        }
        grew
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_where_the_type_of_a_variable_has_their_members() {
        use ScalarKind::{F32, F64, Int};
        let mut evidence = Evidence::default();
        for (at, scalar) in [(0, Int), (8, F32), (16, F64), (24, F32), (32, F64), (40, F64)] {
            let (offset, bytes) = (Offset::new(at, 0), scalar.bytes());
            let (sure, claim) = (Sure::Access, Claim::Proven);
            let least = i64::MIN;
            evidence.add(1, Entry { offset, bytes, scalar, declared: true, sure, claim, least });
        }
        let (one, members) = (Offset::new(8, 16), [(0, F32), (8, F64)]);
        assert_eq!(evidence.elements(1, one, &members), [], "no type has all members");
        evidence.note_type(1);
        assert_eq!(evidence.elements(1, one, &members), [8, 24].map(|at| Offset::new(at, 0)));
        assert_eq!(evidence.elements(1, Offset::new(4, 16), &members), []);
        assert_eq!(evidence.elements(1, one, &[(0, F32), (8, F32)]), []);
        assert_eq!(evidence.elements(1, one, &[]), []);
    }
}
