//! Parallel regions of OpenMP: a call that forks a team becomes one of a function that stands for the whole team.
//!
//! Front ends make a function of a region's code, and call `__kmpc_fork_call(place, n, region, arguments…)`: each
//! thread of the team runs `region(own number, number in the team, arguments…)`. In the canonical copy,
//! `region.team(place, arguments…)` takes the place of that call. The analyses see a loop there that runs the
//! region again and again: what one thread stores, another may read, in any order that synchronisation allows, and
//! nothing tells how many threads there are. Derivatives fork teams of their own (codegen/teams.rs).
//!
//! Source: LLVM's openmp/runtime/src/kmp.h; OpenMP 5.2, section 10.1.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};
use adir::library::NEXT_THREAD;

/// String attribute of the functions that stand for teams.
const TEAM: &str = "adcc-team";
/// The runtime's function that forks, and its arguments before those of the region.
const FORK: &str = "__kmpc_fork_call";
const FORK_ARGUMENTS: usize = 3;
/// Parameters of a region before its own: where its number is, and that in the team.
pub const NUMBERS: usize = 2;

/// Whether a function stands for a team.
pub fn is_team(f: Function) -> bool {
    f.attribute_string(TEAM).is_some()
}

/// Replaces the calls that fork; whether there were any.
pub fn rewrite(module: Module, function: Function) -> bool {
    let instructions = function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_fork =
        |i: &Value| i.is_call() && i.called().as_function().is_some_and(|f| &*f.name() == FORK);
    let forks: Vec<Value> = instructions.filter(is_fork).collect();
    let mut changed = false;
    for fork in forks {
        let Some(region) = fork.operand(2).as_function().filter(|f| !f.is_declaration()) else {
            continue;
        };
        let own: Vec<Value> =
            (FORK_ARGUMENTS..fork.argument_count()).map(|i| fork.operand(i)).collect();
        let types = region.ty().function_params();
        let fits = types.len() == NUMBERS + own.len()
            && own.iter().zip(&types[NUMBERS..]).all(|(v, ty)| v.ty() == *ty);
        if !fits || region.is_variadic() || !region.ty().function_result().is_void() {
            continue;
        }
        let b = Builder::new(module.context());
        b.position_before(fork);
        b.call(team(module, region), &[&[fork.operand(0)], &own[..]].concat());
        fork.erase();
        changed = true;
    }
    changed
}

/// The function that stands for the teams that run a region.
fn team(module: Module, region: Function) -> Function {
    let name = format!("{}.team", region.name());
    if let Some(known) = module.function(&name).filter(|f| is_team(*f)) {
        return known;
    }
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let types = [&[ptr], &region.ty().function_params()[NUMBERS..]].concat();
    let f = module.add_function(&name, Type::function(context.void(), &types, false));
    f.set_external(false);
    f.add_attribute("noinline");
    f.add_attribute("nounwind");
    f.add_attribute_string(TEAM, &region.name());
    let [entry, head, run, done] = ["entry", "head", "run", "done"].map(|n| f.append_block(n));
    let b = Builder::at_end(context, entry);
    let numbers = ["thread", "own"].map(|name| b.alloca(i32, name));
    for number in numbers {
        b.store(i32.zero(), number);
    }
    b.br(head);
    b.position_at_end(head);
    let next = module.declare(NEXT_THREAD, Type::function(context.int(1), &[], false));
    b.cond_br(b.call(next, &[]), run, done);
    b.position_at_end(run);
    b.call(region, &[&numbers[..], &f.params()[1..]].concat());
    b.br(head);
    b.position_at_end(done);
    b.ret_void();
    f
}

/// Emits what forks a team that runs `region(own number, number in the team, arguments…)`.
pub fn emit_fork(module: Module, b: &Builder, place: Value, region: Function, own: &[Value]) {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let ty = Type::function(context.void(), &[ptr, i32, ptr], true);
    let fork = module.declare(FORK, ty);
    let given = [&[place, i32.int(own.len() as u64), region.value()], own].concat();
    b.call(fork, &given);
}

/// Lets the functions that stand for teams fork them, when no canonical copy is left: plain code calls them where
/// a region has no derivative. Those that nothing calls are deleted.
pub fn settle(module: Module) {
    for team in module.functions().into_iter().filter(|f| is_team(*f)) {
        if team.value().users().is_empty() {
            team.delete();
            continue;
        }
        let Some(region) = region_of(team) else { continue };
        let context = module.context();
        team.delete_body();
        team.set_external(false);
        let b = Builder::at_end(context, team.append_block("entry"));
        let params = team.params();
        emit_fork(module, &b, params[0], region, &params[1..]);
        b.ret_void();
    }
}

/// What a team runs, while its function is the loop above.
fn region_of(team: Function) -> Option<Function> {
    let calls = team.blocks().into_iter().flat_map(|b| b.instructions());
    let mut calls = calls.filter(|i| i.opcode() == Opcode::LLVMCall);
    calls.find_map(|c| c.called().as_function().filter(|f| !f.is_declaration()))
}
