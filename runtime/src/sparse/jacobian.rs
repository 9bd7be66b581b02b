//! The pattern of a Jacobian: the inputs that each root depends on.
//!
//! Walks from each root are cheap where roots share little. Their work is limited to that of the
//! other way: passes over all nodes, each for 64 inputs (forward) or 64 roots (backward), with a
//! word of 64 bits per node. Words of bits: Griewank, Walther, Evaluating Derivatives (2008),
//! section 7.1.

use super::{
    graph::{Dag, Kind, Node},
    pattern::Pattern,
    reserve,
};

/// What a node costs in a walk, in parts of what it costs in a pass (measured: 9).
const VISIT: usize = 8;

/// Rows are the roots. First-order parts of the graph only.
pub fn pattern(dag: &Dag, columns: u32) -> Pattern {
    let batches = (columns as usize).min(dag.roots.len()).div_ceil(64);
    pattern_within(dag, columns, (dag.nodes.len() / VISIT).saturating_mul(batches))
}

/// With a limit of nodes that walks visit.
fn pattern_within(dag: &Dag, columns: u32, limit: usize) -> Pattern {
    let mut rows = walk(dag, limit);
    let done = rows.len();
    if done < dag.roots.len() {
        rows.resize(dag.roots.len(), vec![]);
        if columns as usize <= dag.roots.len() - done {
            by_columns(dag, done, columns, &mut rows);
        } else {
            by_roots(dag, done, columns, &mut rows);
        }
    }
    Pattern::from_rows(rows, columns)
}

/// The rows of the first roots, as many as the limit allows.
fn walk(dag: &Dag, limit: usize) -> Vec<Vec<u32>> {
    let mut seen = words(dag.nodes.len(), 0u32);
    let mut rows: Vec<Vec<u32>> = Vec::with_capacity(dag.roots.len());
    let (mut stack, mut visited) = (vec![], 0);
    for (row, &root) in dag.roots.iter().enumerate() {
        let stamp = row as u32 + 1;
        let mut found = vec![];
        stack.push(root);
        while let Some(at) = stack.pop() {
            if at == 0 || std::mem::replace(&mut seen[at as usize], stamp) == stamp {
                continue;
            }
            visited += 1;
            let node = dag.nodes[at as usize];
            match node.kind() {
                Kind::Leaf => found.push(node.second()),
                Kind::Union | Kind::Product | Kind::Nonlinear => {
                    stack.extend([node.second(), node.first()]);
                }
            }
        }
        // Where it shows that the walks will take too long, they end early.
        let expected = visited / (row + 1) * dag.roots.len();
        if visited > limit || visited > limit / 16 && expected > limit {
            break;
        }
        found.sort_unstable();
        found.dedup();
        rows.push(found);
    }
    rows
}

/// Forward passes, for the roots from `done` on.
fn by_columns(dag: &Dag, done: usize, columns: u32, rows: &mut [Vec<u32>]) {
    let mut bits = words(dag.nodes.len(), 0u64);
    for first in (0..columns).step_by(64) {
        forward(&dag.nodes, first, &mut bits);
        for (row, &root) in rows.iter_mut().zip(&dag.roots).skip(done) {
            push_bits(row, bits[root as usize], first);
        }
    }
}

/// Of each node, which inputs of the 64 from `first` on it depends on.
pub fn forward(nodes: &[Node], first: u32, bits: &mut [u64]) {
    for (i, node) in nodes.iter().enumerate() {
        bits[i] = match node.kind() {
            Kind::Leaf => match node.second().wrapping_sub(first) {
                bit @ 0..64 => 1 << bit,
                _ => 0,
            },
            Kind::Union | Kind::Product | Kind::Nonlinear => {
                bits[node.first() as usize] | bits[node.second() as usize]
            }
        };
    }
}

/// Appends the positions of bits, counted from `first`.
pub fn push_bits(row: &mut Vec<u32>, mut bits: u64, first: u32) {
    while bits != 0 {
        row.push(first + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// Backward passes, for the roots from `done` on.
fn by_roots(dag: &Dag, done: usize, columns: u32, rows: &mut [Vec<u32>]) {
    let mut bits = words(dag.nodes.len(), 0u64);
    // Several leaves may be the same input.
    let mut inputs = words(columns as usize, 0u64);
    for first in (done..dag.roots.len()).step_by(64) {
        bits.fill(0);
        inputs.fill(0);
        for (bit, &root) in dag.roots[first..].iter().take(64).enumerate() {
            bits[root as usize] |= 1 << bit;
        }
        for (i, node) in dag.nodes.iter().enumerate().skip(1).rev() {
            let here = bits[i];
            match node.kind() {
                Kind::Leaf => inputs[node.second() as usize] |= here,
                Kind::Union | Kind::Product | Kind::Nonlinear => {
                    bits[node.first() as usize] |= here;
                    bits[node.second() as usize] |= here;
                }
            }
        }
        for (column, &word) in inputs.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                rows[first + word.trailing_zeros() as usize].push(column as u32);
                word &= word - 1;
            }
        }
    }
}

/// Memory for something of each node, or the end of the program.
pub fn words<T: Clone>(count: usize, value: T) -> Vec<T> {
    let mut words = vec![];
    reserve(&mut words, count);
    words.resize(count, value);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::samples::{Random, random_dag, sets};

    #[test]
    fn each_way_finds_what_sets_say() {
        let mut random = Random(11);
        for case in 0..200 {
            let columns = [1, 3, 70, 150][case % 4];
            let roots = 1 + random.below(140);
            let dag = random_dag(&mut random, columns, 10 + case, roots, true);
            let sets = sets(&dag.nodes);
            let expected = Pattern::from_rows(
                dag.roots.iter().map(|&r| sets[r as usize].iter().copied().collect::<Vec<_>>()),
                columns,
            );
            assert_eq!(pattern(&dag, columns), expected);
            assert_eq!(pattern_within(&dag, columns, usize::MAX), expected);
            assert_eq!(pattern_within(&dag, columns, 0), expected);
            assert_eq!(pattern_within(&dag, columns, dag.nodes.len()), expected);
            for way in [by_columns, by_roots] {
                let mut rows = vec![vec![]; dag.roots.len()];
                way(&dag, 0, columns, &mut rows);
                assert_eq!(Pattern::from_rows(rows, columns), expected);
            }
        }
    }
}
