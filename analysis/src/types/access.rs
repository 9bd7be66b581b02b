//! What an access to integers may touch: an integer, the bits of a real, or a pointer in disguise.

use super::{
    Claim, Entry, Evidence, ScalarKind, Sure, Types,
    uses::{
        becomes_number, becomes_real, is_calculated, is_computed, is_only_copied, is_stored,
        leaves_open, takes_digits,
    },
};
use crate::{
    affine::Address,
    points_to::{Object, Offset, PointsTo, gcd, overlap},
};
use adir::{Body, Op, Ty, ValueId, hashed::HashMap, target};
use std::{cell::RefCell, rc::Rc};

/// A load or store, the address, and how many bytes.
type Access = (ValueId, ValueId, u64);

/// What accesses touch, of those that were asked for: several analyses, requests and modes ask for
/// the same ones. Evidence that changes is other evidence: a clone has found nothing yet.
#[derive(Default)]
pub struct Found(RefCell<HashMap<Access, Rc<[ScalarKind]>>>);

impl Found {
    fn of(&self, access: Access, find: impl FnOnce() -> Rc<[ScalarKind]>) -> Rc<[ScalarKind]> {
        if let Some(found) = self.0.borrow().get(&access) {
            return found.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(access, found.clone());
        found
    }
}

impl Clone for Found {
    fn clone(&self) -> Found {
        Found::default()
    }
}

impl Types {
    /// What an access of `v` (a load or store of an integer) to `pointer` may touch, sorted, each
    /// once. That the source calls it an integer decides only where it is a member of a struct with
    /// others, or where something is computed from it: what is only moved may be a real that is
    /// seen through a pointer to integers, wherever someone knows of one there.
    pub fn accessed(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        pointer: ValueId,
        bytes: u64,
    ) -> Rc<[ScalarKind]> {
        self.found
            .of((v, pointer, bytes), || self.find_accessed(body, memory, v, pointer, bytes).into())
    }

