//! Which function a head names, and that it is still there when the head is answered.

use super::Head;
use crate::{
    annotations::config::Config,
    diagnostics::names::{fortran_name, fortran_parts},
    llvm::{Function, Module, demangled},
};

/// Attribute of functions that are kept.
const KEPT: &str = "adcc-head-wanted";

/// The function that `name` means: its symbol; Fortran's names without regard to case (`proc`,
/// `mod::proc`, `mod%proc`); C++'s with their namespaces and classes (`ns::f`, `ns::f<int>`).
/// Overloads of one name are distinguished by their symbols only.
pub fn find(module: Module, name: &str) -> Option<Function> {
    let found = candidates(module, name);
    if let [only] = found[..] {
        return Some(only);
    }
    // Of Fortran's procedures of one name, the whole name is that of one.
    let whole = name.replace([' '], "").replace('%', "::").to_lowercase();
    found.into_iter().find(|f| fortran_name(&f.name()).is_some_and(|n| n == whole))
}

/// All that `name` may mean.
pub fn candidates(module: Module, name: &str) -> Vec<Function> {
    let defined = |f: &Function| !f.is_declaration();
    if let Some(f) = module.function(name).filter(defined) {
        return vec![f];
    }
    let name = name.replace(' ', "");
    let fortran = module.is_fortran();
    let fits = |f: &Function| {
        let symbol = f.name();
        // Copies of ours have a dot in their names.
        match symbol.starts_with("_Z") {
            true => !symbol.contains('.') && is_cpp_name(&symbol, &name),
            false => {
                let is_binding = || fortran && symbol.eq_ignore_ascii_case(&name);
                is_fortran_name(&symbol, &name.to_lowercase()) || is_binding()
            }
        }
    };
    module.functions().into_iter().filter(defined).filter(fits).collect()
}

/// `_QMmodPproc` is `proc`, `mod::proc` and `mod%proc`, `proc_` is `proc`; an internal procedure
/// may have its host, its module or both before it.
fn is_fortran_name(symbol: &str, name: &str) -> bool {
    let Some(parts) = fortran_parts(symbol, 'P') else { return false };
    let wanted = name.replace('%', "::");
    let mut wanted: Vec<&str> = wanted.split("::").collect();
    if wanted.pop() != parts.last().copied() {
        return false;
    }
    let mut scopes = parts[..parts.len() - 1].iter();
    wanted.iter().all(|scope| scopes.any(|s| s == scope))
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
    for asked in &config.heads {
        let Ok(head) = Head::parse(&asked.text) else { continue };
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
            ("_QMphysicsSpartPstep", "physics::step", true),
            ("_QMphysicsFrunPstep", "step", true),
            ("_QMphysicsFrunPstep", "run::step", true),
            ("_QMphysicsFrunPstep", "physics::run::step", true),
            ("_QMphysicsFrunPstep", "physics%step", true),
            ("_QMphysicsFrunPstep", "run::physics::step", false),
            ("_QFrunPstep", "run::step", true),
            ("_QMphysicsPstep.tangent", "step", false),
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
