//! What a reverse sweep is given again: the parameters of its function that it reads, instead of
//! records of them.
//!
//! One call has one frame, so what the callee would keep there of a parameter its caller can keep
//! as well; and often the caller need not, as it computes the argument again from its own
//! parameters and counters. What is read is known once the callee is planned, and it is planned
//! before its caller. A function that calls itself passes on what it reads itself, so it is planned
//! until that grows no more. One that is called by what it calls passes on everything.

use super::{
    FrameStorage, Pair,
    needs::{Needs, Node},
    plan::Plan,
    sources::{Origin, Sources},
};
use crate::{
    codegen::Queries,
    image::unit::Unit,
    llvm::{Type, Value},
};
use adanalysis::{activity::Param, calls::Caller};
use adir::{Body, Callee, Op, ValueId, hashed::HashMap};
use std::{collections::BTreeSet, rc::Rc};

/// Whether a reverse sweep reads a parameter, and its shadow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Read {
    /// The parameter.
    pub primal: bool,
    /// Its shadow.
    pub shadow: bool,
}

/// What is passed on in one body.
#[derive(Default)]
pub struct LiveIns {
    /// Whether the parameters are there in the reverse sweep.
    pub params: bool,
    /// Per call: what its reverse sweep is given.
    pub calls: HashMap<ValueId, Vec<Node>>,
}

/// Whether a parameter of that type is passed on, if it is read.
pub fn is_live_in(ty: Type) -> bool {
    ty.is_int() || ty.is_pointer() || ty.is_float()
}

/// Calls in `unit` whose reverse sweeps are given parameters: their sweeps.
pub fn calls(
    queries: &mut dyn Queries,
    caller: &Caller,
    unit: &Unit,
    needs: &Needs,
    width: usize,
) -> Vec<(ValueId, Rc<Pair>)> {
    let body = &unit.body;
    let reversed =
        body.order.iter().filter(|&&b| needs.is_reversed(b)).flat_map(|&b| &body[b].insts);
    let active = reversed.copied().filter(|&v| {
        matches!(body[v].op, Op::Call(Callee::Defined)) && caller.activity.is_active_call(v)
    });
    let mut found = vec![];
    for v in active {
        let Some(source) = body.called(v) else { continue };
        let params = caller.activity.call_params(body, v);
        // What has no derivative is reported where the call is differentiated.
        if let Ok(pair) =
            queries.adjoint(source, &params, caller.context_of(v), width, FrameStorage::Call)
            && pair.place == FrameStorage::Call
        {
            found.push((v, pair));
        }
    }
    found
}

/// The nodes that each call passes on; `own` are the sweeps that are being planned, which read
/// `reads` so far.
pub fn nodes(
    caller: &Caller,
    body: &Body,
    calls: &[(ValueId, Rc<Pair>)],
    own: Option<(&Pair, &[Read])>,
) -> HashMap<ValueId, Vec<Node>> {
    let of_call = |(v, pair): &(ValueId, Rc<Pair>)| {
        let reads = match own {
            Some((own, reads)) if own.forward == pair.forward => {
                own.reads.get().map_or(reads, |all| all)
            }
            _ => pair.settled_reads(),
        };
        let params = caller.activity.call_params(body, *v);
        let mut nodes = vec![];
        for ((&o, read), param) in body[*v].operands.iter().zip(reads).zip(params) {
            if read.primal {
                nodes.push(Node::Primal(o));
            }
            if read.shadow && param == Param::Shadowed && caller.activity.has_shadow(o) {
                nodes.push(Node::Shadow(o));
            }
        }
        (*v, nodes)
    };
    calls.iter().map(of_call).collect()
}

