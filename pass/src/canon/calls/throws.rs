//! Exceptions that are thrown and caught in one function become jumps.
//!
//! Comes in: a function with all its calls inlined, where a throw is an invoke of `__cxa_throw` with
//! a landing pad of the same function. Goes out: the throw is a jump to its landing pad, the
//! exception is an object on the heap, which the handler reads directly and deletes at its end. So
//! both sweeps follow a throw as any other branch. Must hold: which handler catches is known from the
//! types alone, and nothing else looks at the exception. A handler may throw it again, to an outer one
//! of the function. Other throws stay what they are.
//!
//! Source: Itanium C++ ABI: Exception Handling, 2.4 (throwing), 2.5 (catching).

use super::classes::{derives, is_fundamental};
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Type, Value};
use adir::{
    hashed::{HashMap, HashSet},
    library,
};
use petgraph::{
    algo::dominators::{Dominators, simple_fast},
    graph::{DiGraph, NodeIndex},
};
use std::collections::BTreeSet;

const ALLOCATE: &str = library::ALLOCATES_EXCEPTION;
const FREE: &str = "__cxa_free_exception";
const BEGIN: &str = "__cxa_begin_catch";
const END: &str = "__cxa_end_catch";
const RETHROW: &str = "__cxa_rethrow";
const POINTER: &str = "__cxa_get_exception_ptr";
/// What looks at the exception that is being handled, or counts those that are not handled yet.
const LOOKS: &[&str] = &[
    RETHROW, "__cxa_current_exception_type", "_ZSt17current_exceptionv",
    "_ZSt18uncaught_exceptionv", "_ZSt19uncaught_exceptionsv",
];
/// A selector that no typed handler compares equal to: theirs are positive.
const CAUGHT_BY_ALL: i64 = -1;

/// A throw that may become a jump.
struct Throw {
    invoke: Value,
    /// The object that is thrown.
    object: Object,
    /// Its type.
    thrown: Value,
    /// Deletes what the object owns.
    destructor: Option<Function>,
    /// The landing pad, which is its own.
    pad: Value,
    /// The type that the handler catches; null if all.
    caught: Value,
    /// The value of the selector: a call that asks for it, or a constant.
    selector: Option<Value>,
}

/// What a throw throws.
#[derive(Clone, Copy)]
enum Object {
    /// What a call has allocated.
    Allocated(Value),
    /// What the handler that this call begins has caught.
    Handled(Value),
}

/// Makes throws jumps; whether there were any.
pub fn resolve(module: Module, function: Function) -> bool {
    let mut counts = LOOKS.iter().filter(|name| name.contains("uncaught"));
    let is_counted = counts.any(|name| calls_of(function, name).next().is_some());
    if throws(function).next().is_none() || is_counted {
        return false;
    }
    function.split_invokes();
    let mut found: Vec<Throw> =
        throws(function).filter_map(|invoke| Throw::of(function, invoke)).collect();
    let order = Order::of(function);
    loop {
        let again = throws_again(function, &found, &order);
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
                handlers.iter().any(|h| h.call == begin && (h.has_others || h.pads.is_empty()))
            };
            !of_throw.iter().any(|h| h.is_catch)
                || of_throw.iter().any(|h| h.has_others && !h.is_catch)
                || of_throw.iter().any(|h| order.looks_at(function, h.call, &found))
                || matches!(throw.object, Object::Handled(begin) if is_unknown(begin))
        };
        let kept: BTreeSet<Value> = found.iter().filter(keeps).map(|t| t.pad).collect();
        found.retain(|throw| !kept.contains(&throw.pad));
        if kept.is_empty() {
            if found.is_empty() {
                return false;
            }
            let handlers: Vec<Handler> = handlers
                .into_iter()
                .filter(|h| found.iter().any(|throw| h.pads.contains(&throw.pad)))
                .collect();
            rewrite(module, function, &found, &handlers, &order);
            return true;
        }
    }
}

fn instructions(function: Function) -> impl Iterator<Item = Value> {
    function.blocks().into_iter().flat_map(|b| b.instructions())
}

fn calls_of(function: Function, name: &str) -> impl Iterator<Item = Value> {
    instructions(function).filter(move |&i| is_call_of(i, name))
}

fn is_call_of(v: Value, name: &str) -> bool {
    v.is_instruction() && v.is_call() && v.called().as_function().is_some_and(|f| f.name() == name)
}

fn throws(function: Function) -> impl Iterator<Item = Value> {
    calls_of(function, "__cxa_throw").filter(|call| call.is_invoke())
}

