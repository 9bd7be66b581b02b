//! Objects that live on between calls: which of them come with later calls, and when they are gone.

use std::{mem::take, ops::Range};

use super::captures::{self, Look};
use crate::{
    Error,
    call::{
        boundary::Boundary,
        library::allocations,
        objects::extents::{self, Variable},
        thread,
    },
    memory::{
        heap,
        objects::ScalarKind,
        space::{self, DISTANCE},
        stack,
    },
    recording,
};

/// A block that a library may have kept a pointer to.
#[derive(Clone, Debug)]
pub struct Retained {
    /// Where it is.
    pub range: Range<u64>,
    /// From there to its shadow.
    pub distance: u64,
    /// What it holds.
    pub kind: ScalarKind,
    /// The blocks of the heap that the object and its shadow start in, as far as they are of the
    /// heap.
    pub blocks: Vec<u64>,
}

impl Retained {
    /// A call is given it.
    pub fn new(range: Range<u64>, distance: u64, kind: ScalarKind) -> Self {
        let object = give(range.start);
        let shadow = heap::find(range.start.wrapping_add(distance)).map(|b| b.range.start);
        let blocks = object.into_iter().chain(shadow).collect();
        Self { range, distance, kind, blocks }
    }

    /// Whether the blocks are still the same.
    pub fn is_there(&self) -> bool {
        self.blocks.iter().all(|b| heap::is_retained(*b))
    }
}

/// A call is given an object at an address: of the end of its block, which is returned if it is of the heap,
/// the thread will hear.
pub fn give(at: u64) -> Option<u64> {
    let start = heap::find(at)?.range.start;
    heap::give(start, thread::gone);
    Some(start)
}

impl Boundary {
    /// The last call may have kept the pointers that it was given: it had others than to reals, or
    /// returned one.
    pub(in crate::call) fn retain_last(&mut self) {
        take(&mut self.last).into_iter().for_each(|retained| self.retain(retained));
    }

    /// An object that libraries may know from before: what they do with it in calls that are not
    /// given it is seen.
    pub(in crate::call) fn known_before(&mut self, primal: u64, shadow: u64) -> Result<(), Error> {
        if self.records && shadow == primal.wrapping_add(DISTANCE) {
            return Err(Error::OldShadow { pointer: primal, mode: "a tangent" });
        }
        if self.call.is_some() || primal == shadow {
            return Ok(());
        }
        self.requested.push((primal, shadow));
        const NAME: &str = "an argument of the derivative";
        let variables = self.all_variables();
        let common = extents::common(NAME, primal, shadow, &variables);
        // Where that is not known, its beginning at least.
        let range = common.as_ref().map_or_else(
            |_| extents::of(primal, &variables).unwrap_or(primal..primal + 8),
            Range::clone,
        );
        // What has no shadow memory is refused where a library meets it.
        if range.is_empty() || space::covers(range.clone()).is_err() {
            return Ok(());
        }
        let ranges = std::slice::from_ref(&range);
        let is_known = Look::new(captures::BEFORE, ranges).is_some_and(|look| look.finds(ranges));
        if captures::keeps(captures::BEFORE) {
            match common {
                Ok(range) => self.retain(Retained::new(
                    range,
                    shadow.wrapping_sub(primal),
                    ScalarKind::Unknown,
                )),
                Err(e) if is_known => return Err(e),
                // It was another object that a library knew.
                Err(_) => {}
            }
        }
        Ok(self.registry.put(range, NAME)?)
    }

    /// A pointer that the program has loaded leads to an object from before the request: libraries
    /// may know it.
    pub(in crate::call) fn touched(&mut self, primal: u64, shadow: u64) -> Result<(), Error> {
        match heap::find(primal) {
            Some(block) if self.touched.insert(block.range.start) => {
                self.known_before(primal, shadow)
            }
            _ => Ok(()),
        }
    }

    /// Where the objects of the last call are.
    pub(in crate::call) fn last_ranges(&self) -> Vec<Range<u64>> {
        self.last.iter().map(|retained| retained.range.clone()).collect()
    }

    /// An evaluation begins: what libraries keep is constant, whatever had a shadow in the one
    /// before.
    pub(in crate::call) fn forget_retained(&mut self) -> Result<(), Error> {
        self.retained.clear();
        self.last.clear();
        self.lent.clear();
        self.requested.clear();
        self.touched.clear();
        self.reached.take();
        self.records = false;
        allocations::start_anew(&mut self.allocations, self.recorded.is_empty());
        self.variables.iter_mut().for_each(|v| v.may_be_captured = false);
        recording::new_evaluation();
        self.end_evaluation()
    }

    /// An evaluation has ended, as far as libraries are called.
    pub(in crate::call) fn end_evaluation(&mut self) -> Result<(), Error> {
        Ok(self.registry.end_all()?)
    }

    /// A block of the heap is gone.
    pub(in crate::call) fn gone(&mut self, block: Range<u64>) -> Result<(), Error> {
        Ok(self.registry.end(block)?)
    }

    /// A function has one more variable.
    pub(in crate::call) fn push(&mut self, variable: Variable, frame: u64) -> Result<(), Error> {
        self.forget_dead(frame)?;
        self.variables.push(variable);
        Ok(())
    }

    /// Variables of frames that an exception or longjmp has left: nobody says that they are gone.
    /// The frame that runs ends at an address.
    pub(in crate::call) fn forget_dead(&mut self, frame: u64) -> Result<(), Error> {
        while let Some(dead) = self.variables.pop_if(|v| stack::is_dead(v.primal.start, frame)) {
            self.registry.forget(dead.primal)?;
        }
        Ok(())
    }

    /// The last so many variables are gone.
    pub(in crate::call) fn pop(&mut self, count: usize, frame: u64) -> Result<(), Error> {
        self.forget_dead(frame)?;
        let left = self.variables.len().saturating_sub(count);
        for variable in self.variables.drain(left..).filter(|v| v.distance.is_some() || v.is_bare) {
            self.registry.end(variable.primal)?;
        }
        Ok(())
    }

    pub(in crate::call) fn retain(&mut self, retained: Retained) {
        if let Some(variable) = self
            .variables
            .iter_mut()
            .rev()
            .find(|v| !v.is_bare && v.primal.contains(&retained.range.start))
        {
            variable.may_be_captured = true;
            return;
        }
        // Other memory than the heap's, and no variable of a function, is there for ever.
        retained.blocks.iter().for_each(|b| heap::retain(*b));
        self.retained.insert(retained.range.start, retained);
    }
}
