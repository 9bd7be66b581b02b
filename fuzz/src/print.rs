//! Prints a program as C. Names carry the number of the program, so that many share a file.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::ast::*;

/// Prints the programs of one number.
pub struct Printer<'p> {
    program: &'p Program,
    /// `p3_` for program 3.
    pub prefix: String,
    func: usize,
    out: String,
    /// Loops and statements so far that may be checkpointed.
    checkpoints: usize,
    /// Whose code is printed, where the program is divided.
    in_library: bool,
}

/// The declaration of `name`.
pub fn declare(prefix: &str, ty: &Ty, name: &str) -> String {
    match ty {
        Ty::Real(r) => format!("{} {name}", r.name()),
        Ty::Int(i) => format!("{} {name}", i.name()),
        Ty::Struct(s) => format!("struct {prefix}s{s} {name}"),
        Ty::Array(e, n) => declare(prefix, e, &format!("{name}[{n}]")),
        Ty::Func(f) => format!("{prefix}F{f} *{name}"),
        Ty::Vector(r, n) => format!("{prefix}V{}{n} {name}", r.name()),
        Ty::Ptr(e) if matches!(**e, Ty::Array(..)) => declare(prefix, e, &format!("(*{name})")),
        Ty::Ptr(e) => declare(prefix, e, &format!("*{name}")),
    }
}

/// Whether a statement becomes a checkpointed region: some do, by what they are, if control leaves
/// them at their end only.
fn is_region(s: &Stmt) -> bool {
    let picks = |text: String, one_in: usize| text.len().is_multiple_of(one_in);
    let is_picked = match s {
        Stmt::For { var, .. } | Stmt::While { var, .. } | Stmt::Walk { var, .. } => var % 4 == 2,
        Stmt::If(c, ..) => picks(format!("{c:?}"), 3),
        Stmt::Call(_, f, args) => picks(format!("{f:?}{args:?}"), 2),
        Stmt::Set(place, _, e) => picks(format!("{place:?}{e:?}"), 5),
        Stmt::Copy(to, from) => picks(format!("{to:?}{from:?}"), 3),
        Stmt::SetPtr(to, e) => picks(format!("{to:?}{e:?}"), 3),
        _ => false,
    };
    is_picked && stays(s, false)
}

/// Whether control leaves a statement at its end only; a jump out of a loop may leave one
/// `in_loop`.
fn stays(s: &Stmt, in_loop: bool) -> bool {
    let all = |b: &Block, in_loop: bool| b.stmts.iter().all(|s| stays(s, in_loop));
    match s {
        Stmt::Break | Stmt::Continue => in_loop,
        Stmt::Return(_) | Stmt::ReturnPlace(_) | Stmt::ReturnPtr(_) | Stmt::Goto(_) => false,
        Stmt::Block(b) | Stmt::Labelled(_, b) => all(b, in_loop),
        Stmt::If(_, yes, no) => all(yes, in_loop) && all(no, in_loop),
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Walk { body, .. } => {
            all(body, true)
        }
        Stmt::Switch(_, cases) => cases.iter().all(|c| all(&c.body, in_loop)),
        _ => true,
    }
}

fn real_op(op: RealOp) -> &'static str {
    match op {
        RealOp::Add => "+",
        RealOp::Sub => "-",
        RealOp::Mul => "*",
        RealOp::Div => "/",
    }
}

fn int_op(op: IntOp) -> &'static str {
    match op {
        IntOp::Add => "+",
        IntOp::Sub => "-",
        IntOp::Mul => "*",
        IntOp::Div => "/",
        IntOp::Mod => "%",
        IntOp::And => "&",
        IntOp::Or => "|",
        IntOp::Xor => "^",
        IntOp::Shr => ">>",
    }
}

fn cmp(c: Cmp) -> &'static str {
    match c {
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
    }
}

/// The end of a libm function's name.
fn suffix(kind: Real) -> &'static str {
    match kind {
        Real::F32 => "f",
        Real::F64 => "",
        Real::F80 => "l",
    }
}

