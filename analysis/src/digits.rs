//! Conversions of reals to integers that may take a real apart: all its digits are in the integer,
//! which becomes a real again.
//!
//! A conversion rounds, and its derivative is zero. But where nothing is rounded the integer is the
//! real, and the derivative would be lost. What tells both apart is the value, so such conversions
//! are tested when the program runs (digits.rs):
//!   beyond the last digit:  from 2^p on all reals of a format are whole (p = 23, 52, 63, 112); only integers of more than p bits hold such
//!   exact:                  the real is whole, was scaled by powers of two, or is the rest `(y - i) 2^n` of another such conversion, and what it was
//!                           made of has many digits
//!   in a fraction:          the integer is put together to the bits of a real, not to its exponent alone: so code approximates exponentials
//!                           (Schraudolph, A Fast, Compact Approximation of the Exponential Function, 1999)
//! Other whole numbers, as 2 or 1000, lie at a kink: the integer is rounded. Halves and shorter
//! formats are not tested.
//!
//! Which conversions matter: those whose integer may reach a real, through integer arithmetic,
//! choices, memory and calls. That is forward and without regard to memory: whatever is stored,
//! returned or handed on may become a real. Errs towards testing, which costs time only.

use super::{activity::Activity, names};
use adir::{Body, Callee, Cast, IntOp, Op, ScalarKind, Ty, ValueId};

/// How many steps a real is followed back.
const DEPTH: usize = 200;
/// After a scaling alone, integers of so many bits do not hold many digits.
const SHORT: u32 = 32;
/// Tables by which exponentials are calculated have two to this power of elements at most.
const INDEX: i64 = 12;
/// Who takes a real apart multiplies it by such a power of two at least.
const SCALED: i64 = 20;

/// A format of reals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of a real.
    pub bits: u32,
    /// From two to this power on all reals are whole.
    pub whole: i32,
    /// A real has many digits iff one of so many low bits is set.
    pub low: u32,
}

/// Of `float`: 20 digits are many.
const F32: Format = Format { bits: 32, whole: 23, low: 5 };
/// Of the others, 30.
const F64: Format = Format { bits: 64, whole: 52, low: 24 };
const F80: Format = Format { bits: 80, whole: 63, low: 35 };
const F128: Format = Format { bits: 128, whole: 112, low: 84 };

/// A conversion that is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// The conversion.
    pub conversion: ValueId,
    /// What it converts: a real, or a vector of reals.
    pub real: ValueId,
    /// The format of that.
    pub format: Format,
    /// Whether only the first element is converted.
    pub is_first: bool,
    /// Whether the integer is unsigned.
    pub is_unsigned: bool,
    /// Beyond two to this power the integer is not the real.
    pub bound: u32,
    /// Whether the integer can hold reals beyond the last digit.
    pub holds_whole: bool,
    /// What an exact one holds all digits of, with the conversions before it.
    pub root: Option<Root>,
}

/// What reals are digits of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// The real before it was scaled, and before conversions took digits away.
    pub real: ValueId,
    /// Its format.
    pub format: Format,
    /// Whether conversions before took digits of it.
    pub is_rest: bool,
}

impl Test {
    /// What the test looks at.
    pub fn values(&self) -> impl Iterator<Item = ValueId> {
        [Some(self.conversion), Some(self.real), self.root.map(|r| r.real)].into_iter().flatten()
    }
}

/// The tests that derivatives of a body need.
pub fn tests(body: &Body, activity: &Activity) -> Vec<Test> {
    let is_asked = |v: &ValueId| {
        body[*v].block.is_some_and(|b| body[b].returns)
            && body[*v].operands.first().is_some_and(|&o| activity.is_varied(o))
    };
    body.insts().filter(is_asked).filter_map(|v| test(body, v)).collect()
}

/// Whether a function has conversions that may take reals apart.
pub fn takes_apart(body: &Body) -> bool {
    body.insts().any(|v| test(body, v).is_some())
}

/// The test of an instruction, if it is a conversion that needs one.
fn test(body: &Body, v: ValueId) -> Option<Test> {
    let (bits, real) = conversion(body, v)?;
    let is_first = body[real].ty == Ty::Vector(true) && body[v].ty != Ty::Vector(false);
    let mut format = format(body, real)?;
    if fills_fraction(body, v) {
        format.whole = 0;
    }
    // Integers of as many bits hold less than 2 to that power.
    let holds_whole = bits > format.whole as u32;
    let root = root(body, v, real).filter(|root| root.is_rest || (bits > SHORT && format != F32));
    if !(holds_whole || root.is_some()) || !reaches(body, v) {
        return None;
    }
    let is_unsigned = body[v].is_unsigned;
    let bound = if is_unsigned { bits } else { bits - 1 };
    Some(Test { conversion: v, real, format, is_first, is_unsigned, bound, holds_whole, root })
}

