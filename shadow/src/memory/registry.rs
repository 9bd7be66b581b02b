//! The objects of the library calls that a thread is in, outermost first, and what is done with
//! them at each crossing of the call boundary.
//!
//! ```text
//! code compiled here    enter ->                 callback ->  end_callback            leave
//! library                        runs ... begin_callback                 runs again ...
//! ```
//! While a library runs, shadow memory is the truth; while code compiled here runs, the shadows
//! beside its objects are. A call that a callback makes knows the objects of the calls outside of
//! it as well: the library may have kept pointers to them.
//!
//! After a call nothing of its objects is in shadow memory: code compiled here changes objects
//! without it, and a library that uses the same memory later, unregistered, must not find old dots
//! there. Constant objects are zero; those with shadows are poisoned ([`super::poisoned`]), if
//! [`Registry::poison_between_calls`] was called. What a library keeps in memory of its own stays
//! in shadow memory.
//!
//! Another thread may not be in a call with the same object at the same time if one of the two has
//! a shadow: what one copies on exit would undo what the other wrote. Constant objects may be
//! shared as long as no derivative is written to them.
//!
//! **Large objects.** Everything here costs time proportional to the sizes of registered objects:
//! about a pass over object, shadow and shadow memory for each crossing. Measured for a call that
//! does nothing: 0.4 µs for a small object; for each double 0.5 ns (dots) or 3 ns (indices) in the
//! cache, and 2 to 8 ns in objects of more than 80 MB, most of it for fresh pages of shadow memory.
//! A call that touches little of a large object should not pay for all. The design for that, not
//! built yet: an object of more than some 64 KiB has its whole pages of shadow memory without
//! access (`mprotect`); a handler of SIGSEGV, chained to the one before it, that finds the fault's
//! address in shadow memory of a live piece lets the page be accessed, copies it from the shadow or
//! numbers it, and marks it; exit looks at marked pages only, so the set of indices of a piece is
//! reserved as a whole and its pages are listed in [`Read`]. It has to be a table without locks
//! that the handler reads; accesses by system calls do not happen to shadow memory; a page is made
//! accessible after its content is there, by mapping a filled page over it (`mremap`), so that
//! other threads never see it half done.

use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    Error,
    indices::{self, Fresh, Read, Written},
    live::{live, of_others},
    objects::{Object, Policy, ScalarKind},
    pieces::{Piece, Pieces},
    poisoned::Given,
    space, sync,
};

/// What goes through the call boundary between code compiled here and a library.
pub enum Mode<'a> {
    /// Dots.
    Tangent,
    /// Indices, new ones from here.
    Recording(Fresh<'a>),
}

/// A call that is under way.
struct Frame {
    pieces: Pieces,
    policy: Policy,
    records: bool,
    /// What was poisoned of constant objects.
    hidden: Vec<(Range<u64>, &'static str)>,
    /// The stack pointer of the library when it called back, during a callback.
    callback: Option<u64>,
}

/// The library calls of one thread.
pub struct Registry {
    id: u64,
    frames: Vec<Frame>,
    /// What earlier calls were given; none if that is not asked for.
    given: Option<Given>,
    /// The shadow of a pointer that leads to no object of a call, if somebody knows it.
    foreign: fn(u64) -> Option<u64>,
}

impl Default for Registry {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            frames: Vec::new(),
            given: None,
            foreign: |_| None,
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // No one is left to whom it could be reported.
        let _ = self.end_all();
        live().retain(|(id, _), _| *id != self.id);
    }
}

impl Registry {
    /// One that asks this function for the shadows of pointers that a library stored in an object
    /// and that lead to no object of the call.
    pub fn with_foreign(foreign: fn(u64) -> Option<u64>) -> Self {
        let mut it = Self::default();
        it.foreign = foreign;
        it
    }

    /// From now on it asks another function.
    pub fn set_foreign(&mut self, foreign: fn(u64) -> Option<u64>) {
        self.foreign = foreign;
    }

    /// From now on objects with shadows are poisoned between calls.
    pub fn poison_between_calls(&mut self) {
        self.given.get_or_insert_with(|| Given::new(self.id));
    }

    /// An object is poisoned that no call was given yet.
    pub fn put(&mut self, range: Range<u64>, name: &'static str) -> Result<(), Error> {
        let Some(given) = &mut self.given else { return Ok(()) };
        given.take(range.clone())?;
        if of_others(&live(), self.id, &range).is_none() {
            return given.poison_large(range, name);
        }
        given.expect(range, name);
        Ok(())
    }

    /// An object is gone.
    pub fn end(&mut self, range: Range<u64>) -> Result<(), Error> {
        self.given.as_mut().map_or(Ok(()), |given| given.end(range))
    }

