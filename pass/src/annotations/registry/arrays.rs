//! The globals that steer differentiation: arrays whose names say what their members are, and
//! annotations.

use crate::llvm::{Function, Intrinsic, Module, Opcode, Value};

/// The variable that lists annotations of functions and variables.
const ANNOTATIONS: &str = "llvm.global.annotations";

/// What a global says of its members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelled {
    /// {f, augmented, reverse}.
    Adjoint,
    /// {f, tangent}.
    Tangent,
    /// Functions whose results have derivative zero.
    InactiveFunctions,
    /// Variables that are constant for derivatives.
    InactiveGlobals,
    /// {f, "name"}: f has the partials of a library function.
    FunctionLike,
    /// {f, index of the size, "-1", g}: f allocates memory that g frees.
    AllocationLike,
    /// Functions that run again in the reverse sweep instead of recording.
    JointFunctions,
    /// Functions that are recorded whatever others are.
    SplitFunctions,
    /// Promises that derivatives do not depend on.
    Idle,
    /// A known spelling that is not supported: what to do instead.
    Later(&'static str),
}

/// A global steers differentiation by containing one of these names; the first that fits counts.
const SPELLINGS: &[(&str, Spelled)] = &[
    ("__ad_register_adjoint", Spelled::Adjoint),
    ("__enzyme_register_gradient", Spelled::Adjoint),
    ("__ad_register_tangent", Spelled::Tangent),
    ("__enzyme_register_derivative", Spelled::Tangent),
    ("__ad_inactive_function", Spelled::InactiveFunctions),
    ("__enzyme_inactivefn", Spelled::InactiveFunctions),
    ("__ad_inactive_global", Spelled::InactiveGlobals),
    ("__enzyme_inactive_global", Spelled::InactiveGlobals),
    ("__ad_function_like", Spelled::FunctionLike),
    ("__enzyme_function_like", Spelled::FunctionLike),
    ("__ad_allocation_like", Spelled::AllocationLike),
    ("__enzyme_allocation_like", Spelled::AllocationLike),
    ("__ad_joint_function", Spelled::JointFunctions),
    ("__ad_split_function", Spelled::SplitFunctions),
    ("__enzyme_nofree", Spelled::Idle),
    ("__enzyme_shouldrecompute", Spelled::Idle),
    (
        "__enzyme_register_splitderivative",
        Spelled::Later(
            "register the tangent with __enzyme_register_derivative, and the sweeps with \
            __enzyme_register_gradient",
        ),
    ),
    // Whatever else that interface knows: ignoring it could change derivatives.
    ("__enzyme_", Spelled::Later("remove the declaration")),
];

/// What an annotation says of a function or a global: `__attribute__((annotate(…)))`, or an
/// attribute of that name (the shim's attributes.cpp).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Annotation {
    /// It has no influence on derivatives.
    Inactive,
    /// It has the partials of the library function of that name.
    Like(String),
    /// A known spelling that is not supported: its name, and what to do instead.
    Later(String, &'static str),
}

impl Annotation {
    fn read(text: &str) -> Option<Annotation> {
        let like = ["ad_function_like ", "enzyme_function_like "]
            .iter()
            .find_map(|p| text.strip_prefix(p));
        if let Some(name) = like {
            return Some(Annotation::Like(name.to_owned()));
        }
        match text {
            "ad_inactive" | "enzyme_inactive" => Some(Annotation::Inactive),
            // Promises that derivatives do not depend on.
            "enzyme_shouldrecompute" | "enzyme_nofree" | "enzyme_type" => None,
            _ => text
                .starts_with("enzyme_")
                .then(|| Annotation::Later(text.to_owned(), "remove the attribute")),
        }
    }
}

/// A global that steers differentiation.
pub(super) struct Entry {
    pub global: Value,
    pub spelled: Spelled,
    /// Its members; `None` where its initial value is not known.
    pub members: Option<Vec<Value>>,
}

impl Entry {
    /// Functions that an entry says something of.
    pub fn subjects(&self) -> Vec<Function> {
        let members = self.members.iter().flatten();
        match self.spelled {
            Spelled::InactiveFunctions | Spelled::JointFunctions => {
                members.filter_map(|m| m.as_function()).collect()
            }
            Spelled::Adjoint | Spelled::Tangent | Spelled::FunctionLike => {
                members.take(1).filter_map(|m| m.as_function()).collect()
            }
            Spelled::AllocationLike => members.filter_map(|m| m.as_function()).collect(),
            // Split calls may as well be inlined: then nothing is left to be decided.
            Spelled::SplitFunctions
            | Spelled::InactiveGlobals
            | Spelled::Idle
            | Spelled::Later(_) => vec![],
        }
    }
}

