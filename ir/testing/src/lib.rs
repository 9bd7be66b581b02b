//! For tests of the image and of the analyses: bodies from text, and random ones.

mod bodies;
mod programs;

pub use bodies::bodies;
pub use programs::programs;

use adir::{Body, ValueId};

/// A value by its number.
pub const fn v(number: u32) -> ValueId {
    ValueId(number)
}

/// The body that a text describes, whether import could have made it or not.
pub fn parsed(text: &str) -> Body {
    Body::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The body that a text describes, which must be one that import could have made.
pub fn body(text: &str) -> Body {
    let body = parsed(text);
    body.verify().unwrap_or_else(|e| panic!("{e}\n{text}"));
    body
}
