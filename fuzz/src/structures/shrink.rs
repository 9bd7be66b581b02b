//! Reductions of programs that are text: statements, members, definitions and branches are cut out
//! where the tree says that they are.

use crate::ast::Program;
use crate::c;
use crate::c::syntax::{Span, Stmt, StmtKind};

/// What is cut out, in order, and what stands in place of the first.
type Cut = (Vec<Span>, String);

/// The program after reduction `number`; `None` past the last.
pub fn reduced(program: &Program, number: usize) -> Option<Program> {
    let text = program.text.as_ref()?;
    let unit = c::parse(text).ok()?;
    let mut functions: Vec<_> = unit.functions.values().collect();
    functions.sort_by_key(|f| f.body.first().map(|s| s.span.0));
    let mut cutter = Cutter { text, cuts: vec![] };
    unit.items.iter().chain(&unit.members).rev().for_each(|span| cutter.add(*span, ""));
    functions.iter().rev().for_each(|f| cutter.body(&f.body));
    let (spans, with) = cutter.cuts.into_iter().nth(number)?;
    let (mut left, mut at) = (String::new(), 0);
    for (i, (start, end)) in spans.into_iter().enumerate() {
        left.push_str(&text[at..start]);
        left.push_str(if i == 0 { &with } else { "" });
        at = end;
    }
    left.push_str(&text[at..]);
    let is_kept = |line: &&str| !line.trim().is_empty() && !line.starts_with("/*");
    let left: String = left.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    Some(Program { text: Some(left), ..program.clone() })
}

struct Cutter<'t> {
    text: &'t str,
    cuts: Vec<Cut>,
}

impl Cutter<'_> {
    fn add(&mut self, span: Span, with: &str) {
        self.cuts.push((vec![span], with.to_string()));
    }

    /// Large pieces first; then each variable with all that names it, then each statement.
    fn body(&mut self, body: &[Stmt]) {
        let n = body.len();
        if n > 3 {
            self.add((body[0].span.0, body[n / 2].span.1), "");
            self.add((body[n / 2].span.0, body[n - 1].span.1), "");
        }
        for s in body {
            if let StmtKind::Decl(decls) = &s.kind {
                let names = |s: &&Stmt| decls.iter().any(|d| self.names(s.span, &d.name));
                let spans: Vec<Span> = body.iter().filter(names).map(|s| s.span).collect();
                self.cuts.push((spans, String::new()));
            }
        }
        body.iter().rev().for_each(|s| self.pieces(s));
    }

    /// Whether a name stands in a part of the text.
    fn names(&self, span: Span, name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '@';
        self.text[span.0..span.1].split(|c| !is_part(c)).any(|word| word == name)
    }

    fn pieces(&mut self, s: &Stmt) {
        self.add(s.span, "");
        let text = self.text;
        let of = |s: &Stmt| &text[s.span.0..s.span.1];
        let mut inner: Vec<&Stmt> = vec![];
        match &s.kind {
            StmtKind::Block(b) | StmtKind::Switch(_, b) => {
                if let [one] = &b[..] {
                    self.add(s.span, of(one));
                }
                return self.body(b);
            }
            StmtKind::If(_, yes, no) => {
                if let Some(no) = no {
                    self.add((yes.span.1, no.span.1), "");
                }
                inner.extend(std::iter::once(&**yes).chain(no.as_deref()));
            }
            StmtKind::While(_, body) | StmtKind::Do(body, _) | StmtKind::For(.., body) => {
                inner.push(body)
            }
            _ => {}
        }
        inner.iter().for_each(|part| self.add(s.span, of(part)));
        inner.iter().rev().for_each(|part| self.pieces(part));
    }
}
