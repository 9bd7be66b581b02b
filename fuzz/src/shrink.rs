//! Makes a failing program smaller while it fails in the same way.
//!
//! Every reduction has a number: the walk over the program counts the places where something can be
//! left out or made simpler, and applies the one whose number it was given. The interpreter rejects
//! reductions without a meaning.

use crate::ast::*;
use crate::boundary;
use crate::check::{self, Failure, Subject};
use crate::compiler::Compiler;
use crate::interp;
use crate::structures;

/// Most compiles for one program.
const TESTS: usize = 700;

/// Counts down to the reduction that is applied.
struct Cut {
    left: usize,
    done: bool,
}

impl Cut {
    fn here(&mut self) -> bool {
        if self.done {
            return false;
        }
        if self.left == 0 {
            self.done = true;
            return true;
        }
        self.left -= 1;
        false
    }
}

/// The program after reduction `number`; `None` past the last.
fn reduced(program: &Program, number: usize) -> Option<Program> {
    if program.text.is_some() {
        return structures::shrink::reduced(program, number);
    }
    let mut p = program.clone();
    let mut cut = Cut { left: number, done: false };
    params(&mut p, &mut cut);
    let count = p.funcs.len();
    for f in 0..count {
        if cut.done {
            break;
        }
        cut.block(&mut p.funcs[f].body);
        if !cut.done && p.funcs[f].is_noinline && cut.here() {
            p.funcs[f].is_noinline = false;
        }
    }
    for i in 0..p.inputs.len() {
        if let Input::Memory(n, values) = &mut p.inputs[i]
            && *n > 1
            && cut.here()
        {
            values.truncate(values.len() / *n * (*n - 1));
            *n -= 1;
        }
    }
    if !cut.done
        && let Some(boundary) = p.boundary.as_ref().and_then(|b| boundary::simpler(b, cut.left))
    {
        (p.boundary, cut.done) = (Some(boundary), true);
    }
    cut.done.then_some(p)
}

/// Leaves out a parameter that nothing reads.
fn params(p: &mut Program, cut: &mut Cut) {
    let body = format!("{:?}", p.funcs[0].body);
    for i in 0..p.inputs.len() {
        if !matches!(p.inputs[i], Input::Absent)
            && !body.contains(&format!("Var({i})"))
            && cut.here()
        {
            p.inputs[i] = Input::Absent;
            return;
        }
    }
}

impl Cut {
    fn block(&mut self, b: &mut Block) {
        // Large pieces first.
        let n = b.stmts.len();
        if n > 3 {
            if self.here() {
                b.stmts.truncate(n / 2);
                return;
            }
            if self.here() {
                b.stmts.drain(..n / 2);
                return;
            }
        }
        for i in (0..n).rev() {
            if self.here() {
                b.stmts.remove(i);
                return;
            }
            if let Some(inner) = flat(&b.stmts[i]) {
                for piece in inner {
                    if self.here() {
                        b.stmts[i] = piece;
                        return;
                    }
                }
            }
        }
        for i in (0..b.locals.len()).rev() {
            if self.here() {
                b.locals.remove(i);
                return;
            }
            self.init(&mut b.locals[i].init);
        }
        for s in &mut b.stmts {
            if self.done {
                return;
            }
            self.stmt(s);
        }
    }

    fn init(&mut self, init: &mut Init) {
        match init {
            Init::None | Init::Zero => {}
            Init::Real(e) => self.real(e),
            Init::Int(e) => self.int(e),
            Init::Ptr(p) => self.ptr(p),
            Init::List(es) => {
                if es.len() > 1 && self.here() {
                    es.pop();
                    return;
                }
                es.iter_mut().for_each(|e| self.real(e));
            }
            Init::Copy(p) => {
                if self.here() {
                    *init = Init::Zero;
                } else {
                    self.place(p);
                }
            }
        }
    }

