//! Tests of the textual form, of what follows from it, and of the verifier.

mod graphs;
pub(crate) mod programs;
pub(crate) mod random;
mod text;
mod verify;

use super::Body;

/// The body that a correct text describes.
pub(crate) fn body(text: &str) -> Body {
    Body::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}
