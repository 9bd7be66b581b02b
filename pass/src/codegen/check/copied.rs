//! What a copy of memory moves: fields of known kinds, or bytes of which the run decides.

use super::blocks;
use crate::image::unit::Unit;
use adanalysis::{
    points_to::Object,
    types::{Layout, Length, ScalarKind},
};
use adir::{Callee, Op, Ty, ValueData, ValueId, target};

/// What a memcpy or memmove moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Moved {
    /// Fields, and the stride with which they repeat.
    Fields(Layout),
    /// Words that may be pointers, reals of one kind (if any is known) or anything else. The run
    /// tells them apart by their bits (runtime/src/untyped.rs).
    Untyped(Option<ScalarKind>),
}

impl Moved {
    /// Whether pointers surely are among what is moved.
    pub fn holds_pointers(&self) -> bool {
        matches!(self, Moved::Fields((fields, _)) if fields.iter().any(|f| f.1 == ScalarKind::Ptr))
    }
    /// The kind of all reals among untyped bytes, if it is known.
    pub fn reals(&self) -> Option<ScalarKind> {
        match self {
            Moved::Untyped(reals) => *reals,
            Moved::Fields(_) => None,
        }
    }
    /// Whether there may be reals among what is moved.
    pub fn may_hold_reals(&self) -> bool {
        match self {
            Moved::Fields((fields, _)) => fields.iter().any(|f| f.1.is_real()),
            Moved::Untyped(_) => true,
        }
    }
    /// Whether there may be pointers among what is moved.
    pub fn may_hold_pointers(&self) -> bool {
        matches!(self, Moved::Untyped(_)) || self.holds_pointers()
    }
}

/// What the copy `v` moves, or what `memset` overwrites; `None` where neither the compiler nor the
/// run can tell: addresses of four bytes look like floats, and where the words of a part of a struct
/// begin is not known.
pub fn moved(unit: &Unit, v: ValueId) -> Option<Moved> {
    if let Some(layout) = fields(unit, v) {
        return Some(Moved::Fields(layout));
    }
    let pointers = sides(unit, v);
    let is_less_than_word = || {
        let length = unit.body[unit.body.operand(v, 2)].constant;
        length.is_some_and(|n| (n as u64) < target::pointer())
    };
    if pointers.len() == 2 && pointers.iter().all(|&p| is_part(unit, p)) && !is_less_than_word() {
        return None;
    }
    let is_small = |kind: &ScalarKind| matches!(kind, ScalarKind::F64 | ScalarKind::F32);
    let of_source = || unit.types.only_real_of(&unit.memory, *pointers.get(1)?);
    let only = || unit.has_only_doubles.then_some(ScalarKind::F64);
    let kind = unit.types.only_real(&unit.memory, pointers).or_else(of_source);
    let kind = kind.filter(is_small).or_else(only);
    (target::pointer() == 8).then_some(Moved::Untyped(kind))
}

/// Whether a function has copies of which the run decides what they move.
pub fn has_untyped(unit: &Unit) -> bool {
    let is_copy = |v: &ValueId| {
        matches!(unit.body[*v].op, Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet))
    };
    unit.body.insts().filter(is_copy).any(|v| matches!(moved(unit, v), Some(Moved::Untyped(_))))
}

/// The reals among untyped bytes that the copy `v` moves, as far as they are known member by member:
/// offsets, and the period with which they repeat.
pub fn members(unit: &Unit, v: ValueId) -> Option<Layout> {
    let length = unit.body[unit.body.operand(v, 2)].constant;
    let length = length.map_or(Length::UpTo { complete: false }, |n| Length::Exactly(n as u64));
    unit.types.known_reals(&unit.memory, sides(unit, v), length)
}

/// Whether a pointer leads only to variables that passes made of parts of structs: where the words of
/// the struct begin in them, nobody knows.
fn is_part(unit: &Unit, pointer: ValueId) -> bool {
    let is_one = |o: usize| match unit.memory.objects[o] {
        Object::Local(v) => {
            matches!(unit.body[v].op, Op::Alloca(_)) && unit.body.llvm(v).alignment() < 8
        }
        _ => false,
    };
    let mut objects = unit.memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_one)
}

/// Destination and source of a copy; where memory is set, the destination.
fn sides(unit: &Unit, v: ValueId) -> &[ValueId] {
    let is_set = matches!(unit.body[v].op, Op::Call(Callee::MemSet));
    &unit.body[v].operands[..if is_set { 1 } else { 2 }]
}

/// The fields that a copy moves, where the analysis of types knows all of them.
fn fields(unit: &Unit, v: ValueId) -> Option<Layout> {
    let pointers = sides(unit, v);
    let length = &unit.body[unit.body.operand(v, 2)];
    // Of characters nobody expects that they are bytes of pointers.
    let is_character_copy = unit.body[v].is_integer;
    let fields = |length: Length| {
        let found = unit.types.fields(&unit.memory, v, pointers, length);
        found.filter(|(fields, _)| {
            !is_character_copy || fields.iter().all(|f| f.1 != ScalarKind::Ptr)
        })
    };
    let exactly = |length: &ValueData| length.constant.map(|n| Length::Exactly(n as u64));
    // What an old block lacks of the new size is left out when the program runs.
    if matches!(length.op, Op::Call(Callee::KeptBytes)) {
        let all = exactly(&unit.body[length.operands[2]]).and_then(fields);
        return all.or_else(|| blocks::fields(unit, v));
    }
    fields(exactly(length).unwrap_or(Length::UpTo { complete: true }))
}

/// Whether a pointer leads only to memory in which all pointers are null: constants, as a literal
/// `{0}` is, and variables that are filled with zeros and numbers.
pub fn holds_no_address(unit: &Unit, pointer: ValueId) -> bool {
    let is_empty = |o: usize| match unit.memory.objects[o] {
        Object::Global(g) if matches!(unit.body[g].op, Op::Global(true)) => {
            let constant = unit.body.llvm(g);
            constant.is_global_constant()
                && !constant.is_interposable_global()
                && constant.initializer().is_some()
                && constant.named_by_initializer().is_empty()
                && !constant.initializer_names_function()
        }
        Object::Local(v) => matches!(unit.body[v].op, Op::Alloca(_)) && gets_numbers(unit, v),
        _ => false,
    };
    let mut objects = unit.memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_empty)
}

/// Whether nothing but zeros and numbers is stored behind an address, which goes nowhere else.
fn gets_numbers(unit: &Unit, address: ValueId) -> bool {
    let body = &unit.body;
    body.users[address].iter().all(|&user| {
        let is = |i: usize| body.operand(user, i) == address;
        match &body[user].op {
            Op::Gep(..) => is(0) && gets_numbers(unit, user),
            Op::Load => true,
            Op::Store => {
                let stored = &body[body.operand(user, 0)];
                let is_number = stored.ty.is_real()
                    || matches!(stored.ty, Ty::Int(bits) if bits < target::pointer_bits())
                    || stored.constant.is_some();
                !is(0) && is_number
            }
            Op::Call(Callee::MemSet) => true,
            Op::Call(Callee::MemCpy | Callee::MemMove) => !is(0),
            Op::Call(Callee::Inactive) => body.llvm(user).intrinsic().is_some(),
            _ => false,
        }
    })
}
