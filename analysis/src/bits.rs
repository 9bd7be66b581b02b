//! Which reals lie in the bits of integers: calling conventions and passes move floats in integer
//! registers, one or two at a time or beside an integer, by shifts, masks and ors.
//!
//! Facts, per integer value: reals by their first byte; bottom = none. They spread along moves of
//! bits in both directions, from where the bits are seen as reals (bitcasts, typed memory) to all
//! places that they come from and go to:
//!   phi, select, freeze: byte k of the result is byte k of the operand
//!   trunc, zext:         the same, as far as both reach
//!   x << 8n, x >> 8n:    byte k + n, byte k - n
//!   x & mask, x | y:     byte k where the mask has all bits of it; where the other operand is known to be zero,
//!                      or LLVM knows that no bit is set in both
//! A real that does not fit through a move unbroken is not moved: what is left of it is no real.
//! Errs towards reals that are none: they get derivatives that no code reads. Two kinds of real at
//! one place are a conflict, which check.rs refuses.

pub mod decisions;

use super::{
    activity::integers,
    points_to::PointsTo,
    types::{ScalarKind, Types},
};
use adir::{Body, Cast, Field, IntOp, Op, Ty, ValueId};
use bitvec::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// Reals by their first byte.
type Lanes = BTreeMap<u64, ScalarKind>;

/// How far back known zeros are looked for.
const ZERO_DEPTH: u32 = 6;

/// The reals in the integers that a function is given and returns.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Boundary {
    /// Per parameter.
    pub params: Vec<Vec<Field>>,
    /// Of the result.
    pub result: Vec<Field>,
}

impl Boundary {
    /// Adds what another call has there.
    pub fn join(&mut self, other: &Boundary) {
        self.params.resize(self.params.len().max(other.params.len()), vec![]);
        let pairs =
            self.params.iter_mut().zip(&other.params).chain([(&mut self.result, &other.result)]);
        for (all, more) in pairs {
            all.extend(more);
            all.sort();
            all.dedup();
        }
    }
}

/// What is known of the boundaries of called functions, by call.
pub type Boundaries = BTreeMap<ValueId, Rc<Boundary>>;

/// The result.
#[derive(Default)]
pub struct Bits {
    lanes: BTreeMap<ValueId, Lanes>,
    conflicts: BTreeSet<ValueId>,
    decisions: BitVec,
}

/// A move: bytes `from..from + bytes` of an operand become those at `to` of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The operand.
    pub operand: ValueId,
    /// Its first byte that is moved.
    pub from: u64,
    /// Where it goes.
    pub to: u64,
    /// How many.
    pub bytes: u64,
}

impl Bits {
    /// Finds the reals in the integers of `body`, which calls functions with the boundaries
    /// `called`; its callers know what is `given`.
    pub fn compute(
        body: &Body,
        memory: &PointsTo,
        types: &Types,
        called: &Boundaries,
        given: &Boundary,
    ) -> Bits {
        let mut bits = Bits { decisions: decisions::compute(body), ..Bits::default() };
        let mut work: Vec<ValueId> = vec![];
        for v in body.insts() {
            bits.seed(body, memory, types, v, &mut work);
        }
        for (&call, boundary) in called {
            // What a function only computes with is no real, whatever its other callers give it.
            let operands = body[call].operands.iter().zip(&boundary.params);
            let moved = operands.filter(|(o, _)| !types.is_integer_in(body, call, **o));
            for (value, fields) in moved.map(|(&o, f)| (o, f)).chain([(call, &boundary.result)]) {
                bits.seed_all(body, value, fields, &mut work);
            }
        }
        body.params
            .iter()
            .zip(&given.params)
            .enumerate()
            .filter(|(i, _)| !types.is_integer_parameter(*i))
            .for_each(|(_, (&p, fields))| bits.seed_all(body, p, fields, &mut work));
        if let Some(result) = result(body) {
            bits.seed_all(body, result, &given.result, &mut work);
        }
        let mut moves_to: BTreeMap<ValueId, Vec<(ValueId, Move)>> = BTreeMap::new();
        for v in body.insts().filter(|&v| is_bits(body, v)) {
            for m in moves(body, v) {
                moves_to.entry(m.operand).or_default().push((v, m));
            }
        }
        // What one user of a constant takes it for, is nothing to the others.
        let is_constant = |v: ValueId| matches!(body[v].op, Op::Constant | Op::Undef);
        while let Some(v) = work.pop() {
            if is_constant(v) {
                continue;
            }
            let lanes = bits.lanes.get(&v).cloned().unwrap_or_default();
            let there = moves_to.get(&v).into_iter().flatten().map(|&(to, m)| (to, m));
            let back = moves(body, v)
                .into_iter()
                .map(|m| (m.operand, Move { from: m.to, to: m.from, ..m }));
            for (other, m) in there.chain(back).collect::<Vec<_>>() {
                for (&at, &scalar) in &lanes {
                    let fits = at >= m.from && at + scalar.bytes() <= m.from + m.bytes;
                    if fits && bits.add(body, other, at - m.from + m.to, scalar) {
                        work.push(other);
                    }
                }
            }
        }
        bits
    }

