//! Evidence from the instructions of one function.

use super::{
    Claim, Entry, Evidence, Field, ScalarKind, Sure, Types,
    uses::{
        Uses, bits_of_real, is_bits_of_real, is_computed, is_computed_with, is_field, is_index,
        is_masked, is_scratch, may_be_real, seen_as_real, updated_field,
    },
};
use crate::points_to::{Object, Offset, PointsTo};
use adir::{Body, Callee, Cast, IntOp, Op, Ty, ValueData, ValueId};
use adrules::{Precision, Rule};

impl Types {
    /// Collects evidence from `body`. `declared` gives the fields of the type that an alloca
    /// allocates, that address arithmetic steps over, that a copy moves or that an access has, and
    /// the stride with which they repeat.
    pub fn compute(
        body: &Body,
        memory: &PointsTo,
        declared: impl Fn(ValueId) -> Option<(Vec<Field>, u64)>,
    ) -> Types {
        let types = Types { uses: Uses::of(body), ..Types::default() };
        let mut collector = Collector { types, body, memory, declared: &declared };
        collector.characters();
        let variables = body.value_ids().filter(|&v| matches!(body[v].op, Op::Global(_)));
        let values = body.params.iter().copied().chain(variables).chain(body.insts());
        values.for_each(|v| collector.value(v));
        collector.types
    }
}

/// Choices between addresses that are followed to find the first place of an access.
const MOST_CHOICES: usize = 16;

struct Collector<'a> {
    types: Types,
    body: &'a Body,
    memory: &'a PointsTo,
    declared: &'a dyn Fn(ValueId) -> Option<(Vec<Field>, u64)>,
}

/// An access: through which pointer, with which alignment in bytes, and whether its value is a
/// member of a struct that has reals or pointers as well.
struct Access<'a> {
    pointer: ValueId,
    alignment: u32,
    value: &'a ValueData,
    is_member: bool,
}

/// What lies in a piece of memory, and how sure that is.
struct Piece {
    at: u64,
    bytes: u64,
    scalar: ScalarKind,
    sure: Sure,
    claim: Claim,
}

