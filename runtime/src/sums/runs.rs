//! Runs: iterations of a loop that add at one distance.
//!
//! A loop whose addresses advance by a constant step asks here before it begins (pass/shim/strips.cpp): for how many
//! iterations, from the next one on, does this thread add to an array in place, or in one copy? So many then need no
//! look into the tables.

use super::{FEW, PIECE, Part, Place, Real, SUMS, Sums, Way, place, slot, tables};

/// Pieces that one run covers.
const MOST_PIECES: usize = 64;
/// Iterations that look at the tables before a loop asks again, if its accesses are far apart.
const SHORT: u64 = 16;

/// What a loop does to an array: in iteration k it accesses `bytes` bytes at `at + k * step`.
#[derive(Clone, Copy)]
struct Walk {
    at: usize,
    bytes: usize,
    step: isize,
    /// Iterations that the loop makes.
    iterations: u64,
}

/// An answer.
#[repr(C)]
#[derive(Debug, PartialEq)]
pub struct Run {
    /// For so many iterations the distance stays. 0: the next ones look at the tables.
    pub(super) iterations: u64,
    /// The distance; or how many iterations look at the tables before the loop asks again.
    pub(super) distance: u64,
}

impl Run {
    fn new(iterations: u64, distance: usize) -> Run {
        Run { iterations, distance: distance as u64 }
    }
}

impl Walk {
    /// The next `n` iterations, but one at least, look at the tables.
    fn by_tables(&self, n: u64) -> Run {
        Run { iterations: 0, distance: n.max(1).min(self.iterations) }
    }
    /// How many iterations, from the first on, access nothing but bytes from `from` to `to`.
    fn within(&self, from: usize, to: usize) -> u64 {
        if self.at < from || to.saturating_sub(self.bytes) < self.at {
            return 0;
        }
        let room = if self.step < 0 { self.at - from } else { to - self.bytes - self.at };
        let most = room.checked_div(self.step.unsigned_abs()).map_or(u64::MAX, |n| n as u64 + 1);
        most.min(self.iterations)
    }
    /// The piece of its first byte, to the one behind its last, in the first iteration.
    fn pieces(&self) -> (usize, usize) {
        let last = self.at.saturating_add(self.bytes.wrapping_sub(1));
        (self.at & !(PIECE - 1), (last | (PIECE - 1)).saturating_add(1))
    }
    /// How many iterations there are in pieces that begin with those from `from` to `to` and end where `is_same` fails.
    fn through(
        &self,
        (mut from, mut to): (usize, usize),
        mut is_same: impl FnMut(usize) -> bool,
    ) -> u64 {
        for _ in 0..MOST_PIECES {
            let next = if self.step < 0 { from.wrapping_sub(PIECE) } else { to };
            if self.within(from, to) == self.iterations || !is_same(next) {
                break;
            }
            if self.step < 0 {
                from = next;
            } else {
                to = next + PIECE;
            }
        }
        self.within(from, to)
    }
}

impl Sums {
    /// Whether the piece belongs to the thread, from now on at the latest.
    fn owns<R: Real>(&mut self, piece: usize) -> bool {
        let Way::Pieces(owners, thread, _) = &self.way else { return true };
        let first = || if owners.is_own(piece, *thread) { Part::Own } else { Part::Few(0) };
        matches!(self.parts.entry(piece | R::KIND).or_insert_with(first), Part::Own)
    }

