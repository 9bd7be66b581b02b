//! Columns of a Jacobian: two with entries in the same row have different colours (a partial
//! distance-2 colouring of the bipartite graph). Then each product has one entry, or none, per row.
//! Colourings of rows are those of the columns of the transposed pattern.

use super::{Colouring, Forbidden, orders};
use crate::sparse::pattern::Pattern;

/// Rows this long keep their colours as bits, if they have more than a 16th of the colours.
const LONG: usize = 256;
/// Smallest-last order is tried up to this sum of squared row lengths.
const PAIRS: usize = 1 << 27;

/// Colours the columns. None if that takes at least `limit` colours. `transposed` is the transposed
/// pattern.
pub fn colour(pattern: &Pattern, transposed: &Pattern, limit: u32) -> Option<Colouring> {
    let least = pattern.longest() as u32;
    if least >= limit {
        return None;
    }
    let mut best: Option<Colouring> = None;
    let pairs: usize = lengths(pattern).map(|l| l.saturating_mul(l)).fold(0, usize::saturating_add);
    for attempt in 0..3 {
        let order = match attempt {
            0 => (0..pattern.columns).collect(),
            1 => orders::largest_first(&simple_degrees(pattern, transposed)),
            _ if pairs > PAIRS => break,
            _ => smallest_last(pattern, transposed),
        };
        let limit = best.as_ref().map_or(limit, |b| b.colours);
        best = greedy(pattern, transposed, &order, limit).or(best);
        // No colouring has fewer colours than the longest row has entries.
        if best.as_ref().is_some_and(|b| b.colours == least) {
            break;
        }
    }
    best
}

fn lengths(pattern: &Pattern) -> impl Iterator<Item = usize> + '_ {
    pattern.starts.windows(2).map(|w| w[1] - w[0])
}

/// In this order. None as soon as that takes at least `limit` colours.
fn greedy(pattern: &Pattern, transposed: &Pattern, order: &[u32], limit: u32) -> Option<Colouring> {
    let least = LONG.max(pattern.longest() / 16);
    let mut used: Vec<Option<Vec<u64>>> =
        lengths(pattern).map(|length| (length >= least).then(Vec::new)).collect();
    let mut colouring = Colouring::none(pattern.columns as usize);
    let mut forbidden = Forbidden::new();
    let mut long = vec![];
    for &column in order {
        let rows = transposed.row(column as usize);
        if rows.is_empty() {
            continue;
        }
        forbidden.start(column);
        long.clear();
        for &row in rows {
            if used[row as usize].is_some() {
                long.push(row);
            } else {
                let row = pattern.row(row as usize);
                row.iter().for_each(|&other| forbidden.add(colouring.of[other as usize]));
            }
        }
        let colour = if long.is_empty() {
            forbidden.first()
        } else {
            let colour = first_free(&used, &long, &forbidden);
            for &row in &long {
                let bits = used[row as usize].get_or_insert_default();
                let word = colour as usize / 64;
                bits.resize(bits.len().max(word + 1), 0);
                bits[word] |= 1 << (colour % 64);
            }
            colour
        };
        if colour + 1 >= limit {
            return None;
        }
        colouring.set(column, colour);
    }
    Some(colouring)
}

/// The smallest colour that is neither forbidden nor used in one of these long rows.
fn first_free(used: &[Option<Vec<u64>>], long: &[u32], forbidden: &Forbidden) -> u32 {
    let sets: Vec<&[u64]> = long.iter().filter_map(|&r| used[r as usize].as_deref()).collect();
    (0..)
        .flat_map(|word| {
            let taken = sets.iter().filter_map(|s| s.get(word)).fold(0, |t, &s| t | s);
            let mut free = !taken;
            std::iter::from_fn(move || {
                let bit = (free != 0).then(|| free.trailing_zeros())?;
                free &= free - 1;
                Some(word as u32 * 64 + bit)
            })
        })
        .find(|&colour| !forbidden.has(colour))
        .expect("finitely many colours are taken")
}

/// How many entries rows have beside those of each column.
fn simple_degrees(pattern: &Pattern, transposed: &Pattern) -> Vec<u32> {
    let most = u64::from(pattern.columns);
    (0..transposed.rows())
        .map(|c| {
            let rows = transposed.row(c).iter();
            rows.map(|&r| pattern.row(r as usize).len() as u64 - 1).sum::<u64>().min(most) as u32
        })
        .collect()
}

/// By the numbers of columns that meet a column.
fn smallest_last(pattern: &Pattern, transposed: &Pattern) -> Vec<u32> {
    let columns = pattern.columns;
    let mut seen = vec![0u32; columns as usize];
    let mut stamp = 0;
    let mut meet = |column: u32, f: &mut dyn FnMut(u32)| {
        stamp += 1;
        seen[column as usize] = stamp;
        for &row in transposed.row(column as usize) {
            for &other in pattern.row(row as usize) {
                if std::mem::replace(&mut seen[other as usize], stamp) != stamp {
                    f(other);
                }
            }
        }
    };
    let degrees = (0..columns)
        .map(|column| {
            let mut degree = 0;
            meet(column, &mut |_| degree += 1);
            degree
        })
        .collect();
    orders::smallest_last(degrees, meet)
}

/// Whether columns that meet have different colours, and all that have entries have one.
#[cfg(test)]
pub fn is_valid(pattern: &Pattern, colouring: &Colouring) -> bool {
    (0..pattern.rows()).all(|row| {
        let mut colours: Vec<u32> =
            pattern.row(row).iter().map(|&c| colouring.of[c as usize]).collect();
        let count = colours.len();
        colours.sort_unstable();
        colours.dedup();
        colours.len() == count && !colours.contains(&super::NONE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::{
        colouring::NONE,
        samples::{Random, arrow, banded, blocks, random_matrix},
    };

    fn colours(pattern: &Pattern) -> u32 {
        let transposed = pattern.transposed().0;
        let c = colour(pattern, &transposed, NONE).expect("there is no limit");
        assert!(is_valid(pattern, &c));
        c.colours
    }

    #[test]
    fn known_numbers_of_colours() {
        assert_eq!(colours(&banded(50, 1)), 3);
        assert_eq!(colours(&banded(60, 4)), 9);
        assert_eq!(colours(&blocks(7, 5)), 5);
        assert_eq!(colours(&arrow(700)), 700);
        let row = Pattern::from_rows([(0..300).collect::<Vec<u32>>()], 300);
        assert_eq!(colours(&row), 300);
        assert_eq!(colours(&row.transposed().0), 1);
        assert_eq!(colours(&Pattern::from_rows([[0u32; 0]; 4], 9)), 0);
    }

    #[test]
    fn a_limit_ends_the_search() {
        let p = banded(50, 1);
        assert!(colour(&p, &p.transposed().0, 3).is_none());
        assert_eq!(colour(&p, &p.transposed().0, 4).map(|c| c.colours), Some(3));
    }

    #[test]
    fn columns_that_meet_differ() {
        let mut random = Random(3);
        for case in 0..100 {
            let (rows, columns) = (1 + random.below(60), 1 + random.below(60) as u32);
            colours(&random_matrix(&mut random, rows, columns, 1 + case % 8));
        }
        // With long rows among short ones.
        let mut p = random_matrix(&mut random, 300, 900, 3);
        let wide: Vec<u32> = (0..900).filter(|c| c % 3 != 1).collect();
        p.indices.extend(&wide);
        p.starts.push(p.indices.len());
        assert!(colours(&p) >= 600);
    }
}
