//! Partial derivatives of library functions, written once, as data.
//!
//! A `Rule` says, for one function, which partial derivatives are not zero and what expressions
//! they are; whoever differentiates a call (tangent, adjoint, shadow runtime) turns the expressions
//! into code. `lookup` finds the rule of a linker symbol, `lookup_intrinsic` that of an LLVM
//! intrinsic, `refusal` why there is none. The rules themselves are lines of `table`, those of
//! complex functions of `complex`.
//!
//! ```
//! let sin = adrules::lookup("sinf").unwrap();
//! assert_eq!(sin.precision, adrules::Precision::F32);
//! let partial = sin.rule.partial(adrules::Output::Return, 0).unwrap();
//! assert_eq!(partial.eval(&[0.0], 0.0), 1.0);
//! ```
//!
//! A rule knows a function by name only. That the symbol is the library's and not the program's
//! own (`y1`, `gamma`) is for the caller to know: a function with a body needs no rule.

mod complex;
mod expr;
mod intrinsics;
mod libm;
mod names;
pub mod outside;
mod parse;
mod refused;
pub mod special;
mod table;

pub use expr::{Cmp, Expr};
pub use intrinsics::intrinsic;
pub use names::symbol;
pub use refused::{REFUSED, refusal};

use std::collections::HashMap;
use std::sync::OnceLock;

/// Floating type of a variant of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// `float`
    F32,
    /// `double`
    F64,
    /// `long double` (80 bits on x86)
    F80,
}

/// Kind of a parameter or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// A floating value.
    Float,
    /// An integer of whatever width.
    Int,
    /// A pointer.
    Pointer,
}

/// Which value of a call a partial is a partial of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// The returned value.
    Return,
    /// What is stored through pointer parameter i.
    Pointee(usize),
    /// Element i of the returned struct (`llvm.sincos`, `llvm.frexp`; real and imaginary part of a
    /// complex number).
    Element(usize),
}

/// What is known of one function.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Base name, that of the double variant, e.g. `sin`.
    pub name: &'static str,
    /// Kind of each parameter.
    pub params: Vec<ValueKind>,
    /// Name of each parameter in the formulas, for messages.
    pub param_names: Vec<&'static str>,
    /// Kind of the returned value; None for void (sincos) and for structs.
    pub result: Option<ValueKind>,
    /// Kinds of the elements of a returned struct; empty for everything else.
    pub elements: Vec<ValueKind>,
    /// d output / d parameter, only those that are not zero.
    pub partials: Vec<(Output, usize, Expr)>,
    /// Pointer parameters through which a floating value is written (modf, sincos): where no
    /// partial is listed, the derivative of what is stored is zero and must still be written.
    pub float_pointees: Vec<usize>,
    /// Partials may be infinite or NaN at points where the function has a value, or at a pole
    /// (sqrt, pow, log at 0), or where the result overflows (exp). Zero times such a partial must
    /// be zero.
    pub singular: bool,
}

impl Rule {
    /// Whether every derivative is zero: floor, lround, isnan.
    pub fn is_constant(&self) -> bool {
        self.partials.is_empty()
    }

    /// The partial of `out` with respect to parameter `param`; None when it is zero.
    pub fn partial(&self, out: Output, param: usize) -> Option<&Expr> {
        self.partials.iter().find(|(o, p, _)| (*o, *p) == (out, param)).map(|(.., e)| e)
    }

    /// The partials with respect to parameter `param`, with the output of each.
    pub fn partials_of(&self, param: usize) -> impl Iterator<Item = (Output, &Expr)> {
        self.partials.iter().filter(move |(_, p, _)| *p == param).map(|(o, _, e)| (*o, e))
    }

    /// Whether a partial with respect to parameter `wrt` reads the result of the call.
    pub fn uses_result(&self, wrt: usize) -> bool {
        self.partials_of(wrt).any(|(_, e)| e.uses_result())
    }

    /// Whether a partial with respect to parameter `wrt` reads parameter `arg`.
    pub fn uses_arg(&self, wrt: usize, arg: usize) -> bool {
        self.partials_of(wrt).any(|(_, e)| e.uses_arg(arg))
    }
}

/// The rule of a symbol, and which variant the symbol is.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// The rule.
    pub rule: &'static Rule,
    /// Type of the floating parameters.
    pub precision: Precision,
}

impl Match {
    /// Type of a floating result: that of the parameters, except for the narrowing functions
    /// (`fadd`, `daddl`). Partials are computed in the type of the parameters.
    pub fn result_precision(&self) -> Precision {
        names::narrowed(self.rule.name).unwrap_or(self.precision)
    }

