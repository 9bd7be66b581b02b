//! Sets of bits, word by word: what analyses do with states in each step.
//!
//! All sets of one body have the same length, and begin with a word, as all do that are not cut out
//! of others. The last word may have more bits than the set: whatever `!` and `bitvec![1; n]` left
//! there.

use super::Lattice;
use bitvec::prelude::*;

const WORD: usize = usize::BITS as usize;

/// The words of a set, without bits behind its end.
pub(super) fn words(set: &BitVec) -> impl Iterator<Item = usize> + '_ {
    let (whole, rest) = (set.len() / WORD, set.len() % WORD);
    let mask = move |i: usize| if i < whole { usize::MAX } else { (1 << rest) - 1 };
    set.as_raw_slice().iter().enumerate().map(move |(i, word)| word & mask(i))
}

/// The members of a set.
pub fn ones(set: &BitVec) -> impl Iterator<Item = usize> + '_ {
    words(set).enumerate().flat_map(|(i, word)| Ones(word).map(move |bit| i * WORD + bit))
}

/// The ones of a word.
struct Ones(usize);

impl Iterator for Ones {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// Adds the members of another set.
pub fn add(to: &mut BitVec, members: &BitVec) {
    to.join(members);
}

/// Adds what two sets have in common.
pub fn add_common(to: &mut BitVec, one: &BitVec, other: &BitVec) {
    let common = words(one).zip(words(other)).map(|(a, b)| a & b);
    to.as_raw_mut_slice().iter_mut().zip(common).for_each(|(mine, common)| *mine |= common);
}

/// Takes the members of another set out of a set.
pub fn remove(from: &mut BitVec, members: &BitVec) {
    let words = from.as_raw_mut_slice().iter_mut().zip(members.as_raw_slice());
    words.for_each(|(mine, others)| *mine &= !others);
}

/// What two sets have in common.
pub fn and(one: &BitVec, other: &BitVec) -> BitVec {
    let mut common = bitvec![0; one.len()];
    add_common(&mut common, one, other);
    common
}

/// Whether two sets have a member in common.
pub fn meet(one: &BitVec, other: &BitVec) -> bool {
    words(one).zip(words(other)).any(|(a, b)| a & b != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(length: usize, members: &[usize]) -> BitVec {
        let mut set = bitvec![0; length];
        members.iter().for_each(|&m| set.set(m, true));
        set
    }

    #[test]
    fn sets_of_several_words_are_as_their_members_say() {
        let (a, b) = (set(130, &[0, 63, 64, 128, 129]), set(130, &[1, 63, 129]));
        assert_eq!(ones(&a).collect::<Vec<_>>(), [0, 63, 64, 128, 129]);
        let mut all = set(130, &[5]);
        add_common(&mut all, &a, &b);
        assert_eq!(ones(&all).collect::<Vec<_>>(), [5, 63, 129]);
        remove(&mut all, &b);
        assert_eq!(ones(&all).collect::<Vec<_>>(), [5]);
        assert!(meet(&a, &b) && !meet(&all, &b));
    }

    #[test]
    fn bits_behind_the_end_are_none() {
        let (all, none) = (!set(70, &[]), set(70, &[]));
        assert_eq!(ones(&all).count(), 70);
        assert!(!meet(&!set(70, &[]), &none));
        let mut some = set(70, &[]);
        add_common(&mut some, &all, &all);
        assert_eq!(some, all);
    }
}
