//! Statements.

use super::super::Is;
use super::super::lex::Kind;
use super::super::syntax::*;
use super::Parser;

impl Parser {
    /// The statements between braces.
    pub fn braced(&mut self) -> Is<Vec<Stmt>> {
        self.expect("{")?;
        let mut all = vec![];
        while !self.eat("}") {
            all.push(self.stmt()?);
        }
        Ok(all)
    }

    fn stmt(&mut self) -> Is<Stmt> {
        let start = self.token().start;
        let kind = self.stmt_kind()?;
        Ok(Stmt { kind, span: (start, self.end()) })
    }

    fn stmt_kind(&mut self) -> Is<StmtKind> {
        if self.is("{") {
            return Ok(StmtKind::Block(self.braced()?));
        }
        if self.eat(";") {
            return Ok(StmtKind::Empty);
        }
        let word = match &self.token().kind {
            Kind::Name(n) => n.clone(),
            _ => String::new(),
        };
        Ok(match word.as_str() {
            "if" => {
                self.at += 1;
                let c = self.condition()?;
                let yes = Box::new(self.stmt()?);
                let no = if self.eat_word("else") { Some(Box::new(self.stmt()?)) } else { None };
                StmtKind::If(c, yes, no)
            }
            "while" => {
                self.at += 1;
                StmtKind::While(self.condition()?, Box::new(self.stmt()?))
            }
            "do" => {
                self.at += 1;
                let body = Box::new(self.stmt()?);
                self.eat_word("while");
                let c = self.condition()?;
                self.expect(";")?;
                StmtKind::Do(body, c)
            }
            "for" => {
                self.at += 1;
                self.expect("(")?;
                let first = if self.eat(";") { None } else { Some(Box::new(self.stmt()?)) };
                let c = if self.is(";") { None } else { Some(self.expr()?) };
                self.expect(";")?;
                let step = if self.is(")") { None } else { Some(self.expr()?) };
                self.expect(")")?;
                StmtKind::For(first, c, step, Box::new(self.stmt()?))
            }
            "switch" => {
                self.at += 1;
                StmtKind::Switch(self.condition()?, self.braced()?)
            }
            "case" => {
                self.at += 1;
                let value = self.constant()?;
                self.expect(":")?;
                StmtKind::Case(Some(value))
            }
            "default" => {
                self.at += 1;
                self.expect(":")?;
                StmtKind::Case(None)
            }
            "break" => self.jump(StmtKind::Break)?,
            "continue" => self.jump(StmtKind::Continue)?,
            "return" => {
                self.at += 1;
                let e = if self.is(";") { None } else { Some(self.expr()?) };
                self.expect(";")?;
                StmtKind::Return(e)
            }
            _ if self.is_type(0) => StmtKind::Decl(self.declaration()?),
            _ => {
                let e = self.expr()?;
                self.expect(";")?;
                StmtKind::Expr(e)
            }
        })
    }

    fn jump(&mut self, kind: StmtKind) -> Is<StmtKind> {
        self.at += 1;
        self.expect(";")?;
        Ok(kind)
    }

    fn condition(&mut self) -> Is<Expr> {
        self.expect("(")?;
        let e = self.expr()?;
        self.expect(")")?;
        Ok(e)
    }

    fn declaration(&mut self) -> Is<Vec<Decl>> {
        if self.is_word("static") {
            return super::reject("static in a function");
        }
        let (base, _) = self.specifiers()?;
        let mut all = vec![];
        while !self.eat(";") {
            let (name, ty, _) = self.declarator(base.clone())?;
            all.push(self.initialised(name, ty)?);
            if !self.is(";") {
                self.expect(",")?;
            }
        }
        Ok(all)
    }
}