    /// Where bits become reals, come from typed memory or go there.
    fn seed(
        &mut self,
        body: &Body,
        memory: &PointsTo,
        types: &Types,
        v: ValueId,
        work: &mut Vec<ValueId>,
    ) {
        let operands = &body[v].operands;
        let (value, fields) = match &body[v].op {
            Op::Cast(Cast::Bits) if is_bits(body, v) => (v, body[operands[0]].fields.clone()),
            Op::Cast(Cast::Bits) if is_bits(body, operands[0]) => {
                (operands[0], body[v].fields.clone())
            }
            Op::Load if is_bits(body, v) => {
                let fields = types.within(body, memory, v, operands[0], body[v].bytes);
                // What the source calls an integer, or code calculates with, of memory that may hold
                // anything: where the bits go shows whether they are a real's.
                if body[v].is_integer && is_mixed(&fields)
                    || integers::place(body, memory, types, v).is_some()
                {
                    return;
                }
                (v, fields)
            }
            // Integers that are put together to be stored, whatever else may lie there; and what the
            // source calls an integer where only callers know of a real, of another object perhaps.
            Op::Store
                if is_bits(body, operands[0])
                    && (is_of_integers(body, memory, types, operands[0])
                        || body[v].is_integer
                            && !types
                                .accesses_real(memory, operands[1], body[operands[0]].bytes)) =>
            {
                return;
            }
            Op::Store if is_bits(body, operands[0]) => {
                (operands[0], types.within(body, memory, v, operands[1], body[operands[0]].bytes))
            }
            _ => return,
        };
        self.seed_all(body, value, &fields, work);
    }

    fn seed_all(&mut self, body: &Body, value: ValueId, fields: &[Field], work: &mut Vec<ValueId>) {
        for &(at, scalar) in fields {
            if scalar.is_real() && self.add(body, value, at, scalar) {
                work.push(value);
            }
        }
    }

    /// What an access (a load or store of bits) to `bytes` bytes at `address` may touch, as
    /// evidence of types says, and the reals that the bits are seen to have where that leaves bytes
    /// open: half of a small struct may be looked at in a called function only.
    pub fn accessed(
        &self,
        types: &Types,
        body: &Body,
        memory: &PointsTo,
        access: ValueId,
        address: ValueId,
        bytes: u64,
    ) -> Rc<[ScalarKind]> {
        let found = types.accessed(body, memory, access, address, bytes);
        let moved =
            if matches!(body[access].op, Op::Store) { body.operand(access, 0) } else { access };
        if *found == [ScalarKind::Int] && !body[access].is_integer {
            let mut scalar = found.to_vec();
            let is_open = |at, scalar: ScalarKind| {
                types.leaves_open(memory, address, bytes, at..at + scalar.bytes())
            };
            scalar.extend(
                self.lanes(moved)
                    .filter(|&(at, scalar)| is_open(at, scalar))
                    .map(|(_, scalar)| scalar),
            );
            scalar.sort();
            scalar.dedup();
            return scalar.into();
        }
        found
    }
    /// The reals in what the function is given and returns.
    pub fn boundary(&self, body: &Body) -> Boundary {
        let of = |v: ValueId| self.lanes(v).collect::<Vec<_>>();
        Boundary {
            params: body.params.iter().map(|&p| of(p)).collect(),
            result: result(body).map(of).unwrap_or_default(),
        }
    }
    /// The reals in what a call hands to a function and gets from it.
    pub fn given(&self, body: &Body, call: ValueId) -> Boundary {
        let of = |v: ValueId| self.lanes(v).collect::<Vec<_>>();
        Boundary { params: body[call].operands.iter().map(|&o| of(o)).collect(), result: of(call) }
    }
    /// Whether a called function knows of all reals in an argument, or in its result.
    pub fn is_known_to(&self, v: ValueId, fields: &[Field]) -> bool {
        self.lanes(v).all(|lane| fields.contains(&lane))
    }
    /// Whether all reals that a called function sees in an argument or returns are known here.
    pub fn agrees(&self, v: ValueId, fields: &[Field]) -> bool {
        fields
            .iter()
            .all(|&(at, scalar)| self.lanes.get(&v).is_some_and(|l| l.get(&at) == Some(&scalar)))
    }

