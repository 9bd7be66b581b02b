//! Integers that the running program knows to be no bits of a real.
//!
//! Unions, nodes that are used again and words of memory without types hold an integer at one time
//! and a real at another. Where code calculates with such an integer, and the memory belongs to the
//! derivative alone, the load counts as constant, and generated code checks when it runs that no
//! active real lay there (runtime/src/integers.rs): the tangent by the shadow, which is zero where
//! an integer was stored last; the adjoint by a mark that the reverse sweep leaves in the shadow and
//! that the reverse of the store finds, if it was one of a real.
//!
//! Not of memory that the user passes: integers in its shadow may be anything. Memory of which
//! nothing is known is not the user's where what a request passes holds no pointers. Nor where reals of
//! several kinds may lie side by side, or no integer is known of at all: there the load is refused (AD031).

use super::Param;
use crate::{
    affine::Address,
    context::Context,
    dataflow::sets,
    points_to::{Object, Offset, PointsTo},
    summary::Known,
    types::{self, ScalarKind, Types},
};
use adir::{Body, Callee, Op, Ty, ValueId, target};
use bitvec::prelude::*;

/// All bytes behind a pointer.
const EVERYTHING: u64 = u64::MAX >> 2;

/// Where an active real may lie that a load takes for an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its kind, double or float.
    pub real: ScalarKind,
    /// At which byte of it the load begins, if that is known; else reals are aligned.
    pub at: Option<u64>,
    /// What is loaded is only moved: it would be a part of a real, not a number.
    pub is_part: bool,
}

/// Where reals may lie that the load `v` takes for an integer, if it can be decided when the
/// program runs whether one did. One, two or four bytes that are only moved are parts of a real,
/// which have no adjoint.
pub fn place(body: &Body, memory: &PointsTo, types: &Types, v: ValueId) -> Option<Place> {
    let data = &body[v];
    let is_vector = data.ty == Ty::Vector(false);
    if !matches!((&data.op, data.ty), (Op::Load, Ty::Int(8 | 16 | 32 | 64) | Ty::Vector(false)))
        || target::pointer() != 8
    {
        return None;
    }
    let address = data.operands[0];
    if types.leaves_bits_open(body, v) {
        if is_vector {
            return None;
        }
        let is_part = matches!(data.ty, Ty::Int(8 | 16 | 32))
            && types::is_only_copied(body, v)
            && !(is_first_part(body, types, address)
                && types.has_real_there(memory, address, data.bytes))
            && !(data.bytes == 4 && is_half(body, address));
        if let Some(real) = whole(body, memory, types, v) {
            return Some(Place { real, at: Some(0), is_part: true });
        }
        let real = if is_part { real_beside(body, memory, types, v) } else { None };
        return real.filter(|real| data.bytes < real.bytes()).map(|real| Place {
            real,
            at: None,
            is_part: !is_padded(body, types, address),
        });
    }
    let scalar = types.accessed(body, memory, v, address, data.bytes);
    let is_known = data.is_integer || scalar.iter().any(|h| !h.is_real());
    let reals = types.reals_in_number(body, memory, v, &scalar);
    let (real, at) = types.real_around(memory, address, data.bytes, &reals).filter(|_| is_known)?;
    Some(Place { real, at, is_part: false })
}

/// The kind of the real that a load may bring which the source calls one of an integer, and whose value
/// is returned as it is: nothing is known of the memory, but what callers know.
fn whole(body: &Body, memory: &PointsTo, types: &Types, load: ValueId) -> Option<ScalarKind> {
    let data = &body[load];
    let is_returned = !body.users[load].is_empty()
        && body.users[load].iter().all(|u| matches!(body[*u].op, Op::Ret));
    let is_unknown = || types.accessed(body, memory, load, data.operands[0], data.bytes).is_empty();
    let real = match data.ty {
        Ty::Int(64) => ScalarKind::F64,
        Ty::Int(32) => ScalarKind::F32,
        _ => return None,
    };
    Some(real).filter(|_| data.is_integer && is_returned && is_unknown())
}

