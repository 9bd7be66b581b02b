//! What a unit says of its internal variables, of which it has all accesses: a link takes in only a
//! part of the unit, and takes them for variables of any file.

use super::list::List;
use crate::{
    annotations::visibility::{ACCESSED_IN_UNIT, CONSTANT_IN_UNIT, LEADS_IN_UNIT},
    canon,
    codegen::globals,
    diagnostics::names::OF_UNIT,
    frontend::escapes,
    llvm::{Module, Value},
};

/// Marks them.
pub fn mark(module: Module) {
    escapes::mark_unit(module);
    canon::constant_globals::find(module).into_iter().for_each(|g| g.set_mark(CONSTANT_IN_UNIT));
    let internal = |g: &Value| g.is_private_global() && !g.is_global_constant();
    for g in module.globals().into_iter().filter(internal) {
        if globals::is_only_accessed(g) {
            g.set_mark(ACCESSED_IN_UNIT);
        }
        if globals::holds_pointers(module, g)
            && let Some(targets) = globals::targets(g)
        {
            let symbols: Vec<String> = targets.into_iter().map(symbol).collect();
            g.set_mark_text(LEADS_IN_UNIT, &symbols.join("\n"));
        }
    }
}

/// The symbol of a variable; of one that is internal, without the number of its unit, which is not known yet.
fn symbol(variable: Value) -> String {
    match variable.is_private_global() {
        true => format!("{}{OF_UNIT}", variable.name()),
        false => variable.name(),
    }
}

/// Completes the marks of variables that a link has taken in from the unit with that number, and declares the
/// variables to which they lead. A mark that names one which no unit of the link has is taken away.
pub fn complete(module: Module, list: &List) {
    for g in module.globals() {
        if g.has_mark(CONSTANT_IN_UNIT) {
            g.make_global_constant();
        }
        let Some(text) = g.mark_text(LEADS_IN_UNIT) else { continue };
        let name = g.name();
        let unit = name.rsplit_once(OF_UNIT).map_or("", |(_, unit)| unit);
        let full = |symbol: &str| match symbol.ends_with(OF_UNIT) {
            true => format!("{symbol}{unit}"),
            false => symbol.to_string(),
        };
        let symbols: Vec<String> = text.lines().map(full).collect();
        let is_known = |s: &String| {
            list.units_of.contains_key(s)
                || module.global(s).is_some_and(|g| g.initializer().is_some())
        };
        if unit.is_empty() || !symbols.iter().all(is_known) {
            g.clear_mark(LEADS_IN_UNIT);
            continue;
        }
        symbols.iter().for_each(|symbol| module.want(symbol));
        g.set_mark_text(LEADS_IN_UNIT, &symbols.join("\n"));
    }
}
