//! Calls through pointers, as choices between direct calls.
//!
//! `p(x)` becomes `if (p == &f) f(x); else if (p == &g) g(x); … else error`, where f, g, … are the
//! functions of the module whose address is taken and that the call can reach by its type and by
//! where p comes from (targets.rs). Then every analysis and both modes see direct calls only. Comes
//! after simplification: a pointer that is known by then is a direct call already.
//!
//! - The error is one at run time (AD202): what p leads to is not in this module, or p's type lies.
//!   It ends the path, so that the analyses may ignore it. A call that takes and returns nothing
//!   but integers stays as it was, there.
//! - No function fits, or more than [`MOST_TARGETS`]: the call stays indirect, and is refused where
//!   it is active (AD022). Where no function fits and code calls what is not null, it is null as far as
//!   is known (a `std::any` that nobody fills): that path ends with the error as well.
//! - A function found that way need not have a derivative: then the error comes at run time too
//!   (AD203), in that branch. Its call carries [`POSSIBLE`].

mod apart;
mod hierarchy;
mod targets;

pub use apart::Apart;
pub use targets::{Origin, Targets, address_holders, is_table};

use crate::{
    annotations::attributes::{CROWDED, POSSIBLE, TARGETS},
    canon::models::resources,
    diagnostics::names::readable,
    llvm::{Block, Function, IntPredicate, Module, Opcode, Type, Value},
};

/// An indirect call with more possible targets than this stays as it is.
pub const MOST_TARGETS: usize = 256;
/// A function in which so many choices were made gets no more: loops over calls are unrolled. Its
/// further choices stand in functions of their own (apart.rs).
pub const MOST_CHOICES: usize = 1024;
/// A function that calls a possible target of at most this many instructions may take it in.
const PLAIN_LIMIT: usize = 200;

/// The runtime's end of a path that leads to an unknown function.
pub const UNKNOWN_TARGET: &str = "adrt_unknown_target";

/// The indirect calls of a function that nobody has looked at.
pub fn calls(function: Function) -> Vec<Value> {
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    insts.filter(|&i| i.is_call() && is_indirect(i) && i.call_string(TARGETS).is_none()).collect()
}

/// Whether a call is one through a pointer.
pub fn is_indirect(call: Value) -> bool {
    let called = call.called();
    called.as_function().is_none() && !called.is_assembly()
}

/// Turns the indirect calls of `function` into choices; whether there was one to turn. What would be
/// too many for it stands `apart`.
pub fn resolve(
    module: Module,
    function: Function,
    targets: &Targets,
    choices: &mut usize,
    apart: &mut Apart,
) -> bool {
    let mut changed = false;
    for call in calls(function) {
        let origin = targets::origin(call);
        let found = targets.of_call(call.called_type(), &origin);
        let model = resources::model(module, call, &origin);
        if let Some(model) = model.filter(|_| found.len() <= MOST_TARGETS) {
            resources::ask(module, call, &origin);
            *choices += promote_all(call, &found);
            call.set_called(model);
            changed = true;
            continue;
        }
        if found.is_empty() && is_concerned(call.called_type()) && is_tested(call) {
            end(module, function, call);
            changed = true;
            continue;
        }
        if found.is_empty() || found.len() > MOST_TARGETS {
            call.set_call_string(TARGETS, &found.len().to_string());
            continue;
        }
        let count = found.len();
        if *choices + count > MOST_CHOICES {
            if apart.replace(module, call, found) {
                changed = true;
            } else {
                call.set_call_string(TARGETS, &count.to_string());
                call.set_call_string(CROWDED, "");
            }
            continue;
        }
        let direct = promote_all(call, &found);
        *choices += direct;
        close(module, function, call, direct);
        changed |= direct > 0;
    }
    changed
}

/// Blocks between a call and the test of what it calls.
const MOST_BLOCKS: usize = 16;

/// Whether a call is only reached where what it calls is not null.
fn is_tested(call: Value) -> bool {
    let is = |v: &Value, op| v.is_instruction() && v.opcode() == op;
    let null_tests = call
        .called()
        .users()
        .into_iter()
        .filter(|user| is(user, Opcode::LLVMICmp) && (0..2).any(|i| user.operand(i).is_null()));
    let way_on = |test: Value, branch: Value| {
        let ways = branch.successors();
        match (test.int_predicate(), &ways[..]) {
            (IntPredicate::LLVMIntEQ, [null, other]) if null != other => Some(*other),
            (IntPredicate::LLVMIntNE, [other, null]) if null != other => Some(*other),
            _ => None,
        }
    };
    let ways: Vec<(Block, Block)> = null_tests
        .flat_map(|test| {
            let branches = test.users().into_iter().filter(|user| is(user, Opcode::LLVMBr));
            branches.filter_map(move |branch| Some((branch.block(), way_on(test, branch)?)))
        })
        .collect();
    let blocks = call.block().function().blocks();
    let leads_to =
        |from: &Block, to| from.terminator().is_some_and(|t| t.successors().contains(&to));
    let mut at = call.block();
    !ways.is_empty()
        && (0..MOST_BLOCKS).any(|_| {
            let mut before = blocks.iter().filter(|b| leads_to(b, at));
            let (Some(&one), None) = (before.next(), before.next()) else { return false };
            let is_way = ways.contains(&(one, at));
            at = one;
            is_way
        })
}

