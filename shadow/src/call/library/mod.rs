//! Memory of libraries in the hands of generated code.
//!
//! **In:** pointers that library functions return or store, and pointers in what those lead to.
//!
//! **Out:** shadows for them. In tangents a shadow pointer leads to shadow memory itself
//! ([`lending`]). In recordings, blocks that generated code uses as its own get shadows beside them
//! ([`allocations`]), and other pointers get trap pointers.
//!
//! **What must hold:** while a library runs, no shadow of a pointer is in shadow memory: the library
//! would take it for a dot. A shadow pointer of a tangent does not outlive the tangent
//! ([`stale_pointers`]). Memory that a library made before the derivative was asked for is looked
//! for among the program's own ([`earlier`]).

pub mod allocations;
pub mod earlier;
pub mod lending;
pub mod stale_pointers;
