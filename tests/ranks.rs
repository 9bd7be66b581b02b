//! Programs of several ranks (MPI): each source of `ranks` is compiled by adcc under the wrappers of the MPIs that are installed,
//! and run by two, three and four ranks. Rank 0 prints the closing line for all. A line `option: WORD` of a comment at the
//! start of a source is an option of its compilation.

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
const LEVELS: [&str; 4] = ["-O2", "-O0", "-O1", "-O3"];
/// Each program is built at one of the levels with one MPI, in turn; with `adtest --all` in all ways.
const SHARE: usize = 8;
/// Processors are fewer than ranks, and tests run as any user.
const OPEN_MPI: [&str; 2] = ["--oversubscribe", "--allow-run-as-root"];

/// An MPI.
#[derive(Clone, Copy, Debug)]
enum Mpi {
    OpenMpi,
    Mpich,
}

impl Mpi {
    /// How the names of its programs end, where several MPIs are installed.
    fn suffix(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }
    /// One of its programs.
    fn program(self, name: &str) -> Command {
        Command::new(format!("{name}.{}", self.suffix()))
    }
    /// The variable that names the compiler under its wrapper.
    fn variable(self, language: Language) -> &'static str {
        match (self, language) {
            (Mpi::OpenMpi, Language::C) => "OMPI_CC",
            (Mpi::OpenMpi, Language::Cpp) => "OMPI_CXX",
            (Mpi::OpenMpi, Language::Fortran) => "OMPI_FC",
            (Mpi::Mpich, Language::C) => "MPICH_CC",
            (Mpi::Mpich, Language::Cpp) => "MPICH_CXX",
            (Mpi::Mpich, Language::Fortran) => "MPICH_FC",
        }
    }
    fn is_installed(self) -> bool {
        succeed(self.program("mpirun").arg("--version"), LIMIT).is_ok()
            && succeed(self.program("mpicc").arg("-show"), LIMIT).is_ok()
    }
}

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let all = [Mpi::OpenMpi, Mpi::Mpich];
    let (there, missing): (Vec<Mpi>, Vec<Mpi>) =
        all.into_iter().partition(|mpi| mpi.is_installed());
    for mpi in missing {
        eprintln!("skipped: programs of several ranks with {mpi:?}, which is not installed");
    }
    let mut cases = vec![];
    for (nth, source) in sources(&places.tools.root.join("tests/ranks"))?.into_iter().enumerate() {
        let ways = LEVELS.into_iter().flat_map(|level| all.map(|mpi| (level, mpi)));
        let ways = ways.enumerate().filter(|(n, _)| harness::is_in_turn(3 * nth + n, SHARE));
        for (_, (level, mut mpi)) in ways {
            if !there.iter().any(|other| other.suffix() == mpi.suffix()) {
                let Some(other) = there.first().filter(|_| !harness::wants_all()) else { continue };
                mpi = *other;
            }
            let (places, source) = (places.clone(), source.clone());
            let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
            cases.push(Case::new(format!("ranks/{name}::{mpi:?}.{level}"), move || {
                runs(&places, &source, mpi, level).map(|()| Completion::Completed)
            }));
        }
    }
    Ok(cases)
}

/// The program is built, runs on several ranks, and finds its numbers right.
fn runs(places: &Places, source: &Path, mpi: Mpi, level: &str) -> Result<(), Failed> {
    let language = Language::of(source).ok_or("not a source")?;
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let folder = places.scratch.join(format!("ranks.{stem}.{mpi:?}.{level}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let program = folder.join("program");
    let mut compile = compiler(places, language, mpi, &folder)?;
    // The rules of messages are the same for all.
    compile.env("ADCC_CACHE", places.scratch.join("ranks.cache"));
    let text = fs::read_to_string(source)?;
    compile.args(text.lines().take(10).filter_map(|line| Some(line.split_once("! option: ")?.1)));
    compile.args([level, "-fopenmp"]).arg(source).arg("-o").arg(&program).arg("-lm");
    succeed(compile.current_dir(&folder), LIMIT)?;
    for ranks in ["2", "3", "4"] {
        let mut run = mpi.program("mpirun");
        if let Mpi::OpenMpi = mpi {
            run.args(OPEN_MPI);
        }
        let run = succeed(run.args(["-n", ranks]).arg(&program), LIMIT)?;
        verdict::closing_line(&run.stdout).map_err(|why| format!("{ranks} ranks: {why}\n{run}"))?;
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The command that compiles for an MPI: its wrapper, with adcc under it. For Fortran the wrappers have options of gfortran's,
/// so adcc gets their folders and libraries.
fn compiler(
    places: &Places,
    language: Language,
    mpi: Mpi,
    folder: &Path,
) -> Result<Command, Failed> {
    let mut adcc = places.tools.adcc_for(language);
    let wrapper = match language {
        Language::C => "mpicc",
        Language::Cpp => "mpicxx",
        Language::Fortran => "mpifort",
    };
    if language != Language::Fortran {
        let words: Vec<String> = std::iter::once(adcc.get_program())
            .chain(adcc.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let mut compile = mpi.program(wrapper);
        compile.env(mpi.variable(language), words.join(" "));
        return Ok(compile);
    }
    let shown = succeed(mpi.program(wrapper).arg("-show"), LIMIT)?.stdout;
    let words: Vec<&str> = shown
        .split_whitespace()
        .filter(|word| ["-I", "-L", "-l"].iter().any(|option| word.starts_with(option)))
        .collect();
    // Open MPI's header has interfaces for gfortran's kinds of reals.
    for included in words.iter().filter_map(|word| word.strip_prefix("-I")) {
        if let Ok(header) = fs::read_to_string(Path::new(included).join("mpif.h")) {
            let kept = header.lines().filter(|line| !line.contains("mpif-sizeof.h"));
            let kept: String = kept.map(|line| format!("{line}\n")).collect();
            fs::write(folder.join("mpif.h"), kept)?;
            break;
        }
    }
    adcc.arg("-I").arg(folder).args(words).arg("-module-dir").arg(folder);
    Ok(adcc)
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut all: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| Language::of(path).is_some())
        .collect();
    all.sort();
    Ok(all)
}
