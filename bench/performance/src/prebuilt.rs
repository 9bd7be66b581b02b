//! Derivatives through machine code: a solver that gcc compiled, at several instruction sets, under the shadow runtime.
//!
//! The runtime's own example measures and checks, and prints the table; it calls the runtime as generated code does, without adcc.

use std::path::Path;
use std::process::Command;

/// The section of the page; the example fails if values are not the same bits, or tangent and reverse sweep do not agree.
pub fn section(root: &Path) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let words = [
        "run",
        "--release",
        "--quiet",
        "-p",
        "adshadow",
        "--example",
        "burgers",
    ];
    let done = Command::new(cargo)
        .args(words)
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo {}: {e}", words.join(" ")))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("cargo {}: {said}", words.join(" ")));
    }
    let table = String::from_utf8_lossy(&done.stdout);
    Ok(format!(
        "\n## Prebuilt machine code\n\nBurgers' equation in two dimensions, from a library without source, through the shadow runtime: \
         `cargo {}`. Values are the same bits as natively; tangent and reverse sweep agree to 1e-10.\n\n{table}",
        words.join(" ")
    ))
}
