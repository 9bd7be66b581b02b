//! Markers: what stands before an argument of a request.

use crate::llvm::{Opcode, Value};

/// What stands before an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker {
    Const,
    Dup,
    /// As Dup, and nobody reads the primal memory afterwards.
    DupNoNeed,
    Out,
    Width,
    /// The tape of split mode follows, or the memory for it.
    Tape,
    /// The size of the memory for the tape follows.
    Allocated,
    /// The request returns the primal result as well.
    PrimalReturn,
}

pub(super) const MARKERS: &[(&str, Marker)] = &[
    ("ad_const", Marker::Const),
    ("enzyme_const", Marker::Const),
    ("ad_dup", Marker::Dup),
    ("enzyme_dup", Marker::Dup),
    ("ad_dupnoneed", Marker::DupNoNeed),
    ("enzyme_dupnoneed", Marker::DupNoNeed),
    ("ad_out", Marker::Out),
    ("enzyme_out", Marker::Out),
    ("ad_width", Marker::Width),
    ("enzyme_width", Marker::Width),
    ("ad_tape", Marker::Tape),
    ("enzyme_tape", Marker::Tape),
    ("ad_allocated", Marker::Allocated),
    ("enzyme_allocated", Marker::Allocated),
    ("ad_primal_return", Marker::PrimalReturn),
    ("enzyme_primal_return", Marker::PrimalReturn),
];

/// The marker that a value is: a load of one of the undefined integers.
pub(super) fn marker_of(value: Value) -> Option<(String, Marker)> {
    let name = variable(value)?.name();
    MARKERS.iter().find(|(n, _)| *n == name).map(|(_, m)| (name.clone(), *m))
}

/// The name of what looks like a marker and is none: what it says must not be taken for a value.
pub(super) fn unknown_marker(value: Value) -> Option<String> {
    let variable = variable(value).filter(|v| v.global_type().is_int())?;
    let name = variable.name();
    let is_known = MARKERS.iter().any(|(n, _)| *n == name);
    (!is_known && name.starts_with("enzyme_")).then_some(name)
}

/// The global variable whose value this is.
fn variable(value: Value) -> Option<Value> {
    if !value.is_instruction() || value.opcode() != Opcode::LLVMLoad {
        return None;
    }
    Some(value.operand(0)).filter(|s| s.is_global_variable())
}
