//! Statements: loops over arrays, branches, local arrays, struct members, mathematical functions,
//! calls.
//!
//! All values stay within bounds: each assignment is a contraction of what it reads, so no depth of
//! calls overflows.

use crate::module::{FunctionKind, LENGTH};
use adfuzz::rng::Rng;
use std::fmt::Write;

/// Tables of indices that the module has.
pub const TABLES: usize = 8;

/// A function body being written.
pub struct Body<'r> {
    rng: &'r mut Rng,
    text: String,
    /// Arrays that may be read, and of those the ones that may be written.
    readable: Vec<&'static str>,
    writable: Vec<&'static str>,
    /// Whether it has a parameter `index`, a parameter `m`.
    has_index: bool,
    has_model: bool,
    /// Instructions so far, as LLVM counts them after -O1; an estimate.
    size: usize,
    /// For names that must differ.
    names: usize,
}

/// The statements of a function of that kind: about `size` instructions, with one call of each of
/// `callees`.
pub fn body(
    kind: FunctionKind,
    callees: &[(String, FunctionKind)],
    size: usize,
    rng: &mut Rng,
) -> String {
    let mut b = Body {
        rng,
        text: String::new(),
        readable: vec!["x", "y"],
        writable: if kind == FunctionKind::Root || kind == FunctionKind::Plain {
            vec!["x", "y"]
        } else {
            vec!["y"]
        },
        has_index: kind == FunctionKind::Indexed,
        has_model: kind == FunctionKind::Model,
        size: 10,
        names: 0,
    };
    b.open(kind);
    // The calls at equal distances.
    let between = size / (callees.len() + 1);
    let mut until = between;
    for (name, kind) in callees {
        b.fill(until);
        b.call(name, *kind);
        until += between;
    }
    b.fill(size);
    b.close(kind);
    b.text
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }
    fn constant(&mut self) -> f64 {
        self.rng.uniform(0.1, 0.9)
    }
    fn from(&mut self) -> &'static str {
        self.readable[self.rng.below(self.readable.len())]
    }
    fn to(&mut self) -> &'static str {
        self.writable[self.rng.below(self.writable.len())]
    }
    fn index(&mut self) -> String {
        if self.has_index && self.rng.chance(70) {
            "index".into()
        } else {
            format!("table{}", self.rng.below(TABLES))
        }
    }
    /// A bounded function of a real expression.
    fn smooth(&mut self, of: &str) -> String {
        let c = self.constant();
        match self.rng.below(9) {
            0 => format!("sin({of})"),
            1 => format!("cos({of} + {c:?})"),
            2 => format!("exp(-({of}) * ({of}))"),
            3 => format!("0.5 * sqrt(1.0 + ({of}) * ({of}))"),
            4 => format!("({of}) / (1.0 + ({of}) * ({of}))"),
            5 => format!("tanh({of})"),
            6 => format!("0.5 * log(2.0 + ({of}) * ({of}))"),
            7 => format!("{c:?} * ({of})"),
            _ => format!("1.0 / (1.5 + ({of}) * ({of}))"),
        }
    }

    fn open(&mut self, kind: FunctionKind) {
        match kind {
            FunctionKind::View => {
                self.line("const double *x = v->x;");
                self.line("double *y = v->y;");
                self.line("const int n = v->n;");
                self.line("double s = 0.5 * a + v->weight * x[0], u = 0.3 * y[n - 1];");
            }
            FunctionKind::Plain => {
                self.line("double s = 0.5 * a + 0.1 * x[0], u = 0.3 * b + 0.1 * y[0];")
            }
            FunctionKind::Restrict => {
                self.line("double s = 0.5 * a, u = 0.3 * x[n - 1] + 0.1 * a;")
            }
            FunctionKind::Model => {
                self.line("double s = m->rate * x[0], u = m->shift + 0.3 * y[0];")
            }
            FunctionKind::Root | FunctionKind::Indexed | FunctionKind::Out => {
                self.line("double s = 0.5 * x[0], u = 0.3 * x[n - 1] + 0.1 * y[0];")
            }
        }
        if self.rng.chance(60) {
            let (x, c) = (self.from(), self.constant());
            self.line(&format!("double t[{LENGTH}];"));
            self.line(&format!("for (int i = 0; i < {LENGTH}; i++) t[i] = {c:?} * s;"));
            self.line(&format!("for (int i = 0; i < n; i++) t[i] += 0.4 * {x}[i];"));
            self.readable.push("t");
            self.writable.push("t");
            self.size += 14;
        }
    }

    fn close(&mut self, kind: FunctionKind) {
        match kind {
            FunctionKind::Out => {
                self.line("out[0] = 0.5 * s + 0.2 * u;");
                self.line("out[1] = 0.5 * s - 0.3 * y[n - 1];");
                self.line("out[2] = u * s / (1.0 + u * u + s * s);");
            }
            _ => self.line("return 0.5 * s + 0.3 * u + 0.1 * y[0];"),
        }
    }

    /// Statements until the body has that size.
    fn fill(&mut self, size: usize) {
        while self.size + 8 < size {
            self.size += match self.rng.below(14) {
                0 | 1 => self.map(),
                2 | 3 => self.reduce(),
                4 => self.branch_in_loop(),
                5 => self.stencil(),
                6 => self.gather(),
                7 => self.nest(),
                8 => self.newton(),
                9 => self.branch(),
                10 => self.halve(),
                11 => self.sort_of_switch(),
                12 => self.order(),
                _ => self.scalars(),
            };
        }
    }

    fn map(&mut self) -> usize {
        let (x, y, c) = (self.from(), self.to(), self.constant());
        let e = self.smooth(&format!("{c:?} * {x}[i] + 0.2 * s"));
        self.line(&format!("for (int i = 0; i < n; i++) {y}[i] = 0.5 * {y}[i] + 0.3 * {e};"));
        18
    }

    fn reduce(&mut self) -> usize {
        let (x, y, c) = (self.from(), self.from(), self.constant());
        let e = self.smooth(&format!("{x}[i] - {c:?} * {y}[i]"));
        self.line("{");
        self.line("    double sum = 0.0;");
        self.line(&format!("    for (int i = 0; i < n; i++) sum += {e};"));
        self.line("    s = 0.5 * s + 0.4 * sum / n;");
        self.line("}");
        20
    }

    fn branch_in_loop(&mut self) -> usize {
        let (x, y, c, d) = (self.from(), self.to(), self.constant(), self.constant());
        let e = self.smooth(&format!("{x}[i]"));
        self.line("for (int i = 0; i < n; i++) {");
        self.line(&format!("    if ({x}[i] > {c:?})"));
        self.line(&format!("        {y}[i] = 0.6 * {y}[i] + 0.2 * {e};"));
        self.line("    else");
        self.line(&format!("        {y}[i] = {d:?} * {y}[i] - 0.05 * {x}[i] * u / (1.0 + u * u);"));
        self.line("}");
        28
    }

    fn stencil(&mut self) -> usize {
        let (x, y) = (self.from(), self.to());
        self.line("for (int i = 1; i + 1 < n; i++)");
        self.line(&format!(
            "    {y}[i] = 0.4 * {y}[i] + 0.2 * ({x}[i - 1] + {x}[i + 1]) - 0.1 * {x}[i];"
        ));
        22
    }

    fn gather(&mut self) -> usize {
        let (x, y, index, c) = (self.from(), self.to(), self.index(), self.constant());
        self.line("for (int i = 0; i < n; i++)");
        self.line(&format!(
            "    {y}[{index}[i]] = 0.6 * {y}[{index}[i]] + 0.3 * sin({c:?} * {x}[i]);"
        ));
        18
    }

    fn nest(&mut self) -> usize {
        let (x, y, z, c) = (self.from(), self.from(), self.to(), self.constant());
        self.line("for (int i = 0; i < n; i++) {");
        self.line("    double row = 0.0;");
        self.line(&format!(
            "    for (int j = 0; j <= i; j++) row += {x}[j] * {y}[i - j] / (1.0 + {c:?} * j);"
        ));
        self.line(&format!("    {z}[i] = 0.5 * {z}[i] + 0.2 * row / (1.0 + fabs(row));"));
        self.line("}");
        36
    }

    fn newton(&mut self) -> usize {
        let c = self.constant();
        let x = self.from();
        self.line(&format!("for (int k = 0; k < 4 && fabs(u * u * u + u - {x}[0]) > 1e-3; k++)"));
        self.line(&format!("    u -= {c:?} * (u * u * u + u - {x}[0]) / (3.0 * u * u + 1.0);"));
        26
    }

    fn branch(&mut self) -> usize {
        let (x, c) = (self.from(), self.constant());
        let (e, g) = (self.smooth("s"), self.smooth("u"));
        self.line(&format!("if (s > {c:?} && {x}[0] < u) {{"));
        self.line(&format!("    s = 0.5 * s + 0.3 * {e};"));
        self.line("} else {");
        self.line(&format!("    u = 0.5 * u + 0.3 * {g};"));
        self.line("}");
        16
    }

    /// A loop whose number of iterations is not known beforehand.
    fn halve(&mut self) -> usize {
        let (x, c) = (self.from(), self.constant());
        self.line(&format!(
            "for (int k = n; k > 1; k /= 2) s = 0.6 * s + 0.2 * {x}[k - 1] * cos({c:?} * u);"
        ));
        14
    }

    fn sort_of_switch(&mut self) -> usize {
        let (x, y, c) = (self.from(), self.to(), self.constant());
        let by = if self.has_model { "m->kind" } else { "n % 3" };
        let more = if self.has_model {
            "m->table[1] / (1.0 + fabs(m->table[1]))"
        } else {
            "s / (1.0 + s * s)"
        };
        self.line(&format!("switch ({by}) {{"));
        self.line(&format!("case 0: u = 0.5 * u + {c:?} * sin({x}[0]); break;"));
        self.line(&format!("case 1: u = 0.6 * u + 0.2 * {more}; break;"));
        self.line(&format!("default: {y}[n - 1] = 0.5 * {y}[n - 1] + 0.1 * {x}[0]; break;"));
        self.line("}");
        22
    }

    /// A permutation in a local array of integers.
    fn order(&mut self) -> usize {
        let (x, k) = (self.from(), self.names);
        let step = self.rng.range(2, 12);
        self.names += 1;
        self.line(&format!("int order{k}[{LENGTH}];"));
        self.line(&format!("for (int i = 0; i < n; i++) order{k}[i] = (i * {step} + 1) % n;"));
        self.line(&format!("for (int i = 0; i < n; i++) s = 0.7 * s + 0.1 * {x}[order{k}[i]];"));
        22
    }

    fn scalars(&mut self) -> usize {
        let x = self.from();
        let (e, g) = (self.smooth("s - u"), self.smooth(&format!("{x}[0] * 0.5 + u")));
        self.line(&format!("s = 0.4 * s + 0.3 * {e};"));
        self.line(&format!("u = 0.4 * u + 0.2 * {g} - 0.1 * s;"));
        16
    }

    fn call(&mut self, name: &str, kind: FunctionKind) {
        let to = self.to();
        let others: Vec<&str> = self.readable.iter().copied().filter(|a| *a != to).collect();
        // No two arguments name the same memory, as restrict asks for.
        let from = *self.rng.pick(&others);
        let k = self.names;
        self.names += 1;
        let call = match kind {
            FunctionKind::Root => unreachable!("nobody calls the root"),
            FunctionKind::Restrict => format!("{name}({from}, {to}, n, s)"),
            // It writes both.
            FunctionKind::Plain => {
                let others: Vec<&str> =
                    self.writable.iter().copied().filter(|a| *a != to).collect();
                let from = match others.is_empty() {
                    false => *self.rng.pick(&others),
                    true => {
                        self.line(&format!("double copy{k}[{LENGTH}];"));
                        self.line(&format!("memcpy(copy{k}, {from}, sizeof copy{k});"));
                        self.size += 3;
                        &format!("copy{k}")
                    }
                };
                format!("{name}({from}, {to}, s, u, n)")
            }
            FunctionKind::Indexed => {
                let index = self.index();
                format!("{name}({from}, {to}, {index}, n)")
            }
            FunctionKind::View => {
                self.line(&format!(
                    "struct view view{k} = {{{from}, {to}, 0.2 * s / (1.0 + s * s), n}};"
                ));
                self.size += 8;
                format!("{name}(&view{k}, u)")
            }
            FunctionKind::Model if self.has_model => format!("{name}(m, {from}, {to}, n)"),
            FunctionKind::Model => {
                self.line(&format!(
                    "struct model model{k} = {{0.3 * s, 0.1 + u, {{s, u, 0.2, 0.3}}, n % 3}};"
                ));
                self.size += 10;
                format!("{name}(&model{k}, {from}, {to}, n)")
            }
            FunctionKind::Out => {
                self.line(&format!("double out{k}[3];"));
                self.line(&format!("{name}({from}, {to}, out{k}, n);"));
                self.size += 6;
                format!("0.4 * out{k}[0] + 0.2 * out{k}[1] - 0.1 * out{k}[2]")
            }
        };
        if self.rng.chance(20) {
            self.line(&format!("if (u < 1.5) s = 0.6 * s + 0.3 * ({call});"));
        } else {
            self.line(&format!("s = 0.6 * s + 0.3 * ({call});"));
        }
        self.size += 6;
    }
}
