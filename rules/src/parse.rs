//! Parser of the formula language in which the rule table is written.
//!
//! Signature: `x n:int p:ptr s:out -> r`. A bare name is a floating parameter; `int` an integer,
//! `ptr` a pointer through which no floating value is written, `out` one through which one is.
//! After the arrow: nothing there (no arrow) for void, `r` a float, `r:int` an integer; two
//! or more results are the elements of a returned struct.
//!
//! Output of a partial: none for the returned value, `*s` for what is stored through `s`, `#1` for
//! an element of a struct; `#1/y` with respect to `y` instead of the first floating parameter.
//!
//! Formula:
//! ```text
//! formula := (name '=' cond ';')* cond           local names, substituted
//! cond    := sum (cmp sum '?' cond ':' cond)?    cmp: < <= == > >= !=
//! sum     := term (('+'|'-') term)*
//! term    := unary (('*'|'/') unary)*
//! unary   := '-' unary | atom
//! atom    := number | name | name '(' cond (',' cond)* ')' | '(' cond ')'
//! ```
//! Names: parameters, results, local names, the constants `pi`, `ln2`, `ln10`, `two_rsqrtpi`
//! (2/sqrt(pi)), `min_double` and `min_float` (the smallest normal numbers). A called function must
//! be a row of the table; its signature says which of its arguments are integers, and there only
//! `n`, `n+1`, `n-1`, `2` and the like may stand.

use crate::{Cmp, Expr, ValueKind};
use std::collections::HashMap;

/// Parsed signature. Shapes: `names` and `params` have one entry per parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Signature {
    pub names: Vec<&'static str>,
    pub params: Vec<ValueKind>,
    /// Pointer parameters through which a floating value is written.
    pub float_pointees: Vec<usize>,
    /// Kinds of the results: none for void, several for a struct.
    pub results: Vec<ValueKind>,
    /// Their names in formulas.
    pub result_names: Vec<&'static str>,
}

/// Parses a signature. Error: what is wrong, with the text.
pub(crate) fn signature(text: &'static str) -> Result<Signature, String> {
    let mut sig = Signature::default();
    let (params, results) = match text.split_once("->") {
        Some((p, r)) => (p, r),
        None => (text, ""),
    };
    for word in params.split_whitespace() {
        let (name, kind) = word.split_once(':').unwrap_or((word, ""));
        match kind {
            "" => sig.params.push(ValueKind::Float),
            "int" => sig.params.push(ValueKind::Int),
            "ptr" => sig.params.push(ValueKind::Pointer),
            "out" => {
                sig.float_pointees.push(sig.params.len());
                sig.params.push(ValueKind::Pointer);
            }
            other => return Err(format!("unknown kind `{other}` in `{text}`")),
        }
        sig.names.push(name);
    }
    for word in results.split_whitespace() {
        let (name, kind) = word.split_once(':').unwrap_or((word, ""));
        sig.result_names.push(name);
        match kind {
            "" => sig.results.push(ValueKind::Float),
            "int" => sig.results.push(ValueKind::Int),
            other => return Err(format!("unknown kind `{other}` in `{text}`")),
        }
    }
    Ok(sig)
}

/// Parses a formula over the parameters of `sig`; `callees` holds the signatures of all rows.
/// Error: what is wrong, with the text.
pub(crate) fn formula(
    text: &'static str,
    sig: &Signature,
    callees: &HashMap<&'static str, Signature>,
) -> Result<Expr, String> {
    let mut parser = Parser { text, at: 0, sig, callees, locals: HashMap::new() };
    parser.formula().map_err(|e| format!("{e}, at byte {} of `{text}`", parser.at))
}

struct Parser<'a> {
    text: &'static str,
    at: usize,
    sig: &'a Signature,
    callees: &'a HashMap<&'static str, Signature>,
    locals: HashMap<&'static str, Expr>,
}

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

