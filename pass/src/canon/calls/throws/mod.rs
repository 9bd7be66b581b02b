//! Exceptions that are thrown and caught in one function become jumps.
//!
//! Comes in: a function with all its calls inlined, where a throw is an invoke of `__cxa_throw` with
//! a landing pad of the same function. Goes out: the throw is a jump to its landing pad, the
//! exception is an object on the heap, which the handler reads directly and deletes at its end. So
//! both sweeps follow a throw as any other branch. Must hold: which handler catches is known from the
//! types alone, and nothing else looks at the exception. A handler may throw it again, to an outer one
//! of the function. Other throws stay what they are.
//!
//! A function with a place for its exceptions (pending.rs) hands over there what none of its handlers
//! catches, and returns.
//!
//! Source: Itanium C++ ABI: Exception Handling, 2.4 (throwing), 2.5 (catching).

mod handlers;
mod kinds;
mod merged;
mod order;
mod rewrite;

pub use kinds::{Kind, Kinds, drop_unused};
pub use merged::take_apart;
pub(super) use order::Order;

use super::classes::derives;
use crate::llvm::{Block, Function, Module, Opcode, Type, Value};
use adir::{
    hashed::HashSet,
    library::{self, RETHROW, THROW},
};
use handlers::{Handler, handlers, throws_own};
use std::collections::BTreeSet;

const ALLOCATE: &str = library::ALLOCATES_EXCEPTION;
const FREE: &str = library::FREES_EXCEPTION;
const BEGIN: &str = "__cxa_begin_catch";
const END: &str = "__cxa_end_catch";
const POINTER: &str = "__cxa_get_exception_ptr";
/// What looks at the exception that is being handled, or counts those that are not handled yet.
const LOOKS: &[&str] = &[
    RETHROW, "__cxa_current_exception_type", "_ZSt17current_exceptionv",
    "_ZSt18uncaught_exceptionv", "_ZSt19uncaught_exceptionsv",
];
/// Those that count. A clean-up may do so, in a function of its own.
const COUNTS: &[&str] = &["_ZSt18uncaught_exceptionv", "_ZSt19uncaught_exceptionsv"];
/// String attribute of a call that throws again what is of a library.
const OF_LIBRARY: &str = "adcc-of-library";
/// A selector that no typed handler compares equal to: theirs are positive.
const CAUGHT_BY_ALL: i64 = -1;
/// The selector of what no handler catches.
const CLEANS_UP: i64 = 0;

/// A throw that may become a jump.
struct Throw {
    invoke: Value,
    /// The object that is thrown.
    object: Object,
    /// What it may be.
    kinds: Vec<Kind>,
    /// The landing pad, which is its own.
    pad: Value,
    way: Way,
    /// Whether it may throw an exception of another kind as well, which stays one.
    is_partial: bool,
    /// Whether that is one of a library.
    rest_is_of_library: bool,
}

/// What a throw throws.
#[derive(Clone, Copy)]
enum Object {
    /// What a call has allocated.
    Allocated(Value),
    /// What a call has handed over.
    Pending(Value),
    /// What the handler that this call begins has caught.
    Handled(Value),
}

/// Where a landing pad leads what is thrown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To a handler.
    Caught {
        /// The type that it catches; null if all.
        class: Value,
        /// The value of the selector: a call that asks for it; `None` if the handler catches all.
        selector: Option<Value>,
    },
    /// Past all handlers.
    Passes,
}

impl Way {
    /// Whether it leads past all handlers.
    pub fn passes(self) -> bool {
        self == Way::Passes
    }
}

/// Where a function hands over exceptions: a pointer to a structure with the object, its kind's number,
/// zero if there is none, and the address of an exception that is kept.
#[derive(Clone, Copy)]
pub struct Place(pub Value);

impl Place {
    /// The type of what lies there.
    pub fn ty(module: Module) -> Type {
        let context = module.context();
        context.structure(&[context.ptr(), context.int(32), module.size_type()])
    }
}

