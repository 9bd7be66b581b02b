//! Which bytes of memory a function accesses, itself or by the functions that it calls.
//!
//! What callers know of other bytes answers no question of the function. Without it, many calls look
//! the same: those with the elements of an array of structs, for example, around which the caller
//! knows others. Errs towards too many bytes.

use super::{Evidence, Node, known::Known};
use crate::points_to::{Offset, Targets, overlap};
use adir::{Callee, Op, Ty, ValueId, hashed::HashMap};
use std::{ops::Range, rc::Rc};

/// All bytes of an object.
const ALL: Range<i64> = i64::MIN..i64::MAX;

/// The bytes that are accessed.
#[derive(Debug)]
pub(super) enum Reach {
    /// Perhaps all.
    Everything,
    /// These, by object.
    Bytes(HashMap<usize, Range<i64>>),
}

impl Reach {
    /// Of each function; `order` has callers before callees but for recursion.
    pub fn of_all(nodes: &[Node], order: &[usize]) -> Vec<Reach> {
        let mut all: Vec<Option<Reach>> = nodes.iter().map(|_| None).collect();
        for &f in order.iter().rev() {
            all[f] = Some(of(&nodes[f], &all).map_or(Reach::Everything, Reach::Bytes));
        }
        all.into_iter().map(|reach| reach.unwrap_or(Reach::Everything)).collect()
    }

    /// What is known of these bytes.
    pub fn restrict(&self, evidence: Evidence) -> Evidence {
        let Reach::Bytes(all) = self else { return evidence };
        let mut rest = Evidence::default();
        let is_here = |object: usize, at: Offset, bytes: u64| {
            all.get(&object).is_some_and(|range| {
                *range == ALL
                    || overlap(
                        Offset::new(range.start, 0),
                        range.end.abs_diff(range.start),
                        at,
                        bytes,
                    )
            })
        };
        for (&object, known) in &evidence.entries {
            let is_near = |e: &&super::Entry| is_here(object, e.offset, e.bytes);
            let near = known.list().iter().filter(is_near).count();
            let known = match near {
                0 => continue,
                _ if near == known.list().len() => known.clone(),
                _ => Rc::new(known.list().iter().filter(is_near).copied().collect::<Known>()),
            };
            rest.entries.insert(object, known);
        }
        for object in evidence.copied_in.objects() {
            for (kind, place) in evidence.copied_in.of(object) {
                if is_here(object, place.0, place.1) {
                    rest.copied_in.add(object, kind, place);
                }
            }
        }
        rest
    }
}

/// Adds bytes of the objects that a pointer may name.
fn add(to: &mut HashMap<usize, Range<i64>>, targets: &Targets, bytes: Option<Range<i64>>) {
    for (object, at) in targets.each() {
        let moved = |bytes: Range<i64>| {
            let start = at.constant.checked_add(bytes.start)?;
            Some(start..at.constant.checked_add(bytes.end)?)
        };
        let range = bytes.clone().filter(|_| at.is_exact()).and_then(moved).unwrap_or(ALL);
        let known = to.entry(object as usize).or_insert_with(|| range.clone());
        *known = known.start.min(range.start)..known.end.max(range.end);
    }
}

/// The bytes that a function accesses; `None`: perhaps all. `known`: those of its callees.
fn of(node: &Node, known: &[Option<Reach>]) -> Option<HashMap<usize, Range<i64>>> {
    let Node { body, memory, .. } = *node;
    let mut all = HashMap::default();
    let first = |bytes: u64| i64::try_from(bytes).ok().map(|bytes| 0..bytes);
    for v in body.insts() {
        let data = &body[v];
        let mut access = |pointer: ValueId, bytes: Option<Range<i64>>| {
            add(&mut all, memory.targets(pointer), bytes);
        };
        let operand = |i: usize| body.operand(v, i);
        match &data.op {
            // What lies in the same word tells whether its shadow may be looked at (activity/integers.rs).
            Op::Load if matches!(data.ty, Ty::Int(8 | 16 | 32)) => {
                let rest = 8 - data.bytes as i64;
                access(operand(0), Some(-rest..8));
            }
            Op::Load | Op::Update(_) => access(operand(0), first(data.bytes)),
            Op::Store => access(operand(1), first(body[operand(0)].bytes)),
            Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                let is_set = matches!(data.op, Op::Call(Callee::MemSet));
                let bytes = body[operand(2)].constant.and_then(|n| first(n as u64));
                access(operand(0), bytes.clone());
                if !is_set {
                    access(operand(1), bytes);
                }
            }
            Op::Call(Callee::Rule(rule, _)) => {
                rule.float_pointees.iter().for_each(|&p| access(operand(p), None));
            }
            Op::Call(Callee::Defined) => {
                let (binding, callee) = node.calls.iter().find(|call| call.at == v)?.known()?;
                match known.get(callee)?.as_ref()? {
                    Reach::Everything => return None,
                    Reach::Bytes(theirs) => {
                        for (object, bytes) in theirs {
                            let bytes = Some(bytes.clone()).filter(|bytes| *bytes != ALL);
                            if let Some(targets) = binding.get(*object) {
                                add(&mut all, targets, bytes);
                            }
                        }
                    }
                }
            }
            Op::Call(
                Callee::Allocate(_)
                | Callee::Free
                | Callee::KeptBytes
                | Callee::Inactive
                | Callee::PureInt,
            ) => {}
            Op::Call(_) | Op::Atomic | Op::Other => return None,
            _ => {}
        }
    }
    Some(all)
}
