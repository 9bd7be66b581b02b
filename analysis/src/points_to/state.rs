//! What pointers lead to, and what memory holds of them at one point.

use super::offset::Offset;
use crate::dataflow::{self, Lattice, Pool, Pooled};
use std::cell::RefCell;

/// Where a pointer may lead: objects, with the offset in each. (The header of a tree is a member of
/// an object, its nodes are objects: one offset for both would be none.)
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Targets {
    /// Indices of objects, sorted.
    pub objects: Vec<u32>,
    /// One offset that holds in all of them; meaningless while there is no object.
    pub offset: Offset,
    /// The offset in each.
    offsets: Vec<Offset>,
}

impl Targets {
    /// No object: null, undefined, not yet known.
    pub const NONE: Targets = Targets { objects: vec![], offset: Offset::START, offsets: vec![] };

    /// That offset in each of these objects, which are sorted.
    pub fn new(objects: Vec<u32>, offset: Offset) -> Targets {
        let offsets = vec![offset; objects.len()];
        Targets { objects, offset, offsets }
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
        moved.offsets.iter_mut().chain([&mut moved.offset]).for_each(|at| *at = at.plus(offset));
        moved
    }
    /// The objects with the offset in each.
    pub fn each(&self) -> impl Iterator<Item = (u32, Offset)> + '_ {
        self.objects.iter().copied().zip(self.offsets.iter().copied())
    }
    /// The offset in one of them.
    pub fn within_object(&self, object: u32) -> Option<Offset> {
        self.objects.binary_search(&object).ok().map(|i| self.offsets[i])
    }
    /// Whether they may be any memory.
    pub fn is_anywhere(&self) -> bool {
        self.objects.contains(&super::flow::UNKNOWN)
    }
    /// Forgets the objects that are not so.
    pub fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        let may_keep_entry: Vec<(u32, Offset)> = self.each().filter(|&(o, _)| is_kept(o)).collect();
        (self.objects, self.offsets) = may_keep_entry.into_iter().unzip();
    }
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
        let mut grows = offset != self.offset;
        self.offset = offset;
        // Both are sorted: one pass, which stops at the first object that is missing here.
        let mut i = 0;
        for (k, (o, offset)) in other.each().enumerate() {
            while self.objects.get(i).is_some_and(|&mine| mine < o) {
                i += 1;
            }
            if self.objects.get(i) != Some(&o) {
                self.insert_all(i, other, k);
                return true;
            }
            let both = self.offsets[i].join(offset);
            grows |= both != self.offsets[i];
            self.offsets[i] = both;
        }
        grows
    }
}

impl Targets {
    /// Takes in the targets of `other` from number `k` on, which all come after the first `i` here.
    fn insert_all(&mut self, i: usize, other: &Targets, k: usize) {
        let (mine, mine_at) = (self.objects.split_off(i), self.offsets.split_off(i));
        let mut mine = mine.into_iter().zip(mine_at).peekable();
        let mut theirs = other.each().skip(k).peekable();
        loop {
            let (object, offset) = match (mine.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(_), None) => mine.next().expect("peeked"),
                (None, Some(_)) => theirs.next().expect("peeked"),
                (Some(m), Some(t)) if m.0 < t.0 => mine.next().expect("peeked"),
                (Some(m), Some(t)) if t.0 < m.0 => theirs.next().expect("peeked"),
                (Some(_), Some(_)) => {
                    let (m, t) = (mine.next().expect("peeked"), theirs.next().expect("peeked"));
                    (m.0, m.1.join(t.1))
                }
            };
            self.objects.push(object);
            self.offsets.push(offset);
        }
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
