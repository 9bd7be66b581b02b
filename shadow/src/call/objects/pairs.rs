//! Whether a word of an object and the one beside it in the shadow are a pointer and its shadow,
//! whose content is unknown.
//!
//! On x86-64 both are if both are addresses: as doubles they would be below 1e-309. On i386 half of
//! a double may be any address. So both have to lead to what is known: the same way, as blocks and
//! variables do that lie beside their shadows. If they lead to different places it is doubtful, and
//! counts as a pointer whose shadow who takes it for a real finds to be unknown.

use super::{extents::Variable, reach::is_address};
use crate::memory::trap_pointers;

/// What two words are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pair {
    /// No pointer with a shadow.
    None,
    /// One.
    Pointer,
    /// One, or halves of two reals.
    Doubtful,
}

/// A word at a place, and the one beside it: from there to there, in an object whose shadow is so
/// far away.
///
/// # Safety
/// The object and its shadow can be read.
#[cfg(target_arch = "x86_64")]
pub unsafe fn pair(
    words: (u64, u64),
    _at: u64,
    _object: (&std::ops::Range<u64>, u64),
    _variables: &[Variable],
) -> Pair {
    let (primal, shadow) = words;
    let is_pointer =
        (is_address(shadow) || trap_pointers::is(primal, shadow)) && is_address(primal);
    if is_pointer { Pair::Pointer } else { Pair::None }
}

#[cfg(target_arch = "x86")]
pub use machine::pair;

#[cfg(target_arch = "x86")]
mod machine {
    use std::ops::Range;

    use super::*;
    use crate::{
        call::objects::extents,
        memory::heap::{self, Owner},
    };
    use crate::{
        machine::word,
        memory::{indices::untyped, space::DISTANCE},
    };

    /// The same.
    ///
    /// # Safety
    /// The object and its shadow can be read.
    pub unsafe fn pair(
        words: (u64, u64),
        at: u64,
        object: (&Range<u64>, u64),
        variables: &[Variable],
    ) -> Pair {
        let (primal, shadow) = words;
        if !is_address(primal) || shadow == 0 {
            return Pair::None;
        }
        if trap_pointers::is(primal, shadow)
            || shadow == primal.wrapping_add(DISTANCE)
                && heap::find(primal).is_some_and(|b| b.owner == Owner::Library)
        {
            return Pair::Pointer;
        }
        // What is not aligned leads to no real.
        if !is_address(shadow) || !primal.is_multiple_of(4) || !shadow.is_multiple_of(4) {
            return Pair::None;
        }
        let distance = shadow.wrapping_sub(primal);
        if variables.iter().any(|v| v.distance == Some(distance) && v.primal.contains(&primal)) {
            return Pair::Pointer;
        }
        match (heap::find(primal), heap::find(shadow)) {
            (Some(a), Some(b)) if primal - a.range.start == shadow - b.range.start => {
                return Pair::Pointer;
            }
            (Some(_), Some(_)) => return Pair::Doubtful,
            _ => {}
        }
        match (extents::of(primal, variables), extents::of(shadow, variables)) {
            (Some(_), Some(_)) => Pair::Doubtful,
            _ if extents::is_left_over(primal) || extents::is_left_over(shadow) => Pair::None,
            // Memory of which nothing is known: an error, unless both are numbers as one would
            // expect. SAFETY: as the caller says.
            _ if unsafe {
                is_half(at, object.0)
                    && is_half(
                        at.wrapping_add(object.1),
                        &(object.0.start.wrapping_add(object.1)
                            ..object.0.end.wrapping_add(object.1)),
                    )
            } =>
            {
                Pair::None
            }
            _ => Pair::Doubtful,
        }
    }

    /// Whether a word of a range may be half of a double of a usual size, at either place.
    ///
    /// # Safety
    /// The range can be read.
    unsafe fn is_half(at: u64, range: &Range<u64>) -> bool {
        // SAFETY: as the caller says.
        let is_usual = |upper: u64| unsafe {
            upper + 4 <= range.end && untyped::is_usual(word::at(upper) as u32)
        };
        is_usual(at + 4) || at >= range.start + 4 && is_usual(at)
    }
}
