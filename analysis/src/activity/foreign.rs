//! Data that come from elsewhere: what other processes, threads and devices store
//! (library/outside.rs), and numbers that are read from text in which active reals were written
//! (library/text.rs). Both are constant for activity, which would be wrong where they have an
//! influence: found here, refused in check/.
//!
//! Text: forward; domain: locations that may hold text with digits of something varied; facts: such
//! characters, and pointers to such text. Made by functions that write varied reals; moved by
//! loads, stores, copies and functions on text, whatever their types are. Brought: varied data
//! (varied.rs) if what is received, and what is read from such text, were varied. Useful as in
//! useful.rs for those. A call is refused iff what it brings is useful, or what it sends is varied.
//! A function with a body of its own, by what it calls: all that it may write, from all that it may
//! read. Where it makes text only for an exception that ends it, there is none where it returns: then
//! its text begins where the exception is found, at a landing pad or behind the branch by what the call
//! hands over ([`Body::handed`]). Errs towards refusing, but in bodies without such functions there is nothing to find.

use super::{Activity, Param, shadow::Shadows, useful, varied};
use crate::{
    context::Context,
    dataflow::{
        Analysis, Cursor, Direction, Facts,
        sets::{self, meet},
        solve,
    },
    locations::ANY_BYTES,
    points_to::{Object, Offset},
    summary::Known,
    types::ScalarKind,
};
use adir::{
    BlockId, Body, Callee, Cast, Op, Ty, ValueId,
    hashed::HashMap,
    library::{
        outside::{self, Outside},
        strings::{self, Argument},
        text::{self, Role, To},
    },
    target,
};
use bitvec::prelude::*;

/// Why a call is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It takes varied data elsewhere.
    Sent,
    /// It brings data that are useful.
    Received,
    /// It reads a useful number from text that holds active data.
    Read,
    /// It makes such text known by a name.
    Published,
}

/// Calls, and integers that become reals, that must be refused.
pub fn compute(known: Known, context: &Context, activity: &Activity) -> Vec<(ValueId, Why)> {
    let body = known.body;
    let calls: Vec<ValueId> = body.insts().filter(|&v| body[v].outside.is_any()).collect();
    if calls.is_empty() {
        return vec![];
    }
    let mut found: Vec<(ValueId, Why)> = vec![];
    let elsewhere = Elsewhere { known, activity };
    for &v in calls.iter().filter(|&&v| body[v].outside.has(Outside::SENDS)) {
        // The body of one that takes part in derivatives is looked at itself.
        let is_checked =
            matches!(body[v].op, Op::Call(Callee::Defined)) && activity.is_active_call(v);
        let sent = known
            .locations
            .exchange(v)
            .is_some_and(|exchange| elsewhere.is_given_varied(v, &exchange.sent.own));
        if !is_checked && sent {
            found.push((v, Why::Sent));
        }
    }
    let text = Text::compute(known, activity, &calls);
    found.extend(text.published.iter().map(|&v| (v, Why::Published)));
    // The locations where each stores what it brings.
    let mut stores: HashMap<ValueId, BitVec> = HashMap::default();
    for &v in &calls {
        let mut writes = known.locations.empty();
        if body[v].outside.has(Outside::RECEIVES)
            && let Some(exchange) = known.locations.exchange(v)
        {
            sets::add(&mut writes, &exchange.received.own);
        }
        if text.reached.contains(&v) {
            writes |= elsewhere.read_into(v);
        }
        if body[v].outside.has(Outside::RECEIVES) || text.reached.contains(&v) {
            stores.insert(v, writes);
        }
    }
    // Functions of other files: what they return, or where that says nothing, what they may store.
    let brings = |v: ValueId| {
        if body[v].ty.holds_float() { known.locations.empty() } else { elsewhere.read_into(v) }
    };
    text.reached.iter().for_each(|&v| _ = stores.entry(v).or_insert_with(|| brings(v)));
    text.digits.iter().for_each(|&v| _ = stores.insert(v, known.locations.empty()));
    if stores.is_empty() {
        return found;
    }
    let mut open = context.clone();
    open.is_open = true;
    // What comes into memory that is constant for the request may be active elsewhere all the same.
    let params: Vec<Param> = body
        .params
        .iter()
        .zip(&activity.params)
        .map(|(&p, &param)| if body[p].ty == Ty::Ptr { Param::Shadowed } else { param })
        .collect();
    let reach = Shadows::possible(known, &params, &open);
    let sources: HashMap<ValueId, BitVec> =
        stores.iter().map(|(&v, writes)| (v, known.locations.widened(writes))).collect();
    let none = bitvec![0; body.values.len()];
    let received = varied::compute_with(known, &params, &open, &reach, true, (&none, &sources));
    let varied = (&received.values, &none);
    let useful = useful::compute(known, &activity.params, context, varied, &reach);
    for (&v, writes) in &stores {
        let stored = useful.after_calls.get(&v).is_some_and(|after| meet(writes, after));
        if stored || useful.values[v.index()] {
            let is_text = text.reached.contains(&v) || text.digits.contains(&v);
            found.push((
                v,
                if is_text && !body[v].outside.has(Outside::RECEIVES) {
                    Why::Read
                } else {
                    Why::Received
                },
            ));
        }
    }
    found.sort_unstable_by_key(|f| f.0);
    found
}

