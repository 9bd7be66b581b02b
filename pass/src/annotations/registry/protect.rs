//! Annotated functions stay as they are until derivatives are made.
//!
//! The passes before ours inline, and learn from a function's body what its calls return. A call
//! that is gone, or a result that was replaced, would be differentiated without the user's rule. So
//! `protect` forbids inlining, and gives the function the linkage of one of several equal
//! definitions, of which passes do not look at the body; `release` undoes both.

use super::arrays;
use crate::llvm::{Function, Linkage, Module};
use std::hash::{DefaultHasher, Hash, Hasher};

/// String attribute with what is to be undone: linkage, whether inlining was forbidden before, and
/// name.
const KEPT: &str = "adcc-kept";

/// Protects all functions of which the module says something, and those that options name. Whether
/// there are any.
pub fn protect(module: Module, named: Vec<Function>) -> bool {
    let mut found = false;
    for f in subjects(module)
        .into_iter()
        .chain(named)
        .filter(|f| !f.is_declaration() && f.attribute_string(KEPT).is_none())
    {
        let linkage = f.linkage();
        let letter = match linkage {
            Linkage::External => 'e',
            Linkage::Internal => 'i',
            Linkage::Several | Linkage::Replaceable | Linkage::Elsewhere | Linkage::Other => 'o',
        };
        let noinline = if f.has_attribute("noinline") { 'n' } else { 'y' };
        let name = f.name();
        f.add_attribute_string(KEPT, &format!("{letter}{noinline}{name}"));
        f.remove_attribute("alwaysinline");
        f.add_attribute("noinline");
        if linkage == Linkage::Internal {
            // Link-time optimisation may meet a function of the same name from another file before
            // this is undone.
            f.value().set_name(&format!("{name}.adcc.{:x}", module_hash(module)));
        }
        if matches!(linkage, Linkage::External | Linkage::Internal) {
            f.set_linkage(Linkage::Several);
        }
        found = true;
    }
    found
}

/// Gives protected functions back what they had. Whether there are any.
pub fn release(module: Module) -> bool {
    let mut found = false;
    for f in module.functions() {
        let Some(kept) = f.attribute_string(KEPT) else { continue };
        f.remove_attribute_string(KEPT);
        match kept.chars().next() {
            Some('e') => f.set_linkage(Linkage::External),
            Some('i') => {
                f.set_linkage(Linkage::Internal);
                f.value().set_name(&kept[2..]);
            }
            _ => {}
        }
        if kept.chars().nth(1) == Some('y') {
            f.remove_attribute("noinline");
        }
        found = true;
    }
    found
}

/// Functions of which the module says something.
pub fn subjects(module: Module) -> Vec<Function> {
    let mut all: Vec<Function> =
        arrays::entries(module).iter().flat_map(|e| e.subjects()).collect();
    all.extend(arrays::annotated(module).into_iter().filter_map(|(v, _)| v.as_function()));
    all
}

/// What tells this module from all others that may be linked with it.
fn module_hash(module: Module) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::env::current_dir().unwrap_or_default().hash(&mut hasher);
    module.source_file().hash(&mut hasher);
    hasher.finish()
}
