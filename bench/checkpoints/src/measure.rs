//! One code by adcc: compiled, run, its lines and the tape's statistics read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adbench::measure::Measured;
use adrt::checkpoint::schedule;
use adtoolchain::{Workbench, succeed};

/// Seconds for one program.
const LIMIT: Duration = Duration::from_secs(3600);
/// The dot-product identity, and gradients whose terms are added in another order.
const ROUNDING: f64 = 1e-10;

/// A time-stepping code.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Of its source, and in tables.
    pub name: &'static str,
    /// What it computes.
    pub about: &'static str,
    /// Arrays of which a gradient says something.
    pub fields: u64,
}

/// All of them.
pub const CODES: [Code; 3] = [
    Code {
        name: "heat",
        about: "Nonlinear conduction with an exponential law, u_t = div(a exp(b u) grad u): an array of conductivities, then fluxes through \
                four faces; two arrays change places",
        fields: 3,
    },
    Code {
        name: "heat_polynomial",
        about: "The same with a (1 + b u²), which costs next to nothing: per step, little is computed for much memory",
        fields: 2,
    },
    Code {
        name: "burgers",
        about: "Burgers' equations of two velocities, upwind: branches at every cell; four arrays change places",
        fields: 4,
    },
];

/// What a program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Primal and gradient with checkpoints, in turn.
    Checkpointed,
    /// Primal and the gradient that records all steps.
    All,
    /// Both gradients, once, compared.
    Both,
}

/// Sizes of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Cells of one side of the square.
    pub cells: u64,
    /// Steps of the loop.
    pub steps: u64,
    /// Snapshots that may be kept.
    pub snapshots: u32,
}

impl Size {
    /// As few steps as can run again.
    pub fn bound(&self) -> u64 {
        schedule::bound(self.steps, self.snapshots)
    }
}

/// What one program printed.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Times and checks.
    pub measured: Measured,
    /// Counts, as printed.
    counts: Vec<(String, u64)>,
    /// Of one gradient: steps that ran again.
    pub again: u64,
    /// Of one gradient: bytes taken from the tape's arena, and the most in use at once.
    pub traffic: u64,
    /// See `traffic`.
    pub peak: u64,
    /// Bytes of one snapshot.
    pub snapshot: u64,
}

impl Run {
    /// A count that the program printed.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.counts.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }
    /// Of both gradients, how many numbers differ.
    pub fn differing(&self) -> Option<u64> {
        Some(self.count("differing_fields")? + self.count("differing_parameters")?)
    }
    /// What must not be: gradients that disagree, and more steps than the theory says.
    pub fn failures(&self, size: Size, what: What) -> Vec<String> {
        let mut all: Vec<String> = self
            .measured
            .checks
            .iter()
            .filter(|(_, r)| r.is_nan() || *r > ROUNDING)
            .map(|(n, r)| format!("{n}: {r:.1e}"))
            .collect();
        let expected = match what {
            What::Checkpointed => ["transpose"].as_slice(),
            What::All => &["transpose"],
            What::Both => &["by_records"],
        };
        all.extend(
            expected
                .iter()
                .filter(|n| !self.measured.checks.iter().any(|c| c.0 == **n))
                .map(|n| format!("does not check {n}")),
        );
        match what {
            What::Checkpointed if self.again != size.bound() => {
                all.push(format!("{} steps ran again, {} were expected", self.again, size.bound()));
            }
            What::Both if self.count("differing_schedules") != Some(0) => {
                all.push(format!(
                    "{:?} numbers depend on the number of snapshots",
                    self.count("differing_schedules")
                ));
            }
            What::Both if self.count("nonzero_fields").is_none_or(|n| n == 0) => {
                all.push("a gradient of zeros".into())
            }
            What::Checkpointed | What::All | What::Both => {}
        }
        all
    }
    /// From what a program printed, and from the runtime's lines.
    fn read(out: &str, statistics: &str, gradients: u64) -> Result<Run, String> {
        let mut run = Run { measured: Measured::read(out)?, ..Run::default() };
        for line in out.lines() {
            if let ["count", name, value] = line.split_whitespace().collect::<Vec<_>>()[..] {
                run.counts
                    .push((name.into(), value.parse().map_err(|_| format!("no number: {line}"))?));
            }
        }
        let number = |before: &str, after: &str| {
            let of = |line: &str| {
                line.split_once(after)?.0.rsplit_once(before)?.1.trim().parse::<u64>().ok()
            };
            statistics.lines().find_map(of).unwrap_or(0)
        };
        run.traffic = number(",", " bytes recorded") / gradients;
        run.peak = number(",", " bytes at peak");
        run.again = number(",", " steps run again") / gradients;
        run.snapshot = number("at most", " bytes,");
        Ok(run)
    }
}

