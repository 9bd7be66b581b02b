//! Vector types: their variables, expressions, and small loops over them.

use super::expr::load;
use super::{Gen, Known};
use crate::ast::*;

/// Element type and number of elements.
type Shape = (Real, usize);

impl Gen {
    /// 16 or 32 bytes.
    pub(super) fn vector_type(&mut self) -> Ty {
        let (r, n) = match self.rng.below(if self.has("float") { 3 } else { 2 }) {
            0 => (Real::F64, 2),
            1 => (Real::F64, 4),
            _ => (Real::F32, 4),
        };
        Ty::Vector(r, n)
    }

    fn vectors(&self, write: bool) -> Vec<(VarId, Shape)> {
        let of = |k: &Known| match self.vars[k.id].ty {
            Ty::Vector(r, n) if !write || k.writable => Some((k.id, (r, n))),
            _ => None,
        };
        self.scope.iter().filter_map(of).collect()
    }

    pub(super) fn vector_expr(&mut self, (r, n): Shape, depth: usize) -> VecE {
        let fit: Vec<VarId> =
            self.vectors(false).into_iter().filter(|v| v.1 == (r, n)).map(|v| v.0).collect();
        if depth == 0 || self.rng.chance(20) {
            if !fit.is_empty() && self.rng.chance(75) {
                return VecE::Load(LValue::Var(*self.rng.pick(&fit)));
            }
            return VecE::List(r, (0..n).map(|_| self.real_expr(1)).collect());
        }
        let op = *self.rng.pick(&[RealOp::Add, RealOp::Sub, RealOp::Mul]);
        let a = Box::new(self.vector_expr((r, n), depth - 1));
        match self.rng.below(5) {
            0 | 1 => VecE::Bin(op, a, Box::new(self.vector_expr((r, n), depth - 1))),
            2 | 3 => VecE::Scale(op, a, r, Box::new(self.real_expr(1))),
            _ => VecE::Shuffle(a, (0..n).map(|_| self.rng.below(n)).collect()),
        }
    }

    /// A vector is set, in a loop or not, or its elements are one after the other.
    pub(super) fn vector_work(&mut self, out: &mut Vec<Stmt>) {
        let all = self.vectors(true);
        if all.is_empty() {
            return self.assign(out);
        }
        let (v, (r, n)) = *self.rng.pick(&all);
        let rounds = if self.rng.chance(40) { n as i64 } else { self.rng.range(1, 4) };
        let i = self.declare(Ty::Int(Int::I32), false, 0, rounds);
        self.scope.push(Known { writable: false, ..i.clone() });
        let mut stmts = vec![];
        if self.rng.chance(70) {
            let e = VecE::Scale(
                RealOp::Mul,
                Box::new(self.vector_expr((r, n), 2)),
                r,
                Box::new(RealE::Lit(self.rng.uniform(0.2, 0.6), Real::F64)),
            );
            let op = *self.rng.pick(&[None, None, Some(RealOp::Add), Some(RealOp::Sub)]);
            stmts.push(Stmt::SetVec(LValue::Var(v), op, e));
        }
        if rounds <= n as i64 {
            let e = self.real_expr(1);
            let at = LValue::Index(Box::new(LValue::Var(v)), load(i.id));
            stmts.push(Stmt::Set(at, None, RealE::Math("sin", Real::F64, vec![e])));
        }
        self.scope.pop();
        out.push(Stmt::For {
            var: i.id,
            from: IntE::Lit(0),
            to: IntE::Lit(rounds),
            step: 1,
            down: false,
            body: Block { locals: vec![], stmts },
        });
    }
}
