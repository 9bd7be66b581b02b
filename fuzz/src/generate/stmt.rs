//! Random statements, blocks with their local variables, and bodies of functions.

use super::expr::{Want, bin, int, lit, load};
use super::{Gen, Known};
use crate::ast::*;

impl Gen {
    /// The body of a helper.
    pub(super) fn body(&mut self, depth: usize) -> Block {
        let size = self.rng.range(1, 5) as usize;
        self.block(size, depth)
    }

    /// The body of function 0: statements, then every local flows into an output.
    pub(super) fn main_body(&mut self) -> Block {
        let mark = self.scope.len();
        let mut block = Block::default();
        let mut frees = vec![];
        for _ in 0..self.rng.range(1, 5) {
            self.local(&mut block, &mut frees);
        }
        self.pointers(&mut block);
        if self.is_divided {
            self.set_globals(&mut block.stmts);
            self.call(&mut block.stmts);
        }
        for _ in 0..self.rng.range(3, 9) {
            self.stmt(3, &mut block.stmts);
        }
        if self.is_divided {
            self.call(&mut block.stmts);
            self.call(&mut block.stmts);
        }
        let sum = self.ret.clone().map(|ty| self.declare(ty, false, 0, 0));
        if let Some(k) = &sum {
            block.locals.push(Local { var: k.id, init: Init::Zero });
        }
        for k in self.scope.clone().into_iter().skip(1) {
            let ty = self.vars[k.id].ty.clone();
            if !self.holds_real(&ty) {
                continue;
            }
            for _ in 0..2 {
                let from = self.descend(LValue::Var(k.id), &ty, k.len, Want::Real);
                let to = match &sum {
                    Some(s) => LValue::Var(s.id),
                    None => match self.output() {
                        Some(p) => p,
                        None => continue,
                    },
                };
                let e = bin(RealOp::Mul, lit(self.rng.uniform(0.3, 1.2)), RealE::Load(from));
                let e = self.damped(e);
                block.stmts.push(Stmt::Set(to, Some(RealOp::Add), e));
            }
        }
        block.stmts.extend(frees.into_iter().map(Stmt::Free));
        if let Some(k) = sum {
            block.stmts.push(Stmt::Return(Some(RealE::Load(LValue::Var(k.id)))));
        }
        self.scope.truncate(mark);
        block
    }

    fn holds_real(&self, ty: &Ty) -> bool {
        let mut kinds = vec![];
        let ty = if let Ty::Ptr(e) = ty { e } else { ty };
        self.program.kinds(ty, &mut kinds);
        kinds.iter().any(|k| matches!(k, CellKind::Real(_)))
    }

    /// A real behind a parameter of function 0 that may be written.
    fn output(&mut self) -> Option<LValue> {
        let params = self.program.inputs.len();
        let fit: Vec<Known> = self.scope[..params.min(self.scope.len())]
            .iter()
            .filter(|k| {
                k.writable
                    && matches!(self.vars[k.id].ty, Ty::Ptr(_))
                    && self.holds_real(&self.vars[k.id].ty)
            })
            .cloned()
            .collect();
        if fit.is_empty() {
            return None;
        }
        let k = self.rng.pick(&fit).clone();
        let ty = self.vars[k.id].ty.clone();
        Some(self.descend(LValue::Var(k.id), &ty, k.len, Want::Real))
    }

    /// A return of what the function returns.
    pub(super) fn returning(&mut self) -> Stmt {
        match self.ret.clone() {
            None => Stmt::Return(None),
            Some(Ty::Struct(s)) => match self.region(&Ty::Struct(s), 1, false) {
                Some((PtrE::Addr(p), _)) => Stmt::ReturnPlace(p),
                Some((PtrE::At(p, i), _)) => Stmt::ReturnPlace(LValue::Index(Box::new(p), i)),
                _ => Stmt::Return(None), // rejected by the interpreter
            },
            Some(_) => {
                let e = self.real_expr(2);
                Stmt::Return(Some(self.damped(e)))
            }
        }
    }

    fn block(&mut self, size: usize, depth: usize) -> Block {
        let mark = self.scope.len();
        let mut block = Block::default();
        let mut frees = vec![];
        if self.has("block_local") && self.rng.chance(40) || self.loops == 0 && mark < 4 {
            for _ in 0..self.rng.range(1, 3) {
                self.local(&mut block, &mut frees);
            }
            self.pointers(&mut block);
        }
        for _ in 0..size {
            self.stmt(depth, &mut block.stmts);
        }
        block.stmts.extend(frees.into_iter().map(Stmt::Free));
        self.scope.truncate(mark);
        block
    }

