//! General registers that carry numbers: moves of bits, bitwise operations, shifts.
//!
//! A number that is taken apart into halves and put together again keeps its dot; halves are shifted by 32 bits for that, or masked.

use iced_x86::{Mnemonic, OpKind};

use super::{
    bits::{self, Word},
    kinds::{Bitwise, Direction, Element},
    native::WIDTH,
    power::How,
    tangent::{Case, Refusal, is_active},
};

/// Bytes of the destination, of eight at most.
fn width(case: &Case) -> usize {
    case.width(0).min(8)
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|b| bytes.get(b).copied().unwrap_or(0)))
}

/// Value and dot of an operand; an immediate is inactive.
fn operand(case: &Case, k: usize) -> Word {
    match case.i.op_kind(k as u32) {
        OpKind::Register | OpKind::Memory => {
            let width = case.width(k).min(8);
            Word { value: word(&case.operands[k].value[..width]), dot: word(&case.operands[k].dot[..width]) }
        }
        _ => Word { value: case.i.try_immediate(k as u32).unwrap_or(0), dot: 0 },
    }
}

fn result(case: &Case, dot: u64) -> [u8; WIDTH] {
    let mut bytes = [0; WIDTH];
    let width = width(case);
    bytes[..width].copy_from_slice(&dot.to_le_bytes()[..width]);
    case.finished(bytes)
}

/// `mov` and moves with bytes turned round.
pub(super) fn moved(case: &Case) -> [u8; WIDTH] {
    let from = usize::from(case.i.op_count() > 1);
    let dot = operand(case, from).dot;
    let turned = matches!(case.i.mnemonic(), Mnemonic::Movbe | Mnemonic::Bswap);
    result(case, if turned { dot.swap_bytes() >> (64 - 8 * width(case)) } else { dot })
}

/// `movzx` and `movsx`: bits that come in have no shadow.
pub(super) fn extended(case: &Case) -> [u8; WIDTH] {
    result(case, operand(case, 1).dot)
}

/// Bitwise operations on one or two operands.
pub(super) fn logic(case: &Case, operation: Bitwise) -> Result<[u8; WIDTH], Refusal> {
    let width = width(case);
    let bit = matches!(operation, Bitwise::Reset | Bitwise::Set | Bitwise::Complement);
    if bit && case.i.op0_kind() == OpKind::Memory && case.i.op1_kind() == OpKind::Register {
        return Err(Refusal::Elsewhere("an address"));
    }
    // The form with three operands has its destination apart.
    let first = usize::from(case.i.op_count() == 3);
    let second = match (operation, bit) {
        (Bitwise::Not, _) => Word::default(),
        (_, false) => operand(case, first + 1),
        (_, true) => Word { value: 1 << (operand(case, 1).value % (8 * width as u64)), dot: 0 },
    };
    let words = [operand(case, first), second, Word::default()];
    if words.iter().all(|w| w.dot == 0) {
        return Ok(result(case, 0));
    }
    let table = bits::table(operation, 0);
    let dot = match width {
        8 => bits::dot(table, words, Element::Bits, case.how),
        4 => bits::dot32(table, words, case.i.try_immediate(first as u32 + 1).ok(), case.how),
        // Parts of numbers: only as a whole, or not at all.
        _ => None,
    };
    Ok(result(case, dot.unwrap_or_else(|| bits::unknown(table, words))))
}

/// Sums and differences of integers.
pub(super) fn sum(case: &Case, bits: u8, subtract: bool) -> Result<[u8; WIDTH], Refusal> {
    let kind = "integer sum";
    if !case.i.op0_register().is_vector_register() && !case.i.op0_register().is_mm() {
        return general_sum(case, subtract);
    }
    let whole = case.width(0).min(WIDTH);
    let count = case.i.op_count() as usize;
    let (first, second) = (count - 2, count - 1);
    let active = |k: usize| is_active(&case.operands[k].dot[..whole]);
    let data = match (active(first), active(second)) {
        (false, false) => return Ok(case.finished([0; WIDTH])),
        (true, false) => first,
        (false, true) if !subtract => second,
        (is_first, _) => return Err(Refusal::Active(if is_first { first } else { second }, kind)),
    };
    let other = if data == first { second } else { first };
    let mut bytes = [0; WIDTH];
    for at in (0..whole).step_by(8) {
        let x = Word { value: word(&case.operands[data].value[at..]), dot: word(&case.operands[data].dot[at..]) };
        let addend = word(&case.operands[other].value[at..]);
        let addend = match (subtract, bits) {
            (false, _) => addend,
            (true, 64) => addend.wrapping_neg(),
            (true, _) => u64::from((addend as u32).wrapping_neg()) | u64::from(((addend >> 32) as u32).wrapping_neg()) << 32,
        };
        let dot = if x.dot << 1 == 0 { 0 } else { bits::scaled(x, addend, bits, case.how).ok_or(Refusal::Active(data, kind))? };
        bytes[at..at + 8].copy_from_slice(&dot.to_le_bytes());
    }
    Ok(case.finished(bytes))
}