/// Whether a global of that name steers differentiation.
pub fn is_declaration(name: &str) -> bool {
    SPELLINGS.iter().any(|(s, _)| name.contains(s))
}

/// The names that globals which steer differentiation contain.
pub fn declarations() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().map(|(s, _)| *s)
}

/// All such globals of the module.
pub(super) fn entries(module: Module) -> Vec<Entry> {
    let spelled = |g: Value| {
        let name = g.name();
        let spelled = SPELLINGS.iter().find(|(s, _)| name.contains(s)).map(|(_, k)| *k)?;
        Some(Entry { global: g, spelled, members: members(g) })
    };
    module.globals().into_iter().filter_map(spelled).collect()
}

/// Elements of a global's initial value; a pointer counts as an array of one.
fn members(global: Value) -> Option<Vec<Value>> {
    let initial = global.initializer()?;
    if initial.ty().is_pointer() {
        return Some(vec![plain(initial)]);
    }
    Some((0..).map_while(|i| initial.constant_element(i)).map(plain).collect())
}

/// An address without the casts around it.
fn plain(mut v: Value) -> Value {
    while v.const_opcode().is_some_and(|op| op != Opcode::LLVMIntToPtr) && v.operand_count() == 1 {
        v = v.operand(0);
    }
    v
}

/// Functions and global variables with annotations, attributes or metadata that say something of
/// derivatives.
pub(super) fn annotated(module: Module) -> Vec<(Value, Annotation)> {
    [annotated_in_source(module), attributed(module), with_metadata(module)].concat()
}

/// Functions with attributes of LLVM, as front ends other than clang write them.
fn attributed(module: Module) -> Vec<(Value, Annotation)> {
    let mut found = vec![];
    for f in module.functions() {
        for (name, value) in f.attribute_strings("enzyme_") {
            let read = match name.as_str() {
                "enzyme_math" => Some(Annotation::Like(value)),
                name => Annotation::read(name),
            };
            found.extend(read.map(|annotation| (f.value(), annotation)));
        }
        let later = |name| Annotation::Later(name, "mark an argument of the request ad_const");
        let is_idle = |name: &str| Annotation::read(name).is_none();
        found.extend(
            f.param_attribute_strings("enzyme_")
                .into_iter()
                .filter(|(name, _)| !is_idle(name))
                .map(|(name, _)| (f.value(), later(name))),
        );
    }
    found
}

/// Functions and global variables with metadata of LLVM that say something of derivatives.
fn with_metadata(module: Module) -> Vec<(Value, Annotation)> {
    const RULE: &str = "use __ad_register_adjoint or __ad_register_tangent";
    const SHADOW: &str = "remove the metadata: variables get their shadows by themselves";
    let kinds = [
        "enzyme_inactive", "enzyme_shadow", "enzyme_augment", "enzyme_gradient",
        "enzyme_derivative", "enzyme_splitderivative",
    ];
    let all = module.functions().into_iter().map(Function::value).chain(module.globals());
    let said = |v: Value| {
        let annotation = move |kind: &'static str| match kind {
            "enzyme_inactive" => (v, Annotation::Inactive),
            "enzyme_shadow" => (v, Annotation::Later(kind.to_owned(), SHADOW)),
            _ => (v, Annotation::Later(kind.to_owned(), RULE)),
        };
        v.metadata_kinds(&kinds).into_iter().map(annotation).collect::<Vec<_>>()
    };
    all.flat_map(said).collect()
}

/// Functions and global variables with annotations of clang.
fn annotated_in_source(module: Module) -> Vec<(Value, Annotation)> {
    let Some(list) = module.globals().into_iter().find(|g| g.name() == ANNOTATIONS) else {
        return vec![];
    };
    let Some(entries) = list.initializer() else { return vec![] };
    let entry_annotation = |entry: Value| {
        let text = entry.constant_element(1).and_then(|t| plain(t).constant_text())?;
        Some((plain(entry.constant_element(0)?), Annotation::read(&text)?))
    };
    (0..).map_while(|i| entries.constant_element(i)).filter_map(entry_annotation).collect()
}

/// Such annotations of parameters, variables of functions and members, which say nothing: the calls
/// that stand for them, and their texts.
pub fn annotated_inside(module: Module) -> Vec<(Value, String)> {
    let is_annotation = |f: &Function| {
        matches!(f.intrinsic(), Some(Intrinsic::AnnotatedVariable | Intrinsic::AnnotatedPointer))
    };
    let calls =
        module.functions().into_iter().filter(is_annotation).flat_map(|f| f.value().users());
    let call_annotation = |call: Value| {
        let text = plain(call.operand(1)).constant_text()?;
        Annotation::read(&text).is_some().then_some((call, text))
    };
    calls.filter(|u| u.is_call()).filter_map(call_annotation).collect()
}
