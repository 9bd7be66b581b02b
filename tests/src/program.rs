//! One test: a program, a case, a level. Compiles each source through the plugin, links, runs, and
//! judges.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::analyses;
use crate::directives::{self, Case, Directives};
use crate::process::{self, Finished};
use crate::verdict;

/// Time limit of one compiler run.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);
/// How much of a failed command's output a message repeats, at the start and at the end.
const SHOWN_LINES: usize = 20;
/// A file of the Fortran folder that is no program.
const FORTRAN_CHECKS: &str = "check.f90";
/// What clang and flang print when they crash, whatever their exit code.
const CRASH_MARK: &str = "Stack dump:";

/// Options for links: lld is five times as fast as GNU ld here, and nothing reads the debug
/// information of the runtime.
pub const FAST_LINK: [&str; 2] = ["-fuse-ld=lld", "-Wl,--strip-debug"];

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Places {
    /// The project's root.
    pub root: PathBuf,
    /// Folder of `libadpass.so` and `libadrt.a`.
    pub build: PathBuf,
    /// Folder of the data files.
    pub data: PathBuf,
    /// Folder for what the tests build.
    pub scratch: PathBuf,
}

impl Places {
    /// The root is the parent of this crate; `AD_BUILD_DIR` and `AD_DATA` override the other two.
    pub fn new(scratch: &Path) -> Places {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("the crate lies in the project")
            .to_path_buf();
        let or =
            |name: &str, default: PathBuf| std::env::var_os(name).map_or(default, PathBuf::from);
        Places {
            build: or("AD_BUILD_DIR", root.join("target/release")),
            data: or("AD_DATA", root.join("../shared/data")),
            scratch: scratch.join("programs"),
            root,
        }
    }

    /// The plugin's file.
    pub fn plugin(&self) -> PathBuf {
        self.build.join("libadpass.so")
    }

    /// What a test run lacks, as a sentence with its remedy; `None` when plugin and runtime are
    /// built.
    pub fn missing(&self) -> Option<String> {
        let absent = [self.plugin(), self.build.join("libadrt.a")]
            .into_iter()
            .find(|file| !file.is_file())?;
        let absent = absent.display();
        Some(format!(
            "{absent} does not exist: run `cargo build --release` first, or set AD_BUILD_DIR to its folder"
        ))
    }

    /// The analyses that can be switched off, as the plugin names them.
    pub fn analyses(&self) -> Result<Vec<String>, String> {
        let folder = self.scratch.join("analyses");
        let source = folder.join("nothing.c");
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&source, ""))
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut plugin = std::ffi::OsString::from("-fpass-plugin=");
        plugin.push(self.plugin());
        let mut compile = Command::new(Language::C.compiler());
        compile.arg(plugin).args(["-mllvm", analyses::QUESTION, "-c"]);
        compile.arg(&source).arg("-o").arg(folder.join("nothing.o"));
        let done = execute(&mut compile, &folder, "compile", COMPILE_LIMIT)?;
        analyses::listed(&done.stderr).ok_or_else(|| report(&compile, &done))
    }
}

/// The language of a source, which chooses the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.c`
    C,
    /// `.cpp`
    Cpp,
    /// `.f90`
    Fortran,
}

