//! Reads the names of Fortran dummy arguments from flang's HLFIR, as text.
//!
//! LLVM IR from flang has none. HLFIR has, at each definition,
//! `func.func @_QPf(%arg0: !fir.ref<f64> {fir.bindc_name = "x"}, …) -> T {`, and where the
//! attribute is missing (type-bound procedures), `hlfir.declare %arg0 … {uniq_name = "_QFfEx"}` in
//! the body.
//!
//! Names are listed by the position of the argument in LLVM IR, which differs from Fortran's: an
//! array, derived-type, allocatable or pointer result is a hidden first argument; a character
//! result is two (already explicit in HLFIR); lengths of character dummies follow at the end. What
//! the C calling convention may split over registers (derived types and complex numbers by value)
//! has no position that can be found here: the procedure is then [`Names::Unknown`]. Checked
//! against flang-22's output, at both levels, in the tests of [`crate::fortran`].

use std::collections::HashMap;

use crate::declarations;

/// From a returned value to the declaration of the result variable: load, rebox and the like.
const MAX_STEPS_TO_RESULT: usize = 6;

/// A procedure that a module defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Procedure {
    /// As flang calls it: `_QPf`, `_QMmPf`, or the binding name of `bind(c)`.
    pub name: String,
    /// By position in LLVM IR.
    pub names: Names,
    /// The result variable of a function that returns a number or an array.
    pub result: Option<String>,
    /// How an interface declares the arguments, by position in LLVM IR; see [`crate::declarations`].
    pub declarations: Vec<String>,
}

/// The names of a procedure's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// One per LLVM argument; empty where there is none.
    Known(Vec<String>),
    /// Positions are unknown, for this reason.
    Unknown(String),
}

impl Procedure {
    /// The linker symbol that flang gives: `_QPf` becomes `f_`, all else stays.
    pub fn symbol(&self, no_underscoring: bool) -> String {
        linker_symbol(&self.name, no_underscoring)
    }
}

/// See [`Procedure::symbol`].
pub fn linker_symbol(name: &str, no_underscoring: bool) -> String {
    match name.strip_prefix("_QP") {
        Some(name) if no_underscoring => name.into(),
        Some(name) => format!("{name}_"),
        None => name.into(),
    }
}

/// All external and module procedures that are defined in this text. Lines that are not understood
/// are passed over: the plugin then reports the names that it does not know.
pub fn procedures(text: &str) -> Vec<Procedure> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        // `func.func private`: a declaration, or with a body an internal procedure.
        let start = line.strip_prefix("  func.func ").filter(|_| line.ends_with('{'));
        let start = start.map(|start| start.strip_prefix("private ").unwrap_or(start));
        let Some(header) = start.and_then(|s| s.strip_prefix('@')).and_then(Header::parse) else {
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "  }").collect();
        found.push(header.procedure(&body));
    }
    found
}

/// What type-bound procedures are called: `mod::type::name`, and flang's name of the procedure.
pub fn bindings(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut of_type = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("  fir.type_info @") {
            of_type = rest.split(' ').next().and_then(type_name);
        }
        let entry = line.trim_start().strip_prefix("fir.dt_entry ");
        if let (Some((scope, own)), Some(entry)) = (&of_type, entry) {
            let name = entry.strip_prefix('"').and_then(|e| e.split('"').next());
            let symbol = entry.split_once('@').map(|(_, symbol)| symbol.trim());
            if let (Some(name), Some(symbol)) = (name, symbol) {
                found.push((format!("{scope}::{own}::{name}"), symbol.to_owned()));
            }
        }
    }
    found
}

/// Module and name of `_QMmodTname`.
pub fn type_name(symbol: &str) -> Option<(&str, &str)> {
    let (scope, name) = symbol.strip_prefix("_QM")?.rsplit_once('T')?;
    let is_plain = |text: &str| !text.chars().any(|c| c.is_ascii_uppercase());
    (is_plain(scope) && is_plain(name)).then_some((scope, name))
}

