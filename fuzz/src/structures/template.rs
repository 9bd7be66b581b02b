//! Idioms as templates: C with holes. `idioms/*.c` has them, by theme.
//!
//! - `//# NAME KIND [name]` begins one. Its entry is `@go$`, of the form that its kind says; `name`:
//!   the record must have a text.
//! - `@` begins names of the file, `$` ends those of an instance.
//! - `«a¦b»` is one of its parts, `%let NAME TEXT` a hole `$NAME` that is filled once.
//! - `$T` is the record type of the instance; `$real`, `$dbl`, `$int`, `$name` are members of it (a
//!   real, a `double`, an integer, a text), each time drawn anew.
//! - `$R(a, b)` and `$S(a)` are smooth expressions, `$C` a real constant, `$N(a,b)` an integer in a..b,
//!   `$q` how a helper is declared.

use super::records::Shape;
use crate::rng::Rng;

/// What the entry of an idiom is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `void @go$(struct T *a, int n)`.
    Records,
    /// `void @go$(double *x, int n)`.
    Reals,
    /// `double @go$(const double *x, int n)`.
    Value,
    /// `double @go$(double x, double y)`.
    Number,
}

impl Kind {
    /// What the entry gives.
    pub fn result(self) -> &'static str {
        match self {
            Kind::Records | Kind::Reals => "void",
            Kind::Value | Kind::Number => "double",
        }
    }
}

/// An idiom.
#[derive(Clone, Debug)]
pub struct Template {
    /// Stands in front of its instances.
    pub name: &'static str,
    /// Of its entry.
    pub kind: Kind,
    /// Whether its record needs a text.
    pub needs_name: bool,
    text: &'static str,
}

const FILES: &[&str] = &[
    include_str!("idioms/containers.c"),
    include_str!("idioms/lists.c"),
    include_str!("idioms/objects.c"),
    include_str!("idioms/pointers.c"),
    include_str!("idioms/records.c"),
    include_str!("idioms/tables.c"),
    include_str!("idioms/trees.c"),
    include_str!("idioms/unions.c"),
];

/// All idioms.
pub fn all() -> Vec<Template> {
    FILES.iter().flat_map(|file| file.split("//# ").skip(1)).filter_map(template).collect()
}

fn template(part: &'static str) -> Option<Template> {
    let (head, text) = part.split_once('\n')?;
    let mut words = head.split_whitespace();
    let name = words.next()?;
    let kind = match words.next()? {
        "records" => Kind::Records,
        "reals" => Kind::Reals,
        "value" => Kind::Value,
        "number" => Kind::Number,
        _ => return None,
    };
    Some(Template { name, kind, needs_name: words.next() == Some("name"), text })
}

/// Fills holes.
pub struct Filler<'a> {
    /// Draws.
    pub rng: &'a mut Rng,
    /// The record type.
    pub shape: &'a Shape,
    /// The number of the instance.
    pub instance: usize,
    /// Functions of two reals that the file has, for `$R`.
    pub helpers: &'a [String],
}

/// Forms of `$R`.
const PAIRS: &[&str] = &[
    "0.5 * A + 0.25 * B", "A * 0.7 + sin(B)", "tanh(A) + 0.3 * B", "0.2 * A * B",
    "A / (1.5 + B * B)", "cos(A) * B", "exp(-A * A) + 0.5 * B", "sqrt(1 + A * A) - 0.1 * B",
    "A - 0.2 * B", "atan2(A, 2 + B * B)", "(A > B ? 0.5 * A : 0.3 * B)", "(A < 0.4 ? A * A : B)",
    "A + 0.1",
];
/// Forms of `$S`.
const SINGLES: &[&str] = &[
    "sin(A)", "cos(A)", "tanh(A)", "atan(A)", "0.9 * A", "A + 0.1", "A * A / (1 + A * A)",
    "log(1 + A * A)",
];
/// Forms of `$q`.
const HELPERS: &[&str] = &["static", "static", "static __attribute__((noinline))", "static inline"];

