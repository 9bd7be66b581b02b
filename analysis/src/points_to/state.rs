//! What pointers lead to, and what memory holds of them at one point.

use super::offset::Offset;
use crate::dataflow::Lattice;
use std::rc::Rc;

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

/// The pointer in one slot, relative to the function's entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// It may be what it was at the entry.
    pub may_keep_entry: bool,
    /// What was stored since; shared by the states that hold the same. `None` for nothing.
    stored: Option<Rc<Targets>>,
}

static NOTHING: Targets = Targets::NONE;

impl Content {
    const INITIAL: Content = Content { may_keep_entry: true, stored: None };

    fn new(may_keep_entry: bool, stored: &Rc<Targets>) -> Content {
        let stored = (!stored.objects.is_empty()).then(|| stored.clone());
        Content { may_keep_entry, stored }
    }
    /// What was stored since the entry.
    pub fn stored(&self) -> &Targets {
        self.stored.as_deref().unwrap_or(&NOTHING)
    }
    fn add(&mut self, stored: &Rc<Targets>) -> bool {
        if stored.objects.is_empty() {
            return false;
        }
        let Some(mine) = &mut self.stored else {
            self.stored = Some(stored.clone());
            return true;
        };
        if Rc::ptr_eq(mine, stored) {
            return false;
        }
        if mine == stored {
            // The next comparison is cheap.
            *mine = stored.clone();
            return false;
        }
        let mut all = Targets::clone(mine);
        let grows = all.join(stored);
        if grows {
            *mine = if all == **stored { stored.clone() } else { Rc::new(all) };
        }
        grows
    }
}

impl Lattice for Content {
    fn join(&mut self, other: &Content) -> bool {
        let keeps = self.may_keep_entry.join(&other.may_keep_entry);
        let adds = other.stored.as_ref().is_some_and(|theirs| self.add(theirs));
        keeps | adds
    }
}

/// Slots whose contents are one piece of a state.
const PIECE: usize = 16;

type Piece = [Content; PIECE];

/// Contents of all slots at one point: a row per slot, as in the matrices of the C paper. States
/// share the pieces in which they do not differ, so that a copy costs little, and a join costs what
/// differs.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Whether the point is reached.
    reached: bool,
    /// By slot; a piece that is missing is as it was at the entry.
    pieces: Vec<Option<Rc<Piece>>>,
}

impl Contents {
    /// At the function's entry.
    pub fn entry() -> Contents {
        Contents { reached: true, ..Contents::default() }
    }
    /// The content of a slot.
    pub fn get(&self, slot: u32) -> &Content {
        match self.pieces.get(slot as usize / PIECE) {
            Some(Some(piece)) => &piece[slot as usize % PIECE],
            _ => &Content::INITIAL,
        }
    }
    /// Overwrites a slot.
    pub fn set(&mut self, slot: u32, stored: &Rc<Targets>) {
        *self.content(slot) = Content::new(false, stored);
    }
    /// Perhaps overwrites a slot.
    pub fn add(&mut self, slot: u32, stored: &Rc<Targets>) {
        let before = self.get(slot).stored();
        if !stored.objects.is_empty() && !std::ptr::eq(before, &**stored) {
            self.content(slot).add(stored);
        }
    }
    fn content(&mut self, slot: u32) -> &mut Content {
        let (piece, at) = (slot as usize / PIECE, slot as usize % PIECE);
        if self.pieces.len() <= piece {
            self.pieces.resize(piece + 1, None);
        }
        let piece = self.pieces[piece].get_or_insert_with(untouched);
        &mut Rc::make_mut(piece)[at]
    }
    /// Slots that may have changed since the entry.
    pub fn changed(&self) -> impl Iterator<Item = (u32, &Content)> {
        let pieces = self.pieces.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        pieces
            .flat_map(|(i, p)| p.iter().enumerate().map(move |(k, c)| ((i * PIECE + k) as u32, c)))
            .filter(|(_, c)| **c != Content::INITIAL)
    }
}

fn untouched() -> Rc<Piece> {
    Rc::new([const { Content::INITIAL }; PIECE])
}

fn is_same(a: &Option<Rc<Piece>>, b: &Option<Rc<Piece>>) -> bool {
    let is_initial = |p: &Rc<Piece>| p.iter().all(|c| *c == Content::INITIAL);
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
        (Some(p), None) | (None, Some(p)) => is_initial(p),
    }
}

/// A piece that is listed as it was at the entry is like one that is not.
impl PartialEq for Contents {
    fn eq(&self, other: &Contents) -> bool {
        let pieces = self.pieces.len().max(other.pieces.len());
        let at = |c: &Contents, i: usize| c.pieces.get(i).cloned().flatten();
        self.reached == other.reached && (0..pieces).all(|i| is_same(&at(self, i), &at(other, i)))
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
        if self.pieces.len() < other.pieces.len() {
            self.pieces.resize(other.pieces.len(), None);
        }
        for (i, mine) in self.pieces.iter_mut().enumerate() {
            let theirs = other.pieces.get(i).and_then(Option::as_ref);
            let entry = || untouched();
            match (&mut *mine, theirs) {
                (None, None) => {}
                (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
                (mine, theirs) => {
                    let theirs = theirs.cloned().unwrap_or_else(entry);
                    let own = mine.get_or_insert_with(entry);
                    let mut all = Piece::clone(own);
                    let mut more = false;
                    for (a, b) in all.iter_mut().zip(&*theirs) {
                        more |= a.join(b);
                    }
                    grows |= more;
                    // The next comparison is cheap.
                    *own = if all == *theirs { theirs } else { Rc::new(all) };
                }
            }
        }
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::tests::laws::hold;
    use proptest::{collection::vec, prelude::*, sample::select};

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
            for (slot, stored, surely) in stores.into_iter().filter(|_| reached) {
                let stored = Rc::new(stored);
                if surely { contents.set(slot, &stored) } else { contents.add(slot, &stored) }
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
            let content = c.get(s);
            (content.may_keep_entry, meaning(content.stored()))
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
