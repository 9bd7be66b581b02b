//! Where text with active digits is: the data flow.

use super::{
    super::shadow,
    elsewhere::{Elsewhere, Varied, role},
    ending::Ending,
    left::{self, Left},
    state::State,
};
use crate::{
    dataflow::{
        Analysis, Direction, Facts, Lattice,
        sets::{self, meet},
    },
    locations::{ANY_BYTES, Access},
    points_to::{Object, Offset},
    summary::Known,
    types::ScalarKind,
};
use adir::{
    BlockId, Body, Cast, Op, Ty, ValueId, foreign,
    hashed::{HashMap, HashSet},
    library::{self, strings, text::Role},
    target,
};
use bitvec::prelude::*;
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
};

/// Operations between a load and a store that write back what was there.
const MOST_STEPS: usize = 4;

/// What called functions leave of text; `None` where nothing is known.
pub(super) type Lefts<'a> = &'a dyn Fn(ValueId) -> Option<Rc<Left>>;

/// What memory holds where a function is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// No text.
    Nothing,
    /// Text everywhere.
    Text,
    /// Integers made of digits everywhere.
    Digits,
}

/// The data flow in one function.
pub(super) struct Flow<'a> {
    pub known: Known<'a>,
    pub elsewhere: Elsewhere<'a>,
    pub lefts: Lefts<'a>,
    pub entry: Entry,
    pub roles: HashMap<ValueId, Role>,
    /// Some file is memory.
    pub has_files: bool,
    /// Fortran writes to variables: of that the shadow runtime, under which other files read them,
    /// does not know.
    pub has_transfers: bool,
    /// Whether exceptions may live on behind their handlers.
    keeps_exceptions: bool,
    /// Calls that hand over exceptions, where it is known which blocks find them.
    handed: HashSet<ValueId>,
    /// What text has left when an exception has ended.
    ending: Ending<'a>,
    /// Whether the instruction that is looked at runs before one ends.
    is_passing: Cell<bool>,
    /// Locations that have a name in callers.
    named: BitVec,
    /// All locations to which either has been written, by the names that were used.
    written: RefCell<State>,
}

/// Part of the name of what the library gives programs to keep an exception.
const CURRENT: &str = "current_exception";

