//! What `realloc` moves from block to block.

use crate::image::unit::Unit;
use adanalysis::types::{Field, Length, ScalarKind};
use adir::{Callee, Op, ValueId};

/// The fields of what a `realloc` keeps, and the stride with which they repeat. Where all accesses
/// to the blocks are known, bytes of which there is no evidence have no derivative.
pub fn fields(unit: &Unit, copy: ValueId) -> Option<(Vec<Field>, u64)> {
    let (pointers, blocks) = chain(unit, copy);
    match is_all_typed(unit, &blocks) {
        true => unit.types.fields(&unit.memory, copy, &pointers, Length::UpTo { complete: false }),
        false => unit.types.fields(
            &unit.memory,
            copy,
            &unit.body[copy].operands[..2],
            Length::UpTo { complete: true },
        ),
    }
}

/// Whether a copy is that of a `realloc`.
fn keeps(unit: &Unit, v: ValueId) -> bool {
    matches!(unit.body[v].op, Op::Call(Callee::MemCpy))
        && matches!(unit.body[unit.body.operand(v, 2)].op, Op::Call(Callee::KeptBytes))
}

/// The addresses of all copies that may move the same data, one after the other, and the blocks
/// behind them.
fn chain(unit: &Unit, copy: ValueId) -> (Vec<ValueId>, Vec<usize>) {
    let copies: Vec<ValueId> = unit.body.insts().filter(|&v| keeps(unit, v)).collect();
    let ends = |v: ValueId| &unit.body[v].operands[..2];
    let objects =
        |v: ValueId| ends(v).iter().flat_map(|&p| unit.memory.points_to(p)).collect::<Vec<_>>();
    let mut pointers = ends(copy).to_vec();
    let mut blocks = objects(copy);
    loop {
        let further = copies.iter().find(|&&v| {
            !pointers.contains(&ends(v)[0]) && objects(v).iter().any(|o| blocks.contains(o))
        });
        let Some(&v) = further else { return (pointers, blocks) };
        pointers.extend(ends(v));
        blocks.extend(objects(v));
    }
}

/// Whether all accesses to the blocks are in this function and say what they access.
fn is_all_typed(unit: &Unit, blocks: &[usize]) -> bool {
    let Unit { body, memory, .. } = unit;
    let touches = |p: ValueId| memory.points_to(p).any(|o| blocks.contains(&o));
    let says = |v: ValueId, access: ValueId| {
        ScalarKind::of(body[v].ty).is_some() || body[access].is_integer
    };
    blocks.iter().all(|&o| memory.is_heap(o) && !memory.escapes(o))
        && body.insts().all(|v| {
            let operands = &body[v].operands;
            match &body[v].op {
                Op::Load | Op::Update(_) => !touches(operands[0]) || says(v, v),
                Op::Store => !touches(operands[1]) || says(operands[0], v),
                Op::Call(Callee::MemCpy | Callee::MemMove) => {
                    keeps(unit, v) || !operands[..2].iter().any(|&p| touches(p))
                }
                Op::Call(
                    Callee::Free | Callee::KeptBytes | Callee::MemSet | Callee::Allocate(_),
                ) => true,
                Op::Call(_) | Op::Atomic | Op::Other => !operands.iter().any(|&p| touches(p)),
                _ => true,
            }
        })
}
