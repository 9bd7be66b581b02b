//! What the uses of an integer, or of a vector of integers, say of it: whether its bits may be
//! those of a real.
//!
//! An integer that is only moved may be anything. One that is computed with is an integer, unless
//! the result is seen as a real, or single bits of it are masked or flipped, or something is added
//! above what is the fraction of a real, and it is stored where nothing says that an integer lies:
//! so code takes magnitudes, changes signs and scales. An argument, or a result, of a function is
//! what the function, or its caller, makes of it.

use crate::{
    bits::{self, decisions},
    names,
};
use adir::{
    Body, Callee, Cast, IntOp, Op, ScalarKind, Ty, ValueId,
    hashed::HashMap,
    library::{
        self,
        ranks::{self, Role},
    },
    target,
};
use bitvec::prelude::*;
use std::rc::Rc;

/// What a function, and those that it calls, do with integers.
#[derive(Clone, Default)]
pub struct Uses {
    /// Integers that only decide.
    decisions: BitVec,
    parameters: Rc<[Parameter]>,
    /// Of calls, the parameters of the called function.
    called: HashMap<ValueId, Rc<[Parameter]>>,
    /// A caller may make a number of the integer that the function returns.
    returns_number: bool,
}

/// What a function, or one that it calls, does with a parameter.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Parameter {
    /// It computes with it, as with an integer.
    is_computed: bool,
    /// It stores or returns it as it is, or sees it as a real.
    is_kept: bool,
    /// It makes a number of it, or of what it calculates from it, or returns that.
    is_number: bool,
}

impl Parameter {
    /// Of which nothing is known.
    const UNKNOWN: Parameter = Parameter { is_computed: false, is_kept: true, is_number: true };

    /// Whether it is an integer, whatever other functions give: nothing is done but to compute with it.
    fn is_integer(&self) -> bool {
        self.is_computed && !self.is_kept && !self.is_number
    }
}

