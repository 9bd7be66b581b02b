//! Names that are reserved for requests and declarations, and mean nothing: misspelt, of another
//! tool, or not called.
//!
//! A function without body whose name begins with `__ad_` or `__enzyme_` can only be meant for the
//! plugin. Names that contain this somewhere else, and functions that the user defines, are the
//! user's own.

use super::spelling::{self, name_in_source};
use crate::{
    annotations::{
        registry,
        requests::{SPELLINGS, is_request},
    },
    diagnostics::{Code, Diagnostic, Origin},
    llvm::{Function, Module, Value},
};

/// How reserved names begin.
const PREFIXES: [&str; 2] = ["__ad_", "__enzyme_"];
/// Letters by which the beginning of a name may differ from a known one to be taken for a slip.
const MOST_SLIPS: usize = 3;

type Found = Vec<(Origin, Vec<Diagnostic>)>;

/// Uses of reserved names that are not known.
pub fn unknown(module: Module) -> Found {
    let mut found = vec![];
    for f in module.functions().into_iter().filter(|f| f.is_declaration() && !is_request(*f)) {
        let Some((name, prefix)) = reserved(f) else { continue };
        let known = || SPELLINGS.iter().map(|(s, _)| *s).filter(|s| s.starts_with(prefix));
        let near =
            spelling::nearest_beginning(&name, known()).filter(|(_, slips)| *slips <= MOST_SLIPS);
        for origin in uses(f) {
            let site = origin.call;
            let diagnostic = match near {
                Some((near, _)) => {
                    let text = format!("'{name}' is not a request; did you mean '{near}'?");
                    Diagnostic::new(
                        Code::RequestName,
                        site,
                        text,
                        "correct the name, or give the function a body",
                    )
                }
                None if prefix == "__enzyme_" => {
                    let text = format!("'{name}' is not supported");
                    Diagnostic::new(
                        Code::RequestUnsupported,
                        site,
                        text,
                        "use __enzyme_autodiff, __enzyme_fwddiff, or __enzyme_augmentfwd and __enzyme_reverse",
                    )
                }
                None => {
                    let text = format!(
                        "'{name}' is not a request: names that begin with '{prefix}' are reserved \
                        for requests"
                    );
                    let remedy = "use __ad_tangent, __ad_adjoint, or __ad_augmented and __ad_reverse; or give the function a body";
                    Diagnostic::new(Code::RequestName, site, text, remedy)
                }
            };
            found.push((origin, vec![diagnostic]));
        }
    }
    found.extend(module.globals().into_iter().filter_map(unknown_declaration));
    found
}

/// What is wrong with a global variable that is nearly a declaration of a rule: ignored, it would
/// change derivatives.
fn unknown_declaration(global: Value) -> Option<(Origin, Vec<Diagnostic>)> {
    let name = global.name();
    let base = name_in_source(&name);
    let prefix = PREFIXES.into_iter().find(|p| base.starts_with(p))?;
    if registry::is_declaration(&name) {
        return None;
    }
    let known = registry::declarations().filter(|s| s.starts_with(prefix) && *s != prefix);
    let (near, slips) = spelling::nearest_beginning(&base, known)?;
    (slips <= MOST_SLIPS).then(|| {
        let text = format!("'{base}' is not a known declaration; did you mean '{near}'?");
        let remedy = "correct the name, or choose one that does not begin with '__ad_' or \
            '__enzyme_'";
        (
            Origin { call: None, text: format!("'{base}'") },
            vec![Diagnostic::new(Code::RequestName, None, text, remedy)],
        )
    })
}

/// Uses of requests that are no calls of them: nothing could be generated for what may be called
/// there.
pub fn uncalled(module: Module) -> Found {
    let mut found = vec![];
    for f in module.functions().into_iter().filter(|f| is_request(*f)) {
        let is_call = |o: &Origin| o.call.is_some_and(|c| c.is_call() && c.called() == f.value());
        for origin in uses(f).into_iter().filter(|o| !is_call(o)) {
            let text = format!(
                "the address of '{}' is taken, but a request must be called by its name",
                f.name()
            );
            let remedy = "call the request in a function of your own, and take the address of that \
                function";
            let site = origin.call;
            found.push((origin, vec![Diagnostic::new(Code::RequestName, site, text, remedy)]));
        }
    }
    found
}

/// The name of a function in the source and its prefix, if that is reserved.
fn reserved(f: Function) -> Option<(String, &'static str)> {
    let name = name_in_source(&f.name());
    let prefix = PREFIXES.into_iter().find(|p| name.starts_with(p))?;
    Some((name, prefix))
}

/// Where a function is used: the instructions, and what else holds its address.
fn uses(f: Function) -> Vec<Origin> {
    let (mut found, mut next): (Vec<Origin>, _) = (vec![], vec![f.value()]);
    let mut seen = vec![];
    while let Some(v) = next.pop() {
        for user in v.users() {
            if seen.contains(&user) {
                continue;
            }
            seen.push(user);
            if user.is_instruction() {
                let called =
                    if user.is_call() && user.called() == f.value() { "call" } else { "use" };
                let text = format!(
                    "{called} of {} in function '{}'",
                    f.name(),
                    user.block().function().name()
                );
                found.push(Origin { call: Some(user), text });
            } else if user.is_global_variable() {
                found.push(Origin {
                    call: None,
                    text: format!("the initial value of '{}'", user.name()),
                });
            } else {
                next.push(user);
            }
        }
    }
    found.reverse();
    found
}
