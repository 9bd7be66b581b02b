//! Simplified copies of functions that the compiler left as the front end wrote them (-O0): what is
//! inlined is then small, and inlining goes as deep as at other levels. Parts of coroutines are
//! copied at all levels, for LLVM says no types of what they keep in their frames; so are functions
//! that call `setjmp`.

use super::{inline, jumps};
use crate::{
    canon::{SUFFIX, Shared, copy_body, simplify, types::integers},
    llvm::{Function, Module},
};

/// What calls of `callee` are inlined from: itself, or a simplified copy, made once, in which calls
/// are inlined already.
pub fn prepared(module: Module, callee: Function, shared: &mut Shared) -> Function {
    if !callee.has_attribute("optnone")
        && !integers::is_coroutine_part(callee)
        && !jumps::has_any(module, callee)
    {
        return callee;
    }
    if let Some(&copy) = shared.prepared.get(&callee) {
        return copy;
    }
    let copy = module.add_function(&format!("{}{SUFFIX}", callee.name()), callee.ty());
    copy_body(module, copy, callee);
    copy.set_external(false);
    // Calls in a circle do not come back here: they are not inlined.
    shared.prepared.insert(callee, copy);
    // What only prepares is not charged to the canonical copies.
    let budget = std::mem::replace(&mut shared.budget, usize::MAX);
    jumps::resolve(module, copy);
    // Where a pass fails, what is there is still a copy of the function.
    if simplify(module, copy, shared).is_ok()
        && inline::inline_calls(
            module,
            copy,
            inline::Kept::AllLeaving,
            inline::CALLEE_LIMIT,
            shared,
        )
    {
        let _ = simplify(module, copy, shared);
    }
    jumps::resolve(module, copy);
    shared.budget = budget;
    copy
}
