//! What calls do with text.

use super::{
    super::shadow,
    elsewhere::{counts, is_indirect},
    flow::Flow,
    handlers,
    left::{Given, Place, Root, Trace},
    state::State,
};
use crate::{
    dataflow::{Facts, sets::meet},
    locations::ANY_BYTES,
    points_to::{Object, Offset},
    summary::Known,
};
use adir::{
    Body, Callee, Cast, Op, Ty, ValueId,
    library::{
        self,
        outside::{self, Outside},
        strings::{self, Argument},
        text::{self, Role, To},
    },
};
use bitvec::prelude::*;
use std::rc::Rc;

/// The address that an operand is: stand-ins take that of a stream, which has no shadow, as an
/// integer.
fn address(body: &Body, operand: ValueId) -> ValueId {
    match body[operand].op {
        Op::Cast(Cast::PtrToInt) => body.operand(operand, 0),
        _ => operand,
    }
}

impl Flow<'_> {
    /// Whether a call may make numbers of text.
    pub fn is_reading(&self, v: ValueId) -> bool {
        let body = self.known.body;
        match self.roles.get(&v) {
            Some(Role::Reads(..)) => true,
            Some(_) => false,
            None => match body[v].op {
                Op::Call(Callee::Defined) => match (self.lefts)(v) {
                    Some(left) => left.all().any(|trace| trace.is_read),
                    None => body[v].outside.has(Outside::READS_TEXT),
                },
                Op::Call(Callee::Custom | Callee::Unknown) => {
                    body[v].ty.holds_float() || self.has_transfers
                }
                _ => false,
            },
        }
    }

    /// Whether it does, of text with active digits.
    pub fn reads(&self, v: ValueId, state: &State, is: &dyn Fn(ValueId) -> bool) -> bool {
        let body = self.known.body;
        match self.roles.get(&v) {
            Some(Role::Reads(from, _)) => {
                let symbol = outside::base(body[v].symbol.as_deref().unwrap_or_default());
                let from = body.operand(v, *from);
                (!text::is_of_files(symbol) || self.has_files) && self.is_text(from, state, is)
            }
            _ if matches!(body[v].op, Op::Call(Callee::Defined)) => {
                let given = self.given(v, state, is);
                let makes = body[v].outside.has(Outside::MAKES_TEXT) && self.is_given_varied(v);
                match (self.lefts)(v) {
                    // What a function that takes part in derivatives makes of its own text is found there.
                    Some(left) => {
                        let makes = makes && !self.elsewhere.is_active(v);
                        left.traces(makes, given).any(|trace| trace.is_read)
                    }
                    None => given.text || given.digits || makes,
                }
            }
            _ => {
                let bytes = if self.has_transfers { None } else { Some(1) };
                body[v].operands.iter().any(|&o| {
                    body[o].ty == Ty::Ptr && (is(o) || meet(&self.text_at(o, bytes), &state.text))
                })
            }
        }
    }

    /// Whether a function that makes text is given something varied.
    pub fn is_given_varied(&self, v: ValueId) -> bool {
        let access = self
            .known
            .locations
            .access(v)
            .map_or_else(|| self.known.locations.empty(), |a| (*a.reads.own).clone());
        self.elsewhere.is_given_varied(v, &(access | self.elsewhere.given(v, 0)))
    }

    /// What opened the transfer or file that a value stands for.
    fn opening(&self, mut unit: ValueId) -> Option<ValueId> {
        let body = self.known.body;
        while let Op::Freeze | Op::Cast(Cast::Bits) = body[unit].op {
            unit = body.operand(unit, 0);
        }
        matches!(body[unit].op, Op::Call(_)).then_some(unit)
    }

    /// What a call does to text; whether its result is such.
    pub fn call(&self, v: ValueId, state: &mut State, facts: &Facts<bool>) -> bool {
        let body = self.known.body;
        let is = |o: ValueId| *facts.get(o);
        let operand = |i: usize| body[v].operands.get(i).copied();
        match self.roles.get(&v) {
            Some(&Role::Writes(To::Unit, _)) => {
                self.transfer(v, state, &is);
                false
            }
            Some(&(Role::Writes(to, replaces) | Role::Moves(to, replaces))) => {
                self.library(v, to, replaces, state, &is)
            }
            // Reals that are read are looked at apart; a transfer that reads is known by its unit.
            Some(Role::Reads(..)) => {
                if self.reads(v, state, &is) {
                    let read = self.elsewhere.read_into(v);
                    self.add_digits(state, &read, &read);
                }
                false
            }
            Some(Role::Opens(true)) => state.text.any(),
            Some(Role::Opens(false)) => self.is_any_text(v, state, &is),
            Some(Role::OpensFile | Role::OpensMemory) => false,
            None => match body[v].op {
                Op::Call(Callee::MemCpy | Callee::MemMove) => {
                    let access = self.known.locations.access(v);
                    let has = |set: &BitVec| access.is_some_and(|a| meet(&a.reads.own, set));
                    let is_text = has(&state.text) || operand(1).is_some_and(is);
                    let has_digits = has(&state.digits);
                    self.write(state, v, is_text, has_digits);
                    operand(0).is_some_and(is)
                }
                Op::Call(Callee::MemSet) => {
                    self.write(state, v, false, false);
                    operand(0).is_some_and(is)
                }
                Op::Call(Callee::Defined) => {
                    let is_returned = self.calls_defined(v, Outside::WRITES_TEXT, state, &is);
                    is_returned && !body[v].ty.holds_float() && !counts(body, v)
                }
                // What the call has done before it threw.
                Op::Call(Callee::Unwound) => {
                    let call = body.call_of_pad(v);
                    let is_defined = |c: &ValueId| matches!(body[*c].op, Op::Call(Callee::Defined));
                    if let Some(call) = call.filter(is_defined) {
                        self.calls_unwound(call, v, state, &is);
                    }
                    false
                }
                Op::Call(_) if body.exceptions.ended.contains(&v) => {
                    if handlers::is_outermost(body, v) {
                        self.end_catch(state);
                    }
                    false
                }
                _ => false,
            },
        }
    }

    /// A transfer of Fortran writes an item, characters among them.
    fn transfer(&self, v: ValueId, state: &mut State, is: &dyn Fn(ValueId) -> bool) {
        let body = self.known.body;
        let by_descriptor = || is_indirect(body, v) && self.elsewhere.finds_varied(v);
        let mut items = body[v].operands.iter().skip(1);
        if !self.is_given_varied(v)
            && !by_descriptor()
            && !items.any(|&o| self.is_text(o, state, is))
        {
            return;
        }
        let begin = body[v].operands.first().and_then(|&unit| self.opening(unit));
        match begin.map(|begin| (begin, self.roles.get(&begin))) {
            Some((_, Some(Role::OpensFile))) => {}
            Some((begin, Some(Role::Opens(false)))) => {
                self.add_text_at(state, &self.text_at(body.operand(begin, 0), None));
            }
            _ => self.add_text_at(state, &!self.known.locations.empty()),
        }
    }

    /// A function of the library makes text, or moves it.
    fn library(
        &self,
        v: ValueId,
        to: To,
        replaces: bool,
        state: &mut State,
        is: &dyn Fn(ValueId) -> bool,
    ) -> bool {
        let Known { body, locations, .. } = self.known;
        let operand = |i: usize| body[v].operands.get(i).copied();
        let symbol = outside::base(body[v].symbol.as_deref().unwrap_or_default());
        if text::is_of_files(symbol) && !self.has_files || library::is_destructor(symbol) {
            return false;
        }
        let makes = matches!(self.roles[&v], Role::Writes(..));
        let target = match to {
            To::Argument(i, _) => operand(i).map(|o| address(body, o)),
            _ => None,
        };
        let others = || body[v].operands.iter().copied().filter(|o| Some(*o) != target);
        let stays = !replaces && target.is_some_and(|t| self.is_text(t, state, is));
        let is_tainted = stays
            || others().any(|o| self.is_text(o, state, is))
            || (makes && self.is_given_varied(v));
        let Some(target) = target else { return is_tainted };
        let bytes = match to {
            To::Argument(_, Some(size)) => operand(size)
                .and_then(|o| body[o].constant)
                .and_then(|n| u64::try_from(n).ok())
                .filter(|n| *n > 0),
            _ => None,
        };
        // An integer that passes have put together of several addresses leads anywhere.
        let is_known = body[target].ty == Ty::Ptr;
        let is_string = || {
            let at = body[v].operands.iter().position(|&o| o == target);
            at.is_some_and(|i| strings::argument(symbol, i) == Argument::String)
        };
        let written = match is_known {
            true if is_string() => self.string_at(target),
            true => self.text_at(target, bytes),
            false => !locations.empty(),
        };
        // Integers that are read from the text, or moved with it.
        let has_digits =
            |o: ValueId| body[o].ty == Ty::Ptr && meet(&self.text_at(o, None), &state.digits);
        if is_tainted && text::reads_integers(symbol) || others().any(has_digits) {
            self.add_digits(state, &written, &written);
        }
        if is_tainted {
            self.add_text_at(state, &written);
            // The buffer of a file that is memory.
            let file = self.opening(target);
            if let Some(file) = file.filter(|f| self.roles.get(f) == Some(&Role::OpensMemory)) {
                self.add_text_at(state, &self.elsewhere.given(file, 0));
            }
        } else if replaces && is_known && self.is_single(target) {
            self.remove(state, &written);
        }
        // How many characters there are, or where one is.
        let is_length = (makes || strings::is_member(symbol)) && matches!(body[v].ty, Ty::Int(_));
        is_tainted && !is_length
    }

    /// What a call of a function with a body leaves of text where the function ends by itself, if it makes
    /// text in one of these ways, or has text. Whether what it returns is such.
    pub fn calls_defined(
        &self,
        call: ValueId,
        ways: Outside,
        state: &mut State,
        is: &dyn Fn(ValueId) -> bool,
    ) -> bool {
        let given = self.given(call, state, is);
        let makes = self.known.body[call].outside.has(ways) && self.is_given_varied(call);
        let Some(left) = (self.lefts)(call) else {
            return self.calls_unknown(call, call, given, makes, state);
        };
        if left.hands_over && self.may_have_handed(call) {
            for trace in left.thrown_traces(makes, given) {
                self.leave_thrown(call, trace, state);
            }
        }
        left.traces(makes, given).fold(false, |is_returned, trace| {
            self.leave(call, trace, state);
            is_returned | trace.is_returned
        })
    }

    /// What it leaves where an exception ends it; `pad` stands for what it stores.
    pub fn calls_unwound(
        &self,
        call: ValueId,
        pad: ValueId,
        state: &mut State,
        is: &dyn Fn(ValueId) -> bool,
    ) {
        let given = self.given(call, state, is);
        let makes =
            self.known.body[call].outside.has(Outside::MAKES_TEXT) && self.is_given_varied(call);
        let Some(left) = (self.lefts)(call) else {
            self.calls_unknown(call, pad, given, makes, state);
            return;
        };
        left.traces(false, given).for_each(|trace| self.leave(call, trace, state));
        for trace in left.thrown_traces(makes, given) {
            self.leave_thrown(call, trace, state);
        }
    }

    /// What is found in memory when an exception has left the call.
    fn leave_thrown(&self, call: ValueId, trace: &Trace, state: &mut State) {
        for place in &trace.text {
            let (own, all) = self.places(call, place);
            match place.root.is_named() {
                true => self.add_text(state, &own, &all),
                false => self.add_thrown_text(state, &own, &all),
            }
        }
        for place in &trace.digits {
            let (own, all) = self.places(call, place);
            match place.root.is_named() {
                true => self.add_digits(state, &own, &all),
                false => self.add_thrown_digits(state, &own, &all),
            }
        }
        // The exception, and what it leads to, are memory without a name here.
        if trace.is_hidden {
            let objects = &self.known.memory.objects;
            let unknown = |o: usize| matches!(objects[o], Object::Unknown);
            let unknown = self.known.locations.of_objects(unknown);
            self.add_thrown_text(state, &unknown, &unknown);
        }
    }

    /// What is found afterwards in memory.
    fn leave(&self, call: ValueId, trace: &Trace, state: &mut State) {
        if self.is_of_exception(call) {
            return self.leave_thrown(call, trace, state);
        }
        for place in &trace.text {
            let (own, all) = self.places(call, place);
            self.add_text(state, &own, &all);
        }
        for place in &trace.digits {
            let (own, all) = self.places(call, place);
            self.add_digits(state, &own, &all);
        }
    }

    /// What a place of a called function is here: by the names that the call gives it, and by all names.
    fn places(&self, call: ValueId, place: &Place) -> (Rc<BitVec>, Rc<BitVec>) {
        let Known { body, memory, locations, .. } = self.known;
        if memory.binding(call).is_some() {
            let own = locations.place(memory, call, &place.range);
            return (own, locations.place_all(memory, call, &place.range));
        }
        // Pointers in memory lead to what has no name.
        let is_it = |o: usize| match &place.root {
            Root::Global(symbol) => memory.symbol(o) == Some(symbol),
            Root::Text => matches!(memory.objects[o], Object::Text),
            Root::Param(_) | Root::Behind | Root::Other => {
                matches!(memory.objects[o], Object::Unknown)
            }
        };
        let argument = match place.root {
            Root::Param(i) => body[call].operands.get(i as usize),
            _ => None,
        };
        let mut own = match argument {
            Some(&o) => locations.own(&memory.targets(o).at(Offset::ANY), ANY_BYTES),
            None => locations.of_objects(is_it),
        };
        if !own.any() {
            own = locations.of_objects(|o| matches!(memory.objects[o], Object::Unknown));
        }
        let all = locations.widened(&own);
        (Rc::new(own), Rc::new(all))
    }

    /// The same of a function of which nothing is known: text is in all that it knows; `v` stands for what
    /// it stores. Whether there is any.
    fn calls_unknown(
        &self,
        call: ValueId,
        v: ValueId,
        given: Given,
        makes: bool,
        state: &mut State,
    ) -> bool {
        if makes {
            self.add_text_at(state, &self.elsewhere.given(call, 0));
            let known = self.known.locations.of_objects(|o| {
                shadow::is_variable(self.known, o)
                    || matches!(self.known.memory.objects[o], Object::Unknown)
            });
            self.add_text_at(state, &known);
        }
        let any = given.text || given.digits || makes;
        if any {
            self.write(state, v, true, true);
        }
        any
    }

    /// What a function is given, or finds in memory that it reads.
    fn given(&self, call: ValueId, state: &State, is: &dyn Fn(ValueId) -> bool) -> Given {
        let Known { body, locations, .. } = self.known;
        let access = locations.access(call);
        let reads = |set: &BitVec| access.is_some_and(|a| meet(&a.reads.own, set));
        // What is destroyed goes with its text.
        let destroys = || (self.lefts)(call).is_some_and(|left| left.destroys);
        if body[call].symbol.as_deref().is_some_and(text::destroys_counted) || destroys() {
            return Given { text: false, digits: false };
        }
        let is_number = |o: ValueId| is(o) && body[o].ty != Ty::Ptr;
        let leads =
            |o: ValueId| body[o].ty == Ty::Ptr && meet(&self.text_at(o, None), &state.digits);
        Given {
            text: self.is_any_text(call, state, is) || reads(&state.text),
            digits: body[call].operands.iter().any(|&o| is_number(o) || leads(o))
                || reads(&state.digits),
        }
    }

    /// Whether an address is the beginning of one object.
    fn is_single(&self, address: ValueId) -> bool {
        let Known { body, memory, .. } = self.known;
        let targets = memory.targets(address);
        matches!(targets.objects[..], [o] if memory.is_single(body, o as usize))
            && targets.offset.is_exact()
            && targets.offset.constant == 0
    }
}
