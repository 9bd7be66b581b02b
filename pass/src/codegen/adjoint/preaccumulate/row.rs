//! A region's linearised graph, and the row of its local Jacobian.

use adir::{ValueId, hashed::HashMap};
use std::collections::BTreeSet;

/// An edge of the linearised graph: the partial of `to` with respect to its operand, which is
/// `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The operation.
    pub to: ValueId,
    /// Which of its operands.
    pub operand: usize,
    /// The operand.
    pub from: ValueId,
}

/// Operations with one output.
#[derive(Clone, Debug)]
pub struct Region {
    /// What the region computes.
    pub output: ValueId,
    /// Active values that its members read and it does not compute.
    pub inputs: Vec<ValueId>,
    /// The edges of its members, those of the last one first.
    pub edges: Vec<Edge>,
}

impl Region {
    /// Of edges in that order: those of the output first, those of each member after all edges that
    /// leave it.
    pub fn new(output: ValueId, edges: Vec<Edge>) -> Region {
        let members: BTreeSet<ValueId> = edges.iter().map(|e| e.to).collect();
        let inputs: BTreeSet<ValueId> =
            edges.iter().map(|e| e.from).filter(|v| !members.contains(v)).collect();
        Region { output, inputs: inputs.into_iter().collect(), edges }
    }

    /// What the region computes, the output and what only serves it.
    pub fn members(&self) -> BTreeSet<ValueId> {
        self.edges.iter().map(|e| e.to).chain([self.output]).collect()
    }

    /// The edges on paths from the inputs that are `wanted` to the output, in the order of
    /// elimination.
    pub fn edges_to(&self, wanted: impl Fn(ValueId) -> bool) -> Vec<&Edge> {
        let mut leads: BTreeSet<ValueId> =
            self.inputs.iter().copied().filter(|&x| wanted(x)).collect();
        let mut found = vec![];
        for edge in self.edges.iter().rev() {
            if leads.contains(&edge.from) {
                leads.insert(edge.to);
                found.push(edge);
            }
        }
        found.reverse();
        found
    }

    /// The entries of the inputs that are `wanted`: starting with the `seed` of the output, `times`
    /// multiplies what a member has by the partial of an edge.
    pub fn row<T: Clone>(
        &self,
        wanted: impl Fn(ValueId) -> bool,
        seed: T,
        mut times: impl FnMut(&Edge, T) -> T,
        mut plus: impl FnMut(T, T) -> T,
    ) -> Vec<(ValueId, T)> {
        let mut sums: HashMap<ValueId, T> = HashMap::from_iter([(self.output, seed)]);
        for edge in self.edges_to(wanted) {
            let Some(d) = sums.get(&edge.to).cloned() else { continue };
            let term = times(edge, d);
            let sum = match sums.remove(&edge.from) {
                Some(sum) => plus(sum, term),
                None => term,
            };
            sums.insert(edge.from, sum);
        }
        self.inputs.iter().filter_map(|x| Some((*x, sums.remove(x)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A region of `members` operations above `inputs` inputs, with edges that a generator of
    /// random numbers chooses; the last operation is the output, and each other one has a user.
    fn random(
        inputs: u32,
        members: u32,
        mut next: impl FnMut() -> u32,
    ) -> (Region, HashMap<(ValueId, usize), f64>) {
        let mut edges = vec![];
        let mut partials = HashMap::default();
        let mut used = vec![false; (inputs + members) as usize];
        for to in (inputs..inputs + members).rev() {
            assert!(used[to as usize] || to == inputs + members - 1);
            // The value before it is read, so that all are.
            let count = 1 + next() % 3;
            for operand in 0..count as usize {
                let from = if operand == 0 { to - 1 } else { next() % to };
                used[from as usize] = true;
                edges.push(Edge { to: ValueId(to), operand, from: ValueId(from) });
                partials.insert((ValueId(to), operand), f64::from(next() % 7) - 3.0);
            }
        }
        (Region::new(ValueId(inputs + members - 1), edges), partials)
    }

    /// The sum over all paths from `x` to `y` of the products of their partials.
    fn by_paths(
        region: &Region,
        partials: &HashMap<(ValueId, usize), f64>,
        y: ValueId,
        x: ValueId,
    ) -> f64 {
        if x == y {
            return 1.0;
        }
        let into = region.edges.iter().filter(|e| e.to == y);
        into.map(|e| partials[&(e.to, e.operand)] * by_paths(region, partials, e.from, x)).sum()
    }

    #[test]
    fn rows_are_sums_over_all_paths() {
        let mut state = 1u32;
        let mut next = move || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state >> 16
        };
        for case in 0..200 {
            let (region, partials) = random(1 + case % 5, 1 + case % 9, &mut next);
            // All numbers are small integers: both orders are exact.
            let times = |e: &Edge, d: f64| partials[&(e.to, e.operand)] * d;
            let row = region.row(|_| true, 1.0, times, |a, b| a + b);
            assert_eq!(row.iter().map(|r| r.0).collect::<Vec<_>>(), region.inputs);
            for &(x, entry) in &row {
                assert_eq!(
                    entry,
                    by_paths(&region, &partials, region.output, x),
                    "{region:?} {partials:?}"
                );
                // Alone it is the same.
                assert_eq!(region.row(|v| v == x, 1.0, times, |a, b| a + b), [(x, entry)]);
            }
        }
    }

    #[test]
    fn edges_that_lead_to_no_wanted_input_are_not_followed() {
        let edge = |to, operand, from| Edge { to: ValueId(to), operand, from: ValueId(from) };
        // v4 = f(v3, v2), v3 = g(v0), v2 = h(v1)
        let region = Region::new(
            ValueId(4),
            vec![edge(4, 0, 3), edge(4, 1, 2), edge(3, 0, 0), edge(2, 0, 1)],
        );
        assert_eq!(region.inputs, [ValueId(0), ValueId(1)]);
        let found: Vec<Edge> = region.edges_to(|x| x == ValueId(1)).into_iter().copied().collect();
        assert_eq!(found, [edge(4, 1, 2), edge(2, 0, 1)]);
        assert_eq!(region.edges_to(|_| false), Vec::<&Edge>::new());
    }
}
