//! Types, and where the members of records lie: as the System V ABI for x86-64 lays them out.

use std::rc::Rc;

use crate::ast::Real;

use super::{Is, reject};

/// A struct or union: index into `Records`.
pub type RecordId = usize;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Int {
    pub bits: usize,
    pub is_signed: bool,
}

/// `int`.
pub const INT: Int = Int { bits: 32, is_signed: true };
/// `size_t`.
pub const SIZE: Int = Int { bits: 64, is_signed: false };

/// A type.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Type {
    Void,
    Int(Int),
    Real(Real),
    Ptr(Rc<Type>),
    /// Without a length: a flexible member, or what its initialiser counts.
    Array(Rc<Type>, usize),
    Record(RecordId),
    /// The result and the parameters.
    Func(Rc<(Type, Vec<Type>)>),
}

/// A member of a record.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Field {
    /// Empty for a record whose members count as those of the outer one.
    pub name: String,
    pub ty: Type,
    /// Of a bit field.
    pub bits: Option<usize>,
    /// In bits.
    pub at: usize,
}

/// A struct or union.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Record {
    pub name: String,
    pub is_union: bool,
    pub fields: Vec<Field>,
    /// In bytes.
    pub size: usize,
    pub align: usize,
    pub is_complete: bool,
}

/// All of a program.
#[derive(Clone, Debug, Default)]
pub struct Records(pub Vec<Record>);

impl Int {
    /// What the type makes of a value; `None` where a signed one cannot hold it.
    pub fn fit(self, v: i128) -> Option<i128> {
        let wrapped = self.wrap(v);
        (!self.is_signed || wrapped == v).then_some(wrapped)
    }

    /// The value modulo the type's range.
    pub fn wrap(self, v: i128) -> i128 {
        let low = v & ((1i128 << self.bits) - 1);
        if self.is_signed && low >> (self.bits - 1) == 1 { low - (1i128 << self.bits) } else { low }
    }

    /// The type after integer promotion.
    pub fn promoted(self) -> Int {
        if self.bits < 32 { INT } else { self }
    }

    /// What two operands become.
    pub fn common(self, other: Int) -> Int {
        let (a, b) = (self.promoted(), other.promoted());
        let bits = a.bits.max(b.bits);
        let is_unsigned = [a, b].iter().any(|t| t.bits == bits && !t.is_signed);
        Int { bits, is_signed: !is_unsigned }
    }
}

impl Type {
    /// A pointer to the type.
    pub fn pointer(self) -> Type {
        Type::Ptr(Rc::new(self))
    }
}

impl Records {
    /// Bytes of an object of the type.
    pub fn size(&self, ty: &Type) -> Is<usize> {
        Ok(match ty {
            Type::Void => 1, // as arithmetic on `void *` counts
            Type::Int(i) => i.bits / 8,
            Type::Real(Real::F32) => 4,
            Type::Real(Real::F64) => 8,
            Type::Real(Real::F80) => 16,
            Type::Ptr(_) => 8,
            Type::Array(e, n) => n * self.size(e)?,
            Type::Record(r) if self.0[*r].is_complete => self.0[*r].size,
            Type::Record(_) | Type::Func(_) => return reject("size of an incomplete type"),
        })
    }

    fn align(&self, ty: &Type) -> Is<usize> {
        match ty {
            Type::Array(e, _) => self.align(e),
            Type::Record(r) => Ok(self.0[*r].align),
            other => self.size(other),
        }
    }

    /// Gives a record its members, and them their places.
    pub fn complete(&mut self, id: RecordId, mut fields: Vec<Field>) -> Is<()> {
        let (is_union, mut at, mut end, mut align) = (self.0[id].is_union, 0, 0, 1);
        for field in &mut fields {
            let (size, own) = (self.size(&field.ty)? * 8, self.align(&field.ty)?);
            let start = if is_union { 0 } else { at };
            field.at = match field.bits {
                // A bit field does not cross the edge of a unit of its type.
                Some(bits) if start / size != (start + bits - 1) / size => {
                    start.next_multiple_of(size)
                }
                Some(_) => start,
                None => start.next_multiple_of(own * 8),
            };
            at = field.at + field.bits.unwrap_or(size);
            end = end.max(at);
            align = align.max(own);
        }
        let record = &mut self.0[id];
        record.fields = fields;
        record.align = align;
        record.size = end.div_ceil(8).next_multiple_of(align);
        record.is_complete = true;
        Ok(())
    }

    /// Place in bits, type, and width of a bit field.
    pub fn field(&self, id: RecordId, name: &str) -> Option<(usize, &Type, Option<usize>)> {
        for f in &self.0[id].fields {
            if f.name == name {
                return Some((f.at, &f.ty, f.bits));
            }
            if let (true, Type::Record(inner)) = (f.name.is_empty(), &f.ty)
                && let Some((at, ty, bits)) = self.field(*inner, name)
            {
                return Some((f.at + at, ty, bits));
            }
        }
        None
    }
}