impl Throw {
    /// What is known of a throw, if one handler of the function surely catches it.
    fn of(function: Function, invoke: Value) -> Option<Throw> {
        let [object, thrown, destructor] = [0, 1, 2].map(|i| invoke.operand(i));
        let is_phi = |user: &Value| user.is_instruction() && user.opcode() == Opcode::LLVMPHI;
        let is_known = is_call_of(object, ALLOCATE)
            && !object.users().iter().any(is_phi)
            && thrown.is_global_variable()
            && (destructor.is_null() || destructor.as_function().is_some());
        // A pointer that is thrown is converted, and caught by value.
        if !is_known || thrown.name().starts_with("_ZTIP") {
            return None;
        }
        let object = Object::Allocated(object);
        Throw::caught(function, invoke, object, thrown, destructor.as_function())
    }

    /// The same of what throws an object of this type.
    fn caught(
        function: Function,
        invoke: Value,
        object: Object,
        thrown: Value,
        destructor: Option<Function>,
    ) -> Option<Throw> {
        let block = invoke.invoke_destinations().1;
        let pad =
            block.instructions().into_iter().find(|i| i.opcode() == Opcode::LLVMLandingPad)?;
        let mut selector = None;
        let mut caught = None;
        for clause in pad.clauses()? {
            if clause.is_null() {
                selector = Some(None);
            } else if derives(thrown, clause)? {
                let asks = |i: &Value| {
                    i.is_call()
                        && i.called().name().starts_with("llvm.eh.typeid.for")
                        && i.operand(0) == clause
                };
                selector = Some(Some(instructions(function).find(asks)?));
            }
            if selector.is_some() {
                caught = Some(clause);
                break;
            }
        }
        Some(Throw {
            invoke,
            object,
            thrown,
            destructor,
            pad,
            caught: caught?,
            selector: selector?,
        })
    }
}

/// Handlers that throw again what they have caught, all of it of one type, from throws that are
/// `known`.
fn throws_again(function: Function, known: &[Throw], order: &Order) -> Vec<Throw> {
    let of = |invoke: Value| {
        let begin = order.begin_of(function, invoke)?;
        let handler = Handler::of(function, begin, known, order);
        let mut throws = known.iter().filter(|t| handler.pads.contains(&t.pad));
        let first = throws.next().filter(|_| !handler.has_others)?;
        let is_one = throws.all(|t| t.thrown == first.thrown && t.destructor == first.destructor);
        let object = Object::Handled(begin);
        let throw = is_one
            .then(|| Throw::caught(function, invoke, object, first.thrown, first.destructor))?;
        // What unwinds ends the handler; the exception goes on.
        let throw = throw?;
        let ends = order.ends(function, begin).into_iter();
        let ends: Vec<Value> = ends.filter(|end| order.dominates(throw.pad, *end)).collect();
        let begins: Vec<Value> = calls_of(function, BEGIN)
            .filter(|begin| comes_from(begin.operand(0), throw.pad))
            .collect();
        (!leads_to(throw.pad, &begins, &ends)).then_some(throw)
    };
    let again = calls_of(function, RETHROW)
        .filter(|call| call.is_invoke() && !known.iter().any(|throw| throw.invoke == *call));
    again.filter_map(of).collect()
}

/// A call that begins a handler, or asks for its exception.
struct Handler {
    call: Value,
    /// The landing pads of throws from which its exception comes.
    pads: BTreeSet<Value>,
    /// Whether other exceptions may come there.
    has_others: bool,
    /// Whether it begins the handler.
    is_catch: bool,
}

fn handlers(function: Function, throws: &[Throw], order: &Order) -> Vec<Handler> {
    let all = calls_of(function, BEGIN).chain(calls_of(function, POINTER));
    all.map(|call| Handler::of(function, call, throws, order)).collect()
}

