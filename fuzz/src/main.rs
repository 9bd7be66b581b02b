//! The fuzzer's command: tests programs `SEED/0 .. SEED/COUNT-1`, shrinks the first failures and
//! writes them to a folder. `adfuzz --help` lists the options.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfuzz::boundary::{Boundary, Feature, Tally};
use adfuzz::check::{self, Failure, FailureKind, Subject};
use adfuzz::compiler::{Compiler, NARROW};
use adfuzz::driver::{MODES, Mode};
use adfuzz::shrink;
use adfuzz::{files, generate, print, structures};
use clap::builder::PossibleValuesParser;
use clap::{Parser, ValueEnum};

/// One batch in so many is compiled without inlining.
const INLINING_OFF: usize = 3;
/// Bytes of stack for one worker: the interpreter calls itself for nested expressions and for calls
/// of the program.
const STACK: usize = 256 << 20;

/// Tests random programs against an interpreter of dual numbers, in both modes.
///
/// Shrinks the first programs that fail and writes them to a folder. The exit code is 1 when
/// something failed, 2 when nothing could be tested. Without --disable every third batch is compiled
/// without inlining, so that calls reach the analyses as calls.
#[derive(Parser)]
#[command(name = "adfuzz")]
struct Options {
    /// How many programs.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Number of the first program.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// The seed: programs are the same for the same seed and number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Optimisation levels.
    #[arg(long, value_delimiter = ',', default_value = "0,1,2,3")]
    levels: Vec<u32>,
    /// Folder for the programs that fail [default: adfuzz in the folder for temporary files].
    #[arg(long, value_name = "FOLDER", default_value_os_t = kept(), hide_default_value = true)]
    keep: PathBuf,
    /// Features that the programs do not have.
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(generate::FEATURES.iter().copied())
    )]
    without: Vec<String>,
    /// Analyses of the plugin that are switched off in all batches; may be empty.
    #[arg(long, value_delimiter = ',')]
    disable: Option<Vec<String>>,
    /// Programs in one file.
    #[arg(long, default_value_t = 20)]
    batch: usize,
    /// How many failing programs are shrunk.
    #[arg(long, default_value_t = 8)]
    shrink: usize,
    /// Batches at a time [default: the number of processors].
    #[arg(long, default_value_t = processors(), hide_default_value = true)]
    jobs: usize,
    /// Print the programs and test nothing.
    #[arg(long)]
    print: bool,
    /// Some loops are checkpointed, and some statements are regions of their own. Where that is
    /// refused (AD050, AD213, and AD032 or AD033 of pointers that go through memory then), the
    /// program is tested again with half as many, until none is left.
    #[arg(long)]
    checkpoints: bool,
    /// The functions are in libraries, compiled by gcc and clang in several ways, and go through the
    /// shadow runtime. Without global variables, which would be the libraries'.
    #[arg(long)]
    prebuilt: bool,
    /// Programs of records with mixed members, unions, bit fields, pointers into members, copies of
    /// parts, trees and containers, composed of idioms in C.
    #[arg(long, conflicts_with_all = ["boundaries", "checkpoints", "without"])]
    structures: bool,
    /// The idioms of --structures [default: all].
    #[arg(
        long,
        value_delimiter = ',',
        requires = "structures",
        value_parser = PossibleValuesParser::new(structures::idioms()),
        hide_possible_values = true
    )]
    idioms: Vec<String>,
    /// 32-bit programs, every second batch without SSE2, where values have 80 bits until they go to
    /// memory.
    #[arg(long)]
    m32: bool,
    /// Programs are divided between what is compiled here and a library of gcc or clang; variables,
    /// functions and bits of reals cross the call boundary. Refusals are counted by code, in a
    /// table.
    #[arg(long)]
    boundaries: bool,
    /// Programs are divided over two to four files, which adcc compiles, each at a level of its own, and
    /// links, some of them from an archive. Refusals that the program in one file has, too, are counted.
    #[arg(long, conflicts_with_all = ["boundaries", "checkpoints", "prebuilt", "m32"])]
    files: bool,
    /// How programs are divided with --boundaries [default: in all ways].
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_values_t = Feature::value_variants().to_vec(),
        hide_default_value = true
    )]
    kinds: Vec<Feature>,
}

