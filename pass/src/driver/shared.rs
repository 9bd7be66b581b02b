//! Derivatives that are the same code: one for all callers.
//!
//! Callers know different things of memory, and each context gets a derivative of its own
//! ([`adanalysis::context`]). What they know often makes no difference to the code. What follows
//! from here on (simplification, vectorising, code generation) takes most of the time that a
//! derivative costs, so it is spent once.

use crate::llvm::{Function, Module, Type};
use adanalysis::stats;
use adir::hashed::HashMap;

/// Functions that copies of sections are made by: they are generated beside derivatives.
const SECTION: &str = "__adcc.section";

/// Has derivatives that are the same code be one, which is left in `generated`.
pub fn share(module: Module, generated: &mut Vec<Function>) {
    let _t = stats::stage("share");
    let sections = module.functions().into_iter().filter(|f| f.name().starts_with(SECTION));
    let mut known: HashMap<(String, Type), Vec<Function>> = HashMap::default();
    let mut gone = vec![];
    // Callees were finished before their callers: once they are one, their callers may be.
    for f in sections.chain(generated.iter().copied()) {
        let is_called = f.value().users().iter().all(|u| u.is_call() && u.called() == f.value());
        if !f.is_private() || !is_called {
            continue;
        }
        let alike = known.entry((stem(&f.name()).to_owned(), f.ty())).or_default();
        match alike.iter().find(|other| other.is_same_code(f)) {
            Some(other) => {
                f.value().replace_uses(other.value());
                f.delete();
                gone.push(f);
            }
            None => alike.push(f),
        }
    }
    generated.retain(|f| !gone.contains(f));
}

/// A symbol without the number that LLVM appends to make it unique: what debug information says of
/// one function is then true of the other.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, number)) if number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}
