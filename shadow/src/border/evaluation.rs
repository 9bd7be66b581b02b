//! Evaluations of derivatives: when one begins, nothing that libraries keep depends on its inputs.
//!
//! A library may have dots left in memory of its own, of the evaluation before. They are of other inputs, so the mirror is made zero. Not while another
//! thread is in an evaluation, whose dots they may be: then what is left over stays until all threads are outside.

use std::{
    cell::Cell,
    sync::{Mutex, MutexGuard},
};

use crate::mirror::space;

/// Threads in evaluations.
static INSIDE: Mutex<usize> = Mutex::new(0);

/// This thread's part of that number: it goes with the thread.
struct Inside(Cell<bool>);

impl Drop for Inside {
    fn drop(&mut self) {
        if self.0.get() {
            *inside() -= 1;
        }
    }
}

thread_local! {
    static HERE: Inside = const { Inside(Cell::new(false)) };
}

fn inside() -> MutexGuard<'static, usize> {
    // Nothing panics while it is locked.
    INSIDE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// One begins on this thread. An earlier one that an exception left has ended.
pub fn begin() {
    let mut count = inside();
    if !HERE.with(|here| here.0.replace(true)) {
        *count += 1;
    }
    if *count == 1 {
        space::clear_all();
    }
}

/// Whether other threads are in evaluations, too.
pub fn are_several() -> bool {
    *inside() > 1
}

/// It ends.
pub fn end() {
    let mut count = inside();
    if HERE.with(|here| here.0.replace(false)) {
        *count -= 1;
    }
}
