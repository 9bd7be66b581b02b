//! What a copy of memory moves, field by field.

use super::{Entry, Evidence, Field, ScalarKind, Sure, brought};
use crate::points_to::{Offset, PointsTo, gcd, overlap};
use adir::{ValueId, target};
use std::collections::BTreeSet;

/// Fields by relative offset, and the stride with which they repeat.
pub type Layout = (Vec<Field>, u64);

/// The length of a copy, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// A constant.
    Exactly(u64),
    /// Any: the copy may end within a field, which is then left out. Unless the fields have to be
    /// `complete`, bytes without a type hold nothing.
    UpTo {
        /// Whether there must be evidence for all bytes.
        complete: bool,
    },
}

/// Repetitions that are spelled out where a copy's length is no multiple of the stride.
const MOST_REPEATS: u64 = 64;

/// The period of what does not repeat.
const ENDLESS: u64 = i64::MAX as u64;

/// The fields of the memory behind any of `pointers`: what is known behind one is known behind all.
/// `None` where the evidence leaves 8 bytes or more without a type or contradicts itself.
pub fn fields(
    evidence: &Evidence,
    memory: &PointsTo,
    pointers: &[ValueId],
    length: Length,
) -> Option<Layout> {
    let of = |sides: &[ValueId]| {
        // Declared types tell a struct from the arrays in it; accesses at a variable index do not.
        let by_declaration = match length {
            Length::UpTo { complete: false } => None,
            _ => layout(evidence, memory, sides, length, true),
        };
        // Something else that nobody declared may lie there all the same, as in a list's nodes.
        let by_declaration = by_declaration.filter(|(fields, period)| {
            let known = || sides.iter().flat_map(|&p| evidence.overlapping(memory, p, *period));
            let has = |e: &Entry| fields.iter().any(|f| f.1 == e.scalar);
            known().all(|(_, e)| e.scalar == ScalarKind::Int || has(&e))
        });
        by_declaration.or_else(|| layout(evidence, memory, sides, length, false))
    };
    let found = of(pointers).or_else(|| {
        // One side may know all, and the other not even at which offset of its objects it is.
        let mut sides = pointers.iter().map(|&p| {
            let (fields, stride) = of(&[p])?;
            let agrees = |e: &Entry| fields.iter().any(|f| f.1 == e.scalar);
            let others =
                || pointers.iter().filter(|&&o| o != p).flat_map(|&o| evidence.behind(memory, o));
            others().all(|(_, e)| agrees(e)).then_some((fields, stride))
        });
        sides.find_map(|found| found)
    });
    let bytes = if let Length::Exactly(n) = length { n } else { brought::ENDLESS };
    found.filter(|found| {
        !pointers.iter().any(|&p| is_brought_elsewhere(evidence, memory, p, bytes, found))
    })
}

/// Whether copies may bring a real or a pointer to a place in the `bytes` bytes behind `pointer` where
/// a layout has no such field; to any, if it is not known where, and there is none at all.
pub fn is_brought_elsewhere(
    evidence: &Evidence,
    memory: &PointsTo,
    pointer: ValueId,
    bytes: u64,
    (fields, period): &Layout,
) -> bool {
    let fits = |(start, (at, size), scalar): (Offset, brought::Place, ScalarKind)| {
        if !overlap(start, bytes, at, size) {
            return true;
        }
        let stride = gcd(start.modulus, at.modulus);
        let relative = at.constant.wrapping_sub(start.constant);
        let place = match stride {
            0 if relative >= 0 && (relative as u64) < bytes && size <= *period => {
                Some(relative as u64 % period)
            }
            _ if stride != 0 && stride.is_multiple_of(*period) && size < *period => {
                Some(relative.rem_euclid(*period as i64) as u64)
            }
            _ => None,
        };
        // It may go on in the next period.
        let is_there = |f: &Field| {
            place.is_none_or(|place| {
                [f.0, f.0 + period]
                    .iter()
                    .any(|&f_at| f_at < place + size && place < f_at + f.1.bytes())
            })
        };
        scalar == ScalarKind::Int || fields.iter().any(|f| f.1 == scalar && is_there(f))
    };
    *period != 0 && !evidence.brought_behind(memory, pointer).all(fits)
}

