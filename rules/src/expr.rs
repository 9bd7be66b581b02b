//! Expressions in which a partial derivative is written: a small tree over the operands and the
//! result of one operation, and its evaluation in double precision.
//!
//! The tree is what every consumer reads: the pass builds IR from it, the shadow runtime and the
//! tests evaluate it. It is pure: no memory, no effects apart from floating-point flags, so both
//! arms of a `Select` may be computed.

use crate::libm;

/// An ordered comparison of two floating values: false when either is NaN, `Ne` included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a == b`
    Eq,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a < b` or `a > b`
    Ne,
}

impl Cmp {
    /// Whether the comparison holds; false when `a` or `b` is NaN.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Cmp::Lt => a < b,
            Cmp::Le => a <= b,
            Cmp::Eq => a == b,
            Cmp::Gt => a > b,
            Cmp::Ge => a >= b,
            Cmp::Ne => a != b && !a.is_nan() && !b.is_nan(),
        }
    }
}

/// A partial derivative as an expression over the operation's parameters and result.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The i-th parameter, counted among all parameters. As an operand of floating arithmetic an
    /// `Int` parameter is converted to the float type; at an `Int` position of a `Call` it is
    /// passed as it is.
    Arg(usize),
    /// The value that the operation returned; of a struct, its element 0.
    Result,
    /// Element i > 0 of the struct that the operation returned.
    Element(usize),
    /// A floating constant. Irrational constants come as a sum of two, so that long double does
    /// not lose digits: in double and float the sum folds to the first.
    Const(f64),
    /// `Int` parameter plus a constant, as an integer. Only at an `Int` position of a `Call`.
    IntOffset(usize, i64),
    /// An integer constant. Only at an `Int` position of a `Call`.
    IntConst(i64),
    /// `-a`
    Neg(Box<Expr>),
    /// `a + b`
    Add(Box<Expr>, Box<Expr>),
    /// `a - b`
    Sub(Box<Expr>, Box<Expr>),
    /// `a * b`
    Mul(Box<Expr>, Box<Expr>),
    /// `a / b`
    Div(Box<Expr>, Box<Expr>),
    /// Call of a function by its base name, one that has a rule itself: of libm, of this
    /// project's runtime (`adrt_…`), or `powi`. `crate::symbol` and `crate::intrinsic` name what
    /// to call in a given precision. The arguments follow the callee's `Rule::params`.
    Call(&'static str, Vec<Expr>),
    /// `a cmp b ? c : d`, in the order `(cmp, a, b, c, d)`.
    Select(Cmp, Box<Expr>, Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The operands of this node, in order.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Arg(_)
            | Expr::Result
            | Expr::Element(_)
            | Expr::Const(_)
            | Expr::IntOffset(..)
            | Expr::IntConst(_) => vec![],
            Expr::Neg(a) => vec![a],
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => vec![a, b],
            Expr::Call(_, args) => args.iter().collect(),
            Expr::Select(_, a, b, c, d) => vec![a, b, c, d],
        }
    }

    /// Whether `pred` holds for this node or one below it.
    pub fn any(&self, pred: &mut dyn FnMut(&Expr) -> bool) -> bool {
        pred(self) || self.children().into_iter().any(|e| e.any(pred))
    }

    /// The expression in which `with` takes the place of every node for which it gives something.
    pub fn replaced(&self, with: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
        let of = |e: &Expr| Box::new(e.replaced(with));
        with(self).unwrap_or_else(|| match self {
            Expr::Neg(a) => Expr::Neg(of(a)),
            Expr::Add(a, b) => Expr::Add(of(a), of(b)),
            Expr::Sub(a, b) => Expr::Sub(of(a), of(b)),
            Expr::Mul(a, b) => Expr::Mul(of(a), of(b)),
            Expr::Div(a, b) => Expr::Div(of(a), of(b)),
            Expr::Call(name, args) => {
                Expr::Call(name, args.iter().map(|a| a.replaced(with)).collect())
            }
            Expr::Select(cmp, a, b, c, d) => Expr::Select(*cmp, of(a), of(b), of(c), of(d)),
            Expr::Arg(_)
            | Expr::Result
            | Expr::Element(_)
            | Expr::Const(_)
            | Expr::IntOffset(..)
            | Expr::IntConst(_) => self.clone(),
        })
    }

    /// Whether the expression reads the value of the operation itself.
    pub fn uses_result(&self) -> bool {
        self.any(&mut |e| matches!(e, Expr::Result | Expr::Element(_)))
    }

    /// Whether the expression reads parameter `i`.
    pub fn uses_arg(&self, i: usize) -> bool {
        self.any(&mut |e| matches!(e, Expr::Arg(k) | Expr::IntOffset(k, _) if *k == i))
    }

    /// The constant value, when the expression is a literal: `Const(0.5)`, not `1/2`.
    pub fn as_const(&self) -> Option<f64> {
        match self {
            Expr::Const(c) => Some(*c),
            _ => None,
        }
    }

    /// The value in double precision. `args` has one entry per parameter: an `Int` parameter as
    /// its value, a `Pointer` parameter as anything; `result` is what the operation returned.
    /// NaN when an index is out of range or a called function is unknown, which the tests of
    /// this crate exclude for every rule.
    pub fn eval(&self, args: &[f64], result: f64) -> f64 {
        self.eval_elements(args, &[result])
    }

    /// The same for an operation that returns a struct: `results` are its elements.
    pub fn eval_elements(&self, args: &[f64], results: &[f64]) -> f64 {
        let of = |e: &Expr| e.eval_elements(args, results);
        let element = |i: usize| results.get(i).copied().unwrap_or(f64::NAN);
        let arg = |i: usize| args.get(i).copied().unwrap_or(f64::NAN);
        match self {
            Expr::Arg(i) => arg(*i),
            Expr::Result => element(0),
            Expr::Element(i) => element(*i),
            Expr::Const(c) => *c,
            Expr::IntOffset(i, offset) => arg(*i) + *offset as f64,
            Expr::IntConst(c) => *c as f64,
            Expr::Neg(a) => -of(a),
            Expr::Add(a, b) => of(a) + of(b),
            Expr::Sub(a, b) => of(a) - of(b),
            Expr::Mul(a, b) => of(a) * of(b),
            Expr::Div(a, b) => of(a) / of(b),
            Expr::Call(name, operands) => {
                let values: Vec<f64> = operands.iter().map(of).collect();
                libm::call(name, &values).unwrap_or(f64::NAN)
            }
            Expr::Select(cmp, a, b, c, d) => {
                if cmp.holds(of(a), of(b)) {
                    of(c)
                } else {
                    of(d)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_ordered() {
        for cmp in [Cmp::Lt, Cmp::Le, Cmp::Eq, Cmp::Gt, Cmp::Ge, Cmp::Ne] {
            assert!(!cmp.holds(f64::NAN, 1.0) && !cmp.holds(1.0, f64::NAN), "{cmp:?}");
        }
        assert!(Cmp::Ne.holds(1.0, 2.0) && !Cmp::Ne.holds(0.0, -0.0));
    }

    #[test]
    fn reads_are_found_below_calls_and_selects() {
        let deep = Expr::Select(
            Cmp::Eq,
            Box::new(Expr::Const(0.0)),
            Box::new(Expr::Const(1.0)),
            Box::new(Expr::Call("jn", vec![Expr::IntOffset(0, 1), Expr::Result])),
            Box::new(Expr::Neg(Box::new(Expr::Arg(2)))),
        );
        assert!(deep.uses_result() && deep.uses_arg(0) && deep.uses_arg(2) && !deep.uses_arg(1));
    }

    #[test]
    fn parts_are_replaced_wherever_they_stand() {
        let cosine = || Expr::Call("cos", vec![Expr::Arg(0)]);
        let around = |e: Expr| {
            let negative = Expr::Neg(Box::new(Expr::Div(Box::new(e), Box::new(Expr::Result))));
            Expr::Call("exp", vec![Expr::Mul(Box::new(negative), Box::new(Expr::Arg(0)))])
        };
        let with = |e: &Expr| (*e == cosine()).then_some(Expr::Arg(3));
        assert_eq!(around(cosine()).replaced(&with), around(Expr::Arg(3)));
        assert_eq!(around(Expr::Arg(1)).replaced(&with), around(Expr::Arg(1)));
    }

    #[test]
    fn an_unknown_function_or_index_evaluates_to_nan() {
        assert!(Expr::Call("no_such_function", vec![]).eval(&[], 0.0).is_nan());
        assert!(Expr::Arg(3).eval(&[1.0], 0.0).is_nan());
    }
}
