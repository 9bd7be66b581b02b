//! Which calls are joint: they record nothing, and run again when the reverse sweep undoes them.
//! All others are split: recorded when they run, undone later.
//!
//! [`is_joint`] is where that is decided. What the user says comes first, from the nearest to the
//! widest: of a call (`ad_split_begin`, `ad_split_end` around it), of a function (`-ad-joint`,
//! `-ad-split`, `__ad_joint_function…`, `__ad_split_function…`), of all (`-ad-calls`). A joint call
//! is a region like those between `ad_checkpoint_begin` and `ad_checkpoint_end`: [`mark_calls`]
//! puts the markers.

use crate::{
    annotations::{attributes, checkpoint::OUTLINED, registry},
    llvm::{Builder, Function, Module, Type, Value},
};
use adir::hashed::HashSet;

/// What becomes of the calls of which the user says nothing (`-ad-calls`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Calls {
    /// What is best for each, as far as that is known.
    #[default]
    Auto,
    /// All are split.
    Split,
    /// All are joint that can be.
    Joint,
}

/// String attribute of functions whose calls are joint.
const JOINT: &str = "adcc-joint";
/// String attribute of functions whose calls are split, and of such calls. Of functions whose calls
/// would be joint, but cannot run twice, it says why.
const SPLIT: &str = "adcc-split";
/// String attribute of a joint call that lies in its region: who wants it there.
const IN_REGION: &str = "adcc-in-region";
/// Only `-ad-calls`: what cannot run twice is split.
const BY_OPTION: &str = "option";

/// Markers around calls that are split, as C and as Fortran call them.
const BEGIN: [&str; 2] = ["ad_split_begin", "ad_split_begin_"];
const END: [&str; 2] = ["ad_split_end", "ad_split_end_"];

/// Makes all calls of a function joint.
pub fn make_joint(f: Function) {
    f.add_attribute_string(JOINT, "");
}

/// Makes all calls of a function split.
pub fn make_split(f: Function) {
    f.add_attribute_string(SPLIT, "");
}

/// Whether the user says that a function's calls are joint. Functions that were outlined from it
/// have its attributes.
pub fn is_annotated_joint(f: Function) -> bool {
    f.attribute_string(JOINT).is_some() && f.attribute_string(OUTLINED).is_none()
}

/// Whether the user says that a function's calls are split.
pub fn is_annotated_split(f: Function) -> bool {
    f.attribute_string(SPLIT).is_some()
}

/// The function whose calls `-ad-calls` alone has put into the region that became `step`.
pub fn joint_by_option(step: Function) -> Option<Function> {
    let mut all = step.blocks().into_iter().flat_map(|b| b.instructions());
    let call =
        all.find(|i| i.is_call() && i.call_string(IN_REGION).is_some_and(|who| who == BY_OPTION))?;
    call.called().as_function()
}

/// From here on the calls of a function are split, which would be joint if they could be.
pub fn make_split_for(f: Function, reason: &str) {
    f.add_attribute_string(SPLIT, reason);
}

/// Why the calls of a function are split that would be joint if they could be.
pub fn why_split(f: Function) -> Option<String> {
    f.attribute_string(SPLIT)
        .filter(|reason| !reason.is_empty() && f.attribute_string(OUTLINED).is_none())
}

/// Who wants a call to be joint; `None` where it is split.
fn is_joint(calls: Calls, call: Value) -> Option<&'static str> {
    let callee = call.called().as_function()?;
    if call.call_string(SPLIT).is_some() || is_annotated_split(callee) {
        return None;
    }
    if is_annotated_joint(callee) {
        return Some("user");
    }
    match calls {
        Calls::Auto | Calls::Split => None,
        Calls::Joint => can_be_joint(call, callee).then_some(BY_OPTION),
    }
}

/// Whether a call that stayed one is of a function of the user's with a body.
fn can_be_joint(call: Value, callee: Function) -> bool {
    !callee.is_declaration()
        && !callee.is_variadic()
        && callee.ty() == call.called_type()
        && callee.attribute_string(OUTLINED).is_none()
        && attributes::stands_for(callee).is_none()
        && registry::of(callee).is_none()
        && !callee.name().starts_with(attributes::MODEL)
}

/// Puts the markers of a region around the joint calls of a canonical copy, but for those that an
/// exception may leave within it.
pub fn mark_calls(module: Module, function: Function, calls: Calls) {
    let context = module.context();
    let is_new =
        |call: &Value| call.is_call() && !call.is_invoke() && call.call_string(IN_REGION).is_none();
    let all = function.blocks().into_iter().flat_map(|b| b.instructions());
    let found: Vec<(Value, &str)> =
        all.filter(is_new).filter_map(|call| Some((call, is_joint(calls, call)?))).collect();
    for (call, who) in found {
        call.set_call_string(IN_REGION, who);
        let [begin, end] = ["ad_checkpoint_begin", "ad_checkpoint_end"].map(|name| {
            let marker = module.declare(name, Type::function(context.void(), &[], false));
            marker.make_marker();
            marker
        });
        let b = Builder::new(context);
        b.position_before(call);
        b.call(begin, &[]);
        let insts = call.block().instructions();
        let at = insts.iter().position(|i| *i == call).expect("a call lies in its block");
        b.position_before(insts[at + 1]);
        b.call(end, &[]);
    }
}

/// Marks the calls between `ad_split_begin` and `ad_split_end`, and takes these out: calls may move
/// from here on. Whether there were any.
pub fn prepare(module: Module) -> bool {
    let mut found = false;
    for f in BEGIN.iter().filter_map(|name| module.function(name)).filter(|f| f.is_declaration()) {
        calls_of(f).into_iter().for_each(mark_split);
    }
    for f in BEGIN
        .iter()
        .chain(&END)
        .filter_map(|name| module.function(name))
        .filter(|f| f.is_declaration())
    {
        for call in calls_of(f).into_iter().filter(|call| call.ty().is_void()) {
            let call = if call.is_invoke() { call.invoke_to_call() } else { call };
            call.erase();
        }
        if f.value().users().is_empty() {
            f.delete();
        }
        found = true;
    }
    found
}

/// Marks the calls behind `begin`, on each way up to an end or to the function's.
fn mark_split(begin: Value) {
    let is_one_of = |i: &Value, names: [&str; 2]| {
        i.is_call() && i.called().as_function().is_some_and(|f| names.contains(&f.name().as_str()))
    };
    let mut seen = HashSet::default();
    let after =
        begin.block().instructions().into_iter().skip_while(|i| *i != begin).skip(1).collect();
    let mut left: Vec<Vec<Value>> = vec![after];
    while let Some(insts) = left.pop() {
        let end = insts.iter().position(|i| is_one_of(i, END));
        for call in insts[..end.unwrap_or(insts.len())]
            .iter()
            .filter(|i| i.is_call() && !is_one_of(i, BEGIN))
        {
            call.set_call_string(SPLIT, "");
        }
        if end.is_none() {
            let next = insts.last().map(|t| t.successors()).unwrap_or_default();
            left.extend(next.into_iter().filter(|b| seen.insert(*b)).map(|b| b.instructions()));
        }
    }
}

/// The calls and invokes of a function.
fn calls_of(f: Function) -> Vec<Value> {
    f.value()
        .users()
        .into_iter()
        .filter(|u| u.is_instruction() && u.is_call() && u.called() == f.value())
        .collect()
}
