//! What pointers lead to, and what memory holds of them at one point.

use super::offset::Offset;
use crate::dataflow::Lattice;
use std::collections::BTreeMap;

/// Where a pointer may lead: objects, and one offset that holds in all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Targets {
    /// Indices of objects, sorted.
    pub objects: Vec<u32>,
    /// Meaningless while there is no object.
    pub offset: Offset,
}

impl Targets {
    /// No object: null, undefined, not yet known.
    pub const NONE: Targets = Targets { objects: vec![], offset: Offset::START };

    /// The start of one object.
    pub fn start_of(object: u32) -> Targets {
        Targets { objects: vec![object], offset: Offset::START }
    }
    /// Anywhere in one object.
    pub fn within(object: u32) -> Targets {
        Targets { objects: vec![object], offset: Offset::ANY }
    }
    /// The same objects, further on.
    pub fn at(&self, offset: Offset) -> Targets {
        Targets { objects: self.objects.clone(), offset }
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
        for o in &other.objects {
            if let Err(at) = self.objects.binary_search(o) {
                self.objects.insert(at, *o);
                grows = true;
            }
        }
        grows
    }
}

/// The pointer in one slot, relative to the function's entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// It may be what it was at the entry.
    pub kept: bool,
    /// What was stored since.
    pub stored: Targets,
}

impl Content {
    const INITIAL: Content = Content { kept: true, stored: Targets::NONE };
}

/// Contents of all slots at one point: a row per slot, as in the matrices of the C paper; what is not listed is as it was
/// at the entry.
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
        self.slots.insert(slot, Content { kept: false, stored });
    }
    /// Perhaps overwrites a slot.
    pub fn add(&mut self, slot: u32, stored: &Targets) {
        self.slots.entry(slot).or_insert(Content::INITIAL).stored.join(stored);
    }
    /// Slots that may have changed since the entry.
    pub fn changed(&self) -> impl Iterator<Item = (u32, &Content)> {
        self.slots.iter().map(|(s, c)| (*s, c)).filter(|(_, c)| !c.kept || !c.stored.objects.is_empty())
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
                grows |= mine.kept.join(&true);
            }
        }
        for (&slot, theirs) in &other.slots {
            let mine = self.slots.entry(slot).or_insert(Content::INITIAL);
            grows |= mine.kept.join(&theirs.kept);
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
        let offset = (-64i64..64, select(vec![0, 1, 4, 8, 12, 24, 1 << 40])).prop_map(|(c, m)| Offset::new(c, m));
        (proptest::collection::btree_set(0u32..5, 0..4), offset)
            .prop_map(|(objects, offset)| Targets { objects: objects.into_iter().collect(), offset })
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
    fn meaning(t: &Targets) -> (Vec<u32>, Option<Offset>) {
        (t.objects.clone(), (!t.objects.is_empty()).then_some(t.offset))
    }
    fn held(c: &Contents) -> Option<Vec<(bool, (Vec<u32>, Option<Offset>))>> {
        let of = |s| {
            let Content { kept, stored } = c.get(s);
            (kept, meaning(&stored))
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
            hold(&Contents::default(), &a, &b, &c, held);
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
