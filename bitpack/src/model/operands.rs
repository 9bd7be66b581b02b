//! The operands of records.

use super::{Codec, Field, Former, Role, Walk, block, shape::shape};
use crate::{
    bitstream::{Operand, Record},
    coder::Coder,
    predict::hash,
};

/// Where a value is.
mod place {
    pub const LOCAL: u32 = 0;
    pub const ARGUMENT: u32 = 1;
    pub const CONSTANT: u32 = 2;
    pub const GLOBAL: u32 = 3;
    pub const LATER: u32 = 4;
    pub const STRANGE: u32 = 5;
}

/// How metadata is named.
mod kind {
    pub const NONE: u32 = 0;
    pub const SAME: u32 = 1;
    pub const NEXT_STRING: u32 = 2;
    pub const STRING: u32 = 3;
    pub const BACK: u32 = 4;
    pub const LATER: u32 = 5;
    pub const STEP: u32 = 6;
}

/// How far behind the next value one may be to be named by its number.
const LATEST: u64 = 1 << 30;

/// How far from the former record's operand metadata is named by the difference.
const NEAR: u64 = 8;

/// What the contexts of an operand have in common.
struct Place {
    column: u32,
    /// The operands before: one, two, three.
    before: [u32; 3],
    /// All operands before.
    prefix: u32,
    former: u64,
    recent: u32,
    index: usize,
    count: u32,
}

fn fold(value: u64) -> u32 {
    value as u32 ^ (value >> 32) as u32
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}
fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// What is known of a call while its operands come.
#[derive(Default)]
struct Call {
    /// The type of the callee, once it is known.
    ty: Option<u32>,
    /// The next argument.
    argument: usize,
}

/// Instructions that call.
const CALLS: [u64; 2] = [5, 34];
/// A call's flag that flags of floating-point arithmetic follow.
const HAS_FLAGS: u64 = 1 << 17;
/// Records of the module that say where a name is: `s` in their shapes.
const NAMED: [u64; 5] = [7, 8, 12, 14, 18];

