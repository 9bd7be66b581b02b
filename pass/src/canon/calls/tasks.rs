//! Tasks of OpenMP: the thread that meets the construct runs the task at once.
//!
//! Front ends ask the runtime for the block of a task (`__kmpc_omp_task_alloc`), write into it what the task captures,
//! and hand it over (`__kmpc_omp_task`, `__kmpc_taskloop`). OpenMP lets the thread that meets a task run it right there:
//! its children are done when it goes on, and tasks that it depends on were met before. So the canonical copy has a
//! variable for the block, and a call of the task's function where the task is handed over; what waits for tasks goes.
//! A `taskloop` is one task for all iterations. The primal keeps its tasks; derivatives run them in the order in which
//! they are met, and in the threads that meet them.
//!
//! Which tasks: annotations/tasks.rs.
//!
//! Source: LLVM's openmp/runtime/src/kmp.h (`kmp_task_t`) and kmp_tasking.cpp; OpenMP 5.2, sections 12.5 to 12.9.

use super::prepared::prepared;
use crate::{
    annotations::tasks::{
        ALLOCATE, BLOCK, HAND_OVER, NEEDLESS, PART, TAKES_BLOCK, Task, is_of, resumes,
    },
    canon::{SUFFIX, Shared},
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};

/// Of calls that hand a task over: the thread's number.
const THREAD: usize = 1;
/// Of a call that asks for a part of a reduction: the variable.
const VARIABLE: usize = 2;
/// What the names of those begin with that make tasks of the iterations of a loop.
const LOOP: &str = "__kmpc_taskloop";
/// Of blocks of tasks, in bytes.
const ALIGNMENT: u32 = 16;

/// Lets a function run its tasks where it meets them.
pub fn rewrite(module: Module, function: Function, shared: &mut Shared) {
    let mut names = [ALLOCATE, HAND_OVER, PART].iter().chain(NEEDLESS);
    if names.all(|name| module.function(name).is_none()) {
        return;
    }
    let tasks: Vec<Task> = calls(function, ALLOCATE).filter_map(Task::of).collect();
    for task in &tasks {
        for call in run_at_once(task, module, function) {
            take_in(module, call, task.entry, shared);
        }
    }
    for call in collected(calls(function, HAND_OVER).filter(|c| resumes(*c))) {
        resume(module, call, function);
    }
    for part in collected(calls(function, PART)) {
        part.replace_uses(part.operand(VARIABLE));
        part.erase();
    }
    for call in collected(NEEDLESS.iter().flat_map(|name| calls(function, name))) {
        erase(call);
    }
}

/// Calls that may be erased one by one.
fn collected(calls: impl Iterator<Item = Value>) -> Vec<Value> {
    calls.collect()
}

/// The calls of a function of the runtime.
fn calls(function: Function, name: &'static str) -> impl Iterator<Item = Value> {
    let all = function.blocks().into_iter().flat_map(|b| b.instructions());
    all.filter(move |i| i.is_call() && is_of(*i, &[name]))
}

/// A call that returns 0, null or nothing goes.
fn erase(call: Value) {
    if !call.ty().is_void() {
        call.replace_uses(call.ty().zero());
    }
    call.erase();
}

/// Goes on with a task right here, in its own function; where that was inlined, the block says which it is.
fn resume(module: Module, call: Value, function: Function) {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let b = Builder::new(context);
    b.position_before(call);
    let (thread, block) = (call.operand(THREAD), call.operand(BLOCK));
    let ty = Type::function(i32, &[i32, ptr], false);
    let is_own = function.ty() == ty && is_given(block, function);
    let own = || module.function(function.name().split(SUFFIX).next()?);
    let entry = is_own.then(own).flatten().map_or_else(
        || b.load(ptr, b.byte_offset(block, context.int(64).int(module.alloc_size(ptr)))),
        |own| own.value(),
    );
    call.copy_location(b.call_value(ty, entry, &[thread, block]));
    erase(call);
}

