//! Which function a head names, and that it is still there when the head is answered.

use super::Head;
use crate::{
    annotations::config::Config,
    llvm::{Function, Module, demangled},
};

/// Attribute of functions that are kept.
const KEPT: &str = "adcc-head-wanted";

/// The function that `name` means: its symbol; Fortran's names without regard to case (`proc`,
/// `mod::proc`, `mod%proc`); C++'s with their namespaces and classes (`ns::f`, `ns::f<int>`).
/// Overloads of one name are distinguished by their symbols only.
pub fn find(module: Module, name: &str) -> Option<Function> {
    let defined = |f: &Function| !f.is_declaration();
    if let Some(f) = module.function(name).filter(defined) {
        return Some(f);
    }
    let name = name.replace(' ', "");
    let fits = |f: &Function| {
        let symbol = f.name();
        // Copies of ours have a dot in their names.
        match symbol.starts_with("_Z") {
            true => !symbol.contains('.') && is_cpp_name(&symbol, &name),
            false => is_fortran_name(&symbol, &name.to_lowercase()),
        }
    };
    let mut found = module.functions().into_iter().filter(defined).filter(fits);
    match (found.next(), found.next()) {
        (Some(f), None) => Some(f),
        _ => None,
    }
}

/// `_QMmodPproc` is `proc`, `mod::proc` and `mod%proc`, `proc_` is `proc`.
fn is_fortran_name(symbol: &str, name: &str) -> bool {
    let (scope, procedure) = match name.split_once("::").or_else(|| name.split_once('%')) {
        Some((module, procedure)) => (Some(module), procedure),
        None => (None, name),
    };
    match symbol.strip_prefix("_QM") {
        Some(rest) => rest
            .split_once('P')
            .is_some_and(|(m, p)| p == procedure && scope.is_none_or(|want| want == m)),
        None => scope.is_none() && symbol.strip_suffix('_') == Some(procedure),
    }
}

/// `_ZN2ns1fIiEEvd` is `ns::f<int>` and `ns::f`.
fn is_cpp_name(symbol: &str, name: &str) -> bool {
    let Some(text) = demangled(symbol) else { return false };
    let whole = qualified(&text);
    let of_all = whole.strip_suffix('>').and_then(|_| whole.split('<').next());
    whole == name || of_all == Some(name)
}

/// The name in a demangled symbol, without what a function returns and takes.
fn qualified(demangled: &str) -> String {
    let text = demangled.replace("(anonymous namespace)::", "");
    let (mut depth, mut name) = (0usize, String::new());
    for c in text.chars() {
        match c {
            '(' if depth == 0 && !name.ends_with("operator") => break,
            // What came before is what it returns.
            ' ' if depth == 0 => name.clear(),
            ' ' => {}
            _ => {
                depth = match c {
                    '<' => depth + 1,
                    '>' => depth.saturating_sub(1),
                    _ => depth,
                };
                name.push(c);
            }
        }
    }
    name
}

/// The name of a function without its scope, as its result and its derivatives are named: of `ns::f`,
/// `mod%f` and `_ZN2ns1fEd` it is `f`.
pub fn own_name(name: &str) -> String {
    let name = match demangled(name) {
        Some(text) => qualified(&text),
        None => name.replace(' ', ""),
    };
    let without_arguments = name.split('<').next().unwrap_or(&name);
    without_arguments.rsplit(['%', ':']).next().unwrap_or(without_arguments).to_owned()
}

/// Keeps the functions that heads name, where a file may do without them once their calls are inlined.
/// Whether there are any.
pub fn keep(module: Module, config: &Config) -> bool {
    let mut found = false;
    for (_, text) in super::of(config) {
        let Ok(head) = Head::parse(&text) else { continue };
        let Some(f) = find(module, &head.function) else { continue };
        if f.value().is_discardable() && f.attribute_string(KEPT).is_none() {
            f.add_attribute_string(KEPT, "");
            f.value().keep_used();
            found = true;
        }
    }
    found
}

/// Undoes [`keep`]. Whether there is anything to undo.
pub fn release(module: Module) -> bool {
    let kept = module.functions().into_iter().filter(|f| f.attribute_string(KEPT).is_some());
    let kept: Vec<Function> = kept.collect();
    for f in &kept {
        f.remove_attribute_string(KEPT);
        f.value().forget_used();
    }
    !kept.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpp_names_have_their_scopes() {
        for (symbol, name, is) in [
            ("_Z4areadd", "area", true),
            ("_ZN2ns1fEdd", "ns::f", true),
            ("_ZN2ns1fEdd", "f", false),
            ("_ZNK2ns1S1gEd", "ns::S::g", true),
            ("_ZN2ns1tIiEEvd", "ns::t", true),
            ("_ZN2ns1tIiEEvd", "ns::t<int>", true),
            ("_ZN2ns1tIiEEvd", "ns::t<long>", false),
            ("_ZN12_GLOBAL__N_11hEd", "h", true),
            ("_ZNK1ScldE", "S", false),
        ] {
            assert_eq!(is_cpp_name(symbol, name), is, "{symbol} {name}");
        }
    }

    #[test]
    fn fortran_names_have_their_modules() {
        for (symbol, name, is) in [
            ("_QMphysicsPstep", "step", true),
            ("_QMphysicsPstep", "physics::step", true),
            ("_QMphysicsPstep", "physics%step", true),
            ("_QMphysicsPstep", "other%step", false),
            ("step_", "step", true),
            ("step_", "physics::step", false),
        ] {
            assert_eq!(is_fortran_name(symbol, name), is, "{symbol} {name}");
        }
    }

    #[test]
    fn results_have_the_own_name() {
        for (name, own) in [
            ("f", "f"),
            ("ns::f", "f"),
            ("mod%f", "f"),
            ("_ZN2ns1fEdd", "f"),
            ("_ZN2ns1tIiEEvd", "t"),
        ] {
            assert_eq!(own_name(name), own);
        }
    }
}
