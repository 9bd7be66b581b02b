//! Code that was vectorised before it is differentiated: clang without the plugin at -O3, then opt
//! with the plugin. And loops in several directions stay loops of vectors.

use std::path::Path;
use std::process::Command;

use adtoolchain::testing::{must, tools};
use adtoolchain::{Language, llvm};

/// Options of clang, and what the processor must have to run the result.
const SETTINGS: &[(&str, &str)] = &[
    ("-march=x86-64-v3", "avx2"),
    ("-march=x86-64-v3 -ffast-math", "avx2"),
    // A loop whose last iterations run under a mask.
    (
        "-march=x86-64-v3 -ffast-math -mllvm -prefer-predicate-over-epilogue=predicate-dont-vectorize",
        "avx2",
    ),
    // Gathers and scatters.
    ("-march=skylake-avx512 -ffast-math", "avx512vl"),
    ("-march=x86-64-v4 -mprefer-vector-width=512 -fno-math-errno", "avx512vl"),
];

/// IR of a C file of tests/vector, optimised.
fn compile(source: &str, options: &str, to: &Path) {
    let (tools, mut clang) = (tools(), Command::new(Language::C.compiler()));
    clang.args(["-O3", "-S", "-emit-llvm"]).args(options.split_whitespace());
    clang.arg("-I").arg(tools.headers()).arg("-I").arg(tools.root.join("tests/c"));
    must(clang.arg(tools.root.join("tests/vector").join(source)).arg("-o").arg(to));
}

/// Differentiates IR, links and runs it; the closing line of its checks.
fn differentiate(ir: &Path, folder: &Path, options: &str) -> String {
    let (after, program) = (folder.join("after.ll"), folder.join("program"));
    must(tools().opt().args(["-passes=ad", "-S", "-o"]).args([&after, ir]));
    let mut clang = Command::new(Language::C.compiler());
    clang
        .args(["-O1", "-Wno-override-module"])
        .args(options.split_whitespace().filter(|o| o.starts_with("-march")));
    must(clang.arg(&after).arg("-o").arg(&program).args(tools().link_options()));
    must(&mut Command::new(&program)).stdout
}

#[test]
fn vectorised_loops_have_derivatives() {
    for (options, feature) in SETTINGS {
        if admachine::lacks_partly(&[feature]) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let ir = folder.path().join("loops.ll");
        compile("loops.c", options, &ir);
        let text = std::fs::read_to_string(&ir).expect("written");
        // Else the test says nothing.
        assert!(
            text.contains("<4 x double>") || text.contains("<8 x double>"),
            "{options}: nothing was vectorised"
        );
        assert!(text.contains("llvm.masked.load"), "{options}: no masked accesses");
        if options.contains("-ffast-math") {
            assert!(text.contains("llvm.vector.reduce.fadd"), "{options}: no reductions");
        }
        if *feature == "avx512vl" {
            assert!(text.contains("llvm.masked.scatter"), "{options}: no scatters");
        }
        let printed = differentiate(&ir, folder.path(), options);
        assert!(printed.contains(" 0 failed"), "{options}: {printed}");
    }
}

#[test]
fn vector_intrinsics_have_derivatives() {
    if admachine::lacks(&["avx2"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for level in ["-O0", "-O2"] {
        compile("forms.c", level, &at("main.ll"));
        must(
            llvm("llvm-link")
                .arg("-S")
                .arg(at("main.ll"))
                .arg(tools().root.join("tests/vector/forms.ll"))
                .arg("-o")
                .arg(at("all.ll")),
        );
        // Without AVX, LLVM 22.1 itself fails on vectors of frexp and modf.
        let printed = differentiate(&at("all.ll"), folder.path(), "-march=x86-64-v3");
        assert!(printed.contains(" 0 failed"), "{level}: {printed}");
    }
}

/// Shadows of different directions do not overlap, and LLVM knows it: no test of all against all
/// keeps a loop scalar.
#[test]
fn loops_in_eight_directions_are_vectorised() {
    let folder = tempfile::tempdir().expect("a folder");
    let ir = folder.path().join("directions.ll");
    let mut adcc = tools().adcc_for(Language::C);
    adcc.args(["-O3", "-S", "-emit-llvm"]);
    must(adcc.arg(tools().root.join("tests/vector/directions.c")).arg("-o").arg(&ir));
    let text = std::fs::read_to_string(&ir).expect("written");
    // The adjoint's forward sweep is a loop of its own.
    for (name, loops) in [("@tangents(", 1), ("@adjoints(", 2)] {
        let function =
            text.split("\ndefine ").find(|f| f.lines().next().is_some_and(|l| l.contains(name)));
        let function = function.expect("defined").split("\n}").next().unwrap_or_default();
        let found = function
            .lines()
            .filter(|line| line.starts_with("vector.body") && line.contains(':'))
            .count();
        assert!(found >= loops, "{name} {found} loops of vectors:\n{function}");
    }
}