    fn run<R: Real>(&mut self, walk: Walk) -> Run {
        let top = match &self.way {
            Way::Alone => {
                let (from, _) = walk.pieces();
                *place(from, R::KIND) = Place { key: from | R::KIND, distance: 0 };
                return Run::new(walk.iterations, 0);
            }
            Way::Atomic => return walk.by_tables(walk.iterations),
            Way::Pieces(_, _, top) => *top,
        };
        let here = 0u8;
        let own = walk.within((&raw const here).addr(), top);
        if own > 0 {
            return Run::new(own, 0);
        }
        let is_mixed = |piece: usize| piece < top && top < piece + PIECE;
        let (from, to) = walk.pieces();
        if to - from > PIECE * MOST_PIECES {
            return walk.by_tables(SHORT);
        }
        let mut is_own = |piece| !is_mixed(piece) && self.owns::<R>(piece);
        if (from..to).step_by(PIECE).all(&mut is_own) {
            let n = walk.through((from, to), is_own);
            *place(from, R::KIND) = Place { key: from | R::KIND, distance: 0 };
            return Run::new(n, 0);
        }
        if to - from > PIECE {
            return walk.by_tables(if walk.step == 0 { SHORT } else { 1 });
        }
        let n = walk.within(from, to);
        if is_mixed(from) {
            return walk.by_tables(n);
        }
        let Some(part) = self.parts.get_mut(&(from | R::KIND)) else { return walk.by_tables(n) };
        if let Part::Few(kept) = *part {
            if u64::from(kept) + n <= FEW.into() {
                return walk.by_tables(n);
            }
            *part = Part::Copy(Box::new([0; PIECE]), false);
        }
        let Part::Copy(copy, is_changed) = part else { return walk.by_tables(n) };
        if !std::mem::replace(is_changed, true) {
            self.changed.push(from | R::KIND);
        }
        let distance = copy.as_mut_ptr().expose_provenance().wrapping_sub(from);
        *place(from, R::KIND) = Place { key: from | R::KIND, distance };
        tables().clean[slot(from)] = 0;
        Run::new(n, distance)
    }

    fn settled_run(&self, walk: Walk, distances: u64) -> Run {
        if !matches!(self.way, Way::Pieces(..)) {
            return Run::new(walk.iterations, 0);
        }
        let (from, to) = walk.pieces();
        if distances != 0 || !(from..to).step_by(PIECE).all(|piece| self.keeps_nothing(piece)) {
            return walk.by_tables(walk.within(from, to));
        }
        if to - from == PIECE {
            tables().clean[slot(from)] = from;
        }
        Run::new(walk.through((from, to), |piece| self.keeps_nothing(piece)), 0)
    }
}

fn run<R: Real>(walk: Walk) -> Run {
    if walk.iterations == 0 {
        return Run::new(0, 0);
    }
    let (from, to) = walk.pieces();
    let known = *place(walk.at, R::KIND);
    if known.key == from | R::KIND && to - from == PIECE {
        let n = walk.within(from, to);
        if known.distance != 0 || n == walk.iterations {
            return Run::new(n, known.distance);
        }
    }
    SUMS.with_borrow_mut(|sums| sums.run::<R>(walk))
}

/// For how many of the next `iterations` iterations doubles at `at + k * step`, within `bytes` bytes, are added at one
/// distance. Where another array has said that there are none, `iterations` is 0, and so is all of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_sum_run_double(
    at: usize,
    bytes: usize,
    step: isize,
    iterations: u64,
) -> Run {
    run::<f64>(Walk { at, bytes, step, iterations })
}

/// The same of floats.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_sum_run_float(at: usize, bytes: usize, step: isize, iterations: u64) -> Run {
    run::<f32>(Walk { at, bytes, step, iterations })
}

/// For how many iterations there is nothing to settle, and will be nothing; `distances` is 0 if all sums of the loop are
/// added in place meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_sum_settled_run(
    at: usize,
    bytes: usize,
    step: isize,
    iterations: u64,
    distances: u64,
) -> Run {
    let walk = Walk { at, bytes, step, iterations };
    if iterations == 0 {
        return Run::new(0, 0);
    }
    let (from, to) = walk.pieces();
    let is_clean = to - from == PIECE && tables().clean[slot(at)] == from;
    if distances == 0 && is_clean && walk.within(from, to) == iterations {
        return Run::new(iterations, 0);
    }
    SUMS.with_borrow(|sums| sums.settled_run(walk, distances))
}