impl Handler {
    fn of(function: Function, call: Value, throws: &[Throw], order: &Order) -> Handler {
        let (mut pads, mut others) = (BTreeSet::new(), vec![]);
        let mut seen = vec![call.operand(0)];
        let mut at = 0;
        while at < seen.len() {
            let v = seen[at];
            at += 1;
            if let Some(throw) = throws.iter().find(|throw| throw.pad == v) {
                if !order.passes_by(function, throw, call) {
                    pads.insert(v);
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
                    is_call_of(invoke, "__cxa_throw")
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
            let caught = throws.iter().filter(|t| t.pad == *pad).map(|t| t.caught);
            let is_own =
                |c: Value| !c.is_null() && (c.initializer().is_some() || is_fundamental(&c.name()));
            caught.into_iter().all(is_own)
        };
        let is_alone =
            others.is_empty() || pads.iter().all(is_own_type) && others.iter().all(is_of_library);
        let has_others = !is_alone;
        Handler { call, pads, has_others, is_catch: is_call_of(call, BEGIN) }
    }
}

/// Whether a call may throw what is no exception of a library.
fn throws_own(call: Value, seen: &mut HashSet<Function>) -> bool {
    let Some(f) = call.called().as_function() else { return !call.does_not_throw() };
    if f.is_declaration() {
        return matches!(f.name().as_str(), "__cxa_throw" | RETHROW);
    }
    seen.insert(f)
        && instructions(f)
            .filter(|i| i.is_call() && !i.does_not_throw())
            .any(|call| throws_own(call, seen))
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

/// Per landing pad's value, the object that is thrown, and the kind of throw that it comes from:
/// zero for an exception, the others are jumps, numbered by what deletes the object.
struct Thrown<'a> {
    builder: &'a Builder,
    throws: &'a [Throw],
    destructors: &'a [Option<Function>],
    known: HashMap<Value, (Value, Value)>,
}

impl Thrown<'_> {
    fn of(&mut self, v: Value) -> (Value, Value) {
        if let Some(&known) = self.known.get(&v) {
            return known;
        }
        let context = self.builder.context();
        let (ptr, i32) = (context.ptr(), context.int(32));
        let found = match (self.throws.iter().find(|t| t.pad == v), sources(v)) {
            (Some(Throw { object: Object::Handled(begin), .. }), _) => self.of(begin.operand(0)),
            (Some(throw @ Throw { object: Object::Allocated(object), .. }), _) => {
                let kind = self.destructors.iter().position(|d| *d == throw.destructor);
                (*object, i32.int(kind.expect("it is among them") as u64 + 1))
            }
            (None, None) => (ptr.zero(), i32.int(0)),
            (None, Some(sources)) if v.opcode() == Opcode::LLVMPHI => {
                self.builder.position_at_start(v.block());
                let (object, kind) = (self.builder.phi(ptr, ""), self.builder.phi(i32, ""));
                self.known.insert(v, (object, kind));
                for (source, block) in sources {
                    let (from, its_kind) = self.of(source);
                    let block = block.expect("a phi has blocks");
                    object.add_incoming(from, block);
                    kind.add_incoming(its_kind, block);
                }
                (object, kind)
            }
            (None, Some(sources)) => self.of(sources[0].0),
        };
        self.known.insert(v, found);
        found
    }
}

/// Which instructions come before which on all paths.
pub(super) struct Order {
    nodes: HashMap<Block, NodeIndex>,
    dominators: Dominators<NodeIndex>,
}

impl Order {
    pub(super) fn of(function: Function) -> Order {
        let blocks = function.blocks();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: HashMap<_, _> = blocks.iter().map(|&b| (b, graph.add_node(()))).collect();
        for b in &blocks {
            for s in b.terminator().map(|t| t.successors()).unwrap_or_default() {
                graph.update_edge(nodes[b], nodes[&s], ());
            }
        }
        let dominators = simple_fast(&graph, nodes[&blocks[0]]);
        Order { nodes, dominators }
    }

    pub(super) fn dominates(&self, first: Value, second: Value) -> bool {
        let (a, b) = (first.block(), second.block());
        if a == b {
            let at = |v: Value| a.instructions().iter().position(|&i| i == v);
            return at(first) < at(second);
        }
        let mut above = self.dominators.dominators(self.nodes[&b]).into_iter().flatten();
        above.any(|n| n == self.nodes[&a])
    }

    /// Whether something in a handler may look at its exception.
    fn looks_at(&self, function: Function, begin: Value, throws: &[Throw]) -> bool {
        let ends = self.ends(function, begin);
        let is_within = |call: &Value| {
            self.dominates(begin, *call) && !ends.iter().any(|&end| self.dominates(end, *call))
        };
        let mut calls = instructions(function)
            .filter(|i| i.is_call() && !throws.iter().any(|throw| throw.invoke == *i))
            .filter(is_within);
        calls.any(|call| {
            call.called().as_function().is_none_or(|f| looks(f, &mut HashSet::default()))
        })
    }

