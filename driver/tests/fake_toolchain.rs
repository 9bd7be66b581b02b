//! What adcc makes of a command line, seen by compilers that only write down their words.

mod common;

use common::{Bench, adcc_path};
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

const HEADER: &str = "-idirafter include";
const FRONT: &str = "-fpass-plugin=libadpass.so -fno-discard-value-names -Rpass-analysis=^adcc$ -mllvm -ad-prebuilt=shadow -mllvm -ad-check";
/// Of objects that carry IR.
const OBJECTS: &str = "-mllvm -ad-objects=0";
/// Where the compiler finds adcc in the linker's place.
const LINKERS: &str = "-B=linkers";
const PLUGIN: &str = "-fpass-plugin=libadpass.so -fno-discard-value-names -Rpass-analysis=^adcc$";
const BACK: &str = "{ -lm -lgcc libadrt.a --export-dynamic-symbol=adshadow_functions_1 -lc libadshadow.a -lm -lpthread -ldl }";
/// Of shared libraries.
const SHARED: &str =
    "{ -lm -lgcc --exclude-libs libadrt.a libadrt.a -lc =stand-in -lm -lpthread -ldl }";

#[test]
fn what_is_added_depends_on_what_is_done() {
    let bench = Bench::new();
    for (line, expected) in [
        ("-c a.c", format!("{FRONT} {OBJECTS} -c a.c {HEADER}")),
        ("-O2 -c a.c", format!("{FRONT} -mllvm -ad-objects=2 -O2 -c a.c {HEADER}")),
        (
            "-flto -c a.c",
            format!("{} {OBJECTS} -flto -c a.c {HEADER}", FRONT.replace(" -mllvm -ad-p", " -ffat-lto-objects -mllvm -ad-p")),
        ),
        ("-flto a.o", format!("{LINKERS} -ffat-lto-objects -flto a.o {BACK}")),
        ("--ad-no-ir -c a.c", format!("{FRONT} -c a.c {HEADER}")),
        ("--ad-no-ir a.o", format!("a.o {BACK}")),
        (
            "-S -O2 a.cc -o a.s",
            format!(
                "{} -mllvm -ad-classes -S -O2 a.cc -o a.s {HEADER}",
                FRONT.replace(" -mllvm -ad-p", " -Xclang -flto-unit -Xclang -fwhole-program-vtables -mllvm -ad-p")
            ),
        ),
        (
            "a.c b.o -o p",
            format!("{FRONT} {OBJECTS} {LINKERS} a.c b.o -o p {HEADER} {BACK}"),
        ),
        (
            "-shared -fPIC a.c",
            format!("{FRONT} {OBJECTS} {LINKERS} -shared -fPIC a.c {HEADER} {SHARED}"),
        ),
        (
            "-c a.ll",
            "-fpass-plugin=libadpass.so -fno-discard-value-names -Rpass-analysis=^adcc$ -mllvm -ad-prebuilt=shadow -mllvm -ad-check -mllvm -ad-objects=0 -c a.ll".into(),
        ),
        // Only linked.
        ("a.o -o p -lx", format!("{LINKERS} a.o -o p -lx {BACK}")),
        ("a.o -nostdlib", format!("{LINKERS} a.o -nostdlib")),
        ("-r a.o b.o -o c.o", "-r a.o b.o -o c.o".into()),
        (
            "-c a.i",
            "-fpass-plugin=libadpass.so -fno-discard-value-names -Rpass-analysis=^adcc$ -mllvm -ad-prebuilt=shadow -mllvm -ad-check -mllvm -ad-objects=0 -c a.i".into(),
        ),
        // Read, but not made into code.
        ("-E a.c", format!("-E a.c {HEADER}")),
        ("-E -", format!("-E - {HEADER}")),
        ("-MM a.c", format!("-MM a.c {HEADER}")),
        ("-fsyntax-only a.c", format!("-fsyntax-only a.c {HEADER}")),
        // Neither.
        ("-c a.s", "-c a.s".into()),
        (
            "-x c++-header a.h -o a.pch -c",
            format!("-x c++-header a.h -o a.pch -c {HEADER}"),
        ),
        ("-dumpversion", "-dumpversion".into()),
        ("-v", "-v".into()),
        ("-print-search-dirs", "-print-search-dirs".into()),
        ("-Wl,--version", "-Wl,--version".into()),
        ("-o p", "-o p".into()),
    ] {
        assert_eq!(
            bench.words(line),
            format!("+ clang-22 {expected}"),
            "{line}"
        );
    }
}

