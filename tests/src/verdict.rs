//! What counts as passed: the closing line of a program that ran, the diagnostics of one that must
//! not compile.

use crate::directives::ExpectedError;

/// What the order of additions may change, relative to the number or to 1.
const ROUNDING: f64 = 1e-10;

/// The number of checks in the closing line `checks: N passed, 0 failed` with N > 0; otherwise what
/// is wrong.
pub fn closing_line(stdout: &str) -> Result<u64, String> {
    let last = stdout
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .ok_or("the program printed nothing")?;
    let numbers = last
        .trim()
        .strip_prefix("checks: ")
        .and_then(|rest| rest.strip_suffix(" failed"))
        .and_then(|rest| rest.split_once(" passed, "))
        .and_then(|(passed, failed)| {
            Some((passed.parse::<u64>().ok()?, failed.parse::<u64>().ok()?))
        });
    match numbers {
        None => Err(format!("the last line is no closing line: `{last}`")),
        Some((0, 0)) => Err("no check ran".into()),
        Some((passed, 0)) => Ok(passed),
        Some((_, failed)) => Err(format!("{failed} checks failed")),
    }
}

/// A number that a program checked: `= VALUE BOUND NAME`, printed with `CHECK_SHOW` in the
/// environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown<'a> {
    /// What was computed.
    pub value: f64,
    /// How far the program lets it be from what it expects.
    pub bound: f64,
    /// What it is.
    pub name: &'a str,
}

/// All numbers that a program showed, in order.
pub fn shown(stdout: &str) -> Vec<Shown<'_>> {
    let read = |line| {
        let (value, rest) = str::trim_start(line).split_once(' ')?;
        let (bound, name) = rest.trim_start().split_once(' ')?;
        Some(Shown { value: value.parse().ok()?, bound: bound.parse().ok()?, name })
    };
    stdout.lines().filter_map(|line| read(line.strip_prefix("= ")?)).collect()
}

/// Where two builds of one program differ by more than rounding: `ROUNDING`, and never more than
/// the program's own bound. Empty when they agree; a program that shows nothing agrees with
/// nothing.
pub fn disagreements(one: &str, other: &str) -> Vec<String> {
    let (one, other) = (shown(one), shown(other));
    if one.is_empty() || one.len() != other.len() {
        return vec![format!("{} numbers and {} numbers", one.len(), other.len())];
    }
    let differs = |(a, b): &(&Shown, &Shown)| {
        let scale = a.value.abs().max(b.value.abs()).max(1.0);
        let agrees = a.name == b.name && (a.value - b.value).abs() <= a.bound.min(ROUNDING * scale);
        !agrees
    };
    let pairs = one.iter().zip(&other).filter(differs);
    pairs
        .map(|(a, b)| format!("{}: {:?} and {:?} ({})", a.name, a.value, b.value, b.name))
        .collect()
}

/// Each expected diagnostic that `stderr` does not contain, as a sentence; empty when all are
/// there.
///
/// A diagnostic starts at a line that contains its code, and runs to the next line that contains a
/// code. Its first line holds the position; its text may continue over the lines (notes) that
/// follow.
pub fn missing_errors(stderr: &str, expected: &[ExpectedError]) -> Vec<String> {
    let lines: Vec<&str> = stderr.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|&i| contains_code(lines[i])).collect();
    let blocks: Vec<&[&str]> = starts
        .iter()
        .enumerate()
        .map(|(nth, &start)| &lines[start..starts.get(nth + 1).copied().unwrap_or(lines.len())])
        .collect();
    let is_there = |error: &ExpectedError| {
        blocks.iter().any(|block| {
            block[0].contains(&error.code)
                && error.position.is_none_or(|(line, column)| has_position(block[0], line, column))
                && block.iter().any(|line| line.contains(&error.text))
        })
    };
    expected
        .iter()
        .filter(|error| !is_there(error))
        .map(|error| {
            let place = error
                .position
                .map_or(String::new(), |(line, column)| format!(" at {line}:{column}"));
            format!("no diagnostic {}{place} with `{}`", error.code, error.text)
        })
        .collect()
}

