//! Allocation functions that do more than allocate, written in terms of those that do not:
//! `realloc`, `reallocarray`, `posix_memalign`; and `qsort` and `bsearch`, which call back
//! (sorting.rs); `dynamic_cast` (cast.rs). A call in the canonical copy becomes the body of a model,
//! and is then differentiated as any code.
//!
//! In C the models are
//! ```c
//! void *realloc(void *old, size_t n) {
//!     if (old && n == 0) { free(old); return NULL; }
//!     void *new = malloc(n);
//!     if (!new) return NULL;
//!     memcpy(new, old, adrt_kept_bytes(old, old, n));
//!     free(old);
//!     return new;
//! }
//! int posix_memalign(void **out, size_t alignment, size_t n) {
//!     if (alignment < sizeof(void *) || popcount(alignment) != 1) return EINVAL;
//!     void *new = memalign(alignment, n);
//!     if (!new) return ENOMEM;
//!     *out = new;
//!     return 0;
//! }
//! ```
//! and `reallocarray(old, n, size)` is `realloc(old, n * size)` unless the product overflows.

pub mod bits;
mod cast;
mod extended;
pub mod fortran;
pub mod linked;
pub mod resources;
mod sorting;
pub mod text;

use crate::{
    annotations::attributes::MODEL,
    llvm::{Builder, Function, IntPredicate, Intrinsic, Module, Type, Value},
};
use adir::{library::KEPT_BYTES, target};

/// Error codes of POSIX, as on Linux.
const EINVAL: u64 = 22;
const ENOMEM: u64 = 12;

/// Replaces the calls in `function`, those to members of `std::string` if `strings` says so;
/// whether there were any.
pub fn expand(module: Module, function: Function, strings: bool) -> bool {
    let calls = function.blocks().into_iter().flat_map(|b| b.instructions());
    let calls: Vec<Value> = calls.filter(|i| i.is_call()).collect();
    let polymorphic = fortran::polymorphic(&calls);
    let mut changed = false;
    for call in calls {
        let Some(callee) = call
            .called()
            .as_function()
            .filter(|f| f.is_declaration() && f.ty() == call.called_type())
        else {
            continue;
        };
        if !call.is_invoke() && linked::does_nothing(&callee.name()) {
            call.erase();
            continue;
        }
        let args: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
        let of_fortran = extended::fits(call, callee, &args)
            .then(|| fortran::model(module, call, callee, &args, &polymorphic))
            .flatten();
        let Some(model) = of_fortran.map(|(f, _)| f).or_else(|| model(module, callee, strings))
        else {
            continue;
        };
        let b = Builder::new(module.context());
        b.position_before(call);
        let new =
            if call.is_invoke() { call.invoke_like(model, &args) } else { b.call(model, &args) };
        if !call.ty().is_void() {
            call.replace_uses(new);
        }
        call.erase();
        // Those with bodies in C are called as the user's functions are: the inliner decides.
        let is_called = match of_fortran {
            Some((_, is_special)) => !is_special,
            None => linked::is_linked(model),
        };
        changed |= is_called || new.inline();
    }
    changed
}

/// Whether calls to the function of that symbol become calls to a model.
pub fn is_modelled(symbol: &str) -> bool {
    matches!(
        symbol,
        "realloc" | "reallocarray" | "posix_memalign" | "qsort" | "bsearch" | cast::DYNAMIC_CAST
    ) || linked::has_model(symbol)
        || fortran::has_model(symbol)
}

/// Deletes the models that nothing calls: where they are inlined, their derivatives made. Those
/// that one calls go after it.
pub fn delete(module: Module) {
    loop {
        let is_left = |v: Value| v.name().starts_with(MODEL) && v.users().is_empty();
        let functions: Vec<Function> =
            module.functions().into_iter().filter(|f| is_left(f.value())).collect();
        let globals: Vec<Value> = module.globals().into_iter().filter(|&g| is_left(g)).collect();
        if functions.is_empty() && globals.is_empty() {
            return;
        }
        functions.into_iter().for_each(Function::delete);
        globals.into_iter().for_each(Value::delete_global);
    }
}

