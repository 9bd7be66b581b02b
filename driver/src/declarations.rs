//! How an interface declares the arguments of a Fortran procedure, from their types in HLFIR.
//!
//! A declaration is `USE|TYPE, ATTRIBUTES`: what it needs from a module (`m, only: t`, or nothing),
//! and what stands before `::`. Arrays that are passed without a descriptor have the shape `(*)`,
//! which sequence association makes right for every bound, and their rank follows: `|2`. What cannot be declared is empty, and the
//! plugin then refuses to write the interface.

use crate::hlfir::{outer, type_name};

/// Attributes of a dummy argument that its caller must know.
const NEEDED: &[&str] =
    &["optional", "allocatable", "pointer", "contiguous", "target", "volatile", "asynchronous"];

/// The hidden argument of a function's result.
pub fn of_result(kind: &str) -> String {
    let mut attributes = Vec::new();
    for (mark, word) in [("!fir.heap<", "allocatable"), ("!fir.ptr<", "pointer")] {
        if inside(kind, "!fir.box<").is_some_and(|boxed| boxed.starts_with(mark)) {
            attributes.push(word);
        }
    }
    if kind.starts_with("!fir.class<") {
        return String::new();
    }
    declared(kind, &attributes, !attributes.is_empty()).unwrap_or_default()
}

/// An argument of type `kind`; `given` are its attributes in the header, `line` declares it.
pub fn of_argument(kind: &str, given: &str, line: &str, is_bind_c: bool) -> String {
    let list = line.split_once("#fir.var_attrs<").and_then(|(_, rest)| rest.split('>').next());
    let listed: Vec<&str> = list.unwrap_or_default().split(',').map(str::trim).collect();
    let has = |word: &str| listed.contains(&word) || given.contains(&format!("fir.{word}"));
    let mut attributes: Vec<&str> = NEEDED.iter().copied().filter(|word| has(word)).collect();
    if listed.contains(&"intent_in") {
        attributes.push("intent(in)");
    }
    if kind.starts_with("!fir.boxproc<") {
        return if has("optional") { "|external, optional".into() } else { "|external".into() };
    }
    if kind.starts_with("!fir.boxchar<") {
        // Characters of arrays are declared as arrays.
        let shape = if line.contains("!fir.array<") { ", dimension(*)" } else { "" };
        let rest: String = attributes.iter().map(|a| format!(", {a}")).collect();
        return if is_bind_c { String::new() } else { format!("|character(*){shape}{rest}") };
    }
    if !kind.starts_with("!fir.ref<")
        && !kind.starts_with("!fir.box<")
        && !kind.starts_with("!fir.class<")
    {
        attributes.retain(|a| *a != "intent(in)");
        attributes.push("value");
    }
    let has_own_descriptor = has("allocatable") || has("pointer");
    declared(kind, &attributes, has_own_descriptor).unwrap_or_default()
}

/// `is_deferred`: the descriptor is the variable's own.
fn declared(kind: &str, attributes: &[&str], is_deferred: bool) -> Option<String> {
    let mut kind = inside(kind, "!fir.ref<").unwrap_or(kind);
    let mut has_descriptor = false;
    let mut word = "type";
    for mark in ["!fir.box<", "!fir.class<"] {
        if let Some(boxed) = inside(kind, mark) {
            has_descriptor = true;
            if mark == "!fir.class<" {
                word = "class";
            }
            kind = boxed;
        }
    }
    for mark in ["!fir.heap<", "!fir.ptr<"] {
        if let Some(target) = inside(kind, mark) {
            if !is_deferred {
                return None;
            }
            kind = target;
        }
    }
    let (mut shape, mut own_rank) = (String::new(), String::new());
    if let Some(array) = inside(kind, "!fir.array<") {
        let (rank, element) = extents(array)?;
        let bounds = match (rank, has_descriptor) {
            (None, true) => "..".into(),
            (None, false) => return None,
            (Some(rank), true) => vec![":"; rank].join(","),
            (Some(_), false) => "*".into(),
        };
        shape = format!(", dimension({bounds})");
        if let (Some(rank), false) = (rank, has_descriptor) {
            own_rank = format!("|{rank}");
        }
        kind = element;
    }
    let (uses, name) = scalar(kind, word)?;
    let rest: String = attributes.iter().map(|a| format!(", {a}")).collect();
    Some(format!("{uses}|{name}{shape}{rest}{own_rank}"))
}

