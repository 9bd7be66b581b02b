//! The call graph: levels of functions, each called from one to three functions of the level above.

use adfuzz::rng::Rng;

/// Levels grow by this factor until they have their final width.
const GROWTH: usize = 4;
/// A function is called at most that often in a run of the root: the work stays linear in the
/// number of functions.
const MOST_RUNS: u64 = 4;
/// Callers of a function.
const MOST_CALLERS: usize = 3;
/// How many functions in 100 get one more caller, and of those how many yet another.
const SHARED: usize = 30;

/// A call graph. Function 0 is the root; numbers grow with the level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Level of each function.
    pub level: Vec<usize>,
    /// Functions that each function calls, in order; each once.
    pub callees: Vec<Vec<usize>>,
}

impl Shape {
    /// `functions` functions on `depth` levels; at least one on each.
    pub fn draw(functions: usize, depth: usize, rng: &mut Rng) -> Result<Shape, String> {
        if depth == 0 || functions < depth || (depth == 1 && functions > 1) {
            return Err(format!("{functions} functions do not fill {depth} levels"));
        }
        let mut shape = Shape { level: vec![], callees: vec![vec![]; functions] };
        let mut runs = vec![1u64];
        let mut above = 0..0;
        for (l, width) in widths(functions, depth).into_iter().enumerate() {
            let start = shape.level.len();
            shape.level.resize(start + width, l);
            for f in start..shape.level.len() {
                if l > 0 {
                    let of = shape.callers(f, above.clone(), &runs, rng);
                    runs.push(of.iter().map(|&c| runs[c]).sum());
                    of.into_iter().for_each(|c| shape.callees[c].push(f));
                }
            }
            above = start..shape.level.len();
        }
        Ok(shape)
    }

    fn callers(
        &self,
        f: usize,
        above: std::ops::Range<usize>,
        runs: &[u64],
        rng: &mut Rng,
    ) -> Vec<usize> {
        // The first one in turn, so that few functions of the level above call nothing.
        let mut of = vec![above.start + f % above.len()];
        while of.len() < MOST_CALLERS && rng.chance(SHARED) {
            let c = above.start + rng.below(above.len());
            let sum: u64 = of.iter().map(|&c| runs[c]).sum();
            if !of.contains(&c) && sum + runs[c] <= MOST_RUNS {
                of.push(c);
            }
        }
        of
    }

    /// Length of the longest chain of calls from the root, in functions.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.callees.len()];
        depth[0] = 1;
        // Callees have greater numbers.
        for f in 0..depth.len() {
            let below = if depth[f] > 0 { depth[f] + 1 } else { 0 };
            self.callees[f].iter().for_each(|&c| depth[c] = depth[c].max(below));
        }
        depth.into_iter().max().unwrap_or(0)
    }
}

/// How many functions each level has: growing from the root, then all alike.
fn widths(functions: usize, depth: usize) -> Vec<usize> {
    let at = |cap: usize| -> Vec<usize> {
        (0..depth).map(|l| GROWTH.saturating_pow(l as u32).min(cap)).collect()
    };
    let sum = |w: &[usize]| w.iter().fold(0usize, |a, &b| a.saturating_add(b));
    let cap = (1..=functions).find(|&cap| sum(&at(cap)) >= functions).unwrap_or(functions);
    let mut widths = at(cap);
    let total = sum(&widths);
    if total < functions {
        widths[depth - 1] += functions - total;
    }
    for w in widths.iter_mut().rev().take(total.saturating_sub(functions)) {
        *w -= 1;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(functions: usize, depth: usize, seed: u64) -> Shape {
        Shape::draw(functions, depth, &mut Rng::new(seed, 0)).unwrap()
    }

    #[test]
    fn the_depth_is_what_is_asked() {
        for (functions, depth) in [(2000, 20), (250, 20), (100, 7), (20, 20), (50, 2), (1, 1)] {
            assert_eq!(draw(functions, depth, 1).depth(), depth, "{functions} functions");
        }
    }

    #[test]
    fn every_function_is_there_and_is_called() {
        for (functions, depth) in [(2000, 20), (250, 20), (21, 20), (50, 2)] {
            let shape = draw(functions, depth, 3);
            assert_eq!((shape.level.len(), shape.callees.len()), (functions, functions));
            let mut callers = vec![0; functions];
            let mut reached = vec![false; functions];
            reached[0] = true;
            for f in 0..functions {
                for &c in &shape.callees[f] {
                    assert_eq!(shape.level[c], shape.level[f] + 1);
                    reached[c] |= reached[f];
                    callers[c] += 1;
                }
            }
            assert!(reached.iter().all(|r| *r));
            assert!(callers[1..].iter().all(|n| (1..=MOST_CALLERS).contains(n)));
        }
    }

    #[test]
    fn work_does_not_grow_with_the_depth() {
        let shape = draw(2000, 20, 5);
        let mut runs = vec![0u64; 2000];
        runs[0] = 1;
        for f in 0..2000 {
            for &c in &shape.callees[f] {
                runs[c] += runs[f];
            }
        }
        assert!(runs.iter().all(|r| (1..=MOST_RUNS).contains(r)));
    }

    #[test]
    fn too_few_functions_are_an_error() {
        assert!(Shape::draw(19, 20, &mut Rng::new(1, 0)).is_err());
        assert!(Shape::draw(2, 1, &mut Rng::new(1, 0)).is_err());
        assert!(Shape::draw(0, 0, &mut Rng::new(1, 0)).is_err());
    }

    #[test]
    fn some_functions_are_shared() {
        let shape = draw(2000, 20, 1);
        let calls: usize = shape.callees.iter().map(Vec::len).sum();
        assert!((2100..3000).contains(&calls), "{calls} calls");
    }
}
