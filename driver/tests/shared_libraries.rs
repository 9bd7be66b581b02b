//! Shared libraries that adcc links: what they export, and the programs that load them.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use assert_cmd::Command;
use common::{Bench, driver, release_folder};
use predicates::prelude::*;
use predicates::str::contains;

/// Records on the tape.
const TAPE: &str = "#include <ad.h>\n#include <math.h>\n#include <stdlib.h>\n\
    static double f(const double *x, int n) { double s = 0, *w = malloc(n * sizeof *w);\n\
        for (int i = 0; i < n; i++) { w[i] = sin(x[i]) * s + x[i] * x[i]; s += w[i] * w[i]; }\n\
        free(w); return s; }\n\
    void __ad_adjoint_f(void *, ...);\n\
    void tape(const double *x, double *xb, int n) { __ad_adjoint_f((void *)f, x, xb, n); }\n\
    double value(const double *x, int n) { return f(x, n); }\n";
/// Goes through machine code.
const MACHINE_CODE: &str = "#include <ad.h>\ndouble cubes(const double *x, int n);\n\
    static double f(const double *x, int n) { return 2 * cubes(x, n); }\n\
    void __ad_adjoint_f(void *, ...);\n\
    void machine_code(const double *x, double *xb, int n) { __ad_adjoint_f((void *)f, x, xb, n); }\n";
const CUBES: &str = "double cubes(const double *x, int n) { double s = 0;\n\
    for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i]; return s; }\n";
/// Loads libraries and calls a function of each; `malloc` must stay the one that it was.
const LOADER: &str = "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    int main(int n, char **v) { void *before = dlsym(RTLD_DEFAULT, \"malloc\");\n\
      for (int i = 1; i < n; i += 2) { void *h = dlopen(v[i], RTLD_NOW | RTLD_LOCAL);\n\
        if (!h) { puts(dlerror()); return 1; }\n\
        void (*f)(const double *, double *, int) = dlsym(h, v[i + 1]);\n\
        double *x = malloc(24), *b = calloc(3, 8); x[0] = 1; x[1] = 2; x[2] = 3;\n\
        f(x, b, 3); printf(\"%.6g %.6g %.6g\\n\", b[0], b[1], b[2]); fflush(stdout); }\n\
      if (dlsym(RTLD_DEFAULT, \"malloc\") != before) puts(\"another malloc\"); }\n";
/// By central differences of `value`, to six digits.
const OF_TAPE: &str = "180.29 159.753 -472.844\n";
const OF_MACHINE_CODE: &str = "6 24 54\n";
/// What linkers define in every library.
const OF_LINKERS: [&str; 5] = ["__bss_start", "_edata", "_end", "_init", "_fini"];

/// The two libraries of adcc and the one of another compiler, linked by one linker.
fn build(bench: &Bench, linker: &str) -> Option<()> {
    bench.file("tape.c", TAPE);
    bench.file("machine_code.c", MACHINE_CODE);
    bench.file("cubes.c", CUBES);
    bench.file("loader.c", LOADER);
    other(bench, &["-O2", "-fPIC", "-shared", "cubes.c", "-o", "libcubes.so"]);
    other(bench, &["loader.c", "-o", "loader"]);
    adcc(bench, &format!("{linker} -O2 -fPIC -shared tape.c -o libtape.so"))?;
    adcc(
        bench,
        &format!(
            "{linker} -O2 -fPIC -shared -Wl,-z,defs machine_code.c -o libmachine_code.so -L. -lcubes -Wl,-rpath,{}",
            bench.text("")
        ),
    )
}

fn adcc(bench: &Bench, words: &str) -> Option<()> {
    let _ = fs::remove_file(bench.path("adcc"));
    driver(bench, "adcc")?.args(words.split_whitespace()).assert().success();
    Some(())
}

/// A compiler that knows nothing of adcc.
fn other(bench: &Bench, words: &[&str]) {
    bench.clean(Path::new("cc")).args(words).assert().success();
}

/// Those that are installed.
fn linkers(bench: &Bench) -> Vec<&'static str> {
    bench.file("empty.c", "int main(void) { return 0; }\n");
    let links = |linker: &&str| {
        let mut command = Process::new("/usr/lib/llvm-22/bin/clang");
        command.arg(linker).arg(bench.path("empty.c")).arg("-o").arg(bench.path("empty"));
        command.output().is_ok_and(|done| done.status.success())
    };
    let all = ["-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=lld", "-fuse-ld=mold"];
    all.into_iter().filter(links).collect()
}

fn loader(bench: &Bench, program: &str, libraries: &[&str]) -> Command {
    let mut command = bench.clean(&bench.path(program));
    for library in libraries {
        command.arg(bench.path(&format!("lib{library}.so"))).arg(library);
    }
    command
}

/// The shadow runtime as a shared library, for `LD_PRELOAD`.
fn preloaded(bench: &Bench) -> std::path::PathBuf {
    bench.link_to(&release_folder().join("libadshadow.a"), "runtime/libadshadow.a");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/build-shared.sh");
    bench.clean(&script).arg(bench.path("runtime")).assert().success();
    bench.path("runtime/adshadow.so")
}

