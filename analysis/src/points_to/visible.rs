//! Which objects callers see: a block that a function allocates, and that no address outside of the
//! function's own variables and such blocks leads to, is none of them.

use super::{
    Binding, Contents, Effects, Move, Object, PointsTo, Targets, escaping, stored, universe::Slot,
};
use adir::{Body, Callee, EntityMap, Op, ValueId, hashed::HashMap};
use bitvec::prelude::*;

/// Objects whose addresses go elsewhere than to memory and to the caller: to functions that may keep
/// them, to integers.
pub fn given(
    body: &Body,
    effects: Effects,
    bindings: &HashMap<ValueId, Binding>,
    targets: &EntityMap<ValueId, Targets>,
) -> Vec<u32> {
    let mut given = vec![];
    for v in body.insts() {
        match body[v].op {
            Op::Store | Op::Ret => {}
            Op::Call(Callee::Defined | Callee::Custom)
                if let (Some(callee), Some(binding)) = (effects(v), bindings.get(&v)) =>
            {
                given.extend(
                    kept(&callee).filter_map(|o| binding.get(o)).flat_map(|t| t.objects.clone()),
                );
            }
            _ => given.extend(escaping(body, v).iter().flat_map(|&o| targets[o].objects.clone())),
        }
    }
    given
}

/// The caller's objects of which a function makes addresses known.
fn kept(callee: &PointsTo) -> impl Iterator<Item = usize> + '_ {
    (0..callee.objects.len()).filter(|&o| callee.escapes(o))
}

/// What a function leaves behind.
pub struct Left<'a> {
    pub objects: &'a [Object],
    pub slots: &'a [Slot],
    pub escapes: &'a BitSlice,
    pub stores_anywhere: bool,
    pub exit: &'a Contents,
    pub returned: &'a Targets,
    pub moves: &'a [Move],
}

impl Left<'_> {
    /// The objects that callers see, where functions were given `given`.
    pub fn visible(&self, body: &Body, given: Vec<u32>) -> BitVec {
        let is_variable =
            |o: Object| matches!(o, Object::Local(v) if matches!(body[v].op, Op::Alloca(_)));
        let is_block = |o: Object| matches!(o, Object::Local(_) | Object::Returned(_));
        let mut visible: BitVec = self.objects.iter().map(|&o| !is_block(o)).collect();
        let moved = self.moves.iter().flat_map(|m| [Some(&m.to), m.from.memory()]).flatten();
        let moved = moved.flat_map(|targets| &targets.objects);
        let mut work = given;
        work.extend(self.returned.objects.iter().chain(moved));
        // Who was given a variable may have found in it what is not there any more at the exit.
        let gives_variable = work.iter().any(|&o| is_variable(self.objects[o as usize]));
        if self.stores_anywhere || gives_variable {
            work.extend(self.escapes.iter_ones().map(|o| o as u32));
        }
        let held: Vec<(u32, &[u32])> = self
            .exit
            .changed()
            .map(|(slot, content)| (self.slots[slot as usize].object, &stored(content).objects[..]))
            .collect();
        let held_by = |o: u32| held.iter().filter(move |h| h.0 == o).flat_map(|h| h.1).copied();
        let first = visible.iter_ones().flat_map(|o| held_by(o as u32));
        work.extend(first.collect::<Vec<_>>());
        while let Some(o) = work.pop() {
            let at = o as usize;
            if !visible[at] && !is_variable(self.objects[at]) {
                visible.set(at, true);
                work.extend(held_by(o));
            }
        }
        visible
    }
}
