//! Structs passed by value: the copy that a `byval` argument implies is made explicit.
//!
//! The sweeps of a callee take pointers, to memory and to its shadow, and write what the callee
//! writes. Without a copy of its own that would be the caller's struct, and derivatives would
//! accumulate in the wrong shadow.

use crate::llvm::{Builder, Function, Intrinsic, Module};

/// Aligned as calling conventions align structs in memory.
const ALIGNMENT: u32 = 16;

/// Copies what calls to functions with a body pass by value. Comes after the passes of this stage:
/// some of them would undo it, knowing that such a call copies.
pub fn copy_arguments(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    let calls =
        function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call());
    for call in calls {
        let Some(callee) = call.called().as_function().filter(|f| !f.is_declaration()) else {
            continue;
        };
        for i in 0..call.argument_count() {
            let Some(ty) = callee.param_type_attribute(i, "byval") else { continue };
            builder.position_at_start(function.blocks()[0]);
            let own = builder.alloca(ty, "");
            own.set_alignment(ALIGNMENT);
            let bytes = module.context().int(64).int(module.alloc_size(ty));
            let copy =
                module.intrinsic(Intrinsic::Memcpy, &[own.ty(), call.operand(i).ty(), bytes.ty()]);
            builder.position_before(call);
            builder.call(copy, &[own, call.operand(i), bytes, module.context().int(1).zero()]);
            call.set_operand(i, own);
        }
    }
}
