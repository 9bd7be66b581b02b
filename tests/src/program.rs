//! One test: a program, a case, a level. Compiles each source through the plugin, links, runs, and
//! judges.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use adtoolchain::command::{report, run, succeed};
use adtoolchain::{FAST_LINK, Failure, Language, PLUGIN, RUNTIME, Toolchain};

use crate::directives::{self, Case, Directives};
use crate::verdict;

/// Time limit of one compiler run.
const COMPILE_LIMIT: Duration = Duration::from_secs(180);
/// A file of the Fortran folder that is no program.
const FORTRAN_CHECKS: &str = "check.f90";
/// What clang and flang print when they crash, whatever their exit code.
const CRASH_MARK: &str = "Stack dump:";

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Places {
    /// The project and its parts.
    pub tools: Toolchain,
    /// Folder of the data files.
    pub data: PathBuf,
    /// Folder for what the tests build: below cargo's own, so that what failed can be looked at.
    pub scratch: PathBuf,
}

impl Places {
    /// `AD_BUILD_DIR` and `AD_DATA` name other folders of the parts and of the data.
    pub fn new(scratch: &Path) -> Places {
        let tools = Toolchain::locate();
        let data = std::env::var_os("AD_DATA")
            .map_or_else(|| tools.root.join("../shared/data"), PathBuf::from);
        Places { tools, data, scratch: scratch.join("programs") }
    }

    /// What a test run lacks, as a sentence with its remedy; `None` when plugin and runtime are
    /// built.
    pub fn missing(&self) -> Option<String> {
        self.tools.missing(&[PLUGIN, RUNTIME])
    }
}

/// One program with what it asks for.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source.
    pub file: PathBuf,
    /// Its language.
    pub language: Language,
    /// `c/scalar_value`.
    pub name: String,
    /// Whether it must not compile.
    pub is_diagnostic: bool,
    /// What its leading comment says.
    pub directives: Directives,
    /// Whether the run prints each number that it checks (`CHECK_SHOW`).
    pub shows_values: bool,
}

/// How a test ended when it did not fail.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All checks passed; what the program printed.
    Passed(String),
    /// Data is absent; the text says which and how to provide it.
    Skipped(String),
}

impl Program {
    /// The program in a file of one of the folders under `tests`; the error names the file.
    pub fn read(file: &Path, is_diagnostic: bool) -> Result<Program, String> {
        let shown = file.display();
        let language =
            Language::of(file).ok_or_else(|| format!("{shown}: unknown kind of source"))?;
        let text = fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
        let directives = directives::parse(&text).map_err(|why| format!("{shown}: {why}"))?;
        Ok(Program {
            file: file.to_path_buf(),
            language,
            name: name_of(file, language),
            is_diagnostic,
            directives,
            shows_values: false,
        })
    }

    /// All programs of a folder under `tests`, by name; a source that cannot be read as one is an
    /// error beside them.
    pub fn all(
        folder: &Path,
        is_diagnostic: bool,
    ) -> std::io::Result<Vec<(String, Result<Program, String>)>> {
        let mut files = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<Vec<_>>>()?;
        files.sort();
        files.retain(|file| !file.ends_with(FORTRAN_CHECKS));
        let of = |file: PathBuf| {
            let language = Language::of(&file)?;
            Some((name_of(&file, language), Program::read(&file, is_diagnostic)))
        };
        Ok(files.into_iter().filter_map(of).collect())
    }

    /// The programs of these folders under `tests`, which compile; the error names the first
    /// source that cannot be read as one.
    pub fn those_of(places: &Places, folders: &[&str]) -> Result<Vec<Program>, String> {
        let mut programs = Vec::new();
        for folder in folders {
            let folder = places.tools.root.join("tests").join(folder);
            let found =
                Program::all(&folder, false).map_err(|e| format!("{}: {e}", folder.display()))?;
            for (_, program) in found {
                programs.push(program?);
            }
        }
        Ok(programs)
    }

