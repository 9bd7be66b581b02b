//! Where exceptions begin and end in a function: by the names of the C++ runtime, or where a throw has
//! become a jump (canon/calls/throws/), by the marks of what made it one.

use crate::{
    annotations::attributes::EXCEPTION,
    llvm::{Function, Opcode, Value},
};
use adir::{BlockId, Exceptions, ValueId, library};

/// Those of a function, by the ids of its values and blocks.
pub fn of(
    function: Function,
    value: impl Fn(Value) -> ValueId,
    block: impl Fn(Value) -> BlockId,
) -> Exceptions {
    let mut all = Exceptions::default();
    for inst in function.blocks().iter().flat_map(|b| b.instructions()) {
        if inst.opcode() == Opcode::LLVMLandingPad {
            all.found.insert(block(inst));
        }
        if !inst.is_call() {
            continue;
        }
        let name = inst.called().as_function().map(|f| f.name()).unwrap_or_default();
        let is_marked = inst.call_string(EXCEPTION).is_some();
        if name.contains(library::ALLOCATES_EXCEPTION) || is_marked && inst.ty().is_pointer() {
            all.made.insert(value(inst));
        } else if name.ends_with("end_catch")
            || name.contains(library::FREES_EXCEPTION) && is_thrown(inst.operand(0))
            || is_marked
        {
            all.ended.insert(value(inst));
        }
    }
    all
}

/// Whether an exception was thrown: one that is given back by who has made it was not.
fn is_thrown(exception: Value) -> bool {
    !exception.is_call()
}
