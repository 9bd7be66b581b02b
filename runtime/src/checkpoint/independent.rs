//! Loops of which the user says that no step reads in larger memory what another one writes.
//!
//! Such a step can be undone without the ones before it running again. The forward sweep runs all
//! steps without records; the reverse sweep puts back what the loop began with, and then, last to
//! first, runs each step with records and undoes it at once:
//!
//! ```text
//! small carried memory (counters, sums, states of generators)   as before that step: kept word by word (`words`)
//! other carried memory                                          as before the loop, and what the steps behind wrote
//! read-only, scratch                                            as in other checkpointed loops
//! ```
//!
//! So the order of adjoints is that without checkpoints, and the declared size counts for large
//! memory only. It is not taken on trust: what a step leaves in small memory must be what the next
//! one began with, and of some steps, with `ADRT_CHECK=1` of all, what they write must be what they
//! wrote the first time (`samples`).

use super::{
    driver::Steps,
    regions::{self, Range, Regions},
    samples::Samples,
    snapshots::{Copy, PutBack},
    words::Words,
};
use crate::{
    stats,
    tape::{self, Position, give_up},
};
use std::ffi::c_void;

/// A loop between its two sweeps.
struct Run {
    steps: Steps,
    env: *mut c_void,
    regions: Regions,
    /// What the steps only read, as before the first of them.
    read_only: Copy,
    /// What they carry, likewise.
    start: Copy,
    /// Small memory, before each step and behind the last.
    words: Words,
    samples: Samples,
    /// A step with records may leave another state than one without, by rounding.
    rounds_freely: bool,
    count: u64,
    left: u64,
}

/// The forward sweep: runs all steps. `left` is set to what the last one returned. The result is
/// for [`adrt_independent_reverse`]; it is freed when the gradient ends.
///
/// # Safety
/// As for `adrt_checkpoint_forward`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_independent_forward(
    steps: *const Steps,
    env: *mut c_void,
    left: *mut u64,
) -> *mut c_void {
    let regions::Declarations { regions, small, rounds_freely, .. } = regions::take();
    // SAFETY: the caller's promise, also for what follows.
    unsafe {
        let (mut read_only, mut start) =
            (Copy::room_for(&regions.read_only), Copy::room_for(&regions.carried));
        read_only.save();
        start.save();
        stats::snapshot(start.bytes());
        let words = Words::new(&small);
        let samples = Samples::new(&regions.changed());
        let mut run = Box::new(Run {
            steps: *steps,
            env,
            read_only,
            start,
            words,
            samples,
            rounds_freely,
            regions,
            count: 0,
            left: 0,
        });
        while run.left == 0 {
            run.words.push();
            let sample = run.samples.before(run.count);
            run.left = (run.steps.advance)(env);
            if sample {
                run.samples.after(run.count);
            }
            run.count += 1;
        }
        run.words.push();
        run.words.hold();
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
/// `run` is the result of [`adrt_independent_forward`] in this gradient, and was not undone before.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_independent_reverse(run: *mut c_void) {
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
    /// Undoes all steps. Memory is as before when it is done, or left by an exception.
    unsafe fn undo(&mut self) {
        // What is taken from the tape from here on is given back after memory was put back: the
        // last one is dropped first.
        let _here = Position::take();
        // SAFETY: the caller's promise.
        unsafe {
            let _now = PutBack::at_end(&self.regions.all());
            self.read_only.put_back();
            self.start.put_back();
            for step in (0..self.count).rev() {
                stats::again(1);
                let _before = Position::take();
                self.words.restore(step);
                if self.samples.are_all() {
                    // A step that reads what it did not write computes NaN.
                    self.regions
                        .scratch
                        .iter()
                        .for_each(|r| (r.start as *mut u8).write_bytes(0xff, r.bytes()));
                }
                let old = self.samples.present(step);
                let mut left = 0;
                let records = (self.steps.forward)(self.env, &mut left);
                self.expect(step, left);
                if !self.rounds_freely {
                    self.words.differ(step + 1).into_iter().for_each(|at| {
                        refuse(step, &format!("passes on another value at {at:#x}"))
                    });
                }
                self.samples
                    .differ(step, &old, !self.rounds_freely)
                    .into_iter()
                    .for_each(|at| refuse(step, &format!("writes another value at {at:#x}")));
                (self.steps.reverse)(self.env, records);
            }
        }
    }
    /// Ends the process where a step leaves the loop and should not, or the other way round.
    fn expect(&self, step: u64, left: u64) {
        let first = if step + 1 == self.count { self.left } else { 0 };
        if left != first {
            refuse(step, if left == 0 { "stays in the loop" } else { "leaves the loop" });
        }
    }
}

/// Ends the process: a step does something else when it runs alone.
fn refuse(step: u64, does: &str) {
    give_up(
        &format!(
            "AD214: step {} of an independent loop {does} when it runs again, unlike its first run",
            step + 1
        ),
        "use ad_checkpoint_loop(n) if steps read what other steps write; let steps depend only on \
        memory; ADRT_CHECK=1 checks each step",
    );
}

/// The bytes of a range that lie in its word of so many bytes, the rest zero.
pub(super) unsafe fn word<const N: usize>(range: &Range, at: usize) -> [u8; N] {
    let mut word = [0; N];
    let bytes = N.min(range.end - at);
    // SAFETY: the caller's promise: the range is readable, and holds the place.
    unsafe { word.as_mut_ptr().copy_from_nonoverlapping(at as *const u8, bytes) };
    word
}