    fn stmt(&mut self, s: &mut Stmt) {
        match s {
            Stmt::Block(b) | Stmt::Labelled(_, b) => self.block(b),
            Stmt::Set(p, op, e) => {
                if op.is_some() && self.here() {
                    *op = None;
                    return;
                }
                self.place(p);
                self.real(e);
            }
            Stmt::SetVec(p, op, e) => {
                if op.is_some() && self.here() {
                    *op = None;
                    return;
                }
                self.place(p);
                self.vector(e);
            }
            Stmt::SetInt(p, _, e) => {
                self.place(p);
                self.int(e);
            }
            Stmt::SetPtr(p, e) => {
                self.place(p);
                self.ptr(e);
            }
            Stmt::Copy(a, b) | Stmt::Swap(a, b) => {
                self.place(a);
                self.place(b);
            }
            Stmt::If(c, yes, no) => {
                if !no.stmts.is_empty() && self.here() {
                    *no = Block::default();
                    return;
                }
                self.cond(c);
                self.block(yes);
                self.block(no);
            }
            Stmt::For { from, to, step, down, body, .. } => {
                if *down && self.here() {
                    *down = false;
                    return;
                }
                if *step > 1 && self.here() {
                    *step = 1;
                    return;
                }
                self.int(from);
                self.int(to);
                self.block(body);
            }
            Stmt::While { fuel, cond, first, body, .. } => {
                if *fuel > 1 && self.here() {
                    *fuel -= 1;
                    return;
                }
                if cond.is_some() && self.here() {
                    *cond = None;
                    return;
                }
                if !*first && self.here() {
                    *first = true;
                    return;
                }
                if let Some(c) = cond {
                    self.cond(c);
                }
                self.block(body);
            }
            Stmt::Walk { base, count, body, .. } => {
                self.ptr(base);
                self.int(count);
                self.block(body);
            }
            Stmt::Break | Stmt::Continue | Stmt::Goto(_) | Stmt::Free(_) | Stmt::Return(None) => {}
            Stmt::Return(Some(e)) => self.real(e),
            Stmt::ReturnPlace(p) => self.place(p),
            Stmt::ReturnPtr(p) => self.ptr(p),
            Stmt::Switch(e, cases) => {
                for i in 0..cases.len() {
                    if self.here() {
                        cases.remove(i);
                        return;
                    }
                    if !cases[i].stops && self.here() {
                        cases[i].stops = true;
                        return;
                    }
                }
                self.int(e);
                cases.iter_mut().for_each(|c| self.block(&mut c.body));
            }
            Stmt::Call(to, f, args) => {
                self.func(f);
                if let Some(p) = to {
                    self.place(p);
                }
                args.iter_mut().for_each(|a| self.arg(a));
            }
            Stmt::Memcpy(overlaps, a, b, n, _) => {
                if *overlaps && self.here() {
                    *overlaps = false;
                    return;
                }
                self.ptr(a);
                self.ptr(b);
                self.int(n);
            }
            Stmt::Memset(p, n, _) => {
                self.ptr(p);
                self.int(n);
            }
            Stmt::Malloc(_, _, n) | Stmt::Realloc(_, n) => self.int(n),
            Stmt::Frexp(p, e, _) | Stmt::Modf(p, e, _) => {
                self.place(p);
                self.real(e);
            }
        }
    }

    fn arg(&mut self, a: &mut Arg) {
        match a {
            Arg::Real(e) => self.real(e),
            Arg::Int(e) => self.int(e),
            Arg::Ptr(p) => self.ptr(p),
            Arg::Struct(p) => self.place(p),
            Arg::Func(f) => self.func(f),
            Arg::Vector(e) => self.vector(e),
        }
    }

    fn func(&mut self, f: &mut FuncE) {
        match f {
            FuncE::Name(_) | FuncE::Var(_) => {}
            FuncE::Table(_, i) => self.int(i),
            FuncE::Sel(c, a, b) => {
                if self.here() {
                    *f = (**a).clone();
                } else if self.here() {
                    *f = (**b).clone();
                } else {
                    self.cond(c);
                    self.func(a);
                    self.func(b);
                }
            }
        }
    }