/// What calls touch of what others know.
struct Elsewhere<'a> {
    known: Known<'a>,
    activity: &'a Activity,
}

impl Elsewhere<'_> {
    /// What the arguments from that number on lead to.
    fn given(&self, v: ValueId, first: usize) -> BitVec {
        let Known { body, memory, locations, .. } = self.known;
        let mut set = locations.empty();
        for &o in body[v].operands.iter().skip(first).filter(|o| body[**o].ty == Ty::Ptr) {
            set |= locations.own(&memory.targets(o).at(Offset::ANY), ANY_BYTES);
        }
        set
    }

    /// Where a call stores numbers that it reads.
    fn read_into(&self, v: ValueId) -> BitVec {
        let Known { body, locations, .. } = self.known;
        match role(body, v) {
            // A descriptor leads to more than itself.
            Some(Role::Reads(_, first)) if is_indirect(body, v) => {
                let access = locations
                    .access(v)
                    .map_or_else(|| locations.empty(), |a| (*a.writes.all).clone());
                access | self.given(v, first)
            }
            Some(Role::Reads(_, first)) => self.given(v, first),
            _ if matches!(body[v].op, Op::Call(Callee::Defined)) => {
                locations.access(v).map_or_else(|| locations.empty(), |a| (*a.writes.all).clone())
            }
            _ => self.given(v, 0),
        }
    }

    /// Whether a call is given a varied number, or memory that holds one in these locations.
    fn is_given_varied(&self, v: ValueId, memory: &BitVec) -> bool {
        let by_value = self.known.body[v].operands.iter().any(|&o| self.activity.is_varied(o));
        by_value || self.activity.around(v).is_some_and(|around| meet(memory, &around.varied))
    }
}

/// What the called function does with text.
fn role(body: &Body, v: ValueId) -> Option<Role> {
    if !matches!(
        body[v].op,
        Op::Call(
            Callee::Inactive
                | Callee::Passive
                | Callee::Custom
                | Callee::Unknown
                | Callee::Allocate(_)
        )
    ) {
        return None;
    }
    body[v].symbol.as_deref().and_then(|s| text::role(outside::base(s)))
}

/// Whether a Fortran transfer names its items by a descriptor.
fn is_indirect(body: &Body, v: ValueId) -> bool {
    body[v].symbol.as_deref().is_some_and(|s| {
        ["Descriptor", "Namelist", "DerivedType"].iter().any(|part| s.contains(part))
    })
}

/// Where text with active digits goes.
#[derive(Default)]
struct Text {
    /// Calls that read numbers from it.
    reached: Vec<ValueId>,
    /// Integers made of its characters that become reals, and reals that are loaded from where a
    /// file in memory has their bytes.
    digits: Vec<ValueId>,
    /// Calls that make it known by a name.
    published: Vec<ValueId>,
}

