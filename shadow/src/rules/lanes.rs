//! Arithmetic lane by lane: the equations of [`super::real`] on the numbers of an instruction's
//! operands.

use iced_x86::OpKind;

use super::{
    kinds::{Addend, Form, Lanes, Order, Rule, Upper},
    native::WIDTH,
    real::{self, Dual, Real, plain},
    tangent::{Case, Refusal, With},
    upper,
};

impl Case<'_> {
    /// A number of an operand, and its dot.
    fn get<R: Real>(&self, k: usize, lane: usize) -> Dual<R> {
        let broadcast = self.i.is_broadcast() && self.i.op_kind(k as u32) == OpKind::Memory;
        let at = if broadcast { 0 } else { lane * R::SIZE };
        Dual {
            x: R::load(&self.operands[k].value[at..]),
            dot: R::load(&self.operands[k].dot[at..]),
        }
    }

    pub(super) fn arithmetic<R: Real>(
        &self,
        rule: Rule,
        form: Form,
    ) -> Result<[u8; WIDTH], Refusal> {
        let last = self.last();
        let first = last.saturating_sub(1);
        let (one, two) = (
            |lane| self.get::<R>(last, lane),
            |lane| (self.get::<R>(first, lane), self.get::<R>(last, lane)),
        );
        // The two neighbours that a lane of a horizontal operation is made of: of the first
        // operand, then of the second, within 128 bits.
        let neighbours = |lane: usize| {
            let lanes = 16 / R::SIZE;
            let (base, within) = (lane / lanes * lanes, lane % lanes);
            let k = if within < lanes / 2 { first } else { last };
            let at = base + within % (lanes / 2) * 2;
            (self.get::<R>(k, at), self.get::<R>(k, at + 1))
        };
        let minus_of = |d: Dual<R>| Dual { x: -d.x, dot: -d.dot };
        let add = |(a, b): (Dual<R>, Dual<R>)| real::add(a, b);
        let sub = |(a, b): (Dual<R>, Dual<R>)| real::add(a, minus_of(b));
        let own = |bytes: &[u8; WIDTH], lane: usize| R::load(&bytes[lane * R::SIZE..]);
        let lanes = |f: &dyn Fn(usize) -> R| self.lanes(form, f);
        Ok(match rule {
            Rule::Add(_) => lanes(&|l| add(two(l))),
            Rule::Sub(_) => lanes(&|l| sub(two(l))),
            Rule::AddSub(_) => lanes(&|l| if l % 2 == 0 { sub(two(l)) } else { add(two(l)) }),
            Rule::Mul(_) => lanes(&|l| real::mul(two(l).0, two(l).1)),
            Rule::Div(_) => lanes(&|l| real::div(two(l).0, two(l).1)),
            Rule::Sqrt(_) => lanes(&|l| real::sqrt(one(l))),
            Rule::Min(_) => lanes(&|l| real::min(two(l).0, two(l).1)),
            Rule::Max(_) => lanes(&|l| real::max(two(l).0, two(l).1)),
            Rule::Fma { order, negated, addend, .. } => {
                let (a, b, c) = match order {
                    Order::O132 => (0, 2, 1),
                    Order::O213 => (0, 1, 2),
                    Order::O231 => (1, 2, 0),
                };
                lanes(&|l| {
                    let (a, b, c) = (self.get::<R>(a, l), self.get::<R>(b, l), self.get::<R>(c, l));
                    let minus = match addend {
                        Addend::Plus => false,
                        Addend::Minus => true,
                        Addend::MinusPlus => l % 2 == 0,
                        Addend::PlusMinus => l % 2 == 1,
                    };
                    // Signs change the same product: rounding knows none.
                    let b = if negated { minus_of(b) } else { b };
                    real::fused(a, b, if minus { minus_of(c) } else { c })
                })
            }
            Rule::HorizontalAdd(_) => lanes(&|l| add(neighbours(l))),
            Rule::HorizontalSub(_) => lanes(&|l| sub(neighbours(l))),
            Rule::DotProduct(_) => {
                let how = self.i.immediate8();
                lanes(&|l| {
                    let count = 16 / R::SIZE;
                    let (base, within) = (l / count * count, l % count);
                    if how >> within & 1 == 0 {
                        return R::ZERO;
                    }
                    let taken = (0..count).filter(|&j| how >> (4 + j) & 1 == 1);
                    plain(
                        taken.fold(R::ZERO, |sum, j| {
                            sum + real::mul(two(base + j).0, two(base + j).1)
                        }),
                    )
                })
            }
            Rule::Rounding(_) | Rule::GetExponent(_) => lanes(&|_| R::ZERO),
            Rule::Reduce(_) => lanes(&|l| plain(one(l).dot)),
            Rule::Reciprocal(_) => lanes(&|l| real::reciprocal(one(l))),
            Rule::ReciprocalSqrt(_) => lanes(&|l| real::reciprocal_sqrt(one(l))),
            Rule::ScaleByPower(_) => {
                let scaled = self.native(|k| if k == last { With::Value } else { With::Dot })?;
                lanes(&|l| if two(l).0.dot == R::ZERO { R::ZERO } else { own(&scaled, l) })
            }
            Rule::GetMantissa(_) => {
                let result = self.native(|_| With::Value)?;
                lanes(&|l| real::mantissa(one(l), own(&result, l)))
            }
            Rule::Range(_) => {
                let result = self.native(|_| With::Value)?;
                lanes(&|l| real::range(two(l).0, two(l).1, self.i.immediate8(), own(&result, l)))
            }
            Rule::FixupImm(_) => lanes(&|l| {
                let (a, table) = two(l);
                let mut bytes = [0; 8];
                a.x.store(&mut bytes);
                let quiet = if R::SIZE == 4 { bytes[2] >> 6 & 1 } else { bytes[6] >> 3 & 1 };
                let mut entries = [0; 8];
                table.x.store(&mut entries);
                let entries = u32::from_le_bytes([entries[0], entries[1], entries[2], entries[3]]);
                real::fixup(
                    self.get::<R>(0, l).dot,
                    a,
                    quiet == 1,
                    a.x == R::HALF + R::HALF,
                    entries,
                )
            }),
            _ => return Err(Refusal::Refused("no arithmetic")),
        })
    }

    /// The result made lane by lane, where the mask is set.
    pub(super) fn lanes<R: Real>(&self, form: Form, f: &dyn Fn(usize) -> R) -> [u8; WIDTH] {
        let mut result = [0; WIDTH];
        let old = &self.operands[0].dot;
        let count = match form.lanes {
            Lanes::Packed => self.width(0) / R::SIZE,
            Lanes::Scalar => 1,
        };
        for lane in 0..count {
            let at = lane * R::SIZE;
            let dot = match self.mask >> lane & 1 {
                1 => f(lane),
                _ if self.i.zeroing_masking() => R::ZERO,
                _ => R::load(&old[at..]),
            };
            dot.store(&mut result[at..]);
        }
        if form.lanes == Lanes::Packed {
            return self.finished(result);
        }
        match upper(self.i.code()) {
            Upper::Kept => result[R::SIZE..].copy_from_slice(&old[R::SIZE..]),
            Upper::First => result[R::SIZE..16].copy_from_slice(&old[R::SIZE..16]),
            Upper::Second => {
                result[R::SIZE..16].copy_from_slice(&self.operands[1].dot[R::SIZE..16])
            }
        }
        result
    }
}
