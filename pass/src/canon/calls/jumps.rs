//! Jumps within one function (`setjmp`, `longjmp`) become branches.
//!
//! Comes in: a function with all its calls inlined. Goes out: where all jumps to a buffer are in the
//! function, and it is known which call of `setjmp` comes before each, the jump is a branch to
//! behind that call, which returns the number that the jump passes. So both sweeps
//! follow a jump as any other branch. Must hold: nothing but these calls uses the buffer, no
//! function that is still called jumps there, and none that others may call (a handler of a
//! signal, a callback). Other calls of `setjmp` stay, and are refused.
//!
//! Variables that change between `setjmp` and the jump are indeterminate afterwards, unless they
//! are volatile (ISO C, 7.13.2.1).

use super::throws::{Order, leads_to};
use crate::{
    annotations::{attributes::GENERATED, requests, visibility},
    canon::SUFFIX,
    llvm::{Function, Intrinsic, Module, Opcode, Type, Value},
};
use adir::hashed::HashSet;

const SETS: &[&str] = &["setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp"];
const JUMPS: &[&str] = &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];
/// Bytes of a buffer: glibc's, for x86-64. That of i386 is smaller.
const BUFFER_BYTES: i64 = 200;

/// Whether a function calls `setjmp`.
pub fn has_any(module: Module, function: Function) -> bool {
    is_declared(module) && calls(function).any(|call| is_call_of(call, SETS))
}

/// Whether a module names one of these functions: most do not.
pub(super) fn is_declared(module: Module) -> bool {
    SETS.iter().any(|name| module.function(name).is_some())
}

/// Makes jumps branches; whether there were any.
pub fn resolve(module: Module, function: Function) -> bool {
    if !is_declared(module) {
        return false;
    }
    let sets: Vec<Value> = calls(function).filter(|call| is_call_of(*call, SETS)).collect();
    let mut buffers: Vec<(Value, i64)> = vec![];
    if sets.iter().any(|set| restores_signals(module, *set)) {
        return false;
    }
    for set in &sets {
        let buffer = set.operand(0).base();
        if !buffers.contains(&buffer) {
            buffers.push(buffer);
        }
    }
    let found: Vec<Branches> =
        buffers.into_iter().filter_map(|buffer| branches(module, function, buffer)).collect();
    let changed = !found.is_empty();
    for (set, jumps) in found.into_iter().flatten() {
        set.branch_from(&jumps);
    }
    changed
}

/// Whether a jump to a buffer also restores which signals are blocked, and code may change that.
fn restores_signals(module: Module, set: Value) -> bool {
    const CHANGE: [&str; 4] = ["sigprocmask", "pthread_sigmask", "sigblock", "sigsetmask"];
    set.argument_count() > 1
        && set.operand(1).as_int() != Some(0)
        && CHANGE.iter().any(|name| module.function(name).is_some())
}

/// Calls that set a buffer, and the jumps that lead to each.
type Branches = Vec<(Value, Vec<Value>)>;

fn calls(function: Function) -> impl Iterator<Item = Value> {
    function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call())
}

fn is_call_of(call: Value, names: &[&str]) -> bool {
    let called = call.called().as_function().filter(|f| f.is_declaration());
    called.is_some_and(|f| names.contains(&f.name().as_str()))
}

/// Which jumps lead to which calls that set a buffer, if all of them are in the function.
fn branches(module: Module, function: Function, (base, offset): (Value, i64)) -> Option<Branches> {
    let is_variable = base.is_instruction() && base.opcode() == Opcode::LLVMAlloca;
    let is_own_global = base.is_global_variable() && visibility::is_internal(base);
    if !is_variable && !is_own_global {
        return None;
    }
    let mut all = vec![];
    uses(module, base, 0, offset, &mut all)?;
    // Other functions that jump there: what is inlined here is a copy of theirs.
    let is_other = |call: &Value| {
        let f = call.block().function();
        f != function && !is_ours(f)
    };
    let (others, setting): (Vec<Value>, Vec<Value>) =
        all.iter().copied().filter(is_other).partition(|call| is_call_of(*call, JUMPS));
    let reaching = reaching(module, others, &setting);
    let is_called =
        |call: Value| call.called().as_function().is_some_and(|f| reaching.contains(&f));
    if calls(function).any(is_called) || reaching.iter().any(|f| is_taken(*f)) {
        return None;
    }
    let order = Order::of(function);
    let own = all.into_iter().filter(|call| call.block().function() == function);
    let (jumps, sets): (Vec<Value>, Vec<Value>) = own.partition(|call| is_call_of(*call, JUMPS));
    let mut found: Branches = sets.iter().map(|set| (*set, vec![])).collect();
    for jump in jumps {
        // The last of those that surely come before, if no other may come between.
        let before = |set: &&Value| order.dominates(**set, jump);
        let last = sets
            .iter()
            .filter(before)
            .position(|set| {
                sets.iter()
                    .filter(before)
                    .all(|other| other == set || order.dominates(*other, *set))
            })
            .and_then(|i| sets.iter().filter(before).nth(i))?;
        let others = sets.iter().filter(|set| *set != last);
        if others.clone().any(|other| leads_to(*other, &[jump], &[*last])) {
            return None;
        }
        let (_, list) = found.iter_mut().find(|(set, _)| set == last)?;
        list.push(jump);
    }
    let is_invoke = |(set, jumps): &(Value, Vec<Value>)| {
        set.is_invoke() || jumps.iter().any(|jump| jump.is_invoke())
    };
    (!found.iter().any(is_invoke)).then_some(found)
}

