//! The sections of a function in which a thread adds its part to the variables of a reduction (OpenMP). No function is called there
//! (canon/calls/combiners.rs).

use adanalysis::points_to::PointsTo;
use adir::{Body, Callee, Op, ValueId, hashed::HashSet};

const BEGIN: &str = "adrt_team_join";
const END: &str = "adrt_team_give";

/// All instructions within such sections.
fn sections(body: &Body) -> HashSet<ValueId> {
    let called = |v: ValueId| body[v].symbol.as_deref().unwrap_or_default();
    let begins = body.insts().filter(|&v| called(v) == BEGIN);
    let mut work: Vec<&[ValueId]> = vec![];
    for begin in begins {
        let insts = &body[body.block_of(begin)].insts;
        let i = insts.iter().position(|&v| v == begin).expect("an instruction of its block");
        work.push(&insts[i + 1..]);
    }
    let mut inside = HashSet::default();
    while let Some(insts) = work.pop() {
        let end = insts.iter().position(|&v| called(v) == END);
        inside.extend(insts[..end.unwrap_or(insts.len())].iter().copied());
        let Some(&last) = insts.last().filter(|_| end.is_none()) else { continue };
        for &next in &body[body.block_of(last)].succs {
            let insts = &body[next].insts;
            if insts.first().is_some_and(|first| !inside.contains(first)) {
                work.push(insts);
            }
        }
    }
    inside
}

/// Loads in such sections of what is overwritten there: one thread after the other has it to itself.
pub fn own_loads(body: &Body, memory: &PointsTo) -> HashSet<ValueId> {
    let inside = sections(body);
    let written: HashSet<usize> = inside
        .iter()
        .filter_map(|&v| match body[v].op {
            Op::Store => Some(body.operand(v, 1)),
            Op::Update(_) | Op::Call(Callee::MemCpy | Callee::MemMove) => Some(body.operand(v, 0)),
            _ => None,
        })
        .flat_map(|pointer| memory.points_to(pointer))
        .collect();
    let is_own = |v: &ValueId| {
        matches!(body[*v].op, Op::Load)
            && memory.points_to(body.operand(*v, 0)).any(|o| written.contains(&o))
    };
    inside.into_iter().filter(is_own).collect()
}
