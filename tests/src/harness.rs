//! What the test binaries with cases of their own (`harness = false`) share: they refuse to run
//! without a built plugin, and take a token for each case where they are part of a larger run.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use admachine::SKIPPED;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::directives::DEFAULT_LEVELS;
use crate::program::{Outcome, Places};
use crate::tokens::Tokens;

/// The variable of the environment that asks for cross products as a whole (`adtest --all`).
pub const ALL: &str = "ADTESTS_ALL";

/// The variable that shifts which part of cross products a run has (`adtest --turn N`).
pub const TURN: &str = "ADTESTS_TURN";

/// How a line begins that says for the queue how many seconds a case took: `took: 1.5 NAME`.
pub const TOOK: &str = "took: ";

/// Whether cross products are wanted as a whole.
pub fn wants_all() -> bool {
    std::env::var_os(ALL).is_some()
}

/// The number of a case among like ones, shifted by the turn that the run has.
fn shifted(nth: usize) -> usize {
    let turn = std::env::var(TURN).ok().and_then(|turn| turn.parse().ok());
    nth.wrapping_add(turn.unwrap_or(0))
}

/// Whether the `nth` of many like cases runs: one of `of`, or each where cross products are wanted as
/// a whole.
pub fn is_in_turn(nth: usize, of: usize) -> bool {
    wants_all() || shifted(nth).is_multiple_of(of)
}

/// Of `all` variants of the `nth` case the one in turn, or all where cross products are wanted as a
/// whole.
pub fn in_turn<T: Clone>(all: &[T], nth: usize) -> Vec<T> {
    if wants_all() || all.is_empty() {
        return all.to_vec();
    }
    vec![all[shifted(nth) % all.len()].clone()]
}

/// The levels at which a case runs, unless all are wanted: those that its program states, or one of
/// the default ones, in turn by the number of the program. One in turn, too, where it takes long.
pub fn levels(stated: &[String], nth: usize, is_long: bool) -> Vec<String> {
    match is_long || stated == DEFAULT_LEVELS {
        true => in_turn(stated, nth),
        false => stated.to_vec(),
    }
}

/// How a case ended when it did not fail.
pub type Ended = Result<Completion, Failed>;

/// A case: its name, and what runs it.
pub struct Case {
    name: String,
    run: Box<dyn FnOnce() -> Ended + Send>,
}

impl Case {
    /// A case that `run` runs.
    pub fn new(name: impl Into<String>, run: impl FnOnce() -> Ended + Send + 'static) -> Case {
        Case { name: name.into(), run: Box::new(run) }
    }

    /// A case that has failed before it ran, because its file cannot be read.
    pub fn unreadable(name: impl Into<String>, why: String) -> Case {
        Case::new(name, move || Err(Failed::from(why)))
    }
}

impl From<Outcome> for Completion {
    fn from(outcome: Outcome) -> Completion {
        match outcome {
            Outcome::Passed(_) => Completion::Completed,
            Outcome::Skipped(why) => Completion::ignored_with(why),
        }
    }
}

/// The binary's `main`: the cases that the command line asks for. `scratch` is the folder that cargo
/// has for the binary.
pub fn main(
    scratch: &str,
    cases: impl FnOnce(&Arc<Places>) -> Result<Vec<Case>, String>,
) -> ExitCode {
    let arguments = Arguments::from_args();
    let places = Arc::new(Places::new(Path::new(scratch)));
    let missing = places.missing().filter(|_| !arguments.list);
    let cases = missing.map_or_else(|| cases(&places), Err);
    let cases = match cases {
        Ok(cases) => cases,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::FAILURE;
        }
    };
    let tokens = Arc::new(Tokens::shared());
    let trial = |case: Case| {
        let tokens = tokens.clone();
        let name = case.name.clone();
        Trial::ignorable_test(case.name, move || {
            let Some(tokens) = Option::as_ref(&tokens) else {
                return (case.run)();
            };
            let _held = tokens.take();
            let start = Instant::now();
            let ended = (case.run)();
            if let Ok(Completion::Ignored { reason: Some(why) }) = &ended {
                eprintln!("{SKIPPED}{why}");
            }
            eprintln!("{TOOK}{:.3} {name}", start.elapsed().as_secs_f64());
            ended
        })
    };
    libtest_mimic::run(&arguments, cases.into_iter().map(trial).collect()).exit_code()
}
