//! The rooms of this crate are layers: a module of a lower one names none of a higher one.
//!
//! Read are the paths in code that is not a test: in `use` declarations, and where they stand in
//! expressions and types. Comments, strings and modules under `#[cfg(test)]` are left out.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The layers, lowest first. The longest entry that a module's path begins with counts.
const LAYERS: &[&[&str]] = &[
    &["machine"],
    &["error", "Error"],
    &["process"],
    &["rules"],
    &["memory"],
    &["recording"],
    &["models"],
    &["translate::mode", "translate::instruction", "translate::assembler", "translate"],
    &["translate::emit"],
    &["translate::block", "translate::code_memory", "translate::natives", "translate::stubs"],
    &["translate::slow_path"],
    &["translate::translation"],
    &["translate::engine"],
    &["call"],
];

/// The layer of a path from the crate's root; none of the root itself.
fn layer(path: &[String]) -> Option<usize> {
    let begins = |module: &str| {
        let parts: Vec<&str> = module.split("::").collect();
        (parts.len() <= path.len() && parts.iter().zip(path).all(|(a, b)| a == b))
            .then_some(parts.len())
    };
    LAYERS
        .iter()
        .enumerate()
        .flat_map(|(k, modules)| modules.iter().filter_map(move |m| Some((begins(m)?, k))))
        .max()
        .map(|(_, k)| k)
}

/// The same text with spaces in place of comments, strings and characters, so that places stay.
fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut blank = |from: usize, to: usize| {
        code[from..to].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
    };
    let find = |from: usize, what: &str| {
        text[from..].find(what).map_or(text.len(), |at| from + at + what.len())
    };
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => find(at, "\n"),
            [b'/', b'*', ..] => find(at, "*/"),
            [b'r', b'"', ..] => find(at + 2, "\""),
            [b'r', b'#', b'"', ..] => find(at + 3, "\"#"),
            [b'"', ..] => {
                let mut end = at + 1;
                while end < bytes.len() && bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                (end + 1).min(bytes.len())
            }
            [b'\'', b'\\', _, ..] => find(at + 3, "'"),
            [b'\'', _, b'\'', ..] => at + 3,
            _ => {
                at += 1;
                continue;
            }
        };
        blank(at, end);
        at = end;
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// The same code without modules of tests.
fn without_tests(code: &str) -> String {
    let mut code = code.to_owned();
    while let Some(from) = code.find("#[cfg(test)]") {
        let end = end_of_item(&code, from + "#[cfg(test)]".len());
        let blank: String =
            code[from..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        code.replace_range(from..end, &blank);
    }
    code
}

/// Where an item ends: with its semicolon, or with the brace that closes it.
fn end_of_item(code: &str, from: usize) -> usize {
    let mut depth = 0;
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return from + at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return from + at + 1,
            _ => {}
        }
    }
    code.len()
}

/// A path in code, and where it stands.
struct Named {
    at: usize,
    path: Vec<String>,
}

/// All paths that begin with `crate`, `super` or `self`, with each leaf of a tree in braces.
fn paths(code: &str) -> Vec<Named> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut all = Vec::new();
    for root in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(root) {
            let is_word = !code[..at].ends_with(|c: char| is_part(c) || c == ':')
                && !code[..at].ends_with('$');
            let is_macro = code[..at].ends_with('$');
            if (is_word || is_macro && root == "crate") && code[at + root.len()..].starts_with("::")
            {
                let mut tree = Tree { code, at, all: &mut all };
                tree.read(at, Vec::new());
            }
        }
    }
    all
}

/// Reads the tree of a path.
struct Tree<'a> {
    code: &'a str,
    at: usize,
    all: &'a mut Vec<Named>,
}

impl Tree<'_> {
    fn skip_space(&self, mut at: usize) -> usize {
        while self.code[at..].starts_with(char::is_whitespace) {
            at += 1;
        }
        at
    }

    /// Reads what goes on behind a prefix; returns where it ends.
    fn read(&mut self, from: usize, mut prefix: Vec<String>) -> usize {
        let mut at = self.skip_space(from);
        if self.code[at..].starts_with('{') {
            at += 1;
            loop {
                at = self.skip_space(at);
                match self.code[at..].chars().next() {
                    Some(',') => at += 1,
                    Some('}') => return at + 1,
                    Some(c) if c.is_alphanumeric() || c == '_' || c == '*' || c == '{' => {
                        at = self.read(at, prefix.clone());
                    }
                    _ => return at,
                }
            }
        }
        let rest = &self.code[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let part = &rest[..end];
        // `a::b::{self}` is `a::b`; `a::<T>` and `a::*` end the path.
        if !part.is_empty() && (part != "self" || prefix.is_empty()) {
            prefix.push(part.to_owned());
        }
        at += end;
        if self.code[at..].starts_with("::") && !part.is_empty() {
            return self.read(at + 2, prefix);
        }
        if self.code[at..].starts_with('*') {
            at += 1;
        }
        if let Some(rest) = self.code[at..].strip_prefix(" as ") {
            at += 4 + rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        }
        self.all.push(Named { at: self.at, path: prefix });
        at
    }
}

