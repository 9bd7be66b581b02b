//! Steps by the difference of two addresses, `p + (a - b)`: containers spell positions so.
//!
//! Where `a` and `b` lead to one object, at `c mod g` and `d mod h`, they differ by
//! `c - d mod gcd(g, h)`. That takes offsets which count from one place: not those of an object
//! that is several, nor those of two names for what may be one. Pointers without objects are null,
//! and differ by nothing from each other.

use super::{
    Object, Offset,
    flow::Flow,
    state::{MOST_OFFSETS, Targets},
};
use crate::dataflow::Facts;
use adir::{Body, Cast, IntOp, Op, Ty, ValueId, target};

/// Constants that are added to an address, one by one.
const MOST_SUMMANDS: u32 = 4;
/// Operations through which the values of an index are followed.
const MOST_OPERATIONS: u32 = 6;

impl Flow<'_> {
    /// Where address arithmetic leads, by a constant and by multiples of `strides`, from `base`.
    /// Indices of few values lead to as many places.
    pub fn led_on(
        &self,
        base: &Targets,
        constant: i64,
        strides: &[(ValueId, i64)],
        facts: &Facts<Targets>,
    ) -> Targets {
        let (mut steps, mut further) = (vec![constant], vec![]);
        for &(index, stride) in strides {
            match few_values(self.body, index, MOST_OFFSETS / steps.len(), MOST_OPERATIONS) {
                Some(values) => {
                    let unit = self.unit(index, stride);
                    let by = |step: &i64| {
                        let step = *step;
                        values.iter().map(move |v| step.wrapping_add(v.wrapping_mul(unit)))
                    };
                    steps = steps.iter().flat_map(by).collect();
                }
                None => further.push((index, stride)),
            }
        }
        let further = self.step(&further, facts);
        let mut all = base.plus(further.shifted(steps[0], std::iter::empty()));
        for &step in &steps[1..] {
            all.or(&base.plus(further.shifted(step, std::iter::empty())));
        }
        all
    }

    /// Bytes of one unit of an index: its stride is that of what divides it.
    fn unit(&self, index: ValueId, stride: i64) -> i64 {
        stride / (self.body[index].factor.max(1) as i64).max(1)
    }

    /// How far address arithmetic goes by multiples of `strides`.
    fn step(&self, strides: &[(ValueId, i64)], facts: &Facts<Targets>) -> Offset {
        strides.iter().fold(Offset::START, |at, &(index, stride)| {
            let by_stride = Offset::new(0, stride.unsigned_abs());
            let unit = self.unit(index, stride);
            let by_objects = self.difference(index, facts).map(|d| scaled(d, unit));
            // Both hold: the one that says more is taken.
            at.plus(
                by_objects
                    .filter(|d| d.is_exact() || d.modulus > by_stride.modulus)
                    .unwrap_or(by_stride),
            )
        })
    }

    /// What is known of an integer that is the difference of two addresses.
    fn difference(&self, v: ValueId, facts: &Facts<Targets>) -> Option<Offset> {
        let (body, Op::IntBinary(IntOp::Sub)) = (self.body, &self.body[v].op) else { return None };
        let (a, above) = address(body, body.operand(v, 0))?;
        let (b, below) = address(body, body.operand(v, 1))?;
        let universe = self.universe.borrow();
        let counts_from_one_place = |o: u32| match universe.objects[o as usize] {
            Object::Param(_) | Object::Local(_) | Object::Global(_) => true,
            Object::Behind(_) => !universe.is_many(o),
            Object::Unknown | Object::Text | Object::Returned(_) => false,
        };
        let mut all: Option<Offset> = None;
        for (from, at) in facts.get(b).each() {
            for (to, end) in facts.get(a).each() {
                let is_one = if to == from {
                    counts_from_one_place(to)
                } else {
                    !universe.may_alias(to, from)
                };
                if !is_one {
                    return None;
                }
                let gap = end.plus(Offset::new(at.constant.wrapping_neg(), at.modulus));
                all = Some(all.map_or(gap, |known| known.join(gap)));
            }
        }
        Some(all.unwrap_or(Offset::START).plus(Offset::new(above.wrapping_sub(below), 0)))
    }
}

