//! Handlers, and which exceptions come there.

use super::{
    super::{
        classes::{derives, is_fundamental},
        pending,
    },
    BEGIN, COUNTS, LOOKS, OF_LIBRARY, Order, POINTER, Throw, calls_of, instructions, is_call_of,
    sources,
};
use crate::llvm::{Function, Value};
use adir::{
    hashed::HashSet,
    library::{self, RETHROW, THROW},
};
use std::collections::BTreeSet;

/// A call that begins a handler, or asks for its exception.
pub struct Handler {
    pub call: Value,
    /// The landing pads of throws from which its exception comes.
    pub pads: BTreeSet<Value>,
    /// Whether other exceptions may come there.
    pub has_others: bool,
    /// Whether these are exceptions of libraries.
    pub are_of_library: bool,
    /// Whether it begins the handler.
    pub is_catch: bool,
}

pub fn handlers(function: Function, throws: &[Throw], order: &Order) -> Vec<Handler> {
    let all = calls_of(function, BEGIN).chain(calls_of(function, POINTER));
    all.map(|call| Handler::of(function, call, throws, order)).collect()
}

impl Handler {
    pub fn of(function: Function, call: Value, throws: &[Throw], order: &Order) -> Handler {
        let (mut pads, mut others) = (BTreeSet::new(), vec![]);
        let mut seen = vec![call.operand(0)];
        let mut has_partial = false;
        let mut at = 0;
        while at < seen.len() {
            let v = seen[at];
            at += 1;
            if let Some(throw) = throws.iter().find(|throw| throw.pad == v) {
                if !order.passes_by(function, throw, call) {
                    pads.insert(v);
                    has_partial |= throw.is_partial;
                }
                continue;
            }
            match sources(v) {
                Some(sources) => sources.into_iter().for_each(|(s, _)| {
                    if !seen.contains(&s) {
                        seen.push(s);
                    }
                }),
                None => others.push(v),
            }
        }
        let invokes = |pad: Value| {
            instructions(function).filter(move |i| {
                i.is_invoke() && pad.is_instruction() && i.invoke_destinations().1 == pad.block()
            })
        };
        // What a library throws is of no type of this module.
        let is_of_library = |pad: &Value| {
            let mut invokes = invokes(*pad);
            invokes.all(|i| !throws_own(i, &mut HashSet::default()))
        };
        // What no handler of a landing pad catches leaves the function.
        let leaves = |pad: &Value| {
            let clauses = || Some(*pad).filter(|pad| pad.is_instruction())?.clauses();
            clauses().is_some_and(|clauses| {
                let is_none = |invoke: Value| {
                    is_call_of(invoke, THROW)
                        && invoke.operand(1).is_global_variable()
                        && clauses
                            .iter()
                            .all(|c| !c.is_null() && derives(invoke.operand(1), *c) == Some(false))
                };
                invokes(*pad).all(is_none)
            })
        };
        others.retain(|pad| !leaves(pad));
        let is_own_type = |pad: &Value| {
            let caught = throws.iter().filter(|t| t.pad == *pad).map(Throw::caught);
            let is_own =
                |c: Value| !c.is_null() && (c.initializer().is_some() || is_fundamental(&c.name()));
            caught.into_iter().all(|class| class.is_some_and(is_own))
        };
        let are_of_library = others.iter().all(is_of_library);
        let is_alone = others.is_empty() || pads.iter().all(is_own_type) && are_of_library;
        let has_others = !is_alone || has_partial;
        Handler { call, pads, has_others, are_of_library, is_catch: is_call_of(call, BEGIN) }
    }
}

/// Whether a call may throw what is no exception of a library.
pub fn throws_own(call: Value, seen: &mut HashSet<Function>) -> bool {
    let Some(f) = call.called().as_function() else { return !call.does_not_throw() };
    if call.call_string(OF_LIBRARY).is_some() {
        return false;
    }
    if f.is_declaration() {
        return matches!(f.name().as_str(), THROW | RETHROW);
    }
    if let Some(is_of_library) = pending::is_of_library(call) {
        return !is_of_library;
    }
    seen.insert(f)
        && instructions(f)
            .filter(|i| i.is_call() && !i.does_not_throw())
            .any(|call| throws_own(call, seen))
}

/// Whether a function, or one that it calls, counts the exceptions that are not handled yet.
pub fn counts(function: Function, seen: &mut HashSet<Function>) -> bool {
    if !seen.insert(function) {
        return false;
    }
    if function.is_declaration() {
        return COUNTS.contains(&function.name().as_str());
    }
    let mut called = instructions(function).filter(|i| i.is_call());
    called.any(|call| call.called().as_function().is_none_or(|f| counts(f, seen)))
}

/// Whether a function, or one that it calls, may look at the exception that is being handled.
pub fn looks(function: Function, seen: &mut HashSet<Function>) -> bool {
    if !seen.insert(function) || pending::keeps(function) {
        return false;
    }
    let name = function.name();
    if function.is_declaration() {
        let is_known = function.is_intrinsic() || library::classify(&name).is_some();
        return LOOKS.contains(&name.as_str()) || !is_known;
    }
    // What is thrown again in a handler of the function itself is what that has caught.
    let mut order = None;
    let mut is_own = |call: Value| {
        is_call_of(call, RETHROW)
            && order.get_or_insert_with(|| Order::of(function)).begin_of(function, call).is_some()
    };
    instructions(function)
        .filter(|i| i.is_call())
        .any(|call| !is_own(call) && call.called().as_function().is_none_or(|f| looks(f, seen)))
}