    fn place(&mut self, p: &mut LValue) {
        match p {
            LValue::Var(_) => {}
            LValue::Index(base, i) => {
                self.place(base);
                self.int(i);
            }
            LValue::Field(base, _) => self.place(base),
            LValue::Table(_, i) => self.int(i),
        }
    }

    fn ptr(&mut self, p: &mut PtrE) {
        match p {
            PtrE::At(base, i) => {
                self.place(base);
                self.int(i);
            }
            PtrE::Addr(base) => self.place(base),
            PtrE::Call(f, args) => {
                let given = args
                    .iter()
                    .find_map(|a| if let Arg::Ptr(p) = a { Some(p.clone()) } else { None });
                match given {
                    Some(given) if self.here() => *p = given,
                    _ => {
                        self.func(f);
                        args.iter_mut().for_each(|a| self.arg(a));
                    }
                }
            }
            PtrE::Sel(c, a, b) => {
                if self.here() {
                    *p = (**a).clone();
                } else if self.here() {
                    *p = (**b).clone();
                } else {
                    self.cond(c);
                    self.ptr(a);
                    self.ptr(b);
                }
            }
        }
    }

    fn real(&mut self, e: &mut RealE) {
        if self.done {
            return;
        }
        if !matches!(e, RealE::Lit(..)) && self.here() {
            *e = RealE::Lit(0.5, Real::F64);
            return;
        }
        let children: Vec<RealE> = match e {
            RealE::Neg(a) | RealE::Ldexp(a, _) | RealE::Cast(_, a) | RealE::Idiom(_, a) => {
                vec![(**a).clone()]
            }
            RealE::Bin(_, a, b) | RealE::Sel(_, a, b) => vec![(**a).clone(), (**b).clone()],
            RealE::Math(_, _, args) => args.clone(),
            _ => vec![],
        };
        for child in children {
            if self.here() {
                *e = child;
                return;
            }
        }
        match e {
            RealE::Lit(..) => {}
            RealE::Load(p) => self.place(p),
            RealE::Neg(a) | RealE::Cast(_, a) | RealE::Idiom(_, a) => self.real(a),
            RealE::Ldexp(a, n) => {
                self.real(a);
                self.int(n);
            }
            RealE::Bin(_, a, b) => {
                self.real(a);
                self.real(b);
            }
            RealE::Math(_, kind, args) => {
                if *kind != Real::F64 && self.here() {
                    *kind = Real::F64;
                    return;
                }
                args.iter_mut().for_each(|a| self.real(a));
            }
            RealE::Sel(c, a, b) => {
                self.cond(c);
                self.real(a);
                self.real(b);
            }
            RealE::OfInt(_, i) => self.int(i),
            RealE::Call(f, args) => {
                self.func(f);
                args.iter_mut().for_each(|a| self.arg(a));
            }
        }
    }

    fn vector(&mut self, e: &mut VecE) {
        let child = match e {
            VecE::Load(_) | VecE::List(..) => None,
            VecE::Bin(_, a, _) | VecE::Scale(_, a, _, _) | VecE::Shuffle(a, _) => {
                Some((**a).clone())
            }
        };
        if let Some(child) = child
            && self.here()
        {
            *e = child;
            return;
        }
        match e {
            VecE::Load(p) => self.place(p),
            VecE::List(_, es) => es.iter_mut().for_each(|e| self.real(e)),
            VecE::Bin(_, a, b) => {
                self.vector(a);
                self.vector(b);
            }
            VecE::Scale(_, a, _, by) => {
                self.vector(a);
                self.real(by);
            }
            VecE::Shuffle(a, _) => self.vector(a),
        }
    }

