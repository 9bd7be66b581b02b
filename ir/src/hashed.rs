//! Hash maps and sets, fast and in the same order in each run.
//!
//! The keys are numbers and small values of the compiler itself, which nobody chooses to collide.

use foldhash::fast::FixedState;
use std::collections;

/// A map.
pub type HashMap<K, V> = collections::HashMap<K, V, FixedState>;
/// A set.
pub type HashSet<K> = collections::HashSet<K, FixedState>;