/// The model of a library function with this declaration.
fn model(module: Module, callee: Function, strings: bool) -> Option<Function> {
    let context = module.context();
    let (ptr, size, i32) = (context.ptr(), module.size_type(), context.int(32));
    let symbol = callee.name();
    if !strings && linked::is_of_string(&symbol) {
        return None;
    }
    if let Some(f) = linked::model(module, callee, &symbol) {
        return Some(f);
    }
    let (params, result): (Vec<Type>, Type) = match symbol.as_str() {
        "realloc" => (vec![ptr, size], ptr),
        "reallocarray" => (vec![ptr, size, size], ptr),
        "posix_memalign" => (vec![ptr, size, size], i32),
        "qsort" => (vec![ptr, size, size, ptr], context.void()),
        "bsearch" => (vec![ptr, ptr, size, size, ptr], ptr),
        cast::DYNAMIC_CAST => (cast::ty(module).function_params(), ptr),
        _ => return None,
    };
    let ty = Type::function(result, &params, false);
    if callee.ty() != ty {
        return None;
    }
    let name = format!("{MODEL}{symbol}");
    if let Some(f) = module.function(&name) {
        return Some(f);
    }
    let f = module.add_function(&name, ty);
    f.set_external(false);
    match symbol.as_str() {
        // Their callbacks may throw.
        "qsort" => return Some(fill(module, f, sorting::qsort)),
        "bsearch" => return Some(fill(module, f, sorting::bsearch)),
        _ => f.add_attribute("nounwind"),
    }
    match symbol.as_str() {
        "posix_memalign" => posix_memalign(module, f),
        cast::DYNAMIC_CAST => cast::dynamic_cast(module, f),
        _ => realloc(module, f),
    }
    Some(f)
}

fn fill(module: Module, f: Function, with: fn(Module, Function)) -> Function {
    with(module, f);
    f
}

fn realloc(module: Module, f: Function) {
    let context = module.context();
    let (ptr, word) = (context.ptr(), module.size_type());
    let malloc = module.declare("malloc", Type::function(ptr, &[word], false));
    let free = module.declare("free", Type::function(context.void(), &[ptr], false));
    let kept = module.declare(KEPT_BYTES, Type::function(word, &[ptr, ptr, word], false));
    let [entry, check, release, allocate, move_, done] =
        ["entry", "check", "release", "allocate", "move", "done"].map(|n| f.append_block(n));
    let params = f.params();
    let old = params[0];
    let null = ptr.zero();
    let b = Builder::at_end(context, entry);
    let is = |p, x, y| b.icmp(p, x, y);
    let size = match params.get(2) {
        None => {
            b.br(check);
            params[1]
        }
        Some(&each) => {
            let overflows = module.intrinsic(Intrinsic::UmulWithOverflow, &[word]);
            let overflows = b.extract(b.call(overflows, &[params[1], each]), 1);
            b.cond_br(overflows, done, check);
            b.position_at_end(check);
            // A product of its own: of this one it is known what divides it.
            b.mul(params[1], each)
        }
    };
    b.position_at_end(check);
    let nothing = is(IntPredicate::LLVMIntEQ, size, word.zero());
    let frees = b.and(nothing, is(IntPredicate::LLVMIntNE, old, null));
    b.cond_br(frees, release, allocate);
    b.position_at_end(release);
    b.call(free, &[old]);
    b.br(done);
    b.position_at_end(allocate);
    let new = b.call(malloc, &[size]);
    b.cond_br(is(IntPredicate::LLVMIntNE, new, null), move_, done);
    b.position_at_end(move_);
    let bytes = b.call(kept, &[old, old, size]);
    let copy = module.intrinsic(Intrinsic::Memcpy, &[ptr, ptr, word]);
    b.call(copy, &[new, old, bytes, context.int(1).zero()]);
    b.call(free, &[old]);
    b.br(done);
    b.position_at_end(done);
    let result = b.phi(ptr, "");
    if params.len() > 2 {
        result.add_incoming(null, entry);
    }
    result.add_incoming(null, release);
    result.add_incoming(null, allocate);
    result.add_incoming(new, move_);
    b.ret(result);
}

fn posix_memalign(module: Module, f: Function) {
    let context = module.context();
    let (ptr, word, i32) = (context.ptr(), module.size_type(), context.int(32));
    let memalign = module.declare("memalign", Type::function(ptr, &[word, word], false));
    let [entry, allocate, store, done] =
        ["entry", "allocate", "store", "done"].map(|n| f.append_block(n));
    let params = f.params();
    let b = Builder::at_end(context, entry);
    // A power of two from the size of a pointer on has no bit in common with its predecessor.
    let below = b.sub(params[1], word.int(1));
    let power = b.icmp(IntPredicate::LLVMIntEQ, b.and(params[1], below), word.zero());
    let large = b.icmp(IntPredicate::LLVMIntUGE, params[1], word.int(target::pointer()));
    b.cond_br(b.and(power, large), allocate, done);
    b.position_at_end(allocate);
    let new = b.call(memalign, &[params[1], params[2]]);
    b.cond_br(b.icmp(IntPredicate::LLVMIntNE, new, ptr.zero()), store, done);
    b.position_at_end(store);
    b.store(new, params[0]);
    b.br(done);
    b.position_at_end(done);
    let result = b.phi(i32, "");
    result.add_incoming(i32.int(EINVAL), entry);
    result.add_incoming(i32.int(ENOMEM), allocate);
    result.add_incoming(i32.zero(), store);
    b.ret(result);
}
