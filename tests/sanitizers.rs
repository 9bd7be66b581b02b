//! Programs that allocate, under AddressSanitizer and LeakSanitizer: primals and shadows are freed
//! once, by the function that belongs to what allocated them, none is leaked, and nothing is
//! touched beyond its end or after its time.
//!
//! `cargo test -p adtests --test sanitizers -- heap` runs those whose name contains `heap`. The
//! plugin must be built before; without it the run fails.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use adtests::program::{Language, Outcome, Places, Program};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Programs of tests/c whose names begin so; what asks for more memory than there is, a sanitizer
/// takes for a mistake.
const FAMILIES: [&str; 11] = [
    "heap_", "global_", "linked_list", "list_", "map_", "tree_", "stack_", "objects", "vector",
    "adjoint_directions", "several_directions",
];
const LEFT_OUT: [&str; 2] = ["heap_refused.c", "global_refused.c"];
const LEVELS: [&str; 2] = ["O0", "O2"];
const OPTIONS: &str = "-fsanitize=address";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let places = Arc::new(Places::new(Path::new(env!("CARGO_TARGET_TMPDIR"))));
    if let Some(why) = places.missing() {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    match trials(&places) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(places: &Arc<Places>) -> Result<Vec<Trial>, String> {
    let folder = places.root.join("tests/c");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|n| FAMILIES.iter().any(|f| n.starts_with(f)) && !LEFT_OUT.contains(&n.as_str()));
    names.sort();
    let mut trials = vec![Trial::test("sanitizers/reports", reports)];
    for name in names.iter().filter(|n| Language::of(Path::new(n)).is_some()) {
        let mut program = Program::read(&folder.join(name), false)?;
        program.name = format!("sanitizers/{}", program.name);
        for options in [&mut program.directives.flags, &mut program.directives.link] {
            options.extend([OPTIONS.to_string(), "-g".to_string()]);
        }
        let program = Arc::new(program);
        for level in LEVELS {
            let (program, places) = (program.clone(), places.clone());
            trials.push(Trial::ignorable_test(format!("{}::{level}", program.name), move || {
                match program.test(&places, &program.directives.cases[0], level)? {
                    Outcome::Passed(_) => Ok(Completion::Completed),
                    Outcome::Skipped(why) => Ok(Completion::ignored_with(why)),
                }
            }));
        }
    }
    Ok(trials)
}

/// The sanitizers work here: a program that leaks, and one that frees with the wrong function,
/// fail.
fn reports() -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let leaks = "int main() { static char *volatile p; p = new char[10]; p = 0; }";
    let mismatched = "int main() { char *volatile p = new char[10]; delete p; }";
    for (source, word) in [(leaks, "leak"), (mismatched, "mismatch")] {
        let (file, program) = (folder.path().join("program.cpp"), folder.path().join("program"));
        fs::write(&file, source).map_err(|e| e.to_string())?;
        let compiled = Command::new(Language::Cpp.compiler())
            .arg(OPTIONS)
            .arg("-w")
            .arg(&file)
            .arg("-o")
            .arg(&program)
            .status();
        if !compiled.is_ok_and(|s| s.success()) {
            return Err(format!("{source}: does not compile").into());
        }
        let run = Command::new(&program).output().map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&run.stderr);
        if run.status.success() || !said.contains(word) {
            return Err(format!("{source}: no report of a {word}: {said}").into());
        }
    }
    Ok(())
}
