//! Tapes of split mode as generated code sees them (runtime/src/recording.rs).

use crate::{
    annotations::signature,
    diagnostics::names::readable,
    llvm::{Builder, Function, Module, Type, Value},
};

/// Emits the start of a recording of `source`: the token for its end.
pub fn begin(module: Module, b: &Builder, source: Function) -> Value {
    let context = module.context();
    let f =
        module.declare("adrt_tape_begin", Type::function(context.int(64), &[context.ptr()], false));
    b.call(f, &[b.text(&readable(&source.name()))])
}

/// Emits the end of a recording for the sweep `reverse`: the tape.
pub fn end(
    module: Module,
    b: &Builder,
    token: Value,
    frame: Value,
    reverse: Function,
    shadows: &[Value],
) -> Value {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.declare("adrt_tape_end", Type::function(ptr, &[i64, ptr, ptr, ptr, i64], false));
    let (list, count) = list(module, b, shadows);
    b.call(f, &[token, frame, reverse.value(), list, count])
}

/// The runtime's end of a recording that is given up.
pub fn abandoner(module: Module) -> Function {
    let context = module.context();
    let f = module
        .declare("adrt_tape_abandon", Type::function(context.void(), &[context.int(64)], false));
    f.add_attribute("nounwind");
    f
}

/// Emits the start of the reverse sweep of `tape`: its frame.
pub fn read(
    module: Module,
    b: &Builder,
    tape: Value,
    reverse: Function,
    shadows: &[Value],
) -> Value {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.declare("adrt_tape_read", Type::function(ptr, &[ptr, ptr, ptr, i64], false));
    let (list, count) = list(module, b, shadows);
    b.call(f, &[tape, reverse.value(), list, count])
}

/// Emits the end of the reverse sweep of `tape`.
pub fn release(module: Module, b: &Builder, tape: Value) {
    let context = module.context();
    let f = module
        .declare("adrt_tape_release", Type::function(context.void(), &[context.ptr()], false));
    b.call(f, &[tape]);
}

/// Pointers as an array in memory, and their number.
fn list(module: Module, b: &Builder, pointers: &[Value]) -> (Value, Value) {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let list = signature::slot(b, ptr.array(pointers.len().max(1) as u64));
    for (i, &p) in pointers.iter().enumerate() {
        b.store(p, b.byte_offset(list, i64.int(module.alloc_size(ptr) * i as u64)));
    }
    (list, i64.int(pointers.len() as u64))
}
