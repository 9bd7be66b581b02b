//! `-ad-report` and remarks: what they say of small programs, and what they must leave alone.
//!
//! `INSTA_UPDATE=always cargo test -p adtests --test report` writes the snapshots anew.

use std::fs;
use std::path::{Path, PathBuf};

use adtoolchain::testing::{end, tools};
use adtoolchain::{Finished, Language};
use serde_json::Value;
use tempfile::TempDir;

/// A running product: its values before each step are needed, and gone.
const PRODUCT: &str = "\
double product(const double *restrict x, int n) {
    double p = 1.0;
    for (int i = 0; i < n; i++) {
        p *= x[i];
    }
    return p;
}
";

/// A value goes through a local array that stays in memory.
const LOCAL: &str = "\
double sin(double);
double local(double x, int n) {
    double w[8] = {0};
    w[n & 7] = sin(x);
    double v = w[(n + 1) & 7];
    return v * v;
}
";

/// A clean-up on the way of an exception, which is caught and thrown again.
const PADS: &str = "\
#include <cmath>
extern \"C\" double pads(int d, const double *x) {
    double *a = new double[d];
    double y = 0;
    try {
        if (d > 5) throw 1;
        a[0] = x[0];
        for (int i = 1; i < d; i++) a[i] = std::sin(x[i]) * a[i - 1];
        y = a[d - 1];
    } catch (...) {
        delete[] a;
        throw;
    }
    delete[] a;
    return y;
}
";

/// What x and y lead to may overlap.
const SQUARES: &str = "\
void squares(double *RESTRICT x, double *RESTRICT y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * x[i];
    }
}
";

/// The derivative of a call that is not inlined.
const CALL: &str = "\
static double power(double x, int n) { return n < 1 ? 1.0 : x * power(x, n - 1) * power(x, n - 2); }
double twice(double x, int n) { return 2.0 * power(x, n); }
";

/// As adcc calls the compiler: with lines and names.
const LINES: &str = "-Rpass-analysis=^adcc$";

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a folder") }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
    /// Compiles in the folder; `options` of the plugin have no `-mllvm` yet.
    fn compile(&self, language: Language, words: &[&str], options: &[&str]) -> Finished {
        let mut command = tools().compiler(language);
        command.current_dir(self.folder.path()).args(words);
        if language != Language::Fortran {
            command.arg("-fno-discard-value-names");
        }
        command.args(options.iter().flat_map(|o| ["-mllvm", o]));
        end(command.env_remove("ADPASS_OPTIONS"))
    }
    /// The same, which must succeed; its standard error.
    fn compiled(&self, words: &[&str], options: &[&str]) -> String {
        let done = self.compile(Language::C, words, options);
        assert!(done.is_success(), "{words:?} {options:?}: {done}");
        done.stderr
    }
    /// The report of one source with one head.
    fn report(&self, source: &str, head: &str) -> Value {
        self.file("f.c", source);
        self.compiled(&["-O2", LINES, "-c", "f.c"], &[head, "-ad-report=r.json"]);
        serde_json::from_str(&self.read("r.json")).expect("JSON")
    }
}

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], |a| a)
}

fn line(v: &Value) -> u64 {
    v["place"]["line"].as_u64().unwrap_or(0)
}

#[test]
fn a_carried_value_is_recorded_per_iteration_and_its_chain_starts_at_the_parameter() {
    let report = Bench::new().report(PRODUCT, "-ad-adjoint=product(product)/(x)");
    assert_eq!(report["source"], "f.c");
    let f = &report["functions"][0];
    assert_eq!(
        (f["name"].as_str(), f["mode"].as_str(), f["made_for"].as_str()),
        (Some("product"), Some("adjoint"), Some("request"))
    );
    assert_eq!((f["place"]["file"].as_str(), line(f)), (Some("f.c"), 1));
    let params: Vec<_> = list(&f["parameters"])
        .iter()
        .map(|p| (p["name"].as_str().unwrap(), p["activity"].as_str().unwrap()))
        .collect();
    assert_eq!(params, [("x", "shadowed"), ("n", "const")]);

    let l = &f["records"]["loops"][0];
    assert_eq!((l["counted"].as_bool(), line(l), l["depth"].as_u64()), (Some(true), 3, Some(1)));
    let p = list(&l["records"]).iter().find(|r| r["text"] == "p").expect("p is recorded");
    assert_eq!((p["what"].as_str(), p["bytes"].as_u64()), (Some("value"), Some(8)));
    assert!(p["reason"].as_str().unwrap().contains("carried from iteration to iteration"), "{p}");
    assert_eq!(line(&p["read_by"][0]), 4, "{p}");
    let chain = list(&p["varied_because"]);
    assert_eq!(chain.first().unwrap()["text"], "x", "{p}");
    assert_eq!(chain.last().unwrap()["id"], p["id"], "{p}");
    let total = f["records"]["total"].as_str().unwrap();
    assert!(total.contains("8 bytes/iteration of loop at f.c:3"), "{total}");

    // x[i] is not overwritten: the reverse sweep loads it again.
    let again = list(&f["records"]["recomputed"])
        .iter()
        .find(|r| r["reloaded"] == true && r["what"] == "value");
    assert_eq!(line(again.expect("x[i]")), 4);
}

