//! The objects of the calls that all threads are in: no two threads have one at the same time,
//! unless it is constant.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, MutexGuard},
};

/// Ranges of the calls of all threads, by registry and depth: where each ends, and whether it has a
/// shadow.
pub type Live = BTreeMap<(u64, usize), BTreeMap<u64, (u64, bool)>>;

static LIVE: Mutex<Live> = Mutex::new(BTreeMap::new());

/// All of them.
pub fn live() -> MutexGuard<'static, Live> {
    // Nothing panics while it is locked.
    LIVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What other threads have of a range: nothing, or whether something of it has a shadow.
pub fn of_others(live: &Live, id: u64, range: &Range<u64>) -> Option<bool> {
    let others = live.iter().filter(|((other, _), _)| *other != id).flat_map(|(_, ranges)| {
        let before = ranges.range(..range.start).next_back();
        before
            .into_iter()
            .chain(ranges.range(range.clone()))
            .filter(|(_, (end, _))| *end > range.start)
    });
    others.map(|(_, (_, has_shadow))| *has_shadow).reduce(|a, b| a || b)
}
