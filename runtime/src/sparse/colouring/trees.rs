//! Acyclic colourings of a symmetric pattern: neighbours differ, and every cycle has three colours
//! or more. What two colours span are then trees, and the entries of a tree follow by substitution
//! from its leaves on. That takes fewer colours than stars, and errors of rounding add up along the tree.
//!
//! Greedy. A colour c is forbidden to vertex v if a neighbour has it, or if two neighbours of v
//! have the same colour and lie in one tree with vertices of colour c.
//!
//! Source: Gebremedhin, Tarafdar, Manne, Pothen, SIAM J. Sci. Comput. 29 (2007), section 3.

use super::{Colouring, Forbidden, NONE, orders, star::neighbours};
use crate::sparse::pattern::Pattern;
use std::collections::HashMap;

/// The most that two-coloured paths of length two may number, for the search for trees.
const PATHS: usize = 1 << 30;

/// Colours the vertices that have entries. None where vertices have too many neighbours for the
/// search to end soon: then a star colouring serves.
pub fn colour(pattern: &Pattern) -> Option<Colouring> {
    let degrees: Vec<u32> =
        (0..pattern.rows()).map(|v| neighbours(pattern, v as u32).count() as u32).collect();
    let paths: usize = degrees
        .iter()
        .map(|&d| (d as usize).saturating_mul(d as usize))
        .fold(0, usize::saturating_add);
    if paths > PATHS {
        return None;
    }
    let mirror = pattern.transposed().1;
    let largest = orders::largest_first(&degrees);
    let smallest = orders::smallest_last(degrees, |v, f| neighbours(pattern, v).for_each(f));
    let found = [smallest, largest].map(|order| greedy(pattern, &mirror, &order));
    found.into_iter().min_by_key(|c| c.colours)
}

/// The trees of each pair of colours, as sets of edges. An edge has the number of its entry above or
/// below the diagonal, whichever is first.
struct Forest {
    parents: Vec<u32>,
    /// The tree of a vertex with vertices of another colour: an edge.
    of: HashMap<(u32, u32), u32>,
}

impl Forest {
    fn root(&mut self, mut edge: u32) -> u32 {
        while self.parents[edge as usize] != edge {
            let above = self.parents[edge as usize];
            self.parents[edge as usize] = self.parents[above as usize];
            edge = above;
        }
        edge
    }
}

fn greedy(pattern: &Pattern, mirror: &[u32], order: &[u32]) -> Colouring {
    let mut colouring = Colouring::none(pattern.rows());
    let mut forest =
        Forest { parents: (0..pattern.entries() as u32).collect(), of: HashMap::new() };
    let mut forbidden = Forbidden::new();
    // Of each tree, the last vertex with a neighbour in it, and that neighbour.
    let mut visits = vec![(NONE, NONE); pattern.entries()];
    for &v in order {
        if pattern.row(v as usize).is_empty() {
            continue;
        }
        forbidden.start(v);
        let is_coloured = |colouring: &Colouring, w: u32| colouring.of[w as usize] != NONE;
        for w in neighbours(pattern, v).filter(|&w| is_coloured(&colouring, w)) {
            forbidden.add(colouring.of[w as usize]);
        }
        for w in neighbours(pattern, v).filter(|&w| is_coloured(&colouring, w)) {
            for at in pattern.range(w as usize) {
                let x = pattern.indices[at];
                if x == v || x == w || !is_coloured(&colouring, x) {
                    continue;
                }
                let colour = colouring.of[x as usize];
                if forbidden.has(colour) {
                    continue;
                }
                let tree = forest.root((at as u32).min(mirror[at])) as usize;
                match visits[tree] {
                    (of, neighbour) if of == v && neighbour != w => forbidden.add(colour),
                    _ => visits[tree] = (v, w),
                }
            }
        }
        let colour = forbidden.first();
        colouring.set(v, colour);
        for at in pattern.range(v as usize) {
            let w = pattern.indices[at];
            if w == v || !is_coloured(&colouring, w) {
                continue;
            }
            let edge = (at as u32).min(mirror[at]);
            for (end, other) in [(v, colouring.of[w as usize]), (w, colour)] {
                let tree = *forest.of.entry((end, other)).or_insert(edge);
                let (a, b) = (forest.root(tree), forest.root(edge));
                forest.parents[a as usize] = b;
            }
        }
    }
    colouring
}

