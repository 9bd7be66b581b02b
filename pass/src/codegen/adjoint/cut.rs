//! Minimum vertex cut: which values to record so that everything needed can be recomputed from
//! them, at least cost of records and recomputations together.
//!
//! Dinic's algorithm on the split graph: each vertex is an arc of its cost, each dependence an arc
//! without limit.

use std::collections::VecDeque;

const UNLIMITED: u64 = u64::MAX / 4;

/// A dependence graph of `n` vertices.
pub struct CutGraph {
    heads: Vec<Vec<usize>>,
    to: Vec<usize>,
    room: Vec<u64>,
    n: usize,
}

impl CutGraph {
    /// Vertices 0..n without arcs.
    pub fn new(n: usize) -> CutGraph {
        CutGraph { heads: vec![vec![]; 2 * n + 2], to: vec![], room: vec![], n }
    }
    fn arc(&mut self, a: usize, b: usize, room: u64) {
        for (x, y, r) in [(a, b, room), (b, a, 0)] {
            self.heads[x].push(self.to.len());
            self.to.push(y);
            self.room.push(r);
        }
    }
    fn source(&self) -> usize {
        2 * self.n
    }
    fn sink(&self) -> usize {
        2 * self.n + 1
    }
    /// Recording `v` costs that much.
    pub fn cost(&mut self, v: usize, cost: u64) {
        self.arc(2 * v, 2 * v + 1, cost);
    }
    /// Recomputing `v` costs that much, beyond what its operands cost.
    pub fn recompute(&mut self, v: usize, cost: u64) {
        // Cut iff `v` is needed and not recorded: then its entrance lies on the side of the needs.
        let s = self.source();
        self.arc(s, 2 * v, cost);
    }
    /// `v` cannot be recomputed.
    pub fn root(&mut self, v: usize) {
        let s = self.source();
        self.arc(s, 2 * v, UNLIMITED);
    }
    /// `user` is recomputed from `operand`.
    pub fn depends(&mut self, user: usize, operand: usize) {
        self.arc(2 * operand + 1, 2 * user, UNLIMITED);
    }
    /// `v` is needed.
    pub fn need(&mut self, v: usize) {
        let t = self.sink();
        self.arc(2 * v + 1, t, UNLIMITED);
    }

    /// The vertices to record: of all cheapest cuts the one nearest to the needs, which recomputes
    /// least.
    pub fn solve(mut self) -> Vec<usize> {
        while let Some(levels) = self.levels() {
            let mut next = vec![0; self.heads.len()];
            while self.push(self.source(), UNLIMITED, &levels, &mut next) > 0 {}
        }
        // Vertices from which the sink can still be reached lie on its side.
        let mut sink_side = vec![false; self.heads.len()];
        let mut work = vec![self.sink()];
        sink_side[self.sink()] = true;
        while let Some(b) = work.pop() {
            for &e in &self.heads[b] {
                let a = self.to[e];
                if self.room[e ^ 1] > 0 && !sink_side[a] {
                    sink_side[a] = true;
                    work.push(a);
                }
            }
        }
        (0..self.n).filter(|v| !sink_side[2 * v] && sink_side[2 * v + 1]).collect()
    }

    fn levels(&self) -> Option<Vec<u32>> {
        let mut level = vec![u32::MAX; self.heads.len()];
        let mut queue = VecDeque::from([self.source()]);
        level[self.source()] = 0;
        while let Some(a) = queue.pop_front() {
            for &e in &self.heads[a] {
                let b = self.to[e];
                if self.room[e] > 0 && level[b] == u32::MAX {
                    level[b] = level[a] + 1;
                    queue.push_back(b);
                }
            }
        }
        (level[self.sink()] != u32::MAX).then_some(level)
    }

    /// Pushes flow along one path of the level graph; iterative, as dependence chains may be long.
    fn push(&mut self, from: usize, limit: u64, level: &[u32], next: &mut [usize]) -> u64 {
        let mut path: Vec<usize> = vec![];
        let mut at = from;
        loop {
            if at == self.sink() {
                let flow = path.iter().map(|&e| self.room[e]).fold(limit, u64::min);
                for &e in &path {
                    self.room[e] -= flow;
                    self.room[e ^ 1] += flow;
                }
                return flow;
            }
            let step = self.heads[at][next[at]..]
                .iter()
                .position(|&e| self.room[e] > 0 && level[self.to[e]] == level[at] + 1);
            match step {
                Some(k) => {
                    next[at] += k;
                    let e = self.heads[at][next[at]];
                    path.push(e);
                    at = self.to[e];
                }
                None => {
                    next[at] = self.heads[at].len();
                    let Some(e) = path.pop() else { return 0 };
                    at = self.to[e ^ 1];
                    next[at] += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shared_operand_is_cheaper_than_two_results() {
        let mut g = CutGraph::new(3);
        for v in 0..3 {
            g.cost(v, 8);
        }
        g.root(0);
        g.depends(1, 0);
        g.depends(2, 0);
        g.need(1);
        g.need(2);
        assert_eq!(g.solve(), [0]);
    }

    #[test]
    fn one_result_is_cheaper_than_two_operands() {
        let mut g = CutGraph::new(3);
        for v in 0..3 {
            g.cost(v, 8);
        }
        g.root(0);
        g.root(1);
        g.depends(2, 0);
        g.depends(2, 1);
        g.need(2);
        assert_eq!(g.solve(), [2]);
    }

    #[test]
    fn what_is_dear_to_recompute_is_recorded() {
        for (dear, cut) in [(1, vec![0]), (9, vec![1])] {
            let mut g = CutGraph::new(2);
            g.cost(0, 7);
            g.cost(1, 8);
            g.root(0);
            g.depends(1, 0);
            g.need(1);
            g.recompute(1, dear - 1);
            assert_eq!(g.solve(), cut);
        }
    }

    #[test]
    fn ties_go_to_the_needed_value() {
        let mut g = CutGraph::new(2);
        g.cost(0, 8);
        g.cost(1, 8);
        g.root(0);
        g.depends(1, 0);
        g.need(1);
        assert_eq!(g.solve(), [1]);
    }

    #[test]
    fn a_value_needed_itself_and_by_others_is_recorded_once() {
        let mut g = CutGraph::new(2);
        g.cost(0, 8);
        g.cost(1, 1);
        g.root(0);
        g.depends(1, 0);
        g.need(1);
        g.need(0);
        assert_eq!(g.solve(), [0]);
    }
}
