//! adcc with the workspace's own plugin and runtime, which must have been built before
//! (`make build`).

mod common;

use assert_cmd::{Command, assert::Assert};
use common::{Bench, driver, release_folder};
use predicates::{prelude::PredicateBooleanExt, str::contains};
use std::env;
use std::path::{Path, PathBuf};

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
    command.args(["-O2", "f.c", "main.c", "-o", "p", "--ad-tangent=f"]).assert().success();
    Command::new(bench.path("p")).assert().success().stdout("8 12\n");
}

#[test]
fn a_program_without_derivatives_stays_as_it_is() {
    let bench = Bench::new();
    bench.file("main.c", "#include <stdio.h>\nint main(void) { puts(\"plain\"); return 7; }\n");
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    command.args(["-Wall", "-Werror", "main.c", "-o", "p"]).assert().success();
    Command::new(bench.path("p")).assert().code(7).stdout("plain\n");
}

#[test]
fn an_unknown_option_is_the_plugins_error() {
    let bench = Bench::new();
    bench.file("main.c", "int main(void) { return 0; }\n");
    let Some(mut command) = driver(&bench, "adcc") else {
        return;
    };
    let run = command.args(["-c", "main.c", "--ad-nonsense=1"]).assert().failure();
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
    command.args(["m.f90", "-o", "m", "--ad-tangent=square(y)/(x)"]).assert().success();
    Command::new(bench.path("m")).assert().success().stdout(contains("9.00  6.00"));
}

/// A program with a call of machine code, and that code; an adcc of this name, which has the shadow
/// runtime.
fn prebuilt(bench: &Bench, name: &str) -> Option<Command> {
    let shadow = env::var_os("ADCC_SHADOW")
        .map_or_else(|| release_folder().join("libadshadow.a"), PathBuf::from);
    if !shadow.exists() {
        panic!("{} is not built (make build)", shadow.display());
    }
    bench.file("cubes.c", "double cubes(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i]; return s; }\n");
    bench.file(
        "main.c",
        "#include <ad.h>\n#include <stdio.h>\n\
         extern void __ad_adjoint_f(void *, ...);\n\
         double cubes(const double *x, int n);\n\
         static double f(const double *x, int n) { return 2 * cubes(x, n); }\n\
         int main(void) {\n    double x[3] = {1, 2, 3}, xb[3] = {0};\n    __ad_adjoint_f((void *)f, x, xb, 3);\n    \
         printf(\"%g %g %g\\n\", xb[0], xb[1], xb[2]);\n}\n",
    );
    let mut command = driver(bench, name)?;
    command.env("ADCC_SHADOW", shadow);
    let object = Command::new("/usr/lib/llvm-22/bin/clang")
        .current_dir(bench.path(""))
        .args(["-O2", "-c", "cubes.c"])
        .unwrap();
    assert!(object.status.success());
    Some(command)
}

/// Whether clang links with these options at all: not every system has all linkers.
fn can_link(bench: &Bench, options: &[&str]) -> bool {
    bench.file("plain.c", "int main(void) { return 0; }\n");
    let linked = Command::new("/usr/lib/llvm-22/bin/clang")
        .current_dir(bench.path(""))
        .args(options)
        .args(["plain.c", "-o", "plain"])
        .ok();
    let linker = options.iter().find_map(|o| o.strip_prefix("-fuse-ld="));
    if let Err(why) = &linked {
        let name = linker.unwrap_or_else(|| panic!("clang does not link with {options:?}: {why}"));
        let path = env::var_os("PATH").unwrap_or_default();
        let is_there = env::split_paths(&path).any(|f| f.join(format!("ld.{name}")).exists());
        assert!(!is_there, "ld.{name} is installed, but clang does not link with it: {why}");
        println!("{}ld.{name} is not installed", admachine::PARTLY);
    }
    linked.is_ok()
}

