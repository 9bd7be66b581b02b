//! Variables, places, and how values go to them and come from them.

use super::super::types::Int;
use super::*;

impl<'u> Run<'u> {
    /// A new variable of the innermost scope.
    pub(super) fn declare(&mut self, name: &'u str, ty: &Type) -> Is<Place> {
        let object = self.memory.allocate(self.size(ty)?, Origin::Variable);
        self.scope.push(Variable { name, object, ty: ty.clone() });
        Ok(Place { object, at: 0, ty: ty.clone(), bits: None })
    }

    /// Ends the variables behind the first `count`.
    pub(super) fn leave(&mut self, count: usize) -> Is<()> {
        for v in self.scope.split_off(count) {
            self.memory.end(v.object, Origin::Variable)?;
        }
        Ok(())
    }

    /// The place of a name.
    pub(super) fn variable(&self, name: &str) -> Option<Place> {
        let v =
            self.scope.iter().rev().find(|v| v.name == name).or_else(|| self.globals.get(name))?;
        Some(Place { object: v.object, at: 0, ty: v.ty.clone(), bits: None })
    }

    /// The place of an expression.
    pub(super) fn place(&mut self, e: &'u Expr) -> Is<Place> {
        self.burn()?;
        match e {
            Expr::Name(n) => self.variable(n).ok_or_else(|| format!("undeclared {n}")),
            Expr::Deref(p) => {
                let value = self.eval(p)?;
                let Type::Ptr(of) = value.1.clone() else { return reject("no pointer") };
                let (object, byte) = self.pointed(&value)?.ok_or("null pointer")?;
                Ok(Place { object, at: byte * 8, ty: (*of).clone(), bits: None })
            }
            Expr::Member(of, name) => {
                let of = self.place(of)?;
                let Type::Record(r) = of.ty else { return reject("member of no record") };
                let (at, ty, bits) =
                    self.unit.records.field(r, name).ok_or_else(|| format!("no member {name}"))?;
                Ok(Place { object: of.object, at: of.at + at as i64, ty: ty.clone(), bits })
            }
            Expr::Compound(ty, init) => {
                let place = self.temporary(ty)?;
                self.initialise(&place, init)?;
                Ok(place)
            }
            Expr::Text(text) => {
                let char = Type::Int(Int { bits: 8, is_signed: true });
                let place = self.temporary(&Type::Array(char.into(), text.len() + 1))?;
                self.write_text(&place, text)?;
                Ok(place)
            }
            Expr::Call(..) | Expr::Cond(..) | Expr::Assign(..) => {
                let value = self.eval(e)?;
                let place = self.temporary(&value.1)?;
                self.store(&place, value)?;
                Ok(place)
            }
            _ => reject("no place"),
        }
    }

    /// An object that lives to the end: of literals, and of results whose members are read.
    fn temporary(&mut self, ty: &Type) -> Is<Place> {
        let object = self.memory.allocate(self.size(ty)?, Origin::Variable);
        Ok(Place { object, at: 0, ty: ty.clone(), bits: None })
    }

    fn width(&self, place: &Place) -> Is<usize> {
        Ok(match place.bits {
            Some(bits) => bits,
            None => self.size(&place.ty)? * 8,
        })
    }

    /// What lies at a place; an array becomes a pointer to its first element.
    pub(super) fn load(&mut self, place: &Place) -> Is<Typed> {
        self.burn()?;
        let width = self.width(place)?;
        let value = match &place.ty {
            Type::Array(e, _) => {
                return Ok((pointer(place.object, place.at / 8), Type::Ptr(e.clone())));
            }
            Type::Record(_) => Value::Record(self.memory.read(place.object, place.at, width)?),
            ty => {
                let scalar = self.memory.load(place.object, place.at, width)?;
                Value::Scalar(match (ty, scalar) {
                    (Type::Real(_), Some(Scalar::Real(d))) => Scalar::Real(d),
                    (Type::Real(_), None) => Scalar::Real(Dual::constant(0.0)),
                    (Type::Int(t), Some(Scalar::Int(v))) => Scalar::Int(t.wrap(v)),
                    (Type::Int(_), None) => Scalar::Int(0),
                    (Type::Ptr(_), Some(p @ (Scalar::Ptr(_) | Scalar::Func(_)))) => p,
                    (Type::Ptr(_), None) => Scalar::Ptr(None),
                    _ => return reject("read of another kind"),
                })
            }
        };
        Ok((value, place.ty.clone()))
    }

