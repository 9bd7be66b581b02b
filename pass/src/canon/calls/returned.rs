//! Functions on text that return what they were given: an appended string, the stream. The result
//! is that argument, of which more is known than of memory that a function without body returns.

use crate::llvm::{Function, TypeKind};
use adir::library;

/// Lets the users of such results use the argument.
pub fn use_arguments(function: Function) {
    for call in super::unwind::calls(function) {
        let returns = |f: Function| f.is_declaration() && library::returns_first(&f.name());
        if call.ty().kind() == TypeKind::LLVMPointerTypeKind
            && call.argument_count() > 0
            && call.called().as_function().is_some_and(returns)
        {
            call.replace_uses(call.operand(0));
        }
    }
}
