//! Requests that stay open: the link answers those that reach functions of other units.

use crate::{
    annotations::{config::Config, registry, requests::RequestKind},
    codegen::prebuilt::{self, objects},
    frontend::request,
    llvm::{Function, Module, Value},
};
use serde::{Serialize, Serializer};
use std::collections::HashSet;

/// A request that stays open.
#[derive(Serialize)]
pub struct Open {
    /// The function that stands for it.
    #[serde(serialize_with = "symbol")]
    pub function: Function,
    /// What it differentiates, for messages.
    pub of: String,
}

fn symbol<S: Serializer>(function: &Function, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&function.name())
}

/// Puts requests that reach other units into functions of their own. The names say what to do about
/// them where a link does not know them.
pub fn requests(module: Module, config: &Config, unit: &str) -> Vec<Open> {
    // The user says what becomes of these.
    let known = registry::subjects(module).into_iter().collect();
    let mut reach = Reach { policies: config, known };
    let calls = request::calls(module).into_iter();
    let open: Vec<(Value, Function)> = calls
        .filter_map(|call| Some((call, request::asked_of(call)?)))
        .filter(|(call, _)| needs_function(*call))
        .filter(|(_, f)| config.opens_all || reach.leaves_unit(*f))
        .collect();
    let outlined = open.into_iter().enumerate().map(|(n, (call, of))| {
        let name = format!("adcc.link_with_adcc.{unit}.{n}");
        let known = request::known_arguments(call);
        let given = known.iter().enumerate().filter(|(_, known)| known.is_none());
        let given: Vec<Value> = given.map(|(i, _)| call.operand(i)).collect();
        let function = call.open_request(&name, &known);
        objects::note_arguments(function, &given);
        Open { function, of: of.name() }
    });
    outlined.collect()
}

/// Whether what a request asks for depends on the function that it names.
fn needs_function(call: Value) -> bool {
    use RequestKind::*;
    let kind = call.called().as_function().and_then(crate::annotations::requests::kind);
    matches!(kind, Some(Tangent | Adjoint | Augmented | Reverse))
}

/// What functions reach.
struct Reach<'a> {
    policies: &'a Config,
    /// Functions that do not leave the unit.
    known: HashSet<Function>,
}

impl Reach<'_> {
    /// Whether a function is defined in another unit, or calls one that is, directly or not.
    fn leaves_unit(&mut self, from: Function) -> bool {
        let mut seen = HashSet::from([from]);
        let mut next = vec![from];
        while let Some(f) = next.pop() {
            if self.known.contains(&f) {
                continue;
            }
            if f.is_declaration() {
                if self.is_of_other_unit(f) {
                    return true;
                }
                continue;
            }
            let instructions = f.blocks().into_iter().flat_map(|b| b.instructions());
            for i in instructions {
                let operands = (0..i.operand_count()).map(|k| i.operand(k));
                let named = operands.filter_map(Value::as_function).filter(|g| seen.insert(*g));
                next.extend(named.collect::<Vec<_>>());
            }
        }
        self.known.extend(seen);
        false
    }

    /// Whether somebody must look for the body of a declared function.
    fn is_of_other_unit(&self, f: Function) -> bool {
        let name = f.name();
        prebuilt::is_unknown(f)
            && !is_of_language(&name)
            && self.policies.prebuilt.of(&name) != crate::annotations::policy::Policy::Inactive
    }
}

/// How symbols of the compilers' own libraries begin.
const OF_LANGUAGES: &[&str] = &[
    "_ZNSt", "_ZNKSt", "_ZSt", "_ZNSs", "_ZNKSs", "_ZNSo", "_ZNSi", "_ZNSa", "_ZN9__gnu_cxx",
    "_ZNK9__gnu_cxx", "_ZNK10__cxxabiv1", "_ZN10__cxxabiv1", "_ZdlPv", "_ZdaPv", "_Znw", "_Zna",
    "__cxa_", "__gxx_", "_Unwind_", "_Fortran", "__kmpc_", "omp_",
];

/// Whether a function is one of the libraries that come with compilers: no unit has its IR.
fn is_of_language(name: &str) -> bool {
    OF_LANGUAGES.iter().any(|prefix| name.starts_with(prefix))
}
