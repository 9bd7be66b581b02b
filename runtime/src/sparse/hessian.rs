//! The pattern of a Hessian: the pairs of inputs that interact in a root.
//!
//! By batches of 64 inputs j, with two words of 64 bits per node z:
//!
//! ```text
//! forward      bits[z]: the inputs of the batch in z
//! backward     with[z]: the inputs of the batch with which all of z interact
//!   all kinds of z:   with[a] |= with[z], with[b] |= with[z]
//!   product(a, b):    with[a] |= bits[b], with[b] |= bits[a]
//!   nonlinear(a):     with[a] |= bits[a]
//! row i        with[leaf i]
//! ```
//!
//! That is nodes times inputs / 64. Where nodes that interact are small sets, explicit sets are
//! cheaper ([`by_sets`]); their work is limited to that of the batches. Idea of such propagation:
//! Walther, Computing sparse Hessians with automatic differentiation, ACM TOMS 34 (2008).

use super::{
    graph::{Dag, Kind, Node},
    jacobian::{forward, push_bits, words},
    pattern::Pattern,
    setstore::SetStore,
};

/// Elements of explicit sets per node, where the batches would be more work than memory is there.
const ELEMENTS: usize = 8;
/// How many pairs of sets are remembered, so that they are not listed again.
const RECENT: usize = 256;

/// The whole symmetric pattern of n inputs.
pub fn pattern(mut dag: Dag, n: u32) -> Pattern {
    let inputs = renumber(&mut dag);
    let limit = dag.nodes.len().saturating_mul(2 * inputs.len().div_ceil(64));
    let found = by_sets(&dag, inputs.len(), limit).unwrap_or_else(|| {
        let mut rows = vec![vec![]; inputs.len()];
        by_batches(&dag, &mut rows);
        rows
    });
    let mut rows = vec![vec![]; n as usize];
    for (row, &input) in found.into_iter().zip(&inputs) {
        rows[input as usize] = row.into_iter().map(|j| inputs[j as usize]).collect();
    }
    Pattern::from_rows(rows, n)
}

/// Numbers the inputs that occur from 0; which they were, ascending.
fn renumber(dag: &mut Dag) -> Vec<u32> {
    let leaves = dag.nodes.iter().filter(|n| n.kind() == Kind::Leaf).map(|n| n.second());
    let mut inputs: Vec<u32> = leaves.collect();
    inputs.sort_unstable();
    inputs.dedup();
    for node in dag.nodes.iter_mut().filter(|n| n.kind() == Kind::Leaf) {
        let dense = inputs.binary_search(&node.second()).expect("all inputs are listed");
        *node = Node::new(Kind::Leaf, 0, dense as u32);
    }
    inputs
}

/// Passes over all nodes. Each node is reached by a root.
fn by_batches(dag: &Dag, rows: &mut [Vec<u32>]) {
    let mut bits = words(dag.nodes.len(), 0u64);
    let mut with = words(dag.nodes.len(), 0u64);
    let mut inputs = words(rows.len(), 0u64);
    for first in (0..rows.len() as u32).step_by(64) {
        forward(&dag.nodes, first, &mut bits);
        with.fill(0);
        inputs.fill(0);
        for (i, node) in dag.nodes.iter().enumerate().skip(1).rev() {
            let (a, b) = (node.first() as usize, node.second() as usize);
            let here = with[i];
            match node.kind() {
                Kind::Leaf => inputs[b] |= here,
                Kind::Union => {
                    with[a] |= here;
                    with[b] |= here;
                }
                Kind::Product => {
                    with[a] |= here | bits[b];
                    with[b] |= here | bits[a];
                }
                Kind::Nonlinear => with[a] |= here | bits[a],
            }
        }
        for (row, &word) in rows.iter_mut().zip(&inputs) {
            push_bits(row, word, first);
        }
    }
}