    fn add(&mut self, body: &Body, v: ValueId, at: u64, scalar: ScalarKind) -> bool {
        if !is_bits(body, v) || at + scalar.bytes() > body[v].bytes {
            return false;
        }
        let lanes = self.lanes.entry(v).or_default();
        if lanes.get(&at) == Some(&scalar) {
            return false;
        }
        if lanes.iter().any(|(&o, h)| o < at + scalar.bytes() && at < o + h.bytes()) {
            self.conflicts.insert(v);
            return false;
        }
        lanes.insert(at, scalar);
        true
    }

    /// The reals in the bits of `v`, by their first byte, in order.
    pub fn lanes(&self, v: ValueId) -> impl Iterator<Item = (u64, ScalarKind)> + '_ {
        self.lanes.get(&v).into_iter().flatten().map(|(&at, &scalar)| (at, scalar))
    }
    /// Whether the bits of `v` hold a real.
    pub fn has_reals(&self, v: ValueId) -> bool {
        self.lanes.contains_key(&v)
    }
    /// Whether two kinds of real seem to lie at one place of `v`.
    pub fn is_contradictory(&self, v: ValueId) -> bool {
        self.conflicts.contains(&v)
    }
    /// Whether `v` is an integer that only decides, so that nothing differentiable depends on its
    /// bits.
    pub fn is_decision(&self, v: ValueId) -> bool {
        self.decisions.get(v.index()).is_some_and(|d| *d)
    }
    /// Whether `v` only moves the reals in the bits of its operand `i`: each arrives unbroken or
    /// not at all.
    pub fn moves_whole(&self, body: &Body, v: ValueId, i: usize) -> bool {
        let operand = body.operand(v, i);
        let moves: Vec<Move> =
            moves(body, v).into_iter().filter(|m| m.operand == operand).collect();
        // Arithmetic on the lower bytes carries into the real above, which no code reads then.
        let unseen = |at: u64, end: u64| {
            let users = &body.users[v];
            let is_arithmetic =
                matches!(body[v].op, Op::IntBinary(IntOp::Add | IntOp::Sub | IntOp::Mul));
            is_arithmetic
                && !self.has_reals(v)
                && users.iter().all(|&u| is_dropped(body, u, at, end))
        };
        let lost = |at: u64, end: u64| is_dropped(body, v, at, end) || unseen(at, end);
        self.lanes(operand).all(|(at, scalar)| {
            let end = at + scalar.bytes();
            moves.iter().any(|m| at >= m.from && end <= m.from + m.bytes) || lost(at, end)
        })
    }
}

/// How many values are looked at for what an integer is put together of.
const MOST_PARTS: usize = 32;

/// Whether an integer is put together of integers: loads of what types say is one, constants, and
/// what is computed.
fn is_of_integers(body: &Body, memory: &PointsTo, types: &Types, v: ValueId) -> bool {
    let is_integer = |load: ValueId| {
        let address = body.operand(load, 0);
        *types.accessed(body, memory, load, address, body[load].bytes) == [ScalarKind::Int]
    };
    let mut seen = vec![v];
    let mut at = 0;
    let mut is_put_together = false;
    while at < seen.len() {
        let part = seen[at];
        at += 1;
        let from: Vec<ValueId> = moves(body, part).into_iter().map(|m| m.operand).collect();
        is_put_together |= matches!(body[part].op, Op::IntBinary(_));
        let is_known = match &body[part].op {
            _ if !from.is_empty() => true,
            Op::Load => body[part].is_integer && is_integer(part),
            Op::Constant | Op::Undef | Op::ICmp => true,
            // Moves no byte.
            Op::IntBinary(_) => true,
            _ => false,
        };
        if !is_known || seen.len() > MOST_PARTS {
            return false;
        }
        for operand in from {
            if !seen.contains(&operand) {
                seen.push(operand);
            }
        }
    }
    is_put_together
}

/// Whether something else may lie where a real may lie.
fn is_mixed(fields: &[Field]) -> bool {
    let overlaps = |&(at, scalar): &Field, &(o, other): &Field| {
        o < at + scalar.bytes() && at < o + other.bytes()
    };
    let others = || fields.iter().filter(|f| !f.1.is_real());
    fields.iter().filter(|f| f.1.is_real()).any(|real| others().any(|other| overlaps(real, other)))
}

/// What a function returns.
fn result(body: &Body) -> Option<ValueId> {
    let ret = body.terminator(body.exit?);
    body[ret].operands.first().copied()
}

/// Whether a value is an integer that may hold bits of reals.
fn is_bits(body: &Body, v: ValueId) -> bool {
    matches!(body[v].ty, Ty::Int(16..=128))
}