/// The kind of the reals in memory of which `load` takes one byte, if it is one kind and no loop
/// goes through all bytes there.
fn real_beside(body: &Body, memory: &PointsTo, types: &Types, load: ValueId) -> Option<ScalarKind> {
    let address = body.operand(load, 0);
    let reals = types.reals_beside(memory, address);
    // Where in unknown memory an address is, the other places say: a loop goes through those, too.
    let is_told = |(o, _): &(usize, Offset)| !matches!(memory.objects[*o], Object::Unknown);
    let mut places = memory.places(address).filter(is_told).peekable();
    let is_first = body[load].alignment.is_multiple_of(8);
    let is_one_byte = places.peek().is_some()
        && places.all(|(_, at)| is_first || at.is_exact() || at.modulus.is_multiple_of(8));
    match reals[..] {
        [real @ (ScalarKind::F64 | ScalarKind::F32)] if is_one_byte => Some(real),
        _ => None,
    }
}

/// Whether code moves what lies behind the byte at an address in a copy or an integer of its own:
/// passes take a struct, or a real, apart so, into its first byte and the rest. Padding behind it is
/// no rest of a real.
fn is_first_part(body: &Body, types: &Types, address: ValueId) -> bool {
    let is_rest = |v: &ValueId| match body[*v].op {
        Op::Load => matches!(body[*v].ty, Ty::Int(24 | 40 | 48 | 56)),
        Op::Call(Callee::MemCpy | Callee::MemMove) => !types.moves_padding(body, *v),
        _ => false,
    };
    // What lies further behind is another member's.
    let is_near = |v: &ValueId| match &body[*v].op {
        Op::Gep(at, strides) => !strides.is_empty() || (1..8).contains(at),
        _ => false,
    };
    let is_behind = |v: &ValueId| is_near(v) && body.users[*v].iter().any(is_rest);
    body.users[address].iter().any(is_behind)
}

/// Whether code moves padding that lies behind the byte at an address.
fn is_padded(body: &Body, types: &Types, address: ValueId) -> bool {
    let is_next = |v: &ValueId| matches!(&body[*v].op, Op::Gep(1, strides) if strides.is_empty());
    let moves_padding = |v: &ValueId| {
        matches!(body[*v].op, Op::Call(Callee::MemCpy | Callee::MemMove))
            && types.moves_padding(body, *v)
    };
    let mut next = body.users[address].iter().filter(|v| is_next(v));
    next.any(|v| body.users[*v].iter().any(moves_padding))
}

/// Whether code loads what lies four bytes before or behind an address, too, or at an index from
/// the same base: it may move a double in two steps.
fn is_half(body: &Body, address: ValueId) -> bool {
    let (base, at) = steps(body, address);
    body.insts().any(|v| {
        let data = &body[v];
        matches!((&data.op, data.ty), (Op::Load, Ty::Int(32))) && {
            let (other, there) = steps(body, data.operands[0]);
            let is_near = match (at, there) {
                (Some(at), Some(there)) => at.abs_diff(there) == 4,
                _ => true,
            };
            other == base && is_near
        }
    })
}

/// The pointer from which steps lead to an address, and how far, if that is constant.
fn steps(body: &Body, mut address: ValueId) -> (ValueId, Option<i64>) {
    let mut at = Some(0);
    while let Op::Gep(offset, strides) = &body[address].op {
        at = at.filter(|_| strides.is_empty()).map(|at: i64| at + offset);
        address = body.operand(address, 0);
    }
    (address, at)
}

/// Whether a function may read such integers.
pub fn reads_any(body: &Body, memory: &PointsTo, types: &Types) -> bool {
    body.insts().any(|v| place(body, memory, types, v).is_some())
}

