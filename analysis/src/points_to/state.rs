//! What pointers lead to, and what memory holds of them at one point.

use super::offset::Offset;
use crate::dataflow::{self, Lattice, Pool, Pooled};
use std::{cell::RefCell, cmp::Ordering};

/// Offsets of one pointer into one object that are told apart where an index has few values, as for the
/// children of a tree's node. Of more, the common stride is known; and of those of two pointers where
/// ways meet, unless one has all of the other's: a loop that steps a pointer on would soon have many.
pub const MOST_OFFSETS: usize = 4;

/// Where a pointer may lead: objects, with the offsets in each. (The header of a tree is a member of
/// an object, its nodes are objects: one offset for both would be none.)
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Targets {
    /// Indices of objects, sorted.
    pub objects: Vec<u32>,
    /// One offset that holds in all of them; meaningless while there is no object.
    pub offset: Offset,
    /// The offsets in each, sorted: one, or up to [`MOST_OFFSETS`] that are exact.
    places: Vec<Place>,
}

/// An object and an offset in it.
type Place = (u32, Offset);

impl Targets {
    /// No object: null, undefined, not yet known.
    pub const NONE: Targets = Targets { objects: vec![], offset: Offset::START, places: vec![] };

    /// That offset in each of these objects, which are sorted.
    pub fn new(objects: Vec<u32>, offset: Offset) -> Targets {
        let places = objects.iter().map(|&o| (o, offset)).collect();
        Targets { objects, offset, places }
    }
    /// The start of one object.
    pub fn start_of(object: u32) -> Targets {
        Targets::new(vec![object], Offset::START)
    }
    /// Anywhere in one object.
    pub fn within(object: u32) -> Targets {
        Targets::new(vec![object], Offset::ANY)
    }
    /// The same objects, at that offset.
    pub fn at(&self, offset: Offset) -> Targets {
        Targets::new(self.objects.clone(), offset)
    }
    /// The same objects, further on.
    pub fn plus(&self, offset: Offset) -> Targets {
        let mut moved = self.clone();
        moved.offset = moved.offset.plus(offset);
        moved.places.iter_mut().for_each(|(_, at)| *at = at.plus(offset));
        if moved.places.len() > moved.objects.len() {
            moved.places =
                by_object(&moved.places).flat_map(|all| distinct(all, MOST_OFFSETS)).collect();
        }
        moved
    }
    /// The objects with the offsets in each: an object comes as often as it has offsets.
    pub fn each(&self) -> impl Iterator<Item = (u32, Offset)> + '_ {
        self.places.iter().copied()
    }
    /// What holds of the offset in one of them.
    pub fn within_object(&self, object: u32) -> Option<Offset> {
        let first = self.places.partition_point(|&(o, _)| o < object);
        let here = self.places[first..].iter().take_while(|&&(o, _)| o == object);
        here.map(|&(_, at)| at).reduce(Offset::join)
    }
    /// Whether they may be any memory.
    pub fn is_anywhere(&self) -> bool {
        self.objects.contains(&super::flow::UNKNOWN)
    }
    /// Forgets the objects that are not so.
    pub fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        self.objects.retain(|&o| is_kept(o));
        self.places.retain(|&(o, _)| is_kept(o));
    }
}

/// Places object by object.
fn by_object(places: &[Place]) -> impl Iterator<Item = Vec<Place>> + '_ {
    places.chunk_by(|a, b| a.0 == b.0).map(<[Place]>::to_vec)
}

/// Places in one object as [`Targets`] keeps them, at most so many.
fn distinct(mut places: Vec<Place>, most: usize) -> Vec<Place> {
    places.sort_unstable();
    places.dedup();
    let tells = places.len() <= most && places.iter().all(|(_, at)| at.is_exact());
    if !tells {
        places = places.into_iter().reduce(|a, b| (a.0, a.1.join(b.1))).into_iter().collect();
    }
    places
}

/// The places of two pointers. Of an object that both lead to, `most` says how many offsets are kept,
/// given how many each has.
fn merged(a: &[Place], b: &[Place], most: impl Fn(usize, usize) -> usize) -> Vec<Place> {
    let (mut i, mut k) = (0, 0);
    let mut all = Vec::with_capacity(a.len() + b.len());
    let count = |places: &[Place]| places.iter().take_while(|p| p.0 == places[0].0).count();
    while i < a.len() && k < b.len() {
        match a[i].0.cmp(&b[k].0) {
            Ordering::Less => {
                all.push(a[i]);
                i += 1;
            }
            Ordering::Greater => {
                all.push(b[k]);
                k += 1;
            }
            Ordering::Equal => {
                let (mine, theirs) = (&a[i..i + count(&a[i..])], &b[k..k + count(&b[k..])]);
                i += mine.len();
                k += theirs.len();
                match (mine, theirs, most(mine.len(), theirs.len())) {
                    (&[x], &[y], 1) => all.push((x.0, x.1.join(y.1))),
                    (_, _, most) => all.extend(distinct([mine, theirs].concat(), most)),
                }
            }
        }
    }
    all.extend(&a[i..]);
    all.extend(&b[k..]);
    all
}

