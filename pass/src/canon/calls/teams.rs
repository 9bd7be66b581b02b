//! Parallel regions of OpenMP: a call that forks a team becomes one of a function that stands for the whole team.
//!
//! Front ends make a function of a region's code, and call `__kmpc_fork_call(place, n, region, arguments…)`: each
//! thread of the team runs `region(own number, number in the team, arguments…)`. In the canonical copy,
//! `region.team(place, arguments…)` takes the place of that call. The analyses see a loop there that runs the
//! region again and again: what one thread stores, another may read, in any order that synchronisation allows, and
//! nothing tells how many threads there are. Derivatives fork teams of their own (codegen/teams.rs).
//!
//! Source: LLVM's openmp/runtime/src/kmp.h; OpenMP 5.2, section 10.1.

use super::{captured, private};
use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};
use adir::library::NEXT_THREAD;

/// String attribute of the functions that stand for teams.
const TEAM: &str = "adcc-team";
/// The runtime's function that forks, and its arguments before those of the region.
const FORK: &str = "__kmpc_fork_call";
const FORK_ARGUMENTS: usize = 3;
/// Which parameters of such a function are values of variables of which the region takes the addresses (`v`), and which
/// are reals of whose bits the region shows nothing (`d`, `f`).
const KINDS: &str = "adcc-team-values";
/// What the names of regions end with that are given values instead of addresses, or reals instead of their bits.
const WITH_VALUES: &str = ".values";
/// Parameters of a region before its own: where its number is, and that in the team.
pub const NUMBERS: usize = 2;

/// Whether a function stands for a team.
pub fn is_team(f: Function) -> bool {
    f.attribute_string(TEAM).is_some()
}

/// The region for which a call forks a team.
pub fn forked(call: Value) -> Option<Function> {
    let is_fork = call.called().as_function().is_some_and(|f| &*f.name() == FORK);
    let region = if is_fork { call.operand(2).as_function() } else { None };
    region.filter(|f| !f.is_declaration())
}

/// What such a call gives to the region.
pub fn own_arguments(fork: Value) -> Vec<Value> {
    (FORK_ARGUMENTS..fork.argument_count()).map(|i| fork.operand(i)).collect()
}

/// Replaces the calls that fork; whether there were any.
pub fn rewrite(module: Module, function: Function) -> bool {
    let instructions = function.blocks().into_iter().flat_map(|b| b.instructions());
    let forks: Vec<Value> = instructions.filter(|i| i.is_call() && forked(*i).is_some()).collect();
    let mut changed = false;
    for fork in forks {
        let Some(region) = forked(fork) else { continue };
        let own = own_arguments(fork);
        let types = region.ty().function_params();
        let fits = types.len() == NUMBERS + own.len()
            && own.iter().zip(&types[NUMBERS..]).all(|(v, ty)| v.ty() == *ty);
        if !fits || region.is_variadic() || !region.ty().function_result().is_void() {
            continue;
        }
        let is_once = |v: &Value| own.iter().filter(|o| *o == v).count() == 1;
        let value = |(k, v): (usize, &Value)| {
            captured::value_type(fork, *v, region, NUMBERS + k).filter(|_| is_once(v))
        };
        let values: Vec<Option<Type>> = own.iter().enumerate().map(value).collect();
        let real =
            |(k, v): (usize, &Value)| private::given_real(module, region.params()[NUMBERS + k], *v);
        let reals: Vec<Option<Type>> = own.iter().enumerate().map(real).collect();
        let team = team(module, region, &values, &reals);
        let b = Builder::new(module.context());
        b.position_before(fork);
        let load = |(&v, ty): (&Value, &Option<Type>)| ty.map_or(v, |ty| b.load(ty, v));
        let own: Vec<Value> = own.iter().zip(&values).map(load).collect();
        let given = [&[fork.operand(0)], &own[..]].concat();
        b.call(team, &as_bits(module, &b, &given, &team.ty().function_params()));
        fork.erase();
        changed = true;
    }
    changed
}

/// Values of the same bits that have these types: an integer has those of a real in its lower part.
fn as_bits(module: Module, b: &Builder, values: &[Value], types: &[Type]) -> Vec<Value> {
    let of = |(&v, &ty): (&Value, &Type)| {
        let real = if ty.is_float() { ty } else { v.ty() };
        let bits = || b.context().int(8 * module.alloc_size(real) as u32);
        match (v.ty() == ty, ty.is_float()) {
            (true, _) => v,
            (_, true) if v.ty() != bits() => b.bitcast(b.cast(Opcode::LLVMTrunc, v, bits()), ty),
            (_, true) => b.bitcast(v, ty),
            _ if ty != bits() => b.cast(Opcode::LLVMZExt, b.bitcast(v, bits()), ty),
            _ => b.bitcast(v, ty),
        }
    };
    values.iter().zip(types).map(of).collect()
}

