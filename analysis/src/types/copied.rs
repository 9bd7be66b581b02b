//! What the bytes of a copy hold, by offset: fields of what is moved.

use super::{Entry, Evidence, Field, Layout, Length, ScalarKind, Sure, Types, layout};
use crate::points_to::{Offset, PointsTo};
use adir::{Body, ValueId};

/// Bytes of the most that members are aligned to.
const MOST_ALIGNMENT: u64 = 16;

impl Types {
    /// What lies in the `bytes` bytes that `v` (a load or store of an integer) moves from or to
    /// `pointer`, by offset from there.
    pub fn within(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        pointer: ValueId,
        bytes: u64,
    ) -> Vec<Field> {
        if *self.accessed(body, memory, v, pointer, bytes) == [ScalarKind::Int] {
            return (0..bytes).map(|at| (at, ScalarKind::Int)).collect();
        }
        let of = |e: &Evidence| e.within(memory, pointer, bytes);
        let is_known = |e: &Evidence, fields: &[Field]| {
            is_covered(fields, bytes)
                && !e.brings_others(memory, pointer, bytes, |scalar| {
                    fields.iter().any(|f| f.1 == scalar)
                })
        };
        let found = self.answer(|e| Some(of(e)).filter(|fields| is_known(e, fields)));
        if found.as_ref().is_some_and(|fields| fields.iter().any(|f| f.1 != ScalarKind::Int)) {
            return found.unwrap_or_default();
        }
        // What may be integers as well is moved as reals: no code reads the derivatives of
        // integers.
        match self.accessed(body, memory, v, pointer, bytes)[..] {
            [one]
                if one.is_real()
                    && (body[v].is_integer || one.bytes() == bytes)
                    && bytes.is_multiple_of(one.stride()) =>
            {
                (0..bytes / one.stride()).map(|k| (k * one.stride(), one)).collect()
            }
            _ => found.unwrap_or_else(|| of(&self.own)),
        }
    }

    /// The fields of what the copy `v` moves between `pointers`. `None` where the evidence leaves 8
    /// bytes or more without a type, or contradicts itself.
    pub fn fields(
        &self,
        memory: &PointsTo,
        v: ValueId,
        pointers: &[ValueId],
        length: Length,
    ) -> Option<Layout> {
        if let (Length::Exactly(n), Some(spelled)) = (length, self.spelled.get(&v))
            && layout::covers(spelled, n, true)
            && !self.has_other_reals(memory, pointers, spelled, n)
        {
            return Some((spelled.clone(), n));
        }
        let bytes = if let Length::Exactly(n) = length { n } else { u64::MAX >> 2 };
        if let Some(&element) = self.elements.get(&v) {
            let has_reals = || pointers.iter().any(|&p| self.has_reals_among(memory, p, bytes));
            let is_told = element != ScalarKind::Ptr || !has_reals();
            return is_told.then(|| (vec![(0, element)], element.stride()));
        }
        let found = self.answer(|e| {
            layout::fields(e, memory, pointers, length)
                .filter(|found| !self.is_array_of_parts(memory, pointers, bytes, found))
        });
        let found = found.or_else(|| self.scratch_fields(memory, pointers, length, bytes));
        let found = found.filter(|found| {
            !self.callers.iter().any(|view| {
                let is_other = layout::is_of_other_class;
                layout::contradicts(view, memory, pointers, found.1, found, is_other)
            })
        });
        // Accesses, and types, that know of pointers only, or of reals: a union is moved as either.
        let found = found.filter(|found| {
            let all_are = |is: fn(ScalarKind) -> bool| found.0.iter().all(|f| is(f.1));
            let views = || [self.known()].into_iter().chain(&self.callers);
            let brings_reals = |p: &ValueId| {
                views().any(|v| layout::is_brought_elsewhere(v, memory, *p, bytes, found))
            };
            let brings_pointers =
                |p: &ValueId| views().any(|v| v.brings_pointer(memory, *p, bytes));
            !(all_are(|kind| kind == ScalarKind::Ptr) && pointers.iter().any(brings_reals)
                || all_are(ScalarKind::is_real) && pointers.iter().any(brings_pointers))
        });
        let is_of_integers = |found: &Layout| found.0.iter().all(|f| f.1 == ScalarKind::Int);
        found.filter(|found| {
            !is_of_integers(found)
                || !pointers.iter().any(|&p| self.may_be_copied_in(memory, p, found.1))
        })
    }

