//! Doubles and floats in the same bytes: the members of a union.

use super::{ScalarKind, Types};
use crate::points_to::{Offset, PointsTo, overlap};
use adir::ValueId;

impl Types {
    /// The real of which the `bytes` bytes behind `pointer` are part, if they are one's: its kind,
    /// double or float, and at which byte of it they lie, if that is known. Where a double or a float
    /// may lie, it is the double, if no float lies in the rest of it: that rest is of no other real.
    pub fn real_around(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        kinds: &[ScalarKind],
    ) -> Option<(ScalarKind, Option<u64>)> {
        let mut reals: Vec<ScalarKind> = kinds.iter().copied().filter(|k| k.is_real()).collect();
        reals.sort();
        reals.dedup();
        let real = match reals[..] {
            [one @ (ScalarKind::F32 | ScalarKind::F64)] => one,
            [ScalarKind::F32, ScalarKind::F64] => ScalarKind::F64,
            _ => return None,
        };
        let position = self.position_in(memory, pointer, bytes, |kind| kind == real);
        let at = position.filter(|p| p.1 == real.bytes()).map(|p| p.0);
        // What a word's shadow tells of a double, it tells of a float beside the bytes, too.
        let is_beside = |at: u64| self.has_floats_beside(memory, pointer, bytes, at);
        let is_alone = match at {
            Some(at) => !is_beside(at),
            None => reals.len() == 1 && !is_beside(0) && !is_beside(4),
        };
        (reals.len() == 1 && bytes >= real.bytes() || is_alone).then_some((real, at))
    }

    /// Whether floats may lie in the rest of a double that begins `at` bytes before `pointer`.
    pub fn has_floats_beside(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        at: u64,
    ) -> bool {
        let start = Offset::new(-(at as i64), 0);
        let mut views = [self.known()].into_iter().chain(&self.callers);
        views.any(|view| {
            let known =
                view.behind(memory, pointer).map(|(from, e)| (from, (e.offset, e.bytes), e.scalar));
            let mut all = known.chain(view.brought_behind(memory, pointer));
            all.any(|(from, (float, size), kind)| {
                kind == ScalarKind::F32
                    && overlap(from.plus(start), ScalarKind::F64.bytes(), float, size)
                    && !overlap(from, bytes, float, size)
            })
        })
    }
}
