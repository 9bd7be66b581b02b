//! Data that come from elsewhere: what other processes, threads and devices store
//! (library/outside.rs), and numbers that are read from text in which active reals were written
//! (library/text.rs). Both are constant for activity, which would be wrong where they have an
//! influence: found here, refused in check/.
//!
//! Text: forward; domain: locations that may hold text with digits of something varied; facts: such
//! characters, and pointers to such text. Made by functions that write varied reals; moved by
//! loads, stores, copies and functions on text, whatever their types are. Brought: varied data
//! (varied.rs) if what is received, and what is read from such text, were varied. Useful as in
//! useful.rs for those. A call is refused iff what it brings is useful, or what it sends is varied.
//! A function with a body: text that it makes lies where its summary says (left.rs); where it moves text
//! that it is given, in all that it may write. Where it makes text only for an exception that ends it,
//! there is none where it returns: then its text begins where the exception is found, at a landing pad or
//! behind the branch by what the call hands over ([`Body::handed`](adir::Body::handed)). Errs towards
//! refusing, but in bodies without such functions there is nothing to find.

mod calls;
mod elsewhere;
mod ending;
mod flow;
mod handlers;
mod left;
mod state;
mod text;

pub use left::Left;
pub(crate) use text::has_text;

use super::{Activity, Param, shadow::Shadows, useful, varied};
use crate::{
    context::Context,
    dataflow::sets::{self, meet},
    summary::Known,
};
use adir::{Callee, Op, Ty, ValueId, hashed::HashMap, library::outside::Outside};
use bitvec::prelude::*;
use elsewhere::{Elsewhere, Varied};
use text::Text;

/// Why a call is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It takes varied data elsewhere.
    Sent,
    /// It brings data that are useful.
    Received,
    /// It reads a useful number from text that holds active data.
    Read,
    /// It makes such text known by a name.
    Published,
}

/// Calls, and integers that become reals, that must be refused.
pub fn compute(known: Known, context: &Context, activity: &Activity) -> Vec<(ValueId, Why)> {
    let body = known.body;
    let calls: Vec<ValueId> = body.insts().filter(|&v| body[v].outside.is_any()).collect();
    if calls.is_empty() {
        return vec![];
    }
    let mut found: Vec<(ValueId, Why)> = vec![];
    let elsewhere = Elsewhere { known, varied: Varied::Of(activity) };
    for &v in calls.iter().filter(|&&v| body[v].outside.has(Outside::SENDS)) {
        // The body of one that takes part in derivatives is looked at itself.
        let is_checked =
            matches!(body[v].op, Op::Call(Callee::Defined)) && activity.is_active_call(v);
        let sent = known
            .locations
            .exchange(v)
            .is_some_and(|exchange| elsewhere.is_given_varied(v, &exchange.sent.own));
        if !is_checked && sent {
            found.push((v, Why::Sent));
        }
    }
    let lefts = |call: ValueId| known.callees.left(call);
    let text = Text::compute(known, Varied::Of(activity), &lefts);
    found.extend(text.published.iter().map(|&v| (v, Why::Published)));
    // The locations where each stores what it brings.
    let mut stores: HashMap<ValueId, BitVec> = HashMap::default();
    for &v in &calls {
        let mut writes = known.locations.empty();
        if body[v].outside.has(Outside::RECEIVES)
            && let Some(exchange) = known.locations.exchange(v)
        {
            sets::add(&mut writes, &exchange.received.own);
        }
        if text.reached.contains(&v) {
            writes |= elsewhere.read_into(v);
        }
        if body[v].outside.has(Outside::RECEIVES) || text.reached.contains(&v) {
            stores.insert(v, writes);
        }
    }
    // Functions of other files: what they return, or where that says nothing, what they may store.
    let brings = |v: ValueId| {
        if body[v].ty.holds_float() { known.locations.empty() } else { elsewhere.read_into(v) }
    };
    text.reached.iter().for_each(|&v| _ = stores.entry(v).or_insert_with(|| brings(v)));
    text.digits.iter().for_each(|&v| _ = stores.insert(v, known.locations.empty()));
    if stores.is_empty() {
        return found;
    }
    let mut open = context.clone();
    open.is_open = true;
    // What comes into memory that is constant for the request may be active elsewhere all the same.
    let params: Vec<Param> = body
        .params
        .iter()
        .zip(&activity.params)
        .map(|(&p, &param)| if body[p].ty == Ty::Ptr { Param::Shadowed } else { param })
        .collect();
    let reach = Shadows::possible(known, &params, &open);
    let sources: HashMap<ValueId, BitVec> =
        stores.iter().map(|(&v, writes)| (v, known.locations.widened(writes))).collect();
    let none = bitvec![0; body.values.len()];
    let received = varied::compute_with(known, &params, &open, &reach, true, (&none, &sources));
    let varied = (&received.values, &none);
    let useful = useful::compute(known, &activity.params, context, varied, &reach);
    for (&v, writes) in &stores {
        let stored = useful.after_calls.get(&v).is_some_and(|after| meet(writes, after));
        if stored || useful.values[v.index()] {
            let is_text = text.reached.contains(&v) || text.digits.contains(&v);
            found.push((
                v,
                if is_text && !body[v].outside.has(Outside::RECEIVES) {
                    Why::Read
                } else {
                    Why::Received
                },
            ));
        }
    }
    found.sort_unstable_by_key(|f| f.0);
    found
}