impl<'a> Flow<'a> {
    pub fn new(known: Known<'a>, varied: Varied<'a>, lefts: Lefts<'a>, entry: Entry) -> Flow<'a> {
        let body = known.body;
        let roles: HashMap<ValueId, Role> =
            body.insts().filter_map(|v| Some((v, role(body, v)?))).collect();
        let has_files = roles.values().any(|r| *r == Role::OpensMemory);
        let has_transfers = roles.values().any(|r| matches!(r, Role::Opens(_)));
        let elsewhere = Elsewhere { known, varied };
        let written = RefCell::new(State::nothing(known.locations.empty()));
        let keeps = |v: ValueId| body[v].symbol.as_deref().is_some_and(|s| s.contains(CURRENT));
        let keeps_exceptions = body.insts().any(keeps);
        let handed = body.handed.values().flatten().copied().collect();
        let ending = Ending::new(known);
        let named = known.locations.of_objects(|o| left::root(known.memory, o).is_named());
        Flow {
            known,
            elsewhere,
            lefts,
            entry,
            roles,
            has_files,
            has_transfers,
            keeps_exceptions,
            handed,
            ending,
            is_passing: Cell::new(false),
            named,
            written,
        }
    }

    /// The facts that hold where the function is entered: of what it is given by value.
    pub fn seeds(&self) -> Vec<(ValueId, bool)> {
        let body = self.known.body;
        let is_given = |ty: Ty| match (self.entry, ty) {
            (Entry::Text, Ty::Int(8)) => true,
            (Entry::Digits, Ty::Int(bits)) => bits > 1,
            _ => false,
        };
        let given = body.params.iter().filter(|p| is_given(body[**p].ty));
        given.map(|&p| (p, true)).collect()
    }

    /// All locations to which either has been written, once the flow is solved, by the names that were
    /// used. Those that last: without what ends with exceptions.
    pub fn written(&self) -> State {
        self.written.borrow().clone()
    }

    /// Before an instruction. At the beginning of a block where exceptions are found that calls have handed
    /// over: what these calls have done before they threw.
    pub fn enter(&self, v: ValueId, state: &mut State, is: &dyn Fn(ValueId) -> bool) {
        let body = self.known.body;
        self.is_passing.set(self.ending.is_before(v));
        let calls = body[v].block.and_then(|b| body.handed.get(&b));
        let is_first = |b: BlockId| body[b].insts.first() == Some(&v);
        let calls = calls.filter(|_| is_first(body.block_of(v)));
        for &call in calls.into_iter().flatten() {
            self.calls_unwound(call, call, state, is);
        }
    }

    /// Notes that there is text now; `own` are the names by which it was written, `all` all names.
    pub fn add_text(&self, state: &mut State, own: &BitVec, all: &BitVec) {
        self.add_thrown_text(state, own, all);
        let (own, all) = self.lasting(own, all);
        self.written.borrow_mut().lasting_text.join(&own);
        state.lasting_text.join(&all);
    }
    /// What of memory to which text is written does not end with an exception that is about to be thrown.
    fn lasting<'b>(&self, own: &'b BitVec, all: &'b BitVec) -> (Cow<'b, BitVec>, Cow<'b, BitVec>) {
        if !self.is_passing.get() || !meet(own, &self.ending.locations) {
            return (Cow::Borrowed(own), Cow::Borrowed(all));
        }
        let mut others = own.clone();
        sets::remove(&mut others, &self.ending.locations);
        let all = self.known.locations.widened(&others);
        (Cow::Owned(others), Cow::Owned(all))
    }
    /// Whether a function is called on an exception before it ends, or on what serves to make it, and changes no
    /// variable: what it leaves without a name is the exception's.
    pub fn is_of_exception(&self, call: ValueId) -> bool {
        let Known { body, memory, locations, .. } = self.known;
        // Virtual destructors have many candidates; among these are some that make objects of a whole program.
        let is_other =
            |symbol: &str| foreign::is_memory(symbol) || library::statics::is_of_function(symbol);
        let is_variable = |o: usize| {
            shadow::is_variable(self.known, o)
                && memory.symbol(o).is_none_or(|symbol| !is_other(symbol))
        };
        let variables = || locations.of_objects(is_variable);
        let changes = |a: &Access| meet(&a.writes.own, &variables());
        self.is_passing.get()
            && body[call].operands.first().is_some_and(|&on| self.ending.contains(on))
            && !locations.access(call).is_some_and(changes)
    }
    /// The same of text that an exception brings: it ends with that.
    pub fn add_thrown_text(&self, state: &mut State, own: &BitVec, all: &BitVec) {
        self.written.borrow_mut().text.join(own);
        state.text.join(all);
    }
    /// The function hands an exception over: what has no name in callers ends with that.
    fn hand_over(&self, state: &mut State) {
        state.lasting_text &= &self.named;
        state.lasting_digits &= &self.named;
    }
    /// Whether a call hands over exceptions, and it is not known which blocks find them.
    pub fn may_have_handed(&self, call: ValueId) -> bool {
        !self.handed.contains(&call)
    }
    /// A handler ends, and the exception with it, unless the program keeps it.
    pub fn end_catch(&self, state: &mut State) {
        if !self.keeps_exceptions {
            state.text = state.lasting_text.clone();
            state.digits = state.lasting_digits.clone();
        }
    }
    /// The same where it has no other names.
    pub fn add_text_at(&self, state: &mut State, own: &BitVec) {
        self.add_text(state, own, own);
    }
    /// The same of integers which were made of digits.
    pub fn add_digits(&self, state: &mut State, own: &BitVec, all: &BitVec) {
        self.add_thrown_digits(state, own, all);
        let (own, all) = self.lasting(own, all);
        self.written.borrow_mut().lasting_digits.join(&own);
        state.lasting_digits.join(&all);
    }
    /// The same of those that an exception brings.
    pub fn add_thrown_digits(&self, state: &mut State, own: &BitVec, all: &BitVec) {
        self.written.borrow_mut().digits.join(own);
        state.digits.join(all);
    }
    /// Neither is there any more.
    pub fn remove(&self, state: &mut State, locations: &BitVec) {
        sets::remove(&mut state.text, locations);
        sets::remove(&mut state.digits, locations);
        sets::remove(&mut state.lasting_text, locations);
        sets::remove(&mut state.lasting_digits, locations);
    }

    /// What an instruction writes is text, or has such integers; or neither.
    pub fn write(&self, state: &mut State, v: ValueId, is_text: bool, has_digits: bool) {
        let Some(access) = self.known.locations.access(v) else { return };
        if !is_text && !has_digits {
            self.remove(state, &access.kills);
        }
        if is_text {
            self.add_text(state, &access.writes.own, &access.writes.all);
        }
        if has_digits {
            self.add_digits(state, &access.writes.own, &access.writes.all);
        }
    }

    /// What an instruction writes is what was there, changed: where it was no text, it is none now.
    fn keep(&self, state: &mut State, v: ValueId, is_number: bool) {
        let Some(access) = self.known.locations.access(v) else { return };
        state.text.join(&access.writes.all);
        state.lasting_text.join(&access.writes.all);
        if is_number {
            state.digits.join(&access.writes.all);
            state.lasting_digits.join(&access.writes.all);
        }
    }