    /// The same, of one that was gone before.
    pub fn forget(&mut self, range: Range<u64>) -> Result<(), Error> {
        self.given.as_mut().map_or(Ok(()), |given| given.forget(range))
    }

    /// An evaluation has ended: nothing is poisoned any more. What other threads use is theirs.
    /// Says whether a library wrote there.
    pub fn end_all(&mut self) -> Result<(), Error> {
        let parts = self.given.as_mut().map(Given::take_all).unwrap_or_default();
        let mut result = Ok(());
        for (range, intact) in parts {
            let live = live();
            if of_others(&live, self.id, &range).is_none() {
                result = result
                    .and(intact)
                    .and(self.given.as_ref().map_or(Ok(()), |given| given.clear(range)));
            }
        }
        result
    }

    /// How many calls are under way.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Where code compiled here keeps the shadow of an address, if the innermost call knows;
    /// `Some(None)` says that it is constant.
    pub fn shadow(&self, address: u64) -> Option<Option<u64>> {
        let piece = self.frames.last()?.pieces.at(address)?;
        Some(piece.distance.map(|d| address.wrapping_add(d)))
    }

    /// A library is called with these objects. In a recording, says what it may read.
    ///
    /// # Safety
    /// Objects and their shadows are memory that can be read as far as their extents say, written
    /// where the library writes to the object, and that stays until `leave`.
    pub unsafe fn enter(
        &mut self,
        objects: &[Object],
        policy: Policy,
        mode: Mode,
    ) -> Result<Vec<Read>, Error> {
        let mut pieces = Pieces::default();
        let records = matches!(mode, Mode::Recording(_));
        if let Some(outer) = self.frames.last() {
            assert!(
                outer.callback.is_some() && outer.records == records,
                "a library is called by code compiled here, in one mode"
            );
            pieces.inherit(&outer.pieces);
        }
        for object in objects {
            check(object, records)?;
            pieces.add(object, false)?;
        }
        self.check_library_memory(&pieces)?;
        let hidden = take(&mut self.given, &pieces, |p| p.distance.is_none())?;
        let mut frame = Frame { pieces, policy, records, hidden, callback: None };
        self.claim(&frame.pieces, self.frames.len(), true)?;
        // SAFETY: as the caller says.
        let read = unsafe { frame.sync_in(mode, &mut self.given) };
        if read.is_err() {
            // The first error is the one to report.
            let _ = self.release(&frame, self.frames.len());
        } else {
            self.frames.push(frame);
        }
        read
    }

    /// A library that runs is found to reach more objects, with shadows. What the call was given as
    /// constants stays so. In a recording, says what it may read of them.
    ///
    /// # Safety
    /// As for `enter`; the library has not touched these objects yet.
    pub unsafe fn extend(&mut self, objects: &[Object], mode: Mode) -> Result<Vec<Read>, Error> {
        let depth = self.frames.len().checked_sub(1).expect("a library runs");
        let frame = &mut self.frames[depth];
        let known = frame.pieces.iter().map(|p| p.range.start).collect();
        for object in objects {
            check(object, frame.records)?;
            for part in frame.pieces.without_constants(object)? {
                frame.pieces.add(&part, false)?;
            }
        }
        let pieces = frame.pieces.take_others(&known);
        let mut more = Frame {
            pieces,
            policy: frame.policy,
            records: frame.records,
            hidden: Vec::new(),
            callback: None,
        };
        // SAFETY: as the caller says.
        let read = unsafe { more.sync_in(mode, &mut self.given) };
        let frame = &mut self.frames[depth];
        frame.pieces.put_back(more.pieces);
        let frame = &self.frames[depth];
        self.claim(&frame.pieces, depth, false)?;
        read
    }

    /// The library calls code that was compiled here, which may reach all registered objects, and
    /// these ones of the library's own, at whose shadows dots are put; the library's stack pointer
    /// is given. In a recording, says what was written since it went on.
    ///
    /// # Safety
    /// As for `enter`; the library's own objects and their shadows stay until `end_callback`.
    pub unsafe fn begin_callback(
        &mut self,
        lent: &[Object],
        stack: u64,
    ) -> Result<Vec<Written>, Error> {
        let depth = self.frames.len().checked_sub(1).expect("a library calls back");
        assert!(self.frames[depth].callback.is_none(), "a library that waits does not call back");
        // SAFETY: as the caller says.
        let written = unsafe { self.lend(lent, depth) };
        let frame = &mut self.frames[depth];
        match written {
            Ok(_) => frame.callback = Some(stack),
            Err(_) => drop(frame.pieces.take_lent()),
        }
        written
    }