    /// Type of floating parameter i: `precision`, except for the second parameter of
    /// `nexttoward`, which is a long double in every variant.
    pub fn param_precision(&self, i: usize) -> Precision {
        match (self.rule.name, i) {
            ("nexttoward", 1) => Precision::F80,
            _ => self.precision,
        }
    }
}

/// The rule of a linker symbol: `sin`, `sinf`, `sinl`, `__sin_finite`, `__powidf2`,
/// `_FortranAModReal4`, `cexpf`, `__mulxc3`. A complex parameter or result counts as two reals.
/// None when there is none; `refusal` may say why.
pub fn lookup(symbol: &str) -> Option<Match> {
    names::readings(symbol)
        .into_iter()
        .find_map(|(base, precision)| rule(&base).map(|rule| Match { rule, precision }))
}

/// The rule of an LLVM intrinsic, `llvm.sin.f64` or `llvm.sin`. The type suffixes are not
/// checked; that of a vector is as good. None for `llvm.experimental.constrained.*`.
pub fn lookup_intrinsic(name: &str) -> Option<&'static Rule> {
    intrinsics::base(name).and_then(rule)
}

/// The rule of a base name, one that `Expr::Call` or `Rule::name` holds.
pub fn rule(base: &str) -> Option<&'static Rule> {
    static INDEX: OnceLock<HashMap<&'static str, &'static Rule>> = OnceLock::new();
    INDEX.get_or_init(|| rules().iter().map(|r| (r.name, r)).collect()).get(base).copied()
}

/// All rules, in the order of the table.
pub fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| match parse_table(table::ROWS) {
        Ok(rules) => rules,
        // The table is a constant of this crate and its tests parse it.
        Err(mistake) => unreachable!("rule table: {mistake}"),
    })
}

/// Parses the rows. Error: the row and what is wrong with it.
fn parse_table(rows: &[table::Row]) -> Result<Vec<Rule>, String> {
    let mut signatures = HashMap::new();
    for row in rows {
        let signature =
            parse::signature(row.signature).map_err(|e| format!("{}: {e}", row.name))?;
        if signatures.insert(row.name, signature).is_some() {
            return Err(format!("{}: two rows", row.name));
        }
    }
    let mut rules = rows
        .iter()
        .map(|row| parse_row(row, &signatures).map_err(|e| format!("{}: {e}", row.name)))
        .collect::<Result<Vec<_>, _>>()?;
    rules.extend(complex::rules());
    Ok(rules)
}

fn parse_row(
    row: &table::Row,
    signatures: &HashMap<&'static str, parse::Signature>,
) -> Result<Rule, String> {
    let sig = &signatures[row.name];
    let floats: Vec<usize> =
        (0..sig.params.len()).filter(|&i| sig.params[i] == ValueKind::Float).collect();
    let mut partials = Vec::new();
    let mut returned = 0;
    for text in row.partials {
        let (out, param, formula) = if let Some((name, formula)) = text.split_once(": ")
            && let (name, wrt) = name.split_once('/').map_or((name, None), |(n, p)| (n, Some(p)))
            && let Some(out) = output(name, sig)
        {
            let param = match wrt {
                None => floats.first().copied(),
                Some(p) => floats.iter().copied().find(|&i| sig.names[i] == p),
            };
            (out, param.ok_or("no such floating parameter")?, formula)
        } else {
            let param = *floats.get(returned).ok_or("more partials than floating parameters")?;
            returned += 1;
            (Output::Return, param, *text)
        };
        let expr = parse::formula(formula, sig, signatures)?;
        if expr != Expr::Const(0.0) {
            partials.push((out, param, expr));
        }
    }
    if returned != 0 && returned != floats.len() {
        return Err("fewer partials than floating parameters".into());
    }
    let is_struct = sig.results.len() > 1;
    Ok(Rule {
        name: row.name,
        params: sig.params.clone(),
        param_names: sig.names.clone(),
        result: if is_struct { None } else { sig.results.first().copied() },
        elements: if is_struct { sig.results.clone() } else { vec![] },
        partials,
        float_pointees: sig.float_pointees.clone(),
        singular: row.singular,
    })
}

/// The output that the prefix of a partial names: `*s` or `#0`.
fn output(prefix: &str, sig: &parse::Signature) -> Option<Output> {
    if let Some(name) = prefix.strip_prefix('*') {
        let i = sig.names.iter().position(|n| *n == name)?;
        return sig.float_pointees.contains(&i).then_some(Output::Pointee(i));
    }
    let i: usize = prefix.strip_prefix('#')?.parse().ok()?;
    (sig.results.get(i) == Some(&ValueKind::Float)).then_some(Output::Element(i))
}