    /// Whether a value is text only because of what lies at an address that it is stored to: a count of
    /// references, for one.
    fn updates(&self, value: ValueId, address: ValueId, facts: &Facts<bool>, steps: usize) -> bool {
        let body = self.known.body;
        let data = &body[value];
        match data.op {
            Op::Load => data.operands[0] == address,
            Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend) | Op::Freeze => {
                let mut tainted = data.operands.iter().filter(|o| *facts.get(**o));
                steps > 0 && tainted.all(|&o| self.updates(o, address, facts, steps - 1))
            }
            _ => false,
        }
    }

    /// Locations of text at an address, of so many bytes if that is known.
    pub fn text_at(&self, address: ValueId, bytes: Option<u64>) -> BitVec {
        let Known { memory, locations, .. } = self.known;
        locations.own(memory.targets(address), bytes.unwrap_or(ANY_BYTES))
    }

    /// Where the characters of a string lie, and the pointer to them: all but its length.
    pub fn string_at(&self, address: ValueId) -> BitVec {
        let Known { memory, locations, .. } = self.known;
        let targets = memory.targets(address);
        let short = targets.plus(Offset::new(strings::short_text(), 0));
        let mut all = locations.own(targets, target::pointer());
        all |= locations.own(&short, strings::bytes() - strings::short_text() as u64);
        all | locations.of_objects(|o| matches!(memory.objects[o], Object::Text))
    }

    /// Whether an operand is text with active digits, or leads to such.
    pub fn is_text(&self, o: ValueId, state: &State, is: &dyn Fn(ValueId) -> bool) -> bool {
        is(o) || (self.known.body[o].ty == Ty::Ptr && meet(&self.text_at(o, None), &state.text))
    }

    /// Whether an operand is one.
    pub fn is_any_text(&self, v: ValueId, state: &State, is: &dyn Fn(ValueId) -> bool) -> bool {
        self.known.body[v].operands.iter().any(|&o| self.is_text(o, state, is))
    }

    /// Whether a load may bring characters, an integer made of digits, or a pointer to text.
    fn load(&self, v: ValueId, state: &State, facts: &Facts<bool>) -> bool {
        let Known { body, memory, types, bits, locations, .. } = self.known;
        let data = &body[v];
        let address = data.operands[0];
        let holds = |set: &BitVec| locations.access(v).is_some_and(|a| meet(&a.reads.own, set));
        let is_text = holds(&state.text);
        match data.ty {
            Ty::Ptr => is_text,
            Ty::Int(8) => is_text || holds(&state.digits) || *facts.get(address),
            // An entry of a table, for a character.
            ty if ty.holds_float() => false,
            Ty::Int(_) | Ty::Vector(false) => {
                // A member of a struct beside pointers, a length, is no eight characters.
                let is_text = is_text && !(data.is_integer && data.is_member);
                holds(&state.digits)
                    || is_text
                        && *bits.accessed(types, body, memory, v, address, data.bytes)
                            != [ScalarKind::Int]
            }
            _ => false,
        }
    }
}

impl Analysis for Flow<'_> {
    type Domain = State;
    type Fact = bool;
    const NAME: &'static str = "text";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> State {
        State::nothing(self.known.locations.empty())
    }
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, _: &Body, _: BlockId) -> State {
        let Known { body, memory, locations, .. } = self.known;
        let is_constant = |o: usize| matches!(memory.objects[o], Object::Global(g) if matches!(body[g].op, Op::Global(true)));
        let given = || locations.of_objects(|o| memory.is_visible(o) && !is_constant(o));
        let mut state = self.bottom();
        match self.entry {
            Entry::Nothing => {}
            Entry::Text => (state.text, state.lasting_text) = (given(), given()),
            Entry::Digits => (state.digits, state.lasting_digits) = (given(), given()),
        }
        state
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut State, facts: &mut Facts<bool>) {
        let data = &body[v];
        self.enter(v, state, &|o| *facts.get(o));
        let any = |list: &[ValueId]| list.iter().any(|&o| *facts.get(o));
        let is_tainted = match &data.op {
            Op::Load => self.load(v, state, facts),
            Op::Store => {
                let stored = data.operands[0];
                if body.handing.contains(&v) {
                    self.hand_over(state);
                }
                let is_stored = *facts.get(stored);
                let is_number = matches!(body[stored].ty, Ty::Int(9..) | Ty::Vector(false));
                if is_stored && self.updates(stored, data.operands[1], facts, MOST_STEPS) {
                    self.keep(state, v, is_number);
                } else {
                    self.write(state, v, is_stored, is_stored && is_number);
                }
                false
            }
            Op::Call(_) => self.call(v, state, facts),
            Op::Select => any(&data.operands[1..]),
            Op::IntBinary(_)
            | Op::Freeze
            | Op::Phi(_)
            | Op::InsertValue(_)
            | Op::ExtractValue(_)
            | Op::Shuffle(_)
            | Op::ExtractElement
            | Op::InsertElement => !data.ty.holds_float() && any(&data.operands),
            // The pointer, not what is added to it.
            Op::Gep(..) => any(&data.operands[..1]),
            Op::Cast(
                Cast::Int
                | Cast::ZeroExtend
                | Cast::Bits
                | Cast::PtrToInt
                | Cast::IntToPtr
                | Cast::AddressSpace,
            ) => any(&data.operands),
            _ => false,
        };
        if is_tainted {
            facts.raise(v, &true);
        }
    }
}