    fn find_accessed(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        pointer: ValueId,
        bytes: u64,
    ) -> Vec<ScalarKind> {
        // Arithmetic on single bytes is on characters, flags and small counters, unless the bytes
        // of a real are put together.
        if matches!(body[v].ty, Ty::Int(1..=16))
            && !is_only_copied(body, v)
            && !becomes_real(body, v, false)
        {
            return vec![ScalarKind::Int];
        }
        if self.is_indexed_with(memory, pointer, bytes)
            && self.breaks_reals(body, memory, pointer, bytes)
        {
            return vec![ScalarKind::Int];
        }
        // An integer beside padding, where offsets are not known well enough to tell it from a
        // real.
        let wide = || {
            Some(self.reals(memory, pointer, bytes))
                .filter(|reals| !reals.is_empty() && reals.iter().all(|h| h.bytes() > bytes))
        };
        if body[v].is_integer
            && wide().is_some()
            && !self.breaks_reals(body, memory, pointer, bytes)
        {
            return vec![ScalarKind::Int];
        }
        let overlapping = self.accesses().scalar(memory, pointer, bytes);
        let has_real = overlapping.iter().any(|h| h.is_real());
        let same_place = |(at, e): (Offset, &Entry)| e.offset == at && e.scalar.is_real();
        let (is_integer_in_source, is_open) =
            (body[v].is_integer, leaves_open(body, v, &self.uses));
        // Memory that has one name for several objects: what is known there need not be of this one.
        let is_vague = || memory.is_vague(pointer);
        // Bits that are copied as well, or become a number, may be a real's whatever code calculates.
        let leaves = || {
            is_stored(body, v)
                || (becomes_number(body, v) || self.uses.hands_number(body, v))
                    && self.reals(memory, pointer, bytes).iter().any(|real| real.bytes() == bytes)
        };
        // What the source calls an integer, and computes with as one, is one; digits of a real may be
        // taken from its bits where one surely lies.
        let is_integer = || {
            body[v].is_member
                || !leaves()
                    && !takes_digits(body, v)
                    && !self.uses.hands_number(body, v)
                    && (is_vague() || !self.has_real_there(memory, pointer, bytes))
        };
        // So is what code calculates with, where integers are known to lie.
        let is_calculated = || {
            overlapping.contains(&ScalarKind::Int)
                && is_vague()
                && matches!(body[v].op, Op::Load)
                && is_calculated(body, v)
                && !leaves()
                && !takes_digits(body, v)
                && !becomes_real(body, v, true)
        };
        let is_known = || self.has_integer_there(memory, pointer, bytes);
        if is_integer_in_source && (!is_open && is_integer() || is_known()) || is_calculated() {
            return vec![ScalarKind::Int];
        }
        if !is_open && !body[v].is_member && leaves() {
            let reals = self.reals(memory, pointer, bytes);
            if !reals.is_empty() {
                return [ScalarKind::Int].into_iter().chain(reals).collect();
            }
        }
        if is_integer_in_source
            && (body[v].is_member || !is_open)
            && !(has_real && self.own.behind(memory, pointer).any(same_place))
        {
            // Others may know of a real: they have copied one into a member that is only moved
            // here.
            let real = || {
                if is_open {
                    self.moved_real_at(memory, pointer, bytes)
                } else {
                    self.real_at(memory, pointer, bytes).filter(|_| !body[v].is_member)
                }
            };
            return vec![real().unwrap_or(ScalarKind::Int)];
        }
        if has_real {
            return overlapping;
        }
        // What lies in one place of memory that may be any says nothing of another.
        let stores_bits = || {
            matches!(body[v].op, Op::Store)
                && (body[body.operand(v, 0)].constant.is_some()
                    || !is_computed(body, body.operand(v, 0)))
        };
        if !is_integer_in_source
            && stores_bits()
            && memory.points_to(pointer).any(|o| matches!(memory.objects[o], Object::Unknown))
        {
            return vec![];
        }
        if is_open {
            let reals = self.reals(memory, pointer, bytes);
            if !reals.is_empty() {
                return reals;
            }
            if let Some(real) = self.moved_real_at(memory, pointer, bytes) {
                return vec![real];
            }
            if self.may_be_copied_in(memory, pointer, bytes) {
                return vec![];
            }
        }
        // What is only computed with as an integer may be the bits of a real all the same, where
        // others know of one: in a union of this function's own, its tag says at which times.
        if let ([ScalarKind::Int], Some(real)) =
            (&overlapping[..], self.real_at(memory, pointer, bytes))
        {
            let is_number = !is_open
                && matches!(body[v].op, Op::Load)
                && super::uses::is_calculated(body, v)
                && !becomes_real(body, v, true)
                && memory.points_to(pointer).all(|o| matches!(memory.objects[o], Object::Local(_)));
            return if is_number { vec![ScalarKind::Int, real] } else { vec![real] };
        }
        let found =
            if overlapping.is_empty() { self.scalar(memory, pointer, bytes) } else { overlapping };
        // What nobody stores a real in holds none, whatever it is.
        let is_word = bytes >= target::pointer() && is_stored(body, v);
        if found.is_empty()
            && matches!((&body[v].op, body[v].ty), (Op::Load, Ty::Int(_)))
            && !is_word
            && self.gets_no_real(memory, pointer, bytes)
        {
            return vec![ScalarKind::Int];
        }
        found
    }

    /// Whether all accesses to the `bytes` bytes behind `pointer` are known, and nothing brings a real
    /// or a pointer there: the memory, and what copies bring something from, is this function's own.
    fn gets_no_real(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let is_own = |o: usize| {
            matches!(memory.objects[o], Object::Local(_))
                && !memory.escapes(o)
                && !self.own.is_exposed(o)
        };
        let mut objects = memory.points_to(pointer).peekable();
        objects.peek().is_some()
            && objects.all(|o| is_own(o) && self.flows.sources(o).all(is_own))
            && self.all_kinds(memory, pointer, bytes).iter().all(|h| *h == ScalarKind::Int)
            && !self.known().brings_others(memory, pointer, bytes, |_| false)
    }

    /// Whether a real surely lies at the very place that `pointer` names.
    pub fn has_real_there(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let is_there = |(at, e): (Offset, &Entry)| {
            let both = at.is_exact() && e.offset.is_exact();
            e.scalar.is_real()
                && e.sure != Sure::Perhaps
                && (e.offset == at || both && e.overlaps(at, bytes))
        };
        let mut views = [self.known()].into_iter().chain(&self.callers);
        views.any(|view| view.behind(memory, pointer).any(is_there))
    }

    /// Whether this function, or one that it calls, accesses a real in the `bytes` bytes behind
    /// `pointer`.
    pub fn accesses_real(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        self.accesses().scalar(memory, pointer, bytes).iter().any(|h| h.is_real())
    }

