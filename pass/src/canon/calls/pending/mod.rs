//! Exceptions of calls that are not inlined, and that a handler of the function catches, are handed
//! over by the callee.
//!
//! Comes in: a function with an invoke of a callee whose own throws may reach a handler from which the
//! function goes on. Goes out: the call leads to a copy of the callee that takes one parameter more, a
//! place for an exception (throws/). Where the callee would be left by a throw of its own, the copy
//! stores the object and the number of its kind there, and returns; so do the copies of what it calls
//! itself. Behind the call, the function throws what it finds, by its kind, and throws/ makes that a jump. So
//! both sweeps pass through a call that throws as through any that returns. Exceptions of libraries, and those
//! of which types do not say which handler catches them, are kept on their way (kept.rs).
//!
//!   kinds(f) = what f throws, and kinds of what it calls, but for what f surely catches
//!
//! Source: Itanium C++ ABI: Exception Handling, 2.4 (throwing), 2.5 (catching).

mod drafts;
mod kept;

use super::{
    indirect::Targets,
    may_be_copied,
    throws::{self, Kind, Kinds, Place},
    unwind,
};
use crate::{
    annotations::attributes::POSSIBLE,
    canon::Shared,
    diagnostics::names::HANDING,
    llvm::{Builder, Function, IntPredicate, Module, Type, Value},
};
use adir::{
    hashed::{HashMap, HashSet},
    library::{self, THROW},
};
use drafts::{OPEN, copy_of};

/// String attribute of a throw of what a call has handed over: the function that was called.
pub const PENDING: &str = "adcc-pending";

/// What is known of the functions of a module.
#[derive(Default)]
pub struct Pending {
    /// Whether a function may throw something that can be handed over.
    throws: HashMap<Function, bool>,
    /// The copies that were made; `None` of functions that hand over nothing.
    copies: HashMap<Function, Option<Copy>>,
    /// Numbers of kinds.
    pub kinds: Kinds,
}

/// A function that hands over what it throws.
#[derive(Clone)]
struct Copy {
    source: Function,
    function: Function,
    kinds: Vec<Kind>,
    /// Whether it hands over exceptions that it has kept.
    keeps: bool,
    /// Whether these may be of the program's own types.
    is_open: bool,
}

impl Pending {
    /// Whether there is a function that hands over.
    pub fn has_copies(&self) -> bool {
        self.copies.values().any(|copy| copy.is_some())
    }

    /// Whether a call may throw something that can be handed over.
    fn may_throw(&mut self, call: Value, targets: &Targets) -> bool {
        !call.does_not_throw()
            && called(call, targets).into_iter().any(|f| self.function_may_throw(f, targets))
    }

    fn function_may_throw(&mut self, f: Function, targets: &Targets) -> bool {
        let (mut seen, mut open) = (HashSet::default(), vec![f]);
        while let Some(at) = open.pop() {
            let known = self.throws.get(&at).copied();
            let is_throw = || at.is_declaration() && library::ends_by_throwing(&at.name());
            if known.unwrap_or_else(is_throw) {
                self.throws.insert(f, true);
                return true;
            }
            if known.is_none() && seen.insert(at) && !at.has_attribute("nounwind") {
                let calls = unwind::calls(at).filter(|call| !call.does_not_throw());
                open.extend(calls.flat_map(|call| called(call, targets)));
            }
        }
        self.throws.extend(seen.into_iter().map(|f| (f, false)));
        false
    }
}

/// What a call may call, as far as that has a body or is a function of a library.
fn called(call: Value, targets: &Targets) -> Vec<Function> {
    match call.called().as_function() {
        Some(f) => vec![f],
        None if call.called().is_assembly() => vec![],
        None => targets.of(call),
    }
}

/// The place where a function hands over exceptions, if it is such a copy.
pub fn place(source: Function, function: Function) -> Option<Place> {
    // Copies of a copy may have further parameters; they have nothing left to hand over.
    let is_number = |rest: &str| rest.chars().all(|c| c == '.' || c.is_ascii_digit());
    let is_it = source.name().rsplit_once(HANDING).is_some_and(|(_, rest)| is_number(rest));
    is_it.then(|| Place(*function.params().last().expect("the place")))
}

/// Whether a function hands over what it throws.
pub fn is_copy(source: Function) -> bool {
    source.name().contains(HANDING)
}

/// Whether a function is one of those that keep exceptions, and throw them again.
pub fn keeps(f: Function) -> bool {
    kept::is_ours(f)
}

/// Whether a call may bring only exceptions of libraries: it leads to a copy that hands over all others, or
/// throws again what one has kept.
pub fn is_of_library(call: Value) -> Option<bool> {
    let f = call.called().as_function()?;
    match () {
        () if kept::is_throw(call) => Some(call.call_string(PENDING).is_none()),
        () if is_copy(f) => Some(f.attribute_string(OPEN).is_none()),
        () => None,
    }
}

/// Deletes the copies that nothing calls any more.
pub fn drop_unused(module: Module) {
    super::drop_copies(module, HANDING);
    throws::drop_unused(module);
}