impl<C: Coder> Codec<'_, C> {
    /// Codes `count` operands of a record that has none yet. None where there are too many.
    pub fn operands(
        &mut self,
        record: &mut Record,
        given: &[u64],
        count: usize,
        scalars: &[Operand],
        former: &Former,
        here: u32,
    ) -> Option<()> {
        let code = record.code;
        let mut walk = Walk::new(match (here, code) {
            // Those of the function itself name no instruction.
            (block::ATTACHMENT, 11) if count.is_multiple_of(2) => b"*pN",
            _ => shape(here, code),
        });
        let head = hash(here, code as u32);
        let mut recent = self.recent.last()?.codes[0];
        let mut prefix = head;
        let mut call = Call::default();
        let mut expected = 0;
        let is_call = here == block::FUNCTION && CALLS.contains(&code);
        for i in 0..count {
            if self.coder.is_exhausted() {
                return None;
            }
            let has_flags = here == block::FUNCTION && code == 34 && i == 2;
            let (role, place) = match has_flags && record.ops[1] & HAS_FLAGS != 0 {
                true => (Role::Plain, 29),
                false => walk.next(),
            };
            let value = given.get(i).copied().unwrap_or(0);
            let before = |n: usize| match i.checked_sub(n) {
                Some(at) => fold(record.ops[at]),
                // What the former record went on with.
                None => former.ops.get(n - 1).map_or(99, |&op| fold(op)),
            };
            let column = hash(head, place);
            let p = Place {
                column,
                before: [if i == 0 { 99 } else { before(1) }, before(2), before(3)],
                prefix,
                former: former.ops.get(i).copied().unwrap_or(0),
                recent,
                index: i,
                count: count as u32,
            };
            let coded = match (scalars.get(i), role) {
                (Some(Operand::Literal(literal)), _) => *literal,
                (_, Role::Text) => self.character(value, head, here, i),
                (_, Role::Value | Role::ValueAndType) => {
                    if let Some(ty) = call.ty {
                        expected = self.values.parameter(ty, call.argument);
                        call.argument += 1;
                    }
                    let coded = self.value(value, &p, expected)?;
                    let base = self.values.all.len() as u64;
                    let number = u64::from((base as u32).wrapping_sub(coded as u32));
                    if role == Role::ValueAndType {
                        if number >= base {
                            walk.insert_type();
                        }
                        match is_call && call.ty.is_none() {
                            true => call.ty = Some(p.before[0]),
                            false => expected = self.values.get(number).ty,
                        }
                    }
                    self.values.used(number);
                    coded
                }
                (_, Role::Signed) => self.signed(value, &p, fold(record.ops[0]))?,
                (_, Role::Node | Role::NodeAlways) => self.node(value, &p, role == Role::Node),
                (_, Role::Instruction) => {
                    let number = self.attached(value)?;
                    recent = self.instruction(number);
                    number
                }
                (_, Role::Block) => self.near(self.values.block, value, &p),
                (_, Role::Near) => self.near(p.former, value, &p),
                (_, Role::Name) => {
                    let start = self.near(self.next_name, value, &p);
                    self.names.push(start);
                    start
                }
                (_, Role::Absolute) if here != block::FUNCTION => {
                    self.near(self.values.all.len() as u64, value, &p)
                }
                _ => self.plain(value, &p),
            };
            if here == block::MODULE && NAMED.contains(&code) && i == 1 {
                let end = record.ops[0].wrapping_add(coded);
                self.next_name = self.next_name.max(end);
            }
            prefix = hash(prefix, fold(coded));
            record.ops.push(coded);
        }
        Some(())
    }

    /// A character, or what stands in its place.
    fn character(&mut self, value: u64, head: u32, here: u32, at: usize) -> u64 {
        match self.flag(Field::Flag, value < 256, 60, &[head]) {
            true => self.byte(value as u8, here, at).into(),
            false => self.number(Field::Operand, value, 61, &[head]),
        }
    }

    /// A number that is close to another.
    fn near(&mut self, base: u64, value: u64, p: &Place) -> u64 {
        let distance = zigzag(value.wrapping_sub(base) as i64);
        let distance = self.plain(distance, p);
        base.wrapping_add(unzigzag(distance) as u64)
    }

    /// A number of no special meaning.
    fn plain(&mut self, value: u64, p: &Place) -> u64 {
        let c = p.column;
        let [b1, b2, b3] = p.before;
        let o1 = hash(c, b1);
        self.number(
            Field::Operand,
            value,
            p.column,
            &[
                hash(c, 1),
                o1,
                hash(hash(o1, b2), b3),
                hash(hash(c, fold(p.former)), 2),
                hash(hash(c, p.recent), 3),
                hash(hash(c, p.index as u32), p.count),
            ],
        )
    }

    fn place_of(&self, number: u64) -> (u32, u64) {
        let v = &self.values;
        let (globals, constants, instructions, all) =
            (v.globals as u64, v.constants as u64, v.instructions as u64, v.all.len() as u64);
        match number {
            n if n < globals => (place::GLOBAL, n),
            n if n < constants => (place::ARGUMENT, n - globals),
            n if n < instructions => (place::CONSTANT, n - constants),
            n if n < all => (place::LOCAL, all - 1 - n),
            n => (place::LATER, n - all),
        }
    }
    fn number_of(&self, place: u32, payload: u64) -> Option<u64> {
        let v = &self.values;
        Some(match place {
            place::GLOBAL => payload,
            place::ARGUMENT => payload.checked_add(v.globals as u64)?,
            place::CONSTANT => payload.checked_add(v.constants as u64)?,
            place::LOCAL => (v.all.len() as u64).checked_sub(1)?.checked_sub(payload)?,
            _ => payload.checked_add(v.all.len() as u64)?,
        })
    }

    /// Codes the number of a value of a type, if it is one; else that it is none, and what it is.
    fn number_or(
        &mut self,
        number: Option<u64>,
        raw: u64,
        p: &Place,
        ty: u32,
    ) -> Option<Result<u64, u64>> {
        let (place, payload) = number.map_or((place::STRANGE, raw), |n| self.place_of(n));
        let c = p.column;
        let [b1, b2, _] = p.before;
        let last = |n: u64| self.values.back(n);
        // Which of the last values nobody has used yet, and which have the type.
        let mut unused = 0;
        let mut fits = 0;
        for n in 1..=6 {
            let v = last(n);
            unused = unused << 1 | u32::from(v.uses == 0);
            fits = fits << 1 | u32::from(v.ty == ty);
        }
        let kinds = hash(last(1).by, last(2).by);
        let typed = hash(c, ty);
        let codes = self.recent.last()?.codes;
        let recent = hash(codes[0], codes[1]);
        let u = hash(unused, fits);
        let contexts = [
            c,
            typed,
            hash(typed, b1),
            hash(hash(typed, b1), b2),
            hash(hash(c, u), 5),
            hash(hash(typed, kinds), unused & 0x30),
            hash(hash(c, recent), 7),
        ];
        let place = self.choice(Field::Kind, place, p.column, &contexts);
        let with = contexts.map(|c| hash(c, place));
        let payload = self.number(Field::Payload, payload, hash(p.column, place), &with);
        match place {
            place::STRANGE => Some(Err(payload)),
            place => Some(Ok(self.number_of(place, payload)?)),
        }
    }

    /// A value by its distance from the next, in 32 bits as LLVM computes it.
    fn value(&mut self, value: u64, p: &Place, expected: u32) -> Option<u64> {
        let base = self.values.all.len() as u32;
        let number = u64::from(base.wrapping_sub(value as u32));
        let is_number = value >> 32 == 0 && number < u64::from(base) + LATEST;
        match self.number_or(is_number.then_some(number), value, p, expected)? {
            Ok(number) => Some(base.wrapping_sub(u32::try_from(number).ok()?).into()),
            Err(raw) => Some(raw),
        }
    }

    /// The same with a sign, in the lowest bit.
    fn signed(&mut self, value: u64, p: &Place, ty: u32) -> Option<u64> {
        let base = self.values.all.len() as u64;
        let distance = value >> 1;
        let number = match value & 1 {
            0 => base.checked_sub(distance),
            // There is no negative zero.
            _ if distance > 0 => Some(base + distance),
            _ => None,
        };
        let number = number.filter(|_| distance < LATEST);
        match self.number_or(number, value, p, ty)? {
            Ok(number) => {
                self.values.used(number);
                Some(match base.checked_sub(number) {
                    Some(distance) => distance << 1,
                    None => (number - base) << 1 | 1,
                })
            }
            Err(raw) => Some(raw),
        }
    }

    /// Metadata that is named by another.
    fn node(&mut self, value: u64, p: &Place, is_optional: bool) -> u64 {
        let shift = u64::from(is_optional);
        let own = self.metadata.nodes.wrapping_add(shift);
        let next = self.metadata.next_string.wrapping_add(shift);
        let strings = self.metadata.strings.wrapping_add(shift);
        let (kind, payload) = match value {
            0 if is_optional => (kind::NONE, 0),
            v if v == p.former => (kind::SAME, 0),
            v if v == next && v < strings => (kind::NEXT_STRING, 0),
            v if p.former > 0 && v.abs_diff(p.former) < NEAR.min(own.abs_diff(v)) => {
                (kind::STEP, zigzag(v.wrapping_sub(p.former) as i64))
            }
            v if v < strings => (kind::STRING, next.wrapping_sub(v)),
            v if v < own => (kind::BACK, own - v),
            v => (kind::LATER, v - own),
        };
        let c = p.column;
        let [b1, b2, _] = p.before;
        let contexts = [
            c,
            hash(c, b1),
            hash(hash(c, b1), b2),
            hash(hash(c, fold(own.wrapping_sub(p.former))), 4),
            hash(hash(c, p.recent), 5),
            hash(p.prefix, 6),
        ];
        let kind = self.choice(Field::Kind, kind, p.column, &contexts);
        let with = contexts.map(|c| hash(c, kind));
        let payload =
            |codec: &mut Self| codec.number(Field::Payload, payload, hash(p.column, kind), &with);
        let value = match kind {
            kind::NONE => 0,
            kind::SAME => p.former,
            kind::NEXT_STRING => next,
            kind::STRING => next.wrapping_sub(payload(self)),
            kind::BACK => own.wrapping_sub(payload(self)),
            kind::STEP => p.former.wrapping_add(unzigzag(payload(self)) as u64),
            _ => own.wrapping_add(payload(self)),
        };
        if value >= next && value < strings {
            self.metadata.next_string = value.wrapping_sub(shift).wrapping_add(1);
        }
        value
    }
}