/// The module whose body a place is in: of the file, or of a module that is written out in it.
fn module_at(code: &str, at: usize, file: &[String]) -> Vec<String> {
    let mut module = file.to_vec();
    for (from, _) in code[..at].match_indices("mod ") {
        let rest = &code[from + 4..];
        let Some((name, _)) = rest.split_once(" {") else { continue };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && at < end_of_item(code, from) {
            module.push(name.to_owned());
        }
    }
    module
}

/// A path from the crate's root, of one that is named in a module.
fn resolved(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut at = module.to_vec();
    let mut parts = path.iter().peekable();
    if path.first()? == "crate" {
        at.clear();
        parts.next();
    }
    while let Some(part) = parts.next_if(|p| *p == "super" || *p == "self") {
        if part == "super" {
            at.pop()?;
        }
    }
    at.extend(parts.cloned());
    Some(at)
}

/// What a module names of higher layers, as lines of a report.
fn violations(file: &str, module: &[String], text: &str) -> BTreeSet<(usize, String)> {
    let code = without_tests(&code_of(text));
    let mut found = BTreeSet::new();
    for named in paths(&code) {
        let from = module_at(&code, named.at, module);
        let Some(to) = resolved(&from, &named.path) else { continue };
        if let (Some(own), Some(other)) = (layer(&from), layer(&to))
            && other > own
        {
            let line = code[..named.at].matches('\n').count() + 1;
            let (from, to) = (from.join("::"), to.join("::"));
            found.insert((line, format!("{file}:{line}: {from} is below {to}")));
        }
    }
    found
}

/// The module of a file, by its path below `src`.
fn module_of(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        file.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

fn sources(folder: &Path, to: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, to);
        } else if path.extension().is_some_and(|e| e == "rs") {
            to.push(path);
        }
    }
}

#[test]
fn no_module_names_one_of_a_higher_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut report = Vec::new();
    let mut met = BTreeSet::new();
    for path in &files {
        let module = module_of(path.strip_prefix(&root).expect("below src"));
        let text = fs::read_to_string(path).expect("a source");
        assert!(
            module.is_empty() || layer(&module).is_some(),
            "{}: {} is in no layer",
            path.display(),
            module.join("::")
        );
        met.extend(layer(&module));
        let file = format!("shadow/src/{}", path.strip_prefix(&root).expect("below src").display());
        report.extend(violations(&file, &module, &text).into_iter().map(|(_, line)| line));
    }
    assert_eq!(met.len(), LAYERS.len(), "a layer of the list has no module");
    assert!(report.is_empty(), "{} back edges:\n{}", report.len(), report.join("\n"));
}

#[cfg(test)]
mod made_up {
    use super::*;

    fn lines(module: &str, text: &str) -> Vec<usize> {
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        let found = violations("made_up.rs", &module, text);
        found.into_iter().map(|(line, _)| line).collect::<BTreeSet<_>>().into_iter().collect()
    }

    #[test]
    fn violations_are_found_wherever_they_stand() {
        assert_eq!(lines("memory::space", "use crate::call::thread;\n"), [1]);
        assert_eq!(
            lines("memory::space", "use crate::{\n    rules,\n    recording::{self, Segment},\n};"),
            [1]
        );
        assert_eq!(lines("memory::space", "fn f() {\n    crate::models::lookup(0)\n}"), [2]);
        assert_eq!(lines("memory::space", "use super::super::call;\n"), [1]);
        assert_eq!(lines("memory", "mod inner {\n    use super::super::call;\n}\n"), [2]);
        assert_eq!(lines("translate::emit::bits", "use super::super::slow_path::site;"), [1]);
        assert_eq!(
            lines("translate::assembler", "macro_rules! m { () => { $crate::call::X } }"),
            [1]
        );
    }

    #[test]
    fn what_is_allowed_is_not_reported() {
        assert!(lines("call::thread", "use crate::{memory, translate::engine};").is_empty());
        assert!(
            lines("memory::space", "use super::{Error, plan::*};\nuse self::inner::X;").is_empty()
        );
        assert!(lines("memory::space", "//! [`crate::call`]\n/* crate::call */\n").is_empty());
        assert!(
            lines("memory::space", "const T: &str = \"crate::call::X\"; // crate::call\n")
                .is_empty()
        );
        assert!(lines("memory::space", "const T: &str = r#\"crate::call\"#;").is_empty());
        let tests = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::call;\n}\n";
        assert!(lines("memory::space", tests).is_empty());
        assert_eq!(lines("memory::space", &format!("{tests}use crate::call;\n")), [6]);
    }
}
