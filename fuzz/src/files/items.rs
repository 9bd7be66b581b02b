//! The items of a printed program: types, prototypes, variables and functions, as text.
//!
//! All names that a program has outside of its functions begin with its prefix; that is how the name of
//! an item is found.

use std::collections::BTreeSet;

/// What an item is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Kind {
    /// A type, or a line for the preprocessor.
    Type,
    Prototype,
    Variable,
    Function,
}

/// An item of a program.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its name; none for types.
    pub name: String,
    /// All of it.
    pub text: String,
    /// Whether it is declared in a way that cannot be declared again in another file.
    pub is_odd: bool,
}

/// The items of a text.
pub fn items(text: &str, prefix: &str) -> Vec<Item> {
    let mut all = vec![];
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest {
            line if line.starts_with('#') => line.find('\n').unwrap_or(line.len()),
            comment if comment.starts_with("/*") => {
                comment.find("*/").map_or(comment.len(), |at| at + 2)
            }
            _ => end_of(rest, prefix),
        };
        let (one, after) = rest.split_at(end);
        if !one.starts_with("/*") {
            all.push(item(one, prefix));
        }
        rest = after.trim_start();
    }
    all
}

/// Where the item ends that a text begins with.
fn end_of(text: &str, prefix: &str) -> usize {
    let (mut depth, mut is_function) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '{' if depth == 0 => {
                is_function = function_name(&text[..at], prefix).is_some();
                depth += 1;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (c == ';' || c == '}' && is_function) {
            return at + 1;
        }
    }
    text.len()
}

fn item(text: &str, prefix: &str) -> Item {
    let of = |kind, name: &str, is_odd| Item { kind, name: name.into(), text: text.into(), is_odd };
    let head = text.split('{').next().unwrap_or(text);
    if text.starts_with('#') || text.starts_with("typedef") || is_type(text) {
        return of(Kind::Type, "", false);
    }
    if let Some(name) = function_name(head, prefix) {
        let kind = if text.ends_with('}') { Kind::Function } else { Kind::Prototype };
        return of(kind, name, false);
    }
    let declared = declaration(text);
    let name = variable_name(declared, prefix);
    let is_odd = name.is_none() || declared.contains(['{', ',']) || declared.contains("[]");
    of(Kind::Variable, name.unwrap_or_default(), is_odd)
}

/// A variable without its initial value.
pub fn declaration(text: &str) -> &str {
    text.split('=').next().unwrap_or(text).trim_end().trim_end_matches(';')
}

/// Whether a text declares a struct, a union or an enumeration, and no variable.
fn is_type(text: &str) -> bool {
    let head = text.split('{').next().unwrap_or(text);
    let is_tagged = ["struct ", "union ", "enum "].iter().any(|word| text.starts_with(word));
    let behind = text.rsplit_once('}').map_or("", |(_, behind)| behind);
    is_tagged
        && !head.contains('=')
        && (behind.trim() == ";" || !text.contains('{') && text.split_whitespace().count() == 2)
}

/// The function that a head is of.
fn function_name<'t>(head: &'t str, prefix: &str) -> Option<&'t str> {
    let is_value = head.contains('=') || head.starts_with("typedef");
    let found = names(head, prefix).find(|(at, name)| head[at + name.len()..].starts_with('('));
    found.filter(|_| !is_value).map(|(_, name)| name)
}

fn variable_name<'t>(declared: &'t str, prefix: &str) -> Option<&'t str> {
    let is_tag = |at: usize| {
        ["struct", "union", "enum"].iter().any(|word| declared[..at].trim_end().ends_with(word))
    };
    let ends = |at: usize| declared[at..].is_empty() || declared[at..].starts_with(['[', ')']);
    names(declared, prefix).find(|(at, name)| !is_tag(*at) && ends(at + name.len())).map(|n| n.1)
}

/// The names with the prefix, and where they are.
pub fn names<'t>(text: &'t str, prefix: &str) -> impl Iterator<Item = (usize, &'t str)> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(prefix.to_string().as_str())
        .map(|(at, _)| at)
        .collect::<Vec<_>>()
        .into_iter()
        .filter(move |&at| !text[..at].ends_with(is_letter))
        .map(move |at| {
            let end = text[at..].find(|c| !is_letter(c)).map_or(text.len(), |n| at + n);
            (at, &text[at..end])
        })
}

/// The set of these names.
pub fn mentioned(text: &str, prefix: &str) -> BTreeSet<String> {
    names(text, prefix).map(|(_, name)| name.to_string()).collect()
}

/// The text with other names for some.
pub fn renamed(text: &str, prefix: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for (at, name) in names(text, prefix) {
        if let Some(new) = other(name) {
            out.push_str(&text[done..at]);
            out.push_str(&new);
            done = at + name.len();
        }
    }
    out + &text[done..]
}

/// The text of a declaration without words that say who sees it.
pub fn without_linkage(text: &str) -> String {
    let head = text.find('{').filter(|_| !text.contains('=')).unwrap_or(text.len());
    let (mut head, rest) = (text[..head].to_string(), &text[head..]);
    for word in ["static ", "inline ", "extern "] {
        // Not among the parameters.
        let end =
            head.find('(').filter(|_| !head.starts_with("__attribute__")).unwrap_or(head.len());
        if let Some(at) = head[..end].find(word) {
            head.replace_range(at..at + word.len(), "");
        }
    }
    head + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_kinds_and_names() {
        let text = "struct p1_s0 { double a; };\ntypedef double p1_F2(double);\n/* note */\n#define N 3\n\
                    static p1_F2 *const p1_k0[2] = {p1_h1, p1_h2};\nstatic double p1_h1(double v0);\n\
                    struct p1_s0 p1_h2(struct p1_s0 v0) { return v0; }\ndouble (*p1_h3(int n))[3] { return 0; }\n\
                    static struct p1_s0 p1_store[4];\nstatic double (*p1_at)(double);\n\
                    static struct { int a; } p1_odd;\nstruct p1_s0 p1_g0 = {1};\n__attribute__((noinline)) static void p1_h4(void) { ; }\n";
        let all = items(text, "p1_");
        let of = |kind| -> Vec<&str> {
            all.iter().filter(|i| i.kind == kind).map(|i| i.name.as_str()).collect()
        };
        assert_eq!(of(Kind::Type).len(), 3);
        assert_eq!(of(Kind::Prototype), ["p1_h1"]);
        assert_eq!(of(Kind::Function), ["p1_h2", "p1_h3", "p1_h4"]);
        assert_eq!(of(Kind::Variable), ["p1_k0", "p1_store", "p1_at", "p1_odd", "p1_g0"]);
        assert!(all.iter().all(|i| i.is_odd == (i.name == "p1_odd")));
    }

    #[test]
    fn linkage_is_taken_off_heads_only() {
        let text = "__attribute__((noinline)) static double p1_f(double a[static 3]) { static int n; return n; }";
        let left =
            "__attribute__((noinline)) double p1_f(double a[static 3]) { static int n; return n; }";
        assert_eq!(without_linkage(text), left);
        assert_eq!(without_linkage("static int p1_n = 3;"), "int p1_n = 3;");
        assert_eq!(
            renamed("p1_a + p1_ab(p1_a)", "p1_", |n| (n == "p1_a").then(|| "b".into())),
            "b + p1_ab(b)"
        );
    }
}
