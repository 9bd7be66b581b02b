//! The two sweeps of a loop that iterates to a fixed point z = φ(z, u): the reverse sweep does not
//! undo the iterations, but one of the last ones again and again, which converges the adjoint.
//!
//! With w the adjoint of what iterations change, each reversal adds (∂φ/∂u)ᵀ w to the adjoints of
//! what they only read, and leaves (∂φ/∂z)ᵀ w. The sum over all reversals is that of the implicit
//! function. Source: Christianson, Reverse accumulation and attractive fixed points, Optimization
//! Methods and Software 3 (1994); Griewank & Walther, Evaluating Derivatives, chapter 15.
//!
//! The step that left the loop is undone once, as it ran: it may be a part of an iteration, or a
//! whole one. Then follow the steps before it, `cycle` of them in turn: one, but where iterations
//! exchange arrays, as many as bring the pointers back, for the adjoint lies where they lead
//! (`layout`). Of w, only what steps change goes to zero. Memory of the state that no step writes is
//! a parameter (`adjoint`). Where the adjoint does not converge, the program ends (AD227).
//!
//! Memory while steps are undone is as in driver.rs.

mod adjoint;
mod layout;

use super::{
    check::Check,
    driver::Steps,
    regions,
    snapshots::{Copy, PutBack},
};
use crate::{
    stats,
    tape::{self, Position, give_up},
};
use adjoint::{Adjoint, Piece};
use layout::Layout;
use std::{cell::RefCell, ffi::c_void};

/// Reversals before the program ends.
const MOST_REVERSALS: u64 = 10_000;
/// Cycles in which the size of the adjoint may stay the same.
const MOST_EQUAL: u32 = 64;
/// States that are kept: the last one, and those before the last steps.
const KEPT: u64 = layout::LONGEST + 2;

/// What generated code says of a loop that this thread starts next.
#[derive(Default)]
struct Declared {
    pieces: Vec<Piece>,
    layout: Layout,
}

thread_local! {
    static PENDING: RefCell<Declared> = RefCell::default();
}

/// Bytes `from` to `to` of an object that steps change hold reals of `size` bytes, at places that
/// are `phase` modulo that: where the object and its shadow begin.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_fixed_point_reals(
    object: *mut c_void,
    shadow: *mut c_void,
    from: u64,
    to: u64,
    size: u64,
    phase: u64,
) {
    if shadow.is_null() || object.is_null() {
        return;
    }
    let [from, to, phase] = [from, to, phase].map(|n| n as i64 as isize);
    let piece = Piece::new(object as usize, shadow as usize, from..to, size as usize, phase);
    let _ = PENDING.try_with(|d| d.borrow_mut().pieces.push(piece));
}

/// Steps change a pointer at an address, or an integer: it may say where the state lies.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_fixed_point_layout(at: *mut c_void, bytes: u64, is_pointer: u64) {
    if !at.is_null() && bytes > 0 {
        let place = (at as usize, bytes as usize, is_pointer != 0);
        let _ = PENDING.try_with(|d| d.borrow_mut().layout.add(place));
    }
}

/// A loop between its two sweeps.
struct Run {
    steps: Steps,
    env: *mut c_void,
    tolerance: f64,
    regions: regions::Regions,
    pieces: Vec<Piece>,
    layout: Layout,
    /// What the steps only read, as before the first of them.
    read_only: Copy,
    /// What they change, before the first one.
    start: Copy,
    /// The same before the last of them and behind: that before step s is number s modulo `KEPT`.
    states: Vec<Copy>,
    check: Option<Check>,
    /// A step with records may leave another state than one without, by rounding: then it may stay in
    /// the loop where that left it, or leave it. If it is not a whole iteration, the adjoint does
    /// not converge.
    rounds_freely: bool,
    /// How many steps there are.
    count: u64,
    /// What the last step returned.
    left: u64,
}