    /// Compiles, runs and judges the program at one level; the error is a message for the user.
    pub fn test(&self, places: &Places, case: &Case, level: &str) -> Result<Outcome, String> {
        let data: Vec<PathBuf> = case.data.iter().map(|file| places.data.join(file)).collect();
        if let Some(absent) = data.iter().find(|file| !file.is_file()) {
            return Ok(Outcome::Skipped(format!(
                "no data file {}: set AD_DATA to its folder",
                absent.display()
            )));
        }
        let label = if case.label.is_empty() { String::new() } else { format!(".{}", case.label) };
        let folder = places.scratch.join(format!("{}{label}.{level}", self.name.replace('/', ".")));
        let at = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(at)?;
        }
        fs::create_dir_all(&folder).map_err(at)?;
        let mut printed = String::new();
        if self.is_diagnostic {
            self.test_diagnostic(places, &folder, level)?;
        } else {
            let program = self.build(places, &folder, level)?;
            let mut command = Command::new(&program);
            command.args(&data);
            if self.shows_values {
                command.env("CHECK_SHOW", "1");
            }
            let run = succeed(&mut command, Duration::from_secs(self.directives.seconds))?;
            verdict::closing_line(&run.stdout)
                .map_err(|why| format!("{why}\n{}", report(&command, &run)))?;
            printed = run.stdout;
        }
        fs::remove_dir_all(&folder).map_err(at)?;
        Ok(Outcome::Passed(printed))
    }

    /// Compiles every source and links; the program's path.
    fn build(&self, places: &Places, folder: &Path, level: &str) -> Result<PathBuf, String> {
        let source_folder = self.file.parent().expect("a program lies in a folder");
        let mut link = Command::new(self.language.compiler());
        if self.language == Language::Fortran {
            link.arg(fortran_checks(places)?.join("check.o"));
        }
        let sources = std::iter::once(None).chain(self.directives.also.iter().map(Some));
        for (nth, also) in sources.enumerate() {
            let object = folder.join(format!("{nth}.o"));
            let source = also.map_or_else(|| self.file.clone(), |file| source_folder.join(file));
            let mut compile = self.compile(places, &source, folder, level)?;
            for (_, option) in
                self.directives.options_in.iter().filter(|(file, _)| Some(file) == also)
            {
                compile.arg("-mllvm").arg(option);
            }
            compile.arg("-o").arg(&object);
            succeed(&mut compile, COMPILE_LIMIT)?;
            link.arg(object);
        }
        let program = folder.join("program");
        link.args(FAST_LINK).arg("-o").arg(&program);
        link.args(&self.directives.link).args(places.tools.link_options());
        succeed(&mut link, COMPILE_LIMIT)?;
        Ok(program)
    }

    /// The command that compiles one source through the plugin, but for the name of the object; the
    /// error is a message for the user.
    pub fn compile(
        &self,
        places: &Places,
        source: &Path,
        folder: &Path,
        level: &str,
    ) -> Result<Command, String> {
        let language = Language::of(source)
            .ok_or_else(|| format!("{}: unknown kind of source", source.display()))?;
        let mut command = places.tools.compiler(language);
        command.arg(format!("-{level}")).arg("-c").arg(source);
        match language {
            Language::C | Language::Cpp => {
                command.arg("-fno-crash-diagnostics");
                command.arg("-I").arg(places.tools.root.join("tests/c"));
            }
            Language::Fortran => {
                command.arg("-I").arg(fortran_checks(places)?).arg("-module-dir").arg(folder);
                command.arg("-I").arg(&places.tools.build);
            }
        }
        command.args(&self.directives.flags);
        for option in &self.directives.options {
            command.arg("-mllvm").arg(option);
        }
        Ok(command)
    }

    fn test_diagnostic(&self, places: &Places, folder: &Path, level: &str) -> Result<(), String> {
        if self.directives.errors.is_empty() {
            return Err("a program of tests/diag needs an `ad-error:` line".into());
        }
        let mut compile = self.compile(places, &self.file, folder, level)?;
        compile.arg("-o").arg(folder.join("0.o"));
        let done = run(&mut compile, COMPILE_LIMIT)?;
        let shown = || report(&compile, &done);
        match done.code {
            Some(0) => return Err(format!("the program compiled\n{}", shown())),
            // A crash or the time limit is not a diagnostic; a crash within clang's own process may
            // end with code 1.
            code if code.is_none_or(|code| code >= 128) || done.stderr.contains(CRASH_MARK) => {
                return Err(format!("the compiler crashed\n{}", shown()));
            }
            _ => {}
        }
        let missing = verdict::missing_errors(&done.stderr, &self.directives.errors);
        if missing.is_empty() {
            Ok(())
        } else {
            Err(format!("{}\n{}", missing.join("\n"), shown()))
        }
    }
}

/// `folder/stem`; a C++ program may have the stem of one in C.
pub fn name_of(file: &Path, language: Language) -> String {
    let word =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let suffix = if language == Language::Cpp { "_cpp" } else { "" };
    let folder = word(file.parent().and_then(Path::file_name));
    format!("{folder}/{}{suffix}", word(file.file_stem()))
}

/// The folder of the Fortran check module, compiled without the plugin, and once in a process. Several
/// test binaries share it, and run at the same time: what they compile comes into it complete.
fn fortran_checks(places: &Places) -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || -> Result<PathBuf, Failure> {
        let folder = places.scratch.join("check.f90");
        fs::create_dir_all(&folder).map_err(Failure::of_file(&folder))?;
        let own = tempfile::tempdir_in(&folder).map_err(Failure::of_file(&folder))?;
        let mut compile = Command::new(Language::Fortran.compiler());
        compile.args(["-O1", "-c"]).arg(places.tools.root.join("tests/fortran/check.f90"));
        compile.arg("-module-dir").arg(own.path()).arg("-o").arg(own.path().join("check.o"));
        succeed(&mut compile, COMPILE_LIMIT)?;
        for file in ["check.mod", "check.o"] {
            let whole = own.path().join(file);
            fs::rename(&whole, folder.join(file)).map_err(Failure::of_file(&whole))?;
        }
        Ok(folder)
    };
    FOLDER.get_or_init(|| build().map_err(String::from)).as_deref().map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_data_is_a_skip_that_names_the_file() {
        let places = Places {
            tools: Toolchain { root: "/".into(), build: "/".into() },
            data: "/no/such".into(),
            scratch: "/no/such".into(),
        };
        let case = Case {
            label: String::new(),
            levels: vec!["O0".into()],
            data: vec!["gmm/a.txt".into()],
        };
        let program = Program {
            file: "a.c".into(),
            language: Language::C,
            name: "c/a".into(),
            is_diagnostic: false,
            directives: Directives::default(),
            shows_values: false,
        };
        let Ok(Outcome::Skipped(why)) = program.test(&places, &case, "O0") else {
            panic!("not skipped")
        };
        assert!(why.contains("/no/such/gmm/a.txt") && why.contains("AD_DATA"), "{why}");
    }
}
