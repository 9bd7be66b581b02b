//! Objects with shadows that calls of a thread were given, between its calls: their shadow memory
//! is *poisoned*, all of its bits set.
//!
//! A library may keep a pointer to such an object where nobody sees it, and use it in a call that
//! is not given the object. The object's dots are beside it then, or have other indices; what
//! shadow memory had is old, and zero would be a derivative that is lost without a word. So whoever
//! reads there finds [`UNKNOWN`](crate::machine::state::UNKNOWN), which ends the program, or is a
//! derivative that is no number. Whoever writes there leaves a trace: when the object is given
//! again, or is gone, or the evaluation ends, all of its shadow memory has to be poisoned still.
//!
//! All shadows may become zero in between, before a recording begins: what is poisoned is so again
//! at once ([`clear_all`]).
//!
//! That ends with the object (a frame is left, a block is given back) and with the evaluation.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, MutexGuard},
};

use super::{Error, protected_pages, space};

/// A part of an object.
#[derive(Clone, Copy, Debug)]
struct Part {
    end: u64,
    name: &'static str,
}

/// By their first addresses; none overlap.
type Parts = BTreeMap<u64, Part>;

/// Those of all threads, by the numbers of their registries: threads may share an object, each with
/// a shadow of its own.
static POISONED: Mutex<BTreeMap<u64, Parts>> = Mutex::new(BTreeMap::new());

fn all_parts() -> MutexGuard<'static, BTreeMap<u64, Parts>> {
    // Nothing panics while it is locked.
    POISONED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// All of a thread.
#[derive(Debug)]
pub struct Given {
    id: u64,
}

impl Given {
    /// None yet.
    pub fn new(id: u64) -> Self {
        Self { id }
    }

    /// An object that no call was given yet. Large ones are protected.
    pub fn poison_large(&mut self, range: Range<u64>, name: &'static str) -> Result<(), Error> {
        let mut all_parts = all_parts();
        space::covers(range.clone())?;
        protected_pages::protect(range.clone());
        poison(range.clone())?;
        insert(all_parts.entry(self.id).or_default(), range, name);
        Ok(())
    }

    /// A call that was given it is left.
    pub fn put(&mut self, range: Range<u64>, name: &'static str) -> Result<(), Error> {
        let mut all_parts = all_parts();
        poison(range.clone())?;
        insert(all_parts.entry(self.id).or_default(), range, name);
        Ok(())
    }

    /// It is in a call of another thread's, which will poison it.
    pub fn expect(&mut self, range: Range<u64>, name: &'static str) {
        insert(all_parts().entry(self.id).or_default(), range, name);
    }

    /// A range is about to be used as it should; what of it was poisoned, which the caller
    /// overwrites.
    pub fn take(&mut self, range: Range<u64>) -> Result<Vec<Range<u64>>, Error> {
        let taken = self.cut(range.clone());
        for opened in protected_pages::open(range.clone()) {
            // What lies beside it stays poisoned.
            poison(opened.start..range.start.max(opened.start))?;
            poison(range.end.min(opened.end)..opened.end)?;
        }
        taken
    }

    /// What was poisoned of a range is so no longer, as far as this thread is concerned.
    fn cut(&self, range: Range<u64>) -> Result<Vec<Range<u64>>, Error> {
        let mut all_parts = all_parts();
        let all =
            all_parts.get_mut(&self.id).map(|parts| cut_out(parts, range)).unwrap_or_default();
        all.into_iter().map(|(range, part)| part.check(range.clone()).map(|()| range)).collect()
    }

    /// An object is gone, and its memory used by others since then.
    pub fn forget(&mut self, range: Range<u64>) -> Result<(), Error> {
        let mut all_parts = all_parts();
        let all =
            all_parts.get_mut(&self.id).map(|parts| cut_out(parts, range)).unwrap_or_default();
        all.into_iter().try_for_each(|(range, _)| clear(range))
    }

    /// An object is gone.
    pub fn end(&mut self, range: Range<u64>) -> Result<(), Error> {
        { self.cut(range)? }.into_iter().try_for_each(|range| self.clear(range))
    }