/// Bits of the integer that a conversion makes, and what it converts: where that is the first
/// element of a vector that is put together, the element.
fn conversion(body: &Body, v: ValueId) -> Option<(u32, ValueId)> {
    let data = &body[v];
    let width = || match data.ty {
        Ty::Int(bits) => Some(bits),
        Ty::Vector(false) => Some(data.lane_bits),
        _ => None,
    };
    let first = || data.operands[0];
    match &data.op {
        Op::Cast(Cast::FloatToInt) => Some((width()?, first())),
        Op::Call(Callee::Rule(rule, _)) if names::is_converting_rule(rule.name) => {
            Some((width()?, first()))
        }
        Op::Call(Callee::PureInt) => {
            let made = names::conversion(data.symbol.as_deref()?)?;
            Some((made.bits, if made.is_first { first_element(body, first()) } else { first() }))
        }
        _ => None,
    }
}

/// The first element of a vector, if it was put there; else the vector.
fn first_element(body: &Body, vector: ValueId) -> ValueId {
    let mut at = vector;
    while matches!(body[at].op, Op::InsertElement) {
        match body[body.operand(at, 2)].constant {
            Some(0) => return body.operand(at, 1),
            Some(_) => at = body.operand(at, 0),
            None => break,
        }
    }
    vector
}

fn format(body: &Body, v: ValueId) -> Option<Format> {
    match body[v].ty {
        Ty::F32 => Some(F32),
        Ty::F64 => Some(F64),
        Ty::F80 => Some(F80),
        Ty::F128 => Some(F128),
        Ty::Vector(true) => match body[v].fields.first()?.1 {
            ScalarKind::F32 => Some(F32),
            ScalarKind::F64 => Some(F64),
            _ => None,
        },
        _ => None,
    }
}

/// Whether integers of a value may reach a real.
pub fn reaches(body: &Body, v: ValueId) -> bool {
    let (mut seen, mut queue) = (vec![v], vec![v]);
    while let Some(at) = queue.pop() {
        for &u in &body.users[at] {
            match &body[u].op {
                Op::ICmp
                | Op::FCmp
                | Op::Gep(..)
                | Op::Br
                | Op::CondBr
                | Op::Switch
                | Op::Alloca(_) => {}
                // Sizes, text, exponents.
                Op::Call(
                    Callee::Inactive
                    | Callee::Passive
                    | Callee::Allocate(_)
                    | Callee::Free
                    | Callee::KeptBytes
                    | Callee::Rule(..),
                ) => {}
                Op::Cast(Cast::IntToFloat)
                    if body.users[u].iter().all(|&r| is_for_nothing(body, r)) => {}
                Op::Load | Op::Cast(Cast::IntToPtr) => {}
                Op::Store if body.operand(u, 0) != at => {}
                Op::Select if body.operand(u, 0) == at => {}
                Op::Cast(Cast::IntToFloat) | Op::Store | Op::Ret | Op::Atomic | Op::Other => {
                    return true;
                }
                Op::Call(Callee::PureInt) => follow(u, &mut seen, &mut queue),
                Op::Call(_) => return true,
                Op::Cast(Cast::Bits) if body[u].ty.holds_float() => return true,
                _ => follow(u, &mut seen, &mut queue),
            }
        }
    }
    false
}

/// Whether an integer becomes part of the bits of a real, and reaches below the exponent there, and below
/// the digits that choose an element of a table.
fn fills_fraction(body: &Body, v: ValueId) -> bool {
    // With how many bits to the left of where the integer began.
    let mut seen = vec![(v, 0)];
    let mut at = 0;
    while at < seen.len() {
        let (now, left) = seen[at];
        at += 1;
        for &u in &body.users[now] {
            let other = body[u].operands.iter().find(|o| **o != now);
            let constant = other.and_then(|&o| body[o].constant);
            let new = match &body[u].op {
                Op::Cast(Cast::Bits) => match ScalarKind::of(body[u].ty).and_then(fraction_bits) {
                    Some(fraction) if left < fraction - INDEX => return true,
                    _ => continue,
                },
                Op::IntBinary(IntOp::Shl) => match constant {
                    Some(by) if body.operand(u, 0) == now => left + by,
                    _ => continue,
                },
                Op::IntBinary(IntOp::LShr) => match constant {
                    Some(by) if body.operand(u, 0) == now => (left - by).max(0),
                    _ => continue,
                },
                Op::IntBinary(IntOp::Mul | IntOp::And) => match constant {
                    Some(c) if matches!(body[u].op, Op::IntBinary(IntOp::And)) => {
                        left.max(c.trailing_zeros().into())
                    }
                    Some(c) => left + i64::from(c.trailing_zeros()),
                    None => left,
                },
                // So code converts it: the real is a power of two and the integer.
                Op::IntBinary(IntOp::Add | IntOp::Or | IntOp::Xor)
                    if left == 0 && constant.is_some_and(|c| counts_ones(body[u].ty, c)) =>
                {
                    continue;
                }
                Op::IntBinary(IntOp::Add | IntOp::Sub | IntOp::Or | IntOp::Xor)
                | Op::Cast(Cast::Int | Cast::ZeroExtend)
                | Op::Phi(_)
                | Op::Freeze => left,
                Op::Select if body.operand(u, 0) != now => left,
                _ => continue,
            };
            // Around loops, integers may move further and further.
            if !seen.iter().any(|(v, at)| *v == u && *at <= new) && new < 128 {
                seen.push((u, new));
            }
        }
    }
    false
}

