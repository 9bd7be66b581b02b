//! Marks of variables: whether foreign code may reach them (see `frontend::escapes`).

use crate::llvm::{Module, Value};

/// Mark of a variable: foreign code does not access it.
pub const HIDDEN: &str = "adcc.hidden";
/// Mark of a variable: its address leaves the module.
pub const ADDRESS_ESCAPES: &str = "adcc.address_escapes";
/// Mark of what came from a unit of a link: functions have it as an attribute, with their symbol.
pub const FROM_UNIT: &str = "adcc.from_unit";

/// Mark of a variable: all that the program does with its address is to load and store there.
pub const ACCESSED: &str = "adcc.accessed";
/// Mark of a variable: those that its pointers lead to, as a text, symbols in lines.
pub const LEADS: &str = "adcc.leads";

/// Marks of a variable that is internal to a unit, for the link, which sees only a part of the unit.
/// Its address does not leave the unit.
pub const KEPT_IN_UNIT: &str = "adcc.kept_in_unit";
/// No code but the unit's accesses it.
pub const HIDDEN_IN_UNIT: &str = "adcc.hidden_in_unit";
/// All that is done with its address is to load and store there.
pub const ACCESSED_IN_UNIT: &str = "adcc.accessed_in_unit";
/// Nothing writes it.
pub const CONSTANT_IN_UNIT: &str = "adcc.constant_in_unit";
/// The variables that its pointers lead to, as a text: symbols in lines.
pub const LEADS_IN_UNIT: &str = "adcc.leads_in_unit";

/// Whether a variable is internal to the module, or to the unit that it comes from, which says that
/// its address does not leave it.
pub fn is_internal(variable: Value) -> bool {
    variable.is_private_global() || variable.has_mark(KEPT_IN_UNIT)
}

/// Whether foreign code does not access a variable.
pub fn is_hidden(variable: Value) -> bool {
    variable.has_mark(HIDDEN)
}

/// Whether a variable's address leaves the module, so that a library may have it.
pub fn address_escapes(variable: Value) -> bool {
    variable.has_mark(ADDRESS_ESCAPES)
}

const IN_UNIT: [&str; 5] =
    [KEPT_IN_UNIT, HIDDEN_IN_UNIT, ACCESSED_IN_UNIT, CONSTANT_IN_UNIT, LEADS_IN_UNIT];

/// Takes the marks away.
pub fn erase(module: Module) {
    for g in module.globals() {
        g.clear_mark(HIDDEN);
        [ADDRESS_ESCAPES, ACCESSED, LEADS].iter().for_each(|mark| g.clear_mark(mark));
        IN_UNIT.iter().for_each(|mark| g.clear_mark(mark));
    }
}
