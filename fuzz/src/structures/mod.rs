//! Programs in the style in which people write C: records with mixed members, unions, bit fields,
//! pointers into members, copies of parts, trees, containers.
//!
//! The tree of `ast` has no heap objects by member, no unions and no recursion over nodes: it is made
//! for loops over reals. These programs are therefore text. `template` fills the holes of idioms,
//! `records` draws the types that they share, `compose` puts them together; `crate::c` runs the very
//! text that the compiler reads, so that no idiom states what it computes.

mod compose;
mod records;
pub mod shrink;
mod template;

use crate::ast::Program;
use crate::c;
use crate::interp::Outcome;
use crate::rng::Rng;

/// Tries for one valid program before its number is given up.
const TRIES: usize = 200;

/// The names of all idioms.
pub fn idioms() -> Vec<&'static str> {
    template::all().iter().map(|t| t.name).collect()
}

/// The program of a number, of the idioms with these names or of all, with the oracle's outcome; `None` when no try was valid. `rejected`
/// counts the others.
pub fn program(
    seed: u64,
    number: u64,
    only: &[String],
    rejected: &mut usize,
) -> Option<(Program, Outcome)> {
    let mut rng = Rng::new(seed ^ 0x5717, number);
    for _ in 0..TRIES {
        let program = compose::compose(&mut rng, only);
        match outcome(&program) {
            Ok(outcome) => return Some((program, outcome)),
            Err(why) => {
                *rejected += 1;
                if std::env::var_os("ADFUZZ_REJECTS").is_some() {
                    eprintln!("rejected: {why}");
                }
            }
        }
    }
    None
}

/// What the interpreter says of a program that is text.
pub fn outcome(program: &Program) -> Result<Outcome, c::Reject> {
    let text = program.text.as_ref().ok_or("no text")?;
    c::run::run(&c::parse(text)?, &program.inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_idiom_gives_valid_programs() {
        for name in idioms() {
            let (mut rejected, only) = (0, [name.to_string()]);
            let valid = (0..8).filter(|n| program(5, *n, &only, &mut rejected).is_some()).count();
            assert!(valid == 8 && rejected < 40, "{name}: {valid} of 8, {rejected} rejected");
        }
    }
}
