//! Which functions are requests: by their names.

use crate::llvm::Function;

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// A tangent.
    Tangent,
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
    /// A known spelling that is not supported yet.
    Later(&'static str),
}

impl RequestKind {
    /// Whether it is one of the sweeps of split mode.
    pub fn is_split(self) -> bool {
        matches!(self, RequestKind::Augmented | RequestKind::Reverse)
    }
}

/// A function is a request by containing one of these names, none of which contains another.
pub const SPELLINGS: &[(&str, RequestKind)] = &[
    ("__ad_tangent", RequestKind::Tangent),
    ("__enzyme_fwddiff", RequestKind::Tangent),
    ("__ad_adjoint", RequestKind::Adjoint),
    ("__enzyme_autodiff", RequestKind::Adjoint),
    ("__ad_augmented", RequestKind::Augmented),
    ("__enzyme_augmentfwd", RequestKind::Augmented),
    ("__ad_reverse", RequestKind::Reverse),
    ("__enzyme_reverse", RequestKind::Reverse),
    ("__enzyme_augmentsize", RequestKind::TapeSize),
    ("__enzyme_fwdsplit", RequestKind::Later("the tangent in split mode")),
    ("__enzyme_virtualreverse", RequestKind::FunctionShadow),
];

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
