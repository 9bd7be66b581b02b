//! General registers that carry numbers: moves of bits, bitwise operations, shifts.
//!
//! A number that is taken apart into halves and put together again keeps its dot; halves are
//! shifted by 32 bits for that, or masked.

use iced_x86::{Mnemonic, OpKind};

use super::{
    bits::{self, Word},
    elements,
    kinds::{Bitwise, Direction, Element},
    native::WIDTH,
    power::{self, How},
    tangent::{Case, Refusal, is_active},
};

/// Shadows of four bytes that are open, or of which nothing is known: see `slow::parts`.
const OPEN: u32 = 0xffff_fffe;

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
            Word {
                value: word(&case.operands[k].value[..width]),
                dot: word(&case.operands[k].dot[..width]),
            }
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
    // What is taken apart stays so.
    let is_open = |half: u32| half >= OPEN;
    if turned && (is_open(dot as u32) || width(case) == 8 && is_open((dot >> 32) as u32)) {
        return result(case, u64::MAX);
    }
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
    if !case.i.op0_register().is_vector_register() && !case.i.op0_register().is_mm() {
        return general_sum(case, subtract);
    }
    if elements::is_difference_of_same(case) {
        return Ok(case.finished([0; WIDTH]));
    }
    let whole = case.width(0).min(WIDTH);
    let count = case.i.op_count() as usize;
    let at = |k: usize, at: usize| Word {
        value: word(&case.operands[k].value[at..at + 8]),
        dot: word(&case.operands[k].dot[at..at + 8]),
    };
    let minus = |addend: u64| match bits {
        64 => addend.wrapping_neg(),
        _ => {
            u64::from((addend as u32).wrapping_neg())
                | u64::from(((addend >> 32) as u32).wrapping_neg()) << 32
        }
    };
    let is = |w: Word| is_active(&w.dot.to_le_bytes());
    let words = || (0..whole).step_by(8).map(|b| (at(count - 2, b), at(count - 1, b)));
    if bits == 32 {
        let other = if words().any(|(a, _)| is(a)) { count - 1 } else { count - 2 };
        let addends = || case.operands[other].value[..whole].chunks_exact(4).map(word);
        match (addends().any(|n| n & 0x7f_ffff != 0), addends().step_by(2).any(|n| n != 0)) {
            // To the lower half of a double nothing is added, and to a float no eighth of a power.
            (true, true) => return Ok(case.finished(all_unknown(case, count, whole))),
            (true, false) => case.how.cuts.is_format(power::DOUBLE),
            (false, true) => case.how.cuts.is_format(power::FLOAT),
            (false, false) => {}
        }
    }
    let mut bytes = [0; WIDTH];
    for (k, (a, b)) in words().enumerate() {
        let dot = match (is(a), is(b)) {
            (false, false) => Some(0),
            (true, false) => {
                bits::scaled(a, if subtract { minus(b.value) } else { b.value }, bits, case.how)
            }
            (false, true) if !subtract => bits::scaled(b, a.value, bits, case.how),
            _ => None,
        };
        let dot = dot.unwrap_or_else(|| unknown_elements(a.dot, b.dot, bits));
        bytes[8 * k..8 * k + 8].copy_from_slice(&dot.to_le_bytes());
    }
    Ok(case.finished(bytes))
}

/// The same of all words.
fn all_unknown(case: &Case, count: usize, whole: usize) -> [u8; WIDTH] {
    let mut bytes = [0; WIDTH];
    for at in (0..whole).step_by(8) {
        let [a, b] = [count - 2, count - 1].map(|k| word(&case.operands[k].dot[at..at + 8]));
        bytes[at..at + 8].copy_from_slice(&unknown_elements(a, b, 32).to_le_bytes());
    }
    bytes
}

/// The elements of a word into which something active went.
fn unknown_elements(a: u64, b: u64, bits: u8) -> u64 {
    let half = |shift: u32| {
        if is_active(&((a | b) >> shift & u64::from(u32::MAX)).to_le_bytes()[..4]) {
            u64::from(u32::MAX) << shift
        } else {
            0
        }
    };
    if bits == 64 { u64::MAX } else { half(0) | half(32) }
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
    if case.i.op_kind(at as u32) == OpKind::Register
        && !is_vector
        && is_active(&case.operands[at].dot[..1])
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
        let element = |bytes: &[u8; WIDTH]| word(&bytes[at..at + size]);
        let new =
            shifted(direction, bits, count, element(&case.operands[data].value), element(dot));
        // In a general register it becomes unknown, too.
        let new = if is_vector {
            new.unwrap_or(u64::MAX)
        } else {
            new.ok_or(Refusal::Active(data, "shift"))?
        };
        bytes[at..at + size].copy_from_slice(&new.to_le_bytes()[..size]);
    }
    Ok(case.finished(bytes))
}

/// The dot of an element of so many bits that is shifted by a count; none if it is unknown.
pub(super) fn shifted(
    direction: Direction,
    bits: u64,
    count: u64,
    value: u64,
    dot: u64,
) -> Option<u64> {
    // A float that was extended.
    let is_float = bits == 64 && dot >> 32 == 0 && matches!(value >> 32, 0 | 0xffff_ffff);
    match (count, direction) {
        _ if !is_active(&dot.to_le_bytes()[..bits as usize / 8]) => Some(0),
        (0, _) => Some(dot),
        (c, Direction::Left | Direction::Right) if c >= bits => Some(0),
        // Sign and exponent alone are left, of a double, or of the upper half of one.
        (52.., Direction::Right) if bits == 64 => Some(0),
        (23.., Direction::Right) if bits == 32 || is_float => Some(0),
        (20.., Direction::Right) if bits == 32 => Some(0),
        (32, Direction::Left) if bits == 64 => Some(dot << 32),
        (32, Direction::Right) if bits == 64 => Some(dot >> 32),
        (32, Direction::RotateLeft | Direction::RotateRight) if bits == 64 => {
            Some(dot.rotate_left(32))
        }
        _ => None,
    }
}