/// Whether a line contains a diagnostic's code: `AD` and exactly three digits, as a word of its
/// own.
fn contains_code(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        word.len() == 5 && word.starts_with("AD") && word[2..].chars().all(|c| c.is_ascii_digit())
    })
}

/// Whether a line contains `:LINE:COL` and not just a longer number that begins so.
fn has_position(line: &str, at: u32, column: u32) -> bool {
    let position = format!(":{at}:{column}");
    line.match_indices(&position)
        .any(|(start, _)| !line[start + position.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(code: &str, line: u32, column: u32, text: &str) -> ExpectedError {
        ExpectedError { code: code.into(), position: Some((line, column)), text: text.into() }
    }

    #[test]
    fn a_closing_line_with_checks_and_no_failure_passes() {
        assert_eq!(closing_line("something\nchecks: 12 passed, 0 failed\n\n"), Ok(12));
    }

    #[test]
    fn anything_else_does_not_pass() {
        for stdout in [
            "",
            "\n",
            "checks: 0 passed, 0 failed\n",
            "checks: 3 passed, 1 failed\n",
            "checks: 3 passed\n",
            "checks: 3 passed, 0 failed\nand then more\n",
            "checks: -3 passed, 0 failed\n",
            "checks: nan passed, 0 failed\n",
            "mychecks: 3 passed, 0 failed\n",
        ] {
            assert!(closing_line(stdout).is_err(), "{stdout:?}");
        }
    }

    #[test]
    fn numbers_of_two_builds_agree_to_rounding() {
        let one = "= 1.5 1e-8 a b\n= 0 0 c\nchecks: 2 passed, 0 failed\n";
        assert_eq!(shown(one).len(), 2);
        assert_eq!(shown("=   1.5000000000000000E+000   1.00E-008 a b\n"), shown(one)[..1]);
        assert!(disagreements(one, one).is_empty());
        assert!(disagreements(one, &one.replace("1.5", "1.50000000001")).is_empty());
        for other in ["1.500000001", "nan"] {
            assert_eq!(disagreements(one, &one.replace("1.5", other)).len(), 1, "{other}");
        }
        assert_eq!(disagreements(one, &one.replace("= 0", "= 1e-300")).len(), 1);
        assert_eq!(disagreements("", "").len(), 1);
        assert_eq!(disagreements(one, "= 1.5 1e-8 a b\n").len(), 1);
    }

    const STDERR: &str = "a.c:7:3: error: [AD012] cannot deduce the type of a value\n\
                          a.c:3:9: note: loaded here\n\
                          a.c:17:31: error: [AD004] `g` has no body\n";

    #[test]
    fn diagnostics_are_found_by_code_position_and_text() {
        assert!(missing_errors(STDERR, &[expected("AD012", 7, 3, "cannot deduce")]).is_empty());
        assert!(missing_errors(STDERR, &[expected("AD012", 7, 3, "loaded here")]).is_empty());
        assert!(
            missing_errors(STDERR, &[expected("AD004", 17, 31, ""), expected("AD012", 7, 3, "")])
                .is_empty()
        );
    }

    #[test]
    fn without_a_position_code_and_text_decide() {
        let anywhere =
            |text: &str| ExpectedError { code: "AD004".into(), position: None, text: text.into() };
        assert!(missing_errors(STDERR, &[anywhere("has no body")]).is_empty());
        assert_eq!(missing_errors(STDERR, &[anywhere("cannot deduce")]).len(), 1);
    }

    #[test]
    fn a_wrong_code_position_or_text_is_missed() {
        for wrong in [
            expected("AD013", 7, 3, "cannot deduce"),
            expected("AD012", 8, 3, "cannot deduce"),
            expected("AD012", 7, 31, "cannot deduce"),
            expected("AD012", 3, 9, "cannot deduce"),
            expected("AD004", 7, 3, ""),
            expected("AD004", 17, 3, "`g` has no body"),
            expected("AD012", 7, 3, "has no body"),
        ] {
            assert_eq!(missing_errors(STDERR, std::slice::from_ref(&wrong)).len(), 1, "{wrong:?}");
        }
    }

    #[test]
    fn a_code_is_a_word_of_its_own() {
        assert!(contains_code("error: AD012: text") && contains_code("[AD012]"));
        assert!(!contains_code("BAD012 AD12 AD0123 ADabc"));
    }
}