impl Options {
    /// The options as they act together.
    fn read() -> Options {
        let mut o = Options::parse();
        if o.prebuilt {
            o.without.extend(["global", "static_local"].map(String::from));
        }
        if let Some(disable) = &mut o.disable {
            disable.retain(|name| !name.is_empty());
        }
        (o.batch, o.jobs) = (o.batch.max(1), if o.print { 1 } else { o.jobs.max(1) });
        o
    }
}

/// Where programs that fail are kept, so that they can be looked at afterwards.
fn kept() -> PathBuf {
    std::env::temp_dir().join("adfuzz")
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn main() -> ExitCode {
    match campaign(&Options::read()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

/// A message without names and numbers: what refusals are grouped by.
fn group(f: &Failure) -> String {
    let text: String = match &f.kind {
        FailureKind::Refused(..) => {
            let reason =
                f.detail.split("AD0").nth(1).unwrap_or("").split(['[', ';']).next().unwrap_or("");
            let mut plain = String::new();
            for (i, part) in reason.split('\'').enumerate() {
                plain.push_str(if i % 2 == 0 { part } else { "'_'" });
            }
            // The kind of instruction that caused it: its words without operands.
            let cause =
                f.detail.split("[cause: ").nth(1).unwrap_or("").split(';').next().unwrap_or("");
            let words = cause
                .split(['%', '@'])
                .map(|w| w.split_once([' ', ',']).map_or("", |t| t.1))
                .collect::<Vec<_>>()
                .join(" ");
            plain.push_str(&words.chars().take(40).collect::<String>());
            plain.chars().filter(|c| !c.is_ascii_digit()).collect()
        }
        FailureKind::Compiler(_) | FailureKind::Clang(_) => f
            .detail
            .lines()
            .next()
            .unwrap_or("")
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .take(90)
            .collect(),
        _ => String::new(),
    };
    format!("{:?} {text}", f.kind)
}

/// What all workers found so far.
#[derive(Default)]
struct Found {
    tested: usize,
    rejected: usize,
    shrunk: usize,
    /// Per kind of failure the programs that have it.
    groups: BTreeMap<String, BTreeSet<usize>>,
    /// Programs of which no part can be checkpointed.
    unfit: BTreeSet<usize>,
    /// Programs on which the compiler fails by itself.
    clang: BTreeSet<usize>,
    /// Programs of several files that are refused in one, too.
    refused_in_one: BTreeSet<usize>,
    /// Of divided programs.
    tally: Tally,
}

fn campaign(o: &Options) -> Result<bool, String> {
    std::fs::create_dir_all(&o.keep).map_err(|e| format!("{}: {e}", o.keep.display()))?;
    let work = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    let numbers: Vec<u64> = (o.from..o.from + o.count).collect();
    let chunks: Vec<&[u64]> = numbers.chunks(o.batch).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Found::default()));
    let worker = |job: usize| -> Result<(), String> {
        let machine = if o.m32 { NARROW[0] } else { &[] };
        let all_on = Compiler {
            is_prebuilt: o.prebuilt || o.boundaries,
            ..Compiler::new(&work.path().join(job.to_string()), machine)?
        };
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(nth) else { return Ok(()) };
            let compiler = match o.m32 {
                true => Compiler { machine: NARROW[nth % NARROW.len()], ..all_on.clone() },
                false => all_on.clone(),
            };
            test(o, &compiler, nth, chunk, &found)?;
        }
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let start = |job| {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, {
                let worker = &worker;
                move || worker(job)
            })
        };
        let workers: Vec<_> = (0..o.jobs).map(start).collect();
        let end = |w: std::io::Result<std::thread::ScopedJoinHandle<_>>| match w {
            Ok(w) => w.join().unwrap_or_else(|_| Err("a worker panicked".into())),
            Err(e) => Err(e.to_string()),
        };
        workers.into_iter().map(end).collect()
    });
    results.into_iter().collect::<Result<Vec<()>, String>>()?;
    let found = found.into_inner().map_err(|e| e.to_string())?;
    println!("{} programs, {} rejected by the interpreter", found.tested, found.rejected);
    if o.checkpoints {
        println!(
            "{:5} of which no part can be checkpointed, at some level and in some mode",
            found.unfit.len()
        );
    }
    if o.boundaries {
        print!("{}", found.tally.table());
    }
    if o.files {
        println!("{:5} refused in one file, too", found.refused_in_one.len());
    }
    if !found.clang.is_empty() {
        println!(
            "{:5} on which the compiler fails without the plugin, too {:?}",
            found.clang.len(),
            found.clang
        );
    }
    for (name, programs) in &found.groups {
        let some: Vec<_> = programs.iter().take(8).collect();
        println!("{:5} {name} {some:?}", programs.len());
    }
    Ok(found.groups.is_empty())
}

