//! Programs of several files, as a build makes them: each folder of `whole` is a program. Its sources are compiled one by
//! one, and requests of one file reach functions of others.
//!
//! `main.*` checks the numbers. A source that starts with `plain_` is compiled without adcc. A file `options` holds heads,
//! which are given where the program is built: with each source, with the link, or with both. A file `compile_options` holds
//! such that all compilations get, `link_options` those of the link.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use adtests::harness::{self, Case};
use adtests::program::Places;
use adtests::verdict;
use adtoolchain::{Language, succeed};
use libtest_mimic::{Completion, Failed};

const LIMIT: Duration = Duration::from_secs(60);

/// How a program is built.
#[derive(Clone, Copy, Debug)]
enum Build {
    /// Objects, which are linked.
    Objects,
    /// All but the main file in a thin archive, linked by gold.
    Archive,
    /// By one command, and linked by mold; what is compiled otherwise was compiled before.
    AtOnce,
    /// Objects with a section for each function, of which lld leaves out what is not used.
    Sections,
    /// Objects for link-time optimisation.
    Lto,
    /// One object, of all of them.
    Together,
}

const BUILDS: [(Build, &str); 5] = [
    (Build::Objects, "-O0"),
    (Build::Archive, "-O1"),
    (Build::AtOnce, "-O2"),
    (Build::Sections, "-O3"),
    (Build::Lto, "-O2"),
];

/// Each program is built in one of so many of the ways, in turn; with `adtest --all` in each.
const SHARE: usize = 2;

/// What becomes of symbols when objects are put together, this program shows.
const TOGETHER: (&str, (Build, &str)) = ("replaced", (Build::Together, "-O1"));

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    for name in ["gold", "mold"].into_iter().filter(|name| linker(name).is_none()) {
        eprintln!("skipped: programs linked by {name}, which is not installed");
    }
    let folder = places.tools.root.join("tests/whole");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let all = names.into_iter().enumerate().flat_map(|(nth, name)| {
        let builds = BUILDS.into_iter().enumerate();
        let builds = builds.filter(move |(n, _)| harness::is_in_turn(nth + n, SHARE));
        builds.map(move |(_, build)| (name.clone(), build))
    });
    let all = all.chain([(TOGETHER.0.to_string(), TOGETHER.1)]);
    let case = |(name, (build, level)): (String, (Build, &'static str))| {
        let places = places.clone();
        Case::new(format!("whole/{name}::{build:?}.{level}"), move || {
            runs(&places, &name, build, level).map(|()| Completion::Completed)
        })
    };
    Ok(all.map(case).collect())
}

/// The program is built, runs, and finds its numbers right.
fn runs(places: &Places, name: &str, build: Build, level: &str) -> Result<(), Failed> {
    let sources = sources(&places.tools.root.join("tests/whole").join(name))?;
    let folder = places.scratch.join(format!("whole.{name}.{build:?}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let program = folder.join("program");
    let mut link = places.tools.adcc_for(link_language(&sources));
    link.arg(level).arg("-o").arg(&program).current_dir(&folder);
    let heads = words(&places.tools.root.join("tests/whole").join(name).join("options"))?;
    link.args(words(&places.tools.root.join("tests/whole").join(name).join("link_options"))?);
    let always = words(&places.tools.root.join("tests/whole").join(name).join("compile_options"))?;
    if matches!(build, Build::AtOnce) {
        link.args(&always);
    }
    if !matches!(build, Build::Objects) {
        link.args(&heads);
    }
    let (mut first, mut others) = (vec![], vec![]);
    for source in &sources {
        let language = Language::of(source).ok_or("not a source")?;
        let is_plain = file_name(source).starts_with("plain_");
        let is_at_once = matches!(build, Build::AtOnce) && !is_plain && can_be_at_once(&sources);
        let object = match is_at_once {
            true => source.clone(),
            false => {
                let object = folder.join(file_name(source)).with_extension("o");
                let mut compile = match is_plain {
                    true => Command::new(language.compiler()),
                    false => places.tools.adcc_for(language),
                };
                compile.arg(level).arg("-c").arg(source).arg("-o").arg(&object);
                if !is_plain {
                    compile.args(&always);
                }
                if matches!(build, Build::Objects | Build::Sections | Build::Lto) && !is_plain {
                    compile.args(&heads);
                }
                if matches!(build, Build::Sections) && language != Language::Fortran {
                    compile.args(["-ffunction-sections", "-fdata-sections"]);
                }
                if matches!(build, Build::Lto) {
                    compile.arg("-flto");
                }
                if language == Language::Fortran {
                    compile.arg("-module-dir").arg(&folder);
                }
                succeed(&mut compile, LIMIT)?;
                object
            }
        };
        let is_main = file_name(source).starts_with("main.");
        if is_main { &mut first } else { &mut others }.push(object);
    }
    if matches!(build, Build::Together) {
        let mut together = places.tools.adcc_for(link_language(&sources));
        let object = folder.join("together.o");
        succeed(together.arg("-r").args(&others).args(&first).arg("-o").arg(&object), LIMIT)?;
        (first, others) = (vec![object], vec![]);
    }
    link.args(&first);
    match build {
        Build::Archive => {
            let mut archive = Command::new("ar");
            succeed(archive.arg("rcsT").arg(folder.join("libothers.a")).args(&others), LIMIT)?;
            link.arg("-L.").arg("-lothers").args(linker("gold"));
        }
        Build::Sections => {
            link.args(&others).args(["-fuse-ld=lld", "-Wl,--gc-sections"]);
        }
        Build::Lto => {
            link.args(&others).args(["-fuse-ld=lld", "-flto"]);
        }
        Build::AtOnce => {
            link.args(&others).args(linker("mold"));
        }
        Build::Objects | Build::Together => {
            link.args(&others);
        }
    }
    if sources.iter().any(|s| Language::of(s) == Some(Language::Cpp)) {
        link.arg("-lstdc++");
    }
    succeed(link.arg("-lm"), LIMIT)?;
    let run = succeed(&mut Command::new(&program), LIMIT)?;
    verdict::closing_line(&run.stdout).map_err(|why| format!("{why}\n{run}"))?;
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The option that names a linker; the usual one links where it is not installed.
fn linker(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let is_there = std::env::split_paths(&path).any(|at| at.join(format!("ld.{name}")).exists());
    is_there.then(|| format!("-fuse-ld={name}"))
}

/// The language whose compiler links: Fortran's runtime is linked by no other.
fn link_language(sources: &[PathBuf]) -> Language {
    let has = |language| sources.iter().any(|s| Language::of(s) == Some(language));
    match () {
        () if has(Language::Fortran) => Language::Fortran,
        () if has(Language::Cpp) => Language::Cpp,
        () => Language::C,
    }
}

/// Whether one compiler takes all sources.
fn can_be_at_once(sources: &[PathBuf]) -> bool {
    let first = Language::of(&sources[0]);
    sources.iter().all(|s| Language::of(s) == first)
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut all: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|p| Language::of(p).is_some()).collect();
    all.sort();
    Ok(all)
}

/// What a file of options says, if the program has it.
fn words(file: &Path) -> Result<Vec<String>, Failed> {
    let text = if file.exists() { fs::read_to_string(file)? } else { String::new() };
    Ok(text.lines().map(str::to_owned).collect())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
