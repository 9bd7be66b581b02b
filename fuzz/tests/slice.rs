//! A slice of the fuzzer's programs at two levels, short enough for every change.
//!
//! Every number must agree. A few programs copy memory of whose type nothing in them tells, and are refused: these are
//! counted and bounded.

use adfuzz::check::{self, Kind, Subject};
use adfuzz::generate;
use adfuzz::toolchain::Toolchain;

/// Most refusals among all runs.
const BOUND_OF_REFUSALS: usize = 4;

#[test]
fn programs_agree_with_the_oracle() {
    let work = std::env::temp_dir().join(format!("adfuzz-slice-{}", std::process::id()));
    let tools = Toolchain::find(&work).unwrap_or_else(|why| panic!("{why}"));
    let mut rejected = 0;
    let subjects: Vec<Subject> = (0..200)
        .filter_map(|n| {
            let (program, outcome) = generate::program(77, n, &[], &mut rejected)?;
            Some(Subject { number: n as usize, program, outcome })
        })
        .collect();
    assert!(subjects.len() > 185, "only {} programs were valid", subjects.len());
    let (mut wrong, mut refused) = (vec![], vec![]);
    for level in [0, 2] {
        for batch in subjects.chunks(20) {
            for f in check::batch(&tools, batch, level) {
                let line = format!("program 77/{} at -O{level}: {:?}: {}", f.number, f.kind, f.detail);
                if matches!(f.kind, Kind::Refused(..)) { refused.push(line) } else { wrong.push(line) }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&work);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused.len() <= BOUND_OF_REFUSALS, "{} refusals:\n{}", refused.len(), refused.join("\n"));
}