/// Makes throws jumps; whether there were any.
pub fn resolve(
    module: Module,
    function: Function,
    kinds: &mut Kinds,
    place: Option<Place>,
) -> bool {
    take_apart(module, function);
    let is_counted = COUNTS.iter().any(|name| module.function(name).is_some())
        && handlers::counts(function, &mut HashSet::default());
    let leaving = leaving(function, place);
    if throws(function).next().is_none() && leaving.is_empty() || is_counted {
        return false;
    }
    function.split_invokes();
    let may_pass = place.is_some();
    let mut found: Vec<Throw> =
        throws(function).filter_map(|invoke| Throw::of(function, invoke, may_pass)).collect();
    let order = Order::of(function);
    loop {
        let again = throws_again(function, &found, &order, may_pass);
        if again.is_empty() {
            break;
        }
        found.extend(again);
    }
    // A handler that something else reaches as well keeps the exceptions that it has.
    loop {
        let handlers = handlers(function, &found, &order);
        let keeps = |throw: &&Throw| {
            let of_throw: Vec<&Handler> =
                handlers.iter().filter(|h| h.pads.contains(&throw.pad)).collect();
            let is_unknown = |begin: Value| {
                handlers.iter().any(|h| {
                    h.call == begin && (h.has_others && !throw.is_partial || h.pads.is_empty())
                })
            };
            let is_lost = match throw.way {
                Way::Caught { .. } => !of_throw.iter().any(|h| h.is_catch),
                Way::Passes => !of_throw.is_empty(),
            };
            is_lost
                || of_throw.iter().any(|h| h.has_others && !h.is_catch)
                || of_throw.iter().any(|h| order.looks_at(function, h.call, &found))
                || matches!(throw.object, Object::Handled(begin) if is_unknown(begin))
        };
        let kept: BTreeSet<Value> = found.iter().filter(keeps).map(|t| t.pad).collect();
        found.retain(|throw| !kept.contains(&throw.pad));
        if kept.is_empty() {
            if found.is_empty() && leaving.is_empty() {
                return false;
            }
            let handlers: Vec<Handler> = handlers
                .into_iter()
                .filter(|h| found.iter().any(|throw| h.pads.contains(&throw.pad)))
                .collect();
            let sites = rewrite::Sites { throws: &found, leaving: &leaving, handlers: &handlers };
            rewrite::rewrite(module, function, &sites, &order, kinds, place);
            return true;
        }
    }
}

/// Whether exceptions that leave a function, which hands over all others, are those of libraries.
pub fn is_quiet(function: Function) -> bool {
    let order = Order::of(function);
    let is_caught = |throw: Value| {
        let pad = pad_of(throw).zip(Kind::of(throw));
        pad.is_some_and(|(pad, kind)| way(function, pad, kind, false).is_some())
    };
    let is_of_library = |throw: Value| {
        let begin = order.begin_of(function, throw);
        begin.is_some_and(|begin| !Handler::of(function, begin, &[], &order).has_others)
    };
    instructions(function).filter(|i| i.is_call() && !i.does_not_throw()).all(|call| {
        match call.called().as_function().map(Function::name).as_deref() {
            Some(THROW) => is_caught(call),
            Some(RETHROW) => call.call_string(OF_LIBRARY).is_some() || is_of_library(call),
            _ => !throws_own(call, &mut HashSet::default()),
        }
    })
}

fn instructions(function: Function) -> impl Iterator<Item = Value> {
    function.blocks().into_iter().flat_map(|b| b.instructions())
}

fn calls_of(function: Function, name: &str) -> impl Iterator<Item = Value> {
    instructions(function).filter(move |&i| is_call_of(i, name))
}

pub fn is_call_of(v: Value, name: &str) -> bool {
    v.is_instruction() && v.is_call() && v.called().as_function().is_some_and(|f| f.name() == name)
}

fn throws(function: Function) -> impl Iterator<Item = Value> {
    calls_of(function, THROW).filter(|call| call.is_invoke())
}

/// The throws that leave a function at once, which hands over what they throw: (call, object, kind).
fn leaving(function: Function, place: Option<Place>) -> Vec<(Value, Value, Kind)> {
    let calls = calls_of(function, THROW).filter(|call| place.is_some() && !call.is_invoke());
    calls.filter_map(|call| Some((call, allocated(call)?, Kind::of(call)?))).collect()
}

/// The object that a throw throws, if it is allocated for nothing else.
fn allocated(throw: Value) -> Option<Value> {
    let object = throw.operand(0);
    let is_phi = |user: &Value| user.is_instruction() && user.opcode() == Opcode::LLVMPHI;
    (is_call_of(object, ALLOCATE) && !object.users().iter().any(is_phi)).then_some(object)
}

/// Where a landing pad leads what is of one kind; `None` if types do not say. Past all handlers only
/// if it `may_pass`.
pub fn way(function: Function, pad: Value, kind: Kind, may_pass: bool) -> Option<Way> {
    for class in pad.clauses()? {
        if class.is_null() {
            return Some(Way::Caught { class, selector: None });
        }
        if derives(kind.thrown, class)? {
            let asks = |i: &Value| {
                i.is_call()
                    && i.called().name().starts_with("llvm.eh.typeid.for")
                    && i.operand(0) == class
            };
            let selector = Some(instructions(function).find(asks)?);
            return Some(Way::Caught { class, selector });
        }
    }
    may_pass.then_some(Way::Passes)
}

/// The kind that a call of `__cxa_throw` throws, if that can be handed over.
pub fn known_kind(throw: Value) -> Option<Kind> {
    allocated(throw).and_then(|_| Kind::of(throw))
}

/// Whether a landing pad surely has a handler that catches all.
pub fn catches_all(pad: Value) -> bool {
    pad.clauses().is_some_and(|clauses| clauses.into_iter().any(Value::is_null))
}

/// The landing pad of a call, if it is an invoke.
pub fn pad_of(call: Value) -> Option<Value> {
    let block = call.is_invoke().then(|| call.invoke_destinations().1)?;
    block.instructions().into_iter().find(|i| i.opcode() == Opcode::LLVMLandingPad)
}

