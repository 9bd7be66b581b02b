//! Contexts of calls, top-down: what the caller's analyses say of the memory that a called function
//! is given.

use super::{
    activity::{Activity, integers},
    context::{Context, Entry, Globals},
    dataflow::sets::meet,
    diff_liveness::DiffLiveness,
    locations::ANY_BYTES,
    points_to::{Object, Offset, PointsTo, Targets},
    summary::Known,
    tbr::Tbr,
};
use adir::{Ty, ValueId};
use bitvec::prelude::*;

/// What a caller knows of its own memory when its derivative is made.
pub struct Caller<'a> {
    /// Its body and facts.
    pub known: Known<'a>,
    /// Its own context.
    pub context: &'a Context,
    /// Its activity.
    pub activity: &'a Activity,
    /// What of it is run.
    pub live: &'a DiffLiveness,
    /// What its reverse sweep finds in memory; `None` in tangent mode.
    pub tbr: Option<&'a Tbr>,
}

/// An entry of the callee: parameter and level.
type Port = (u32, u32);

impl Caller<'_> {
    /// The context of a call to a function with a body.
    pub fn context_of(&self, call: ValueId) -> Context {
        let body = self.known.body;
        let params = body[call].operands.len();
        let anything =
            || self.context.globals().keys().map(|s| (s.clone(), [Entry::ANY; 2])).collect();
        let pointed = self.context.pointed().clone();
        let Some(callee) = self.known.callees.get(&call) else {
            return self.context.of_unknown_call(params);
        };
        let ports: Vec<(Port, Targets)> = (0..callee.memory.objects.len())
            .filter_map(|o| {
                let (param, steps) = callee.memory.entry(o)?;
                let targets = self.known.memory.binding(call)?.get(o)?.clone();
                Some(((param, steps.min(1)), targets))
            })
            .collect();
        // Memory that the callee does not know as its parameters' is nobody's: nothing is claimed
        // of it.
        let mut entries = vec![[Entry::ANY; 2]; params];
        for (param, levels) in entries.iter_mut().enumerate() {
            for (level, entry) in levels.iter_mut().enumerate() {
                let of = |(p, _): &&(Port, Targets)| *p == (param as u32, level as u32);
                let mut memory = self.known.locations.empty();
                ports.iter().filter(of).for_each(|(_, t)| memory |= self.memory(t));
                *entry = self.entry(call, &memory);
                // Where the callee does not ask, fewer contexts differ.
                entry.own =
                    callee.reads_integers && ports.iter().filter(of).all(|(_, t)| self.is_own(t));
            }
        }
        // Where no library is called, nobody asks; fewer contexts differ.
        let asks = self.context.calls_prebuilt();
        let is_private = |o: &ValueId| {
            asks && (body[*o].ty != Ty::Ptr
                || self.context.is_private_target(self.known.memory, *o))
        };
        let private = body[call].operands.iter().map(is_private).collect();
        let mut context = Context::new(entries, self.rest_is_stable(call), self.disjoint(&ports))
            .with_private(private);
        let mut globals: Globals = anything();
        for (symbol, levels) in &mut globals {
            for (level, entry) in levels.iter_mut().enumerate() {
                *entry = self
                    .global_entry(call, &callee.memory, symbol, level as u32)
                    .unwrap_or(Entry::ANY);
            }
        }
        context = context
            .with_entries(globals)
            .with_outside(self.outside(&ports, params))
            .with_pointed(pointed);
        let result = body[call].ty != Ty::Void;
        context.rest_own = callee.reads_integers && self.context.rest_own;
        context.result_live = result && self.live.is_live(call);
        context.is_parallel = self.context.is_parallel;
        context.result_useful = result && self.activity.is_useful(call);
        context
    }

    /// In the memory of which of the callee's parameters pointers may be from before the request;
    /// nothing where nobody asks: fewer contexts differ.
    fn outside(&self, ports: &[(Port, Targets)], params: usize) -> Vec<bool> {
        if self.context.pointed().variables.is_empty() {
            return vec![];
        }
        let may_be = |targets: &Targets| {
            targets
                .objects
                .iter()
                .any(|&o| self.context.is_behind_outside(self.known.memory, o as usize))
        };
        (0..params as u32)
            .map(|param| {
                ports
                    .iter()
                    .any(|((p, level), targets)| *p == param && *level > 0 && may_be(targets))
            })
            .collect()
    }

    /// What is known of a global variable, or of the memory behind pointers in it, if the callee
    /// uses it.
    fn global_entry(
        &self,
        call: ValueId,
        callee: &PointsTo,
        symbol: &str,
        level: u32,
    ) -> Option<Entry> {
        let binding = self.known.memory.binding(call)?;
        let mut memory = self.known.locations.empty();
        let mut is_used = false;
        for o in 0..callee.objects.len() {
            let Some((_, steps)) =
                callee.root(o).filter(|(g, _)| callee.symbol(*g).is_some_and(|s| **s == *symbol))
            else {
                continue;
            };
            is_used = true;
            if steps.min(1) == level {
                memory |= self.memory(binding.get(o)?);
            }
        }
        is_used.then(|| self.entry(call, &memory))
    }

    /// Locations of the caller, by its own names.
    fn memory(&self, targets: &Targets) -> BitVec {
        self.known.locations.own(&targets.at(Offset::ANY), ANY_BYTES)
    }

    fn entry(&self, call: ValueId, memory: &BitVec) -> Entry {
        let around = self.activity.around(call);
        let meets = |set: Option<&BitVec>| set.is_none_or(|s| meet(s, memory));
        Entry {
            varied: meets(around.map(|a| &a.varied)),
            useful: meets(around.map(|a| &a.useful)),
            stable: self.tbr.is_some_and(|t| !meets(t.after_call(call))),
            live: meets(self.live.after_call(call)),
            own: false,
        }
    }

    /// Whether the shadow of all this memory belongs to the derivative.
    fn is_own(&self, targets: &Targets) -> bool {
        let is_own = |&o: &u32| integers::is_own(self.known.memory, self.context, o as usize);
        targets.objects.iter().all(is_own)
    }

    /// Whether memory that the callee reaches by other ways than its parameters stays as it is.
    fn rest_is_stable(&self, call: ValueId) -> bool {
        let memory = self.known.memory;
        let rest = self
            .known
            .locations
            .of_objects(|o| !matches!(memory.objects[o], Object::Local(_)) || memory.escapes(o));
        self.tbr.and_then(|t| t.after_call(call)).is_some_and(|over| !meet(over, &rest))
    }

    /// Entries of the callee whose memory does not overlap in the caller.
    fn disjoint(&self, ports: &[(Port, Targets)]) -> Vec<(Port, Port)> {
        let mut of: Vec<(Port, Vec<u32>)> = vec![];
        for (port, targets) in ports {
            match of.iter_mut().find(|(p, _)| p == port) {
                Some((_, all)) => all.extend(&targets.objects),
                None => of.push((*port, targets.objects.clone())),
            }
        }
        let apart =
            |a: u32, b: u32| a != b && !self.may_alias(self.known.memory, a as usize, b as usize);
        let mut disjoint = vec![];
        for (i, (p, a)) in of.iter().enumerate() {
            for (q, b) in &of[i + 1..] {
                if a.iter().all(|&x| b.iter().all(|&y| apart(x, y))) {
                    disjoint.push(((*p).min(*q), (*p).max(*q)));
                }
            }
        }
        disjoint
    }

    fn may_alias(&self, memory: &PointsTo, a: usize, b: usize) -> bool {
        memory.may_alias(a, b) && !self.context.are_disjoint(memory, a, b)
    }
}