    /// Whether a handler is only reached by exceptions that are caught as another type than that as which
    /// a throw is.
    fn passes_by(&self, function: Function, throw: &Throw, handler: Value) -> bool {
        let asked = |v: Value| {
            let is_question = v.is_instruction()
                && v.is_call()
                && v.called().name().starts_with("llvm.eh.typeid.for");
            is_question.then(|| v.operand(0))
        };
        let leads_past = |test: Value| {
            let is_test = test.opcode() == Opcode::LLVMICmp
                && test.int_predicate() == IntPredicate::LLVMIntEQ;
            let (class, _) = [(0, 1), (1, 0)]
                .into_iter()
                .filter(|_| is_test)
                .filter_map(|(class, selector)| Some((asked(test.operand(class))?, selector)))
                .find(|(_, selector)| comes_from(test.operand(*selector), throw.pad))?;
            let end = test.block().terminator().filter(|t| t.operand_count() > 0)?;
            let is_decided = end.opcode() == Opcode::LLVMBr && end.operand(0) == test;
            // Where the throw does not go.
            let way = usize::from(class == throw.caught);
            let other = *end.successors().get(way).filter(|_| is_decided)?;
            let first = *other.instructions().first()?;
            let leads_there =
                |b: &Block| b.terminator().is_some_and(|end| end.successors().contains(&other));
            let is_only_way = function.blocks().iter().filter(|b| leads_there(b)).count() == 1;
            (is_only_way && (first == handler || self.dominates(first, handler))).then_some(())
        };
        instructions(function).any(|test| leads_past(test).is_some())
    }

    /// The call that begins the innermost handler in which an instruction surely is.
    fn begin_of(&self, function: Function, inner: Value) -> Option<Value> {
        let is_around = |begin: &Value| {
            self.dominates(*begin, inner)
                && !self.ends(function, *begin).iter().any(|&end| self.dominates(end, inner))
        };
        let around: Vec<Value> = calls_of(function, BEGIN).filter(is_around).collect();
        let is_innermost =
            |begin: &Value| around.iter().all(|o| o == begin || self.dominates(*o, *begin));
        around.iter().copied().find(is_innermost)
    }