#[test]
fn additions_of_threads_are_named() {
    const SMOOTH: &str = "double smooth(const double *x, const double *w, int n) {
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 1; i < n; i++)
        s += w[0] * x[i] * x[i - 1];
    return s;
}
";
    let bench = Bench::new();
    bench.file("f.c", SMOOTH);
    let head = "-ad-adjoint=smooth(smooth)/(x,w)";
    bench.compiled(&["-O2", LINES, "-fopenmp", "-c", "f.c"], &[head, "-ad-report=r.json"]);
    let report: Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
    let all = list(&report["functions"]).iter().flat_map(|f| list(&f["additions"]));
    let mut all: Vec<_> =
        all.map(|a| (line(a), a["text"].as_str().unwrap(), a["how"].as_str().unwrap())).collect();
    all.sort_unstable();
    all.dedup();
    let of = |how: &str| all.iter().filter(|a| a.2 == how).map(|a| a.1).collect::<Vec<_>>();
    assert_eq!(of("in-turn"), ["w[0]", "x[…]"], "{all:?}");
    // The sum itself is added to the variable by each thread on its own.
    assert_eq!(of("plain").len(), 1, "{all:?}");
    assert!(bench.read("r.txt").contains("threads add to shadows in place where no other"));
}

#[test]
fn a_chain_goes_through_memory() {
    let report = Bench::new().report(LOCAL, "-ad-adjoint=local(local)/(x)");
    let values = list(&report["functions"][0]["values"]);
    let of = |id: &Value| values.iter().find(|v| v["id"] == *id).expect("a value that is listed");
    let mut at = values.iter().find(|v| v["op"] == "fmul").expect("v * v");
    assert_eq!((at["active"].as_bool(), line(at)), (Some(true), 6));
    let mut chain = vec![];
    while !at["varied_from"].is_null() {
        at = of(&at["varied_from"]);
        chain.push((at["op"].as_str().unwrap(), line(at)));
    }
    assert_eq!(chain, [("load", 5), ("store", 4), ("call", 4), ("parameter", 0)]);
    assert_eq!(at["text"], "x");

    let store = values.iter().find(|v| v["op"] == "store").expect("w[…] = sin(x)");
    let mut at = store;
    while !at["useful_to"].is_null() {
        at = of(&at["useful_to"]);
    }
    assert_eq!(at["op"], "ret");
}

/// The analyses and the explanations are two pieces of code: what is active must be explained.
#[test]
fn every_active_value_has_a_chain_from_a_parameter_to_an_output() {
    let bench = Bench::new();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("c");
    let include = format!("-I{}", programs.join("../../runtime/include").display());
    let mut active = 0;
    for name in [
        "calls", "linked_list", "local_array", "copy_one_member", "heap_temporaries",
        "libm_results", "goto_irreducible",
    ] {
        let source = programs.join(format!("{name}.c")).display().to_string();
        let report = format!("-ad-report={name}.json");
        bench.compiled(&["-O1", &include, "-c", &source, "-o", "f.o"], &[&report]);
        let report: Value =
            serde_json::from_str(&bench.read(&format!("{name}.json"))).expect("JSON");
        for f in list(&report["functions"]) {
            let values = list(&f["values"]);
            let end = |start: &Value, link: &str| {
                let mut at = start.clone();
                while !at[link].is_null() {
                    at = values
                        .iter()
                        .find(|v| v["id"] == at[link])
                        .expect("a value that is listed")
                        .clone();
                }
                at["op"].as_str().expect("an operation").to_string()
            };
            for v in values.iter().filter(|v| v["active"] == true) {
                active += 1;
                assert_eq!(end(v, "varied_from"), "parameter", "{name}: {}: {v}", f["name"]);
                let output = end(v, "useful_to");
                assert!(
                    ["ret", "store", "call"].contains(&output.as_str()),
                    "{name}: {}: {output}: {v}",
                    f["name"]
                );
            }
        }
    }
    assert!(active > 100, "{active}");
}

