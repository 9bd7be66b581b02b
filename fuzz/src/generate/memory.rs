//! Memory that holds pointers, and memory that is used again: structs with pointers in them, tables
//! of pointers, and workspaces that hold active and inactive values in turn.

use super::expr::{bin, lit, load};
use super::{Gen, INNER_LEN, Known};
use crate::ast::*;

impl Gen {
    /// Whether pointers are inside of an object of the type.
    pub(super) fn has_pointer(&self, ty: &Ty) -> bool {
        let mut kinds = vec![];
        self.program.kinds(ty, &mut kinds);
        kinds.contains(&CellKind::Ptr)
    }

    /// The structs without pointers.
    pub(super) fn plain_structs(&self) -> Vec<usize> {
        (0..self.program.structs.len()).filter(|s| !self.has_pointer(&Ty::Struct(*s))).collect()
    }

    /// Locals that hold pointers, each cell set by a statement.
    pub(super) fn pointers(&mut self, block: &mut Block) {
        let owners: Vec<usize> =
            (0..self.program.structs.len()).filter(|s| self.has_pointer(&Ty::Struct(*s))).collect();
        let mut types = vec![];
        if !owners.is_empty() && self.rng.chance(70) {
            types.push(Ty::Struct(*self.rng.pick(&owners)));
        }
        if self.has("pointer_table") && self.rng.chance(60) {
            let of = if !owners.is_empty() && self.rng.chance(30) {
                Ty::Struct(*self.rng.pick(&owners))
            } else {
                Ty::Real(self.real_kind())
            };
            types.push(Ty::Array(Box::new(Ty::Ptr(Box::new(of))), self.rng.range(2, 4) as usize));
        }
        for ty in types {
            let mut stmts = vec![];
            let k = self.declare(ty.clone(), false, 0, 0);
            if self.set_all(LValue::Var(k.id), &ty, &mut stmts).is_some() {
                block.locals.push(Local { var: k.id, init: Init::None });
                block.stmts.extend(stmts);
                self.scope.push(k);
            }
        }
    }

    /// Statements that set every cell of an object; `None` where there is nothing to point to.
    fn set_all(&mut self, place: LValue, ty: &Ty, stmts: &mut Vec<Stmt>) -> Option<()> {
        match ty {
            Ty::Real(_) => {
                let e = self.real_expr(1);
                stmts.push(Stmt::Set(place, None, e));
            }
            Ty::Int(_) => stmts.push(Stmt::SetInt(place, None, IntE::Lit(self.rng.range(0, 5)))),
            Ty::Func(_) | Ty::Vector(..) => return None,
            Ty::Ptr(e) => {
                let need = if matches!(**e, Ty::Struct(_)) { 1 } else { INNER_LEN };
                stmts.push(Stmt::SetPtr(place, self.region(e, need.max(INNER_LEN), true)?.0));
            }
            Ty::Array(e, n) => {
                for i in 0..*n {
                    self.set_all(
                        LValue::Index(Box::new(place.clone()), IntE::Lit(i as i64)),
                        e,
                        stmts,
                    )?;
                }
            }
            Ty::Struct(s) => {
                for (f, ty) in self.program.structs[*s].clone().iter().enumerate() {
                    self.set_all(LValue::Field(Box::new(place.clone()), f), ty, stmts)?;
                }
            }
        }
        Some(())
    }

    /// A pointer inside of an object leads elsewhere, to what was declared before the object.
    pub(super) fn redirect(&mut self, out: &mut Vec<Stmt>) {
        let holds = |g: &Gen, k: &Known| {
            let ty = &g.vars[k.id].ty;
            k.writable && g.has_pointer(if let Ty::Ptr(e) = ty { e } else { ty })
        };
        let fit: Vec<usize> =
            (0..self.scope.len()).filter(|i| holds(self, &self.scope[*i])).collect();
        if fit.is_empty() {
            return self.assign(out);
        }
        let i = *self.rng.pick(&fit);
        let k = self.scope[i].clone();
        let ty = self.vars[k.id].ty.clone();
        let later = self.scope.split_off(i);
        let found = self
            .pointer_in(LValue::Var(k.id), &ty, k.len)
            .and_then(|(place, of)| Some((place, self.region(&of, INNER_LEN, true)?.0)));
        self.scope.extend(later);
        if let Some((place, to)) = found {
            out.push(Stmt::SetPtr(place, to));
        }
    }

    /// A pointer inside of a variable, and what it leads to.
    fn pointer_in(&mut self, place: LValue, ty: &Ty, len: usize) -> Option<(LValue, Ty)> {
        match ty {
            Ty::Real(_) | Ty::Int(_) | Ty::Func(_) | Ty::Vector(..) => None,
            Ty::Array(e, n) => {
                let at = LValue::Index(Box::new(place), self.index(*n));
                if let Ty::Ptr(of) = &**e {
                    Some((at, (**of).clone()))
                } else {
                    self.pointer_in(at, e, 0)
                }
            }
            Ty::Ptr(e) => {
                let i = self.index(len.max(1));
                self.pointer_in(LValue::Index(Box::new(place), i), e, 0)
            }
            Ty::Struct(s) => {
                let fields = self.program.structs[*s].clone();
                let fit: Vec<usize> =
                    (0..fields.len()).filter(|f| self.has_pointer(&fields[*f])).collect();
                if fit.is_empty() {
                    return None;
                }
                let f = *self.rng.pick(&fit);
                let at = LValue::Field(Box::new(place), f);
                if let Ty::Ptr(of) = &fields[f] {
                    Some((at, (**of).clone()))
                } else {
                    self.pointer_in(at, &fields[f], 0)
                }
            }
        }
    }

    /// The same memory filled with constants, read, filled with results, read, in some order.
    pub(super) fn workspace(&mut self, out: &mut Vec<Stmt>) {
        let real = Ty::Real(self.real_kind());
        let Some((PtrE::At(base, start), len)) = self.region(&real, 2, true) else {
            return self.assign(out);
        };
        let start = if let IntE::Lit(v) = start { v } else { return self.assign(out) };
        let n = len.min(5) as i64;
        for _ in 0..self.rng.range(2, 5) {
            let i = self.declare(Ty::Int(Int::I32), false, 0, start + n);
            let at = LValue::Index(Box::new(base.clone()), load(i.id));
            let value = if self.rng.chance(50) {
                let scaled = bin(
                    RealOp::Mul,
                    lit(self.rng.uniform(0.1, 0.5)),
                    RealE::OfInt(Real::F64, Box::new(load(i.id))),
                );
                bin(RealOp::Add, lit(self.rng.uniform(-1.0, 1.0)), scaled)
            } else {
                self.scope.push(Known { writable: false, ..i.clone() });
                let e = self.real_expr(2);
                self.scope.pop();
                RealE::Math("sin", Real::F64, vec![e])
            };
            let body = Block { locals: vec![], stmts: vec![Stmt::Set(at, None, value)] };
            out.push(Stmt::For {
                var: i.id,
                from: IntE::Lit(start),
                to: IntE::Lit(start + n),
                step: 1,
                down: false,
                body,
            });
            if self.rng.chance(50) {
                self.call(out);
            }
            let read = RealE::Load(LValue::Index(
                Box::new(base.clone()),
                IntE::Lit(start + self.rng.range(0, n)),
            ));
            let other = self.real_expr(1);
            if let Some(p) = self.real_place(true) {
                let product = bin(RealOp::Mul, read, other);
                out.push(Stmt::Set(
                    p,
                    Some(RealOp::Add),
                    RealE::Math("sin", Real::F64, vec![product]),
                ));
            }
        }
    }
}
