//! Expressions of the interpreter: reals with their derivatives, vectors, integers, conditions.

use super::{Cell, Interp, Is, LIMIT};
use crate::ast::*;
use crate::dual::Dual;
use crate::libm;

impl<'p> Interp<'p> {
    pub(super) fn real(&mut self, e: &'p RealE) -> Is<(Real, Dual)> {
        self.burn()?;
        let (kind, d) = match e {
            RealE::Lit(v, r) => (*r, Dual::constant(r.round(*v))),
            RealE::Load(LValue::Table(t, i)) => {
                let i = self.int(i)?;
                let v = self.program.tables.get(*t).and_then(|t| t.get(usize::try_from(i).ok()?));
                (Real::F64, Dual::constant(*v.ok_or("bounds")?))
            }
            RealE::Load(p) => match self.place(p)? {
                (o, at, Ty::Real(r)) => match self.load(o, at)? {
                    Cell::Real(d) => (*r, d),
                    _ => return Err("load"),
                },
                _ => return Err("load of another type"),
            },
            RealE::Neg(a) => {
                let (r, a) = self.real(a)?;
                (r, Dual::apply(-a.value, &[(-1.0, &a)], 0.0))
            }
            RealE::Bin(op, a, b) => {
                let (ra, a) = self.real(a)?;
                let (rb, b) = self.real(b)?;
                self.binary(*op, (ra, a), (rb, b))?
            }
            RealE::Math(name, kind, args) => {
                let kind = *kind;
                let mut duals = vec![];
                for a in args {
                    let mut d = self.real(a)?.1;
                    d.value = kind.round(d.value);
                    duals.push(d);
                }
                let values: Vec<f64> = duals.iter().map(|d| d.value).collect();
                let (value, partials) = libm::evaluate(name, kind, &values).ok_or("domain")?;
                let terms: Vec<_> = partials.iter().copied().zip(&duals).collect();
                let coarse = if partials.iter().all(|p| p.fract() == 0.0) { 0.0 } else { 1e-3 };
                (kind, Dual::apply(value, &terms, coarse))
            }
            RealE::Ldexp(a, n) => {
                let a = self.real(a)?.1;
                let factor = f64::exp2(self.int(n)?.clamp(-20, 20) as f64);
                (Real::F64, Dual::apply(a.value * factor, &[(factor, &a)], 0.0))
            }
            RealE::Sel(c, a, b) => {
                let taken = self.cond(c)?;
                // Arms that call functions are casts: their type is known before one of them runs.
                if let (RealE::Cast(ra, _), RealE::Cast(rb, _)) = (&**a, &**b) {
                    let d = self.real(if taken { a } else { b })?.1;
                    return Ok((*ra.max(rb), d));
                }
                let (ra, a) = self.real(a)?;
                let (rb, b) = self.real(b)?;
                (ra.max(rb), if taken { a } else { b })
            }
            RealE::OfInt(r, i) => (*r, Dual::constant(r.round(self.int(i)? as f64))),
            RealE::Idiom(name, a) => {
                let a = self.real(a)?.1;
                let (value, partial) = crate::idioms::evaluate(name, a.value).ok_or("domain")?;
                (Real::F64, Dual::apply(value, &[(partial, &a)], 0.0))
            }
            RealE::Cast(r, a) => {
                let mut a = self.real(a)?.1;
                a.value = r.round(a.value);
                (*r, a)
            }
            RealE::Call(f, args) => {
                let f = self.target(f)?;
                let cells = self.arguments(f, args)?;
                match (&self.program.funcs[f].ret, self.call(f, cells)?.first()) {
                    (Some(Ty::Real(r)), Some(Some(Cell::Real(d)))) => {
                        (*r, Dual { value: r.round(d.value), ..*d })
                    }
                    _ => return Err("result"),
                }
            }
        };
        if d.is_moderate() { Ok((kind, d)) } else { Err("large value") }
    }

    pub(super) fn binary(
        &self,
        op: RealOp,
        (ra, a): (Real, Dual),
        (rb, b): (Real, Dual),
    ) -> Is<(Real, Dual)> {
        let kind = ra.max(rb);
        let (x, y) = (a.value, b.value);
        let (v, pa, pb) = match op {
            RealOp::Add => (x + y, 1.0, 1.0),
            RealOp::Sub => (x - y, 1.0, -1.0),
            RealOp::Mul => (x * y, y, x),
            RealOp::Div if y.abs() < 1e-2 => return Err("division by a small number"),
            RealOp::Div => (x / y, 1.0 / y, -x / y / y),
        };
        Ok((kind, Dual::apply(kind.round(v), &[(pa, &a), (pb, &b)], 0.0)))
    }