impl Text {
    fn compute(known: Known, activity: &Activity, calls: &[ValueId]) -> Text {
        let body = known.body;
        let writes =
            |v: &ValueId| body[*v].outside.has(Outside::MAKES_TEXT) || opens_memory(body, *v);
        if !calls.iter().any(writes) {
            return Text::default();
        }
        let elsewhere = Elsewhere { known, activity };
        let roles: HashMap<ValueId, Role> =
            body.insts().filter_map(|v| Some((v, role(body, v)?))).collect();
        let has_files = roles.values().any(|r| *r == Role::OpensMemory);
        let has_transfers = roles.values().any(|r| matches!(r, Role::Opens(_)));
        let is_binary = |v: &ValueId| {
            body[*v].symbol.as_deref().is_some_and(|s| text::is_binary(outside::base(s)))
        };
        let publishes = |v: ValueId| {
            body[v].symbol.as_deref().is_some_and(|s| text::publishes(outside::base(s)))
        };
        let has_bytes = has_files && roles.keys().any(is_binary);
        let flow = Flow { known, elsewhere, roles, has_files, has_transfers };
        let mut solution = solve(body, &flow, &[]);
        let facts = solution.values(|f| *f);
        let is = |o: ValueId| facts[o.index()];
        let mut found = Text::default();
        let mut cursor = Cursor::new(body, &flow, &mut solution);
        let mut before = |v: ValueId| {
            let mut state = cursor.before(v).clone();
            flow.enter(v, &mut state, &is);
            state
        };
        for v in body.insts() {
            match body[v].op {
                Op::Cast(Cast::IntToFloat) if facts[body.operand(v, 0).index()] => {
                    found.digits.push(v)
                }
                Op::Call(_) if publishes(v) && flow.is_any_text(v, &before(v), &is) => {
                    found.published.push(v);
                }
                Op::Load if has_bytes && body[v].ty.holds_float() => {
                    let state = before(v);
                    if facts[body.operand(v, 0).index()]
                        || known.locations.access(v).is_some_and(|a| meet(&a.reads.own, &state))
                    {
                        found.digits.push(v);
                    }
                }
                Op::Call(_) if flow.is_reading(v) && flow.reads(v, &before(v), &is) => {
                    found.reached.push(v);
                }
                _ => {}
            }
        }
        found
    }
}

/// The address that an operand is: stand-ins take that of a stream, which has no shadow, as an
/// integer.
fn address(body: &Body, operand: ValueId) -> ValueId {
    match body[operand].op {
        Op::Cast(Cast::PtrToInt) => body.operand(operand, 0),
        _ => operand,
    }
}

/// Whether a call opens a file that is memory.
fn opens_memory(body: &Body, v: ValueId) -> bool {
    role(body, v) == Some(Role::OpensMemory)
}

struct Flow<'a> {
    known: Known<'a>,
    elsewhere: Elsewhere<'a>,
    roles: HashMap<ValueId, Role>,
    /// Some file is memory.
    has_files: bool,
    /// Fortran writes to variables: of that the shadow runtime, under which other files read them,
    /// does not know.
    has_transfers: bool,
}

