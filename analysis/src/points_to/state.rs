//! What pointers lead to, and what memory holds of them at one point.

use super::offset::Offset;
use crate::dataflow::Lattice;
use std::collections::BTreeMap;

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
        for (o, offset) in other.each() {
            match self.objects.binary_search(&o) {
                Ok(i) => {
                    let both = self.offsets[i].join(offset);
                    grows |= both != self.offsets[i];
                    self.offsets[i] = both;
                }
                Err(i) => {
                    self.objects.insert(i, o);
                    self.offsets.insert(i, offset);
                    grows = true;
                }
            }
        }
        grows
    }
}

/// The pointer in one slot, relative to the function's entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// It may be what it was at the entry.
    pub may_keep_entry: bool,
    /// What was stored since.
    pub stored: Targets,
}

impl Content {
    const INITIAL: Content = Content { may_keep_entry: true, stored: Targets::NONE };
}

/// Contents of all slots at one point: a row per slot, as in the matrices of the C paper; what is
/// not listed is as it was at the entry.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Whether the point is reached.
    reached: bool,
    slots: BTreeMap<u32, Content>,
}

impl Contents {
    /// At the function's entry.
    pub fn entry() -> Contents {
        Contents { reached: true, ..Contents::default() }
    }
    /// The content of a slot.
    pub fn get(&self, slot: u32) -> Content {
        self.slots.get(&slot).cloned().unwrap_or(Content::INITIAL)
    }
    /// Overwrites a slot.
    pub fn set(&mut self, slot: u32, stored: Targets) {
        self.slots.insert(slot, Content { may_keep_entry: false, stored });
    }
    /// Perhaps overwrites a slot.
    pub fn add(&mut self, slot: u32, stored: &Targets) {
        self.slots.entry(slot).or_insert(Content::INITIAL).stored.join(stored);
    }
    /// Slots that may have changed since the entry.
    pub fn changed(&self) -> impl Iterator<Item = (u32, &Content)> {
        self.slots
            .iter()
            .map(|(s, c)| (*s, c))
            .filter(|(_, c)| !c.may_keep_entry || !c.stored.objects.is_empty())
    }
}

/// A slot that is listed as it was at the entry is like one that is not.
impl PartialEq for Contents {
    fn eq(&self, other: &Contents) -> bool {
        self.reached == other.reached && self.changed().eq(other.changed())
    }
}

impl Lattice for Contents {
    fn join(&mut self, other: &Contents) -> bool {
        if !other.reached {
            return false;
        }
        if !self.reached {
            *self = other.clone();
            return true;
        }
        let mut grows = false;
        for (slot, mine) in &mut self.slots {
            if !other.slots.contains_key(slot) {
                grows |= mine.may_keep_entry.join(&true);
            }
        }
        for (&slot, theirs) in &other.slots {
            let mine = self.slots.entry(slot).or_insert(Content::INITIAL);
            grows |= mine.may_keep_entry.join(&theirs.may_keep_entry);
            grows |= mine.stored.join(&theirs.stored);
        }
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::tests::laws::hold;
    use proptest::{collection::vec, prelude::*, sample::select};

    const SLOTS: u32 = 3;

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
        let store = (0..SLOTS, targets(), any::<bool>());
        (vec(store, 0..6), proptest::bool::weighted(0.9)).prop_map(|(stores, reached)| {
            let mut contents = if reached { Contents::entry() } else { Contents::default() };
            for (slot, stored, surely) in stores.into_iter().filter(|_| reached) {
                if surely { contents.set(slot, stored) } else { contents.add(slot, &stored) }
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
        let of = |s| {
            let Content { may_keep_entry, stored } = c.get(s);
            (may_keep_entry, meaning(&stored))
        };
        c.reached.then(|| (0..SLOTS).map(of).collect())
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
