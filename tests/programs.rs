//! Every program of `tests/c`, `tests/fortran`, `tests/diag` and `tests/later`, one test for each
//! level: one of -O0 to -O3, in turn, or all that it states, or one of these where it takes long; with
//! `adtest --all` every one.
//!
//! `tests/later` holds valid programs that are refused today, each by a stated diagnostic: one that
//! compiles fails here, and moves to its language's folder.
//!
//! `cargo test -p adtests --test programs -- c/loops` runs those whose name contains `c/loops`; a
//! name is `folder/program[.case]::level`. The plugin must be built before; without it the run
//! fails, it does not skip.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use adtests::harness::{self, Case};
use adtests::program::{Places, Program};

/// The folders that are scanned, and whether their programs must not compile.
const FOLDERS: [(&str, bool); 4] =
    [("c", false), ("fortran", false), ("diag", true), ("later", true)];

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), |places| cases(places).map_err(|e| e.to_string()))
}

fn cases(places: &Arc<Places>) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (folder, is_diagnostic) in FOLDERS {
        let path = places.tools.root.join("tests").join(folder);
        if !path.is_dir() {
            continue; // git keeps no empty folder
        }
        for (nth, (name, program)) in Program::all(&path, is_diagnostic)?.into_iter().enumerate() {
            match program {
                Ok(program) => cases.extend(cases_of(&Arc::new(program), nth, places)),
                Err(why) => cases.push(Case::unreadable(name, why)),
            }
        }
    }
    Ok(cases)
}

/// One for each case of the nth program and each level.
fn cases_of(program: &Arc<Program>, nth: usize, places: &Arc<Places>) -> Vec<Case> {
    let mut cases = Vec::new();
    let directives = &program.directives;
    for (k, case) in directives.cases.iter().enumerate() {
        let label = if case.label.is_empty() { String::new() } else { format!(".{}", case.label) };
        for level in harness::levels(&case.levels, nth + k, directives.is_long) {
            let (program, places, case) = (program.clone(), places.clone(), case.clone());
            let name = format!("{}{label}::{level}", program.name);
            cases.push(Case::new(name, move || Ok(program.test(&places, &case, &level)?.into())));
        }
    }
    cases
}
