//! The C module: functions, the root `scale_root` and a main program; with -DREQUEST, an adjoint of
//! the root.

use crate::{
    body::{self, TABLES},
    shape::Shape,
};
use adfuzz::rng::Rng;
use std::fmt::Write;

/// Length of every array.
pub const LENGTH: usize = 16;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of functions, the root among them.
    pub functions: usize,
    /// Estimated instructions per function.
    pub size: usize,
    /// Levels of calls.
    pub depth: usize,
    /// Seed.
    pub seed: u64,
}

/// How a function takes its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// The root.
    Root,
    /// Two restricted arrays, a real by value.
    Restrict,
    /// Two arrays that it writes, two reals by value.
    Plain,
    /// Two arrays and a table of indices.
    Indexed,
    /// A struct with pointers.
    View,
    /// A struct of numbers, two arrays.
    Model,
    /// Three arrays; returns nothing.
    Out,
}

const KINDS: &[FunctionKind] = &[
    FunctionKind::Restrict,
    FunctionKind::Restrict,
    FunctionKind::Plain,
    FunctionKind::Indexed,
    FunctionKind::View,
    FunctionKind::Model,
    FunctionKind::Out,
];

impl FunctionKind {
    /// Result, name and parameters.
    fn prototype(self, name: &str) -> String {
        match self {
            FunctionKind::Root => format!("double {name}(double *x, double *y, int n)"),
            FunctionKind::Restrict => format!(
                "double {name}(const double *restrict x, double *restrict y, int n, double a)"
            ),
            FunctionKind::Plain => {
                format!("double {name}(double *x, double *y, double a, double b, int n)")
            }
            FunctionKind::Indexed => {
                format!("double {name}(const double *x, double *y, const int *index, int n)")
            }
            FunctionKind::View => format!("double {name}(const struct view *v, double a)"),
            FunctionKind::Model => {
                format!("double {name}(const struct model *m, const double *x, double *y, int n)")
            }
            FunctionKind::Out => {
                format!("void {name}(const double *x, double *y, double *out, int n)")
            }
        }
    }
}

const HEAD: &str = "\
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef REQUEST
#include <ad.h>
extern void __ad_adjoint_scale(void *f, ...);
#endif

#define SEPARATE __attribute__((noinline))

struct view { const double *x; double *y; double weight; int n; };
struct model { double rate, shift, table[4]; int kind; };
";

/// Runs the root; with a request, compares the gradient with a difference in one direction.
const MAIN: &str = "
int main(int argc, char **argv) {
    double x[LENGTH], y[LENGTH], out[LENGTH];
    int n = argc > 1 ? 3 + argv[1][0] % (LENGTH - 2) : LENGTH;
    for (int i = 0; i < LENGTH; i++) x[i] = sin(1.0 + i), out[i] = y[i] = cos(2.0 + i);
#ifdef REQUEST
    double xb[LENGTH] = {0}, yb[LENGTH] = {0}, x0[LENGTH], out0[LENGTH], value[2], h = 1e-7, d = 0.0;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < LENGTH; i++) {
            x0[i] = x[i] + (side ? -h : h) * cos(3.0 * i);
            out0[i] = y[i] + (side ? -h : h) * sin(5.0 * i);
        }
        value[side] = scale_root(x0, out0, n);
    }
    __ad_adjoint_scale((void *)scale_root, x, xb, out, yb, n);
    for (int i = 0; i < LENGTH; i++) d += xb[i] * cos(3.0 * i) + yb[i] * sin(5.0 * i);
    double difference = (value[0] - value[1]) / (2 * h);
    printf(\"%.9g along the gradient, %.9g by differences\\n\", d, difference);
    /* A one-step central difference: rounding over a step of 1e-7 leaves this. */
    return fabs(d - difference) <= 1e-5 * (1.0 + fabs(d)) ? 0 : 1;
#else
    printf(\"%.9g\\n\", scale_root(x, out, n));
    return 0;
#endif
}
";

/// The module as C.
pub fn module(settings: &Settings) -> Result<String, String> {
    let mut rng = Rng::new(settings.seed, 0);
    let shape = Shape::draw(settings.functions, settings.depth, &mut rng)?;
    let names: Vec<String> = (0..settings.functions).map(name).collect();
    let mut kinds = vec![FunctionKind::Root];
    kinds.extend((1..settings.functions).map(|_| *rng.pick(KINDS)));
    let mut linkage = |f| if f > 0 && rng.chance(50) { "static SEPARATE " } else { "SEPARATE " };
    let linkage: Vec<&str> = (0..settings.functions).map(&mut linkage).collect();

    let Settings { functions, depth, seed, .. } = settings;
    let mut text = format!(
        "/* {functions} functions on {depth} levels, seed {seed}; written by adscale. */\n"
    );
    text.push_str(HEAD);
    let _ = writeln!(text, "enum {{ LENGTH = {LENGTH} }};");
    for t in 0..TABLES {
        let entries: Vec<String> = (0..LENGTH).map(|_| rng.below(LENGTH).to_string()).collect();
        let _ = writeln!(text, "static const int table{t}[LENGTH] = {{{}}};", entries.join(", "));
    }
    for f in 0..settings.functions {
        let _ = writeln!(text, "{}{};", linkage[f], kinds[f].prototype(&names[f]));
    }
    for f in 0..settings.functions {
        // A stream of its own: a function's text does not depend on those before it.
        let mut own = Rng::new(settings.seed, 1 + f as u64);
        let callees: Vec<(String, FunctionKind)> =
            shape.callees[f].iter().map(|&c| (names[c].clone(), kinds[c])).collect();
        let size = settings.size * (50 + own.below(101)) / 100;
        let _ = writeln!(text, "\n{} {{", kinds[f].prototype(&names[f]));
        text.push_str(&body::body(kinds[f], &callees, size, &mut own));
        text.push_str("}\n");
    }
    text.push_str(MAIN);
    Ok(text)
}

fn name(f: usize) -> String {
    if f == 0 { "scale_root".into() } else { format!("scale_{f}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Settings = Settings { functions: 30, size: 100, depth: 5, seed: 7 };

    #[test]
    fn the_same_seed_gives_the_same_module() {
        assert_eq!(module(&SMALL), module(&SMALL));
        assert_ne!(module(&SMALL), module(&Settings { seed: 8, ..SMALL }));
    }

    #[test]
    fn every_function_is_defined_once_and_called() {
        let text = module(&SMALL).unwrap();
        for f in 1..SMALL.functions {
            let call = format!("{}(", name(f));
            let (heads, calls): (Vec<&str>, Vec<&str>) =
                text.lines().filter(|l| l.contains(&call)).partition(|l| !l.starts_with(' '));
            assert_eq!(heads.iter().filter(|l| l.ends_with('{')).count(), 1, "{call}");
            assert!((1..=3).contains(&calls.len()), "{call} in {calls:?}");
        }
    }
}