    /// Whether the source declares members behind the bytes that a copy moves, and none in them.
    pub fn moves_padding(&self, body: &Body, copy: ValueId) -> bool {
        let bytes = body[body.operand(copy, 2)].constant;
        let is_behind = |f: &Field| bytes.is_some_and(|bytes| f.0 >= bytes as u64);
        self.spelled.get(&copy).is_some_and(|all| !all.is_empty() && all.iter().all(is_behind))
    }

    /// Whether reals surely lie, or copies may bring some, among `bytes` bytes behind a pointer: where
    /// the source has pointers, unions are moved as such.
    fn has_reals_among(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let mut views = [self.known()].into_iter().chain(&self.callers);
        views.any(|e| {
            let is_real = |x: &Entry| x.scalar.is_real() && x.sure != Sure::Perhaps;
            e.overlapping(memory, pointer, bytes).iter().any(|(_, x)| is_real(x))
                || e.kinds_brought(memory, pointer, bytes).any(ScalarKind::is_real)
        })
    }

    /// Whether a layout has reals and repeats with no more than an alignment, as accesses at offsets of
    /// which only that is known suggest, and copies or callers know of other reals, or of pointers, in
    /// these bytes, or copies may bring some.
    fn is_array_of_parts(
        &self,
        memory: &PointsTo,
        pointers: &[ValueId],
        bytes: u64,
        found: &Layout,
    ) -> bool {
        let (fields, period) = found;
        let is_array = *period <= MOST_ALIGNMENT && fields.iter().any(|f| f.1.is_real());
        let mut views = [self.known()].into_iter().chain(&self.callers);
        let brings_others = |view: &Evidence| {
            let has = |kind| fields.iter().any(|f| f.1 == kind);
            pointers.iter().any(|&p| view.brings_others(memory, p, bytes, has))
        };
        let is_other = |one, field| one != field;
        is_array
            && views.any(|view| {
                brings_others(view)
                    || layout::contradicts(view, memory, pointers, bytes, found, is_other)
            })
    }

    /// The fields as the types of scratch variables give them, where no other reals or
    /// pointers are known in these bytes. It is unknown what callers that are not distinguished
    /// know.
    fn scratch_fields(
        &self,
        memory: &PointsTo,
        pointers: &[ValueId],
        length: Length,
        bytes: u64,
    ) -> Option<Layout> {
        let all = || [self.accesses(), self.known()].into_iter().chain(&self.callers);
        let found = layout::fields(
            self.with_scratch.as_ref().filter(|_| !self.has_more_callers)?,
            memory,
            pointers,
            length,
        );
        found.filter(|found| {
            !all().any(|e| {
                layout::contradicts(e, memory, pointers, bytes, found, |one, other| one != other)
            })
        })
    }

    /// Whether accesses find reals where the source declares something else in the `bytes` bytes of
    /// a copy. Offsets modulo less than that do not distinguish members.
    fn has_other_reals(
        &self,
        memory: &PointsTo,
        pointers: &[ValueId],
        spelled: &[Field],
        bytes: u64,
    ) -> bool {
        // Integers that only an array of integers, or a struct of them, is made of may be seen so.
        if spelled.iter().all(|f| f.1 == ScalarKind::Int) {
            return pointers.iter().any(|&p| {
                !self.reals(memory, p, bytes).is_empty() || self.may_be_copied_in(memory, p, bytes)
            });
        }
        let others: Vec<_> = spelled.iter().filter(|f| !f.1.is_real()).collect();
        let tells = |at: Offset| at.is_exact() || at.modulus >= bytes;
        pointers.iter().any(|&p| {
            let mut known = self
                .known()
                .behind(memory, p)
                .filter(|(at, e)| tells(*at) && e.scalar.is_real() && !e.declared);
            known.any(|(at, e)| {
                others.iter().any(|f| at.plus(Offset::new(f.0 as i64, 0)) == e.offset)
            })
        })
    }
}

/// Whether it is known of all bytes what they are; less than a float is padding.
pub fn is_covered(fields: &[Field], bytes: u64) -> bool {
    let mut unknown = 0;
    (0..bytes).all(|k| {
        let is_known = fields.iter().any(|&(at, scalar)| at <= k && k < at + scalar.bytes());
        unknown = if is_known { 0 } else { unknown + 1 };
        unknown < 4
    })
}
