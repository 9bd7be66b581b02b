//! Reals in memory of which not all is known, for copies that leave the rest to the run.

use super::{Entry, Evidence, Field, Layout, Length, ScalarKind, Types};
use crate::points_to::{Object, Offset, PointsTo, gcd, overlap};
use adir::ValueId;

/// Bytes of a period beyond which nothing repeats.
const LONGEST: u64 = 4096;

impl Types {
    /// The floats and doubles that surely lie behind all of `pointers`, and the period with which they
    /// repeat: of other bytes it is not known what they hold. A real is left out where anyone knows of
    /// another one that may overlap it, but for a double and a float that begin at the same place, the
    /// members of a union: both are among the fields then. Pointers are told apart by their bits.
    pub fn known_reals(
        &self,
        memory: &PointsTo,
        pointers: &[ValueId],
        length: Length,
    ) -> Option<Layout> {
        let is_unknown = |o: usize| matches!(memory.objects[o], Object::Unknown);
        if self.has_more_callers || pointers.iter().any(|&p| memory.points_to(p).any(is_unknown)) {
            return None;
        }
        let views: Vec<&Evidence> =
            [self.accesses(), self.known()].into_iter().chain(&self.callers).collect();
        let entries: Vec<(Offset, &Entry)> = views
            .iter()
            .flat_map(|view| pointers.iter().flat_map(|&p| view.behind(memory, p)))
            .filter(|(_, e)| e.scalar != ScalarKind::Int)
            .collect();
        let bytes = if let Length::Exactly(n) = length { Some(n) } else { None };
        let repeats = |(at, e): &(Offset, &Entry)| {
            !e.offset.is_exact()
                && e.offset.modulus.is_multiple_of(4)
                && at.modulus.is_multiple_of(e.offset.modulus)
        };
        let period = entries.iter().filter(|e| repeats(e)).map(|(_, e)| e.offset.modulus).max();
        let period = period.or(bytes).filter(|n| (1..=LONGEST).contains(n))?;
        let is_single = bytes.is_some_and(|n| n <= period);
        // Relative to where the copy begins.
        let modulus = if is_single { 0 } else { period };
        let relative = |at: Offset, start: Offset| {
            Offset::new(
                at.constant.wrapping_sub(start.constant),
                gcd(gcd(at.modulus, start.modulus), modulus),
            )
        };
        let brought: Vec<(Offset, u64, ScalarKind)> = views
            .iter()
            .flat_map(|view| pointers.iter().flat_map(|&p| view.brought_behind(memory, p)))
            .filter(|(_, _, kind)| kind.is_real())
            .map(|(start, (at, bytes), kind)| (relative(at, start), bytes, kind))
            .collect();
        // Whether nothing but reals of such kinds lies where a field is, all of which begin there.
        let is_only = |at: u64, size: u64, kinds: &[ScalarKind]| {
            let place = Offset::new(at as i64, modulus);
            let is_same = |other: Offset| {
                let gap = other.constant.wrapping_sub(at as i64);
                match other.modulus {
                    0 => gap == 0,
                    m => m.is_multiple_of(size) && gap.rem_euclid(size as i64) == 0,
                }
            };
            let disagrees = |(start, e): &(Offset, &Entry)| {
                let other = relative(e.offset, *start);
                let is_it = kinds.contains(&e.scalar) && is_same(other);
                e.scalar.is_real() && overlap(place, size, other, e.bytes) && !is_it
            };
            // Of a float it must be known that it is brought to the lower half of a double.
            let may_be_other = |&(other, bytes, scalar): &(Offset, u64, ScalarKind)| {
                let is_it = kinds.contains(&scalar)
                    && (scalar.bytes() == size || bytes == scalar.bytes() && is_same(other));
                overlap(place, size, other, bytes) && !is_it
            };
            !entries.iter().any(disagrees) && !brought.iter().any(may_be_other)
        };
        let surely = |(start, e): &(Offset, &Entry)| {
            let at = relative(e.offset, *start);
            let is_one = if is_single && start.is_exact() && e.offset.is_exact() {
                at.constant >= 0
            } else {
                e.offset.modulus == period && start.modulus.is_multiple_of(period)
            };
            let place =
                if at.is_exact() { at.constant } else { at.constant.rem_euclid(period as i64) };
            let is_within = |n: u64| place as u64 + e.bytes <= n;
            let is_real = matches!(e.scalar, ScalarKind::F32 | ScalarKind::F64);
            (is_real && is_one && e.sure != super::Sure::Perhaps && is_within(period))
                .then_some((place as u64, e.scalar))
        };
        let mut fields: Vec<Field> = entries.iter().filter_map(surely).collect();
        fields.sort();
        fields.dedup();
        let either = [ScalarKind::F32, ScalarKind::F64];
        let all = fields.clone();
        let is_either = |at: u64| either.iter().all(|&kind| all.contains(&(at, kind)));
        fields.retain(|&(at, kind)| match is_either(at) {
            true => is_only(at, ScalarKind::F64.bytes(), &either),
            false => is_only(at, kind.bytes(), &[kind]),
        });
        (!fields.is_empty()).then_some((fields, period))
    }
}
