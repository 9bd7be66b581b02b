//! What the bytes behind pointers hold, from the accesses that name a type.
//!
//! Evidence for an object: a load or store of a real or a pointer at an offset; an integer load that feeds more than
//! copies; the type of a stack variable; the types that address arithmetic steps over. A query for a byte range of some
//! objects collects what overlaps it. No evidence is no answer: the caller decides whether it can do without.
//! Source: DESIGN, section 3; byte offsets modulo a stride stand for array elements.

use super::points_to::{Binding, Offset, PointsTo, gcd, overlap};
pub use crate::ir::{Field, Held};
use crate::ir::{Body, Callee, Op, Ty, ValueData, ValueId};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    offset: Offset,
    bytes: u64,
    held: Held,
    /// From a declared type, not from an access.
    declared: bool,
    /// How sure it is that the evidence is of this object.
    sure: Sure,
}

/// How sure evidence is. An iterator's pointer may name each node of a list and its header, where the list's size lies at the place
/// of a node's number: that the number is a real says nothing of the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sure {
    /// The source calls it an integer, in this object, which is one variable or what a parameter leads to.
    Source,
    /// A type, or an access to this object.
    Access,
    /// An access that may be to other objects.
    Perhaps,
}

/// The evidence of one function.
#[derive(Clone, Default)]
pub struct Types {
    entries: HashMap<usize, Vec<Entry>>,
}

impl Types {
    /// Collects evidence from `body`. `declared` gives the fields of the type that an alloca allocates, that address
    /// arithmetic steps over, that a copy moves or that an access has, and the stride with which they repeat.
    pub fn compute(body: &Body, memory: &PointsTo, declared: impl Fn(ValueId) -> Option<(Vec<Field>, u64)>) -> Types {
        let mut types = Types { entries: HashMap::new() };
        // What the source says that the bits of an integer access are.
        let said = |v| declared(v).and_then(|(fields, _)| fields.first().map(|f| f.1));
        let variables = body.value_ids().filter(|&v| matches!(body[v].op, Op::Global(_)));
        for v in body.params.iter().copied().chain(variables).chain(body.insts()) {
            let data = &body[v];
            match &data.op {
                Op::Load | Op::Update(_) => {
                    let int = matches!(data.ty, Ty::Int(_)) && (data.is_integer || !is_only_copied(body, v));
                    let other = || if int { Some(Held::Int) } else { said(v) };
                    types.add_value(memory, data.operands[0], data.alignment, data, data.is_integer.then_some(body), other);
                }
                Op::Store => {
                    let value = &body[data.operands[0]];
                    let computed = matches!(value.op, Op::IntBinary(_) | Op::Cast(_) | Op::ICmp | Op::Param(_));
                    let int = data.is_integer || (computed && !is_bits_of_real(body, data.operands[0]));
                    let other = || if matches!(value.ty, Ty::Int(_)) && int { Some(Held::Int) } else { said(v) };
                    types.add_value(memory, data.operands[1], data.alignment, value, data.is_integer.then_some(body), other);
                }
                Op::Call(Callee::MemCpy | Callee::MemMove) => {
                    for (at, held) in declared(v).unwrap_or_default().0 {
                        for &p in &data.operands[..2] {
                            types.add_declared(memory, p, Offset::new(at as i64, 0), held);
                        }
                    }
                }
                Op::Alloca(_) | Op::Param(_) | Op::Global(_) | Op::Gep(..) => {
                    let base = if matches!(data.op, Op::Gep(..)) { data.operands[0] } else { v };
                    let (fields, stride) = declared(v).unwrap_or_default();
                    for (at, held) in fields {
                        types.add_declared(memory, base, Offset::new(at as i64, stride), held);
                    }
                }
                Op::Call(Callee::Rule(rule, precision)) => {
                    let held = match precision {
                        adrules::Precision::F32 => Held::F32,
                        adrules::Precision::F64 => Held::F64,
                        adrules::Precision::F80 => Held::F80,
                    };
                    for &p in &rule.float_pointees {
                        types.add(memory, data.operands[p], 1, (0, held.bytes(), held), Sure::Access);
                    }
                }
                _ => {}
            }
        }
        types
    }