impl Lattice for Targets {
    fn join(&mut self, other: &Targets) -> bool {
        if other.objects.is_empty() {
            return false;
        }
        if self.objects.is_empty() {
            *self = other.clone();
            return true;
        }
        let offset = self.offset.join(other.offset);
        let grows = offset != self.offset;
        self.offset = offset;
        if self.has_all(other) {
            return grows;
        }
        self.places = merged(&self.places, &other.places, |mine, theirs| mine.max(theirs));
        self.objects = self.places.iter().map(|&(o, _)| o).collect();
        self.objects.dedup();
        true
    }
}

impl Targets {
    /// These places, and one that is further on: an index has few values.
    pub fn or(&mut self, other: &Targets) {
        self.offset = self.offset.join(other.offset);
        self.places = merged(&self.places, &other.places, |_, _| MOST_OFFSETS);
    }

    /// Whether the places of `other` are all among these. Both are sorted: one pass.
    fn has_all(&self, other: &Targets) -> bool {
        let mut i = 0;
        other.places.iter().all(|&(o, at)| {
            while self.places.get(i).is_some_and(|mine| mine.0 < o) {
                i += 1;
            }
            let here = self.places[i..].iter().take_while(|mine| mine.0 == o);
            here.into_iter().any(|mine| mine.1.join(at) == mine.1)
        })
    }
}

/// A state: what each slot holds. A row per slot, as in the matrices of the C paper.
pub type Contents = dataflow::Contents<Targets>;
/// The pointer in one slot.
pub type Content = dataflow::Content<Targets>;

static NOTHING: Targets = Targets::NONE;

/// What was stored in a slot since the entry.
pub fn stored(content: &Content) -> &Targets {
    content.stored().map_or(&NOTHING, |targets| targets)
}

thread_local! {
    static POOL: RefCell<Pool<Targets>> = RefCell::default();
}

impl Pooled for Targets {
    fn with_pool<R>(f: impl FnOnce(&mut Pool<Targets>) -> R) -> R {
        POOL.with_borrow_mut(f)
    }
    fn is_nothing(&self) -> bool {
        self.objects.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::{contents::PIECE, tests::laws::hold};
    use proptest::{collection::vec, prelude::*, sample::select};
    use std::rc::Rc;

    /// Of two pieces.
    const SLOTS: u32 = PIECE as u32 + 2;

    fn targets() -> impl Strategy<Value = Targets> {
        let offset = (-64i64..64, select(vec![0, 1, 4, 8, 12, 24, 1 << 40]))
            .prop_map(|(c, m)| Offset::new(c, m));
        proptest::collection::btree_map(0u32..5, offset, 0..4).prop_map(|of| {
            let mut all = Targets::NONE;
            of.into_iter()
                .for_each(|(object, offset)| _ = all.join(&Targets::new(vec![object], offset)));
            all
        })
    }

    /// What a function that does some stores holds at its exit.
    fn contents() -> impl Strategy<Value = Contents> {
        let store = (select(vec![0, 1, SLOTS - 1]), targets(), any::<bool>());
        (vec(store, 0..6), proptest::bool::weighted(0.9)).prop_map(|(stores, reached)| {
            let mut contents = if reached { Contents::entry() } else { Contents::default() };
            for (slot, new, surely) in stores.into_iter().filter(|_| reached) {
                let new = Rc::new(new);
                if surely { contents.set(slot, &new) } else { contents.add(slot, &new) }
            }
            contents
        })
    }

    /// The meaning: the offset of no object is none.
    fn meaning(t: &Targets) -> (Vec<(u32, Offset)>, Option<Offset>) {
        (t.each().collect(), (!t.objects.is_empty()).then_some(t.offset))
    }
    type Meaning = (Vec<(u32, Offset)>, Option<Offset>);
    fn scalar(c: &Contents) -> Option<Vec<(bool, Meaning)>> {
        let of = |s| match c.get(s) {
            Some(content) => (content.may_keep_entry, meaning(stored(content))),
            None => (true, meaning(&NOTHING)),
        };
        c.is_reached().then(|| (0..SLOTS).map(of).collect())
    }

    proptest! {
        #[test]
        fn targets_are_a_lattice(a in targets(), b in targets(), c in targets()) {
            hold(&Targets::NONE, &a, &b, &c, meaning);
        }

        #[test]
        fn contents_are_a_lattice(a in contents(), b in contents(), c in contents()) {
            hold(&Contents::default(), &a, &b, &c, scalar);
        }

        #[test]
        fn contents_are_equal_where_they_hold_the_same(a in contents(), b in contents()) {
            let mut all = a.clone();
            if !all.join(&b) {
                prop_assert_eq!(&all, &a);
            }
        }

        #[test]
        fn an_offset_that_joins_others_stands_for_all_of_theirs(a in targets(), b in targets(), n in -3i64..4) {
            let joined = a.offset.join(b.offset);
            for one in [a.offset, b.offset] {
                let at = Offset::new(one.constant + n * (one.modulus as i64), 0);
                prop_assert_eq!(joined.join(at), joined, "{:?} of {:?}", at, one);
            }
        }
    }
}
