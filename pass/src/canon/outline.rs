//! Checkpointed loops and regions become functions: `NAME.step` for one iteration,
//! `NAME.checkpointed` for all, called in place of the loop. All that iterations pass on lies in
//! memory then (shim/outline.cpp).
//!
//! `NAME.checkpointed` begins with `adcc.checkpoint(steps, snapshots)`, for a fixed point
//! `adcc.checkpoint(bits of the tolerance, -1)`, and a call of
//! `adcc.checkpoint.state` for each memory that the user names. Loops inside a step keep their
//! markers: they are outlined when the step is brought into canonical form.

use super::{Failure, Shared};
use crate::{
    annotations::checkpoint::{FIXED_POINT, OUTLINED},
    diagnostics::{Code, Diagnostic},
    llvm::{Function, Outlined},
};

/// Brings loops into the form that outlining wants. What they hand out goes through phis behind
/// them: it is stored where a step ends, so that its adjoint comes first when the step is undone.
const LOOPS: &str = "loop-simplify,lcssa";

/// Outlines all checkpointed loops and regions of a canonical copy that lie in no other.
pub fn outline(function: Function, source: Function, shared: &mut Shared) -> Result<(), Failure> {
    // What was made here has its markers behind it; a step may hold further loops.
    if source.attribute_string(OUTLINED).is_some_and(|kind| kind == "loop") {
        return Ok(());
    }
    let has_markers = |f: Function| f.blocks().iter().flat_map(|b| b.instructions()).any(is_marker);
    if !has_markers(function) {
        return Ok(());
    }
    // Landing pads of their own may go with the step.
    function.split_invokes();
    loop {
        function.run_passes(LOOPS)?;
        match function.outline(&source.name()) {
            Outlined::Nothing => return Ok(()),
            Outlined::Functions(step, whole) => {
                for f in [step, whole] {
                    shared.outlined.push(f);
                    f.verify().map_err(|e| format!("outlining made an unsound function ({e})"))?;
                }
            }
            Outlined::Refused { site, reason, remedy, made } => {
                shared.outlined.extend(made);
                return Err(Failure::Refused(Diagnostic::new(
                    Code::Checkpoint,
                    Some(site),
                    reason,
                    remedy,
                )));
            }
        }
    }
}

fn is_marker(inst: crate::llvm::Value) -> bool {
    inst.is_call()
        && inst.called().as_function().is_some_and(|f| {
            f.name().starts_with("ad_checkpoint_") || f.name().starts_with(FIXED_POINT)
        })
}

/// Deletes what no code calls any more.
pub fn drop_unused(shared: &mut Shared) {
    let mut left = std::mem::take(&mut shared.outlined);
    loop {
        let (unused, used): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|f| f.value().users().is_empty());
        left = used;
        if unused.is_empty() {
            break;
        }
        unused.into_iter().for_each(Function::delete);
    }
    // What derivatives call is a function like others.
    left.iter().for_each(|f| f.remove_attribute("noinline"));
}
