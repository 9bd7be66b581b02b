//! Evaluations of derivatives: when one begins, nothing that libraries keep depends on its inputs.
//!
//! A library may have dots left in memory of its own, of the evaluation before. They are of other
//! inputs, so shadow memory is made zero. Not while another thread is in an evaluation, whose dots
//! they may be: then what is left over stays until all threads are outside.

use std::{
    cell::Cell,
    sync::{Mutex, MutexGuard},
};

use crate::{Error, memory::poisoned, recording};

/// Threads in evaluations.
static INSIDE: Mutex<usize> = Mutex::new(0);

/// This thread's part: it goes with the thread.
#[derive(Default)]
struct Here {
    /// Whether it is in one.
    is_inside: Cell<bool>,
    /// Whether libraries were called there in tangent mode: they may have dots from then on.
    has_dots: Cell<bool>,
}

impl Here {
    fn end(&self) {
        if self.is_inside.replace(false) {
            *inside() -= 1;
        }
        if self.has_dots.replace(false) {
            recording::tangent_ends();
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.end();
    }
}

thread_local! {
    static HERE: Here = Here::default();
}

fn inside() -> MutexGuard<'static, usize> {
    // Nothing panics while it is locked.
    INSIDE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// One begins on this thread. An earlier one that an exception left has ended. `first` runs if no
/// other thread is in one, before any other thread can begin one.
pub fn begin(first: impl FnOnce()) {
    HERE.with(|here| {
        here.end();
        here.is_inside.set(true);
    });
    let mut count = inside();
    *count += 1;
    if *count == 1 {
        first();
        poisoned::clear_all();
    }
}

/// Whether this thread is in one.
pub fn is_inside() -> bool {
    HERE.try_with(|here| here.is_inside.get()).unwrap_or(false)
}

/// Whether other threads are in evaluations, too.
pub fn are_several() -> bool {
    *inside() > 1
}

/// It ends.
pub fn end() {
    HERE.with(Here::end);
}

/// A call in tangent mode begins: until the evaluation ends, or the call, if it is in none, no
/// recording makes the dots zero.
pub fn hold_dots() -> Result<(), Error> {
    HERE.with(|here| {
        if !here.has_dots.get() {
            recording::tangent_holds()?;
            here.has_dots.set(here.is_inside.get());
        }
        Ok(())
    })
}

/// It has ended.
pub fn release_dots() {
    if !HERE.with(|here| here.has_dots.get()) {
        recording::tangent_ends();
    }
}
