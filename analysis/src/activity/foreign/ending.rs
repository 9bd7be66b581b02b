//! Memory that text has left when an exception has ended.

use super::{elsewhere::role, handlers::Passing};
use crate::{points_to::Object, summary::Known};
use adir::{Body, Callee, Op, ValueId, hashed::HashSet};
use bitvec::prelude::*;

/// Objects that are an exception of this function or serve to make one; and the library's characters, which
/// only a pointer to them leads to, and that is text itself.
pub(super) struct Ending<'a> {
    known: Known<'a>,
    passing: Passing,
    objects: BitVec,
    /// Their locations.
    pub locations: BitVec,
}

impl<'a> Ending<'a> {
    /// Of a function.
    pub fn new(known: Known<'a>) -> Ending<'a> {
        let (objects, made) = (&known.memory.objects, &known.body.exceptions.made);
        let is_first = |o: &Object| match *o {
            Object::Text => true,
            Object::Local(v) | Object::Returned(v) => made.contains(&v),
            _ => false,
        };
        let mut ending = Ending {
            known,
            passing: Passing::new(known.body),
            objects: objects.iter().map(is_first).collect(),
            locations: known.locations.empty(),
        };
        let is_one = |ending: &Ending, o: usize| match objects[o] {
            Object::Local(v) if !ending.objects[o] => ending.serves(o, v),
            _ => false,
        };
        // An object that keeps the address of another comes first.
        let mut is_more = !made.is_empty();
        while is_more {
            let more: Vec<usize> = (0..objects.len()).filter(|&o| is_one(&ending, o)).collect();
            more.iter().for_each(|&o| ending.objects.set(o, true));
            is_more = !more.is_empty();
        }
        ending.locations = known.locations.of_objects(|o| ending.objects[o]);
        ending
    }

    /// Whether an instruction runs before an exception ends.
    pub fn is_before(&self, v: ValueId) -> bool {
        self.passing.contains(self.known.body, v)
    }

    /// Whether a pointer leads to nothing else.
    pub fn contains(&self, pointer: ValueId) -> bool {
        let targets = &self.known.memory.targets(pointer).objects;
        !targets.is_empty() && targets.iter().all(|&o| self.objects[o as usize])
    }

    /// Whether nothing uses a variable, or a block, but what runs before an exception ends; of a block, nothing
    /// else keeps the address.
    fn serves(&self, object: usize, v: ValueId) -> bool {
        let body = self.known.body;
        let is_block = !matches!(body[v].op, Op::Alloca(_));
        if is_block && !self.passing.contains(body, v) {
            return false;
        }
        let mut seen: HashSet<ValueId> = [v].into_iter().collect();
        let mut open = vec![v];
        while let Some(address) = open.pop() {
            for &user in &body.users[address] {
                let is_address = matches!(
                    body[user].op,
                    Op::Gep(..) | Op::Phi(_) | Op::Select | Op::Cast(_) | Op::Freeze
                );
                if is_address {
                    open.extend(seen.insert(user).then_some(user));
                    continue;
                }
                let is_kept = || is_block && self.keeps(object, address, user);
                if !is_marker(body, user) && (!self.passing.contains(body, user) || is_kept()) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether an instruction may keep the address of a block elsewhere. A function that is called on the block
    /// itself makes or destroys it.
    fn keeps(&self, object: usize, address: ValueId, user: ValueId) -> bool {
        let (body, memory) = (self.known.body, self.known.memory);
        let operands = &body[user].operands;
        match body[user].op {
            Op::Store => {
                let is_own =
                    || memory.targets(operands[1]).objects.iter().all(|&o| o as usize == object);
                operands[0] == address && !self.contains(operands[1]) && !is_own()
            }
            Op::Call(Callee::Defined) => {
                role(body, user).is_none() && operands.iter().skip(1).any(|&o| o == address)
            }
            // What its call does.
            Op::Call(_) if is_pad(body, user) => false,
            Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet | Callee::Free) => false,
            Op::Call(_) => role(body, user).is_none(),
            Op::Ret | Op::InsertValue(_) => true,
            _ => false,
        }
    }
}

/// Whether a call only says where a variable lives.
fn is_marker(body: &Body, v: ValueId) -> bool {
    body[v].symbol.as_deref().is_some_and(|s| s.starts_with("llvm.lifetime."))
}

/// Whether a call is a landing pad.
fn is_pad(body: &Body, v: ValueId) -> bool {
    let block = body.block_of(v);
    let is_phi = |v: &&ValueId| matches!(body[**v].op, Op::Phi(_));
    body.exceptions.found.contains(&block)
        && body[block].insts.iter().find(|v| !is_phi(v)) == Some(&v)
}
