//! Which functions are requests: by their names.

use crate::llvm::Function;

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// A tangent.
    Tangent,
    /// A tangent that carries sets of inputs.
    Pattern,
    /// An adjoint.
    Adjoint,
    /// The forward sweep of split mode.
    Augmented,
    /// Its reverse sweep.
    Reverse,
    /// How many bytes a tape has in the user's memory.
    TapeSize,
    /// What a function pointer's shadow is: the pointer itself.
    FunctionShadow,
    /// A known spelling that is not supported: what to do instead.
    Later(&'static str),
}

impl RequestKind {
    /// Whether it goes forwards, with the shadows of reals by value beside them.
    pub fn is_forward(self) -> bool {
        matches!(self, RequestKind::Tangent | RequestKind::Pattern)
    }
    /// Whether it is one of the sweeps of split mode.
    pub fn is_split(self) -> bool {
        matches!(self, RequestKind::Augmented | RequestKind::Reverse)
    }
}

/// A function is a request by containing one of these names, none of which contains another.
pub const SPELLINGS: &[(&str, RequestKind)] = &[
    ("__ad_tangent", RequestKind::Tangent),
    ("__enzyme_fwddiff", RequestKind::Tangent),
    ("__ad_pattern", RequestKind::Pattern),
    ("__ad_adjoint", RequestKind::Adjoint),
    ("__enzyme_autodiff", RequestKind::Adjoint),
    ("__ad_augmented", RequestKind::Augmented),
    ("__enzyme_augmentfwd", RequestKind::Augmented),
    ("__ad_reverse", RequestKind::Reverse),
    ("__enzyme_reverse", RequestKind::Reverse),
    ("__enzyme_augmentsize", RequestKind::TapeSize),
    (
        "__enzyme_fwdsplit",
        RequestKind::Later("use __enzyme_fwddiff: it runs the function, and takes no tape"),
    ),
    (
        "__enzyme_batch",
        RequestKind::Later("call the function in a loop; for several derivatives, use ad_width"),
    ),
    (
        "__enzyme_todense",
        RequestKind::Later(
            "keep the matrix in memory of your own; with ad_width, a request has several columns",
        ),
    ),
    (
        "__enzyme_truncate",
        RequestKind::Later("change the types in the source: derivatives have those of the code"),
    ),
    (
        "__enzyme_error_estimate",
        RequestKind::Later("multiply the adjoints of a gradient by the errors of their values"),
    ),
    (
        "__enzyme_call_inactive",
        RequestKind::Later("call the function, and declare it with __ad_inactive_function"),
    ),
    (
        "__enzyme_ignore_derivatives",
        RequestKind::Later("return the value from a function in __ad_inactive_function"),
    ),
    ("__enzyme_float", RequestKind::Later(TYPES)),
    ("__enzyme_double", RequestKind::Later(TYPES)),
    ("__enzyme_integer", RequestKind::Later(TYPES)),
    ("__enzyme_pointer", RequestKind::Later(TYPES)),
    ("__enzyme_virtualreverse", RequestKind::FunctionShadow),
];

const TYPES: &str = "remove the call: types are found in the code";

/// What calls of a function ask for, if they are requests.
pub fn kind(f: Function) -> Option<RequestKind> {
    if !f.is_declaration() {
        return None;
    }
    let name = f.name();
    SPELLINGS.iter().find(|(s, _)| name.contains(s)).map(|(_, k)| *k)
}

/// Whether a call of `f` is a request.
pub fn is_request(f: Function) -> bool {
    kind(f).is_some()
}