#[test]
fn plugin_options_reach_the_front_end_only_where_there_is_one() {
    let bench = Bench::new();
    let heads = "--ad-tangent=f --ad-disable=tbr --ad-anything=1";
    let mllvm = "-mllvm -ad-tangent=f -mllvm -ad-disable=tbr -mllvm -ad-anything=1";
    assert_eq!(
        bench.words(&format!("{heads} -c a.c")),
        format!("+ clang-22 {FRONT} -mllvm -ad-objects=0 {mllvm} -c a.c {HEADER}")
    );
    assert_eq!(bench.words(&format!("{heads} -E a.c")), format!("+ clang-22 -E a.c {HEADER}"));
    assert_eq!(bench.words(&format!("{heads} a.o")), format!("+ clang-22 {LINKERS} a.o {BACK}"));
    // Clang's assembler rejects them: by the environment.
    assert_eq!(
        bench.words(&format!("{heads} -c a.c b.s --ad-header=h.h --ad-x")),
        format!(
            "+ clang-22 {PLUGIN} -c a.c b.s {HEADER} \
             ADPASS_OPTIONS=-ad-prebuilt=shadow -ad-check -ad-objects=0 -ad-tangent=f -ad-disable=tbr -ad-anything=1 -ad-header=h.h -ad-x"
        )
    );
}

#[test]
fn the_users_plugin_options_in_the_environment_stay() {
    let bench = Bench::new();
    let mut command = bench.fake(&adcc_path());
    command.env("ADPASS_OPTIONS", "-ad-time");
    command.args(["-save-temps", "-c", "a.c", "--ad-adjoint=f(y)/(x, z)"]).assert().success();
    assert!(bench.log().ends_with(
        "ADPASS_OPTIONS=-ad-prebuilt=shadow -ad-check -ad-objects=0 -ad-time '-ad-adjoint=f(y)/(x, z)'"
    ));
}

#[test]
fn classes_are_asked_of_cpp_where_nothing_else_tests_them() {
    let bench = Bench::new();
    let link = bench.link("cc");
    for (arguments, is_asked) in
        [("-c a.cpp", true), ("-c a.C", true), ("-c a.c", false), ("-flto -c a.cpp", false)]
    {
        let _ = fs::remove_file(bench.path("log"));
        bench.fake(&link).args(arguments.split_whitespace()).assert().success();
        let log = bench.log();
        for option in ["-Xclang -fwhole-program-vtables", "-mllvm -ad-classes"] {
            assert_eq!(log.contains(option), is_asked, "{arguments}: {log}");
        }
    }
}

#[test]
fn the_name_decides_and_an_option_overrules_it() {
    let bench = Bench::new();
    bench.file("include/ad.mod", "");
    for (name, option, expected) in [
        ("ad++", "", "clang++-22 -fpass-plugin"),
        (
            "sub/adfc",
            "",
            "flang-22 -fpass-plugin=libadpass.so -Rpass-analysis=^adcc$ -mllvm -ad-prebuilt=shadow -mllvm -ad-check -mllvm -ad-objects=0 -c a.ll",
        ),
        ("x86_64-linux-gnu-ad++-22", "", "clang++-22"),
        ("cc", "", "clang-22"),
        ("bin/cc", "--ad-driver=c++", "clang++-22"),
        ("bin/c++", "--ad-driver=fortran", "flang-22"),
    ] {
        let link = bench.link(name);
        let _ = fs::remove_file(bench.path("log"));
        bench.fake(&link).args(["-c", "a.ll"]).args(option.split_whitespace()).assert().success();
        assert!(bench.log().starts_with(&format!("+ {expected}")), "{name}: {}", bench.log());
    }
    let _ = fs::remove_file(bench.path("log"));
    let adfc = bench.path("sub/adfc");
    bench
        .fake(&adfc)
        .env("ADCC_MODULES", bench.path("include"))
        .args(["a.f90", "-o", "p"])
        .assert()
        .success();
    let expected = format!(
        "+ flang-22 -fpass-plugin=libadpass.so -Rpass-analysis=^adcc$ -mllvm -ad-prebuilt=shadow -mllvm -ad-check {OBJECTS} {LINKERS} a.f90 -o p -I include {BACK}"
    );
    assert_eq!(bench.log(), expected);
}

#[test]
fn response_files_pass_as_they_are_unless_ours_is_inside() {
    let bench = Bench::new();
    bench.file("theirs", "-c a.c");
    assert_eq!(bench.words("@theirs"), format!("+ clang-22 {FRONT} {OBJECTS} @theirs {HEADER}"));
    bench.file("ours", "-c '--ad-tangent=f(y)/(x)' \"a b.c\"");
    bench
        .fake(&adcc_path())
        .env("SHOW_FILES", "1")
        .args(["@ours", "--ad-print-commands"])
        .assert()
        .success()
        .stdout("\"-c\"\n\"a b.c\"\n")
        .stderr(contains("-mllvm '-ad-tangent=f(y)/(x)' @"));
}

