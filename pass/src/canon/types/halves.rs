//! Words of which code moves the parts one by one. Where a struct has a float and padding or an
//! integer beside it, passes load both at once, and take the register apart: the bits of the float
//! seem to be computed. So each part gets a load of its own. In a union, the word may be loaded as a
//! double, for the other member.
//!
//! The other way round, a struct that is passed by value comes in words. Where code sets a member,
//! it puts the word together again, and stores that:
//!   store (w & ~0xff00000000) | (k << 32), p        store w, p;  store (i8) k, p + 4
//! Then the word is only moved, and each part gets a store of its own. That takes members of less than
//! half a word; at its end, where a double has sign and exponent, only those of a word that is loaded.

use super::integers;
use crate::llvm::{Builder, Function, Module, Opcode, TypeKind, Value};

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
            && (i.ty().kind() == TypeKind::LLVMDoubleTypeKind
                || i.ty().is_int() && matches!(i.ty().int_width(), 32 | 64))
            && !i.is_volatile()
            && !i.is_atomic()
            && !integers::is_integer_access(*i)
    };
    for load in insts.filter(is_word).collect::<Vec<_>>() {
        let is_int = load.ty().is_int();
        let is_bits = |u: &Value| u.opcode() == Opcode::LLVMBitCast && u.ty().is_int();
        let parts = match is_int {
            true => parts(load),
            // What else is done with the bits of a double may be arithmetic.
            false => {
                let bits = load.users().into_iter().filter(|u| u.is_instruction() && is_bits(u));
                let all = bits.filter(|bits| bits.ty().int_width() == 64).flat_map(parts);
                all.filter(|part| is_seen_as_real(part.cut)).collect()
            }
        };
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
            let mut rest = cut.operand(0);
            cut.erase();
            while rest != load && rest.users().is_empty() {
                let before = rest.operand(0);
                rest.erase();
                rest = before;
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

/// Whether bits are seen as a real.
fn is_seen_as_real(bits: Value) -> bool {
    bits.users()
        .into_iter()
        .any(|user| user.opcode() == Opcode::LLVMBitCast && user.ty().is_float())
}

/// Whether bits are stored, or seen as a real.
fn is_moved(bits: Value) -> bool {
    bits.users().into_iter().any(|user| match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == bits,
        Opcode::LLVMBitCast => user.ty().is_float(),
        _ => false,
    })
}

/// A word with members replaced: what it was, and what comes in their places.
struct Replaced {
    word: Value,
    /// The bits of `word` that stay.
    kept: u64,
    /// What is stored instead, and at which byte.
    parts: Vec<(Value, u64)>,
    /// The bits of the constants among it.
    constant: u64,
}

/// Gives members that are replaced in words stores of their own.
pub fn store_apart(module: Module, function: Function) {
    let b = Builder::new(module.context());
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_word = |i: &Value| {
        i.opcode() == Opcode::LLVMStore
            && i.operand(0).ty().is_int()
            && i.operand(0).ty().int_width() == 64
            && !i.is_volatile()
            && !i.is_atomic()
            && !integers::is_integer_access(*i)
    };
    for store in insts.filter(is_word).collect::<Vec<_>>() {
        let Some(replaced) = replaced(store.operand(0)) else { continue };
        b.position_before(store);
        let put = |value: Value, at: u64| {
            let address = b.byte_offset(store.operand(1), module.context().int(64).int(at));
            let own = b.store(value, address);
            let aligned = if at == 0 { u32::MAX } else { 1 << at.trailing_zeros() };
            own.set_alignment(store.alignment().min(aligned));
            store.copy_location(own);
        };
        put(replaced.word, 0);
        let mut left = !replaced.kept;
        for &(value, at) in &replaced.parts {
            put(value, at);
            left &= !part_bits(value, at);
        }
        let byte = module.context().int(8);
        for at in (0..8).filter(|at| left >> (8 * at) & 0xff != 0) {
            put(byte.int(replaced.constant >> (8 * at) & 0xff), at);
        }
        store.erase();
    }
}

/// The bits of a word that a part at a byte takes.
fn part_bits(part: Value, at: u64) -> u64 {
    (u64::MAX >> (64 - part.ty().int_width())) << (8 * at)
}

/// A word of eight bytes as one in which whole bytes are replaced.
fn replaced(value: Value) -> Option<Replaced> {
    let mut replaced = Replaced { word: value, kept: u64::MAX, parts: vec![], constant: 0 };
    let mut words: Vec<(Value, u64)> = vec![];
    let mut left = vec![(value, u64::MAX)];
    while let Some((v, kept)) = left.pop() {
        let opcode = if v.is_instruction() { v.opcode() } else { Opcode::LLVMRet };
        match (opcode, v.as_int()) {
            (_, Some(constant)) => replaced.constant |= constant as u64 & kept,
            (Opcode::LLVMOr, _) => left.extend([(v.operand(0), kept), (v.operand(1), kept)]),
            (Opcode::LLVMAnd, _) if v.operand(1).as_int().is_some() => {
                left.push((v.operand(0), kept & v.operand(1).as_int()? as u64));
            }
            (Opcode::LLVMShl | Opcode::LLVMZExt, _) if kept == u64::MAX => {
                replaced.parts.push(part(v)?);
            }
            _ => words.push((v, kept)),
        }
    }
    let &[(word, kept)] = &words[..] else { return None };
    (replaced.word, replaced.kept) = (word, kept);
    let is_loaded =
        word.is_instruction() && word.opcode() == Opcode::LLVMLoad && word.ty().is_int();
    let is_end_kept = kept >> 48 == 0xffff;
    let is_bytes = (0..8).all(|at| matches!(kept >> (8 * at) & 0xff, 0 | 0xff));
    // Each bit comes from one side alone.
    let mut taken = kept;
    let is_disjoint = replaced.parts.iter().all(|&(value, at)| {
        let bits = part_bits(value, at);
        let is_free = taken & bits == 0;
        taken |= bits;
        is_free
    });
    let is_replaced = kept != u64::MAX && (is_end_kept || is_loaded) && (!kept).count_ones() < 32;
    (is_bytes && is_replaced && is_disjoint && taken & replaced.constant == 0).then_some(replaced)
}

/// A narrower integer that is widened, and moved to its byte.
fn part(v: Value) -> Option<(Value, u64)> {
    let (wide, bits) = match v.opcode() {
        Opcode::LLVMShl => (v.operand(0), u64::try_from(v.operand(1).as_int()?).ok()?),
        _ => (v, 0),
    };
    let is_wide = wide.is_instruction() && wide.opcode() == Opcode::LLVMZExt;
    let narrow = is_wide.then(|| wide.operand(0))?;
    let width = u64::from(narrow.ty().int_width());
    let is_part = bits % 8 == 0 && matches!(width, 8 | 16 | 32) && bits + width <= 64;
    is_part.then_some((narrow, bits / 8))
}
