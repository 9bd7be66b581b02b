//! Join semilattices: what states and facts are made of.

use super::sets;
use bitvec::prelude::*;
use std::collections::BTreeMap;

/// Values that can be joined. `join` is the least upper bound: associative, commutative,
/// idempotent; chains are finite.
pub trait Lattice: Clone {
    /// self := self ∪ other; whether that changed self.
    fn join(&mut self, other: &Self) -> bool;
}

/// No information: for analyses without states or without facts.
impl Lattice for () {
    fn join(&mut self, (): &()) -> bool {
        false
    }
}

/// false < true.
impl Lattice for bool {
    fn join(&mut self, other: &bool) -> bool {
        let grows = !*self && *other;
        *self |= other;
        grows
    }
}

/// Sets over a dense universe; union. Sets of different lengths are as if padded by zeros. They
/// begin with a word, as all do that are not cut out of others.
impl Lattice for BitVec {
    fn join(&mut self, other: &BitVec) -> bool {
        if self.len() < other.len() {
            self.resize(other.len(), false);
        }
        let mut grows = false;
        for (mine, theirs) in self.as_raw_mut_slice().iter_mut().zip(sets::words(other)) {
            grows |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        grows
    }
}

/// `None` is bottom.
impl<T: Lattice> Lattice for Option<T> {
    fn join(&mut self, other: &Option<T>) -> bool {
        match (self, other) {
            (_, None) => false,
            (Some(a), Some(b)) => a.join(b),
            (this, Some(b)) => {
                *this = Some(b.clone());
                true
            }
        }
    }
}

/// Pointwise; a missing key is bottom.
impl<K: Ord + Clone, T: Lattice> Lattice for BTreeMap<K, T> {
    fn join(&mut self, other: &BTreeMap<K, T>) -> bool {
        let mut grows = false;
        for (k, theirs) in other {
            match self.get_mut(k) {
                Some(mine) => grows |= mine.join(theirs),
                None => {
                    self.insert(k.clone(), theirs.clone());
                    grows = true;
                }
            }
        }
        grows
    }
}