#[test]
fn commands_are_shown_and_still_run() {
    let bench = Bench::new();
    bench
        .fake(&adcc_path())
        .args(["--ad-print-commands", "-c", "a b.c", "-DX=\"s\""])
        .assert()
        .success()
        .stderr(contains("fake/clang-22 -fpass-plugin=").and(contains("-c 'a b.c' '-DX=\"s\"'")));
    assert!(bench.log().contains("a b.c -DX=\"s\""));
}

#[test]
fn exit_codes_are_the_compilers() {
    let bench = Bench::new();
    let run = |name: &str, value: &str, line: &[&str]| {
        bench.fake(&adcc_path()).env(name, value).args(line).assert()
    };
    run("EXIT", "0", &["-c", "a.c"]).code(0);
    run("EXIT", "3", &["-c", "a.c"]).code(3);
    // Two sources: adcc waits to check the heads.
    let waiting = ["-c", "a.c", "b.c", "--ad-tangent=f"];
    run("EXIT", "3", &waiting).code(3);
    run("KILL", "KILL", &waiting).code(137);
    run("KILL", "KILL", &["-c", "a.c"]).interrupted();
}

#[test]
fn heads_of_several_sources_must_be_met_by_one() {
    let bench = Bench::new();
    let run = |seen: &str, line: &str| {
        let mut command = bench.fake(&adcc_path());
        command.env("SEEN", seen).args(line.split_whitespace()).assert()
    };
    let two = "-c a.c b.cc --ad-tangent=f --ad-adjoint=ns::g(y)/(x)";
    run("_ZN2ns1gEd f", two).success();
    let log = bench.log();
    assert!(log.contains("-mllvm -ad-heads-optional"), "{log}");
    bench.file("a.o", "");
    run("f", two).code(1).stderr(
        contains("error ADCC06: no source of this command defines `ns::g`")
            .and(contains("--ad-adjoint=ns::g(y)/(x)"))
            .and(contains("remedy")),
    );
    assert!(!bench.path("a.o").exists(), "outputs of a failed command are removed");
    // Nothing is run, nothing is checked.
    run("", &format!("{two} -###")).success();
    // A single source: the plugin's own error, nothing optional.
    let _ = fs::remove_file(bench.path("log"));
    run("", "-c a.c --ad-tangent=f").success();
    assert!(!bench.log().contains("heads-optional"));
}

#[test]
fn the_reports_of_several_sources_go_to_a_folder() {
    let bench = Bench::new();
    fs::create_dir(bench.path("there")).expect("a folder");
    for line in
        ["--ad-report=r.json -c a.c", "--ad-report=r/ -c a.c b.c", "--ad-report=there -c a.c b.c"]
    {
        bench.fake(&adcc_path()).args(line.split_whitespace()).assert().success();
    }
    assert!(bench.log().contains("-mllvm -ad-report=there"), "{}", bench.log());
}

#[test]
fn heads_of_the_environment_speak_to_the_whole_build() {
    let bench = Bench::new();
    let mut command = bench.fake(&adcc_path());
    command.env("ADCC_OPTIONS", "--ad-tangent='f(y)/(x, z)' --ad-disable=tbr");
    command.args(["-c", "a.c"]).assert().success();
    let expected =
        "-mllvm -ad-tangent=f(y)/(x, z) -mllvm -ad-disable=tbr -mllvm -ad-heads-optional";
    assert!(bench.log().contains(expected), "{}", bench.log());
}

#[test]
fn mistakes_in_our_options_have_code_and_remedy() {
    let bench = Bench::new();
    for (line, message) in [
        ("--ad-tangent -c a.c", "ADCC01: --ad-tangent: a value is missing"),
        ("--ad-driver=cobol a.c", "ADCC01: --ad-driver=cobol: the drivers are"),
        ("--ad-verbose=2 a.c", "ADCC01: --ad-verbose=2: takes no value"),
        (
            "--ad-report=r.json a.c b.c",
            "ADCC01: --ad-report=r.json: with several sources, name a folder: --ad-report=r.json/",
        ),
    ] {
        bench
            .fake(&adcc_path())
            .args(line.split_whitespace())
            .assert()
            .code(2)
            .stderr(contains(message).and(contains("adcc: remedy: see adcc --help")));
    }
    assert_eq!(bench.log(), "", "nothing was run");
}