#[test]
fn a_variant_for_calls_says_so_and_tapes_are_named() {
    let report = Bench::new().report(CALL, "-ad-adjoint=twice(twice)/(x)");
    let functions = list(&report["functions"]);
    let of = |name: &str| {
        functions.iter().find(|f| f["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
    };
    assert_eq!(of("twice")["made_for"], "request");
    assert_eq!(of("power")["made_for"], "call");
    let frame = list(&of("power")["records"]["frame"]);
    assert!(frame.iter().any(|r| r["what"] == "tape" && r["text"] == "tape of power"), "{frame:?}");

    let report = Bench::new().report(CALL, "-ad-tangent=twice(twice)/(x)");
    let tangents: Vec<_> = list(&report["functions"])
        .iter()
        .map(|f| (f["name"].as_str(), f["made_for"].as_str()))
        .collect();
    assert_eq!(tangents, [(Some("power"), Some("call")), (Some("twice"), Some("request"))]);
    assert!(report["functions"][0]["records"].is_null(), "a tangent records nothing");
}

/// More accesses through parameters than are looked at to test whether arguments overlap.
#[test]
fn a_search_that_stops_at_its_limit_says_so() {
    let source = |statements: usize| {
        let text = "        y[i] = 0.5 * y[i] * x[i];\n".repeat(statements);
        format!(
            "void many(double *x, double *y, int n) {{\n    for (int i = 0; i < n; i++) {{\n{text}    }}\n}}\n"
        )
    };
    let bench = Bench::new();
    let report = bench.report(&source(3), "-ad-adjoint=many(y)/(x)");
    assert!(report["functions"][0]["gave_up"].is_null(), "{report}");
    let report = bench.report(&source(210), "-ad-adjoint=many(y)/(x)");
    let found = list(&report["functions"][0]["gave_up"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["analysis"], "versions");
    let text = bench.read("r.txt");
    assert!(text.contains("versions gave up: more than 400 accesses through parameters"), "{text}");
    let missed =
        bench.compiled(&["-O2", "-Rpass-missed=^ad$", "-c", "f.c"], &["-ad-adjoint=many(y)/(x)"]);
    assert!(missed.contains("versions gave up in 'many'"), "{missed}");
}

#[test]
fn fortran_has_lines_and_names_of_procedures() {
    let bench = Bench::new();
    bench.file(
        "s.f90",
        "subroutine s(x, y)\n  real(8), intent(in) :: x(2)\n  real(8), intent(out) :: y\n  y = x(1) * sin(x(2))\nend subroutine\n",
    );
    let options = ["-ad-adjoint=s($2)/($1)", "-ad-argnames=s_:x,y", "-ad-report=out/"];
    let done = bench.compile(Language::Fortran, &["-O1", LINES, "-c", "s.f90"], &options);
    assert!(done.is_success(), "{done}");
    let report: Value = serde_json::from_str(&bench.read("out/s.f90.json")).expect("JSON");
    let f = &report["functions"][0];
    assert_eq!((f["symbol"].as_str(), f["name"].as_str(), line(f)), (Some("s_"), Some("s"), 1));
    assert_eq!(f["parameters"][0]["name"], "x");
    assert!(list(&f["values"]).iter().any(|v| v["active"] == true && line(v) == 4));
}

#[test]
fn the_text_of_a_small_program() {
    let bench = Bench::new();
    bench.report(PRODUCT, "-ad-adjoint=product(product)/(x)");
    insta::assert_snapshot!("product", bench.read("r.txt"));
    bench.report(LOCAL, "-ad-tangent=local(local)/(x)");
    insta::assert_snapshot!("local_tangent", bench.read("r.txt"));
}

#[test]
fn a_folder_holds_one_report_per_source_and_none_of_what_is_not_differentiated() {
    let bench = Bench::new();
    for name in ["a/f.c", "b/f.c"] {
        bench.file(name, PRODUCT);
        bench.compiled(&["-O1", "-c", name], &["-ad-adjoint=product", "-ad-report=out/"]);
        assert!(bench.read(&format!("out/{name}.txt")).starts_with(name), "named after {name}");
        bench.read(&format!("out/{name}.json"));
    }
    bench.file("main.c", "int main(void) { return 0; }\n");
    bench.compiled(
        &["-O1", "-c", "main.c"],
        &["-ad-adjoint=product", "-ad-heads-optional", "-ad-report=out/"],
    );
    assert!(!bench.path("out/main.c.json").exists());
    // As a file: it must not take the place of the report of the source that was differentiated.
    bench.compiled(&["-O1", "-c", "a/f.c"], &["-ad-adjoint=product", "-ad-report=r.json"]);
    bench.compiled(
        &["-O1", "-c", "main.c"],
        &["-ad-adjoint=product", "-ad-heads-optional", "-ad-report=r.json"],
    );
    assert!(bench.read("r.json").contains("a/f.c"));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    bench.file("f.c", PRODUCT);
    bench.file("taken", "");
    let done = bench.compile(
        Language::C,
        &["-c", "f.c"],
        &["-ad-adjoint=product", "-ad-report=taken/r.json"],
    );
    let error = &done.stderr;
    assert!(
        !done.is_success() && error.contains("AD002: cannot write the report 'taken/r.json'"),
        "{error}"
    );
}

#[test]
fn the_code_is_the_same_with_and_without_a_report() {
    let bench = Bench::new();
    bench.file("f.c", PRODUCT);
    bench.compiled(&["-O2", "-S", "f.c", "-o", "plain.s"], &["-ad-adjoint=product"]);
    bench.compiled(
        &["-O2", "-S", "f.c", "-o", "reported.s"],
        &["-ad-adjoint=product", "-ad-report=r.json"],
    );
    assert_eq!(bench.read("plain.s"), bench.read("reported.s"));
    // Without lines there is still a report, which says how to get them.
    assert!(bench.read("r.txt").contains("no lines: the code has no line information"));
}

#[test]
fn landing_pads_are_no_calls_of_anything() {
    let bench = Bench::new();
    bench.file("f.cpp", PADS);
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for head in ["-ad-adjoint=pads(pads)/(x)", "-ad-tangent=pads(pads)/(x)"] {
            let words = [level, "-g", "-Rpass-missed=^ad$", "-Rpass-analysis=^ad$", "-c", "f.cpp"];
            let done = bench.compile(Language::Cpp, &words, &[head, "-ad-report=r.json"]);
            assert!(done.is_success(), "{level} {head}: {done}");
            assert!(!bench.read("r.json").contains("pointer()"), "{level} {head}");
        }
    }
}

#[test]
fn remarks_stand_at_the_function_the_loop_and_the_value() {
    let bench = Bench::new();
    bench.file("f.c", PRODUCT);
    let head = ["-ad-adjoint=product(product)/(x)"];
    let messages = bench.compiled(&["-O2", "-Rpass=^ad$", "-c", "f.c"], &head);
    for expected in [
        "f.c:1:1: remark: differentiated 'product' in adjoint mode: ",
        "8 bytes/iteration of loop at f.c:3",
        "f.c:3:5: remark: records 8 bytes per iteration of this loop in 'product', in one array per record [-Rpass=ad]",
    ] {
        assert!(messages.contains(expected), "{expected}: {messages}");
    }
    let messages = bench.compiled(&["-O2", "-Rpass-missed=^ad$", "-c", "f.c"], &head);
    assert!(
        messages.contains(
            "f.c:3:5: remark: records 8 bytes per iteration, p: carried from iteration to iteration"
        ),
        "{messages}"
    );
    let messages = bench.compiled(&["-O2", "-Rpass-analysis=^ad$", "-c", "f.c"], &head);
    assert!(
        messages.contains("f.c:3:5: remark: p is recorded: ")
            && messages.contains("varied because x -> "),
        "{messages}"
    );
    // Nobody asked.
    assert_eq!(bench.compiled(&["-O2", LINES, "-c", "f.c"], &head), "");
}

#[test]
fn aliasing_that_costs_is_named_and_restrict_ends_it() {
    let bench = Bench::new();
    bench.file("f.c", SQUARES);
    let messages = |restrict: &str| {
        let define = format!("-DRESTRICT={restrict}");
        bench.compiled(
            &["-O2", "-Rpass-missed=^ad$", &define, "-c", "f.c"],
            &["-ad-adjoint=squares(y)/(x)"],
        )
    };
    let aliased = messages("");
    for expected in [
        "f.c:3:16: remark: records 8 bytes per iteration",
        "the store at f.c:3:14",
        "x and y may be the same memory",
    ] {
        assert!(aliased.contains(expected), "{expected}: {aliased}");
    }
    assert_eq!(messages("restrict"), "");
}

#[test]
fn remarks_go_into_a_file_too() {
    let bench = Bench::new();
    bench.file("f.c", PRODUCT);
    let words =
        ["-O2", "-fsave-optimization-record", "-foptimization-record-file=f.yaml", "-c", "f.c"];
    bench.compiled(&words, &["-ad-adjoint=product(product)/(x)"]);
    let yaml = bench.read("f.yaml");
    assert!(yaml.contains("Pass:            ad\nName:            Differentiated\n"), "{yaml}");
    assert!(
        yaml.contains("Name:            Recorded\n") && yaml.contains("Function:        product\n"),
        "{yaml}"
    );
}
