//! Procedures of an interface module that take the shadows of all directions in one array, with one more
//! dimension, the last, and pass its slices on: `call f_dv(x, xd, y, yd)` in the place of
//! `call f_dv(x, xd1, xd2, y, yd1, yd2)`. Both are specific procedures of one generic name.
//!
//! What is allocatable, a pointer, optional or of no known rank has no slices that could be passed: its
//! shadows remain several arguments.

use super::prototype::{Declaration, Shown, continued};

/// Such a procedure.
pub(super) struct Procedure {
    pub name: String,
    pub text: String,
}

/// The most dimensions that an array has, and the longest name.
const MOST_DIMENSIONS: usize = 15;
const LONGEST_NAME: usize = 63;
/// Attributes that no slice can have.
const UNSLICED: [&str; 3] = ["allocatable", "pointer", "optional"];

/// That of the generated procedure `generated`; `result` is the type of a function's. None if no
/// shadow has slices.
pub(super) fn procedure(
    generated: &str,
    directions: usize,
    params: &[Shown],
    result: Option<&str>,
) -> Option<Procedure> {
    let name = format!("{generated}_slices");
    let is_taken = |name: &str| params.iter().any(|p| p.name.eq_ignore_ascii_case(name));
    let extent = ["size", "ubound"].into_iter().find(|f| !is_taken(f))?;
    if name.len() > LONGEST_NAME || is_taken(&name) {
        return None;
    }
    let (mut dummies, mut passed, mut uses) = (vec![], vec![], vec![]);
    let (mut declared, mut checked) = (String::new(), String::new());
    for p in params.iter().filter(|p| !p.is_hidden) {
        let declaration = Declaration::parse(p.declared.as_ref()?)?;
        if !declaration.uses.is_empty() && !uses.contains(&declaration.uses) {
            uses.push(declaration.uses);
        }
        match p.of.as_ref().zip(sliced(&declaration)) {
            None => {
                declared.push_str(&format!("    {} :: {}\n", declaration.with_rank(), p.name));
                dummies.push(p.name.clone());
                passed.push(p.name.clone());
            }
            Some(((all, direction), (ty, rank))) => {
                let colons = ":,".repeat(rank);
                passed.push(format!("{all}({colons}{})", direction + 1));
                if *direction == 0 {
                    declared.push_str(&format!("    {ty}, dimension({colons}:) :: {all}\n"));
                    dummies.push(all.clone());
                    let last = rank + 1;
                    checked.push_str(&format!(
                        "    if ({extent}({all}, {last}) /= {directions}) &\n      error stop \
                        '{generated}: the last dimension of {all} must have extent {directions}'\n"
                    ));
                }
            }
        }
    }
    if checked.is_empty() {
        return None;
    }
    let word = if result.is_some() { "function" } else { "subroutine" };
    if let Some(ty) = result {
        declared.push_str(&format!("    {ty} :: {name}\n"));
    }
    let start = continued(&format!("  {word} {name}({})", dummies.join(", ")));
    let uses: String = uses.iter().map(|module| format!("    use {module}\n")).collect();
    let to = if result.is_some() { format!("{name} =") } else { "call".into() };
    let call = continued(&format!("    {to} {generated}({})", passed.join(", ")));
    let text =
        format!("{start}\n{uses}    implicit none\n{declared}{checked}{call}\n  end {word}\n");
    Some(Procedure { name, text })
}

/// The type of a shadow of which an array in all directions has slices, and its rank.
fn sliced<'a>(declaration: &Declaration<'a>) -> Option<(&'a str, usize)> {
    let mut attributes = declaration.text.split(", ");
    let ty = attributes.next()?;
    let mut rank = 0;
    for attribute in attributes {
        if UNSLICED.contains(&attribute) {
            return None;
        }
        if let Some(shape) = attribute.strip_prefix("dimension(") {
            rank = match shape.trim_end_matches(')') {
                "*" => declaration.rank?,
                colons if colons.starts_with(':') => colons.matches(':').count(),
                _ => return None,
            };
        }
    }
    (rank < MOST_DIMENSIONS).then_some((ty, rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_declarations() {
        for (text, expected) in [
            ("|real(8)", Some(("real(8)", 0))),
            ("|real(8), dimension(:,:), contiguous", Some(("real(8)", 2))),
            ("|real(4), dimension(*)|3", Some(("real(4)", 3))),
            ("m, only: rod|type(rod), dimension(:)", Some(("type(rod)", 1))),
            ("|real(8), dimension(*)", None),
            ("|real(8), dimension(..)", None),
            ("|real(8), dimension(:), allocatable", None),
            ("|real(8), pointer", None),
            ("|real(8), optional", None),
            ("|real(8), dimension(*)|15", None),
        ] {
            let declaration = Declaration::parse(text).expect("two parts");
            assert_eq!(sliced(&declaration), expected, "{text}");
        }
        let of = |text: &str| Declaration::parse(text).expect("two parts").with_rank();
        assert_eq!(
            of("|real(8), dimension(*), intent(in)|3"),
            "real(8), dimension(1,1,*), intent(in)"
        );
        assert_eq!(of("|real(8), dimension(*)"), "real(8), dimension(*)");
    }
}
