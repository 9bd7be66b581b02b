//! For tests of the analyses: bodies written by hand, their summaries as the pass makes them, and
//! short names for memory.

use super::{
    activity::{Activity, Param},
    bits::Bits,
    bottom_up::{Draft, Sweep, Target},
    context::Context,
    dataflow::sets::and,
    diff_liveness::DiffLiveness,
    in_out::MemoryRange,
    locations::Locations,
    points_to::{Object, Offset, PointsTo, Targets},
    summary::{self, Callees, Known, Summary},
    tbr::Tbr,
    types::Types,
};
use adir::{Body, Callee, Op, ValueId};
use bitvec::prelude::*;
use std::rc::Rc;

pub use adir_testing::{body, v};

/// A function with what is known of it.
pub struct Function {
    pub body: Body,
    pub memory: Rc<PointsTo>,
    pub types: Rc<Types>,
    pub bits: Bits,
    pub summary: Rc<Summary>,
    pub callees: Callees,
    /// Calls of which a function tells what they do to memory.
    pub stand_ins: Callees,
    /// For any caller.
    pub locations: Locations,
    /// As a request sees it.
    pub request: Context,
}

/// Functions that may call each other by name; what no text has is unknown.
pub fn program(texts: &[&str]) -> Vec<Function> {
    let bodies: Vec<Body> = texts.iter().map(|text| body(text)).collect();
    let names: Vec<String> = bodies.iter().map(|b| b.name.clone()).collect();
    let called = |body: &Body, call: ValueId| {
        let symbol = body[call].symbol.as_deref()?;
        let callee = names.iter().position(|name| name == symbol)?;
        Some((call, Target::Draft(callee)))
    };
    let calls = |body: &Body, kind: Callee| {
        let is_one = |v: &ValueId| match &body[*v].op {
            Op::Call(callee) => std::mem::discriminant(callee) == std::mem::discriminant(&kind),
            _ => false,
        };
        body.insts().filter(is_one).filter_map(|call| called(body, call)).collect()
    };
    let is_called = |name: &str| {
        let calls =
            |b: &Body| b.insts().any(|v| b.name != name && b[v].symbol.as_deref() == Some(name));
        bodies.iter().any(calls)
    };
    let roots: Vec<bool> = names.iter().map(|name| !is_called(name)).collect();
    let draft = |(body, is_root): (Body, bool)| {
        let (own, stand_ins) = (calls(&body, Callee::Defined), calls(&body, Callee::Custom));
        Draft::new(body, own, is_root.then(Vec::new)).with_stand_ins(stand_ins)
    };
    let mut drafts: Vec<Draft> = bodies.into_iter().zip(roots).map(draft).collect();
    let sweep = Sweep { uses: &|_| true, declared: &|_, _, _| None };
    sweep.run(&mut drafts);
    let summaries: Vec<Rc<Summary>> = drafts.iter().map(Draft::summary).collect();
    let callees =
        drafts.iter().map(|d| [d.callees(&summaries, &sweep), d.stand_ins(&summaries, &sweep)]);
    let callees: Vec<[Callees; 2]> = callees.collect();
    drafts
        .into_iter()
        .zip(summaries)
        .zip(callees)
        .map(|((draft, summary), callees)| Function::new(draft, summary, callees))
        .collect()
}

/// A function that calls none of the others.
pub fn function(text: &str) -> Function {
    program(&[text]).pop().expect("one function")
}

impl Function {
    fn new(draft: Draft, summary: Rc<Summary>, [callees, stand_ins]: [Callees; 2]) -> Function {
        let Draft { body, memory, types, .. } = draft;
        let params = body.params.len();
        let request = Context::of_request(&vec![false; params]);
        let in_out = |call: ValueId| summary::in_out(&callees, &stand_ins, call);
        let locations = Locations::compute(&body, &memory, &in_out, &Context::unknown(params));
        let bits = Bits::compute(&body, &memory, &types, &Default::default(), &Default::default());
        Function { body, memory, types, bits, summary, callees, stand_ins, locations, request }
    }

