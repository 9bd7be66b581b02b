//! The C and C++ programs of `tests/c` as 32-bit programs (`-m32`): pointers of four bytes,
//! arguments on the stack, doubles in structs at multiples of four, reals computed by the x87 unit
//! or by SSE2. One program of three at one level, in turn; with `adtest --all` each at both.
//!
//! `cargo test -p adtests --test programs32 -- loops` runs those whose name contains `loops`. Where
//! there is no C library for i386, or no runtime for it (`make build` makes one), it says so and
//! runs nothing. Fortran is not among them: flang 22 knows no i386.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use adtests::directives::I386;
use adtests::harness::{self, Case};
use adtests::program::{Places, Program};
use adtoolchain::{Language, RUNTIME_32};

const LEVELS: [&str; 2] = ["O0", "O2"];
/// One program of so many runs.
const SHARE: usize = 5;
/// Options, in turn: without SSE2, values have 80 bits until they go to memory (check.h compares
/// primals with care there).
const PROCESSORS: [&str; 2] = ["-msse2", "-march=i686"];

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let runtime = places.tools.part(RUNTIME_32);
    let lacking =
        |language: Language| places.tools.missing_32(RUNTIME_32, &language.compiler(), language);
    if let Some(why) = lacking(Language::C) {
        eprintln!("skipped: no 32-bit programs: {why}");
        return Ok(vec![]);
    }
    let no_cpp = lacking(Language::Cpp);
    if let Some(why) = &no_cpp {
        eprintln!("skipped: no 32-bit C++: {why}");
    }
    let mut cases = vec![];
    for (nth, program) in Program::those_of(places, &["c"])?.into_iter().enumerate() {
        let i386 = program.directives.i386;
        if !harness::is_in_turn(nth, SHARE) {
            continue;
        }
        if i386 == I386::None || program.language == Language::Cpp && no_cpp.is_some() {
            continue;
        }
        let is_stated = |level: &str| {
            let has = |l: &String| l == level || level == "O2" && l != "O0";
            program.directives.cases.iter().any(|c| c.levels.iter().any(has))
        };
        let mut levels: Vec<&str> = LEVELS.into_iter().filter(|level| is_stated(level)).collect();
        if levels.len() == LEVELS.len() {
            levels = harness::in_turn(&levels, nth / 2); // so that each processor meets each level
        }
        for level in levels {
            let processor = match i386 {
                I386::Sse2 => 0,
                _ => (nth + usize::from(level != LEVELS[0])) % PROCESSORS.len(),
            };
            cases.push(case(places, &runtime, &program, level, PROCESSORS[processor]));
        }
    }
    Ok(cases)
}

fn case(
    places: &Arc<Places>,
    runtime: &Path,
    program: &Program,
    level: &'static str,
    processor: &str,
) -> Case {
    let mut program = program.clone();
    let options = ["-m32", processor].map(String::from);
    let name = format!("{}::{level}.{processor}", program.name);
    program.name = format!("programs32/{}", program.name);
    program.directives.flags.extend(options);
    let beside = runtime.parent().expect("a folder").display();
    program.directives.link.splice(0..0, ["-m32".to_string(), format!("-L{beside}")]);
    let places = places.clone();
    Case::new(name, move || Ok(program.test(&places, &program.directives.cases[0], level)?.into()))
}
