//! Kinds that copies bring to places where evidence cannot follow.
//!
//! Evidence goes with a copy to the place of each entry ([`super::Evidence::spread`]), if both places
//! are known. Elsewhere, it is noted which kinds may come, and to which bytes, as far as these are
//! known. Errs towards too many places: beyond a limit, a kind may be at all elements of an array, or
//! anywhere in its object.

use super::{ScalarKind, entry::LEAST_STRIDE};
use crate::points_to::{Offset, gcd, overlap};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an object: where they begin, and how many.
pub type Place = (Offset, u64);

/// All bytes of an object.
pub const EVERYWHERE: Place = (Offset::ANY, 1);
/// The length of what may be as long as it likes.
pub const ENDLESS: u64 = u64::MAX >> 2;
/// Places of one kind in one object that are distinguished.
const MOST: usize = 16;
/// The object that stands for all that is not known: no offset says anything in it.
const UNKNOWN: usize = 0;

/// Kinds, and places of each, by object.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Brought(BTreeMap<usize, BTreeMap<ScalarKind, BTreeSet<Place>>>);

impl Brought {
    /// Notes that a kind may come to a place; whether that was news.
    pub fn add(&mut self, object: usize, kind: ScalarKind, place: Place) -> bool {
        // Integers are asked for nowhere.
        let is_vague = object == UNKNOWN
            || kind == ScalarKind::Int
            || (1..LEAST_STRIDE).contains(&place.0.modulus);
        let place = if is_vague { EVERYWHERE } else { place };
        let known = self.0.entry(object).or_default().entry(kind).or_default();
        if known.iter().any(|one| includes(*one, place)) {
            return false;
        }
        known.retain(|one| !includes(place, *one));
        known.insert(place);
        if known.len() > MOST {
            *known = widened(known);
        }
        true
    }
    /// The same of all that another one has; whether that was news.
    pub fn join(&mut self, other: &Brought) -> bool {
        let mut grew = false;
        for object in other.0.keys() {
            other.of(*object).for_each(|(kind, place)| grew |= self.add(*object, kind, place));
        }
        grew
    }
    /// Notes that all that may come to one object may come to another one, of which nothing is known.
    pub fn repeat(&mut self, object: usize, other: usize) {
        if let Some(all) = self.0.get(&object).cloned() {
            self.0.insert(other, all);
        }
    }
    /// Objects of which another one has not the same.
    pub fn changed_since(&self, before: &Brought) -> impl Iterator<Item = usize> {
        self.0.iter().filter(|(o, all)| before.0.get(o) != Some(all)).map(|(o, _)| *o)
    }
    /// Objects that something may come to.
    pub fn objects(&self) -> impl Iterator<Item = usize> {
        self.0.keys().copied()
    }
    /// What may come to an object, and where.
    pub fn of(&self, object: usize) -> impl Iterator<Item = (ScalarKind, Place)> {
        let kinds = self.0.get(&object).into_iter().flatten();
        kinds.flat_map(|(kind, places)| places.iter().map(|place| (*kind, *place)))
    }
    /// The kinds that may come to an object.
    pub fn kinds(&self, object: usize) -> impl Iterator<Item = ScalarKind> {
        self.0.get(&object).into_iter().flat_map(|kinds| kinds.keys().copied())
    }
    /// The kinds that may come to `bytes` bytes at an offset.
    pub fn kinds_at(
        &self,
        object: usize,
        at: Offset,
        bytes: u64,
    ) -> impl Iterator<Item = ScalarKind> {
        self.of(object)
            .filter(move |(_, place)| overlap(at, bytes, place.0, place.1))
            .map(|(kind, _)| kind)
    }
    /// Forgets other objects.
    pub fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.0.retain(|&o, _| is_kept(o));
    }
}

fn includes(all: Place, one: Place) -> bool {
    if all.0.is_exact() && one.0.is_exact() {
        let end = |(at, bytes): Place| at.constant.saturating_add_unsigned(bytes);
        return all.0.constant <= one.0.constant && end(one) <= end(all);
    }
    all == EVERYWHERE || (all.0 == one.0 || all.0.includes(one.0)) && one.1 <= all.1
}

/// Fewer places that include all of those: what lies at many elements of an array may be at all of
/// them. Of the strides that leave few enough, the one whose places include least, and of these the
/// longest; [`EVERYWHERE`], where there is none.
fn widened(all: &BTreeSet<Place>) -> BTreeSet<Place> {
    let strides = all.iter().flat_map(|(one, bytes)| {
        let others = all.iter().filter(move |other| other.1 == *bytes);
        others.map(|(other, _)| one.constant.abs_diff(other.constant))
    });
    let strides: BTreeSet<u64> = strides.filter(|stride| *stride >= LEAST_STRIDE).collect();
    let by = |stride: u64| -> BTreeSet<Place> {
        let wide =
            |&(at, bytes): &Place| (Offset::new(at.constant, gcd(at.modulus, stride)), bytes);
        all.iter().map(wide).collect()
    };
    let is_whole = |place: &Place| place.0.modulus >= LEAST_STRIDE.max(place.1);
    // Of so many bytes.
    let included = |places: &BTreeSet<Place>| -> u64 {
        const BYTES: u64 = 1 << 32;
        places.iter().map(|(at, bytes)| BYTES / at.modulus * bytes).sum()
    };
    let widened = strides.into_iter().rev().map(by);
    widened
        .filter(|places| places.len() <= MOST / 2 && places.iter().all(is_whole))
        .min_by_key(included)
        .unwrap_or_else(|| BTreeSet::from([EVERYWHERE]))
}

