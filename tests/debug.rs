//! Debug information of derivatives.
//!
//! - Programs of `tests/c` and `tests/fortran` with `-g`: LLVM's verifier accepts what was generated, and the numbers are right.
//!   A part of them, at one level each in turn; with `adtest --all` every one at every level.
//! - The instructions of derivatives are the same with `-g` and without.
//! - Sessions of gdb: each file of `tests/debug` is a program with the commands of one in its leading comment, and what
//!   gdb must answer:
//!
//! | directive | meaning |
//! |---|---|
//! | `ad-build: -O0 -g …` | options of adcc, one build and session for each line |
//! | `ad-gdb: COMMAND` | a command |
//! | `ad-shows: TEXT` | the answer to the command before contains this |
//! | `ad-hides: TEXT` | it does not contain this |
//!
//! `cargo test -p adtests --test debug -- gdb` runs the sessions. The plugin must be built before; without it the run
//! fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use adtests::directives::{self, DEFAULT_LEVELS};
use adtests::harness::{self, Case};
use adtests::program::{Places, Program};
use adtoolchain::command::report;
use adtoolchain::testing::LIMIT;
use adtoolchain::{Language, llvm, run, succeed};
use libtest_mimic::{Completion, Failed};

/// One program of so many is built with `-g`.
const SHARE: usize = 18;
/// Programs whose instructions are compared.
const COMPARED: [&str; 6] = [
    "c/debug_info", "c/calls", "c/aliasing", "c/custom_memory", "c/objects_cpp",
    "fortran/complex_numbers",
];
/// Stands between the answers of gdb.
const MARK: &str = "@answered@";

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let mut cases = vec![];
    let programs = Program::those_of(places, &["c", "fortran"])?;
    for (nth, program) in programs.iter().enumerate() {
        // How long a program takes says nothing of its lines.
        let is_wanted = harness::wants_all() || !program.directives.is_long;
        if is_wanted && harness::is_in_turn(nth, SHARE) {
            let is_stated = |level: &&str| {
                let mut cases = program.directives.cases.iter();
                cases.any(|c| c.levels.iter().any(|stated| stated == level))
            };
            let stated: Vec<&str> = DEFAULT_LEVELS.into_iter().filter(is_stated).collect();
            let levels = harness::in_turn(&stated, nth / SHARE);
            cases.extend(levels.into_iter().map(|level| verified(program, level, places)));
        }
    }
    let compared = programs.iter().filter(|p| COMPARED.contains(&p.name.as_str()));
    cases.extend(compared.map(|program| same_code(program, places)));
    let folder = places.tools.root.join("tests/debug");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    files.sort();
    for file in files {
        let session = Session::read(&file)?;
        for (nth, build) in session.builds.iter().cloned().enumerate() {
            let (session, places) = (session.clone(), places.clone());
            let name = format!("gdb/{}::{}", session.name, build.join(" "));
            cases.push(Case::new(name, move || {
                session.run(&places, &build, nth).map(|()| Completion::Completed)
            }));
        }
    }
    Ok(cases)
}

/// A program with `-g`, which LLVM's verifier accepts.
fn verified(program: &Program, level: &'static str, places: &Arc<Places>) -> Case {
    let (mut program, places) = (program.clone(), places.clone());
    program.name = format!("debug/{}", program.name);
    program.directives.flags.push("-g".into());
    if program.language != Language::Fortran {
        program.directives.flags.push("-fverify-intermediate-code".into());
    }
    Case::new(format!("{}::{level}", program.name), move || {
        Ok(program.test(&places, &program.directives.cases[0], level)?.into())
    })
}

/// The IR of a program at -O2 and at -O0 is the same with `-g` and without, but for debug information.
fn same_code(program: &Program, places: &Arc<Places>) -> Case {
    let (program, places) = (program.clone(), places.clone());
    let name = format!("debug/same/{}", program.name);
    Case::new(name.clone(), move || {
        let folder = places.scratch.join(name.replace('/', "."));
        fs::create_dir_all(&folder)?;
        for level in ["O0", "O2"] {
            let mut texts = vec![];
            for debug in [&[][..], &["-g".to_string()]] {
                let file = folder.join(format!("{}.ll", texts.len()));
                let mut compile = program.compile(&places, &program.file, &folder, level)?;
                compile.args(debug.iter()).args(["-emit-llvm", "-S", "-o"]).arg(&file);
                succeed(&mut compile, LIMIT)?;
                let mut strip = llvm("opt");
                strip.args(["-strip-debug", "-S", "-o", "-"]).arg(&file);
                texts.push(instructions(&succeed(&mut strip, LIMIT)?.stdout));
            }
            if texts[0].is_empty() || texts[0] != texts[1] {
                let differ = texts[0].iter().zip(&texts[1]).find(|(a, b)| a != b);
                return Err(format!("-{level}: code depends on -g: {differ:?}").into());
            }
        }
        fs::remove_dir_all(&folder)?;
        Ok(Completion::Completed)
    })
}