impl Collector<'_> {
    /// What the library's functions on text allocated are characters.
    fn characters(&mut self) {
        let character = Entry {
            offset: Offset::ANY,
            bytes: 1,
            scalar: ScalarKind::Int,
            declared: true,
            sure: Sure::Source,
            claim: Claim::Proven,
            least: 0,
        };
        if let Some(text) = self.memory.objects.iter().position(|o| *o == Object::Text) {
            self.types.own.add(text, character);
        }
    }

    fn value(&mut self, v: ValueId) {
        let (body, memory) = (self.body, self.memory);
        match &body[v].op {
            Op::Load | Op::Update(_) => self.load(v),
            Op::Store => self.store(v),
            Op::Call(Callee::MemCpy | Callee::MemMove) => self.copy(v),
            Op::Call(Callee::MemSet) => {
                let (fields, _) = (self.declared)(v).unwrap_or_default();
                self.elements(v, fields);
            }
            Op::Alloca(_) | Op::Param(_) | Op::Global(_) | Op::Gep(..) => self.declaration(v),
            Op::Call(Callee::Rule(rule, precision)) => self.rule(v, rule, *precision),
            // Without its code, nothing tells what such a function does to what it is given.
            Op::Call(Callee::Unknown | Callee::Indirect | Callee::Assembly | Callee::Custom) => {
                let pointers = body[v].operands.iter().filter(|&&o| body[o].ty == Ty::Ptr);
                let own = &mut self.types.own;
                pointers.flat_map(|&o| memory.points_to(o)).for_each(|o| own.expose(o));
            }
            _ => {}
        }
    }

    /// What the source says that the bits of an integer access are.
    fn declared_kind(&self, v: ValueId) -> Option<ScalarKind> {
        (self.declared)(v).and_then(|(fields, _)| fields.first().map(|f| f.1))
    }

    fn load(&mut self, v: ValueId) {
        let (body, data) = (self.body, &self.body[v]);
        let declared = self.declared_kind(v);
        let is_declared_real = declared.is_some_and(ScalarKind::is_real);
        if is_declared_real {
            self.types.reals.insert(v);
        }
        let is_integer = matches!(data.ty, Ty::Int(_))
            && (data.is_integer
                || !(is_declared_real || may_be_real(body, v, &self.types.uses))
                || !is_declared_real && is_field(body, v));
        // Where code sees the bits as a real, a real lies, at least at times.
        let seen = seen_as_real(body, v);
        let other = if is_integer { seen.or(Some(ScalarKind::Int)) } else { declared.or(seen) };
        let claim = match () {
            () if !matches!(data.ty, Ty::Int(_)) => Claim::Proven,
            () if is_index(body, v) => Claim::Index,
            () if data.is_member || is_computed_with(body, v) => Claim::Proven,
            () => Claim::Type,
        };
        let access = Access {
            pointer: data.operands[0],
            alignment: data.alignment,
            value: data,
            is_member: data.is_member,
        };
        self.add_access(access, claim, other);
    }

    fn store(&mut self, v: ValueId) {
        let (body, data) = (self.body, &self.body[v]);
        let stored = data.operands[0];
        let value = &body[stored];
        let is_arithmetic =
            matches!(value.op, Op::IntBinary(_) | Op::Cast(_) | Op::ICmp | Op::Param(_))
                && !is_masked(body, stored, false);
        let is_computed = is_computed(body, stored);
        let is_integer = data.is_integer
            || (is_arithmetic || is_computed) && !is_bits_of_real(body, stored)
            || updated_field(body, v).is_some();
        // Passes move a real's bits by integers that they seem to compute.
        let declared = self.declared_kind(v).filter(|kind| kind.is_real());
        let other = match value.ty {
            _ if !value.fields.is_empty() => None,
            Ty::Int(_) if declared.is_some() => declared,
            Ty::Int(_) if is_integer => bits_of_real(body, stored).or(Some(ScalarKind::Int)),
            _ => self.declared_kind(v).or(bits_of_real(body, stored)),
        };
        let claim = if data.is_member || is_computed { Claim::Proven } else { Claim::Type };
        let access = Access {
            pointer: data.operands[1],
            alignment: data.alignment,
            value,
            is_member: data.is_member,
        };
        self.add_access(access, claim, other);
    }

    fn copy(&mut self, v: ValueId) {
        let (fields, stride) = (self.declared)(v).unwrap_or_default();
        if stride != 0 {
            return self.elements(v, fields);
        }
        let claim = Claim::of_type(&fields);
        for &(at, scalar) in &fields {
            for &p in &self.body[v].operands[..2] {
                // What is copied through a pointer to one of several objects lies in that one.
                let several = self.memory.points_to(p).nth(1).is_some();
                let sure = if several { Sure::Perhaps } else { Sure::Access };
                let piece = Piece { at, bytes: scalar.bytes(), scalar, sure, claim };
                add_declared(&mut self.types.own, self.memory, p, &piece, 0);
            }
        }
        self.types.spelled.insert(v, fields);
    }

    /// A copy of elements, or memory that is set. What lies around them it does not tell.
    fn elements(&mut self, v: ValueId, fields: Vec<Field>) {
        if let [(0, element)] = fields[..] {
            self.types.elements.insert(v, element);
        }
    }

    fn declaration(&mut self, v: ValueId) {
        let data = &self.body[v];
        let base = if matches!(data.op, Op::Gep(..)) { data.operands[0] } else { v };
        let (fields, stride) = (self.declared)(v).unwrap_or_default();
        if matches!(data.op, Op::Gep(..)) && self.is_displaced(v, &fields) {
            return;
        }
        let is_variable = matches!(data.op, Op::Alloca(_) | Op::Global(_));
        if is_variable && stride == 0 && !is_scratch(self.body, base) {
            self.memory.points_to(v).for_each(|o| self.types.own.note_type(o));
        }
        // A variable of less than two bytes, as an object of an empty class, holds no part of a
        // real.
        let is_tiny =
            matches!(data.op, Op::Alloca(_)) && data.allocated_bytes.is_some_and(|bytes| bytes < 2);
        let claim = if is_tiny { Claim::Proven } else { Claim::of_type(&fields) };
        let to =
            if is_scratch(self.body, base) { &mut self.types.scratch } else { &mut self.types.own };
        for (at, scalar) in fields {
            let piece = Piece { at, bytes: scalar.bytes(), scalar, sure: Sure::Access, claim };
            add_declared(to, self.memory, base, &piece, stride);
        }
    }

    /// Whether address arithmetic steps over structs, but not from the start of one: simplification
    /// takes the constant distance of an array in a struct out of the base, and adds it behind. Then
    /// accesses find something else than these fields, or the variable's type has something else.
    fn is_displaced(&self, v: ValueId, fields: &[Field]) -> bool {
        let (body, Op::Gep(_, strides)) = (self.body, &self.body[v].op) else { return false };
        let [(_, stride)] = strides[..] else { return false };
        let is_other = |at: u64, bytes: u64, scalar: ScalarKind| {
            let mut here = fields.iter().filter(|f| f.0 < at + bytes && at < f.0 + f.1.bytes());
            scalar != ScalarKind::Int && here.any(|&f| f != (at, scalar))
        };
        let accesses_other = |pointer: ValueId, ahead: i64| {
            let at = ahead.checked_rem_euclid(stride).unwrap_or(0) as u64;
            body.users[pointer].iter().any(|&user| {
                let moved = match body[user].op {
                    Op::Load => &body[user],
                    Op::Store if body.operand(user, 1) == pointer => &body[body.operand(user, 0)],
                    _ => return false,
                };
                moved.fields.iter().any(|&(k, scalar)| is_other(at + k, scalar.bytes(), scalar))
            })
        };
        let steps_to_other = body.users[v].iter().any(|&user| match &body[user].op {
            Op::Gep(ahead, further) => {
                further.is_empty() && body.operand(user, 0) == v && accesses_other(user, *ahead)
            }
            _ => false,
        });
        let base = body.operand(v, 0);
        let variable = match body[base].op {
            Op::Alloca(_) | Op::Global(_) => (self.declared)(base),
            _ => None,
        };
        let is_of_other_type = variable.is_some_and(|(members, stride)| {
            stride == 0
                && fields.iter().any(|&(at, scalar)| {
                    let mut here = members
                        .iter()
                        .filter(|m| m.0 < at + scalar.bytes() && at < m.0 + m.1.bytes());
                    here.any(|&m| m != (at, scalar))
                })
        });
        accesses_other(v, 0) || steps_to_other || is_of_other_type
    }

    fn rule(&mut self, v: ValueId, rule: &Rule, precision: Precision) {
        let scalar = match precision {
            Precision::F32 => ScalarKind::F32,
            Precision::F64 => ScalarKind::F64,
            Precision::F80 => ScalarKind::F80,
        };
        for &p in &rule.float_pointees {
            let (bytes, sure, claim) = (scalar.bytes(), Sure::Access, Claim::Proven);
            let piece = Piece { at: 0, bytes, scalar, sure, claim };
            self.add(self.body[v].operands[p], 0, &piece);
        }
    }

    /// What an access moves: the reals and pointers of its value's type; `other` of one that has
    /// none, and how sure that is.
    fn add_access(&mut self, access: Access, claim: Claim, other: Option<ScalarKind>) {
        let Access { pointer, alignment, value, is_member } = access;
        let several = self.memory.points_to(pointer).nth(1).is_some();
        let sure = if several { Sure::Perhaps } else { Sure::Access };
        for &(at, scalar) in &value.fields {
            let piece = Piece { at, bytes: scalar.bytes(), scalar, sure, claim: Claim::Proven };
            self.add(pointer, alignment, &piece);
        }
        if let (true, Some(scalar)) = (value.fields.is_empty(), other) {
            let is_integer = scalar == ScalarKind::Int;
            // The source has an integer beside other members there.
            let is_integer_in_source =
                is_integer && !several && is_member && self.is_one_place(pointer);
            let sure = if is_integer_in_source { Sure::Source } else { sure };
            let claim = if is_integer { claim } else { Claim::Proven };
            self.add(pointer, alignment, &Piece { at: 0, bytes: value.bytes, scalar, sure, claim });
        }
    }

    fn is_one_place(&self, pointer: ValueId) -> bool {
        let (body, memory) = (self.body, self.memory);
        memory.places(pointer).all(|(o, at)| memory.is_single(body, o) && at.is_exact())
    }

    fn add(&mut self, pointer: ValueId, alignment: u32, piece: &Piece) {
        let &Piece { at, bytes, scalar, sure, claim } = piece;
        // A real that is not aligned is put together of bytes: where it may lie, bytes lie, as in a
        // string or in the block of one.
        let is_of_bytes = scalar.is_real() && (1..bytes.min(4)).contains(&alignment.into());
        for (object, base) in self.memory.places(pointer) {
            let sure = if is_of_bytes && base.modulus != 1 { sure.min(Sure::Access) } else { sure };
            // Objects are aligned as their accesses are: where nothing else is known of the offset,
            // that is.
            let base = if base.modulus == 1 {
                Offset { constant: 0, modulus: u64::from(alignment.max(1)) }
            } else {
                base
            };
            let offset = base.shifted(at as i64, std::iter::empty());
            let least = self.least(pointer, object).saturating_add(at as i64);
            self.types
                .own
                .add(object, Entry { offset, bytes, scalar, declared: false, sure, claim, least });
        }
    }

    /// The first place in an object that an address may name.
    fn least(&self, pointer: ValueId, object: usize) -> i64 {
        let is_one = matches!(self.memory.objects[object], Object::Local(_) | Object::Param(_))
            && !self.memory.is_many(object);
        let mut left = MOST_CHOICES;
        match is_one.then(|| self.first_place(pointer, object, &mut vec![], &mut left)) {
            None | Some(i64::MAX) => i64::MIN,
            Some(place) => place,
        }
    }

    /// The same; `i64::MAX` where it leads elsewhere, or comes back to a choice on its `way`: further
    /// on, then. So many choices are `left`.
    fn first_place(
        &self,
        pointer: ValueId,
        object: usize,
        way: &mut Vec<ValueId>,
        left: &mut usize,
    ) -> i64 {
        let (body, memory) = (self.body, self.memory);
        let Some((_, at)) = memory.places(pointer).find(|(o, _)| *o == object) else {
            return i64::MAX;
        };
        if at.is_exact() {
            return at.constant;
        }
        let is_natural = |&(index, stride): &(ValueId, i64)| stride >= 0 && is_natural(body, index);
        match &body[pointer].op {
            Op::Gep(ahead, strides) if *ahead >= 0 && strides.iter().all(is_natural) => {
                match self.first_place(body.operand(pointer, 0), object, way, left) {
                    end @ (i64::MIN | i64::MAX) => end,
                    place => place.saturating_add(*ahead),
                }
            }
            Op::Phi(_) | Op::Select | Op::Freeze if way.contains(&pointer) => i64::MAX,
            Op::Phi(_) | Op::Select | Op::Freeze if *left > 0 => {
                *left -= 1;
                way.push(pointer);
                let first = usize::from(matches!(body[pointer].op, Op::Select));
                let all = body[pointer].operands[first..].iter();
                let place = all.map(|&o| self.first_place(o, object, way, left)).min();
                way.pop();
                place.unwrap_or(i64::MIN)
            }
            _ => i64::MIN,
        }
    }
}