impl Flow<'_> {
    /// At the beginning of a block where exceptions are found that calls have handed over: what these
    /// calls have done before they threw.
    fn enter(&self, v: ValueId, state: &mut BitVec, is: &dyn Fn(ValueId) -> bool) {
        let body = self.known.body;
        let calls = body[v].block.and_then(|b| body.handed.get(&b));
        let is_first = |b: BlockId| body[b].insts.first() == Some(&v);
        let calls = calls.filter(|_| is_first(body.block_of(v)));
        for &call in calls.into_iter().flatten() {
            self.calls_defined(call, call, Outside::MAKES_TEXT, state, is);
        }
    }

    fn write(&self, state: &mut BitVec, v: ValueId, tainted: bool) {
        let Some(access) = self.known.locations.access(v) else { return };
        if tainted {
            sets::add(state, &access.writes.all);
        } else {
            sets::remove(state, &access.kills);
        }
    }

    /// Locations of text at an address, of so many bytes if that is known.
    fn text_at(&self, address: ValueId, bytes: Option<u64>) -> BitVec {
        let Known { memory, locations, .. } = self.known;
        locations.own(memory.targets(address), bytes.unwrap_or(ANY_BYTES))
    }

    /// Where the characters of a string lie, and the pointer to them: all but its length.
    fn string_at(&self, address: ValueId) -> BitVec {
        let Known { memory, locations, .. } = self.known;
        let targets = memory.targets(address);
        let short = targets.plus(Offset::new(strings::short_text(), 0));
        let mut all = locations.own(targets, target::pointer());
        all |= locations.own(&short, strings::bytes() - strings::short_text() as u64);
        all | locations.of_objects(|o| matches!(memory.objects[o], Object::Text))
    }

    /// Whether an operand is text with active digits, or leads to such.
    fn is_text(&self, o: ValueId, state: &BitVec, is: &dyn Fn(ValueId) -> bool) -> bool {
        is(o) || (self.known.body[o].ty == Ty::Ptr && meet(&self.text_at(o, None), state))
    }

    fn is_any_text(&self, v: ValueId, state: &BitVec, is: &dyn Fn(ValueId) -> bool) -> bool {
        self.known.body[v].operands.iter().any(|&o| self.is_text(o, state, is))
    }

    /// Whether a call may make numbers of text.
    fn is_reading(&self, v: ValueId) -> bool {
        let body = self.known.body;
        match self.roles.get(&v) {
            Some(Role::Reads(..)) => true,
            Some(_) => false,
            None => match body[v].op {
                Op::Call(Callee::Defined) => body[v].outside.has(Outside::READS_TEXT),
                Op::Call(Callee::Custom | Callee::Unknown) => {
                    body[v].ty.holds_float() || self.has_transfers
                }
                _ => false,
            },
        }
    }

    /// Whether it does, of text with active digits.
    fn reads(&self, v: ValueId, state: &BitVec, is: &dyn Fn(ValueId) -> bool) -> bool {
        let body = self.known.body;
        match self.roles.get(&v) {
            Some(Role::Reads(from, _)) => {
                let symbol = outside::base(body[v].symbol.as_deref().unwrap_or_default());
                let from = body.operand(v, *from);
                (!text::is_of_files(symbol) || self.has_files) && self.is_text(from, state, is)
            }
            _ if matches!(body[v].op, Op::Call(Callee::Defined)) => {
                let access = self.known.locations.access(v);
                let given = self.is_any_text(v, state, is)
                    || access.is_some_and(|a| meet(&a.reads.own, state));
                given || (body[v].outside.has(Outside::MAKES_TEXT) && self.is_given_varied(v))
            }
            _ => {
                let bytes = if self.has_transfers { None } else { Some(1) };
                body[v].operands.iter().any(|&o| {
                    body[o].ty == Ty::Ptr && (is(o) || meet(&self.text_at(o, bytes), state))
                })
            }
        }
    }

    /// Whether a function that makes text is given something varied.
    fn is_given_varied(&self, v: ValueId) -> bool {
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

    fn call(&self, v: ValueId, state: &mut BitVec, facts: &Facts<bool>) -> bool {
        let Known { body, locations, .. } = self.known;
        let is = |o: ValueId| *facts.get(o);
        let operand = |i: usize| body[v].operands.get(i).copied();
        match self.roles.get(&v) {
            Some(&Role::Writes(To::Unit, _)) => {
                // An item of a transfer; characters among them.
                if !self.is_given_varied_item(v)
                    && !body[v].operands.iter().skip(1).any(|&o| self.is_text(o, state, &is))
                {
                    return false;
                }
                match operand(0).and_then(|unit| self.opening(unit)) {
                    Some(begin) => match self.roles.get(&begin) {
                        Some(Role::OpensFile) => {}
                        Some(Role::Opens(false)) => {
                            let unit = self.text_at(body.operand(begin, 0), None);
                            *state |= unit;
                        }
                        _ => state.fill(true),
                    },
                    None => state.fill(true),
                }
                false
            }
            Some(&(Role::Writes(to, replaces) | Role::Moves(to, replaces))) => {
                let symbol = outside::base(body[v].symbol.as_deref().unwrap_or_default());
                if text::is_of_files(symbol) && !self.has_files {
                    return false;
                }
                let makes = matches!(self.roles[&v], Role::Writes(..));
                let target = match to {
                    To::Argument(i, _) => operand(i).map(|o| address(body, o)),
                    _ => None,
                };
                let others = || body[v].operands.iter().copied().filter(|o| Some(*o) != target);
                let stays = !replaces && target.is_some_and(|t| self.is_text(t, state, &is));
                let is_tainted = stays
                    || others().any(|o| self.is_text(o, state, &is))
                    || (makes && self.is_given_varied(v));
                if let Some(target) = target {
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
                    if is_tainted {
                        *state |= written;
                        // The buffer of a file that is memory.
                        if let Some(file) = self
                            .opening(target)
                            .filter(|f| self.roles.get(f) == Some(&Role::OpensMemory))
                        {
                            *state |= self.elsewhere.given(file, 0);
                        }
                    } else if replaces && is_known && self.is_single(target) {
                        *state &= !written;
                    }
                }
                is_tainted
            }
            // Numbers that are read are looked at apart; a transfer that reads is known by its
            // unit.
            Some(Role::Reads(..)) => false,
            Some(Role::Opens(is_array)) => {
                if *is_array {
                    state.any()
                } else {
                    self.is_any_text(v, state, &is)
                }
            }
            Some(Role::OpensFile | Role::OpensMemory) => false,
            None => match body[v].op {
                Op::Call(Callee::MemCpy | Callee::MemMove) => {
                    let moves = locations.access(v).is_some_and(|a| meet(&a.reads.own, state))
                        || operand(1).is_some_and(is);
                    self.write(state, v, moves);
                    operand(0).is_some_and(is)
                }
                Op::Call(Callee::MemSet) => {
                    self.write(state, v, false);
                    operand(0).is_some_and(is)
                }
                Op::Call(Callee::Defined) => {
                    let is_made = self.calls_defined(v, v, Outside::WRITES_TEXT, state, &is);
                    is_made && !body[v].ty.holds_float()
                }
                // What the call has done before it threw.
                Op::Call(Callee::Unwound) => {
                    let call = body.call_of_pad(v);
                    let is_defined = |c: &ValueId| matches!(body[*c].op, Op::Call(Callee::Defined));
                    if let Some(call) = call.filter(is_defined) {
                        self.calls_defined(call, v, Outside::MAKES_TEXT, state, &is);
                    }
                    false
                }
                _ => false,
            },
        }
    }

    /// What a call of a function with a body leaves of text, if the function makes text in one of these
    /// ways, or has text; `v` stands for what it stores. Whether there is any.
    fn calls_defined(
        &self,
        call: ValueId,
        v: ValueId,
        ways: Outside,
        state: &mut BitVec,
        is: &dyn Fn(ValueId) -> bool,
    ) -> bool {
        let Known { body, locations, .. } = self.known;
        let given = self.is_any_text(call, state, is)
            || locations.access(call).is_some_and(|a| meet(&a.reads.own, state));
        let makes = body[call].outside.has(ways) && self.is_given_varied(call);
        if makes {
            *state |= self.elsewhere.given(call, 0);
            *state |= locations.of_objects(|o| {
                super::shadow::is_variable(self.known, o)
                    || matches!(self.known.memory.objects[o], Object::Unknown)
            });
        }
        if given || makes {
            self.write(state, v, true);
        }
        given || makes
    }

    /// Whether an item of a transfer is varied; of those that descriptors name, any may be.
    fn is_given_varied_item(&self, v: ValueId) -> bool {
        let by_descriptor =
            || self.elsewhere.activity.around(v).is_some_and(|around| around.varied.any());
        self.is_given_varied(v) || (is_indirect(self.known.body, v) && by_descriptor())
    }

    /// Whether an address is the beginning of one object.
    fn is_single(&self, address: ValueId) -> bool {
        let targets = self.known.memory.targets(address);
        matches!(targets.objects[..], [o] if self.known.memory.is_single(self.known.body, o as usize))
            && targets.offset.is_exact()
            && targets.offset.constant == 0
    }

    /// Whether a load may bring characters, or a pointer to text.
    fn load(&self, v: ValueId, state: &BitVec, facts: &Facts<bool>) -> bool {
        let Known { body, memory, types, bits, locations, .. } = self.known;
        let data = &body[v];
        let address = data.operands[0];
        let is_held = locations.access(v).is_some_and(|a| meet(&a.reads.own, state));
        match data.ty {
            Ty::Ptr => is_held,
            Ty::Int(8) => is_held || *facts.get(address),
            // An entry of a table, for a character.
            ty if ty.holds_float() => false,
            Ty::Int(_) | Ty::Vector(false) => {
                is_held
                    && *bits.accessed(types, body, memory, v, address, data.bytes)
                        != [ScalarKind::Int]
            }
            _ => false,
        }
    }
}

impl Analysis for Flow<'_> {
    type Domain = BitVec;
    type Fact = bool;
    const NAME: &'static str = "text";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> BitVec {
        self.known.locations.empty()
    }
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        self.known.locations.empty()
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        let data = &body[v];
        self.enter(v, state, &|o| *facts.get(o));
        let any = |list: &[ValueId]| list.iter().any(|&o| *facts.get(o));
        let is_tainted = match &data.op {
            Op::Load => self.load(v, state, facts),
            Op::Store => {
                self.write(state, v, *facts.get(data.operands[0]));
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