    unsafe fn lend(&mut self, lent: &[Object], depth: usize) -> Result<Vec<Written>, Error> {
        let frame = &mut self.frames[depth];
        for object in lent {
            check(object, frame.records)?;
            frame.pieces.add(object, true)?;
        }
        let frame = &self.frames[depth];
        self.claim(&frame.pieces, depth, false)?;
        for piece in frame.pieces.iter().filter(|p| p.distance.is_none()) {
            // Even if it may be dropped later: the callback may change the value, and the library
            // read it.
            sync::check_constant(piece, Policy::Refuse)?;
        }
        // SAFETY: as the caller of `begin_callback` says.
        unsafe { frame.sync_out(self.foreign) }
    }

    /// The callback returns to the library. In a recording, says what the library may read now.
    ///
    /// # Safety
    /// As for `begin_callback`.
    pub unsafe fn end_callback(&mut self, mode: Mode) -> Result<Vec<Read>, Error> {
        let depth = self.frames.len().checked_sub(1).expect("a library called back");
        let frame = &mut self.frames[depth];
        assert!(frame.callback.take().is_some(), "a callback ends that began");
        // SAFETY: as the caller says.
        let read = unsafe { frame.sync_in(mode, &mut self.given)? };
        frame.pieces.take_lent();
        let frame = &self.frames[depth];
        self.claim(&frame.pieces, depth, false)?;
        Ok(read)
    }

    /// Memory of the innermost call is gone: nothing of it is read or written any more, nor of its
    /// shadow memory.
    pub fn forget_in_call(&mut self, range: Range<u64>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pieces.forget(range);
        }
    }

    /// The library returns. In a recording, says what it has written since it went on.
    ///
    /// # Safety
    /// As for `enter`.
    pub unsafe fn leave(&mut self) -> Result<Vec<Written>, Error> {
        let frame = self.frames.pop().expect("a call that returns was entered");
        assert!(frame.callback.is_none(), "a library that waits does not return");
        let constants = frame.pieces.iter().filter(|p| p.distance.is_none());
        let lost = constants
            .map(|piece| sync::check_constant(piece, frame.policy))
            .collect::<Result<Vec<_>, _>>();
        // SAFETY: as the caller says.
        let written = lost.and_then(|_| unsafe { frame.sync_out(self.foreign) });
        let shared = self.release(&frame, self.frames.len());
        shared.and(written)
    }

    /// An exception or `longjmp` leaves the innermost call, which may be in a callback: what
    /// happens in a recording, in this order.
    ///
    /// # Safety
    /// As for `enter`.
    pub unsafe fn unwind(&mut self, mode: Mode) -> Result<(Vec<Read>, Vec<Written>), Error> {
        let waits = self.frames.last().is_some_and(|f| f.callback.is_some());
        // SAFETY: as the caller says.
        unsafe {
            let read = if waits { self.end_callback(mode)? } else { Vec::new() };
            Ok((read, self.leave()?))
        }
    }

    /// Refuses objects that are memory of a library which waits for this callback, as far as there
    /// are derivatives in it.
    fn check_library_memory(&self, pieces: &Pieces) -> Result<(), Error> {
        let Some(outer) = self.frames.last() else {
            return Ok(());
        };
        let here = 0u8;
        // What lies on the stack between here and the library is of the callback's functions; what
        // is found there is left over.
        let own = &raw const here as u64..outer.callback.unwrap_or(0);
        for piece in pieces.iter().filter(|p| !p.is_library_memory()) {
            if own.start <= piece.range.start && piece.range.end <= own.end {
                continue;
            }
            let mut at = piece.range.start;
            // Constant objects of the calls outside are zero during a callback.
            let known =
                outer.pieces.within(piece.range.clone()).map(|p| (p.range.start, p.range.end));
            for (from, to) in known.chain([(piece.range.end, piece.range.end)]) {
                if let Some(at) = sync::first_active(at..from.max(at)) {
                    return Err(Error::LibraryMemory { name: piece.name, at });
                }
                at = at.max(to);
            }
        }
        Ok(())
    }

    /// Makes pieces known to other threads, if none of them has one. At first, makes shadow memory
    /// of constant ones zero.
    fn claim(&self, pieces: &Pieces, depth: usize, first: bool) -> Result<(), Error> {
        let mut live = live();
        for piece in pieces.iter() {
            let refuse = || Err(Error::OtherThread { name: piece.name, at: piece.range.start });
            match of_others(&live, self.id, &piece.range) {
                Some(true) => return refuse(),
                Some(false)
                    if piece.distance.is_some()
                        || sync::first_active(piece.range.clone()).is_some() =>
                {
                    return refuse();
                }
                Some(false) => {}
                None if first && piece.distance.is_none() => space::clear(piece.range.clone())?,
                None => {}
            }
        }
        let ranges = pieces.iter().map(|p| (p.range.start, (p.range.end, p.distance.is_some())));
        live.insert((self.id, depth), ranges.collect());
        Ok(())
    }

    /// Makes shadow memory of a call's pieces what it is between calls, and the pieces free for
    /// other threads.
    fn release(&mut self, frame: &Frame, depth: usize) -> Result<(), Error> {
        let mut live = live();
        let mut result = Ok(());
        for piece in frame.pieces.iter().filter(|p| !p.is_library_memory()) {
            let done = match (of_others(&live, self.id, &piece.range), &mut self.given) {
                (None, Some(given)) if piece.is_poisoned_between_calls() => {
                    given.put(piece.range.clone(), piece.name)
                }
                (None, _) => space::clear(piece.range.clone()),
                // Shared and constant: zero, or the other thread's to read.
                (Some(_), _) => match sync::first_active(piece.range.clone()) {
                    None => Ok(()),
                    Some(at) => Err(Error::OtherThread { name: piece.name, at }),
                },
            };
            result = result.and(done);
        }
        for (range, name) in &frame.hidden {
            if let (None, Some(given)) = (of_others(&live, self.id, range), &mut self.given) {
                result = result.and(given.put(range.clone(), name));
            }
        }
        live.remove(&(self.id, depth));
        result
    }
}

