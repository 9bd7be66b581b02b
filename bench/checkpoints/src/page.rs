//! The page in Markdown, and its plot.

use std::fmt::Write;

use adbench::page::table;
use adplots::{Curve, Panel, panels};

use crate::figures::{CURVE, Figures, Large, Sizes};
use crate::measure::{CODES, Run, Size};

/// Memory that the large runs should stay within, and their times over the primal's.
const MEMORY: u64 = 1 << 30;
/// See `MEMORY`.
const RATIO: f64 = 8.0;

/// Everything on one page; `picture` is the plot's file.
pub fn page(found: &Figures, sizes: &Sizes, picture: &str) -> String {
    let (cells, steps) = sizes.curve;
    let mut text = String::from(
        "# Checkpointed loops in figures\n\nMade by `make checkpoints`; not to be edited.\n\n\
         Time-stepping codes of bench/checkpoints, compiled at plain -O3, on one thread. The primal has no checkpoints; the gradient's loop has \
         `ad_checkpoint_loop(snapshots)`, with the number as an argument. Times are processor times, primal and gradient in turn in one process. \
         *Memory* is the most that the process had at once, all arrays and shadows included. *Again* is how many steps ran once more, \
         with records or without; *bound* is the fewest that can, t(l, c) ([theory](theory.md#checkpointed-loops)): the command fails where they differ.\n\n",
    );
    let _ = writeln!(
        text,
        "## Large\n\nThe aim is to stay within {} and {RATIO} times the primal. *Store-all* is what a gradient without checkpoints would record: \
         the bytes per step, measured at few steps, times the steps. Each was measured {}.\n\n{}\n{}",
        bytes(MEMORY),
        if sizes.runs.0 == 1 { "once".into() } else { format!("{} times; medians", sizes.runs.0) },
        table(&large(&found.large)),
        misses(&found.large),
    );
    let _ = writeln!(
        text,
        "## Few snapshots, and many\n\n{steps} steps of {} on {cells} x {cells} cells; medians of {}. The theory of time has one number from \
         measurements: what the records of a step and undoing it cost, from the run with the most snapshots. A step without records is \
         as dear as one of the primal, and copies of snapshots cost nothing. That of memory is snapshots times state, and what the last run needs beside.\n\n\
         ![Time and memory by snapshots]({picture})\n\n{}",
        CURVE.name,
        sizes.runs.1,
        table(&curve(found)),
    );
    let _ = writeln!(
        text,
        "The gradient that records everything takes {} times the primal and {} of memory, {} of them its records.\n",
        ratio(&found.records),
        bytes(found.records.count("memory").unwrap_or(0)),
        bytes(found.records.peak),
    );
    let _ = writeln!(
        text,
        "## With and without\n\n{} steps on {} x {} cells, {} snapshots. Which snapshots there are never changes a bit: *by schedule* compares with \
         one snapshot and must be 0. The gradient without checkpoints is other code: what is recorded and what is computed again differs, \
         and sums of adjoints may be added in another order (ARCHITECTURE.md, Invariants). *Differ* is how many of its numbers are not the same to the last bit, \
         *worst* by how much, relative to the size.\n\n{}",
        sizes.both.steps,
        sizes.both.cells,
        sizes.both.cells,
        sizes.both.snapshots,
        table(&both(found)),
    );
    text.push_str("## The codes\n\n");
    for code in &CODES {
        let _ = writeln!(
            text,
            "- **{}**: {}. `bench/checkpoints/codes/{}.c`",
            code.name, code.about, code.name
        );
    }
    text
}

/// Time and memory by snapshots, measured and as the theory says.
pub fn plot(found: &Figures) -> Result<String, String> {
    let over = |of: &dyn Fn(&Size, &Run) -> f64| {
        found.curve.iter().map(|(s, r)| (f64::from(s.snapshots), of(s, r))).collect()
    };
    let curve = |name: &str, is_measured, points| Curve { name: name.into(), points, is_measured };
    let theory = Theory::of(found);
    let mega = |n: u64| n as f64 / 1e6;
    panels(
        "snapshots",
        &[
            Panel {
                title: "gradient / primal".into(),
                curves: vec![
                    curve(
                        "measured",
                        true,
                        over(&|_, run| run.measured.ratio("gradient").unwrap_or(f64::NAN)),
                    ),
                    curve("theory", false, over(&|size, _| theory.ratio(size))),
                ],
            },
            Panel {
                title: "memory in MB".into(),
                curves: vec![
                    curve("measured", true, over(&|_, run| mega(run.count("memory").unwrap_or(0)))),
                    curve("theory", false, over(&|size, _| mega(theory.memory(size)))),
                    curve(
                        "records of all steps",
                        false,
                        over(&|_, _| mega(found.records.count("memory").unwrap_or(0))),
                    ),
                ],
            },
        ],
    )
}

