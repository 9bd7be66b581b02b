//! Calls that were recorded, and their reverse sweep.
//!
//! ```text
//! forward:  begin -> segment;  entry -> cells that may be read get indices;  leave -> cells that were written, and what memory held before
//! reverse:  bars of outputs and of written cells seed;  evaluation;  bars of read cells and of inputs are there;  memory is as before
//! ```
//! Generated code sees an index as a number in the low bits of a real. The shadow of a `double` has a tag beside it ([`indices`]), which
//! arguments get here and results lose.

use std::{collections::BTreeMap, ffi::c_char, ops::Range};

use super::{
    reach::{Found, Pointer},
    thread::with,
};
use crate::{
    Error,
    mirror::{
        indices::{self, DOUBLE, END, Read, Written, of_double},
        objects::Object,
    },
    recording::{self, Segment, ThreadBars},
};

/// Bytes that are compared, and brought back, at once.
const GRAIN: usize = 64;

/// A call.
pub struct Recorded {
    /// The function's name.
    pub name: *const c_char,
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
    /// Objects, and shadows that hold pointers, as they were; later only what was overwritten.
    before: Vec<(u64, Vec<u8>)>,
}

/// New indices, for the registry.
pub fn fresh() -> impl FnMut(u32) -> Option<u32> {
    |count| match recording::inputs(count) {
        Ok(first) => Some(first),
        Err(e) => crate::error::stop(&e.into()),
    }
}

/// Makes shadows of indices: of doubles, where nobody says that there are floats.
pub fn name_arguments(vectors: &mut [[u64; 2]; 8], stack: &mut [u8], floats: u32) {
    let shadow = |word: u64, k: usize| {
        let is_double = word != 0 && word >> 32 == 0 && (k >= 32 || floats & 1 << k == 0);
        if is_double { of_double(word as u32) } else { word }
    };
    for (k, vector) in vectors.iter_mut().enumerate() {
        vector[0] = shadow(vector[0], k);
    }
    for (k, bytes) in stack.chunks_exact_mut(8).enumerate() {
        let word = u64::from_le_bytes((&*bytes).try_into().expect("eight bytes"));
        bytes.copy_from_slice(&shadow(word, k + 8).to_le_bytes());
    }
}

/// The index of a result: a double's without its tag.
pub fn named(shadow: u64) -> u64 {
    if shadow != 0 && (shadow ^ DOUBLE) < END.into() { shadow ^ DOUBLE } else { shadow }
}

/// # Safety
/// The range can be read.
unsafe fn copy(range: &Range<u64>) -> Vec<u8> {
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(range.start as *const u8, (range.end - range.start) as usize) }.to_vec()
}

