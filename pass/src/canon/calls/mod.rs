//! Calls of a canonical copy: inlined, made direct, or brought into the form that analyses know.
//!
//! Comes in: a copy in which calls are as the front end wrote them. Goes out: calls of functions
//! that have a body, a rule, a model or a stand-in, with arguments as scalars and explicit copies.
//! Must hold: what runs is what ran before, in the same order.

pub mod addresses;
pub mod by_value;
mod captured;
mod classes;
pub mod combiners;
pub mod complex;
pub mod facets;
pub mod indirect;
pub mod inline;
pub mod internal;
pub mod jumps;
pub mod leaving;
pub mod messages;
pub mod pending;
pub mod prepared;
mod private;
pub mod reads;
pub mod recursion;
pub mod returned;
pub mod stand_ins;
pub mod structs;
pub mod tasks;
pub mod teams;
pub mod throws;
pub mod unwind;
pub mod variadic;

use crate::{
    annotations::{attributes::GENERATED, registry},
    llvm::{Function, Module},
};

/// Whether calls may go to a copy of a function that takes or returns the same in another way.
fn may_be_copied(f: Function) -> bool {
    !f.is_declaration()
        && !f.is_variadic()
        && !f.is_interposable()
        && !f.has_attribute("naked")
        && f.attribute_string(GENERATED).is_none()
        && registry::of(f).is_none()
}

/// Deletes the copies of functions whose names contain `mark` and that nothing calls any more.
fn drop_copies(module: Module, mark: &str) {
    loop {
        let is_unused = |f: &Function| f.name().contains(mark) && f.value().users().is_empty();
        let unused: Vec<Function> = module.functions().into_iter().filter(is_unused).collect();
        if unused.is_empty() {
            return;
        }
        unused.into_iter().for_each(Function::delete);
    }
}
