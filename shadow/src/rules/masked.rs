//! Integer arithmetic under a mask, or with one element of memory in all lanes: as the instruction
//! without, and beside the lanes that the mask names shadows stay, or become zero. So a lane that
//! is not computed may have been active.

use iced_x86::{Instruction, OpKind, Register};

use super::{
    kinds::Rule,
    native::WIDTH,
    tangent::{Case, Refusal, With},
};

/// Whether an instruction is done in this way.
pub(super) fn is_of(i: &Instruction, rule: Rule) -> bool {
    let is_integer =
        matches!(rule, Rule::Integer | Rule::AddInteger(_) | Rule::SubInteger(_) | Rule::Shift(..));
    is_integer
        && (i.has_op_mask() || i.is_broadcast())
        && i.op0_kind() == OpKind::Register
        && i.op0_register().is_vector_register()
}

/// The bytes of the result that the mask leaves out: where the form that keeps them gives ones and
/// the one that clears them zeros.
fn left_out(case: &Case) -> Result<[bool; WIDTH], Refusal> {
    if !case.i.has_op_mask() {
        return Ok([false; WIDTH]);
    }
    let mut operands = case.operands;
    operands[0].value = [0xff; WIDTH];
    let run = |zeroing: bool| {
        let mut i = *case.i;
        i.set_zeroing_masking(zeroing);
        Case { i: &i, operands, ..*case }.native(|_| With::Value)
    };
    let (kept, cleared) = (run(false)?, run(true)?);
    Ok(std::array::from_fn(|b| kept[b] != cleared[b]))
}

/// The new shadow of the first operand.
pub(super) fn dots(case: &Case, rule: Rule) -> Result<[u8; WIDTH], Refusal> {
    let left_out = left_out(case)?;
    let mut i = *case.i;
    i.set_op_mask(Register::None);
    i.set_zeroing_masking(false);
    let mut operands = case.operands;
    if i.is_broadcast() {
        let k = (0..i.op_count())
            .find(|&k| i.op_kind(k) == OpKind::Memory)
            .expect("what is broadcast") as usize;
        let size = i.memory_size().size();
        let o = operands[k];
        operands[k].value = std::array::from_fn(|b| o.value[b % size]);
        operands[k].dot = std::array::from_fn(|b| o.dot[b % size]);
        i.set_is_broadcast(false);
    }
    // Lanes of sums and shifts are apart; of other arithmetic only the first operand's are. The
    // count of a shift is for all.
    let last = usize::from(i.op_count() as u8 - 1);
    for k in (0..operands.len()).filter(|&k| {
        k == 0 || rule != Rule::Integer && !(matches!(rule, Rule::Shift(..)) && k == last)
    }) {
        (0..WIDTH).filter(|&b| left_out[b]).for_each(|b| operands[k].dot[b] = 0);
    }
    let mut result = Case { i: &i, operands, ..*case }.dots(rule)?;
    for b in (0..WIDTH).filter(|&b| left_out[b]) {
        result[b] = if case.i.zeroing_masking() { 0 } else { case.operands[0].dot[b] };
    }
    // Of a number of which a part is unknown nothing is known.
    for at in (0..WIDTH).step_by(4) {
        let is_mixed = (at..at + 4).any(|b| left_out[b]) && (at..at + 4).any(|b| !left_out[b]);
        if is_mixed && (at..at + 4).any(|b| !left_out[b] && result[b] == 0xff) {
            result[at..at + 4].fill(0xff);
        }
    }
    Ok(result)
}