    /// One more local variable, initialised before anything else can read it.
    fn local(&mut self, block: &mut Block, frees: &mut Vec<VarId>) {
        let r = self.real_kind();
        let real = Ty::Real(r);
        let n = self.rng.range(2, 6) as usize;
        let plain = self.plain_structs();
        let count = plain.len();
        let mut push = |g: &mut Gen, ty: Ty, init: Init, len: usize, high: i64| {
            let k = g.declare(ty, false, len, high);
            block.locals.push(Local { var: k.id, init });
            k
        };
        match self.rng.below(if self.has("vector") { 14 } else { 12 }) {
            0 | 1 => {
                let e = self.real_expr(2);
                let k = push(self, real, Init::Real(e), 0, 0);
                self.scope.push(k);
            }
            2 | 3 => {
                let init = match self.rng.below(3) {
                    0 => Init::Zero,
                    1 => Init::List(
                        (0..self.rng.range(1, n as i64)).map(|_| self.real_expr(1)).collect(),
                    ),
                    _ => Init::None,
                };
                let is_open = matches!(init, Init::None);
                let k = push(self, Ty::Array(Box::new(real), n), init, 0, 0);
                if is_open {
                    let fill = self.fill(k.id, n);
                    block.stmts.push(fill);
                }
                self.scope.push(k);
            }
            4 => {
                let (e, high) = self.int_expr(1);
                let ty = Ty::Int(self.int_kind());
                let high = high.clamp(2, 100);
                let k = push(self, ty, Init::Int(int(IntOp::Mod, e, IntE::Lit(high))), 0, high);
                self.scope.push(k);
            }
            5 if self.has("intarray") => {
                let ty = Ty::Int(self.int_kind());
                let k = push(self, Ty::Array(Box::new(ty), n), Init::Zero, 0, 0);
                let i = self.declare(Ty::Int(Int::I32), false, 0, n as i64);
                self.scope.push(Known { writable: false, ..i.clone() });
                let e = int(IntOp::Mod, self.int_expr(2).0, IntE::Lit(5));
                self.scope.pop();
                let place = LValue::Index(Box::new(LValue::Var(k.id)), load(i.id));
                let body = Block { locals: vec![], stmts: vec![Stmt::SetInt(place, None, e)] };
                block.stmts.push(Stmt::For {
                    var: i.id,
                    from: IntE::Lit(0),
                    to: IntE::Lit(n as i64),
                    step: 1,
                    down: false,
                    body,
                });
                self.scope.push(k);
            }
            6 if self.has("matrix") => {
                let (rows, columns) = (self.rng.range(2, 4) as usize, 3);
                let k = push(
                    self,
                    Ty::Array(Box::new(Ty::Array(Box::new(real), columns)), rows),
                    Init::Zero,
                    0,
                    0,
                );
                self.scope.push(k);
            }
            7 if count > 0 => {
                let ty = Ty::Struct(*self.rng.pick(&plain));
                match self.region(&ty, 1, false) {
                    Some((PtrE::Addr(p), _)) if self.rng.chance(40) => {
                        let k = push(self, ty, Init::Copy(p), 0, 0);
                        self.scope.push(k);
                    }
                    _ => {
                        let k = push(self, ty, Init::Zero, 0, 0);
                        self.scope.push(k);
                    }
                }
            }
            8 if count > 0 => {
                let ty = Ty::Array(
                    Box::new(Ty::Struct(*self.rng.pick(&plain))),
                    self.rng.range(2, 4) as usize,
                );
                let k = push(self, ty, Init::Zero, 0, 0);
                self.scope.push(k);
            }
            9 | 10 if self.has("pointer") => {
                let of = if count > 0 && self.rng.chance(25) {
                    Ty::Struct(*self.rng.pick(&plain))
                } else {
                    real
                };
                if let Some((p, len)) = self.region(&of, 1, true) {
                    // Only what was declared before this block's statements is initialised by now.
                    let k = push(self, Ty::Ptr(Box::new(of)), Init::Ptr(p), len, 0);
                    self.scope.push(k);
                }
            }
            12 | 13 => {
                let of = self.vector_type();
                let Ty::Vector(r, n) = of else { return };
                let k = push(self, of, Init::Zero, 0, 0);
                let e = self.vector_expr((r, n), 2);
                block.stmts.push(Stmt::SetVec(LValue::Var(k.id), None, e));
                self.scope.push(k);
            }
            11 if self.has("realloc") && self.rng.chance(50) => {
                let k = push(self, Ty::Ptr(Box::new(real)), Init::None, n, -1);
                let grow = self.growing(k.id, n);
                block.stmts.extend(grow);
                if self.rng.chance(85) {
                    frees.push(k.id);
                }
                self.scope.push(k);
            }
            11 if self.has("heap") => {
                let zeroed = self.rng.chance(40);
                let k = push(self, Ty::Ptr(Box::new(real)), Init::None, n, -1); // -1: must stay where malloc put it
                let size = match self.scope.iter().find(|v| v.high == n as i64 + 1 && !v.writable) {
                    Some(v)
                        if self.vars[v.id].ty == Ty::Int(Int::I32)
                            && v.id < self.program.inputs.len() =>
                    {
                        load(v.id)
                    }
                    _ => IntE::Lit(n as i64),
                };
                block.stmts.push(Stmt::Malloc(zeroed, k.id, size));
                if !zeroed {
                    let fill = self.fill(k.id, n);
                    block.stmts.push(fill);
                }
                if self.rng.chance(85) {
                    frees.push(k.id);
                }
                self.scope.push(k);
            }
            _ => {
                let e = self.real_expr(1);
                let k = push(self, real, Init::Real(e), 0, 0);
                self.scope.push(k);
            }
        }
    }

