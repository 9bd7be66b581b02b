//! What a function leaves of text for its callers: a summary, made bottom-up.
//!
//! Locations that callers see, of three flows: of text that f makes if all reals are varied, where f
//! returns (made) and where an exception leaves it (thrown); of text, and of integers made of digits, that
//! lie in all memory and in all parameters when f is entered, to where they are written again. Text that
//! ends with the function is not among them: messages of exceptions that it has caught and destroyed,
//! variables, blocks of the heap that no address leads to. Recursion: the least fixpoint.

use super::{
    elsewhere::Varied,
    flow::{Entry, Flow, Lefts},
    state::State,
    text::{Text, has_text},
};
use crate::{
    dataflow::{Cursor, Lattice, sets, solve},
    in_out::MemoryRange,
    locations::ANY_BYTES,
    points_to::{Object, Offset, PointsTo},
    summary::Known,
};
use adir::{Body, Callee, Cast, Op, ValueId};
use bitvec::prelude::*;
use std::rc::Rc;

/// The summary of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// Of text that it makes, where it returns.
    made: Trace,
    /// Of text that it makes, where an exception leaves it, be it handed over.
    thrown: Trace,
    /// Whether it hands exceptions over: returns with them.
    pub(super) hands_over: bool,
    /// Whether it gives back the object that its first argument leads to, and the text in it.
    pub(super) destroys: bool,
    /// Of text that it is given, where it returns.
    of_text: Trace,
    /// Of integers made of digits that it is given, where it returns.
    of_digits: Trace,
    /// Of text that it is given, where an exception leaves it.
    thrown_of_text: Trace,
    /// Of such integers, where an exception leaves it.
    thrown_of_digits: Trace,
}

/// What there is afterwards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Trace {
    /// Where text is.
    pub text: Vec<Place>,
    /// Where integers are that were made of its digits.
    pub digits: Vec<Place>,
    /// Text is in memory that has no name in callers: an exception's, perhaps.
    pub is_hidden: bool,
    /// Whether what it returns is either, or leads to text.
    pub is_returned: bool,
    /// Whether the function makes numbers of it.
    pub is_read: bool,
}

/// Memory that callers see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// By the function's own names.
    pub range: MemoryRange,
    /// For callers that do not know what these names stand for.
    pub root: Root,
}

/// How memory is reached from outside of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Root {
    /// By a parameter.
    Param(u32),
    /// By a global variable's symbol.
    Global(Rc<str>),
    /// By pointers in such memory.
    Behind,
    /// It is the library's text.
    Text,
    /// In some other way.
    Other,
}

/// What a call is given.
#[derive(Clone, Copy)]
pub(super) struct Given {
    /// Text.
    pub text: bool,
    /// Integers made of digits.
    pub digits: bool,
}

impl Root {
    /// Whether it has a name in callers, so that what an exception's thrower left there stays.
    pub fn is_named(&self) -> bool {
        matches!(self, Root::Param(_) | Root::Global(_) | Root::Behind)
    }
}

impl Left {
    /// Text may be anywhere.
    pub fn everything(memory: &PointsTo) -> Left {
        let visible = (0..memory.objects.len()).filter(|&o| memory.is_visible(o));
        let whole = |object| Place {
            range: MemoryRange { object, offset: Offset::ANY, bytes: ANY_BYTES },
            root: root(memory, object),
        };
        let all: Vec<Place> = visible.map(whole).collect();
        let all = Trace {
            text: all.clone(),
            digits: all,
            is_hidden: true,
            is_returned: true,
            is_read: true,
        };
        Left {
            made: all.clone(),
            thrown: all.clone(),
            hands_over: true,
            destroys: false,
            of_text: all.clone(),
            of_digits: all.clone(),
            thrown_of_text: all.clone(),
            thrown_of_digits: all,
        }
    }

    /// The summary of a function that calls others which leave text as `lefts` says.
    pub fn compute(known: Known, lefts: Lefts) -> Left {
        let (made, thrown) = made(known, lefts);
        let moved = |entry| moved(known, lefts, entry);
        let hands_over = known.body.hands_over;
        let (of_text, thrown_of_text) = moved(Entry::Text);
        let (of_digits, thrown_of_digits) = moved(Entry::Digits);
        let destroys = destroys(known.body, lefts);
        Left {
            made,
            thrown,
            hands_over,
            destroys,
            of_text,
            of_digits,
            thrown_of_text,
            thrown_of_digits,
        }
    }

    /// What there is after a call that makes text and is given such, if an exception has left it.
    pub(super) fn thrown_traces(&self, makes: bool, given: Given) -> impl Iterator<Item = &Trace> {
        let made = makes.then_some(&self.thrown);
        let of_text = given.text.then_some(&self.thrown_of_text);
        let of_digits = given.digits.then_some(&self.thrown_of_digits);
        made.into_iter().chain(of_text).chain(of_digits)
    }

