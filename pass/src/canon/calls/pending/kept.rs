//! Exceptions that stay what they are, those of libraries above all, on their way through a function that
//! hands over its own: kept where they would leave it, and thrown again by the caller.
//!
//! Must hold: what finds no memory throws on. An exception that is kept has no shadow.
//!
//! Source: Itanium C++ ABI: Exception Handling, 2.5 (catching); ISO C++, 17.9.7 (propagation).

use super::throws::Place;
use crate::{
    annotations::registry::{self, Registered},
    canon::{SUFFIX, calls::unwind},
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};
use adir::{
    Callee,
    library::{self, RETHROW, THROW},
};

/// The number of their kind.
pub const KEPT: u64 = 0x7fff_ffff;

const BEGIN: &str = "__cxa_begin_catch";
const END: &str = "__cxa_end_catch";
/// libstdc++'s functions on `std::exception_ptr`, which is passed in memory.
const CURRENT: &str = "_ZSt17current_exceptionv";
const AGAIN: &str = "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE";
const RELEASE: &str = "_ZNSt15__exception_ptr13exception_ptrD1Ev";
const PERSONALITY: &str = "__gxx_personality_v0";
/// How names of functions of libc++ begin, which has others.
const LIBCXX: &[&str] = &["_ZNSt3__1", "_ZNKSt3__1"];

/// How the names of our functions begin that do both.
const KEEP: &str = "ad.exception.keep";
const THROW_KEPT: &str = "ad.exception.throw";

/// Whether a module's library can keep exceptions.
pub fn can_keep(module: Module) -> bool {
    let is_other = |f: Function| LIBCXX.iter().any(|p| f.name().starts_with(p));
    !module.functions().into_iter().any(is_other)
}

/// Whether a call may throw an exception that a function keeps where it leaves it.
pub fn throws_kept(call: Value) -> bool {
    let is_thrown = |f: Function| {
        let name = f.name();
        f.is_declaration()
            && (library::throws(&name) || [THROW, RETHROW].contains(&name.as_str()))
            && !matches!(library::classify(&name), Some(Callee::Allocate(_)))
    };
    !call.does_not_throw() && call.called().as_function().is_some_and(is_thrown)
}

/// Whether a call throws again what another has kept.
pub fn is_throw(call: Value) -> bool {
    call.called().as_function().is_some_and(|f| f.name().starts_with(THROW_KEPT))
}

/// Whether a function is one of those that keep exceptions, and throw them again.
pub fn is_ours(f: Function) -> bool {
    [KEEP, THROW_KEPT].iter().any(|name| f.name().starts_with(name))
}

/// Keeps what leaves a function with that place.
pub fn keep(module: Module, function: Function, place: Place) {
    let b = Builder::new(module.context());
    for call in
        unwind::calls(function).filter(|c| !c.is_invoke() && throws_kept(*c)).collect::<Vec<_>>()
    {
        let pad = call.catch_all(personality(module));
        b.position_at_end(pad.block());
        hand_over(module, &b, pad, place);
    }
    // What only cleans up would not be found.
    for pad in unwind::insts(function).filter(|i| i.opcode() == Opcode::LLVMLandingPad) {
        if pad.clauses().is_some_and(|clauses| !clauses.iter().any(|c| c.is_null())) {
            pad.add_catch_all();
        }
    }
    let resumes = unwind::insts(function).filter(|i| i.opcode() == Opcode::LLVMResume);
    for resume in resumes.collect::<Vec<_>>() {
        b.position_before(resume);
        hand_over(module, &b, resume.operand(0), place);
        resume.erase();
    }
}

/// Hands over what a landing pad has found.
fn hand_over(module: Module, b: &Builder, found: Value, place: Place) {
    let (context, ty) = (module.context(), Place::ty(module));
    let kept = b.call(keeper(module), &[b.extract(found, 0)]);
    b.store(kept, b.member(ty, place.0, 2));
    b.store(context.int(32).int(KEPT), b.member(ty, place.0, 1));
    place.leave(b);
}

/// The function that every landing pad names.
fn personality(module: Module) -> Function {
    module.declare(PERSONALITY, Type::function(module.context().int(32), &[], true))
}

/// A function of the exception that a landing pad has found: keeps it, and returns its address as a
/// number.
fn keeper(module: Module) -> Function {
    let context = module.context();
    let (ptr, void) = (context.ptr(), context.void());
    let number = module.size_type();
    define(module, KEEP, Type::function(number, &[ptr], false), |f, b| {
        f.add_attribute("nounwind");
        let begin = module.declare(BEGIN, Type::function(ptr, &[ptr], false));
        let end = module.declare(END, Type::function(void, &[], false));
        let current = module.declare(CURRENT, Type::function(void, &[ptr], false));
        let kept = b.alloca(ptr, "kept");
        b.call(begin, &f.params());
        b.call(current, &[kept]).add_call_type_attribute(0, "sret", ptr);
        b.call(end, &[]);
        b.ret(b.load(number, kept));
    })
}

/// A function of that number: throws the exception again.
pub fn thrower(module: Module) -> Function {
    let context = module.context();
    let (ptr, void) = (context.ptr(), context.void());
    let number = module.size_type();
    define(module, THROW_KEPT, Type::function(void, &[number], false), |f, b| {
        f.add_attribute("noreturn");
        let again = module.declare(AGAIN, Type::function(void, &[ptr], false));
        let release = module.declare(RELEASE, Type::function(void, &[ptr], false));
        let kept = b.alloca(ptr, "kept");
        b.store(f.params()[0], kept);
        let call = b.call(again, &[kept]);
        b.unreachable();
        call.clean_up(release, kept, personality(module).value());
    })
}

/// The function of ours of that name and type, which derivatives run as it is.
fn define(module: Module, name: &str, ty: Type, fill: impl FnOnce(Function, &Builder)) -> Function {
    let name = format!("{name}{SUFFIX}");
    if let Some(known) = module.function(&name) {
        return known;
    }
    let f = module.add_function(&name, ty);
    f.set_external(false);
    registry::mark(f, &Registered::Inactive);
    let b = Builder::at_end(module.context(), f.append_block("entry"));
    fill(f, &b);
    f
}