    /// `p` gets one element, then grows to `n` by one at a time, each computed from the one before.
    fn growing(&mut self, var: VarId, n: usize) -> Vec<Stmt> {
        let i = self.declare(Ty::Int(Int::I32), false, 0, n as i64 - 1);
        let at = |e| LValue::Index(Box::new(LValue::Var(var)), e);
        let first = self.real_expr(2);
        let mut stmts = vec![
            Stmt::Malloc(false, var, IntE::Lit(1)),
            Stmt::Set(at(IntE::Lit(0)), None, self.damped(first)),
        ];
        self.scope.push(Known { writable: false, ..i.clone() });
        let e = self.real_expr(2);
        let next = bin(
            RealOp::Add,
            self.damped(e),
            bin(RealOp::Mul, lit(0.5), RealE::Load(at(load(i.id)))),
        );
        self.scope.pop();
        let grow = Stmt::Realloc(var, int(IntOp::Add, load(i.id), IntE::Lit(2)));
        let set = Stmt::Set(at(int(IntOp::Add, load(i.id), IntE::Lit(1))), None, next);
        let body = Block { locals: vec![], stmts: vec![grow, set] };
        stmts.push(Stmt::For {
            var: i.id,
            from: IntE::Lit(0),
            to: IntE::Lit(n as i64 - 1),
            step: 1,
            down: false,
            body,
        });
        stmts
    }

    fn fill(&mut self, var: VarId, n: usize) -> Stmt {
        let i = self.declare(Ty::Int(Int::I32), false, 0, n as i64);
        self.scope.push(Known { writable: false, ..i.clone() });
        let e = self.real_expr(2);
        let e = self.damped(e);
        self.scope.pop();
        let body = Block {
            locals: vec![],
            stmts: vec![Stmt::Set(LValue::Index(Box::new(LValue::Var(var)), load(i.id)), None, e)],
        };
        Stmt::For {
            var: i.id,
            from: IntE::Lit(0),
            to: IntE::Lit(n as i64),
            step: 1,
            down: false,
            body,
        }
    }

    pub(super) fn assign(&mut self, out: &mut Vec<Stmt>) {
        let e = self.real_expr(3);
        let e = self.by_idiom(e);
        let e = self.damped(e);
        let op = match self.rng.below(8) {
            0 | 1 => Some(RealOp::Add),
            2 => Some(RealOp::Sub),
            3 => Some(RealOp::Mul),
            _ => None,
        };
        if let Some(p) = self.real_place(true) {
            // In loops products and sums of themselves grow: damp them once more.
            let e = if self.loops > 0 { RealE::Math("sin", Real::F64, vec![e]) } else { e };
            out.push(Stmt::Set(p, op, e));
        }
    }

    /// Where programs are divided at call boundaries, data cross them by the idioms in question
    /// more often than by chance.
    fn by_idiom(&mut self, e: RealE) -> RealE {
        if self.more_idioms.is_empty() || !self.rng.chance(30) {
            return e;
        }
        RealE::Idiom(self.idiom(), Box::new(e))
    }

