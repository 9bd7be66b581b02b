//! Numbers that surely divide the integers of a function: what lengths and steps are multiples of.

use crate::{
    analysis::points_to::gcd,
    library,
    llvm::{Function, Opcode, Value},
};
use std::collections::HashMap;

/// A divisor of every integer; 0 divides only 0.
pub struct Factors {
    known: HashMap<Value, u64>,
}

impl Factors {
    /// The greatest fixpoint: every integer starts as 0, and takes the greatest divisor that its operands leave, until
    /// nothing changes.
    pub fn compute(f: Function) -> Factors {
        let is_int = |v: &Value| v.ty().is_int();
        let ints: Vec<Value> = f.blocks().into_iter().flat_map(|b| b.instructions()).filter(is_int).collect();
        let mut factors = Factors { known: ints.iter().map(|&v| (v, 0)).collect() };
        loop {
            let mut same = true;
            for &v in &ints {
                let new = factors.compose(v);
                same &= factors.known.insert(v, new) == Some(new);
            }
            if same {
                return factors;
            }
        }
    }

    /// Of one integer.
    pub fn of(&self, v: Value) -> u64 {
        match v.as_int() {
            Some(k) => k.unsigned_abs(),
            None => self.known.get(&v).copied().unwrap_or(1),
        }
    }

    /// What the operands leave. Where arithmetic may wrap, only powers of two survive.
    fn compose(&self, v: Value) -> u64 {
        let of = |i| self.of(v.operand(i));
        let power = |f: u64| if f == 0 { 0 } else { 1 << f.trailing_zeros().min(32) };
        let wrapped = |f: u64| if v.is_nsw() { f } else { power(f) };
        match v.opcode() {
            Opcode::LLVMMul => wrapped(of(0).saturating_mul(of(1))),
            Opcode::LLVMShl => match v.operand(1).as_int() {
                Some(k @ 0..=32) => wrapped(of(0).saturating_mul(1 << k)),
                _ => 1,
            },
            Opcode::LLVMAdd | Opcode::LLVMSub => wrapped(gcd(of(0), of(1))),
            Opcode::LLVMAnd if of(0) == 0 || of(1) == 0 => 0,
            Opcode::LLVMAnd => power(of(0)).max(power(of(1))),
            Opcode::LLVMSExt | Opcode::LLVMZExt => of(0),
            Opcode::LLVMSelect => gcd(of(1), of(2)),
            Opcode::LLVMPHI => v.incoming().into_iter().fold(0, |f, (o, _)| gcd(f, self.of(o))),
            // Elements that are kept are kept whole; what a longer old block has beyond them nobody asked for.
            Opcode::LLVMCall if v.argument_count() == 3 && v.called().name() == library::KEPT_BYTES => of(2),
            _ => 1,
        }
    }
}
