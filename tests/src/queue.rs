//! All tests of the workspace as one queue: builds the test binaries as `cargo test` does, asks each
//! for its cases, and runs them so that every processor has work until the last case.
//!
//! A binary of the harness (`tests/*.rs` with `harness = false`) runs once and takes a token for
//! each case. Of other integration tests each case is a process of its own; the unit tests of a
//! crate, which are many and short, are one process.
//!
//! A case of libtest that prints a line `skipped: REASON` counts as ignored, one that prints
//! `skipped in part: REASON` as passed; the reasons are shown at the end.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use admachine::{PARTLY, SKIPPED};

use crate::harness::{ALL, TOOK, TURN};
use crate::tokens::{self, Tokens};

/// Test binaries that take a token for each case (`harness = false`).
const HARNESS: [&str; 12] = [
    "programs", "programs32", "prebuilt", "switches", "sanitizers", "debug", "documents",
    "examples", "validation", "whole", "opened", "ranks",
];
/// Integration tests are run for another target by one case of so many, in turn: the same source is
/// run for this machine's own as a whole.
const SHARE_OF_OTHER_TARGETS: usize = 2;
/// So many of the longest cases are shown at the end.
const LONGEST: usize = 10;

/// A test binary, as cargo names it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Binary {
    /// `adshadow::survey`, and the target where it is not this machine's own.
    name: String,
    executable: PathBuf,
    /// Folder of its package, where it runs.
    folder: PathBuf,
    kind: BinaryKind,
}

/// How a binary's cases are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BinaryKind {
    /// All in one process, one after the other.
    Unit,
    /// Each in a process of its own.
    Integration,
    /// All in one process that takes a token for each.
    Harness,
}

/// What is run as one process.
#[derive(Clone, Debug)]
struct Job {
    binary: Binary,
    /// The only case, if not all.
    case: Option<String>,
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

/// A run of jobs.
struct Run<'a> {
    /// Of tokens.
    pipe: PathBuf,
    variables: &'a [(&'a str, &'a str)],
    filter: Option<&'a str>,
    tally: Mutex<Tally>,
}

/// What came of jobs.
#[derive(Debug, Default)]
struct Tally {
    total: Counts,
    /// By binary: what is left to run, counts, and time.
    binaries: BTreeMap<String, (usize, Counts, Duration)>,
    failures: Vec<String>,
    skipped: BTreeMap<String, Vec<String>>,
    longest: Vec<(Duration, String)>,
}

/// Builds and runs the cases whose names contain `filter`; each of `builds` is the arguments of
/// cargo for one target. `variables` go to the environment of all. Whether all passed.
pub fn run(
    builds: &[Vec<String>],
    variables: &[(&str, &str)],
    filter: Option<&str>,
) -> io::Result<bool> {
    let mut binaries = vec![];
    for words in builds {
        binaries.extend(build(words)?);
    }
    let start = Instant::now();
    let mut jobs = vec![];
    let variable = |name| variables.iter().find(|v| v.0 == name).map(|v| v.1);
    for binary in binaries {
        let is_own = !binary.name.ends_with(')');
        let mut some = jobs_of(binary, filter)?;
        if !is_own && filter.is_none() && variable(ALL).is_none() {
            let turn = variable(TURN).and_then(|turn| turn.parse().ok()).unwrap_or(0);
            let mut nth = turn..;
            some.retain(|job| {
                let is_in_turn = |n: usize| n.is_multiple_of(SHARE_OF_OTHER_TARGETS);
                job.case.is_none() || nth.next().is_some_and(is_in_turn)
            });
        }
        jobs.extend(some);
    }
    let processors = thread::available_parallelism().map_or(2, usize::from);
    let folder = tempfile::tempdir()?;
    let pipe = folder.path().join("tokens");
    // One more than processors: cases wait for files and for other processes, too.
    let tokens = Tokens::create(&pipe, processors + 1)?;
    let mut tally = Tally::default();
    for job in &jobs {
        tally.binaries.entry(job.binary.name.clone()).or_default().0 += 1;
    }
    let run = Run { pipe, variables, filter, tally: Mutex::new(tally) };
    let (own, queued): (Vec<_>, Vec<_>) =
        jobs.iter().partition(|job| job.binary.kind == BinaryKind::Harness);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for job in own {
            scope.spawn(|| run.perform(job));
        }
        for _ in 0..=processors {
            scope.spawn(|| {
                while let Some(job) = queued.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let _held = tokens.take();
                    run.perform(job);
                }
            });
        }
    });
    let tally = run.tally.into_inner().expect("no thread has panicked");
    close(&tally, start.elapsed());
    Ok(tally.total.failed == 0 && tally.total.passed > 0)
}

