//! Tests programs against the plugin: some in one file, many files in one program, one run per
//! level; what fails is looked at alone.
//!
//! A refusal costs the compile of its file again, without the request: hence files of few programs.
//! Most code is generated without optimisation, whatever the level of the passes before: that is
//! half of the time, and no code of the plugin.

use std::fmt::Write;

use crate::ast::Program;
use crate::compiler::{Built, Compiler, Refusal};
use crate::driver::{self, MODES, Mode};
use crate::files;
use crate::idioms;
use crate::interp::Outcome;
use crate::print::Printer;

/// A program and what it must give.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Subject {
    pub number: usize,
    pub program: Program,
    pub outcome: Outcome,
}

/// Refusals of what cannot be checkpointed: the loop or region itself, and pointers that its
/// function is handed or hands out through memory.
const UNFIT: [&str; 4] = ["AD032", "AD033", "AD050", "AD213"];
/// With fewer than one checkpoint in so many there is none in most programs.
const FEWEST_CHECKPOINTS: usize = 32;

impl Subject {
    /// The same with half as many checkpoints, where `failure` says that one of them cannot be, and
    /// there may be others.
    pub fn with_fewer_checkpoints(&self, failure: &Failure) -> Option<Subject> {
        let one_in = self.program.checkpoints.filter(|one_in| *one_in < FEWEST_CHECKPOINTS)? * 2;
        failure.is_unfit().then(|| Subject {
            program: Program { checkpoints: Some(one_in), ..self.program.clone() },
            ..self.clone()
        })
    }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum FailureKind {
    /// Another number than the oracle's.
    Wrong(char),
    /// A diagnostic, with its code.
    Refused(char, String),
    /// Crash or time limit of the compiler, or an error that is no diagnostic.
    Compiler(char),
    /// Crash or time limit of the compiler without the plugin, too: not ours.
    Clang(char),
    /// Crash or time limit of the program.
    Crash(char),
}

/// A failure of one program at one level.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Failure {
    pub number: usize,
    pub level: u32,
    pub kind: FailureKind,
    pub detail: String,
}

impl Failure {
    /// Whether it says that something cannot be checkpointed.
    pub fn is_unfit(&self) -> bool {
        let FailureKind::Refused(_, code) = &self.kind else { return false };
        // AD203 at run time gives the refusal of the function that a pointer leads to.
        UNFIT.contains(&code.as_str())
            || code == "AD203" && UNFIT.iter().any(|c| self.detail.contains(c))
    }
}

/// Programs of one file.
const FILE: usize = 5;
/// One program in so many decides that all of its file goes through the whole compiler at the
/// level.
const WHOLE: usize = 40;

/// How a file with requests begins.
pub(crate) const PREAMBLE: &str = "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stddef.h>\n#include \"ad.h\"\n\
    struct entry { int number; void (*run)(void); struct entry *next; };\n\
    extern void adfuzz_add(struct entry *e), adfuzz_begin(int k, char mode), adfuzz_out(double v), adfuzz_end(void);\n\
    extern int adfuzz_wants(char mode);\n#define wants adfuzz_wants\n\
    #define begin adfuzz_begin\n#define out adfuzz_out\n#define end adfuzz_end\n";

/// The file of these programs, each in its modes. `is_prebuilt`: the functions themselves are in a
/// library ([`library`]).
fn file(subjects: &[With], is_prebuilt: bool) -> String {
    let programs: Vec<String> =
        subjects.iter().map(|(s, _)| Printer::new(&s.program, s.number).definitions()).collect();
    let mut text = format!("{PREAMBLE}{}", idioms::definitions(&programs.concat()));
    for ((s, modes), definitions) in subjects.iter().zip(&programs) {
        text.push_str(definitions);
        if is_prebuilt && s.program.boundary.is_none() {
            text.push_str(&stand_in(s));
        }
        text.push_str(&driver::text(&s.program, s.number, modes));
        text.push_str(&entry(s.number));
    }
    text
}

/// What makes a program known to the main program.
pub(crate) fn entry(number: usize) -> String {
    format!(
        "static struct entry p{number}_entry = {{{number}, p{number}_run, 0}};\n\
         __attribute__((constructor)) static void p{number}_add(void) {{ adfuzz_add(&p{number}_entry); }}\n"
    )
}

