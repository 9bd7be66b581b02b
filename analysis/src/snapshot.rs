//! Snapshots: what a checkpoint of a call must save so that the call can be run again when its
//! reverse is due.
//!
//!   SNP(C) = reads(C) ∩ (writes(C) ∪ Adj-out⁺(C))
//! The specification's out(C) ∩ (TBR⁻(C) ∪ Diff-live⁻(C)), with what happens between the two runs
//! spelled out: running C again needs what C reads as it was, so what C or anything after it
//! overwrites is saved. What the reverse of the code before C loads again is not overwritten by C
//! (`tbr.rs`), so TBR⁻(C) adds nothing. Errs towards saving. Source: Hascoët & Pascual, RR-7957,
//! sections 4.10 and 5.4.

use super::{
    adjoint_out::AdjointOut,
    dataflow::sets::{self, and},
    locations::Component,
    summary::Known,
};
use adir::ValueId;

/// Locations that a checkpoint of `call` saves; `None` where nothing is known of what it calls.
pub fn snapshot(known: Known, out: &AdjointOut, call: ValueId) -> Option<Vec<Component>> {
    known.callees.get(&call)?;
    let access = known.locations.access(call)?;
    let mut changed = (*access.writes.all).clone();
    changed |= out.after_call(call)?;
    let saved = and(&access.reads.own, &changed);
    Some(sets::ones(&saved).map(|l| *known.locations.component(l)).collect())
}