/// The lines of all functions, without the numbers of metadata, attributes and texts.
fn instructions(text: &str) -> Vec<String> {
    let without_numbers = |line: &str| {
        let mut plain = String::new();
        // Texts for messages are numbered, too.
        for part in line.replace("@ad.text.", "@ad.text#").split_inclusive(['!', '#']) {
            plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        plain
    };
    text.lines()
        .filter(|l| l.starts_with("define") || l.starts_with("  ") || l.ends_with(':'))
        .map(without_numbers)
        .collect()
}

/// A program and a session with it.
#[derive(Clone)]
struct Session {
    file: PathBuf,
    name: String,
    builds: Vec<Vec<String>>,
    /// Commands, and what the answer must and must not contain.
    steps: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    command: String,
    shows: Vec<String>,
    hides: Vec<String>,
}

impl Session {
    fn read(file: &Path) -> Result<Session, String> {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (mut builds, mut steps) = (vec![], Vec::<Step>::new());
        for (number, word, rest) in directives::lines(&text) {
            let fail = |why: &str| format!("{name}, line {number}: {why}");
            match word {
                "build" => builds.push(rest.split_whitespace().map(str::to_owned).collect()),
                "gdb" => {
                    let command = rest.to_owned();
                    steps.push(Step { command, shows: vec![], hides: vec![] });
                }
                "shows" | "hides" => {
                    let step = steps.last_mut().ok_or_else(|| fail("no command before"))?;
                    let of = if word == "shows" { &mut step.shows } else { &mut step.hides };
                    of.push(rest.to_owned());
                }
                _ => return Err(fail(directives::UNKNOWN)),
            }
        }
        if builds.is_empty() || !steps.iter().any(|s| !s.shows.is_empty()) {
            return Err(format!("{name}: it needs `ad-build`, `ad-gdb` and `ad-shows`"));
        }
        Ok(Session { file: file.into(), name, builds, steps })
    }

    fn run(&self, places: &Places, build: &[String], nth: usize) -> Result<(), Failed> {
        let folder = places.scratch.join(format!("gdb.{}.{nth}", self.name));
        fs::create_dir_all(&folder)?;
        let program = folder.join("program");
        let language = Language::of(&self.file).ok_or("not a source")?;
        let mut compile = places.tools.adcc_for(language);
        compile.args(build).arg(&self.file).arg("-o").arg(&program).current_dir(&folder);
        succeed(&mut compile, LIMIT)?;
        let mut gdb = Command::new("gdb");
        gdb.args(["-nx", "-q", "-batch"]);
        for setting in ["pagination off", "width 0", "confirm off", "debuginfod enabled off"] {
            gdb.args(["-ex", &format!("set {setting}")]);
        }
        for step in &self.steps {
            gdb.args(["-ex", &format!("echo {MARK}"), "-ex", &step.command]);
        }
        gdb.arg(&program);
        let done = run(&mut gdb, LIMIT)?;
        let answers: Vec<&str> = done.stdout.split(MARK).skip(1).collect();
        for (step, answer) in self.steps.iter().zip(&answers) {
            let is_wrong = step.shows.iter().any(|t| !answer.contains(t.as_str()))
                || step.hides.iter().any(|t| answer.contains(t.as_str()));
            if is_wrong {
                let (command, shows, hides) = (&step.command, &step.shows, &step.hides);
                let wants = format!("`{command}` must show {shows:?} and not {hides:?}");
                return Err(format!("{wants}, and shows\n{answer}\n{}", report(&gdb, &done)).into());
            }
        }
        if answers.len() != self.steps.len() {
            return Err(format!("the session ended early\n{}", report(&gdb, &done)).into());
        }
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
