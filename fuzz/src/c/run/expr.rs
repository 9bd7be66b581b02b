//! Expressions.

use super::super::types::{INT, SIZE};
use super::*;

impl<'u> Run<'u> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, e: &'u Expr) -> Is<Typed> {
        self.burn()?;
        let int = |v: i128, ty| (Value::Scalar(Scalar::Int(v)), Type::Int(ty));
        let real = |d, r| (Value::Scalar(Scalar::Real(d)), Type::Real(r));
        Ok(match e {
            Expr::Int(v, ty) => int(*v, *ty),
            Expr::Real(v, r) => real(Dual::constant(r.round(*v)), *r),
            Expr::Name(n) if self.variable(n).is_none() && self.unit.functions.contains_key(n) => {
                (Value::Scalar(Scalar::Func(n.clone())), Type::Void.pointer())
            }
            Expr::Name(_)
            | Expr::Deref(_)
            | Expr::Member(..)
            | Expr::Text(_)
            | Expr::Compound(..) => {
                let place = self.place(e)?;
                self.load(&place)?
            }
            Expr::Unary(op, a) => {
                let a = self.eval(a)?;
                match (op, &a.1) {
                    (Unary::Not, _) => int(i128::from(!self.truth(&a)?), INT),
                    (Unary::Minus, Type::Real(r)) => {
                        let d = self.real(&a)?;
                        real(Dual::apply(-d.value, &[(-1.0, &d)], 0.0), *r)
                    }
                    (_, Type::Int(t)) => {
                        let (v, ty) = (self.int(&a)?, t.promoted());
                        int(ty.wrap(if *op == Unary::Minus { -v } else { !v }), ty)
                    }
                    _ => return reject("operand"),
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                self.binary(*op, a, b)?
            }
            Expr::All(a, b) => int(i128::from(self.holds(a)? && self.holds(b)?), INT),
            Expr::Any(a, b) => int(i128::from(self.holds(a)? || self.holds(b)?), INT),
            Expr::Cond(c, yes, no) => {
                let is = self.holds(c)?;
                let (taken, other) = if is { (yes, no) } else { (no, yes) };
                let v = self.eval(taken)?;
                let other = self.type_of(other).unwrap_or_else(|_| v.1.clone());
                let ty = match (&v.1, &other) {
                    (Type::Int(_), Type::Real(_)) | (Type::Real(Real::F32), Type::Real(_)) => other,
                    (Type::Int(s), Type::Int(t)) => Type::Int(s.common(*t)),
                    (Type::Int(_), Type::Ptr(_)) => other,
                    _ => v.1.clone(),
                };
                (self.convert(v, &ty)?, ty)
            }
            Expr::Assign(op, to, from) => {
                let value = self.eval(from)?;
                let place = self.place(to)?;
                let value = match op {
                    Some(op) => {
                        let old = self.load(&place)?;
                        self.binary(*op, old, value)?
                    }
                    None => value,
                };
                self.store(&place, value)?;
                self.load(&place)?
            }
            Expr::Step(of, by, is_old) => {
                let place = self.place(of)?;
                let old = self.load(&place)?;
                let new = self.binary(Binary::Add, old.clone(), int(*by, INT))?;
                self.store(&place, new)?;
                if *is_old { old } else { self.load(&place)? }
            }
            Expr::Address(of) => {
                if let Expr::Name(n) = &**of
                    && self.variable(n).is_none()
                {
                    return self.eval(of);
                }
                let place = self.place(of)?;
                if place.bits.is_some() {
                    return reject("address of a bit field");
                }
                (pointer(place.object, place.at / 8), place.ty.pointer())
            }
            Expr::Cast(ty, a) => {
                let a = self.eval(a)?;
                (self.convert(a, ty)?, ty.clone())
            }
            Expr::SizeOfType(ty) => int(self.size(ty)? as i128, SIZE),
            Expr::SizeOf(a) => {
                let ty = self.type_of(a)?;
                int(self.size(&ty)? as i128, SIZE)
            }
            Expr::OffsetOf(ty, path) => {
                let (mut ty, mut at) = (ty, 0);
                for name in path {
                    let Type::Record(r) = ty else { return reject("member of no record") };
                    let (by, inner, bits) = self.unit.records.field(*r, name).ok_or("no member")?;
                    if bits.is_some() {
                        return reject("offset of a bit field");
                    }
                    (ty, at) = (inner, at + by);
                }
                int(at as i128 / 8, SIZE)
            }
            Expr::Comma(a, b) => {
                self.eval(a)?;
                self.eval(b)?
            }
            Expr::Call(f, args) => {
                let mut values = vec![];
                if let Expr::Name(n) = &**f
                    && self.variable(n).is_none()
                {
                    for a in args {
                        values.push(self.eval(a)?);
                    }
                    return match self.unit.functions.contains_key(n) {
                        true => self.call(n, values),
                        false => self.library(n, values),
                    };
                }
                // `(*f)(x)` and `f(x)` are the same.
                let f = if let Expr::Deref(f) = &**f { f } else { f };
                let (Value::Scalar(Scalar::Func(name)), _) = self.eval(f)? else {
                    return reject("call of no function");
                };
                for a in args {
                    values.push(self.eval(a)?);
                }
                self.call(&name, values)?
            }
        })
    }

    fn holds(&mut self, e: &'u Expr) -> Is<bool> {
        let v = self.eval(e)?;
        self.truth(&v)
    }

    /// The type of an expression, for `sizeof`: of places, without a look at memory.
    fn type_of(&self, e: &Expr) -> Is<Type> {
        Ok(match e {
            Expr::Name(n) => self.variable(n).ok_or("undeclared")?.ty,
            Expr::Deref(p) => match self.type_of(p)? {
                Type::Ptr(of) | Type::Array(of, _) => (*of).clone(),
                _ => return reject("no pointer"),
            },
            Expr::Member(of, name) => match self.type_of(of)? {
                Type::Record(r) => self.unit.records.field(r, name).ok_or("no member")?.1.clone(),
                _ => return reject("member of no record"),
            },
            Expr::Binary(op, a, b) => match (op, self.type_of(a)?) {
                (Binary::Add | Binary::Sub, p @ (Type::Ptr(_) | Type::Array(..))) => p,
                (_, Type::Int(s)) => match self.type_of(b)? {
                    Type::Int(t) => Type::Int(s.common(t)),
                    other => other,
                },
                (_, Type::Real(r)) => match self.type_of(b)? {
                    Type::Real(other) => Type::Real(r.max(other)),
                    _ => Type::Real(r),
                },
                _ => return reject("type of an operation"),
            },
            Expr::Cast(ty, _) | Expr::Compound(ty, _) => ty.clone(),
            Expr::Int(_, t) => Type::Int(*t),
            Expr::Real(_, r) => Type::Real(*r),
            Expr::Unary(Unary::Minus, a) => self.type_of(a)?,
            Expr::Call(f, _) => match &**f {
                Expr::Name(n) if self.unit.functions.contains_key(n) => {
                    self.unit.functions[n].ret.clone()
                }
                Expr::Name(_) => DOUBLE,
                _ => return reject("type of a call"),
            },
            Expr::Cond(_, a, _) => self.type_of(a)?,
            _ => return reject("type of an expression"),
        })
    }

    /// Whether an expression is true.
    pub(super) fn condition(&mut self, e: &'u Expr) -> Is<bool> {
        self.holds(e)
    }
}
