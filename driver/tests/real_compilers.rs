//! adcc with clang-22, clang++-22 and flang-22, and a stand-in plugin that shows what reaches it.

mod common;

use assert_cmd::Command;
use common::{Bench, has_compilers, standin_plugin};
use predicates::prelude::*;
use predicates::str::contains;

/// adcc, or None when compilers or LLVM's headers are missing.
fn driver(bench: &Bench, name: &str) -> Option<Command> {
    if !has_compilers() {
        return None;
    }
    let plugin = standin_plugin()?;
    let link = bench.path(name);
    let program = if link.exists() { link } else { bench.link(name) };
    let mut command = bench.clean(&program);
    command
        .env("ADCC_PLUGIN", plugin)
        .env("ADCC_RUNTIME", bench.path("libadrt.a"))
        // The stand-in for the plugin knows its own options only.
        .env("ADCC_SHADOW", bench.path("none"));
    command.env("ADCC_INCLUDE", bench.path("include"));
    // An empty archive: its magic only.
    bench.file("libadrt.a", "!<arch>\n");
    Some(command)
}

const F: &str = "#include <ad.h>\ndouble f(double x) { return x * x; }\n";
const MAIN: &str = "double f(double); int main(void) { return (int)f(3.0); }\n";

#[test]
fn each_way_of_compiling_works_without_a_warning() {
    let bench = Bench::new();
    bench.file("f.c", F);
    bench.file("main.c", MAIN);
    bench.file("g.s", ".globl g\ng: ret\n.section .note.GNU-stack,\"\",@progbits\n");
    bench.file("words", "-c f.c -o fromfile.o");
    for (line, output) in [
        ("-c f.c", "f.o"),
        ("-S f.c -o f.s", "f.s"),
        ("-S -emit-llvm f.c", "f.ll"),
        ("-c -emit-llvm f.c", "f.bc"),
        ("-c f.ll -o fromir.o", "fromir.o"),
        ("-c main.c f.c", "main.o"),
        ("main.o f.o -o linked", "linked"),
        ("main.c f.c", "a.out"),
        ("-x c main.c -x none f.o -o mixed", "mixed"),
        ("-x c main.c f.c -o allc", "allc"),
        ("-shared -fPIC f.c -o libf.so", "libf.so"),
        ("-E f.c -o f.i", "f.i"),
        ("-c f.i -o fromi.o", "fromi.o"),
        ("-fsyntax-only f.c", "f.c"),
        ("-x c-header f.c -o f.pch", "f.pch"),
        ("-MMD -MF f.d -c f.c", "f.d"),
        ("-M f.c -o deps", "deps"),
        ("@words", "fromfile.o"),
        ("-c g.s", "g.o"),
        ("main.c f.c g.s -o withasm", "withasm"),
        ("-c -x c /dev/null -o /dev/null", "/dev/null"),
        ("-r main.o f.o -o joined.o", "joined.o"),
        ("-flto -c f.c -o lto.o", "lto.o"),
        ("-flto -fuse-ld=lld main.c lto.o -o ltoprog", "ltoprog"),
        ("-fuse-ld=lld -flto=thin main.c f.c -o thin", "thin"),
        ("-save-temps -c f.c -o saved.o", "saved.o"),
        ("-c -- f.c", "f.o"),
    ] {
        let Some(mut command) = driver(&bench, "adcc") else {
            return;
        };
        command.env("ADCC_OPTIONS", "--ad-disable=tbr");
        let words = ["-Wall", "-Wextra", "-Werror"];
        let run = command.args(words).args(line.split_whitespace()).assert().success();
        run.stderr(contains("warning").not());
        assert!(bench.path(output).exists(), "{line}");
    }
    for program in ["a.out", "linked", "mixed", "allc", "ltoprog", "thin"] {
        Command::new(bench.path(program)).assert().code(9);
    }
}

