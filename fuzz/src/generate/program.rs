//! What belongs to the whole program: its variables, static ones of functions too, tables of
//! functions, and functions that return pointers.

use super::expr::load;
use super::{Callee, Gen, Known};
use crate::ast::*;

/// Most tables of functions.
const TABLES: usize = 2;

impl Gen {
    /// Variables that all functions may use.
    pub(super) fn make_globals(&mut self) {
        for _ in 0..self.rng.range(1, 4) {
            let real = Ty::Real(self.real_kind());
            let plain = self.plain_structs();
            let ty = match self.rng.below(6) {
                0 | 1 => real,
                2 if self.has("intarray") => Ty::Int(self.int_kind()),
                3 if !plain.is_empty() => Ty::Struct(*self.rng.pick(&plain)),
                _ => Ty::Array(Box::new(real), self.rng.range(2, 6) as usize),
            };
            let visibility =
                if self.rng.chance(50) { Visibility::Program } else { Visibility::File };
            self.global(ty, visibility);
        }
    }

    fn global(&mut self, ty: Ty, visibility: Visibility) -> GlobalId {
        let mut kinds = vec![];
        self.program.kinds(&ty, &mut kinds);
        let values = kinds
            .iter()
            .map(|k| {
                if let CellKind::Real(_) = k {
                    self.rng.uniform(-1.2, 1.2)
                } else {
                    self.rng.range(0, 5) as f64
                }
            })
            .collect();
        self.program.globals.push(Global { ty, values, visibility });
        self.program.globals.len() - 1
    }

    fn bring(&mut self, g: GlobalId, writable: bool) -> Known {
        let ty = self.program.globals[g].ty.clone();
        self.vars.push(Var { ty, is_const: false, global: Some(g) });
        Known { id: self.vars.len() - 1, len: 0, high: 0, writable }
    }

    /// Some of the program's variables come into the scope of the function at work.
    pub(super) fn bring_globals(&mut self, writable: bool) {
        for g in 0..self.program.globals.len() {
            if !self.is_inner(g) && self.rng.chance(65) {
                let known = self.bring(g, writable);
                self.scope.push(known);
            }
        }
    }

    fn is_inner(&self, g: GlobalId) -> bool {
        matches!(self.program.globals[g].visibility, Visibility::Inside(_))
            || self.guards.contains(&g)
    }

    /// A static variable of function `id`. The first call of a run sets it: a flag outside, which
    /// each run starts with 0, tells which one that is.
    pub(super) fn static_local(&mut self, id: FuncId) -> Vec<Stmt> {
        let real = Ty::Real(self.real_kind());
        let (ty, count) =
            if self.rng.chance(50) { (real, 0) } else { (Ty::Array(Box::new(real), 3), 3) };
        let (g, guard) = (
            self.global(ty, Visibility::Inside(id)),
            self.global(Ty::Int(Int::I32), Visibility::File),
        );
        self.program.globals[guard].values = vec![0.0];
        self.guards.push(guard);
        let (known, flag) = (self.bring(g, true), self.bring(guard, false));
        let mut stmts = vec![];
        for k in 0..count.max(1) {
            let own = LValue::Var(known.id);
            let place = if count == 0 { own } else { LValue::Index(Box::new(own), IntE::Lit(k)) };
            let e = self.real_expr(1);
            stmts.push(Stmt::Set(place, None, e));
        }
        stmts.push(Stmt::SetInt(LValue::Var(flag.id), None, IntE::Lit(1)));
        self.scope.push(known);
        let test = CondE::Int(Cmp::Eq, load(flag.id), IntE::Lit(0));
        vec![Stmt::If(test, Block { locals: vec![], stmts }, Block::default())]
    }

    /// After function `id`: a table of it and all others of its type.
    pub(super) fn make_table(&mut self, id: FuncId) {
        if !self.has("function_table") || self.program.dispatch.len() >= TABLES {
            return;
        }
        let alike: Vec<FuncId> = self
            .callees
            .iter()
            .filter(|c| c.is_pure && !c.is_recursive && self.program.is_alike(c.id, id))
            .map(|c| c.id)
            .collect();
        if alike.len() > 1 {
            self.program.dispatch.push(alike);
        }
    }

    /// A callee whose parameters another function may take over, so that the two have one type.
    pub(super) fn model(&mut self) -> Option<Callee> {
        let fit: Vec<_> =
            self.callees.iter().filter(|c| c.is_pure && !c.is_recursive).cloned().collect();
        if fit.is_empty() { None } else { Some(self.rng.pick(&fit).clone()) }
    }

