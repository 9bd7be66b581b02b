//! The two sweeps of a checkpointed loop, whose steps are functions that generated code brings
//! along.
//!
//! The forward sweep runs the steps without records and keeps snapshots of the state. Where the
//! number of steps is known, it runs the last one with records: undoing begins there, and no step
//! runs once more than the schedule says. The reverse sweep goes back to snapshots, runs steps
//! again up to the one to be undone, runs that one with records, undoes it, and gives its records
//! back.
//!
//! Memory while steps are undone: what they carry comes from snapshots, what they only read is as
//! before the first step; in the end all is as it was in the beginning. So each step is undone in
//! the memory that it left; the last one that ran with records in the forward sweep only if that is
//! asked for (`adrt_checkpoint_keep_end`), else in what code behind the loop left. Steps must do
//! the same when they run again; what can be seen of it without effort is when they leave the loop;
//! check.rs looks at more.

use super::{
    check::Check,
    online::Online,
    regions,
    schedule::{Action, Schedule},
    snapshots::{Copy, PutBack, Snapshots},
};
use crate::{
    stats,
    tape::{self, Position, give_up},
};
use std::ffi::c_void;

/// A step of a loop, in three forms. Exceptions may leave them.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Steps {
    /// Runs it. 0: the loop goes on; else it is left, by this exit.
    pub advance: unsafe extern "C-unwind" fn(env: *mut c_void) -> u64,
    /// Runs it with records on the tape, and returns them; `left` is what `advance` would return.
    pub forward: unsafe extern "C-unwind" fn(env: *mut c_void, left: *mut u64) -> *mut c_void,
    /// Undoes the step that has these records.
    pub reverse: unsafe extern "C-unwind" fn(env: *mut c_void, records: *mut c_void),
}

/// A loop between its two sweeps.
struct Run {
    steps: Steps,
    env: *mut c_void,
    regions: regions::Regions,
    /// What the steps only read, as before the first of them.
    read_only: Copy,
    snapshots: Snapshots,
    /// Whether steps do the same when they run again.
    check: Option<Check>,
    /// A step with records may leave another state than one without, by rounding.
    rounds_freely: bool,
    schedule: Schedule,
    /// How many steps there are.
    count: u64,
    /// What the last step returned.
    left: u64,
    /// Of the last step, if it ran with records in the forward sweep.
    records: Option<*mut c_void>,
    /// What it left, if that is asked for.
    end: Option<Copy>,
}

