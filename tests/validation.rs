//! `adcc --ad-check`: programs of `validation` whose derivatives are right, or wrong at a known place.
//!
//! Each file, or each folder, is a program. Lines of the leading comment of its main file say what to
//! expect:
//!   check-right: OPTIONS              compiled with these, nothing is wrong
//!   check-compares: TEXT              and `ADRT_CHECK=verbose` says that this was compared; any number
//!   check-notes: TEXT                 a note of the compiler or of the program, in right variants
//!   check-blames: OPTIONS | TEXT | …  compiled with these, the program warns, with these texts
//!   check-link: OPTIONS               for the link
//!   check-machine-code: FILE …        gcc compiles these sources of the folder
//!   ad-flags: OPTIONS                 for all commands
//!
//! Each is built at one level, in turn; with `adtest --all` at each.
//!
//! What the program prints, its exit code, and the files that it leaves are those of a run without checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use adtests::harness::{self, Case};
use adtests::program::Places;
use adtoolchain::{Language, run, succeed};
use libtest_mimic::{Completion, Failed};

const LIMIT: Duration = Duration::from_secs(120);
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];
/// Of programs that are wrong.
const ENDS: [&str; 2] = ["-O0", "-O2"];

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

/// What a main file asks for.
#[derive(Clone, Default)]
struct Expected {
    right: Vec<String>,
    compares: Vec<String>,
    notes: Vec<String>,
    blames: Vec<(String, Vec<String>)>,
    link: Vec<String>,
    flags: Vec<String>,
    machine_code: Vec<String>,
}

impl Expected {
    fn read(text: &str) -> Result<Expected, String> {
        let mut all = Expected::default();
        for line in text.lines() {
            let line = line.trim_start_matches(|c: char| "/*!/ ".contains(c));
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim().trim_end_matches("*/").trim().to_string();
            let words = || value.split_whitespace().map(String::from).collect::<Vec<_>>();
            match name {
                "check-right" => all.right.push(value),
                "check-compares" => all.compares.push(value),
                "check-notes" => all.notes.push(value),
                "check-blames" => {
                    let (options, texts) = value.split_once('|').ok_or("check-blames has no |")?;
                    let texts = texts.split('|').map(|t| t.trim().into()).collect();
                    all.blames.push((options.trim().into(), texts));
                }
                "check-link" => all.link = words(),
                "check-machine-code" => all.machine_code = words(),
                "ad-flags" => all.flags = words(),
                _ if name.starts_with("check-") => return Err(format!("unknown directive {name}")),
                _ => {}
            }
        }
        if all.right.is_empty() && all.blames.is_empty() {
            return Err("it expects nothing".into());
        }
        Ok(all)
    }
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let folder = places.tools.root.join("tests/validation");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut cases = vec![];
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    paths.sort();
    for (nth, path) in paths.into_iter().enumerate() {
        let sources = sources(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let main = sources.first().ok_or(format!("{} has no source", path.display()))?;
        let text = fs::read_to_string(main).map_err(|e| e.to_string())?;
        let expected = Expected::read(&text).map_err(|e| format!("{}: {e}", main.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut add = |n: usize, level: &'static str, options: &str, blamed: &[String]| {
            let (places, sources, expected) = (places.clone(), sources.clone(), expected.clone());
            let (options, blamed) = (options.to_string(), blamed.to_vec());
            let case = format!("validation/{name}::{n}{level}");
            let folder = format!("validation.{name}.{n}{level}");
            cases.push(Case::new(case, move || {
                let build =
                    Build { places: &places, sources: &sources, expected: &expected, level };
                let folder = places.scratch.join(&folder);
                build.checks(&folder, &options, &blamed).map(|()| Completion::Completed)
            }));
        };
        for (n, options) in expected.right.iter().enumerate() {
            harness::in_turn(&LEVELS, nth + n).iter().for_each(|level| add(n, level, options, &[]));
        }
        for (n, (options, texts)) in expected.blames.iter().enumerate() {
            let ends = harness::in_turn(&ENDS, nth + n);
            ends.iter().for_each(|level| add(100 + n, level, options, texts));
        }
    }
    Ok(cases)
}

/// The main file first.
fn sources(path: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    if path.is_file() {
        return Ok(vec![path.into()]);
    }
    let entries = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
    let mut all: Vec<PathBuf> = entries.into_iter().map(|e| e.path()).collect();
    all.retain(|p| Language::of(p).is_some());
    all.sort_by_key(|p| (p.file_stem().is_none_or(|s| s != "main"), p.clone()));
    Ok(all)
}

struct Build<'a> {
    places: &'a Places,
    sources: &'a [PathBuf],
    expected: &'a Expected,
    level: &'static str,
}

impl Build<'_> {
    fn adcc(&self, language: Language) -> Command {
        let mut command = self.places.tools.adcc();
        command.arg(match language {
            Language::C => "--ad-driver=c",
            Language::Cpp => "--ad-driver=c++",
            Language::Fortran => "--ad-driver=fortran",
        });
        command.args(["--ad-check", "-Werror", self.level]).args(&self.expected.flags);
        command
    }

