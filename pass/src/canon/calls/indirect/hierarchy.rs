//! Which classes a table of virtual functions serves.
//!
//! A call of a virtual function notes the class of its object (frontend/virtual_calls.rs): it reads
//! tables only of this class and of those that derive from it. Two things tell what a table serves:
//! its type identifiers, where the front end wrote them (adcc asks for it; noted as well), and the
//! type information that the table begins with, which names the bases. Where neither tells, a table
//! counts for every class.
//!
//! Source: LLVM, "Type Metadata"; Itanium C++ ABI, 2.5.2 (tables), 2.9.5 (type information).

use crate::{
    annotations::attributes::{CLASSES, LOCAL_CLASS},
    canon::calls::classes,
    llvm::Value,
};
use adir::hashed::HashSet;

/// How the linker's names of C++ type information begin: it precedes the functions of a table.
pub const TYPE_INFORMATION: &str = "_ZTI";
/// How those of names of types begin.
const TYPE_NAME: &str = "_ZTS";

/// What is known of the classes of one global with tables of virtual functions.
pub struct Serves {
    /// Classes, with the place in the global that objects hold; `None` where they are not noted.
    exact: Option<Vec<(u64, String)>>,
    /// The names of its class and of all bases; `None` where type information does not say.
    names: Option<HashSet<String>>,
}

impl Serves {
    /// Reads it of a global. `information`: what its tables begin with.
    pub fn of(global: Value, information: Option<Value>) -> Serves {
        let entry = |text: &str| {
            let (at, class) = text.split_once(' ')?;
            Some((at.parse().ok()?, class.to_owned()))
        };
        let exact = global.mark_text(CLASSES).map(|t| t.split(';').filter_map(entry).collect());
        Serves { exact, names: information.and_then(names) }
    }

    /// Whether objects of a class, or of one that derives from it, may hold the table that begins so
    /// many bytes into the global.
    pub fn serves(&self, at: u64, class: &str) -> bool {
        let is_local = |name: &str| name.starts_with(LOCAL_CLASS);
        if let Some(exact) = &self.exact {
            if exact.iter().any(|(offset, name)| *offset == at && name == class) {
                return true;
            }
            // A class that no other file sees may be known by its own name to the call.
            if is_local(class) || !exact.iter().any(|(_, name)| is_local(name)) {
                return false;
            }
        }
        is_local(class) || self.names.as_ref().is_none_or(|names| names.contains(class))
    }
}

/// The names of the class that type information is about and of all its bases; `None` if it does not
/// name them all.
fn names(information: Value) -> Option<HashSet<String>> {
    let mut names = HashSet::default();
    let mut open = vec![information];
    while let Some(class) = open.pop() {
        // The text is the same in all files, the symbol need not be. A star says that names are not
        // enough to compare types.
        let text = class.initializer()?.operand(1).constant_text()?;
        if names.insert(format!("{TYPE_NAME}{}", text.trim_start_matches('*'))) {
            open.extend(classes::bases(class)?);
        }
    }
    Some(names)
}
