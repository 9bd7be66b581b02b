//! Expressions and initialisers.

use super::super::lex::Kind;
use super::super::syntax::*;
use super::super::types::{INT, Int, SIZE};
use super::super::{Is, reject};
use super::Parser;
use crate::ast::Real;

/// Binary operators from loose to tight. The first two are `||` and `&&`.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[],
    &[],
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("==", Binary::Eq), ("!=", Binary::Ne)],
    &[("<", Binary::Lt), ("<=", Binary::Le), (">", Binary::Gt), (">=", Binary::Ge)],
    &[("<<", Binary::Shl), (">>", Binary::Shr)],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[("*", Binary::Mul), ("/", Binary::Div), ("%", Binary::Mod)],
];

const ASSIGNMENTS: &[(&str, Option<Binary>)] = &[
    ("=", None),
    ("+=", Some(Binary::Add)),
    ("-=", Some(Binary::Sub)),
    ("*=", Some(Binary::Mul)),
    ("/=", Some(Binary::Div)),
    ("%=", Some(Binary::Mod)),
    ("&=", Some(Binary::And)),
    ("|=", Some(Binary::Or)),
    ("^=", Some(Binary::Xor)),
    ("<<=", Some(Binary::Shl)),
    (">>=", Some(Binary::Shr)),
];

impl Parser {
    pub fn expr(&mut self) -> Is<Expr> {
        let mut e = self.assignment()?;
        while self.eat(",") {
            e = Expr::Comma(Box::new(e), Box::new(self.assignment()?));
        }
        Ok(e)
    }

    pub fn assignment(&mut self) -> Is<Expr> {
        let to = self.conditional()?;
        for (mark, op) in ASSIGNMENTS {
            if self.eat(mark) {
                return Ok(Expr::Assign(*op, Box::new(to), Box::new(self.assignment()?)));
            }
        }
        Ok(to)
    }

    fn conditional(&mut self) -> Is<Expr> {
        let c = self.binary(0)?;
        if !self.eat("?") {
            return Ok(c);
        }
        let yes = self.expr()?;
        self.expect(":")?;
        let no = self.conditional()?;
        Ok(Expr::Cond(Box::new(c), Box::new(yes), Box::new(no)))
    }

