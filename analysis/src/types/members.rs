//! Reals in memory of which not all is known, for copies that leave the rest to the run.

use super::{Entry, Evidence, Field, Layout, Length, ScalarKind, Types};
use crate::points_to::{Object, Offset, PointsTo, gcd, overlap};
use adir::ValueId;

/// Bytes of a period beyond which nothing repeats.
const LONGEST: u64 = 4096;

impl Types {
    /// The floats and doubles that surely lie behind all of `pointers`, and the period with which they
    /// repeat: of other bytes it is not known what they hold. A real is left out where anyone knows of
    /// another one that may overlap it; pointers there are told apart by their bits.
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
        let fits = |&(at, kind): &Field| {
            let (place, size) = (Offset::new(at as i64, modulus), kind.bytes());
            let is_same = |other: Offset| {
                let gap = other.constant.wrapping_sub(at as i64);
                match other.modulus {
                    0 => gap == 0,
                    m => m.is_multiple_of(size) && gap.rem_euclid(size as i64) == 0,
                }
            };
            let disagrees = |(start, e): &(Offset, &Entry)| {
                let other = relative(e.offset, *start);
                let is_it = e.scalar == kind && is_same(other);
                e.scalar.is_real() && overlap(place, size, other, e.bytes) && !is_it
            };
            let may_be_other = |&(other, bytes, scalar): &(Offset, u64, ScalarKind)| {
                scalar != kind && overlap(place, size, other, bytes)
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
        fields.retain(fits);
        (!fields.is_empty()).then_some((fields, period))
    }
}
