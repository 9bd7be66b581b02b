//! The directives in a program's leading comment: `ad-NAME: words`, one per line.
//!
//! | directive | meaning |
//! |---|---|
//! | `ad-levels: O0 O2` | optimisation levels (default `O0 O1 O2 O3`) |
//! | `ad-flags: -g …` | further options for the compiler |
//! | `ad-option: -ad-adjoint=f(y)/(x)` | one option of the plugin, the whole line; passed behind `-mllvm` |
//! | `ad-option-in: FILE OPTION` | the same, only where FILE (one of `ad-also`) is compiled |
//! | `ad-also: other.c …` | further sources, relative to the program's folder |
//! | `ad-link: -lblas …` | further options for the link |
//! | `ad-data: gmm/a.txt …` | arguments of the run: files below the data folder |
//! | `ad-case: LABEL [LEVELS] : [FILES]` | one more run with arguments of its own, at levels of its own |
//! | `ad-seconds: 20` | time limit of a run (default 60) |
//! | `ad-long: REASON` | it takes long: one of its levels, in turn, unless all are wanted (`adtest --all`) |
//! | `ad-error: AD012 7:3 text` | (tests/diag) the compile fails with this code at this line and column, `-` for none |
//! | `ad-i386: none, REASON` | (tests/programs32.rs) it is no 32-bit program, or is refused as one for now |
//! | `ad-i386: sse2, REASON` | the same: it is one with SSE2 only |
//! | `ad-switches: REASON` | (tests/switches.rs) it is built with each analysis switched off: what it has for them |
//! | `ad-open: REASON` | (tests/opened.rs) its requests are answered by a link, too |
//! | `ad-sanitizers: address` | (tests/sanitizers.rs) it is built with a sanitizer |
//!
//! tests/prebuilt has directives of its own in the same form (tests/prebuilt.rs). An unknown directive is an error: a misspelt one must not quietly test less.

/// The levels at which a program is tested unless it says otherwise.
pub const DEFAULT_LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];
/// The levels that the compilers know.
const KNOWN_LEVELS: [&str; 7] = ["O0", "O1", "O2", "O3", "Os", "Oz", "Og"];
/// What is wrong with a directive that nobody reads: a misspelt one must not test less.
pub const UNKNOWN: &str = "unknown directive";
/// Time limit of one run in seconds, unless the program says otherwise.
pub const DEFAULT_SECONDS: u64 = 60;

/// One way to run a program: a label (empty for the only one), levels, and data files as arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Part of the test's name; empty when the program has no `ad-case`.
    pub label: String,
    /// Optimisation levels, without the dash.
    pub levels: Vec<String>,
    /// Data files, relative to the data folder.
    pub data: Vec<String>,
}

/// A diagnostic that must appear: code, position of the request, part of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedError {
    /// `AD` and three digits.
    pub code: String,
    /// Line and column of the request, from 1; `None` (written `-`) for a request on the command
    /// line.
    pub position: Option<(u32, u32)>,
    /// Text that the message or its notes contain; may be empty.
    pub text: String,
}

/// What a program is on 32-bit x86.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum I386 {
    /// A program with and without SSE2.
    #[default]
    Any,
    /// One that needs SSE2.
    Sse2,
    /// None, or refused for now.
    None,
}

/// What a program's leading comment asks for.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Directives {
    /// Runs, at least one.
    pub cases: Vec<Case>,
    /// Options for the compiler.
    pub flags: Vec<String>,
    /// Options for the plugin, each passed behind `-mllvm`.
    pub options: Vec<String>,
    /// Options for the plugin that one of the further sources gets.
    pub options_in: Vec<(String, String)>,
    /// Further sources, relative to the program's folder.
    pub also: Vec<String>,
    /// Options for the link.
    pub link: Vec<String>,
    /// Time limit of one run.
    pub seconds: u64,
    /// Whether it takes long.
    pub is_long: bool,
    /// Diagnostics that the compile must give.
    pub errors: Vec<ExpectedError>,
    /// What it is on 32-bit x86.
    pub i386: I386,
    /// Whether it is built with each analysis switched off.
    pub has_switches: bool,
    /// Whether a link answers its requests, too.
    pub is_opened: bool,
    /// Sanitizers, as `-fsanitize=` names them.
    pub sanitizers: Vec<String>,
}