/// Whether bits are those of a positive real whose last digit is one, as 2^52 is.
fn counts_ones(ty: Ty, bits: i64) -> bool {
    match ty {
        Ty::Int(32) => bits >> F32.whole == i64::from(127 + F32.whole),
        Ty::Int(64) => bits >> F64.whole == i64::from(1023 + F64.whole),
        _ => false,
    }
}

/// How many bits of a real are below its exponent.
fn fraction_bits(kind: ScalarKind) -> Option<i64> {
    match kind {
        ScalarKind::F32 => Some(F32.whole.into()),
        ScalarKind::F64 => Some(F64.whole.into()),
        _ => None,
    }
}

fn follow(u: ValueId, seen: &mut Vec<ValueId>, queue: &mut Vec<ValueId>) {
    if !seen.contains(&u) {
        seen.push(u);
        queue.push(u);
    }
}

/// Whether a use of a real has no derivative whatever the real is.
fn is_for_nothing(body: &Body, u: ValueId) -> bool {
    matches!(body[u].op, Op::FCmp | Op::Call(Callee::Inactive | Callee::Passive))
}

/// The real whose digits an exact conversion holds, with the conversions before it; `None` where
/// there are none, and the real was not scaled up.
fn root(body: &Body, conversion: ValueId, real: ValueId) -> Option<Root> {
    if !body[real].ty.is_real() {
        return None;
    }
    let (mut at, power) = unscaled(body, real);
    let mut is_rest = false;
    for _ in 0..DEPTH {
        let before = match &body[at].op {
            Op::Phi(_) => around_loop(body, at),
            _ => rest_of(body, at).map(|before| (before, true)),
        };
        let Some((before, takes)) = before else { break };
        at = before;
        is_rest |= takes;
    }
    let is_known = body.is_leaf(at) || body[at].block.is_none() || body.is_before(at, conversion);
    (is_known && (power >= SCALED || is_rest)).then_some(Root {
        real: at,
        format: format(body, at)?,
        is_rest,
    })
}

/// Of a join: the one value from before its loop, and whether what comes round the loop is the rest
/// of a conversion in it.
fn around_loop(body: &Body, phi: ValueId) -> Option<(ValueId, bool)> {
    let mut outside: Option<ValueId> = None;
    let mut takes = false;
    for &o in &body[phi].operands {
        let mut at = strip(body, o);
        let mut is_rest = false;
        for _ in 0..DEPTH {
            if at == phi {
                break;
            }
            let Some(before) = rest_of(body, at) else { break };
            at = before;
            is_rest = true;
        }
        if at == phi {
            takes |= is_rest;
        } else if outside.replace(at).is_some_and(|other| other != at) {
            return None;
        }
    }
    outside.map(|o| (o, takes))
}

/// Of the rest of a conversion, `x - i` or a multiple of it, where i are digits of x: x, as it was
/// before multiplications by powers of two.
fn rest_of(body: &Body, v: ValueId) -> Option<ValueId> {
    let data = &body[v];
    let (a, b) = match &data.op {
        Op::FSub | Op::FAdd => (strip(body, data.operands[0]), strip(body, data.operands[1])),
        Op::Call(Callee::Rule(rule, _)) if rule.name == "fma" => {
            let is_power = |i: usize| exponent(body, data.operands[i]).is_some();
            let factor = if is_power(1) { 0 } else { 1 };
            if !is_power(1 - factor) {
                return None;
            }
            (strip(body, data.operands[factor]), strip(body, data.operands[2]))
        }
        _ => return None,
    };
    [(a, b), (b, a)].into_iter().find_map(|(x, i)| {
        let Op::Cast(Cast::IntToFloat) = body[i].op else { return None };
        let mut from = body.operand(i, 0);
        while let Op::Cast(Cast::Int | Cast::ZeroExtend) | Op::Freeze = body[from].op {
            from = body.operand(from, 0);
        }
        let (_, taken) = conversion(body, from)?;
        (strip(body, taken) == x).then_some(x)
    })
}