/// What the driver calls in place of a program's function: one that calls it in the library.
fn stand_in(s: &Subject) -> String {
    let (number, printer) = (s.number, Printer::new(&s.program, s.number));
    let [by, exported] = ["by", "exported"].map(|end| format!("p{number}_{end}"));
    let forwarder = printer.forwarder(&by, &exported);
    format!(
        "extern {};\nstatic {forwarder}#define {} {by}\n",
        printer.prototype(&exported),
        printer.function_name(0)
    )
}

/// The library of these programs.
fn library(subjects: &[With]) -> String {
    let mut text = String::new();
    for (s, _) in subjects {
        if s.program.boundary.is_some() {
            text.push_str(&Printer::of_library(&s.program, s.number).definitions());
            continue;
        }
        let printer = Printer::new(&s.program, s.number);
        let exported =
            printer.forwarder(&format!("p{}_exported", s.number), &printer.function_name(0));
        text.push_str(&printer.definitions());
        text.push_str(&exported);
    }
    format!(
        "#include <math.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n{}{text}",
        idioms::definitions(&text)
    )
}

/// A program and the modes in which it is tested.
pub(crate) type With<'a> = (&'a Subject, Vec<Mode>);

/// Tests all at one level; failures in order of number.
pub fn batch(compiler: &Compiler, subjects: &[Subject], level: u32) -> Vec<Failure> {
    let with = subjects.iter().map(|s| (s, MODES.to_vec())).collect();
    let mut failures = together(compiler, with, level);
    failures.sort_by_key(|f| f.number);
    failures
}

/// Tests one program in one mode (and its primal) at one level.
pub fn single(compiler: &Compiler, subject: &Subject, mode: char, level: u32) -> Option<Failure> {
    let modes =
        MODES.iter().copied().filter(|m| *m == Mode::Primal || m.letter() == mode).collect();
    together(compiler, vec![(subject, modes)], level).into_iter().next()
}

fn together(compiler: &Compiler, subjects: Vec<With>, level: u32) -> Vec<Failure> {
    if subjects.first().is_some_and(|(s, _)| s.program.files.is_some()) {
        return files::build::together(compiler, &subjects, level);
    }
    let (mut failures, mut objects, mut compiled) = (vec![], vec![], vec![]);
    let mut lists: Vec<Vec<With>> = subjects.chunks(FILE).rev().map(<[With]>::to_vec).collect();
    while let Some(mut list) = lists.pop() {
        // Each refusal takes at least one request away.
        let whole = list.iter().any(|s| s.0.number % WHOLE == 0);
        let name = format!("batch{}", objects.len());
        match compiler.compile(&file(&list, compiler.is_prebuilt), &name, level, whole) {
            Built::Done(object) => {
                objects.push(object);
                if compiler.is_prebuilt {
                    let is_shared = list[0].0.program.boundary.is_some()
                        && (list[0].0.number / FILE / 3).is_multiple_of(2);
                    match compiler.compile_library(
                        &library(&list),
                        &name,
                        list[0].0.number / FILE,
                        is_shared,
                    ) {
                        Built::Done(object) => objects.push(object),
                        Built::Refused(_) => unreachable!("without the plugin"),
                        Built::Failed(why) => {
                            failures.push(alone(&list, level, why, FailureKind::Clang));
                            objects.pop();
                            continue;
                        }
                    }
                }
                compiled.extend(list);
            }
            Built::Refused(refusals) if refusals.iter().all(|r| r.of.is_some()) => {
                let found = drop_refused(&mut list, &refusals, level);
                if !found.is_empty() {
                    lists.push(list);
                }
                failures.extend(found);
            }
            Built::Refused(refusals) if is_one(&list) => {
                failures.push(alone(&list, level, refusals[0].text.clone(), |mode| {
                    FailureKind::Refused(mode, refusals[0].code.clone())
                }));
            }
            Built::Failed(why) if is_one(&list) => {
                let kind =
                    if compiler.fails_without_plugin(&file(&list, compiler.is_prebuilt), level) {
                        FailureKind::Clang
                    } else {
                        FailureKind::Compiler
                    };
                failures.push(alone(&list, level, why, kind));
            }
            _ if list.len() == 1 => {
                let (s, modes) = &list[0];
                for modes in one_by_one(modes) {
                    failures.extend(together(compiler, vec![(s, modes)], level));
                }
            }
            _ => {
                lists.push(list.split_off(list.len() / 2));
                lists.push(list);
            }
        }
    }
    if compiled.is_empty() {
        return failures;
    }
    match compiler.link(&objects, "batch", level) {
        Built::Done(exe) => failures.extend(results(compiler, &exe, &compiled, level)),
        Built::Failed(why) if is_one(&compiled) => {
            failures.push(alone(&compiled, level, why, FailureKind::Compiler))
        }
        Built::Refused(_) | Built::Failed(_) => {
            let single = compiled.len() == 1;
            for (s, modes) in compiled {
                let parts = if single { one_by_one(&modes).collect() } else { vec![modes] };
                failures.extend(
                    parts.into_iter().flat_map(|modes| together(compiler, vec![(s, modes)], level)),
                );
            }
        }
    }
    failures
}