/// What the reverse sweep of a plan reads of its parameters.
pub fn reads(body: &Body, sources: &Sources, plan: &Plan) -> Vec<Read> {
    let mut seen = BTreeSet::new();
    let mut work = sources.needs().needed_with(&sources.regions);
    while let Some(node) = work.pop() {
        if !seen.insert(node) || plan.slot(node).is_some() {
            continue;
        }
        if let Origin::From(from) = sources.origin(node) {
            work.extend(from);
        }
        if let Node::Primal(v) = node
            && let Some(carried) = plan.carried(v)
        {
            work.extend([Node::Primal(carried.start), Node::Primal(carried.latch)]);
        }
    }
    seen.retain(|&n| plan.slot(n).is_none());
    let read = |&p: &ValueId| Read {
        primal: seen.contains(&Node::Primal(p)),
        shadow: seen.contains(&Node::Shadow(p)),
    };
    body.params.iter().map(read).collect()
}

/// Adds to what is read; whether that was more.
pub fn grow(reads: &mut [Read], further: &[Read]) -> bool {
    let before = reads.to_vec();
    for (read, more) in reads.iter_mut().zip(further) {
        *read = Read { primal: read.primal || more.primal, shadow: read.shadow || more.shadow };
    }
    before != reads
}

impl Pair {
    /// What the reverse sweep reads of its parameters. Where that is asked before it is known, it
    /// may be anything.
    pub fn settled_reads(&self) -> &[Read] {
        let anything = |&ty: &Type| Read { primal: is_live_in(ty), shadow: ty.is_pointer() };
        self.reads.get_or_init(|| self.source.ty().function_params().iter().map(anything).collect())
    }

    /// The types of all parameters that the reverse sweep takes at its end, read or not.
    pub fn live_in_types(types: &[Type], params: &[Param], width: usize) -> Vec<Type> {
        let primals = types.iter().copied().filter(|&t| is_live_in(t));
        let shadows = types
            .iter()
            .zip(params)
            .filter(|(_, p)| **p == Param::Shadowed)
            .flat_map(|(&t, _)| vec![t; width]);
        primals.chain(shadows).collect()
    }
}

impl super::reverse::Reverse<'_, '_> {
    /// The parameters that are read of those that the caller hands over.
    pub fn take_live_ins(&mut self, pair: &Pair, live_ins: &[Value]) {
        if pair.place != FrameStorage::Call {
            return;
        }
        let mut live_ins = live_ins.iter().copied();
        let types = pair.source.ty().function_params();
        let params = || self.unit.body.params.iter().zip(pair.settled_reads());
        for ((&p, read), _) in params().zip(&types).filter(|(_, t)| is_live_in(**t)) {
            let value = live_ins.next().filter(|_| read.primal);
            self.live_ins.extend(value.map(|value| ((Node::Primal(p), 0), value)));
        }
        for ((&p, read), _) in
            params().zip(&self.activity.params).filter(|(_, p)| **p == Param::Shadowed)
        {
            for (direction, value) in
                (0..self.plan.width).zip(live_ins.by_ref()).filter(|_| read.shadow)
            {
                self.live_ins.insert((Node::Shadow(p), direction), value);
            }
        }
    }

    /// What a call's reverse sweep is given: what it does not read is anything.
    pub fn hand(&mut self, v: ValueId, callee: &Pair, params: &[Param]) -> Vec<Value> {
        if callee.place != FrameStorage::Call {
            return vec![];
        }
        let operands = &self.unit.body[v].operands;
        let types = callee.source.ty().function_params();
        let reads = callee.settled_reads();
        let mut live_ins = vec![];
        for ((&o, &ty), read) in
            operands.iter().zip(&types).zip(reads).filter(|((_, t), _)| is_live_in(**t))
        {
            live_ins.push(if read.primal { self.lookup(Node::Primal(o)) } else { ty.poison() });
        }
        for (((&o, &ty), read), _) in operands
            .iter()
            .zip(&types)
            .zip(reads)
            .zip(params)
            .filter(|(_, p)| **p == Param::Shadowed)
        {
            self.each(|this| {
                let shadow = match read.shadow {
                    true if this.activity.has_shadow(o) => this.lookup(Node::Shadow(o)),
                    true => ty.zero(),
                    false => ty.poison(),
                };
                live_ins.push(shadow);
            });
        }
        live_ins
    }
}
