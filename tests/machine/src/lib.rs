//! What tests may skip on this machine. A test that cannot run here says so by a line that `adtest`
//! collects and shows; one that could run fails instead:
//!
//! - what a processor lacks is decided by CPUID and by `/proc/cpuinfo`, which must agree;
//! - what `scripts/setup.sh` installs must be there, unless the variable `AD_ALLOW_SKIP` names it
//!   (words with commas between: `i386,clang,libgsl.so`).

use std::fs;

/// How the line of a test begins that did not run.
pub const SKIPPED: &str = "skipped: ";
/// How a line of a test begins of which a part did not run.
pub const PARTLY: &str = "skipped in part: ";
/// Names what may be missing though `scripts/setup.sh` installs it.
pub const ALLOWED: &str = "AD_ALLOW_SKIP";

/// The first of some features of the processor, by the names of `is_x86_feature_detected`, that it
/// has not.
///
/// # Panics
/// Where CPUID and `/proc/cpuinfo` disagree, or a feature has no name here.
pub fn first_missing<'a>(features: &[&'a str]) -> Option<&'a str> {
    let missing = features.iter().copied().find(|feature| !detected(feature))?;
    let listed = listed(missing);
    assert!(!listed, "/proc/cpuinfo lists {missing}, but CPUID does not: nothing is skipped");
    Some(missing)
}

/// Whether the processor has all of some features.
pub fn has(features: &[&str]) -> bool {
    first_missing(features).is_none()
}

/// Whether a test must be left out because the processor lacks a feature; says so.
pub fn lacks(features: &[&str]) -> bool {
    let missing = first_missing(features);
    if let Some(feature) = missing {
        println!("{SKIPPED}{}", lacking(feature));
    }
    missing.is_some()
}

/// The same of a part of a test.
pub fn lacks_partly(features: &[&str]) -> bool {
    let missing = first_missing(features);
    if let Some(feature) = missing {
        println!("{PARTLY}{}", lacking(feature));
    }
    missing.is_some()
}

/// The reason why a test does not run without a feature.
pub fn lacking(feature: &str) -> String {
    format!("the processor has no {feature}")
}

/// Whether the owner of this machine says that it does without `what`.
pub fn is_allowed(what: &str) -> bool {
    let words = std::env::var(ALLOWED).unwrap_or_default();
    words.split(',').any(|word| word.trim() == what)
}

/// Why a test does not run without `what`, which is not installed; an error where it should be.
pub fn without(what: &str, why: &str) -> Result<String, String> {
    if is_allowed(what) {
        Ok(format!("{why} ({ALLOWED} names {what})"))
    } else {
        Err(format!("{why}: scripts/setup.sh installs it; {ALLOWED}={what} does without"))
    }
}

/// A test is left out because `what` is not installed.
///
/// # Panics
/// Where it should be installed.
pub fn skip_without(what: &str, why: &str) {
    match without(what, why) {
        Ok(reason) => println!("{SKIPPED}{reason}"),
        Err(error) => panic!("{error}"),
    }
}

fn detected(feature: &str) -> bool {
    macro_rules! of {
        ($($name:tt)*) => {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => panic!("no feature is called {feature}"),
            }
        };
    }
    of!(
        "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "cmpxchg16b" "avx" "avx2" "fma" "f16c" "bmi1"
        "bmi2" "lzcnt" "movbe" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    )
}

/// Whether Linux lists a feature, whose name it has for it.
fn listed(feature: &str) -> bool {
    let name = match feature {
        "sse3" => "pni",
        "lzcnt" => "abm",
        "cmpxchg16b" => "cx16",
        _ => feature,
    };
    let name = name.replace('.', "_");
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = text.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    flags.split_whitespace().any(|flag| flag == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_lists_is_detected() {
        let all = [
            "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cmpxchg16b", "avx", "avx2", "fma",
            "f16c", "bmi1", "bmi2", "lzcnt", "movbe", "avx512f", "avx512bw", "avx512cd",
            "avx512dq", "avx512vl",
        ];
        for feature in all {
            assert!(detected(feature) || !listed(feature), "{feature}");
        }
    }

    #[test]
    fn what_is_missing_is_an_error_unless_it_is_allowed() {
        let error = without("unlikely-package", "libunlikely.so is missing").unwrap_err();
        assert!(error.contains("setup.sh") && error.contains("AD_ALLOW_SKIP=unlikely-package"));
    }
}