/// By explicit sets, but only of nodes that interact. None where that is more work than `limit`.
///
/// The sets are found by walks that end at nodes whose set is known. Equal sets are one, so that
/// the many operations on few inputs give few pairs of sets.
fn by_sets(dag: &Dag, inputs: usize, limit: usize) -> Option<Vec<Vec<u32>>> {
    let mut sets = SetStore::new(dag, limit, limit.min(ELEMENTS * dag.nodes.len() + (1 << 20)));
    let mut pairs: Vec<(u32, u32)> = vec![];
    let mut tidy = 1 << 16;
    let mut recent = [(u32::MAX, u32::MAX); RECENT];
    for node in &dag.nodes[1..] {
        let (a, b) = match node.kind() {
            Kind::Leaf | Kind::Union => continue,
            Kind::Product => (node.first(), node.second()),
            Kind::Nonlinear => (node.first(), node.first()),
        };
        let (a, b) = (sets.of(a)?, sets.of(b)?);
        let pair = (a.min(b), a.max(b));
        // The operations on the same few inputs follow each other.
        let slot = super::mix(u64::from(pair.0) << 32 | u64::from(pair.1)) as usize % RECENT;
        if recent[slot] != pair {
            recent[slot] = pair;
            pairs.push(pair);
        }
        if pairs.len() > tidy {
            pairs.sort_unstable();
            pairs.dedup();
            tidy = tidy.max(2 * pairs.len());
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let work: usize = pairs.iter().map(|&(a, b)| sets.get(a).len() * sets.get(b).len()).sum();
    if work > limit {
        return None;
    }
    // Of each input, the sets with all of which it interacts.
    let mut partners: Vec<Vec<u32>> = vec![vec![]; inputs];
    for &(a, b) in &pairs {
        sets.get(a).iter().for_each(|&i| partners[i as usize].push(b));
        if a != b {
            sets.get(b).iter().for_each(|&i| partners[i as usize].push(a));
        }
    }
    let mut seen = vec![0u32; inputs];
    let rows = partners.into_iter().enumerate().map(|(i, mut partners)| {
        partners.sort_unstable();
        partners.dedup();
        let mut row = vec![];
        for j in partners.iter().flat_map(|&set| sets.get(set)) {
            if std::mem::replace(&mut seen[*j as usize], i as u32 + 1) != i as u32 + 1 {
                row.push(*j);
            }
        }
        row.sort_unstable();
        row
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::samples::{Random, random_dag, sets, symmetric};
    use std::collections::BTreeSet;

    /// All nodes are taken to be reached.
    fn expected(dag: &Dag, n: u32) -> Pattern {
        let sets = sets(&dag.nodes);
        let mut rows = vec![BTreeSet::new(); n as usize];
        for node in &dag.nodes[1..] {
            let (a, b) = match node.kind() {
                Kind::Leaf | Kind::Union => continue,
                Kind::Product => (node.first(), node.second()),
                Kind::Nonlinear => (node.first(), node.first()),
            };
            for &i in &sets[a as usize] {
                for &j in &sets[b as usize] {
                    rows[i as usize].insert(j);
                    rows[j as usize].insert(i);
                }
            }
        }
        symmetric(rows)
    }

    #[test]
    fn each_way_finds_what_sets_say() {
        let mut random = Random(5);
        for case in 0..300 {
            let n = [1, 4, 70, 200][case % 4];
            let dag = random_dag(&mut random, n, 5 + case, 1, false);
            let expected = expected(&dag, n);
            let sets = by_sets(&dag, n as usize, usize::MAX).expect("there is no limit");
            assert_eq!(Pattern::from_rows(sets, n), expected);
            let mut rows = vec![vec![]; n as usize];
            by_batches(&dag, &mut rows);
            assert_eq!(Pattern::from_rows(rows, n), expected);
            assert_eq!(pattern(dag, n), expected);
        }
    }

    #[test]
    fn sets_end_at_their_limit() {
        // f = (x_0 + ... + x_n)^2: the sum is one set, of all inputs.
        let mut nodes = vec![Node::empty(), Node::new(Kind::Leaf, 0, 0)];
        for i in 1..100 {
            nodes.push(Node::new(Kind::Leaf, 0, i));
            nodes.push(Node::new(Kind::Union, nodes.len() as u32 - 2, nodes.len() as u32 - 1));
        }
        nodes.push(Node::new(Kind::Nonlinear, nodes.len() as u32 - 1, 0));
        let dag = Dag { roots: vec![nodes.len() as u32 - 1], nodes };
        assert!(by_sets(&dag, 100, 500).is_none());
        assert_eq!(pattern(dag, 100).entries(), 10_000);
    }
}