/// Takes away what is refused, and says what that was.
pub(crate) fn drop_refused(list: &mut [With], refusals: &[Refusal], level: u32) -> Vec<Failure> {
    let mut dropped = vec![];
    for r in refusals {
        let Some((number, mode)) = r.of else { continue };
        let Some((_, modes)) = list.iter_mut().find(|(s, _)| s.number == number) else { continue };
        if let Some(i) = modes.iter().position(|m| *m == mode) {
            modes.remove(i);
            dropped.push(Failure {
                number,
                level,
                kind: FailureKind::Refused(mode.letter(), r.code.clone()),
                detail: r.text.clone(),
            });
        }
    }
    dropped
}

/// Each mode but the primal, beside the primal.
pub(crate) fn one_by_one(modes: &[Mode]) -> impl Iterator<Item = Vec<Mode>> {
    modes.iter().filter(|m| **m != Mode::Primal).map(|m| vec![Mode::Primal, *m])
}

/// Whether these are one program in one mode beside its primal.
pub(crate) fn is_one(list: &[With]) -> bool {
    list.len() == 1 && list[0].1.len() <= 2
}

/// The failure of that one.
pub(crate) fn alone(
    list: &[With],
    level: u32,
    detail: String,
    kind: impl Fn(char) -> FailureKind,
) -> Failure {
    let mode = list[0].1.last().map_or('P', |m| m.letter());
    Failure { number: list[0].0.number, level, kind: kind(mode), detail }
}

/// What a program that was built gives, compared with the oracle.
pub(crate) fn results(
    compiler: &Compiler,
    exe: &std::path::Path,
    subjects: &[With],
    level: u32,
) -> Vec<Failure> {
    let mut failures = vec![];
    let all = compiler.run(exe, &["-1"]);
    for (s, modes) in subjects {
        let mut text = all.text.clone();
        let mut ending = None;
        for &mode in modes {
            let head = format!("{} {}", s.number, mode.letter());
            let find = |text: &str| {
                text.lines()
                    .find(|l| {
                        l.strip_prefix(&head).is_some_and(|r| r.is_empty() || r.starts_with(' '))
                    })
                    .map(str::to_string)
            };
            let mut line = find(&text);
            if line.is_none() && ending.is_none() && all.failure.is_some() {
                let alone = compiler.run(exe, &[&s.number.to_string()]);
                text = alone.text;
                ending = alone.failure;
                line = find(&text);
            }
            if line.is_none() && ending.is_some() && s.program.boundary.is_some() {
                let alone = compiler.run(exe, &[&s.number.to_string(), &mode.letter().to_string()]);
                ending = alone.failure.or(ending);
                line = find(&alone.text);
            }
            let kind_detail = match line {
                Some(line) => {
                    compare(s, mode, &line).map(|d| (FailureKind::Wrong(mode.letter()), d))
                }
                None => {
                    let detail = ending.clone().unwrap_or_default();
                    Some((FailureKind::of_end(mode.letter(), &detail), detail))
                }
            };
            let has_ended =
                matches!(kind_detail, Some((FailureKind::Crash(_) | FailureKind::Refused(..), _)));
            failures.extend(kind_detail.map(|(kind, detail)| Failure {
                number: s.number,
                level,
                kind,
                detail,
            }));
            if has_ended && s.program.boundary.is_none() {
                break;
            }
        }
    }
    failures
}