    fn int(&mut self, e: &mut IntE) {
        if self.done {
            return;
        }
        if let IntE::Lit(v) = e {
            if *v > 0 && self.here() {
                *v -= 1;
            }
            return;
        }
        for v in 0..4 {
            if self.here() {
                *e = IntE::Lit(v);
                return;
            }
        }
        let children: Vec<IntE> = match e {
            IntE::Bin(_, a, b) | IntE::Sel(_, a, b) => vec![(**a).clone(), (**b).clone()],
            _ => vec![],
        };
        for child in children {
            if self.here() {
                *e = child;
                return;
            }
        }
        match e {
            IntE::Lit(_) => {}
            IntE::Load(p) => self.place(p),
            IntE::Bin(op, a, b) => {
                self.int(a);
                if !matches!(op, IntOp::Mod | IntOp::Div) {
                    self.int(b);
                }
            }
            IntE::Of(c) => self.cond(c),
            IntE::OfReal(a) => self.real(a),
            IntE::Sel(c, a, b) => {
                self.cond(c);
                self.int(a);
                self.int(b);
            }
        }
    }

    fn cond(&mut self, c: &mut CondE) {
        if self.done {
            return;
        }
        match c {
            CondE::And(a, b) | CondE::Or(a, b) => {
                let pieces = [(**a).clone(), (**b).clone()];
                for piece in pieces {
                    if self.here() {
                        *c = piece;
                        return;
                    }
                }
            }
            CondE::Not(a) if self.here() => {
                *c = (**a).clone();
                return;
            }
            _ => {}
        }
        match c {
            CondE::Real(_, a, b) => {
                self.real(a);
                self.real(b);
            }
            CondE::Int(_, a, b) => {
                self.int(a);
                self.int(b);
            }
            CondE::And(a, b) | CondE::Or(a, b) => {
                self.cond(a);
                self.cond(b);
            }
            CondE::Not(a) => self.cond(a),
        }
    }
}

/// What may stand in place of a statement that has blocks.
fn flat(s: &Stmt) -> Option<Vec<Stmt>> {
    let block = |b: &Block| Stmt::Block(b.clone());
    match s {
        Stmt::If(_, yes, no) if !no.stmts.is_empty() => Some(vec![block(yes), block(no)]),
        Stmt::If(_, yes, _) => Some(vec![block(yes)]),
        Stmt::Block(b) if b.locals.is_empty() && b.stmts.len() == 1 => Some(b.stmts.clone()),
        Stmt::Call(Some(p), ..) => {
            Some(vec![Stmt::Set(p.clone(), None, RealE::Lit(0.5, Real::F64))])
        }
        Stmt::Labelled(_, b) => Some(vec![block(b)]),
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Walk { body, .. } => {
            Some(vec![block(body)])
        }
        Stmt::Switch(_, cases) => Some(cases.iter().map(|c| block(&c.body)).collect()),
        _ => None,
    }
}

/// The size of a program: what the shrinker must make smaller.
fn weight(p: &Program) -> usize {
    let text = p.text.as_ref().map_or(0, String::len);
    text + format!("{:?}{:?}", p.funcs.iter().map(|f| &f.body).collect::<Vec<_>>(), p.inputs).len()
}

/// The smallest program found, and its failure.
pub fn shrink(compiler: &Compiler, subject: &Subject, failure: &Failure) -> (Subject, Failure) {
    let mut best = (subject.clone(), failure.clone());
    let mut tests = 0;
    let mut number = 0;
    let mut barren = 0;
    loop {
        let Some(program) = reduced(&best.0.program, number) else {
            if barren == 0 || number == 0 {
                break;
            }
            // Once more from the start, until a whole walk gives nothing.
            (number, barren) = (0, 0);
            continue;
        };
        number += 1;
        let Ok(outcome) = interp::run(&program) else { continue };
        if outcome.inputs == 0 || weight(&program) > weight(&best.0.program) + 8 {
            continue;
        }
        let candidate = Subject { number: subject.number, program, outcome };
        tests += 1;
        if tests > TESTS {
            break;
        }
        if let Some(f) = check::single(compiler, &candidate, failure.kind.mode(), failure.level)
            && f.kind == failure.kind
        {
            best = (candidate, f);
            number = number.saturating_sub(1);
            barren += 1;
        }
    }
    best
}