/// The binaries that `cargo test --no-run WORDS` builds.
fn build(words: &[String]) -> io::Result<Vec<Binary>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--no-run", "--message-format=json-render-diagnostics"]).args(words);
    let done = command.stderr(Stdio::inherit()).output()?;
    if !done.status.success() {
        return Err(io::Error::other(format!("{command:?}: {}", done.status)));
    }
    let text = String::from_utf8_lossy(&done.stdout);
    let target = words.iter().position(|w| w == "--target").and_then(|at| words.get(at + 1));
    Ok(text.lines().filter_map(|line| binary(line, &HARNESS, target)).collect())
}

/// A message of cargo's, if it is of a test binary.
fn binary(message: &str, harness: &[&str], target: Option<&String>) -> Option<Binary> {
    let message: Value = serde_json::from_str(message).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let executable = text(&message["executable"])?.into();
    let folder = PathBuf::from(text(&message["manifest_path"])?).parent()?.to_path_buf();
    let own = text(&message["target"]["name"])?;
    let is_integration = message["target"]["kind"][0] == "test";
    let kind = match is_integration {
        true if harness.contains(&own.as_str()) => BinaryKind::Harness,
        true => BinaryKind::Integration,
        false => BinaryKind::Unit,
    };
    let package = fs::read_to_string(folder.join("Cargo.toml")).ok().and_then(|text| {
        let line = text.lines().find_map(|l| l.strip_prefix("name = "))?;
        Some(line.trim_matches('"').to_owned())
    });
    let package = package.unwrap_or_else(|| folder.display().to_string());
    let what = if is_integration || own != package {
        own
    } else {
        message["target"]["kind"][0].as_str()?.to_owned()
    };
    let target = target.map(|t| format!(" ({t})")).unwrap_or_default();
    Some(Binary { name: format!("{package}::{what}{target}"), executable, folder, kind })
}

/// A binary's jobs; none where it has no case that is wanted.
fn jobs_of(binary: Binary, filter: Option<&str>) -> io::Result<Vec<Job>> {
    let whole = || vec![Job { binary: binary.clone(), case: None }];
    if binary.kind == BinaryKind::Harness {
        return Ok(whole());
    }
    let done = command(&binary).args(["--list", "--format", "terse"]).output()?;
    if !done.status.success() {
        return Err(io::Error::other(format!("{} --list: {}", binary.name, done.status)));
    }
    let text = String::from_utf8_lossy(&done.stdout);
    let mut cases = text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned);
    let is_wanted = |case: &String| filter.is_none_or(|f| case.contains(f));
    Ok(match binary.kind {
        BinaryKind::Unit if cases.any(|case| is_wanted(&case)) => whole(),
        BinaryKind::Unit => vec![],
        _ => cases
            .filter(is_wanted)
            .map(|case| Job { binary: binary.clone(), case: Some(case) })
            .collect(),
    })
}

/// The binary as cargo would start it.
fn command(binary: &Binary) -> Command {
    let mut command = Command::new(&binary.executable);
    command.current_dir(&binary.folder).env("CARGO_MANIFEST_DIR", &binary.folder);
    command.stdin(Stdio::null());
    command
}