impl Filler<'_> {
    /// The idiom's text without holes.
    pub fn fill(&mut self, template: &Template) -> String {
        let (mut lets, mut rest): (Vec<(String, String)>, _) = (vec![], template.text);
        while let Some(line) = rest.strip_prefix("%let ") {
            let (line, after) = line.split_once('\n').unwrap_or((line, ""));
            let (name, text) = line.split_once(' ').unwrap_or((line, ""));
            let filled = self.expand(text, &lets);
            lets.push((name.to_string(), filled));
            rest = after;
        }
        self.expand(rest.trim_end(), &lets) + "\n"
    }

    fn expand(&mut self, text: &str, lets: &[(String, String)]) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find(['«', '$']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(inner) = rest.strip_prefix('«') {
                let (parts, after) = alternatives(inner);
                let part = *self.rng.pick(&parts);
                out.push_str(&self.expand(part, lets));
                rest = after;
                continue;
            }
            rest = &rest[1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let name =
                if rest.starts_with(|c: char| c.is_ascii_alphabetic()) { &rest[..end] } else { "" };
            rest = &rest[name.len()..];
            if let Some((_, filled)) = lets.iter().find(|(n, _)| n == name) {
                out.push_str(filled);
                continue;
            }
            let mut args = vec![];
            if matches!(name, "R" | "S" | "N") {
                let (list, after) = arguments(rest);
                args = list.iter().map(|a| self.expand(a, lets)).collect();
                rest = after;
            }
            out.push_str(&self.hole(name, &args));
        }
        out + rest
    }

    fn hole(&mut self, name: &str, args: &[String]) -> String {
        let rng = &mut *self.rng;
        let wrapped = |a: &String| if a.contains(' ') { format!("({a})") } else { a.clone() };
        match (name, args) {
            ("", _) => self.instance.to_string(),
            ("T", _) => self.shape.name.clone(),
            ("real", _) => rng.pick(&self.shape.reals).clone(),
            ("dbl", _) => rng.pick(&self.shape.doubles).clone(),
            ("int", _) => rng.pick(&self.shape.ints).clone(),
            ("name", _) => self.shape.text.clone().unwrap_or_default(),
            ("C", _) => format!("{:?}", rng.uniform(0.2, 1.8)),
            ("q", _) => rng.pick(HELPERS).to_string(),
            ("N", [a, b]) => {
                rng.range(a.trim().parse().unwrap_or(0), b.trim().parse().unwrap_or(1)).to_string()
            }
            ("R", [a, b]) => {
                if !self.helpers.is_empty() && rng.chance(15) {
                    return format!("{}({a}, {b})", rng.pick(self.helpers));
                }
                let form = *rng.pick(PAIRS);
                let filled = form.replace('A', "\u{1}").replace('B', "\u{2}");
                let filled = filled.replace('\u{1}', &wrapped(a)).replace('\u{2}', &wrapped(b));
                format!("({filled})")
            }
            ("S", [a]) => {
                let filled = rng.pick(SINGLES).replace('A', "\u{1}").replace('\u{1}', &wrapped(a));
                format!("({filled})")
            }
            _ => panic!("a template has a hole ${name}"),
        }
    }
}

/// The parts up to the closing bracket, and what is behind it.
fn alternatives(text: &str) -> (Vec<&str>, &str) {
    let (mut depth, mut start, mut parts) = (0, 0, vec![]);
    for (i, c) in text.char_indices() {
        match c {
            '«' => depth += 1,
            '»' if depth > 0 => depth -= 1,
            '»' => {
                parts.push(&text[start..i]);
                return (parts, &text[i + c.len_utf8()..]);
            }
            '¦' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    panic!("a template has an open bracket: {text}")
}

/// The arguments between round brackets, and what is behind them.
fn arguments(text: &str) -> (Vec<&str>, &str) {
    let (mut depth, mut start, mut all) = (0, 1, vec![]);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 1 => {
                all.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
        if depth == 0 {
            all.push(text[start..i].trim());
            return (all, &text[i + 1..]);
        }
    }
    panic!("a template has an open bracket: {text}")
}
