//! A small module compiles without a warning, and runs without undefined behaviour.

use adscale::{
    module::{Settings, module},
    programs,
};
use adtoolchain::{Failure, Language, Toolchain, succeed};
use std::{process::Command, time::Duration};

const FLAGS: &[&[&str]] = &[
    &["-O0", "-Wall", "-Werror", "-Wno-unused"],
    &["-O1", "-w", "-fsanitize=undefined,bounds", "-fno-sanitize-recover=all"],
];

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_small_module_compiles_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 1..4 {
        let source = folder.path().join(format!("{seed}.c"));
        let exe = folder.path().join(format!("{seed}"));
        std::fs::write(
            &source,
            module(&Settings { functions: 60, size: 120, depth: 8, seed }).unwrap(),
        )
        .unwrap();
        let mut values = vec![];
        for flags in FLAGS {
            let mut clang = Command::new(Language::C.compiler());
            clang.args(*flags).arg(&source).arg("-o").arg(&exe).arg("-lm");
            match succeed(&mut clang, LIMIT) {
                Ok(_) => {}
                Err(Failure::NotStarted(_, why)) => return admachine::skip_without("clang", &why),
                Err(failure) => panic!("seed {seed}: {failure}"),
            }
            let ran = succeed(&mut Command::new(&exe), LIMIT);
            let ran = ran.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
            let value: f64 = ran.stdout.trim().parse().unwrap();
            assert!(value.is_finite());
            values.push(value);
        }
        assert!((values[0] - values[1]).abs() < 1e-6, "seed {seed}: {values:?}");
    }
}

/// `make scale` compiles them all.
#[test]
fn programs_of_each_language_compile() {
    let folder = tempfile::tempdir().unwrap();
    let mut languages = vec![];
    for program in programs::all(1).iter().filter(|p| p.missing().is_none()) {
        if languages.contains(&program.language()) {
            continue;
        }
        languages.push(program.language());
        let source = program.write(folder.path()).unwrap();
        let mut compiler = Command::new(program.language().compiler());
        compiler.arg("-fsyntax-only").arg(&source);
        compiler.args(program.headers().map(|folder| format!("-I{folder}")));
        compiler.arg("-I").arg(Toolchain::locate().headers());
        match succeed(&mut compiler, LIMIT) {
            Ok(_) | Err(Failure::NotStarted(..)) => {}
            Err(failure) => panic!("{}: {failure}", program.name),
        }
    }
}
