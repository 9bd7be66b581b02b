//! Variables that nothing writes are constants: LLVM finds that from -O1 on, and -O0 should
//! differentiate as the others do.

use crate::llvm::{Intrinsic, Module, Opcode, Value};

/// Marks them.
pub fn mark(module: Module) {
    find(module).into_iter().for_each(Value::make_global_constant);
}

/// Finds them: internal, of this module only, and loaded from or copied from wherever their address
/// goes.
pub fn find(module: Module) -> Vec<Value> {
    let variables = module.globals().into_iter();
    let own = variables.filter(|g| {
        g.is_private_global()
            && !g.is_global_constant()
            && !g.is_thread_local()
            && g.initializer().is_some()
    });
    own.filter(|&g| is_only_read(g)).collect()
}

/// Whether nothing is done with an address but reading what lies there.
fn is_only_read(address: Value) -> bool {
    address.users().into_iter().all(|user| match user.is_instruction().then(|| user.opcode()) {
        Some(Opcode::LLVMLoad) => !user.is_volatile(),
        Some(Opcode::LLVMGetElementPtr) => is_only_read(user),
        Some(Opcode::LLVMICmp) => true,
        Some(Opcode::LLVMCall) => {
            let copies = user.intrinsic().is_some_and(Intrinsic::is_memcpy);
            copies && user.operand(0) != address && user.operand(1) == address
        }
        Some(_) => false,
        None => user.const_opcode() == Some(Opcode::LLVMGetElementPtr) && is_only_read(user),
    })
}
