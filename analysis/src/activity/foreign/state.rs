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
    /// Characters that do not end with the exception that a handler has caught.
    pub lasting_text: BitVec,
    /// The same of integers.
    pub lasting_digits: BitVec,
}

impl State {
    /// None of either.
    pub fn nothing(none: BitVec) -> State {
        State {
            text: none.clone(),
            digits: none.clone(),
            lasting_text: none.clone(),
            lasting_digits: none,
        }
    }
    /// What lasts of it.
    pub fn lasting(self) -> State {
        let State { lasting_text, lasting_digits, .. } = self;
        State {
            text: lasting_text.clone(),
            digits: lasting_digits.clone(),
            lasting_text,
            lasting_digits,
        }
    }
    /// What two have in common.
    pub fn common(&self, other: &State) -> State {
        State {
            text: sets::and(&self.text, &other.text),
            digits: sets::and(&self.digits, &other.digits),
            lasting_text: sets::and(&self.lasting_text, &other.lasting_text),
            lasting_digits: sets::and(&self.lasting_digits, &other.lasting_digits),
        }
    }
}

impl Lattice for State {
    fn join(&mut self, other: &State) -> bool {
        [
            self.text.join(&other.text),
            self.digits.join(&other.digits),
            self.lasting_text.join(&other.lasting_text),
            self.lasting_digits.join(&other.lasting_digits),
        ]
        .contains(&true)
    }
}