/// The C literal.
pub fn literal(v: f64, r: Real) -> String {
    match r {
        Real::F64 => format!("{v:?}"),
        Real::F80 => format!("{v:?}L"),
        Real::F32 => format!("{:?}f", v as f32),
    }
}

impl<'p> Printer<'p> {
    /// For program number `number`.
    pub fn new(program: &'p Program, number: usize) -> Printer<'p> {
        Printer {
            program,
            prefix: format!("p{number}_"),
            func: 0,
            out: String::new(),
            checkpoints: 0,
            in_library: false,
        }
    }

    /// The same for the library's side of a divided program.
    pub fn of_library(program: &'p Program, number: usize) -> Printer<'p> {
        Printer { in_library: true, ..Printer::new(program, number) }
    }

    /// Whether function `f` is defined on the other side.
    fn is_elsewhere(&self, f: FuncId) -> bool {
        self.program.boundary.as_ref().is_some_and(|b| b.in_library[f] != self.in_library)
    }

    /// A function of another name that calls `called` with its own parameters.
    pub fn forwarder(&self, name: &str, called: &str) -> String {
        let func = &self.program.funcs[0];
        let absent = |i: &usize| matches!(self.program.inputs[*i], Input::Absent);
        let arguments: Vec<_> =
            (0..func.params).filter(|i| !absent(i)).map(|i| format!("v{i}")).collect();
        let word = if func.ret.is_some() { "return " } else { "" };
        format!("{} {{ {word}{called}({}); }}\n", self.prototype(name), arguments.join(", "))
    }

    /// The head of function 0 with another name.
    pub fn prototype(&self, name: &str) -> String {
        self.head(0).replacen(&format!("{}(", self.function_name(0)), &format!("{name}("), 1)
    }

    /// Structs, tables and functions that function 0 needs.
    pub fn definitions(mut self) -> String {
        if let Some(text) = &self.program.text {
            return text.replace('@', &self.prefix);
        }
        let mut used = BTreeSet::new();
        self.reach(0, &mut used);
        if self.program.boundary.is_some() {
            // What is registered is named by the setup.
            used = (0..self.program.funcs.len()).collect();
        }
        let boundary = self.program.boundary.as_ref();
        let word = if boundary.is_some() { "" } else { "static " };
        let prologue =
            boundary.filter(|_| !self.in_library).and_then(|b| b.prologue(&self, self.program));
        let mut text = String::new();
        for &f in used.iter().rev() {
            self.func = f;
            let func = &self.program.funcs[f];
            let head = self.head(f);
            if self.is_elsewhere(f) {
                text = format!("extern {head};\n{text}");
                continue;
            }
            let mut prototype = format!("{head};\n");
            let attribute = if func.is_noinline { "__attribute__((noinline)) " } else { "" };
            self.out.clear();
            self.block(&func.body, 0);
            let mut body = std::mem::take(&mut self.out);
            for (g, global) in self.program.globals.iter().enumerate() {
                if global.visibility == Visibility::Inside(f) {
                    body.insert_str(2, &format!("    {};\n", self.global(g)));
                }
            }
            if let Some((declaration, call)) = prologue.as_ref().filter(|_| f == 0) {
                body.insert_str(2, call);
                prototype = format!("{declaration}{attribute}{word}{prototype}");
            } else {
                prototype = format!("{attribute}{word}{prototype}");
            }
            text = format!("{prototype}{text}{word}{head} {body}\n");
        }
        // A type may name those of functions that were made before it.
        let held = format!(
            "{:?}",
            self.program
                .funcs
                .iter()
                .flat_map(|f| f.vars.iter().map(|v| &v.ty))
                .collect::<Vec<_>>()
        );
        let mut types = String::new();
        for r in [Real::F32, Real::F64] {
            for n in [2, 4] {
                if held.contains(&format!("{:?}", Ty::Vector(r, n))) {
                    let size = n * if r == Real::F32 { 4 } else { 8 };
                    let _ = writeln!(
                        types,
                        "typedef {0} {1}V{0}{n} __attribute__((vector_size({size})));",
                        r.name(),
                        self.prefix
                    );
                }
            }
        }
        for (f, func) in self.program.funcs.iter().enumerate().rev() {
            if held.contains(&format!("Func({f})"))
                || self.program.dispatch.iter().any(|t| t.first() == Some(&f))
            {
                let _ = writeln!(
                    types,
                    "typedef {};",
                    self.type_of(func, &format!("{}F{f}", self.prefix))
                );
            }
        }
        let mut before = String::new();
        for (i, fields) in self.program.structs.iter().enumerate() {
            let word = format!("struct {}s{i}", self.prefix);
            let is_named = |text: &str| {
                [" ", ")", ","].iter().any(|end| text.contains(&format!("{word}{end}")))
            };
            if !is_named(&text)
                && !is_named(&types)
                && !before.contains(&format!("struct {}s{i} ", self.prefix))
            {
                let name = format!("Struct({i})");
                let nested = self
                    .program
                    .structs
                    .iter()
                    .flatten()
                    .chain(self.program.globals.iter().map(|g| &g.ty))
                    .any(|t| format!("{t:?}").contains(&name));
                if !nested {
                    continue;
                }
            }
            let _ = writeln!(before, "struct {}s{i} {{", self.prefix);
            for (k, ty) in fields.iter().enumerate() {
                let _ = writeln!(before, "    {};", declare(&self.prefix, ty, &format!("f{k}")));
            }
            before.push_str("};\n");
        }
        before.push_str(&types);
        before.push_str(
            &boundary
                .map_or(String::new(), |b| b.declarations(&self, self.program, self.in_library)),
        );
        for (g, global) in self.program.globals.iter().enumerate() {
            if boundary.is_none() && !matches!(global.visibility, Visibility::Inside(_)) {
                let _ = writeln!(before, "{};", self.global(g));
            }
        }
        for (t, functions) in self.program.dispatch.iter().enumerate() {
            if text.contains(&format!("{}k{t}[", self.prefix)) {
                let list: Vec<_> = functions.iter().map(|f| self.function_name(*f)).collect();
                functions.iter().for_each(|f| {
                    let _ = writeln!(before, "{word}{};", self.head(*f));
                });
                let _ = writeln!(
                    before,
                    "static {0}F{1} *const {0}k{t}[{2}] = {{{3}}};",
                    self.prefix,
                    functions[0],
                    functions.len(),
                    list.join(", ")
                );
            }
        }
        for (i, values) in self.program.tables.iter().enumerate() {
            if text.contains(&format!("{}t{i}[", self.prefix)) {
                let list: Vec<_> = values.iter().map(|v| literal(*v, Real::F64)).collect();
                let _ = writeln!(
                    before,
                    "static const double {}t{i}[{}] = {{{}}};",
                    self.prefix,
                    values.len(),
                    list.join(", ")
                );
            }
        }
        text.push_str(
            &boundary.map_or(String::new(), |b| b.setup(&self, self.program, self.in_library)),
        );
        before + &text
    }

    /// Functions reached by their names in the printed bodies: simple, and right for dead code too.
    fn reach(&mut self, f: FuncId, used: &mut BTreeSet<FuncId>) {
        if !used.insert(f) {
            return;
        }
        self.func = f;
        self.out.clear();
        self.block(&self.program.funcs[f].body, 0);
        let body = std::mem::take(&mut self.out);
        for g in 1..self.program.funcs.len() {
            let name = self.function_name(g);
            let in_table = |(t, fs): (usize, &Vec<FuncId>)| {
                fs.contains(&g) && body.contains(&format!("{}k{t}[", self.prefix))
            };
            if ['(', ')', ',', ' '].iter().any(|end| body.contains(&format!("{name}{end}")))
                || self.program.dispatch.iter().enumerate().any(in_table)
            {
                self.reach(g, used);
            }
        }
    }

    /// The name of a function.
    pub fn function_name(&self, f: FuncId) -> String {
        if f == 0 { format!("{}f", self.prefix) } else { format!("{}h{f}", self.prefix) }
    }

    /// A function's type, as the declaration of `name`.
    pub fn type_of(&self, func: &Func, name: &str) -> String {
        let params: Vec<_> = func
            .vars
            .iter()
            .take(func.params)
            .map(|v| self.param(v, "").trim_end().to_string())
            .collect();
        let call = format!(
            "{name}({})",
            if params.is_empty() { "void".to_string() } else { params.join(", ") }
        );
        match &func.ret {
            Some(ty) => declare(&self.prefix, ty, &call),
            None => format!("void {call}"),
        }
    }

    /// The declaration of a variable of the program, with its values.
    pub fn global(&self, g: GlobalId) -> String {
        let global = &self.program.globals[g];
        let mut kinds = vec![];
        self.program.kinds(&global.ty, &mut kinds);
        let values: Vec<_> = kinds
            .iter()
            .zip(&global.values)
            .map(|(k, v)| {
                if let CellKind::Int(_) = k {
                    format!("{}", *v as i64)
                } else {
                    literal(*v, Real::F64)
                }
            })
            .collect();
        let values = if matches!(global.ty, Ty::Array(..) | Ty::Struct(_)) {
            format!("{{{}}}", values.join(", "))
        } else {
            values.concat()
        };
        let word = if global.visibility == Visibility::Program { "" } else { "static " };
        format!(
            "{word}{} = {values}",
            declare(&self.prefix, &global.ty, &format!("{}g{g}", self.prefix))
        )
    }

    /// The name of a variable of the function at work.
    fn name(&self, v: VarId) -> String {
        match self.program.funcs[self.func].vars[v].global {
            Some(g) => match &self.program.boundary {
                Some(b) if !matches!(self.program.globals[g].visibility, Visibility::Inside(_)) => {
                    b.name_of_global(self.in_library, g, &self.prefix)
                }
                _ => format!("{}g{g}", self.prefix),
            },
            None => format!("v{v}"),
        }
    }

    fn target(&self, f: &FuncE) -> String {
        match f {
            FuncE::Name(f) => match &self.program.boundary {
                Some(b) => b.name_of_function(self.in_library, *f, &self.function_name(*f)),
                None => self.function_name(*f),
            },
            FuncE::Table(t, i) => format!("{}k{t}[{}]", self.prefix, self.index(i)),
            FuncE::Var(v) => self.name(*v),
            FuncE::Sel(c, a, b) => {
                format!("({} ? {} : {})", self.cond(c), self.target(a), self.target(b))
            }
        }
    }

    /// Result, name and parameters.
    fn head(&self, f: FuncId) -> String {
        let func = &self.program.funcs[f];
        let is_absent = |i: &usize| f == 0 && matches!(self.program.inputs[*i], Input::Absent);
        let params: Vec<_> = (0..func.params)
            .filter(|i| !is_absent(i))
            .map(|i| self.param(&func.vars[i], &format!("v{i}")))
            .collect();
        let list = if params.is_empty() { "void".to_string() } else { params.join(", ") };
        let call = format!("{}({list})", self.function_name(f));
        match &func.ret {
            Some(ty) => declare(&self.prefix, ty, &call),
            None => format!("void {call}"),
        }
    }

    fn param(&self, v: &Var, name: &str) -> String {
        let text = declare(&self.prefix, &v.ty, name);
        if v.is_const { format!("const {text}") } else { text }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(depth));
    }

    fn place(&self, p: &LValue) -> String {
        match p {
            LValue::Var(v) => self.name(*v),
            LValue::Index(base, i) => format!("{}[{}]", self.place(base), self.index(i)),
            LValue::Field(base, f) => match &**base {
                LValue::Index(p, IntE::Lit(0)) if matches!(**p, LValue::Var(_)) => {
                    match &self.program.funcs[self.func].vars[self.var(p)].ty {
                        Ty::Ptr(_) => format!("{}->f{f}", self.place(p)),
                        _ => format!("{}.f{f}", self.place(base)),
                    }
                }
                _ => format!("{}.f{f}", self.place(base)),
            },
            LValue::Table(t, i) => format!("{}t{t}[{}]", self.prefix, self.index(i)),
        }
    }

    fn var(&self, p: &LValue) -> VarId {
        if let LValue::Var(v) = p { *v } else { 0 }
    }

    /// An index may have any integer type.
    fn index(&self, i: &IntE) -> String {
        match i {
            IntE::Load(p) => self.place(p),
            other => self.int(other),
        }
    }

    fn ptr(&self, p: &PtrE) -> String {
        match p {
            PtrE::At(base, IntE::Lit(0)) => self.place(base),
            PtrE::At(base, i) => format!("({} + {})", self.place(base), self.index(i)),
            PtrE::Addr(place) => format!("&{}", self.place(place)),
            PtrE::Sel(c, a, b) => format!("({} ? {} : {})", self.cond(c), self.ptr(a), self.ptr(b)),
            PtrE::Call(f, args) => self.call(f, args),
        }
    }

    fn real(&self, e: &RealE) -> String {
        match e {
            RealE::Lit(v, r) if *v < 0.0 => format!("({})", literal(*v, *r)),
            RealE::Lit(v, r) => literal(*v, *r),
            RealE::Load(p) => self.place(p),
            RealE::Neg(a) => format!("(-{})", self.real(a)),
            RealE::Bin(op, a, b) => format!("({} {} {})", self.real(a), real_op(*op), self.real(b)),
            RealE::Math(name, kind, args) => {
                let args: Vec<_> = args.iter().map(|a| self.real(a)).collect();
                format!("{name}{}({})", suffix(*kind), args.join(", "))
            }
            RealE::Ldexp(a, n) => format!("ldexp({}, {})", self.real(a), self.int(n)),
            RealE::Sel(c, a, b) => {
                format!("({} ? {} : {})", self.cond(c), self.real(a), self.real(b))
            }
            RealE::OfInt(r, i) => format!("({}){}", r.name(), self.int_operand(i)),
            RealE::Idiom(name, a) => format!("{name}({})", self.real(a)),
            RealE::Cast(r, a) => format!("({}){}", r.name(), self.real(a)),
            RealE::Call(f, args) => self.call(f, args),
        }
    }

    fn vector(&self, e: &VecE) -> String {
        match e {
            VecE::Load(p) => self.place(p),
            VecE::List(r, es) => {
                let list: Vec<_> =
                    es.iter().map(|e| format!("({}){}", r.name(), self.real_operand(e))).collect();
                format!("({}V{}{}){{{}}}", self.prefix, r.name(), es.len(), list.join(", "))
            }
            VecE::Bin(op, a, b) => {
                format!("({} {} {})", self.vector(a), real_op(*op), self.vector(b))
            }
            VecE::Scale(op, a, r, by) => format!(
                "({} {} ({}){})",
                self.vector(a),
                real_op(*op),
                r.name(),
                self.real_operand(by)
            ),
            VecE::Shuffle(a, order) => {
                let a = self.vector(a);
                let order: Vec<_> = order.iter().map(usize::to_string).collect();
                format!(
                    "__builtin_shufflevector({a}, (__typeof__({a})){{0}}, {})",
                    order.join(", ")
                )
            }
        }
    }

    /// What may stand behind a cast.
    fn real_operand(&self, e: &RealE) -> String {
        format!("({})", self.real(e))
    }

    fn int_operand(&self, e: &IntE) -> String {
        match e {
            IntE::Lit(_) | IntE::Load(_) => self.int(e),
            _ => format!("({})", self.int(e)),
        }
    }

    fn int(&self, e: &IntE) -> String {
        match e {
            IntE::Lit(v) if *v < 0 => format!("({v})"),
            IntE::Lit(v) => format!("{v}"),
            IntE::Load(p) => match &**p {
                LValue::Var(v)
                    if self.program.funcs[self.func].vars[*v].ty == Ty::Int(Int::I32) =>
                {
                    self.name(*v)
                }
                p => format!("(int){}", self.place(p)),
            },
            IntE::Bin(op, a, b) => format!("({} {} {})", self.int(a), int_op(*op), self.int(b)),
            IntE::Of(c) => format!("({})", self.cond(c)),
            IntE::OfReal(a) => format!("(int)({})", self.real(a)),
            IntE::Sel(c, a, b) => format!("({} ? {} : {})", self.cond(c), self.int(a), self.int(b)),
        }
    }

    fn cond(&self, c: &CondE) -> String {
        match c {
            CondE::Real(op, a, b) => format!("{} {} {}", self.real(a), cmp(*op), self.real(b)),
            CondE::Int(op, a, b) => format!("{} {} {}", self.int(a), cmp(*op), self.int(b)),
            CondE::And(a, b) => format!("({} && {})", self.cond(a), self.cond(b)),
            CondE::Or(a, b) => format!("({} || {})", self.cond(a), self.cond(b)),
            CondE::Not(a) => format!("!({})", self.cond(a)),
        }
    }

    fn call(&self, f: &FuncE, args: &[Arg]) -> String {
        let args: Vec<_> = args
            .iter()
            .map(|a| match a {
                Arg::Real(e) => self.real(e),
                Arg::Int(e) => self.int(e),
                Arg::Ptr(p) => self.ptr(p),
                Arg::Struct(p) => self.place(p),
                Arg::Func(f) => self.target(f),
                Arg::Vector(e) => self.vector(e),
            })
            .collect();
        format!("{}({})", self.target(f), args.join(", "))
    }

    /// From the brace on; a block's end has a newline.
    fn block(&mut self, b: &Block, depth: usize) {
        self.out.push_str("{\n");
        self.inside(b, depth + 1);
        self.line(depth, "}");
    }

    fn inside(&mut self, b: &Block, depth: usize) {
        for local in &b.locals {
            let v = &self.program.funcs[self.func].vars[local.var];
            let mut text = self.param(v, &format!("v{}", local.var));
            match &local.init {
                Init::None => {}
                Init::Zero if matches!(v.ty, Ty::Array(..) | Ty::Struct(_) | Ty::Vector(..)) => {
                    text.push_str(" = {0}")
                }
                Init::Zero => text.push_str(" = 0"),
                Init::Real(e) => text = format!("{text} = {}", self.real(e)),
                Init::Int(e) => text = format!("{text} = {}", self.int(e)),
                Init::Ptr(p) => text = format!("{text} = {}", self.ptr(p)),
                Init::List(es) => {
                    let list: Vec<_> = es.iter().map(|e| self.real(e)).collect();
                    text = format!("{text} = {{{}}}", list.join(", "));
                }
                Init::Copy(p) => text = format!("{text} = {}", self.place(p)),
            }
            self.line(depth, &format!("{text};"));
        }
        for s in &b.stmts {
            self.stmt(s, depth);
        }
    }

    fn headed(&mut self, head: &str, b: &Block, depth: usize) {
        let _ = write!(self.out, "{}{head} ", "    ".repeat(depth));
        self.block(b, depth);
    }

    /// A loop, checkpointed or not.
    fn looped(&mut self, head: &str, var: VarId, body: &Block, depth: usize) {
        match self.mark(var) {
            "" => self.headed(head, body, depth),
            mark => {
                self.line(depth, &format!("{head} {{{mark}"));
                self.inside(body, depth + 1);
                self.line(depth, "}");
            }
        }
    }
    /// The marker of some loops, by their variable.
    fn mark(&mut self, var: VarId) -> &'static str {
        match var % 4 {
            0 if self.is_next_marked() => " ad_checkpoint_loop(1);",
            1 if self.is_next_marked() => " ad_checkpoint_loop(2);",
            _ => "",
        }
    }

