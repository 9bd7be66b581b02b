//! Addresses as linear forms over loop counters, and whether two accesses can ever touch the same
//! byte in that order.
//!
//! address = root + c + Σ a_k x_k (mod 2^64), where each x_k is a loop's counter or a value that is
//! not looked into. Values that grow by a constant per iteration (induction variables, pointers
//! that walk) become start + step · counter.
//!
//! Two accesses, `first` before `later`, with the same root and the same terms: in the same
//! iteration of all loops around both they differ by d = c_later - c_first; `m` ≥ 1 iterations of
//! loop l on, by d + m s, where s is the coefficient of l's counter, provided that nothing else in
//! the form changes inside l. They never meet iff these differences leave room for both accesses.
//! Errs towards meeting. Source: the strong single-index-variable test of Goff, Kennedy, Tseng,
//! "Practical dependence testing", section 4.

#[cfg(test)]
mod tests;

use adir::{Body, Growth, IntOp, LoopId, Op, Ty, ValueId, hashed::HashMap};
use std::collections::BTreeMap;

/// Depth of expressions that are looked into.
const DEEPEST: u32 = 12;

/// A linear form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The pointer from which it is counted.
    pub root: ValueId,
    /// Bytes.
    pub constant: i64,
    /// Bytes per unit of other values.
    pub terms: BTreeMap<ValueId, i64>,
}

impl Address {
    /// The form of a pointer.
    pub fn of(body: &Body, pointer: ValueId) -> Address {
        let mut address = Address { root: pointer, constant: 0, terms: BTreeMap::new() };
        for _ in 0..DEEPEST {
            match &body[address.root].op {
                Op::Gep(constant, strides) => {
                    address.constant = address.constant.wrapping_add(*constant);
                    for &(index, stride) in strides {
                        // What is known to divide an index is part of the stride.
                        let unit = stride / (body[index].factor.max(1) as i64).max(1);
                        address.add(body, index, unit, DEEPEST);
                    }
                    address.root = body.operand(address.root, 0);
                }
                Op::ConstantExpr => match body[address.root].constant {
                    Some(at) => {
                        address.constant = address.constant.wrapping_add(at);
                        address.root = body.operand(address.root, 0);
                    }
                    None => break,
                },
                Op::Phi(_) => match induction(body, address.root) {
                    Some(i) => {
                        address.term(i.counter, i.step);
                        address.root = i.start;
                    }
                    None => break,
                },
                _ => break,
            }
        }
        address.terms.retain(|_, a| *a != 0);
        address
    }

    /// Bytes per unit of `x`.
    pub fn coefficient(&self, x: ValueId) -> i64 {
        self.terms.get(&x).copied().unwrap_or(0)
    }
    /// Whether the difference to another is a constant.
    pub fn is_beside(&self, other: &Address) -> bool {
        self.root == other.root && self.terms == other.terms
    }
    /// The same with one less of `counter`.
    pub fn one_before(&self, counter: ValueId) -> Address {
        Address { constant: self.constant.wrapping_sub(self.coefficient(counter)), ..self.clone() }
    }
    /// The same where `counter` is zero.
    pub fn at_start(&self, counter: ValueId) -> Address {
        let mut start = self.clone();
        start.terms.remove(&counter);
        start
    }

    fn term(&mut self, x: ValueId, a: i64) {
        let sum = self.terms.entry(x).or_insert(0);
        *sum = sum.wrapping_add(a);
    }

    /// Adds a · v.
    fn add(&mut self, body: &Body, v: ValueId, a: i64, depth: u32) {
        let data = &body[v];
        if let Some(k) = data.constant {
            self.constant = self.constant.wrapping_add(a.wrapping_mul(k));
            return;
        }
        if depth > 0 && data.ty == Ty::Int(64) {
            let (x, y) = (data.operands.first().copied(), data.operands.get(1).copied());
            match (&data.op, x, y) {
                (Op::IntBinary(IntOp::Add), Some(x), Some(y)) => {
                    self.add(body, x, a, depth - 1);
                    return self.add(body, y, a, depth - 1);
                }
                (Op::IntBinary(IntOp::Sub), Some(x), Some(y)) => {
                    self.add(body, x, a, depth - 1);
                    return self.add(body, y, a.wrapping_neg(), depth - 1);
                }
                (Op::IntBinary(IntOp::Mul), Some(x), Some(y)) => {
                    if let Some(k) = body[y].constant {
                        return self.add(body, x, a.wrapping_mul(k), depth - 1);
                    }
                }
                (Op::IntBinary(IntOp::Shl), Some(x), Some(y)) => {
                    if let Some(k @ 0..=62) = body[y].constant {
                        return self.add(body, x, a.wrapping_mul(1 << k), depth - 1);
                    }
                }
                (Op::Phi(_), ..) => {
                    if let Some(i) = induction(body, v) {
                        self.term(i.counter, a.wrapping_mul(i.step));
                        return self.add(body, i.start, a, depth - 1);
                    }
                }
                _ => {}
            }
        }
        self.term(v, a);
    }
}

