//! Every program of `tests/c`, `tests/fortran`, `tests/diag` and `tests/later` at every level: one
//! test each, in parallel.
//!
//! `tests/later` holds valid programs that are refused today, each by a stated diagnostic: one that
//! compiles fails here, and moves to its language's folder.
//!
//! `cargo test -p adtests --test programs -- c/loops` runs those whose name contains `c/loops`; a
//! name is `folder/program[.case]::level`. The plugin must be built before; without it the run
//! fails, it does not skip.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use adtests::program::{self, Language, Outcome, Places, Program};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// The folders that are scanned, and whether their programs must not compile.
const FOLDERS: [(&str, bool); 4] =
    [("c", false), ("fortran", false), ("diag", true), ("later", true)];
/// A file of the Fortran folder that is no program.
const FORTRAN_CHECKS: &str = "check.f90";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let places = Arc::new(Places::new(Path::new(env!("CARGO_TARGET_TMPDIR"))));
    let trials = match trials(&places) {
        Ok(trials) => trials,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    if !arguments.list
        && let Some(why) = places.missing()
    {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(places: &Arc<Places>) -> io::Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for (folder, is_diagnostic) in FOLDERS {
        let path = places.root.join("tests").join(folder);
        if !path.is_dir() {
            continue; // git keeps no empty folder
        }
        let mut files =
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        files.sort();
        for file in files {
            let Some(language) = Language::of(&file) else {
                continue;
            };
            if file.file_name().is_some_and(|name| name == FORTRAN_CHECKS) {
                continue;
            }
            match Program::read(&file, is_diagnostic) {
                Ok(program) => trials.extend(trials_of(&Arc::new(program), places)),
                Err(why) => trials
                    .push(Trial::test(program::name_of(&file, language), move || {
                        Err(Failed::from(why))
                    })),
            }
        }
    }
    Ok(trials)
}

/// One trial for each case and level.
fn trials_of(program: &Arc<Program>, places: &Arc<Places>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for case in &program.directives.cases {
        let label = if case.label.is_empty() { String::new() } else { format!(".{}", case.label) };
        for level in &case.levels {
            let (program, places, case, level) =
                (program.clone(), places.clone(), case.clone(), level.clone());
            let name = format!("{}{label}::{level}", program.name);
            let shown = name.clone();
            trials.push(Trial::ignorable_test(name, move || {
                match program.test(&places, &case, &level)? {
                    Outcome::Passed(_) => Ok(Completion::Completed),
                    Outcome::Skipped(why) => {
                        eprintln!("skipped: {shown}: {why}");
                        Ok(Completion::ignored_with(why))
                    }
                }
            }));
        }
    }
    trials
}
