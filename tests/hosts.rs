//! The plugin in its hosts: opt, and what compilers leave in an object file.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

const SOURCE: &str = r#"
extern double __ad_adjoint(void *, ...);
extern double __ad_tangent(void *, ...);
extern int ad_out, ad_dup;
extern int printf(const char *, ...);
static double f(double x) { double y = x * x + 1.0; return x > 0.0 ? y * y : y; }
int main(void) {
    double b = __ad_adjoint((void *)f, ad_out, 2.0), d = __ad_tangent((void *)f, ad_dup, 2.0, 1.0);
    printf("%g %g\n", b, d);
    return 0;
}
"#;

/// d/dx (x^2 + 1)^2 at 2.
const EXPECTED: &str = "40 40\n";

fn plugin() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("AD_BUILD_DIR").map_or_else(|| root.join("target/release"), PathBuf::from);
    let plugin = folder.join("libadpass.so");
    assert!(plugin.exists(), "{} is missing: build the workspace first", plugin.display());
    plugin
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn opt_differentiates_what_clang_emitted() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("f.c"), SOURCE).expect("written");
    for level in ["-O0", "-O2"] {
        run(Command::new("clang-22").args([level, "-S", "-emit-llvm", "-o"]).args([at("f.ll"), at("f.c")]));
        let plugin = format!("-load-pass-plugin={}", plugin().display());
        run(Command::new("opt-22").args([plugin.as_str(), "-passes=ad", "-S", "-o"]).args([at("g.ll"), at("f.ll")]));
        run(Command::new("clang-22").arg("-o").args([at("g"), at("g.ll")]).arg("-lm"));
        assert_eq!(run(&mut Command::new(at("g"))), EXPECTED, "{level}");
    }
}

#[test]
fn no_reference_to_requests_or_runtime_remains_where_none_is_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("f.c"), SOURCE).expect("written");
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let plugin = format!("-fpass-plugin={}", plugin().display());
        run(Command::new("clang-22").args([level, plugin.as_str(), "-c", "-o"]).args([at("f.o"), at("f.c")]));
        let symbols = run(Command::new("nm").arg(at("f.o")));
        // Nothing is recorded in a loop: the program links without the runtime.
        let foreign = ["ad_out", "ad_dup", "__ad_", "adrt_"].into_iter().find(|name| symbols.contains(name));
        assert_eq!(foreign, None, "{level}: {symbols}");
        run(Command::new("clang-22").arg("-o").args([at("f"), at("f.o")]).arg("-lm"));
        assert_eq!(run(&mut Command::new(at("f"))), EXPECTED, "{level}");
    }
}