impl Uses {
    /// Before anything is known of called functions.
    pub fn of(body: &Body) -> Uses {
        Uses { decisions: decisions::compute(body), ..Uses::default() }
    }
    /// Notes what a called function does with its parameters; whether that was news.
    pub fn note_call(&mut self, call: ValueId, callee: &Uses) -> bool {
        let known = self.called.insert(call, callee.parameters.clone());
        known.is_none_or(|known| known != callee.parameters)
    }
    /// Finds out what the function does with its parameters; whether that was news.
    pub fn note_parameters(&mut self, body: &Body) -> bool {
        let of = |&p: &ValueId| Parameter {
            is_computed: !is_open(body, p, self),
            is_kept: becomes_real(body, p, true)
                || is_handed_on(body, p, |call, moved| self.keeps(body, call, moved)),
            is_number: self.gives_number(body, p),
        };
        let is_integer = |p: &ValueId| matches!(body[*p].ty, Ty::Int(_));
        let all = body.params.iter();
        let parameters: Rc<[Parameter]> =
            all.map(|p| if is_integer(p) { of(p) } else { Parameter::UNKNOWN }).collect();
        let is_news = parameters != self.parameters;
        self.parameters = parameters;
        is_news
    }
    /// Whether an integer is stored, returned, or handed to a function that may do so.
    pub fn passes_on(&self, body: &Body, v: ValueId) -> bool {
        is_handed_on(body, v, |call, moved| !self.is_integer_in(body, call, moved))
    }
    fn decides(&self, v: ValueId) -> bool {
        self.decisions.get(v.index()).is_some_and(|d| *d)
    }
    /// Whether parameter `i` is an integer, as the function computes with it and does nothing else.
    pub fn is_integer_parameter(&self, i: usize) -> bool {
        self.parameters.get(i).is_some_and(Parameter::is_integer)
    }
    /// The same of an argument in a called function.
    pub fn is_integer_in(&self, body: &Body, call: ValueId, argument: ValueId) -> bool {
        let mut given = self.given(body, call, argument).peekable();
        given.peek().is_some() && given.all(|p| p.is_integer())
    }
    /// Whether a called function computes with an argument, as with an integer, and hands it nowhere: it
    /// may make a number of it.
    fn is_computed_in(&self, body: &Body, call: ValueId, argument: ValueId) -> bool {
        let mut given = self.given(body, call, argument).peekable();
        given.peek().is_some() && given.all(|p| p.is_computed && !p.is_kept)
    }
    /// Whether an integer that is loaded, or what is calculated from it, goes to a called function that may
    /// make a number of it.
    pub fn hands_number(&self, body: &Body, load: ValueId) -> bool {
        matches!(body[load].op, Op::Load)
            && reaches(body, load, |u, now| self.makes_number_of(body, u, now))
    }
    /// Whether a number may be made of an integer that is loaded, or of what is calculated from it: here,
    /// in a called function, in a caller, or after it was stored. Where it is used on some ways only, passes
    /// load it before it is known which way it is.
    pub fn may_become_number(&self, body: &Body, load: ValueId) -> bool {
        is_used_for_sure(body, load) && self.makes_number(body, load)
    }
    /// The same of what a call returns, wherever it is used.
    pub fn makes_number(&self, body: &Body, v: ValueId) -> bool {
        self.reaches_number(body, v, |u, now| match body[u].op {
            Op::Store => body.operand(u, 0) == now,
            Op::Ret => self.returns_number,
            _ => false,
        })
    }
    /// Notes that a caller may make a number of what the function returns; whether that was news.
    pub fn note_result(&mut self) -> bool {
        !std::mem::replace(&mut self.returns_number, true)
    }
    /// Whether that was noted.
    pub fn returns_number(&self) -> bool {
        self.returns_number
    }
    /// Whether a number is made of an integer, or of what is calculated from it, here or in a called
    /// function, or either is returned.
    fn gives_number(&self, body: &Body, v: ValueId) -> bool {
        self.reaches_number(body, v, |u, _| matches!(body[u].op, Op::Ret))
    }
    /// Whether a number is made of it here or in a called function, or for what it becomes and a user of
    /// that `also` holds.
    fn reaches_number(
        &self,
        body: &Body,
        v: ValueId,
        also: impl Fn(ValueId, ValueId) -> bool,
    ) -> bool {
        let is_cast = |u: ValueId| matches!(body[u].op, Op::Cast(Cast::IntToFloat));
        reaches(body, v, |u, now| is_cast(u) || self.makes_number_of(body, u, now) || also(u, now))
    }
    /// Whether a call's function may make a number of an argument.
    fn makes_number_of(&self, body: &Body, call: ValueId, argument: ValueId) -> bool {
        matches!(body[call].op, Op::Call(Callee::Defined))
            && self.given(body, call, argument).any(|p| p.is_number)
    }
    /// Whether a called function may store an argument as it is, return it, or see it as a real.
    fn keeps(&self, body: &Body, call: ValueId, argument: ValueId) -> bool {
        self.given(body, call, argument).any(|p| p.is_kept)
    }
    /// The parameters that an argument is given as. In a recursion, nothing is done with them at first.
    fn given<'a>(
        &'a self,
        body: &'a Body,
        call: ValueId,
        argument: ValueId,
    ) -> impl Iterator<Item = Parameter> + 'a {
        let known = self.called.get(&call);
        let is_begun = known.is_some_and(|all| all.is_empty());
        let operands = body[call].operands.iter().enumerate().filter(move |_| !is_begun);
        operands.filter(move |(_, o)| **o == argument).map(move |(i, _)| {
            known.and_then(|all| all.get(i)).copied().unwrap_or(Parameter::UNKNOWN)
        })
    }
}

/// Whether an integer, or what is calculated from it, has a user for which `is_it` holds.
fn reaches(body: &Body, v: ValueId, is_it: impl Fn(ValueId, ValueId) -> bool) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        for &u in &body.users[now] {
            if is_it(u, now) {
                return true;
            }
            let goes_on = match &body[u].op {
                Op::IntBinary(_)
                | Op::Cast(Cast::Int | Cast::ZeroExtend)
                | Op::Call(Callee::PureInt)
                | Op::InsertValue(_)
                | Op::ExtractValue(_) => true,
                _ => is_move(body, u, now),
            };
            if goes_on && !seen.contains(&u) {
                seen.push(u);
            }
        }
    }
    false
}

