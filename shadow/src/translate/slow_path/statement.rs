//! Statements that inline code did not record: operation by operation, by the rules.

use super::record as operation;
use crate::{
    Error,
    machine::{registers, state::State},
    rules::{power::Cuts, tangent::Operand},
    translate::emit::record::statement::{Id, LeafPlace, Statement, What, leaf_at, value_at},
};

/// Which leaves are active: a bit for each, by its place among the statement's leaves.
pub fn active(it: &Statement, state: &State) -> u64 {
    it.leaves
        .iter()
        .enumerate()
        .filter(|(_, id)| word(state, it.shadow_at(**id)) != 0)
        .fold(0, |bits, (k, _)| bits | 1 << k)
}

/// Eight bytes of the state.
fn word(state: &State, offset: usize) -> u64 {
    // SAFETY: offsets are those of members.
    unsafe { std::ptr::from_ref(state).cast::<u8>().add(offset).cast::<u64>().read() }
}

fn set_word(state: &mut State, offset: usize, word: u64) {
    // SAFETY: the offset is of a word of the record, which is a part of the state.
    unsafe { std::ptr::from_mut(state).cast::<u8>().add(offset).cast::<u64>().write(word) }
}

/// Records a statement, and leaves the result's shadow where its code expects it.
pub fn record(
    it: &Statement,
    state: &mut State,
    library: &dyn Fn(u64) -> String,
) -> Result<(), Error> {
    let mut values: Vec<Option<u64>> = vec![None; it.nodes.len()];
    let mut shadows: Vec<Option<u64>> = vec![None; it.nodes.len()];
    let result = shadow(it, it.root, state, library, (&mut values, &mut shadows))?;
    set_word(state, leaf_at(it.result), result);
    Ok(())
}

type Model<'a> = (&'a mut Vec<Option<u64>>, &'a mut Vec<Option<u64>>);

fn value(it: &Statement, id: Id, state: &State, values: &mut Vec<Option<u64>>) -> u64 {
    if let Some(known) = values[id] {
        return known;
    }
    let node = &it.nodes[id];
    let mut of = |k: Id| f64::from_bits(value(it, k, state, values));
    let found = match (node.value, node.what) {
        (Some(LeafPlace::Buffer(k)), _) => word(state, value_at(k)),
        (Some(LeafPlace::Register(r)), _) => {
            // SAFETY: the stub saved the registers for this call.
            let bytes = unsafe { registers::vector(state, r) };
            u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
        }
        (None, What::Sum { a, b, subtracts }) => {
            (if subtracts { of(a) - of(b) } else { of(a) + of(b) }).to_bits()
        }
        (None, What::Product(a, b)) => (of(a) * of(b)).to_bits(),
        (None, What::Quotient(a, b)) => (of(a) / of(b)).to_bits(),
        (None, What::Root(a)) => of(a).sqrt().to_bits(),
        (None, What::Fused { factors: [a, b], addend, negates, subtracts }) => {
            let (a, c) = (
                if negates { -of(a) } else { of(a) },
                if subtracts { -of(addend) } else { of(addend) },
            );
            a.mul_add(of(b), c).to_bits()
        }
        (None, What::Given) => unreachable!("values of what was given are kept"),
    };
    values[id] = Some(found);
    found
}

fn shadow(
    it: &Statement,
    id: Id,
    state: &mut State,
    library: &dyn Fn(u64) -> String,
    (values, shadows): Model,
) -> Result<u64, Error> {
    if let Some(known) = shadows[id] {
        return Ok(known);
    }
    let node = &it.nodes[id];
    if node.shadow.is_some() {
        return Ok(word(state, it.shadow_at(id)));
    }
    let mut operands: Vec<Operand> =
        (0..node.instruction.op_count()).map(|_| Operand::default()).collect();
    let mut is_active = false;
    for (operand, number) in node.what.operands().zip(node.numbers) {
        let dot = shadow(it, operand, state, library, (values, shadows))?;
        is_active |= dot != 0;
        let to = &mut operands[number as usize];
        to.value[..8].copy_from_slice(&value(it, operand, state, values).to_le_bytes());
        to.dot[..8].copy_from_slice(&dot.to_le_bytes());
    }
    let found = if is_active {
        let refused = |why: String| {
            let i = node.instruction;
            Error::Active {
                library: library(i.ip()),
                address: i.ip(),
                instruction: i.to_string(),
                operand: "a number that it computes with".into(),
                why,
            }
        };
        let bytes =
            operation::shadow(&node.instruction, &operands, u64::MAX, state, &Cuts::default())
                .map_err(refused)?;
        u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
    } else {
        0
    };
    shadows[id] = Some(found);
    Ok(found)
}