/// Whether what the parameters of a request lead to holds no pointers: then all memory but that of
/// the parameters themselves belongs to the differentiated code.
pub fn is_rest_own(body: &Body, memory: &PointsTo, types: &Types, params: &[Param]) -> bool {
    let shadowed = body.params.iter().zip(params).filter(|(_, p)| **p == Param::Shadowed);
    let pointers: Vec<ValueId> =
        shadowed.map(|(p, _)| *p).filter(|p| body[*p].ty == Ty::Ptr).collect();
    let kinds = |&p: &ValueId| types.all_kinds(memory, p, EVERYTHING);
    // What loads from memory that may be any find in arrays of reals are no pointers.
    let holds_reals = |p: &ValueId| {
        let kinds = kinds(p);
        !kinds.is_empty() && kinds.iter().all(|kind| kind.is_real())
    };
    if pointers.iter().all(holds_reals) {
        return true;
    }
    let leads_on =
        (0..memory.objects.len()).any(|o| memory.entry(o).is_some_and(|(_, steps)| steps > 0));
    !leads_on && !pointers.iter().any(|p| kinds(p).contains(&ScalarKind::Ptr))
}

/// Loads of such integers, for a caller that knows `context`. With `moves`, the parts of reals among
/// them are moved with their derivatives, and need no check.
pub fn compute(known: Known, context: &Context, moves: bool) -> BitVec {
    let Known { body, memory, types, bits, .. } = known;
    let mut found = bitvec![0; body.values.len()];
    // Half a double goes nowhere without the other half.
    let is_word = |v: ValueId| body[v].bytes == 4;
    for v in body.insts().filter(|&v| matches!(body[v].op, Op::Load)) {
        let is_own = || {
            let mut objects = memory.points_to(body.operand(v, 0)).peekable();
            objects.peek().is_some() && objects.all(|o| is_own(memory, context, o))
        };
        let is_one = !bits.is_decision(v)
            && !bits.has_reals(v)
            && is_own()
            && place(body, memory, types, v).is_some_and(|p| {
                let is_whole = body[v].bytes == p.real.bytes();
                !(moves && p.is_part && (is_whole || !is_word(v) && may_move_rest(body, v)))
            });
        found.set(v.index(), is_one);
    }
    found
}

/// Whether the other parts of a real may be moved as the part that a load brings: in a loop over such
/// parts, or beside it.
fn may_move_rest(body: &Body, load: ValueId) -> bool {
    let bytes = body[load].bytes;
    let at = Address::of(body, body.operand(load, 0));
    if at.terms.iter().any(|(_, step)| step.unsigned_abs() == bytes) {
        return true;
    }
    body.insts().any(|other| {
        let is_part = other != load
            && matches!(body[other].op, Op::Load)
            && body[other].bytes == bytes
            && body[other].block == body[load].block;
        is_part && {
            let there = Address::of(body, body.operand(other, 0));
            there.root == at.root
                && there.terms == at.terms
                && there.constant.abs_diff(at.constant) < ScalarKind::F64.bytes()
        }
    })
}

/// Locations that checked loads, here and in called functions, read.
pub fn marked(known: Known, checked: &BitVec) -> BitVec {
    let Known { body, locations, callees, .. } = known;
    let mut found = locations.empty();
    for v in body.insts() {
        let reads = checked[v.index()] || callees.get(&v).is_some_and(|c| c.reads_integers);
        if let (true, Some(access)) = (reads, locations.access(v)) {
            sets::add(&mut found, &access.reads.all);
        }
    }
    found
}

/// Whether the shadow of an object belongs to the derivative: nobody but the differentiated code has
/// stored anything there.
pub fn is_own(memory: &PointsTo, context: &Context, object: usize) -> bool {
    match memory.objects[object] {
        Object::Local(_) | Object::Global(_) => true,
        // A user has no way to give a shadow to what a variable leads to.
        _ if memory.root(object).is_some() => true,
        Object::Param(_) | Object::Behind(_) if memory.entry(object).is_some() => {
            context.entry(memory, object).is_some_and(|e| e.own)
        }
        Object::Param(_)
        | Object::Behind(_)
        | Object::Unknown
        | Object::Text
        | Object::Returned(_) => context.rest_own,
    }
}
