//! Markers: what stands before an argument of a request.
//!
//! A marker is the value of a variable of that name, its address, a reference to it, or in LLVM IR a
//! string of metadata. [`marker_of`] is the one place that tells.

use super::{spelling, trace};
use crate::{
    diagnostics::names::symbol_in_unit,
    llvm::{Module, Opcode, Value},
};

/// What stands before an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker {
    Const,
    Dup,
    /// As Dup, and no code reads the primal memory afterwards.
    DupNoNeed,
    /// As Dup: the distance between the shadows of two directions follows, then the value and the
    /// shadow of the first direction.
    DupStrided,
    /// As DupStrided, and no code reads the primal memory afterwards.
    DupNoNeedStrided,
    Out,
    Width,
    /// The tape of split mode follows, or the memory for it.
    Tape,
    /// The size of the memory for the tape follows.
    Allocated,
    /// The shadows of all arguments follow, in order.
    Interleave,
    /// The request returns the primal result as well.
    PrimalReturn,
    /// The request does not return the primal result.
    NoReturn,
    /// The result is inactive.
    ConstReturn,
    /// The result has adjoint 1.
    ActiveReturn,
    /// The result has a derivative beside it.
    DupReturn,
    /// Says nothing that is not so anyway.
    Idle,
    /// Has no meaning here: what to do instead.
    LeftOut(&'static str),
}

pub(super) const MARKERS: &[(&str, Marker)] = &[
    ("ad_const", Marker::Const),
    ("enzyme_const", Marker::Const),
    ("ad_dup", Marker::Dup),
    ("enzyme_dup", Marker::Dup),
    ("ad_dupnoneed", Marker::DupNoNeed),
    ("enzyme_dupnoneed", Marker::DupNoNeed),
    ("ad_dupv", Marker::DupStrided),
    ("enzyme_dupv", Marker::DupStrided),
    ("ad_dupnoneedv", Marker::DupNoNeedStrided),
    ("enzyme_dupnoneedv", Marker::DupNoNeedStrided),
    ("ad_out", Marker::Out),
    ("enzyme_out", Marker::Out),
    ("ad_width", Marker::Width),
    ("enzyme_width", Marker::Width),
    ("ad_tape", Marker::Tape),
    ("enzyme_tape", Marker::Tape),
    ("ad_allocated", Marker::Allocated),
    ("enzyme_allocated", Marker::Allocated),
    ("ad_interleave", Marker::Interleave),
    ("enzyme_interleave", Marker::Interleave),
    ("ad_primal_return", Marker::PrimalReturn),
    ("enzyme_primal_return", Marker::PrimalReturn),
    ("ad_const_return", Marker::ConstReturn),
    ("enzyme_const_return", Marker::ConstReturn),
    ("enzyme_noret", Marker::NoReturn),
    ("enzyme_active_return", Marker::ActiveReturn),
    ("enzyme_dup_return", Marker::DupReturn),
    // Pointers that lead now to active, now to constant memory are followed or refused, with and
    // without it.
    ("enzyme_runtime_activity", Marker::Idle),
    ("enzyme_strong_zero", Marker::LeftOut(STRONG_ZERO)),
    ("enzyme_vector", Marker::LeftOut(BATCH)),
    ("enzyme_scalar", Marker::LeftOut(BATCH)),
    ("enzyme_buffer", Marker::LeftOut(BATCH)),
    ("enzyme_byref", Marker::LeftOut("pass a pointer to the argument, and mark it ad_dup")),
    (
        "enzyme_type",
        Marker::LeftOut(
            "remove the marker: types are found in the code; AD031 and AD034 report where they are \
            not",
        ),
    ),
    (
        "enzyme_not_overwritten",
        Marker::LeftOut(
            "remove the marker: the sweeps of split mode record what memory may lose between them",
        ),
    ),
];

const STRONG_ZERO: &str = "remove the marker: a zero adjoint times an infinite partial of a library \
    function is zero without it, but not that of a quotient by zero \
    (docs/reference/points-without-a-derivative.md)";
const BATCH: &str = "call the function in a loop; for several derivatives at once, use ad_width";

/// What a value says to a request: its name, if it is a marker's.
pub(super) fn marker_of(value: Value) -> Option<(String, Marker)> {
    let name = match value.metadata_text() {
        Some(text) => text,
        None => variable_name(variable(value)?)?,
    };
    meaning(&name).map(|marker| (name, marker))
}