/// Makes an indirect call a choice between functions, as far as they can be called so, and itself; how
/// many.
fn promote_all(call: Value, found: &[Function]) -> usize {
    let promoted = found.iter().filter_map(|callee| call.promote(*callee));
    promoted.inspect(|one| one.set_call_string(POSSIBLE, "")).count()
}

/// What becomes of the call itself, behind so many direct ones.
fn close(module: Module, function: Function, call: Value, direct: usize) {
    if direct == 0 || !is_concerned(call.called_type()) {
        call.set_call_string(TARGETS, &direct.to_string());
    } else {
        end(module, function, call);
    }
}

/// Whether a function of that type can have to do with derivatives: it takes or returns reals or
/// addresses.
fn is_concerned(ty: Type) -> bool {
    let is_integer = |t: Type| t.is_int() || t.is_void();
    !is_integer(ty.function_result()) || !ty.function_params().into_iter().all(is_integer)
}

/// The path on which no known function is called ends with an error.
fn end(module: Module, function: Function, call: Value) {
    let context = module.context();
    let ty = Type::function(context.void(), &[context.ptr(), context.ptr()], false);
    let f = module.declare(UNKNOWN_TARGET, ty);
    for attribute in ["cold", "noreturn", "nounwind"] {
        f.add_attribute(attribute);
    }
    let name = readable(&function.name());
    let name = name.strip_suffix(".ad.canon").unwrap_or(&name);
    let place = crate::diagnostics::place(call).map(|p| format!("at {p} ")).unwrap_or_default();
    call.end_path(f, &format!("{place}in function '{name}'"));
}

/// Whether a call to a possible target may be inlined: its body computes with reals and reads
/// memory, and nothing in it can be refused that the call alone would not be.
pub fn is_plain(f: Function) -> bool {
    let mut size = 0;
    f.blocks().into_iter().flat_map(|b| b.instructions()).all(|i| {
        size += 1;
        size <= PLAIN_LIMIT && is_plain_instruction(i)
    })
}

fn is_plain_instruction(i: Value) -> bool {
    use Opcode::*;
    let ty = i.ty();
    let is_scalar = |t: Type| t.is_float() || t.is_int() || t.is_pointer() || t.is_void();
    match i.opcode() {
        LLVMStore => {
            is_scalar(i.operand(0).ty())
                && !i.is_volatile()
                && !i.is_atomic()
                && is_own(i.operand(1))
        }
        LLVMLoad => is_scalar(ty) && !i.is_volatile() && !i.is_atomic(),
        LLVMCall => {
            i.called().as_function().is_some_and(|f| {
                f.is_declaration()
                    && matches!(
                        adir::library::classify(&f.name()),
                        Some(
                            adir::Callee::Rule(..) | adir::Callee::Inactive | adir::Callee::PureInt
                        )
                    )
            }) && is_scalar(ty)
        }
        LLVMPHI | LLVMSelect => is_scalar(ty) && !ty.is_pointer(),
        LLVMAlloca => is_scalar(i.allocated_type()),
        LLVMFNeg | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMAdd | LLVMSub | LLVMMul
        | LLVMShl | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMLShr | LLVMAShr | LLVMAnd
        | LLVMOr | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPTrunc | LLVMFPExt
        | LLVMSIToFP | LLVMUIToFP | LLVMFPToSI | LLVMFPToUI | LLVMFreeze => is_scalar(ty),
        LLVMICmp | LLVMFCmp | LLVMGetElementPtr | LLVMBr | LLVMRet | LLVMUnreachable => true,
        _ => false,
    }
}

/// Whether the address is that of a stack variable.
fn is_own(address: Value) -> bool {
    let mut at = address;
    while at.is_instruction() && at.opcode() == Opcode::LLVMGetElementPtr {
        at = at.operand(0);
    }
    at.is_instruction() && at.opcode() == Opcode::LLVMAlloca
}
