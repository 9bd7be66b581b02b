//! The command that measures what each analysis is worth: a table per code, and a page of Markdown of
//! them. `adfigures --help` lists the options.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adfigures::codes::{CODES, Code};
use adfigures::measure::measure;
use adfigures::report::{self, Row};
use adtoolchain::Workbench;
use clap::Parser;

/// The setting with every analysis on.
const NOTHING: &str = "nothing";

/// Tape, time and code size of gradients with each analysis of the plugin and without it.
///
/// Prints a table per code. The exit code is 1 when a gradient is wrong, 2 when something could not
/// be compiled or run.
#[derive(Parser)]
#[command(name = "adfigures")]
struct Options {
    /// The codes [default: all].
    #[arg(long, value_delimiter = ',')]
    codes: Vec<String>,
    /// What is switched off: analyses, `nothing`, `all` [default: one after the other].
    #[arg(long, value_delimiter = ',')]
    settings: Vec<String>,
    /// Runs of each; the median counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// One run of each.
    #[arg(long, conflicts_with = "runs")]
    quick: bool,
    /// A page of Markdown is written there.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

impl Options {
    fn runs(&self) -> u32 {
        if self.quick { 1 } else { self.runs }
    }
}

fn main() -> ExitCode {
    match figures(&Options::parse()) {
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
    let tools = Workbench::new()?;
    let mut settings = vec![NOTHING.to_string()];
    settings.extend(tools.tools.analyses()?);
    settings.push("all".into());
    let settings = chosen(settings, &o.settings, "setting", String::as_str)?;
    let codes = chosen(CODES.iter().collect(), &o.codes, "code", |code: &&Code| code.name)?;

    let (mut tables, mut is_right) = (vec![], true);
    for code in codes {
        let rows = rows(&tools, code, &settings, o.runs())?;
        is_right &= rows.iter().all(Row::is_right);
        let table = report::table(code, &rows);
        println!("{table}");
        tables.push(table);
    }
    if let Some(file) = &o.write {
        write(file, &report::page(&command(), o.runs(), &tables))?;
    }
    Ok(is_right)
}

/// The first setting's gradient is what the others are compared with: everything on, whether it is
/// shown or not.
fn rows(
    tools: &Workbench,
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