/// A real without signs and powers of two as factors, before conversions to longer formats.
fn strip(body: &Body, v: ValueId) -> ValueId {
    unscaled(body, v).0
}

/// The same, and the exponent of the powers of two, as far as it is known.
fn unscaled(body: &Body, mut v: ValueId) -> (ValueId, i64) {
    let mut power: i64 = 0;
    for _ in 0..DEPTH {
        let data = &body[v];
        let operand = |i: usize| data.operands[i];
        let (next, by) = match &data.op {
            Op::FMul if exponent(body, operand(1)).is_some() => {
                (operand(0), exponent(body, operand(1)))
            }
            Op::FMul if exponent(body, operand(0)).is_some() => {
                (operand(1), exponent(body, operand(0)))
            }
            Op::FDiv if exponent(body, operand(1)).is_some() => {
                (operand(0), exponent(body, operand(1)).map(|n| -n))
            }
            Op::FNeg | Op::Freeze => (operand(0), Some(0)),
            Op::Cast(Cast::Float) if data.bytes > body[operand(0)].bytes => (operand(0), Some(0)),
            Op::Call(Callee::Rule(rule, _)) if matches!(rule.name, "fabs" | "copysign") => {
                (operand(0), Some(0))
            }
            Op::Call(Callee::Rule(rule, _))
                if matches!(rule.name, "ldexp" | "scalbn" | "scalbln") =>
            {
                (operand(0), body[operand(1)].constant)
            }
            Op::Phi(_) if data.operands.len() == 1 => (operand(0), Some(0)),
            _ => break,
        };
        (v, power) = (next, power.saturating_add(by.unwrap_or(SCALED)));
    }
    (v, power)
}

/// The exponent of a constant power of two.
fn exponent(body: &Body, v: ValueId) -> Option<i64> {
    const FRACTION: u32 = 52;
    let constant = matches!(body[v].op, Op::Constant).then_some(body[v].real).flatten()?;
    let bits = constant.abs().to_bits();
    let is_power = constant.is_normal() && bits.trailing_zeros() >= FRACTION;
    is_power.then_some((bits >> FRACTION) as i64 - 1023)
}

#[cfg(test)]
mod tests {
    use super::{takes_apart, test};
    use crate::testing::{body, v};

    #[test]
    fn integers_that_become_reals_are_tested() {
        let b = body(
            "body @f(v0: f64, v1: ptr)
             b0:
               v2: i64 = floattoint v0
               v3: i64 = add v2, v2
               v4: f64 = inttofloat v3
               v5: i64 = floattoint v4
               v6: ptr = gep v1 + v5*8
               v7: i32 = floattoint v4
               v8: f64 = inttofloat v7
               v9: f64 = fadd v4, v8
               ret v9",
        );
        assert!(test(&b, v(2)).is_some_and(|t| t.holds_whole && t.root.is_none() && t.bound == 63));
        assert!(test(&b, v(5)).is_none(), "an index");
        assert!(test(&b, v(7)).is_none(), "too short for the digits of a double");
        assert!(takes_apart(&b));
    }

    #[test]
    fn integers_in_fractions_are_tested_but_for_conversions() {
        // What is added before the bits are a real's, and how far the integer is shifted before.
        let is_tested = |constant: i64, left: i64| {
            let b = body(&format!(
                "body @f(v0: f64)
                   v1: i64 = const {left}
                   v2: i64 = const {constant}
                 b0:
                   v3: i32 = floattoint v0
                   v4: i64 = zeroextend v3
                   v5: i64 = shl v4, v1
                   v6: i64 = add v5, v2
                   v7: f64 = bitcast v6
                   ret v7"
            ));
            test(&b, v(3)).is_some()
        };
        assert!(is_tested(1072632447 << 32, 32), "Schraudolph's exponential");
        assert!(!is_tested(1023 << 52, 52) && !is_tested(0, 45), "powers of two, and tables");
        assert!(is_tested(1023 << 52, 0) && !is_tested(1075 << 52, 0), "a conversion by 2^52");
    }

    #[test]
    fn rests_are_followed_to_the_first_real() {
        let b = body(
            "body @f(v0: f64)
               v1: i32 = const 27
             b0:
               v2: i32 = floattoint v0
               v3: f64 = inttofloat v2
               v4: f64 = fsub v0, v3
               v5: f64 = call rule ldexp.f64(v4, v1)
               v6: i32 = floattoint v5
               v7: f64 = inttofloat v6
               v8: f64 = fadd v3, v7
               ret v8",
        );
        assert!(test(&b, v(2)).is_none());
        assert!(
            test(&b, v(6))
                .and_then(|t| t.root)
                .is_some_and(|root| root.real == v(0) && root.is_rest)
        );
    }
}
