//! Whole programs: what objects carry for the link, and what the link makes of it (DESIGN section
//! 11).
//!
//! A unit is a module as one compilation saw it. With `-ad-objects`, its object carries the IR, as
//! it is before requests are answered ([`mod@carry`]). Requests that name functions of other units stay
//! open ([`open`]): each becomes a function that is declared only. So do those that name a function of
//! the unit which reaches others ([`mod@reach`]), but the unit has an answer of its own to them, for a
//! link without these. When the program is linked, the
//! plugin runs on an empty module with `-ad-link=FILE`. It takes in the open requests and what they
//! reach of all units ([`mod@gather`]), answers the requests as those of one file, and leaves out again
//! what has machine code in the objects.
//!
//! Comes in: a module, or the list of a link. Goes out: a section of the object, or a module of
//! derivatives. Must hold: there is one memory for each variable of the program, whoever accesses it.

mod addresses;
mod carry;
mod gather;
mod heads;
mod internal;
mod list;
mod open;
mod packing;
mod reach;

use crate::diagnostics::{Diagnostic, names::OF_UNIT};
pub use carry::{Carried, carry};
pub use gather::{gather, leave_out, note_machine_code};
pub use heads::{settle, take as take_heads};
pub use open::{is_open, leave};

/// The section of objects that holds IR.
const SECTION: &str = ".adcc.ir";

/// What cannot be differentiated across files and has an answer of its own file.
fn of_own_file(of: &str, d: Diagnostic) -> Diagnostic {
    let reason = format!("the derivative of '{of}' runs machine code of other files: {}", d.reason);
    Diagnostic { reason, ..d }
}

/// What other units append to the name of something internal to a unit.
fn suffix(unit: &str) -> String {
    format!("{OF_UNIT}{unit}")
}
