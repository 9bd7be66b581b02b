//! A slice of the fuzzer's programs at two levels, short enough for every change.
//!
//! Every number must agree. A few programs copy memory of whose type nothing in them tells, and are
//! refused: these are counted and bounded. The same for programs with checkpoints, for programs
//! whose functions are machine code of other compilers, for such that are divided between both at
//! call boundaries, for 32-bit ones, for such of records, unions and containers, and for programs that
//! are divided over several files.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfuzz::boundary::{Feature, Tally};
use adfuzz::check::{self, Failure, FailureKind, Subject};
use adfuzz::compiler::{Compiler, NARROW};
use adfuzz::{generate, structures};
use adtoolchain::{RUNTIME_32, Toolchain};

/// Programs of one file.
const BATCH: usize = 20;
/// Compiles at a time.
const JOBS: usize = 2;
/// What divided programs have here; others by `adfuzz --boundaries --kinds`.
const KINDS: &[Feature] = &[
    Feature::Exported,
    Feature::Extern,
    Feature::Handle,
    Feature::Heap,
    Feature::Callback,
    Feature::View,
];

#[test]
fn programs_agree_with_the_oracle_or_are_refused() {
    let subjects = subjects(60, &[]);
    assert!(subjects.len() > 50, "only {} programs were valid", subjects.len());
    check(&subjects, &[0, 2], false, &[], 0);
}

#[test]
fn checkpointed_programs_agree_with_the_oracle_or_are_refused() {
    let mut subjects = subjects(40, &[]);
    subjects.iter_mut().for_each(|s| s.program.checkpoints = Some(1));
    check(&subjects, &[1], false, &[], 2);
}

#[test]
fn machine_code_agrees_with_the_oracle_or_is_refused() {
    // A library's variables are its own.
    let subjects = subjects(30, &["global", "static_local"]);
    assert!(subjects.len() > 24, "only {} programs were valid", subjects.len());
    check(&subjects, &[1], true, &[], 0);
}

#[test]
fn divided_programs_agree_with_the_oracle_or_are_refused() {
    let mut rejected = 0;
    let subject = |n| {
        let (program, outcome) = generate::divided(77, n, &[], KINDS, &mut rejected)?;
        Some(Subject { number: n as usize, program, outcome })
    };
    let subjects: Vec<Subject> = (0..40).filter_map(subject).collect();
    assert!(subjects.len() > 35, "only {} programs were valid", subjects.len());
    // Refusals are right, but must not be the rule: half of the requests, which are two for each
    // program.
    let refused = check(&subjects, &[1], true, &[], subjects.len());
    let mut tally = Tally::default();
    for s in &subjects {
        let boundary = s.program.boundary.as_ref().expect("it is divided");
        tally.ask(boundary, 2);
        let codes = refused.iter().filter(|f| f.number == s.number);
        codes.for_each(|f| {
            if let FailureKind::Refused(_, code) = &f.kind {
                assert!(check::is_answer(code), "{}", f.detail);
                tally.refuse(boundary, code);
            }
        });
    }
    println!("{}", tally.table());
}

#[test]
fn narrow_programs_agree_with_the_oracle_or_are_refused() {
    if let Some(why) = Toolchain::locate().missing(&[RUNTIME_32]) {
        return admachine::skip_without("i386", &why);
    }
    let subjects = subjects(20, &[]);
    for machine in NARROW {
        check(&subjects, &[2], false, machine, 0);
    }
}

#[test]
fn programs_of_structures_agree_with_the_oracle_or_are_refused() {
    let mut rejected = 0;
    let subject = |n| {
        let (program, outcome) = structures::program(77, n, &[], &mut rejected)?;
        Some(Subject { number: n as usize, program, outcome })
    };
    let subjects: Vec<Subject> = (0..30).filter_map(subject).collect();
    assert_eq!(subjects.len(), 30, "{rejected} were rejected");
    check(&subjects, &[1], false, &[], 0);
}

#[test]
fn programs_of_several_files_agree_with_the_oracle_or_are_refused() {
    let mut rejected = 0;
    let structure = |n| {
        let (program, outcome) = structures::program(78, n, &[], &mut rejected)?;
        Some(Subject { number: n as usize, program, outcome })
    };
    let structures: Vec<Subject> = (100..105).filter_map(structure).collect();
    let mut all = [subjects(10, &[]), structures].concat();
    all.iter_mut().for_each(|s| s.program.files = Some(77));
    check(&all, &[2], false, &[], 0);
}

fn subjects(count: u64, without: &[&str]) -> Vec<Subject> {
    let without: Vec<String> = without.iter().map(|w| w.to_string()).collect();
    let mut rejected = 0;
    let subject = |n| {
        let (program, outcome) = generate::program(77, n, &without, &mut rejected)?;
        Some(Subject { number: n as usize, program, outcome })
    };
    (0..count).filter_map(subject).collect()
}

/// All numbers agree, and no more requests are refused than that. What cannot be checkpointed is
/// tested with fewer checkpoints.
fn check(
    subjects: &[Subject],
    levels: &[u32],
    is_prebuilt: bool,
    machine: &'static [&'static str],
    most_refused: usize,
) -> Vec<Failure> {
    let work = tempfile::tempdir().expect("a folder");
    let tasks: Vec<_> = levels
        .iter()
        .flat_map(|level| subjects.chunks(BATCH).map(move |batch| (*level, batch)))
        .collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(vec![]));
    std::thread::scope(|scope| {
        for job in 0..JOBS {
            let (work, tasks, next, failures) =
                (work.path().join(job.to_string()), &tasks, &next, &failures);
            scope.spawn(move || {
                let found = Compiler::new(&work, machine).unwrap_or_else(|why| panic!("{why}"));
                let compiler = Compiler { is_prebuilt, ..found };
                while let Some((level, batch)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut batch = batch.to_vec();
                    while !batch.is_empty() {
                        let found = check::batch(&compiler, &batch, *level);
                        let fewer = |f: &Failure| {
                            batch.iter().find(|s| s.number == f.number)?.with_fewer_checkpoints(f)
                        };
                        let again: BTreeMap<usize, Subject> =
                            found.iter().filter_map(|f| Some((f.number, fewer(f)?))).collect();
                        failures
                            .lock()
                            .unwrap()
                            .extend(found.into_iter().filter(|f| fewer(f).is_none()));
                        batch = again.into_values().collect();
                    }
                }
            });
        }
    });
    let (mut wrong, mut refused) = (vec![], vec![]);
    let failures = failures.into_inner().unwrap();
    for f in &failures {
        let line = format!("program 77/{} at -O{}: {:?}: {}", f.number, f.level, f.kind, f.detail);
        if matches!(f.kind, FailureKind::Refused(..)) {
            refused.push(line)
        } else {
            wrong.push(line)
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused.len() <= most_refused, "{} refusals:\n{}", refused.len(), refused.join("\n"));
    failures
}