impl Parser<'_> {
    fn rest(&self) -> &'static str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Consumes `token` if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("expected `{token}`")) }
    }

    /// A name, when one comes next.
    fn name(&mut self) -> Option<&'static str> {
        self.skip_space();
        let rest = self.rest();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let name = &rest[..len];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += len;
        Some(name)
    }

    fn formula(&mut self) -> Result<Expr, String> {
        loop {
            let start = self.at;
            if let Some(name) = self.name()
                && self.eat("=")
                && !self.rest().starts_with('=')
            {
                let value = self.cond()?;
                self.expect(";")?;
                self.locals.insert(name, value);
            } else {
                self.at = start;
                break;
            }
        }
        let value = self.cond()?;
        self.skip_space();
        if self.rest().is_empty() { Ok(value) } else { Err("unexpected text".into()) }
    }

    fn cond(&mut self) -> Result<Expr, String> {
        let a = self.sum()?;
        const COMPARISONS: [(&str, Cmp); 6] = [
            ("<=", Cmp::Le),
            (">=", Cmp::Ge),
            ("==", Cmp::Eq),
            ("!=", Cmp::Ne),
            ("<", Cmp::Lt),
            (">", Cmp::Gt),
        ];
        let Some((_, cmp)) = COMPARISONS.into_iter().find(|(token, _)| self.eat(token)) else {
            return Ok(a);
        };
        let b = self.sum()?;
        self.expect("?")?;
        let c = self.cond()?;
        self.expect(":")?;
        let d = self.cond()?;
        Ok(Expr::Select(cmp, boxed(a), boxed(b), boxed(c), boxed(d)))
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let mut a = self.term()?;
        loop {
            if self.eat("+") {
                a = Expr::Add(boxed(a), boxed(self.term()?));
            } else if self.eat("-") {
                a = Expr::Sub(boxed(a), boxed(self.term()?));
            } else {
                return Ok(a);
            }
        }
    }

    fn term(&mut self) -> Result<Expr, String> {
        let mut a = self.unary()?;
        loop {
            if self.eat("*") {
                a = Expr::Mul(boxed(a), boxed(self.unary()?));
            } else if self.eat("/") {
                a = Expr::Div(boxed(a), boxed(self.unary()?));
            } else {
                return Ok(a);
            }
        }
    }

    fn unary(&mut self) -> Result<Expr, String> {
        if self.eat("-") {
            return Ok(match self.unary()? {
                Expr::Const(c) => Expr::Const(-c),
                e => Expr::Neg(boxed(e)),
            });
        }
        self.atom()
    }

    fn atom(&mut self) -> Result<Expr, String> {
        if self.eat("(") {
            let inner = self.cond()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if let Some(name) = self.name() {
            return if self.eat("(") { self.call(name) } else { self.variable(name) };
        }
        self.number()
    }

    fn number(&mut self) -> Result<Expr, String> {
        self.skip_space();
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let value = rest[..len].parse().map_err(|_| "expected a value".to_string())?;
        self.at += len;
        Ok(Expr::Const(value))
    }

    fn variable(&mut self, name: &'static str) -> Result<Expr, String> {
        // Two doubles each: the second is the constant minus the first.
        let exact = |hi, lo| Ok(Expr::Add(boxed(Expr::Const(hi)), boxed(Expr::Const(lo))));
        if let Some(value) = self.locals.get(name) {
            return Ok(value.clone());
        }
        if let Some(i) = self.sig.names.iter().position(|p| *p == name) {
            return match self.sig.params[i] {
                ValueKind::Float | ValueKind::Int => Ok(Expr::Arg(i)),
                ValueKind::Pointer => Err(format!("pointer `{name}` used as a value")),
            };
        }
        if let Some(i) = self.sig.result_names.iter().position(|r| *r == name)
            && self.sig.results[i] == ValueKind::Float
        {
            return Ok(if i == 0 { Expr::Result } else { Expr::Element(i) });
        }
        match name {
            "pi" => exact(std::f64::consts::PI, 1.224_646_799_147_353_2e-16),
            "ln2" => exact(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17),
            "ln10" => exact(std::f64::consts::LN_10, -2.170_756_223_382_249_4e-16),
            "two_rsqrtpi" => exact(std::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17),
            "min_double" => Ok(Expr::Const(f64::MIN_POSITIVE)),
            "min_float" => Ok(Expr::Const(f32::MIN_POSITIVE.into())),
            _ => Err(format!("unknown name `{name}`")),
        }
    }

    fn call(&mut self, name: &'static str) -> Result<Expr, String> {
        let callee = self.callees.get(name).ok_or(format!("`{name}` has no rule"))?;
        let mut args = Vec::new();
        loop {
            args.push(self.cond()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        if args.len() != callee.params.len() {
            return Err(format!("`{name}` takes {} arguments", callee.params.len()));
        }
        let args = std::iter::zip(args, &callee.params)
            .map(|(arg, kind)| match kind {
                ValueKind::Float => Ok(arg),
                ValueKind::Int => self.integer(arg),
                ValueKind::Pointer => Err(format!("`{name}` takes a pointer")),
            })
            .collect::<Result<_, _>>()?;
        Ok(Expr::Call(name, args))
    }

    /// Restates an expression that stands at an integer position.
    fn integer(&self, e: Expr) -> Result<Expr, String> {
        let is_int = |i: usize| self.sig.params[i] == ValueKind::Int;
        let whole = |c: f64| c.fract() == 0.0;
        let restated = match &e {
            Expr::Arg(i) if is_int(*i) => Some(Expr::Arg(*i)),
            Expr::Const(c) if whole(*c) => Some(Expr::IntConst(*c as i64)),
            Expr::Add(a, b) | Expr::Sub(a, b) => match (&**a, &**b) {
                (Expr::Arg(i), Expr::Const(c)) if is_int(*i) && whole(*c) => {
                    let minus = matches!(e, Expr::Sub(..));
                    Some(Expr::IntOffset(*i, if minus { -*c as i64 } else { *c as i64 }))
                }
                _ => None,
            },
            _ => None,
        };
        restated.ok_or_else(|| format!("{e:?} is not an integer parameter plus a constant"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(sig: &'static str, text: &'static str) -> Result<Expr, String> {
        let callees = [("jn", "n:int x -> r"), ("pow", "x y -> r"), ("modf", "x i:out -> r")]
            .map(|(name, sig)| (name, signature(sig).unwrap()));
        formula(text, &signature(sig).unwrap(), &HashMap::from(callees))
    }

    fn value(text: &'static str, args: &[f64]) -> f64 {
        parse("x y n:int -> r", text).unwrap().eval(args, 10.0)
    }

    #[test]
    fn precedence_and_associativity() {
        assert_eq!(value("1+2*x-y", &[3.0, 4.0]), 3.0);
        assert_eq!(value("8/2/2", &[]), 2.0);
        assert_eq!(value("8-2-2", &[]), 4.0);
        assert_eq!(value("-x*y", &[3.0, 4.0]), -12.0);
        assert_eq!(value("-(x-y)*r", &[3.0, 4.0]), 10.0);
        assert_eq!(value("- -x", &[3.0]), 3.0);
    }

    #[test]
    fn selects_chain_to_the_right() {
        let text = "x<y ? 1 : x==y ? 2 : 3";
        assert_eq!(value(text, &[1.0, 2.0]), 1.0);
        assert_eq!(value(text, &[2.0, 2.0]), 2.0);
        assert_eq!(value(text, &[3.0, 2.0]), 3.0);
        assert_eq!(value("x!=y ? 1 : 2", &[3.0, 2.0]), 1.0);
    }

    #[test]
    fn local_names_are_substituted() {
        let e = parse("x y -> r", "q = y/x; s = q*q; s+q").unwrap();
        assert_eq!(e.eval(&[2.0, 6.0], 0.0), 12.0);
        assert_eq!(value("x==y ? 1 : 2", &[3.0, 3.0]), 1.0);
    }

    #[test]
    fn integers_are_restated_at_integer_positions() {
        let sig = "n:int x -> r";
        let arg = |text| match parse(sig, text).unwrap() {
            Expr::Call("jn", args) => args[0].clone(),
            e => panic!("{e:?}"),
        };
        assert_eq!(arg("jn(n, x)"), Expr::Arg(0));
        assert_eq!(arg("jn(n-1, x)"), Expr::IntOffset(0, -1));
        assert_eq!(arg("jn(n+2, x)"), Expr::IntOffset(0, 2));
        assert_eq!(arg("jn(2, x)"), Expr::IntConst(2));
        assert!(parse(sig, "jn(x, x)").is_err());
        assert!(parse(sig, "jn(n*2, x)").is_err());
        assert!(parse(sig, "jn(0.5, x)").is_err());
    }

    #[test]
    fn constants_carry_their_remainder() {
        let Expr::Add(hi, lo) = parse("x -> r", "pi").unwrap() else { panic!() };
        assert_eq!(*hi, Expr::Const(std::f64::consts::PI));
        // sin(pi as a double) is what the double lacks.
        let lo = lo.as_const().unwrap();
        assert!((lo / std::f64::consts::PI.sin() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn mistakes_are_errors() {
        for text in [
            "", "x+", "z", "x y", "(x", "unknown(x)", "pow(x)", "modf(x, x)", "x<y ? 1", "1.2.3",
            "p",
        ] {
            assert!(parse("x y p:ptr -> r", text).is_err(), "{text}");
        }
        assert!(parse("x -> r:int", "r").is_err(), "an integer result is not a floating value");
        assert!(signature("x:double -> r").is_err());
        assert!(signature("x -> r:ptr").is_err());
    }

    #[test]
    fn signatures() {
        let s = signature("x s:out c:out").unwrap();
        assert_eq!(s.params, [ValueKind::Float, ValueKind::Pointer, ValueKind::Pointer]);
        assert_eq!((s.float_pointees, s.results), (vec![1, 2], vec![]));
        assert_eq!(signature("x -> m e:int").unwrap().results, [ValueKind::Float, ValueKind::Int]);
    }
}