/// The forward sweep: runs all steps. `count`: how many there are, the one that leaves the loop
/// included, or 0 if unknown; `slots`: how many snapshots may be kept at once. `left` is set
/// to what the last step returned. The result is for [`adrt_checkpoint_reverse`]; it is freed when
/// the gradient ends.
///
/// # Safety
/// The functions of `steps` may be called with `env` until the gradient ends, and so long the
/// the memory exists that `adrt_checkpoint_region` declared on this thread. Steps change no other
/// memory that outlives them, but for shadows.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_checkpoint_forward(
    count: u64,
    slots: u64,
    steps: *const Steps,
    env: *mut c_void,
    left: *mut u64,
) -> *mut c_void {
    // A negative number, sign extended, means one, as zero does.
    let slots =
        if slots > i64::MAX as u64 { 1 } else { slots.clamp(1, u64::from(u32::MAX)) as u32 };
    let regions::Declarations { regions, keeps_end, rounds_freely, .. } = regions::take();
    // SAFETY: the caller's promise, also for what follows.
    unsafe {
        let mut read_only = Copy::room_for(&regions.read_only);
        read_only.save();
        let mut run = Box::new(Run {
            steps: *steps,
            env,
            read_only,
            snapshots: Snapshots::new(&regions.carried),
            check: Check::new(&regions),
            rounds_freely,
            regions,
            schedule: Schedule::new(count, slots),
            count,
            left: 0,
            records: None,
            end: None,
        });
        match count {
            0 => run.forward_of_unknown(slots),
            _ => run.forward(keeps_end),
        }
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
/// `run` is the result of [`adrt_checkpoint_forward`] in this gradient, and was not undone before.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_checkpoint_reverse(run: *mut c_void) {
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
    /// Keeps snapshots for the best schedule, and runs the last step with records; what it leaves
    /// is kept too, if that is asked for.
    ///
    /// # Safety
    /// As for [`adrt_checkpoint_forward`], which holds for all that follow.
    unsafe fn forward(&mut self, keeps_end: bool) {
        while let Some(action) = self.schedule.next() {
            // SAFETY: the caller's promise.
            unsafe {
                match action {
                    Action::Save(_) => self.snapshots.push(),
                    Action::Advance(from, to) => self.advance(from, to),
                    Action::Turn(step) => {
                        let (records, left) = self.record(step);
                        self.expect(step, left);
                        (self.records, self.left) = (Some(records), left);
                        if keeps_end {
                            self.end.insert(Copy::room_for(&self.regions.changed())).save();
                        }
                        return;
                    }
                    // Not before the last step is undone.
                    Action::Restore(_) | Action::Drop => {
                        unreachable!("the schedule goes back before the last step")
                    }
                }
            }
        }
    }
    /// Keeps snapshots so that the schedule is good whenever the loop is left.
    unsafe fn forward_of_unknown(&mut self, slots: u32) {
        let mut online = Online::new(slots);
        while self.left == 0 {
            // SAFETY: the caller's promise.
            unsafe {
                if let Some(slot) = online.reach(self.count) {
                    self.snapshots.save(slot);
                }
                self.before(self.count);
                self.left = (self.steps.advance)(self.env);
            }
            self.count += 1;
        }
        let (steps, kept): (Vec<u64>, Vec<u32>) = online.kept().unzip();
        self.snapshots.set_kept(kept);
        self.schedule = Schedule::after(self.count, slots, steps);
    }
    /// Undoes all steps. Memory is as before when it is done, or left by an exception.
    unsafe fn undo(&mut self) {
        // What is taken from the tape from here on is given back after memory was put back: the
        // last one is dropped first.
        let _here = Position::take();
        // SAFETY: the caller's promise.
        unsafe {
            let _now = PutBack::at_end(&self.regions.all());
            self.read_only.put_back();
            if let Some(records) = self.records.take() {
                self.end.iter().for_each(|end| end.put_back());
                (self.steps.reverse)(self.env, records);
            }
            while let Some(action) = self.schedule.next() {
                match action {
                    Action::Save(_) => self.snapshots.push(),
                    Action::Restore(_) => self.snapshots.restore(),
                    Action::Advance(from, to) => {
                        stats::again(to - from);
                        self.advance(from, to);
                    }
                    Action::Turn(step) => {
                        stats::again(1);
                        let _before = Position::take();
                        let (records, left) = self.record(step);
                        self.expect(step, left);
                        if !self.rounds_freely {
                            self.check
                                .iter()
                                .for_each(|check| check.state(&self.regions, step + 1));
                        }
                        (self.steps.reverse)(self.env, records);
                    }
                    Action::Drop => self.snapshots.pop(),
                }
            }
        }
    }
    /// Runs steps without records.
    unsafe fn advance(&mut self, from: u64, to: u64) {
        for step in from..to {
            // SAFETY: the caller's promise.
            let left = unsafe {
                self.before(step);
                (self.steps.advance)(self.env)
            };
            self.expect(step, left);
        }
    }
    /// Runs a step with records: these, and what it returned.
    unsafe fn record(&mut self, step: u64) -> (*mut c_void, u64) {
        let mut left = 0;
        // SAFETY: the caller's promise.
        let records = unsafe {
            self.before(step);
            (self.steps.forward)(self.env, &mut left)
        };
        (records, left)
    }
    /// Looks at memory before a step.
    unsafe fn before(&mut self, step: u64) {
        if let Some(check) = &mut self.check {
            // SAFETY: the caller's promise.
            unsafe { check.before(&self.regions, step) };
        }
    }
    /// Ends the process where a step leaves the loop and should not, or the other way round.
    fn expect(&self, step: u64, left: u64) {
        let is_last = step + 1 == self.count;
        // Nothing is known of the last step while it runs for the first time, but that it leaves.
        if (left != 0) != is_last || (self.left != 0 && is_last && left != self.left) {
            let does = if left == 0 { "stays in" } else { "leaves" };
            give_up(
                &format!(
                    "AD207: step {} of {} {does} the loop, unlike its first run or contrary to the \
                    bounds of the loop",
                    step + 1,
                    self.count
                ),
                "let steps depend only on memory of the program (no input, random numbers or \
                clock); where the compiler does not know the size of memory, state it with \
                ad_checkpoint_state",
            );
        }
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
