//! Puts idioms together: some record types, some instances of idioms over them, and a function that
//! fills arrays, calls the instances in loops and branches, and adds up what is left.
//!
//! In `@f`, and in the helpers that take a part of it, `x` and `n` are the inputs, `w` and `m` reals
//! to work on, `aK` and `nK` the records of type K, and `sum` what becomes of it.

use super::records::{self, Shape};
use super::template::{self, Filler, Kind, Template};
use crate::ast::*;
use crate::rng::Rng;

/// An instance of an idiom.
struct Stage {
    kind: Kind,
    number: usize,
    /// Its record type.
    shape: usize,
}

/// What `@f` is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `double @f(double *x, int n)`.
    Array,
    /// `void @f(const double *x, int n, double *y)`: the results go to `y`.
    Results,
    /// `double @f(double a, double b, double c)`.
    Values,
    /// `double @f(struct @s0 *in, int count)`.
    Records,
}

/// The records that `@f` may be given, with members as the driver names them.
const INPUT: &str = "struct @s0 { double f0; int f1; double f2[2]; short f3; };\n";

struct Composer<'a> {
    rng: &'a mut Rng,
    form: Form,
    shapes: Vec<Shape>,
    stages: Vec<Stage>,
    /// In front of `@f`.
    before: String,
    /// The body of `@f` so far, and what it frees at its end.
    body: String,
    frees: Vec<String>,
}

/// A program of the idioms with these names, or of all. It may be invalid.
pub fn compose(rng: &mut Rng, only: &[String]) -> Program {
    let has_floats = rng.chance(15);
    let count = 1 + rng.below(3);
    let shapes = (0..count).map(|i| records::shape(rng, i, has_floats)).collect();
    let form = *rng.pick(&[Form::Array, Form::Array, Form::Results, Form::Values, Form::Records]);
    let (stages, before, body, frees) = (vec![], String::new(), String::new(), vec![]);
    let mut c = Composer { rng, form, shapes, stages, before, body, frees };
    c.idioms(only);
    let (head, inputs) = c.head();
    c.arrays();
    c.calls();
    c.results();
    let text = format!("{}{head} {{\n{}}}\n", c.before, c.body);
    c.program(text, inputs)
}

