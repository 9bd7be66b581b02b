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
    Later,
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
    ("enzyme_inactive", Marker::Later),
];

/// The marker that a value is: a load of one of the undefined integers.
pub(super) fn marker_of(value: Value) -> Option<(String, Marker)> {
    if !value.is_instruction() || value.opcode() != Opcode::LLVMLoad {
        return None;
    }
    let source = value.operand(0);
    if !source.is_global_variable() {
        return None;
    }
    let name = source.name();
    MARKERS.iter().find(|(n, _)| *n == name).map(|(_, m)| (name.clone(), *m))
}