    /// What an access moves: the reals and pointers of its value's type; what `other` says of one that has none.
    fn add_value(
        &mut self,
        memory: &PointsTo,
        pointer: ValueId,
        alignment: u32,
        value: &ValueData,
        said: Option<&Body>,
        other: impl Fn() -> Option<Held>,
    ) {
        let several = memory.points_to(pointer).nth(1).is_some();
        let sure = if several { Sure::Perhaps } else { Sure::Access };
        for &(at, held) in &value.fields {
            self.add(memory, pointer, alignment, (at, held.bytes(), held), sure);
        }
        if let (true, Some(held)) = (value.fields.is_empty(), other()) {
            let is_one = |body: &Body| memory.places(pointer).all(|(o, at)| memory.is_single(body, o) && at.is_exact());
            let is_said = held == Held::Int && !several && said.is_some_and(is_one);
            let sure = if is_said { Sure::Source } else { sure };
            self.add(memory, pointer, alignment, (0, value.bytes, held), sure);
        }
    }

    fn add(&mut self, memory: &PointsTo, pointer: ValueId, alignment: u32, (at, bytes, held): (u64, u64, Held), sure: Sure) {
        for (object, base) in memory.places(pointer) {
            // Objects are aligned as their accesses are: where nothing else is known of the offset, that is.
            let base = if base.modulus == 1 { Offset { constant: 0, modulus: u64::from(alignment.max(1)) } } else { base };
            let offset = base.shifted(at as i64, std::iter::empty());
            self.add_entry(object, Entry { offset, bytes, held, declared: false, sure });
        }
    }

    fn add_declared(&mut self, memory: &PointsTo, pointer: ValueId, at: Offset, held: Held) {
        for (object, base) in memory.places(pointer) {
            let entry = Entry { offset: base.plus(at), bytes: held.bytes(), held, declared: true, sure: Sure::Access };
            self.add_entry(object, entry);
        }
    }

    fn add_entry(&mut self, object: usize, entry: Entry) -> bool {
        let list = self.entries.entry(object).or_default();
        let news = !list.contains(&entry);
        if news {
            list.push(entry);
        }
        news
    }

    /// Takes over what a called function knows of the memory that it shares with this one. `recursive`: this function may
    /// call itself through it, and shift its arguments again and again. `is_single`: an object of this function is one variable,
    /// or what a parameter leads to. Whether that was news.
    pub fn learn(&mut self, binding: &Binding, callee: &Types, recursive: bool, is_single: impl Fn(usize) -> bool) -> bool {
        let mut grew = false;
        for (&object, known) in &callee.entries {
            let Some(targets) = binding.get(object) else { continue };
            for e in known {
                for (o, base) in targets.each() {
                    let again = if recursive { base.constant } else { 0 };
                    let offset = base.shifted(e.offset.constant, [e.offset.modulus as i64, again].into_iter());
                    let sure = match (targets.objects.len(), e.sure) {
                        (1, Sure::Source) if !is_single(o as usize) || !offset.is_exact() => Sure::Access,
                        (1, sure) => sure,
                        _ => Sure::Perhaps,
                    };
                    grew |= self.add_entry(o as usize, Entry { offset, sure, ..*e });
                }
            }
        }
        grew
    }

    /// What is known of an object, without reals that may be elsewhere where the source has an integer here.
    fn of(&self, object: usize) -> impl Iterator<Item = &Entry> {
        let all = self.entries.get(&object).map_or(&[][..], |list| list);
        let is_integer = |at: &Entry| all.iter().any(|e| e.sure == Sure::Source && e.offset == at.offset && e.bytes == at.bytes);
        all.iter().filter(move |e| e.sure != Sure::Perhaps || !e.held.is_real() || !is_integer(e))
    }

