//! How code without a body shows in a body: by calls of unknown functions or of their
//! stand-ins, and by variables that stand for the memory that such code keeps to itself.

use crate::{
    Body, Callee, Op, ValueId,
    library::{self, files, given, outside, pointers, ranks},
};

/// The variable that stands for the memory of prebuilt code.
pub const LIBRARY: &str = "__adcc.library";
/// The variable that stands for the memory of functions without body whose calls are errors where
/// they meet active data: as [`LIBRARY`] does for others.
pub const OUTSIDE: &str = "__adcc.outside";
/// The variable that stands for what the other ranks of a program hold ([`ranks`]). No pointer leads there.
pub const RANKS: &str = "__adcc.ranks";
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

/// What a call is given that may lead to memory of the program: all its operands but the file that
/// a function of the library works on, the characters of which it makes a number, and what describes
/// a message.
pub fn given(body: &Body, call: ValueId) -> impl Iterator<Item = ValueId> {
    let handle = handle(body, call);
    let reads_text = symbol(body, call).is_some_and(pointers::reads_number);
    let operands = body[call].operands.iter().enumerate();
    // Of a message only the buffers, and what stands for the other ranks, which is the last.
    let roles = ranks::roles_of(&body[call]);
    let is_message = move |i: usize| {
        roles.as_ref().is_none_or(|roles| roles.get(i).is_none_or(|role| role.is_buffer()))
    };
    let is_given = move |i: usize| Some(i) != handle && !(reads_text && i == 0) && is_message(i);
    operands.filter(move |(i, _)| is_given(*i)).map(|(_, &o)| o)
}

/// Whether a call of a library neither keeps nor stores an address that it is given.
pub fn keeps_nothing(body: &Body, call: ValueId) -> bool {
    symbol(body, call).is_some_and(files::keeps_nothing) || ranks::is_call(&body[call])
}

/// Whether a call keeps or stores no address but the first that it is given.
pub fn keeps_first_only(body: &Body, call: ValueId) -> bool {
    matches!(body[call].op, Op::Call(Callee::Passive))
        && body[call].symbol.as_deref().is_some_and(library::copies_characters)
}

fn handle(body: &Body, call: ValueId) -> Option<usize> {
    symbol(body, call).and_then(files::handle)
}

/// The name of the function without body that is called.
fn symbol(body: &Body, call: ValueId) -> Option<&str> {
    let is_foreign = matches!(body[call].op, Op::Call(Callee::Unknown | Callee::Custom));
    body[call].symbol.as_deref().filter(|_| is_foreign)
}

/// Whether a call without rule, or of a stand-in, accesses nothing but what its arguments lead to at
/// once.
pub fn accesses_arguments_only(body: &Body, call: ValueId) -> bool {
    let knows = |symbol: &str| given::is_one(symbol) && !given::follows_pointers(symbol);
    let symbol = body[call].symbol.as_deref().unwrap_or_default();
    match body[call].op {
        Op::Call(Callee::Unknown) => knows(symbol),
        Op::Call(Callee::Custom) => {
            symbol.ends_with(SUFFIX) && knows(outside::base(symbol)) && !is_call(body, call)
        }
        _ => false,
    }
}
