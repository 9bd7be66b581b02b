//! Parts of reals that are moved as integers, by loops over bytes or halves.
//!
//! The tangent moves the same parts of derivatives, which is right where all parts of a real go to
//! the same places of one other real, and nothing comes between: then it is a copy of the real.
//! That is so
//! - in a run: a loop that moves one piece after the other, as memmove does;
//! - where the other parts are moved in the same block.
//!
//! Everything else makes a real of parts of several, of which the derivative is none. The adjoint
//! adds reals, and knows no parts.

use super::{Check, Mode};
use crate::diagnostics::Code;
use adanalysis::affine::Address;
use adir::{BlockId, Op, ValueId};

impl Check<'_> {
    /// Whether the bits that `v` loads are a part of a real, and the rest may go elsewhere.
    pub(super) fn tears(&self, v: ValueId) -> bool {
        let (address, bytes) = (self.body.operand(v, 0), self.body[v].bytes);
        self.unit.types.breaks_reals(self.body, &self.unit.memory, address, bytes)
            && (self.mode == Mode::Adjoint
                || !self
                    .only_store(v)
                    .is_some_and(|store| self.is_run(v, store) || self.moves_rest(v, store)))
    }

    pub(super) fn torn(&mut self, v: ValueId) {
        self.say(
            Code::PartOfReal,
            v,
            "a part of an active floating-point value is moved as an integer: a part has no \
            derivative",
            "move the value as a whole, with its own type or by memcpy",
        );
    }

    /// The one thing that is done with `v`: it is stored.
    fn only_store(&self, v: ValueId) -> Option<ValueId> {
        match self.body.users[v][..] {
            [u] if matches!(self.body[u].op, Op::Store) && self.body.operand(u, 0) == v => Some(u),
            _ => None,
        }
    }

    /// Whether a loop moves one such piece after the other.
    fn is_run(&self, load: ValueId, store: ValueId) -> bool {
        let step = self.body[load].bytes as i64;
        let (from, to) = (
            Address::of(self.body, self.body.operand(load, 0)),
            Address::of(self.body, self.body.operand(store, 1)),
        );
        let fits = || match (
            self.position(load, self.body.operand(load, 0)),
            self.position(load, self.body.operand(store, 1)),
        ) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        from.terms.iter().any(|(x, a)| *a == step && to.coefficient(*x) == step) && fits()
    }

    /// Whether the block that moves a part moves the others of the same real, too.
    fn moves_rest(&self, load: ValueId, store: ValueId) -> bool {
        let (from, to) = (self.body.operand(load, 0), self.body.operand(store, 1));
        let (Some(a), Some(b), Some(block)) =
            (self.position(load, from), self.position(load, to), self.body[load].block)
        else {
            return false;
        };
        let bytes = self.body[load].bytes;
        let (at, size) = a;
        if a != b || at % bytes != 0 || self.body[store].block != Some(block) {
            return false;
        }
        let (from, to) = (Address::of(self.body, from), Address::of(self.body, to));
        let part = |k: u64| {
            let moved = (k * bytes) as i64 - at as i64;
            self.moves(block, bytes).find(|&(l, s)| {
                let is_at = |address: ValueId, base: &Address| {
                    let found = Address::of(self.body, address);
                    found.root == base.root
                        && found.terms == base.terms
                        && found.constant == base.constant.wrapping_add(moved)
                };
                is_at(self.body.operand(l, 0), &from) && is_at(self.body.operand(s, 1), &to)
            })
        };
        let Some(parts) = (0..size / bytes).map(part).collect::<Option<Vec<_>>>() else {
            return false;
        };
        // Between them, nothing else is written.
        let members: Vec<ValueId> = parts.iter().flat_map(|&(l, s)| [l, s]).collect();
        let insts = &self.body[block].insts;
        let place = |v: &ValueId| members.contains(v);
        let (first, last) = (insts.iter().position(place), insts.iter().rposition(place));
        let writes = |v: &ValueId| {
            matches!(self.body[*v].op, Op::Store | Op::Call(_) | Op::Atomic | Op::Update(_))
        };
        let (Some(first), Some(last)) = (first, last) else { return false };
        insts[first..=last]
            .iter()
            .all(|v| members.contains(v) || !writes(v) || self.is_other_part(*v, bytes))
    }

    /// Whether a store moves a part as well: of another real, or another part of the same.
    fn is_other_part(&self, store: ValueId, bytes: u64) -> bool {
        let Some(block) = self.body[store].block else { return false };
        self.moves(block, bytes).any(|(l, s)| {
            s == store
                && self
                    .position(l, self.body.operand(l, 0))
                    .is_some_and(|p| Some(p) == self.position(l, self.body.operand(s, 1)))
        })
    }

    /// Loads and stores of pieces of that size in a block.
    fn moves(&self, block: BlockId, bytes: u64) -> impl Iterator<Item = (ValueId, ValueId)> + '_ {
        let loads =
            self.body[block].insts.iter().copied().filter(move |&l| {
                matches!(self.body[l].op, Op::Load) && self.body[l].bytes == bytes
            });
        loads
            .filter_map(move |l| Some((l, self.only_store(l)?)))
            .filter(move |&(_, s)| self.body[s].block == Some(block))
    }

    /// Where in a real an address is, and how large that is.
    fn position(&self, load: ValueId, address: ValueId) -> Option<(u64, u64)> {
        self.unit.types.position(&self.unit.memory, address, self.body[load].bytes)
    }
}
