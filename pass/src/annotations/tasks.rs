//! Tasks of OpenMP that the thread which meets them may run at once: derivatives do (canon/calls/tasks.rs).
//!
//! Those that an event completes are not: they are left to the runtime's functions, which have no derivatives.
//!
//! Source: LLVM's openmp/runtime/src/kmp.h (`kmp_task_t`) and kmp_tasking.cpp; OpenMP 5.2, sections 5.5.7 and 12.5.

use crate::llvm::{Function, Opcode, Value};

/// What the names of the runtime's functions begin with.
const PREFIX: &str = "__kmpc_";
/// The call that makes a task.
pub const ALLOCATE: &str = "__kmpc_omp_task_alloc";
/// The call that hands it over.
pub const HAND_OVER: &str = "__kmpc_omp_task";
/// Calls that hand a task over, and let it begin or end in the thread that met it: the task is argument 2.
pub const TAKES_BLOCK: &[&str] = &[
    HAND_OVER, "__kmpc_omp_task_with_deps", "__kmpc_taskloop", "__kmpc_taskloop_5",
    "__kmpc_omp_task_begin_if0", "__kmpc_omp_task_complete_if0",
];
/// Calls that wait, let other tasks run, or begin a reduction over tasks. They return 0, null or nothing.
pub const NEEDLESS: &[&str] = &[
    "__kmpc_omp_taskwait",
    "__kmpc_omp_taskwait_deps_51",
    "__kmpc_omp_wait_deps",
    "__kmpc_omp_taskyield",
    "__kmpc_taskgroup",
    "__kmpc_end_taskgroup",
    "__kmpc_taskred_init",
    "__kmpc_task_reduction_init",
    "__kmpc_taskred_modifier_init",
    "__kmpc_task_reduction_modifier_init",
    "__kmpc_task_reduction_modifier_fini",
];
/// Returns the thread's part of a variable of a reduction over tasks, which is argument 2. Where all tasks of a thread
/// run in it, one after the other, that may be the variable itself.
pub const PART: &str = "__kmpc_task_reduction_get_th_data";

/// Arguments of the call that allocates.
const FLAGS: usize = 2;
const BYTES: usize = 3;
const SHARED_BYTES: usize = 4;
const ENTRY: usize = 5;
/// The argument of the others that is the task.
pub const BLOCK: usize = 2;

/// Flags of tasks: a destructor runs after it; another library completes it; an event does.
const DESTRUCTORS: u64 = 8;
const PROXY: u64 = 0x10;
const DETACHABLE: u64 = 0x40;

/// Whether a call is one of these functions.
pub fn is_of(call: Value, names: &[&str]) -> bool {
    let called = if call.is_call() { call.called().as_function() } else { None };
    called.filter(|f| f.is_declaration()).is_some_and(|f| names.contains(&&*f.name()))
}

/// Whether a call hands a task over again that is under way: one that may go on in another thread (`untied`).
pub fn resumes(call: Value) -> bool {
    is_of(call, &[HAND_OVER]) && !is_of(call.operand(BLOCK), &[ALLOCATE])
}

/// Whether canonical copies do without this call.
pub fn is_replaced(call: Value) -> bool {
    let called = if call.is_call() { call.called().as_function() } else { None };
    if !called.is_some_and(|f| f.is_declaration() && f.name().starts_with(PREFIX)) {
        return false;
    }
    let made = if is_of(call, TAKES_BLOCK) { call.operand(BLOCK) } else { call };
    is_of(call, NEEDLESS) || is_of(call, &[PART]) || resumes(call) || Task::of(made).is_some()
}

/// A task that can be run where it is met.
pub struct Task {
    /// The call that allocates its block.
    pub block: Value,
    pub entry: Function,
    /// Bytes of the block, and of what it shares with others, to which its first member leads.
    pub bytes: u64,
    pub shared_bytes: u64,
    pub has_destructors: bool,
}

impl Task {
    /// The one that a call makes, if it is one.
    pub fn of(block: Value) -> Option<Task> {
        if !is_of(block, &[ALLOCATE]) {
            return None;
        }
        let bytes = |i: usize| block.operand(i).as_int().and_then(|n| u64::try_from(n).ok());
        let flags = flags(block.operand(FLAGS), 0)?;
        let task = Task {
            block,
            entry: block.operand(ENTRY).as_function().filter(|f| !f.is_declaration())?,
            bytes: bytes(BYTES)?,
            shared_bytes: bytes(SHARED_BYTES)?,
            has_destructors: flags & DESTRUCTORS != 0,
        };
        let is_known = |user: Value| {
            !user.is_call()
                || user.called().as_function() == Some(task.entry)
                || user.called().as_function().is_some_and(|f| f.intrinsic().is_some())
                || is_of(user, TAKES_BLOCK) && user.operand(BLOCK) == block
        };
        let is_run_at_once = flags & (PROXY | DETACHABLE) == 0;
        (is_run_at_once && block.users().into_iter().all(is_known)).then_some(task)
    }
}

/// All flags that a task may have: front ends choose some when the program runs.
fn flags(value: Value, depth: u32) -> Option<u64> {
    if let Some(flags) = value.as_int() {
        return Some(flags as u64);
    }
    let of = |i: usize| flags(value.operand(i), depth + 1);
    match value.opcode() {
        _ if !value.is_instruction() || depth > 4 => None,
        Opcode::LLVMOr => Some(of(0)? | of(1)?),
        Opcode::LLVMSelect => Some(of(1)? | of(2)?),
        _ => None,
    }
}