fn layout(
    evidence: &Evidence,
    memory: &PointsTo,
    pointers: &[ValueId],
    length: Length,
    declared: bool,
) -> Option<Layout> {
    let bytes = match length {
        Length::Exactly(n) => Some(n),
        Length::UpTo { .. } => None,
    };
    let complete = length != Length::UpTo { complete: false };
    let relevant = || {
        pointers.iter().flat_map(|&p| {
            evidence
                .surely_behind(memory, p)
                .filter(move |(_, e)| e.declared || !declared)
                .map(|(base, e)| (base, *e))
        })
    };
    let stride = relevant().fold(0, |g, (base, e)| gcd(gcd(g, e.offset.modulus), base.modulus));
    let all: Vec<(Offset, Entry)> = relevant().collect();
    let (fields, period) = repeated(&all, length)?;
    // Accesses at every multiple of a real's size leave nothing open, whatever the length.
    if let [(0, scalar)] = fields[..]
        && scalar.is_real()
        && period == scalar.stride()
    {
        return Some((fields, period));
    }
    if covers(&fields, period, complete) {
        return Some((fields, period));
    }
    // What begins within a word of a struct has its padding where the whole has it, if something is
    // known of that word.
    if bytes != Some(period) {
        return None;
    }
    let starts = pointers.iter().flat_map(|&p| memory.places(p)).map(|(_, at)| at.constant);
    let is_part = |&ahead: &u64| {
        let is_in_word = |at: i64| (-(ahead as i64)..WORD - ahead as i64).contains(&at);
        let precedes = |(base, e): (Offset, &Entry)| {
            let relative = e.offset.constant - base.constant;
            let before = if stride == 0 { 0 } else { relative.div_euclid(stride as i64) + 1 };
            is_in_word(relative - before * stride as i64)
        };
        let is_touched = fields.iter().any(|f| is_in_word(f.0 as i64))
            || relevant().any(|(base, e)| precedes((base, &e)));
        let moved: Vec<Field> = fields.iter().map(|&(at, scalar)| (at + ahead, scalar)).collect();
        is_touched && covers_from(&moved, ahead, ahead + period, complete)
    };
    let is_one = phases(starts, &fields).iter().any(is_part);
    is_one.then_some((fields, period))
}

/// Bytes of a word of a struct.
const WORD: i64 = 8;

/// How far into a word a copy may begin that has some of these `starts` in objects, so that its
/// fields are aligned. A variable that holds a part of a struct need not begin where a word does:
/// then fields that have the size of a word tell where they do.
fn phases(starts: impl Iterator<Item = i64>, fields: &[Field]) -> BTreeSet<u64> {
    let alignment = |scalar: ScalarKind| match scalar {
        ScalarKind::Int => 1,
        _ => scalar.stride().min(WORD as u64),
    };
    let fits = |ahead: &u64| fields.iter().all(|f| (f.0 + ahead).is_multiple_of(alignment(f.1)));
    let is_told = fields.iter().any(|f| alignment(f.1) == WORD as u64);
    let all = if is_told { 0..WORD as u64 } else { 0..0 };
    let starts = starts.map(|at| at.rem_euclid(WORD) as u64);
    starts.chain(all).filter(|ahead| *ahead > 0 && fits(ahead)).collect()
}

/// Bytes of a period beyond which nothing repeats.
const LONGEST_PERIOD: u64 = 4096;