/// Whether something comes of a value whichever way its block is left, and whatever is chosen: of what is
/// calculated from it in the block, something is stored, returned, handed to a function, or goes round a
/// loop.
fn is_used_for_sure(body: &Body, v: ValueId) -> bool {
    let own = body.block_of(v);
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        for &u in &body.users[now] {
            let block = body.block_of(u);
            match &body[u].op {
                // Passes load what they find on one way on the others, too, and use it later.
                Op::Phi(_) if now == v => {}
                Op::Phi(_) if body.dominates(block, own) || body[own].succs.len() == 1 => {
                    return true;
                }
                Op::Phi(_) | Op::Select | Op::ICmp | Op::FCmp | Op::Gep(..) => {}
                _ if block != own => {}
                Op::Store if body.operand(u, 0) == now => return true,
                Op::Ret | Op::Call(Callee::Defined) => return true,
                Op::Store | Op::Load => {}
                _ if !seen.contains(&u) => seen.push(u),
                _ => {}
            }
        }
    }
    false
}

/// Whether a stack variable is only copied to and from, as a whole or in parts. LLVM makes such
/// variables of parts of others, of unions too, and takes one alternative for their type; what is
/// copied tells what they hold.
pub fn is_scratch(body: &Body, variable: ValueId) -> bool {
    let mut parts = vec![variable];
    let mut is_copied = false;
    let mut at = 0;
    while at < parts.len() {
        for &u in &body.users[parts[at]] {
            match body[u].op {
                Op::Call(Callee::MemCpy | Callee::MemMove) => is_copied = true,
                Op::Call(Callee::Inactive) => {}
                Op::Gep(..) => parts.push(u),
                _ => return false,
            }
        }
        at += 1;
    }
    is_copied && matches!(body[variable].op, Op::Alloca(_))
}

/// Whether an integer is only moved: stored, joined, chosen, put in a vector or taken out, or seen
/// as a real.
pub fn is_only_copied(body: &Body, v: ValueId) -> bool {
    is_moved(body, v, |_, _| false)
}

/// Whether an integer is only moved, or given, as it is moved, to a user for which `also` holds.
pub fn is_moved(body: &Body, v: ValueId, also: impl Fn(ValueId, ValueId) -> bool) -> bool {
    let leaves = |moved: ValueId, u: ValueId| match body[u].op {
        Op::Store => body.operand(u, 0) == moved,
        Op::Cast(Cast::Bits) => true,
        _ => false,
    };
    uses_of_moved(body, v).all(|(moved, u)| leaves(moved, u) || also(moved, u))
}

/// What is done with an integer, and with what it becomes when it is moved, but for the moves: each
/// value and its user.
pub fn uses_of_moved(body: &Body, v: ValueId) -> impl Iterator<Item = (ValueId, ValueId)> {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let moved = seen[at];
        at += 1;
        let moves = body.users[moved].iter().copied().filter(|&u| is_move(body, u, moved));
        moves.for_each(|u| {
            if !seen.contains(&u) {
                seen.push(u)
            }
        });
    }
    seen.into_iter()
        .flat_map(|moved| body.users[moved].iter().map(move |&u| (moved, u)))
        .filter(|&(moved, u)| !is_move(body, u, moved))
}

/// The values of which an integer is one, unchanged.
pub fn origins(body: &Body, v: ValueId) -> Vec<ValueId> {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let sources = match body[seen[at]].op {
            Op::Phi(_) | Op::Freeze => &body[seen[at]].operands[..],
            Op::Select => &body[seen[at]].operands[1..],
            _ => &[],
        };
        let new: Vec<ValueId> = sources.iter().copied().filter(|o| !seen.contains(o)).collect();
        seen.extend(new);
        at += 1;
    }
    seen.retain(|&o| !matches!(body[o].op, Op::Phi(_) | Op::Freeze | Op::Select));
    seen
}

/// Whether a value, a real perhaps, is stored somewhere as it is, returned, or handed to a function
/// that may store it. What is returned, or is an argument, as a real is one to the source.
pub fn is_passed_on(body: &Body, v: ValueId) -> bool {
    is_handed_on(body, v, |_, _| true)
}