/// The forward sweep: runs all steps without records. `tolerance`: the bits of a double. `left` is
/// set to what the last step returned. The result is for [`adrt_fixed_point_reverse`]; it is freed
/// when the gradient ends.
///
/// # Safety
/// As for `adrt_checkpoint_forward`; the same holds of what `adrt_fixed_point_reals` declared.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_fixed_point_forward(
    tolerance: u64,
    steps: *const Steps,
    env: *mut c_void,
    left: *mut u64,
) -> *mut c_void {
    let tolerance = f64::from_bits(tolerance);
    if !(tolerance > 0.0 && tolerance < 1.0) {
        refuse(&format!("has the tolerance {tolerance:e}, which is not between 0 and 1"));
    }
    let regions::Declarations { regions, rounds_freely, .. } = regions::take();
    let Declared { pieces, layout } = PENDING.try_with(RefCell::take).unwrap_or_default();
    // SAFETY: the caller's promise, also for what follows.
    unsafe {
        let mut read_only = Copy::room_for(&regions.read_only);
        read_only.save();
        let mut start = Copy::room_for(&regions.changed());
        start.save();
        let mut run = Box::new(Run {
            steps: *steps,
            env,
            tolerance,
            pieces,
            layout,
            read_only,
            start,
            states: vec![],
            check: Check::new(&regions),
            rounds_freely,
            regions,
            count: 0,
            left: 0,
        });
        while run.left == 0 {
            run.keep();
            run.before(run.count);
            run.left = (run.steps.advance)(env);
            run.count += 1;
        }
        run.keep();
        *left = run.left;
        stats::checkpointed(run.count);
        let run = Box::into_raw(run).cast();
        tape::adrt_defer_free(free as *const c_void, 1, run, 0, 0);
        run
    }
}

/// The reverse sweep: undoes all steps.
///
/// # Safety
/// `run` is the result of [`adrt_fixed_point_forward`] in this gradient, and was not undone before.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_fixed_point_reverse(run: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { (*run.cast::<Run>()).undo() }
}

/// Frees a loop between its sweeps.
///
/// # Safety
/// It came from a box, and no code uses it any more.
unsafe extern "C" fn free(run: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(run.cast::<Run>()) });
}