    /// Variables of the program get numbers that depend on what is in scope.
    pub(super) fn set_globals(&mut self, out: &mut Vec<Stmt>) {
        let globals: Vec<Known> = self
            .scope
            .iter()
            .filter(|k| k.writable && self.vars[k.id].global.is_some())
            .cloned()
            .collect();
        for k in globals {
            let ty = self.vars[k.id].ty.clone();
            if !self.holds_real(&ty) {
                continue;
            }
            for _ in 0..self.rng.range(1, 3) {
                let to = self.descend(LValue::Var(k.id), &ty, k.len, Want::Real);
                let e = self.real_expr(2);
                let e = self.by_idiom(e);
                out.push(Stmt::Set(to, None, self.damped(e)));
            }
        }
    }

    /// Two reals of a type, if there are.
    fn swap(&mut self, out: &mut Vec<Stmt>) {
        const DRAWS: usize = 6;
        let places: Vec<LValue> = (0..DRAWS).filter_map(|_| self.real_place(true)).collect();
        let of = |p: &LValue| self.program.type_of(&self.vars, p);
        let second = places.iter().skip(1).find(|p| {
            of(p).is_some()
                && of(p) == of(&places[0])
                && format!("{p:?}") != format!("{:?}", places[0])
        });
        if let Some(second) = second {
            out.push(Stmt::Swap(places[0].clone(), second.clone()));
        }
    }

    fn nested(&mut self, depth: usize) -> Block {
        let size = self.rng.range(1, 4) as usize;
        self.block(size, depth - 1)
    }

    pub(super) fn stmt(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        if self.budget == 0 || depth == 0 {
            return self.assign(out);
        }
        self.budget -= 1;
        if self.has_swaps && self.rng.chance(12) {
            return self.swap(out);
        }
        match self.rng.below(24) {
            0..=2 => {
                let c = self.cond(1);
                let yes = self.nested(depth);
                let no = if self.rng.chance(50) { self.nested(depth) } else { Block::default() };
                out.push(Stmt::If(c, yes, no));
            }
            3..=7 if self.loops < 3 => self.for_loop(depth, out),
            8 if self.has("while") && self.loops < 3 => self.while_loop(depth, out),
            9 if self.has("walk") && self.loops < 3 => self.walk(depth, out),
            10 if self.has("switch") => self.switch(depth, out),
            11 if self.has("memcpy") => self.copy(out),
            12 if self.has("memset") => {
                let ty = self.element();
                if let Some((p, len)) = self.region(&ty, 1, true) {
                    let n = self.rng.range(1, len as i64 + 1);
                    out.push(Stmt::Memset(p, IntE::Lit(n), ty));
                }
            }
            13 | 14 => self.call(out),
            15 if self.has("goto") => {
                let label = self.label_count;
                self.label_count += 1;
                self.labels.push(label);
                let body = self.nested(depth);
                self.labels.pop();
                out.push(Stmt::Labelled(label, body));
            }
            15 | 16 if !self.labels.is_empty() => {
                let jump = Stmt::Goto(*self.rng.pick(&self.labels));
                self.jump(jump, out);
            }
            17 if self.has("return") => {
                let s = self.returning();
                self.jump(s, out);
            }
            18 | 19 if self.has("break") && self.loops > 0 => {
                let s = if self.rng.chance(50) { Stmt::Break } else { Stmt::Continue };
                self.jump(s, out);
            }
            19 | 20 if self.has("vector") && self.rng.chance(60) => self.vector_work(out),
            20 => {
                if let Some((p, high)) = self.int_place(true) {
                    let e = self.int_expr(2).0;
                    out.push(Stmt::SetInt(p, None, int(IntOp::Mod, e, IntE::Lit(high))));
                }
            }
            21 if self.has("struct") => self.struct_copy(out),
            22 if self.has("frexp") => self.split(out),
            21 | 23 if self.has("workspace") && self.loops < 2 => self.workspace(out),
            16 if self.has("member_pointer") || self.has("pointer_table") => self.redirect(out),
            _ if self.has("many_calls") && self.rng.chance(60) => self.call(out),
            _ if self.has("pointer") && self.rng.chance(25) => self.move_pointer(out),
            _ => self.assign(out),
        }
    }

    /// Under a condition, so that what follows is reached too.
    fn jump(&mut self, s: Stmt, out: &mut Vec<Stmt>) {
        let c = self.cond(1);
        let mut stmts = vec![];
        if self.rng.chance(50) {
            self.assign(&mut stmts);
        }
        stmts.push(s);
        out.push(Stmt::If(c, Block { locals: vec![], stmts }, Block::default()));
    }

