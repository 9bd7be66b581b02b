//! Every code of the benchmark at a small size: the derivatives by adcc agree with hand-written
//! ones, with central differences and with the tangent's transpose, with `restrict` and without;
//! programs that call libraries without source likewise.

use std::thread;

use adbench::cases::{CASES, Case};
use adbench::fortran::{CODES, SPELLINGS};
use adbench::measure::{Aliasing, Effort, Measured, compile, run};
use adbench::prebuilt::{PROGRAMS, is_of_another_processor};
use adbench::second::{self, What};
use adbench::sparse;
use adbench::threads;
use adtoolchain::Workbench;

const ONCE: Effort = Effort { seconds: 0.0, runs: 1 };
/// What every program compares, beside the hand-written derivative where there is one.
const CHECKS: [&str; 4] = ["differences", "transpose", "value_of_tangent", "value_of_gradient"];

/// What does not agree, of one case.
fn disagreements(tools: &Workbench, case: &Case) -> Result<Vec<String>, String> {
    let mut all = vec![];
    for aliasing in [Aliasing::Restrict, Aliasing::May] {
        let program = compile(tools, case, aliasing, &[])?;
        let words: Vec<String> = case.small.split(' ').map(str::to_string).collect();
        let it = run(&program, &tools.file(&format!("{}.{aliasing:?}", case.name)), &words, ONCE)?;
        let by_hand = case.by_hand(tools.root()).map(|_| "by_hand");
        for name in CHECKS.into_iter().chain(by_hand) {
            if !it.checks.iter().any(|(check, _)| check == name) {
                all.push(format!("{}, {aliasing:?}: does not check {name}", case.name));
            }
        }
        all.extend(
            it.failures(case.limit)
                .into_iter()
                .map(|why| format!("{}, {aliasing:?}: {why}", case.name)),
        );
    }
    Ok(all)
}

/// What to work with; none where there is no compiler, which must be allowed.
fn workbench() -> Option<Workbench> {
    let tools = Workbench::new().unwrap_or_else(|e| panic!("{e}"));
    let Some(why) = tools.missing_compiler() else {
        return Some(tools);
    };
    admachine::skip_without("clang", &why);
    None
}

#[test]
fn programs_through_libraries_agree_at_small_sizes() {
    let Some(tools) = workbench() else {
        return;
    };
    let mut found = vec![];
    for program in PROGRAMS.iter().filter(|p| p.missing().is_none()) {
        match program.measure(&tools, ONCE, program.small) {
            Ok(it) => {
                let missing =
                    CHECKS.iter().filter(|name| !it.checks.iter().any(|(check, _)| check == *name));
                found
                    .extend(missing.map(|name| format!("{}: does not check {name}", program.name)));
                found.extend(
                    it.failures(adbench::cases::LIMIT)
                        .into_iter()
                        .map(|why| format!("{}: {why}", program.name)),
                );
            }
            Err(e) if is_of_another_processor(&e) => {}
            Err(e) => found.push(e),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn fortran_and_c_agree_at_small_sizes() {
    let Some(tools) = workbench() else {
        return;
    };
    if let Some(why) = tools.missing_fortran() {
        admachine::skip_without("flang", &why);
        return;
    }
    let mut found = vec![];
    for (code, spelling) in CODES.iter().flat_map(|c| SPELLINGS.map(|s| (c, s))) {
        let label = format!("{} in {}", code.name, spelling.name());
        match code.measure(&tools, spelling, code.small, ONCE) {
            Ok(it) => {
                let missing = CHECKS.iter().filter(|n| !it.checks.iter().any(|(c, _)| c == *n));
                found.extend(missing.map(|name| format!("{label}: does not check {name}")));
                let failures = it.failures(adbench::cases::LIMIT);
                found.extend(failures.iter().map(|why| format!("{label}: {why}")));
            }
            Err(e) => found.push(format!("{label}: {e}")),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Second derivatives, several directions, sparse Jacobians and threads. Without `adtest --all`, one program
/// of each but the second.
#[test]
fn second_derivatives_directions_sparse_jacobians_and_threads_agree_at_small_sizes() {
    let Some(tools) = workbench() else {
        return;
    };
    let is_all = std::env::var_os("ADTESTS_ALL").is_some();
    let mut found = vec![];
    let mut look = |label: String, it: Result<Measured, String>, checks: &[&str]| match it {
        Ok(it) => {
            let missing = checks.iter().filter(|n| !it.checks.iter().any(|(c, _)| c == *n));
            found.extend(missing.map(|name| format!("{label}: does not check {name}")));
            let failures = it.failures(adbench::cases::LIMIT);
            found.extend(failures.iter().map(|why| format!("{label}: {why}")));
        }
        Err(e) => found.push(format!("{label}: {e}")),
    };
    for code in second::CODES.iter().filter(|code| is_all || code.name == "burgers") {
        let mut checks = vec!["differences", "transpose", "gradient_of_product"];
        if code.name == "gmm" {
            checks.extend(["symmetry", "columns"]);
        }
        look(format!("second, {}", code.name), code.quick(&tools, What::Second, ONCE), &checks);
        if is_all {
            let checks = ["transpose", "tangent2", "tangent16", "adjoint2", "adjoint16"];
            let it = code.quick(&tools, What::Directions, ONCE);
            look(format!("directions, {}", code.name), it, &checks);
        }
    }
    for code in sparse::CODES.iter().filter(|code| is_all || code.name == "chain") {
        let checks = ["sparse_check", "dense", "blocks", "product"];
        look(format!("sparse, {}", code.name), code.quick(&tools, ONCE), &checks);
    }
    for code in threads::CODES.iter().filter(|code| is_all || code.name == "bodies") {
        let checks = ["differences", "threads1", "threads2", "threads3", "threads4"];
        look(format!("threads, {}", code.name), code.quick(&tools, ONCE), &checks);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn all_codes_agree_at_small_sizes() {
    let Some(tools) = workbench() else {
        return;
    };
    let tools = &tools;
    let of = |half: usize| CASES.iter().skip(half).step_by(2);
    let found: Vec<String> = thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            scope.spawn(move || {
                of(half)
                    .flat_map(|case| disagreements(tools, case).unwrap_or_else(|e| vec![e]))
                    .collect::<Vec<_>>()
            })
        });
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap_or_else(|_| vec!["a thread ended".into()]))
            .collect()
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}
