//! How code without a body shows in a body: by calls of unknown functions or of their
//! stand-ins, and by variables that stand for the memory that such code keeps to itself.

use crate::{Body, Callee, Op, ValueId, library::given};

/// The variable that stands for the memory of prebuilt code.
pub const LIBRARY: &str = "__adcc.library";
/// The variable that stands for the memory of functions without body whose calls are errors where
/// they meet active data: as [`LIBRARY`] does for others.
pub const OUTSIDE: &str = "__adcc.outside";
/// What the names of stand-ins for prebuilt functions end with.
pub const SUFFIX: &str = ".prebuilt";

/// Whether a symbol is that of a variable that stands for foreign memory.
pub fn is_memory(symbol: &str) -> bool {
    symbol == LIBRARY || symbol == OUTSIDE
}

/// Whether a value is the address of what stands for foreign memory.
pub fn is_memory_address(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Global(_)) && body[v].symbol.as_ref().is_some_and(|s| is_memory(s))
}

/// Whether a call leads to foreign code that may access memory which nothing leads to that it is
/// given: to a function without body and rule, or wherever a pointer does.
pub fn is_call(body: &Body, call: ValueId) -> bool {
    match body[call].op {
        Op::Call(Callee::Unknown) => !body[call].symbol.as_ref().is_some_and(|s| given::is_one(s)),
        Op::Call(Callee::Indirect) => true,
        Op::Call(Callee::Custom) => body[call].operands.iter().any(|&o| is_memory_address(body, o)),
        _ => false,
    }
}

/// Whether a call without rule accesses nothing but what its arguments lead to at once.
pub fn accesses_arguments_only(body: &Body, call: ValueId) -> bool {
    let knows = |symbol: &str| given::is_one(symbol) && !given::follows_pointers(symbol);
    matches!(body[call].op, Op::Call(Callee::Unknown))
        && body[call].symbol.as_ref().is_some_and(|s| knows(s))
}
