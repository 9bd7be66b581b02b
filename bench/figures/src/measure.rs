//! One code under one setting: compiled, counted, run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use adtoolchain::{Failure, Workbench, succeed};

use crate::codes::Code;

/// For a run of one code's program.
const LIMIT: Duration = Duration::from_secs(120);

/// What one code's gradient costs under one setting.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Bytes that one gradient takes from the tape's arena.
    pub recorded: u64,
    /// Median time of the primal, in seconds.
    pub primal: f64,
    /// Median time of the gradient, in seconds.
    pub gradient: f64,
    /// Instructions that the plugin generated for the adjoint alone.
    pub instructions: u64,
    /// Residual of the dot-product identity against the tangent.
    pub dot: f64,
    /// The gradient.
    pub values: Vec<f64>,
}

/// Compiles `code` without the analyses `without` (a list as the plugin reads it, empty for none),
/// and runs it.
pub fn measure(
    tools: &Workbench,
    code: &Code,
    without: &str,
    runs: u32,
) -> Result<Figures, String> {
    let file = |suffix: &str| tools.file(&format!("{}{suffix}", code.name));
    // The tangent would be counted with the adjoint.
    let printed = differentiate(tools, code, without, false, &file(".o"))?;
    let instructions = number_before(&printed, "adpass: ", " instructions generated").ok_or(
        format!("{}: the plugin does not say how much it generated:\n{printed}", code.name),
    )?;
    differentiate(tools, code, without, true, &file(".o"))?;
    link(tools, code, &file(".o"), &file(""))?;

    let values = file(".gradient");
    let mut command = Command::new(file(""));
    command.arg(runs.to_string()).arg(&values).env("ADRT_STATS", "1");
    let done = succeed(&mut command, LIMIT)?;
    let named = |name: &str| {
        let value =
            done.stdout.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.ok_or(format!("{}: no {name} in its output:\n{}", code.name, done.stdout))
    };
    let bytes = fs::read(&values).map_err(|e| format!("{}: {e}", values.display()))?;
    Ok(Figures {
        recorded: recorded_per_gradient(&done.stderr),
        primal: named("primal_s ")?,
        gradient: named("gradient_s ")?,
        instructions,
        dot: named("dot ")?,
        values: bytes
            .chunks_exact(8)
            .map(|b| f64::from_ne_bytes(b.try_into().expect("eight bytes")))
            .collect(),
    })
}

/// Compiles the source of `code` without those analyses; what the compiler and the plugin say.
fn differentiate(
    tools: &Workbench,
    code: &Code,
    without: &str,
    has_tangent: bool,
    object: &Path,
) -> Result<String, Failure> {
    let adjoint = format!("--ad-adjoint={}", code.head);
    let mut words = vec!["-O3".into(), "-c".into(), "--ad-time".into(), adjoint];
    if has_tangent {
        words.push(format!("--ad-tangent={}", code.head));
    }
    if !without.is_empty() {
        words.push(format!("--ad-disable={without}"));
    }
    if code.is_fortran() {
        words.push("--ad-driver=fortran".into());
    }
    words.extend([path(&tools.root().join(code.source)), "-o".into(), path(object)]);
    tools.adcc(&words)
}

/// Compiles the program of `code` and links it with the object.
fn link(tools: &Workbench, code: &Code, object: &Path, program: &Path) -> Result<String, Failure> {
    let root = tools.root();
    let mut words = vec!["-O3".into(), format!("-I{}", path(&root.join("bench/objectives")))];
    words.push(path(&root.join(format!("bench/figures/codes/{}.c", code.name))));
    words.extend(code.also.iter().map(|file| path(&root.join(file))));
    words.extend([path(object), "-lm".into(), "-o".into(), path(program)]);
    tools.adcc(&words)
}

fn path(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

/// From the runtime's line of statistics. A program whose gradients take nothing from the arena
/// prints none.
fn recorded_per_gradient(printed: &str) -> u64 {
    let gradients = number_before(printed, "adrt: ", " gradients").unwrap_or(0);
    let recorded = number_before(printed, "gradients, ", " bytes recorded").unwrap_or(0);
    recorded.checked_div(gradients).unwrap_or(0)
}

/// The number between `start` and `end` on one line.
fn number_before(text: &str, start: &str, end: &str) -> Option<u64> {
    text.lines().find_map(|line| line.split_once(start)?.1.split_once(end)?.0.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_plugin_and_runtime_are_read() {
        let printed =
            "adpass:      1.250 ms  simplify\nadpass: 1173 instructions generated (2 functions)\n";
        assert_eq!(number_before(printed, "adpass: ", " instructions generated"), Some(1173));
        let printed = "adrt: 6 gradients, 1536 bytes recorded, 256 bytes at peak, 1 chunks of 1048576 bytes\n";
        assert_eq!(recorded_per_gradient(printed), 256);
        assert_eq!(recorded_per_gradient(""), 0);
    }
}
