//! Where a function reads numbers from text with active digits.

use super::{
    elsewhere::{Varied, opens_memory},
    flow::{Entry, Flow, Lefts},
    state::State,
};
use crate::{
    dataflow::{Cursor, engine::Solution, sets::meet, solve},
    summary::Known,
};
use adir::{
    Body, Cast, Op, ValueId,
    library::{
        outside::{self, Outside},
        text,
    },
};

/// Where text with active digits goes.
#[derive(Default)]
pub(super) struct Text {
    /// Calls that read numbers from it.
    pub reached: Vec<ValueId>,
    /// Integers made of its characters that become reals, and reals that are loaded from where a
    /// file in memory has their bytes.
    pub digits: Vec<ValueId>,
    /// Calls that make it known by a name.
    pub published: Vec<ValueId>,
}

impl Text {
    /// Of a function that leaves text as `lefts` says where it calls others.
    pub fn compute(known: Known, varied: Varied, lefts: Lefts) -> Text {
        if !has_text(known.body) {
            return Text::default();
        }
        let flow = Flow::new(known, varied, lefts, Entry::Nothing);
        let mut solution = solve(known.body, &flow, &[]);
        Text::found(&flow, &mut solution)
    }

    /// The same, where it is known where text is.
    pub fn found(flow: &Flow, solution: &mut Solution<State, bool>) -> Text {
        let Flow { known, roles, has_files, .. } = flow;
        let body = known.body;
        let is_binary = |v: &ValueId| {
            body[*v].symbol.as_deref().is_some_and(|s| text::is_binary(outside::base(s)))
        };
        let publishes = |v: ValueId| {
            body[v].symbol.as_deref().is_some_and(|s| text::publishes(outside::base(s)))
        };
        let has_bytes = *has_files && roles.keys().any(is_binary);
        let facts = solution.values(|f| *f);
        let is = |o: ValueId| facts[o.index()];
        let mut found = Text::default();
        let mut cursor = Cursor::new(body, flow, solution);
        let mut before = |v: ValueId| {
            let mut state = cursor.before(v).clone();
            flow.enter(v, &mut state, &is);
            state
        };
        for v in body.insts() {
            match body[v].op {
                Op::Cast(Cast::IntToFloat) if facts[body.operand(v, 0).index()] => {
                    found.digits.push(v)
                }
                Op::Call(_) if publishes(v) && flow.is_any_text(v, &before(v), &is) => {
                    found.published.push(v);
                }
                Op::Load if has_bytes && body[v].ty.holds_float() => {
                    let state = before(v);
                    if facts[body.operand(v, 0).index()]
                        || known
                            .locations
                            .access(v)
                            .is_some_and(|a| meet(&a.reads.own, &state.text))
                    {
                        found.digits.push(v);
                    }
                }
                Op::Call(_) if flow.is_reading(v) && flow.reads(v, &before(v), &is) => {
                    found.reached.push(v);
                }
                _ => {}
            }
        }
        found
    }

    /// Whether the function makes numbers of it.
    pub fn reads(&self) -> bool {
        !self.reached.is_empty() || !self.digits.is_empty()
    }
}

/// Whether a function may make text of reals.
pub(crate) fn has_text(body: &Body) -> bool {
    let writes = |v: ValueId| body[v].outside.has(Outside::MAKES_TEXT) || opens_memory(body, v);
    body.insts().any(writes)
}