/// Reads the directives from a program's text; the error names the line.
pub fn parse(text: &str) -> Result<Directives, String> {
    let mut found = Directives { seconds: DEFAULT_SECONDS, ..Directives::default() };
    let mut levels: Option<Vec<String>> = None;
    let mut data = Vec::new();
    let mut cases = Vec::new();
    for (number, name, rest) in lines(text) {
        let words = || rest.split_whitespace().map(str::to_owned);
        let fail = |why: String| format!("line {number}: ad-{name}: {why}");
        match name {
            "levels" => levels = Some(parse_levels(words()).map_err(fail)?),
            "flags" => found.flags.extend(words()),
            "option" if rest.is_empty() => return Err(fail("no option given".into())),
            "option" => found.options.push(rest.to_owned()),
            "option-in" => {
                let pair = rest
                    .split_once(char::is_whitespace)
                    .ok_or_else(|| fail("expected `FILE OPTION`".into()))?;
                found.options_in.push((pair.0.to_owned(), pair.1.trim().to_owned()));
            }
            "also" => found.also.extend(words()),
            "link" => found.link.extend(words()),
            "data" => data.extend(words()),
            "case" => cases.push(parse_case(rest).map_err(fail)?),
            "seconds" => {
                found.seconds =
                    rest.parse().map_err(|_| fail(format!("`{rest}` is no number of seconds")))?
            }
            "long" if rest.is_empty() => return Err(fail("no reason given".into())),
            "long" => found.is_long = true,
            "error" => found.errors.push(parse_error(rest).map_err(fail)?),
            "i386" => found.i386 = parse_i386(rest).map_err(fail)?,
            "switches" if rest.is_empty() => return Err(fail("no reason given".into())),
            "switches" => found.has_switches = true,
            "open" if rest.is_empty() => return Err(fail("no reason given".into())),
            "open" => found.is_opened = true,
            "sanitizers" => found.sanitizers.extend(words()),
            _ => return Err(fail(UNKNOWN.into())),
        }
    }
    if let Some((file, _)) = found.options_in.iter().find(|(file, _)| !found.also.contains(file)) {
        return Err(format!("ad-option-in: `{file}` is not named by ad-also"));
    }
    let levels = levels.unwrap_or_else(|| DEFAULT_LEVELS.map(str::to_owned).to_vec());
    if cases.is_empty() {
        cases.push(Case { label: String::new(), levels: Vec::new(), data: Vec::new() });
    }
    for case in &mut cases {
        if case.levels.is_empty() {
            case.levels.clone_from(&levels);
        }
        case.data.splice(0..0, data.iter().cloned());
    }
    found.cases = cases;
    Ok(found)
}

/// The directives of a text: number of the line, name without `ad-`, and what follows the colon.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let of = |(number, line)| directive_of(line).map(|(name, rest)| (number, name, rest));
    leading_comment(text).into_iter().filter_map(of)
}

/// The lines of the comment (C block or line comments, Fortran `!`) that opens a file, with their
/// numbers.
fn leading_comment(text: &str) -> Vec<(usize, &str)> {
    let mut in_block = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let opens = trimmed.starts_with("/*");
        if !(in_block
            || opens
            || trimmed.is_empty()
            || trimmed.starts_with("//")
            || trimmed.starts_with('!'))
        {
            break;
        }
        if in_block || opens {
            in_block = !trimmed.contains("*/");
        }
        lines.push((index + 1, trimmed));
    }
    lines
}

/// `ad-name: rest` at the start of a comment line, behind the comment's own signs.
fn directive_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['/', '*', '!', ' ', '\t']);
    let line = line.strip_suffix("*/").unwrap_or(line);
    let (name, rest) = line.strip_prefix("ad-")?.split_once(':')?;
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_name.then_some((name, rest.trim()))
}

fn parse_levels(words: impl Iterator<Item = String>) -> Result<Vec<String>, String> {
    let levels: Vec<String> = words.collect();
    match levels.iter().find(|level| !KNOWN_LEVELS.contains(&level.as_str())) {
        Some(level) => Err(format!("`{level}` is no optimisation level")),
        None if levels.is_empty() => Err("no level given".into()),
        None => Ok(levels),
    }
}

fn parse_case(rest: &str) -> Result<Case, String> {
    let (head, files) = rest.split_once(':').ok_or("expected `LABEL [LEVELS] : [FILES]`")?;
    let mut head = head.split_whitespace().map(str::to_owned);
    let label = head.next().ok_or("no label given")?;
    let levels: Vec<String> = head.collect();
    let levels = if levels.is_empty() { levels } else { parse_levels(levels.into_iter())? };
    Ok(Case { label, levels, data: files.split_whitespace().map(str::to_owned).collect() })
}

fn parse_i386(rest: &str) -> Result<I386, String> {
    match rest.split_once(", ") {
        Some(("none", _)) => Ok(I386::None),
        Some(("sse2", _)) => Ok(I386::Sse2),
        _ => Err(format!("expected `none, REASON` or `sse2, REASON`, found `{rest}`")),
    }
}