    /// All that are left, which are none any more.
    pub fn take_all(&mut self) -> Vec<(Range<u64>, Result<(), Error>)> {
        // Nobody makes shadows zero in between.
        let mut all_parts = all_parts();
        let parts = all_parts.remove(&self.id).unwrap_or_default();
        parts
            .into_iter()
            .map(|(start, part)| (start..part.end, part.check(start..part.end)))
            .collect()
    }

    /// What was poisoned becomes zero, but for what other threads have.
    pub fn clear(&self, range: Range<u64>) -> Result<(), Error> {
        let all_parts = all_parts();
        let mut left = vec![range];
        for parts in all_parts.iter().filter(|(id, _)| **id != self.id).map(|(_, parts)| parts) {
            left = left.into_iter().flat_map(|range| without(range, parts)).collect();
        }
        left.into_iter().try_for_each(clear)
    }
}

/// Makes the shadows of a range zero, protected or not.
fn clear(range: Range<u64>) -> Result<(), Error> {
    for opened in protected_pages::open(range.clone()) {
        poison(opened.start..range.start.max(opened.start))?;
        poison(range.end.min(opened.end)..opened.end)?;
    }
    space::clear(range)
}

/// Makes all shadows zero, of all threads, but for what is poisoned.
pub fn clear_all() {
    let all_parts = all_parts();
    space::clear_all();
    for (start, part) in all_parts.values().flatten() {
        // It was before.
        let _ = poison(*start..part.end);
    }
}

fn insert(parts: &mut Parts, range: Range<u64>, name: &'static str) {
    parts.insert(range.start, Part { end: range.end, name });
}

/// Takes out what lies in a range.
fn cut_out(parts: &mut Parts, range: Range<u64>) -> Vec<(Range<u64>, Part)> {
    let mut all = Vec::new();
    while let Some((&start, &part)) = parts.range(..range.end).next_back()
        && part.end > range.start
    {
        parts.remove(&start);
        if part.end > range.end {
            parts.insert(range.end, part);
        }
        if start < range.start {
            parts.insert(start, Part { end: range.start, ..part });
        }
        all.push((start.max(range.start)..part.end.min(range.end), part));
    }
    all
}

/// What of a range is in none of the parts.
fn without(range: Range<u64>, parts: &Parts) -> Vec<Range<u64>> {
    let mut left = Vec::new();
    let mut from = range.start;
    let before = parts.range(..range.start).next_back().into_iter();
    for (start, part) in
        before.chain(parts.range(range.clone())).filter(|(_, part)| part.end > range.start)
    {
        if *start > from {
            left.push(from..*start);
        }
        from = from.max(part.end);
    }
    if from < range.end {
        left.push(from..range.end);
    }
    left
}

impl Part {
    /// Whether nobody wrote there.
    fn check(&self, range: Range<u64>) -> Result<(), Error> {
        first_back(range).map_or(Ok(()), |at| Err(Error::WrittenPoisoned { name: self.name, at }))
    }
}

/// Sets all bits of the shadows of a range, where they are not protected.
fn poison(range: Range<u64>) -> Result<(), Error> {
    space::covers(range.clone())?;
    for part in protected_pages::outside(range).into_iter().filter(|part| part.start < part.end) {
        // SAFETY: shadow memory, as `covers` says, that can be written.
        unsafe {
            std::ptr::write_bytes(
                space::of(part.start) as *mut u8,
                0xff,
                (part.end - part.start) as usize,
            )
        };
    }
    Ok(())
}

/// The first address of a range, which was poisoned, of whose shadow a bit is zero. Where it is
/// protected nobody wrote.
pub fn first_back(range: Range<u64>) -> Option<u64> {
    protected_pages::outside(range).into_iter().find_map(first_written)
}

fn first_written(range: Range<u64>) -> Option<u64> {
    // SAFETY: shadow memory, since it was poisoned.
    let bytes = unsafe {
        std::slice::from_raw_parts(
            space::of(range.start) as *const u8,
            range.end.saturating_sub(range.start) as usize,
        )
    };
    // SAFETY: any bytes are words.
    let (head, words, tail) = unsafe { bytes.align_to::<u64>() };
    // Without a look after each word, so that vectors do it.
    let is_poisoned = |some: &[u64]| some.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX;
    if head.iter().chain(tail).all(|b| *b == 0xff) && words.chunks(64).all(is_poisoned) {
        return None;
    }
    bytes.iter().position(|b| *b != 0xff).map(|at| range.start + at as u64)
}