    /// What there is after a call that makes text and is given such, if the function returns.
    pub(super) fn traces(&self, makes: bool, given: Given) -> impl Iterator<Item = &Trace> {
        let made = makes.then_some(&self.made);
        let of_text = given.text.then_some(&self.of_text);
        let of_digits = given.digits.then_some(&self.of_digits);
        made.into_iter().chain(of_text).chain(of_digits)
    }

    /// The same of any call.
    pub(super) fn all(&self) -> impl Iterator<Item = &Trace> {
        self.traces(true, Given { text: true, digits: true })
    }
}

/// Whether a function gives back its first argument, itself or by another function.
fn destroys(body: &Body, lefts: Lefts) -> bool {
    let is_first = |mut v: ValueId| {
        while matches!(body[v].op, Op::Gep(..) | Op::Cast(Cast::Bits) | Op::Freeze) {
            v = body.operand(v, 0);
        }
        Some(&v) == body.params.first()
    };
    body.insts().any(|v| {
        let gives_back = match body[v].op {
            Op::Call(Callee::Free) => true,
            Op::Call(Callee::Defined) => lefts(v).is_some_and(|left| left.destroys),
            _ => false,
        };
        gives_back && body[v].operands.first().is_some_and(|&o| is_first(o))
    })
}

/// What there is of text that a function makes: where it returns, and where an exception leaves it.
fn made(known: Known, lefts: Lefts) -> (Trace, Trace) {
    let body = known.body;
    if !has_text(body) {
        return Default::default();
    }
    let flow = Flow::new(known, Varied::All, lefts, Entry::Nothing);
    let mut solution = solve(body, &flow, &[]);
    let found = Text::found(&flow, &mut solution);
    let facts = solution.values(|f| *f);
    let is = |o: ValueId| facts[o.index()];
    let mut cursor = Cursor::new(body, &flow, &mut solution);
    let mut thrown = State::nothing(known.locations.empty());
    for v in body.insts().filter(|v| body.unwinds.contains(v)) {
        let mut state = cursor.before(v).clone();
        flow.enter(v, &mut state, &is);
        if matches!(body[v].op, Op::Call(Callee::Defined)) {
            flow.calls_unwound(v, v, &mut state, &is);
        }
        thrown.join(&state);
    }
    let written = flow.written();
    let is_read = found.reads();
    let Some(exit) = body.exit else {
        let thrown = trace(known, &thrown.common(&written));
        return (Trace { is_read, ..Trace::default() }, thrown);
    };
    let end = body.terminator(exit);
    let returned = body[end].operands.first().filter(|_| matches!(body[end].op, Op::Ret));
    let state = cursor.before(end);
    let mut left = state.clone();
    flow.end_catch(&mut left);
    let mut made = trace(known, &left.common(&written));
    if body.hands_over {
        thrown.join(state);
    }
    let thrown = trace(known, &thrown.common(&written));
    made.is_returned = returned.is_some_and(|&o| is(o));
    made.is_read = is_read;
    (made, thrown)
}

/// To where a function writes again what it is given of text or of integers made of digits: where it
/// returns, and where an exception leaves it.
fn moved(known: Known, lefts: Lefts, entry: Entry) -> (Trace, Trace) {
    let body = known.body;
    let flow = Flow::new(known, Varied::None, lefts, entry);
    let mut solution = solve(body, &flow, &flow.seeds());
    let is_read = Text::found(&flow, &mut solution).reads();
    let written = flow.written();
    let thrown = Trace { is_read, ..trace(known, &written) };
    let Some(exit) = body.exit else { return (Trace { is_read, ..Trace::default() }, thrown) };
    let end = body.terminator(exit);
    let returned = body[end].operands.first().filter(|_| matches!(body[end].op, Op::Ret));
    let is_returned = returned.is_some_and(|&o| *solution.facts.get(o));
    let left = trace(known, &written.lasting());
    (Trace { is_returned, is_read, ..left }, thrown)
}

/// What callers see of it.
fn trace(known: Known, state: &State) -> Trace {
    let Known { memory, locations, .. } = known;
    let object = |l: usize| locations.component(l).object;
    let seen = |set: &BitVec| {
        let visible = sets::ones(set).filter(|&l| memory.is_visible(object(l)));
        let place =
            |l| Place { range: MemoryRange::of(locations, l), root: root(memory, object(l)) };
        visible.map(place).collect()
    };
    let is_hidden = |l: usize| !memory.is_visible(object(l)) && memory.is_heap(object(l));
    Trace {
        text: seen(&state.text),
        digits: seen(&state.digits),
        is_hidden: sets::ones(&state.text).any(is_hidden),
        ..Trace::default()
    }
}

/// How an object is reached from outside.
pub(super) fn root(memory: &PointsTo, object: usize) -> Root {
    match memory.objects[object] {
        Object::Param(i) => Root::Param(i),
        Object::Global(_) => memory.symbol(object).map_or(Root::Other, |s| Root::Global(s.clone())),
        Object::Text => Root::Text,
        Object::Behind(_) => Root::Behind,
        Object::Unknown | Object::Local(_) | Object::Returned(_) => Root::Other,
    }
}
