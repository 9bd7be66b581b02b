//! Functions with a variable number of arguments: a call becomes one of a copy of the function that
//! has a parameter for each argument of the call.
//!
//! In the copy, the arguments behind the fixed ones lie in a variable on the stack as they lie in
//! memory where no register is left for them, and `va_start` makes a list that leads there. It is a
//! list as the ABI knows it: `va_arg`, which the front end has expanded, reads it as it stands, and
//! so do functions that it is passed to, those of the library as well. `va_copy` is a copy of
//! memory.
//!
//! Other functions with a body keep their `...`, and are refused (image/unit.rs): where the module
//! may get another definition, for other targets, and where arguments of other alignment are read
//! than the call shows.
//!
//! Source: System V ABI for x86-64, 3.5.7 (variable argument lists).

use crate::{
    annotations::{attributes::POSSIBLE, registry},
    canon::types::integers,
    diagnostics::names::VARIADIC,
    llvm::{Builder, Debug, Function, IntPredicate, Intrinsic, Module, Opcode, Type, Value},
};
use adir::{hashed::HashSet, target};

/// Size of a list, and where it holds what: offsets of the next integer and the next real in the
/// saved registers, and two addresses.
const LIST_BYTES: u64 = 24;
const REALS: i64 = 4;
const MEMORY: u64 = 8;
const REGISTERS: u64 = 16;
/// Offsets in the saved registers behind the last one: none is left.
const NO_INTEGERS: u64 = 48;
const NO_REALS: u64 = 176;
/// Arguments in memory lie at multiples of this.
const SLOT: u64 = 8;

/// Rewrites the calls of such functions, and what this function does with lists.
pub fn rewrite(module: Module, function: Function) {
    if target::pointer() != SLOT {
        return;
    }
    let b = Builder::new(module.context());
    let calls =
        function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call());
    for call in calls.collect::<Vec<_>>() {
        match call.called().as_function() {
            Some(f) if f.is_variadic() && !f.is_declaration() => rewrite_call(module, &b, call, f),
            Some(f) if f.intrinsic() == Some(Intrinsic::VaCopy) => copy(module, &b, call),
            Some(f) if f.intrinsic() == Some(Intrinsic::VaEnd) => call.erase(),
            _ => {}
        }
    }
}

/// A variable argument of a call.
struct Argument {
    /// What lies in memory: its type, or that of what its pointer leads to.
    ty: Type,
    is_in_memory: bool,
    alignment: u64,
    /// Where it lies behind the first.
    at: u64,
}

fn rewrite_call(module: Module, b: &Builder, call: Value, f: Function) {
    let fixed = f.ty().function_params().len();
    let is_plain = registry::of(f).is_none() && !f.is_interposable() && !f.has_attribute("naked");
    if !is_plain || f.ty() != call.called_type() || call.argument_count() < fixed {
        return;
    }
    let Some(more) = arguments(module, call, fixed) else { return };
    let is_aligned = more.iter().any(|a| a.alignment > SLOT);
    if !is_aligned && reads_aligned(f, &mut HashSet::default()) {
        return;
    }
    let copy = copy_for(module, f, call, &more);
    b.position_before(call);
    let args: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
    let new = if call.is_invoke() { call.invoke_like(copy, &args) } else { b.call(copy, &args) };
    new.copy_abi(copy);
    if call.call_string(POSSIBLE).is_some() {
        new.set_call_string(POSSIBLE, "");
    }
    call.copy_location(new);
    new.set_fast_math(call.fast_math());
    if !call.ty().is_void() {
        call.replace_uses(new);
    }
    call.erase();
}

/// The arguments behind the fixed ones, as they lie in memory.
fn arguments(module: Module, call: Value, fixed: usize) -> Option<Vec<Argument>> {
    let mut at = 0u64;
    let mut all = vec![];
    for i in fixed..call.argument_count() {
        let passed = call.operand(i).ty();
        let in_memory = call.call_type_attribute(i, "byval");
        let ty = in_memory.unwrap_or(passed);
        let is_known = in_memory.is_some()
            || ty.is_pointer()
            || ty.is_float()
            || ty.is_vector()
            || ty.is_int() && ty.int_width() <= 128;
        if !is_known {
            return None;
        }
        let alignment = match in_memory {
            Some(_) => call.call_alignment(i).max(module.alignment(ty)),
            None => module.alignment(ty),
        };
        let alignment = alignment.max(SLOT);
        at = at.next_multiple_of(alignment);
        all.push(Argument { ty, is_in_memory: in_memory.is_some(), alignment, at });
        at += module.alloc_size(ty).next_multiple_of(SLOT);
    }
    Some(all)
}

/// Whether a function, or one that it calls, takes arguments from memory that are aligned more than
/// the usual: the front end aligns the address.
fn reads_aligned(f: Function, seen: &mut HashSet<Function>) -> bool {
    if !seen.insert(f) {
        return false;
    }
    let calls = f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call());
    calls.filter_map(|call| call.called().as_function()).any(|called| {
        called.intrinsic() == Some(Intrinsic::PointerMask)
            || !called.is_declaration() && reads_aligned(called, seen)
    })
}

