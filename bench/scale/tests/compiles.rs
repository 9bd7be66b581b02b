//! A small module compiles without a warning, and runs without undefined behaviour.

use adscale::module::{Settings, module};
use std::{
    path::Path,
    process::{Command, Output},
};

const FLAGS: &[&[&str]] = &[
    &["-O0", "-Wall", "-Werror", "-Wno-unused"],
    &["-O1", "-w", "-fsanitize=undefined,bounds", "-fno-sanitize-recover=all"],
];

fn clang(args: &[&str], source: &Path, out: &Path) -> Option<Output> {
    let name = std::env::var("AD_CLANG").unwrap_or_else(|_| "clang-22".into());
    let output = Command::new(&name).args(args).arg(source).arg("-o").arg(out).arg("-lm").output();
    if output.is_err() {
        admachine::skip_without("clang", &format!("{name} is missing"));
    }
    output.ok()
}

#[test]
fn a_small_module_compiles_and_runs() {
    let folder = std::env::temp_dir().join(format!("adscale-compiles-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for seed in 1..4 {
        let source = folder.join(format!("{seed}.c"));
        let exe = folder.join(format!("{seed}"));
        std::fs::write(
            &source,
            module(&Settings { functions: 60, size: 120, depth: 8, seed }).unwrap(),
        )
        .unwrap();
        let mut values = vec![];
        for flags in FLAGS {
            let Some(output) = clang(flags, &source, &exe) else { return };
            assert!(
                output.status.success(),
                "seed {seed}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let ran = Command::new(&exe).output().unwrap();
            assert!(ran.status.success(), "seed {seed}: {}", String::from_utf8_lossy(&ran.stderr));
            let value: f64 = String::from_utf8_lossy(&ran.stdout).trim().parse().unwrap();
            assert!(value.is_finite());
            values.push(value);
        }
        assert!((values[0] - values[1]).abs() < 1e-6, "seed {seed}: {values:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