    /// Whether an integer of `bytes` bytes surely lies at the very place that `pointer` names, and a
    /// real at most perhaps.
    fn has_integer_there(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let mut views = [self.known()].into_iter().chain(&self.callers);
        let is_integer = |(at, e): (Offset, &Entry)| {
            at.is_exact()
                && (e.scalar, e.offset, e.bytes) == (ScalarKind::Int, at, bytes)
                && e.sure != Sure::Perhaps
                && matches!(e.claim, Claim::Index | Claim::Proven)
        };
        let is_real = |(at, e): (Offset, &Entry)| {
            e.scalar.is_real() && e.sure != Sure::Perhaps && e.overlaps(at, bytes)
        };
        memory.targets(pointer).objects.len() == 1
            && views.clone().any(|view| view.behind(memory, pointer).any(is_integer))
            && !views.any(|view| view.behind(memory, pointer).any(is_real))
    }

    /// Whether some code takes an array's index of `bytes` bytes from the very place that `pointer`
    /// names.
    fn is_indexed_with(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let is_it = |(at, e): (Offset, &Entry)| {
            e.claim == Claim::Index && e.offset == at && e.bytes == bytes
        };
        [self.known()]
            .into_iter()
            .chain(&self.callers)
            .any(|view| view.behind(memory, pointer).any(is_it))
    }

    /// Whether an access of an integer may be one of a real's bits, as far as its uses show.
    pub fn leaves_bits_open(&self, body: &Body, access: ValueId) -> bool {
        leaves_open(body, access, &self.uses)
    }

    /// The kinds of reals that may lie where `load` takes an integer of which a number may be made: what
    /// it touches ([`Types::accessed`]), or if that is no real, all that anybody knows of there.
    pub fn reals_in_number(
        &self,
        body: &Body,
        memory: &PointsTo,
        load: ValueId,
        touched: &[ScalarKind],
    ) -> Vec<ScalarKind> {
        let (address, bytes) = (body.operand(load, 0), body[load].bytes);
        let is_wide = bytes >= ScalarKind::F32.bytes();
        if touched.iter().any(|h| h.is_real()) {
            touched.to_vec()
        } else if is_wide
            && (self.uses.may_become_number(body, load) || self.uses.hands_number(body, load))
        {
            self.reals(memory, address, bytes)
        } else {
            vec![]
        }
    }

    /// Whether copies may bring reals to unknown places of what `pointer` leads to, and nothing
    /// proves that integers lie there.
    pub(super) fn may_be_copied_in(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let mut views = [self.known()].into_iter().chain(&self.callers);
        let is_integer = |(at, e): &(Offset, Entry)| {
            e.scalar == ScalarKind::Int
                && e.claim <= Claim::Proven
                && (e.offset == *at || e.sure != Sure::Perhaps && e.is_of_elements_at(*at))
        };
        let is_proven =
            |view: &Evidence| view.overlapping(memory, pointer, bytes).iter().any(is_integer);
        let brings = |view: &Evidence| {
            view.brings_others(memory, pointer, bytes, |scalar| !scalar.is_real())
        };
        views.clone().any(brings) && !views.any(is_proven)
    }

