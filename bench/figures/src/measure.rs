//! One code under one setting: compiled, counted, run.

use std::fs;

use crate::codes::Code;
use crate::toolchain::Toolchain;

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
    tools: &Toolchain,
    code: &Code,
    without: &str,
    runs: u32,
) -> Result<Figures, String> {
    let file = |suffix: &str| tools.scratch(&format!("{}{suffix}", code.name));
    // The tangent would be counted with the adjoint.
    let said = tools.differentiate(code, without, false, &file(".o"))?;
    let instructions = number_before(&said, "adpass: ", " instructions generated")
        .ok_or(format!("{}: the plugin does not say how much it generated:\n{said}", code.name))?;
    tools.differentiate(code, without, true, &file(".o"))?;
    tools.link(code, &file(".o"), &file(""))?;

    let values = file(".gradient");
    let (out, err) =
        tools.run(&file(""), &[runs.to_string(), values.to_string_lossy().into_owned()])?;
    let named = |name: &str| {
        let value = out.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.ok_or(format!("{}: no {name} in its output:\n{out}", code.name))
    };
    let bytes = fs::read(&values).map_err(|e| format!("{}: {e}", values.display()))?;
    Ok(Figures {
        recorded: recorded_per_gradient(&err),
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

/// From the runtime's line of statistics. A program whose gradients take nothing from the arena
/// prints none.
fn recorded_per_gradient(said: &str) -> u64 {
    let gradients = number_before(said, "adrt: ", " gradients").unwrap_or(0);
    let recorded = number_before(said, "gradients, ", " bytes recorded").unwrap_or(0);
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
        let said =
            "adpass:      1.250 ms  simplify\nadpass: 1173 instructions generated (2 functions)\n";
        assert_eq!(number_before(said, "adpass: ", " instructions generated"), Some(1173));
        let said = "adrt: 6 gradients, 1536 bytes recorded, 256 bytes at peak, 1 chunks of 1048576 bytes\n";
        assert_eq!(recorded_per_gradient(said), 256);
        assert_eq!(recorded_per_gradient(""), 0);
    }
}
