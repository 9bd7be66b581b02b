//! Statements.

use super::*;

impl<'u> Run<'u> {
    /// Statements in their own scope.
    pub(super) fn block(&mut self, all: &'u [Stmt]) -> Is<Flow> {
        let outer = self.scope.len();
        let flow = self.sequence(all)?;
        self.leave(outer)?;
        Ok(flow)
    }

    fn sequence(&mut self, all: &'u [Stmt]) -> Is<Flow> {
        for s in all {
            match self.stmt(s)? {
                Flow::Normal => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Normal)
    }

    fn stmt(&mut self, s: &'u Stmt) -> Is<Flow> {
        self.burn()?;
        match &s.kind {
            StmtKind::Empty | StmtKind::Case(_) => {}
            StmtKind::Expr(e) => drop(self.eval(e)?),
            StmtKind::Decl(decls) => {
                for d in decls {
                    let place = self.declare(&d.name, &d.ty)?;
                    if let Some(init) = &d.init {
                        self.initialise(&place, init)?;
                    }
                }
            }
            StmtKind::Block(b) => return self.block(b),
            StmtKind::If(c, yes, no) => {
                if self.condition(c)? {
                    return self.one(yes);
                } else if let Some(no) = no {
                    return self.one(no);
                }
            }
            StmtKind::While(c, body) => {
                while self.condition(c)? {
                    if let Some(out) = turn(self.one(body)?) {
                        return Ok(out);
                    }
                }
            }
            StmtKind::Do(body, c) => loop {
                if let Some(out) = turn(self.one(body)?) {
                    return Ok(out);
                }
                if !self.condition(c)? {
                    break;
                }
            },
            StmtKind::For(first, c, step, body) => {
                let outer = self.scope.len();
                if let Some(first) = first {
                    self.stmt(first)?;
                }
                let mut out = Flow::Normal;
                while c.as_ref().map_or(Ok(true), |c| self.condition(c))? {
                    if let Some(flow) = turn(self.one(body)?) {
                        out = flow;
                        break;
                    }
                    if let Some(step) = step {
                        self.eval(step)?;
                    }
                }
                self.leave(outer)?;
                return Ok(out);
            }
            StmtKind::Switch(e, body) => {
                let value = self.eval(e)?;
                let value = self.int(&value)?;
                let is = |v: Option<i128>| {
                    body.iter().position(|s| matches!(&s.kind, StmtKind::Case(c) if *c == v))
                };
                let Some(start) = is(Some(value)).or_else(|| is(None)) else {
                    return Ok(Flow::Normal);
                };
                return Ok(match self.block(&body[start..])? {
                    Flow::Break => Flow::Normal,
                    other => other,
                });
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return(None) => return Ok(Flow::Return(None)),
            StmtKind::Return(Some(e)) => {
                let value = self.eval(e)?;
                return Ok(Flow::Return(Some(value)));
            }
        }
        Ok(Flow::Normal)
    }

    /// A statement that is a scope by itself.
    fn one(&mut self, s: &'u Stmt) -> Is<Flow> {
        self.block(std::slice::from_ref(s))
    }
}

/// How a loop ends after its body ended so; `None` where it goes on.
fn turn(flow: Flow) -> Option<Flow> {
    match flow {
        Flow::Normal | Flow::Continue => None,
        Flow::Break => Some(Flow::Normal),
        out @ Flow::Return(_) => Some(out),
    }
}
