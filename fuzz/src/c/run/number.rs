//! Conversions, arithmetic and comparisons.

use super::super::types::{INT, Int};
use super::*;

/// Nearer reals may compare otherwise where they are rounded: float has 24 bits.
fn near(kind: Real) -> f64 {
    if kind == Real::F32 { 1e-4 } else { 1e-8 }
}

impl Run<'_> {
    /// Object and byte of a pointer; `None` for null.
    pub(super) fn pointed(&self, v: &Typed) -> Is<Option<(usize, i64)>> {
        match &v.0 {
            Value::Scalar(Scalar::Ptr(p)) => Ok(*p),
            _ => reject("no pointer"),
        }
    }

    /// The integer of a value.
    pub(super) fn int(&self, v: &Typed) -> Is<i128> {
        match &v.0 {
            Value::Scalar(Scalar::Int(i)) => Ok(*i),
            _ => reject("no integer"),
        }
    }

    /// The value as a real.
    pub(super) fn real(&self, v: &Typed) -> Is<Dual> {
        match &v.0 {
            Value::Scalar(Scalar::Real(d)) => Ok(*d),
            Value::Scalar(Scalar::Int(i)) => Ok(Dual::constant(*i as f64)),
            _ => reject("no number"),
        }
    }

    /// Whether a condition holds.
    pub(super) fn truth(&mut self, v: &Typed) -> Is<bool> {
        match &v.0 {
            Value::Scalar(Scalar::Int(i)) => Ok(*i != 0),
            Value::Scalar(Scalar::Ptr(p)) => Ok(p.is_some()),
            Value::Scalar(Scalar::Func(_)) => Ok(true),
            Value::Scalar(Scalar::Real(_)) => {
                let zero = (Value::Scalar(Scalar::Int(0)), Type::Int(INT));
                self.compare(Binary::Ne, v, &zero)
            }
            _ => reject("no condition"),
        }
    }

    /// The value in another type.
    pub(super) fn convert(&mut self, v: Typed, to: &Type) -> Is<Value> {
        let scalar = match (v.0, to) {
            (_, Type::Void) => return Ok(Value::Void),
            (Value::Record(image), Type::Record(_)) if v.1 == *to => {
                return Ok(Value::Record(image));
            }
            (Value::Scalar(s), _) => s,
            _ => return reject("conversion"),
        };
        Ok(Value::Scalar(match (scalar, to) {
            (Scalar::Real(mut d), Type::Real(r)) => {
                d.value = r.round(d.value);
                if !d.is_moderate() {
                    return reject("large value");
                }
                Scalar::Real(d)
            }
            (Scalar::Int(i), Type::Real(_)) => Scalar::Real(Dual::constant(i as f64)),
            (Scalar::Int(i), Type::Int(t)) => Scalar::Int(t.wrap(i)),
            (Scalar::Real(d), Type::Int(t)) => {
                let Type::Real(kind) = v.1 else { return reject("conversion") };
                if (d.value - d.value.round()).abs() < near(kind) {
                    return reject("nearly an integer");
                }
                Scalar::Int(t.fit(d.value.trunc() as i128).ok_or("overflow")?)
            }
            (Scalar::Int(0), Type::Ptr(_)) => Scalar::Ptr(None),
            (p @ (Scalar::Ptr(_) | Scalar::Func(_)), Type::Ptr(_)) => p,
            _ => return reject("conversion"),
        }))
    }

    /// A binary operation.
    pub(super) fn binary(&mut self, op: Binary, a: Typed, b: Typed) -> Is<Typed> {
        use Binary::*;
        if matches!(op, Lt | Le | Gt | Ge | Eq | Ne) {
            let holds = self.compare(op, &a, &b)?;
            return Ok((Value::Scalar(Scalar::Int(i128::from(holds))), Type::Int(INT)));
        }
        match (&a.1, &b.1) {
            (Type::Ptr(of), Type::Int(_)) => {
                let size = self.size(of)? as i64;
                let by = self.int(&b)? as i64 * if op == Sub { -size } else { size };
                let (object, byte) = self.pointed(&a)?.ok_or("null pointer")?;
                let to = byte + by;
                if !matches!(op, Add | Sub) || to < 0 || to > self.memory.size(object) as i64 {
                    return reject("pointer out of bounds");
                }
                Ok((pointer(object, to), a.1))
            }
            (Type::Int(_), Type::Ptr(_)) if op == Add => self.binary(op, b, a),
            (Type::Ptr(of), Type::Ptr(_)) if op == Sub => {
                let (p, q) = (self.pointed(&a)?.ok_or("null")?, self.pointed(&b)?.ok_or("null")?);
                if p.0 != q.0 {
                    return reject("pointers to two objects");
                }
                let count = (p.1 - q.1) / self.size(of)? as i64;
                let long = Type::Int(Int { bits: 64, is_signed: true });
                Ok((Value::Scalar(Scalar::Int(i128::from(count))), long))
            }
            (Type::Int(s), Type::Int(t)) => {
                let ty = if matches!(op, Shl | Shr) { s.promoted() } else { s.common(*t) };
                let (x, y) = (ty.wrap(self.int(&a)?), self.int(&b)?);
                let y = if matches!(op, Shl | Shr) { y } else { ty.wrap(y) };
                let v = integer(op, x, y, ty)?;
                Ok((Value::Scalar(Scalar::Int(v)), Type::Int(ty)))
            }
            _ => {
                let kind = [&a.1, &b.1].iter().fold(Real::F32, |kind, ty| match ty {
                    Type::Real(r) => kind.max(*r),
                    _ => kind,
                });
                let (x, y) = (self.real(&a)?, self.real(&b)?);
                let v = match op {
                    Add => Dual::apply(x.value + y.value, &[(1.0, &x), (1.0, &y)], 0.0),
                    Sub => Dual::apply(x.value - y.value, &[(1.0, &x), (-1.0, &y)], 0.0),
                    Mul => Dual::apply(x.value * y.value, &[(y.value, &x), (x.value, &y)], 0.0),
                    Div if y.value.abs() > 1e-2 => {
                        let (q, r) = (x.value / y.value, 1.0 / y.value);
                        Dual::apply(q, &[(r, &x), (-q * r, &y)], 0.0)
                    }
                    _ => return reject("operation"),
                };
                let ty = Type::Real(kind);
                Ok((self.convert((Value::Scalar(Scalar::Real(v)), ty.clone()), &ty)?, ty))
            }
        }
    }

    fn compare(&mut self, op: Binary, a: &Typed, b: &Typed) -> Is<bool> {
        use std::cmp::Ordering;
        let order = match (&a.1, &b.1) {
            (Type::Int(s), Type::Int(t)) => {
                let ty = s.common(*t);
                ty.wrap(self.int(a)?).cmp(&ty.wrap(self.int(b)?))
            }
            (Type::Ptr(_), _) | (_, Type::Ptr(_)) => {
                let null = |v: &Typed| match &v.0 {
                    Value::Scalar(Scalar::Ptr(p)) => Ok(*p),
                    Value::Scalar(Scalar::Int(0)) => Ok(None),
                    _ => reject("comparison of pointers"),
                };
                let (p, q) = (null(a)?, null(b)?);
                match (op, p, q) {
                    (Binary::Eq | Binary::Ne, p, q) if p == q => Ordering::Equal,
                    (Binary::Eq | Binary::Ne, ..) => Ordering::Less,
                    (_, Some(p), Some(q)) if p.0 == q.0 => p.1.cmp(&q.1),
                    _ => return reject("order of two objects"),
                }
            }
            _ => {
                let (x, y) = (self.real(a)?, self.real(b)?);
                let is_fixed = |d: &Dual| d.size.iter().all(|s| *s == 0.0);
                let single = [a, b].iter().any(|v| v.1 == Type::Real(Real::F32));
                let near = near(if single { Real::F32 } else { Real::F64 });
                let is_exact = is_fixed(&x) && is_fixed(&y) && x.value == y.value;
                if (x.value - y.value).abs() < near && !is_exact {
                    return reject("nearly equal");
                }
                x.value.partial_cmp(&y.value).ok_or("no number")?
            }
        };
        Ok(match op {
            Binary::Lt => order.is_lt(),
            Binary::Le => order.is_le(),
            Binary::Gt => order.is_gt(),
            Binary::Ge => order.is_ge(),
            Binary::Eq => order.is_eq(),
            _ => order.is_ne(),
        })
    }
}

fn integer(op: Binary, x: i128, y: i128, ty: Int) -> Is<i128> {
    let v = match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x.checked_mul(y).ok_or("overflow")?,
        Binary::Div | Binary::Mod if y == 0 => return reject("division by zero"),
        Binary::Div => x / y,
        Binary::Mod => x % y,
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::Shl | Binary::Shr if y < 0 || y >= ty.bits as i128 => return reject("shift"),
        Binary::Shl => x << y,
        Binary::Shr => x >> y,
        _ => return reject("operation"),
    };
    ty.fit(v).ok_or_else(|| "overflow".into())
}
