//! Calls that were recorded, and their reverse sweep.
//!
//! ```text
//! forward:  begin -> segment;  entry -> cells that may be read get indices;  leave -> cells that were written
//! reverse:  bars of outputs and of written cells seed;  evaluation;  bars of read cells and of inputs are there
//! ```
//! Memory stays as the forward sweep left it, pointers and their shadows as well: reverse sweeps
//! take what they need of the past from the tape, and a pointer without its shadow would be a
//! constant for all that runs later.
//!
//! Generated code sees an index as a number in the low bits of a real. The shadow of a `double` has
//! a tag beside it ([`indices`]), which arguments get here and results lose.

use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use std::{
    collections::BTreeMap,
    ffi::{CStr, c_char},
    ops::Range,
};

use super::{
    boundary::Boundary,
    objects::reach::{Found, Pointer},
    thread::with,
};
use crate::{
    Error,
    memory::{
        self,
        indices::{self, DOUBLE, END, Read, Written, powers},
        unknown,
    },
    recording::{self, Segment, ThreadBars},
};

/// A call.
pub struct Recorded {
    /// The function's name.
    pub name: *const c_char,
    /// What tells it from all others: later ones have greater numbers.
    pub number: u64,
    /// The recording of the tape runtime that it is part of, by its number; 0 for none.
    recording: u64,
    segment: Option<Segment>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    /// Cells that it may have read.
    pub read: Vec<Read>,
    /// Cells that it has written.
    pub written: Vec<Written>,
    /// The pointers that it was given.
    pub pointers: Vec<Pointer>,
    /// Its objects, and how far away their shadows are.
    objects: Vec<(Range<u64>, u64)>,
}

unsafe extern "C" {
    fn adshadow_recording() -> u64;
}

/// Recordings that were given up while the thread that has their calls was not at hand. It looks
/// here before it records again.
static DISCARDED: Mutex<Vec<u64>> = Mutex::new(Vec::new());
/// Whether there are any.
static IS_DISCARDED: AtomicBool = AtomicBool::new(false);

/// The number of the next call.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// New indices, for the registry.
pub fn fresh() -> impl FnMut(u32) -> Option<u32> {
    |count| match recording::inputs(count) {
        Ok(first) => Some(first),
        Err(e) => crate::error::stop(&e.into()),
    }
}

/// The index of a result: a double's without its tag.
pub fn named(shadow: u64) -> u64 {
    if shadow != 0 && (shadow ^ DOUBLE) < END.into() { shadow ^ DOUBLE } else { shadow }
}

/// Whether a register, of which so many bytes count, has the index of a real whose bits were only
/// moved.
pub fn is_index(shadow: u64, bytes: u32) -> bool {
    let is = |half: u64| half != 0 && half < END.into();
    is(shadow & u64::from(u32::MAX))
        || bytes > 4 && (is(shadow >> 32) || shadow != 0 && (shadow ^ DOUBLE) < END.into())
}

