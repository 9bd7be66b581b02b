//! A straight-line function in C, as computer algebra systems generate them: thousands of
//! temporaries, some read far from where they are computed, small arrays, mathematical functions.

use adfuzz::rng::Rng;
use std::fmt::Write;

/// Elements of the arrays that the function is given.
const GIVEN: usize = 32;
/// Elements of its own array.
const OWN: usize = 16;
/// Of 100 operands, how many are read from an array, and how many more are any earlier temporary;
/// the others are recent ones.
const FROM_ARRAYS: usize = 30;
const FAR: usize = 25;
/// How far back recent temporaries lie.
const RECENT: usize = 24;

/// The module with a function of `lines` statements; with -DREQUEST, its tangent and adjoint.
pub fn module(lines: usize, seed: u64) -> String {
    let mut writer =
        Writer { rng: Rng::new(seed, lines as u64), temporaries: 0, text: String::new() };
    let mut text = String::from(
        "#include <math.h>\n#include <stdio.h>\n#ifdef REQUEST\n#include <ad.h>\n#endif\n\
         static double f(const double *restrict x, double *restrict y) {\n",
    );
    let _ = writeln!(text, "    double w[{OWN}];");
    let _ = writeln!(text, "    for (int i = 0; i < {OWN}; i++) w[i] = 0.3 * x[i];");
    (0..lines).for_each(|_| writer.statement());
    let last = writer.temporaries - 1;
    let _ = writeln!(text, "{}    return t{last} + w[3];\n}}", writer.text);
    let _ = write!(
        text,
        "int main(int argc, char **argv) {{\n    double x[{GIVEN}], dx[{GIVEN}], xb[{GIVEN}] = {{0}};\n    \
         double y[{GIVEN}] = {{0}}, dy[{GIVEN}] = {{0}}, yb[{GIVEN}], sum;\n    \
         for (int i = 0; i < {GIVEN}; i++)\n        \
         x[i] = 0.3 + 0.01 * (i + argc), dx[i] = 0.1 + 0.02 * i, yb[i] = 0.1;\n    \
         sum = f(x, y);\n#ifdef REQUEST\n    sum += __ad_tangent(f, x, dx, y, dy);\n    \
         __ad_adjoint(f, x, xb, y, yb);\n    for (int i = 0; i < {GIVEN}; i++) sum += xb[i];\n\
         #endif\n    printf(\"%.12g\\n\", sum);\n    return 0;\n}}\n"
    );
    text
}

struct Writer {
    rng: Rng,
    temporaries: usize,
    text: String,
}

impl Writer {
    fn operand(&mut self) -> String {
        let n = self.temporaries;
        if n == 0 || self.rng.chance(FROM_ARRAYS) {
            return if self.rng.chance(50) {
                format!("x[{}]", self.rng.below(GIVEN))
            } else {
                format!("w[{}]", self.rng.below(OWN))
            };
        }
        let back = if self.rng.chance(FAR) { n } else { RECENT.min(n) };
        format!("t{}", n - 1 - self.rng.below(back))
    }

    fn statement(&mut self) {
        let (a, b, c) = (self.operand(), self.operand(), self.operand());
        let k = self.rng.uniform(0.1, 0.9);
        // All values stay within bounds.
        let value = match self.rng.below(24) {
            0 => format!("sin({k:.4} * {a})"),
            1 => format!("exp(-{a} * {a})"),
            2 => format!("cos({a} + {b})"),
            3 => format!("{a} / (1.0 + {b} * {b})"),
            4 => format!("0.5 * sqrt(1.0 + {a} * {a})"),
            5..=11 => format!("{k:.4} * {a} * {b} - 0.3 * {c}"),
            12..=17 => format!("0.4 * {a} + {k:.4} * {b}"),
            18..=20 => format!("0.5 * {a} * {b} * {c}"),
            21 => {
                let i = self.rng.below(OWN);
                let _ = writeln!(self.text, "    w[{i}] = {k:.4} * {a} + 0.1 * {b};");
                return;
            }
            22 => {
                let i = self.rng.below(OWN);
                let _ = writeln!(self.text, "    w[{i}] = 0.9 * w[{i}] + 0.1 * {a};");
                return;
            }
            _ => {
                let i = self.rng.below(GIVEN);
                let _ = writeln!(self.text, "    y[{i}] = {k:.4} * {a} - 0.2 * {b};");
                return;
            }
        };
        let _ = writeln!(self.text, "    const double t{} = {value};", self.temporaries);
        self.temporaries += 1;
    }
}
