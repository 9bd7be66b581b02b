//! Reals that the source moves as integers of its own: loops and swaps over a pointer to integers, or another view of a COMMON block.
//!
//! Such accesses are of integers, as far as their function shows: what they move has no derivative there. Where memory with active
//! data surely holds reals at these places, and nothing says that integers lie in it, a derivative would be lost.

use super::{Entry, Evidence, Held, Sure, Types, uses::is_moved};
use crate::{
    analysis::points_to::{Binding, Object, PointsTo, overlap},
    ir::{Body, Cast, Op, Ty, ValueId},
};
use std::collections::BTreeMap;

/// What is moved as integers.
#[derive(Clone, Default)]
pub struct Moved {
    /// Places, by object.
    places: Evidence,
    /// The same by the access, or by the call that makes them.
    by: BTreeMap<ValueId, Evidence>,
    /// Where integers are computed, or compared.
    proven: Evidence,
}

impl Types {
    /// Notes what the accesses of this function, whose other evidence is known, move as integers. Whether that was news.
    pub fn note_moved(&mut self, body: &Body, memory: &PointsTo) -> bool {
        let mut grew = false;
        for v in body.insts() {
            let data = &body[v];
            let (value, pointer) = match data.op {
                Op::Load => (v, data.operands[0]),
                Op::Store => (data.operands[0], data.operands[1]),
                _ => continue,
            };
            let (Ty::Int(_), bytes) = (body[value].ty, body[value].bytes) else { continue };
            let sees_real = || self.accessed(body, memory, v, pointer, bytes) != [Held::Int];
            let is_member = data.is_integer && data.llvm.is_some_and(|l| l.is_member_access());
            let is_moved = bytes >= 4 && data.is_integer && is_move(body, v) && !is_member;
            // Zeros, comparisons and moves of what the source gives no type say nothing.
            let is_zero = matches!(data.op, Op::Store) && body[value].constant == Some(0);
            let says_nothing = !is_moved && !is_member && (is_copied(body, value) || is_zero);
            if says_nothing || sees_real() {
                continue;
            }
            for (object, offset) in memory.places(pointer) {
                let entry = Entry { offset, bytes, held: Held::Int, declared: false, sure: Sure::Access };
                let moved = &mut self.moved;
                grew |= if is_moved {
                    moved.by.entry(v).or_default().add(object, entry);
                    moved.places.add(object, entry)
                } else {
                    moved.proven.add(object, entry)
                };
            }
        }
        grew
    }

    /// The same of a function that is called.
    pub fn note_moved_by(&mut self, call: ValueId, binding: &Binding, callee: &Types, recursive: bool) -> bool {
        let moved = &mut self.moved;
        moved.by.entry(call).or_default().learn(binding, &callee.moved.places, recursive, &|_| false);
        let grew = moved.places.learn(binding, &callee.moved.places, recursive, &|_| false);
        moved.proven.learn(binding, &callee.moved.proven, recursive, &|_| false) | grew
    }

    /// Accesses and calls that move reals as integers, where `is_active` says that an object holds active data.
    pub fn loses_reals(&self, memory: &PointsTo, is_active: impl Fn(usize) -> bool) -> Vec<ValueId> {
        let is_known = |o: usize| !matches!(memory.objects[o], Object::Unknown | Object::Returned(_));
        let loses = |moved: &Evidence| {
            let objects = || (0..memory.objects.len()).filter(|&o| is_known(o) && moved.of(o).next().is_some());
            objects().any(&is_active) && objects().all(|o| self.moved.proven.of(o).next().is_none()) && objects().any(|o| self.has_reals_at(memory, o, moved))
        };
        self.moved.by.iter().filter(|(_, moved)| loses(moved)).map(|(&v, _)| v).collect()
    }

    /// Whether an object holds reals, and nothing else, and some of the places are theirs. Halves of reals are looked at in variables only: in other
    /// memory they may be integers of their own.
    fn has_reals_at(&self, memory: &PointsTo, object: usize, moved: &Evidence) -> bool {
        let known: Vec<&Entry> = self.known().of(object).filter(|e| e.held != Held::Int).collect();
        let is_variable = matches!(memory.objects[object], Object::Global(_));
        let is_at = |real: &Entry, e: &Entry| {
            let fits = real.bytes == e.bytes || (is_variable && real.bytes == 2 * e.bytes);
            fits && overlap(real.offset, real.bytes, e.offset, e.bytes) && (real.offset == e.offset || e.offset.includes(real.offset))
        };
        known.iter().all(|e| e.held.is_real())
            && known.iter().any(|real| real.sure != Sure::Perhaps && moved.of(object).any(|e| is_at(real, e)))
    }
}

/// Whether an access only moves an integer: what is loaded is stored as it is, what is stored was loaded so.
fn is_move(body: &Body, access: ValueId) -> bool {
    match body[access].op {
        Op::Load => is_copied(body, access) && body.users[access.index()].iter().any(|&u| !matches!(body[u].op, Op::ICmp)),
        Op::Store => is_copied(body, body.operand(access, 0)),
        _ => false,
    }
}

/// Whether an integer was loaded, is moved and perhaps compared: the bits of positive reals are in the order of the reals.
fn is_copied(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Load | Op::Phi(_) | Op::Select | Op::Freeze)
        && is_moved(body, v, |op| matches!(op, Op::ICmp))
        && !body.users[v.index()].iter().any(|&u| matches!(body[u].op, Op::Cast(Cast::Bits)))
}