/// The copy of `f` for calls with these arguments.
fn copy_for(module: Module, f: Function, call: Value, more: &[Argument]) -> Function {
    let context = module.context();
    let params: Vec<Type> = (0..call.argument_count()).map(|i| call.operand(i).ty()).collect();
    let words: Vec<String> = more
        .iter()
        .map(|a| format!("{}{}@{}", if a.is_in_memory { "byval " } else { "" }, a.ty, a.at))
        .collect();
    let name = format!("{}{VARIADIC}{})", f.name(), words.join(", "));
    if let Some(known) = module.function(&name) {
        return known;
    }
    let fixed = f.ty().function_params().len();
    let new = module.add_function(&name, Type::function(f.ty().function_result(), &params, false));
    new.clone_body(f, Debug::Keep, |_, _| {});
    new.set_external(false);
    integers::mark_arguments(new);
    let (i8, i64) = (context.int(8), context.int(64));
    let b = Builder::new(context);
    b.position_before(new.blocks()[0].instructions()[0]);
    // One member for each argument, at its place.
    let (mut members, mut numbers, mut end) = (vec![], vec![], 0u64);
    for argument in more {
        if argument.at > end {
            members.push(i8.array(argument.at - end));
        }
        numbers.push(members.len() as u32);
        members.push(argument.ty);
        end = argument.at + module.alloc_size(argument.ty);
    }
    let ty = context.structure(&members);
    let area = b.alloca(ty, "arguments");
    area.set_alignment(more.iter().map(|a| a.alignment).max().unwrap_or(SLOT) as u32);
    for ((argument, member), &given) in more.iter().zip(numbers).zip(&new.params()[fixed..]) {
        let place = b.member(ty, area, member);
        if argument.is_in_memory {
            let alignment = argument.alignment as u32;
            let bytes = i64.int(module.alloc_size(argument.ty));
            b.memcpy(place, alignment, given, alignment, bytes);
        } else {
            b.store(given, place);
        }
    }
    skip_registers(new);
    for start in calls_of(new, Intrinsic::VaStart) {
        b.position_before(start);
        let list = start.operand(0);
        let i32 = context.int(32);
        let members = [
            (0, i32.int(NO_INTEGERS)),
            (REALS as u64, i32.int(NO_REALS)),
            (MEMORY, area),
            (REGISTERS, area),
        ];
        for (at, value) in members {
            b.store(value, b.byte_offset(list, i64.int(at)));
        }
        start.erase();
    }
    new
}

/// The calls of an intrinsic.
fn calls_of(f: Function, intrinsic: Intrinsic) -> Vec<Value> {
    let calls = f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call());
    calls.filter(|c| c.intrinsic() == Some(intrinsic)).collect()
}

/// Where a copy reads its own lists, no argument is in a register: says so where it asks.
fn skip_registers(copy: Function) {
    let is_variable = |v: Value| v.is_instruction() && v.opcode() == Opcode::LLVMAlloca;
    let starts = calls_of(copy, Intrinsic::VaStart);
    let mut lists: HashSet<Value> = starts.iter().map(|start| start.operand(0).base().0).collect();
    let copies: Vec<(Value, Value)> = calls_of(copy, Intrinsic::VaCopy)
        .into_iter()
        .map(|call| (call.operand(0).base().0, call.operand(1).base().0))
        .collect();
    while let Some((to, _)) =
        copies.iter().find(|(to, from)| lists.contains(from) && !lists.contains(to))
    {
        lists.insert(*to);
    }
    // A list that is another's copy as well may be anything.
    let is_own = |list: Value| {
        is_variable(list)
            && lists.contains(&list)
            && copies.iter().all(|(to, from)| *to != list || lists.contains(from))
    };
    for test in copy.blocks().into_iter().flat_map(|b| b.instructions()) {
        if test.opcode() != Opcode::LLVMICmp {
            continue;
        }
        let last = test.operand(1).as_int();
        let Some(loads) = last.and_then(|_| integers::counted_from(test.operand(0))) else {
            continue;
        };
        let is_offset = |load: &Value| {
            let (list, at) = load.operand(0).base();
            let is_within = match at {
                0 => last.is_some_and(|n| n <= NO_INTEGERS as i64),
                REALS => last.is_some_and(|n| n <= NO_REALS as i64),
                _ => false,
            };
            is_within && is_own(list)
        };
        let is_below =
            matches!(test.int_predicate(), IntPredicate::LLVMIntULT | IntPredicate::LLVMIntULE);
        if is_below && loads.iter().all(is_offset) {
            test.replace_uses(test.ty().zero());
        }
    }
}

/// `va_copy(to, from)`: a list is memory.
fn copy(module: Module, b: &Builder, call: Value) {
    b.position_before(call);
    let bytes = module.size_type().int(LIST_BYTES);
    call.copy_location(b.memcpy(call.operand(0), SLOT as u32, call.operand(1), SLOT as u32, bytes));
    call.erase();
}

/// Deletes the copies that nothing calls any more.
pub fn drop_unused(module: Module) {
    super::drop_copies(module, VARIADIC);
}
