//! Which classes derive from which, as their type information says.
//!
//! Source: Itanium C++ ABI, 2.9.5 (layout of type information).

use crate::llvm::Value;

/// The standard library's exceptions, whose type information is in the library, and the classes that
/// they derive from, as type information is named.
const BASES: &[(&str, &str)] = &[
    ("_ZTISt11logic_error", "_ZTISt9exception"),
    ("_ZTISt12domain_error", "_ZTISt11logic_error"),
    ("_ZTISt16invalid_argument", "_ZTISt11logic_error"),
    ("_ZTISt12length_error", "_ZTISt11logic_error"),
    ("_ZTISt12out_of_range", "_ZTISt11logic_error"),
    ("_ZTISt12future_error", "_ZTISt11logic_error"),
    ("_ZTISt13runtime_error", "_ZTISt9exception"),
    ("_ZTISt11range_error", "_ZTISt13runtime_error"),
    ("_ZTISt14overflow_error", "_ZTISt13runtime_error"),
    ("_ZTISt15underflow_error", "_ZTISt13runtime_error"),
    ("_ZTISt11regex_error", "_ZTISt13runtime_error"),
    ("_ZTISt12system_error", "_ZTISt13runtime_error"),
    ("_ZTISt9bad_alloc", "_ZTISt9exception"),
    ("_ZTISt20bad_array_new_length", "_ZTISt9bad_alloc"),
    ("_ZTISt8bad_cast", "_ZTISt9exception"),
    ("_ZTISt10bad_typeid", "_ZTISt9exception"),
    ("_ZTISt13bad_exception", "_ZTISt9exception"),
    ("_ZTISt17bad_function_call", "_ZTISt9exception"),
];
/// The base of all of them.
const EXCEPTION: &str = "_ZTISt9exception";

/// Whether type information says that a class is another one, or derives from it at offset zero;
/// `None` where it does not say.
pub fn derives(thrown: Value, caught: Value) -> Option<bool> {
    derives_from(thrown, |class| class == caught.name())
}

/// Whether it says that a class derives from `std::exception`.
pub fn is_exception(class: Value) -> bool {
    derives_from(class, |name| name == EXCEPTION) == Some(true)
}

fn derives_from(thrown: Value, is_it: impl Fn(&str) -> bool) -> Option<bool> {
    let mut class = thrown;
    loop {
        let name = class.name();
        if is_it(&name) {
            return Some(true);
        }
        let Some(information) = class.initializer() else {
            return derives_in_library(&name, is_it);
        };
        match (kind(information), bases(class).as_deref()) {
            (Some(Kind::Single), Some([base])) => class = *base,
            (Some(Kind::Root), _) => return Some(false),
            _ => return None,
        }
    }
}

/// What kind of class type information is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One without bases.
    Root,
    /// One with a single base, at offset zero.
    Single,
    /// Others.
    Several,
}

/// The kind that the contents of type information say: its table of virtual functions is one of the
/// library's, whose third entry's address stands first.
fn kind(information: Value) -> Option<Kind> {
    let first = information.operand(0);
    let table = if first.is_global_variable() { first } else { first.operand(0) };
    let name = table.name();
    let kinds = [
        ("__si_class_type_info", Kind::Single),
        ("__vmi_class_type_info", Kind::Several),
        ("__class_type_info", Kind::Root),
    ];
    kinds.iter().find(|(what, _)| name.contains(what)).map(|(_, kind)| *kind)
}

/// Type information of the bases of a class; `None` where that of the class does not tell.
pub fn bases(class: Value) -> Option<Vec<Value>> {
    let information = class.initializer()?;
    let first = match kind(information)? {
        Kind::Root => return Some(vec![]),
        Kind::Single => return Some(vec![information.operand(2)]),
        // Flags and the number of bases come first; flags and an offset follow each.
        Kind::Several => 4,
    };
    let bases = (first..information.operand_count()).step_by(2);
    Some(bases.map(|i| information.operand(i)).collect())
}

/// The same of a type whose information is elsewhere.
fn derives_in_library(name: &str, is_it: impl Fn(&str) -> bool) -> Option<bool> {
    let mut class = name;
    loop {
        if is_it(class) {
            return Some(true);
        }
        match BASES.iter().find(|(derived, _)| *derived == class) {
            Some((_, base)) => class = base,
            None => return (class == EXCEPTION || is_fundamental(class)).then_some(false),
        }
    }
}

/// Whether a name is that of the type information of a type that the language has: one letter.
pub fn is_fundamental(name: &str) -> bool {
    name.strip_prefix("_ZTI").is_some_and(|ty| ty.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::derives_in_library;

    #[test]
    fn exceptions_of_the_library_derive_from_one_another() {
        let derives = |a: &str, b: &str| derives_in_library(a, |name| name == b);
        assert_eq!(derives("_ZTISt11range_error", "_ZTISt9exception"), Some(true));
        assert_eq!(derives("_ZTISt11range_error", "_ZTISt13runtime_error"), Some(true));
        assert_eq!(derives("_ZTISt11range_error", "_ZTISt11logic_error"), Some(false));
        assert_eq!(derives("_ZTId", "_ZTISt9exception"), Some(false));
        assert_eq!(derives("_ZTIN5boost9exceptionE", "_ZTISt9exception"), None);
    }
}