/// Tests one batch at all levels.
fn test(
    o: &Options,
    all_on: &Compiler,
    nth: usize,
    chunk: &[u64],
    found: &Mutex<Found>,
) -> Result<(), String> {
    let lock = || found.lock().map_err(|e| e.to_string());
    let compiler = match &o.disable {
        Some(disable) => all_on.without(disable),
        None if nth % INLINING_OFF == INLINING_OFF - 1 => all_on.without(&["inlining".to_string()]),
        None => all_on.clone(),
    };
    let mut rejected = 0;
    let subjects: Vec<Subject> = chunk
        .iter()
        .filter_map(|n| {
            let (mut program, outcome) = if o.structures {
                structures::program(o.seed, *n, &o.idioms, &mut rejected)?
            } else if o.boundaries {
                generate::divided(o.seed, *n, &o.without, &o.kinds, &mut rejected)?
            } else {
                generate::program(o.seed, *n, &o.without, &mut rejected)?
            };
            program.checkpoints = o.checkpoints.then_some(1);
            program.files = o.files.then_some(o.seed);
            Some(Subject { number: *n as usize, program, outcome })
        })
        .collect();
    {
        let mut found = lock()?;
        found.rejected += rejected;
        found.tested += subjects.len();
        if o.print {
            for s in subjects.iter().filter(|_| o.files) {
                for (k, (file, _)) in files::build::files(&[(s, MODES.to_vec())]).iter().enumerate()
                {
                    println!("/* File {k}. */\n{file}");
                }
            }
            for s in subjects.iter().filter(|_| !o.files) {
                println!("{}", print::Printer::new(&s.program, s.number).definitions());
                if o.boundaries {
                    println!(
                        "/* The library. */\n{}",
                        print::Printer::of_library(&s.program, s.number).definitions()
                    );
                }
            }
            return Ok(());
        }
    }
    let mut seen = BTreeSet::new();
    for &level in &o.levels {
        subjects.iter().filter_map(|s| s.program.boundary.as_ref()).for_each(|b: &Boundary| {
            lock().map_or((), |mut found| found.tally.ask(b, MODES.len() - 1))
        });
        let mut subjects = subjects.clone();
        while !subjects.is_empty() {
            let mut again: BTreeMap<usize, Subject> = BTreeMap::new();
            for f in check::batch(&compiler, &subjects, level) {
                let s = subjects
                    .iter()
                    .find(|s| s.number == f.number)
                    .ok_or("a failure of no program")?;
                match s.with_fewer_checkpoints(&f) {
                    Some(fewer) => drop(again.insert(f.number, fewer)),
                    None => report(o, &compiler, s, &f, &mut seen, found)?,
                }
            }
            subjects = again.into_values().collect();
        }
    }
    Ok(())
}

