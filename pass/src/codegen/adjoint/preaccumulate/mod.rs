//! Preaccumulation: a derivative of one value by another, across all that lies between them,
//! recorded in place of what the partials in between read.
//!
//! A region is a set of real operations of one block with one output y. Only the region has a use,
//! in the reverse sweep, of what its other members compute. Its inputs x_k are what members read
//! and the region does not compute; the row of its local Jacobian has the entries J_k = dy/dx_k.
//! Undone at once,
//!
//!   x̄_k += y̅ == 0 ? 0 : J_k y̅    for entries that are recorded; the others by partials, along the edges that lead to them.
//!
//! `Node::Entry(y, x_k)` is a node of the plan like all others: had from what the partials read on
//! all ways from x_k to y, or recorded. So one minimum cut decides between all alternatives. The
//! price of its record is raised by the effort of the values that it saves (`Regions::price`):
//! saved effort alone is no reason to record.
//!
//! With one output, going back from it costs one multiplication per edge, and after each step all
//! vertices that are left have one successor: no order of elimination is cheaper by Markowitz's
//! measure. Source: Naumann et al., Control Flow Reversal for Adjoint Code Generation, section 3.

mod emit;
mod find;
mod row;

pub use row::{Edge, Region};

use super::{
    FrameStorage,
    needs::{Needs, Node},
    plan::Plan,
    sources::{Origin, Sources},
};
use adir::{Op, Ty, ValueId, hashed::HashMap};
use adrules::Output;
use std::collections::BTreeSet;

/// Operations saved per entry that are worth recording it in place of as many bytes.
const WORTH: u64 = 3;
/// What is added to the price of entries, one after the other, until no more bytes are recorded
/// than without them.
const PRICES: [u64; 3] = [0, 8, 64];

/// The regions of a function.
#[derive(Default)]
pub struct Regions {
    all: Vec<Region>,
    /// Per member: its region.
    of: HashMap<ValueId, usize>,
    /// Per value: the regions whose rows may be computed behind it.
    behind: HashMap<ValueId, Vec<usize>>,
    /// Of each entry: the nodes from which it is had, and what the effort that its record saves
    /// adds to its price.
    entries: HashMap<(ValueId, ValueId), (Vec<Node>, u64)>,
    /// What is added to all prices.
    more: u64,
}

impl Regions {
    /// The region of which `v` is a member.
    pub fn of(&self, v: ValueId) -> Option<&Region> {
        self.of.get(&v).map(|&i| &self.all[i])
    }
    /// The regions whose rows may be computed behind `v`, and not before.
    pub fn behind(&self, v: ValueId) -> impl Iterator<Item = &Region> {
        self.behind.get(&v).into_iter().flatten().map(|&i| &self.all[i])
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
    /// The entries of all regions.
    pub fn entries(&self) -> impl Iterator<Item = Node> + '_ {
        self.all.iter().flat_map(|r| r.inputs.iter().map(|&x| Node::Entry(r.output, x)))
    }
    /// The nodes from which the entry of output `y` and input `x` is had.
    pub fn parts(&self, y: ValueId, x: ValueId) -> Vec<Node> {
        self.entries.get(&(y, x)).map(|e| e.0.clone()).unwrap_or_default()
    }
    /// What undoing the member `v` asks for: the entries of its region for the output, nothing for
    /// others.
    pub fn read_in_place(&self, v: ValueId) -> Option<Vec<Node>> {
        let region = self.of(v)?;
        let entries = |r: &Region| r.inputs.iter().map(|&x| Node::Entry(v, x)).collect();
        Some(if v == region.output { entries(region) } else { vec![] })
    }
    /// What its record costs beyond its bytes.
    pub fn price(&self, y: ValueId, x: ValueId) -> u64 {
        self.entries.get(&(y, x)).map_or(0, |e| e.1) + self.more
    }

    fn add(&mut self, needs: &Needs, region: Region, sources: &Sources) {
        let members = region.members();
        for &x in &region.inputs {
            let mut parts: Vec<Node> = region
                .edges_to(|input| input == x)
                .into_iter()
                .flat_map(|e| read_by(needs, e))
                .collect();
            parts.sort();
            parts.dedup();
            let saved = effort_within(&members, &parts, sources) / region.inputs.len() as u64;
            // Where the same bytes are recorded either way, a few operations are not worth the
            // change.
            let price = saved + u64::from(saved < WORTH);
            self.entries.insert((region.output, x), (parts, price));
        }
        self.behind.entry(anchor(needs, &region)).or_default().push(self.all.len());
        self.of.extend(members.iter().map(|&v| (v, self.all.len())));
        self.all.push(region);
    }
}

