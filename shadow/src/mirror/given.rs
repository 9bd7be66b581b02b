//! Objects with shadows that calls of a thread were given, between its calls: their mirror is *away*, all of its bits set.
//!
//! A library may keep a pointer to such an object where nobody sees it, and use it in a call that is not given the object. The object's dots are beside it
//! then, or have other indices; what the mirror had is old, and zero would be a derivative that is lost without a word. So whoever reads there finds
//! [`UNKNOWN`](crate::state::UNKNOWN), which ends the program, or is a derivative that is no number. Whoever writes there leaves a trace: when the object is
//! given again, or is gone, or the evaluation ends, all of its mirror has to be away still.
//!
//! That ends with the object (a frame is left, a block is given back) and with the evaluation.

use std::{collections::BTreeMap, ops::Range};

use super::{Error, space};

/// A part of an object.
#[derive(Clone, Copy, Debug)]
struct Part {
    end: u64,
    name: &'static str,
    /// Since then all of the mirror may have become zero.
    epoch: u64,
}

/// All of a thread.
#[derive(Default, Debug)]
pub struct Given {
    /// By their first addresses; none overlap.
    parts: BTreeMap<u64, Part>,
}

impl Given {
    /// A call that was given it is left.
    pub fn put(&mut self, range: Range<u64>, name: &'static str) -> Result<(), Error> {
        put_away(range.clone())?;
        self.parts.insert(range.start, Part { end: range.end, name, epoch: space::epoch() });
        Ok(())
    }

    /// A range is about to be used as it should; what of it was away, which the caller overwrites.
    pub fn take(&mut self, range: Range<u64>) -> Result<Vec<Range<u64>>, Error> {
        { self.cut_out(range) }.into_iter().map(|(range, part)| part.check(range.clone()).map(|()| range)).collect()
    }

    /// What lies in a range.
    fn cut_out(&mut self, range: Range<u64>) -> Vec<(Range<u64>, Part)> {
        let mut all = Vec::new();
        while let Some((&start, &part)) = self.parts.range(..range.end).next_back()
            && part.end > range.start
        {
            self.parts.remove(&start);
            if part.end > range.end {
                self.parts.insert(range.end, part);
            }
            if start < range.start {
                self.parts.insert(start, Part { end: range.start, ..part });
            }
            all.push((start.max(range.start)..part.end.min(range.end), part));
        }
        all
    }

    /// An object is gone, and its memory used by others since then.
    pub fn forget(&mut self, range: Range<u64>) -> Result<(), Error> {
        { self.cut_out(range) }.into_iter().try_for_each(|(range, _)| space::clear(range))
    }

    /// An object is gone.
    pub fn end(&mut self, range: Range<u64>) -> Result<(), Error> {
        { self.take(range)? }.into_iter().try_for_each(space::clear)
    }

    /// All that are left, which are none any more.
    pub fn take_all(&mut self) -> Vec<(Range<u64>, Result<(), Error>)> {
        let parts = std::mem::take(&mut self.parts);
        parts.into_iter().map(|(start, part)| (start..part.end, part.check(start..part.end))).collect()
    }
}

impl Part {
    /// Whether nobody wrote there.
    fn check(&self, range: Range<u64>) -> Result<(), Error> {
        let written = if self.epoch == space::epoch() { first_back(range) } else { None };
        written.map_or(Ok(()), |at| Err(Error::WrittenAway { name: self.name, at }))
    }
}

/// Sets all bits of the shadows of a range.
fn put_away(range: Range<u64>) -> Result<(), Error> {
    space::covers(range.clone())?;
    // SAFETY: shadow memory, as `covers` says.
    unsafe { std::ptr::write_bytes(space::of(range.start) as *mut u8, 0xff, range.end.saturating_sub(range.start) as usize) };
    Ok(())
}

/// The first address of a range, which was put away, of whose shadow a bit is zero.
pub fn first_back(range: Range<u64>) -> Option<u64> {
    // SAFETY: shadow memory, since it was put away.
    let bytes = unsafe { std::slice::from_raw_parts(space::of(range.start) as *const u8, range.end.saturating_sub(range.start) as usize) };
    // SAFETY: any bytes are words.
    let (head, words, tail) = unsafe { bytes.align_to::<u64>() };
    // Without a look after each word, so that vectors do it.
    let is_away = |some: &[u64]| some.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX;
    if head.iter().chain(tail).all(|b| *b == 0xff) && words.chunks(64).all(is_away) {
        return None;
    }
    bytes.iter().position(|b| *b != 0xff).map(|at| range.start + at as u64)
}