impl Throw {
    /// What is known of a throw, if one handler of the function surely catches it, or none does and it
    /// `may_pass`.
    fn of(function: Function, invoke: Value, may_pass: bool) -> Option<Throw> {
        let kind = Kind::of(invoke)?;
        let object = match invoke.call_string(super::pending::PENDING) {
            Some(_) => Object::Pending(invoke.operand(0)),
            None => Object::Allocated(allocated(invoke)?),
        };
        Throw::new(function, invoke, object, vec![kind], may_pass)
    }

    /// The same of what throws an object of one of these kinds: all go the same way.
    fn new(
        function: Function,
        invoke: Value,
        object: Object,
        kinds: Vec<Kind>,
        may_pass: bool,
    ) -> Option<Throw> {
        let pad = pad_of(invoke)?;
        let mut ways = kinds.iter().map(|&kind| way(function, pad, kind, may_pass));
        let way = ways.next()??;
        ways.all(|other| other == Some(way)).then_some(())?;
        Some(Throw {
            invoke,
            object,
            kinds,
            pad,
            way,
            is_partial: false,
            rest_is_of_library: false,
        })
    }

    /// The type that the handler catches; null if all.
    fn caught(&self) -> Option<Value> {
        match self.way {
            Way::Caught { class, .. } => Some(class),
            Way::Passes => None,
        }
    }
}

/// Handlers that throw again what they have caught, from throws that are `known`, and perhaps others.
fn throws_again(function: Function, known: &[Throw], order: &Order, may_pass: bool) -> Vec<Throw> {
    let of = |invoke: Value| {
        let begin = order.begin_of(function, invoke)?;
        let handler = Handler::of(function, begin, known, order);
        let throws = known.iter().filter(|t| handler.pads.contains(&t.pad));
        let mut kinds: Vec<Kind> = vec![];
        for &kind in throws.flat_map(|t| &t.kinds) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let object = Object::Handled(begin);
        let throw = Throw {
            is_partial: handler.has_others,
            rest_is_of_library: handler.are_of_library,
            ..Throw::new(function, invoke, object, kinds, may_pass)?
        };
        // What unwinds ends the handler; the exception goes on.
        let ends = order.ends(function, begin).into_iter();
        let is_on_way = |end: &Value| {
            order.dominates(throw.pad, *end)
                || order.on_its_way(function, throw.pad, *end).is_some()
        };
        let ends: Vec<Value> = ends.filter(is_on_way).collect();
        let begins: Vec<Value> = calls_of(function, BEGIN)
            .filter(|begin| comes_from(begin.operand(0), throw.pad))
            .collect();
        (!leads_to(throw.pad, &begins, &ends)).then_some(throw)
    };
    let again = calls_of(function, RETHROW)
        .filter(|call| call.is_invoke() && !known.iter().any(|throw| throw.invoke == *call));
    again.filter_map(of).collect()
}

/// The values of which a landing pad's value, or its pointer, is one, with the blocks that they come
/// from if it is a phi; `None` of a landing pad.
pub(super) fn sources(v: Value) -> Option<Vec<(Value, Option<Block>)>> {
    match v.is_instruction().then(|| v.opcode())? {
        Opcode::LLVMPHI => {
            Some(v.incoming().into_iter().map(|(value, block)| (value, Some(block))).collect())
        }
        Opcode::LLVMExtractValue => Some(vec![(v.operand(0), None)]),
        // A resume's value, taken apart and put together.
        Opcode::LLVMInsertValue => {
            let operand = usize::from(v.aggregate_indices() == [0]);
            Some(vec![(v.operand(operand), None)])
        }
        _ => None,
    }
}

/// Whether control may come from an instruction to one of others without passing one of a third
/// kind.
pub(super) fn leads_to(from: Value, to: &[Value], past: &[Value]) -> bool {
    let meets = |instructions: &[Value]| {
        instructions.iter().find(|i| to.contains(i) || past.contains(i)).map(|i| to.contains(i))
    };
    let next = |block: Block| block.terminator().map(|t| t.successors()).unwrap_or_default();
    let start = from.block().instructions();
    let at = start.iter().position(|&i| i == from).map_or(0, |at| at + 1);
    if let Some(met) = meets(&start[at..]) {
        return met;
    }
    let (mut seen, mut stack) = (HashSet::default(), next(from.block()));
    while let Some(block) = stack.pop() {
        if !seen.insert(block) {
            continue;
        }
        match meets(&block.instructions()) {
            Some(true) => return true,
            Some(false) => {}
            None => stack.extend(next(block)),
        }
    }
    false
}

/// Whether a value is a landing pad's, or may be.
fn comes_from(v: Value, pad: Value) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        if now == pad {
            return true;
        }
        let new = sources(now).into_iter().flatten().map(|(source, _)| source);
        new.for_each(|source| {
            if !seen.contains(&source) {
                seen.push(source);
            }
        });
    }
    false
}
