//! Addresses that are rounded down (`llvm.ptrmask`), as steps: `p & m` is `p - (p & ~m)`. A shadow
//! then moves as far as its pointer.

use crate::llvm::{Builder, Function, Intrinsic, Module, Opcode};

/// Rewrites them all.
pub fn rewrite(module: Module, function: Function) {
    let b = Builder::new(module.context());
    for call in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        if call.opcode() != Opcode::LLVMCall
            || call.intrinsic() != Some(Intrinsic::PointerMask)
            || !call.ty().is_pointer()
        {
            continue;
        }
        b.position_before(call);
        let (pointer, mask) = (call.operand(0), call.operand(1));
        let (word, all) = (mask.ty(), mask.ty().int(u64::MAX));
        let below = b.and(b.cast(Opcode::LLVMPtrToInt, pointer, word), b.sub(all, mask));
        call.replace_uses(b.gep(module.context().int(8), pointer, &[b.sub(word.zero(), below)]));
        call.erase();
    }
}
