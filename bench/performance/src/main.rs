//! The benchmark's command: prints the page of tables, and writes it with its plots beside it.
//! `adbench --help` lists the options.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adbench::cases::{CASES, Case, Instance};
use adbench::fortran;
use adbench::measure::{Aliasing, Effort, Measured, compile, run};
use adbench::page::{Row, page, updated};
use adbench::peers::{PEERS, Peer};
use adbench::prebuilt;
use adbench::second::{self, Setting};
use adbench::sparse;
use adbench::threads;
use adplots::{Group, bars};
use adtoolchain::Workbench;
use clap::Parser;

const EFFORT: Effort = Effort { seconds: 0.2, runs: 7 };
const QUICK: Effort = Effort { seconds: 0.02, runs: 3 };

/// Gradients beside hand-written ones and those of other tools.
///
/// Prints the page of tables. The exit code is 1 when numbers do not agree, 2 when something could
/// not be compiled or run.
#[derive(Parser)]
#[command(name = "adbench")]
struct Options {
    /// The cases; `prebuilt` is machine code of libraries, `fortran` Fortran beside C, `second`
    /// second derivatives, `directions` several directions, `sparse` sparse Jacobians, `threads` OpenMP
    /// regions [default: all].
    #[arg(long, value_delimiter = ',')]
    cases: Option<Vec<String>>,
    /// The other tools; `none` for none [default: all].
    #[arg(long, value_delimiter = ',')]
    peers: Option<Vec<String>>,
    /// Measurements of each, at most 101; the median counts [default: 7].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=101))]
    runs: Option<u32>,
    /// Seconds of one measurement [default: 0.2].
    #[arg(long, value_parser = seconds)]
    seconds: Option<f64>,
    /// More options of adcc, as in `--options "-march=native --ad-sums=ordered"`.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, default_value = "")]
    options: String,
    /// Three short measurements of each, without prebuilt code, second derivatives, several
    /// directions, sparse Jacobians and threads.
    #[arg(long)]
    quick: bool,
    /// The page is written there, and the plots beside it.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Sections that were measured replace those of this page; nothing else of it changes. The
    /// cases must be sections.
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    update: Option<PathBuf>,
}

/// What has a section of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    Fortran,
    Prebuilt,
    Second,
    Directions,
    Sparse,
    Threads,
}

/// All of them by name, in the order of the page.
const SECTIONS: [(&str, Section); 6] = [
    ("fortran", Section::Fortran),
    ("prebuilt", Section::Prebuilt),
    ("second", Section::Second),
    ("directions", Section::Directions),
    ("sparse", Section::Sparse),
    ("threads", Section::Threads),
];

/// What is to be measured.
struct Plan {
    cases: Vec<&'static Case>,
    sections: Vec<Section>,
    peers: Vec<Peer>,
    effort: Effort,
    /// More options of adcc.
    options: Vec<String>,
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|s| *s >= 0.0).ok_or("not a time".into())
}

impl Plan {
    fn of(o: &Options) -> Result<Plan, String> {
        let effort = if o.quick { QUICK } else { EFFORT };
        let mut plan = Plan {
            cases: CASES.iter().collect(),
            sections: SECTIONS
                .iter()
                .map(|(_, section)| *section)
                .filter(|section| !o.quick || *section == Section::Fortran)
                .collect(),
            peers: PEERS.to_vec(),
            effort: Effort {
                seconds: o.seconds.unwrap_or(effort.seconds),
                runs: o.runs.unwrap_or(effort.runs),
            },
            options: o.options.split_whitespace().map(String::from).collect(),
        };
        let lower = |list: &[String]| list.iter().map(|s| s.trim().to_lowercase()).collect();
        if let Some(list) = &o.cases {
            let mut named: Vec<String> = lower(list);
            let mut takes = |section: &str| {
                let before = named.len();
                named.retain(|name| name != section);
                named.len() < before
            };
            plan.sections = SECTIONS
                .iter()
                .filter(|(name, _)| takes(name))
                .map(|(_, section)| *section)
                .collect();
            plan.cases = chosen(plan.cases, &named, |case| case.name.to_string())?;
        }
        if o.update.is_some() && !plan.cases.is_empty() {
            let names = SECTIONS.map(|(name, _)| name).join(", ");
            return Err(format!("--update is for --cases of {names} only"));
        }
        if let Some(list) = &o.peers {
            let mut named: Vec<String> = lower(list);
            named.retain(|name| name != "none");
            let name = |peer: &Peer| peer.name().to_lowercase().replace('-', "");
            plan.peers = chosen(plan.peers, &named, name)?;
        }
        Ok(plan)
    }
}

