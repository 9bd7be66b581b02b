//! Programs that allocate, those with `ad-sanitizers`, under AddressSanitizer and LeakSanitizer: primals and shadows are freed
//! once, by the function that belongs to what allocated them, none is leaked, and nothing is
//! touched beyond its end or after its time. At one level in turn; with `adtest --all` at both.
//!
//! `cargo test -p adtests --test sanitizers -- heap` runs those whose name contains `heap`. The
//! plugin must be built before; without it the run fails.

use std::fs;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use adtests::harness::{self, Case};
use adtests::program::{Places, Program};
use adtoolchain::testing::LIMIT;
use adtoolchain::{Language, run, succeed};
use libtest_mimic::{Completion, Failed};

const LEVELS: [&str; 2] = ["O0", "O2"];

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let reports = || reports().map(|()| Completion::Completed);
    let mut cases = vec![Case::new("sanitizers/reports", reports)];
    let mut programs = Program::those_of(places, &["c"])?;
    programs.retain(|program| !program.directives.sanitizers.is_empty());
    for (nth, mut program) in programs.into_iter().enumerate() {
        program.name = format!("sanitizers/{}", program.name);
        let directives = &mut program.directives;
        let option = format!("-fsanitize={}", directives.sanitizers.join(","));
        for options in [&mut directives.flags, &mut directives.link] {
            options.extend([option.clone(), "-g".to_string()]);
        }
        let program = Arc::new(program);
        for level in harness::in_turn(&LEVELS, nth) {
            let (program, places) = (program.clone(), places.clone());
            cases.push(Case::new(format!("{}::{level}", program.name), move || {
                Ok(program.test(&places, &program.directives.cases[0], level)?.into())
            }));
        }
    }
    Ok(cases)
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
        let mut compile = Command::new(Language::Cpp.compiler());
        compile.args(["-fsanitize=address", "-w", "-o"]).args([&program, &file]);
        succeed(&mut compile, LIMIT)?;
        let done = run(&mut Command::new(&program), LIMIT)?;
        let stderr = &done.stderr;
        if done.is_success() || !stderr.contains(word) {
            return Err(format!("{source}: no report of a {word}: {stderr}").into());
        }
    }
    Ok(())
}