/// Whether an index is no less than zero: what was made wider without a sign, or masked, or what a loop
/// counts up from there.
fn is_natural(body: &Body, index: ValueId) -> bool {
    let constant = |v: ValueId| body[v].constant.is_some_and(|c| c >= 0);
    let is_wide = |v: ValueId| body[v].ty == Ty::Int(64);
    match &body[index].op {
        Op::Constant => constant(index),
        Op::Cast(Cast::ZeroExtend) => true,
        Op::IntBinary(IntOp::And) => {
            is_wide(index) && body[index].operands.iter().any(|&o| constant(o))
        }
        Op::Phi(_) => body[index].operands.iter().all(|&o| {
            let is_next = matches!(body[o].op, Op::IntBinary(IntOp::Add))
                && body[o].operands.contains(&index)
                && body[o].operands.iter().any(|&step| constant(step));
            is_wide(index) && (constant(o) || is_next)
        }),
        _ => false,
    }
}

/// Notes a piece of a declared type, which repeats every `stride` bytes (0: it does not).
fn add_declared(
    to: &mut Evidence,
    memory: &PointsTo,
    pointer: ValueId,
    piece: &Piece,
    stride: u64,
) {
    let &Piece { at, bytes, scalar, sure, claim } = piece;
    let at = Offset::new(at as i64, stride);
    for (object, base) in memory.places(pointer) {
        let offset = base.plus(at);
        let least = i64::MIN;
        to.add(object, Entry { offset, bytes, scalar, declared: true, sure, claim, least });
    }
}
