//! Random expressions: places in scope, indices in range, arguments in the domain of their
//! functions.

use super::{Gen, INNER_LEN, Known};
use crate::ast::*;
use crate::libm::{Domain, FUNCTIONS};

/// What a place shall hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    Real,
    Int,
}

/// Largest bound of an integer expression.
const HIGH: i64 = 3000;

pub(super) fn lit(v: f64) -> RealE {
    RealE::Lit(v, Real::F64)
}

pub(super) fn bin(op: RealOp, a: RealE, b: RealE) -> RealE {
    RealE::Bin(op, Box::new(a), Box::new(b))
}

pub(super) fn int(op: IntOp, a: IntE, b: IntE) -> IntE {
    IntE::Bin(op, Box::new(a), Box::new(b))
}

pub(super) fn load(v: VarId) -> IntE {
    IntE::Load(Box::new(LValue::Var(v)))
}

impl Gen {
    fn contains(&self, ty: &Ty, want: Want) -> bool {
        match ty {
            Ty::Func(_) => false,
            Ty::Vector(..) => want == Want::Real,
            Ty::Real(_) => want == Want::Real,
            Ty::Int(_) => want == Want::Int,
            Ty::Array(e, _) | Ty::Ptr(e) => self.contains(e, want),
            Ty::Struct(s) => self.program.structs[*s].iter().any(|f| self.contains(f, want)),
        }
    }

    /// A scalar inside of a variable.
    pub(super) fn descend(&mut self, place: LValue, ty: &Ty, len: usize, want: Want) -> LValue {
        match ty {
            Ty::Real(_) | Ty::Int(_) | Ty::Func(_) => place,
            Ty::Vector(_, n) => LValue::Index(Box::new(place), self.index(*n)),
            Ty::Array(e, n) => {
                let i = self.index(*n);
                self.descend(LValue::Index(Box::new(place), i), e, INNER_LEN, want)
            }
            Ty::Ptr(e) => {
                let i = self.index(len);
                self.descend(LValue::Index(Box::new(place), i), e, INNER_LEN, want)
            }
            Ty::Struct(s) => {
                let fields = self.program.structs[*s].clone();
                let fit: Vec<usize> =
                    (0..fields.len()).filter(|f| self.contains(&fields[*f], want)).collect();
                let f = *self.rng.pick(&fit);
                self.descend(LValue::Field(Box::new(place), f), &fields[f], INNER_LEN, want)
            }
        }
    }

    fn candidates(&self, want: Want, write: bool) -> Vec<Known> {
        let fits = |k: &&Known| (!write || k.writable) && self.contains(&self.vars[k.id].ty, want);
        self.scope.iter().filter(fits).cloned().collect()
    }

    pub(super) fn real_place(&mut self, write: bool) -> Option<LValue> {
        let all = self.candidates(Want::Real, write);
        if all.is_empty() {
            return None;
        }
        // The later variables are the more local ones, and more often interesting.
        let k = if self.rng.chance(50) {
            all[all.len() - 1 - self.rng.below(all.len().min(3))].clone()
        } else {
            self.rng.pick(&all).clone()
        };
        let ty = self.vars[k.id].ty.clone();
        Some(self.descend(LValue::Var(k.id), &ty, k.len, Want::Real))
    }

    /// An integer place and its bound.
    pub(super) fn int_place(&mut self, write: bool) -> Option<(LValue, i64)> {
        let all = self.candidates(Want::Int, write);
        if all.is_empty() {
            return None;
        }
        let k = self.rng.pick(&all).clone();
        let ty = self.vars[k.id].ty.clone();
        let high = if k.high > 0 { k.high } else { 5 };
        // Indices inside of indices: keep them short.
        Some(match &ty {
            Ty::Int(_) => (LValue::Var(k.id), high),
            _ => (self.shallow(LValue::Var(k.id), &ty, k.len), high),
        })
    }