impl Run<'_> {
    /// Runs a job and notes what came of it.
    fn perform(&self, job: &Job) {
        let start = Instant::now();
        let mut command = command(&job.binary);
        command.envs(self.variables.iter().copied());
        match (&job.case, job.binary.kind) {
            (Some(case), _) => command.args(["--exact", case, "--test-threads=1", "--nocapture"]),
            (None, BinaryKind::Harness) => {
                command.args(self.filter).env(tokens::VARIABLE, &self.pipe)
            }
            (None, _) => command.args(self.filter).args(["--test-threads=1", "--nocapture"]),
        };
        let (succeeded, output) = match command.output() {
            Ok(done) => {
                let text =
                    [done.stdout, done.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
                (done.status.success(), text.concat())
            }
            Err(error) => (false, format!("{command:?}: {error}")),
        };
        let time = start.elapsed();
        let name = match &job.case {
            Some(case) => format!("{} {case}", job.binary.name),
            None => job.binary.name.clone(),
        };
        let mut counts = counts(&output);
        if !succeeded && counts.failed == 0 {
            counts.failed = 1;
        }
        let (whole, parts) = (reasons(&output, SKIPPED), reasons(&output, PARTLY));
        if job.case.is_some() && !whole.is_empty() && counts.passed == 1 {
            counts = Counts { ignored: 1, ..Counts::default() };
        }
        let mut tally = self.tally.lock().expect("no thread has panicked");
        let tally = &mut *tally;
        tally.total.add(counts);
        let parts = parts.into_iter().map(|reason| format!("in part: {reason}"));
        for reason in whole.into_iter().chain(parts) {
            tally.skipped.entry(reason).or_default().push(name.clone());
        }
        let times = times(&output);
        let spent = match job.binary.kind {
            BinaryKind::Harness => times.iter().map(|(time, _)| *time).sum(),
            _ => time,
        };
        match job.binary.kind {
            BinaryKind::Harness => tally
                .longest
                .extend(times.into_iter().map(|(time, case)| (time, format!("{name} {case}")))),
            _ => tally.longest.push((time, name.clone())),
        }
        let mut out = io::stdout().lock();
        if !succeeded {
            tally.failures.push(name.clone());
            let _ = writeln!(out, "---- {name} failed ----\n{output}\n----");
        }
        let (left, sum, whole) =
            tally.binaries.get_mut(&job.binary.name).expect("all binaries are there");
        *left -= 1;
        sum.add(counts);
        *whole += spent;
        if *left == 0 {
            let _ = writeln!(out, "{}: {sum}; {:.1} s", job.binary.name, whole.as_secs_f64());
        }
        let _ = out.flush();
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed; {} failed; {} ignored", self.passed, self.failed, self.ignored)
    }
}

/// What the last closing line of libtest or libtest-mimic says:
/// `test result: ok. 7 passed; 0 failed; 1 ignored; …`.
fn counts(output: &str) -> Counts {
    let line =
        output.lines().rev().find_map(|l| l.strip_prefix("test result: ")).unwrap_or_default();
    let number = |word: &str| {
        let (before, _) = line.split_once(word)?;
        before.rsplit([' ', '.', ';']).find(|w| !w.is_empty())?.parse().ok()
    };
    Counts {
        passed: number(" passed").unwrap_or(0),
        failed: number(" failed").unwrap_or(0),
        ignored: number(" ignored").unwrap_or(0),
    }
}

/// Why cases were skipped: lines that begin with `mark` of cases of libtest, and
/// `test NAME ... ignored, REASON` of the harness. Each reason once.
fn reasons(output: &str, mark: &str) -> Vec<String> {
    let of = |line: &str| {
        let reason = line.strip_prefix(mark).or_else(|| {
            let (_, rest) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
            let reason = rest.strip_prefix(", ").unwrap_or("no reason given");
            (mark == SKIPPED).then_some(reason)
        })?;
        Some(reason.trim().to_owned())
    };
    // In the output of libtest a line of the case follows `test NAME ... ` without a break.
    let lines = output.lines().map(|line| match line.find(mark) {
        Some(at) if line.starts_with("test ") && line[..at].ends_with("... ") => &line[at..],
        _ => line,
    });
    let mut all: Vec<String> = lines.filter_map(of).collect();
    all.sort();
    all.dedup();
    all
}