    /// A pointer to a function of the type of `like`.
    pub(super) fn function_pointer(&mut self, like: FuncId) -> FuncE {
        let mut all: Vec<FuncE> = self
            .callees
            .iter()
            .filter(|c| c.is_pure && !c.is_recursive && self.program.is_alike(c.id, like))
            .map(|c| FuncE::Name(c.id))
            .collect();
        all.extend(
            self.function_variables()
                .into_iter()
                .filter(|(_, f)| self.program.is_alike(*f, like))
                .map(|(v, _)| FuncE::Var(v)),
        );
        if self.rng.chance(30)
            && let Some(table) = self.chosen_from_table(like)
        {
            return table;
        }
        let first = self.rng.pick(&all).clone();
        if all.len() > 1 && self.rng.chance(40) {
            let second = self.rng.pick(&all).clone();
            return FuncE::Sel(Box::new(self.cond(0)), Box::new(first), Box::new(second));
        }
        first
    }

    fn chosen_from_table(&mut self, like: FuncId) -> Option<FuncE> {
        let fit: Vec<usize> = (0..self.program.dispatch.len())
            .filter(|t| self.program.is_alike(self.program.dispatch[*t][0], like))
            .collect();
        if fit.is_empty() {
            return None;
        }
        let t = *self.rng.pick(&fit);
        let i = self.index(self.program.dispatch[t].len());
        Some(FuncE::Table(t, Box::new(i)))
    }

    /// The pointers to functions in scope, and whose type they have.
    fn function_variables(&self) -> Vec<(VarId, FuncId)> {
        let of =
            |k: &Known| if let Ty::Func(f) = &self.vars[k.id].ty { Some((k.id, *f)) } else { None };
        self.scope.iter().filter_map(of).collect()
    }

    /// A call through a pointer or a table.
    pub(super) fn indirect_call(&mut self) -> Option<RealE> {
        let variables = self.function_variables();
        let (f, like) = if !variables.is_empty() && self.rng.chance(70) {
            let (v, f) = *self.rng.pick(&variables);
            (FuncE::Var(v), f)
        } else {
            let first = self.program.dispatch.last()?[0];
            (self.chosen_from_table(first)?, first)
        };
        let callee = self.callees.iter().find(|c| c.id == like)?.clone();
        Some(RealE::Call(f, self.arguments(&callee, false)?))
    }

    /// A helper that chooses an element behind its pointers and returns where it is.
    pub(super) fn selector(&mut self, id: FuncId) {
        self.start();
        let pointer = Ty::Ptr(Box::new(Ty::Real(self.real_kind())));
        let mut params = vec![];
        for _ in 0..self.rng.range(1, 3) {
            let len = self.rng.range(1, 4) as usize;
            let known = self.declare(pointer.clone(), false, len, 0);
            params.push((pointer.clone(), known, false));
        }
        let high = self.rng.range(2, 5);
        let mut known = self.declare(Ty::Int(Int::I32), false, 0, high);
        known.writable = false;
        params.push((Ty::Int(Int::I32), known, false));
        self.scope = params.iter().map(|p| p.1.clone()).collect();
        let element = |g: &mut Gen| {
            let k = g.rng.below(params.len() - 1);
            let i = g.index(params[k].1.len);
            Stmt::ReturnPtr(PtrE::At(LValue::Var(params[k].1.id), i))
        };
        let (first, last) = (element(self), element(self));
        let mut body = Block { locals: vec![], stmts: vec![last] };
        if self.rng.chance(70) {
            let test = self.cond(0);
            body.stmts.insert(
                0,
                Stmt::If(test, Block { locals: vec![], stmts: vec![first] }, Block::default()),
            );
        }
        let vars = std::mem::take(&mut self.vars);
        let is_noinline = self.rng.chance(75);
        self.program.funcs[id] =
            Func { params: params.len(), vars, ret: Some(pointer.clone()), body, is_noinline };
        self.callees.push(Callee {
            id,
            params,
            ret: Some(pointer),
            is_pure: false,
            is_recursive: false,
        });
    }

    /// What a selector returns for some memory of the program.
    pub(super) fn selected(&mut self, of: &Ty) -> Option<PtrE> {
        let fits = |c: &&Callee| matches!(&c.ret, Some(Ty::Ptr(e)) if **e == *of);
        let fit: Vec<_> = self.callees.iter().filter(fits).cloned().collect();
        if fit.is_empty() {
            return None;
        }
        let callee = self.rng.pick(&fit).clone();
        Some(PtrE::Call(FuncE::Name(callee.id), self.arguments(&callee, false)?))
    }
}
