//! A slice of the fuzzer's programs at two levels, short enough for every change.
//!
//! Every number must agree. A few programs copy memory of whose type nothing in them tells, and are refused: these are
//! counted and bounded.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfuzz::check::{self, Kind, Subject};
use adfuzz::generate;
use adfuzz::toolchain::Toolchain;

/// Most refusals among all runs.
const BOUND_OF_REFUSALS: usize = 4;
/// Programs of one file.
const BATCH: usize = 20;
/// Compiles at a time.
const JOBS: usize = 2;

#[test]
fn programs_agree_with_the_oracle() {
    let work = std::env::temp_dir().join(format!("adfuzz-slice-{}", std::process::id()));
    let mut rejected = 0;
    let subjects: Vec<Subject> = (0..200)
        .filter_map(|n| {
            let (program, outcome) = generate::program(77, n, &[], &mut rejected)?;
            Some(Subject { number: n as usize, program, outcome })
        })
        .collect();
    assert!(subjects.len() > 185, "only {} programs were valid", subjects.len());
    let tasks: Vec<_> = [0, 2].into_iter().flat_map(|level| subjects.chunks(BATCH).map(move |batch| (level, batch))).collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(vec![]));
    std::thread::scope(|scope| {
        for job in 0..JOBS {
            let (work, tasks, next, failures) = (work.join(job.to_string()), &tasks, &next, &failures);
            scope.spawn(move || {
                let tools = Toolchain::find(&work).unwrap_or_else(|why| panic!("{why}"));
                while let Some((level, batch)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = check::batch(&tools, batch, *level);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&work);
    let (mut wrong, mut refused) = (vec![], vec![]);
    for f in failures.into_inner().unwrap() {
        let line = format!("program 77/{} at -O{}: {:?}: {}", f.number, f.level, f.kind, f.detail);
        if matches!(f.kind, Kind::Refused(..)) { refused.push(line) } else { wrong.push(line) }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused.len() <= BOUND_OF_REFUSALS, "{} refusals:\n{}", refused.len(), refused.join("\n"));
}