/// Has callees hand over exceptions that handlers of the function catch; whether there were any.
pub fn rewrite(module: Module, function: Function, shared: &mut Shared) -> bool {
    if !shared.manner.hands_over {
        return false;
    }
    let invokes: Vec<Value> = unwind::calls(function)
        .filter(|call| has_clauses(*call) && candidate(*call).is_some())
        .collect();
    if invokes.is_empty() {
        return false;
    }
    let returning = shared.leaving.returning_blocks(function);
    let mut changed = false;
    for invoke in invokes {
        let goes_on = returning.contains(&invoke.invoke_destinations().1);
        let Some(callee) = candidate(invoke).filter(|_| goes_on) else { continue };
        shared.targets(module);
        let Shared { pending, targets, .. } = &mut *shared;
        if !pending.may_throw(invoke, targets.as_ref().expect("just found")) {
            continue;
        }
        let Some(copy) = copy_of(module, callee, shared) else { continue };
        function.split_invokes();
        rewrite_invoke(module, function, invoke, &copy, &mut shared.pending.kinds);
        changed = true;
    }
    changed
}

/// The callee of a call that may lead to a copy.
fn candidate(call: Value) -> Option<Function> {
    let f = call.called().as_function()?;
    (may_be_copied(f) && f.ty() == call.called_type() && !is_copy(f)).then_some(f)
}

/// Whether a call is an invoke in a scope with handlers.
fn has_clauses(call: Value) -> bool {
    throws::pad_of(call).and_then(Value::clauses).is_some_and(|clauses| !clauses.is_empty())
}

/// Has an invoke, which has a landing pad and a normal destination of its own, call the copy, and
/// throws behind it what that hands over.
fn rewrite_invoke(
    module: Module,
    function: Function,
    invoke: Value,
    copy: &Copy,
    kinds: &mut Kinds,
) {
    let (context, ty) = (module.context(), Place::ty(module));
    let (ptr, void, i32) = (context.ptr(), context.void(), context.int(32));
    let throw = module.declare(THROW, Type::function(void, &[ptr, ptr, ptr], false));
    let b = Builder::new(context);
    b.position_before(function.blocks()[0].instructions()[0]);
    let place = b.alloca(ty, "pending");
    b.position_before(invoke);
    b.store(i32.int(0), b.member(ty, place, 1));
    let new = invoke.invoke_like(copy.function, &arguments(invoke, place));
    replace(invoke, new, copy.function);
    let (normal, pad) = new.invoke_destinations();
    let behind = function.append_block("ad.returned");
    new.set_successors(&[behind, pad]);
    b.position_at_end(behind);
    b.locate(None);
    let number = b.load(i32, b.member(ty, place, 1));
    let mut cases = vec![(0, normal)];
    let mut add = |number, throw: &dyn Fn() -> Value| {
        let block = function.append_block("ad.thrown");
        cases.push((number, block));
        b.position_at_end(block);
        let call = throw();
        new.copy_location(call);
        b.unreachable();
        call.unwind_like(new);
    };
    for kind in &copy.kinds {
        add(kinds.number(*kind), &|| {
            let object = b.load(ptr, b.member(ty, place, 0));
            let destructor = kind.destructor.map_or(ptr.zero(), Function::value);
            let call = b.call(throw, &[object, kind.thrown, destructor]);
            call.set_call_string(PENDING, &copy.source.name());
            call
        });
    }
    if copy.keeps {
        add(kept::KEPT, &|| {
            let kept = b.load(module.size_type(), b.member(ty, place, 2));
            let call = b.call(kept::thrower(module), &[kept]);
            if copy.is_open {
                call.set_call_string(PENDING, &copy.source.name());
            }
            call
        });
    }
    b.position_at_end(behind);
    // Nothing that a copy may hand over is taken for nothing.
    let (_, last) = cases.pop().expect("it hands over something");
    b.switch(number, last, &cases);
}

/// Has a call lead to the copy, and the function return where that hands over: both have one place.
fn rewrite_call(module: Module, call: Value, copy: &Copy, place: Place) {
    let context = module.context();
    let ty = Place::ty(module);
    let function = call.block().function();
    let rest = call.split_behind();
    call.block().terminator().into_iter().for_each(Value::erase);
    let b = Builder::new(context);
    b.position_before(call);
    let new = b.call(copy.function, &arguments(call, place.0));
    replace(call, new, copy.function);
    let handed = function.append_block("ad.handed");
    b.position_at_end(new.block());
    let number = b.load(context.int(32), b.member(ty, place.0, 1));
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, number, number.ty().int(0)), rest, handed);
    b.position_at_end(handed);
    place.leave(&b);
}

fn arguments(call: Value, place: Value) -> Vec<Value> {
    (0..call.argument_count()).map(|i| call.operand(i)).chain([place]).collect()
}

/// Puts a call of a copy in the place of a call.
fn replace(old: Value, new: Value, copy: Function) {
    new.copy_abi(copy);
    if old.call_string(POSSIBLE).is_some() {
        new.set_call_string(POSSIBLE, "");
    }
    old.copy_location(new);
    old.replace_uses(new);
    old.erase();
}
