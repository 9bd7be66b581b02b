//! What is known of one object: its entries, and which of them count.

use super::{Claim, Entry, ScalarKind, Sure};
use crate::points_to::{Offset, overlap};
use adir::hashed::HashSet;
use std::cell::OnceCell;

/// The entries of one object.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// Each once, in the order in which they were found.
    list: Vec<Entry>,
    all: HashSet<Entry>,
    /// Where there are reals, and integers of which the source says it: what decides whether
    /// others count.
    reals: Vec<(Offset, u64)>,
    integers: Vec<(Offset, u64)>,
    kinds: Vec<ScalarKind>,
    /// Those that count, once somebody has asked.
    counting: OnceCell<Vec<Entry>>,
}

impl PartialEq for Known {
    fn eq(&self, other: &Known) -> bool {
        self.list == other.list
    }
}
impl Eq for Known {}

impl FromIterator<Entry> for Known {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Known {
        let mut known = Known::default();
        entries.into_iter().for_each(|e| known.add(e));
        known
    }
}

impl Known {
    /// Adds an entry that it does not have.
    pub fn add(&mut self, e: Entry) {
        self.counting.take();
        self.list.push(e);
        self.all.insert(e);
        let place = (e.offset, e.bytes);
        if e.scalar.is_real() && !self.reals.contains(&place) {
            self.reals.push(place);
        }
        if e.sure == Sure::Source && !self.integers.contains(&place) {
            self.integers.push(place);
        }
        if !self.kinds.contains(&e.scalar) {
            self.kinds.push(e.scalar);
        }
    }
    /// All entries, in the order in which they were found.
    pub fn list(&self) -> &[Entry] {
        &self.list
    }
    /// Whether it has an entry.
    pub fn contains(&self, e: &Entry) -> bool {
        self.all.contains(e)
    }
    /// The kinds of all entries, each once.
    pub fn kinds(&self) -> impl Iterator<Item = ScalarKind> {
        self.kinds.iter().copied()
    }
    /// The entries that count ([`super::Evidence::of`]).
    pub fn counting(&self) -> &[Entry] {
        let found = || self.list.iter().filter(|e| self.counts(e)).copied().collect();
        self.counting.get_or_init(found)
    }
    /// Whether an entry of this object is among what is known of it ([`super::Evidence::of`]).
    pub fn counts(&self, e: &Entry) -> bool {
        match e.claim {
            Claim::Index | Claim::Proven => {
                e.sure != Sure::Perhaps
                    || !e.scalar.is_real()
                    || !self.integers.contains(&(e.offset, e.bytes))
            }
            Claim::Struct | Claim::Type => {
                !self.reals.iter().any(|&(at, bytes)| overlap(at, bytes, e.offset, e.bytes))
            }
        }
    }
}
