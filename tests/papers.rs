//! The examples of the source papers: what the analyses decide for them. Their numbers are checked
//! by tests/c/papers.c, which has their sources, at every level.

use std::path::Path;

use adtoolchain::Language;
use adtoolchain::testing::{must, tools};
use serde_json::Value;

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// Compiles with the plugin, whose options have no `-mllvm` yet, and returns what the compiler
/// wrote.
fn compile(language: Language, words: &[&str], source: &Path, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = tools();
    let mut command = tools.compiler(language);
    command.args(words).arg(source).arg("-I").arg(tools.root.join("tests/c"));
    // In the folder: what else a compiler writes (modules of Fortran) stays there.
    command.args(["-o", "out"]).current_dir(folder.path());
    command.args(options.iter().flat_map(|o| ["-mllvm", o]));
    must(command.env_remove("ADPASS_OPTIONS"));
    let written = if options.contains(&REPORT) { "report.json" } else { "out" };
    std::fs::read_to_string(folder.path().join(written)).expect("text")
}

const REPORT: &str = "-ad-report=report.json";

/// The report of the adjoint of one function of tests/c/papers.c.
fn adjoint(level: &str, head: &str, function: &str) -> Value {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/papers.c");
    let words = [level, "-g", "-fno-discard-value-names", "-c"];
    named(
        &compile(Language::C, &words, &source, &[&format!("-ad-adjoint={head}"), REPORT]),
        function,
    )
}

/// The same for the procedures of tests/fortran/papers.f90, without the module and the program that
/// call them.
fn adjoint_in_fortran(level: &str, head: &str, names: &str, function: &str) -> Value {
    let text = include_str!("fortran/papers.f90");
    let procedures = text.split("\nmodule ").next().expect("what stands before the module");
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("papers.f90");
    std::fs::write(&source, procedures).expect("written");
    let options = [format!("-ad-adjoint={head}"), format!("-ad-argnames={names}")];
    named(
        &compile(
            Language::Fortran,
            &[level, "-g", "-c"],
            &source,
            &[&options[0], &options[1], REPORT],
        ),
        function,
    )
}

/// The adjoint of one function in a report.
fn named(report: &str, function: &str) -> Value {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let mut found = list(&report["functions"])
        .iter()
        .filter(|f| f["name"] == function && f["mode"] == "adjoint");
    found.next().unwrap_or_else(|| panic!("{function} is in the report")).clone()
}

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], |a| a)
}

/// Recorded values that are neither parameters nor their shadows: (bytes, type is real, text), per
/// call and per iteration.
fn records(f: &Value) -> Vec<(String, Value)> {
    let records = &f["records"];
    let mut all: Vec<(String, Value)> = vec![];
    let is_param = |r: &Value| list(&f["parameters"]).iter().any(|p| p["value"] == r["id"]);
    for r in list(&records["frame"]).iter().filter(|r| !is_param(r)) {
        all.push(("call".into(), r.clone()));
    }
    for l in list(&records["loops"]) {
        all.extend(
            list(&l["records"]).iter().map(|r| (l["id"].as_str().unwrap().to_string(), r.clone())),
        );
    }
    all
}

fn type_of(f: &Value, id: &Value) -> String {
    let value = list(&f["values"]).iter().find(|v| v["id"] == *id);
    value.map_or_else(String::new, |v| v["type"].as_str().unwrap_or("").to_string())
}

fn value<'a>(f: &'a Value, is: impl Fn(&Value) -> bool, what: &str) -> &'a Value {
    list(&f["values"]).iter().find(|v| is(v)).unwrap_or_else(|| panic!("{what}: {}", f["values"]))
}

/// RR-7957, figure 8: after `a = 5.0` nothing of a is varied; e is not useful, so its quotient and
/// x are not active.
#[test]
fn activity_ends_where_a_constant_is_assigned_and_where_floor_cuts_off() {
    for level in LEVELS {
        let f = adjoint(level, "activity(d,e)/(a,b,c)", "activity");
        let product =
            value(&f, |v| v["op"] == "fmul" && v["varied"] == true && v["useful"] == true, "d");
        assert_eq!(product["active"], true, "{level}");
        for op in ["fdiv", "fmul"] {
            for v in list(&f["values"]).iter().filter(|v| v["op"] == op && v["id"] != product["id"])
            {
                assert_eq!(v["active"], false, "{level}: {v}");
            }
        }
        let reals: Vec<_> =
            records(&f).into_iter().filter(|(_, r)| type_of(&f, &r["id"]) == "double").collect();
        assert!(reals.is_empty(), "d = 5 c needs no value: {level} {reals:?}");
    }
}

