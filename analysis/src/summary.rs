//! What is known of one function whatever its caller, and of the functions that a body calls.

use super::{
    activity::foreign::Left, bits::Bits, dependency::Dependency, in_out::InOut,
    locations::Locations, points_to::PointsTo, types::Types,
};
use adir::{Body, ValueId, hashed::HashMap};
use std::rc::Rc;

/// The summaries of one function, made bottom-up over the call graph.
pub struct Summary {
    /// Its pointer effects.
    pub memory: Rc<PointsTo>,
    /// What it reads and overwrites.
    pub in_out: Rc<InOut>,
    /// What its outputs depend on.
    pub dependency: Rc<Dependency>,
    /// Whether it may take reals apart into integers (digits.rs).
    pub takes_apart: bool,
    /// What it leaves of text that it makes.
    pub text: Rc<Left>,
    /// Whether it may read integers where reals may lie (activity/integers.rs).
    pub reads_integers: bool,
}

/// Summaries by call; calls of which nothing is known are missing.
#[derive(Default)]
pub struct Callees {
    summaries: HashMap<ValueId, Rc<Summary>>,
    /// What those leave of text for which it is not known what the callee's names stand for.
    nameless: HashMap<ValueId, Rc<Left>>,
}

impl Callees {
    /// From the summaries of calls; `nameless`: what those leave of text for which it is not known what
    /// the callee's names stand for.
    pub fn new(
        summaries: HashMap<ValueId, Rc<Summary>>,
        nameless: HashMap<ValueId, Rc<Left>>,
    ) -> Callees {
        Callees { summaries, nameless }
    }
    /// The summary of what a call leads to.
    pub fn get(&self, call: &ValueId) -> Option<&Rc<Summary>> {
        self.summaries.get(call)
    }
    /// Whether it is known.
    pub fn contains_key(&self, call: &ValueId) -> bool {
        self.summaries.contains_key(call)
    }
    /// All calls of which it is.
    pub fn keys(&self) -> impl Iterator<Item = &ValueId> {
        self.summaries.keys()
    }
    /// What a call leaves of text.
    pub fn left(&self, call: ValueId) -> Option<Rc<Left>> {
        let named = self.summaries.get(&call).map(|summary| &summary.text);
        named.or_else(|| self.nameless.get(&call)).cloned()
    }
}

/// What a call does to memory, where that is known: of calls to functions with a body, and of those that
/// have a derivative of their own, `stand_ins`, of which a function tells it.
pub fn in_out(callees: &Callees, stand_ins: &Callees, call: ValueId) -> Option<Rc<InOut>> {
    let summary = callees.get(&call).or_else(|| stand_ins.get(&call))?;
    Some(summary.in_out.clone())
}

/// What the analyses of a function for one request or call read.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Its image.
    pub body: &'a Body,
    /// What its pointers name.
    pub memory: &'a PointsTo,
    /// What its memory holds.
    pub types: &'a Types,
    /// The reals in its integers.
    pub bits: &'a Bits,
    /// Its memory in pieces.
    pub locations: &'a Locations,
    /// What it calls.
    pub callees: &'a Callees,
}

impl Known<'_> {
    /// Whether a copy of memory moves characters and nothing else.
    pub fn copies_text(&self, v: ValueId) -> bool {
        self.types.is_text(self.body, self.memory, v)
    }
}