/// An entry, given what is read for a vertex and the colour of its last neighbour in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What was read, minus the entries that are known: the entry.
    from: u32,
    /// What the entry is part of, too, or [`NONE`].
    to: u32,
    /// The two places of the entry in the matrix.
    entries: [u32; 2],
}

/// Places to read, (direction, element of its product), and the order in which entries follow.
pub fn plan(pattern: &Pattern, colouring: &Colouring) -> (Vec<(u32, u32)>, Vec<Step>) {
    let mirror = pattern.transposed().1;
    let of = |v: u32| colouring.of[v as usize];
    // One place for each vertex and colour of its neighbours: those of vertex v follow each other.
    let (mut places, mut steps) = (vec![], vec![]);
    let mut place_of = vec![0u32; pattern.entries()];
    let mut open: Vec<u32> = vec![];
    let mut last = vec![(NONE, 0u32); colouring.colours as usize];
    for v in 0..pattern.columns {
        for at in pattern.range(v as usize) {
            let w = pattern.indices[at];
            let (vertex, place) = &mut last[of(w) as usize];
            if *vertex != v {
                (*vertex, *place) = (v, places.len() as u32);
                places.push((of(w), v));
                open.push(0);
            }
            place_of[at] = *place;
            open[*place as usize] += 1;
            if w == v {
                // Neighbours have other colours: the diagonal entry is alone.
                steps.push(Step { from: *place, to: NONE, entries: [at as u32; 2] });
            }
        }
    }
    // Leaves first: a place with one entry left gives it.
    let mut is_known = vec![false; pattern.entries()];
    let mut ready: Vec<u32> = (0..places.len() as u32).filter(|&p| open[p as usize] == 1).collect();
    while let Some(place) = ready.pop() {
        let (colour, v) = places[place as usize];
        if open[place as usize] != 1 || colour == of(v) {
            continue;
        }
        let row = pattern.range(v as usize);
        let at =
            { row }.find(|&at| place_of[at] == place && !is_known[at]).expect("one entry is left");
        let other = mirror[at] as usize;
        let to = place_of[other];
        (is_known[at], is_known[other]) = (true, true);
        steps.push(Step { from: place, to, entries: [at as u32, other as u32] });
        open[place as usize] = 0;
        open[to as usize] -= 1;
        if open[to as usize] == 1 {
            ready.push(to);
        }
    }
    (places, steps)
}

/// Computes the entries from what was read.
pub fn substitute(mut read: Vec<f64>, steps: &[Step], entries: &mut [f64]) {
    for step in steps {
        let entry = read[step.from as usize];
        step.entries.iter().for_each(|&at| entries[at as usize] = entry);
        if step.to != NONE {
            read[step.to as usize] -= entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::samples::{Random, arrow, banded, blocks, random_symmetric};

    /// Each entry has a step, which it has not if two colours span a cycle.
    fn colours(pattern: &Pattern) -> u32 {
        let c = colour(pattern).expect("the pattern is small");
        for v in 0..pattern.columns {
            assert!(neighbours(pattern, v).all(|w| c.of[v as usize] != c.of[w as usize]));
        }
        let steps = plan(pattern, &c).1;
        let mut found = vec![false; pattern.entries()];
        steps.iter().flat_map(|s| s.entries).for_each(|at| found[at as usize] = true);
        assert!(found.iter().all(|&f| f));
        c.colours
    }

    #[test]
    fn known_numbers_of_colours() {
        assert_eq!(colours(&banded(50, 1)), 2);
        assert_eq!(colours(&banded(50, 2)), 3);
        assert_eq!(colours(&arrow(100)), 2);
        assert_eq!(colours(&blocks(7, 5)), 5);
        assert_eq!(colours(&Pattern::from_rows([[0u32; 0]; 4], 4)), 0);
    }

    #[test]
    fn every_pair_of_colours_spans_trees() {
        let mut random = Random(23);
        for case in 0..300 {
            let n = 1 + random.below(40);
            let pairs = random.below(1 + n * (1 + case % 5));
            colours(&random_symmetric(&mut random, n, pairs));
        }
    }
}
