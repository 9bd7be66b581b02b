//! adcc with the workspace's own plugin and runtime, where they have been built
//! (`cargo build --release`); else these tests say that they were skipped.

mod common;

use assert_cmd::Command;
use common::{Bench, has_compilers};
use predicates::str::contains;
use std::env;
use std::path::{Path, PathBuf};

/// Where `cargo build --release` puts its results.
fn release_folder() -> PathBuf {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| tree.join("target"), PathBuf::from);
    let beside = target.join("release");
    if beside.join("libadpass.so").exists() {
        beside
    } else {
        tree.join("target/release")
    }
}

fn driver(bench: &Bench, name: &str) -> Option<Command> {
    let named = |variable: &str, file: &str| {
        env::var_os(variable).map_or_else(|| release_folder().join(file), PathBuf::from)
    };
    let plugin = named("ADCC_PLUGIN", "libadpass.so");
    let runtime = named("ADCC_RUNTIME", "libadrt.a");
    if !plugin.exists() || !runtime.exists() {
        println!(
            "SKIPPED: {} or {} is not built",
            plugin.display(),
            runtime.display()
        );
        return None;
    }
    if !has_compilers() {
        return None;
    }
    let mut command = bench.clean(&bench.link(name));
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    command
        .env("ADCC_PLUGIN", plugin)
        .env("ADCC_RUNTIME", runtime)
        .env("ADCC_INCLUDE", header);
    Some(command)
}

#[test]
fn a_tangent_by_head_is_linked_and_right() {
    let bench = Bench::new();
    bench.file("f.c", "double f(double x) { return x * x * x; }\n");
    bench.file(
        "main.c",
        "#include <stdio.h>\n\
         double f_d(double x, double xd, double *y);\n\
         int main(void) { double y = 0; double d = f_d(2.0, 1.0, &y); printf(\"%g %g\\n\", y, d); }\n",
    );
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command
        .args(["-O2", "f.c", "main.c", "-o", "p", "--ad-tangent=f"])
        .assert()
        .success();
    Command::new(bench.path("p"))
        .assert()
        .success()
        .stdout("8 12\n");
}

#[test]
fn a_program_without_derivatives_stays_as_it_is() {
    let bench = Bench::new();
    bench.file(
        "main.c",
        "#include <stdio.h>\nint main(void) { puts(\"plain\"); return 7; }\n",
    );
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command
        .args(["-Wall", "-Werror", "main.c", "-o", "p"])
        .assert()
        .success();
    Command::new(bench.path("p"))
        .assert()
        .code(7)
        .stdout("plain\n");
}

#[test]
fn an_unknown_option_is_the_plugins_error() {
    let bench = Bench::new();
    bench.file("main.c", "int main(void) { return 0; }\n");
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    let run = command
        .args(["-c", "main.c", "--ad-nonsense=1"])
        .assert()
        .failure();
    run.stderr(contains("ad-nonsense"));
}

#[test]
fn fortran_names_of_arguments_are_understood() {
    let bench = Bench::new();
    bench.file(
        "m.f90",
        "subroutine Square(x, y)\n real(8) :: x, y\n y = x*x\nend subroutine\n\
         program m\n real(8) :: x, xd, y, yd\n x = 3; xd = 1; y = 0; yd = 0\n\
         call square_d(x, xd, y, yd)\n print '(2F6.2)', y, yd\nend program\n",
    );
    let Some(mut command) = driver(&bench, "adfc") else {
        return;
    };
    command
        .args(["m.f90", "-o", "m", "--ad-tangent=square(y)/(x)"])
        .assert()
        .success();
    Command::new(bench.path("m"))
        .assert()
        .success()
        .stdout(contains("9.00  6.00"));
}
