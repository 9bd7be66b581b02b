//! Programs that call libraries of which there is only machine code, by adcc:
//! `tests/prebuilt/NAME.c`, each with what its leading comment says:
//!
//! | directive | meaning |
//! |---|---|
//! | `ad-library: one.c` | a source of tests/prebuilt/lib, built by other compilers in several ways, shared |
//! | `ad-static: yes` | the same as an archive, at one of the ways |
//! | `ad-link: -lgsl -lm` | what the program is linked with |
//! | `ad-flags: -g` | further options for adcc |
//! | `ad-needs: libgsl.so` | it is skipped where the linker does not find that |
//! | `ad-environment: NAME=1` | what it is run with |
//! | `ad-again: avx2 NAME=1` | it is run once more in this environment, with one build of its library, if the processor has that feature (`any`: always) |
//! | `ad-refused-by-some: AS004` | (tests/prebuilt/later) it is refused so far, with this code, by one build at least; the others may be right |
//! | `ad-i386: AS004` | as a 32-bit program it is; or `none`: it is not meant for one |
//!
//! `ad-again` is for libraries that choose code by the processor: the variable makes them choose
//! other code. An unknown directive is an error.
//!
//! Two of three programs are compiled, at one level, in turn, and run with every fourth build of their library; with
//! `adtest --all` all, at each level, with each build. One that is refused is run with all builds. All must pass. The name of a trial is `prebuilt/NAME::LEVEL`. Those that need no library of the system's
//! run as 32-bit programs, too (one of four, in turn), `prebuilt32/NAME::LEVEL`, where there are the runtime for i386
//! (`make build`) and a C library for it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use adtests::{
    directives,
    harness::{self, Case},
    program::Places,
    verdict,
};
use adtoolchain::{FAST_LINK, Failure, Language, SHADOW_RUNTIME_32, is_library_found, succeed};
use libtest_mimic::{Completion, Failed};

const LIMIT: Duration = Duration::from_secs(120);
/// Ways in which libraries are built: the compiler by language, and its options. Each level of the
/// instruction set is there by name, by both compilers where they vectorise, so that the tests are
/// the same on all processors that have it; and whatever this one has beside. Compilers choose
/// other instructions for the same where a processor of the other maker is faster with them: hence
/// `-mtune`.
const BUILDS: [(&str, &[&str]); 12] = [
    ("gcc", &["-O0"]),
    ("gcc", &["-O2"]),
    ("clang", &["-O0"]),
    ("clang", &["-O2"]),
    ("gcc", &["-O2", "-mfpmath=387"]),
    ("clang", &["-O3", "-march=x86-64-v2"]),
    ("gcc", &["-O3", "-march=x86-64-v3"]),
    ("clang", &["-O3", "-march=x86-64-v3", "-mtune=znver4"]),
    ("gcc", &["-O3", "-march=x86-64-v4", "-mprefer-vector-width=512"]),
    ("clang", &["-O3", "-march=x86-64-v4", "-mprefer-vector-width=512"]),
    ("clang", &["-O3", "-march=native"]),
    ("gcc", &["-Ofast", "-march=native"]),
];
/// The same for 32-bit programs.
const BUILDS32: [(&str, &[&str]); 6] = [
    ("gcc", &["-O0"]),
    ("gcc", &["-O2"]),
    ("gcc", &["-O2", "-msse2", "-mfpmath=sse"]),
    ("clang", &["-O0"]),
    ("clang", &["-O3", "-march=x86-64-v3", "-mtune=znver4"]),
    ("clang", &["-O3", "-march=native"]),
];
/// Every so many of them at one level of a program.
const STEP: usize = FIRST.len();
/// One of so many runs of a program at a level is made, of 64 bits and of 32.
const SHARES: [usize; 2] = [3, 4];
/// The first of these, in turn.
const FIRST: [usize; 4] = [0, 1, 2, 3];
/// Which builds of a library a case runs with.
#[derive(Clone, Copy)]
struct Builds {
    first: usize,
    step: usize,
}
/// What came of a build of a library.
type Library = OnceLock<Result<PathBuf, String>>;

