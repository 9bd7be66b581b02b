//! Points-to: which memory objects a pointer may name, and at which offset.
//!
//! Flow-insensitive within a function. Domain: for each pointer a set of objects and an offset `c mod g` (g = 0: exactly
//! c; g = 1: anything); bottom = no object. Equations, iterated to a fixpoint:
//!   parameter i: {Param i}, 0       alloca, malloc: {Local v}, 0      global: {Global v}, 0      null: {}
//!   gep p, k + Σ i_j s_j: objects of p; (c + k) mod gcd(g, s_1, s_2, …)
//!   phi, select: union; c mod gcd(g1, g2, |c1 - c2|)
//!   load, call result, inttoptr: {Unknown}
//! Errs towards more objects: an object too many costs a record or a shadow, one too few is a wrong gradient.
//! Source: Hascoët & Pascual 2002 (C pointers), section 5, reduced to objects of one function.

use crate::ir::{Body, Callee, Cast, Op, Ty, ValueId};
use bitvec::prelude::*;

/// Memory that has one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// Any memory that the function did not name: what pointers loaded from memory lead to.
    Unknown,
    /// What a pointer parameter leads to.
    Param(u32),
    /// A stack variable or an allocation of this function.
    Local(ValueId),
    /// A global variable.
    Global(ValueId),
}

/// An offset into an object, in bytes: all of `constant + n modulus`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offset {
    /// The constant part; below the modulus if that is not 0.
    pub constant: i64,
    /// 0: exactly `constant`; 1: any byte.
    pub modulus: u64,
}

impl Offset {
    /// The object's first byte.
    pub const START: Offset = Offset { constant: 0, modulus: 0 };
    /// Any byte.
    pub const ANY: Offset = Offset { constant: 0, modulus: 1 };

    fn new(constant: i64, modulus: u64) -> Offset {
        let constant = if modulus == 0 { constant } else { constant.rem_euclid(modulus as i64) };
        Offset { constant, modulus }
    }
    /// Moved by constant bytes and by multiples of `strides`.
    pub fn shifted(self, bytes: i64, strides: impl Iterator<Item = i64>) -> Offset {
        let modulus = strides.fold(self.modulus, |g, s| gcd(g, s.unsigned_abs()));
        Offset::new(self.constant.wrapping_add(bytes), modulus)
    }
    /// Either of two offsets.
    pub fn join(self, other: Offset) -> Offset {
        let gap = self.constant.abs_diff(other.constant);
        Offset::new(self.constant, gcd(gcd(self.modulus, other.modulus), gap))
    }
}

/// Greatest common divisor; gcd(0, n) = n.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The result.
pub struct Memory {
    /// All objects; `objects[0]` is `Unknown`.
    pub objects: Vec<Object>,
    points_to: Vec<Option<(BitVec, Offset)>>,
    escapes: BitVec,
    noalias: Vec<bool>,
}

impl Memory {
    /// Computes points-to sets of every pointer of `body`.
    pub fn compute(body: &Body) -> Memory {
        let mut objects = vec![Object::Unknown];
        let mut seed = vec![None; body.values.len()];
        for v in body.value_ids() {
            let object = match &body[v].op {
                Op::Param(i) if body[v].ty == Ty::Ptr => Object::Param(*i),
                Op::Alloca(_) | Op::Call(Callee::Malloc | Callee::Calloc) => Object::Local(v),
                Op::Global(_) => Object::Global(v),
                _ => continue,
            };
            seed[v.index()] = Some(objects.len());
            objects.push(object);
        }
        let n = objects.len();
        let single = |i: usize| {
            let mut set = bitvec![0; n];
            set.set(i, true);
            set
        };
        let mut points_to: Vec<Option<(BitVec, Offset)>> = vec![None; body.values.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for v in body.value_ids() {
                if body[v].ty != Ty::Ptr {
                    continue;
                }
                let data = &body[v];
                let at = |o: ValueId| points_to[o.index()].clone();
                let new = match (&data.op, seed[v.index()]) {
                    (_, Some(object)) => Some((single(object), Offset::START)),
                    (Op::Gep(constant, strides), _) => {
                        at(data.operands[0]).map(|(s, o)| (s, o.shifted(*constant, strides.iter().map(|s| s.1))))
                    }
                    (Op::Phi(_) | Op::ConstantExpr | Op::Freeze, _) => {
                        let loose = matches!(data.op, Op::ConstantExpr);
                        let all = data.operands.iter().filter_map(|&o| at(o)).reduce(join);
                        all.map(|(s, o)| (s, if loose { Offset::ANY } else { o }))
                    }
                    (Op::Select, _) => data.operands[1..].iter().filter_map(|&o| at(o)).reduce(join),
                    (Op::Cast(Cast::AddressSpace | Cast::Bits), _) => at(data.operands[0]),
                    (Op::Constant | Op::Undef, _) => Some((bitvec![0; n], Offset::START)),
                    (Op::Function, _) => Some((bitvec![0; n], Offset::START)),
                    _ => Some((single(0), Offset::ANY)),
                };
                if new.is_some() && new != points_to[v.index()] {
                    points_to[v.index()] = match (new, points_to[v.index()].take()) {
                        (Some(a), Some(b)) => Some(join(b, a)),
                        (a, b) => a.or(b),
                    };
                    changed = true;
                }
            }
        }
        let mut memory = Memory { objects, points_to, escapes: bitvec![0; n], noalias: body.noalias.clone() };
        memory.find_escapes(body);
        memory
    }