/// `?x10xf64`: the rank (none: assumed) and the element.
fn extents(mut text: &str) -> Option<(Option<usize>, &str)> {
    if let Some(element) = text.strip_prefix("*:") {
        return Some((None, element));
    }
    let mut rank = 0;
    while let Some((extent, rest)) = text.split_once('x') {
        if extent != "?" && (extent.is_empty() || !extent.bytes().all(|b| b.is_ascii_digit())) {
            break;
        }
        rank += 1;
        text = rest;
    }
    (rank > 0).then_some((Some(rank), text))
}

fn scalar(kind: &str, word: &str) -> Option<(String, String)> {
    let plain = |name: &str| Some((String::new(), name.to_owned()));
    match kind {
        "none" if word == "class" => return plain("class(*)"),
        "f32" => return plain("real(4)"),
        "f64" => return plain("real(8)"),
        "f80" => return plain("real(10)"),
        "f128" => return plain("real(16)"),
        "i8" => return plain("integer(1)"),
        "i16" => return plain("integer(2)"),
        "i32" => return plain("integer(4)"),
        "i64" => return plain("integer(8)"),
        "complex<f32>" => return plain("complex(4)"),
        "complex<f64>" => return plain("complex(8)"),
        "complex<f80>" => return plain("complex(10)"),
        "!fir.char<1>" => return plain("character(1)"),
        _ => {}
    }
    if let Some(size) = inside(kind, "!fir.logical<") {
        return plain(&format!("logical({size})"));
    }
    let text = inside(kind, "!fir.type<")?;
    let (module, name) = type_name(text.split(['{', ',', '<']).next()?)?;
    // Types of the compiler have other names in a program.
    if module.starts_with("__") {
        return None;
    }
    Some((format!("{module}, only: {name}"), format!("{word}({name})")))
}

/// What `mark` and its closing `>` enclose, if that is all.
fn inside<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(mark)?;
    let end = outer(rest, '>')?;
    (end + 1 == rest.len()).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    // The types are flang-22's.
    #[test]
    fn arguments_have_their_declarations() {
        let line =
            |list: &str| format!("hlfir.declare %arg0 {{fortran_attrs = #fir.var_attrs<{list}>}}");
        for (kind, list, declaration) in [
            ("!fir.ref<f64>", "intent_in", "|real(8), intent(in)"),
            ("!fir.ref<f32>", "intent_out", "|real(4)"),
            ("f64", "intent_in, value", "|real(8), value"),
            ("!fir.box<!fir.array<?x?xf64>>", "contiguous", "|real(8), dimension(:,:), contiguous"),
            ("!fir.ref<!fir.array<4x?xi64>>", "", "|integer(8), dimension(*)|2"),
            ("!fir.ref<!fir.array<?xf32>>", "optional", "|real(4), dimension(*), optional|1"),
            ("!fir.ref<!fir.logical<4>>", "optional", "|logical(4), optional"),
            ("!fir.ref<complex<f64>>", "", "|complex(8)"),
            ("!fir.box<!fir.array<*:f64>>", "", "|real(8), dimension(..)"),
            (
                "!fir.ref<!fir.box<!fir.heap<!fir.array<?x?xf64>>>>",
                "allocatable, intent_inout",
                "|real(8), dimension(:,:), allocatable",
            ),
            ("!fir.ref<!fir.box<!fir.ptr<f64>>>", "pointer", "|real(8), pointer"),
            ("!fir.ref<!fir.type<_QMmTrod{k:f64}>>", "", "m, only: rod|type(rod)"),
            ("!fir.class<!fir.type<_QMmTrod{k:f64}>>", "", "m, only: rod|class(rod)"),
            ("!fir.class<none>", "", "|class(*)"),
            ("!fir.ref<!fir.type<_QMmFsTlocal{k:f64}>>", "", ""),
            ("!fir.ref<!fir.type<_QMmTpdtK8{k:f64}>>", "", ""),
            ("!fir.boxchar<1>", "intent_in", "|character(*), intent(in)"),
            ("!fir.boxproc<() -> ()>", "", "|external"),
        ] {
            assert_eq!(of_argument(kind, "", &line(list), false), declaration, "{kind}");
        }
        assert_eq!(of_result("!fir.array<?xf64>"), "|real(8), dimension(*)|1");
        assert_eq!(
            of_result("!fir.box<!fir.heap<!fir.array<?xf64>>>"),
            "|real(8), dimension(:), allocatable"
        );
    }
}
