//! Statements of the interpreter: blocks with their variables, loops, jumps, memory functions.

use super::{Cell, Flow, Interp, Is};
use crate::ast::*;
use crate::dual::Dual;

impl<'p> Interp<'p> {
    pub(super) fn write(&mut self, o: usize, at: usize, cells: Vec<Option<Cell>>) -> Is<()> {
        for (k, cell) in cells.into_iter().enumerate() {
            self.store(o, at + k, cell.ok_or("uninitialised")?)?;
        }
        Ok(())
    }

    fn zero(&mut self, o: usize, at: usize, count: usize) -> Is<()> {
        for k in at..at + count {
            let cell = match self.objects[o].kinds.get(k).ok_or("bounds")? {
                Kind::Real(_) => Cell::Real(Dual::constant(0.0)),
                Kind::Int(_) => Cell::Int(0),
                Kind::Ptr | Kind::Func => return Err("zero pointer"),
            };
            self.store(o, k, cell)?;
        }
        Ok(())
    }

    fn bind(&mut self, var: VarId, o: usize) -> Is<()> {
        self.frames.last_mut().ok_or("frame")?.vars[var] = Some(o);
        Ok(())
    }

    pub(super) fn block(&mut self, b: &'p Block) -> Is<Flow> {
        let func = self.func();
        for local in &b.locals {
            let ty = &func.vars[local.var].ty;
            let o = self.allocate(ty, 1);
            self.bind(local.var, o)?;
            match (&local.init, ty) {
                (Init::None, _) => {}
                (Init::Zero, _) => {
                    let size = self.program.size(ty);
                    self.zero(o, 0, size)?;
                }
                (Init::Real(e), _) => {
                    let v = self.real(e)?.1;
                    self.store(o, 0, Cell::Real(v))?;
                }
                (Init::Int(e), _) => {
                    let v = self.int(e)?;
                    self.store(o, 0, Cell::Int(v))?;
                }
                (Init::Ptr(p), Ty::Ptr(to)) => {
                    let v = self.points(p, to)?;
                    self.store(o, 0, v)?;
                }
                (Init::List(es), _) => {
                    let size = self.program.size(ty);
                    if es.len() > size {
                        return Err("long list");
                    }
                    for (k, e) in es.iter().enumerate() {
                        let v = self.real(e)?.1;
                        self.store(o, k, Cell::Real(v))?;
                    }
                    self.zero(o, es.len(), size - es.len())?;
                }
                (Init::Copy(p), _) => {
                    let cells = self.read(p, ty)?;
                    self.write(o, 0, cells)?;
                }
                _ => return Err("initialiser"),
            }
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

    fn set_real(&mut self, p: &'p Place, op: Option<RealOp>, v: (Real, Dual)) -> Is<()> {
        let (o, at, ty) = self.place(p)?;
        let Ty::Real(r) = ty else { return Err("store of another type") };
        let v = match (op, op.map(|_| self.load(o, at)).transpose()?) {
            (Some(op), Some(Cell::Real(old))) => self.binary(op, (*r, old), v)?.1,
            (None, _) => v.1,
            _ => return Err("load"),
        };
        self.store(o, at, Cell::Real(v))
    }

    /// `Ok(None)`: the loop goes on.
    fn after(flow: Flow) -> Option<Flow> {
        match flow {
            Flow::Normal | Flow::Continue => None,
            Flow::Break => Some(Flow::Normal),
            other => Some(other),
        }
    }

    fn stmt(&mut self, s: &'p Stmt) -> Is<Flow> {
        self.burn()?;
        match s {
            Stmt::Block(b) => return self.block(b),
            Stmt::Set(p, op, e) => {
                let v = self.real(e)?;
                self.set_real(p, *op, v)?;
            }
            Stmt::Swap(a, b) => {
                let ((a, at, ty), (b, bt, of)) = (self.place(a)?, self.place(b)?);
                if ty != of || !matches!(ty, Ty::Real(_)) {
                    return Err("swap of other types");
                }
                let (x, y) = (self.load(a, at)?, self.load(b, bt)?);
                self.store(a, at, y)?;
                self.store(b, bt, x)?;
            }
            Stmt::SetVec(p, op, e) => {
                let (r, values) = self.vector(e)?;
                let (o, at, ty) = self.place(p)?;
                if *ty != Ty::Vector(r, values.len()) {
                    return Err("store of another vector");
                }
                for (k, v) in values.into_iter().enumerate() {
                    let v = match (op, op.map(|_| self.load(o, at + k)).transpose()?) {
                        (Some(op), Some(Cell::Real(old))) => self.binary(*op, (r, old), (r, v))?.1,
                        _ => v,
                    };
                    self.store(o, at + k, Cell::Real(v))?;
                }
            }
            Stmt::SetInt(p, op, e) => {
                let mut v = self.int(e)?;
                let (o, at, _) = self.place(p)?;
                if let Some(op) = op {
                    match self.load(o, at)? {
                        Cell::Int(old) => v = self.int_binary(*op, old, v)?,
                        _ => return Err("load"),
                    }
                }
                self.store(o, at, Cell::Int(v))?;
            }
            Stmt::SetPtr(p, e) => {
                let (o, at, ty) = self.place(p)?;
                let Ty::Ptr(to) = ty else { return Err("no pointer") };
                let v = self.points(e, to)?;
                self.store(o, at, v)?;
            }
            Stmt::Copy(to, from) => {
                let (o, at, ty) = self.place(to)?;
                let cells = self.read(from, ty)?;
                self.write(o, at, cells)?;
            }
            Stmt::If(c, yes, no) => {
                return if self.cond(c)? { self.block(yes) } else { self.block(no) };
            }
            Stmt::For { .. } | Stmt::While { .. } | Stmt::Walk { .. } => return self.repeat(s),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(None) => return Ok(Flow::Return(vec![])),
            Stmt::Return(Some(e)) => {
                let Some(Ty::Real(r)) = &self.func().ret else { return Err("result") };
                let mut v = self.real(e)?.1;
                v.value = r.round(v.value);
                return Ok(Flow::Return(vec![Some(Cell::Real(v))]));
            }
            Stmt::ReturnPtr(p) => {
                let Some(Ty::Ptr(of)) = &self.func().ret else { return Err("result") };
                return Ok(Flow::Return(vec![Some(self.points(p, of)?)]));
            }
            Stmt::ReturnPlace(p) => {
                let ret = self.func().ret.as_ref().ok_or("result")?;
                return Ok(Flow::Return(self.read(p, ret)?));
            }
            Stmt::Switch(e, cases) => {
                let v = self.int(e)?;
                let start = cases
                    .iter()
                    .position(|c| c.value == Some(v))
                    .or(cases.iter().position(|c| c.value.is_none()));
                for case in cases.iter().skip(start.unwrap_or(cases.len())) {
                    match self.block(&case.body)? {
                        Flow::Normal => {}
                        Flow::Break => return Ok(Flow::Normal),
                        other => return Ok(other),
                    }
                    if case.stops {
                        break;
                    }
                }
            }
            Stmt::Call(to, f, args) => {
                let f = self.target(f)?;
                let cells = self.arguments(f, args)?;
                let result = self.call(f, cells)?;
                if let Some(p) = to {
                    let (o, at, ty) = self.place(p)?;
                    let ret = self.program.funcs[f].ret.as_ref();
                    if matches!(ty, Ty::Struct(_)) && ret != Some(ty) || result.is_empty() {
                        return Err("result");
                    }
                    self.write(o, at, result)?;
                }
            }
            Stmt::Memcpy(overlaps, to, from, n, ty) => {
                let (n, size) = (
                    usize::try_from(self.int(n)?).map_err(|_| "negative count")?,
                    self.program.size(ty),
                );
                let ((to, at, a), (from, start, b)) = (self.ptr(to)?, self.ptr(from)?);
                let count = n * size;
                if a != ty
                    || b != ty
                    || !overlaps && to == from && at < start + count && start < at + count
                {
                    return Err("overlapping copy");
                }
                let cells = (start..start + count)
                    .map(|k| self.load(from, k).map(Some))
                    .collect::<Is<Vec<_>>>()?;
                self.write(to, at, cells)?;
            }
            Stmt::Memset(p, n, ty) => {
                let n = usize::try_from(self.int(n)?).map_err(|_| "negative count")?;
                let (o, at, e) = self.ptr(p)?;
                if e != ty {
                    return Err("pointer to another type");
                }
                self.zero(o, at, n * self.program.size(ty))?;
            }
            Stmt::Malloc(zeroed, var, n) => {
                let n = usize::try_from(self.int(n)?).map_err(|_| "negative count")?;
                let Ty::Ptr(e) = &self.func().vars[*var].ty else { return Err("no pointer") };
                let o = self.allocate(e, n);
                if *zeroed {
                    self.zero(o, 0, self.objects[o].cells.len())?;
                }
                let to = self.frames.last().ok_or("frame")?.vars[*var].ok_or("undeclared")?;
                self.store(to, 0, Cell::Ptr(o, 0))?;
            }
            Stmt::Realloc(var, n) => {
                let n = usize::try_from(self.int(n)?)
                    .ok()
                    .filter(|n| *n > 0)
                    .ok_or("negative count")?;
                let Ty::Ptr(e) = &self.func().vars[*var].ty else { return Err("no pointer") };
                let at = self.frames.last().ok_or("frame")?.vars[*var].ok_or("undeclared")?;
                let old = match self.load(at, 0)? {
                    Cell::Ptr(o, 0) if self.objects[o].is_live => o,
                    _ => return Err("realloc"),
                };
                let new = self.allocate(e, n);
                let kept = self.objects[old].cells.clone();
                self.objects[new].cells.iter_mut().zip(kept).for_each(|(to, from)| *to = from);
                self.objects[old].is_live = false;
                self.store(at, 0, Cell::Ptr(new, 0))?;
            }
            Stmt::Free(var) => {
                let at = self.frames.last().ok_or("frame")?.vars[*var].ok_or("undeclared")?;
                match self.load(at, 0)? {
                    Cell::Ptr(o, 0) if self.objects[o].is_live => self.objects[o].is_live = false,
                    _ => return Err("free"),
                }
            }
            Stmt::Labelled(label, b) => {
                return Ok(match self.block(b)? {
                    Flow::Goto(to) if to == *label => Flow::Normal,
                    other => other,
                });
            }
            Stmt::Goto(label) => return Ok(Flow::Goto(*label)),
            Stmt::Frexp(p, e, exponent) => {
                let v = self.real(e)?.1;
                if v.value.abs() < 1e-6 {
                    return Err("frexp of a small number");
                }
                let power = v.value.abs().log2().floor() as i32 + 1;
                let factor = f64::exp2(f64::from(-power));
                self.set_real(
                    p,
                    None,
                    (Real::F64, Dual::apply(v.value * factor, &[(factor, &v)], 0.0)),
                )?;
                let o = self.frames.last().ok_or("frame")?.vars[*exponent].ok_or("undeclared")?;
                self.store(o, 0, Cell::Int(i64::from(power)))?;
            }
            Stmt::Modf(p, e, whole) => {
                let v = self.real(e)?.1;
                if v.value.fract().abs() < 1e-8 {
                    return Err("whole");
                }
                self.set_real(
                    p,
                    None,
                    (Real::F64, Dual::apply(v.value.fract(), &[(1.0, &v)], 0.0)),
                )?;
                let o = self.frames.last().ok_or("frame")?.vars[*whole].ok_or("undeclared")?;
                self.store(o, 0, Cell::Real(Dual::constant(v.value.trunc())))?;
            }
        }
        Ok(Flow::Normal)
    }

    fn repeat(&mut self, s: &'p Stmt) -> Is<Flow> {
        match s {
            Stmt::For { var, from, to, step, down, body } => {
                let (from, mut to) = (self.int(from)?, self.int(to)?);
                let o = self.allocate(&self.func().vars[*var].ty, 1);
                self.bind(*var, o)?;
                let mut i = if *down { to } else { from };
                self.store(o, 0, Cell::Int(i))?;
                loop {
                    self.burn()?;
                    // The bound is evaluated each time; the generator uses nothing in it that the
                    // body changes.
                    if let Stmt::For { to: bound, from: low, .. } = s {
                        let (low, high) = (self.int(low)?, self.int(bound)?);
                        if low < 0 || high < 0 {
                            return Err("negative bound of a counter that may be unsigned");
                        }
                        if !down && high != to || *down && low != from {
                            return Err("changing bound");
                        }
                        to = if *down { to } else { high };
                    }
                    if if *down { i <= from } else { i >= to } {
                        break;
                    }
                    if *down {
                        i -= 1;
                        self.store(o, 0, Cell::Int(i))?;
                    }
                    if let Some(flow) = Self::after(self.block(body)?) {
                        return Ok(flow);
                    }
                    if !down {
                        i += step;
                        self.store(o, 0, Cell::Int(i))?;
                    }
                }
            }
            Stmt::While { var, fuel, cond, first, body } => {
                let o = self.allocate(&self.func().vars[*var].ty, 1);
                self.bind(*var, o)?;
                self.store(o, 0, Cell::Int(0))?;
                for round in 0.. {
                    if round > 0 || *first {
                        let goes =
                            round < *fuel && cond.as_ref().map_or(Ok(true), |c| self.cond(c))?;
                        if !goes {
                            break;
                        }
                    }
                    self.store(o, 0, Cell::Int(round + 1))?;
                    if let Some(flow) = Self::after(self.block(body)?) {
                        return Ok(flow);
                    }
                }
            }
            Stmt::Walk { var, base, count, body } => {
                let (n, (o, at, ty)) = (self.int(count)?, self.ptr(base)?);
                let p = self.allocate(&self.func().vars[*var].ty, 1);
                self.bind(*var, p)?;
                for k in 0..=n {
                    let again = self.ptr(base)?;
                    if (again.0, again.1) != (o, at) || self.load(p, 0).is_ok_and(|c| !matches!(c, Cell::Ptr(q, to) if (q, to) == (o, at + k as usize * self.program.size(ty)))) {
                        return Err("changing bound");
                    }
                    if k == n {
                        break;
                    }
                    let here = self.moved(o, at, k, ty)?;
                    self.store(p, 0, Cell::Ptr(o, here))?;
                    if let Some(flow) = Self::after(self.block(body)?) {
                        return Ok(flow);
                    }
                    let Cell::Ptr(q, to) = self.load(p, 0)? else { return Err("no pointer") };
                    let next = self.moved(q, to, 1, ty)?;
                    self.store(p, 0, Cell::Ptr(q, next))?;
                }
            }
            _ => return Err("no loop"),
        }
        Ok(Flow::Normal)
    }
}