/// What is to be expected.
struct Theory {
    /// Over the primal: one step with records, and undoing it, times the number of steps.
    records: f64,
    /// Bytes of the process beside snapshots.
    beside: u64,
    /// Bytes of one snapshot.
    state: u64,
}

impl Theory {
    /// From the run with the most snapshots.
    fn of(found: &Figures) -> Theory {
        let Some((size, run)) = found.curve.last() else {
            return Theory { records: 0.0, beside: 0, state: 0 };
        };
        let state = run.snapshot;
        let snapshots = u64::from(size.snapshots).min(size.steps) * state;
        Theory {
            records: run.measured.ratio("gradient").unwrap_or(f64::NAN)
                - size.bound() as f64 / size.steps as f64,
            beside: run.count("memory").unwrap_or(0).saturating_sub(snapshots),
            state,
        }
    }
    fn ratio(&self, size: &Size) -> f64 {
        size.bound() as f64 / size.steps as f64 + self.records
    }
    fn memory(&self, size: &Size) -> u64 {
        self.beside + u64::from(size.snapshots).min(size.steps) * self.state
    }
}

fn large(all: &[Large]) -> Vec<Vec<String>> {
    let header = [
        "code", "cells", "steps", "snapshots", "again", "bound", "primal", "gradient", "ratio",
        "memory", "store-all",
    ];
    let mut lines = vec![header.map(String::from).to_vec()];
    for it in all {
        let seconds =
            |kind: &str| it.run.measured.time(kind).map_or(String::new(), |s| format!("{s:.2} s"));
        lines.push(vec![
            it.code.name.into(),
            format!("{0} x {0}", it.size.cells),
            it.size.steps.to_string(),
            it.size.snapshots.to_string(),
            it.run.again.to_string(),
            it.size.bound().to_string(),
            seconds("primal"),
            seconds("gradient"),
            ratio(&it.run),
            bytes(it.run.count("memory").unwrap_or(0)),
            bytes(it.store_all),
        ]);
    }
    lines
}

/// Which large runs do not reach the aim.
fn misses(all: &[Large]) -> String {
    let mut text = String::new();
    for it in all {
        if it.run.count("memory").is_none_or(|n| n > MEMORY) {
            let _ = writeln!(text, "**{}** needs more memory than the aim.\n", it.code.name);
        }
        if it.run.measured.ratio("gradient").is_none_or(|r| r > RATIO || r.is_nan()) {
            let _ = writeln!(text, "**{}** takes longer than the aim.\n", it.code.name);
        }
    }
    text
}

fn curve(found: &Figures) -> Vec<Vec<String>> {
    let theory = Theory::of(found);
    let header = [
        "snapshots", "again", "bound", "primal", "gradient", "ratio", "theory", "memory", "theory",
    ];
    let mut lines = vec![header.map(String::from).to_vec()];
    for (size, run) in &found.curve {
        let milliseconds = |kind: &str| {
            run.measured.time(kind).map_or(String::new(), |s| format!("{:.1} ms", s * 1e3))
        };
        lines.push(vec![
            size.snapshots.to_string(),
            run.again.to_string(),
            size.bound().to_string(),
            milliseconds("primal"),
            milliseconds("gradient"),
            ratio(run),
            format!("{:.2}", theory.ratio(size)),
            bytes(run.count("memory").unwrap_or(0)),
            bytes(theory.memory(size)),
        ]);
    }
    lines
}

fn both(found: &Figures) -> Vec<Vec<String>> {
    let header = ["code", "numbers", "differ", "worst", "by schedule", "dot products"];
    let mut lines = vec![header.map(String::from).to_vec()];
    for (code, compared, records) in &found.both {
        let check = |run: &Run, name: &str| {
            run.measured
                .checks
                .iter()
                .find(|c| c.0 == name)
                .map_or(String::new(), |c| format!("{:.0e}", c.1))
        };
        lines.push(vec![
            code.name.into(),
            compared.count("nonzero_fields").unwrap_or(0).to_string(),
            compared.differing().map_or(String::new(), |n| n.to_string()),
            check(compared, "by_records"),
            compared.count("differing_schedules").map_or(String::new(), |n| n.to_string()),
            check(records, "transpose"),
        ]);
    }
    lines
}

fn ratio(run: &Run) -> String {
    run.measured.ratio("gradient").map_or(String::new(), |r| format!("{r:.2}"))
}

/// In units that people read: 564 MiB.
fn bytes(n: u64) -> String {
    let mebi = n as f64 / f64::from(1 << 20);
    if mebi < 1024.0 { format!("{mebi:.1} MiB") } else { format!("{:.2} GiB", mebi / 1024.0) }
}
