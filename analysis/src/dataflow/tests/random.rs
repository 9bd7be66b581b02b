//! The engine on random bodies: any graphs and operands, and well-formed programs.

use super::{
    mocks::{Flowing, Live, LiveNames, Needed, Origins, Reaching, set},
    naive::{checked, is_below},
};
use adir::{Body, ValueId};
use adir_testing::{bodies, programs};
use bitvec::prelude::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Values chosen by the bits of a number.
fn chosen(b: &Body, bits: u64) -> BitVec {
    set(b, (0..b.values.len() as u32).filter(|v| bits >> (v % 61) & 1 == 1))
}

fn entry(b: &Body, bits: u64) -> BTreeMap<ValueId, BitVec> {
    let names = chosen(b, bits);
    names.iter_ones().map(|p| (ValueId(p as u32), chosen(b, bits.rotate_left(p as u32)))).collect()
}

fn origins(b: &Body, bits: u64) -> Vec<(ValueId, BitVec)> {
    chosen(b, bits).iter_ones().map(|v| (ValueId(v as u32), set(b, [v as u32]))).collect()
}

fn roots(b: &Body, bits: u64) -> Vec<(ValueId, bool)> {
    chosen(b, bits).iter_ones().map(|v| (ValueId(v as u32), true)).collect()
}

fn any_body() -> impl Strategy<Value = Body> {
    prop_oneof![bodies(), programs()]
}

proptest! {
    #[test]
    fn the_solution_is_the_least(b in any_body(), bits in any::<u64>(), seeds in any::<u64>()) {
        checked(&b, &Reaching { entry: chosen(&b, bits) }, &[]);
        checked(&b, &LiveNames { exit: chosen(&b, bits) }, &[]);
        checked(&b, &Origins, &origins(&b, seeds));
        checked(&b, &Needed, &roots(&b, seeds & bits));
        checked(&b, &Flowing::new(entry(&b, bits)), &origins(&b, seeds));
        checked(&b, &Live { exit: chosen(&b, bits) }, &roots(&b, seeds));
        if !b.values.is_empty() {
            let condition = ValueId((seeds % b.values.len() as u64) as u32);
            checked(&b, &Flowing::under(&b, entry(&b, bits), condition), &origins(&b, seeds));
        }
    }

    #[test]
    fn a_larger_boundary_gives_a_larger_solution(b in any_body(), bits in any::<[u64; 4]>()) {
        let (low, high) = (bits[0], bits[0] | bits[1]);
        let (few, many) = (bits[2], bits[2] | bits[3]);
        let solve = |bits: u64| checked(&b, &Reaching { entry: chosen(&b, bits) }, &[]);
        prop_assert!(is_below(&b, &solve(low), &solve(high)));
        let solve = |bits: u64| checked(&b, &LiveNames { exit: chosen(&b, bits) }, &[]);
        prop_assert!(is_below(&b, &solve(low), &solve(high)));
        let solve = |seeds: u64| checked(&b, &Origins, &origins(&b, seeds));
        prop_assert!(is_below(&b, &solve(few), &solve(many)));
        let solve = |seeds: u64| checked(&b, &Needed, &roots(&b, seeds));
        prop_assert!(is_below(&b, &solve(few), &solve(many)));
        let solve = |bits: u64, seeds: u64| checked(&b, &Flowing::new(entry(&b, bits)), &origins(&b, seeds));
        prop_assert!(is_below(&b, &solve(low, few), &solve(low, many)));
        let solve = |bits: u64, seeds: u64| checked(&b, &Live { exit: chosen(&b, bits) }, &roots(&b, seeds));
        prop_assert!(is_below(&b, &solve(low, few), &solve(high, many)));
    }
}