#[test]
fn what_is_missing_is_reported_with_code_and_remedy() {
    let bench = Bench::new();
    let run = |name: &str, value: &str, line: &str| {
        bench.fake(&adcc_path()).env(name, value).args(line.split_whitespace()).assert().code(1)
    };
    run("ADCC_CLANG", "/nowhere/clang-22", "-c a.c")
        .stderr(contains("ADCC02: no /nowhere/clang-22 found").and(contains("ADCC_CLANG")));
    let old = bench.program("clang-21", "#!/bin/sh\n");
    run("ADCC_CLANG", &old.display().to_string(), "-c a.c").stderr(
        contains("ADCC03").and(contains("uses LLVM 21, but the plugin is built for LLVM 22")),
    );
    run("ADCC_PLUGIN", "/nowhere/p.so", "-c a.c").stderr(
        contains("ADCC04: the plugin")
            .and(contains("searched: /nowhere/p.so").and(contains("cargo build --release"))),
    );
    run("ADCC_RUNTIME", "/nowhere/r.a", "a.o").stderr(contains("ADCC05: the runtime"));
    run("X", "", "-c a.c b.f90")
        .stderr(contains("ADCC07: b.f90 is Fortran").and(contains("adfc -c")));
    run("ADCC_CLANG", &adcc_path().display().to_string(), "-c a.c")
        .stderr(contains("ADCC02").and(contains("adcc itself")));
    run("X", "", "--ad-driver=fortran a.c -c").stderr(contains("ADCC07: a.c is C or C++"));
    // Neither is needed where nothing is compiled or linked.
    bench.fake(&adcc_path()).env("ADCC_PLUGIN", "/nowhere").args(["-E", "a.c"]).assert().success();
}

#[test]
fn files_are_found_in_an_install_prefix_through_links() {
    let bench = Bench::new();
    for file in
        ["lib/libadpass.so", "lib/libadrt.a", "lib/libadshadow.a", "include/ad.h", "include/ad.mod"]
    {
        bench.file(&format!("opt/ad/{file}"), "");
    }
    fs::create_dir_all(bench.path("opt/ad/bin")).expect("make folder");
    let installed = bench.path("opt/ad/bin/adcc");
    // A link where the file system allows it: a fresh copy may be busy while other tests fork.
    fs::hard_link(adcc_path(), &installed)
        .or_else(|_| fs::copy(adcc_path(), &installed).map(|_| ()))
        .expect("install");
    std::os::unix::fs::symlink(bench.path("opt/ad/bin/adcc"), bench.path("adfc")).expect("link");
    let run = |name: &str, prefix: &str, input: &str| {
        let _ = fs::remove_file(bench.path("log"));
        let mut command = bench.clean(&bench.path(name));
        command.env("ADCC_CLANG", bench.path("fake/clang-22"));
        command.env("ADCC_FLANG", bench.path("fake/flang-22"));
        command.env("LOG", bench.path("log")).env("ADCC_PREFIX", prefix).arg(input);
        command.assert().success();
        bench.log()
    };
    let expected = "+ flang-22 -fpass-plugin=opt/ad/lib/libadpass.so -Rpass-analysis=^adcc$ -mllvm -ad-prebuilt=shadow -mllvm -ad-check -mllvm -ad-objects=0 -B=linkers a.f90 -I opt/ad/include \
                    { -lm -lgcc opt/ad/lib/libadrt.a --export-dynamic-symbol=adshadow_functions_1 -lc opt/ad/lib/libadshadow.a -lm -lpthread -ldl }";
    assert_eq!(run("adfc", "", "a.f90"), expected);
    bench.file("other/lib/libadpass.so", "");
    let log = run("opt/ad/bin/adcc", &bench.text("other"), "a.ll");
    assert!(log.contains("-fpass-plugin=other/lib/libadpass.so"), "{log}");
    assert!(log.contains(" opt/ad/lib/libadrt.a"), "{log}");
}

#[test]
fn help_and_version() {
    let bench = Bench::new();
    bench.fake(&adcc_path()).arg("--help").assert().success().stdout(
        contains("--ad-adjoint=HEAD").and(contains("Every other option is passed to clang")),
    );
    assert_eq!(bench.log(), "");
    bench.fake(&adcc_path()).arg("--version").assert().success().stdout(contains("adcc 0."));
    assert_eq!(bench.log(), "+ clang-22 --version");
    // As values they are none.
    assert_eq!(
        bench.words("-c a.c -o --help"),
        format!("+ clang-22 {FRONT} {OBJECTS} -c a.c -o --help {HEADER}")
    );
}

#[test]
fn inner_tools_are_left_alone() {
    let bench = Bench::new();
    assert_eq!(bench.words("-cc1 -emit-obj a.c"), "+ clang-22 -cc1 -emit-obj a.c");
}

#[test]
fn verbose_shows_what_was_found() {
    let bench = Bench::new();
    let text = contains("adcc: plugin: ").and(contains("libadpass.so"));
    bench.fake(&adcc_path()).args(["--ad-verbose", "-c", "a.c"]).assert().success().stderr(text);
}
