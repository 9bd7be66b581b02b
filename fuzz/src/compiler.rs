//! Compiles programs with the plugin in one way, and runs them; tells refusals from crashes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adtoolchain::{Finished, Language, PLUGIN, RUNTIME, RUNTIME_32, Toolchain};

use crate::driver::Mode;

/// For a compile.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);
/// For a run.
const RUN_LIMIT: Duration = Duration::from_secs(10);

/// The main program: runs what the objects hand in before it starts.
const MAIN: &str = "\
#include <stdio.h>
#include <stdlib.h>
struct entry { int number; void (*run)(void); struct entry *next; };
static struct entry *all;
void adfuzz_add(struct entry *e) { e->next = all, all = e; }
void adfuzz_begin(int k, char mode) { printf(\"%d %c\", k, mode); }
void adfuzz_out(double v) { printf(\" %.17g\", v); }
void adfuzz_end(void) { printf(\"\\n\"); fflush(stdout); }
static char mode;
int adfuzz_wants(char m) { return !mode || m == mode; }
int main(int argc, char **argv) {
  int only = argc > 1 ? atoi(argv[1]) : -1;
  mode = argc > 2 ? argv[2][0] : 0;
  for (struct entry *e = all; e; e = e->next)
    if (only < 0 || only == e->number) e->run();
  return 0;
}
";

/// How programs are compiled, and where.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Where the plugin and the runtimes are.
    pub tools: Toolchain,
    /// For sources and executables.
    pub work: PathBuf,
    /// Analyses of the plugin that are switched off.
    pub disabled: Vec<String>,
    /// The functions are machine code of other compilers.
    pub is_prebuilt: bool,
    /// Options for the processor: those of 32-bit programs, if they are.
    pub machine: &'static [&'static str],
}

/// The ways of 32-bit programs: with and without registers that hold doubles.
pub const NARROW: [&[&str]; 2] = [&["-m32", "-msse2"], &["-m32", "-march=i686"]];

/// How libraries are compiled: the compiler and its options.
const LIBRARIES: [(&str, &[&str]); 10] = [
    ("gcc", &["-O2"]),
    ("gcc", &["-O0"]),
    ("clang-22", &["-O2"]),
    ("gcc", &["-O3", "-march=native"]),
    ("gcc", &["-O3"]),
    ("clang-22", &["-O0"]),
    ("gcc", &["-O2", "-mno-sse3", "-fno-inline"]),
    ("clang-22", &["-O3", "-march=native"]),
    ("gcc", &["-O3", "-mavx2", "-mfma"]),
    ("gcc", &["-O1", "-mfpmath=387"]),
];

/// A diagnostic of the plugin.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Number of the program, when the message names its request.
    pub of: Option<(usize, Mode)>,
    /// `AD031`.
    pub code: String,
    /// The whole line.
    pub text: String,
}

/// How a compile ended.
#[derive(Clone, Debug)]
pub enum Built {
    /// The object, or the executable.
    Done(PathBuf),
    /// Diagnostics.
    Refused(Vec<Refusal>),
    /// Crash, time limit, or an error that is no diagnostic of the plugin.
    Failed(String),
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Standard output.
    pub text: String,
    /// `None` for success.
    pub failure: Option<String>,
}

impl Compiler {
    /// With all analyses, for one machine; the files go to `work`, which is made. An error when a
    /// part of the toolchain is missing.
    pub fn new(work: &Path, machine: &'static [&'static str]) -> Result<Compiler, String> {
        let runtime = if machine.is_empty() { RUNTIME } else { RUNTIME_32 };
        let tools = Toolchain::find(&[PLUGIN, runtime])?;
        fs::create_dir_all(work).map_err(|e| format!("{}: {e}", work.display()))?;
        let work = work.to_path_buf();
        let compiler = Compiler { tools, work, disabled: vec![], is_prebuilt: false, machine };
        let (source, object) = (compiler.work.join("main.c"), compiler.work.join("main.o"));
        fs::write(&source, MAIN).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut command = compiler.clang();
        command.arg("-c").arg(&source).arg("-o").arg(&object);
        match build(&mut command, object) {
            Built::Done(_) => Ok(compiler),
            Built::Refused(_) => Err("main.c was refused".into()),
            Built::Failed(why) => Err(why),
        }
    }

    /// The same without further analyses.
    pub fn without(&self, disabled: &[String]) -> Compiler {
        Compiler { disabled: [&self.disabled, disabled].concat(), ..self.clone() }
    }

    /// The plugin's option, if something is switched off.
    pub fn option(&self) -> Option<String> {
        (!self.disabled.is_empty()).then(|| format!("-ad-disable={}", self.disabled.join(",")))
    }

    /// Compiles `text` at a level to an object. `whole`: code is generated at that level, too; else
    /// quickly.
    pub fn compile(&self, text: &str, name: &str, level: u32, whole: bool) -> Built {
        let source = self.work.join(format!("{name}.c"));
        let object = self.work.join(format!("{name}.{level}.o"));
        let bitcode = self.work.join(format!("{name}.{level}.bc"));
        let _ = fs::remove_file(&object);
        if let Err(e) = fs::write(&source, text) {
            return Built::Failed(format!("{}: {e}", source.display()));
        }
        let whole = whole || level == 0;
        let mut command = self.tools.compiler(Language::C);
        command.arg("-w").args(self.machine);
        command.args([&format!("-O{level}"), "-ferror-limit=0", "-c"]).arg(&source);
        let policy = self.is_prebuilt.then(|| "-ad-prebuilt=shadow".to_string());
        command.args(self.option().iter().chain(&policy).flat_map(|option| ["-mllvm", option]));
        if whole {
            command.arg("-o").arg(&object)
        } else {
            command.arg("-emit-llvm").arg("-o").arg(&bitcode)
        };
        match build(&mut command, object) {
            Built::Done(object) if !whole => {
                let mut command = self.clang();
                // Fast instruction selection moves loads behind stores in simplified code (LLVM 22,
                // `FastISel::tryToFoldLoad`).
                command
                    .args(["-O0", "-mllvm", "-fast-isel=0", "-c"])
                    .arg(&bitcode)
                    .arg("-o")
                    .arg(&object);
                build(&mut command, object)
            }
            other => other,
        }
    }

    /// Compiles a library, in a way that the number decides: an object, or a shared one.
    pub fn compile_library(&self, text: &str, name: &str, number: usize, is_shared: bool) -> Built {
        let ending = if is_shared { "so" } else { "o" };
        let (source, object) = (
            self.work.join(format!("{name}.library.c")),
            self.work.join(format!("{name}.library.{ending}")),
        );
        let _ = fs::remove_file(&object);
        if let Err(e) = fs::write(&source, text) {
            return Built::Failed(format!("{}: {e}", source.display()));
        }
        let (name, options) = LIBRARIES[number % LIBRARIES.len()];
        let mut command = Command::new(name);
        command
            .args(options)
            .args(self.machine)
            .args(["-w", "-fPIC", if is_shared { "-shared" } else { "-c" }])
            .arg(&source)
            .arg("-o")
            .arg(&object);
        build(&mut command, object)
    }

    /// Whether the compiler cannot compile `text` by itself.
    pub fn fails_without_plugin(&self, text: &str, level: u32) -> bool {
        let (source, object) = (self.work.join("plain.c"), self.work.join("plain.o"));
        let mut command = self.clang();
        command
            .args([&format!("-O{level}"), "-c", "-I"])
            .arg(self.tools.headers())
            .arg(&source)
            .arg("-o")
            .arg(&object);
        fs::write(&source, text).is_ok() && !matches!(build(&mut command, object), Built::Done(_))
    }

    /// Links objects of `compile` with the main program.
    pub fn link(&self, objects: &[PathBuf], name: &str, level: u32) -> Built {
        let exe = self.work.join(format!("{name}.{level}"));
        let _ = fs::remove_file(&exe);
        let mut command = self.clang();
        command.arg("-fuse-ld=lld").arg(self.work.join("main.o")).args(objects).arg("-o").arg(&exe);
        if !self.machine.is_empty() {
            command.arg("-L").arg(self.tools.part("i386"));
        }
        command.args(self.tools.link_options());
        if self.is_prebuilt {
            command.args(["-lc", "-ladshadow"]);
        }
        build(&mut command, exe)
    }

    /// The compiler without the plugin.
    fn clang(&self) -> Command {
        let mut command = Command::new(Language::C.compiler());
        command.arg("-w").args(self.machine);
        command
    }

    /// Runs an executable.
    pub fn run(&self, exe: &Path, arguments: &[&str]) -> Ran {
        let mut command = Command::new(exe);
        command.args(arguments).env("ADSHADOW_TIES", "quiet");
        match adtoolchain::run(&mut command, RUN_LIMIT) {
            Ok(done) => Ran {
                failure: match &done {
                    done if done.is_success() => None,
                    done if done.is_late => Some("time limit".into()),
                    done => Some(format!("{} {}", done.ending, first(&done.stderr))),
                },
                text: done.stdout,
            },
            Err(e) => Ran { text: String::new(), failure: Some(e.to_string()) },
        }
    }
}

/// Runs a compiler or linker that makes `result`.
pub(crate) fn build(command: &mut Command, result: PathBuf) -> Built {
    match adtoolchain::run(command, COMPILE_LIMIT) {
        Ok(done) if done.is_success() => Built::Done(result),
        Ok(done) => complaint(&done),
        Err(e) => Built::Failed(e.to_string()),
    }
}

/// What a compiler's failure is: a refusal of the plugin, or anything else.
fn complaint(done: &Finished) -> Built {
    if done.is_late {
        return Built::Failed("time limit of the compiler".into());
    }
    let errors = &done.stderr;
    let refusals: Vec<_> = errors.lines().filter_map(refusal).collect();
    let crashed = errors.contains("PLEASE submit")
        || errors.contains("Stack dump")
        || done.code.is_none_or(|c| c > 1);
    if refusals.is_empty() || crashed {
        let lines: Vec<_> = errors
            .lines()
            .filter(|l| l.contains("error") || l.contains("panicked") || l.contains("Assert"))
            .collect();
        return Built::Failed(format!(
            "{}: {}",
            done.ending,
            if lines.is_empty() { first(errors) } else { lines.join("\n") }
        ));
    }
    Built::Refused(refusals)
}

fn first(text: &str) -> String {
    text.lines().take(12).collect::<Vec<_>>().join("\n")
}

/// The code and the request in a line of clang's errors.
fn refusal(line: &str) -> Option<Refusal> {
    let at = line.find("AD0").filter(|i| line.get(i + 5..i + 6) == Some(":"))?;
    let code = line.get(at..at + 5)?.to_string();
    let mut of = None;
    for (name, mode) in [("__ad_tangent_p", Mode::Tangent), ("__ad_adjoint_p", Mode::Adjoint)] {
        if let Some(i) = line.rfind(name) {
            let digits: String =
                line[i + name.len()..].chars().take_while(char::is_ascii_digit).collect();
            of = digits.parse().ok().map(|n| (n, mode));
        }
    }
    Some(Refusal { of, code, text: line.to_string() })
}