/// The fields of one period, sorted, and its bytes. What is known of one place of an object that
/// repeats, or of a place that need not be the one that a copy begins at, is known of no other
/// place.
fn repeated(all: &[(Offset, Entry)], length: Length) -> Option<Layout> {
    let relative = |base: &Offset, e: &Entry| e.offset.constant - base.constant;
    let repeats = |base: &Offset, e: &Entry| {
        let modulus = e.offset.modulus;
        modulus != 0 && base.modulus.is_multiple_of(modulus)
    };
    let moduli = all.iter().filter(|(base, e)| repeats(base, e)).map(|(_, e)| e.offset.modulus);
    let stride = moduli.fold(0, lcm);
    let bytes = match length {
        Length::Exactly(n) => Some(n),
        Length::UpTo { .. } => None,
    };
    // So many bytes are spelled out.
    let spelled = match (bytes, stride) {
        (Some(n), 0) => n,
        (Some(n), s) if n / s < MOST_REPEATS => n,
        (_, 0) => ENDLESS,
        (_, s) => s,
    };
    if stride > LONGEST_PERIOD {
        return None;
    }
    // An entry of one place says nothing of the repetitions that are not spelled out.
    let is_whole = bytes.map_or(stride == 0, |n| n == spelled);
    let mut fields: BTreeSet<Field> = BTreeSet::new();
    let mut add = |at: i64, scalar: ScalarKind| {
        if at >= 0 && (at as u64) < spelled {
            fields.insert((at as u64, scalar));
        }
    };
    let mut rows: BTreeSet<(i64, u64, ScalarKind)> = BTreeSet::new();
    let mut elsewhere = vec![];
    for (base, e) in all {
        let at = relative(base, e);
        if repeats(base, e) {
            let step = e.offset.modulus;
            let first = at.rem_euclid(step as i64);
            if rows.insert((first, step, e.scalar)) {
                (0..spelled.div_ceil(step)).for_each(|k| add(first + (k * step) as i64, e.scalar));
            }
        } else if e.offset.is_exact() && base.is_exact() && is_whole {
            // Before the copy and behind it lies what it does not move.
            add(at, e.scalar);
        } else if !e.is_behind(*base, bytes) {
            elsewhere.push((at, gcd(gcd(base.modulus, e.offset.modulus), stride), *e));
        }
    }
    // Somewhere there may be something else.
    let is_there = |&(at, modulus, e): &(i64, u64, Entry)| {
        let is_congruent = |f: &Field| {
            modulus != 0 && (f.0 as i64 - at).rem_euclid(modulus as i64) == 0 || f.0 as i64 == at
        };
        let is_in = |f: &Field| f.1 == e.scalar && is_congruent(f);
        e.scalar == ScalarKind::Int || fields.iter().any(is_in)
    };
    let is_outside = |&(at, modulus, _): &(i64, u64, Entry)| {
        let first = if modulus == 0 { at } else { at.rem_euclid(modulus as i64) };
        first < 0 || bytes.is_some_and(|n| first as u64 >= n)
    };
    if !elsewhere.iter().all(|e| is_outside(e) || is_there(e)) {
        return None;
    }
    match length {
        Length::UpTo { complete: true } if stride == 0 => None,
        // One period says it, where the others are the same.
        Length::Exactly(n) if stride != 0 && spelled == n && n.is_multiple_of(stride) => {
            let one: Vec<Field> = fields.iter().copied().filter(|f| f.0 < stride).collect();
            let is_same = |f: &Field| one.binary_search(&(f.0 % stride, f.1)).is_ok();
            let repeats = one.len() as u64 * (n / stride) == fields.len() as u64;
            let is_periodic = repeats && fields.iter().all(is_same);
            Some(if is_periodic { (one, stride) } else { (fields.into_iter().collect(), n) })
        }
        Length::Exactly(n) if spelled != n && !n.is_multiple_of(stride) => None,
        _ => Some((fields.into_iter().collect(), spelled)),
    }
}

/// Least common multiple; lcm(0, n) = n.
fn lcm(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { (a / gcd(a, b)).saturating_mul(b) }
}

/// Whether someone knows of a real or a pointer in `bytes` bytes behind `pointers` where a layout
/// has only what `is_other` than that: of unions, say. Where an offset does not tell which field it
/// is, any may be it.
pub fn contradicts(
    view: &Evidence,
    memory: &PointsTo,
    pointers: &[ValueId],
    bytes: u64,
    (fields, period): &Layout,
    is_other: impl Fn(ScalarKind, ScalarKind) -> bool,
) -> bool {
    let fits = |at: Offset, e: &Entry| {
        let stride = gcd(at.modulus, e.offset.modulus);
        let tells = e.sure != Sure::Perhaps && stride.is_multiple_of(*period);
        let place =
            tells.then(|| (e.offset.constant - at.constant).rem_euclid(*period as i64) as u64);
        let is_there = |f: &Field| {
            place.is_none_or(|place| f.0 < place + e.bytes && place < f.0 + f.1.bytes())
        };
        fields.iter().any(|f| is_there(f) && !is_other(e.scalar, f.1))
    };
    let tells = |p: ValueId| memory.places(p).all(|(_, at)| at.is_exact() || at.modulus >= *period);
    let known =
        pointers.iter().filter(|&&p| tells(p)).flat_map(|&p| view.overlapping(memory, p, bytes));
    known.into_iter().any(|(at, e)| e.scalar != ScalarKind::Int && !fits(at, &e))
}