/// Collects the calls that use the buffer at `offset` of the memory that `pointer` leads `at` bytes
/// into; `None` where something else may access it.
fn uses(
    module: Module,
    pointer: Value,
    at: i64,
    offset: i64,
    calls: &mut Vec<Value>,
) -> Option<()> {
    for user in pointer.users() {
        if !user.is_instruction() {
            // Steps within a variable; others are addresses that lie in memory.
            let is_step = user.const_opcode() == Some(Opcode::LLVMGetElementPtr);
            let by = user.constant_step().filter(|_| is_step)?;
            uses(module, user, at + by, offset, calls)?;
            continue;
        }
        let is_apart =
            |ty: Type| at + module.store_size(ty) as i64 <= offset || at >= offset + BUFFER_BYTES;
        match user.opcode() {
            Opcode::LLVMGetElementPtr => {
                let (_, by) = user.base();
                let (_, before) = pointer.base();
                if user.base().0 != pointer.base().0 {
                    return None;
                }
                uses(module, user, at + by - before, offset, calls)?;
            }
            Opcode::LLVMLoad if is_apart(user.ty()) => {}
            Opcode::LLVMStore if user.operand(0) != pointer && is_apart(user.operand(0).ty()) => {}
            Opcode::LLVMCall if user.intrinsic().is_some_and(Intrinsic::is_lifetime) => {}
            Opcode::LLVMCall | Opcode::LLVMInvoke
                if at == offset
                    && user.operand(0) == pointer
                    && (is_call_of(user, SETS) || is_call_of(user, JUMPS)) =>
            {
                calls.push(user)
            }
            _ => return None,
        }
    }
    Some(())
}

/// Whether a function is generated, or a copy of this stage.
fn is_ours(f: Function) -> bool {
    f.attribute_string(GENERATED).is_some() || f.name().contains(SUFFIX)
}

/// The functions from which a jump may lead to a buffer that others have set: those with these
/// `jumps`, and all that call them by name, but for those which have set it before, by a call of
/// `setting`.
fn reaching(module: Module, jumps: Vec<Value>, setting: &[Value]) -> HashSet<Function> {
    let leaves = |f: Function, calls: &[Value]| {
        let own: Vec<Value> =
            setting.iter().copied().filter(|set| set.block().function() == f).collect();
        !calls.is_empty() && !precedes(&own, calls)
    };
    let of = |f: Function| -> Vec<Value> {
        jumps.iter().copied().filter(|jump| jump.block().function() == f).collect()
    };
    let functions: Vec<Function> =
        module.functions().into_iter().filter(|f| !f.is_declaration() && !is_ours(*f)).collect();
    let mut found = HashSet::default();
    loop {
        let is_new = |f: &&Function| {
            let leads = |c: &Value| c.called().as_function().is_some_and(|g| found.contains(&g));
            !found.contains(*f)
                && leaves(**f, &calls(**f).filter(leads).chain(of(**f)).collect::<Vec<_>>())
        };
        let more: Vec<Function> = functions.iter().filter(is_new).copied().collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Whether one of the calls `first`, all of one function, comes before each of `others` there.
fn precedes(first: &[Value], others: &[Value]) -> bool {
    let Some(set) = first.first() else { return false };
    let order = Order::of(set.block().function());
    others.iter().all(|other| first.iter().any(|set| order.dominates(*set, *other)))
}

/// Whether the address of a function is used for anything but calls and requests.
fn is_taken(f: Function) -> bool {
    f.value().users().into_iter().any(|user| {
        let is_request = user.is_instruction()
            && user.is_call()
            && user.called().as_function().is_some_and(requests::is_request);
        let is_called = user.is_instruction() && user.is_call() && user.called() == f.value();
        !is_request && !is_called
    })
}
