//! Variables that live as long as the program, and that one function of C++ names.

/// How the names of a function's variables begin (Itanium C++ ABI, 5.1.7), and those of the flags that say
/// whether they are made (5.1.4.3).
const OF_FUNCTION: &[&str] = &["_ZZ", "_ZGVZ"];
/// What stands for the shared object in which they are destroyed at the end.
const HANDLE: &str = "__dso_handle";

/// Whether only one function names a variable.
pub fn is_of_function(symbol: &str) -> bool {
    symbol == HANDLE || OF_FUNCTION.iter().any(|start| symbol.starts_with(start))
}
