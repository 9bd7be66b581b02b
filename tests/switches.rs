//! Each analysis switched off, on a sample of programs, those with `ad-switches`: what keeps the
//! analyses busy, or misleads one that is too bold. The numbers that a program checks do not
//! depend on any of them.
//!
//! The analyses are those that the plugin lists. Levels go round, so that each analysis meets all
//! four over the sample. With all of them off, every number that a program checks is compared with
//! the same build with all of them on as well.
//!
//! `cargo test -p adtests --test switches -- tbr/` runs those of one analysis; a name is
//! `switches/analysis/folder/program::level`. The plugin must be built before; without it the run
//! fails.

use std::process::ExitCode;
use std::sync::Arc;

use adtests::directives::DEFAULT_LEVELS;
use adtests::harness::{self, Case};
use adtests::program::{Outcome, Places, Program};
use adtests::verdict;
use adtoolchain::analyses::ALL;
use libtest_mimic::{Completion, Failed};

/// Each program meets one of so many of the analyses, and every fourth one all of them at once; with
/// `adtest --all` each of them.
const SHARE: usize = 8;

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let analyses = places.tools.analyses()?;
    let switches: Vec<&str> = analyses.iter().map(String::as_str).chain([ALL]).collect();
    let mut cases = vec![];
    let mut sample = Program::those_of(places, &["c", "fortran"])?;
    sample.retain(|program| program.directives.has_switches);
    for (nth, program) in sample.iter().enumerate() {
        for (switch, name) in switches.iter().enumerate() {
            let share = if *name == ALL { 4 } else { SHARE };
            if !harness::is_in_turn(nth + switch, share) {
                continue;
            }
            let level = DEFAULT_LEVELS[(nth + switch / SHARE) % DEFAULT_LEVELS.len()];
            cases.push(case(program, name, level, places));
        }
    }
    Ok(cases)
}

/// The program's first case without an analysis.
fn case(program: &Program, without: &str, level: &'static str, places: &Arc<Places>) -> Case {
    let places = places.clone();
    let (mut with, mut off) = (program.clone(), program.clone());
    off.name = format!("switches/{without}/{}", program.name);
    off.directives.options.push(format!("-ad-disable={without}"));
    with.name = format!("switches/nothing/{}", program.name);
    with.shows_values = without == ALL;
    off.shows_values = with.shows_values;
    Case::new(format!("{}::{level}", off.name), move || {
        let case = &off.directives.cases[0];
        let printed = match off.test(&places, case, level)? {
            Outcome::Passed(printed) => printed,
            Outcome::Skipped(why) => return Ok(Completion::ignored_with(why)),
        };
        if with.shows_values
            && let Outcome::Passed(on) = with.test(&places, case, level)?
        {
            let differences = verdict::disagreements(&on, &printed);
            if !differences.is_empty() {
                return Err(Failed::from(format!(
                    "with all analyses, and without:\n{}",
                    differences.join("\n")
                )));
            }
        }
        Ok(Completion::Completed)
    })
}