    /// Like `descend` to an integer, with literal indices or loop counters only.
    fn shallow(&mut self, place: LValue, ty: &Ty, len: usize) -> LValue {
        match ty {
            Ty::Real(_) | Ty::Int(_) | Ty::Func(_) | Ty::Vector(..) => place,
            Ty::Array(e, n) => {
                let i = self.simple_index(*n);
                self.shallow(LValue::Index(Box::new(place), i), e, INNER_LEN)
            }
            Ty::Ptr(e) => {
                let i = self.simple_index(len);
                self.shallow(LValue::Index(Box::new(place), i), e, INNER_LEN)
            }
            Ty::Struct(s) => {
                let fields = self.program.structs[*s].clone();
                let fit: Vec<usize> =
                    (0..fields.len()).filter(|f| self.contains(&fields[*f], Want::Int)).collect();
                let f = *self.rng.pick(&fit);
                self.shallow(LValue::Field(Box::new(place), f), &fields[f], INNER_LEN)
            }
        }
    }

    fn simple_index(&mut self, len: usize) -> IntE {
        let counters: Vec<Known> = self
            .scope
            .iter()
            .filter(|k| k.high > 0 && matches!(self.vars[k.id].ty, Ty::Int(_)))
            .cloned()
            .collect();
        if len < 2 || counters.is_empty() || self.rng.chance(25) {
            return IntE::Lit(self.rng.below(len.max(1)) as i64);
        }
        // Mostly the innermost counters.
        let k = counters[counters.len() - 1 - self.rng.below(counters.len().min(3))].clone();
        let i = load(k.id);
        if k.high <= len as i64 {
            match self.rng.below(4) {
                0 => int(IntOp::Sub, IntE::Lit(k.high - 1), i),
                1 if k.high < len as i64 => int(IntOp::Add, i, IntE::Lit(len as i64 - k.high)),
                _ => i,
            }
        } else {
            let i = if self.rng.chance(30) {
                int(IntOp::Add, i, IntE::Lit(self.rng.range(1, 4)))
            } else {
                i
            };
            int(IntOp::Mod, i, IntE::Lit(len as i64))
        }
    }

    /// In `0..len`.
    pub(super) fn index(&mut self, len: usize) -> IntE {
        if len > 1 && self.rng.chance(20) {
            let (e, high) = self.int_expr(2);
            return if high <= len as i64 { e } else { int(IntOp::Mod, e, IntE::Lit(len as i64)) };
        }
        self.simple_index(len)
    }

    /// Not negative; with its exclusive bound.
    pub(super) fn int_expr(&mut self, depth: usize) -> (IntE, i64) {
        if depth == 0 || self.rng.chance(35) {
            if self.rng.chance(75)
                && let Some((p, high)) = self.int_place(false)
            {
                return (IntE::Load(Box::new(p)), high);
            }
            let v = self.rng.range(0, 5);
            return (IntE::Lit(v), v + 1);
        }
        match self.rng.below(11) {
            0 => {
                let c = self.cond(1);
                (IntE::Of(Box::new(c)), 2)
            }
            1 => {
                let e = self.real_expr(1);
                let wave = bin(RealOp::Mul, lit(2.5), RealE::Math("sin", Real::F64, vec![e]));
                (IntE::OfReal(Box::new(bin(RealOp::Add, lit(3.0), wave))), 6)
            }
            2 => {
                let c = self.cond(1);
                let ((a, ha), (b, hb)) = (self.int_expr(depth - 1), self.int_expr(depth - 1));
                (IntE::Sel(Box::new(c), Box::new(a), Box::new(b)), ha.max(hb))
            }
            which => {
                let ((a, ha), (b, hb)) = (self.int_expr(depth - 1), self.int_expr(depth - 1));
                let k = self.rng.range(2, 6);
                let bits = |h: i64| (h.max(1) as u64).next_power_of_two() as i64;
                match which {
                    3 | 4 if ha + hb < HIGH => (int(IntOp::Add, a, b), ha + hb),
                    5 if ha * hb < HIGH => (int(IntOp::Mul, a, b), ha * hb),
                    6 => (int(IntOp::Sub, int(IntOp::Add, a, IntE::Lit(hb)), b), ha + hb),
                    7 => (int(IntOp::Div, a, IntE::Lit(k)), ha / k + 1),
                    8 => (
                        int(*self.rng.pick(&[IntOp::Xor, IntOp::Or]), a, b),
                        bits(ha).max(bits(hb)),
                    ),
                    9 => (int(IntOp::And, a, IntE::Lit(k)), k + 1),
                    10 => (int(IntOp::Shr, a, IntE::Lit(1)), ha / 2 + 1),
                    _ => (int(IntOp::Mod, a, IntE::Lit(k)), k),
                }
            }
        }
    }

