//! All that is measured: large runs, both gradients where both fit, and one code with few to many
//! snapshots.

use std::path::PathBuf;

use adtoolchain::Workbench;

use crate::measure::{CODES, Code, Run, Size, What, compile, run};

/// How large.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Of the large runs, per code.
    pub large: [Size; CODES.len()],
    /// Of the runs that tell how much one step records: as the large ones, with these steps.
    pub few: [u64; 2],
    /// Where both gradients are computed.
    pub both: Size,
    /// Cells and steps of the curve.
    pub curve: (u64, u64),
    /// Its snapshots.
    pub snapshots: Vec<u32>,
    /// Measurements of the large runs, and of the curve.
    pub runs: (u32, u32),
}

impl Sizes {
    /// Those of the page.
    pub fn full() -> Sizes {
        let large = |snapshots| Size { cells: 512, steps: 10_000, snapshots };
        Sizes {
            large: [large(100), large(142), large(112)],
            few: [10, 20],
            both: Size { cells: 256, steps: 150, snapshots: 10 },
            curve: (64, 1000),
            snapshots: vec![1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100],
            runs: (1, 3),
        }
    }
    /// Seconds only.
    pub fn quick() -> Sizes {
        let large = Size { cells: 40, steps: 200, snapshots: 12 };
        Sizes {
            large: [large; CODES.len()],
            few: [5, 10],
            both: Size { cells: 24, steps: 37, snapshots: 4 },
            curve: (16, 120),
            snapshots: vec![1, 2, 3, 7, 20, 100],
            runs: (1, 1),
        }
    }
}

/// A large run.
#[derive(Debug)]
pub struct Large {
    /// Of which code.
    pub code: &'static Code,
    /// How large.
    pub size: Size,
    /// What came of it.
    pub run: Run,
    /// Bytes that the gradient without checkpoints would record: those per step, times the steps.
    pub store_all: u64,
}

/// Everything.
#[derive(Debug)]
pub struct Figures {
    /// Per code.
    pub large: Vec<Large>,
    /// Per code: both gradients compared, and primal and the gradient that records all.
    pub both: Vec<(&'static Code, Run, Run)>,
    /// By snapshots.
    pub curve: Vec<(Size, Run)>,
    /// The gradient that records all, at the curve's size.
    pub records: Run,
    /// What is wrong.
    pub failures: Vec<String>,
}

/// The code of the curve: the one that costs least beside what checkpoints cost.
pub const CURVE: &Code = &CODES[0];

/// Measures everything.
pub fn figures(tools: &Workbench, sizes: &Sizes) -> Result<Figures, String> {
    let mut failures = vec![];
    let mut one = |code: &Code, program: &PathBuf, size: Size, runs: u32, what: What| {
        eprintln!("adcheckpoints: {} {size:?} {what:?}", code.name);
        let it = run(program, size, runs, what)?;
        failures.extend(
            it.failures(size, what)
                .into_iter()
                .map(|why| format!("{}, {size:?}, {what:?}: {why}", code.name)),
        );
        Ok::<Run, String>(it)
    };
    let programs: Vec<PathBuf> =
        CODES.iter().map(|code| compile(tools, code)).collect::<Result<_, _>>()?;
    let (mut large, mut both, mut curve) = (vec![], vec![], vec![]);
    let (cells, steps) = sizes.curve;
    for &snapshots in &sizes.snapshots {
        let size = Size { cells, steps, snapshots };
        curve.push((size, one(CURVE, &programs[0], size, sizes.runs.1, What::Checkpointed)?));
    }
    let records =
        one(CURVE, &programs[0], Size { cells, steps, snapshots: 1 }, sizes.runs.1, What::All)?;
    for (code, program) in CODES.iter().zip(&programs) {
        let compared = one(code, program, sizes.both, 1, What::Both)?;
        both.push((code, compared, one(code, program, sizes.both, sizes.runs.1, What::All)?));
    }
    for ((code, program), size) in CODES.iter().zip(&programs).zip(sizes.large) {
        let few = sizes.few.map(|steps| {
            one(code, program, Size { steps, ..size }, 1, What::All).map(|it| it.peak)
        });
        let [less, more] = few;
        let per_step = (more?.saturating_sub(less?)) / (sizes.few[1] - sizes.few[0]);
        let run = one(code, program, size, sizes.runs.0, What::Checkpointed)?;
        large.push(Large { code, size, run, store_all: per_step * size.steps });
    }
    Ok(Figures { large, both, curve, records, failures })
}