/// Whether none of the bytes `at..end` of the operands is left in the result.
fn is_dropped(body: &Body, v: ValueId, at: u64, end: u64) -> bool {
    let operands = &body[v].operands;
    let bytes = |o: ValueId| body[o].bytes;
    match body[v].op {
        Op::Cast(Cast::Int | Cast::ZeroExtend) => at >= bytes(v),
        Op::IntBinary(IntOp::Shl) => {
            whole_bytes(body, operands[1]).is_some_and(|n| at + n >= bytes(v))
        }
        Op::IntBinary(IntOp::LShr) => whole_bytes(body, operands[1]).is_some_and(|n| end <= n),
        Op::IntBinary(IntOp::And) => {
            let masks = [operands[1], operands[0]].into_iter().filter_map(|o| body[o].constant);
            masks.into_iter().any(|mask| (at..end).all(|k| byte_of(mask, k) == 0))
        }
        _ => false,
    }
}

/// The moves of bytes that `v` makes.
pub fn moves(body: &Body, v: ValueId) -> Vec<Move> {
    let operands = &body[v].operands;
    if !is_bits(body, v) {
        return vec![];
    }
    let bytes = body[v].bytes;
    let all = |&operand: &ValueId| Move {
        operand,
        from: 0,
        to: 0,
        bytes: bytes.min(body[operand].bytes),
    };
    match body[v].op {
        Op::Phi(_) | Op::Freeze | Op::Cast(Cast::Int | Cast::ZeroExtend) => {
            operands.iter().map(all).collect()
        }
        Op::Select => operands[1..].iter().map(all).collect(),
        Op::IntBinary(IntOp::Shl) => match whole_bytes(body, operands[1]) {
            Some(n) if n < bytes => {
                vec![Move { operand: operands[0], from: 0, to: n, bytes: bytes - n }]
            }
            _ => vec![],
        },
        Op::IntBinary(IntOp::LShr) => match whole_bytes(body, operands[1]) {
            Some(n) if n < bytes => {
                vec![Move { operand: operands[0], from: n, to: 0, bytes: bytes - n }]
            }
            _ => vec![],
        },
        Op::IntBinary(IntOp::And) => {
            let (x, mask) = if body[operands[0]].constant.is_some() {
                (operands[1], operands[0])
            } else {
                (operands[0], operands[1])
            };
            let Some(mask) = body[mask].constant else { return vec![] };
            runs(bytes, |k| byte_of(mask, k) == 0xff)
                .map(|(from, bytes)| Move { operand: x, from, to: from, bytes })
                .collect()
        }
        Op::IntBinary(IntOp::Or) => [(operands[0], operands[1]), (operands[1], operands[0])]
            .into_iter()
            .flat_map(|(x, other)| {
                runs(bytes, |k| body[v].nowrap || is_zero(body, other, k, ZERO_DEPTH))
                    .map(move |(from, bytes)| Move { operand: x, from, to: from, bytes })
            })
            .collect(),
        _ => vec![],
    }
}

/// Maximal runs of bytes for which `holds`, as (start, length).
fn runs(bytes: u64, holds: impl Fn(u64) -> bool) -> std::vec::IntoIter<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = vec![];
    for k in (0..bytes).filter(|&k| holds(k)) {
        match found.last_mut() {
            Some((start, length)) if *start + *length == k => *length += 1,
            _ => found.push((k, 1)),
        }
    }
    found.into_iter()
}

/// A constant number of bits as whole bytes.
fn whole_bytes(body: &Body, v: ValueId) -> Option<u64> {
    body[v].constant.filter(|k| *k >= 0 && k % 8 == 0).map(|k| k as u64 / 8)
}

/// Byte `k` of a constant, sign-extended beyond 64 bits.
fn byte_of(constant: i64, k: u64) -> u8 {
    (constant >> (8 * k.min(7))) as u8
}

/// Whether byte `k` of `v` is zero, as far as is known.
fn is_zero(body: &Body, v: ValueId, k: u64, depth: u32) -> bool {
    let data = &body[v];
    if let Some(c) = data.constant {
        return byte_of(c, k) == 0;
    }
    if depth == 0 {
        return false;
    }
    let of = |i: usize, k: u64| is_zero(body, data.operands[i], k, depth - 1);
    match data.op {
        Op::Cast(Cast::Int | Cast::ZeroExtend) if k < body[data.operands[0]].bytes => of(0, k),
        Op::Cast(Cast::ZeroExtend) => true,
        Op::IntBinary(IntOp::Shl) => match whole_bytes(body, data.operands[1]) {
            Some(n) => k < n || of(0, k - n),
            None => false,
        },
        Op::IntBinary(IntOp::LShr) => match whole_bytes(body, data.operands[1]) {
            Some(n) => k + n >= data.bytes || of(0, k + n),
            None => false,
        },
        Op::IntBinary(IntOp::And) => of(0, k) || of(1, k),
        Op::IntBinary(IntOp::Or) => of(0, k) && of(1, k),
        Op::Freeze => of(0, k),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