/// Whether a block is the one that the function of a task is given, and not that of a task which was inlined there.
fn is_given(block: Value, function: Function) -> bool {
    let given = function.params()[1];
    let is_variable = |v: Value| v.is_instruction() && v.opcode() == Opcode::LLVMAlloca;
    let holds = |user: Value| match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == given,
        opcode => opcode == Opcode::LLVMLoad,
    };
    let is_loaded = block.is_instruction() && block.opcode() == Opcode::LLVMLoad;
    block == given
        || is_loaded
            && is_variable(block.operand(0))
            && block.operand(0).users().into_iter().all(|u| u.is_instruction() && holds(u))
}

/// Inlines what the compiler left as the front end wrote it: the block is then a variable like others.
fn take_in(module: Module, call: Value, entry: Function, shared: &mut Shared) {
    let is_one = entry.has_attribute("noinline") && !calls(entry, HAND_OVER).any(resumes);
    if is_one {
        call.set_called(prepared(module, entry, shared));
        if !call.inline() {
            call.set_called(entry);
        }
    }
}

/// Puts calls of its function in the place of those that hand it over, and returns all calls of it.
fn run_at_once(task: &Task, module: Module, function: Function) -> Vec<Value> {
    let (context, made) = (module.context(), task.block);
    let (ptr, i32, i64) = (context.ptr(), context.int(32), context.int(64));
    let b = Builder::new(context);
    let variable = |bytes: u64| {
        b.position_at_start(function.blocks()[0]);
        let variable = b.alloca(context.int(8).array(bytes), "task");
        variable.set_alignment(ALIGNMENT);
        variable
    };
    let block = variable(task.bytes);
    let mut variables = vec![block];
    // A variable of its own: one that holds its own address stays in memory.
    let shared = (task.shared_bytes > 0).then(|| variable(task.shared_bytes));
    b.position_before(made);
    shared.into_iter().for_each(|shared| _ = b.store(shared, block));
    // The function, and the number of its next part, for tasks that are resumed; a destructor lies behind them.
    let alignment = module.alloc_size(ptr);
    let part = 2 * alignment;
    b.store(task.entry.value(), b.byte_offset(block, i64.int(alignment)));
    b.store(i32.zero(), b.byte_offset(block, i64.int(part)));
    made.replace_uses(block);
    let entry = task.entry;
    let call = |ty: Type, f: Value, arguments: &[Value], at: Value| {
        at.copy_location(b.call_value(ty, f, arguments));
    };
    let run = |at: Value, block: Value| {
        call(entry.ty(), entry.value(), &[at.operand(THREAD), block], at);
    };
    let finish = |at: Value, block: Value| {
        if task.has_destructors {
            let destroy = b.load(ptr, b.byte_offset(block, i64.int(part + alignment)));
            call(entry.ty(), destroy, &[at.operand(THREAD), block], at);
        }
    };
    for at in block.users().into_iter().filter(|u| is_of(*u, TAKES_BLOCK)) {
        let name = at.called().as_function().expect("it has a name").name();
        // Of a taskloop: tells a task that it has the last iterations, and copies objects.
        let divide = at.operand(at.argument_count() - 1);
        let is_divided = name.starts_with(LOOP) && !divide.is_null();
        let own = if is_divided { variable(task.bytes) } else { block };
        variables.extend(is_divided.then_some(own));
        b.position_before(at);
        if is_divided {
            b.memcpy(own, ALIGNMENT, block, ALIGNMENT, i64.int(task.bytes));
            let ty = Type::function(context.void(), &[ptr, ptr, i32], false);
            call(ty, divide, &[own, block, i32.int(1)], at);
        }
        if !name.ends_with("_if0") {
            run(at, own);
        }
        if !name.ends_with("_begin_if0") {
            finish(at, own);
        }
        if is_divided {
            finish(at, block);
        }
        erase(at);
    }
    made.erase();
    let users = variables.iter().flat_map(|v| v.users());
    users.filter(|u| u.is_call() && u.called().as_function() == Some(entry)).collect()
}
