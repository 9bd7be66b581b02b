//! Programs whose requests the link answers, all of them (`-ad-open=all`): a sample of the programs of one
//! file, those with `ad-open`. What the link makes must be what the file would have made.
//!
//! A name is `opened/folder/program::level`; levels go round.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use adtests::directives::DEFAULT_LEVELS;
use adtests::harness::{self, Case};
use adtests::program::{Places, Program};
use adtests::verdict;
use adtoolchain::{FAST_LINK, succeed};
use libtest_mimic::{Completion, Failed};

const LIMIT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let mut sample = Program::those_of(places, &["c"])?;
    sample.retain(|program| program.directives.is_opened);
    let all = sample.into_iter().enumerate();
    let all = all.flat_map(|(nth, p)| {
        harness::in_turn(&DEFAULT_LEVELS, nth).into_iter().map(move |l| (p.clone(), l))
    });
    let case = |(program, level): (Program, &'static str)| {
        let places = places.clone();
        Case::new(format!("opened/{}::{level}", program.name), move || {
            runs(&places, &program, level).map(|()| Completion::Completed)
        })
    };
    Ok(all.map(case).collect())
}

/// The program is compiled, linked, and finds its numbers right.
fn runs(places: &Places, program: &Program, level: &str) -> Result<(), Failed> {
    let name = program.name.replace('/', ".");
    let folder = places.scratch.join(format!("opened.{name}.{level}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let exe = folder.join("program");
    let mut link = adcc(places, program, level);
    let beside = program.file.parent().unwrap_or_else(|| Path::new(""));
    let others = program.directives.also.iter().map(|file| beside.join(file));
    for (nth, source) in std::iter::once(program.file.clone()).chain(others).enumerate() {
        let object = folder.join(format!("{nth}.o"));
        let mut compile = adcc(places, program, level);
        compile.args(["-mllvm", "-ad-open=all", "-c"]).arg(&source).arg("-o").arg(&object);
        compile.arg("-I").arg(places.tools.root.join("tests/c"));
        succeed(&mut compile, LIMIT)?;
        link.arg(object);
    }
    link.args(FAST_LINK).args(&program.directives.link).arg("-lm").arg("-o").arg(&exe);
    succeed(&mut link, LIMIT)?;
    let limit = Duration::from_secs(program.directives.seconds);
    let run = succeed(&mut Command::new(&exe), limit)?;
    verdict::closing_line(&run.stdout).map_err(|why| format!("{why}\n{run}"))?;
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// adcc with the options of a program.
fn adcc(places: &Places, program: &Program, level: &str) -> Command {
    let mut command = places.tools.adcc_for(program.language);
    command.arg(format!("-{level}")).args(&program.directives.flags);
    command.args(program.directives.options.iter().map(|option| format!("-{option}")));
    command
}
