//! Reads the times that the plugin prints, takes medians, writes tables.

use crate::measure::{Ended, Used};
use std::fmt::Write;

/// Stages that are no analysis, by the first word of their names.
const NO_ANALYSIS: &[&str] =
    &["canonicalise", "import", "generate", "simplify", "divide", "verify", "delete"];
/// Most memory that a compilation with the plugin may take.
pub const MOST_MEMORY: u64 = 2 << 30;

/// Milliseconds per stage, in the order of the plugin.
pub type Stages = Vec<(String, f64)>;

/// What several compilations of one kind took: median times, the largest memory.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// User CPU time in milliseconds.
    pub user: f64,
    /// Largest resident set in bytes.
    pub peak: u64,
    /// The plugin's stages; none where it did not finish.
    pub stages: Stages,
    /// Whether a run met the time limit.
    pub is_late: bool,
}

/// What `runs` took, or how the first one that did not end well ended.
pub fn cost(runs: &[Ended]) -> Result<Cost, String> {
    let mut used: Vec<&Used> = vec![];
    for r in runs {
        match r {
            Ended::Done(u) | Ended::Timeout(u) => used.push(u),
            Ended::Failed(why) => return Err(format!("failed: {why}")),
        }
    }
    let stages: Vec<Stages> = used.iter().map(|u| stages(&u.errors)).collect();
    let names = stages.first().into_iter().flatten().map(|(name, _)| name.clone());
    let of = |name: &str| {
        stages.iter().filter_map(|s| s.iter().find(|(n, _)| n == name).map(|(_, ms)| *ms)).collect()
    };
    Ok(Cost {
        user: median(used.iter().map(|u| u.user).collect()),
        peak: used.iter().map(|u| u.peak).max().unwrap_or(0),
        stages: names.map(|n| (n.clone(), median(of(&n)))).collect(),
        is_late: runs.iter().any(|r| matches!(r, Ended::Timeout(_))),
    })
}

fn stages(errors: &str) -> Stages {
    let line = |l: &str| {
        let (ms, name) = l.strip_prefix("adpass:")?.split_once(" ms ")?;
        Some((name.trim().to_string(), ms.trim().parse().ok()?))
    };
    errors.lines().filter_map(line).collect()
}

/// The value in the middle.
pub fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Cost {
    /// Time of the stages that analyse.
    pub fn analyses(&self) -> f64 {
        let is_analysis =
            |name: &str| !NO_ANALYSIS.iter().any(|n| name.split(' ').next() == Some(n));
        self.stages.iter().filter(|(name, _)| is_analysis(name)).map(|(_, ms)| ms).sum()
    }
    /// Time of all stages of the plugin.
    pub fn plugin(&self) -> f64 {
        self.stages.iter().map(|(_, ms)| ms).sum()
    }
}

/// One module's measurements.
pub struct Measured {
    /// Number of functions.
    pub functions: usize,
    /// Instructions after -O1.
    pub instructions: usize,
    /// The compiler alone.
    pub plain: Result<Cost, String>,
    /// With the plugin and the request.
    pub adjoint: Result<Cost, String>,
}

/// The stages of one module.
pub fn stage_table(m: &Measured) -> String {
    let mut text = String::new();
    let (Ok(plain), Ok(adjoint)) = (&m.plain, &m.adjoint) else { return text };
    let mut row = |name: &str, ms: f64, peak: Option<u64>| {
        let peak = peak.map_or(String::new(), |p| format!("{:>10}", mib(p)));
        let _ = writeln!(text, "{name:<32}{ms:>12.1}{:>12.1} %{peak}", 100.0 * ms / plain.user);
    };
    for (name, ms) in &adjoint.stages {
        row(name, *ms, None);
    }
    row("analyses together", adjoint.analyses(), None);
    row("plugin, all stages", adjoint.plugin(), None);
    row("clang -O2", plain.user, Some(plain.peak));
    let name = if adjoint.is_late {
        "with the adjoint, to the timeout"
    } else {
        "clang -O2 with the adjoint"
    };
    row(name, adjoint.user, Some(adjoint.peak));
    format!("{:<32}{:>12}{:>14}{:>10}\n{text}", "stage", "ms", "of clang -O2", "peak MiB")
}

