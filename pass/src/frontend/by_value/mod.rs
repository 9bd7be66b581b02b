//! Structs, vectors and complex numbers that a function takes or returns by value, as its source
//! has them.
//!
//! Calling conventions split them: two reals may be two arguments or one
//! `struct { double re, im; }`, a `double` may be a vector of two floats, an integer a float beside
//! an integer. A request must know, because its arguments are those of the source. [`note()`] looks
//! at the code that clang emits, while it still tells; [`Shape`] is what is known of one function;
//! [`Layout`] is one such value as its scalar members; [`scalars()`] makes a function of scalars,
//! which is what is differentiated.

mod layout;
mod note;
mod scalars;

pub use layout::Layout;
pub use note::{forget, note};
pub use scalars::scalars;

use crate::{
    diagnostics::{Code, Diagnostic},
    llvm::{Function, Module, Type},
};
use adir::target;

/// String attribute of functions: what [`note()`] saw.
const NOTED: &str = "adcc-by-value";

/// One argument as the source has it.
pub enum Argument {
    /// A number or a pointer: one parameter.
    Plain(Type),
    /// A value with members, and the parameters that it comes in.
    Aggregate(Layout, Vec<Piece>),
}

/// A parameter that carries a part of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// The bytes from an offset on, in a register.
    Register(Type, u64),
    /// All of it: a pointer to a copy.
    Copy(Type),
}

/// The result as the source has it.
pub enum Returned {
    /// Nothing, a number, a pointer, or what holds no reals.
    Plain,
    /// A value with reals among its members, in registers.
    Registers(Layout),
    /// The same, behind the first parameter.
    Memory(Layout, Type),
}

/// What a function takes and returns, as its source has it.
pub struct Shape {
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Its result.
    pub returned: Returned,
}

impl Shape {
    /// The shape of a function; an error where it is one that has no derivative.
    pub fn of(module: Module, function: Function) -> Result<Shape, Diagnostic> {
        let fail = |what: String, remedy: &str| {
            let text = format!("'{}' {what}", function.name());
            Err(Diagnostic::new(Code::RequestUnsupported, None, text, remedy))
        };
        let noted = function.attribute_string(NOTED).unwrap_or_default();
        let mut noted = noted.split(';').map(|t| Layout::parse(module.context(), t));
        let result = noted.next().flatten();
        let noted: Vec<Option<(Layout, usize)>> = noted.collect();
        let types = function.ty().function_params();
        let sret = types.first().and_then(|_| function.param_type_attribute(0, "sret"));
        let mut arguments = vec![];
        let mut i = usize::from(sret.is_some());
        while i < types.len() {
            let known =
                noted.get(i).cloned().flatten().filter(|(_, count)| i + count <= types.len());
            let copy = function.param_type_attribute(i, "byval");
            let ty = copy.unwrap_or(types[i]);
            if copy.is_none() && known.is_none() && ty.parts().is_empty() {
                arguments.push(Argument::Plain(ty));
                i += 1;
                continue;
            }
            let Some((layout, count)) = known.or_else(|| Some((Layout::of(module, ty)?, 1))) else {
                let what = format!(
                    "takes a struct by value with more than {} members, or with a member of a type \
                    that is not supported",
                    layout::MOST
                );
                return fail(what, "pass a pointer to the struct");
            };
            let pieces = match copy {
                Some(ty) => vec![Piece::Copy(ty)],
                None => pieces(module, &types[i..i + count]),
            };
            arguments.push(Argument::Aggregate(layout, pieces));
            i += count;
        }
        let ty = sret.unwrap_or(function.ty().function_result());
        let is_one = ty.is_void() || sret.is_none() && ty.parts().is_empty();
        let layout = match result {
            Some((layout, _)) => Some(layout),
            None if is_one => None,
            None => match Layout::of(module, ty) {
                Some(layout) => Some(layout),
                None => {
                    let what = format!(
                        "returns a struct by value with more than {} members, or with a member of \
                        a type that is not supported",
                        layout::MOST
                    );
                    return fail(what, "write the struct through a pointer");
                }
            },
        };
        let returned = match (layout, sret) {
            (Some(l), _) if l.holds_real() && l.holds_pointer() => {
                return fail(
                    "returns a struct that holds pointers beside reals".into(),
                    "return the reals alone, or write them through a pointer",
                );
            }
            (Some(l), Some(_)) if !l.holds_real() => {
                return fail(
                    "returns a struct without reals in memory".into(),
                    "write the result through a pointer, which has a shadow",
                );
            }
            (Some(l), Some(ty)) => Returned::Memory(l, ty),
            (Some(l), None) if l.holds_real() => Returned::Registers(l),
            (Some(_) | None, _) => Returned::Plain,
        };
        Ok(Shape { arguments, returned })
    }

    /// Whether the function takes and returns numbers and pointers only.
    pub fn is_plain(&self) -> bool {
        matches!(self.returned, Returned::Plain)
            && self.arguments.iter().all(|a| matches!(a, Argument::Plain(_)))
    }
}

/// Registers and words on the stack hold as much as a pointer, vectors more: where each of them
/// starts.
fn pieces(module: Module, types: &[Type]) -> Vec<Piece> {
    let mut end = 0u64;
    let place = |&ty: &Type| {
        let at = end.next_multiple_of(target::pointer());
        end = at + module.alloc_size(ty);
        Piece::Register(ty, at)
    };
    types.iter().map(place).collect()
}