    fn comparison(&mut self) -> Cmp {
        *self.rng.pick(&[Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge])
    }

    pub(super) fn cond(&mut self, depth: usize) -> CondE {
        if depth > 0 && self.rng.chance(25) {
            let (a, b) = (Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1)));
            return match self.rng.below(3) {
                0 => CondE::And(a, b),
                1 => CondE::Or(a, b),
                _ => CondE::Not(Box::new(CondE::And(a, b))),
            };
        }
        if self.rng.chance(55) {
            let a = self.real_expr(depth.min(1));
            let b = if self.rng.chance(60) {
                lit(self.rng.uniform(0.1, 1.3))
            } else {
                self.real_expr(0)
            };
            CondE::Real(self.comparison(), a, b)
        } else {
            let op = if self.rng.chance(30) { Cmp::Eq } else { self.comparison() };
            let op = if op == Cmp::Eq && self.rng.chance(50) { Cmp::Ne } else { op };
            let (a, high) = self.int_expr(1);
            let b = if self.rng.chance(70) {
                IntE::Lit(self.rng.range(0, high.min(5) + 1))
            } else {
                self.int_expr(1).0
            };
            CondE::Int(op, a, b)
        }
    }

    fn leaf(&mut self) -> RealE {
        match self.rng.below(10) {
            0 => lit(self.rng.uniform(-1.5, 1.5)),
            1 => {
                let (e, _) = self.int_expr(1);
                let r = self.real_kind();
                bin(RealOp::Mul, lit(0.125), RealE::OfInt(r, Box::new(e)))
            }
            2 if !self.program.tables.is_empty() => {
                let i = self.index(self.program.tables[0].len());
                RealE::Load(LValue::Table(0, i))
            }
            _ => match self.real_place(false) {
                Some(p) => RealE::Load(p),
                None => lit(self.rng.uniform(0.2, 1.5)),
            },
        }
    }

    /// Something whose values are around 1 whatever `e` is.
    pub(super) fn damped(&mut self, e: RealE) -> RealE {
        match self.rng.below(6) {
            0 | 1 => RealE::Math("sin", Real::F64, vec![e]),
            2 => RealE::Math("tanh", Real::F64, vec![e]),
            3 => bin(RealOp::Mul, lit(0.5), e),
            4 => bin(RealOp::Div, e, self.denominator()),
            _ => e,
        }
    }

    /// At least 1.
    fn denominator(&mut self) -> RealE {
        let e = self.leaf();
        bin(RealOp::Add, lit(1.5), bin(RealOp::Mul, e.clone(), e))
    }

    fn argument(&mut self, domain: Domain, depth: usize) -> RealE {
        let wave = |e| RealE::Math("sin", Real::F64, vec![e]);
        match domain {
            Domain::Any => self.real_expr(depth),
            Domain::Unit => bin(RealOp::Mul, lit(0.8), wave(self.real_expr(depth))),
            Domain::Small => wave(self.real_expr(depth)),
            Domain::AboveOne => bin(RealOp::Add, lit(2.5), wave(self.real_expr(depth))),
            Domain::Positive if self.rng.chance(50) => self.denominator(),
            Domain::Positive => bin(RealOp::Add, lit(1.25), wave(self.real_expr(depth))),
        }
    }

    fn math(&mut self, depth: usize) -> RealE {
        let all = if self.has("long_libm") { FUNCTIONS.len() } else { 26 };
        let (name, domains) = FUNCTIONS[self.rng.below(all)];
        let kind = self.real_kind();
        let args = domains.iter().map(|d| self.argument(*d, depth)).collect();
        RealE::Math(name, kind, args)
    }

    pub(super) fn real_expr(&mut self, depth: usize) -> RealE {
        if depth == 0 || self.rng.chance(20) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.rng.below(15) {
            14 if self.has("idioms") => {
                let name = self.idiom();
                RealE::Idiom(name, Box::new(self.real_expr(d)))
            }
            0..=2 => bin(
                *self.rng.pick(&[RealOp::Add, RealOp::Sub]),
                self.real_expr(d),
                self.real_expr(d),
            ),
            3..=5 => bin(RealOp::Mul, self.real_expr(d), self.real_expr(d)),
            6 => bin(RealOp::Div, self.real_expr(d), self.denominator()),
            7 | 8 if self.has("libm") => self.math(d),
            7 => RealE::Math(
                if self.rng.chance(50) { "sin" } else { "cos" },
                Real::F64,
                vec![self.real_expr(d)],
            ),
            9 if self.has("select") => {
                let c = self.cond(1);
                let arms = [self.real_expr(d), self.real_expr(d)];
                // Only one of them is called.
                let calls = arms.iter().any(|arm| format!("{arm:?}").contains("Call("));
                let [a, b] = arms.map(|arm| {
                    Box::new(if calls { RealE::Cast(Real::F64, Box::new(arm)) } else { arm })
                });
                RealE::Sel(Box::new(c), a, b)
            }
            10 if self.has("float") || self.has("long_double") => {
                let r = self.real_kind();
                RealE::Cast(r, Box::new(self.real_expr(d)))
            }
            11 => self.pure_call().unwrap_or_else(|| self.leaf()),
            12 if self.has("frexp") => {
                let n = self.int_expr(1).0;
                RealE::Ldexp(
                    Box::new(self.real_expr(d)),
                    Box::new(int(IntOp::Sub, int(IntOp::Mod, n, IntE::Lit(4)), IntE::Lit(2))),
                )
            }
            13 => RealE::Neg(Box::new(self.real_expr(d))),
            _ => bin(RealOp::Mul, lit(self.rng.uniform(0.3, 1.2)), self.real_expr(d)),
        }
    }

    fn pure_call(&mut self) -> Option<RealE> {
        if self.loops < 2
            && self.rng.chance(50)
            && let Some(call) = self.indirect_call()
        {
            return Some(call);
        }
        let pure: Vec<_> = self.callees.iter().filter(|c| c.is_pure).cloned().collect();
        if pure.is_empty() || self.loops > 1 {
            return None;
        }
        let callee = self.rng.pick(&pure).clone();
        Some(RealE::Call(FuncE::Name(callee.id), self.arguments(&callee, false)?))
    }

    /// Arguments for a call; `inner` is a recursive function's call of itself.
    pub(super) fn arguments(&mut self, callee: &super::Callee, inner: bool) -> Option<Vec<Arg>> {
        let mut args = vec![];
        // Memory that was passed already: what it holds, how much of it, whether it may be written.
        let mut passed: Vec<(Ty, PtrE, usize, bool)> = vec![];
        for (i, (ty, known, is_const)) in callee.params.iter().enumerate() {
            args.push(match ty {
                Ty::Int(_) if i == 0 && callee.is_recursive => Arg::Int(if inner {
                    int(IntOp::Sub, load(0), IntE::Lit(1))
                } else {
                    IntE::Lit(self.rng.range(1, 4))
                }),
                Ty::Int(_) => Arg::Int(self.index(known.high as usize)),
                Ty::Real(_) => Arg::Real(self.real_expr(1)),
                Ty::Ptr(e) => {
                    let fits = |(of, _, len, write): &&(Ty, PtrE, usize, bool)| {
                        *of == **e && *len >= known.len && (*write || *is_const)
                    };
                    let again = passed.iter().find(fits).map(|known| known.1.clone());
                    match again.filter(|_| self.has("alias_args") && self.rng.chance(50)) {
                        Some(p) => Arg::Ptr(p),
                        None => {
                            let (p, len) = self.region(e, known.len, !is_const)?;
                            passed.push(((**e).clone(), p.clone(), len, !is_const));
                            Arg::Ptr(p)
                        }
                    }
                }
                Ty::Struct(_) => Arg::Struct(match self.region(ty, 1, false)?.0 {
                    PtrE::Addr(p) => p,
                    PtrE::At(p, i) => LValue::Index(Box::new(p), i),
                    PtrE::Sel(..) | PtrE::Call(..) => return None,
                }),
                Ty::Vector(r, n) => Arg::Vector(self.vector_expr((*r, *n), 1)),
                Ty::Func(like) => Arg::Func(self.function_pointer(*like)),
                Ty::Array(..) => return None,
            });
        }
        Some(args)
    }

    /// A pointer to at least `need` elements of the type, and how many there are.
    pub(super) fn region(&mut self, of: &Ty, need: usize, write: bool) -> Option<(PtrE, usize)> {
        if need <= 1
            && matches!(of, Ty::Real(_))
            && self.loops < 2
            && self.rng.chance(25)
            && let Some(p) = self.selected(of)
        {
            return Some((p, 1));
        }
        let mut found = vec![];
        for k in self.scope.clone() {
            if !write || k.writable {
                let ty = self.vars[k.id].ty.clone();
                self.regions(LValue::Var(k.id), &ty, k.len, of, need, &mut found);
            }
        }
        if found.is_empty() {
            return None;
        }
        let (p, len) = self.rng.pick(&found).clone();
        if self.has("ptr_select") && self.rng.chance(15) {
            let (q, other) = self.rng.pick(&found).clone();
            let c = self.cond(0);
            return Some((PtrE::Sel(Box::new(c), Box::new(p), Box::new(q)), len.min(other)));
        }
        Some((p, len))
    }

    fn regions(
        &mut self,
        place: LValue,
        ty: &Ty,
        len: usize,
        of: &Ty,
        need: usize,
        found: &mut Vec<(PtrE, usize)>,
    ) {
        if ty == of && need <= 1 {
            found.push((PtrE::Addr(place.clone()), 1));
        }
        let (e, n) = match ty {
            Ty::Array(e, n) => (e, *n),
            Ty::Ptr(e) => (e, len),
            Ty::Struct(s) => {
                for (f, ty) in self.program.structs[*s].clone().iter().enumerate() {
                    self.regions(
                        LValue::Field(Box::new(place.clone()), f),
                        ty,
                        INNER_LEN,
                        of,
                        need,
                        found,
                    );
                }
                return;
            }
            _ => return,
        };
        if **e == *of && n >= need {
            let skip = self.rng.below(n - need + 1);
            let at = if self.rng.chance(50) && n > need {
                self.index(n - need + 1)
            } else {
                IntE::Lit(skip as i64)
            };
            let rest = if let IntE::Lit(k) = at { n - k as usize } else { need };
            found.push((PtrE::At(place, at), rest));
        } else if matches!(**e, Ty::Array(..) | Ty::Struct(_) | Ty::Ptr(_)) && n > 0 {
            let i = self.index(n);
            self.regions(LValue::Index(Box::new(place), i), e, INNER_LEN, of, need, found);
        }
    }
}
