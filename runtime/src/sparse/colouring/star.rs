//! Star colourings of a symmetric pattern: neighbours differ, and every path of four vertices has
//! three colours or more. What two colours span are then stars: one hub, and leaves around it. Each
//! entry H_ij, i != j, can be read from one product: column colour(j) of row i if j is the only
//! neighbour of i with that colour; otherwise i is a hub, and it is column colour(i) of row j.
//!
//! Greedy. A colour c is forbidden to vertex v if
//!
//! ```text
//! 1. a neighbour has it;
//! 2. a neighbour w is a leaf of a star with two leaves or more, whose hub has it: v - w - hub -
//!    leaf;
//! 3. two neighbours have the same colour, and a neighbour of one of them has it: w - v - w' - y.
//! ```
//!
//! For each vertex there is a list of the colours that its neighbours have, with one neighbour
//! each, and a list of the colours of rule 2. A colour is at most once in each, so that the work is
//! entries times colours. Stars: Gebremedhin, Tarafdar, Manne, Pothen, New acyclic and star
//! coloring algorithms with application to computing Hessians, SIAM J. Sci. Comput. 29 (2007),
//! section 4.

use super::{ColourList, Colouring, Forbidden, NONE, orders};
use crate::sparse::pattern::Pattern;

/// What the colouring of further vertices must know of one vertex.
#[derive(Clone)]
struct Around {
    /// The colours of neighbours.
    colours: ColourList<Holder>,
    /// The colours of hubs whose leaf this vertex is, with two leaves or more.
    hubs: Vec<u32>,
}

/// Which neighbours have a colour.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// This one.
    One(u32),
    /// Several: the vertex is their hub.
    Several,
}

/// Colours the vertices that have entries.
pub fn colour(pattern: &Pattern) -> Colouring {
    let degrees: Vec<u32> =
        (0..pattern.rows()).map(|v| neighbours(pattern, v as u32).count() as u32).collect();
    let natural = (0..pattern.columns).collect();
    let largest = orders::largest_first(&degrees);
    let smallest = orders::smallest_last(degrees, |v, f| neighbours(pattern, v).for_each(f));
    let mut best: Option<Colouring> = None;
    for order in [natural, largest, smallest] {
        let limit = best.as_ref().map_or(NONE, |b| b.colours);
        best = greedy(pattern, &order, limit).or(best);
    }
    best.expect("the first order has no limit")
}

/// Without the vertex itself.
pub fn neighbours(pattern: &Pattern, vertex: u32) -> impl Iterator<Item = u32> + '_ {
    pattern.row(vertex as usize).iter().copied().filter(move |&w| w != vertex)
}

/// In this order. None as soon as that takes at least `limit` colours.
fn greedy(pattern: &Pattern, order: &[u32], limit: u32) -> Option<Colouring> {
    let mut colouring = Colouring::none(pattern.rows());
    let mut around = vec![Around { colours: ColourList::new(), hubs: vec![] }; pattern.rows()];
    let mut forbidden = Forbidden::new();
    // The colours that several neighbours of the vertex have.
    let mut shared = Forbidden::new();
    for &v in order {
        if pattern.row(v as usize).is_empty() {
            continue;
        }
        forbidden.start(v);
        shared.start(v);
        for (colour, holder) in &around[v as usize].colours.items {
            forbidden.add(*colour);
            if *holder == Holder::Several {
                shared.add(*colour);
            }
        }
        for w in neighbours(pattern, v).filter(|&w| colouring.of[w as usize] != NONE) {
            around[w as usize].hubs.iter().for_each(|&hub| forbidden.add(hub));
            if shared.has(colouring.of[w as usize]) {
                around[w as usize].colours.items.iter().for_each(|&(c, _)| forbidden.add(c));
            }
        }
        let colour = forbidden.first();
        if colour + 1 >= limit {
            return None;
        }
        colouring.set(v, colour);
        for w in neighbours(pattern, v) {
            let of_w = colouring.of[w as usize];
            join(&mut around, w, of_w, v, colour);
            if of_w != NONE && shared.has(of_w) {
                around[w as usize].hubs.push(colour);
            }
        }
    }
    Some(colouring)
}

/// w has a new neighbour v with this colour. If another has it, too, w is the hub of both.
fn join(around: &mut [Around], w: u32, of_w: u32, v: u32, colour: u32) {
    let Some(holder) = around[w as usize].colours.find(colour) else {
        around[w as usize].colours.push(colour, Holder::One(v));
        return;
    };
    let before = std::mem::replace(holder, Holder::Several);
    if of_w == NONE {
        return;
    }
    if let Holder::One(first) = before {
        around[first as usize].hubs.push(of_w);
    }
    around[v as usize].hubs.push(of_w);
}

/// Whether no two neighbours, and no path of four vertices, have too few colours.
#[cfg(test)]
pub fn is_valid(pattern: &Pattern, colouring: &Colouring) -> bool {
    let of = |v: u32| colouring.of[v as usize];
    (0..pattern.columns).all(|v| {
        neighbours(pattern, v).all(|w| {
            of(v) != NONE
                && of(v) != of(w)
                && neighbours(pattern, w)
                    .filter(|&x| x != v && of(x) == of(v))
                    .all(|x| neighbours(pattern, x).all(|y| y == w || of(y) != of(w)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::samples::{Random, arrow, banded, blocks, random_symmetric};

    fn colours(pattern: &Pattern) -> u32 {
        let c = colour(pattern);
        assert!(is_valid(pattern, &c));
        c.colours
    }

    #[test]
    fn known_numbers_of_colours() {
        assert_eq!(colours(&banded(50, 0)), 1);
        assert_eq!(colours(&banded(50, 1)), 3);
        assert_eq!(colours(&banded(50, 2)), 5);
        assert_eq!(colours(&arrow(700)), 2);
        assert_eq!(colours(&blocks(7, 5)), 5);
        assert_eq!(colours(&Pattern::from_rows([[0u32; 0]; 4], 4)), 0);
    }

    #[test]
    fn each_order_gives_stars() {
        let mut random = Random(17);
        for case in 0..300 {
            let n = 1 + random.below(40);
            let pairs = random.below(1 + n * (1 + case % 5));
            let pattern = random_symmetric(&mut random, n, pairs);
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_cached_key(|_| random.next());
            let c = greedy(&pattern, &order, NONE).expect("there is no limit");
            assert!(is_valid(&pattern, &c), "{pattern:?} {c:?}");
            colours(&pattern);
        }
    }
}