    /// What analyses for one context read.
    pub fn known(&self) -> Known<'_> {
        let Function { body, memory, types, bits, locations, callees, .. } = self;
        Known { body, memory, types, bits, locations, callees }
    }
    /// Memory in pieces, for a caller that knows more.
    pub fn locations_in(&self, context: &Context) -> Locations {
        let in_out = |call: ValueId| summary::in_out(&self.callees, &self.stand_ins, call);
        Locations::compute(&self.body, &self.memory, &in_out, context)
    }

    /// Activity for a request.
    pub fn activity(&self, params: &[Param]) -> Activity {
        Activity::compute(self.known(), params, &self.request, true)
    }
    /// To-be-recorded for a request that runs all of the function.
    pub fn tbr(&self) -> Tbr {
        Tbr::compute(self.known(), &self.request, &|_| true)
    }
    /// Diff-liveness for a request; derivatives use `used`, the primal results behind `unneeded`
    /// are not needed.
    pub fn live(&self, used: &[u32], unneeded: &[bool]) -> DiffLiveness {
        let used: Vec<ValueId> = used.iter().map(|&n| v(n)).collect();
        DiffLiveness::compute(self.known(), &Context::of_request(unneeded), &used, &|_| false)
    }

    /// What a pointer may lead to: `p0+8` for an offset in the memory of a parameter, `v5` for an
    /// allocation or global, `*(p0+8)` for what a pointer led to at the entry, `r9` for what call
    /// v9 allocated, `?` for anything.
    pub fn targets(&self, pointer: u32) -> String {
        show_targets(&self.memory, self.memory.targets(v(pointer)))
    }
    /// Whether two pointers may lead to the same memory object, by any names.
    pub fn may_alias(&self, a: u32, b: u32) -> bool {
        self.memory
            .points_to(v(a))
            .any(|x| self.memory.points_to(v(b)).any(|y| self.memory.may_alias(x, y)))
    }
    /// Whether what `write` writes may be what `read` reads.
    pub fn meets(&self, write: u32, read: u32) -> bool {
        let access = |n| self.locations.access(v(n)).expect("an access");
        and(&access(write).writes.all, &access(read).reads.own).any()
    }
    /// What a write surely overwrites.
    pub fn kills(&self, write: u32) -> Vec<String> {
        self.show(&self.locations.access(v(write)).expect("an access").kills)
    }
    /// Places in its memory: object, offset and bytes.
    pub fn places(&self, places: &[MemoryRange]) -> Vec<String> {
        places.iter().map(|p| self.place(p)).collect()
    }
    /// One place.
    pub fn place(&self, place: &MemoryRange) -> String {
        let object = show_object(&self.memory, place.object);
        match place.is_whole() {
            true => format!("{object} rest"),
            false => format!("{object}{}:{}", show_offset(place.offset), place.bytes),
        }
    }
    /// Locations by name: object, offset and bytes; `p0 rest` for the rest of an object.
    pub fn show(&self, locations: &BitVec) -> Vec<String> {
        let name = |l| {
            let c = self.locations.component(l);
            let object = show_object(&self.memory, c.object);
            if c.is_rest {
                format!("{object} rest")
            } else {
                format!("{object}{}:{}", show_offset(c.offset), c.bytes)
            }
        };
        locations.iter_ones().map(name).collect()
    }
}

/// Objects and offset in the notation of [`Function::targets`].
pub fn show_targets(memory: &PointsTo, targets: &Targets) -> String {
    let objects: Vec<String> =
        targets.objects.iter().map(|&o| show_object(memory, o as usize)).collect();
    match &objects[..] {
        [] => "null".into(),
        [unknown] if unknown == "?" => "?".into(),
        [one] => format!("{one}{}", show_offset(targets.offset)),
        several => format!("{{{}}}{}", several.join(" "), show_offset(targets.offset)),
    }
}

/// An object in the notation of [`Function::targets`].
pub fn show_object(memory: &PointsTo, object: usize) -> String {
    match memory.objects[object] {
        Object::Unknown => "?".into(),
        Object::Text => "text".into(),
        Object::Param(i) => format!("p{i}"),
        Object::Behind(slot) => {
            let (object, offset) = memory.slot(slot);
            format!("*({}{})", show_object(memory, object), show_offset(offset))
        }
        Object::Local(at) | Object::Global(at) => format!("{at:?}"),
        Object::Returned(call) => format!("r{}", call.0),
    }
}

fn show_offset(offset: Offset) -> String {
    match (offset.constant, offset.modulus) {
        (0, 0) => String::new(),
        (c, 0) => format!("{c:+}"),
        (_, 1) => "+?".into(),
        (c, m) => format!("{c:+}%{m}"),
    }
}