/// Whether access `later` never touches a byte of access `first` that it follows in time; both are
/// (instruction, address, bytes).
pub fn never_meets(
    body: &Body,
    first: (ValueId, &Address, u64),
    later: (ValueId, &Address, u64),
) -> bool {
    never_meets_in(body, &common_loops(body, first.0, later.0), first, later)
}

/// The same in one run of loop `l`, which is around both.
pub fn never_meets_within(
    body: &Body,
    l: LoopId,
    first: (ValueId, &Address, u64),
    later: (ValueId, &Address, u64),
) -> bool {
    let common = common_loops(body, first.0, later.0);
    let within = common.iter().position(|&m| m == l).map_or(0, |at| at + 1);
    within > 0 && never_meets_in(body, &common[..within], first, later)
}

/// The same while what is around `loops`, innermost first, goes on with one iteration.
fn never_meets_in(
    body: &Body,
    loops: &[LoopId],
    first: (ValueId, &Address, u64),
    later: (ValueId, &Address, u64),
) -> bool {
    let ((f, a, a_bytes), (l, b, b_bytes)) = (first, later);
    if a.root != b.root || a.terms != b.terms {
        return false;
    }
    let d = b.constant.wrapping_sub(a.constant);
    let (a_bytes, b_bytes) = (a_bytes as i64, b_bytes as i64);
    let apart = |gap: i64| gap >= a_bytes || gap <= -b_bytes;
    let common = common_loops(body, f, l);
    let is_fixed = |x: ValueId, m: LoopId| body[x].block.is_none_or(|b| !body.contains(m, b));
    // In one iteration of all common loops: every term must have one value there.
    let one_value = |x: ValueId| {
        body.loop_of(x).is_none() || common.iter().any(|m| body.loop_of(x) == Some(*m))
    };
    let follows = f != l && comes_after(body, f, l);
    if follows && !(apart(d) && a.terms.keys().chain([&a.root]).all(|&x| one_value(x))) {
        return false;
    }
    // m ≥ 1 iterations of one of them on.
    loops.iter().all(|&m| {
        let counter = body[m].counter;
        let s = a.terms.get(&counter).copied().unwrap_or(0);
        let others = a.terms.keys().chain([&a.root]).filter(|&&x| x != counter);
        let steps = match s {
            0 => false,
            s if s > 0 => {
                s.checked_add(d).is_some_and(|gap| gap >= a_bytes)
                    || apart_modulo(d, s, a_bytes, b_bytes)
            }
            s => {
                s.checked_add(d).is_some_and(|gap| gap <= -b_bytes)
                    || apart_modulo(d, -s, a_bytes, b_bytes)
            }
        };
        steps && others.into_iter().all(|&x| is_fixed(x, m))
    })
}

/// Whether a load and a store never touch the same byte in one run of loop `l`, whichever
/// iterations of it, and of loops in it, they are of: the difference of their addresses follows
/// from counters alone, none of which is below zero or above the count of its loop. Both are
/// (address, bytes).
///
///   apart iff min(store - load) ≥ bytes of the load, or max(store - load) ≤ - bytes of the store
pub fn stays_apart(body: &Body, l: LoopId, load: (&Address, u64), store: (&Address, u64)) -> bool {
    let ((a, a_bytes), (b, b_bytes)) = (load, store);
    if a.root != b.root || !is_fixed(body, a.root, l) {
        return false;
    }
    let end = |is_upper: bool| {
        let mut end = Address {
            root: b.root,
            constant: b.constant.wrapping_sub(a.constant),
            terms: BTreeMap::new(),
        };
        for (address, sign) in [(b, 1), (a, -1)] {
            for (&x, &unit) in &address.terms {
                let unit = unit.checked_mul(sign)?;
                if is_fixed(body, x, l) {
                    end.term(x, unit);
                    continue;
                }
                let m = body.loop_of(x).filter(|&m| body[m].counter == x)?;
                if (unit > 0) == is_upper {
                    let mut last = Address { constant: 0, terms: BTreeMap::new(), ..end.clone() };
                    last.add(body, body[m].taken?, unit, DEEPEST);
                    // A count that changes in `l` is not one of both accesses.
                    if !last.terms.keys().all(|&x| is_fixed(body, x, l)) {
                        return None;
                    }
                    end.constant = end.constant.wrapping_add(last.constant);
                    last.terms.into_iter().for_each(|(x, unit)| end.term(x, unit));
                }
            }
        }
        end.terms.retain(|_, unit| *unit != 0);
        end.terms.is_empty().then_some(end.constant)
    };
    end(false).is_some_and(|least| least >= a_bytes as i64)
        || end(true).is_some_and(|most| most <= -(b_bytes as i64))
}

