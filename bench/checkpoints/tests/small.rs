//! Every code at small sizes: gradients with checkpoints agree with those that record all steps,
//! with the tangent, and with each other to the last bit; as many steps run again as the theory
//! says; memory follows the snapshots.

use adcheckpoints::figures::{Sizes, figures};
use adcheckpoints::page::{page, plot};
use adtoolchain::Workbench;

#[test]
fn small_figures_agree() {
    let tools = Workbench::new().unwrap_or_else(|e| panic!("{e}"));
    if let Some(why) = tools.missing_compiler() {
        return admachine::skip_without("clang", &why);
    }
    let sizes = Sizes::quick();
    let found = figures(&tools, &sizes).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.failures.is_empty(), "{}", found.failures.join("\n"));

    for (code, compared, _) in &found.both {
        assert!(
            compared
                .differing()
                .is_some_and(|n| n <= compared.count("nonzero_fields").unwrap_or(0)),
            "{}",
            code.name
        );
        // What the codes without a library function compute has one order of sums in both
        // gradients.
        if code.name == "burgers" {
            assert_eq!(
                compared.count("differing_fields"),
                Some(0),
                "{}: not the same to the last bit",
                code.name
            );
        }
    }
    for (size, run) in &found.curve {
        let snapshots = u64::from(size.snapshots);
        assert!(
            run.snapshot >= 2 * size.cells * size.cells * 8,
            "a snapshot holds both arrays: {run:?}"
        );
        assert!(
            run.peak >= snapshots * run.snapshot
                && run.peak < (snapshots + 4) * (run.snapshot + 4096) + (1 << 16),
            "{size:?}: {run:?}"
        );
    }
    for it in &found.large {
        assert!(
            it.store_all > 10 * it.run.peak,
            "{}: records {} bytes, checkpoints {}",
            it.code.name,
            it.store_all,
            it.run.peak
        );
    }
    let text = page(&found, &sizes, "checkpointing.svg");
    assert!(text.contains("## With and without") && !text.contains("NaN"), "{text}");
    assert!(plot(&found).expect("drawn").contains("<polyline"));
}