/// RR-7957, figure 11: of all values only a(n) is recorded, before it is overwritten by the
/// product; no index is.
#[test]
fn the_trajectory_keeps_one_value() {
    for level in LEVELS {
        let f = adjoint(level, "trajectory(a,b,z,t)/(a,b,x)", "trajectory");
        let values: Vec<_> =
            records(&f).into_iter().filter(|(_, r)| r["what"] == "value").collect();
        assert_eq!(values.len(), 1, "{level}: {values:?}");
        assert_eq!(type_of(&f, &values[0].1["id"]), "double", "{level}: {values:?}");
    }
}

/// RR-7957, figure 7: a and c are recorded once per iteration at most, the branch not at all or by
/// one byte, nothing else.
#[test]
fn a_branch_in_a_loop_costs_one_byte() {
    for level in LEVELS {
        let f = adjoint(level, "control(a,c)/(a,b,c)", "control");
        let per_iteration: Vec<_> =
            records(&f).into_iter().filter(|(at, _)| at != "call").map(|(_, r)| r).collect();
        let bytes: u64 = per_iteration.iter().map(|r| r["bytes"].as_u64().unwrap()).sum();
        assert!(bytes <= 17, "{level}: {per_iteration:?}");
        let integers = per_iteration
            .iter()
            .filter(|r| r["what"] == "value" && type_of(&f, &r["id"]).starts_with('i'));
        // The condition, where it is recorded instead of the branch.
        assert!(integers.clone().all(|r| r["bytes"] == 1), "{level}: {per_iteration:?}");
    }
}

/// The C paper, figure 3: y is never active.
#[test]
fn what_a_pointer_does_not_lead_to_is_not_active() {
    for level in LEVELS {
        let f = adjoint(level, "pointers(b)/(a,b)", "pointers");
        for v in list(&f["values"]).iter().filter(|v| v["variable"] == "y") {
            assert_eq!(
                (&v["active"], &v["varied"]),
                (&Value::Bool(false), &Value::Bool(false)),
                "{level}: {v}"
            );
            assert_ne!(v["shadow"], "yes", "{level}: {v}");
        }
    }
}

/// Control flow reversal, section 2: no value, at most one branch per iteration, at most one count.
#[test]
fn a_branch_in_a_loop_that_overwrites_nothing_records_no_value() {
    for level in LEVELS {
        let f = adjoint(level, "reversal(y)/(x)", "reversal");
        let (once, often): (Vec<_>, Vec<_>) =
            records(&f).into_iter().partition(|(at, _)| at == "call");
        assert!(
            often.len() <= 1 && often.iter().all(|(_, r)| r["bytes"] == 1 && r["what"] != "shadow"),
            "{level}: {often:?}"
        );
        let values = |ty: &str| {
            once.iter().filter(|(_, r)| r["what"] == "value" && type_of(&f, &r["id"]) == ty).count()
        };
        assert_eq!(values("double"), 0, "{level}: {once:?}");
        assert!(values("i32") + values("i64") <= 1, "{level}: {once:?}");
    }
}

/// The same with conditions from memory: they are loaded again; otherwise one byte per iteration,
/// and one count.
#[test]
fn a_branch_that_is_not_known_costs_at_most_one_byte_per_iteration() {
    for level in LEVELS {
        let f = adjoint(level, "reversal_at_run_time(y)/(x)", "reversal_at_run_time");
        let (once, often): (Vec<_>, Vec<_>) =
            records(&f).into_iter().partition(|(at, _)| at == "call");
        let bytes: u64 = often.iter().map(|(_, r)| r["bytes"].as_u64().unwrap()).sum();
        assert!(bytes <= 1, "{level}: {often:?}");
        let values = once
            .iter()
            .filter(|(_, r)| r["what"] == "value" && type_of(&f, &r["id"]) == "double")
            .count();
        assert!(values <= 2, "y[0] and y[1] at most: {level} {once:?}");
    }
}

