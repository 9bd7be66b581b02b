//! Numbers of real(16) that were real(10), and become that again: flang computes functions of
//! real(10) in real(16).
//!
//! Before the call each number is an extension, after it a truncation. Passes may choose between
//! several numbers in between. Complex numbers are in variables that nothing else uses.

use crate::{
    annotations::attributes::MODEL,
    llvm::{Function, Opcode, Value},
};
use adir::hashed::HashSet;

/// How the names of the library's functions of real(16) end.
const OF_QUAD: &str = "F128";

/// Intrinsics of real(16), and complex powers by integers, beside the models' names for them.
const OTHERS: &[(&str, &str)] = &[
    ("llvm.powi.f128.i32", "_FortranAPowiF128"),
    ("llvm.fabs.f128", "_FortranAAbsF128"),
    ("llvm.copysign.f128", "_FortranACopysignF128"),
    ("_FortranAcqpowi", "_FortranAcqpowi"),
];

/// Functions that round nothing: their result is a real(10) if the arguments were.
const EXACT: [&str; 2] = ["llvm.fabs.f128", "llvm.copysign.f128"];

/// What was looked at: what a value was before the call, or what becomes of it behind.
type Seen = HashSet<(Value, Side)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Before,
    Behind,
}

/// Whether the models are for this call: those of functions of real(16) are for numbers that were
/// real(10), and become that again.
pub fn fits(call: Value, callee: Function, arguments: &[Value]) -> bool {
    !is_of_quad(&callee.name()) || is_extended(call, arguments)
}

/// The name of the model for a function.
pub fn symbol(name: String) -> String {
    let other = OTHERS.iter().find(|(other, _)| *other == name);
    other.map_or(name, |(_, model)| (*model).into())
}

/// Whether a function is of real(16).
fn is_of_quad(name: &str) -> bool {
    name.ends_with(OF_QUAD) || OTHERS.iter().any(|(other, _)| *other == name)
}

/// Whether all arguments of a call were real(10), and everything becomes that which it returns.
fn is_extended(call: Value, arguments: &[Value]) -> bool {
    let mut seen = Seen::default();
    arguments.iter().all(|&a| was_extended(a, &mut seen))
        && (is_exact(call) || is_truncated(call, &mut seen))
}

fn is_exact(call: Value) -> bool {
    call.called().as_function().is_some_and(|f| EXACT.contains(&f.name().as_str()))
}

fn was_extended(v: Value, seen: &mut Seen) -> bool {
    if v.ty().is_int() || v.is_constant() || !seen.insert((v, Side::Before)) {
        return true;
    }
    if !v.is_instruction() {
        return false;
    }
    let mut all = |from: usize, to: usize| (from..to).all(|i| was_extended(v.operand(i), seen));
    match v.opcode() {
        Opcode::LLVMFPExt => true,
        Opcode::LLVMPHI => all(0, v.operand_count()),
        Opcode::LLVMSelect => all(1, 3),
        Opcode::LLVMInsertValue => all(0, 2),
        Opcode::LLVMCall if is_exact(v) => all(0, v.argument_count()),
        Opcode::LLVMAlloca => v.users().into_iter().all(|user| is_extended_at(v, user, seen)),
        _ => false,
    }
}

/// Whether a use of a place holds numbers that were real(10), or takes some that become it.
fn is_extended_at(place: Value, user: Value, seen: &mut Seen) -> bool {
    match user.opcode() {
        Opcode::LLVMGetElementPtr => {
            user.users().into_iter().all(|u| is_extended_at(user, u, seen))
        }
        Opcode::LLVMStore => user.operand(0) != place && was_extended(user.operand(0), seen),
        Opcode::LLVMLoad => is_truncated(user, seen),
        Opcode::LLVMCall => user.called().as_function().is_some_and(|f| {
            let name = f.name();
            is_of_quad(name.strip_prefix(MODEL).unwrap_or(&name))
                || f.intrinsic().is_some_and(|i| i.is_lifetime())
        }),
        _ => false,
    }
}

fn is_truncated(v: Value, seen: &mut Seen) -> bool {
    v.users().into_iter().all(|user| match user.opcode() {
        Opcode::LLVMFPTrunc => true,
        Opcode::LLVMCall => is_exact(user) && is_truncated(user, seen),
        Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMExtractValue => {
            !seen.insert((user, Side::Behind)) || is_truncated(user, seen)
        }
        _ => false,
    })
}