struct Header<'a> {
    name: &'a str,
    /// Type and attributes of each argument.
    arguments: Vec<(&'a str, &'a str)>,
    result: &'a str,
    is_bind_c: bool,
}

impl<'a> Header<'a> {
    /// Reads what follows `func.func @`.
    fn parse(text: &'a str) -> Option<Header<'a>> {
        let (name, rest) = match text.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => text.split_at(text.find('(')?),
        };
        let rest = rest.strip_prefix('(')?;
        let end = outer(rest, ')')?;
        let arguments = pieces(&rest[..end]).into_iter().map(argument).collect::<Option<_>>()?;
        let tail = rest[end + 1..].trim_start();
        let (result, attributes) = match tail.strip_prefix("->") {
            Some(tail) => {
                let tail = tail.trim_start();
                tail.split_at(outer(tail, ' ').unwrap_or(tail.len()))
            }
            None => ("", tail),
        };
        Some(Header { name, arguments, result, is_bind_c: attributes.contains("bind_c>") })
    }

    fn procedure(&self, body: &[&str]) -> Procedure {
        let kinds = ["f", "complex<", "!fir.array<", "!fir.box<"];
        let has_reals = kinds.iter().any(|start| self.result.starts_with(start));
        let result = result_name(body).filter(|_| has_reals);
        Procedure {
            name: self.name.into(),
            names: self.names(body),
            result,
            declarations: self.declarations(body),
        }
    }

    /// In the order of [`Header::names`].
    fn declarations(&self, body: &[&str]) -> Vec<String> {
        let mut attributes: HashMap<String, &str> = HashMap::new();
        for line in body.iter().filter(|line| line.contains("hlfir.declare ")) {
            if let Some((value, _)) = declaration(line) {
                attributes.entry(value.to_string()).or_insert(line);
            }
        }
        let starts = |text: &str, with: &[&str]| with.iter().any(|w| text.starts_with(w));
        let mut found = Vec::new();
        if starts(self.result, &["!fir.array<", "!fir.box<", "!fir.class<", "!fir.type<"]) {
            found.push(declarations::of_result(self.result));
        }
        for (index, (kind, given)) in self.arguments.iter().enumerate() {
            let line = attributes.get(&format!("%arg{index}")).copied().unwrap_or_default();
            found.push(declarations::of_argument(kind, given, line, self.is_bind_c));
        }
        found
    }

    fn names(&self, body: &[&str]) -> Names {
        let declared = declared_names(body);
        let mut names = Vec::new();
        let mut lengths = Vec::new();
        let starts = |text: &str, with: &[&str]| with.iter().any(|w| text.starts_with(w));
        if starts(self.result, &["!fir.array<", "!fir.box<", "!fir.class<", "!fir.type<"]) {
            if self.is_bind_c {
                return Names::Unknown("it returns a derived type by the C convention".into());
            }
            names.push(result_name(body).unwrap_or_default());
        }
        for (index, (kind, attributes)) in self.arguments.iter().enumerate() {
            let name = quoted_after(attributes, "fir.bindc_name = ")
                .or_else(|| declared.get(&format!("%arg{index}")).copied())
                .unwrap_or_default();
            if starts(kind, &["!fir.type<", "complex<"]) {
                return Names::Unknown(format!(
                    "{name} is passed by value in a way that depends on the machine"
                ));
            }
            if starts(kind, &["!fir.boxchar<", "tuple<!fir.boxproc<"]) {
                lengths.push(String::new());
            }
            names.push(name.to_string());
        }
        names.extend(lengths);
        Names::Known(names)
    }
}

/// `%arg0: TYPE {ATTRIBUTES}`
fn argument(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.trim().split_once(": ")?;
    let end = outer(rest, ' ').unwrap_or(rest.len());
    Some((&rest[..end], &rest[end..]))
}