    /// Whether the next loop or statement that may be checkpointed is.
    fn is_next_marked(&mut self) -> bool {
        let Some(one_in) = self.program.checkpoints else { return false };
        self.checkpoints += 1;
        self.checkpoints.is_multiple_of(one_in)
    }

    /// A statement, in a region of its own or not.
    fn stmt(&mut self, s: &Stmt, depth: usize) {
        let is_region = is_region(s) && self.is_next_marked();
        if is_region {
            self.line(depth, "ad_checkpoint_begin();");
        }
        self.bare(s, depth);
        if is_region {
            self.line(depth, "ad_checkpoint_end();");
        }
    }

    fn bare(&mut self, s: &Stmt, depth: usize) {
        let text = match s {
            Stmt::Block(b) => return self.headed("", b, depth),
            Stmt::Set(p, None, e)
                if self.has_views() && self.is_double(p) && self.out.len().is_multiple_of(3) =>
            {
                let by = if self.out.len().is_multiple_of(2) { "fz_move" } else { "fz_carry" };
                format!(
                    "{{ double fz_new = {}; {by}(&{}, &fz_new); }}",
                    self.real(e),
                    self.place(p)
                )
            }
            Stmt::Set(p, op, e) => {
                format!("{} {}= {};", self.place(p), op.map_or("", real_op), self.real(e))
            }
            Stmt::SetVec(p, op, e) => {
                format!("{} {}= {};", self.place(p), op.map_or("", real_op), self.vector(e))
            }
            Stmt::SetInt(p, op, e) => {
                format!("{} {}= {};", self.place(p), op.map_or("", int_op), self.int(e))
            }
            Stmt::SetPtr(p, e) => format!("{} = {};", self.place(p), self.ptr(e)),
            Stmt::Copy(to, from) if self.has_views() && self.out.len().is_multiple_of(2) => {
                let (to, from) = (self.place(to), self.place(from));
                format!("fz_copy(&{to}, &{from}, sizeof {to});")
            }
            Stmt::Swap(a, b) => {
                let by = if self.out.len().is_multiple_of(2) { "fz_swap" } else { "fz_change" };
                format!("{by}(&{}, &{}, sizeof {});", self.place(a), self.place(b), self.place(a))
            }
            Stmt::Copy(to, from) => format!("{} = {};", self.place(to), self.place(from)),
            Stmt::If(c, yes, no) => {
                let head = format!("if ({})", self.cond(c));
                self.headed(&head, yes, depth);
                if !no.stmts.is_empty() {
                    self.headed("else", no, depth);
                }
                return;
            }
            Stmt::For { var, from, to, step, down, body } => {
                let ty = declare(
                    &self.prefix,
                    &self.program.funcs[self.func].vars[*var].ty,
                    &format!("v{var}"),
                );
                let head = match (down, step) {
                    (true, _) => {
                        format!("for ({ty} = {}; v{var}-- > {}; )", self.int(to), self.int(from))
                    }
                    (_, 1) => format!(
                        "for ({ty} = {}; v{var} < {}; v{var}++)",
                        self.int(from),
                        self.int(to)
                    ),
                    _ => format!(
                        "for ({ty} = {}; v{var} < {}; v{var} += {step})",
                        self.int(from),
                        self.int(to)
                    ),
                };
                return self.looped(&head, *var, body, depth);
            }
            Stmt::While { var, fuel, cond, first, body } => {
                let ty = declare(
                    &self.prefix,
                    &self.program.funcs[self.func].vars[*var].ty,
                    &format!("v{var}"),
                );
                let test = match cond {
                    Some(c) => format!("v{var} < {fuel} && ({})", self.cond(c)),
                    None => format!("v{var} < {fuel}"),
                };
                self.line(depth, &format!("{{ {ty} = 0;"));
                self.line(
                    depth,
                    &if *first { format!("while ({test}) {{") } else { "do {".to_string() },
                );
                let mark = self.mark(*var);
                self.line(depth + 1, &format!("v{var}++;{mark}"));
                self.inside(body, depth + 1);
                format!(
                    "{} }}",
                    if *first { "}".to_string() } else { format!("}} while ({test});") }
                )
            }
            Stmt::Walk { var, base, count, body } => {
                let v = &self.program.funcs[self.func].vars[*var];
                let (ty, base, n) =
                    (self.param(v, &format!("v{var}")), self.ptr(base), self.int(count));
                return self.looped(
                    &format!("for ({ty} = {base}; v{var} != {base} + {n}; v{var}++)"),
                    *var,
                    body,
                    depth,
                );
            }
            Stmt::Break => "break;".to_string(),
            Stmt::Continue => "continue;".to_string(),
            Stmt::Return(None) => "return;".to_string(),
            Stmt::Return(Some(e)) => format!("return {};", self.real(e)),
            Stmt::ReturnPtr(p) => format!("return {};", self.ptr(p)),
            Stmt::ReturnPlace(p) => format!("return {};", self.place(p)),
            Stmt::Switch(e, cases) => {
                let head = format!("switch ({}) {{", self.int(e));
                self.line(depth, &head);
                for c in cases {
                    let head = c.value.map_or("default:".to_string(), |v| format!("case {v}:"));
                    self.headed(&head, &c.body, depth);
                    if c.stops {
                        self.line(depth + 1, "break;");
                    }
                }
                "}".to_string()
            }
            Stmt::Call(Some(to), f, args) => {
                format!("{} = {};", self.place(to), self.call(f, args))
            }
            Stmt::Call(None, f, args) => format!("{};", self.call(f, args)),
            Stmt::Memcpy(overlaps, to, from, n, ty) => {
                let name = match overlaps {
                    true => "memmove",
                    false if self.has_views() && self.out.len().is_multiple_of(2) => "fz_copy",
                    false => "memcpy",
                };
                format!("{name}({}, {}, {});", self.ptr(to), self.ptr(from), self.bytes(n, ty))
            }
            Stmt::Memset(p, n, ty) => format!("memset({}, 0, {});", self.ptr(p), self.bytes(n, ty)),
            Stmt::Malloc(zeroed, var, n) => {
                let Ty::Ptr(e) = &self.program.funcs[self.func].vars[*var].ty else { return };
                if *zeroed {
                    format!(
                        "v{var} = calloc({}, sizeof({}));",
                        self.int(n),
                        declare(&self.prefix, e, "").trim_end()
                    )
                } else {
                    format!("v{var} = malloc({});", self.bytes(n, e))
                }
            }
            Stmt::Realloc(var, n) => {
                let Ty::Ptr(e) = &self.program.funcs[self.func].vars[*var].ty else { return };
                format!("v{var} = realloc(v{var}, {});", self.bytes(n, e))
            }
            Stmt::Free(var) => format!("free(v{var});"),
            Stmt::Labelled(label, b) => {
                self.headed("", b, depth);
                format!("L{label}:;")
            }
            Stmt::Goto(label) => format!("goto L{label};"),
            Stmt::Frexp(p, e, v) => format!("{} = frexp({}, &v{v});", self.place(p), self.real(e)),
            Stmt::Modf(p, e, v) => format!("{} = modf({}, &v{v});", self.place(p), self.real(e)),
        };
        self.line(depth, &text);
    }

    fn has_views(&self) -> bool {
        self.program.boundary.as_ref().is_some_and(|b| b.has_views)
    }

    fn is_double(&self, p: &LValue) -> bool {
        self.program.type_of(&self.program.funcs[self.func].vars, p) == Some(Ty::Real(Real::F64))
    }

    fn bytes(&self, n: &IntE, ty: &Ty) -> String {
        format!("{} * sizeof({})", self.int_operand(n), declare(&self.prefix, ty, "").trim_end())
    }
}
