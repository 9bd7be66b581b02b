//! Messages of exceptions are asked by a function without derivative.
//!
//! `e.what()` in a handler is a virtual call, and the class of the exception is only known when the
//! program runs: a library may have thrown it. Whatever class it is, the message is text. So where
//! all that a handler catches derives from `std::exception`, the call is one of `adrt_what` (crate
//! adrt). Where the module has a `what` that computes with reals, the call stays as it is.

use super::{classes::is_exception, throws::sources, unwind};
use crate::llvm::{Function, IntPredicate, Module, Opcode, Type, Value};
use adir::hashed::HashSet;

const WHAT: &str = "adrt_what";
const BEGIN: &str = "__cxa_begin_catch";
/// How the mangled name of such a function ends, and its place in the table of virtual functions.
const NAME: &str = "4whatEv";
const PLACE: i64 = 2;

/// Rewrites them in a canonical copy.
pub fn rewrite(module: Module, function: Function) {
    let context = module.context();
    let ty = Type::function(context.ptr(), &[context.ptr()], false);
    let calls: Vec<Value> = unwind::calls(function)
        .filter(|call| call.called_type() == ty && is_message(module, *call))
        .collect();
    if calls.is_empty()
        || module.functions().into_iter().any(|f| f.name().ends_with(NAME) && computes(f))
    {
        return;
    }
    let what = module.declare(WHAT, ty);
    for call in calls {
        call.set_called(what);
        call.add_call_attribute("nounwind");
    }
}

/// Whether a call is that of the third virtual function of an exception that a handler has caught.
fn is_message(module: Module, call: Value) -> bool {
    let is = |v: Value, op| v.is_instruction() && v.opcode() == op;
    let entry = call.called();
    if !is(entry, Opcode::LLVMLoad) {
        return false;
    }
    let (table, offset) = entry.operand(0).base();
    let size = module.store_size(module.size_type()) as i64;
    offset == PLACE * size
        && is(table, Opcode::LLVMLoad)
        && table.operand(0) == call.operand(0)
        && catches_exceptions(call.operand(0))
}

/// Whether a pointer is what a handler has caught, an exception of the standard library's kind.
fn catches_exceptions(object: Value) -> bool {
    let is_begin = object.is_instruction()
        && object.is_call()
        && object.called().as_function().is_some_and(|f| f.name() == BEGIN);
    is_begin
        && pads(object.operand(0))
            .is_some_and(|pads| pads.into_iter().all(is_of_kind) || is_tested(object))
}

/// Whether a handler is only reached where the class that is caught turned out to be an exception.
fn is_tested(begin: Value) -> bool {
    let blocks = begin.block().function().blocks();
    let mut before = blocks
        .into_iter()
        .filter_map(|b| b.terminator())
        .filter(|end| end.successors().contains(&begin.block()));
    let (Some(end), None) = (before.next(), before.next()) else { return false };
    if end.opcode() != Opcode::LLVMBr || end.successors().len() != 2 {
        return false;
    }
    let test = end.operand(0);
    let class = |v: Value| {
        let asks = v.is_instruction()
            && v.is_call()
            && v.called().name().starts_with("llvm.eh.typeid.for");
        asks.then(|| v.operand(0))
    };
    end.successors()[0] == begin.block()
        && test.is_instruction()
        && test.opcode() == Opcode::LLVMICmp
        && test.int_predicate() == IntPredicate::LLVMIntEQ
        && (0..2).filter_map(|i| class(test.operand(i))).any(is_exception)
}

/// The landing pads that a pointer comes from.
fn pads(exception: Value) -> Option<Vec<Value>> {
    let (mut seen, mut found) = (vec![exception], vec![]);
    let mut next = 0;
    while next < seen.len() {
        let v = seen[next];
        next += 1;
        match sources(v) {
            Some(all) => all.into_iter().for_each(|(source, _)| {
                if !seen.contains(&source) {
                    seen.push(source);
                }
            }),
            None if v.is_instruction() && v.opcode() == Opcode::LLVMLandingPad => found.push(v),
            None if v.is_undef() => {}
            None => return None,
        }
    }
    Some(found)
}

/// Whether a landing pad's handlers that name a class name exceptions only.
fn is_of_kind(pad: Value) -> bool {
    let is_one =
        |class: &Value| class.is_null() || class.is_global_variable() && is_exception(*class);
    pad.clauses().is_some_and(|clauses| clauses.iter().all(is_one))
}

/// Whether a function, or one that it calls, computes with reals.
fn computes(f: Function) -> bool {
    fn computes(f: Function, seen: &mut HashSet<Function>) -> bool {
        let is_real = |i: &Value| {
            i.ty().holds_float() || (0..i.operand_count()).any(|k| i.operand(k).ty().holds_float())
        };
        seen.insert(f)
            && f.blocks().into_iter().flat_map(|b| b.instructions()).any(|i| {
                let called = i.is_call().then(|| i.called().as_function()).flatten();
                is_real(&i) || called.is_some_and(|f| !f.is_declaration() && computes(f, seen))
            })
    }
    !f.is_declaration() && computes(f, &mut HashSet::default())
}