/// The same, where a function that is given the value may store it if `keeps` holds of the call and
/// of what the value has become.
fn is_handed_on(body: &Body, v: ValueId, keeps: impl Fn(ValueId, ValueId) -> bool) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let moved = seen[at];
        at += 1;
        let is_word = matches!(body[moved].ty, Ty::Int(_) | Ty::Ptr);
        for &u in &body.users[moved] {
            match &body[u].op {
                Op::Store if body.operand(u, 0) == moved => return true,
                Op::Call(Callee::Defined) if is_word && keeps(u, moved) => return true,
                Op::Ret if is_word => return true,
                Op::Cast(Cast::Bits) if !seen.contains(&u) => seen.push(u),
                _ if is_move(body, u, moved) && !seen.contains(&u) => seen.push(u),
                _ => {}
            }
        }
    }
    false
}

/// Whether `u` gives on what `moved` is, as it is.
fn is_move(body: &Body, u: ValueId, moved: ValueId) -> bool {
    match body[u].op {
        Op::Phi(_) | Op::Freeze | Op::Shuffle(_) => true,
        Op::Select => body.operand(u, 0) != moved,
        Op::ExtractElement => body.operand(u, 1) != moved,
        Op::InsertElement => body.operand(u, 2) != moved,
        _ => false,
    }
}

/// Whether the uses of an integer that is loaded show that it is one. A comparison does not, but
/// with a small constant: that of the bits of two positive reals is that of the reals.
pub fn is_computed_with(body: &Body, v: ValueId) -> bool {
    let is_open = |_, u: ValueId| match body[u].op {
        Op::Call(Callee::Defined) | Op::Ret => true,
        Op::ICmp => !is_with_small(body, u),
        _ => false,
    };
    !is_reordered(body, v) && !is_moved(body, v, is_open) && !becomes_real(body, v, true)
}

/// Whether a comparison is one with a small integer.
fn is_with_small(body: &Body, comparison: ValueId) -> bool {
    body[comparison].operands.iter().any(|&o| body[o].constant.is_some_and(is_small))
}

/// Whether a constant is no real's bits: a small integer other than zero would be a denormal
/// number, or no number.
fn is_small(constant: i64) -> bool {
    constant != 0 && constant.unsigned_abs() < 1 << 20
}

/// Whether a call puts the bytes or bits of an integer in another order: those of a real as well,
/// for a file perhaps.
fn reorders(body: &Body, call: ValueId) -> bool {
    body[call].symbol.as_deref().is_some_and(names::is_reordering)
}
fn is_reordered(body: &Body, v: ValueId) -> bool {
    body.users[v].iter().any(|&u| reorders(body, u))
}

/// Whether an integer that is loaded is the index of an array, or what one is computed from.
pub fn is_index(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        for &u in &body.users[now] {
            match &body[u].op {
                Op::Gep(..) if body.operand(u, 0) != now => return true,
                Op::IntBinary(IntOp::Add | IntOp::Sub | IntOp::Mul)
                | Op::Cast(Cast::Int | Cast::ZeroExtend)
                    if !seen.contains(&u) =>
                {
                    seen.push(u)
                }
                _ => {}
            }
        }
    }
    false
}

/// Whether code calculates with an integer that is loaded, as with a number or an index; with its
/// elements, if it is a vector, perhaps of another size.
pub fn is_calculated(body: &Body, v: ValueId) -> bool {
    let is_vector = |v: ValueId| body[v].ty == Ty::Vector(false);
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        for (moved, user) in uses_of_moved(body, now) {
            match body[user].op {
                Op::IntBinary(IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Other)
                | Op::Cast(Cast::IntToFloat)
                | Op::Gep(..) => return true,
                Op::Call(Callee::PureInt) | Op::ICmp if is_with_small(body, user) => return true,
                Op::Cast(Cast::Bits)
                    if is_vector(moved) && is_vector(user) && !seen.contains(&user) =>
                {
                    seen.push(user)
                }
                _ => {}
            }
        }
    }
    false
}

/// Whether an integer that is loaded is stored as well, however it is moved before: what is stored may
/// be the bits of a real, whatever code calculates with them (a check sum).
pub fn is_stored(body: &Body, v: ValueId) -> bool {
    let is_store = |moved: ValueId, user: ValueId| {
        matches!(body[user].op, Op::Store) && body.operand(user, 0) == moved
    };
    matches!(body[v].op, Op::Load) && uses_of_moved(body, v).any(|(m, u)| is_store(m, u))
}

