//! `adfigures --codes gmm,lu --settings nothing,reload,all --runs N --quick --write FILE`
//!
//! Prints a table per code; `--write` makes a page of Markdown of them. Without `--codes` and
//! `--settings`: all. `--quick` is one run of each. Exit code 1 when a gradient is wrong, 2 when
//! something could not be compiled or run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adfigures::codes::{CODES, Code};
use adfigures::measure::measure;
use adfigures::report::{self, Row};
use adfigures::toolchain::Toolchain;

const RUNS: u32 = 5;
/// The setting with every analysis on.
const NOTHING: &str = "nothing";

struct Options {
    codes: Vec<String>,
    settings: Vec<String>,
    runs: u32,
    write: Option<PathBuf>,
}

fn options() -> Result<Options, String> {
    let mut o = Options { codes: vec![], settings: vec![], runs: RUNS, write: None };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        if name == "--quick" {
            o.runs = 1;
            continue;
        }
        let value = args.next().ok_or(format!("{name} needs a value"))?;
        let list =
            || value.split(',').map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect();
        match name.as_str() {
            "--codes" => o.codes = list(),
            "--settings" => o.settings = list(),
            "--runs" => {
                o.runs = value
                    .parse()
                    .ok()
                    .filter(|n| *n > 0)
                    .ok_or(format!("--runs {value}: no number of runs"))?
            }
            "--write" => o.write = Some(value.into()),
            _ => {
                return Err(format!(
                    "unknown option {name}; there are --codes, --settings, --runs, --quick, --write"
                ));
            }
        }
    }
    Ok(o)
}

fn main() -> ExitCode {
    match options().and_then(|o| figures(&o)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

/// Whether every gradient is right.
fn figures(o: &Options) -> Result<bool, String> {
    let tools =
        Toolchain::find(&std::env::temp_dir().join(format!("adfigures-{}", std::process::id())))?;
    let mut settings = vec![NOTHING.to_string()];
    settings.extend(tools.analyses()?);
    settings.push("all".into());
    let settings = chosen(settings, &o.settings, "setting", String::as_str)?;
    let codes = chosen(CODES.iter().collect(), &o.codes, "code", |code: &&Code| code.name)?;

    let (mut tables, mut is_right) = (vec![], true);
    for code in codes {
        let rows = rows(&tools, code, &settings, o.runs)?;
        is_right &= rows.iter().all(Row::is_right);
        let table = report::table(code, &rows);
        println!("{table}");
        tables.push(table);
    }
    if let Some(file) = &o.write {
        write(file, &report::page(&command(), o.runs, &tables))?;
    }
    Ok(is_right)
}

/// The first setting's gradient is what the others are compared with: everything on, whether it is
/// shown or not.
fn rows(
    tools: &Toolchain,
    code: &Code,
    settings: &[String],
    runs: u32,
) -> Result<Vec<Row>, String> {
    let reference = measure(tools, code, "", runs)?;
    let mut rows = vec![];
    for setting in settings {
        let figures = if setting == NOTHING {
            reference.clone()
        } else {
            measure(tools, code, setting, runs)?
        };
        rows.push(Row::new(setting, figures, &reference.values));
    }
    Ok(rows)
}

/// Those of `all` that are named; all if none is.
fn chosen<T>(
    all: Vec<T>,
    named: &[String],
    what: &str,
    name: impl Fn(&T) -> &str,
) -> Result<Vec<T>, String> {
    if let Some(unknown) = named.iter().find(|n| !all.iter().any(|t| name(t) == *n)) {
        let names: Vec<&str> = all.iter().map(&name).collect();
        return Err(format!("there is no {what} '{unknown}'; there are {}", names.join(", ")));
    }
    Ok(all.into_iter().filter(|t| named.is_empty() || named.iter().any(|n| n == name(t))).collect())
}

fn command() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo run --release -p adfigures -- {}", words.join(" "))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}