    /// The kinds of real that copies, called functions or callers know of within `bytes` bytes
    /// behind `pointer`, sorted, each once.
    pub(super) fn reals(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<ScalarKind> {
        let mut all = self.all_kinds(memory, pointer, bytes);
        all.retain(|h| h.is_real());
        all
    }

    /// The kinds of what copies, called functions or callers know of within `bytes` bytes behind
    /// `pointer`, sorted, each once.
    pub fn all_kinds(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<ScalarKind> {
        let views = [self.known()].into_iter().chain(&self.callers);
        let mut all: Vec<ScalarKind> =
            views.flat_map(|e| e.scalar(memory, pointer, bytes)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Whether pointers may lie, at other times, where a load, store or update accesses a real.
    pub fn shares_bytes_with_pointers(
        &self,
        body: &Body,
        memory: &PointsTo,
        access: ValueId,
    ) -> bool {
        let (address, moved) = match body[access].op {
            Op::Store => (body.operand(access, 1), body.operand(access, 0)),
            _ => (body.operand(access, 0), access),
        };
        let kinds = || self.all_kinds(memory, address, body[moved].bytes);
        body[moved].ty.holds_float() && kinds().contains(&ScalarKind::Ptr)
    }

    /// The kinds of reals that copies, called functions or callers know of anywhere in the memory
    /// that `pointer` leads into, sorted, each once.
    pub fn reals_beside(&self, memory: &PointsTo, pointer: ValueId) -> Vec<ScalarKind> {
        let views = [self.known()].into_iter().chain(&self.callers);
        let mut all: Vec<ScalarKind> = views.flat_map(|e| e.anywhere(memory, pointer)).collect();
        all.retain(|h| h.is_real());
        all.sort();
        all.dedup();
        all
    }

    /// At which byte of a real, of which size, the `bytes` bytes behind `pointer` lie, if that is
    /// the same for all that is known there, and surely holds for each object that the pointer may
    /// lead to.
    pub fn position(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Option<(u64, u64)> {
        self.position_in(memory, pointer, bytes, ScalarKind::is_real)
    }

    /// The same for reals of some kinds.
    pub(super) fn position_in(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        is_meant: impl Fn(ScalarKind) -> bool,
    ) -> Option<(u64, u64)> {
        let views = [self.known()].into_iter().chain(&self.callers);
        let reals: Vec<(usize, Offset, Entry)> = views
            .flat_map(|e| e.places_of(memory, pointer, bytes))
            .filter(|(_, _, e)| is_meant(e.scalar))
            .collect();
        let has_real =
            |object: usize| reals.iter().any(|(o, _, e)| *o == object && e.sure != Sure::Perhaps);
        if !memory.points_to(pointer).all(has_real) {
            return None;
        }
        let mut found = reals.iter().map(|(_, at, e)| {
            let size = e.scalar.stride();
            let tells = at.modulus.is_multiple_of(size) && e.offset.modulus.is_multiple_of(size);
            tells.then(|| ((at.constant - e.offset.constant).rem_euclid(size as i64) as u64, size))
        });
        let first = found.next()??;
        found.all(|f| f == Some(first)).then_some(first)
    }

    /// Whether all that `pointer` may lead to is declared as arrays of reals, without members
    /// between them.
    pub fn has_arrays_of_reals(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        let is_array = |object: usize| {
            let mut declared = self.known().all(object).iter().filter(|e| e.declared).peekable();
            let is_one = |e: &Entry| e.scalar.is_real() && e.offset.modulus == e.bytes;
            declared.peek().is_some() && declared.all(is_one)
        };
        let mut objects = memory.points_to(pointer).peekable();
        objects.peek().is_some() && objects.all(is_array)
    }

    /// Whether an access of `bytes` bytes behind `pointer` moves a part of a real, and not the rest
    /// of it, as far as is known: the real is larger, or lies across an end of what is moved.
    /// Offsets do not distinguish members where a variable index leads to one of them. Then
    /// - one of the first bytes of a real, of which no others are accessed so, is no part: an
    ///   integer with padding behind it;
    /// - where integers of this size lie in the same object, it is one of those, unless the access,
    ///   or the first of its loop, is at the place of a real.
    pub fn breaks_reals(
        &self,
        body: &Body,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
    ) -> bool {
        let views = || [self.known()].into_iter().chain(&self.callers);
        let has_rest = |object: usize, e: &Entry| {
            let rest = e.offset.shifted(bytes as i64, std::iter::empty());
            let is_it = |x: &Entry| {
                x.scalar == ScalarKind::Int
                    && x.bytes == bytes
                    && overlap(rest, e.bytes - bytes, x.offset, x.bytes)
            };
            views().any(|view| view.all(object).iter().any(is_it))
        };
        let is_lone = |object: usize, at: Offset, e: &Entry| {
            let stride = gcd(at.modulus, e.offset.modulus);
            stride.is_multiple_of(e.bytes)
                && (at.constant - e.offset.constant).rem_euclid(e.bytes as i64) == 0
                && !has_rest(object, e)
        };
        let breaks = |object: usize, at: Offset, e: &Entry| {
            let stride = gcd(at.modulus, e.offset.modulus);
            let relative = e.offset.constant - at.constant;
            let place = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            // Where the stride says less than the size of the real, it is as good as aligned.
            let is_across = stride == 0 || stride >= e.bytes.max(bytes);
            let lies_across = place < 0 || place as u64 + e.bytes > bytes;
            let is_part =
                if e.bytes > bytes { !is_lone(object, at, e) } else { is_across && lies_across };
            // Of memory of which nothing is known, all evidence is of something else.
            let is_known = !matches!(memory.objects[object], Object::Unknown);
            let is_certain = || {
                at.is_exact() && e.offset.is_exact()
                    || !views().any(|view| view.has_integers(object, bytes))
            };
            is_part
                && is_known
                && (is_certain() || self.starts_at_real(body, memory, pointer, object))
        };
        let reals = |view: &Evidence| {
            view.places_of(memory, pointer, bytes)
                .into_iter()
                .filter(|(_, _, e)| e.scalar.is_real())
                .collect::<Vec<_>>()
        };
        views().any(|view| reals(view).iter().any(|(object, at, e)| breaks(*object, *at, e)))
    }

    /// Whether the first access of a loop, before any variable index, is at the place of a real in
    /// an object.
    fn starts_at_real(
        &self,
        body: &Body,
        memory: &PointsTo,
        pointer: ValueId,
        object: usize,
    ) -> bool {
        let address = Address::of(body, pointer);
        let start = |at: Offset| at.shifted(address.constant, std::iter::empty());
        let starts = memory.start_in(address.root, object).map(start);
        // An array of reals may end before.
        let is_at = |e: &Entry, start: Offset| {
            e.scalar.is_real()
                && (e.offset.is_exact() || e.offset.modulus > e.bytes)
                && e.offset.includes(start)
        };
        let views = || [self.known()].into_iter().chain(&self.callers);
        starts.is_some_and(|start| views().any(|view| view.of(object).any(|e| is_at(e, start))))
    }

    /// The real of `bytes` bytes that copies, called functions or callers know of at the very place
    /// that `pointer` names.
    fn real_at(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Option<ScalarKind> {
        self.real_where(memory, pointer, |at, e| e.offset == at && e.bytes == bytes)
    }

    /// The same for what is only moved: any element of an array of structs may be the one that
    /// `pointer` leads to.
    fn moved_real_at(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Option<ScalarKind> {
        let in_elements = || {
            self.real_where(memory, pointer, |at, e| {
                e.is_of_elements_at(at) && e.bytes == bytes && e.sure != Sure::Perhaps
            })
        };
        self.real_at(memory, pointer, bytes).or_else(in_elements)
    }

    fn real_where(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        is_it: impl Fn(Offset, &Entry) -> bool,
    ) -> Option<ScalarKind> {
        let views = [self.known()].into_iter().chain(&self.callers);
        views.into_iter().find_map(|view| {
            view.behind(memory, pointer)
                .find(|(at, e)| e.scalar.is_real() && is_it(*at, e))
                .map(|(_, e)| e.scalar)
        })
    }

    /// Whether accesses show that a real lies in the `bytes` bytes behind `pointer`, here or in a
    /// caller: at a place that is known, in each element of an array perhaps.
    pub fn surely_finds_real(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        self.finds_real(memory, pointer, bytes, |at| at.is_exact() || at.modulus > bytes)
    }

    /// Whether a real surely lies at an offset that says enough.
    fn finds_real(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        tells: impl Fn(Offset) -> bool,
    ) -> bool {
        let is_real = |e: &Evidence, o: usize, at: Offset| {
            e.of(o).any(|x| {
                x.scalar.is_real()
                    && x.sure != Sure::Perhaps
                    && x.offset.modulus == at.modulus
                    && x.overlaps(at, bytes)
            })
        };
        [self.known()]
            .into_iter()
            .chain(&self.callers)
            .any(|e| memory.places(pointer).any(|(o, at)| tells(at) && is_real(e, o, at)))
    }

    /// The same, or at one of the places of a row, or where copies may bring one.
    pub fn may_find_real(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let is_row = |at: Offset| tells(at, bytes);
        let is_real = |e: &Evidence, o: usize, at: Offset| {
            e.of(o).any(|x| x.scalar.is_real() && x.sure != Sure::Perhaps && at.includes(x.offset))
        };
        let mut views = [self.known()].into_iter().chain(&self.callers);
        self.surely_finds_real(memory, pointer, bytes)
            || self.may_be_brought(memory, pointer, bytes, is_row, ScalarKind::is_real)
            || views.any(|e| memory.places(pointer).any(|(o, at)| is_row(at) && is_real(e, o, at)))
    }

    /// Whether copies may bring such kinds to a place where `pointer` leads, of those that count.
    fn may_be_brought(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        counts: impl Fn(Offset) -> bool,
        is_kind: impl Fn(ScalarKind) -> bool,
    ) -> bool {
        let mut views = [self.known()].into_iter().chain(&self.callers);
        views.any(|e| {
            e.brought_behind(memory, pointer).any(|(at, (place, size), kind)| {
                is_kind(kind) && counts(at) && overlap(at, bytes, place, size)
            })
        })
    }

    /// Whether the load `v` may bring a pointer as a real, or as bits of one, and stores it
    /// elsewhere: passes move a union by the member that is in use later, and a caller may know of
    /// another. Pointers that are declared as such, beside an array of reals perhaps of which `v`
    /// loads some element, do not lie in unions. Loops over words move whatever lies there, but for
    /// arrays of integers.
    pub fn disguises_pointer(&self, body: &Body, memory: &PointsTo, v: ValueId) -> bool {
        !self.reals.contains(&v) && self.finds_pointer(body, memory, v)
    }

    /// The same whatever the source says, and where copies may bring a pointer: such a load may become
    /// a copy of memory, which is right for both.
    pub fn may_disguise_pointer(&self, body: &Body, memory: &PointsTo, v: ValueId) -> bool {
        let (pointer, bytes) = (body.operand(v, 0), body[v].bytes);
        // Some element of an array of reals is one where not all such memory is known.
        let is_known = memory.places(pointer).all(|(_, at)| tells(at, bytes));
        let counts = |at: Offset| tells(at, if is_known { bytes } else { bytes + 1 });
        let may_be_brought =
            || self.may_be_brought(memory, pointer, bytes, counts, |kind| kind == ScalarKind::Ptr);
        self.finds_pointer(body, memory, v)
            || self.may_disguise(body, v) && !matches!(body[v].ty, Ty::Int(_)) && may_be_brought()
    }

    /// Whether accesses show that a pointer may lie where `v` loads, and code hands the word on.
    fn finds_pointer(&self, body: &Body, memory: &PointsTo, v: ValueId) -> bool {
        let (pointer, bytes) = (body.operand(v, 0), body[v].bytes);
        let has_pointer = |e: &Evidence, o: usize, at: Offset| {
            let pointers =
                || e.of(o).filter(|x| x.scalar == ScalarKind::Ptr && x.overlaps(at, bytes));
            let is_declared = |x: &Entry| {
                pointers()
                    .any(|d| d.declared && (d.offset == x.offset || d.offset.includes(x.offset)))
            };
            pointers().any(|x| at.is_exact() || !is_declared(x))
        };
        // What the source calls an integer is one where an integer surely lies at the place, or at
        // the first of its loop.
        let start = |o: usize, at: Offset| {
            let address = Address::of(body, pointer);
            if at.is_exact() {
                Some(at)
            } else {
                let root = memory.start_in(address.root, o);
                root.map(|base| base.shifted(address.constant, std::iter::empty()))
            }
        };
        let is_integer = |e: &Evidence, o: usize, at: Offset| {
            let here = |at: Offset, scalar: ScalarKind| {
                e.all(o).iter().filter(move |x| x.scalar == scalar && x.overlaps(at, bytes))
            };
            let is_one = |x: &Entry, at: Offset| {
                x.claim <= Claim::Proven || x.declared && here(at, ScalarKind::Ptr).next().is_none()
            };
            start(o, at).is_some_and(|at| here(at, ScalarKind::Int).any(|x| is_one(x, at)))
        };
        let has_disguised = |e: &Evidence, o: usize, at: Offset| {
            let any = || {
                e.of(o).any(|x| {
                    x.scalar == ScalarKind::Ptr && x.sure != Sure::Perhaps && x.overlaps(at, bytes)
                })
            };
            match body[v].ty {
                Ty::Int(_) if body[v].is_integer || !at.is_exact() => {
                    any() && !is_integer(e, o, at)
                }
                _ => has_pointer(e, o, at),
            }
        };
        let is_known = |e: &Evidence| memory.places(pointer).any(|(o, at)| has_disguised(e, o, at));
        self.may_disguise(body, v)
            && memory.places(pointer).all(|(_, at)| tells(at, bytes))
            && [self.known()].into_iter().chain(&self.callers).any(is_known)
    }

    /// Whether a load is of as many bytes as a pointer has, or of eight, as a real or an integer, and
    /// what it brings is handed on as it is.
    pub(super) fn may_disguise(&self, body: &Body, v: ValueId) -> bool {
        let is_wide = matches!(body[v].ty, Ty::F64 | Ty::Int(64))
            || target::pointer() == 4 && matches!(body[v].ty, Ty::F32 | Ty::Int(32));
        let is_moved = || {
            if body[v].is_integer {
                !body[v].is_member && is_only_copied(body, v)
            } else {
                self.uses.passes_on(body, v)
            }
        };
        matches!(body[v].op, Op::Load) && is_wide && is_moved()
    }
}

/// Whether an offset says where in the elements of an array `bytes` lie.
fn tells(at: Offset, bytes: u64) -> bool {
    at.is_exact() || at.modulus >= bytes
}