/// Whether an integer that is loaded becomes a real number, as it is or after calculations: bits of a
/// real give its logarithm so.
pub fn becomes_number(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Load) && reaches_number(body, v, true)
}

/// Whether some bits of an integer that is loaded, masked or shifted, become a number: digits of a
/// real, if it holds the bits of one.
pub fn takes_digits(body: &Body, v: ValueId) -> bool {
    reaches_number(body, v, false)
}

/// Whether bits that are taken from `v`, which may be all of them from the start, become a number.
fn reaches_number(body: &Body, v: ValueId, all: bool) -> bool {
    // Values, and whether bits were taken from them.
    let mut seen = vec![(v, all)];
    let mut at = 0;
    while at < seen.len() {
        let (now, taken) = seen[at];
        at += 1;
        for &u in &body.users[now] {
            let taken = match &body[u].op {
                Op::Cast(Cast::IntToFloat) if taken => return true,
                Op::IntBinary(IntOp::And | IntOp::Or | IntOp::Xor | IntOp::Shl | IntOp::LShr) => {
                    true
                }
                Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend) => taken,
                _ if is_move(body, u, now) => taken,
                _ => continue,
            };
            if !seen.contains(&(u, taken)) {
                seen.push((u, taken));
            }
        }
    }
    false
}

/// Whether an access of an integer may be one of a real's bits, as far as the function shows: a
/// loaded one may be, unless something is computed from it that is neither a decision nor bits of a
/// real again; a stored one, unless it was computed.
pub fn leaves_open(body: &Body, access: ValueId, uses: &Uses) -> bool {
    match body[access].op {
        Op::Load => is_open(body, access, uses) || becomes_real(body, access, true),
        // The other uses of what is stored count as well.
        Op::Store => {
            !is_computed(body, body.operand(access, 0))
                && is_open(body, body.operand(access, 0), uses)
        }
        _ => false,
    }
}

/// Whether an integer that is stored was computed as one, or is a small constant.
pub fn is_computed(body: &Body, v: ValueId) -> bool {
    match body[v].op {
        Op::Constant => body[v].constant.is_some_and(is_small),
        Op::IntBinary(_) | Op::Cast(_) | Op::ICmp => {
            !is_bits_of_real(body, v) && !is_masked(body, v, true)
        }
        _ => false,
    }
}

/// Whether nothing is computed from an integer, however it is moved, but decisions, here or in a
/// called function. One that is put in a word with others is moved.
fn is_open(body: &Body, v: ValueId, uses: &Uses) -> bool {
    let computes = |(moved, u): (ValueId, ValueId)| match body[u].op {
        Op::Call(Callee::PureInt) if reorders(body, u) => false,
        Op::ICmp => is_with_small(body, u),
        Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend) | Op::Call(Callee::PureInt) => {
            !uses.decides(u)
        }
        Op::Call(Callee::Defined) => uses.is_computed_in(body, u, moved),
        Op::Call(Callee::Inactive) => body[u].symbol.as_deref().is_some_and(library::is_counting),
        Op::Call(Callee::Custom) => is_number_of_message(body, u, moved),
        Op::Cast(Cast::IntToFloat | Cast::IntToPtr) | Op::Gep(..) | Op::Alloca(_) => true,
        _ => false,
    };
    let mut words = vec![v];
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        at += 1;
        for (moved, u) in uses_of_moved(body, word) {
            if is_packed(body, v, moved, u) {
                if !words.contains(&u) {
                    words.push(u);
                }
            } else if computes((moved, u)) {
                return false;
            }
        }
    }
    true
}

/// Whether an operation on messages takes an integer as a number by value: a rank, a count, a tag.
fn is_number_of_message(body: &Body, call: ValueId, argument: ValueId) -> bool {
    let roles = ranks::roles_of(&body[call]).unwrap_or_default();
    let mut given = body[call].operands.iter().zip(roles);
    given.any(|(&o, role)| o == argument && role == Role::Value)
}