#[test]
fn options_reach_the_plugin_in_every_mode() {
    let bench = Bench::new();
    bench.file("f.c", "double shown(double first, double b) { return first * b; }\n");
    bench.file("g.s", "");
    let head = "--ad-adjoint=shown(shown)/(first, b)";
    for line in ["-O0 -c", "-O2 -c", "-S", "-flto -c", "-flto=thin -c", "-fPIC -g -c"] {
        let Some(mut command) = driver(&bench, "adcc") else {
            return;
        };
        command.args(line.split_whitespace()).arg("f.c").arg(head).assert().success().stderr(
            contains("standin: ad-adjoint=shown(shown)/(first, b)")
                .and(contains("standin: argument first")),
        );
    }
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command.args(["-c", "f.c", "g.s", head]).assert().success().stderr(contains(
        "standin: environment -ad-check -ad-objects=0 '-ad-adjoint=shown(shown)/(first, b)'",
    ));
    let Some(mut command) = driver(&bench, "ad++") else {
        return;
    };
    command.args(["-x", "c++", "-", "-c", "-o", "x.o", "--ad-disable=tbr"]).write_stdin("int x;");
    command.assert().success().stderr(contains("standin: ad-disable=tbr"));
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command.args(["-c", "f.c", "--ad-nonsense=1"]).assert().failure();
}

#[test]
fn heads_over_several_sources() {
    let bench = Bench::new();
    bench.file("f.c", F);
    bench.file("main.c", MAIN);
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command.args(["f.c", "main.c", "-o", "p", "--ad-tangent=f"]).assert().success();
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    let run =
        command.args(["f.c", "main.c", "-o", "q", "--ad-tangent=f", "--ad-tangent=h"]).assert();
    run.code(1).stderr(contains("ADCC06: no source of this command defines `h`"));
    assert!(bench.path("p").exists() && !bench.path("q").exists());
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command.args(["-c", "main.c", "--ad-tangent=f"]).assert().code(1).stderr(contains("AD000"));
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command.env("ADCC_OPTIONS", "--ad-tangent=f").args(["-c", "main.c"]).assert().success();
}

#[test]
fn fortran_with_argument_names() {
    let bench = Bench::new();
    bench
        .file("b.f90", "subroutine Burgers(u, Un)\n real(8) :: u, un\n un = u*u\nend subroutine\n");
    bench.file(
        "m.F90",
        "program m\n real(8) :: x\n call burgers(VALUE, x)\n print *, x\nend program\n",
    );
    let Some(mut command) = driver(&bench, "adfc") else {
        return;
    };
    command.args(["-O2", "-c", "b.f90", "--ad-adjoint=BURGERS(un)/(u)"]).assert().success().stderr(
        contains("standin: ad-adjoint=BURGERS(un)/(u)")
            .and(contains("standin: ad-argnames=burgers_:u,un")),
    );
    let Some(mut command) = driver(&bench, "adfc") else {
        return;
    };
    command.args(["-Werror", "-cpp", "-DVALUE=3.0_8", "m.F90", "b.f90", "-o", "m"]);
    command
        .arg("--ad-adjoint=burgers(un)/(u)")
        .assert()
        .success()
        .stderr(contains("burgers_:u,un"));
    Command::new(bench.path("m")).assert().success().stdout(contains("9."));
    // A source in error: flang's own words, once.
    bench.file("bad.f90", "subroutine burgers(u)\n real(8) :: u\n u = \nend subroutine\n");
    let Some(mut command) = driver(&bench, "adfc") else {
        return;
    };
    let run = command.args(["-c", "bad.f90", "--ad-adjoint=burgers(u)/(u)"]).assert().failure();
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert_eq!(text.matches("error:").count(), 2, "{text}");
}

#[test]
fn build_systems_ask_their_questions() {
    let bench = Bench::new();
    bench.file("conftest.c", "int main(void) { return 0; }\n");
    for (line, out) in [
        ("--version", "clang version 22."),
        ("-dumpversion", "22."),
        ("-dumpmachine", "-"),
        ("-print-search-dirs", "libraries: ="),
        ("-print-file-name=libc.so", "libc"),
        ("-E -dM -x c /dev/null", "__clang_major__ 22"),
        ("conftest.c", ""),
        ("-o conftest conftest.c -lm", ""),
    ] {
        let Some(mut command) = driver(&bench, "adcc") else {
            return;
        };
        command.args(line.split_whitespace()).assert().success().stdout(contains(out));
    }
    assert!(bench.path("a.out").exists() && bench.path("conftest").exists());
    for (line, code) in
        [("-v", 0), ("-### conftest.c", 0), ("", 1), ("absent.c", 1), ("-qversion", 1)]
    {
        let Some(mut command) = driver(&bench, "adcc") else {
            return;
        };
        command.args(line.split_whitespace()).assert().code(code);
    }
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command
        .args(["-E", "-"])
        .write_stdin("v __clang_major__\n")
        .assert()
        .success()
        .stdout(contains("v 22"));
}
