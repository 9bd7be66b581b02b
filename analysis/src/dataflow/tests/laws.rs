//! The laws of lattices, for each that there is; those of single analyses are asked beside them
//! with [`hold`].

use crate::dataflow::{Lattice, sets};
use bitvec::prelude::*;
use proptest::{collection::vec, option, prelude::*};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
};

fn joined<T: Lattice>(a: &T, b: &T) -> T {
    let mut all = a.clone();
    all.join(b);
    all
}

/// Checks the laws on three elements and on bottom; `view` is what an element means.
pub(crate) fn hold<T: Lattice, V: PartialEq + Debug>(
    bottom: &T,
    a: &T,
    b: &T,
    c: &T,
    view: impl Fn(&T) -> V,
) {
    let same = |x: &T, y: &T, law: &str| assert_eq!(view(x), view(y), "{law}");
    same(&joined(&joined(a, b), c), &joined(a, &joined(b, c)), "associative");
    same(&joined(a, b), &joined(b, a), "commutative");
    same(&joined(a, a), a, "idempotent");
    same(&joined(bottom, a), a, "bottom is neutral");
    same(&joined(a, bottom), a, "bottom is neutral");
    let all = joined(&joined(a, b), c);
    for (x, y) in [
        (a, b),
        (b, a),
        (a, c),
        (a, a),
        (bottom, a),
        (a, bottom),
        (&all, a),
        (&all, b),
        (a, &all),
        (&all, c),
    ] {
        let mut high = x.clone();
        let grows = high.join(y);
        assert_eq!(
            grows,
            view(&high) != view(x),
            "the answer of {:?} joined with {:?}",
            view(x),
            view(y)
        );
        assert!(
            !high.join(y) && !high.join(x),
            "an upper bound of {:?} and {:?}",
            view(x),
            view(y)
        );
    }
}

/// Sets of different lengths, with anything in the unused bits of their last word.
pub(crate) fn sets() -> impl Strategy<Value = BitVec> {
    (vec(any::<bool>(), 0..150), any::<bool>()).prop_map(|(bits, is_negated)| {
        let set = BitVec::from_iter(bits);
        if is_negated { !set } else { set }
    })
}

/// The members of a set.
pub(crate) fn members(set: &BitVec) -> Vec<usize> {
    set.iter_ones().collect()
}

proptest! {
    #[test]
    fn a_set_has_what_does_not_grow_it(a in sets(), b in sets()) {
        for (x, y) in [(&a, &b), (&b, &a), (&joined(&a, &b), &b), (&a, &a)] {
            let has_all = sets::ones(y).all(|i| x.get(i).is_some_and(|bit| *bit));
            prop_assert_eq!(has_all, !x.clone().join(y));
        }
    }

    #[test]
    fn of_nothing_and_of_truth(a: bool, b: bool, c: bool) {
        hold(&(), &(), &(), &(), |x| *x);
        hold(&false, &a, &b, &c, |x| *x);
    }

    #[test]
    fn of_sets(a in sets(), b in sets(), c in sets()) {
        hold(&BitVec::new(), &a, &b, &c, members);
        let (x, y) = (members(&a), members(&b));
        let either: BTreeSet<_> = x.into_iter().chain(y).collect();
        prop_assert_eq!(members(&joined(&a, &b)), Vec::from_iter(either));
        prop_assert_eq!(joined(&a, &b).len(), a.len().max(b.len()));
    }

    #[test]
    fn of_options(a in option::of(sets()), b in option::of(sets()), c in option::of(sets())) {
        hold(&None, &a, &b, &c, |x| x.as_ref().map(members));
    }

    #[test]
    fn of_maps(maps in vec(vec((0u8..4, sets()), 0..5), 3)) {
        let maps: Vec<BTreeMap<u8, BitVec>> = maps.into_iter().map(|m| m.into_iter().collect()).collect();
        let view = |m: &BTreeMap<u8, BitVec>| m.iter().map(|(k, v)| (*k, members(v))).collect::<Vec<_>>();
        hold(&BTreeMap::new(), &maps[0], &maps[1], &maps[2], view);
    }
}

#[test]
fn unused_bits_are_no_members() {
    let full = bitvec![1; 3];
    let mut wide = bitvec![0; 60];
    assert!(wide.join(&full));
    assert_eq!(members(&wide), [0, 1, 2]);
    let mut same = bitvec![0; 3];
    same.set(0, true);
    let negated = !(!same.clone() & bitvec![1; 3]);
    assert!(!same.join(&negated), "{negated}");
    let mut longer = !bitvec![1; 3];
    assert!(!longer.join(&bitvec![0; 64]));
    assert!(members(&longer).is_empty());
}
