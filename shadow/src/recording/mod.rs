//! Recordings: what adjoints through machine code are computed from.
//!
//! Each operation with an active operand, or each expression of a block, appends an *entry* to its
//! thread's recording: the *indices* of its operands, and the partials by them. The entry's own
//! index is the shadow of the result ([`crate::memory::indices`] has the format). The reverse sweep
//! reads entries backwards: it takes the *bar* of an entry's result, and adds it, times the
//! partials, to the bars of the operands. Bars lie in an array by index, which is zero outside of a
//! reverse sweep.
//!
//! A *segment* is one call: [`begin`], [`inputs`] for what is independent, the call in
//! [`crate::translate::Mode::Recording`], [`end`]. Then, for any segment that has ended: [`add_bar`] for
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
//! - [`entry`]: the format, and how Rust code appends entries. `translate::emit::record` has the
//!   code that does it in the program's own stream, `translate::slow_path::record` the instructions
//!   and library models that Rust code records.
//! - `storage`: memory and indices of a thread. `segments`: which part is of which call. `reverse`:
//!   the reverse sweep ([`evaluate`]).
//! - [`scales`]: values outside of double's range. [`evaluation`]: when evaluations of derivatives
//!   begin and end.
//!
//! **In:** indices of operands with partials, from the translator; bars of outputs, from the call
//! boundary. **Out:** indices of results; bars of inputs.
//!
//! **What must hold:** an index is never given twice while any segment is recorded and not
//! evaluated. An operand of an entry is of a segment that is still recorded, or the program ends.
//! Bars are zero outside of a reverse sweep. Shadow memory holds either dots or indices.

pub mod entry;
pub mod evaluation;
mod reverse;
pub mod scales;
mod segments;
mod storage;

pub use crate::error::recording::Error;
pub use reverse::evaluate;
pub use segments::{Segment, abandon, begin, discard, end, give_up, is_under_way, new_evaluation};
pub use storage::{
    Limits, Statistics, ThreadBars, add_bar, bar, inputs, limit, make_room, prepare_thread,
    statistics, tangent_begins, tangent_ends, tangent_holds,
};
