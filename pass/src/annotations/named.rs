//! Functions and variables that options name.

use crate::{
    diagnostics::names::{fortran_parts, symbol_in_unit},
    llvm::{self, Function, Module, Value},
};

/// The functions that a name stands for: a symbol, what C++ writes before the parameters
/// (`ns::f`), or what Fortran does (`mod::proc`, `mod%proc`, in any case).
pub fn functions(module: Module, name: &str) -> Vec<Function> {
    let wanted = Name::of(name);
    module.functions().into_iter().filter(|f| wanted.fits(&f.name(), 'P')).collect()
}

/// The global variables, likewise: `mod::var`, `ns::v`, or a COMMON block.
pub fn variables(module: Module, name: &str) -> Vec<Value> {
    let wanted = Name::of(name);
    module.globals().into_iter().filter(|v| wanted.fits(&v.name(), 'E')).collect()
}

struct Name {
    /// As it is written.
    symbol: String,
    /// `mod`, `proc`, in lower case.
    fortran: Vec<String>,
}

impl Name {
    fn of(name: &str) -> Name {
        let symbol = name.trim().to_owned();
        let fortran = symbol.to_lowercase().replace('%', "::");
        let fortran = fortran.split("::").map(|part| part.trim().to_owned()).collect();
        Name { symbol, fortran }
    }

    /// Whether a symbol is meant; flang writes `mark` before the last name of one.
    fn fits(&self, symbol: &str, mark: char) -> bool {
        let symbol = symbol_in_unit(symbol);
        let demangled = || symbol.starts_with("_Z").then(|| llvm::demangled(symbol)).flatten();
        let is_cpp =
            || demangled().is_some_and(|name| name.split('(').next() == Some(self.symbol.as_str()));
        // Names in modules and procedures may leave out what is around them.
        let is_fortran = || {
            let is_flangs = symbol.starts_with("_Q") || symbol.ends_with('_');
            fortran_parts(symbol, mark).filter(|_| is_flangs).is_some_and(|parts| {
                parts.len() >= self.fortran.len()
                    && parts.iter().rev().zip(self.fortran.iter().rev()).all(|(a, b)| a == b)
            })
        };
        symbol == self.symbol || is_cpp() || is_fortran()
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn names_of_fortran_are_found_with_and_without_their_modules() {
        let fits = |name: &str, symbol: &str, mark| Name::of(name).fits(symbol, mark);
        assert!(fits("heat::step", "_QMheatPstep", 'P') && fits("Heat%Step", "_QMheatPstep", 'P'));
        assert!(fits("step", "_QMheatPstep", 'P') && fits("field", "_QMheatEfield", 'E'));
        assert!(fits("heat::run::saved", "_QMheatFrunEsaved", 'E') && fits("blk", "blk_", 'E'));
        assert!(fits("step_", "step_", 'P') && fits("step", "step", 'P'));
        assert!(!fits("other::step", "_QMheatPstep", 'P') && !fits("field", "_QMheatEfields", 'E'));
        assert!(!fits("step", "_QMheatEstep", 'P'));
    }
}