    fn binary(&mut self, level: usize) -> Is<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            if level == 0 && self.eat("||") {
                left = Expr::Any(Box::new(left), Box::new(self.binary(level + 1)?));
            } else if level == 1 && self.eat("&&") {
                left = Expr::All(Box::new(left), Box::new(self.binary(level + 1)?));
            } else if let Some((_, op)) = operators.iter().find(|(mark, _)| self.is(mark)) {
                self.at += 1;
                left = Expr::Binary(*op, Box::new(left), Box::new(self.binary(level + 1)?));
            } else {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Is<Expr> {
        if self.is("(") && self.is_type(1) {
            self.at += 1;
            let ty = self.type_name()?;
            self.expect(")")?;
            if self.is("{") {
                let init = self.initialiser()?;
                return self.postfix(Expr::Compound(ty, Box::new(init)));
            }
            return Ok(Expr::Cast(ty, Box::new(self.unary()?)));
        }
        if self.eat_word("sizeof") {
            if self.is("(") && self.is_type(1) {
                self.at += 1;
                let ty = self.type_name()?;
                self.expect(")")?;
                return Ok(Expr::SizeOfType(ty));
            }
            return Ok(Expr::SizeOf(Box::new(self.unary()?)));
        }
        for (mark, op) in [("-", Unary::Minus), ("!", Unary::Not), ("~", Unary::Flip)] {
            if self.eat(mark) {
                return Ok(Expr::Unary(op, Box::new(self.unary()?)));
            }
        }
        for (mark, by) in [("++", 1), ("--", -1)] {
            if self.eat(mark) {
                return Ok(Expr::Step(Box::new(self.unary()?), by, false));
            }
        }
        if self.eat("*") {
            return Ok(Expr::Deref(Box::new(self.unary()?)));
        }
        if self.eat("&") {
            return Ok(Expr::Address(Box::new(self.unary()?)));
        }
        if self.eat("+") {
            return self.unary();
        }
        let e = self.primary()?;
        self.postfix(e)
    }

    fn postfix(&mut self, mut e: Expr) -> Is<Expr> {
        loop {
            e = if self.eat("[") {
                let i = self.expr()?;
                self.expect("]")?;
                Expr::Deref(Box::new(Expr::Binary(Binary::Add, Box::new(e), Box::new(i))))
            } else if self.eat(".") {
                Expr::Member(Box::new(e), self.name()?)
            } else if self.eat("->") {
                Expr::Member(Box::new(Expr::Deref(Box::new(e))), self.name()?)
            } else if self.eat("++") {
                Expr::Step(Box::new(e), 1, true)
            } else if self.eat("--") {
                Expr::Step(Box::new(e), -1, true)
            } else if self.eat("(") {
                let mut args = vec![];
                while !self.eat(")") {
                    args.push(self.assignment()?);
                    self.eat(",");
                }
                Expr::Call(Box::new(e), args)
            } else {
                return Ok(e);
            }
        }
    }

    fn primary(&mut self) -> Is<Expr> {
        if self.eat("(") {
            let e = self.expr()?;
            self.expect(")")?;
            return Ok(e);
        }
        let kind = self.token().kind.clone();
        self.at += 1;
        Ok(match kind {
            Kind::Int(v, is_unsigned, is_long) => {
                let bits = if is_long { 64 } else { INT.bits };
                Expr::Int(v, Int { bits, is_signed: !is_unsigned })
            }
            Kind::Real(v, is_single) => {
                Expr::Real(v, if is_single { Real::F32 } else { Real::F64 })
            }
            Kind::Text(text) => Expr::Text(text),
            Kind::Name(n) if n == "NULL" => {
                Expr::Cast(super::super::types::Type::Void.pointer(), Box::new(Expr::Int(0, INT)))
            }
            Kind::Name(n) if n == "offsetof" => {
                self.expect("(")?;
                let ty = self.type_name()?;
                self.expect(",")?;
                let mut path = vec![self.name()?];
                while self.eat(".") {
                    path.push(self.name()?);
                }
                self.expect(")")?;
                Expr::OffsetOf(ty, path)
            }
            Kind::Name(n) => match self.constants.get(&n) {
                Some(v) => Expr::Int(*v, INT),
                None => Expr::Name(n),
            },
            _ => return reject("no expression"),
        })
    }

    /// An integer that is known here.
    pub fn constant(&mut self) -> Is<i128> {
        let e = self.conditional()?;
        self.folded(&e)
    }

    fn folded(&self, e: &Expr) -> Is<i128> {
        Ok(match e {
            Expr::Int(v, _) => *v,
            Expr::SizeOfType(ty) => SIZE.wrap(self.unit.records.size(ty)? as i128),
            Expr::Unary(Unary::Minus, a) => -self.folded(a)?,
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.folded(a)?, self.folded(b)?);
                match op {
                    Binary::Add => a + b,
                    Binary::Sub => a - b,
                    Binary::Mul => a * b,
                    Binary::Div if b != 0 => a / b,
                    _ => return reject("constant"),
                }
            }
            _ => return reject("no constant"),
        })
    }

    pub fn initialiser(&mut self) -> Is<Init> {
        if !self.eat("{") {
            return Ok(Init::Expr(self.assignment()?));
        }
        let mut list = vec![];
        while !self.eat("}") {
            let mut name = None;
            if self.eat(".") {
                name = Some(self.name()?);
                self.expect("=")?;
            }
            list.push((name, self.initialiser()?));
            self.eat(",");
        }
        Ok(Init::List(list))
    }
}