/// Where `wanted` first stands outside of brackets and quotes. The `>` of `->` closes nothing, and
/// the spaces around it separate nothing.
pub fn outer(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if is_quoted {
            is_quoted = c != '"' || before == '\\';
        } else if depth == 0 && c == wanted {
            return Some(at);
        } else {
            match c {
                '"' => is_quoted = true,
                '(' | '<' | '[' | '{' => depth += 1,
                '>' if before == '-' => {}
                ')' | '>' | ']' | '}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        before = c;
    }
    None
}

fn pieces(mut text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    while let Some(at) = outer(text, ',') {
        found.push(&text[..at]);
        text = &text[at + 1..];
    }
    if !text.trim().is_empty() {
        found.push(text);
    }
    found
}

fn quoted_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    rest.strip_prefix('"')?.split('"').next()
}

/// `%4:2 = hlfir.declare %arg0… {uniq_name = "_QFfEx"}`: what is declared, and its name.
fn declaration(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("hlfir.declare ")?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '%' | '_')))?;
    // Fortran names are in lower case: the last capital is the mark E of an entity.
    let (_, name) = quoted_after(rest, "uniq_name = ")?.rsplit_once('E')?;
    Some((&rest[..end], name))
}

fn declared_names<'a>(body: &[&'a str]) -> HashMap<String, &'a str> {
    let mut names = HashMap::new();
    for (value, name) in body.iter().filter_map(|line| declaration(line)) {
        names.entry(value.to_string()).or_insert(name);
    }
    names
}

