//! From a colouring to the entries: seeds of each direction, what is read from its product, and
//! the check.
//!
//! Direction d < colours has the seed 1 for what has colour d. One more, the check, has numbers
//! s_j that no pattern fits by chance. If the pattern is right, its product is the sum of
//! entries times s_j in each position; if an entry lies outside of the pattern, it was taken for
//! another of the same colour, and the sums differ by the entry times a difference of two s_j.

use super::{
    colouring::{Colouring, NONE, star, trees},
    misuse::Misuse,
    pattern::Pattern,
};

/// How entries follow from products.
enum Recovery {
    /// Each number that is read is an entry.
    Direct,
    /// Numbers that are read, and how entries follow from them, in order.
    Substitution { read: Vec<f64>, steps: Vec<trees::Step> },
}

/// A coloured pattern, and what has been received of its products.
pub struct Directions {
    is_by_rows: bool,
    colouring: Colouring,
    has_check: bool,
    /// Elements of each product.
    length: usize,
    /// Where what each direction gives starts in the next two, and the end of the last.
    starts: Vec<usize>,
    /// Elements of products, ascending for each direction.
    positions: Vec<u32>,
    /// What they are: entries, or numbers that substitution reads.
    slots: Vec<u32>,
    recovery: Recovery,
    /// NaN until they are known.
    entries: Vec<f64>,
    /// The product of the check direction.
    check: Vec<f64>,
    /// Elements received of each direction, since it was complete for the last time.
    received: Vec<usize>,
    /// Whether the directions but for the check are complete.
    is_complete: bool,
}

/// Direction, element of the product, what is read there.
type Item = (u32, u32, u32);

impl Directions {
    /// Products with directions of columns: J times seed.
    pub fn by_columns(pattern: &Pattern, colouring: Colouring, has_check: bool) -> Directions {
        let mut items: Vec<Item> = Vec::with_capacity(pattern.entries());
        for row in 0..pattern.rows() {
            for (at, &column) in pattern.row(row).iter().enumerate() {
                let slot = (pattern.starts[row] + at) as u32;
                items.push((colouring.of[column as usize], row as u32, slot));
            }
        }
        Directions::new(pattern, false, colouring, has_check, items, Recovery::Direct)
    }

    /// Products with directions of rows: seed times J.
    pub fn by_rows(
        pattern: &Pattern,
        transposed: &(Pattern, Vec<u32>),
        colouring: Colouring,
        has_check: bool,
    ) -> Directions {
        let (transposed, from) = transposed;
        let mut items: Vec<Item> = Vec::with_capacity(pattern.entries());
        for column in 0..transposed.rows() {
            for (at, &row) in transposed.row(column).iter().enumerate() {
                let slot = from[transposed.starts[column] + at];
                items.push((colouring.of[row as usize], column as u32, slot));
            }
        }
        Directions::new(pattern, true, colouring, has_check, items, Recovery::Direct)
    }

    /// A symmetric matrix by a star colouring. Both entries of a pair are read in one place, and so
    /// are equal.
    pub fn by_stars(pattern: &Pattern, colouring: Colouring, has_check: bool) -> Directions {
        let mirror = pattern.transposed().1;
        let mut items: Vec<Item> = Vec::with_capacity(pattern.entries());
        let mut count = vec![0u32; colouring.colours as usize];
        for row in 0..pattern.rows() as u32 {
            let of = |v: u32| colouring.of[v as usize] as usize;
            star::neighbours(pattern, row).for_each(|w| count[of(w)] += 1);
            for (at, &column) in pattern.row(row as usize).iter().enumerate() {
                let slot = pattern.starts[row as usize] + at;
                if column > row {
                    break;
                }
                let (direction, position) = match column == row || count[of(column)] == 1 {
                    true => (of(column), row),
                    false => (of(row), column),
                };
                items.push((direction as u32, position, slot as u32));
                if column != row {
                    items.push((direction as u32, position, mirror[slot]));
                }
            }
            star::neighbours(pattern, row).for_each(|w| count[of(w)] = 0);
        }
        Directions::new(pattern, false, colouring, has_check, items, Recovery::Direct)
    }