    pub(super) fn vector(&mut self, e: &'p VecE) -> Is<(Real, Vec<Dual>)> {
        self.burn()?;
        match e {
            VecE::Load(p) => {
                let (o, at, ty) = self.place(p)?;
                let Ty::Vector(r, n) = ty else { return Err("load of another type") };
                let real = |cell| if let Cell::Real(d) = cell { Ok(d) } else { Err("load") };
                Ok((*r, (at..at + n).map(|k| self.load(o, k).and_then(real)).collect::<Is<_>>()?))
            }
            VecE::List(r, es) => {
                let rounded = |mut d: Dual| {
                    d.value = r.round(d.value);
                    d
                };
                Ok((*r, es.iter().map(|e| Ok(rounded(self.real(e)?.1))).collect::<Is<_>>()?))
            }
            VecE::Bin(op, a, b) => {
                let ((r, a), (s, b)) = (self.vector(a)?, self.vector(b)?);
                if r != s || a.len() != b.len() {
                    return Err("another vector");
                }
                Ok((
                    r,
                    a.into_iter()
                        .zip(b)
                        .map(|(a, b)| Ok(self.binary(*op, (r, a), (r, b))?.1))
                        .collect::<Is<_>>()?,
                ))
            }
            VecE::Scale(op, a, of, by) => {
                let ((r, a), mut by) = (self.vector(a)?, self.real(by)?.1);
                by.value = r.round(by.value);
                if r != *of {
                    return Err("another vector");
                }
                Ok((
                    r,
                    a.into_iter()
                        .map(|a| Ok(self.binary(*op, (r, a), (r, by))?.1))
                        .collect::<Is<_>>()?,
                ))
            }
            VecE::Shuffle(a, order) => {
                let (r, a) = self.vector(a)?;
                Ok((
                    r,
                    order.iter().map(|k| a.get(*k).copied().ok_or("bounds")).collect::<Is<_>>()?,
                ))
            }
        }
    }

    pub(super) fn int(&mut self, e: &'p IntE) -> Is<i64> {
        self.burn()?;
        let v = match e {
            IntE::Lit(v) => *v,
            IntE::Load(p) => match self.place(p)? {
                (o, at, Ty::Int(_)) => match self.load(o, at)? {
                    Cell::Int(v) => v,
                    _ => return Err("load"),
                },
                _ => return Err("load of another type"),
            },
            IntE::Bin(op, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                self.int_binary(*op, a, b)?
            }
            IntE::Of(c) => i64::from(self.cond(c)?),
            IntE::OfReal(a) => {
                let v = self.real(a)?.1.value;
                if (v - v.round()).abs() < 1e-7 {
                    return Err("nearly whole");
                }
                v.trunc() as i64
            }
            IntE::Sel(c, a, b) => {
                if self.cond(c)? {
                    self.int(a)?
                } else {
                    self.int(b)?
                }
            }
        };
        if v.abs() < LIMIT { Ok(v) } else { Err("large integer") }
    }

    pub(super) fn int_binary(&self, op: IntOp, a: i64, b: i64) -> Is<i64> {
        let unsigned = a >= 0 && b >= 0;
        Ok(match op {
            IntOp::Add => a + b,
            IntOp::Sub => a - b,
            IntOp::Mul => a * b,
            IntOp::Div if b > 0 => a / b,
            IntOp::Mod if b > 0 => a % b,
            IntOp::And if unsigned => a & b,
            IntOp::Or if unsigned => a | b,
            IntOp::Xor if unsigned => a ^ b,
            IntOp::Shr if unsigned && b < 31 => a >> b,
            _ => return Err("integer operation"),
        })
    }

    pub(super) fn cond(&mut self, c: &'p CondE) -> Is<bool> {
        self.burn()?;
        fn holds<T: PartialOrd>(cmp: Cmp, a: T, b: T) -> bool {
            match cmp {
                Cmp::Lt => a < b,
                Cmp::Le => a <= b,
                Cmp::Gt => a > b,
                Cmp::Ge => a >= b,
                Cmp::Eq => a == b,
                Cmp::Ne => a != b,
            }
        }
        Ok(match c {
            CondE::Real(cmp, a, b) => {
                let ((ra, a), (rb, b)) = (self.real(a)?, self.real(b)?);
                // Nearer numbers may compare otherwise where they are rounded: float has 24 bits.
                let near = if ra == Real::F32 || rb == Real::F32 { 1e-4 } else { 1e-8 };
                if (a.value - b.value).abs() < near {
                    return Err("nearly equal");
                }
                holds(*cmp, a.value, b.value)
            }
            CondE::Int(cmp, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                holds(*cmp, a, b)
            }
            CondE::And(a, b) => self.cond(a)? && self.cond(b)?,
            CondE::Or(a, b) => self.cond(a)? || self.cond(b)?,
            CondE::Not(a) => !self.cond(a)?,
        })
    }
}