impl Recorded {
    /// Begins to record.
    pub fn new(name: *const c_char) -> Result<Self, Error> {
        let segment = Some(recording::begin()?);
        let (read, written, objects, before) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Self { name, segment, inputs: Vec::new(), outputs: Vec::new(), read, written, pointers: Vec::new(), objects, before })
    }

    /// Keeps memory that the call may overwrite.
    ///
    /// # Safety
    /// Objects and their shadows can be read.
    pub unsafe fn keep(&mut self, objects: &[Object], found: &BTreeMap<u64, Found>) {
        for (start, found) in found {
            let range = *start..found.end;
            // SAFETY: as the caller says.
            self.before.push((range.start, unsafe { copy(&range) }));
            if found.is_scanned {
                let shadow = range.start.wrapping_add(found.distance)..range.end.wrapping_add(found.distance);
                // SAFETY: as the caller says.
                self.before.push((shadow.start, unsafe { copy(&shadow) }));
            }
            self.objects.push((range, found.distance));
        }
        for object in objects.iter().filter(|o| o.shadow.is_none()) {
            if let Ok(bytes) = object.bytes() {
                // SAFETY: as the caller says.
                self.before.push((object.primal, unsafe { copy(&(object.primal..object.primal + bytes)) }));
            }
        }
    }

    /// The call is over: of what was kept, only what differs from now is needed.
    pub fn end(&mut self) -> Result<(), Error> {
        for (start, bytes) in std::mem::take(&mut self.before) {
            for (k, old) in bytes.chunks(GRAIN).enumerate() {
                let at = start + (k * GRAIN) as u64;
                // SAFETY: memory that the call was given, and that stays until it is reversed.
                let now = unsafe { std::slice::from_raw_parts(at as *const u8, old.len()) };
                if now == old {
                    continue;
                }
                match self.before.last_mut() {
                    Some((last, run)) if *last + run.len() as u64 == at => run.extend_from_slice(old),
                    _ => self.before.push((at, old.to_vec())),
                }
            }
        }
        Ok(recording::end(self.segment.as_ref().expect("it was begun"))?)
    }

    /// A call that control left without a return, or that was never entered: only if nothing of it is wanted.
    pub fn forget(mut self) -> Result<(), Error> {
        if self.written.iter().any(|w| w.indices.iter().any(|i| *i != 0)) {
            return Err(Error::Order("a call that was recorded was left by an exception or longjmp, with active results"));
        }
        let segment = self.segment.take().expect("it was begun");
        recording::end(&segment)?;
        Ok(recording::evaluate(segment)?)
    }

    fn run(&mut self) -> Result<(), Error> {
        let segment = self.segment.take().ok_or(Error::Order("a call is reversed once"))?;
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
            for (at, bytes) in &self.before {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), *at as *mut u8, bytes.len());
            }
        }
        Ok(())
    }

    fn moved(&mut self, k: u32, shadow: u64) -> Result<(), Error> {
        let pointer = *self.pointers.get(k as usize).ok_or(Error::Order("there was no such pointer"))?;
        let Some((range, distance)) = self.objects.iter_mut().find(|(r, _)| r.contains(&pointer.primal)) else {
            return Ok(());
        };
        let old = range.start.wrapping_add(*distance)..range.end.wrapping_add(*distance);
        let new_distance = shadow.wrapping_sub(pointer.primal);
        let by = new_distance.wrapping_sub(*distance);
        // Another pointer into the same object has nothing left to move.
        *distance = new_distance;
        let places = self.read.iter_mut().map(|r| &mut r.shadow).chain(self.written.iter_mut().map(|w| &mut w.shadow));
        let kept = self.before.iter_mut().map(|b| &mut b.0);
        places.chain(kept).filter(|at| old.contains(at)).for_each(|at| *at = at.wrapping_add(by));
        Ok(())
    }
}

/// `adshadow_input`.
pub fn input() -> u32 {
    with(|border| {
        let index = recording::inputs(1)?;
        border.recorded()?.inputs.push(index);
        Ok(index)
    })
}

/// `adshadow_output`.
pub fn output(index: u32) {
    with(|border| {
        if index >= END {
            return Err(Error::Order("a result is no real, but computed from the bits of reals"));
        }
        border.last()?.outputs.push(index);
        Ok(())
    });
}

/// `adshadow_reverse`.
pub fn reverse(name: *const c_char) {
    with(|border| border.reverse(name));
}

/// `adshadow_reverse_output`.
pub fn reverse_output(k: u32, bar: f64) {
    with(|border| {
        let index = *border.reversed()?.outputs.get(k as usize).ok_or(Error::Order("there was no such output"))?;
        recording::add_bar(index, bar);
        Ok(())
    });
}

/// `adshadow_reverse_pointer`.
pub fn reverse_pointer(k: u32, shadow: u64) {
    with(|border| border.reversed()?.moved(k, shadow));
}

/// `adshadow_reverse_run`.
pub fn reverse_run() {
    with(|border| border.reversed()?.run());
}

/// `adshadow_reverse_input`.
pub fn reverse_input(k: u32) -> f64 {
    with(|border| {
        let index = *border.reversed()?.inputs.get(k as usize).ok_or(Error::Order("there was no such input"))?;
        Ok(recording::bar(index))
    })
}