/// How the line of a check that failed begins.
const WRONG: &str = "FAIL ";
/// The one that archives are built with.
const ARCHIVE: usize = 1;

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let folders = ["tests/prebuilt", "tests/prebuilt/later"].map(|f| places.tools.root.join(f));
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| fs::read_dir(f).expect("the folder is there"))
        .flatten()
        .map(|e| e.path())
        .collect();
    files.retain(|f| f.extension().is_some_and(|e| ["c", "cpp", "f90"].iter().any(|x| e == *x)));
    files.sort();
    let mut cases = Vec::new();
    let no_narrow = places.tools.missing_32(SHADOW_RUNTIME_32, "gcc".as_ref(), Language::C);
    let widths: &[Width] = match no_narrow {
        None => &[Width::X86_64, Width::I386],
        Some(why) => {
            eprintln!("skipped: no 32-bit programs: {why}");
            &[Width::X86_64]
        }
    };
    for (level, feature) in lacking() {
        eprintln!("skipped: libraries for {level}: this processor has no {feature}");
    }
    let mut programs = Vec::new();
    for file in &files {
        for width in widths {
            programs.extend(Program::read(file, *width)?.map(Arc::new));
        }
    }
    // Turns are counted for each width by itself: most programs are there for both.
    let mut turns = [0, 0];
    for program in programs {
        let levels = program.width.levels();
        let turn = &mut turns[usize::from(program.width == Width::I386)];
        let nth = *turn;
        *turn += 1;
        for (k, &level) in levels.iter().enumerate() {
            let share = SHARES[usize::from(program.width == Width::I386)];
            if !harness::is_in_turn(nth + k, share) {
                continue;
            }
            let builds = match program.ends.is_some() || harness::wants_all() {
                true => Builds { first: 0, step: 1 },
                false => {
                    let first = harness::in_turn(&FIRST, nth / levels.len())[0];
                    Builds { first, step: STEP }
                }
            };
            let (program, places) = (program.clone(), places.clone());
            let name = format!("{}/{}::{level}", program.width.folder(), program.name);
            cases.push(Case::new(name, move || match &program.ends {
                None => program.test(&places, level, builds),
                Some(code) => program.is_refused(&places, level, builds, code),
            }));
        }
    }
    Ok(cases)
}

/// Levels of the instruction set that this processor lacks, with the first feature that is missing.
fn lacking() -> Vec<(&'static str, &'static str)> {
    macro_rules! first_missing {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*].into_iter().find(|(_, has)| !has).map(|(name, _)| name)
        };
    }
    let levels = [
        ("x86-64-v2", first_missing!("cmpxchg16b" "popcnt" "sse3" "sse4.1" "sse4.2" "ssse3")),
        ("x86-64-v3", first_missing!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe")),
        ("x86-64-v4", first_missing!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl")),
    ];
    let mut lacking: Vec<(&str, &str)> = Vec::new();
    for (level, missing) in levels {
        // Each level has what those before it have.
        let before = lacking.last().map(|(_, feature)| *feature);
        lacking.extend(before.or(missing).map(|feature| (level, feature)));
    }
    lacking
}

/// What programs and their libraries are compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    X86_64,
    I386,
}

impl Width {
    fn folder(self) -> &'static str {
        match self {
            Width::X86_64 => "prebuilt",
            Width::I386 => "prebuilt32",
        }
    }

    fn option(self) -> &'static str {
        match self {
            Width::X86_64 => "-m64",
            Width::I386 => "-m32",
        }
    }

    fn levels(self) -> &'static [&'static str] {
        match self {
            Width::X86_64 => &["O0", "O2"],
            Width::I386 => &["O2"],
        }
    }

    fn builds(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Width::X86_64 => &BUILDS,
            Width::I386 => &BUILDS32,
        }
    }
}

struct Program {
    width: Width,
    file: PathBuf,
    name: String,
    library: Option<String>,
    is_static: bool,
    link: Vec<String>,
    options: Vec<String>,
    needs: Option<String>,
    environment: Option<(String, String)>,
    again: Vec<(String, String)>,
    ends: Option<String>,
}

impl Program {
    /// None if it is not for this width; the error names the line.
    fn read(file: &Path, width: Width) -> Result<Option<Program>, String> {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut program = Program {
            width,
            file: file.into(),
            name: file.file_stem().expect("a name").to_string_lossy().into(),
            library: None,
            is_static: false,
            link: Vec::new(),
            options: Vec::new(),
            needs: None,
            environment: None,
            again: Vec::new(),
            ends: None,
        };
        let mut i386 = None;
        for (number, name, rest) in directives::lines(&text) {
            let fail = |why: &str| format!("{}:{number}: ad-{name}: {why}", file.display());
            let words = rest.split_whitespace().map(str::to_owned);
            match name {
                _ if rest.is_empty() => return Err(fail("nothing follows")),
                "library" => program.library = Some(rest.into()),
                "static" => program.is_static = true,
                "link" => program.link.extend(words),
                "flags" => program.options.extend(words),
                "needs" => program.needs = Some(rest.into()),
                "environment" => {
                    let pair = rest.split_once('=').ok_or_else(|| fail("expected NAME=VALUE"))?;
                    program.environment = Some((pair.0.into(), pair.1.into()));
                }
                "again" => program.again.extend(again(rest).map_err(fail)?),
                "refused-by-some" => program.ends = Some(rest.into()),
                "i386" => i386 = Some(rest.to_owned()),
                _ => return Err(fail(directives::UNKNOWN)),
            }
        }
        if width == Width::I386 {
            let is_of_c = |name: &str| name.ends_with(".c");
            let is_common = |l: &String| ["-lm", "-lpthread", "-ldl", "-pthread"].contains(&&**l);
            if i386.as_deref() == Some("none")
                || !program.link.iter().all(is_common)
                || !is_of_c(&file.to_string_lossy())
                || !program.library.as_deref().is_none_or(is_of_c)
            {
                return Ok(None);
            }
            program.ends = i386.or(program.ends);
        }
        Ok(Some(program))
    }

