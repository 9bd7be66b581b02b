//! Reductions of programs that are text: statements, members of the file and branches are cut out of
//! it where the tree says that they are.

use crate::ast::Program;
use crate::c;
use crate::c::syntax::{Span, Stmt, StmtKind};

/// The program after reduction `number`; `None` past the last.
pub fn reduced(program: &Program, number: usize) -> Option<Program> {
    let text = program.text.as_ref()?;
    let unit = c::parse(text).ok()?;
    // What is cut out, and what comes in its place.
    let mut cuts: Vec<(Span, String)> = vec![];
    let mut functions: Vec<_> = unit.functions.values().collect();
    functions.sort_by_key(|f| f.body.first().map(|s| s.span.0));
    let mut add = |span, with: &str| cuts.push((span, with.to_string()));
    unit.items.iter().rev().for_each(|span| add(*span, ""));
    unit.members.iter().rev().for_each(|span| add(*span, ""));
    for f in functions.iter().rev() {
        halves(&f.body, &mut add);
        f.body.iter().rev().for_each(|s| pieces(s, text, &mut add));
    }
    // A call of a helper becomes a number.
    for (at, _) in text.match_indices("= @go").chain(text.match_indices("= tanh(@go")) {
        let end = text[at..].find(';')? + at;
        add((at, end), "= 0.5");
    }
    let ((start, end), with) = cuts.into_iter().nth(number)?;
    let text = format!("{}{with}{}", &text[..start], &text[end..]);
    let is_kept = |line: &&str| !line.trim().is_empty() && !line.starts_with("/*");
    let text: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    Some(Program { text: Some(text), ..program.clone() })
}

/// Large pieces of a body first.
fn halves(body: &[Stmt], add: &mut impl FnMut(Span, &str)) {
    let n = body.len();
    if n > 3 {
        add((body[0].span.0, body[n / 2].span.1), "");
        add((body[n / 2].span.0, body[n - 1].span.1), "");
    }
}

fn pieces(s: &Stmt, text: &str, add: &mut impl FnMut(Span, &str)) {
    add(s.span, "");
    let of = |s: &Stmt| text[s.span.0..s.span.1].to_string();
    let mut inner: Vec<&Stmt> = vec![];
    match &s.kind {
        StmtKind::Block(b) | StmtKind::Switch(_, b) => {
            halves(b, add);
            if let [one] = &b[..] {
                add(s.span, &of(one));
            }
            inner.extend(b);
        }
        StmtKind::If(_, yes, no) => {
            if let Some(no) = no {
                add((yes.span.1, no.span.1), "");
            }
            inner.extend(std::iter::once(&**yes).chain(no.as_deref()));
        }
        StmtKind::While(_, body) | StmtKind::Do(body, _) | StmtKind::For(.., body) => {
            inner.push(body)
        }
        _ => {}
    }
    if !matches!(s.kind, StmtKind::Block(_) | StmtKind::Switch(..)) {
        inner.iter().for_each(|s0| add(s.span, &of(s0)));
    }
    inner.iter().rev().for_each(|s| pieces(s, text, add));
}
