//! Marks of variables: whether foreign code may reach them (see `frontend::escapes`).

use crate::llvm::{Module, Value};

/// Mark of a variable: foreign code does not access it.
pub const HIDDEN: &str = "adcc.hidden";
/// Mark of a variable: its address leaves the module.
pub const ADDRESS_ESCAPES: &str = "adcc.address_escapes";
/// Mark of what came from a unit of a link: functions have it as an attribute, with their symbol.
pub const FROM_UNIT: &str = "adcc.from_unit";

/// Whether foreign code does not access a variable.
pub fn is_hidden(variable: Value) -> bool {
    variable.has_mark(HIDDEN)
}

/// Whether a variable's address leaves the module, so that a library may have it.
pub fn address_escapes(variable: Value) -> bool {
    variable.has_mark(ADDRESS_ESCAPES)
}

/// Takes the marks away.
pub fn erase(module: Module) {
    for g in module.globals() {
        g.clear_mark(HIDDEN);
        g.clear_mark(ADDRESS_ESCAPES);
    }
}