/// Where what lies at `place` of the source is after a copy of `length` bytes from `start` to `to`.
pub fn landing(start: Offset, length: Option<u64>, to: Offset, place: Place) -> Vec<Place> {
    let (length, (at, bytes)) = (length.unwrap_or(ENDLESS), place);
    if !overlap(start, length, at, bytes) {
        return vec![];
    }
    let stride = gcd(start.modulus, at.modulus);
    let relative = at.constant.wrapping_sub(start.constant);
    let moved = |bytes: i64| to.shifted(bytes, std::iter::empty());
    if stride == 0 {
        let (first, last) =
            (relative.max(0), relative.saturating_add_unsigned(bytes).min(length as i64));
        return vec![(moved(first), (last - first).max(0) as u64)];
    }
    if stride < bytes.max(LEAST_STRIDE) {
        return vec![(to, length)];
    }
    let first = relative.rem_euclid(stride as i64) as u64;
    if length / stride >= MOST as u64 {
        return vec![(to.plus(Offset::new(first as i64, stride)), bytes)];
    }
    // One element may begin before what is copied.
    let before = (first + bytes).saturating_sub(stride).min(length);
    let starts = (0..=length / stride).map(|k| first + k * stride).filter(|at| *at < length);
    let within = starts.map(|at| (moved(at as i64), bytes.min(length - at)));
    within.chain((before > 0).then_some((to, before))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: fn(i64) -> Offset = |at| Offset::new(at, 0);

    #[test]
    fn members_land_where_the_copy_puts_them() {
        let lands = |start, length, to, place| landing(start, Some(length), to, place);
        assert_eq!(lands(EXACT(8), 16, EXACT(0), (EXACT(16), 8)), [(EXACT(8), 8)]);
        assert_eq!(lands(EXACT(8), 16, EXACT(0), (EXACT(4), 8)), [(EXACT(0), 4)]);
        assert_eq!(lands(EXACT(8), 16, EXACT(0), (EXACT(24), 8)), []);
        let element = Offset::new(16, 56);
        assert_eq!(lands(EXACT(0), 40, element, (EXACT(8), 8)), [(Offset::new(24, 56), 8)]);
        assert_eq!(lands(element, 40, EXACT(0), (Offset::new(24, 56), 8)), [(EXACT(8), 8)]);
        assert_eq!(lands(element, 40, EXACT(0), (Offset::new(8, 56), 8)), []);
        assert_eq!(lands(element, 40, EXACT(0), (Offset::new(12, 56), 8)), [(EXACT(0), 4)]);
        assert_eq!(lands(element, 40, EXACT(3), EVERYWHERE), [(EXACT(3), 40)]);
    }

    #[test]
    fn places_at_many_elements_are_at_all_of_them() {
        let mut brought = Brought::default();
        for k in 0..=MOST as i64 / 2 {
            for member in [8, 24] {
                brought.add(1, ScalarKind::F64, (EXACT(48 * k + member), 8));
            }
        }
        let kinds = |at: i64, bytes| brought.kinds_at(1, Offset::new(at, 48), bytes).count();
        assert!(kinds(8, 8) > 0 && kinds(24, 8) > 0);
        assert_eq!((kinds(0, 8), kinds(16, 8), kinds(40, 4)), (0, 0, 0));
    }

    #[test]
    fn places_are_widened_to_the_elements_that_they_lie_in() {
        let mut brought = Brought::default();
        for k in 0..5 {
            for member in [8, 16, 32, 40, 48] {
                brought.add(1, ScalarKind::F64, (EXACT(56 * k + member), 8));
            }
        }
        let kinds = |at: i64| brought.kinds_at(1, Offset::new(at, 56), 8).count();
        assert!([8, 16, 32, 40, 48].into_iter().all(|member| kinds(member) > 0));
        assert_eq!((kinds(0), kinds(24)), (0, 0));
    }

    #[test]
    fn too_many_places_are_all() {
        let mut brought = Brought::default();
        for k in 0..=MOST as i64 {
            assert!(brought.add(1, ScalarKind::F64, (EXACT(16 * k), 200)));
            assert!(!brought.add(1, ScalarKind::F64, (EXACT(16 * k), 4)));
        }
        assert_eq!(brought.of(1).collect::<Vec<_>>(), [(ScalarKind::F64, EVERYWHERE)]);
        assert!(brought.add(0, ScalarKind::Ptr, (EXACT(8), 8)));
        assert_eq!(brought.kinds_at(0, EXACT(0), 1).collect::<Vec<_>>(), [ScalarKind::Ptr]);
    }
}