    /// Of a copy, a walk or a memset: no pointers inside.
    fn element(&mut self) -> Ty {
        let plain = self.plain_structs();
        if !plain.is_empty() && self.rng.chance(30) {
            Ty::Struct(*self.rng.pick(&plain))
        } else {
            Ty::Real(self.real_kind())
        }
    }

    fn counters(&self) -> Vec<Known> {
        self.scope
            .iter()
            .filter(|k| k.high > 0 && !k.writable && matches!(self.vars[k.id].ty, Ty::Int(_)))
            .cloned()
            .collect()
    }

    fn for_loop(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let counters = self.counters();
        let (from, to, high) = if !counters.is_empty() && self.rng.chance(45) {
            let k = self.rng.pick(&counters).clone();
            match self.rng.below(3) {
                0 => (IntE::Lit(0), int(IntOp::Add, load(k.id), IntE::Lit(1)), k.high),
                1 => (load(k.id), IntE::Lit(k.high), k.high),
                _ => (IntE::Lit(self.rng.range(0, 2)), load(k.id), k.high - 1),
            }
        } else {
            let n = self.rng.range(1, 6);
            (IntE::Lit(self.rng.range(0, 2)), IntE::Lit(n), n)
        };
        let ty = Ty::Int(self.int_kind());
        let mut k = self.declare(ty, false, 0, high.max(1));
        k.writable = false;
        let down = self.has("down") && self.rng.chance(35);
        let step = if !down && self.rng.chance(15) { self.rng.range(2, 4) } else { 1 };
        let var = k.id;
        self.scope.push(k);
        self.loops += 1;
        let body = self.nested(depth);
        self.loops -= 1;
        self.scope.pop();
        out.push(Stmt::For { var, from, to, step, down, body });
    }

    fn while_loop(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let fuel = self.rng.range(1, 6);
        let cond = if self.rng.chance(70) { Some(self.cond(1)) } else { None };
        let ty = Ty::Int(self.int_kind());
        let mut k = self.declare(ty, false, 0, fuel + 1);
        k.writable = false;
        let (var, first) = (k.id, self.rng.chance(50));
        self.scope.push(k);
        self.loops += 1;
        let body = self.nested(depth);
        self.loops -= 1;
        self.scope.pop();
        out.push(Stmt::While { var, fuel, cond, first, body });
    }

    fn walk(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let of = self.element();
        let Some((base, len)) = self.region(&of, 2, true) else { return self.assign(out) };
        if matches!(base, PtrE::Sel(..) | PtrE::Call(..)) || format!("{base:?}").contains("Load") {
            return self.assign(out); // the bound must not change with the body
        }
        let count = self.rng.range(1, len as i64 + 1);
        let k = self.declare(Ty::Ptr(Box::new(of)), false, 1, 0);
        let var = k.id;
        self.scope.push(k);
        self.loops += 1;
        let body = self.nested(depth);
        self.loops -= 1;
        self.scope.pop();
        out.push(Stmt::Walk { var, base, count: IntE::Lit(count), body });
    }

    fn switch(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let (e, high) = self.int_expr(2);
        let count = self.rng.range(2, 5);
        let e = if high > count + 1 { int(IntOp::Mod, e, IntE::Lit(count + 1)) } else { e };
        let mut cases = vec![];
        for v in 0..count {
            let body = self.nested(depth.min(2));
            cases.push(Case { value: Some(v), body, stops: self.rng.chance(65) });
        }
        if self.rng.chance(60) {
            let body = self.nested(depth.min(2));
            let at = self.rng.below(cases.len() + 1);
            cases.insert(at, Case { value: None, body, stops: self.rng.chance(65) });
        }
        out.push(Stmt::Switch(e, cases));
    }

    fn copy(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.element();
        let need = self.rng.range(1, 4) as usize;
        if let (Some((to, a)), Some((from, b))) =
            (self.region(&ty, need, true), self.region(&ty, need, false))
        {
            let n = self.rng.range(1, a.min(b) as i64 + 1);
            let e = if n > 2 && self.rng.chance(30) {
                int(IntOp::Add, IntE::Lit(1), self.index(n as usize))
            } else {
                IntE::Lit(n)
            };
            // Pointers may point anywhere: only two different arrays cannot overlap.
            let root = |p: &PtrE| {
                format!("{p:?}")
                    .split("Var(")
                    .nth(1)
                    .map(|t| t.split(')').next().unwrap_or("").to_string())
            };
            let has_pointer = |g: &Gen, p: &PtrE| {
                root(p)
                    .and_then(|v| v.parse::<usize>().ok())
                    .is_none_or(|v| matches!(g.vars[v].ty, Ty::Ptr(_)))
                    || matches!(p, PtrE::Sel(..) | PtrE::Call(..))
            };
            let overlaps =
                root(&to) == root(&from) || has_pointer(self, &to) || has_pointer(self, &from);
            out.push(Stmt::Memcpy(overlaps || self.rng.chance(20), to, from, e, ty));
        }
    }