#[test]
fn only_the_users_symbols_are_exported() {
    let bench = Bench::new();
    for linker in linkers(&bench) {
        if build(&bench, linker).is_none() {
            return;
        }
        for (library, expected) in
            [("libtape.so", &["tape", "value"][..]), ("libmachine_code.so", &["machine_code"])]
        {
            let listed = Process::new("nm")
                .args(["-D", "--defined-only"])
                .arg(bench.path(library))
                .output()
                .expect("nm runs");
            let listed = String::from_utf8(listed.stdout).expect("text");
            let mut names: Vec<&str> = listed
                .lines()
                .map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>())
                // gold lists some local ones.
                .filter(|words| words[0].chars().all(char::is_uppercase))
                .map(|words| words[1])
                .filter(|name| !OF_LINKERS.contains(name))
                .collect();
            names.sort_unstable();
            assert_eq!(names, expected, "{linker} {library}");
        }
    }
}

#[test]
fn programs_that_know_nothing_of_adcc_load_several() {
    let bench = Bench::new();
    if build(&bench, "-fuse-ld=bfd").is_none() {
        return;
    }
    fs::copy(bench.path("libtape.so"), bench.path("libagain.so")).expect("copy");
    let mut several = loader(&bench, "loader", &["tape"]);
    several.arg(bench.path("libagain.so")).arg("tape");
    several.assert().success().stdout(format!("{OF_TAPE}{OF_TAPE}"));
    // What takes the shadow runtime says so, and nothing before that.
    loader(&bench, "loader", &["tape", "machine_code"])
        .assert()
        .failure()
        .stdout(OF_TAPE)
        .stderr(contains("AS061").and(contains("--ad-host")).and(contains("LD_PRELOAD")));
    loader(&bench, "loader", &["machine_code", "tape", "machine_code"])
        .env("LD_PRELOAD", preloaded(&bench))
        .assert()
        .success()
        .stdout(format!("{OF_MACHINE_CODE}{OF_TAPE}{OF_MACHINE_CODE}"));
}

#[test]
fn python_loads_them() {
    let bench = Bench::new();
    if build(&bench, "-fuse-ld=bfd").is_none() {
        return;
    }
    let python = Process::new("python3").arg("--version").output();
    if !python.is_ok_and(|done| done.status.success()) {
        admachine::skip_without("python3", "python3 is not installed");
        return;
    }
    bench.file(
        "load.py",
        "import ctypes, sys\n\
         for name in sys.argv[1:]:\n    \
             x, b = (ctypes.c_double * 3)(1, 2, 3), (ctypes.c_double * 3)()\n    \
             ctypes.CDLL('./lib' + name + '.so')[name](x, b, 3)\n    \
             print('%.6g %.6g %.6g' % tuple(b))\n",
    );
    let mut python = bench.clean(Path::new("python3"));
    python.args(["load.py", "tape"]).assert().success().stdout(OF_TAPE);
}

#[test]
fn programs_of_adcc_have_the_shadow_runtime_for_them() {
    let bench = Bench::new();
    bench.file(
        "plain.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         void machine_code(const double *, double *, int);\n\
         int main(void) { double *x = malloc(24), *b = calloc(3, 8); x[0] = 1; x[1] = 2; x[2] = 3;\n\
           machine_code(x, b, 3); printf(\"%g %g %g\\n\", b[0], b[1], b[2]); }\n",
    );
    bench.file(
        "own.c",
        "#include <ad.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         double cubes(const double *x, int n);\n\
         void machine_code(const double *, double *, int);\n\
         void tape(const double *, double *, int);\n\
         static double f(const double *x, int n) { return 5 * cubes(x, n); }\n\
         void __ad_adjoint_f(void *, ...);\n\
         int main(void) { double *x = malloc(24), *b = calloc(3, 8); x[0] = 1; x[1] = 2; x[2] = 3;\n\
           __ad_adjoint_f((void *)f, x, b, 3); printf(\"%g %g %g\\n\", b[0], b[1], b[2]);\n\
           machine_code(x, b, 3); printf(\"%g %g %g\\n\", b[0], b[1], b[2]);\n\
           b[0] = b[1] = b[2] = 0; tape(x, b, 3); printf(\"%.6g %.6g %.6g\\n\", b[0], b[1], b[2]); }\n",
    );
    let rpath = format!("-Wl,-rpath,{}", bench.text(""));
    for linker in linkers(&bench) {
        if build(&bench, linker).is_none() {
            return;
        }
        // Linked with a library that needs it, with derivatives of its own, and told to have it.
        adcc(&bench, &format!("{linker} plain.c -o plain -L. -lmachine_code -lcubes {rpath}"));
        bench.clean(&bench.path("plain")).assert().success().stdout(OF_MACHINE_CODE);
        adcc(
            &bench,
            &format!("{linker} -O2 own.c -o own -L. -ltape -lmachine_code -lcubes {rpath}"),
        );
        let expected = format!("15 60 135\n21 84 189\n{OF_TAPE}");
        bench.clean(&bench.path("own")).assert().success().stdout(expected);
        adcc(&bench, &format!("{linker} --ad-host loader.c -o host"));
        let run = loader(&bench, "host", &["tape", "machine_code"]).assert().success();
        run.stdout(format!("{OF_TAPE}{OF_MACHINE_CODE}"));
    }
}

#[test]
fn a_link_that_cannot_be_a_host_says_so() {
    let bench = Bench::new();
    bench.file("loader.c", LOADER);
    for option in ["-static", "-no-pie", "-shared"] {
        let _ = fs::remove_file(bench.path("adcc"));
        let Some(mut command) = driver(&bench, "adcc") else { return };
        let run = command.args([option, "--ad-host", "loader.c", "-o", "p"]).assert().code(2);
        run.stderr(contains("ADCC01: --ad-host"));
    }
}