    /// What is to be refused with a code, by one build at least; no build has another error, or a
    /// wrong number, noted or not.
    fn is_refused(
        &self,
        places: &Places,
        level: &str,
        builds: Builds,
        code: &str,
    ) -> Result<Completion, Failed> {
        if let Some(why) = self.skipped() {
            return Ok(why);
        }
        let mut is_refused = false;
        for run in self.runs(places, level, builds)? {
            match run {
                Err(why) if why.contains(code) && !why.contains(WRONG) => is_refused = true,
                other => other?,
            }
        }
        if is_refused {
            Ok(Completion::Completed)
        } else {
            Err("it passes: move it out of later/".into())
        }
    }

    fn test(&self, places: &Places, level: &str, builds: Builds) -> Result<Completion, Failed> {
        if let Some(why) = self.skipped() {
            return Ok(why);
        }
        for run in self.runs(places, level, builds)? {
            run?;
        }
        Ok(Completion::Completed)
    }

    fn skipped(&self) -> Option<Completion> {
        let needed = self.needs.as_ref().filter(|n| !is_library_found(n))?;
        Some(Completion::ignored_with(format!("{needed} is not installed")))
    }

    /// What came of the program with each of these builds of its library.
    fn runs(
        &self,
        places: &Places,
        level: &str,
        wanted: Builds,
    ) -> Result<Vec<Result<(), String>>, Failed> {
        let folder = places.scratch.join(self.width.folder()).join(&self.name).join(level);
        fs::create_dir_all(&folder)?;
        let Some(source) = &self.library else {
            let built = self.build(places, level, &folder, "program", &[]);
            let run = |also: Option<&(String, String)>| {
                built.clone().and_then(|()| self.run(&folder, "program", None, also))
            };
            return Ok(std::iter::once(run(None))
                .chain(self.again.iter().map(|a| run(Some(a))))
                .collect());
        };
        let source = places.tools.root.join("tests/prebuilt/lib").join(source);
        let lacking = lacking();
        let can_run = |options: &[&str]| {
            !options
                .iter()
                .any(|o| lacking.iter().any(|(level, _)| o.strip_prefix("-march=") == Some(level)))
        };
        let mut runs = Vec::new();
        let builds = self.width.builds().iter().enumerate().skip(wanted.first).step_by(wanted.step);
        for (k, build) in builds.filter(|(_, (_, options))| can_run(options)) {
            let at = library(places, &source, self.width, k, *build)?;
            if k == wanted.first
                && let Err(why) = self.build(
                    places,
                    level,
                    &folder,
                    "program",
                    &[format!("-L{}", at.display()).into(), "-lprebuilt".into()],
                )
            {
                return Ok(vec![Err(why)]);
            }
            let with: Vec<_> =
                if k == wanted.first { self.again.iter().map(Some).collect() } else { Vec::new() };
            for also in std::iter::once(None).chain(with) {
                runs.push(
                    self.run(&folder, "program", Some(&at), also)
                        .map_err(|why| format!("library by {build:?}: {why}")),
                );
            }
        }
        if self.is_static {
            let archive = archive(&source, self.width, &folder)?;
            let built = self.build(places, level, &folder, "static", &[archive.into()]);
            runs.push(
                built
                    .and_then(|()| self.run(&folder, "static", None, None))
                    .map_err(|why| format!("static library: {why}")),
            );
        }
        Ok(runs)
    }

