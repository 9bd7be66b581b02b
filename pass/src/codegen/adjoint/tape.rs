//! The tape runtime as generated code sees it: `adrt_arena`, and the few functions behind it
//! (runtime/src/tape.rs).

use crate::{
    diagnostics::names::readable,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Space, Type, Value},
};

/// Name of the inline allocation helper, defined once per module.
const ALLOCATE: &str = "__adcc.allocate";

/// Name of the helper that keeps a frame.
const KEEP: &str = "__adcc.keep";

/// Bytes of a mark: see `adrt_mark`.
const MARK_BYTES: u64 = 64;

/// Emits an allocation of `bytes` (an i64) from the arena, aligned to 16.
pub fn allocate(module: Module, builder: &Builder, bytes: Value) -> Value {
    builder.call(allocator(module), &[bytes])
}

/// Arguments of a function that frees, beyond the pointer: its size and alignment.
const MOST_EXTRAS: usize = 2;

/// Emits the call `function(args…)`, which frees `args[0]`, at the end of the reverse sweep instead
/// of now.
pub fn defer_free(module: Module, builder: &Builder, function: Value, args: &[Value]) {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.declare(
        "adrt_defer_free",
        Type::function(context.void(), &[ptr, i64, ptr, i64, i64], false),
    );
    f.add_attribute("nounwind");
    let mut all = vec![function, i64.int(args.len() as u64), args[0]];
    all.extend(args[1..].iter().map(|&a| {
        builder.cast(
            if a.ty().is_pointer() { Opcode::LLVMPtrToInt } else { Opcode::LLVMZExt },
            a,
            i64,
        )
    }));
    all.resize(3 + MOST_EXTRAS, i64.zero());
    builder.call(f, &all);
}

/// Emits the start of a gradient of `source`: everything taken from the arena from here on is given
/// back by `rewind`.
pub fn mark(module: Module, builder: &Builder, source: Function) -> Value {
    let context = module.context();
    let mark = builder.alloca(context.int(8).array(MARK_BYTES), "mark");
    mark.set_alignment(16);
    let f = module.declare(
        "adrt_mark",
        Type::function(context.void(), &[context.ptr(), context.ptr()], false),
    );
    f.add_attribute("nounwind");
    builder.call(f, &[mark, builder.text(&readable(&source.name()))]);
    mark
}

/// Emits the end of a gradient.
pub fn rewind(module: Module, builder: &Builder, mark: Value) {
    builder.call(rewinder(module), &[mark]);
}

/// The runtime's end of a gradient.
pub fn rewinder(module: Module) -> Function {
    let context = module.context();
    let f = module.declare("adrt_rewind", Type::function(context.void(), &[context.ptr()], false));
    f.add_attribute("nounwind");
    f
}

/// The allocation helper: bump the arena's pointer, or ask the runtime for another chunk.
pub fn allocator(module: Module) -> Function {
    if let Some(f) = module.function(ALLOCATE) {
        return f;
    }
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.add_function(ALLOCATE, Type::function(ptr, &[i64], false));
    f.set_external(false);
    for attribute in ["alwaysinline", "nounwind"] {
        f.add_attribute(attribute);
    }
    let arena_type = context.structure(&[ptr, ptr]);
    let arena = module.thread_local("adrt_arena", arena_type);
    let bytes = f.params()[0];
    let entry = f.append_block("entry");
    let b = Builder::at_end(context, entry);
    let rounded = b.and(b.add(bytes, i64.int(15)), i64.int(!15));
    let here = b.load(ptr, arena);
    let end = b.load(ptr, b.member(arena_type, arena, 1));
    let room = b.sub(
        b.cast(crate::llvm::Opcode::LLVMPtrToInt, end, i64),
        b.cast(crate::llvm::Opcode::LLVMPtrToInt, here, i64),
    );
    let fits = b.icmp(IntPredicate::LLVMIntULE, rounded, room);
    let (fast, slow) = (f.append_block("fast"), f.append_block("slow"));
    b.cond_br(fits, fast, slow);
    b.position_at_end(fast);
    b.store(b.byte_offset(here, rounded), arena);
    b.ret(here);
    b.position_at_end(slow);
    let grow = module.declare("adrt_arena_grow", Type::function(ptr, &[i64], false));
    grow.add_attribute("cold");
    grow.add_attribute("nounwind");
    let block = b.call(grow, &[rounded]);
    b.ret(block);
    f
}

/// Emits a copy in the arena of the `bytes` at `frame`, if `is_needed`: its address, or null.
pub fn keep(
    module: Module,
    builder: &Builder,
    frame: Value,
    bytes: u64,
    is_needed: Value,
) -> Value {
    builder.call(keeper(module), &[frame, module.context().int(64).int(bytes), is_needed])
}

/// The helper for that.
fn keeper(module: Module) -> Function {
    if let Some(f) = module.function(KEEP) {
        return f;
    }
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.add_function(KEEP, Type::function(ptr, &[ptr, i64, context.int(1)], false));
    f.set_external(false);
    for attribute in ["alwaysinline", "nounwind"] {
        f.add_attribute(attribute);
    }
    let params = f.params();
    let b = Builder::at_end(context, f.append_block("entry"));
    let (needed, none) = (f.append_block("needed"), f.append_block("none"));
    b.cond_br(params[2], needed, none);
    b.position_at_end(needed);
    let kept = allocate(module, &b, params[1]);
    b.memcpy(kept, 16, params[0], 16, params[1]).set_space(Space::Tape);
    b.ret(kept);
    b.position_at_end(none);
    b.ret(ptr.zero());
    f
}

/// Inlines the helpers into `f`.
pub fn inline_allocations(module: Module, f: Function) {
    [KEEP, ALLOCATE]
        .into_iter()
        .filter_map(|name| module.function(name))
        .for_each(|helper| helper.inline_calls_in(f));
}