    /// What is known of the objects that a pointer may name, with its offset in each.
    fn behind<'t>(&'t self, memory: &'t PointsTo, pointer: ValueId) -> impl Iterator<Item = (Offset, &'t Entry)> {
        memory.places(pointer).flat_map(|(o, at)| self.of(o).map(move |e| (at, e)))
    }

    /// What an access of `v` (a load or store of an integer) to `pointer` may touch: only integers where the source says
    /// so of this access, unless a real lies at the very same place (a union, a cast pointer).
    pub fn accessed(&self, body: &Body, memory: &PointsTo, v: ValueId, pointer: ValueId, bytes: u64) -> Vec<Held> {
        let held = self.held(memory, pointer, bytes);
        let same_place = |(at, e): (Offset, &Entry)| e.offset == at && e.held.is_real();
        let mut entries = self.behind(memory, pointer);
        // Arithmetic on single bytes is on characters, flags and small counters: no code computes with bytes of reals.
        let is_byte = matches!(body[v].ty, Ty::Int(1..=16)) && !is_only_copied(body, v);
        if is_byte || (body[v].is_integer && !entries.any(same_place)) { vec![Held::Int] } else { held }
    }

    /// What `bytes` bytes behind `pointer` may hold, sorted, each once. Where a declared type covers them, accesses count
    /// only at the very same place: one at a variable index seems to reach beyond the member that it stays in.
    pub fn held(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<Held> {
        let entries = self.behind(memory, pointer);
        let overlapping: Vec<(Offset, &Entry)> = entries.filter(|(at, e)| overlap(*at, bytes, e.offset, e.bytes)).collect();
        let is_declared = overlapping.iter().any(|(_, e)| e.declared);
        let counts = |(at, e): &&(Offset, &Entry)| !is_declared || e.declared || e.offset == *at;
        let mut found: Vec<_> = overlapping.iter().filter(counts).map(|(_, e)| e.held).collect();
        found.sort();
        found.dedup();
        found
    }

    /// What lies in the `bytes` bytes that `v` (a load or store of an integer) moves from or to `pointer`, by offset from there.
    pub fn within(&self, body: &Body, memory: &PointsTo, v: ValueId, pointer: ValueId, bytes: u64) -> Vec<Field> {
        if self.accessed(body, memory, v, pointer, bytes) == [Held::Int] {
            return (0..bytes).map(|at| (at, Held::Int)).collect();
        }
        let overlapping = || self.behind(memory, pointer).filter(|(at, e)| overlap(*at, bytes, e.offset, e.bytes));
        let is_declared = overlapping().any(|(_, e)| e.declared);
        let mut fields: Vec<Field> = vec![];
        for (offset, e) in overlapping().filter(|(at, e)| !is_declared || e.declared || e.offset == *at) {
            let stride = gcd(offset.modulus, e.offset.modulus);
            let relative = e.offset.constant - offset.constant;
            let first = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            let step = if stride == 0 { usize::MAX >> 1 } else { stride as usize };
            for at in (first..bytes as i64).step_by(step) {
                let parts = if e.held == Held::Int { e.bytes } else { 1 };
                for part in (0..parts as i64).map(|k| at + k) {
                    let field = (part as u64, e.held);
                    if part >= 0 && part as u64 + e.held.bytes() <= bytes && !fields.contains(&field) {
                        fields.push(field);
                    }
                }
            }
        }
        fields.sort();
        fields
    }

    /// The fields of the memory behind any of `pointers`, by relative offset, and the stride with which they repeat over
    /// the length of a copy. `None` where the evidence leaves 8 bytes or more without a type, contradicts itself, or
    /// repeats with a stride that the length is not known to be a multiple of.
    pub fn fields(&self, memory: &PointsTo, pointers: &[ValueId], length: Length) -> Option<(Vec<Field>, u64)> {
        // Declared types tell a struct from the arrays in it; accesses at a variable index do not.
        let by_declaration = match length {
            Length::UpTo { complete: false } => None,
            _ => self.layout(memory, pointers, length, true),
        };
        by_declaration.or_else(|| self.layout(memory, pointers, length, false))
    }

    fn layout(&self, memory: &PointsTo, pointers: &[ValueId], length: Length, declared: bool) -> Option<(Vec<Field>, u64)> {
        let bytes = match length {
            Length::Exactly(n) => Some(n),
            Length::MultipleOf(_) | Length::UpTo { .. } => None,
        };
        let complete = length != Length::UpTo { complete: false };
        let relevant = || {
            pointers.iter().flat_map(|&p| {
                self.behind(memory, p).filter(move |(_, e)| e.declared || !declared).map(|(base, e)| (base, *e))
            })
        };
        let stride = relevant().fold(0, |g, (base, e)| gcd(gcd(g, e.offset.modulus), base.modulus));
        let mut fields: Vec<Field> = vec![];
        for (base, e) in relevant() {
            let relative = e.offset.constant - base.constant;
            let at = if stride == 0 { relative } else { relative.rem_euclid(stride as i64) };
            // Exact offsets outside the copy say nothing of it.
            let exact = e.offset.modulus == 0 && base.modulus == 0;
            let outside = exact && (relative < 0 || bytes.is_some_and(|n| relative as u64 >= n));
            if !outside && !fields.contains(&(at as u64, e.held)) {
                fields.push((at as u64, e.held));
            }
        }
        fields.sort();
        // Accesses at every multiple of a real's size leave nothing open, whatever the length.
        if let [(0, held)] = fields[..]
            && held.is_real()
            && stride == held.stride()
        {
            return Some((fields, stride));
        }
        let (fields, period) = match (stride, length) {
            (0, Length::Exactly(n)) => (fields, n),
            (0, Length::MultipleOf(_) | Length::UpTo { complete: true }) => return None,
            (0, Length::UpTo { complete: false }) => (fields, ENDLESS),
            (s, Length::UpTo { .. }) => (fields, s),
            (s, Length::Exactly(n)) if n % s == 0 => (fields, s),
            (s, Length::MultipleOf(k)) if k % s == 0 => (fields, s),
            (s, Length::Exactly(n)) if n / s < MOST_REPEATS => {
                let repeated = (0..=n / s).flat_map(|k| fields.iter().map(move |&(at, held)| (at + k * s, held)));
                (repeated.filter(|&(at, _)| at < n).collect(), n)
            }
            _ => return None,
        };
        covers(&fields, period, complete).then_some((fields, period))
    }
}