/// Whether what is known of one kind contradicts a field of the other.
pub fn is_of_other_class(one: ScalarKind, field: ScalarKind) -> bool {
    field == ScalarKind::Int || (one == ScalarKind::Ptr) != (field == ScalarKind::Ptr)
}

/// Whether sorted fields lie within the period, leave no word of it without a type if they must be
/// `complete`, and no reals or pointers overlap. What the alignment of the next field, or of the
/// whole, makes necessary is padding. An integer in the bytes of a real is another member of a
/// union: no code reads its derivative.
pub fn covers(fields: &[Field], period: u64, complete: bool) -> bool {
    covers_from(fields, 0, period, complete)
}

/// The same of the bytes from `start` to `last`.
fn covers_from(fields: &[Field], start: u64, last: u64, complete: bool) -> bool {
    // With addresses of 32 bits, nothing is aligned to more than 4 bytes in a struct.
    let most = if target::pointer() == 4 { 4 } else { u64::MAX };
    let alignment =
        |scalar: ScalarKind| scalar.stride().next_power_of_two().max(target::pointer()).min(most);
    let (mut end, mut end_of_others) = (start, start);
    for &(at, scalar) in fields {
        let fits = at + scalar.bytes() <= last;
        let overlaps = at < end_of_others && scalar != ScalarKind::Int;
        if !fits || overlaps || (complete && at > end.next_multiple_of(alignment(scalar))) {
            return false;
        }
        end = end.max(at + scalar.bytes());
        if scalar != ScalarKind::Int {
            end_of_others = end_of_others.max(at + scalar.bytes());
        }
    }
    !complete
        || end.next_multiple_of(
            fields.iter().map(|f| alignment(f.1)).max().unwrap_or(target::pointer()),
        ) >= last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_the_period_or_nothing_is_known() {
        assert!(covers(
            &[(0, ScalarKind::F64), (8, ScalarKind::F64), (16, ScalarKind::Int)],
            24,
            true
        ));
        assert!(!covers(&[(0, ScalarKind::F64), (16, ScalarKind::Int)], 24, true));
        assert!(!covers(&[(0, ScalarKind::F64)], 1, true));
        assert!(!covers(&[(0, ScalarKind::F64), (4, ScalarKind::F32)], 8, true));
        assert!(!covers(&[(0, ScalarKind::F64), (8, ScalarKind::F64)], 24, true));
        assert!(covers(
            &[(0, ScalarKind::F80), (16, ScalarKind::Int), (32, ScalarKind::F80)],
            48,
            true
        ));
        assert!(!covers(&[(0, ScalarKind::F80), (32, ScalarKind::F80)], 48, true));
    }

    #[test]
    fn an_integer_in_a_real_is_another_member_of_a_union() {
        use ScalarKind::{F32, F64, Int, Ptr};
        assert!(covers(&[(0, Int), (0, F64), (4, Int), (8, Int)], 16, true));
        assert!(covers(&[(0, Int), (0, Ptr)], 8, true));
        assert!(!covers(&[(0, F32), (0, F64)], 8, true));
        assert!(!covers(&[(0, Ptr), (0, F64)], 8, true));
    }

    #[test]
    fn a_copy_begins_within_a_word_where_its_fields_are_aligned() {
        use ScalarKind::{F32, F64, Int, Ptr};
        let phases = |starts: &[i64], fields: &[Field]| {
            phases(starts.iter().copied(), fields).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(phases(&[1], &[(3, F32), (7, F64), (15, F64)]), [1]);
        assert_eq!(phases(&[0], &[(0, Int), (12, Ptr)]), [4], "a variable with a part of a struct");
        assert_eq!(phases(&[0, 28], &[(0, F32)]), [4], "floats are aligned in many places");
        assert_eq!(phases(&[-3], &[(1, Int)]), [5]);
        assert_eq!(phases(&[0], &[(0, F64), (12, Ptr)]), [], "nowhere");
    }
}