    /// Writes a value, converted to the type of the place.
    pub(super) fn store(&mut self, place: &Place, value: Typed) -> Is<()> {
        self.burn()?;
        let width = self.width(place)?;
        match self.convert(value, &place.ty)? {
            Value::Void => reject("store of nothing"),
            Value::Record(image) => self.memory.write(place.object, place.at, &image),
            Value::Scalar(mut scalar) => {
                if let (Some(bits), Scalar::Int(v), Type::Int(t)) =
                    (place.bits, &mut scalar, &place.ty)
                {
                    *v = Int { bits, ..*t }.wrap(*v);
                }
                self.memory.store(place.object, place.at, width, scalar)
            }
        }
    }

    /// The first scalar of an object.
    fn first(&self, place: &Place) -> Is<Place> {
        let (ty, bits) = match &place.ty {
            Type::Array(e, _) => ((**e).clone(), None),
            Type::Record(r) => {
                let f = self.unit.records.0[*r].fields.first().ok_or("no member")?;
                (f.ty.clone(), f.bits)
            }
            _ => return Ok(place.clone()),
        };
        self.first(&Place { ty, bits, ..*place })
    }

    /// Gives an object its first value.
    pub(super) fn initialise(&mut self, place: &Place, init: &'u Init) -> Is<()> {
        match (init, &place.ty) {
            (Init::Expr(Expr::Text(text)), Type::Array(..)) => {
                self.memory.zero(place.object, place.at, self.width(place)?)?;
                self.write_text(place, text)
            }
            (Init::Expr(e), _) => {
                let value = self.eval(e)?;
                // Braces may be left out: a number is for the first scalar.
                let first = self.first(place)?;
                let is_whole = matches!(value.0, Value::Record(_));
                self.store(if is_whole { place } else { &first }, value)
            }
            (Init::List(list), Type::Array(e, n)) => {
                self.memory.zero(place.object, place.at, self.width(place)?)?;
                let size = self.size(e)? as i64 * 8;
                let is_aggregate = matches!(**e, Type::Array(..) | Type::Record(_));
                for (k, (_, init)) in list.iter().enumerate() {
                    let has_braces = matches!(init, Init::List(_) | Init::Expr(Expr::Text(_)));
                    if k >= *n || k > 0 && is_aggregate && !has_braces {
                        return reject("too many initialisers");
                    }
                    let at = place.at + k as i64 * size;
                    let element = Place { at, ty: (**e).clone(), bits: None, ..*place };
                    self.initialise(&element, init)?;
                }
                Ok(())
            }
            (Init::List(list), Type::Record(r)) => {
                self.memory.zero(place.object, place.at, self.width(place)?)?;
                let fields = &self.unit.records.0[*r].fields;
                for (k, (name, init)) in list.iter().enumerate() {
                    let (at, ty, bits) = match name {
                        Some(n) => self.unit.records.field(*r, n).ok_or("no member")?,
                        None => fields.get(k).map(|f| (f.at, &f.ty, f.bits)).ok_or("no member")?,
                    };
                    let at = place.at + at as i64;
                    let member = Place { object: place.object, at, ty: ty.clone(), bits };
                    self.initialise(&member, init)?;
                }
                Ok(())
            }
            (Init::List(list), _) => match &list[..] {
                [(_, one)] => self.initialise(place, one),
                _ => reject("initialisers of a scalar"),
            },
        }
    }

    /// The characters, and a zero if there is room.
    fn write_text(&mut self, place: &Place, text: &str) -> Is<()> {
        let room = self.width(place)? / 8;
        for (k, c) in text.bytes().chain([0]).enumerate().take(room) {
            let at = place.at + k as i64 * 8;
            self.memory.store(place.object, at, 8, Scalar::Int(i128::from(c)))?;
        }
        Ok(())
    }
}
