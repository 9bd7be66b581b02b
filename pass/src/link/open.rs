//! Requests that are open: the link answers those that name functions of other units, and those for
//! which it knows more of what they reach than their unit.

use crate::{
    annotations::{
        config::Config,
        policy::Policy,
        registry,
        requests::{RequestKind, kind},
    },
    codegen::prebuilt::{self, objects},
    diagnostics::{self, Diagnostic},
    frontend::{heads, request},
    link::{
        list::List,
        reach::{self, Reach},
    },
    llvm::{Function, Linkage, Module, Severity, Value},
};
use adir::hashed::{HashMap, HashSet};
use serde::{Serialize, Serializer};

/// A request that is open.
#[derive(Serialize)]
pub struct Open {
    /// The function that stands for it.
    #[serde(serialize_with = "symbol")]
    pub function: Function,
    /// What it differentiates, for messages.
    pub of: String,
    /// Whether only a link can answer it; else the unit has an answer of its own, which is right where
    /// no other unit has IR of what it reaches.
    pub is_needed: bool,
    /// What the function reaches in other units.
    pub reach: Reach,
}

fn symbol<S: Serializer>(function: &Function, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&function.name())
}

/// The attribute of a request that says which function may answer it instead.
const OPEN: &str = "adcc.open";

/// The attribute of a function that stands for a request and was left to its unit.
pub const LEFT: &str = "adcc.left";

/// Puts requests that reach other units into functions of their own. The names say what to do about
/// them where a link does not know them.
pub fn requests(module: Module, config: &Config, unit: &str) -> Vec<Open> {
    // The user says what becomes of these.
    let ruled = registry::subjects(module);
    let generated = heads::generated(module, config);
    let is_elsewhere = |f: Function| {
        let is_inactive = config.prebuilt.of(&f.name()) == Policy::Inactive;
        let is_generated = generated.contains_key(&f.name());
        prebuilt::is_unknown(f) && !ruled.contains(&f) && !is_inactive && !is_generated
    };
    let calls: Vec<(Value, Function)> = request::calls(module)
        .into_iter()
        .filter_map(|call| Some((call, request::asked_of(call)?)))
        .filter(|(call, _)| needs_function(*call))
        .collect();
    let mut reaches: HashMap<Function, Reach> = HashMap::default();
    let mut reached: HashSet<Function> = HashSet::default();
    for &(_, of) in &calls {
        reaches.entry(of).or_insert_with(|| {
            let (reach, functions) = reach::of(of, config, &generated);
            reached.extend(functions);
            reach
        });
    }
    let mut all = vec![];
    for (call, of) in calls {
        let is_needed = config.opens_all || is_elsewhere(of);
        // Requests in differentiated code are the business of the request outside.
        let is_inner = reached.contains(&call.block().function());
        // The unit's policies are not the link's.
        let has_own_policy = !config.prebuilt.are_plain();
        if !is_needed && (is_inner || has_own_policy || reaches[&of].is_empty()) {
            continue;
        }
        let name = format!("adcc.link_with_adcc.{unit}.{}", all.len());
        if !call.ty().is_void() && request::is_unread(call) {
            call.replace_uses(call.ty().zero());
        }
        let known = request::known_arguments(call);
        let given = known.iter().enumerate().filter(|(_, known)| known.is_none());
        let given: Vec<Value> = given.map(|(i, _)| call.operand(i)).collect();
        let function = call.open_request(&name, &known);
        objects::note_arguments(function, &given);
        request::memory::note_arguments(module, function, &given);
        all.push(Open { function, of: of.name(), is_needed, reach: reaches[&of].clone() });
    }
    all
}

/// What the machine code of the unit does about open requests: it calls what the link makes, or has an
/// answer of its own beside.
pub fn close(opened: &[Open]) {
    for open in opened {
        match open.is_needed {
            true => open.function.delete_body(),
            false => open.function.keep_answer().set_call_string(OPEN, &open.function.name()),
        }
    }
}

/// Whether the link may answer a request.
pub fn is_open(call: Value) -> bool {
    call.call_string(OPEN).is_some()
}

/// Leaves a request that cannot be answered here, as `found` says, to the link; or, at the link, to its
/// unit. Whether it can be left.
pub fn leave(module: Module, call: Value, config: &Config, found: &[Diagnostic]) -> bool {
    if config.link.is_some() {
        return leave_to_unit(module, call, config, found);
    }
    let name = call.call_string(OPEN);
    let Some(function) = name.and_then(|name| module.function(&name)) else { return false };
    function.set_linkage(Linkage::External);
    true
}

fn leave_to_unit(module: Module, call: Value, config: &Config, found: &[Diagnostic]) -> bool {
    let function = call.block().function();
    let is_whole = matches!(
        call.called().as_function().and_then(kind),
        Some(RequestKind::Tangent | RequestKind::Pattern | RequestKind::Adjoint)
    );
    let has_own =
        List::of(module, config).is_some_and(|list| list.tried.contains(&function.name()));
    if !is_whole || !has_own {
        return false;
    }
    function.add_attribute_string(LEFT, "");
    let of = request::asked_of(call).map(|f| f.name()).unwrap_or_default();
    let found: Vec<Diagnostic> = found.iter().map(|d| super::of_own_file(&of, d.clone())).collect();
    let origin = request::origin(call);
    diagnostics::report_as(Severity::Warning, module.context(), "", &origin, &found);
    true
}

/// Whether what a request asks for depends on the function that it names.
fn needs_function(call: Value) -> bool {
    use RequestKind::*;
    matches!(
        call.called().as_function().and_then(kind),
        Some(Tangent | Pattern | Adjoint | Augmented | Reverse)
    )
}