/// The folder of the codes.
fn codes(root: &Path) -> PathBuf {
    root.join("bench/checkpoints/codes")
}

/// Compiles a code at -O3.
pub fn compile(tools: &Workbench, code: &Code) -> Result<PathBuf, String> {
    let program = tools.file(code.name);
    let folders = [codes(tools.root()), adbench::cases::codes(tools.root())];
    let mut words: Vec<String> = vec!["-O3".into()];
    words.extend(folders.iter().map(|folder| format!("-I{}", folder.display())));
    let source = codes(tools.root()).join(format!("{}.c", code.name));
    words.extend([
        source.display().to_string(),
        "-lm".into(),
        "-o".into(),
        program.display().to_string(),
    ]);
    tools.adcc(&words)?;
    Ok(program)
}

/// Runs its program: `runs` measurements.
pub fn run(program: &Path, size: Size, runs: u32, what: What) -> Result<Run, String> {
    let word = match what {
        What::Checkpointed => "checkpointed",
        What::All => "all",
        What::Both => "both",
    };
    let mut command = Command::new(program);
    command.args([
        size.cells.to_string(),
        size.steps.to_string(),
        size.snapshots.to_string(),
        runs.to_string(),
        word.into(),
    ]);
    let done = succeed(command.env("ADRT_STATS", "1"), LIMIT)?;
    Run::read(&done.stdout, &done.stderr, u64::from(runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { cells: 8, steps: 100, snapshots: 20 };

    fn run_with(again: u64, differing: u64, transpose: &str) -> Run {
        let out = format!(
            "value 1\ntime primal 1e-3\ntime gradient 5e-3\ncount memory 1000\ncheck transpose {transpose}\ncheck by_records 0\n\
             count differing_schedules {differing}\ncount nonzero_fields 3\n"
        );
        let statistics = format!(
            "adrt: 2 gradients, 600 bytes recorded, 256 bytes at peak, 1 chunks of 1048576 bytes\n\
             adrt: 2 gradients, 600 bytes recorded, 256 bytes at peak: march\n\
             adrt: 2 checkpointed loops of 200 steps, {again} steps run again, 31 snapshots of at most 24 bytes, 144000 bytes held at peak\n"
        );
        Run::read(&out, &statistics, 2).expect("lines")
    }

    #[test]
    fn lines_of_programs_and_statistics_are_read() {
        let run = run_with(2 * SIZE.bound(), 0, "1e-15");
        assert_eq!((run.again, run.traffic, run.peak, run.snapshot), (178, 300, 256, 24));
        assert_eq!((run.count("memory"), run.measured.ratio("gradient")), (Some(1000), Some(5.0)));
        for what in [What::Checkpointed, What::All, What::Both] {
            assert!(run.failures(SIZE, what).is_empty(), "{what:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_reported() {
        assert_eq!(
            run_with(2 * SIZE.bound() + 2, 0, "0").failures(SIZE, What::Checkpointed).len(),
            1
        );
        assert_eq!(run_with(356, 1, "0").failures(SIZE, What::Both).len(), 1);
        assert_eq!(run_with(356, 0, "nan").failures(SIZE, What::All).len(), 1);
        assert_eq!(Run::default().failures(SIZE, What::All).len(), 1);
    }
}