/// The effort of having `parts` again that goes to members.
fn effort_within(members: &BTreeSet<ValueId>, parts: &[Node], sources: &Sources) -> u64 {
    let mut seen: BTreeSet<Node> = BTreeSet::new();
    let mut work = parts.to_vec();
    let mut effort = 0;
    while let Some(node) = work.pop() {
        let is_member = matches!(node, Node::Primal(v) if members.contains(&v));
        if is_member
            && seen.insert(node)
            && let Origin::From(from) = sources.origin(node)
        {
            effort += sources.effort(node);
            work.extend(from);
        }
    }
    effort
}

/// Makes `plan` one with entries of regions, where that records fewer bytes.
pub fn improve(plan: &mut Plan, sources: &mut Sources, place: FrameStorage, width: usize) {
    let needs = sources.needs();
    let body = needs.body();
    let regions = Regions::find(needs, sources, place);
    if regions.is_empty() {
        return;
    }
    let needed = needs.needed_with(&regions);
    let bytes = |p: &Plan| p.traffic(body) + if place.is_apart() { p.frame_bytes } else { 0 };
    sources.regions = regions;
    for more in PRICES {
        sources.regions.more = more;
        let other = Plan::compute(body, sources, needed.clone(), place, width);
        if !other.records_entries() {
            break;
        }
        if bytes(&other) <= bytes(plan) {
            *plan = other;
            return;
        }
    }
    sources.regions = Regions::default();
}

/// The edges of `v` from its active operands, if it may be a member of a region.
fn edges(needs: &Needs, v: ValueId) -> Option<Vec<Edge>> {
    let body = needs.body();
    let data = &body[v];
    let is_scalar = |v: ValueId| matches!(body[v].ty, Ty::F32 | Ty::F64 | Ty::F80);
    // Products of partials may be out of the range of float where adjoints are in it; entries in
    // double cost more time than they save.
    if !matches!(body[v].ty, Ty::F64 | Ty::F80) || !needs.is_active(v) || !needs.has_reverse(v) {
        return None;
    }
    let edge = |operand: usize| Edge { to: v, operand, from: data.operands[operand] };
    let edges: Vec<Edge> = match data.op {
        Op::Select => vec![edge(1), edge(2)],
        _ => {
            let partials = needs.partials(v)?;
            let is_plain = partials.terms.iter().all(|t| t.0 == Output::Return);
            if !is_plain
                || data
                    .operands
                    .iter()
                    .any(|&o| !is_scalar(o) && !matches!(body[o].ty, Ty::Int(_) | Ty::Other))
            {
                return None;
            }
            partials.terms.iter().map(|t| edge(t.1)).collect()
        }
    };
    let edges: Vec<Edge> = edges.into_iter().filter(|e| needs.is_active(e.from)).collect();
    edges.iter().all(|e| is_scalar(e.from)).then_some(edges)
}

/// The nodes that the partial along an edge reads.
fn read_by(needs: &Needs, edge: &Edge) -> Vec<Node> {
    let body = needs.body();
    if matches!(body[edge.to].op, Op::Select) {
        return vec![Node::Primal(body.operand(edge.to, 0))];
    }
    let Some(partials) = needs.partials(edge.to) else { return vec![] };
    let Some((.., expr)) = partials.terms.iter().find(|t| t.1 == edge.operand) else {
        return vec![];
    };
    let read = partials
        .read_by(body, edge.to, expr)
        .into_iter()
        .map(|k| partials.parameter(body, edge.to, k));
    let result = expr.uses_result().then_some(edge.to);
    read.chain(result).map(Node::Primal).collect()
}

/// The last of the values that the partials of a region read, in the order of its block: behind it
/// all of them are there.
fn anchor(needs: &Needs, region: &Region) -> ValueId {
    let body = needs.body();
    let block = body[region.output].block;
    let others = region.edges.iter().filter_map(|e| needs.partials(e.to)).flat_map(|p| p.others);
    let here = others.filter(|&w| body[w].block == block);
    here.fold(region.output, |last, w| std::cmp::max_by_key(last, w, |&v| body.position(v)))
}