    /// The calls that end the handler which `begin` begins, and no handler within it.
    fn ends(&self, function: Function, begin: Value) -> Vec<Value> {
        let begins: Vec<Value> = calls_of(function, BEGIN).filter(|&b| b != begin).collect();
        let is_own = |end: &Value| {
            let is_nearer =
                |&other: &Value| self.dominates(begin, other) && self.dominates(other, *end);
            self.dominates(begin, *end) && !begins.iter().any(is_nearer)
        };
        calls_of(function, END).filter(is_own).collect()
    }
}

/// Whether a function, or one that it calls, may look at the exception that is being handled.
fn looks(function: Function, seen: &mut HashSet<Function>) -> bool {
    if !seen.insert(function) {
        return false;
    }
    let name = function.name();
    if function.is_declaration() {
        let is_known = function.is_intrinsic() || library::classify(&name).is_some();
        return LOOKS.contains(&name.as_str()) || !is_known;
    }
    instructions(function)
        .filter(|i| i.is_call())
        .any(|call| call.called().as_function().is_none_or(|f| looks(f, seen)))
}

fn rewrite(
    module: Module,
    function: Function,
    throws: &[Throw],
    handlers: &[Handler],
    order: &Order,
) {
    let (context, builder) = (module.context(), Builder::new(module.context()));
    let (ptr, size) = (context.ptr(), module.size_type());
    let free = module.declare("free", Type::function(context.void(), &[ptr], false));
    let malloc = module.declare("malloc", Type::function(ptr, &[size], false));
    let mut destructors: Vec<Option<Function>> = vec![];
    for throw in throws {
        if !destructors.contains(&throw.destructor) {
            destructors.push(throw.destructor);
        }
    }
    let mut thrown =
        Thrown { builder: &builder, throws, destructors: &destructors, known: HashMap::default() };
    // Where the handler is gone, its exception has no other name.
    for throw in throws {
        thrown.of(throw.pad);
    }
    // The ends of handlers, before their exceptions have other names.
    let mut ends: Vec<(Value, &Handler)> = vec![];
    for handler in handlers.iter().filter(|h| h.is_catch) {
        ends.extend(order.ends(function, handler.call).into_iter().map(|end| (end, handler)));
    }
    let mut inlined = vec![];
    for (end, handler) in ends {
        let goes_on = |throw: &Throw| {
            matches!(throw.object, Object::Handled(begin) if begin == handler.call)
                && order.dominates(throw.pad, end)
        };
        if throws.iter().any(goes_on) {
            leave(&builder, end);
            continue;
        }
        let (object, kind) = thrown.of(handler.call.operand(0));
        let mut of_handler =
            throws.iter().filter(|t| handler.pads.contains(&t.pad)).map(|t| t.destructor);
        let first = of_handler.next().flatten();
        let is_one = of_handler.all(|d| d == first) && !handler.has_others;
        builder.position_before(end);
        if is_one {
            if let Some(destructor) = first {
                end.copy_location(builder.call(destructor, &[object]));
            }
            end.copy_location(builder.call(free, &[object]));
        } else {
            let helper = end_helper(module, &destructors, free);
            let call = builder.call(helper, &[kind, object]);
            end.copy_location(call);
            inlined.push(call);
        }
        leave(&builder, end);
    }
    for handler in handlers {
        let (object, kind) = thrown.of(handler.call.operand(0));
        let value = if handler.has_others {
            builder.position_before(handler.call);
            let helper = begin_helper(module);
            let call = builder.call(helper, &[kind, object, handler.call.operand(0)]);
            handler.call.copy_location(call);
            inlined.push(call);
            call
        } else {
            object
        };
        handler.call.replace_uses(value);
        leave(&builder, handler.call);
    }
    for throw in throws {
        builder.position_before(throw.pad);
        let selector = match throw.selector {
            Some(asks) => {
                let copy = asks.clone_instruction();
                builder.insert(copy);
                copy
            }
            None => context.int(32).int(CAUGHT_BY_ALL as u64),
        };
        let (object, _) = thrown.of(throw.pad);
        builder.position_before(throw.pad);
        let value = builder.insert_value(throw.pad.ty().poison(), object, 0);
        let value = builder.insert_value(value, selector, 1);
        throw.pad.replace_uses(value);
        let pad = throw.pad.block();
        throw.pad.erase();
        builder.position_before(throw.invoke);
        builder.br(pad);
        throw.invoke.erase();
    }
    let allocated = |throw: &Throw| match throw.object {
        Object::Allocated(object) => Some(object),
        Object::Handled(_) => None,
    };
    let objects: BTreeSet<Value> = throws.iter().filter_map(allocated).collect();
    for object in objects {
        builder.position_before(object);
        let memory = builder.call(malloc, &[object.operand(0)]);
        object.copy_location(memory);
        for user in object.users().into_iter().filter(|&u| is_call_of(u, FREE)) {
            builder.position_before(user);
            user.copy_location(builder.call(free, &[object]));
            leave(&builder, user);
        }
        object.replace_uses(memory);
        leave(&builder, object);
    }
    let helpers: HashSet<Function> =
        inlined.iter().filter_map(|call| call.called().as_function()).collect();
    inlined.into_iter().for_each(|call| {
        call.inline();
    });
    helpers.into_iter().for_each(Function::delete);
}

/// A function of the kind of a throw, its object, and the exception: what the handler sees.
fn begin_helper(module: Module) -> Function {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let begin = module.declare(BEGIN, Type::function(ptr, &[ptr], false));
    let helper =
        module.add_function("ad.begin_catch", Type::function(ptr, &[i32, ptr, ptr], false));
    helper.set_external(false);
    let params = helper.params();
    let [entry, jump, caught] = ["entry", "jump", "caught"].map(|name| helper.append_block(name));
    let builder = Builder::at_end(context, entry);
    builder.switch(params[0], jump, &[(0, caught)]);
    builder.position_at_end(jump);
    builder.ret(params[1]);
    builder.position_at_end(caught);
    let value = builder.call(begin, &[params[2]]);
    value.add_call_attribute("nounwind");
    builder.ret(value);
    helper
}

/// A function of the kind of a throw and its object: ends the handler.
fn end_helper(module: Module, destructors: &[Option<Function>], free: Function) -> Function {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let end = module.declare(END, Type::function(context.void(), &[], false));
    let helper =
        module.add_function("ad.end_catch", Type::function(context.void(), &[i32, ptr], false));
    helper.set_external(false);
    let params = helper.params();
    let [entry, caught] = ["entry", "caught"].map(|name| helper.append_block(name));
    let jumps: Vec<Block> = destructors.iter().map(|_| helper.append_block("jump")).collect();
    let builder = Builder::at_end(context, entry);
    let cases: Vec<(u64, Block)> =
        jumps.iter().enumerate().map(|(k, &block)| (k as u64 + 1, block)).collect();
    builder.switch(params[0], caught, &cases);
    for (&block, destructor) in jumps.iter().zip(destructors) {
        builder.position_at_end(block);
        if let Some(destructor) = destructor {
            builder.call(*destructor, &[params[1]]);
        }
        builder.call(free, &[params[1]]);
        builder.ret_void();
    }
    builder.position_at_end(caught);
    builder.call(end, &[]);
    builder.ret_void();
    helper
}

/// Takes a call away that throws nothing, be it an invoke.
fn leave(builder: &Builder, call: Value) {
    if call.is_invoke() {
        let (normal, _) = call.invoke_destinations();
        builder.position_before(call);
        builder.br(normal);
    }
    call.erase();
}