    fn struct_copy(&mut self, out: &mut Vec<Stmt>) {
        let count = self.program.structs.len();
        if count == 0 {
            return self.assign(out);
        }
        let ty = Ty::Struct(self.rng.below(count));
        let place = |p| match p {
            PtrE::Addr(p) => Some(p),
            PtrE::At(p, i) => Some(LValue::Index(Box::new(p), i)),
            PtrE::Sel(..) | PtrE::Call(..) => None,
        };
        let to = self.region(&ty, 1, true).and_then(|r| place(r.0));
        let from = self.region(&ty, 1, false).and_then(|r| place(r.0));
        if let (Some(to), Some(from)) = (to, from) {
            out.push(Stmt::Copy(to, from));
        }
    }

    pub(super) fn call(&mut self, out: &mut Vec<Stmt>) {
        let mut all: Vec<_> = self
            .callees
            .iter()
            .filter(|c| !matches!(c.ret, Some(Ty::Ptr(_))) && (c.is_pure || !self.is_pure))
            .map(|c| (c.clone(), false))
            .collect();
        if self.loops == 0 {
            all.extend(self.current.clone().map(|c| (c, true)));
            all.extend(self.current.clone().map(|c| (c, true)));
        }
        if all.is_empty() || self.loops > 1 {
            return self.assign(out);
        }
        let (callee, inner) = self.rng.pick(&all).clone();
        let Some(args) = self.arguments(&callee, inner) else { return self.assign(out) };
        let to = match &callee.ret {
            None => None,
            Some(Ty::Struct(s)) => match self.region(&Ty::Struct(*s), 1, true) {
                Some((PtrE::Addr(p), _)) => Some(p),
                Some((PtrE::At(p, i), _)) => Some(LValue::Index(Box::new(p), i)),
                _ => None,
            },
            Some(_) => self.real_place(true),
        };
        out.push(Stmt::Call(to, FuncE::Name(callee.id), args));
    }

    /// frexp or modf, with a place for the other part.
    fn split(&mut self, out: &mut Vec<Stmt>) {
        let e = self.real_expr(2);
        let Some(p) = self.real_place(true) else { return };
        let is_frexp = self.rng.chance(50);
        let ty = if is_frexp { Ty::Int(Int::I32) } else { Ty::Real(Real::F64) };
        let k = self.declare(ty, false, 0, 0);
        let s =
            if is_frexp { Stmt::Frexp(p.clone(), e, k.id) } else { Stmt::Modf(p.clone(), e, k.id) };
        let other = if is_frexp {
            RealE::OfInt(Real::F64, Box::new(load(k.id)))
        } else {
            RealE::Load(LValue::Var(k.id))
        };
        let add = Stmt::Set(p, Some(RealOp::Add), bin(RealOp::Mul, lit(0.25), other));
        out.push(Stmt::Block(Block {
            locals: vec![Local { var: k.id, init: Init::Zero }],
            stmts: vec![s, add],
        }));
    }

    /// A pointer variable moves to what was declared before it.
    fn move_pointer(&mut self, out: &mut Vec<Stmt>) {
        let params = self.program.inputs.len();
        let fit: Vec<usize> = (0..self.scope.len())
            .filter(|i| {
                matches!(self.vars[self.scope[*i].id].ty, Ty::Ptr(_))
                    && self.scope[*i].writable
                    && self.scope[*i].high == 0
                    && *i >= params
            })
            .collect();
        if fit.is_empty() {
            return self.assign(out);
        }
        let i = *self.rng.pick(&fit);
        let k = self.scope[i].clone();
        let Ty::Ptr(of) = self.vars[k.id].ty.clone() else { return };
        let later = self.scope.split_off(i);
        let found = self.region(&of, k.len, true);
        self.scope.extend(later);
        if let Some((p, _)) = found {
            out.push(Stmt::SetPtr(LValue::Var(k.id), p));
        }
    }
}
