//! Statements of the interpreter: blocks with their variables, assignments, calls, jumps.

use super::loops::Counted;
use super::{Cell, Flow, Interp, Is};
use crate::ast::*;
use crate::dual::Dual;

/// frexp of smaller numbers is rejected, and modf of those whose fraction is smaller.
const LEAST: (f64, f64) = (1e-6, 1e-8);

impl<'p> Interp<'p> {
    pub(super) fn block(&mut self, b: &'p Block) -> Is<Flow> {
        for local in &b.locals {
            let o = self.declare(local.var)?;
            self.initialise(o, &local.init, &self.func().vars[local.var].ty)?;
        }
        let mut flow = Flow::Normal;
        for s in &b.stmts {
            flow = self.stmt(s)?;
            if !matches!(flow, Flow::Normal) {
                break;
            }
        }
        for local in &b.locals {
            let frame = self.frames.last_mut().ok_or("frame")?;
            if let Some(o) = frame.vars[local.var].take() {
                self.objects[o].is_live = false;
            }
        }
        Ok(flow)
    }

    /// A new object for a variable.
    pub(super) fn declare(&mut self, var: VarId) -> Is<usize> {
        let o = self.allocate(&self.func().vars[var].ty, 1);
        self.frames.last_mut().ok_or("frame")?.vars[var] = Some(o);
        Ok(o)
    }

    fn initialise(&mut self, o: usize, init: &'p Init, ty: &Ty) -> Is<()> {
        match (init, ty) {
            (Init::None, _) => Ok(()),
            (Init::Zero, _) => self.zero(o, 0, self.program.size(ty)),
            (Init::Real(e), _) => {
                let v = self.real(e)?.1;
                self.store(o, 0, Cell::Real(v))
            }
            (Init::Int(e), _) => {
                let v = self.int(e)?;
                self.store(o, 0, Cell::Int(v))
            }
            (Init::Ptr(p), Ty::Ptr(to)) => {
                let v = self.points(p, to)?;
                self.store(o, 0, v)
            }
            (Init::List(es), _) => {
                let rest = self.program.size(ty).checked_sub(es.len()).ok_or("long list")?;
                for (k, e) in es.iter().enumerate() {
                    let v = self.real(e)?.1;
                    self.store(o, k, Cell::Real(v))?;
                }
                self.zero(o, es.len(), rest)
            }
            (Init::Copy(p), _) => {
                let cells = self.read(p, ty)?;
                self.write(o, 0, cells)
            }
            (Init::Ptr(_), _) => Err("initialiser"),
        }
    }

