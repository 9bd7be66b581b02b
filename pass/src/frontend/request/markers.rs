//! Markers: what stands before an argument of a request.

use super::{spelling, trace};
use crate::llvm::{Module, Opcode, Value};

/// What stands before an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker {
    Const,
    Dup,
    /// As Dup, and no code reads the primal memory afterwards.
    DupNoNeed,
    Out,
    Width,
    /// The tape of split mode follows, or the memory for it.
    Tape,
    /// The size of the memory for the tape follows.
    Allocated,
    /// The request returns the primal result as well.
    PrimalReturn,
    /// Says nothing that is not so anyway.
    Idle,
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
    // Pointers that lead now to active, now to constant memory are followed or refused, with and
    // without it.
    ("enzyme_runtime_activity", Marker::Idle),
];

/// The marker that a value is: what one of the undefined integers holds, or its address.
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

/// The name of an integer that nothing here defines, if it is nearly that of a marker; and that
/// one.
pub(super) fn misspelt_marker(value: Value) -> Option<(String, &'static str)> {
    let is_declared = |v: &Value| v.global_type().is_int() && v.initializer().is_none();
    let name = variable(value).filter(is_declared)?.name();
    let is_known = MARKERS.iter().any(|(n, _)| *n == name);
    let prefix = ["ad_", "enzyme_"].into_iter().find(|p| name.starts_with(p))?;
    let (near, distance) = spelling::nearest(
        &name,
        MARKERS.iter().map(|(n, _)| *n).filter(|n| n.starts_with(prefix)),
    )?;
    (!is_known && distance <= MOST_SLIPS).then_some((name, near))
}

/// Letters by which a name may differ from that of a marker to be taken for a slip.
const MOST_SLIPS: usize = 3;

/// The global variable whose value or address this is.
fn variable(value: Value) -> Option<Value> {
    let at = trace::origin(value);
    let at = if at.is_instruction() && at.opcode() == Opcode::LLVMLoad {
        trace::origin(at.operand(0))
    } else {
        at
    };
    Some(at).filter(|s| s.is_global_variable())
}

/// Lets functions be inlined that are given markers: what a request in them asks for depends on
/// their callers. Whether there are any.
pub(super) fn inline_forwarders(module: Module) -> bool {
    let mut inlined = vec![];
    let mut flow: Vec<Value> = module
        .globals()
        .into_iter()
        .filter(|g| MARKERS.iter().any(|(n, _)| *n == g.name()))
        .collect();
    let mut next = 0;
    while let Some(&v) = flow.get(next) {
        next += 1;
        for user in v.users().into_iter().filter(|u| u.is_instruction()) {
            let onward = match user.opcode() {
                Opcode::LLVMLoad => vec![user],
                Opcode::LLVMStore if user.operand(0) == v => vec![user.operand(1)],
                Opcode::LLVMCall | Opcode::LLVMInvoke => {
                    let Some(f) = user.called().as_function().filter(|f| !f.is_declaration())
                    else {
                        continue;
                    };
                    let params = f.params();
                    let given: Vec<Value> = (0..params.len())
                        .filter(|&i| user.operand(i) == v)
                        .map(|i| params[i])
                        .collect();
                    if given.is_empty()
                        || f.has_attribute("noinline") && !f.has_attribute("optnone")
                    {
                        continue;
                    }
                    inlined.push(f);
                    // What a function returns may be what it was given.
                    if user.ty().is_pointer() || user.ty().is_int() {
                        [given, vec![user]].concat()
                    } else {
                        given
                    }
                }
                _ => vec![],
            };
            for v in onward {
                let is_place = v.is_instruction() && v.opcode() == Opcode::LLVMAlloca;
                let is_value = v.ty().is_pointer() || v.ty().is_int();
                if (is_place || is_value) && !v.is_global_variable() && !flow.contains(&v) {
                    flow.push(v);
                }
            }
        }
    }
    for f in &inlined {
        f.remove_attribute("noinline");
        f.remove_attribute("optnone");
        f.add_attribute("alwaysinline");
    }
    !inlined.is_empty()
}