impl Run {
    /// Keeps the present state.
    ///
    /// # Safety
    /// As for [`adrt_fixed_point_forward`], which holds for all that follow.
    unsafe fn keep(&mut self) {
        let slot = (self.count % KEPT) as usize;
        if slot == self.states.len() {
            self.states.push(Copy::room_for(&self.regions.changed()));
        }
        // SAFETY: the caller's promise.
        unsafe { self.states[slot].save() };
        stats::snapshot(self.states[slot].bytes());
    }
    /// The state before a step, if it is kept.
    fn state(&self, step: u64) -> Option<&Copy> {
        let is_kept = step <= self.count && self.count - step < KEPT;
        match step {
            _ if is_kept => self.states.get((step % KEPT) as usize),
            0 => Some(&self.start),
            _ => None,
        }
    }
    /// Memory is as before when it is done, or left by an exception.
    unsafe fn undo(&mut self) {
        // What is taken from the tape from here on is given back after memory was put back.
        let _here = Position::take();
        // SAFETY: the caller's promise.
        unsafe {
            let _now = PutBack::at_end(&self.regions.all());
            self.read_only.put_back();
            let mut adjoint = Adjoint::new(std::mem::take(&mut self.pieces));
            self.undo_step(self.count - 1);
            if adjoint.size() == 0.0 {
                return;
            }
            self.find_parameters(&mut adjoint);
            self.converge(&adjoint);
            adjoint.clear();
        }
    }
    /// Undoes the last steps until nothing is left of the adjoint.
    unsafe fn converge(&mut self, adjoint: &Adjoint) {
        let first = adjoint.size();
        if first == 0.0 {
            return;
        }
        // A loop that is left in its first step has no other one. If that was a part of an
        // iteration, its reversal leaves the adjoint as it is.
        let (cycle, last) =
            if self.count == 1 { (Some(1), 0) } else { (self.cycle(), self.count - 2) };
        let Some(cycle) = cycle.filter(|_| self.count > 1 || self.is_closed(1, self.count)) else {
            refuse(
                "exchanges arrays, or changes other pointers, so that too few iterations say where \
                its state lies",
            );
        };
        let (mut size, mut equal, mut reversals) = (first, 0, 0);
        while size.is_nan() || size > self.tolerance * first {
            if !size.is_finite() || equal > MOST_EQUAL || reversals >= MOST_REVERSALS {
                let which = if self.count == 1 { "only step" } else { "last iterations" };
                let has = if size.is_finite() { "times its first size" } else { "as its size" };
                let number = if size.is_finite() { size / first } else { size };
                refuse(&format!(
                    "does not converge: after {reversals} reversals of its {which} the adjoint of \
                    the state has {number:.3e} {has}"
                ));
            }
            for back in 0..cycle {
                // SAFETY: the caller's promise.
                unsafe { self.undo_step(last - back) };
                reversals += 1;
            }
            let next = adjoint.size();
            equal = if next == size { equal + 1 } else { 0 };
            size = next;
        }
    }
    /// After how many of the last iterations the state lies again where it did.
    fn cycle(&self) -> Option<u64> {
        let end = self.count - 1;
        let longest = layout::LONGEST.min(end);
        (1..=longest)
            .find(|&n| self.is_closed(n, end) && self.layout.has_period(n, &self.numbers(end)))
            .or_else(|| (1..=longest).find(|&n| self.is_closed(n, end)))
    }
    /// Whether pointers before step `end` are those of `n` steps before.
    fn is_closed(&self, n: u64, end: u64) -> bool {
        match (self.state(end - n), self.state(end)) {
            (Some(before), Some(now)) => self.layout.has_equal_pointers(before, now),
            _ => false,
        }
    }
    /// The states before the step `end` that are kept, the last one first.
    fn numbers(&self, end: u64) -> Vec<&Copy> {
        (0..=end).rev().map_while(|step| self.state(step)).take(KEPT as usize).collect()
    }
    /// Finds the memory that no step writes. Of a loop of two steps or less that is not known: the
    /// next one might have written it.
    unsafe fn find_parameters(&mut self, adjoint: &mut Adjoint) {
        if self.count < 3 {
            return;
        }
        let kept: Vec<&Copy> = (0..=self.count)
            .rev()
            .map_while(|step| self.state(step))
            .chain([&self.start])
            .collect();
        // SAFETY: the caller's promise.
        unsafe {
            if !adjoint.propose(&kept) {
                return;
            }
            let longest = layout::LONGEST.min(self.count - 1);
            let mut steps: Vec<u64> = (self.count - 1 - longest..self.count).collect();
            steps.push(0);
            steps.dedup();
            let saved = adjoint.save();
            for step in steps {
                adjoint.mark();
                self.undo_step(step);
                adjoint.keep_marked();
            }
            adjoint.restore(&saved);
        }
    }
    /// Runs a step with records, and undoes it.
    unsafe fn undo_step(&mut self, step: u64) {
        stats::again(1);
        let _before = Position::take();
        let mut left = 0;
        // SAFETY: the caller's promise.
        unsafe {
            self.state(step).expect("the states before the last steps are kept").put_back();
            self.before(step);
            let records = (self.steps.forward)(self.env, &mut left);
            let is_last = step + 1 == self.count;
            let expected = if is_last { self.left } else { 0 };
            // What the last one hands out, it does where it leaves.
            if left != expected && (is_last || !self.rounds_freely) {
                give_up(
                    &format!(
                        "AD207: step {} of {} {} the loop, unlike its first run",
                        step + 1,
                        self.count,
                        if left == 0 { "stays in" } else { "leaves" }
                    ),
                    "let steps depend only on memory of the program (no input, random numbers or \
                    clock); where the compiler does not know the size of memory, state it with \
                    ad_checkpoint_state",
                );
            }
            (self.steps.reverse)(self.env, records);
        }
    }
    /// Looks at memory before a step.
    unsafe fn before(&mut self, step: u64) {
        if let Some(check) = &mut self.check {
            // SAFETY: the caller's promise.
            unsafe { check.before(&self.regions, step) };
        }
    }
}

/// Ends the process: there is no derivative.
fn refuse(does: &str) -> ! {
    give_up(
        &format!("AD227: a loop with ad_fixed_point {does}"),
        "let the loop complete an iteration before it tests whether to stop, and contract near the \
        fixed point; let it change all of the state in each iteration, and keep sums and other \
        results out of it; or remove the directive",
    )
}

#[cfg(test)]
mod tests;
