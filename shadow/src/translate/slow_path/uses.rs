//! What a result of an operation on bits is used for: the first instruction behind it that computes
//! with it says whether it is a float or a double. Bits of both formats can look alike, and
//! exponents of one be exponents of the other.

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register};

use crate::{
    rules::{self, Element, Rule},
    translate::instruction::{reads, writes},
};

/// Where a copy of the result is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyPlace {
    Register(Register),
    /// Base, index, scale, displacement.
    Memory(Register, Register, u32, u64),
}

fn place(i: &Instruction, k: u32) -> Option<CopyPlace> {
    match i.op_kind(k) {
        // A register's name is as wide as its use.
        OpKind::Register if i.op_register(k).is_vector_register() => {
            Some(CopyPlace::Register(Register::ZMM0 + i.op_register(k).number() as u32))
        }
        OpKind::Register => Some(CopyPlace::Register(i.op_register(k).full_register())),
        OpKind::Memory => Some(CopyPlace::Memory(
            i.memory_base(),
            i.memory_index(),
            i.memory_index_scale(),
            i.memory_displacement64(),
        )),
        _ => None,
    }
}

/// Whether a place in memory is another one where this register has changed.
fn is_addressed_by(memory: &CopyPlace, register: CopyPlace) -> bool {
    let CopyPlace::Register(register) = register else { return false };
    matches!(*memory, CopyPlace::Memory(base, index, ..) if [base, index].iter().any(|r| r.full_register() == register))
}

/// Which numbers an instruction computes with.
fn computes_with(i: &Instruction) -> Option<Element> {
    let element = match rules::rule(i.code()) {
        _ if matches!(i.mnemonic(), Mnemonic::Movss | Mnemonic::Vmovss) => Element::F32,
        Rule::Logic(..) => return None,
        Rule::Convert { from, .. } => from,
        rule => rule.form()?.element,
    };
    matches!(element, Element::F32 | Element::F64).then_some(element)
}

/// What the result of an instruction is used as, by the instructions that lie behind it.
pub(super) fn used_as(first: &Instruction, behind: &[Instruction]) -> Option<Element> {
    let mut factory = InstructionInfoFactory::new();
    let mut copies = vec![place(first, 0)?];
    for i in behind {
        let count = i.op_count();
        let info = factory.info(i);
        let access = |k: u32| info.op_access(k);
        let is_used = (0..count)
            .any(|k| reads(access(k)) && place(i, k).is_some_and(|p| copies.contains(&p)));
        if is_used && let Some(element) = computes_with(i) {
            return Some(element);
        }
        let is_carried = is_used
            && matches!(
                rules::rule(i.code()),
                Rule::Move(_) | Rule::Logic(..) | Rule::AddInteger(_) | Rule::SubInteger(_)
            );
        if count > 0
            && writes(access(0))
            && let Some(to) = place(i, 0)
        {
            copies.retain(|c| *c != to && !is_addressed_by(c, to));
            if is_carried {
                copies.push(to);
            }
        }
        let is_left =
            !matches!(i.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch);
        if copies.is_empty() || is_left {
            return None;
        }
    }
    None
}
