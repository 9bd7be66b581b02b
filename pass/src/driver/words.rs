//! Words that are only moved, and of which the analysis of types does not know what they are: bits of
//! reals, a pointer, or a number.
//!
//! Passes spell a copy of a small struct, or of a part of one, as loads and stores of integers, and
//! that of a union by one of its members. Such a word holds one thing; a copy of memory may hold
//! anything, and its derivative is decided when the program runs (codegen/check/copied.rs). So these
//! moves become copies of memory again; what else is done with the word stays. So do those of pointers,
//! where reals may lie: in a union, in a node that is used again, in a `void *` that holds a number.

use crate::{canon, image::Origins};
use adanalysis::{
    bits::Bits,
    points_to::PointsTo,
    types::{ScalarKind, Types},
};
use adir::{Body, Cast, Op, Ty, ValueId, hashed::HashSet, target};
use std::rc::Rc;

/// Less than a float holds no real, and nobody moves half a pointer.
const LEAST_BYTES: u64 = 4;

/// What is known of one function.
pub struct Facts<'a> {
    pub body: &'a Body,
    pub origins: &'a Origins,
    pub memory: &'a PointsTo,
    pub types: &'a Types,
    pub bits: &'a Bits,
}

impl Facts<'_> {
    /// Loads that are moves of unknown bits, and of what lies beside these: code that copies a struct
    /// by words copies all of it so. None where addresses have four bytes: they look like floats.
    pub fn undecided(&self) -> Vec<ValueId> {
        if target::pointer() != 8 {
            return vec![];
        }
        let moves = self.body.insts().filter(|&v| self.is_move(v) && !self.is_part(v));
        let (decided, mut found): (Vec<_>, Vec<_>) = moves.partition(|&v| self.is_decided(v));
        let objects: HashSet<usize> = found.iter().flat_map(|&v| self.objects(v)).collect();
        let is_beside = |v: &ValueId| {
            !matches!(self.body[*v].ty, Ty::F64 | Ty::Ptr)
                && !self.is_told(*v)
                && self.objects(*v).any(|o| objects.contains(&o))
        };
        found.extend(decided.into_iter().filter(is_beside));
        found
    }

    /// Whether the source says of a load, and of all stores of what it brings, that they access integers of less than a
    /// word: no part of a struct that passes move by words.
    fn is_told(&self, load: ValueId) -> bool {
        self.body[load].is_integer
            && self.body[load].bytes < target::pointer()
            && self.stores(load).all(|u| self.body[u].is_integer)
    }

    /// Between which a load and its stores move a word.
    fn objects(&self, load: ValueId) -> impl Iterator<Item = usize> {
        self.ends(load).flat_map(|at| self.memory.points_to(at))
    }

    /// The addresses from which and to which a load's word is moved.
    fn ends(&self, load: ValueId) -> impl Iterator<Item = ValueId> {
        let to = self.stores(load).map(|u| self.body.operand(u, 1));
        to.chain([self.body.operand(load, 0)])
    }

    /// Whether `v` loads an integer, a vector of such, a double or a pointer, and it is stored.
    fn is_move(&self, v: ValueId) -> bool {
        let is_word = matches!(self.body[v].ty, Ty::Int(_) | Ty::Vector(false) | Ty::F64 | Ty::Ptr);
        matches!(self.body[v].op, Op::Load)
            && is_word
            && self.body[v].bytes >= LEAST_BYTES
            && self.stores(v).next().is_some()
    }

    /// The stores of a value, and of the choices that it takes part in.
    fn stores(&self, v: ValueId) -> impl Iterator<Item = ValueId> {
        let stores_of = move |word: ValueId| {
            let is_store = move |u: &ValueId| {
                matches!(self.body[*u].op, Op::Store) && self.body.operand(*u, 0) == word
            };
            self.body.users[word].iter().copied().filter(is_store)
        };
        let chosen = self.choices(v).into_iter().flat_map(|choice| self.views(choice));
        [v].into_iter().chain(chosen).flat_map(stores_of)
    }

    /// The choices by which a word goes from memory to memory: nothing else is chosen from than
    /// words of memory and constants, and pointers where there are reals among them.
    fn choices(&self, load: ValueId) -> Vec<ValueId> {
        let body = self.body;
        let is_choice = |v: &ValueId| matches!(body[*v].op, Op::Phi(_) | Op::Select);
        let sources = |choice: ValueId| {
            let first = usize::from(matches!(body[choice].op, Op::Select));
            body[choice].operands[first..].iter().map(|&o| self.word(o))
        };
        let is_moved = match body[load].ty {
            Ty::Vector(_) => false,
            Ty::Ptr => self.is_beside_real(load),
            _ => true,
        };
        if !is_moved {
            return vec![];
        }
        let (mut found, mut work) = (vec![], vec![load]);
        while let Some(word) = work.pop() {
            let users = self.views(word).into_iter().flat_map(|view| &body.users[view]).copied();
            let takers = users.filter(|u| is_choice(u) && sources(*u).any(|o| o == word));
            let given = [word].into_iter().filter(is_choice).flat_map(sources).filter(is_choice);
            for choice in takers.chain(given).collect::<Vec<_>>() {
                if !found.contains(&choice) {
                    found.push(choice);
                    work.push(choice);
                }
            }
        }
        let mut all = found.iter().flat_map(|&c| sources(c));
        let holds_reals = self.is_beside_real(load) || all.any(|o| body[o].ty.is_real());
        let is_source = |o: ValueId| {
            is_choice(&o)
                || body[o].ty == Ty::Ptr && holds_reals
                || matches!(body[o].op, Op::Load | Op::Constant | Op::Undef)
        };
        if found.iter().any(|&c| !sources(c).all(is_source)) { vec![] } else { found }
    }

    /// Whether code loads a real, too, from where `load` loads a pointer: members of a union.
    fn is_beside_real(&self, load: ValueId) -> bool {
        let body = self.body;
        let is_real = |u: &ValueId| matches!(body[*u].op, Op::Load) && body[*u].ty.is_real();
        body.users[body.operand(load, 0)].iter().any(is_real)
    }

    /// The word of which a value is the bits.
    fn word(&self, mut v: ValueId) -> ValueId {
        while self.is_cast(v) {
            v = self.body.operand(v, 0);
        }
        v
    }

    /// A word, and its bits as other types.
    fn views(&self, word: ValueId) -> Vec<ValueId> {
        let mut found = vec![word];
        let mut next = 0;
        while next < found.len() {
            found.extend(self.body.users[found[next]].iter().filter(|u| self.is_cast(**u)));
            next += 1;
        }
        found
    }

    /// Whether a value is the bits of another as a different type.
    fn is_cast(&self, v: ValueId) -> bool {
        let body = self.body;
        matches!(body[v].op, Op::Cast(Cast::Bits | Cast::PtrToInt | Cast::IntToPtr))
            && body[v].bytes == body[body.operand(v, 0)].bytes
    }

    /// Whether a word is part of a real that it does not hold whole: parts have no derivative.
    fn is_part(&self, load: ValueId) -> bool {
        let bytes = self.body[load].bytes;
        let is_larger = |kinds: &[ScalarKind]| {
            !kinds.is_empty() && kinds.iter().all(|kind| kind.is_real() && kind.bytes() > bytes)
        };
        if self.body[load].ty == Ty::Ptr {
            return false;
        }
        is_larger(&self.kinds(load, load, self.body.operand(load, 0)))
            || self.ends(load).any(|at| self.types.breaks_reals(self.body, self.memory, at, bytes))
    }

    /// Whether both ends of a move are known to hold the same.
    fn is_decided(&self, load: ValueId) -> bool {
        let body = self.body;
        let disguises_pointer = || self.types.may_disguise_pointer(body, self.memory, load);
        match body[load].ty {
            Ty::F64 => return !disguises_pointer(),
            // Not even a type that the source names proves it: unions are moved by way of arrays of
            // such pointers.
            Ty::Ptr => {
                let (from, bytes) = (body.operand(load, 0), body[load].bytes);
                let may_be_real = self.types.may_find_real(self.memory, from, bytes);
                return !canon::is_moved_word(self.origins.value(load)) && !may_be_real;
            }
            _ => {}
        }
        let from = self.kinds(load, load, body.operand(load, 0));
        let to = self.stores(load).map(|u| self.kinds(u, load, body.operand(u, 1)));
        let is_whole = |kinds: &[ScalarKind]| match kinds {
            [ScalarKind::Int] => true,
            [one] if one.is_real() => one.bytes() == self.element_bytes(load),
            _ => false,
        };
        if self.bits.is_contradictory(load) {
            return false;
        }
        let mut ends = to.chain([from.clone()]).filter(|kinds| !kinds.is_empty());
        match ends.next() {
            Some(first) if is_whole(&first) => {
                ends.all(|kinds| kinds == first) && !disguises_pointer()
            }
            Some(first) => !first.contains(&ScalarKind::Ptr) && self.is_packed(load),
            None => false,
        }
    }

    /// Whether the bytes of a load are known one by one, reals and integers only.
    fn is_packed(&self, load: ValueId) -> bool {
        let bytes = self.body[load].bytes;
        let fields =
            self.types.within(self.body, self.memory, load, self.body.operand(load, 0), bytes);
        let holds = |k: u64| fields.iter().any(|&(at, s)| at <= k && k < at + s.bytes());
        self.body[load].ty != Ty::Vector(false)
            && (0..bytes).all(holds)
            && fields.iter().all(|f| f.1 != ScalarKind::Ptr)
    }

    fn kinds(&self, access: ValueId, bits: ValueId, address: ValueId) -> Rc<[ScalarKind]> {
        let bytes = self.body[bits].bytes;
        self.bits.accessed(self.types, self.body, self.memory, access, address, bytes)
    }

    /// Size of an integer, or of one of those in a vector.
    fn element_bytes(&self, v: ValueId) -> u64 {
        let ty = self.origins.value(v).ty().scalar();
        if ty.is_int() { u64::from(ty.int_width()) / 8 } else { 0 }
    }
}
