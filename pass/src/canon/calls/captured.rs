//! Variables that parallel regions only read.
//!
//! Front ends give a region the address of each shared variable. The analyses would see pointers to pointers, of which
//! any store in the region might change what they lead to. Where no code can change a variable while the region runs,
//! its value is given instead. That is so if it is a local variable whose address nothing keeps, and the region does
//! nothing but load from it.

use super::teams::{NUMBERS, forked, own_arguments};
use crate::llvm::{Function, Opcode, Type, Value};

/// What is done with the memory at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uses {
    None,
    /// It is loaded, always as this type.
    Read(Type),
    /// It is loaded or overwritten.
    Written,
    /// Others may know the address.
    Unknown,
}

impl Uses {
    fn and(self, other: Uses) -> Uses {
        match (self, other) {
            (Uses::None, x) | (x, Uses::None) => x,
            (Uses::Unknown, _) | (_, Uses::Unknown) => Uses::Unknown,
            (a, b) if a == b => a,
            _ => Uses::Written,
        }
    }
}

/// Regions that are called within one another, at most.
const DEEPEST: u32 = 4;

/// The type of the variable whose address `fork` gives `region` as parameter `param`, if its value will do.
pub fn value_type(fork: Value, address: Value, region: Function, param: usize) -> Option<Type> {
    let is_variable = address.is_instruction() && address.opcode() == Opcode::LLVMAlloca;
    let Uses::Read(ty) = uses_of(region.params()[param], DEEPEST) else { return None };
    let is_one = is_variable
        && address.allocated_type() == ty
        && (ty.is_pointer() || ty.is_float() || ty.is_int());
    let elsewhere = address.users().into_iter().filter(|user| *user != fork);
    let is_known = |uses: Uses| uses != Uses::Unknown;
    (is_one && elsewhere.map(|user| of_user(address, user, DEEPEST)).all(is_known)).then_some(ty)
}

fn uses_of(address: Value, depth: u32) -> Uses {
    address
        .users()
        .into_iter()
        .map(|user| of_user(address, user, depth))
        .fold(Uses::None, Uses::and)
}

/// What one user of an address does with it.
fn of_user(address: Value, user: Value, depth: u32) -> Uses {
    if !user.is_instruction() || depth == 0 {
        return Uses::Unknown;
    }
    match user.opcode() {
        Opcode::LLVMLoad if user.is_atomic() || user.is_volatile() => Uses::Unknown,
        Opcode::LLVMLoad => Uses::Read(user.ty()),
        Opcode::LLVMStore if user.operand(0) != address => {
            match user.is_atomic() || user.is_volatile() {
                true => Uses::Unknown,
                false => Uses::Written,
            }
        }
        Opcode::LLVMStore => of_parameter_variable(user, depth),
        _ if user.is_call() => of_call(address, user, depth),
        _ => Uses::Unknown,
    }
}

/// An address that is stored in the front end's variable for a parameter.
fn of_parameter_variable(store: Value, depth: u32) -> Uses {
    let variable = store.operand(1);
    if !variable.is_instruction() || variable.opcode() != Opcode::LLVMAlloca {
        return Uses::Unknown;
    }
    let of = |user: Value| match user.opcode() {
        _ if user == store => Uses::None,
        Opcode::LLVMLoad if user.ty() == store.operand(0).ty() => uses_of(user, depth),
        _ => Uses::Unknown,
    };
    let users = variable.users();
    match users.iter().all(|user| user.is_instruction()) {
        true => users.into_iter().map(of).fold(Uses::None, Uses::and),
        false => Uses::Unknown,
    }
}

fn of_call(address: Value, call: Value, depth: u32) -> Uses {
    let Some(called) = call.called().as_function() else { return Uses::Unknown };
    if called.intrinsic().is_some_and(|i| i.is_lifetime()) {
        return Uses::None;
    }
    let Some(region) = forked(call) else { return Uses::Unknown };
    let (own, params) = (own_arguments(call), region.params());
    let given = own.into_iter().zip(&params[NUMBERS..]);
    let given = given.filter(|(argument, _)| *argument == address);
    given.map(|(_, param)| uses_of(*param, depth - 1)).fold(Uses::None, Uses::and)
}