/// Whether `u` moves all bytes of an integer `v`, of the size of a real, that is part of `moved`.
fn is_packed(body: &Body, v: ValueId, moved: ValueId, u: ValueId) -> bool {
    let bytes = body[v].bytes;
    matches!(body[u].op, Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend))
        && bytes >= ScalarKind::F32.bytes()
        && bits::moves(body, u).iter().any(|m| m.operand == moved && m.bytes >= bytes)
}

/// Whether the uses of an integer leave open that its bits are those of a real.
pub fn may_be_real(body: &Body, v: ValueId, uses: &Uses) -> bool {
    let is_open = |moved: ValueId, u: ValueId| match body[u].op {
        Op::Call(Callee::Defined) => !uses.is_integer_in(body, u, moved),
        Op::Ret => true,
        _ => false,
    };
    is_reordered(body, v) || is_moved(body, v, is_open) || becomes_real(body, v, false)
}

/// Whether a mask leaves nothing but bits of the lowest byte.
fn takes_lowest_byte(body: &Body, mask: ValueId) -> bool {
    let is_byte = |&o: &ValueId| body[o].constant.is_some_and(|c| (0..256).contains(&c));
    body[mask].operands.iter().any(is_byte)
}

/// Whether what is computed from the bits of `v` is seen as a real, or may be: only masked, and
/// stored. `anywhere`: where the source stores an integer, too.
pub fn becomes_real(body: &Body, v: ValueId, anywhere: bool) -> bool {
    let is_wide = |v: ValueId| {
        body[v].ty == Ty::Vector(false) || matches!(body[v].ty, Ty::Int(32 | 64 | 80 | 128))
    };
    /// What has been done to the bits, the later the more.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Done {
        Moved,
        Masked,
        Computed,
    }
    let mut seen = vec![(v, Done::Moved)];
    let mut at = 0;
    while at < seen.len() {
        let (moved, done) = seen[at];
        at += 1;
        for &u in &body.users[moved] {
            let on = match &body[u].op {
                Op::Cast(Cast::Bits) if body[u].ty.holds_float() => return true,
                Op::Store
                    if body.operand(u, 0) == moved
                        && done == Done::Masked
                        && (anywhere || !body[u].is_integer)
                        && is_wide(moved) =>
                {
                    return true;
                }
                // A flag or a tag in the lowest byte: no part of a real that anybody keeps.
                Op::IntBinary(IntOp::And) if takes_lowest_byte(body, u) => Some(Done::Computed),
                Op::IntBinary(IntOp::And | IntOp::Or | IntOp::Xor) => Some(done.max(Done::Masked)),
                Op::IntBinary(IntOp::Add | IntOp::Sub) if changes_exponent(body, u, moved) => {
                    Some(done.max(Done::Masked))
                }
                Op::IntBinary(
                    IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Shl | IntOp::LShr | IntOp::Other,
                ) => Some(Done::Computed),
                Op::Cast(Cast::Bits) => Some(done),
                Op::Cast(Cast::Int | Cast::ZeroExtend) => Some(Done::Computed),
                _ if is_move(body, u, moved) => Some(done),
                _ => None,
            };
            if let Some(done) = on
                && !seen.contains(&(u, done))
            {
                seen.push((u, done));
            }
        }
    }
    false
}

/// Whether an integer is what is left of loaded bits, of a real perhaps, after masking. `anywhere`:
/// of those, too, that the source calls an integer.
pub fn is_masked(body: &Body, v: ValueId, anywhere: bool) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        let operands = &body[now].operands;
        let from = match body[now].op {
            Op::Load
                if now != v
                    && (anywhere || !body[now].is_integer)
                    && body[now].bytes == body[v].bytes
                    && becomes_real(body, now, anywhere) =>
            {
                return true;
            }
            Op::IntBinary(IntOp::And | IntOp::Or | IntOp::Xor | IntOp::Add | IntOp::Sub)
            | Op::Phi(_)
            | Op::Freeze => &operands[..],
            Op::Select => &operands[1..],
            _ => &[],
        };
        from.iter().for_each(|&o| {
            if !seen.contains(&o) {
                seen.push(o)
            }
        });
    }
    false
}