    /// A symmetric matrix by an acyclic colouring.
    pub fn by_trees(pattern: &Pattern, colouring: Colouring, has_check: bool) -> Directions {
        let (places, steps) = trees::plan(pattern, &colouring);
        let read = vec![f64::NAN; places.len()];
        let items = places.iter().zip(0..).map(|(&(d, position), at)| (d, position, at)).collect();
        let recovery = Recovery::Substitution { read, steps };
        Directions::new(pattern, false, colouring, has_check, items, recovery)
    }

    fn new(
        pattern: &Pattern,
        is_by_rows: bool,
        colouring: Colouring,
        has_check: bool,
        mut items: Vec<Item>,
        recovery: Recovery,
    ) -> Directions {
        let length = if is_by_rows { pattern.columns as usize } else { pattern.rows() };
        let colours = colouring.colours as usize;
        sort_by_key(&mut items, length, |i| i.1);
        let starts = sort_by_key(&mut items, colours, |i| i.0);
        Directions {
            is_by_rows,
            has_check,
            length,
            starts,
            positions: items.iter().map(|i| i.1).collect(),
            slots: items.iter().map(|i| i.2).collect(),
            recovery,
            entries: vec![f64::NAN; pattern.entries()],
            check: vec![f64::NAN; if has_check { length } else { 0 }],
            received: vec![0; colours + usize::from(has_check)],
            is_complete: colours == 0 || length == 0,
            colouring,
        }
    }

    pub fn is_by_rows(&self) -> bool {
        self.is_by_rows
    }

    /// With the check, if there is one.
    pub fn count(&self) -> usize {
        self.received.len()
    }

    pub fn colours(&self) -> usize {
        self.colouring.colours as usize
    }

    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    fn direction(&self, direction: i64) -> Result<usize, Misuse> {
        match usize::try_from(direction) {
            Ok(d) if d < self.count() => Ok(d),
            _ => Err(Misuse::new(format!(
                "direction {direction} does not exist; there are {}, numbered from 0",
                self.count()
            ))),
        }
    }

    /// The seed of one element in a direction.
    fn seed(&self, direction: usize, element: usize) -> f64 {
        if direction == self.colours() {
            return check_seed(element);
        }
        let colour = self.colouring.of[element];
        f64::from(u8::from(colour != NONE && colour as usize == direction))
    }

    /// Fills the seeds of the elements from `first` on.
    pub fn fill<R: Real>(&self, direction: i64, seeds: &mut [R], first: i64) -> Result<(), Misuse> {
        let direction = self.direction(direction)?;
        let what = if self.is_by_rows { "rows" } else { "columns" };
        let first = piece(first, seeds.len(), self.colouring.of.len(), what)?;
        for (i, seed) in seeds.iter_mut().enumerate() {
            *seed = R::new(self.seed(direction, first + i));
        }
        Ok(())
    }

    /// Takes elements of a product, from `first` on.
    pub fn receive<R: Real>(
        &mut self,
        direction: i64,
        products: &[R],
        first: i64,
    ) -> Result<(), Misuse> {
        let d = self.direction(direction)?;
        let what = if self.is_by_rows { "columns" } else { "rows" };
        let first = piece(first, products.len(), self.length, what)?;
        if products.is_empty() {
            return Ok(());
        }
        if self.received[d] >= self.length {
            self.received[d] = 0;
        }
        self.received[d] += products.len();
        if d == self.colours() {
            for (check, product) in self.check[first..].iter_mut().zip(products) {
                *check = product.value();
            }
            return Ok(());
        }
        self.is_complete = false;
        let given = self.starts[d]..self.starts[d + 1];
        let positions = &self.positions[given.clone()];
        let from = given.start + positions.partition_point(|&p| (p as usize) < first);
        let target = match &mut self.recovery {
            Recovery::Direct => &mut self.entries,
            Recovery::Substitution { read, .. } => read,
        };
        for at in from..given.end {
            let Some(product) = products.get(self.positions[at] as usize - first) else { break };
            target[self.slots[at] as usize] = product.value();
        }
        let colours = self.colours();
        if self.received[..colours].iter().all(|&r| r >= self.length) {
            self.received[..colours].fill(0);
            self.is_complete = true;
            if let Recovery::Substitution { read, steps } = &self.recovery {
                trees::substitute(read.clone(), steps, &mut self.entries);
            }
        }
        Ok(())
    }