#[test]
fn calls_of_machine_code_work_in_other_kinds_of_builds() {
    for options in [
        &["-fsanitize=undefined", "-fno-sanitize-recover=all"][..],
        &["-fsanitize=address", "-fno-sanitize=address"],
        &["-no-pie", "-pie"],
        &["-flto"],
        &["-pg"],
        &["-mcmodel=large"],
        &["-fstack-protector-all", "-fcf-protection"],
        &["-ffunction-sections", "-Wl,--gc-sections,-z,now,-z,relro"],
        &["-fuse-ld=lld", "-Wl,--gc-sections"],
        &["-fuse-ld=gold"],
        &["-fuse-ld=mold"],
        &["-s"],
    ] {
        let bench = Bench::new();
        let Some(mut command) = prebuilt(&bench, "adcc") else { return };
        if !can_link(&bench, options) {
            continue;
        }
        command.arg("-O2").args(options).args(["main.c", "cubes.o", "-o", "p"]).assert().success();
        Command::new(bench.path("p"))
            .current_dir(bench.path(""))
            .assert()
            .success()
            .stdout("6 24 54\n");
    }
}

#[test]
fn links_that_have_all_code_need_no_derivatives_of_machine_code() {
    for options in [&["-static"][..], &["-no-pie"]] {
        let bench = Bench::new();
        let Some(mut command) = prebuilt(&bench, "adcc") else { return };
        if !can_link(&bench, options) {
            continue;
        }
        // Of its own, the first file would run machine code of the second.
        command.arg("-O2").args(options).args(["main.c", "cubes.c", "-o", "p"]).assert().success();
        Command::new(bench.path("p")).assert().success().stdout("6 24 54\n");
    }
}

#[test]
fn links_that_cannot_have_derivatives_of_machine_code_are_refused_by_name() {
    for (options, word) in [
        (&["-fsanitize=address"][..], "-fsanitize=address"),
        (&["-fsanitize=thread"], "-fsanitize=thread"),
        (&["-fsanitize=leak"], "-fsanitize=leak"),
        (&["-fsanitize=undefined,memory"], "-fsanitize=memory"),
        (&["-no-pie"], "-no-pie"),
        (&["-fno-pie", "-no-pie", "-s"], "-no-pie"),
        (&["-no-pie", "-fuse-ld=lld", "-Wl,--gc-sections"], "-no-pie"),
        (&["-static"], "-static"),
        (&["-static-pie"], "-static-pie"),
    ] {
        let bench = Bench::new();
        let Some(mut command) = prebuilt(&bench, "adcc") else { return };
        if !can_link(&bench, options) {
            continue;
        }
        let run = command
            .arg("-O2")
            .args(options)
            .args(["main.c", "cubes.o", "-o", "p"])
            .assert()
            .code(1);
        let stderr = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        // Linkers have remarks of their own on static programs.
        let ours: Vec<&str> = stderr.lines().filter(|l| l.starts_with("adcc: ")).collect();
        assert!(
            ours.len() == 3
                && ours[0].starts_with("adcc: note: no object of this link has the IR of 'cubes'")
                && ours[1].starts_with("adcc: error ADCC11: ")
                && ours[1].contains(word),
            "{options:?}: {stderr}"
        );
        assert!(
            !stderr.contains("multiple definition")
                && !stderr.contains("undefined reference")
                && !stderr.contains("undefined symbol"),
            "{options:?}: {stderr}"
        );
        assert!(!bench.path("p").exists());
        // Without such calls everything is as it was: objects that are linked in a command of their
        // own, too.
        bench.file(
            "own.c",
            "#include <ad.h>\n#include <stdio.h>\nextern double __ad_tangent_g(void *, ...);\n\
             static double g(double x) { return x * x; }\nint main(void) { printf(\"%g\\n\", __ad_tangent_g((void *)g, 3.0, 1.0)); }\n",
        );
        let mut compile = prebuilt(&bench, "second/adcc").expect("as before");
        compile
            .args(options)
            .args(["-Wno-unused-command-line-argument", "-c", "own.c"])
            .assert()
            .success();
        let mut link = prebuilt(&bench, "third/adcc").expect("as before");
        link.args(options).args(["own.o", "-o", "own"]).assert().success();
        let own = Command::new("setarch").arg("-R").arg(bench.path("own")).unwrap();
        assert_eq!(String::from_utf8_lossy(&own.stdout), "6\n", "{options:?}");
    }
}