/// Repetitions that are spelled out where a copy's length is no multiple of the stride.
const MOST_REPEATS: u64 = 64;

/// The period of what does not repeat.
const ENDLESS: u64 = i64::MAX as u64;

/// Whether sorted fields lie within the period, leave no 8 bytes of it without a type if they must be `complete`, and no
/// real overlaps anything. What the alignment of the next field, or of the whole, makes necessary is padding.
fn covers(fields: &[Field], period: u64, complete: bool) -> bool {
    let alignment = |held: Held| held.stride().next_power_of_two().max(8);
    let mut end = 0u64;
    for &(at, held) in fields {
        let fits = at + held.bytes() <= period;
        if !fits || (at < end && held != Held::Int) || (complete && at > end.next_multiple_of(alignment(held))) {
            return false;
        }
        end = end.max(at + held.bytes());
    }
    !complete || end.next_multiple_of(fields.iter().map(|f| alignment(f.1)).max().unwrap_or(8)) >= period
}

/// The length of a copy, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// A constant.
    Exactly(u64),
    /// Known to be a multiple of that.
    MultipleOf(u64),
    /// Any, and the copy may end within a field, which is then left out. Unless the fields have to be `complete`, bytes without
    /// a type hold nothing.
    UpTo {
        /// Whether there must be evidence for all bytes.
        complete: bool,
    },
}

/// Whether an integer is only moved: stored, joined, chosen, or seen as a real.
pub fn is_only_copied(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let moved = seen[at];
        at += 1;
        for &u in &body.users[moved.index()] {
            match &body[u].op {
                Op::Store if body.operand(u, 0) == moved => {}
                Op::Cast(crate::ir::Cast::Bits) => {}
                Op::Phi(_) | Op::Freeze => {
                    if !seen.contains(&u) {
                        seen.push(u);
                    }
                }
                Op::Select if body.operand(u, 0) != moved => {
                    if !seen.contains(&u) {
                        seen.push(u);
                    }
                }
                _ => return false,
            }
        }
    }
    true
}

/// Whether a load of eight bytes as an integer is there to be stored elsewhere: a copy, of a pointer perhaps.
pub fn is_copy(body: &Body, v: ValueId) -> bool {
    let is_stored = |&u: &ValueId| matches!(body[u].op, Op::Store) && body.operand(u, 0) == v && body.operand(u, 1) != v;
    let users = &body.users[v.index()];
    matches!((&body[v].op, body[v].ty), (Op::Load, Ty::Int(64))) && !body[v].is_integer && !users.is_empty() && users.iter().all(is_stored)
}

/// Whether an integer is the bit pattern of a real.
fn is_bits_of_real(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Cast(crate::ir::Cast::Bits)) && body[body.operand(v, 0)].ty.holds_float()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_the_period_or_nothing_is_known() {
        assert!(covers(&[(0, Held::F64), (8, Held::F64), (16, Held::Int)], 24, true));
        assert!(!covers(&[(0, Held::F64), (16, Held::Int)], 24, true));
        assert!(!covers(&[(0, Held::F64)], 1, true));
        assert!(!covers(&[(0, Held::F64), (4, Held::F32)], 8, true));
        assert!(!covers(&[(0, Held::F64), (8, Held::F64)], 24, true));
        assert!(covers(&[(0, Held::F80), (16, Held::Int), (32, Held::F80)], 48, true));
        assert!(!covers(&[(0, Held::F80), (32, Held::F80)], 48, true));
    }
}
