//! Arrays that change places: what a step is given through pointers that go from step to step stays
//! apart if it was before the loop.
//!
//! Where a step reads pointers from variables of its own kind and stores them there in another
//! order, the variables hold after any number of steps what they held before the loop, in some
//! order σ. Two of them lead to disjoint memory in each step if those that they take their pointers
//! from, σ⁰, σ¹, σ² …, do at the loop's start. So nothing has to be tested when the program runs.
//!
//! Errs towards nothing: the variables must have no other name (`noalias`), each be read before any
//! is stored to, and all stores lie in one block that runs once at most.

use super::Parts;
use crate::image::unit::Unit;
use adanalysis::{context::Context, points_to::Object};
use adir::{Body, Op, Ty, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Entries of contexts, as (parameter, level) pairs.
type Pairs = Vec<((u32, u32), (u32, u32))>;

/// Entries of a step that do not overlap, as those of the loop do not; `context` is the loop's.
pub fn apart(loop_body: &Body, parts: &Parts, step: &Unit, context: &Context) -> Pairs {
    let Some(from) = rotation(step) else { return vec![] };
    // The loop's parameter that a step's is.
    let outer = |i: u32| match loop_body[loop_body.operand(parts.step, i as usize)].op {
        Op::Param(p) => Some((p, 1)),
        _ => None,
    };
    let is_apart = |i: u32, j: u32| match (outer(i), outer(j)) {
        (Some(p), Some(q)) => context.apart().binary_search(&(p.min(q), p.max(q))).is_ok(),
        _ => false,
    };
    let mut pairs = vec![];
    for &i in from.keys() {
        for &j in from.keys().filter(|&&j| j > i) {
            let (mut a, mut b) = (i, j);
            let stays = loop {
                if !is_apart(a, b) {
                    break false;
                }
                (a, b) = (from[&a], from[&b]);
                if (a, b) == (i, j) {
                    break true;
                }
            };
            if stays {
                pairs.push(((i, 1), (j, 1)));
            }
        }
    }
    pairs
}

/// From which variable each takes its pointer, by parameter; `None` where a step stores other
/// pointers, or elsewhere.
fn rotation(step: &Unit) -> Option<BTreeMap<u32, u32>> {
    let body = &step.body;
    let (stored, elsewhere) = step.memory.stores_pointers();
    let is_further =
        |o: usize| !matches!(step.memory.objects[o], Object::Param(_) | Object::Local(_));
    if elsewhere
        || !step.memory.moved_to().is_empty()
        || step.memory.stored_pointers().any(|(o, _)| is_further(o))
    {
        return None;
    }
    let mut from = BTreeMap::new();
    let mut stores: Vec<ValueId> = vec![];
    let mut loads: Vec<ValueId> = vec![];
    for &param in stored.iter().filter(|&&p| body.noalias[p as usize]) {
        let at = body.params[param as usize];
        let users = &body.users[at];
        let reads = |u: &ValueId| matches!(body[*u].op, Op::Load) && body[*u].ty == Ty::Ptr;
        let writes = |u: &ValueId| matches!(body[*u].op, Op::Store) && body.operand(*u, 0) != at;
        // Counters have no pointers, and what steps do not read is for the code behind the loop.
        if !users.iter().any(reads) || !users.iter().all(|u| reads(u) || writes(u)) {
            continue;
        }
        loads.extend(users.iter().copied().filter(reads));
        for store in users.iter().copied().filter(writes) {
            let value = body.operand(store, 0);
            let Op::Load = body[value].op else { return None };
            let Op::Param(source) = body[body.operand(value, 0)].op else { return None };
            if from.insert(param, source).is_some() {
                return None;
            }
            stores.push(store);
        }
    }
    let sources: BTreeSet<u32> = from.values().copied().collect();
    let first = *stores.first()?;
    let block = body[first].block?;
    let place = stores.iter().map(|&s| body[s].place).min()?;
    let comes_before = |&l: &ValueId| match body[l].block {
        Some(b) if b == block => body[l].place < place,
        Some(b) => body.dominates(b, block),
        None => false,
    };
    let is_one_block =
        stores.iter().all(|&s| body[s].block == Some(block)) && body[block].innermost.is_none();
    (sources.iter().eq(from.keys()) && is_one_block && loads.iter().all(comes_before))
        .then_some(from)
}