/// Counts a failure; prints it and saves the program if it is one of the first of its group.
fn report(
    o: &Options,
    compiler: &Compiler,
    s: &Subject,
    f: &Failure,
    seen: &mut BTreeSet<(usize, char)>,
    found: &Mutex<Found>,
) -> Result<(), String> {
    let is_in_one = o.files
        && matches!(f.kind, FailureKind::Refused(..))
        && files::build::is_refused_in_one_file(compiler, s, f);
    let mut found = found.lock().map_err(|e| e.to_string())?;
    if is_in_one {
        found.refused_in_one.insert(f.number);
        return Ok(());
    }
    if o.checkpoints && f.is_unfit() {
        found.unfit.insert(f.number);
        return Ok(());
    }
    let boundary = s.program.boundary.as_ref();
    if let (FailureKind::Refused(_, code), Some(boundary)) = (&f.kind, boundary)
        && check::is_answer(code)
    {
        found.tally.refuse(boundary, code);
        return Ok(());
    }
    if matches!(f.kind, FailureKind::Clang(_)) {
        found.clang.insert(f.number);
        return Ok(());
    }
    let (name, is_refusal) = (group(f), matches!(f.kind, FailureKind::Refused(..)));
    let programs = found.groups.entry(name.clone()).or_default();
    let is_first = programs.is_empty();
    programs.insert(f.number);
    if !seen.insert((f.number, f.kind.mode())) {
        return Ok(());
    }
    if !is_refusal || is_first {
        let off = compiler.option().unwrap_or_default();
        let kinds = boundary.map_or(String::new(), |b| format!(" {:?}", b.features));
        println!(
            "program {}/{} -O{} {off}{kinds}: {name}\n{}",
            o.seed, f.number, f.level, f.detail
        );
    }
    let is_saved = found.shrunk < o.shrink && (is_first || !is_refusal);
    found.shrunk += usize::from(is_saved);
    drop(found);
    if is_saved { save(o, compiler, s, f) } else { Ok(()) }
}

/// Shrinks, tests the result at all levels, writes it.
fn save(o: &Options, compiler: &Compiler, s: &Subject, f: &Failure) -> Result<(), String> {
    let (small, failure) = shrink::shrink(compiler, s, f);
    let mode = f.kind.mode();
    let levels: Vec<String> = (0..4)
        .filter_map(|l| {
            let failure = check::single(compiler, &small, mode, l)?;
            Some(format!("-O{l} {:?}", failure.kind))
        })
        .collect();
    let option =
        compiler.option().map_or(String::new(), |option| format!("ad-option: {option}\n * "));
    let comment = format!(
        "{option}Found by adfuzz, program {}/{}, shrunk at -O{}: {:?}\n * fails at: {}\n * {}",
        o.seed,
        s.number,
        f.level,
        f.kind,
        levels.join(", "),
        failure.detail.replace('\n', "\n * ")
    );
    let with = MODES.iter().copied().find(|m| m.letter() == mode).ok_or("mode")?;
    if o.files {
        let folder = o.keep.join(format!("{}_{}_{mode}{}", o.seed, s.number, f.level));
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let files = files::build::files(&[(&small, vec![Mode::Primal, with])]);
        for (k, (text, _)) in files.iter().enumerate() {
            let text = format!("/* {comment} */\n{text}");
            std::fs::write(folder.join(format!("file{k}.c")), text).map_err(|e| e.to_string())?;
        }
        println!("  -> {}", folder.display());
        return Ok(());
    }
    let file = o.keep.join(format!("{}_{}_{mode}{}.c", o.seed, s.number, f.level));
    std::fs::write(&file, check::standalone(&small, with, &comment, compiler.is_prebuilt))
        .map_err(|e| e.to_string())?;
    println!("  -> {}", file.display());
    Ok(())
}