impl Recorded {
    /// Begins to record.
    pub fn new(name: *const c_char) -> Result<Self, Error> {
        let segment = Some(recording::begin()?);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: no preconditions.
        let recording = unsafe { adshadow_recording() };
        let (read, written, objects) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            name,
            number,
            recording,
            segment,
            inputs: Vec::new(),
            outputs: Vec::new(),
            read,
            written,
            pointers: Vec::new(),
            objects,
        })
    }

    /// Remembers objects of the call.
    pub fn keep(&mut self, found: &BTreeMap<u64, Found>) {
        self.objects.extend(found.iter().map(|(start, found)| (*start..found.end, found.distance)));
    }

    /// The call is over.
    pub fn end(&mut self) -> Result<(), Error> {
        Ok(recording::end(self.segment.as_ref().expect("it was begun"))?)
    }

    /// A call that control left without a return, or that was never entered: only if nothing of it
    /// is wanted.
    pub fn forget(mut self) -> Result<(), Error> {
        if self.written.iter().any(|w| w.indices.iter().any(|i| *i != 0)) {
            return Err(Error::Order(
                "an exception or longjmp left a recorded call that has active results",
            ));
        }
        let segment = self.segment.take().expect("it was begun");
        Ok(recording::abandon(&segment)?)
    }

    /// A call whose reverse sweep will never come.
    fn discard(self) -> Result<(), Error> {
        self.segment.map_or(Ok(()), |segment| Ok(recording::give_up(segment)?))
    }

    fn run(&mut self) -> Result<(), Error> {
        let segment =
            self.segment.take().ok_or(Error::Order("a call can be reversed only once"))?;
        // SAFETY: shadows are where they were, or `adshadow_reverse_pointer` said where.
        unsafe {
            for written in self.written.iter().rev() {
                if let Some(at) = indices::lost(written) {
                    return Err(Error::Integer { at });
                }
                indices::hand_over(written, &mut ThreadBars);
            }
            recording::evaluate(segment)?;
            for read in self.read.iter().rev() {
                indices::give_back(read, &ThreadBars);
            }
        }
        Ok(())
    }

    fn moved(&mut self, k: u32, shadow: u64) -> Result<(), Error> {
        let pointer =
            *self.pointers.get(k as usize).ok_or(Error::Order("the call has no such pointer"))?;
        let is_constant = |shadow: u64| shadow == 0 || shadow == pointer.primal;
        if is_constant(pointer.shadow) || is_constant(shadow) || shadow == pointer.shadow {
            return Ok(());
        }
        let Some((range, distance)) =
            self.objects.iter_mut().find(|(r, _)| r.contains(&pointer.primal))
        else {
            return Ok(());
        };
        let old = range.start.wrapping_add(*distance)..range.end.wrapping_add(*distance);
        let new_distance = shadow.wrapping_sub(pointer.primal);
        let by = new_distance.wrapping_sub(*distance);
        // Another pointer into the same object has nothing left to move.
        *distance = new_distance;
        let places = self
            .read
            .iter_mut()
            .map(|r| &mut r.shadow)
            .chain(self.written.iter_mut().map(|w| &mut w.shadow));
        places.filter(|at| old.contains(at)).for_each(|at| *at = at.wrapping_add(by));
        Ok(())
    }
}

impl Boundary {
    /// The call that was recorded last.
    pub fn last(&mut self) -> Result<&mut Recorded, Error> {
        self.recorded
            .last_mut()
            .filter(|_| self.mode == 1)
            .ok_or(Error::Order("no call was recorded"))
    }

    /// The call that is recorded.
    pub fn recorded(&mut self) -> Result<&mut Recorded, Error> {
        self.call()?.recorded.as_mut().ok_or(Error::Order("the call is not recorded"))
    }

    /// The call that is reversed.
    pub fn reversed(&mut self) -> Result<&mut Recorded, Error> {
        self.reversed.as_mut().ok_or(Error::Order("no call is being reversed"))
    }

    /// Gives up the calls of a recording that are left; whether there were any.
    fn discard(&mut self, recording: u64) -> Result<bool, Error> {
        let (gone, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.recorded).into_iter().partition(|r| r.recording == recording);
        self.recorded = left;
        let is_any = !gone.is_empty();
        gone.into_iter().rev().try_for_each(Recorded::discard)?;
        Ok(is_any)
    }

    /// Gives up the calls of a gradient that an exception leaves: those from a number on, but for
    /// recordings that it has made and that go on.
    fn give_up(&mut self, first: u64) -> Result<(), Error> {
        // SAFETY: no preconditions.
        let recording = unsafe { adshadow_recording() };
        let is_left = |r: &Recorded| r.number >= first && r.recording == recording;
        if !self.recorded.iter().any(is_left) || recording::is_under_way() {
            return Ok(());
        }
        let (gone, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.recorded).into_iter().partition(is_left);
        self.recorded = left;
        gone.into_iter().rev().try_for_each(Recorded::discard)
    }

    /// Gives up the calls of recordings that others have discarded.
    pub fn discard_left(&mut self) -> Result<(), Error> {
        if !IS_DISCARDED.load(Ordering::Acquire) {
            return Ok(());
        }
        let is_own = |recording: &u64| self.recorded.iter().any(|r| r.recording == *recording);
        let own: Vec<u64> = {
            let mut all = discarded();
            let (own, left) = std::mem::take(&mut *all).into_iter().partition(is_own);
            *all = left;
            IS_DISCARDED.store(!all.is_empty(), Ordering::Release);
            own
        };
        own.into_iter().try_for_each(|recording| self.discard(recording).map(|_| ()))
    }