/// The same examples in Fortran, whose dummy arguments are apart.
#[test]
fn fortran_is_the_same() {
    for level in LEVELS {
        let f =
            adjoint_in_fortran(level, "activity(d,e)/(a,b,c)", "activity_:a,b,c,d,e", "activity");
        let active: Vec<_> = list(&f["values"])
            .iter()
            .filter(|v| v["active"] == true && v["op"] != "load")
            .collect();
        assert_eq!(active.len(), 1, "{level}: {active:?}");
        assert_eq!(active[0]["op"], "fmul", "{level}");

        let head = ("trajectory(a,b,z,t)/(a,b,z,t,x)", "trajectory_:i,ind1,ind2,a,b,z,t,x");
        let f = adjoint_in_fortran(level, head.0, head.1, "trajectory");
        let values: Vec<_> =
            records(&f).into_iter().filter(|(_, r)| r["what"] == "value").collect();
        assert_eq!(values.len(), 1, "{level}: {values:?}");
        assert_eq!(type_of(&f, &values[0].1["id"]), "double", "{level}: {values:?}");

        let f = adjoint_in_fortran(level, "control(a,c)/(a,b,c)", "control_:n,m,a,b,c", "control");
        let per_iteration: Vec<_> =
            records(&f).into_iter().filter(|(at, _)| at != "call").map(|(_, r)| r).collect();
        let bytes: u64 = per_iteration.iter().map(|r| r["bytes"].as_u64().unwrap()).sum();
        assert!(bytes <= 17, "{level}: {per_iteration:?}");
    }
}

/// RR-7957, section 4.9: where nobody needs z and t, the forward sweep does not compute them.
#[test]
fn results_that_are_not_needed_are_not_computed() {
    let source = |marker: &str| {
        format!(
            r#"extern void __ad_adjoint_void(void *f, ...);
extern int ad_const, ad_dup, ad_dupnoneed;
static void trajectory(int i, const int *restrict first, const int *restrict second, double *restrict a, double *restrict b,
                       double *restrict z, double *restrict t, const double *restrict x) {{
    int n = first[i];
    b[n] = (a[n] + b[n]) * 0.5;
    a[n] = a[n] + *x;
    double c = a[n] * b[n];
    a[n] = a[n] * a[n + 1];
    n = second[i];
    z[n] = z[n] + c;
    n = second[i + 1];
    c = a[n] / b[n];
    t[n] = t[n] - c;
}}
__attribute__((noinline, optnone)) /* into which the derivative is not inlined */
void gradient(int i, const int *restrict first, const int *restrict second, double *restrict a, double *restrict ab,
              double *restrict b, double *restrict bb, double *restrict z, double *restrict zb, double *restrict t,
              double *restrict tb, const double *restrict x, double *restrict xb) {{
    __ad_adjoint_void((void *)trajectory, i, ad_const, first, ad_const, second, a, ab, b, bb, {marker}, z, zb, {marker}, t, tb, x, xb);
}}
"#
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f.c");
    // Stores of reals in the memory of a parameter of the gradient, by its place.
    let stores = |marker: &str, parameter: usize| {
        std::fs::write(&file, source(marker)).expect("written");
        let ir = compile(Language::C, &["-O1", "-S", "-emit-llvm"], &file, &[]);
        let is_gradient = |l: &&str| l.starts_with("define") && l.contains("@trajectory.adjoint(");
        let body: Vec<&str> =
            ir.lines().skip_while(|l| !is_gradient(l)).take_while(|l| *l != "}").collect();
        // Of `ptr noalias %3, i64 %7`, the pointer.
        let pointer = |text: &str| {
            let name =
                text.rsplit("ptr ").next()?.split_whitespace().find(|w| w.starts_with('%'))?;
            Some(name.trim_end_matches([',', ')']).to_string())
        };
        let list = body
            .first()
            .and_then(|l| l.split_once("@trajectory.adjoint("))
            .expect("the gradient")
            .1;
        let argument =
            pointer(list.split(", ").nth(parameter).expect("the parameter")).expect("its name");
        let base = |p: String| {
            let definition = format!("{p} = getelementptr");
            let found = body.iter().find(|l| l.trim_start().starts_with(&definition));
            found.and_then(|l| pointer(l)).unwrap_or(p)
        };
        let stores = body.iter().filter(|l| l.trim_start().starts_with("store double"));
        stores.filter_map(|l| pointer(l)).filter(|p| base(p.clone()) == argument).count()
    };
    let (a, b, z, t) = (3, 4, 5, 6);
    assert_eq!((stores("ad_dup", z), stores("ad_dup", t)), (1, 1), "the primal's own");
    assert_eq!((stores("ad_dupnoneed", z), stores("ad_dupnoneed", t)), (0, 0));
    assert!(stores("ad_dupnoneed", a) > 0 && stores("ad_dupnoneed", b) > 0);
}