/// Whether a value is the same in all iterations of a loop.
fn is_fixed(body: &Body, x: ValueId, l: LoopId) -> bool {
    body[x].block.is_none_or(|b| !body.contains(l, b))
}

/// Whether differences that are d modulo s leave room for both accesses.
fn apart_modulo(d: i64, s: i64, a_bytes: i64, b_bytes: i64) -> bool {
    let gap = d.rem_euclid(s);
    gap >= a_bytes && s - gap >= b_bytes
}

/// Loops around both, innermost first.
fn common_loops(body: &Body, a: ValueId, b: ValueId) -> Vec<LoopId> {
    let block = body.block_of(b);
    let mut common = vec![];
    let mut at = body.loop_of(a);
    while let Some(l) = at {
        if body.contains(l, block) {
            common.push(l);
        }
        at = body[l].parent;
    }
    common
}

/// Whether `later` may run after `first` without a new iteration of a loop around both: it comes
/// later in the order of blocks, than the header of the outermost loop that is around `first`
/// alone: the order may have what follows a loop before some of the loop's blocks.
pub fn comes_after(body: &Body, first: ValueId, later: ValueId) -> bool {
    let block = body.block_of(later);
    let around = std::iter::successors(body.loop_of(first), |&l| body[l].parent);
    match around.take_while(|&l| !body.contains(l, block)).last() {
        Some(l) => body.rank[block] > body.rank[body[l].header],
        None => body.position(later) > body.position(first),
    }
}

/// A phi that grows by a constant per iteration of its loop: start + step · counter. Integers wrap;
/// pointers walk bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Induction {
    /// The counter of its loop.
    pub counter: ValueId,
    /// Its value in the first iteration.
    pub start: ValueId,
    /// What it grows by.
    pub step: i64,
}

/// Whether `phi` is an induction variable, beside the counter itself.
pub fn induction(body: &Body, phi: ValueId) -> Option<Induction> {
    let (l, start, next) = around(body, phi)?;
    let data = &body[next];
    let step = match (&data.op, &data.operands[..]) {
        (Op::IntBinary(IntOp::Add), &[x, k]) if x == phi => body[k].constant?,
        (Op::IntBinary(IntOp::Sub), &[x, k]) if x == phi => body[k].constant?.checked_neg()?,
        (Op::Gep(bytes, strides), &[x, ..]) if x == phi && strides.is_empty() => *bytes,
        _ => return None,
    };
    let counter = body[l].counter;
    (phi != counter).then_some(Induction { counter, start, step })
}

/// A phi that grows by what its loop does not change, or by what grows so: start + first · i +
/// second · i (i - 1) / 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recurrence {
    /// The counter i of its loop.
    pub counter: ValueId,
    /// Its value in the first iteration.
    pub start: ValueId,
    /// What it grows by first.
    pub first: ValueId,
    /// What that grows by.
    pub second: Option<ValueId>,
}

/// The recurrences that the body lists, beside induction variables.
pub fn recurrences(body: &Body) -> HashMap<ValueId, Recurrence> {
    let all = body.growths.iter().filter_map(|&Growth { phi, first, second }| {
        let (l, start, _) = around(body, phi)?;
        Some((phi, Recurrence { counter: body[l].counter, start, first, second }))
    });
    all.filter(|(phi, _)| induction(body, *phi).is_none()).collect()
}

/// A phi of a loop's header: the loop, what it brings from outside, what from the latch.
pub fn around(body: &Body, phi: ValueId) -> Option<(LoopId, ValueId, ValueId)> {
    let Op::Phi(from) = &body[phi].op else { return None };
    let l = body.loop_headed_by(body[phi].block?)?;
    let outside = from.iter().position(|b| *b == body[l].preheader)?;
    let latch = from.iter().position(|b| *b == body[l].latch)?;
    (from.len() == 2).then(|| (l, body.operand(phi, outside), body.operand(phi, latch)))
}
