//! Names of the attributes by which stages tell each other what a function is.

use crate::llvm::Function;

/// String attribute of the functions that we generate.
pub const GENERATED: &str = "adcc-generated";
/// String attribute of those that requests made which others differentiate.
pub const EARLIER: &str = "adcc-generated-earlier";

/// Whether a function is one that we generated, for a request or for one around others.
pub fn is_ours(f: Function) -> bool {
    [GENERATED, EARLIER].iter().any(|a| f.attribute_string(a).is_some())
}

/// String attribute of a function that starts with giving variables a new address of what they lead to,
/// from its arguments: the symbols of the variables, by blanks.
pub const LED: &str = "adcc-led";
/// String attribute of a call that only runs if a pointer led there: it may have no derivative.
pub const POSSIBLE: &str = "adcc-possible";
/// String attribute of a call that reads into variables of its own.
pub const READS: &str = "adcc-reads";
/// Its value where all numbers of the call do so, and nothing else but text is read.
pub const OWN: &str = "own";
/// String attribute of a call that makes room for an exception which is caught in the same function, or of one
/// that gives it back at the end of the handler.
pub const EXCEPTION: &str = "adcc-exception";
/// String attribute of a call that stayed indirect: how many targets it may have.
pub const TARGETS: &str = "adcc-targets";
/// String attribute of such a call for which its function has too many choices already.
pub const CROWDED: &str = "adcc-crowded";
/// String attribute of a virtual call: the class of the object that it is made on.
pub const CLASS: &str = "adcc-class";
/// String attribute of a call of a type-bound procedure of Fortran: its place in the table of the
/// object's type, in bytes.
pub const BINDING: &str = "adcc-binding";
/// The table that holds functions of which an address is taken somewhere in the program, and tables of
/// virtual functions.
pub const TAKEN: &str = "adcc.taken";
/// How the names of classes begin there that no other file sees.
pub const LOCAL_CLASS: &str = "local ";
/// Mark of a global with tables of virtual functions: the classes that they serve, each behind the
/// place of the table in bytes, as `16 _ZTS4Base`, by semicolons.
pub const CLASSES: &str = "adcc.classes";

/// String attribute of functions that stand for library functions of complex numbers: the symbol whose rule it follows.
pub const RULE: &str = "adcc-rule";

/// The library function that `f` stands for, if it is one of these.
pub fn stands_for(f: Function) -> Option<String> {
    f.attribute_string(RULE)
}

/// How the names of library models begin.
pub const MODEL: &str = "__adcc_model_";
