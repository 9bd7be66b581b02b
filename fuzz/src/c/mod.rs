//! An interpreter of C on dual numbers, for programs that are text: the subset in which people write
//! records, unions, bit fields, pointers into members, and containers.
//!
//! `lex` and `parse` read the text that the compiler reads, `types` lays it out as the System V ABI
//! does, `run` executes it. Memory is made of objects, and an object of cells: a number, a pointer
//! or a bit field at a place in bits. A read finds a cell of the very place, width and kind that was
//! written, or bytes that were set to zero. Everything else that C leaves open (reads before writes,
//! bounds, freed memory, overflow, other union members) rejects the program, as do kinks and reals
//! that are nearly equal where they are compared.
//!
//! Names begin with `@` in place of the prefix of a program.

mod lex;
mod parse;
pub mod run;
pub mod syntax;
pub mod types;

pub use parse::parse;

/// Why a text is not used.
pub type Reject = String;
type Is<T> = Result<T, Reject>;

/// `Err` with a text.
fn reject<T>(why: impl Into<String>) -> Is<T> {
    Err(why.into())
}