/// The function that stands for the teams that run a region, which is given values in the place of the addresses of
/// variables of these types, and reals in the place of their bits.
fn team(
    module: Module,
    region: Function,
    values: &[Option<Type>],
    reals: &[Option<Type>],
) -> Function {
    let kind = |(value, real): (&Option<Type>, &Option<Type>)| match (value, real) {
        (Some(_), _) => 'v',
        (None, Some(real)) if *real == module.context().f64() => 'd',
        (None, Some(_)) => 'f',
        (None, None) => 'a',
    };
    let kinds: String = values.iter().zip(reals).map(kind).collect();
    let name = match kinds.chars().all(|kind| kind == 'a') {
        false => format!("{}.{kinds}.team", region.name()),
        true => format!("{}.team", region.name()),
    };
    if let Some(known) = module.function(&name).filter(|f| is_team(*f)) {
        return known;
    }
    let run = with_values(module, region, (values, reals), &kinds);
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let types = [&[ptr], &run.ty().function_params()[NUMBERS..]].concat();
    let f = module.add_function(&name, Type::function(context.void(), &types, false));
    f.set_external(false);
    f.add_attribute("noinline");
    f.add_attribute("nounwind");
    f.add_attribute_string(TEAM, &region.name());
    f.add_attribute_string(KINDS, &kinds);
    let [entry, head, again, done] = ["entry", "head", "again", "done"].map(|n| f.append_block(n));
    let b = Builder::at_end(context, entry);
    let numbers = ["thread", "own"].map(|name| b.alloca(i32, name));
    for number in numbers {
        b.store(i32.zero(), number);
    }
    b.br(head);
    b.position_at_end(head);
    let next = module.declare(NEXT_THREAD, Type::function(context.int(1), &[], false));
    b.cond_br(b.call(next, &[]), again, done);
    b.position_at_end(again);
    b.call(run, &[&numbers[..], &f.params()[1..]].concat());
    b.br(head);
    b.position_at_end(done);
    b.ret_void();
    f
}

/// A function that runs a region, and is given values in the place of addresses, and reals that the region takes as
/// their bits: private copies are passed as integers. The region itself, if there are none.
fn with_values(
    module: Module,
    region: Function,
    (values, reals): (&[Option<Type>], &[Option<Type>]),
    kinds: &str,
) -> Function {
    let params = region.params();
    let of = |(i, p): (usize, &Value)| {
        let given = i.checked_sub(NUMBERS).and_then(|k| values[k].or(reals[k]));
        given.or_else(|| private::real_of(module, *p)).unwrap_or(p.ty())
    };
    let types: Vec<Type> = params.iter().enumerate().map(of).collect();
    if !kinds.contains('v') && types == region.ty().function_params() {
        return region;
    }
    let context = module.context();
    let name = format!("{}.{kinds}{WITH_VALUES}", region.name());
    let f = module.add_function(&name, Type::function(context.void(), &types, false));
    f.set_external(false);
    f.copy_target_attributes(region);
    f.params().iter().zip(&params).for_each(|(new, old)| new.set_name(&old.name()));
    let b = Builder::at_end(context, f.append_block("entry"));
    let given =
        addresses(&b, &f.params(), |i| i.checked_sub(NUMBERS).is_some_and(|k| values[k].is_some()));
    let call = b.call(region, &as_bits(module, &b, &given, &region.ty().function_params()));
    b.ret_void();
    call.inline();
    f
}

/// The addresses of variables that hold these values, where `is_value` says so.
fn addresses(b: &Builder, values: &[Value], is_value: impl Fn(usize) -> bool) -> Vec<Value> {
    let of = |(i, &v): (usize, &Value)| {
        if !is_value(i) {
            return v;
        }
        let variable = b.alloca(v.ty(), "value");
        b.store(v, variable);
        variable
    };
    values.iter().enumerate().map(of).collect()
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
        let region = team.attribute_string(TEAM).and_then(|name| module.function(&name));
        let kinds = team.attribute_string(KINDS).unwrap_or_default();
        team.delete_body();
        match region.filter(|_| !team.value().users().is_empty()) {
            Some(region) => fork_plain(module, team, region, &kinds),
            None => team.delete(),
        }
    }
    let is_unused = |f: &Function| f.name().ends_with(WITH_VALUES) && f.value().users().is_empty();
    module.functions().into_iter().filter(is_unused).for_each(Function::delete);
}

fn fork_plain(module: Module, team: Function, region: Function, kinds: &str) {
    team.set_external(false);
    [TEAM, KINDS].iter().for_each(|name| team.remove_attribute_string(name));
    let b = Builder::at_end(module.context(), team.append_block("entry"));
    let params = team.params();
    let own = addresses(&b, &params[1..], |k| kinds.as_bytes().get(k) == Some(&b'v'));
    let types = &region.ty().function_params()[NUMBERS..];
    emit_fork(module, &b, params[0], region, &as_bits(module, &b, &own, types));
    b.ret_void();
}