/// What the cases of the harness took, with their names.
fn times(output: &str) -> Vec<(Duration, String)> {
    let of = |line: &str| {
        let (seconds, name) = line.split_once(TOOK)?.1.split_once(' ')?;
        let time = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        Some((time, name.to_owned()))
    };
    output.lines().filter_map(of).collect()
}

/// The last lines of a run.
fn close(tally: &Tally, time: Duration) {
    if !tally.skipped.is_empty() {
        println!("\nskipped:");
        for (reason, cases) in &tally.skipped {
            println!("  {} x {reason} ({} …)", cases.len(), cases[0]);
        }
    }
    let mut longest = tally.longest.clone();
    longest.sort_by_key(|l| std::cmp::Reverse(l.0));
    println!("\nlongest:");
    for (time, name) in longest.iter().take(LONGEST) {
        println!("  {:6.1} s  {name}", time.as_secs_f64());
    }
    if !tally.failures.is_empty() {
        println!("\nfailures:");
        tally.failures.iter().for_each(|name| println!("  {name}"));
    }
    let verdict = if tally.total.failed == 0 { "ok" } else { "FAILED" };
    let total = tally.total;
    let (wall, processor) = (time.as_secs_f64(), processor_time().as_secs_f64());
    println!("\ntest result: {verdict}. {total}; {wall:.0} s, {processor:.0} s of processor time");
}

/// Time on processors of all children that have ended.
fn processor_time() -> Duration {
    /// Clock ticks per second in /proc, fixed in Linux's interface.
    const TICKS: u64 = 100;
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses: cutime and cstime are the fields 16 and 17 of proc(5).
    let rest = text.rsplit(')').next().unwrap_or_default();
    let fields = rest.split_whitespace().skip(13).take(2);
    let ticks: u64 = fields.filter_map(|f| f.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_closing_line_counts() {
        let output = "test result: ok. 3 passed; 0 failed; 0 ignored\n\n\
                      test result: FAILED. 10 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(counts(output), Counts { passed: 10, failed: 2, ignored: 1 });
        assert_eq!(counts("nothing"), Counts::default());
    }

    #[test]
    fn reasons_of_both_kinds_of_harness_are_found() {
        let output = "test forms ... skipped: no avx512\nok\nskipped: no gcc -m32\n\
                      test c/a::O0 ... ignored, no data file\ntest b ... ignored\ntest c ... ok\n\
                      skipped in part: no avx\nskipped in part: no avx\n";
        let expected = ["no avx512", "no data file", "no gcc -m32", "no reason given"];
        assert_eq!(reasons(output, SKIPPED), expected);
        assert_eq!(reasons(output, PARTLY), ["no avx"]);
    }

    #[test]
    fn what_cases_of_the_harness_took_is_found() {
        let output = "test a ... ok\ntook: 1.5 c/a::O0\ntook: x b\n";
        assert_eq!(times(output), [(Duration::from_millis(1500), "c/a::O0".to_owned())]);
    }

    #[test]
    fn messages_of_cargo_name_test_binaries() {
        let message = |kind: &str, is_test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/no/such/Cargo.toml","target":{{"kind":["{kind}"],"name":"survey"}},"profile":{{"test":{is_test}}},"executable":"/x/survey-1"}}"#
            )
        };
        let found = binary(&message("test", true), &[], None).unwrap();
        assert_eq!(
            (found.kind, found.name.as_str()),
            (BinaryKind::Integration, "/no/such::survey")
        );
        let found = binary(&message("test", true), &["survey"], Some(&"i686".into())).unwrap();
        assert_eq!(
            (found.kind, found.name.as_str()),
            (BinaryKind::Harness, "/no/such::survey (i686)")
        );
        assert_eq!(binary(&message("lib", true), &[], None).unwrap().kind, BinaryKind::Unit);
        assert_eq!(binary(&message("bin", false), &[], None), None);
        assert_eq!(binary("Compiling adrt", &[], None), None);
    }
}