/// The variable that is a marker, of which a value is the address or what it holds.
pub(super) fn marker_variable(value: Value) -> Option<Value> {
    variable(value).filter(|v| is_marker(*v))
}

/// What looks like a marker and is none, by its name: what it says must not be taken for a value.
pub(super) fn unknown_marker(value: Value) -> Option<String> {
    if value.is_metadata() {
        let text = value.metadata_text().unwrap_or_else(|| "metadata without text".into());
        return meaning(&text).is_none().then_some(text);
    }
    let name = variable(value).filter(|v| v.global_type().is_int())?.name();
    (meaning(&name).is_none() && name.starts_with("enzyme_")).then_some(name)
}

/// The name of an integer that nothing here defines, or a text of metadata, if it is nearly that of
/// a marker; and that one.
pub(super) fn misspelt_marker(value: Value) -> Option<(String, &'static str)> {
    let is_declared = |v: &Value| v.global_type().is_int() && v.initializer().is_none();
    let name = match value.metadata_text() {
        Some(text) => text,
        None => variable_name(variable(value).filter(is_declared)?)?,
    };
    let prefix = PREFIXES.into_iter().find(|p| name.starts_with(p))?;
    let (near, distance) = spelling::nearest(
        &name,
        MARKERS.iter().map(|(n, _)| *n).filter(|n| n.starts_with(prefix)),
    )?;
    (meaning(&name).is_none() && distance <= MOST_SLIPS).then_some((name, near))
}

/// Whether a global variable is a marker.
pub(super) fn is_marker(global: Value) -> bool {
    variable_name(global).is_some_and(|name| meaning(&name).is_some())
}

fn meaning(name: &str) -> Option<Marker> {
    MARKERS.iter().find(|(n, _)| *n == name).map(|(_, marker)| *marker)
}

/// How the names of markers begin.
const PREFIXES: [&str; 2] = ["ad_", "enzyme_"];

/// The name of a variable in the source, if it begins as that of a marker: in C++, variables of
/// namespaces and of one file have others in the module, and at the link those of one file have the
/// name of their unit behind.
fn variable_name(global: Value) -> Option<String> {
    let symbol = symbol_in_unit(&global.name()).to_owned();
    let may_be = |name: &str| PREFIXES.iter().any(|p| name.starts_with(p));
    if may_be(&symbol) {
        return Some(symbol);
    }
    PREFIXES
        .iter()
        .any(|p| symbol.contains(p))
        .then(|| spelling::name_in_source(&symbol))
        .filter(|name| may_be(name))
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

/// Mark of markers that are variables of this file only.
const OF_FILE: &str = "adcc.marker";

/// Keeps passes from putting the values of markers in their place, where they are variables of this
/// file only. Whether there are any.
pub(super) fn keep(module: Module) -> bool {
    let is_stored = |g: &Value| {
        let is_store =
            |u: Value| u.is_instruction() && u.opcode() == Opcode::LLVMStore && u.operand(1) == *g;
        g.users().into_iter().any(is_store)
    };
    let is_static = |g: &Value| {
        g.initializer().is_some_and(Value::is_null)
            && g.is_private_global()
            && !g.is_global_constant()
            && is_marker(*g)
            && !is_stored(g)
    };
    let found: Vec<Value> = module.globals().into_iter().filter(is_static).collect();
    for g in &found {
        g.set_open(true);
        g.set_mark(OF_FILE);
    }
    !found.is_empty()
}

/// Undoes [`keep`]. Whether there is anything to undo.
pub(super) fn release(module: Module) -> bool {
    let kept = module.globals().into_iter().filter(|g| g.has_mark(OF_FILE));
    let found: Vec<Value> = kept.collect();
    for g in &found {
        g.clear_mark(OF_FILE);
        g.set_open(false);
    }
    !found.is_empty()
}

/// Lets functions be inlined that are given markers: what a request in them asks for depends on
/// their callers. Whether there are any.
pub(super) fn inline_forwarders(module: Module) -> bool {
    let mut inlined = vec![];
    let mut flow: Vec<Value> = module.globals().into_iter().filter(|g| is_marker(*g)).collect();
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
