//! The C and C++ programs of `tests/c` as 32-bit programs (`-m32`): pointers of four bytes,
//! arguments on the stack, doubles in structs at multiples of four, reals computed by the x87 unit
//! or by SSE2.
//!
//! `cargo test -p adtests --test programs32 -- loops` runs those whose name contains `loops`. Where
//! there is no C library for i386, or no runtime for it (`make build` makes one), it says so and
//! runs nothing. Fortran is not among them: flang 22 knows no i386.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use adtests::harness::{self, Case};
use adtests::program::{Language, Places, Program};

const LEVELS: [&str; 2] = ["O0", "O2"];
/// Options, in turn: without SSE2, values have 80 bits until they go to memory (check.h compares
/// primals with care there).
const PROCESSORS: [&str; 2] = ["-msse2", "-march=i686"];

/// How the names of programs begin that compare bits, round by sums or magnify what rounding does,
/// and so need SSE2.
const BITS: [&str; 3] = ["checkpoint_bits", "rounding", "split_exceptions"];

/// Programs that are none here, or are refused for now, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("assembly_barriers.c", "needs SSE2"),
    ("algorithms_on_structs.cpp", "refused for now (AD033)"),
    ("bfloat.c", "the target has no __bf16"),
    (
        "callables.cpp",
        "refused for now at -O0: std::function copies what may be pointers (AD034 by AD203)",
    ),
    ("eigen_dynamic.cpp", "Eigen aligns blocks of the heap by itself there (AD033)"),
    ("eigen_logarithms.cpp", "Eigen aligns blocks of the heap by itself there (AD033)"),
    ("eigen_products.cpp", "Eigen aligns blocks of the heap by itself there (AD033)"),
    ("eigen_solve.cpp", "Eigen aligns blocks of the heap by itself there (AD033)"),
    ("half_precision.c", "the target has no _Float16 without SSE2"),
    ("libm_half.c", "the target has no _Float16 without SSE2"),
    ("heap_refused.c", "asks for more memory than 32 bits can say"),
    (
        "libm_long_double.c",
        "its differences need a cbrtl that is better than that of the C library for i386",
    ),
    (
        "union_copies.c",
        "beside a pointer of four bytes, four bytes of the union have no type: refused (AD034)",
    ),
    (
        "list_nodes.cpp",
        "refused for now: the length in a list's head lies where reals lie in its nodes (AD031)",
    ),
    ("lists_of_structs.cpp", "refused for now: as list_nodes.cpp"),
    ("map_keys.cpp", "refused for now: an integer of four bytes may be a pointer (AD034)"),
    ("map_values.cpp", "refused for now: as map_keys.cpp"),
    ("padded_structs.cpp", "refused for now (AD033)"),
    ("reals_as_integers.c", "refused for now: doubles are moved by halves (AD034, AD039)"),
    ("sorting_elements.cpp", "refused for now (AD033)"),
    (
        "struct_assign_only.c",
        "refused for now: nothing shows what copies of eight bytes move (AD034)",
    ),
    ("vectors_of_bits.c", "its vectors of long have other lengths"),
];

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

/// What is missing for 32-bit programs of a language.
fn lacking(language: Language, include: &str, runtime: &Path) -> Option<String> {
    if !runtime.is_file() {
        return Some(format!("{} does not exist (make build)", runtime.display()));
    }
    let folder = tempfile::tempdir().ok()?;
    let (source, program) = (folder.path().join("probe.cpp"), folder.path().join("probe"));
    fs::write(&source, format!("{include}int main(void) {{ return 0; }}\n")).ok()?;
    let kind = if language == Language::C { "c" } else { "c++" };
    let built = Command::new(language.compiler())
        .args(["-m32", "-x", kind])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output();
    let runs = || Command::new(&program).status().is_ok_and(|s| s.success());
    match built {
        Ok(done) if done.status.success() && runs() => None,
        Ok(done) if done.status.success() => Some("the system does not run them".into()),
        _ => Some(format!(
            "{} -m32 finds no library (gcc-multilib, g++-multilib)",
            language.compiler()
        )),
    }
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let runtime = places.build.join("i386/libadrt.a");
    if let Some(why) = lacking(Language::C, "#include <stdio.h>\n", &runtime) {
        eprintln!("skipped: no 32-bit programs: {why}");
        return Ok(vec![]);
    }
    let no_cpp = lacking(Language::Cpp, "#include <vector>\n", &runtime);
    if let Some(why) = &no_cpp {
        eprintln!("skipped: no 32-bit C++: {why}");
    }
    let folder = places.root.join("tests/c");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .flatten()
        .map(|e| e.path())
        .collect();
    files.sort();
    let mut cases = vec![];
    for (nth, file) in files.into_iter().enumerate() {
        match Language::of(&file) {
            Some(Language::C) => {}
            Some(Language::Cpp) if no_cpp.is_none() => {}
            _ => continue,
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if LEFT_OUT.iter().any(|(n, _)| *n == name) {
            continue;
        }
        let program = Program::read(&file, false)?;
        let is_stated = |level: &str| {
            let has = |l: &String| l == level || level == "O2" && l != "O0";
            program.directives.cases.iter().any(|c| c.levels.iter().any(has))
        };
        let mut levels: Vec<&str> = LEVELS.into_iter().filter(|level| is_stated(level)).collect();
        if !harness::wants_all() && levels.len() == LEVELS.len() {
            levels = vec![LEVELS[nth / 2 % LEVELS.len()]]; // so that each processor meets each level
        }
        for level in levels {
            let processor = match BITS.iter().any(|b| name.starts_with(b)) {
                true => 0,
                false => (nth + usize::from(level != LEVELS[0])) % PROCESSORS.len(),
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