impl Language {
    /// By the file's extension; `None` for a file that is no program (a header, say).
    pub fn of(file: &Path) -> Option<Language> {
        match file.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cpp" => Some(Language::Cpp),
            "f90" => Some(Language::Fortran),
            _ => None,
        }
    }

    /// The compiler driver for the language.
    pub fn compiler(self) -> &'static str {
        match self {
            Language::C => "clang-22",
            Language::Cpp => "clang++-22",
            Language::Fortran => "flang-22",
        }
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
            let folder = places.root.join("tests").join(folder);
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
            let run = execute(
                &mut command,
                &folder,
                "run",
                Duration::from_secs(self.directives.seconds),
            )?;
            let shown = || report(&command, &run);
            if run.code != Some(0) {
                return Err(format!("the program ended with {}\n{}", run.ending, shown()));
            }
            verdict::closing_line(&run.stdout).map_err(|why| format!("{why}\n{}", shown()))?;
            printed = run.stdout;
        }
        fs::remove_dir_all(&folder).map_err(at)?;
        Ok(Outcome::Passed(printed))
    }

    /// Compiles every source and links; the program's path.
    fn build(&self, places: &Places, folder: &Path, level: &str) -> Result<PathBuf, String> {
        let home = self.file.parent().expect("a program lies in a folder");
        let mut link = Command::new(self.language.compiler());
        if self.language == Language::Fortran {
            link.arg(fortran_checks(places)?.join("check.o"));
        }
        let sources = std::iter::once(None).chain(self.directives.also.iter().map(Some));
        for (nth, also) in sources.enumerate() {
            let object = folder.join(format!("{nth}.o"));
            let source = also.map_or_else(|| self.file.clone(), |file| home.join(file));
            let mut compile = self.compile(places, &source, folder, level)?;
            for (_, option) in
                self.directives.options_in.iter().filter(|(file, _)| Some(file) == also)
            {
                compile.arg("-mllvm").arg(option);
            }
            compile.arg("-o").arg(&object);
            let done = execute(&mut compile, folder, &format!("compile{nth}"), COMPILE_LIMIT)?;
            if done.code != Some(0) {
                return Err(format!(
                    "the compiler ended with {}\n{}",
                    done.ending,
                    report(&compile, &done)
                ));
            }
            link.arg(object);
        }
        let program = folder.join("program");
        link.args(FAST_LINK).arg("-o").arg(&program);
        link.args(&self.directives.link).arg("-L").arg(&places.build);
        link.args(["-lm", "-ladrt", "-lm", "-lpthread", "-ldl"]);
        let done = execute(&mut link, folder, "link", COMPILE_LIMIT)?;
        if done.code != Some(0) {
            return Err(format!("the link ended with {}\n{}", done.ending, report(&link, &done)));
        }
        Ok(program)
    }

    /// The command that compiles one source through the plugin.
    fn compile(
        &self,
        places: &Places,
        source: &Path,
        folder: &Path,
        level: &str,
    ) -> Result<Command, String> {
        let language = Language::of(source)
            .ok_or_else(|| format!("{}: unknown kind of source", source.display()))?;
        let mut plugin = std::ffi::OsString::from("-fpass-plugin=");
        plugin.push(places.plugin());
        let mut command = Command::new(language.compiler());
        command.arg(format!("-{level}")).arg(plugin).arg("-c").arg(source);
        match language {
            Language::C | Language::Cpp => {
                command.arg("-fno-crash-diagnostics");
                command
                    .arg("-I")
                    .arg(places.root.join("runtime/include"))
                    .arg("-I")
                    .arg(places.root.join("tests/c"));
            }
            Language::Fortran => {
                command.arg("-I").arg(fortran_checks(places)?).arg("-module-dir").arg(folder);
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
        let done = execute(&mut compile, folder, "compile0", COMPILE_LIMIT)?;
        match done.code {
            Some(0) => return Err(format!("the program compiled\n{}", report(&compile, &done))),
            // A crash or the time limit is not a diagnostic; a crash within clang's own process may
            // end with code 1.
            code if code.is_none_or(|code| code >= 128) || done.stderr.contains(CRASH_MARK) => {
                return Err(format!(
                    "the compiler crashed: {}\n{}",
                    done.ending,
                    report(&compile, &done)
                ));
            }
            _ => {}
        }
        let missing = verdict::missing_errors(&done.stderr, &self.directives.errors);
        if missing.is_empty() {
            Ok(())
        } else {
            Err(format!("{}\n{}", missing.join("\n"), report(&compile, &done)))
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

/// The folder of the Fortran check module, compiled once and without the plugin.
fn fortran_checks(places: &Places) -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = FOLDER.get_or_init(|| {
        let folder = places.scratch.join("check.f90");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut compile = Command::new(Language::Fortran.compiler());
        compile.args(["-O1", "-c"]).arg(places.root.join("tests/fortran/check.f90"));
        compile.arg("-module-dir").arg(&folder).arg("-o").arg(folder.join("check.o"));
        let done = execute(&mut compile, &folder, "compile", COMPILE_LIMIT)?;
        if done.code == Some(0) { Ok(folder) } else { Err(report(&compile, &done)) }
    });
    built.as_deref().map_err(Clone::clone)
}

fn execute(
    command: &mut Command,
    folder: &Path,
    name: &str,
    limit: Duration,
) -> Result<Finished, String> {
    process::run(command, folder, name, limit).map_err(|error| error.to_string())
}

/// The command, so that it can be repeated by hand, and the end of its output.
fn report(command: &Command, done: &Finished) -> String {
    let words = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| quote(&word.to_string_lossy()));
    let line: Vec<String> = words.collect();
    [format!("$ {}", line.join(" ")), shorten(&done.stdout), shorten(&done.stderr)]
        .join("\n")
        .trim_end()
        .to_owned()
}

/// The first and the last lines of a text.
fn shorten(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 2 * SHOWN_LINES {
        return lines.join("\n");
    }
    let (start, end) = (&lines[..SHOWN_LINES], &lines[lines.len() - SHOWN_LINES..]);
    format!("{}\n[{} lines]\n{}", start.join("\n"), lines.len() - 2 * SHOWN_LINES, end.join("\n"))
}

/// A word as a shell would need it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./+,:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_extension() {
        assert_eq!(Language::of(Path::new("a.c")), Some(Language::C));
        assert_eq!(Language::of(Path::new("a.cpp")), Some(Language::Cpp));
        assert_eq!(Language::of(Path::new("a.f90")), Some(Language::Fortran));
        assert_eq!(Language::of(Path::new("check.h")), None);
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        let text: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let short = shorten(&text.join("\n"));
        assert!(
            short.starts_with("0\n1\n")
                && short.ends_with("98\n99")
                && short.contains("19\n[60 lines]\n80")
        );
        assert_eq!(shorten("a\nb\n"), "a\nb");
    }

    #[test]
    fn a_word_with_parentheses_is_quoted() {
        assert_eq!(quote("-O2"), "-O2");
        assert_eq!(quote("-ad-adjoint=f(y)/(x, z)"), "'-ad-adjoint=f(y)/(x, z)'");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }

    #[test]
    fn absent_data_is_a_skip_that_names_the_file() {
        let places = Places {
            root: "/".into(),
            build: "/".into(),
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

    #[test]
    fn a_missing_plugin_is_named() {
        let places = Places {
            root: "/".into(),
            build: "/no/such".into(),
            data: "/".into(),
            scratch: "/".into(),
        };
        let why = places.missing().expect("nothing is built there");
        assert!(why.contains("/no/such/libadpass.so") && why.contains("AD_BUILD_DIR"), "{why}");
    }
}
