//! Requests that stay open: the link answers those that name functions of other units.

use crate::{
    annotations::{
        config::Config,
        policy::Policy,
        registry,
        requests::{RequestKind, kind},
    },
    codegen::prebuilt::{self, objects},
    frontend::request,
    llvm::{Function, Module, Value},
};
use serde::{Serialize, Serializer};

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

/// Puts requests that name functions of other units into functions of their own. The names say what
/// to do about them where a link does not know them.
pub fn requests(module: Module, config: &Config, unit: &str) -> Vec<Open> {
    // The user says what becomes of these.
    let ruled = registry::subjects(module);
    let is_elsewhere = |f: Function| {
        let is_inactive = config.prebuilt.of(&f.name()) == Policy::Inactive;
        prebuilt::is_unknown(f) && !ruled.contains(&f) && !is_inactive
    };
    let calls = request::calls(module).into_iter();
    let open: Vec<(Value, Function)> = calls
        .filter_map(|call| Some((call, request::asked_of(call)?)))
        .filter(|(call, _)| needs_function(*call))
        .filter(|(_, f)| config.opens_all || is_elsewhere(*f))
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
    matches!(
        call.called().as_function().and_then(kind),
        Some(Tangent | Adjoint | Augmented | Reverse)
    )
}