/// Whether a store puts back what was loaded from the same address with some bits changed, as code
/// does that assigns to a bit field: the load, if so.
pub fn updated_field(body: &Body, store: ValueId) -> Option<ValueId> {
    let (stored, address) = (body.operand(store, 0), body.operand(store, 1));
    let is_masking = |v: ValueId| matches!(body[v].op, Op::IntBinary(IntOp::And | IntOp::Or));
    let mut seen = vec![stored];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        if is_masking(now) {
            let further: Vec<ValueId> =
                body[now].operands.iter().copied().filter(|o| !seen.contains(o)).collect();
            seen.extend(further);
        }
    }
    let is_it = |&v: &ValueId| {
        matches!(body[v].op, Op::Load)
            && v != stored
            && body.operand(v, 0) == address
            && body[v].bytes == body[stored].bytes
    };
    seen.into_iter().find(is_it)
}

/// Whether all that is done with the bits of a load is that some of them change, where they lie.
pub fn is_field(body: &Body, load: ValueId) -> bool {
    let mut stores = vec![];
    let mut seen = vec![load];
    let mut at = 0;
    while at < seen.len() {
        for &u in &body.users[seen[at]] {
            match body[u].op {
                Op::IntBinary(IntOp::And | IntOp::Or) if !seen.contains(&u) => seen.push(u),
                Op::IntBinary(IntOp::And | IntOp::Or) => {}
                Op::Store if updated_field(body, u) == Some(load) => stores.push(u),
                _ => return false,
            }
        }
        at += 1;
    }
    !stores.is_empty()
}

/// Whether a sum or difference changes no bit of `of` below the exponent of a real.
fn changes_exponent(body: &Body, sum: ValueId, of: ValueId) -> bool {
    let fraction = match body[sum].ty {
        Ty::Int(32) => 23,
        Ty::Int(64) => 52,
        _ => return false,
    };
    let is_above = |o: ValueId| match (body[o].constant, &body[o].op) {
        (Some(c), _) => c.trailing_zeros() >= fraction,
        (None, Op::IntBinary(IntOp::Shl)) => {
            body[body.operand(o, 1)].constant.is_some_and(|n| n >= i64::from(fraction))
        }
        (None, Op::IntBinary(IntOp::And)) => {
            let masks = body[o].operands.iter().filter_map(|&m| body[m].constant);
            masks.into_iter().any(|m| m.trailing_zeros() >= fraction)
        }
        _ => false,
    };
    let (x, y) = (body.operand(sum, 0), body.operand(sum, 1));
    if x == of {
        is_above(y)
    } else {
        y == of && matches!(body[sum].op, Op::IntBinary(IntOp::Add)) && is_above(x)
    }
}

/// Whether a load as an integer of as many bytes as a pointer has, or of eight, is there to be
/// stored elsewhere: a copy, of pointers perhaps.
pub fn is_copy(body: &Body, v: ValueId) -> bool {
    let is_stored = |&u: &ValueId| {
        matches!(body[u].op, Op::Store) && body.operand(u, 0) == v && body.operand(u, 1) != v
    };
    let users = &body.users[v];
    matches!((&body[v].op, body[v].ty), (Op::Load, Ty::Int(bits)) if bits == 64 || bits == target::pointer_bits())
        && !body[v].is_integer
        && !users.is_empty()
        && users.iter().all(is_stored)
}

/// The real as which the bits of `v` are seen.
pub fn seen_as_real(body: &Body, v: ValueId) -> Option<ScalarKind> {
    let seen = body.users[v]
        .iter()
        .find(|&&u| matches!(body[u].op, Op::Cast(Cast::Bits)) && body[u].ty.is_real());
    seen.and_then(|&u| ScalarKind::of(body[u].ty))
}

/// The real of which an integer is the bit pattern.
pub fn bits_of_real(body: &Body, v: ValueId) -> Option<ScalarKind> {
    if is_bits_of_real(body, v) {
        ScalarKind::of(body[body.operand(v, 0)].ty).filter(|scalar| scalar.is_real())
    } else {
        None
    }
}

/// Whether an integer is the bit pattern of a real.
pub fn is_bits_of_real(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Cast(Cast::Bits)) && body[body.operand(v, 0)].ty.holds_float()
}
