//! `adbench --cases gmm,lse --peers adolc,jax --runs N --seconds S --options WORDS --quick --write FILE`
//!
//! Prints the page of tables; `--write` puts it into FILE and the plots beside it. Without
//! `--cases` and `--peers`: all. `--options` are more of adcc's, as
//! `--options "-march=native --ad-sums=ordered"`. `--quick` is three short runs of each, without
//! prebuilt code; `--cases prebuilt` is prebuilt code. Exit code 1 when numbers do not agree, 2
//! when something could not be compiled or run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adbench::cases::{CASES, Case, Instance};
use adbench::measure::{Aliasing, Effort, Measured, compile, run};
use adbench::page::{Row, page};
use adbench::peers::{PEERS, Peer};
use adbench::plot::{Group, bars};
use adbench::prebuilt;
use adfigures::toolchain::Toolchain;

const EFFORT: Effort = Effort { seconds: 0.2, runs: 7 };
const QUICK: Effort = Effort { seconds: 0.02, runs: 3 };
const USAGE: &str = "there are --cases (also prebuilt) and --peers (none for none), --runs, --seconds, --options, --quick, --write";

struct Options {
    cases: Vec<&'static Case>,
    peers: Vec<Peer>,
    effort: Effort,
    has_prebuilt: bool,
    options: Vec<String>,
    write: Option<PathBuf>,
}

fn options() -> Result<Options, String> {
    let mut o = Options {
        cases: CASES.iter().collect(),
        peers: PEERS.to_vec(),
        effort: EFFORT,
        has_prebuilt: true,
        options: vec![],
        write: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        if name == "--quick" {
            (o.effort, o.has_prebuilt) = (QUICK, false);
            continue;
        }
        let value = args.next().ok_or(format!("{name} needs a value; {USAGE}"))?;
        let list: Vec<String> = value.split(',').map(|s| s.trim().to_lowercase()).collect();
        match name.as_str() {
            "--cases" => {
                let (prebuilt, named): (Vec<_>, Vec<_>) =
                    list.into_iter().partition(|name| name == "prebuilt");
                o.has_prebuilt = !prebuilt.is_empty();
                o.cases = chosen(CASES.iter().collect(), &named, |case| case.name.to_string())?
            }
            "--peers" if value == "none" => o.peers.clear(),
            "--peers" => {
                o.peers = chosen(PEERS.to_vec(), &list, |peer| {
                    peer.name().to_lowercase().replace('-', "")
                })?
            }
            "--runs" => {
                o.effort.runs = value
                    .parse()
                    .ok()
                    .filter(|n| (1..=101).contains(n))
                    .ok_or("--runs: 1 to 101")?
            }
            "--seconds" => {
                o.effort.seconds =
                    value.parse().ok().filter(|s| *s >= 0.0).ok_or("--seconds: not a time")?
            }
            "--options" => o.options = value.split_whitespace().map(String::from).collect(),
            "--write" => o.write = Some(value.into()),
            _ => return Err(format!("unknown option {name}; {USAGE}")),
        }
    }
    Ok(o)
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
    match options().and_then(|o| bench(&o)) {
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
    let tools =
        Toolchain::find(&std::env::temp_dir().join(format!("adbench-{}", std::process::id())))?;
    let (mut peers, mut missing) = (vec![], vec![]);
    for peer in &o.peers {
        match peer.missing(&tools) {
            None => peers.push(*peer),
            Some(why) => missing.push(why),
        }
    }
    missing.iter().for_each(|why| eprintln!("adbench: skipped: {why}"));
    let data = data(tools.root());
    let mut rows = vec![];
    for case in &o.cases {
        let programs = [
            compile(&tools, case, Aliasing::Restrict, &o.options)?,
            compile(&tools, case, Aliasing::May, &o.options)?,
        ];
        for instance in case.instances {
            eprintln!("adbench: {} {}", case.name, instance.name);
            rows.push(row(&tools, case, instance, &programs, &peers, data.as_deref(), o.effort)?);
        }
    }
    let mut text = page(&command(), &processor(), o.effort, &rows, &missing);
    let mut failures: Vec<String> = rows.iter().flat_map(Row::failures).collect();
    if o.has_prebuilt {
        let (section, wrong) = prebuilt::section(&tools, o.effort)?;
        text.push_str(&section);
        failures.extend(wrong);
    }
    println!("{text}");
    if let Some(file) = &o.write {
        write(file, &text)?;
        plots(file, &rows)?;
    }
    Ok(failures)
}

fn row(
    tools: &Toolchain,
    case: &'static Case,
    instance: &'static Instance,
    programs: &[PathBuf; 2],
    peers: &[Peer],
    data: Option<&Path>,
    effort: Effort,
) -> Result<Row, String> {
    let (words, is_as_meant) = instance.words(data);
    let prefix = tools.scratch(&format!("{}.measured", case.name));
    let may_alias = run(&programs[1], &prefix, &words, effort)?;
    let adcc = run(&programs[0], &prefix, &words, effort)?;
    let mut measured = vec![];
    for peer in peers {
        if let Some(it) = peer.measure(tools, case, &prefix, effort)? {
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
        write(&file.with_file_name(name), &bars(title, &names, &groups))?;
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