/// The result variable: from `return %v` back to an `hlfir.declare`.
fn result_name(body: &[&str]) -> Option<String> {
    let definitions: HashMap<&str, &str> = body
        .iter()
        .filter_map(|line| {
            let (value, rest) = line.trim().split_once(" = ")?;
            Some((value.split(':').next()?, rest))
        })
        .collect();
    let returned = body.iter().rev().find_map(|line| line.trim().strip_prefix("return "))?;
    let mut value = returned.split([' ', '#']).next()?;
    for _ in 0..MAX_STEPS_TO_RESULT {
        let line = definitions.get(value)?;
        if let Some((_, name)) = declaration(line) {
            return Some(name.into());
        }
        let operand = &line[line.find('%')?..];
        value = operand
            .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '%' | '_')))
            .next()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Procedure {
        let mut found = procedures(text);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    fn known(names: &[&str]) -> Names {
        Names::Known(names.iter().map(ToString::to_string).collect())
    }

    // The texts are flang-22's, shortened in the bodies.

    #[test]
    fn names_stand_at_the_arguments() {
        let text = r#"
  func.func @_QMmodPfoo(%arg0: !fir.ref<!fir.array<?xf64>> {fir.bindc_name = "alpha"}, %arg1: !fir.box<!fir.array<?xf64>> {fir.bindc_name = "b", fir.optional}, %arg2: !fir.ref<i32> {fir.bindc_name = "n"}) {
  }
"#;
        let procedure = only(text);
        assert_eq!(procedure.symbol(false), "_QMmodPfoo");
        assert_eq!(procedure.names, known(&["alpha", "b", "n"]));
    }

    #[test]
    fn character_lengths_follow_at_the_end() {
        let text = r#"
  func.func @_QPs1(%arg0: !fir.ref<f64> {fir.bindc_name = "a"}, %arg1: !fir.boxchar<1> {fir.bindc_name = "name"}, %arg2: !fir.ref<f64> {fir.bindc_name = "b"}) {
  }
"#;
        let procedure = only(text);
        assert_eq!(procedure.symbol(false), "s1_");
        assert_eq!(procedure.symbol(true), "s1");
        assert_eq!(procedure.names, known(&["a", "name", "b", ""]));
    }

    #[test]
    fn an_array_result_is_a_hidden_first_argument() {
        let text = r#"
  func.func @_QParr(%arg0: !fir.ref<f64> {fir.bindc_name = "x"}) -> !fir.array<3xf64> {
    %1 = fir.alloca !fir.array<3xf64> {bindc_name = "res", uniq_name = "_QFarrEres"}
    %3:2 = hlfir.declare %1(%2) {uniq_name = "_QFarrEres"} : (!fir.ref<!fir.array<3xf64>>, !fir.shape<1>) -> (!fir.ref<!fir.array<3xf64>>, !fir.ref<!fir.array<3xf64>>)
    %6 = fir.load %3#0 : !fir.ref<!fir.array<3xf64>>
    return %6 : !fir.array<3xf64>
  }
"#;
        assert_eq!(only(text).names, known(&["res", "x"]));
    }

    #[test]
    fn names_are_taken_from_declarations_where_attributes_lack() {
        let text = r#"
  func.func @_QMm2Pmeth(%arg0: !fir.class<!fir.type<_QMm2Tcls{a:f64}>>, %arg1: !fir.ref<f64>) {
    %131:2 = hlfir.declare %arg0 dummy_scope %0 arg 1 {uniq_name = "_QMm2FmethEself"} : (!fir.class<!fir.type<_QMm2Tcls{a:f64}>>, !fir.dscope) -> (i32)
    %132:2 = hlfir.declare %arg1 dummy_scope %0 arg 2 {uniq_name = "_QMm2FmethEx"} : (!fir.ref<f64>, !fir.dscope) -> (!fir.ref<f64>, !fir.ref<f64>)
  }
"#;
        assert_eq!(only(text).names, known(&["self", "x"]));
    }

    #[test]
    fn bindings_have_their_types() {
        let text = r#"
  fir.type_info @_QMmbTrod noinit nodestroy nofinal : !fir.type<_QMmbTrod{k:f64}> dispatch_table {
    fir.dt_entry "energy", @_QMmbProd_energy
  }
"#;
        assert_eq!(bindings(text), [("mb::rod::energy".into(), "_QMmbProd_energy".into())]);
    }

    #[test]
    fn procedure_dummies_have_arrows_in_their_types() {
        let text = r#"
  func.func @_QPpch(%arg0: tuple<!fir.boxproc<() -> ()>, i64> {fir.char_proc}, %arg1: !fir.ref<f64> {fir.bindc_name = "x"}) {
  }
"#;
        assert_eq!(only(text).names, known(&["", "x", ""]));
    }

    #[test]
    fn binding_names_stay_and_values_in_pieces_are_refused() {
        let text = r#"
  func.func @c_Burgers(%arg0: !fir.ref<f64> {fir.bindc_name = "z"}) attributes {fir.bindc_name = "c_Burgers", fir.proc_attrs = #fir.proc_attrs<bind_c>} {
  }
  func.func @bv(%arg0: !fir.type<_QMm2Tst{a:f64,b:f64}> {fir.bindc_name = "s"}) attributes {fir.bindc_name = "bv", fir.proc_attrs = #fir.proc_attrs<bind_c>} {
  }
  func.func @rs(%arg0: !fir.ref<f64> {fir.bindc_name = "x"}) -> !fir.type<_QMm2Tst{a:f64,b:f64}> attributes {fir.bindc_name = "rs", fir.proc_attrs = #fir.proc_attrs<bind_c>} {
  }
"#;
        let found = procedures(text);
        assert_eq!(found[0].symbol(false), "c_Burgers");
        assert_eq!(found[0].names, known(&["z"]));
        assert!(matches!(found[1].names, Names::Unknown(_)));
        assert!(matches!(found[2].names, Names::Unknown(_)));
    }

    #[test]
    fn declarations_are_passed_over_and_internal_procedures_are_not() {
        let text = r"
  func.func private @_FortranAioEndIoStatement(!fir.ref<i8>) -> i32 attributes {fir.io, fir.runtime}
  func.func private @_QMmodFfooPinner(%arg0: !fir.ref<f64>) attributes {llvm.linkage = #llvm.linkage<internal>} {
  }
";
        assert_eq!(only(text).name, "_QMmodFfooPinner");
        assert!(procedures("  func.func @broken(%arg0: !fir.ref<").is_empty());
    }
}
