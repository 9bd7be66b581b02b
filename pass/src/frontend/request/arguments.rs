//! The arguments of a request's call, one after the other.

use super::markers::{Marker, marker_of};
use crate::{
    annotations::signature,
    diagnostics::{Code, Diagnostic},
    frontend::by_value::{Layout, Piece},
    llvm::{Builder, Module, Type, Value},
};
use adir::target;

/// What is left of the arguments.
pub(super) struct Arguments {
    module: Module,
    call: Value,
    next: usize,
    count: usize,
    /// Those behind the marker that says that all shadows follow.
    shadows: Option<Box<Arguments>>,
}

impl Iterator for Arguments {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let next = self.peek();
        self.next += usize::from(next.is_some());
        next
    }
}

impl Arguments {
    /// Those from number `first` on.
    pub fn new(module: Module, call: Value, first: usize) -> Arguments {
        let part = |next, count| Arguments { module, call, next, count, shadows: None };
        let all = call.argument_count();
        let is_end =
            |&i: &usize| matches!(marker_of(call.operand(i)), Some((_, Marker::Interleave)));
        match (first..all).find(is_end) {
            None => part(first, all),
            Some(i) => Arguments { shadows: Some(Box::new(part(i + 1, all))), ..part(first, i) },
        }
    }

    /// Where the next shadow is: here, behind its value; or behind the values of all arguments.
    pub fn of_shadows(&mut self) -> &mut Arguments {
        if self.shadows.is_none() {
            return self;
        }
        self.shadows.as_mut().expect("it is there")
    }

    /// Whether all shadows stand behind all values.
    pub fn are_apart(&self) -> bool {
        self.shadows.is_some()
    }

    /// What stands behind the last argument and its shadows. An error where values are left over.
    pub fn behind(self, of: &str, taken: usize) -> Result<Arguments, Diagnostic> {
        match self.shadows {
            None => Ok(self),
            Some(_) if self.next < self.count => self.left_over(of, taken),
            Some(shadows) => Ok(*shadows),
        }
    }

    /// An error where arguments are left over.
    pub fn end(self, of: &str, taken: usize) -> Result<(), Diagnostic> {
        if self.next < self.count { self.left_over(of, taken) } else { Ok(()) }
    }

    fn left_over<T>(&self, of: &str, taken: usize) -> Result<T, Diagnostic> {
        let text = format!(
            "{} argument(s) too many for '{of}' with {taken} parameter(s)",
            self.count - self.next
        );
        let remedy = "pass each value once, and a shadow after each ad_dup";
        Err(Diagnostic::new(Code::RequestArguments, Some(self.call), text, remedy))
    }

    /// The next one, which stays.
    pub fn peek(&self) -> Option<Value> {
        (self.next < self.count).then(|| self.call.operand(self.next))
    }

    /// The type of the struct to a copy of which the next one is a pointer.
    fn copy(&self) -> Option<Type> {
        self.peek().and_then(|_| self.call.call_type_attribute(self.next, "byval"))
    }

    /// The next marker.
    pub fn marker(&mut self) -> Option<(String, Marker)> {
        let found = self.peek().and_then(marker_of)?;
        self.next();
        Some(found)
    }

    /// A number or a pointer of type `ty`; `of` is what messages call it.
    pub fn plain(&mut self, b: &Builder, ty: Type, of: &str) -> Result<Value, Diagnostic> {
        if let Some(copied) = self.copy() {
            return self
                .fail(format!("{of} is a struct by value ({copied}), but {ty} is expected"));
        }
        let value = self.present(of)?;
        match signature::convert(b, value, ty) {
            Some(v) => Ok(v),
            None => self.fail(format!("{of} has type {}, but {ty} is expected", value.ty())),
        }
    }

    /// The members of a value that the function takes in `pieces`; none where that does not tell
    /// how it is passed here.
    pub fn members(
        &mut self,
        b: &Builder,
        layout: &Layout,
        pieces: &[Piece],
        of: &str,
    ) -> Result<Vec<Value>, Diagnostic> {
        if let Some(ty) = self.copy() {
            let at = self.present(of)?;
            return match Layout::of(self.module, ty) {
                Some(found) if found.members == layout.members => Ok(layout.load(b, at)),
                _ => self.fail(format!(
                    "{of} has the struct type {ty}, but the function takes \
                    another struct type"
                )),
            };
        }
        let register = |p: &Piece| match p {
            Piece::Register(ty, _) => Some(*ty),
            Piece::Copy(_) => None,
        };
        let types: Vec<Type> = pieces.iter().filter_map(register).collect();
        let at = layout.room(b);
        let mut end = 0u64;
        let mut taken = 0;
        let word = target::pointer();
        while end.div_ceil(word) < layout.size.div_ceil(word) {
            let value = self.present(of)?;
            let offset = end.next_multiple_of(word);
            let fits = match types[..] {
                // In memory there because registers were used up, in registers here; or no
                // parameter.
                [] => self.may_hold(layout, value.ty(), offset),
                _ => types.get(taken) == Some(&value.ty()),
            };
            if !fits || self.call_copies(self.next - 1) {
                let count = layout.members.len();
                return self.fail(format!(
                    "{of} is given as {}, but the function takes a struct, vector or complex \
                    number of {count} members by value",
                    value.ty()
                ));
            }
            b.store(value, b.byte_offset(at, b.context().int(64).int(offset))).set_alignment(1);
            end = offset + self.module.alloc_size(value.ty());
            taken += 1;
        }
        Ok(layout.load(b, at))
    }

    /// Whether a register of type `ty` may hold what is at an offset of the value.
    fn may_hold(&self, layout: &Layout, ty: Type, offset: u64) -> bool {
        let size = self.module.alloc_size(ty);
        let scalar = layout.members.iter().filter(|m| (offset..offset + size).contains(&m.offset));
        let kinds: Vec<bool> = scalar.map(|m| m.ty.is_float()).collect();
        !kinds.is_empty()
            && offset + size <= layout.size.next_multiple_of(target::pointer())
            && kinds.iter().all(|k| *k) == ty.holds_float()
    }

    fn call_copies(&self, i: usize) -> bool {
        self.call.call_type_attribute(i, "byval").is_some()
    }

    /// The next one, which must be there and be no marker.
    fn present(&mut self, of: &str) -> Result<Value, Diagnostic> {
        match self.peek() {
            None => self.fail(format!("{of} is missing")),
            Some(v) if marker_of(v).is_some() => {
                self.fail(format!("{of} is missing: the request has a marker in its place"))
            }
            Some(v) => {
                self.next();
                Ok(v)
            }
        }
    }

    fn fail<T>(&self, text: String) -> Result<T, Diagnostic> {
        let remedy = "pass each value once, and a shadow after each ad_dup; mark arguments that have no shadow with ad_const";
        Err(Diagnostic::new(Code::RequestArguments, Some(self.call), text, remedy))
    }
}