    fn build(
        &self,
        places: &Places,
        level: &str,
        folder: &Path,
        name: &str,
        more: &[OsString],
    ) -> Result<(), String> {
        let driver = match self.file.extension().and_then(|e| e.to_str()) {
            Some("cpp") => "c++",
            Some("f90") => "fortran",
            _ => "c",
        };
        let mut command = places.tools.adcc();
        command
            .arg(format!("--ad-driver={driver}"))
            .arg(self.width.option())
            .arg(format!("-{level}"))
            .arg("-g")
            .arg("-I")
            .arg(places.tools.root.join("tests/c"));
        command
            .args(&self.options)
            .args(FAST_LINK)
            .arg(&self.file)
            .args(more)
            .args(&self.link)
            .arg("-o")
            .arg(folder.join(name))
            .current_dir(folder);
        succeed(&mut command, LIMIT)?;
        Ok(())
    }

    /// On i386 halves of doubles are addresses by chance, which is refused then: so the layout is
    /// the same each time.
    fn run(
        &self,
        folder: &Path,
        name: &str,
        library: Option<&Path>,
        also: Option<&(String, String)>,
    ) -> Result<(), String> {
        let program = folder.join(name);
        let mut command = match self.width {
            Width::X86_64 => Command::new(program),
            Width::I386 => {
                let mut command = Command::new("setarch");
                command.arg("-R").arg(program);
                command
            }
        };
        command.current_dir(folder);
        command.envs(self.environment.clone()).envs(also.cloned());
        if let Some(at) = library {
            command.env("LD_LIBRARY_PATH", at);
        }
        let output = succeed(&mut command, LIMIT)?.stdout;
        verdict::closing_line(&output)
            .map(|_| ())
            .map_err(|why| format!("{also:?}: {why}\n{output}"))
    }
}

/// What an `ad-again` line says, if the processor has the feature.
fn again(line: &str) -> Result<Option<(String, String)>, &'static str> {
    let (feature, assignment) = line.split_once(' ').ok_or("expected a feature and NAME=VALUE")?;
    let has = match feature {
        "any" => true,
        "ssse3" => std::arch::is_x86_feature_detected!("ssse3"),
        "avx" => std::arch::is_x86_feature_detected!("avx"),
        "avx2" => {
            std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
        }
        "avx512" => {
            std::arch::is_x86_feature_detected!("avx512dq")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vl")
        }
        _ => return Err("no such feature"),
    };
    let (name, value) = assignment.split_once('=').ok_or("expected a feature and NAME=VALUE")?;
    Ok(has.then(|| (name.into(), value.into())))
}

/// The compiler of a source, of one of the two families.
fn compiler(source: &Path, of: &str) -> OsString {
    match (Language::of(source).unwrap_or(Language::C), of) {
        (Language::Fortran, "gcc") => "gfortran".into(),
        (Language::Cpp, "gcc") => "g++".into(),
        (Language::C, "gcc") => "gcc".into(),
        (language, _) => language.compiler(),
    }
}

/// The folder of a shared library `libprebuilt.so`, built the k-th way: once, however many programs
/// and levels call it.
fn library(
    places: &Places,
    source: &Path,
    width: Width,
    k: usize,
    (of, options): (&str, &[&str]),
) -> Result<PathBuf, String> {
    static BUILT: Mutex<BTreeMap<PathBuf, Arc<Library>>> = Mutex::new(BTreeMap::new());
    let name = source.file_name().expect("a file").to_string_lossy();
    let at = places.scratch.join(width.folder()).join("libraries").join(format!("{name}.{k}"));
    let entry =
        BUILT.lock().expect("no thread has panicked").entry(at.clone()).or_default().clone();
    let build = || {
        fs::create_dir_all(&at).map_err(Failure::of_file(&at))?;
        let mut command = Command::new(compiler(source, of));
        command
            .arg(width.option())
            .args(options)
            .args(["-shared", "-fPIC", "-Wl,-soname,libprebuilt.so", "-o", "libprebuilt.so"])
            .arg(source)
            .arg("-lm")
            .current_dir(&at);
        succeed(&mut command, LIMIT)?;
        Ok(at.clone())
    };
    entry.get_or_init(build).clone()
}

fn archive(source: &Path, width: Width, at: &Path) -> Result<PathBuf, String> {
    let (of, options) = width.builds()[ARCHIVE];
    let mut command = Command::new(compiler(source, of));
    command
        .arg(width.option())
        .args(options)
        .args(["-c", "-o", "prebuilt.o"])
        .arg(source)
        .current_dir(at);
    succeed(&mut command, LIMIT)?;
    let mut ar = Command::new("ar");
    succeed(ar.args(["rcs", "libprebuilt.a", "prebuilt.o"]).current_dir(at), LIMIT)?;
    Ok(at.join("libprebuilt.a"))
}