/// Takes pieces of a kind out of what is poisoned.
fn take(
    given: &mut Option<Given>,
    pieces: &Pieces,
    of: impl Fn(&Piece) -> bool,
) -> Result<Vec<(Range<u64>, &'static str)>, Error> {
    let mut all = Vec::new();
    let Some(given) = given else { return Ok(all) };
    for piece in pieces.iter().filter(|p| of(p)) {
        all.extend(given.take(piece.range.clone())?.into_iter().map(|range| (range, piece.name)));
    }
    Ok(all)
}

/// Whether an object can be registered in this mode.
fn check(object: &Object, records: bool) -> Result<(), Error> {
    if records && object.shadow.is_some() && object.kind == ScalarKind::Unknown {
        let why = "a recording must know the width of each real";
        return Err(Error::KindUnknown { name: object.name, at: object.primal, why });
    }
    if records && object.is_library_memory() {
        return Err(Error::LibraryMemory { name: object.name, at: object.primal });
    }
    Ok(())
}

impl Frame {
    /// # Safety
    /// Pieces and their shadows can be read.
    unsafe fn sync_in(
        &mut self,
        mode: Mode,
        given: &mut Option<Given>,
    ) -> Result<Vec<Read>, Error> {
        take(given, &self.pieces, |p| p.distance.is_some() && !p.is_library_memory())?;
        match mode {
            // SAFETY: as the caller says.
            Mode::Recording(fresh) => unsafe { indices::numbers_in(&mut self.pieces, fresh) },
            Mode::Tangent => {
                let copied = |p: &&mut Piece| p.distance.is_some() && !p.is_library_memory();
                for piece in self.pieces.iter_mut().filter(copied) {
                    // SAFETY: as the caller says.
                    unsafe {
                        match piece.kind {
                            ScalarKind::Pointers => sync::pointers_in(piece)?,
                            ScalarKind::F32
                            | ScalarKind::F64
                            | ScalarKind::F80
                            | ScalarKind::Integers
                            | ScalarKind::Words
                            | ScalarKind::Unknown => sync::dots_in(piece)?,
                        }
                    }
                }
                Ok(Vec::new())
            }
        }
    }

    /// # Safety
    /// Pieces can be read, their shadows written where the library wrote.
    unsafe fn sync_out(&self, foreign: fn(u64) -> Option<u64>) -> Result<Vec<Written>, Error> {
        let mut written = Vec::new();
        let copied = |p: &&Piece| p.distance.is_some() && !p.is_library_memory();
        for piece in self.pieces.iter().filter(copied) {
            // SAFETY: as the caller says.
            unsafe {
                match (piece.kind, self.records) {
                    (ScalarKind::Integers, _) => sync::check_integers(piece)?,
                    (ScalarKind::Pointers, _) => sync::pointers_out(piece, &self.pieces, foreign)?,
                    (
                        ScalarKind::F32 | ScalarKind::F64 | ScalarKind::F80 | ScalarKind::Words,
                        true,
                    ) => indices::collect(piece, &mut written)?,
                    (
                        ScalarKind::F32
                        | ScalarKind::F64
                        | ScalarKind::F80
                        | ScalarKind::Words
                        | ScalarKind::Unknown,
                        false,
                    ) => sync::dots_out(piece)?,
                    (ScalarKind::Unknown, true) => unreachable!("refused in a recording"),
                }
            }
        }
        Ok(written)
    }
}
