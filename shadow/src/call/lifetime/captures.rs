//! Which functions keep pointers to what they are given, in variables of the library or in blocks
//! that those lead to.
//!
//! The objects of such a call come with each later one. The data of libraries is looked through
//! after a function's first call, the second, the fourth, and so on, so this costs little; what it
//! does not find (a pointer that is stored later, elsewhere, or not as it was given) is an error
//! where it is used: see [`crate::memory::poisoned`]. A function that did it once is taken to do it
//! always.
//!
//! In the executable, variables of the program lie beside those of a static library. So what was
//! there before the call does not count.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{Mutex, MutexGuard},
};

use crate::{call::objects::reach::words, machine::word, memory::heap, process::modules};

/// Data is looked through up to so many bytes, and so much of a block.
const MOST_DATA: u64 = 16 << 20;
const MOST_OF_BLOCK: u64 = 4096;
/// Blocks that data leads to, and those that they lead to, at most.
const MOST_BLOCKS: usize = 256;
/// Beginnings of the names of libraries that keep nothing; the allocator's own data leads to its
/// blocks.
const OTHERS: [&str; 4] = ["libc.so", "ld-linux", "linux-vdso", "linux-gate"];

/// Of a function, how often it was called, and whether it was seen to keep a pointer.
#[derive(Default)]
struct Summary {
    calls: u64,
    keeps: bool,
}

static SUMMARIES: Mutex<Option<HashMap<u64, Summary>>> = Mutex::new(None);

fn with_summary<T>(function: u64, run: impl FnOnce(&mut Summary) -> T) -> T {
    let mut summaries: MutexGuard<'_, Option<HashMap<_, _>>> =
        SUMMARIES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    run(summaries.get_or_insert_default().entry(function).or_default())
}

/// In place of a function: libraries that know objects of the program before an evaluation begins.
pub const BEFORE: u64 = 0;

/// Whether a function keeps pointers.
pub fn keeps(function: u64) -> bool {
    with_summary(function, |summary| summary.keeps)
}

/// A look at the data of libraries, before and after a call.
pub struct Look {
    function: u64,
    data: Vec<Range<u64>>,
    /// Places that lead to objects before the call.
    before: HashSet<u64>,
}

impl Look {
    /// A function is called with these objects. Most of the time nothing is looked at.
    pub fn new(function: u64, objects: &[Range<u64>]) -> Option<Self> {
        let calls = with_summary(function, |summary| {
            summary.calls += 1;
            summary.calls
        });
        if objects.is_empty() || !calls.is_power_of_two() {
            return None;
        }
        let (mut data, mut is_in_executable) = (Vec::new(), false);
        for module in modules::loaded() {
            let is_executable = module.path.is_empty();
            is_in_executable |= is_executable && function != BEFORE && module.has_code(function);
            if !OTHERS.iter().any(|name| module.name().starts_with(name))
                && (!is_executable || is_in_executable)
            {
                data.extend(module.data);
            }
        }
        let mut left = MOST_DATA;
        data.retain(|range| {
            let bytes = range.end - range.start;
            let fits = bytes <= left;
            left -= if fits { bytes } else { 0 };
            fits
        });
        let mut look = Self { function, data, before: HashSet::new() };
        if is_in_executable {
            look.before = look.places(objects);
        }
        Some(look)
    }

    /// The call has returned: whether it keeps a pointer to one of its objects.
    pub fn finds(&self, objects: &[Range<u64>]) -> bool {
        let keeps = self.places(objects).iter().any(|place| !self.before.contains(place));
        if keeps {
            with_summary(self.function, |summary| summary.keeps = true);
        }
        keeps
    }

    /// Where pointers to objects are.
    fn places(&self, objects: &[Range<u64>]) -> HashSet<u64> {
        let (Some(first), Some(last)) =
            (objects.iter().map(|o| o.start).min(), objects.iter().map(|o| o.end).max())
        else {
            return HashSet::new();
        };
        let (mut places, mut seen) = (HashSet::new(), HashSet::new());
        let mut work = self.data.clone();
        while let Some(range) = work.pop() {
            for at in words(&range) {
                // SAFETY: data of a loaded module, or a block in use.
                let value = unsafe { word::at(at) };
                if (first..last).contains(&value) && objects.iter().any(|o| o.contains(&value)) {
                    places.insert(at);
                } else if value != 0
                    && seen.len() < MOST_BLOCKS
                    && let Some(block) = heap::starting_at(value)
                    && seen.insert(value)
                {
                    work.push(block.start..block.end.min(block.start + MOST_OF_BLOCK));
                }
            }
        }
        places
    }
}
