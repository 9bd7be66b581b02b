//! What flang says of Fortran's dummy arguments: accesses through one never touch what another
//! leads to, if either is written.
//!
//! That holds in one execution of a procedure. The tags (`tbaa`) do not say in which: where two
//! executions become parts of one function, by inlining, in turn or in a loop, arrays that exchange
//! roles between them seem to be apart (llvm/llvm-project#89829). So nothing is said of single
//! dummies where a procedure may be inlined: in what LLVM inlines into, and in all copies.

use crate::llvm::{Function, Module, Value};

/// What the names of the types of dummies begin with.
const DUMMY: &str = "dummy arg data";

/// Takes what is said of single dummies from all procedures that the module calls; whether anything
/// was.
pub fn prepare(module: Module) -> bool {
    let is_called = |f: &Function| {
        let calls = |u: Value| u.is_call() && u.called().as_function() == Some(*f);
        !f.is_declaration() && f.value().users().into_iter().any(calls)
    };
    let called: Vec<Function> = module.functions().into_iter().filter(is_called).collect();
    called.into_iter().fold(false, |changed, f| widen(f) | changed)
}

/// The same in one function.
pub fn widen(function: Function) -> bool {
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_of_dummy = |i: &Value| i.tbaa_type().is_some_and(|name| name.starts_with(DUMMY));
    let mut changed = false;
    for access in insts.filter(is_of_dummy) {
        let mut path = access.tbaa_path();
        path.retain(|name| !name.starts_with(DUMMY));
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match path.split_first() {
            Some((root, types)) if !types.is_empty() => access.set_tbaa_path(root, types),
            _ => access.clear_metadata("tbaa"),
        }
        changed = true;
    }
    changed
}
