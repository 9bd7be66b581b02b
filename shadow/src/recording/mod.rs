//! Recordings: what adjoints through machine code are computed from.
//!
//! Each operation with an active operand, or each expression of a block, appends an *entry* to its
//! thread's recording: the *indices* of its operands, and the partials by them. The entry's own
//! index is the shadow of the result ([`crate::mirror::indices`] has the format). The reverse sweep
//! reads entries backwards: it takes the *bar* of an entry's result, and adds it, times the
//! partials, to the bars of the operands. Bars lie in an array by index, which is zero outside of a
//! reverse sweep.
//!
//! A *segment* is one call: [`begin`], [`inputs`] for what is independent, the call in
//! [`crate::emit::Mode::Recording`], [`end`]. Then, for any segment that has ended: [`add_bar`] for
//! its outputs, [`evaluate`], [`bar`] for its inputs. Segments that use values of each other are
//! evaluated in the reverse order of their recording; those of different evaluations in any order
//! ([`new_evaluation`]).
//!
//! **What a library keeps between calls** may have indices of an earlier segment: they are used as
//! any other, and the bar is handed on when that segment is evaluated. But memory of a library may
//! also hold indices of a segment that *has been* evaluated: its entries are gone. So an index is
//! never given a second time as long as any segment of any thread is recorded and not evaluated;
//! the reverse sweep sees to it that each operand is of a segment that is still recorded, and stops
//! the program if it is not ([`Error::Stale`]). With the last segment all shadow memory becomes
//! zero, what libraries keep becomes constant, and indices start again at 1. Since indices of
//! different threads differ, too, a value that another thread computed is found out in the same
//! way.
//!
//! Shadow memory holds dots or indices: a tangent cannot begin while any thread has a segment that
//! was not evaluated, and what tangents left in shadow memory becomes zero when the first segment
//! begins ([`tangent_holds`] is for calls that must not be surprised by that).
//!
//! - [`entry`]: the format, and how Rust code appends entries. `emit::record` has the code that
//!   does it in the program's own stream.
//! - `storage`: memory and indices of a thread. `segments`: which part is of which call.
//!   [`evaluate`]: the reverse sweep.
//! - [`scales`]: values outside of double's range.
//! - [`slow`]: instructions and known functions that Rust code records; [`statement`]: what of
//!   delayed statements it does.

pub mod entry;
mod evaluate;
pub mod scales;
mod segments;
pub mod slow;
pub mod statement;
mod storage;

use thiserror::Error;

pub use evaluate::evaluate;
pub use segments::{Segment, abandon, begin, discard, end, give_up, is_under_way, new_evaluation};
pub use storage::{
    Limits, Statistics, ThreadBars, add_bar, adjoint, bar, inputs, limit, make_room,
    prepare_thread, statistics, tangent_begins, tangent_ends, tangent_holds,
};

/// Why a recording cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// No memory for entries.
    #[error(
        "the recording of this thread has {bytes} bytes, and there is no memory for more ({why}); \
        record less at once (use checkpoints or a smaller region), or give the program more memory"
    )]
    NoMemory {
        /// What it has.
        bytes: u64,
        /// What is in the way.
        why: String,
    },
    /// No indices.
    #[error(
        "one recording has more than {count} active operations; record less at once (use \
        checkpoints or a smaller region)"
    )]
    NoIndices {
        /// How many there are.
        count: u32,
    },
    /// Address space that could not be had.
    #[error(
        "there is no address space for a recording: {0}; allow the program more (ulimit -v \
        unlimited, sysctl vm.overcommit_memory=0)"
    )]
    NoSpace(String),
    /// A segment that is not recorded.
    #[error("{what}")]
    Order {
        /// What was tried.
        what: &'static str,
    },
    /// Dots where indices are.
    #[error(
        "a tangent and a recording exist at the same time: shadow memory holds either tangents or \
        indices; finish the reverse sweep of all that was recorded first"
    )]
    Tangent,
    /// An adjoint that is no double.
    #[error(
        "{what} is a long double outside the range of double, and its adjoint, which is stored as \
        a double, may be outside too; scale it within the library, or use tangent mode"
    )]
    Range {
        /// What is.
        what: &'static str,
    },
    /// An operand whose entry is gone.
    #[error(
        "a library used a value (index {index}) that it kept from a call whose reverse sweep is \
        done, from another derivative or from another thread: its derivative is not known any \
        more; set up the library anew in each recording"
    )]
    Stale {
        /// Its index.
        index: u32,
    },
}

impl Error {
    /// A number for documents and searches; it stays.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NoMemory { .. } => "AS040",
            Error::NoIndices { .. } => "AS041",
            Error::NoSpace(_) => "AS042",
            Error::Order { .. } => "AS043",
            Error::Stale { .. } => "AS044",
            Error::Range { .. } => "AS055",
            Error::Tangent => "AS049",
        }
    }
}