fn general_sum(case: &Case, subtract: bool) -> Result<[u8; WIDTH], Refusal> {
    let (a, mut b) = (operand(case, 0), operand(case, 1));
    if subtract {
        b.value = b.value.wrapping_neg();
        if is_active(&b.dot.to_le_bytes()) {
            return Err(Refusal::Active(1, "integer sum"));
        }
    }
    Ok(result(case, sum_of(a, b, width(case), case.how)?))
}

/// The dot of a sum of two integers in general registers, of which one is inactive.
pub fn sum_of(a: Word, b: Word, bytes: usize, how: How) -> Result<u64, Refusal> {
    let is = |w: Word| is_active(&w.dot.to_le_bytes());
    let (x, addend) = match (is(a), is(b)) {
        (false, false) => return Ok(0),
        (true, false) => (a, b.value),
        (false, true) => (b, a.value),
        (true, true) => return Err(Refusal::Active(1, "integer sum")),
    };
    let dot = match bytes {
        8 => bits::scaled(x, addend, 64, how),
        4 => bits::scaled32(x, addend as u32, how),
        _ => None,
    };
    dot.ok_or(Refusal::Active(0, "integer sum"))
}

/// Shifts and rotations, of a general register or of all elements of a vector.
pub(super) fn shift(case: &Case, direction: Direction, bits: u8) -> Result<[u8; WIDTH], Refusal> {
    let is_vector = case.i.op0_register().is_vector_register() || case.i.op0_register().is_mm();
    let separate = case.i.op_count() == 3;
    let data = usize::from(separate);
    let at = data + 1;
    let count = match case.i.op_kind(at as u32) {
        OpKind::Register | OpKind::Memory => word(&case.operands[at].value[..8]),
        _ => case.i.try_immediate(at as u32).unwrap_or(0),
    };
    let whole = if is_vector { case.width(0).min(WIDTH) } else { width(case) };
    let dot = &case.operands[data].dot;
    let count_width = case.width(at).min(8);
    if case.i.op_kind(at as u32) == OpKind::Register && !is_vector && is_active(&case.operands[at].dot[..1])
        || is_vector && is_active(&case.operands[at].dot[..count_width])
    {
        return Err(Refusal::Active(at, "shift"));
    }
    if !is_active(&dot[..whole]) {
        return Ok(case.finished([0; WIDTH]));
    }
    // General registers take the count modulo 32 or 64; vectors become zero.
    let count = if is_vector { count } else { (count & 0xff) % if bits == 64 { 64 } else { 32 } };
    let bits = u64::from(bits);
    let mut bytes = [0; WIDTH];
    let size = bits as usize / 8;
    for at in (0..whole).step_by(size) {
        let element = word(&dot[at..at + size]);
        let new = match (count, direction) {
            (0, _) => element,
            (c, Direction::Left | Direction::Right) if c >= bits => 0,
            // Sign and exponent alone are left, of a double, or of the upper half of one.
            (52.., Direction::Right) if bits == 64 => 0,
            (23.., Direction::Right) if bits == 32 => 0,
            (20.., Direction::Right) if bits == 32 && !is_vector => 0,
            (32, Direction::Left) if bits == 64 => element << 32,
            (32, Direction::Right) if bits == 64 => element >> 32,
            (32, Direction::RotateLeft | Direction::RotateRight) if bits == 64 => element.rotate_left(32),
            _ => return Err(Refusal::Active(data, "shift")),
        };
        bytes[at..at + size].copy_from_slice(&new.to_le_bytes()[..size]);
    }
    Ok(case.finished(bytes))
}