    /// Objects that a pointer may name, as indices into `objects`. A value that is no pointer names none.
    pub fn points_to(&self, v: ValueId) -> impl Iterator<Item = usize> + '_ {
        self.points_to[v.index()].iter().flat_map(|(set, _)| set.iter_ones())
    }
    /// The object behind pointer parameter `i`.
    pub fn object_of_param(&self, i: u32) -> Option<usize> {
        self.objects.iter().position(|o| *o == Object::Param(i))
    }
    /// Offset of a pointer within its objects.
    pub fn offset(&self, v: ValueId) -> Offset {
        self.points_to[v.index()].as_ref().map_or(Offset::ANY, |(_, o)| *o)
    }
    /// Whether an object's address is known outside the names that this function has for it.
    pub fn escapes(&self, object: usize) -> bool {
        self.escapes[object]
    }
    /// Whether two objects may share a byte.
    pub fn may_alias(&self, a: usize, b: usize) -> bool {
        use Object::*;
        let noalias = |i: u32| self.noalias.get(i as usize).copied().unwrap_or(false);
        match (self.objects[a], self.objects[b]) {
            _ if a == b => true,
            (Local(_), Param(_) | Global(_) | Local(_)) | (Param(_) | Global(_), Local(_)) => false,
            (Unknown, Local(_)) => self.escapes(b),
            (Local(_), Unknown) => self.escapes(a),
            (Param(i), Param(j)) => !noalias(i) && !noalias(j),
            // A restricted pointer that was stored may come back from memory.
            (Param(i), Unknown) => !noalias(i) || self.escapes(a),
            (Unknown, Param(i)) => !noalias(i) || self.escapes(b),
            (Param(i), Global(_)) | (Global(_), Param(i)) => !noalias(i),
            (Global(_), Global(_)) => false,
            (Unknown, _) | (_, Unknown) => true,
        }
    }

    /// Marks what is stored as a value, returned, turned into an integer, or given to a function with unknown effects.
    fn find_escapes(&mut self, body: &Body) {
        let mut escaped: Vec<ValueId> = vec![];
        for v in body.insts() {
            let data = &body[v];
            match &data.op {
                Op::Store => escaped.push(data.operands[0]),
                Op::Ret | Op::Cast(Cast::PtrToInt) | Op::InsertValue | Op::Atomic | Op::Other => {
                    escaped.extend(&data.operands)
                }
                Op::Call(
                    Callee::Defined | Callee::Unknown | Callee::Indirect | Callee::Assembly,
                ) => escaped.extend(&data.operands),
                _ => {}
            }
        }
        for v in escaped {
            let objects: Vec<_> = self.points_to(v).collect();
            for o in objects {
                self.escapes.set(o, true);
            }
        }
    }
}

fn join((mut a, x): (BitVec, Offset), (b, y): (BitVec, Offset)) -> (BitVec, Offset) {
    let offset = if a.not_any() {
        y
    } else if b.not_any() {
        x
    } else {
        x.join(y)
    };
    a |= b;
    (a, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_join_to_the_common_stride() {
        let a = Offset::START.shifted(8, [24].into_iter());
        assert_eq!(a, Offset { constant: 8, modulus: 24 });
        assert_eq!(a.shifted(24, [].into_iter()), a);
        assert_eq!(a.join(Offset { constant: 20, modulus: 0 }), Offset { constant: 8, modulus: 12 });
        assert_eq!(Offset::START.join(Offset::START), Offset::START);
        assert_eq!(Offset::START.join(Offset { constant: -8, modulus: 0 }), Offset { constant: 0, modulus: 8 });
    }
}
