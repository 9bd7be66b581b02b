//! Kinds of exceptions: a type, and what deletes its objects.

use super::super::super::SUFFIX;
use crate::{
    annotations::registry::{self, Registered},
    llvm::{Builder, Function, Module, Type, Value},
};

/// A kind of exceptions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its type information.
    pub thrown: Value,
    /// Deletes what an object owns.
    pub destructor: Option<Function>,
}

impl Kind {
    /// The kind that a call of `__cxa_throw` throws, if its handlers are given the object itself: a
    /// pointer that is thrown is converted, and caught by value.
    pub fn of(throw: Value) -> Option<Kind> {
        let [thrown, destructor] = [1, 2].map(|i| throw.operand(i));
        let is_known = thrown.is_global_variable()
            && (destructor.is_null() || destructor.as_function().is_some())
            && !thrown.name().starts_with("_ZTIP");
        is_known.then(|| Kind { thrown, destructor: destructor.as_function() })
    }
}

/// The kinds of a module, by their numbers.
#[derive(Default)]
pub struct Kinds(Vec<Kind>);

impl Kinds {
    /// The number of a kind: positive.
    pub fn number(&mut self, kind: Kind) -> u64 {
        let at = self.0.iter().position(|k| *k == kind).unwrap_or_else(|| {
            self.0.push(kind);
            self.0.len() - 1
        });
        at as u64 + 1
    }
}

/// How the names of the functions begin that make room for exceptions with shadows, and give it back.
const ROOM: &str = "ad.exception.";

/// Makes room for an exception with a shadow, which may as well be thrown.
pub fn allocator(module: Module) -> Function {
    let ty = Type::function(module.context().ptr(), &[module.size_type()], false);
    wrapper(module, super::ALLOCATE, ty, &Registered::Allocator(0))
}

/// Gives such room back.
pub fn deallocator(module: Module) -> Function {
    let ty = Type::function(module.context().void(), &[module.context().ptr()], false);
    wrapper(module, super::FREE, ty, &Registered::Deallocator)
}

fn wrapper(module: Module, symbol: &str, ty: Type, what: &Registered) -> Function {
    let name = format!("{ROOM}{symbol}{SUFFIX}");
    if let Some(known) = module.function(&name) {
        return known;
    }
    let wrapped = module.declare(symbol, ty);
    let f = module.add_function(&name, ty);
    f.set_external(false);
    f.add_attribute("nounwind");
    registry::mark(f, what);
    let b = Builder::at_end(module.context(), f.append_block("entry"));
    let call = b.call(wrapped, &f.params());
    call.add_call_attribute("nounwind");
    if call.ty().is_void() {
        b.ret_void();
    } else {
        b.ret(call);
    }
    f
}

/// Deletes those of these functions that nothing calls any more.
pub fn drop_unused(module: Module) {
    super::super::drop_copies(module, ROOM);
}
