//! Words of which code moves the parts one by one. Where a struct has a float and padding or an
//! integer beside it, passes load both at once, and take the register apart: the bits of the float
//! seem to be computed. So each part gets a load of its own.

use super::integers;
use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// A part of a word: the conversion that cuts it out, and at which byte it lies.
struct Part {
    cut: Value,
    at: u64,
}

/// Gives parts of words loads of their own.
pub fn load_apart(module: Module, function: Function) {
    let b = Builder::new(module.context());
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_word = |i: &Value| {
        i.opcode() == Opcode::LLVMLoad
            && i.ty().is_int()
            && matches!(i.ty().int_width(), 32 | 64)
            && !i.is_volatile()
            && !i.is_atomic()
            && !integers::is_integer_access(*i)
    };
    for load in insts.filter(is_word).collect::<Vec<_>>() {
        let parts = parts(load);
        if !parts.iter().any(|part| is_moved(part.cut)) {
            continue;
        }
        b.position_before(load);
        for Part { cut, at } in parts {
            let address = b.byte_offset(load.operand(0), module.context().int(64).int(at));
            let own = b.load(cut.ty(), address);
            let aligned = if at == 0 { u32::MAX } else { 1 << at.trailing_zeros() };
            own.set_alignment(load.alignment().min(aligned));
            cut.copy_location(own);
            cut.replace_uses(own);
            let shifted = cut.operand(0);
            cut.erase();
            if shifted != load && shifted.users().is_empty() {
                shifted.erase();
            }
        }
        if load.users().is_empty() {
            load.erase();
        }
    }
}

/// The parts that are cut out of a word. What else is done with it, a comparison, say, stays.
fn parts(load: Value) -> Vec<Part> {
    let width = u64::from(load.ty().int_width());
    let cut = |user: Value, at: u64| {
        let is_cut = user.is_instruction() && user.opcode() == Opcode::LLVMTrunc;
        let bits = u64::from(is_cut.then(|| user.ty().int_width())?);
        let is_part = bits % 8 == 0 && bits.is_power_of_two() && at + bits <= width;
        is_part.then_some(Part { cut: user, at: at / 8 })
    };
    let shift = |user: &Value| {
        let is_shift =
            user.is_instruction() && user.opcode() == Opcode::LLVMLShr && user.operand(0) == load;
        let at = u64::try_from(is_shift.then(|| user.operand(1).as_int())??).ok()?;
        (at % 8 == 0).then_some(at)
    };
    let of = |user: Value| match shift(&user) {
        Some(at) => user.users().into_iter().filter_map(|user| cut(user, at)).collect(),
        None => cut(user, 0).into_iter().collect::<Vec<_>>(),
    };
    load.users().into_iter().flat_map(of).collect()
}

/// Whether bits are stored, or seen as a real.
fn is_moved(bits: Value) -> bool {
    bits.users().into_iter().any(|user| match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == bits,
        Opcode::LLVMBitCast => user.ty().is_float(),
        _ => false,
    })
}