/// `g` is in a shared library and in an archive: the derivative is that of the one that the linker
/// takes.
#[test]
fn derivatives_are_of_the_definitions_that_are_linked() {
    const MAIN: &str = "#include <ad.h>\n#include <math.h>\n#include <stdio.h>\n\
        double f(double x);\ndouble __ad_adjoint_double(void *, ...);\n\
        int main(void) { double d = __ad_adjoint_double((void *)f, 2.0);\n\
        int is_right = fabs(d - (f(2.125) - f(1.875)) * 4.0) <= 1e-12;\n\
        printf(is_right ? \"right\\n\" : \"wrong %g\\n\", d); }\n";
    let bench = Bench::new();
    let Some(mut compile) = driver(&bench, "adcc") else { return };
    let adcc = || {
        std::fs::remove_file(bench.path("adcc")).expect("the link is there");
        driver(&bench, "adcc").expect("as before")
    };
    bench.file("main.c", MAIN);
    bench.file("f.c", "double g(double x); double f(double x) { return g(x) * x; }\n");
    bench.file("one.c", "double g(double x) { return x; }\n");
    bench.file("two.c", "double g(double x) { return 5.0 * x; }\n");
    compile.args(["-O2", "-c", "main.c", "f.c", "two.c"]).assert().success();
    let run = |program: &str, words: &[&str]| {
        bench.clean(Path::new(program)).args(words).assert().success();
    };
    run("clang-22", &["-O2", "-fPIC", "-shared", "one.c", "-o", "libone.so"]);
    run("ar", &["rcs", "two.a", "two.o"]);
    for linker in ["-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=lld"] {
        for inputs in [
            &["main.o", "f.o", "-lone", "two.a"][..],
            &["main.o", "f.o", "two.a", "-lone"],
            &["two.a", "main.o", "f.o", "-lone"],
            &["-Wl,--start-group", "two.a", "main.o", "f.o", "-Wl,--end-group", "-lone"],
        ] {
            if !can_link(&bench, &[linker]) {
                continue;
            }
            let mut link = adcc();
            link.args([linker, "-L.", "-Wl,-rpath,.", "-o", "p"]).args(inputs).arg("-lm");
            link.assert().success();
            let mut program = Command::new(bench.path("p"));
            program.current_dir(bench.path("")).assert().success().stdout("right\n");
        }
    }
}