/// The two pointers of which an integer is the distance, in some unit.
pub fn ends(body: &Body, mut v: ValueId) -> Option<(ValueId, ValueId)> {
    for _ in 0..MOST_SUMMANDS {
        let operands = &body[v].operands;
        match body[v].op {
            Op::IntBinary(IntOp::Sub) => {
                return Some((address(body, operands[0])?.0, address(body, operands[1])?.0));
            }
            Op::IntBinary(IntOp::Shl | IntOp::Mul | IntOp::Other)
                if body[operands[1]].constant.is_some() =>
            {
                v = operands[0]
            }
            _ => return None,
        }
    }
    None
}

/// The pointer of which an integer is the address, and the constant that is added.
fn address(body: &Body, mut v: ValueId) -> Option<(ValueId, i64)> {
    let mut added = 0i64;
    for _ in 0..MOST_SUMMANDS {
        let data = &body[v];
        match data.op {
            Op::Cast(Cast::PtrToInt) if data.ty == Ty::Int(target::pointer_bits()) => {
                return Some((data.operands[0], added));
            }
            Op::IntBinary(IntOp::Add) => {
                added = added.wrapping_add(body[data.operands[1]].constant?);
                v = data.operands[0];
            }
            _ => return None,
        }
    }
    None
}

/// An offset times a constant.
fn scaled(offset: Offset, unit: i64) -> Offset {
    Offset::new(
        offset.constant.wrapping_mul(unit),
        offset.modulus.saturating_mul(unit.unsigned_abs()),
    )
}

/// The values of an integer that has few: truth values, and what is computed of them and of
/// constants. At most `most` of them, followed through `left` operations.
fn few_values(body: &Body, v: ValueId, most: usize, left: u32) -> Option<Vec<i64>> {
    let (data, left) = (&body[v], left.checked_sub(1)?);
    let Ty::Int(bits @ 2..=64) = data.ty else { return None };
    let of = |i: usize| few_values(body, body.operand(v, i), most, left);
    let width = |i: usize| match body[body.operand(v, i)].ty {
        Ty::Int(bits) => bits,
        _ => u32::MAX,
    };
    let pairs = |f: fn(i64, i64) -> Option<i64>| -> Option<Vec<i64>> {
        let (a, b) = (of(0)?, of(1)?);
        a.iter().flat_map(|&x| b.iter().map(move |&y| f(x, y))).collect()
    };
    let mut values = match &data.op {
        Op::Constant => vec![data.constant?],
        Op::Cast(Cast::ZeroExtend) if width(0) == 1 => vec![0, 1],
        Op::Cast(Cast::ZeroExtend) => of(0).filter(|all| all.iter().all(|&x| x >= 0))?,
        Op::Cast(Cast::Int) if width(0) == 1 => vec![0, -1],
        Op::Cast(Cast::Int) if width(0) < bits => of(0)?,
        Op::Select => [of(1)?, of(2)?].concat(),
        Op::Freeze => of(0)?,
        Op::IntBinary(IntOp::Add) => pairs(i64::checked_add)?,
        Op::IntBinary(IntOp::Sub) => pairs(i64::checked_sub)?,
        Op::IntBinary(IntOp::Mul) => pairs(i64::checked_mul)?,
        Op::IntBinary(IntOp::Or) => pairs(|x, y| Some(x | y))?,
        Op::IntBinary(IntOp::Xor) => pairs(|x, y| Some(x ^ y))?,
        Op::IntBinary(IntOp::Shl) => pairs(|x, y| {
            u32::try_from(y).ok().filter(|y| *y < 32).and_then(|y| x.checked_mul(1 << y))
        })?,
        Op::IntBinary(IntOp::And) => {
            let mask = (0..2).find_map(|i| body[body.operand(v, i)].constant)?;
            (0..64).contains(&mask).then(|| (0..=mask).map(|x| x & mask).collect())?
        }
        _ => return None,
    };
    values.sort_unstable();
    values.dedup();
    let fits = |&x: &i64| bits == 64 || (-(1 << (bits - 1))..1 << (bits - 1)).contains(&x);
    (values.len() <= most && values.iter().all(fits)).then_some(values)
}
