//! Internal procedures of Fortran that are passed as arguments, and nested functions.
//!
//! The compiler makes their addresses of code on the stack (`llvm.init.trampoline`), which gives the
//! function the frame of its host. In canonical copies, the host stores the frame in a variable, and
//! the address is that of a function that calls the internal procedure with what the variable
//! holds. That is the same as long as the host has one frame: a host that may be entered again, as far
//! as the module shows, keeps its trampolines, which are refused (AD021).

use crate::{
    annotations::attributes::is_ours,
    llvm::{Builder, Function, Intrinsic, Module, Type, Value},
};
use adir::hashed::HashSet;

/// Behind the name of an internal procedure: the variable with its host's frame, and the function
/// that calls it with that.
const FRAME: &str = ".ad.frame";
const IN_HOST: &str = ".ad.in_host";
/// The function that holds the addresses of those functions: they may be called.
const HOLDER: &str = "__adcc.internal_procedures";

/// Makes what the copies of a module need: before anybody asks for the functions whose addresses
/// are taken.
pub fn prepare(module: Module) {
    let functions: Vec<Function> =
        module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let mut made = vec![];
    for &host in &functions {
        let begun: Vec<Function> = begun(host).into_iter().filter_map(|(_, f, _)| f).collect();
        if begun.is_empty() || may_enter_again(host) {
            continue;
        }
        for f in begun {
            if module.function(&format!("{}{IN_HOST}", f.name())).is_none() {
                made.extend(in_host(module, f));
            }
        }
    }
    if made.is_empty() {
        return;
    }
    let context = module.context();
    let holder = module.add_function(HOLDER, Type::function(context.void(), &[], false));
    holder.set_external(false);
    let b = Builder::at_end(context, holder.append_block("entry"));
    let at = b.alloca(context.ptr(), "at");
    for f in made {
        b.store(f.value(), at);
    }
    b.ret_void();
}

/// Deletes it.
pub fn forget(module: Module) {
    let Some(holder) = module.function(HOLDER) else { return };
    holder.delete();
    super::drop_copies(module, IN_HOST);
}

/// Has a copy take the addresses of these functions.
pub fn rewrite(module: Module, function: Function) {
    let begun = begun(function);
    if begun.is_empty() {
        return;
    }
    let b = Builder::new(module.context());
    for call in adjusted(function) {
        let trampoline = call.operand(0);
        let mut of: Vec<Option<Function>> =
            begun.iter().filter(|(_, _, t)| *t == trampoline).map(|(_, f, _)| *f).collect();
        of.dedup();
        let [Some(f)] = of[..] else { continue };
        if let Some(in_host) = module.function(&format!("{}{IN_HOST}", f.name())) {
            call.replace_uses(in_host.value());
            call.erase();
        }
    }
    let kept: Vec<Value> = adjusted(function).into_iter().map(|c| c.operand(0)).collect();
    for (call, f, trampoline) in begun {
        let Some(f) = f.filter(|_| !kept.contains(&trampoline)) else { continue };
        if let Some(frame) = module.global(&format!("{}{FRAME}", f.name())) {
            b.position_before(call);
            b.store(call.operand(2), address(module, &b, frame));
            call.erase();
        }
    }
}

/// The variable of this thread.
fn address(module: Module, b: &Builder, frame: Value) -> Value {
    b.call(module.intrinsic(Intrinsic::ThreadLocalAddress, &[frame.ty()]), &[frame])
}

/// Where a function begins trampolines: the call, the internal procedure, the trampoline.
fn begun(function: Function) -> Vec<(Value, Option<Function>, Value)> {
    let is_begin = |c: &Value| c.intrinsic() == Some(Intrinsic::InitTrampoline);
    let calls = super::unwind::calls(function).filter(is_begin);
    calls.map(|c| (c, c.operand(1).as_function(), c.operand(0))).collect()
}

fn adjusted(function: Function) -> Vec<Value> {
    let is_it = |c: &Value| c.intrinsic() == Some(Intrinsic::AdjustTrampoline);
    super::unwind::calls(function).filter(is_it).collect()
}

/// The function that calls `f` with the frame of its host. `None` where that is not one pointer
/// more.
fn in_host(module: Module, f: Function) -> Option<Function> {
    if f.is_declaration() || f.is_variadic() {
        return None;
    }
    let types = f.ty().function_params();
    let nest = (0..types.len()).find(|&i| f.param_has_attribute(i, "nest"))?;
    let context = module.context();
    let mut rest = types.clone();
    rest.remove(nest);
    let ty = Type::function(f.ty().function_result(), &rest, false);
    let frame = module.private_thread_local(&format!("{}{FRAME}", f.name()), context.ptr());
    let made = module.add_function(&format!("{}{IN_HOST}", f.name()), ty);
    made.set_external(false);
    made.add_unwind_table();
    made.copy_target_attributes(f);
    let b = Builder::at_end(context, made.append_block("entry"));
    let mut args = made.params();
    args.insert(nest, b.load(context.ptr(), address(module, &b, frame)));
    let call = b.call(f, &args);
    if f.ty().function_result().is_void() {
        b.ret_void()
    } else {
        b.ret(call)
    }
    Some(made)
}

/// Whether a function may run again before it returns: it names itself, or what it names does; or
/// its address is in a table, and it calls through pointers.
fn may_enter_again(host: Function) -> bool {
    let (mut seen, mut work) = (HashSet::default(), vec![host]);
    let mut calls_any = false;
    while let Some(f) = work.pop() {
        for i in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            calls_any |= i.is_call() && super::indirect::is_indirect(i);
            for named in (0..i.operand_count()).filter_map(|k| i.operand(k).as_function()) {
                if named == host {
                    return true;
                }
                if !named.is_declaration() && seen.insert(named) {
                    work.push(named);
                }
            }
        }
    }
    let elsewhere = |user: Value| {
        !user.is_instruction() || !user.is_call() && !is_ours(user.block().function())
    };
    calls_any && host.value().users().into_iter().any(elsewhere)
}