fn parse_error(rest: &str) -> Result<ExpectedError, String> {
    let wanted = || format!("expected `AD0nn LINE:COL text`, found `{rest}`");
    let (code, rest) = rest.split_once(char::is_whitespace).ok_or_else(wanted)?;
    let digits = code.strip_prefix("AD").ok_or_else(wanted)?;
    if digits.len() != 3 || !digits.chars().all(|c| c.is_ascii_digit()) {
        return Err(wanted());
    }
    let rest = rest.trim_start();
    let (position, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let number = |digits: &str| digits.parse::<u32>().map_err(|_| wanted());
    let position = match position.split_once(':') {
        Some((line, column)) => Some((number(line)?, number(column)?)),
        None if position == "-" => None,
        None => return Err(wanted()),
    };
    Ok(ExpectedError { code: code.to_owned(), position, text: text.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_directives_runs_once_at_the_default_levels() {
        let found = parse("/* A square. */\nint main(void) { return 0; }\n").unwrap();
        assert_eq!(found.cases.len(), 1);
        assert_eq!(found.cases[0].label, "");
        assert_eq!(found.cases[0].levels, DEFAULT_LEVELS);
        assert_eq!(found.seconds, DEFAULT_SECONDS);
    }

    #[test]
    fn other_harnesses_are_told_why() {
        let text = "// ad-i386: sse2, compares bits\n// ad-switches: flow\n// ad-long: Eigen\n";
        let found = parse(text).unwrap();
        assert_eq!((found.i386, found.has_switches, found.is_long), (I386::Sse2, true, true));
        for text in
            ["// ad-i386: none\n", "// ad-i386: sse3, why\n", "// ad-switches:\n", "// ad-long:\n"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn block_comment_line_comment_and_fortran_comment_are_read() {
        let block =
            parse("/* What it is.\n * ad-levels: O0 Os\n * ad-flags: -g -ffast-math */\nint x;\n")
                .unwrap();
        assert_eq!(block.cases[0].levels, ["O0", "Os"]);
        assert_eq!(block.flags, ["-g", "-ffast-math"]);
        let line = parse("// What it is.\n\n// ad-also: a.c ../b.c\n").unwrap();
        assert_eq!(line.also, ["a.c", "../b.c"]);
        let fortran = parse("! What it is.\n! ad-link: -lblas\nprogram p\n").unwrap();
        assert_eq!(fortran.link, ["-lblas"]);
    }

    #[test]
    fn an_option_keeps_its_spaces_and_parentheses() {
        let found =
            parse("// ad-option: -ad-adjoint=f(y)/(x, z)\n// ad-option: -ad-tangent=f($2)/($1)\n")
                .unwrap();
        assert_eq!(found.options, ["-ad-adjoint=f(y)/(x, z)", "-ad-tangent=f($2)/($1)"]);
    }

    #[test]
    fn an_option_for_one_source_names_that_source() {
        let found =
            parse("// ad-also: b.c\n// ad-option-in: b.c -ad-adjoint=f(y)/(x, z)\n").unwrap();
        assert_eq!(found.options_in, [("b.c".to_owned(), "-ad-adjoint=f(y)/(x, z)".to_owned())]);
        assert!(found.options.is_empty());
        let error = parse("// ad-also: b.c\n// ad-option-in: c.c -ad-adjoint=f\n").unwrap_err();
        assert!(error.contains("`c.c`"), "{error}");
    }

    #[test]
    fn text_after_the_leading_comment_is_not_read() {
        let found = parse("/* One. */\nint x;\n// ad-levels: O3\n").unwrap();
        assert_eq!(found.cases[0].levels, DEFAULT_LEVELS);
        let closed =
            parse("/* One. */\n/* ad-levels: O3 */\nint x; /* ad-levels: O1\n*/\n").unwrap();
        assert_eq!(closed.cases[0].levels, ["O3"]);
    }

    #[test]
    fn cases_inherit_levels_and_data() {
        let text = "// ad-levels: O2\n// ad-data: common.txt\n// ad-case: small : a.txt b.txt\n// ad-case: big O3 : c.txt\n";
        let found = parse(text).unwrap();
        assert_eq!(found.cases.len(), 2);
        assert_eq!(found.cases[0].label, "small");
        assert_eq!(found.cases[0].levels, ["O2"]);
        assert_eq!(found.cases[0].data, ["common.txt", "a.txt", "b.txt"]);
        assert_eq!(found.cases[1].levels, ["O3"]);
        assert_eq!(found.cases[1].data, ["common.txt", "c.txt"]);
    }

    #[test]
    fn an_expected_error_has_code_position_and_text() {
        let text = "// ad-error: AD012 7:3 cannot deduce the type of\n// ad-error: AD001 9:10\n// ad-error: AD015 - no f\n";
        let found = parse(text).unwrap();
        assert_eq!(found.errors[0].code, "AD012");
        assert_eq!(found.errors[0].position, Some((7, 3)));
        assert_eq!((found.errors[2].position, found.errors[2].text.as_str()), (None, "no f"));
        assert_eq!(found.errors[0].text, "cannot deduce the type of");
        assert_eq!(found.errors[1].text, "");
    }

    #[test]
    fn mistakes_are_errors_that_name_the_line() {
        for text in [
            "// One.\n// ad-level: O2\n",
            "// One.\n// ad-levels: 2\n",
            "// One.\n// ad-levels:\n",
            "// One.\n// ad-option:\n",
            "// One.\n// ad-option-in: b.c\n",
            "// One.\n// ad-case: label a.txt\n",
            "// One.\n// ad-case: label O9 : a.txt\n",
            "// One.\n// ad-seconds: soon\n",
            "// One.\n// ad-error: AD12 7:3 text\n",
            "// One.\n// ad-error: AD012 7 text\n",
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with("line 2: "), "{text}: {error}");
        }
    }
}
