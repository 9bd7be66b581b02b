//! Acyclic colourings of a symmetric pattern: neighbours differ, and every cycle has three colours
//! or more. What two colours span are then trees, and the entries of a tree follow by substitution
//! from its leaves on. That takes fewer colours than stars, and errors of rounding add up along the
//! tree.
//!
//! Greedy. A colour c is forbidden to vertex v if a neighbour has it, or if two neighbours of v
//! have the same colour and lie in one tree with vertices of colour c.
//!
//! Source: Gebremedhin, Tarafdar, Manne, Pothen, SIAM J. Sci. Comput. 29 (2007), section 3.

use super::{ColourList, Colouring, Forbidden, NONE, orders, star::neighbours};
use crate::sparse::pattern::Pattern;

/// Colours the vertices that have entries.
pub fn colour(pattern: &Pattern) -> Colouring {
    let degrees: Vec<u32> =
        (0..pattern.rows()).map(|v| neighbours(pattern, v as u32).count() as u32).collect();
    let mirror = pattern.transposed().1;
    let largest = orders::largest_first(&degrees);
    let smallest = orders::smallest_last(degrees, |v, f| neighbours(pattern, v).for_each(f));
    let [first, second] = [smallest, largest].map(|order| greedy(pattern, &mirror, &order));
    if second.colours < first.colours { second } else { first }
}

/// The trees of all pairs of colours, as sets of edges. An edge has the number of its entry above
/// or below the diagonal, whichever is first.
struct Forest {
    /// An edge of the same tree, nearer to the one that stands for the tree.
    parents: Vec<u32>,
    /// Of each vertex an edge of its tree with each colour among its neighbours.
    around: Vec<ColourList<u32>>,
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

    /// The edge joins the tree that the vertex has with this colour.
    fn join(&mut self, vertex: u32, colour: u32, edge: u32) {
        match self.around[vertex as usize].find(colour) {
            None => self.around[vertex as usize].push(colour, edge),
            Some(tree) => {
                let tree = *tree;
                let (a, b) = (self.root(tree), self.root(edge));
                self.parents[a as usize] = b;
            }
        }
    }
}

fn greedy(pattern: &Pattern, mirror: &[u32], order: &[u32]) -> Colouring {
    let mut colouring = Colouring::none(pattern.rows());
    let mut forest = Forest {
        parents: (0..pattern.entries() as u32).collect(),
        around: vec![ColourList::new(); pattern.rows()],
    };
    let mut forbidden = Forbidden::new();
    // Of each tree, the last vertex with a neighbour in it, and that neighbour.
    let mut visits = vec![(NONE, NONE); pattern.entries()];
    for &v in order {
        if pattern.row(v as usize).is_empty() {
            continue;
        }
        forbidden.start(v);
        let coloured = |w: &u32| colouring.of[*w as usize] != NONE;
        for w in neighbours(pattern, v).filter(coloured) {
            forbidden.add(colouring.of[w as usize]);
        }
        for w in neighbours(pattern, v).filter(coloured) {
            for at in 0..forest.around[w as usize].items.len() {
                let (colour, tree) = forest.around[w as usize].items[at];
                if forbidden.has(colour) {
                    continue;
                }
                let visit = &mut visits[forest.root(tree) as usize];
                match *visit {
                    (of, neighbour) if of == v && neighbour != w => forbidden.add(colour),
                    _ => *visit = (v, w),
                }
            }
        }
        let colour = forbidden.first();
        colouring.set(v, colour);
        for at in pattern.range(v as usize) {
            let w = pattern.indices[at];
            if w == v || colouring.of[w as usize] == NONE {
                continue;
            }
            let edge = (at as u32).min(mirror[at]);
            forest.join(v, colouring.of[w as usize], edge);
            forest.join(w, colour, edge);
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
        let c = colour(pattern);
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