    fn stmt(&mut self, s: &'p Stmt) -> Is<Flow> {
        self.burn()?;
        match s {
            Stmt::Block(b) => return self.block(b),
            Stmt::If(c, yes, no) => {
                return if self.cond(c)? { self.block(yes) } else { self.block(no) };
            }
            Stmt::Switch(e, cases) => return self.switch(e, cases),
            Stmt::For { var, from, to, step, down, body } => {
                let counted = Counted { var: *var, from, to, step: *step, is_down: *down };
                return self.count_loop(&counted, body);
            }
            Stmt::While { var, fuel, cond, first, body } => {
                return self.while_loop(*var, *fuel, cond.as_ref(), *first, body);
            }
            Stmt::Walk { var, base, count, body } => return self.walk(*var, base, count, body),
            Stmt::Labelled(label, b) => {
                return Ok(match self.block(b)? {
                    Flow::Goto(to) if to == *label => Flow::Normal,
                    other => other,
                });
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Goto(label) => return Ok(Flow::Goto(*label)),
            Stmt::Return(None) => return Ok(Flow::Return(vec![])),
            Stmt::Return(Some(e)) => return self.return_real(e),
            Stmt::ReturnPtr(p) => {
                let Some(Ty::Ptr(of)) = &self.func().ret else { return Err("result") };
                return Ok(Flow::Return(vec![Some(self.points(p, of)?)]));
            }
            Stmt::ReturnPlace(p) => {
                let ret = self.func().ret.as_ref().ok_or("result")?;
                return Ok(Flow::Return(self.read(p, ret)?));
            }
            Stmt::Set(p, op, e) => {
                let v = self.real(e)?;
                self.set_real(p, *op, v)?;
            }
            Stmt::SetInt(p, op, e) => self.set_int(p, *op, e)?,
            Stmt::SetPtr(p, e) => self.set_ptr(p, e)?,
            Stmt::SetVec(p, op, e) => self.set_vector(p, *op, e)?,
            Stmt::Swap(a, b) => self.swap(a, b)?,
            Stmt::Copy(to, from) => {
                let (o, at, ty) = self.place(to)?;
                let cells = self.read(from, ty)?;
                self.write(o, at, cells)?;
            }
            Stmt::Call(to, f, args) => self.call_statement(to.as_ref(), f, args)?,
            Stmt::Memcpy(overlaps, to, from, n, ty) => self.memcpy(*overlaps, to, from, n, ty)?,
            Stmt::Memset(p, n, ty) => self.memset(p, n, ty)?,
            Stmt::Malloc(zeroed, var, n) => self.malloc(*zeroed, *var, n)?,
            Stmt::Realloc(var, n) => self.realloc(*var, n)?,
            Stmt::Free(var) => self.free(*var)?,
            Stmt::Frexp(p, e, exponent) => self.frexp(p, e, *exponent)?,
            Stmt::Modf(p, e, whole) => self.modf(p, e, *whole)?,
        }
        Ok(Flow::Normal)
    }

    fn switch(&mut self, e: &'p IntE, cases: &'p [Case]) -> Is<Flow> {
        let v = self.int(e)?;
        let of = |value: Option<i64>| cases.iter().position(|c| c.value == value);
        let start = of(Some(v)).or(of(None)).unwrap_or(cases.len());
        for case in &cases[start..] {
            match self.block(&case.body)? {
                Flow::Normal => {}
                Flow::Break => return Ok(Flow::Normal),
                other => return Ok(other),
            }
            if case.stops {
                break;
            }
        }
        Ok(Flow::Normal)
    }

    fn return_real(&mut self, e: &'p RealE) -> Is<Flow> {
        let Some(Ty::Real(r)) = &self.func().ret else { return Err("result") };
        let mut v = self.real(e)?.1;
        v.value = r.round(v.value);
        Ok(Flow::Return(vec![Some(Cell::Real(v))]))
    }

    /// A call whose result, if any, goes to a place.
    fn call_statement(&mut self, to: Option<&'p LValue>, f: &'p FuncE, args: &'p [Arg]) -> Is<()> {
        let f = self.target(f)?;
        let cells = self.arguments(f, args)?;
        let result = self.call(f, cells)?;
        let Some(p) = to else { return Ok(()) };
        let (o, at, ty) = self.place(p)?;
        let ret = self.program.funcs[f].ret.as_ref();
        if matches!(ty, Ty::Struct(_)) && ret != Some(ty) || result.is_empty() {
            return Err("result");
        }
        self.write(o, at, result)
    }

    fn set_real(&mut self, p: &'p LValue, op: Option<RealOp>, v: (Real, Dual)) -> Is<()> {
        let (o, at, ty) = self.place(p)?;
        let Ty::Real(r) = ty else { return Err("store of another type") };
        let v = self.updated((o, at, *r), op, v)?;
        self.store(o, at, Cell::Real(v))
    }

    fn set_vector(&mut self, p: &'p LValue, op: Option<RealOp>, e: &'p VecE) -> Is<()> {
        let (r, values) = self.vector(e)?;
        let (o, at, ty) = self.place(p)?;
        if *ty != Ty::Vector(r, values.len()) {
            return Err("store of another vector");
        }
        for (k, v) in values.into_iter().enumerate() {
            let v = self.updated((o, at + k, r), op, (r, v))?;
            self.store(o, at + k, Cell::Real(v))?;
        }
        Ok(())
    }

    /// What an assignment leaves in a cell: the value, or the old one and it under an operation.
    fn updated(
        &mut self,
        (o, at, r): (usize, usize, Real),
        op: Option<RealOp>,
        v: (Real, Dual),
    ) -> Is<Dual> {
        let Some(op) = op else { return Ok(v.1) };
        let Cell::Real(old) = self.load(o, at)? else { return Err("load") };
        Ok(self.binary(op, (r, old), v)?.1)
    }

    fn set_int(&mut self, p: &'p LValue, op: Option<IntOp>, e: &'p IntE) -> Is<()> {
        let mut v = self.int(e)?;
        let (o, at, _) = self.place(p)?;
        if let Some(op) = op {
            let Cell::Int(old) = self.load(o, at)? else { return Err("load") };
            v = self.int_binary(op, old, v)?;
        }
        self.store(o, at, Cell::Int(v))
    }

    fn set_ptr(&mut self, p: &'p LValue, e: &'p PtrE) -> Is<()> {
        let (o, at, ty) = self.place(p)?;
        let Ty::Ptr(to) = ty else { return Err("no pointer") };
        let v = self.points(e, to)?;
        self.store(o, at, v)
    }

    fn swap(&mut self, a: &'p LValue, b: &'p LValue) -> Is<()> {
        let ((a, at, ty), (b, bt, of)) = (self.place(a)?, self.place(b)?);
        if ty != of || !matches!(ty, Ty::Real(_)) {
            return Err("swap of other types");
        }
        let (x, y) = (self.load(a, at)?, self.load(b, bt)?);
        self.store(a, at, y)?;
        self.store(b, bt, x)
    }

    fn frexp(&mut self, p: &'p LValue, e: &'p RealE, exponent: VarId) -> Is<()> {
        let v = self.real(e)?.1;
        if v.value.abs() < LEAST.0 {
            return Err("frexp of a small number");
        }
        let power = v.value.abs().log2().floor() as i32 + 1;
        let factor = f64::exp2(f64::from(-power));
        let fraction = Dual::apply(v.value * factor, &[(factor, &v)], 0.0);
        self.set_real(p, None, (Real::F64, fraction))?;
        let o = self.variable(exponent)?;
        self.store(o, 0, Cell::Int(i64::from(power)))
    }

    fn modf(&mut self, p: &'p LValue, e: &'p RealE, whole: VarId) -> Is<()> {
        let v = self.real(e)?.1;
        if v.value.fract().abs() < LEAST.1 {
            return Err("whole");
        }
        let fraction = Dual::apply(v.value.fract(), &[(1.0, &v)], 0.0);
        self.set_real(p, None, (Real::F64, fraction))?;
        let o = self.variable(whole)?;
        self.store(o, 0, Cell::Real(Dual::constant(v.value.trunc())))
    }
}
