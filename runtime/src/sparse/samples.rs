//! Random parts of graphs, matrices and their patterns, for tests.

use super::{
    graph::{Dag, Kind, Node},
    pattern::Pattern,
};
use std::collections::BTreeSet;

/// Numbers from a seed: SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        super::mix(self.0)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// In [-1, 1).
    pub fn real(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Leaves and operations in random order; the roots are any nodes. Not all nodes are reached.
pub fn random_dag(
    random: &mut Random,
    columns: u32,
    count: usize,
    roots: usize,
    first_order: bool,
) -> Dag {
    let mut nodes = vec![Node::empty()];
    for i in 1..=count {
        let mut operand = |least: usize| least.max(i.saturating_sub(1 + random.below(12)));
        let (a, b) = (operand(1).min(i - 1) as u32, operand(0) as u32);
        let choice = random.below(10);
        nodes.push(match choice {
            _ if i < 3 || choice < 3 => {
                Node::new(Kind::Leaf, 0, random.below(columns as usize) as u32)
            }
            3..6 if !first_order => Node::new(Kind::Product, a, b),
            6 if !first_order => Node::new(Kind::Nonlinear, a, 0),
            _ => Node::new(Kind::Union, a, b),
        });
    }
    let roots = (0..roots).map(|_| random.below(count + 1) as u32).collect();
    Dag { nodes, roots }
}

/// The set of each node.
pub fn sets(nodes: &[Node]) -> Vec<BTreeSet<u32>> {
    let mut sets: Vec<BTreeSet<u32>> = vec![];
    for node in nodes {
        let set = match node.kind() {
            Kind::Leaf => BTreeSet::from([node.second()]),
            _ if sets.is_empty() => BTreeSet::new(),
            _ => &sets[node.first() as usize] | &sets[node.second() as usize],
        };
        sets.push(set);
    }
    sets
}

/// A random matrix: its pattern, and values of its entries.
pub fn random_matrix(random: &mut Random, rows: usize, columns: u32, per_row: usize) -> Pattern {
    let rows: Vec<Vec<u32>> = (0..rows)
        .map(|_| {
            let count = random.below(2 * per_row + 1);
            let row: BTreeSet<u32> =
                (0..count).map(|_| random.below(columns as usize) as u32).collect();
            row.into_iter().collect()
        })
        .collect();
    Pattern::from_rows(rows, columns)
}

/// A random symmetric pattern.
pub fn random_symmetric(random: &mut Random, n: usize, pairs: usize) -> Pattern {
    let mut rows = vec![BTreeSet::new(); n];
    for _ in 0..pairs {
        let (i, j) = (random.below(n), random.below(n));
        rows[i].insert(j as u32);
        rows[j].insert(i as u32);
    }
    symmetric(rows)
}

/// From sets of columns per row.
pub fn symmetric(rows: Vec<BTreeSet<u32>>) -> Pattern {
    let n = rows.len() as u32;
    Pattern::from_rows(rows.into_iter().map(|row| row.into_iter().collect::<Vec<_>>()), n)
}

/// Entries (i, j) with |i - j| <= width.
pub fn banded(n: usize, width: usize) -> Pattern {
    Pattern::from_rows(
        (0..n).map(|i| {
            (i.saturating_sub(width)..(i + width + 1).min(n)).map(|j| j as u32).collect::<Vec<_>>()
        }),
        n as u32,
    )
}

/// The diagonal, the first row and the first column.
pub fn arrow(n: usize) -> Pattern {
    Pattern::from_rows(
        (0..n as u32).map(|i| match i {
            0 => (0..n as u32).collect(),
            _ => vec![0, i],
        }),
        n as u32,
    )
}

/// Full blocks of this size on the diagonal.
pub fn blocks(count: usize, size: usize) -> Pattern {
    let n = count * size;
    Pattern::from_rows(
        (0..n).map(|i| {
            let first = i / size * size;
            (first as u32..(first + size) as u32).collect::<Vec<_>>()
        }),
        n as u32,
    )
}