    /// Begins to reverse the last call that was recorded of a function.
    pub fn reverse(&mut self, name: &CStr) -> Result<(), Error> {
        if self.recorded.is_empty() {
            return Err(Error::Order("no call is left to be reversed"));
        }
        // SAFETY: names are strings of generated code.
        let last = self.recorded.iter().rposition(|r| unsafe { CStr::from_ptr(r.name) } == name);
        let last = last.ok_or(Error::Order(
            "all calls that are left to be reversed are of another function",
        ))?;
        self.reversed = Some(self.recorded.remove(last));
        Ok(())
    }

    /// It is the one with this number.
    pub fn reverse_tape(&mut self, number: u64) -> Result<(), Error> {
        let reversed = self.reversed()?;
        if reversed.number == number {
            return Ok(());
        }
        let (wrong, name) = (reversed.number, reversed.name);
        let by_number =
            |all: &[Recorded], number: u64| all.binary_search_by_key(&number, |r| r.number);
        let at = by_number(&self.recorded, number).map_err(|_| {
            Error::Order("a tape can be reversed only once, by the thread that recorded it")
        })?;
        let it = self.recorded.remove(at);
        // SAFETY: both names are constants of generated code.
        if unsafe { CStr::from_ptr(it.name) != CStr::from_ptr(name) } {
            return Err(Error::Order("the tape is of another function"));
        }
        let back = by_number(&self.recorded, wrong).unwrap_or_else(|at| at);
        self.recorded.extend(self.reversed.replace(it));
        self.recorded[back..].rotate_right(1);
        Ok(())
    }
}

fn discarded() -> MutexGuard<'static, Vec<u64>> {
    DISCARDED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// `adshadow_discard`. By another thread than the one that recorded, or from within a call, it is
/// put off.
pub fn discard(recording: u64) {
    let is_done = !recording::is_under_way() && with(|boundary| boundary.discard(recording));
    if !is_done {
        discarded().push(recording);
        IS_DISCARDED.store(true, Ordering::Release);
    }
}

/// `adshadow_calls`: calls that are recorded from now on have this number or a greater one.
pub fn calls() -> u64 {
    NEXT.load(Ordering::Relaxed)
}

/// `adshadow_give_up`.
pub fn give_up(first: u64) {
    with(|boundary| boundary.give_up(first));
}

/// `adshadow_input`.
pub fn input() -> u32 {
    with(|boundary| {
        let index = recording::inputs(1)?;
        powers::argument(index);
        boundary.recorded()?.inputs.push(index);
        Ok(index)
    })
}

/// `adshadow_output`.
pub fn output(index: u32) {
    with(|boundary| {
        if index >= END {
            return Err(memory::Error::Unknown {
                what: "its result".into(),
                made: unknown::origin(),
            }
            .into());
        }
        if powers::is_far(index) {
            return Err(recording::Error::Range { what: "a result" }.into());
        }
        boundary.last()?.outputs.push(index);
        Ok(())
    });
}

/// `adshadow_reverse`.
pub fn reverse(name: &CStr) {
    with(|boundary| boundary.reverse(name));
}

/// `adshadow_tape`.
pub fn tape() -> u64 {
    with(|boundary| Ok(boundary.last()?.number))
}

/// `adshadow_reverse_tape`.
pub fn reverse_tape(number: u64) {
    with(|boundary| boundary.reverse_tape(number));
}

/// `adshadow_reverse_output`.
pub fn reverse_output(k: u32, bar: f64) {
    with(|boundary| {
        let index = *boundary
            .reversed()?
            .outputs
            .get(k as usize)
            .ok_or(Error::Order("the call has no such output"))?;
        recording::add_bar(index, bar);
        Ok(())
    });
}

/// `adshadow_reverse_pointer`.
pub fn reverse_pointer(k: u32, shadow: u64) {
    with(|boundary| boundary.reversed()?.moved(k, shadow));
}

/// `adshadow_reverse_run`.
pub fn reverse_run() {
    with(|boundary| boundary.reversed()?.run());
}

/// `adshadow_reverse_input`.
pub fn reverse_input(k: u32) -> f64 {
    with(|boundary| {
        let index = *boundary
            .reversed()?
            .inputs
            .get(k as usize)
            .ok_or(Error::Order("the call has no such input"))?;
        Ok(recording::bar(index))
    })
}