    /// Builds the program; what the compiler says.
    fn build(&self, folder: &Path, options: &str) -> Result<String, Failed> {
        let (mut objects, mut said) = (vec![], String::new());
        let languages: Vec<Language> =
            self.sources.iter().filter_map(|s| Language::of(s)).collect();
        for (source, &language) in self.sources.iter().zip(&languages) {
            let object = folder.join(source.file_name().unwrap_or_default()).with_extension("o");
            let is_foreign = self.expected.machine_code.iter().any(|file| source.ends_with(file));
            let mut compile = match is_foreign {
                true => Command::new("gcc"),
                false => self.adcc(language),
            };
            if !is_foreign {
                compile.args(options.split_whitespace());
            }
            compile.arg("-c").arg(source).arg("-o").arg(&object).current_dir(folder);
            said.push_str(&succeed(&mut compile, LIMIT)?.stderr);
            objects.push(object);
        }
        let first = [Language::Fortran, Language::Cpp, Language::C];
        let language = first.into_iter().find(|l| languages.contains(l)).unwrap_or(Language::C);
        let mut link = self.adcc(language);
        link.args(objects).args(["-o", "program", "-lm"]).args(&self.expected.link);
        said.push_str(&succeed(link.current_dir(folder), LIMIT)?.stderr);
        Ok(said)
    }

    fn checks(&self, folder: &Path, options: &str, blamed: &[String]) -> Result<(), Failed> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let compiler = self.build(folder, options)?;
        let mut results = vec![];
        for check in ["0", "", "verbose", "error"] {
            let place = folder.join(format!("run{check}"));
            fs::create_dir_all(&place)?;
            let mut program = Command::new(folder.join("program"));
            program.current_dir(&place).env_remove("ADRT_CHECK");
            if !check.is_empty() {
                program.env("ADRT_CHECK", check);
            }
            results.push((run(&mut program, LIMIT)?, files(&place)?));
        }
        let [(off, _), (on, _), (verbose, _), (error, _)] = &results[..] else {
            return Err("there are four runs".into());
        };
        let fail = |what: &str, run: &adtoolchain::Finished| Err(format!("{what}\n{run}").into());
        if off.code != Some(0) || !off.stderr.is_empty() {
            return fail("the program alone fails", off);
        }
        for (run, left) in &results[..3] {
            if (run.code, &run.stdout) != (off.code, &off.stdout) || *left != results[0].1 {
                return fail("the check changes what the program does", run);
            }
        }
        if blamed.is_empty() {
            let is_silent = |text: &str| text.lines().all(|l| l.contains(": note AD"));
            if !is_silent(&on.stderr) || error.code != Some(0) {
                return fail("the check finds something wrong", on);
            }
            if self.expected.notes.is_empty() && !on.stderr.is_empty() {
                return fail("there are notes", on);
            }
            let said = format!("{compiler}{}", verbose.stderr);
            let wanted = self.expected.compares.iter().chain(&self.expected.notes);
            return match wanted.into_iter().find(|text| !said.contains(*text)) {
                Some(text) => fail(&format!("does not say '{text}'"), verbose),
                None => Ok(()),
            };
        }
        let is_said = |text: &String| on.stderr.contains(text);
        if !on.stderr.contains("adrt: warning AD224: ") || !blamed.iter().all(is_said) {
            return fail(&format!("does not blame {blamed:?}"), on);
        }
        if error.code == Some(0) || !error.stderr.contains("adrt: error AD224: ") {
            return fail("ADRT_CHECK=error does not end the program", error);
        }
        Ok(())
    }
}

/// What the program left, by name.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, std::io::Error> {
    let read = |e: Result<fs::DirEntry, std::io::Error>| {
        let path = e?.path();
        Ok((path.file_name().unwrap_or_default().into(), fs::read(&path)?))
    };
    fs::read_dir(folder)?.map(read).collect()
}