/// Those of `all` that are named.
fn chosen<T>(all: Vec<T>, named: &[String], name: impl Fn(&T) -> String) -> Result<Vec<T>, String> {
    if let Some(unknown) = named.iter().find(|n| !all.iter().any(|t| name(t) == **n)) {
        return Err(format!(
            "there is no '{unknown}'; there are {}",
            all.iter().map(&name).collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(all.into_iter().filter(|t| named.contains(&name(t))).collect())
}

fn main() -> ExitCode {
    match bench(&Options::parse()) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|why| eprintln!("error: {why}"));
            ExitCode::FAILURE
        }
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

/// What does not agree.
fn bench(o: &Options) -> Result<Vec<String>, String> {
    let plan = Plan::of(o)?;
    let tools = Workbench::new()?;
    let (mut peers, mut missing) = (vec![], vec![]);
    for peer in &plan.peers {
        match peer.missing(&tools) {
            None => peers.push(*peer),
            Some(why) => missing.push(why),
        }
    }
    missing.iter().for_each(|why| eprintln!("adbench: skipped: {why}"));
    let data = data(tools.root());
    let mut rows = vec![];
    for case in &plan.cases {
        let programs = [
            compile(&tools, case, Aliasing::Restrict, &plan.options)?,
            compile(&tools, case, Aliasing::May, &plan.options)?,
        ];
        for instance in case.instances {
            eprintln!("adbench: {} {}", case.name, instance.name);
            rows.push(row(
                &tools,
                case,
                instance,
                &programs,
                &peers,
                data.as_deref(),
                plan.effort,
            )?);
        }
    }
    let mut text = page(&command(), &processor(), plan.effort, &rows, &missing);
    let mut failures: Vec<String> = rows.iter().flat_map(Row::failures).collect();
    let made = made(plan.effort, &missing);
    let setting = Setting {
        tools: &tools,
        data: data.as_deref(),
        peers: &peers,
        effort: plan.effort,
        options: &plan.options,
        made: &made,
    };
    let mut sections = String::new();
    for section in &plan.sections {
        let (made, wrong) = match section {
            Section::Fortran => match tools.missing_fortran() {
                Some(why) => {
                    eprintln!("adbench: skipped: Fortran: {why}");
                    continue;
                }
                None => fortran::section(&tools, plan.effort)?,
            },
            Section::Prebuilt => prebuilt::section(&tools, plan.effort)?,
            Section::Second => second::second(&setting)?,
            Section::Directions => second::directions(&setting)?,
            Section::Sparse => sparse::section(&setting)?,
            Section::Threads => threads::section(&setting)?,
        };
        sections.push_str(&made);
        failures.extend(wrong);
    }
    if let Some(file) = &o.update {
        let old = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        println!("{sections}");
        write(file, &updated(&old, &sections))?;
        return Ok(failures);
    }
    text.push_str(&sections);
    println!("{text}");
    if let Some(file) = &o.write {
        write(file, &text)?;
        plots(file, &rows)?;
    }
    Ok(failures)
}

/// How a section was made, where it may not be of the same run as the rest of the page.
fn made(effort: Effort, missing: &[String]) -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let mut text = format!(
        "Made by `{}` on {}: processor time, medians of {} measurements of at least {} s each, all kinds of a function in turn in one process.",
        command(),
        processor(),
        effort.runs,
        effort.seconds
    );
    if load > 1.0 {
        text.push_str(&format!(" Other programs ran at that time (load {load:.1})."));
    }
    for line in missing {
        text.push_str(&format!(" {line}."));
    }
    text
}

fn row(
    tools: &Workbench,
    case: &'static Case,
    instance: &'static Instance,
    programs: &[PathBuf; 2],
    peers: &[Peer],
    data: Option<&Path>,
    effort: Effort,
) -> Result<Row, String> {
    let (words, is_as_meant) = instance.words(data);
    let prefix = tools.file(&format!("{}.measured", case.name));
    let may_alias = run(&programs[1], &prefix, &words, effort)?;
    let adcc = run(&programs[0], &prefix, &words, effort)?;
    let mut measured = vec![];
    for peer in peers {
        if let Some(it) = peer.measure(tools, case.name, &prefix, effort)? {
            measured.push((*peer, it));
        }
    }
    let is_generated_instead = !is_as_meant;
    Ok(Row {
        case,
        instance: instance.name,
        is_generated_instead,
        adcc,
        may_alias: Some(may_alias),
        peers: measured,
    })
}

/// The folder of real inputs: that of `AD_BENCH_DATA`, or `shared/data` beside the project.
fn data(root: &Path) -> Option<PathBuf> {
    let folder = std::env::var_os("AD_BENCH_DATA")
        .map_or_else(|| root.join("../shared/data"), PathBuf::from);
    folder.is_dir().then_some(folder)
}

fn plots(file: &Path, rows: &[Row]) -> Result<(), String> {
    let mut names = vec!["adcc", "by hand", "adcc without restrict"];
    names.extend(PEERS.iter().map(|peer| peer.name()));
    for (kind, title) in [("gradient", "Gradient over primal"), ("tangent", "Tangent over primal")]
    {
        let groups: Vec<Group> = rows.iter().map(|row| group(row, kind)).collect();
        let name = format!(
            "{}-{kind}.svg",
            file.file_stem().map_or("performance".into(), |stem| stem.to_string_lossy())
        );
        write(&file.with_file_name(name), &bars(title, &names, &groups)?)?;
    }
    Ok(())
}

fn group(row: &Row, kind: &str) -> Group {
    let by_hand = if kind == "gradient" { row.adcc.ratio("by_hand") } else { None };
    let mut all: Vec<Option<f64>> = vec![
        row.adcc.ratio(kind),
        by_hand,
        row.may_alias.as_ref().and_then(|it: &Measured| it.ratio(kind)),
    ];
    all.extend(PEERS.iter().map(|peer| row.peer(*peer).and_then(|it| it.ratio(kind))));
    let bars = all.into_iter().enumerate().filter_map(|(i, value)| Some((i, value?))).collect();
    Group { label: format!("{} {}", row.case.name, row.instance), bars }
}

/// The name that the system gives the processor.
fn processor() -> String {
    let said = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = said.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or("a processor without a name".into(), |(_, name)| name.trim().to_string())
}

fn command() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    format!("adbench {}", words.join(" ")).trim().to_string()
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}