/// How times grow with the module: per instruction, and relative to the smallest module.
pub fn series_table(all: &[Measured]) -> String {
    let mut text = format!(
        "{:>9}{:>14}{:>12}{:>12}{:>9}{:>8}{:>12}{:>9}{:>8}{:>12}{:>10}\n",
        "functions",
        "instructions",
        "clang -O2",
        "analyses",
        "us/inst",
        "ratio",
        "plugin",
        "us/inst",
        "ratio",
        "with clang",
        "peak MiB"
    );
    let mut first = None;
    for m in all {
        let _ = write!(text, "{:>9}{:>14}", m.functions, m.instructions);
        let total = |c: &Cost| if c.is_late { "timeout".into() } else { format!("{:.0}", c.user) };
        match &m.plain {
            Ok(c) => drop(write!(text, "{:>12}", total(c))),
            Err(why) => drop(write!(text, "  {why}")),
        }
        match &m.adjoint {
            Ok(c) if c.stages.is_empty() => {
                let _ = write!(text, "{:>58}{:>12}{:>10}", "", total(c), mib(c.peak));
            }
            Ok(c) => {
                let per = |ms: f64| ms * 1e3 / m.instructions.max(1) as f64;
                let (a, p) = (per(c.analyses()), per(c.plugin()));
                let (a0, p0) = *first.get_or_insert((a, p));
                let _ = write!(text, "{:>12.0}{a:>9.2}{:>8.2}", c.analyses(), a / a0);
                let _ = write!(text, "{:>12.0}{p:>9.2}{:>8.2}", c.plugin(), p / p0);
                let _ = write!(text, "{:>12}{:>10}", total(c), mib(c.peak));
            }
            Err(why) => drop(write!(text, "  {why}")),
        }
        text.push('\n');
    }
    text
}

/// The last line, and whether it passes.
pub fn verdict(m: &Measured) -> (bool, String) {
    match (&m.plain, &m.adjoint) {
        (Ok(plain), _) if plain.is_late => (false, "FAIL: clang -O2: timeout".into()),
        (_, Ok(adjoint)) if adjoint.is_late => (false, "FAIL: with the adjoint: timeout".into()),
        (_, Ok(adjoint)) if adjoint.stages.is_empty() => {
            (false, "FAIL: the plugin printed no times".into())
        }
        (Ok(plain), Ok(adjoint)) => {
            let is_fast = adjoint.analyses() < plain.user;
            let is_small = adjoint.peak < MOST_MEMORY;
            let passes = is_fast && is_small;
            let text = format!(
                "{}: analyses {:.0} ms {} clang -O2 {:.0} ms; peak {} MiB {} {} MiB",
                if passes { "PASS" } else { "FAIL" },
                adjoint.analyses(),
                if is_fast { "<" } else { ">=" },
                plain.user,
                mib(adjoint.peak),
                if is_small { "<" } else { ">=" },
                mib(MOST_MEMORY)
            );
            (passes, text)
        }
        (Err(why), _) => (false, format!("FAIL: clang -O2: {why}")),
        (_, Err(why)) => (false, format!("FAIL: with the adjoint: {why}")),
    }
}

fn mib(bytes: u64) -> u64 {
    bytes >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(user: f64, errors: &str) -> Ended {
        Ended::Done(Used { user, peak: 5 << 20, errors: errors.into() })
    }

    #[test]
    fn stages_are_read_and_sorted_into_analyses_and_others() {
        let errors = "warning: x\nadpass:      2.500 ms  points-to\nadpass:     10.000 ms  generate reverse\n\
                      adpass: 1.000 ms  other\n";
        let cost = cost(&[ran(50.0, errors)]).unwrap();
        assert_eq!((cost.analyses(), cost.plugin(), cost.user), (3.5, 13.5, 50.0));
    }

    #[test]
    fn a_median_is_none_of_the_outliers() {
        let line = |ms: f64| format!("adpass: {ms} ms  needs\n");
        let cost =
            cost(&[ran(1.0, &line(7.0)), ran(90.0, &line(1.0)), ran(3.0, &line(2.0))]).unwrap();
        assert_eq!((cost.user, cost.analyses()), (3.0, 2.0));
    }

    #[test]
    fn what_did_not_end_well_fails() {
        let plain = cost(&[ran(10.0, "")]);
        let m = |adjoint| Measured { functions: 1, instructions: 1, plain: plain.clone(), adjoint };
        let late =
            Ended::Timeout(Used { user: 1.0, peak: 1, errors: "adpass: 1 ms  plan\n".into() });
        assert_eq!(verdict(&m(cost(&[late]))), (false, "FAIL: with the adjoint: timeout".into()));
        assert!(!verdict(&m(cost(&[ran(1.0, "")]))).0);
        assert!(!verdict(&m(cost(&[Ended::Failed("no".into())]))).0);
        assert!(!verdict(&m(cost(&[ran(1.0, "adpass: 10 ms  plan\n")]))).0);
        assert!(verdict(&m(cost(&[ran(1.0, "adpass: 9 ms  plan\n")]))).0);
    }
}
