//! What callers know of the memory that they pass on, from callers to callees.
//!
//! Each way in which a function is called gives a view: what is known of the memory behind its
//! names there. A function that the user calls has a view without anything. Only functions with a
//! question that nothing else answers get views.

use super::{
    Evidence, Types,
    access::Found,
    is_covered, is_only_copied,
    reach::Reach,
    uses::{is_passed_on, is_stored},
};
use crate::points_to::{Binding, PointsTo};
use adir::{Body, Callee, Cast, Op, Ty, ValueId};

/// Views of one function beyond which what further callers know is taken together.
const MOST_VIEWS: usize = 8;

/// A call of a function of a sweep.
pub struct Call {
    /// The call.
    pub at: ValueId,
    /// What the callee's names stand for, if that is known.
    pub binding: Option<Binding>,
    /// The number of the callee.
    pub callee: usize,
}

impl Call {
    /// What the names of the callee stand for, and its number.
    pub(super) fn known(&self) -> Option<(&Binding, usize)> {
        Some((self.binding.as_ref()?, self.callee))
    }
}

/// One function of a sweep.
pub struct Node<'a> {
    /// Its image.
    pub body: &'a Body,
    /// What its pointers name.
    pub memory: &'a PointsTo,
    /// Its calls to functions of the sweep.
    pub calls: Vec<Call>,
    /// If it is called from elsewhere, too: what is known there, in each way.
    pub asked: Option<Vec<Evidence>>,
}

/// Adds views to `types`, one element per node; `order` has callers before callees but for
/// recursion.
pub fn hand_down(nodes: &[Node], order: &[usize], types: &mut [Types]) {
    note_results(nodes, order, types);
    let mut asks: Vec<bool> =
        nodes.iter().zip(types.iter()).map(|(node, types)| has_questions(node, types)).collect();
    // What a callee asks, its callers must find out.
    while let Some(f) =
        (0..nodes.len()).find(|&f| !asks[f] && nodes[f].calls.iter().any(|c| asks[c.callee]))
    {
        asks[f] = true;
    }
    if !asks.contains(&true) {
        return;
    }
    let reach = Reach::of_all(nodes, order);
    let mut views: Vec<Vec<Evidence>> =
        nodes.iter().map(|n| n.asked.as_ref().map_or(vec![], |views| first_views(views))).collect();
    let mut rest: Vec<Option<Evidence>> = vec![None; nodes.len()];
    // Views never change: each is handed on once, as what is known with it; `rest` whenever it grew.
    let mut seen: Vec<Vec<Evidence>> = vec![vec![]; nodes.len()];
    let mut has_more = vec![false; nodes.len()];
    loop {
        let mut grew = false;
        for &f in order.iter().filter(|&&f| asks[f]) {
            let new = &views[f][seen[f].len()..];
            let with = |view: &Evidence| types[f].seen_with(nodes[f].memory, view);
            let mut all_new: Vec<Evidence> = new.iter().map(with).collect();
            seen[f].extend(all_new.iter().cloned());
            if std::mem::take(&mut has_more[f]) {
                all_new.extend(rest[f].as_ref().map(with));
            }
            for all in all_new {
                for call in nodes[f].calls.iter().filter(|c| asks[c.callee]) {
                    let callee = call.callee;
                    let passed = match &call.binding {
                        Some(b) => reach[callee].restrict(all.passed_on(nodes[f].memory, b)),
                        None => Evidence::default(),
                    };
                    if views[callee].contains(&passed) {
                        continue;
                    }
                    if views[callee].len() < MOST_VIEWS {
                        views[callee].push(passed);
                        grew = true;
                    } else {
                        let is_first = rest[callee].is_none();
                        let more = rest[callee].get_or_insert_default().join(&passed) || is_first;
                        has_more[callee] |= more;
                        grew |= more;
                    }
                }
            }
        }
        if !grew {
            break;
        }
    }
    for (f, ((views, rest), mut seen)) in views.into_iter().zip(rest).zip(seen).enumerate() {
        // Together they contradict, and answer nothing: what one does not know is not what another
        // knows.
        types[f].has_more_callers = rest.is_some();
        let rest = rest.into_iter().flat_map(|all| [all, Evidence::default()]);
        let others: Vec<Evidence> = views.into_iter().skip(seen.len()).chain(rest).collect();
        seen.extend(others.iter().map(|view| types[f].seen_with(nodes[f].memory, view)));
        types[f].callers = seen;
        types[f].found = Found::default();
    }
}