impl Composer<'_> {
    fn program(&self, text: String, inputs: Vec<Input>) -> Program {
        let real = || Ty::Real(Real::F64);
        let pointer = |ty| Ty::Ptr(Box::new(ty));
        let types = match self.form {
            Form::Array => vec![pointer(real()), Ty::Int(Int::I32)],
            Form::Results => vec![pointer(real()), Ty::Int(Int::I32), pointer(real())],
            Form::Values => vec![real(), real(), real()],
            Form::Records => vec![pointer(Ty::Struct(0)), Ty::Int(Int::I32)],
        };
        let is_const = |i| self.form == Form::Results && i == 0;
        let var = |(i, ty)| Var { ty, is_const: is_const(i), global: None };
        let vars: Vec<Var> = types.into_iter().enumerate().map(var).collect();
        let ret = (self.form != Form::Results).then(real);
        let body = Block::default();
        let func = Func { params: vars.len(), vars, ret, body, is_noinline: false };
        let two = Ty::Array(Box::new(real()), 2);
        let structs = vec![vec![real(), Ty::Int(Int::I32), two, Ty::Int(Int::I16)]];
        Program { structs, funcs: vec![func], inputs, text: Some(text), ..Program::default() }
    }

    fn line(&mut self, text: &str) {
        self.body.push_str(&format!("  {text}\n"));
    }

    /// Types, then instances of idioms.
    fn idioms(&mut self, only: &[String]) {
        for s in &self.shapes {
            self.before.push_str(&s.types);
        }
        for s in &self.shapes {
            self.before.push_str(&s.functions);
        }
        let (mut all, mut helpers) = (template::all(), vec![]);
        all.retain(|t| only.is_empty() || only.iter().any(|name| name == t.name));
        for number in 0..1 + self.rng.below(5) {
            let shape = self.rng.below(self.shapes.len());
            let fits = |t: &&Template| !t.needs_name || self.shapes[shape].text.is_some();
            let fitting: Vec<&Template> = all.iter().filter(fits).collect();
            if fitting.is_empty() {
                continue;
            }
            let template = *self.rng.pick(&fitting);
            let shapes = &self.shapes;
            let mut filler = Filler {
                rng: self.rng,
                shape: &shapes[shape],
                instance: number,
                helpers: &helpers,
            };
            let filled = filler.fill(template);
            // How others may see the entry.
            let word =
                *self.rng.pick(&["static ", "static ", "", "static __attribute__((noinline)) "]);
            let entry = format!("{} @go{number}(", template.kind.result());
            self.before.push_str(&format!("/* {} */\n", template.name));
            self.before.push_str(&filled.replacen(&entry, &format!("{word}{entry}"), 1));
            if template.kind == Kind::Number {
                helpers.push(format!("@go{number}"));
            }
            self.stages.push(Stage { kind: template.kind, number, shape });
        }
    }

    fn reals(&mut self, count: usize) -> Input {
        Input::Memory(count, (0..count).map(|_| self.rng.uniform(-1.5, 1.5)).collect())
    }

    /// The head of `@f` and its inputs; the body begins with `x` and `n`.
    fn head(&mut self) -> (&'static str, Vec<Input>) {
        let n = 3 + self.rng.below(4);
        match self.form {
            Form::Array => {
                let inputs = vec![self.reals(n), Input::Int(n as i64)];
                ("double @f(double *x, int n)", inputs)
            }
            Form::Results => {
                let inputs = vec![self.reals(n), Input::Int(n as i64), self.reals(2)];
                ("void @f(const double *x, int n, double *y)", inputs)
            }
            Form::Values => {
                self.line("double x[3] = {a, b, c};\n  int n = 3;");
                let inputs = (0..3).map(|_| Input::Real(self.rng.uniform(-1.5, 1.5))).collect();
                ("double @f(double a, double b, double c)", inputs)
            }
            Form::Records => {
                self.before.insert_str(0, INPUT);
                self.line("double x[4];\n  int n = 4;");
                self.line("for (int i = 0; i < n; i++) x[i] = i < count ? in[i].f0 * in[i].f1 : in[i - count].f2[1] + in[i - count].f3;");
                let mut values = vec![];
                for k in 0..3 {
                    let mut real = || self.rng.uniform(-1.5, 1.5);
                    values.extend([real(), f64::from(k + 1), real(), real(), f64::from(k)]);
                }
                (
                    "double @f(struct @s0 *in, int count)",
                    vec![Input::Memory(3, values), Input::Int(3)],
                )
            }
        }
    }

    /// `w` and the records, filled.
    fn arrays(&mut self) {
        let (m, c) = (3 + self.rng.below(4), self.rng.uniform(0.3, 1.2));
        self.line(&format!("int m = {m};"));
        if self.rng.chance(40) {
            self.line("double *w = malloc(m * sizeof *w);");
            self.frees.push("free(w);".into());
        } else {
            self.line(&format!("double w[{m}];"));
        }
        self.line("double sum = 0;");
        self.line(&format!("for (int i = 0; i < m; i++) w[i] = {c:?} * x[(i + 1) % n];"));
        for k in 0..self.shapes.len() {
            let (ty, count) = (self.shapes[k].name.clone(), 3 + self.rng.below(3));
            self.line(&format!("int n{k} = {count};"));
            match self.rng.below(6) {
                0 | 1 => self.line(&format!("{ty} a{k}[{count}];")),
                2 => self.line(&format!("{ty} a{k}[{count}] = {{{{0}}}};")),
                3 => {
                    self.before.push_str(&format!("static {ty} @store{k}[{count}];\n"));
                    self.line(&format!("{ty} *a{k} = @store{k};"));
                }
                4 => {
                    self.line(&format!("{ty} *a{k} = calloc(n{k}, sizeof *a{k});"));
                    self.frees.push(format!("free(a{k});"));
                }
                _ => {
                    self.line(&format!("{ty} *a{k} = malloc(n{k} * sizeof({ty}));"));
                    self.frees.push(format!("free(a{k});"));
                }
            }
            self.line(&format!("for (int i = 0; i < n{k}; i++) @fill{k}(&a{k}[i], x, n, i);"));
        }
    }

    /// Calls the instances, each once or more often.
    fn calls(&mut self) {
        let mut order: Vec<usize> = (0..self.stages.len()).collect();
        if !order.is_empty() && self.rng.chance(40) {
            order.push(self.rng.below(order.len()));
        }
        for (nth, s) in order.into_iter().enumerate() {
            let call = self.call(s);
            let wrapped = self.wrapped(nth, self.stages[s].shape, call);
            self.line(&wrapped);
        }
    }

    fn call(&mut self, s: usize) -> String {
        let Stage { kind, number, shape } = self.stages[s];
        let is_const = self.form == Form::Results;
        let reals = if !is_const && self.rng.chance(40) { "x, n" } else { "w, m" };
        let source = if self.rng.chance(50) { "x, n" } else { "w, m" };
        let c = self.rng.uniform(0.2, 1.0);
        match kind {
            Kind::Records => format!("@go{number}(a{shape}, n{shape});"),
            Kind::Reals => format!("@go{number}({reals});"),
            Kind::Value => match self.rng.below(3) {
                0 => format!("w[{}] = tanh(@go{number}({source}));", self.rng.below(3)),
                1 => format!(
                    "a{shape}[1].{} = {c:?} * atan(@go{number}({source}));",
                    self.rng.pick(&self.shapes[shape].reals)
                ),
                _ => format!("sum += {c:?} * @go{number}({source});"),
            },
            Kind::Number => match self.rng.below(3) {
                0 => format!("for (int i = 0; i < m; i++) w[i] = @go{number}(w[i], x[i % n]);"),
                1 => {
                    let member = self.rng.pick(&self.shapes[shape].reals);
                    format!(
                        "for (int i = 0; i < n{shape}; i++) sum += @go{number}(a{shape}[i].{member}, {c:?});"
                    )
                }
                _ => format!("sum += @go{number}(w[0], w[{}]);", 1 + self.rng.below(2)),
            },
        }
    }

    /// A statement around a call, or a helper for it.
    fn wrapped(&mut self, nth: usize, shape: usize, call: String) -> String {
        let c = self.rng.uniform(-1.0, 1.0);
        match self.rng.below(10) {
            0 => format!("for (int r = 0; r < 2; r++) {{ {call} }}"),
            1 => format!("if (w[0] > {c:?}) {{ {call} }} else sum += {c:?} * w[1];"),
            2 => format!("if (n{shape} > 3) {{ {call} }}\n  else {{ sum -= x[0]; {call} }}"),
            3 => format!(
                "switch (m % 3) {{\n  case 0: {call} break;\n  case 1: sum += w[1];\n  default: {call}\n  }}"
            ),
            4 | 5 => {
                let word = *self.rng.pick(&["static", "static __attribute__((noinline))"]);
                let x = if self.form == Form::Results { "const double *x" } else { "double *x" };
                let ty = &self.shapes[shape].name;
                self.before.push_str(&format!(
                    "{word} double @stage{nth}({ty} *a{shape}, int n{shape}, double *w, int m, {x}, int n) {{\n  \
                     double sum = 0;\n  {call}\n  return sum;\n}}\n"
                ));
                format!("sum += @stage{nth}(a{shape}, n{shape}, w, m, x, n);")
            }
            _ => call,
        }
    }

    /// What is left goes to the results; then all is freed.
    fn results(&mut self) {
        for k in 0..self.shapes.len() {
            self.line(&format!(
                "for (int i = 0; i < n{k}; i++) sum += @measure{k}(&a{k}[i]) * (i + 1);"
            ));
        }
        self.line("for (int i = 0; i < m; i++) sum += w[i] * (i + 2);");
        match self.form {
            Form::Array | Form::Values => {}
            Form::Results => self.line("y[0] = sum;\n  y[1] = w[0] * w[1];"),
            Form::Records => self.line("in[0].f0 = w[0];\n  in[1].f2[0] = sin(sum);"),
        }
        while !self.frees.is_empty() {
            let free = self.frees.remove(self.rng.below(self.frees.len()));
            self.line(&free);
        }
        if self.form != Form::Results {
            self.line("return sum;");
        }
    }
}