/// Derivatives of a link are made again if the code that they were made of is another, and only then.
#[test]
fn links_keep_what_they_made_of_code_that_stays() {
    const MAIN: &str = "#include <ad.h>\n#include <math.h>\n#include <stdio.h>\n\
        double f(double x); void note(double x);\ndouble __ad_adjoint_double(void *, ...);\n\
        int main(void) { double d = __ad_adjoint_double((void *)f, 2.0); note(d);\n\
        int is_right = fabs(d - (f(2.125) - f(1.875)) * 4.0) <= 1e-12;\n\
        printf(is_right ? \"right\\n\" : \"wrong %g\\n\", d); }\n";
    let bench = Bench::new();
    let Some(mut first) = driver(&bench, "adcc") else { return };
    let adcc = |words: &[&str]| {
        std::fs::remove_file(bench.path("adcc")).expect("the link is there");
        let mut command = driver(&bench, "adcc").expect("as before");
        command.env("ADCC_CACHE", bench.path("cache")).args(words);
        command
    };
    let compile = |file: &str, text: &str| {
        bench.file(file, text);
        adcc(&["-O2", "-c", file]).assert().success();
    };
    let link = || adcc(&["main.o", "f.o", "note.o", "-lm", "-o", "p"]);
    let is_right = || Command::new(bench.path("p")).assert().success().stdout("right\n");
    let kept = || {
        let keys = std::fs::read_dir(bench.path("cache")).expect("a cache").flatten();
        let files = keys.flat_map(|key| std::fs::read_dir(key.path()).expect("a folder").flatten());
        let objects =
            files.map(|file| file.path()).filter(|p| p.extension().is_some_and(|e| e == "o"));
        objects.collect::<Vec<PathBuf>>()
    };
    first.arg("--version").assert().success();
    compile("main.c", MAIN);
    compile("f.c", "double f(double x) { return x * x; }\n");
    compile("note.c", "void note(double x) {}\n");
    link().assert().success();
    is_right();
    assert_eq!(kept().len(), 1);
    // No request reaches it.
    compile("note.c", "#include <stdio.h>\nvoid note(double x) { fprintf(stderr, \"%g\", x); }\n");
    link().assert().success();
    is_right();
    assert_eq!(kept().len(), 1);
    compile("f.c", "double f(double x) { return 3.0 * x * x; }\n");
    link().assert().success();
    is_right();
    assert_eq!(kept().len(), 2);
    // As it was: what is kept is used.
    compile("f.c", "double f(double x) { return x * x; }\n");
    link().assert().success();
    is_right();
    assert_eq!(kept().len(), 2);
    kept().iter().for_each(|object| std::fs::write(object, "no object").expect("write"));
    link().assert().failure();
    link().env("ADCC_CACHE", "0").assert().success();
    is_right();
}

/// Calls reach functions of a class where some code of the program may make one.
#[test]
fn classes_that_a_program_never_makes_are_left_out() {
    const ODD: &str = "3Odd4area";
    let Some((bench, run)) = build_shapes("square()", &[]) else { return };
    run.success().stderr(contains("6Square4area").and(contains(ODD).not()));
    Command::new(bench.path("p")).assert().success().stdout("12\n");
    for (made, options) in [("argc > 1 ? odd() : square()", &[][..]), ("square()", &["-rdynamic"])]
    {
        let (bench, run) = build_shapes(made, options).expect("clang is there");
        run.success().stderr(contains(ODD));
        Command::new(bench.path("p")).assert().success().stdout("12\n");
    }
}

/// A program of three files: of two classes, it makes what `made` says.
fn build_shapes(made: &str, options: &[&str]) -> Option<(Bench, Assert)> {
    let bench = Bench::new();
    bench.file(
        "shape.h",
        "struct Shape { virtual ~Shape() {} virtual double area(double x) const = 0; };\n\
         Shape *square();\nShape *odd();\n",
    );
    bench.file(
        "square.cpp",
        "#include \"shape.h\"\nnamespace { struct Square : Shape { double area(double x) const { return x * x; } }; }\n\
         Shape *square() { return new Square; }\n",
    );
    bench.file(
        "odd.cpp",
        "#include \"shape.h\"\n\
         namespace { struct Odd : Shape {\n\
             double area(double x) const { return x + x; } }; }\n\
         Shape *odd() { return new Odd; }\n",
    );
    bench.file(
        "main.cpp",
        "#include \"shape.h\"\n#include <cstdio>\n\
         extern double __ad_tangent_f(void *, ...);\n\
         static double f(double x, const Shape *s) { return 3 * s->area(x); }\n\
         extern int ad_const;\n\
         int main(int argc, char **) {\n\
             const Shape *s = MADE;\n\
             std::printf(\"%g\\n\", __ad_tangent_f((void *)f, 2.0, 1.0, ad_const, s));\n}\n",
    );
    let mut command = driver(&bench, "ad++")?;
    let files = ["main.cpp", "square.cpp", "odd.cpp", "-o", "p", "--ad-print=body"];
    let run = command.args(["-O1", &format!("-DMADE={made}")]).args(files).args(options).assert();
    Some((bench, run))
}
