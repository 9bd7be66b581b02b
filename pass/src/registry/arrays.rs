//! The globals that steer differentiation: arrays whose names say what their members are, and annotations.

use crate::llvm::{Function, Module, Opcode, Value};

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
    /// A known spelling that is not supported yet.
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
    // Whatever else that interface knows: ignoring it could change derivatives.
    ("__enzyme_", Spelled::Later("this declaration")),
];

/// `__attribute__((annotate(…)))` that declares a function or a global inactive.
const INACTIVE_ANNOTATIONS: &[&str] = &["ad_inactive", "enzyme_inactive"];

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
            Spelled::InactiveFunctions | Spelled::JointFunctions => members.filter_map(|m| m.as_function()).collect(),
            Spelled::Adjoint | Spelled::Tangent | Spelled::FunctionLike => {
                members.take(1).filter_map(|m| m.as_function()).collect()
            }
            Spelled::AllocationLike => members.filter_map(|m| m.as_function()).collect(),
            // Split calls may as well be inlined: then nothing is left to be decided.
            Spelled::SplitFunctions | Spelled::InactiveGlobals | Spelled::Later(_) => vec![],
        }
    }
}

/// Whether a global of that name steers differentiation.
pub fn is_declaration(name: &str) -> bool {
    SPELLINGS.iter().any(|(s, _)| name.contains(s))
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

/// Functions and global variables that an annotation declares inactive.
pub(super) fn annotated(module: Module) -> Vec<Value> {
    let Some(list) = module.globals().into_iter().find(|g| g.name() == "llvm.global.annotations") else { return vec![] };
    let Some(entries) = list.initializer() else { return vec![] };
    let inactive = |entry: &Value| {
        let text = entry.constant_element(1).and_then(|t| plain(t).constant_text());
        text.is_some_and(|t| INACTIVE_ANNOTATIONS.contains(&t.as_str()))
    };
    (0..).map_while(|i| entries.constant_element(i)).filter(inactive).filter_map(|e| Some(plain(e.constant_element(0)?))).collect()
}