    /// The first element of the check's product that differs from the sum over the entries by more
    /// than `tolerance` times the sum of their magnitudes, or where one of them is not finite: nothing is known there.
    pub fn compare(&self, pattern: &Pattern, tolerance: f64) -> Result<Option<usize>, Misuse> {
        if !self.has_check {
            return Err(Misuse::new("there is no check direction after ad_sparse_skip_check"));
        }
        if !self.is_complete || self.received[self.colours()] < self.length {
            return Err(Misuse::new(
                "not all products are known; remedy: call ad_sparse_values for each direction first",
            ));
        }
        let mut sums = vec![(0.0, 0.0); self.length];
        for row in 0..pattern.rows() {
            for at in pattern.range(row) {
                let column = pattern.indices[at] as usize;
                let (seed, position) = if self.is_by_rows { (row, column) } else { (column, row) };
                let term = self.entries[at] * check_seed(seed);
                sums[position].0 += term;
                sums[position].1 += term.abs();
            }
        }
        let agrees = |product: f64, (sum, magnitude): (f64, f64)| {
            [product, sum, magnitude].into_iter().all(f64::is_finite)
                && (product - sum).abs() <= tolerance * magnitude
        };
        let mut both = self.check.iter().zip(&sums);
        Ok(both.position(|(&product, &sum)| !agrees(product, sum)))
    }
}

/// Sorts by keys below `count`, and keeps the order of equal ones; where each key starts, and the
/// end.
fn sort_by_key(items: &mut Vec<Item>, count: usize, key: impl Fn(&Item) -> u32) -> Vec<usize> {
    let mut starts = vec![0; count + 1];
    items.iter().for_each(|i| starts[key(i) as usize + 1] += 1);
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    if items.is_sorted_by_key(&key) {
        return starts;
    }
    let mut next = starts.clone();
    let mut sorted = vec![(0, 0, 0); items.len()];
    for item in items.iter() {
        let at = &mut next[key(item) as usize];
        sorted[*at] = *item;
        *at += 1;
    }
    *items = sorted;
    starts
}

/// Checks that a piece lies within its vector.
pub fn piece(first: i64, count: usize, length: usize, what: &str) -> Result<usize, Misuse> {
    let start = usize::try_from(first).ok();
    start.filter(|s| s.checked_add(count).is_some_and(|end| end <= length)).ok_or_else(|| {
        Misuse::new(format!(
            "elements {first} to {} do not exist; there are {length} {what}, numbered from 0",
            (i128::from(first) + count as i128) - 1
        ))
    })
}

/// The check's seed: of magnitude 0.5 to 1.5, with a sign, and exact in single precision.
fn check_seed(element: usize) -> f64 {
    let bits = super::mix(element as u64 + 1);
    let magnitude = 0.5 + (bits >> 41) as f64 / (1u64 << 23) as f64;
    if bits & 1 == 0 { magnitude } else { -magnitude }
}

/// float and double.
pub trait Real: Copy {
    /// The nearest number.
    fn new(value: f64) -> Self;
    fn value(self) -> f64;
    /// The number whose low bits are a handle, and whose others are 0.
    fn of_handle(handle: u32) -> Self;
    fn handle(self) -> u32;
}

impl Real for f64 {
    fn new(value: f64) -> f64 {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn of_handle(handle: u32) -> f64 {
        f64::from_bits(u64::from(handle))
    }
    fn handle(self) -> u32 {
        self.to_bits() as u32
    }
}

impl Real for f32 {
    fn new(value: f64) -> f32 {
        value as f32
    }
    fn value(self) -> f64 {
        f64::from(self)
    }
    fn of_handle(handle: u32) -> f32 {
        f32::from_bits(handle)
    }
    fn handle(self) -> u32 {
        self.to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_seeds_are_exact_in_float_and_differ() {
        let seeds: Vec<f64> = (0..1000).map(check_seed).collect();
        assert!(seeds.iter().all(|s| (0.5..1.5).contains(&s.abs()) && f64::from(*s as f32) == *s));
        assert!(seeds.iter().any(|s| *s < 0.0) && seeds.iter().any(|s| *s > 0.0));
        let mut sorted = seeds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        assert!(sorted.len() > 990);
    }

    #[test]
    fn pieces_lie_within() {
        assert_eq!(piece(2, 3, 5, "rows"), Ok(2));
        assert_eq!(piece(5, 0, 5, "rows"), Ok(5));
        for (first, count) in [(-1, 1), (3, 3), (6, 0), (i64::MAX, usize::MAX)] {
            assert!(piece(first, count, 5, "rows").is_err());
        }
    }
}