/// Notes of which functions callers may make numbers of what they return.
fn note_results(nodes: &[Node], order: &[usize], types: &mut [Types]) {
    for (node, types) in nodes.iter().zip(types.iter_mut()) {
        if node.asked.is_some() {
            types.uses.note_result();
        }
    }
    let mut is_news = true;
    while std::mem::take(&mut is_news) {
        for &f in order {
            for call in &nodes[f].calls {
                if !types[call.callee].uses.returns_number()
                    && types[f].uses.makes_number(nodes[f].body, call.at)
                {
                    is_news |= types[call.callee].uses.note_result();
                }
            }
        }
    }
}

/// Of a function that is called from elsewhere: nothing, for who knows what others hand over, and
/// what is known.
fn first_views(asked: &[Evidence]) -> Vec<Evidence> {
    let mut views = vec![Evidence::default()];
    for view in asked.iter().filter(|view| **view != Evidence::default()).take(MOST_VIEWS - 1) {
        if !views.contains(view) {
            views.push(view.clone());
        }
    }
    views
}

fn is_computed_with(body: &Body, v: ValueId) -> bool {
    body.users[v].iter().any(|&u| {
        matches!(
            body[u].op,
            Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend | Cast::IntToFloat)
        )
    })
}

/// Whether a function moves bytes of which it does not know what they are.
fn has_questions(node: &Node, types: &Types) -> bool {
    let Node { body, memory, .. } = *node;
    body.insts().any(|v| {
        let data = &body[v];
        match data.op {
            // Even where this function's accesses answer: callers may know that they are not all.
            Op::Call(Callee::MemCpy | Callee::MemMove) => true,
            _ if types.may_disguise(body, v) => true,
            Op::Load if data.ty == Ty::Ptr && is_passed_on(body, v) => true,
            // Nor do integers that are computed with, if the source does not call them so.
            Op::Load
                if matches!(data.ty, Ty::Int(32..))
                    && !data.is_integer
                    && is_computed_with(body, v) =>
            {
                true
            }
            // Nor those that are stored as well or may become numbers, whatever the source calls them.
            Op::Load
                if matches!(data.ty, Ty::Int(32..) | Ty::Vector(false))
                    && !data.is_member
                    && (is_stored(body, v) || types.uses.may_become_number(body, v)) =>
            {
                true
            }
            // Nor those that are only moved, or that called functions make numbers of.
            Op::Load | Op::Store
                if data.is_integer
                    && (types.leaves_bits_open(body, v) || types.uses.hands_number(body, v)) =>
            {
                true
            }
            Op::Store
                if matches!(body[data.operands[0]].ty, Ty::Int(16..))
                    && types.leaves_bits_open(body, v) =>
            {
                let bytes = body[data.operands[0]].bytes;
                !is_covered(&types.within(body, memory, v, data.operands[1], bytes), bytes)
            }
            // Callers may know that only a part of a real is moved.
            Op::Load if matches!(data.ty, Ty::Int(8)) && is_only_copied(body, v) => true,
            Op::Load
                if matches!(data.ty, Ty::Int(16..) | Ty::Vector(false))
                    && (is_only_copied(body, v) || types.leaves_bits_open(body, v)) =>
            {
                !is_covered(
                    &types.within(body, memory, v, data.operands[0], data.bytes),
                    data.bytes,
                )
            }
            _ => false,
        }
    })
}
