//! How deeply generated code accesses memory that a prebuilt function returns: the runtime gives
//! such memory shadows that an adjoint can use.
//!
//! Levels: 0, it accesses nothing there and passes the pointer back to the library, as a handle; 1,
//! it accesses what the pointer leads to; 2, also what pointers there lead to; and so on. What it
//! stores in memory and loads again is taken to be any pointer of this function whose target is
//! unknown. What callers do with a pointer that is returned to them is not seen: an unforeseen
//! access ends the program (AS013).

use super::kinds;
use crate::{
    image::unit::Unit,
    llvm::{Builder, Opcode, Value},
};
use adanalysis::points_to::Object;
use adir::{Callee, Op, Ty, ValueId, hashed::HashMap};

/// Bits for the kind of what is there, below the levels.
const KIND_BITS: u64 = 4;
/// Deeper than that is no structure that code names, but a list.
const MOST: u32 = 4;

/// What a call's result is for the code that gets it: the levels, and the kind of what it leads to.
pub fn of_call(unit: &Unit, call: ValueId) -> u64 {
    match if unit.body[call].ty == Ty::Ptr { levels(unit, call) } else { 0 } {
        0 => 0,
        levels => u64::from(levels) << KIND_BITS | kinds::width_of_reals(unit, call),
    }
}

/// The kind and the levels, as i32.
pub fn of(b: &Builder, code: Value) -> (Value, Value) {
    let (i32, i64) = (b.context().int(32), code.ty());
    let narrow = |v: Value| b.cast(Opcode::LLVMTrunc, v, i32);
    (narrow(b.and(code, i64.int((1 << KIND_BITS) - 1))), narrow(b.lshr(code, i64.int(KIND_BITS))))
}

fn levels(unit: &Unit, call: ValueId) -> u32 {
    let body = &unit.body;
    let (mut found, mut work) = (0, vec![(call, 0)]);
    let mut seen: HashMap<ValueId, u32> = HashMap::default();
    while let Some((pointer, depth)) = work.pop() {
        if depth >= MOST || seen.get(&pointer).is_some_and(|d| *d >= depth) {
            continue;
        }
        seen.insert(pointer, depth);
        for &user in &body.users[pointer] {
            let data = &body[user];
            let mut accesses = |levels: u32| found = found.max((depth + levels).min(MOST));
            match &data.op {
                Op::Gep(..) | Op::Cast(_) | Op::Phi(_) | Op::Select | Op::Freeze
                    if body.holds_pointer(user) =>
                {
                    work.push((user, depth))
                }
                Op::Load => {
                    accesses(1);
                    if body.holds_pointer(user) {
                        work.push((user, depth + 1));
                    }
                }
                Op::Store if data.operands[1] == pointer => accesses(1),
                Op::Store => work.extend(unknown_loads(unit).map(|load| (load, depth))),
                Op::Update(_)
                | Op::Atomic
                | Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet | Callee::Rule(..)) => {
                    accesses(1)
                }
                Op::Call(Callee::Defined) => {
                    accesses(levels_of_argument(unit, user, pointer));
                    if body.holds_pointer(user) {
                        work.push((user, depth + 1));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Pointers that this function loads and whose targets are unknown.
fn unknown_loads(unit: &Unit) -> impl Iterator<Item = ValueId> {
    let is_unknown =
        |v: ValueId| unit.memory.points_to(v).any(|o| unit.memory.objects[o] == Object::Unknown);
    unit.body.insts().filter(move |&v| {
        matches!(unit.body[v].op, Op::Load) && unit.body[v].ty == Ty::Ptr && is_unknown(v)
    })
}

/// How deeply a function with a body accesses what it gets as this argument.
fn levels_of_argument(unit: &Unit, call: ValueId, pointer: ValueId) -> u32 {
    let Some(callee) = unit.callees.get(&call) else { return 2 };
    let places = callee.in_out.reads.iter().chain(&callee.in_out.writes);
    let entries = places.filter_map(|place| callee.memory.entry(place.object));
    let is_given = |param: u32| unit.body[call].operands.get(param as usize) == Some(&pointer);
    entries.filter(|(param, _)| is_given(*param)).map(|(_, steps)| steps + 1).max().unwrap_or(0)
}