/// The first numbers that differ by more than their bound.
fn compare(s: &Subject, mode: Mode, line: &str) -> Option<String> {
    let got: Vec<f64> =
        line.split_whitespace().skip(2).map(|t| t.parse().unwrap_or(f64::NAN)).collect();
    let wants = driver::wants(&s.program, &s.outcome, mode);
    if got.len() != wants.len() {
        return Some(format!("{} numbers, expected {}", got.len(), wants.len()));
    }
    let bad: Vec<_> = wants
        .iter()
        .zip(&got)
        .filter(|(w, g)| g.is_nan() || (w.value - **g).abs() > w.bound)
        .map(|(w, g)| format!("{}: got {g:?}, want {:?} (bound {:.1e})", w.place, w.value, w.bound))
        .collect();
    (!bad.is_empty()).then(|| bad.iter().take(4).cloned().collect::<Vec<_>>().join("\n"))
}

impl FailureKind {
    /// Of a program that ended before it was done: with the runtime's message that something has no
    /// derivative, or not.
    fn of_end(mode: char, detail: &str) -> FailureKind {
        if let Some(code) = detail.split_once("adshadow: AS").and_then(|(_, rest)| rest.get(..3)) {
            return FailureKind::Refused(mode, format!("AS{code}"));
        }
        let code = detail
            .split_once("adrt: error ")
            .and_then(|(_, rest)| rest.get(..5))
            .filter(|c| c.starts_with("AD"));
        match code {
            Some(code)
                if ["AD202", "AD203", "AD210", "AD211", "AD212", "AD213", "AD219", "AD221"]
                    .contains(&code) =>
            {
                FailureKind::Refused(mode, code.into())
            }
            _ => FailureKind::Crash(mode),
        }
    }
    /// The mode's letter.
    pub fn mode(&self) -> char {
        match self {
            FailureKind::Wrong(m)
            | FailureKind::Refused(m, _)
            | FailureKind::Compiler(m)
            | FailureKind::Clang(m)
            | FailureKind::Crash(m) => *m,
        }
    }
}

/// Whether a code says that something has no derivative, and not that something went wrong in the
/// plugin.
pub fn is_answer(code: &str) -> bool {
    code != "AD099"
}

/// A file for `tests/c`: the program with its expectations in tables, for the given modes.
pub fn standalone(s: &Subject, mode: Mode, comment: &str, is_prebuilt: bool) -> String {
    let wants = driver::wants(&s.program, &s.outcome, mode);
    let primal = driver::wants(&s.program, &s.outcome, Mode::Primal);
    let modes = if mode == Mode::Primal { vec![mode] } else { vec![Mode::Primal, mode] };
    let all: Vec<_> =
        if mode == Mode::Primal { primal } else { primal.into_iter().chain(wants).collect() };
    let column =
        |f: &dyn Fn(&driver::Want) -> String| all.iter().map(f).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "/* {} */\n#include <stddef.h>\n#include \"ad.h\"\n#include \"check.h\"\n\n",
        comment.replace("*/", "* /")
    );
    let _ = writeln!(
        text,
        "static const double want[] = {{{}}};",
        column(&|w| format!("{:?}", w.value))
    );
    let _ = writeln!(
        text,
        "static const double bound[] = {{{}}};",
        column(&|w| format!("{:.2e}", w.bound))
    );
    let _ = writeln!(
        text,
        "static const char *const place[] = {{{}}};",
        column(&|w| format!("\"{}\"", w.place))
    );
    text.push_str("static int at;\nstatic void begin(int k, char mode) { (void)k, (void)mode; }\nstatic void out(double v) { check_within(place[at], v, want[at], bound[at]), at++; }\nstatic void end(void) {}\n#define wants(mode) 1\n\n");
    let definitions = Printer::new(&s.program, s.number).definitions();
    if s.program.boundary.is_some() {
        let library = Printer::of_library(&s.program, s.number).definitions();
        let _ = write!(text, "#ifdef LIBRARY\n{}{library}#else\n", idioms::definitions(&library));
    }
    text.push_str(&idioms::definitions(&definitions));
    text.push_str(&definitions);
    if is_prebuilt && s.program.boundary.is_none() {
        let exported = Printer::new(&s.program, s.number)
            .forwarder(&format!("p{}_exported", s.number), &format!("p{}_f", s.number));
        let _ = write!(text, "#ifdef LIBRARY\n{exported}#else\n{}", stand_in(s));
    }
    text.push_str(&driver::text(&s.program, s.number, &modes));
    let _ = writeln!(
        text,
        "\nint main(void) {{\n    p{}_run();\n    return check_done();\n}}",
        s.number
    );
    if is_prebuilt {
        text.push_str("#endif\n");
    }
    text
}
