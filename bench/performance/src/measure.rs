//! One case by adcc: compiled, run, its lines read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adtoolchain::{Workbench, succeed};

use crate::cases::{Case, codes};

/// Seconds for one program: many runs of long measurements.
const LIMIT: Duration = Duration::from_secs(1800);
/// The tangent against central differences, of which half the digits are good.
const DIFFERENCES: f64 = 1e-4;
/// What is the same computation in another order.
const ROUNDING: f64 = 1e-10;

/// Whether the sources say `restrict`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aliasing {
    /// As written.
    Restrict,
    /// Without the word: arguments may overlap.
    May,
}

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Seconds of one measurement.
    pub seconds: f64,
    /// How many, for the median.
    pub runs: u32,
}

/// Times in seconds, checks, and the tape's statistics of one program.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Kind and median, as printed.
    pub times: Vec<(String, f64)>,
    /// What is compared and by how much it differs, as printed.
    pub checks: Vec<(String, f64)>,
    /// What is counted, as printed.
    pub counts: Vec<(String, f64)>,
    /// Bytes that one derivative takes from the tape's arena, and the most in use at once.
    pub traffic: u64,
    /// See `traffic`.
    pub peak: u64,
}

impl Measured {
    /// From a program's output.
    pub fn read(out: &str) -> Result<Measured, String> {
        let mut it = Measured::default();
        for line in out.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [what, name, value] = words[..] else {
                continue;
            };
            let value = value.parse().map_err(|_| format!("no number: {line}"))?;
            match what {
                "time" => it.times.push((name.into(), value)),
                "check" => it.checks.push((name.into(), value)),
                "count" => it.counts.push((name.into(), value)),
                _ => {}
            }
        }
        Ok(it)
    }

    /// The median of a kind.
    pub fn time(&self, kind: &str) -> Option<f64> {
        self.times.iter().find(|(name, _)| name == kind).map(|(_, seconds)| *seconds)
    }

    /// Time of `kind` over that of the primal.
    pub fn ratio(&self, kind: &str) -> Option<f64> {
        self.over(kind, "primal")
    }

    /// Time of `kind` over that of another.
    pub fn over(&self, kind: &str, other: &str) -> Option<f64> {
        Some(self.time(kind)? / self.time(other)?)
    }

    /// A number of things.
    pub fn count(&self, what: &str) -> Option<f64> {
        self.counts.iter().find(|(name, _)| name == what).map(|(_, n)| *n)
    }

    /// The worst agreement with anything but differences.
    pub fn agreement(&self, limit: f64) -> String {
        if !self.failures(limit).is_empty() {
            return "WRONG".into();
        }
        let checks = self.checks.iter().filter(|(name, _)| name != "differences");
        format!("{:.0e}", checks.fold(0.0, |worst: f64, (_, r)| worst.max(*r)))
    }

    /// The checks that fail. NaN does.
    pub fn failures(&self, limit: f64) -> Vec<String> {
        let allowed = |name: &str| match name {
            "differences" => DIFFERENCES,
            "by_hand" | "value_by_hand" | "peer" => limit,
            _ => ROUNDING,
        };
        let failing = self
            .checks
            .iter()
            .filter(|(name, r)| !matches!(r.partial_cmp(&allowed(name)), Some(o) if o.is_le()));
        failing
            .map(|(name, r)| format!("{name}: {r:.1e}, more than {:.0e}", allowed(name)))
            .collect()
    }
}

/// Compiles the program of `case`: the source by adcc with its heads, the rest plainly. All at -O3,
/// with more `options` of adcc.
pub fn compile(
    tools: &Workbench,
    case: &Case,
    aliasing: Aliasing,
    options: &[String],
) -> Result<PathBuf, String> {
    let suffix = if aliasing == Aliasing::May { "-may-alias" } else { "" };
    let object = tools.file(&format!("{}{suffix}.o", case.name));
    let program = tools.file(&format!("{}{suffix}", case.name));
    let root = tools.root();
    let mut common = vec!["-O3".to_string()];
    common.extend_from_slice(options);
    common.extend(
        [codes(root), root.join("bench/objectives")]
            .iter()
            .map(|folder| format!("-I{}", folder.display())),
    );
    if aliasing == Aliasing::May {
        common.push("-Drestrict=".into());
    }
    let mut words = common.clone();
    if !case.head.is_empty() {
        words
            .extend([format!("--ad-adjoint={}", case.head), format!("--ad-tangent={}", case.head)]);
    }
    words.extend(["-c".into(), text(&root.join(case.source)), "-o".into(), text(&object)]);
    tools.adcc(&words)?;
    let mut words = common;
    words.push(text(&case.program(root)));
    words.extend(case.by_hand(root).iter().map(|file| text(file)));
    words.extend(case.also.iter().map(|file| text(&root.join(file))));
    words.extend([text(&object), "-lm".into(), "-o".into(), text(&program)]);
    tools.adcc(&words)?;
    Ok(program)
}

/// Runs it twice: once for the tape's statistics, once for times. Files are left at `prefix`.
pub fn run(
    program: &Path,
    prefix: &Path,
    instance: &[String],
    effort: Effort,
) -> Result<Measured, String> {
    let start = |runs: u32| {
        let mut command = Command::new(program);
        command.arg(prefix).args([effort.seconds.to_string(), runs.to_string()]).args(instance);
        command
    };
    let (traffic, peak) = statistics(&mut start(0))?;
    let mut it = measured(&mut start(effort.runs), LIMIT)?;
    (it.traffic, it.peak) = (traffic, peak);
    Ok(it)
}

/// Traffic and peak of the tape in a program that computes one derivative.
pub fn statistics(command: &mut Command) -> Result<(u64, u64), String> {
    Ok(tape(&succeed(command.env("ADRT_STATS", "1"), LIMIT)?.stderr))
}

/// Runs a program that prints lines of measures.
pub fn measured(command: &mut Command, limit: Duration) -> Result<Measured, String> {
    Measured::read(&succeed(command, limit)?.stdout)
}

/// Doubles in a file.
pub fn numbers(file: &Path) -> Result<Vec<f64>, String> {
    let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(bytes
        .chunks_exact(8)
        .map(|b| f64::from_ne_bytes(b.try_into().expect("eight bytes")))
        .collect())
}

/// Traffic and peak, from the runtime's line. A program whose gradients take nothing from the arena
/// prints none.
fn tape(stderr: &str) -> (u64, u64) {
    let between = |start: &str, end: &str| {
        stderr
            .lines()
            .find_map(|line| line.split_once(start)?.1.split_once(end)?.0.trim().parse().ok())
            .unwrap_or(0)
    };
    (between("gradients, ", " bytes recorded"), between("recorded, ", " bytes at peak"))
}

fn text(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_nan_fails() {
        let it = Measured::read(
            "time primal 2e-3\ntime gradient 5e-3\ncheck by_hand 1e-12\nanything else\n",
        )
        .expect("lines");
        assert_eq!(it.ratio("gradient"), Some(2.5));
        assert_eq!(it.ratio("tangent"), None);
        assert!(it.failures(1e-9).is_empty());
        assert_eq!(it.failures(1e-13).len(), 1);
        assert_eq!(Measured::read("check transpose nan").expect("a line").failures(1e-9).len(), 1);
        assert!(Measured::read("time primal fast").is_err());
        assert_eq!(
            tape(
                "adrt: 1 gradients, 64 bytes recorded, 32 bytes at peak, 1 chunks of 1048576 bytes"
            ),
            (64, 32)
        );
        assert_eq!(tape(""), (0, 0));
    }
}
