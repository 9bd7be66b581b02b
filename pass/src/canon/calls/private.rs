//! Private copies of reals (`firstprivate`), which front ends pass to a parallel region as integers.
//!
//! The region's own code shows what they are where it makes a real of the bits. Where it only moves the bits, as passes
//! spell `x[i] = a`, the call shows of what they were made.

use super::teams::{NUMBERS, forked, own_arguments};
use crate::llvm::{Module, Opcode, Type, Value};
use adir::hashed::HashSet;

/// Regions within one another that are looked into, at most.
const DEEPEST: u32 = 4;

/// The type of the real of which a parameter has the bits, if nothing else is made of it.
pub fn real_of(module: Module, param: Value) -> Option<Type> {
    one_of(module, param, seen_as(param, DEEPEST)?)
}

/// The type of the real of which a parameter is given the bits by `argument`, where the region only moves them.
pub fn given_real(module: Module, param: Value, argument: Value) -> Option<Type> {
    let is_moved = param.ty().is_int() && seen_as(param, DEEPEST)?.is_empty();
    if is_moved { one_of(module, param, vec![made_of(module, argument)?]) } else { None }
}

fn one_of(module: Module, param: Value, types: Vec<Type>) -> Option<Type> {
    let first = *types.first()?;
    let is_one = types.iter().all(|ty| *ty == first) && first.is_float();
    let fits = || 8 * module.alloc_size(first) <= u64::from(param.ty().int_width());
    (is_one && fits()).then_some(first)
}

/// The types that code sees the bits of a parameter as; `None` where it does something else with them than to move
/// them.
fn seen_as(param: Value, depth: u32) -> Option<Vec<Type>> {
    if !param.ty().is_int() {
        return None;
    }
    let (mut seen, mut work, mut types) = (HashSet::from_iter([param]), vec![param], vec![]);
    while let Some(bits) = work.pop() {
        for user in bits.users() {
            if !user.is_instruction() {
                return None;
            }
            match user.opcode() {
                Opcode::LLVMBitCast => types.push(user.ty()),
                Opcode::LLVMTrunc | Opcode::LLVMPHI | Opcode::LLVMFreeze => {
                    work.extend(seen.insert(user).then_some(user));
                }
                Opcode::LLVMSelect if user.operand(0) != bits => {
                    work.extend(seen.insert(user).then_some(user));
                }
                Opcode::LLVMStore if user.operand(0) == bits => {
                    let variable = user.operand(1);
                    let is_variable =
                        variable.is_instruction() && variable.opcode() == Opcode::LLVMAlloca;
                    if is_variable && bits == param {
                        types.extend(accessed(variable, user)?);
                    }
                }
                _ => types.extend(handed_on(bits, user, depth)?),
            }
        }
    }
    Some(types)
}

/// The types that a region within the region sees the bits as.
fn handed_on(bits: Value, fork: Value, depth: u32) -> Option<Vec<Type>> {
    let region = if fork.is_call() && depth > 0 { forked(fork) } else { None }?;
    let (own, params) = (own_arguments(fork), region.params());
    let given = own.into_iter().zip(params.get(NUMBERS..)?);
    let given = given.filter(|(argument, _)| *argument == bits);
    given
        .map(|(_, param)| seen_as(*param, depth - 1))
        .collect::<Option<Vec<_>>>()
        .map(|all| all.concat())
}

/// The types that the front end's variable for a parameter is accessed as, but for the store of the parameter.
fn accessed(variable: Value, store: Value) -> Option<Vec<Type>> {
    let others = variable.users().into_iter().filter(|u| *u != store);
    let of = |u: Value| match u.opcode() {
        Opcode::LLVMLoad => Some(u.ty()),
        Opcode::LLVMStore if u.operand(1) == variable => Some(u.operand(0).ty()),
        _ => None,
    };
    others.map(of).collect()
}

/// The type of the real of which an integer is the bits, as far as that shows where it is made.
fn made_of(module: Module, bits: Value) -> Option<Type> {
    if !bits.is_instruction() {
        return None;
    }
    let context = module.context();
    match bits.opcode() {
        Opcode::LLVMBitCast => Some(bits.operand(0).ty()),
        Opcode::LLVMZExt => made_of(module, bits.operand(0)),
        Opcode::LLVMLoad => match bits.tbaa_type().as_deref() {
            Some("double") => Some(context.f64()),
            Some("float") => Some(context.f32()),
            Some(_) => None,
            None => stored(bits.operand(0)),
        },
        _ => None,
    }
}

/// The type of what is stored in the front end's variable for the integer.
fn stored(variable: Value) -> Option<Type> {
    if !variable.is_instruction() || variable.opcode() != Opcode::LLVMAlloca {
        return None;
    }
    let is_store = |u: &Value| u.is_instruction() && u.opcode() == Opcode::LLVMStore;
    let stores = variable.users().into_iter().filter(is_store);
    let types: Vec<Type> = stores.map(|s| s.operand(0).ty()).collect();
    let first = *types.first()?;
    types.iter().all(|ty| *ty == first).then_some(first)
}
