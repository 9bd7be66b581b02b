//! Where text with active digits is at a point of a function.

use crate::dataflow::{Lattice, sets};
use bitvec::prelude::*;

/// What memory holds: locations that may hold text, and locations that may hold integers which were
/// made of its digits. Text may be overwritten as a whole and moved in any width; such an integer lies
/// where a store has put it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Characters, and pointers to them.
    pub text: BitVec,
    /// Integers.
    pub digits: BitVec,
}

impl State {
    /// None of either.
    pub fn nothing(none: BitVec) -> State {
        State { text: none.clone(), digits: none }
    }
    /// What two have in common.
    pub fn common(&self, other: &State) -> State {
        State {
            text: sets::and(&self.text, &other.text),
            digits: sets::and(&self.digits, &other.digits),
        }
    }
}

impl Lattice for State {
    fn join(&mut self, other: &State) -> bool {
        let text = self.text.join(&other.text);
        self.digits.join(&other.digits) || text
    }
}
