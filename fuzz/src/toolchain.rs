//! Compiles with the plugin and runs the result, both with a time limit; tells refusals from
//! crashes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::driver::Mode;

/// Seconds for a compile and for a run.
const LIMITS: (u32, u32) = (60, 10);

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

/// Where the parts are.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// Holds libadpass.so and libadrt.a.
    pub built: PathBuf,
    /// The root of the workspace.
    pub root: PathBuf,
    /// For sources and executables.
    pub work: PathBuf,
    /// The compiler.
    pub clang: String,
    /// Analyses of the plugin that are switched off.
    pub disabled: Vec<String>,
    /// The functions are machine code of other compilers.
    pub is_prebuilt: bool,
    /// Options for the processor: those of 32-bit programs, if they are.
    pub machine: &'static [&'static str],
}

/// The ways of 32-bit programs: with and without registers that hold doubles.
pub const NARROW: [&[&str]; 2] = [&["-m32", "-msse2"], &["-m32", "-march=i686"]];

/// How libraries are compiled.
const LIBRARIES: [&[&str]; 10] = [
    &["gcc", "-O2"],
    &["gcc", "-O0"],
    &["clang-22", "-O2"],
    &["gcc", "-O3", "-march=native"],
    &["gcc", "-O3"],
    &["clang-22", "-O0"],
    &["gcc", "-O2", "-mno-sse3", "-fno-inline"],
    &["clang-22", "-O3", "-march=native"],
    &["gcc", "-O3", "-mavx2", "-mfma"],
    &["gcc", "-O1", "-mfpmath=387"],
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

impl Toolchain {
    /// `AD_BUILD_DIR` or `target/release` of the workspace; an error when something is missing.
    pub fn find(work: &Path, machine: &'static [&'static str]) -> Result<Toolchain, String> {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf();
        let built = std::env::var_os("AD_BUILD_DIR")
            .map_or_else(|| root.join("target/release"), PathBuf::from);
        for name in
            ["libadpass.so", if machine.is_empty() { "libadrt.a" } else { "i386/libadrt.a" }]
        {
            if !built.join(name).is_file() {
                return Err(format!(
                    "{} is missing: build with `make build`, or set AD_BUILD_DIR",
                    built.join(name).display()
                ));
            }
        }
        fs::create_dir_all(work).map_err(|e| format!("{}: {e}", work.display()))?;
        let clang = std::env::var("AD_CLANG").unwrap_or_else(|_| "clang-22".into());
        let tools = Toolchain {
            built,
            root,
            work: work.to_path_buf(),
            clang,
            disabled: vec![],
            is_prebuilt: false,
            machine,
        };
        let (source, object) = (work.join("main.c"), work.join("main.o"));
        fs::write(&source, MAIN).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut command = tools.clang();
        command.arg("-c").arg(&source).arg("-o").arg(&object);
        match run(command, object) {
            Built::Done(_) => Ok(tools),
            Built::Refused(_) => Err("main.c was refused".into()),
            Built::Failed(why) => Err(why),
        }
    }

    /// The same without further analyses.
    pub fn without(&self, disabled: &[String]) -> Toolchain {
        Toolchain { disabled: [&self.disabled, disabled].concat(), ..self.clone() }
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
        let mut command = self.clang();
        command.args([&format!("-O{level}"), "-ferror-limit=0", "-c"]);
        command.arg(format!("-fpass-plugin={}", self.built.join("libadpass.so").display()));
        command.arg("-I").arg(self.root.join("runtime/include")).arg(&source);
        let policy = self.is_prebuilt.then(|| "-ad-prebuilt=shadow".to_string());
        command.args(self.option().iter().chain(&policy).flat_map(|option| ["-mllvm", option]));
        if whole {
            command.arg("-o").arg(&object)
        } else {
            command.arg("-emit-llvm").arg("-o").arg(&bitcode)
        };
        match run(command, object) {
            Built::Done(object) if !whole => {
                let mut command = self.clang();
                // Fast instruction selection moves loads behind stores in simplified code (LLVM 22,
                // `FastISel::tryToFoldLoad`).
                command
                    .args(["-O0", "-mllvm", "-fast-isel=0", "-c"])
                    .arg(&bitcode)
                    .arg("-o")
                    .arg(&object);
                run(command, object)
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
        let mut command = limited(LIMITS.0);
        command
            .args(LIBRARIES[number % LIBRARIES.len()])
            .args(self.machine)
            .args(["-w", "-fPIC", if is_shared { "-shared" } else { "-c" }])
            .arg(&source)
            .arg("-o")
            .arg(&object);
        run(command, object)
    }

    /// Whether the compiler cannot compile `text` by itself.
    pub fn fails_without_plugin(&self, text: &str, level: u32) -> bool {
        let (source, object) = (self.work.join("plain.c"), self.work.join("plain.o"));
        let mut command = self.clang();
        command
            .args([&format!("-O{level}"), "-c", "-I"])
            .arg(self.root.join("runtime/include"))
            .arg(&source)
            .arg("-o")
            .arg(&object);
        fs::write(&source, text).is_ok() && !matches!(run(command, object), Built::Done(_))
    }

    /// Links objects of `compile` with the main program.
    pub fn link(&self, objects: &[PathBuf], name: &str, level: u32) -> Built {
        let exe = self.work.join(format!("{name}.{level}"));
        let _ = fs::remove_file(&exe);
        let mut command = self.clang();
        command.arg("-fuse-ld=lld").arg(self.work.join("main.o")).args(objects).arg("-o").arg(&exe);
        let libraries =
            if self.machine.is_empty() { self.built.clone() } else { self.built.join("i386") };
        command
            .arg(format!("-L{}", libraries.display()))
            .args(["-lm", "-ladrt", "-lm", "-lpthread", "-ldl"]);
        if self.is_prebuilt {
            command.args(["-lc", "-ladshadow"]);
        }
        run(command, exe)
    }

    fn clang(&self) -> Command {
        let mut command = limited(LIMITS.0);
        command.args([&self.clang, "-w"]).args(self.machine);
        command
    }

    /// Runs an executable.
    pub fn run(&self, exe: &Path, arguments: &[&str]) -> Ran {
        let output = limited(LIMITS.1)
            .env("ADSHADOW_TIES", "quiet")
            .arg(exe)
            .args(arguments)
            .stdin(Stdio::null())
            .output();
        match output {
            Ok(Output { status, stdout, stderr }) => {
                let why = if status.code() == Some(124) {
                    "time limit".into()
                } else {
                    format!("{status} {}", first(&String::from_utf8_lossy(&stderr)))
                };
                Ran {
                    text: String::from_utf8_lossy(&stdout).into_owned(),
                    failure: (!status.success()).then_some(why),
                }
            }
            Err(e) => Ran { text: String::new(), failure: Some(e.to_string()) },
        }
    }
}

/// What follows ends after so many seconds.
fn limited(seconds: u32) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "1", &seconds.to_string()]);
    command
}

/// Runs a compiler or linker that makes `result`.
fn run(mut command: Command, result: PathBuf) -> Built {
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        return Built::Failed("no compiler".into());
    };
    if output.status.success() {
        return Built::Done(result);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(124) {
        return Built::Failed("time limit of the compiler".into());
    }
    let refusals: Vec<_> = errors.lines().filter_map(refusal).collect();
    let crashed = errors.contains("PLEASE submit")
        || errors.contains("Stack dump")
        || output.status.code().is_none_or(|c| c > 1);
    if refusals.is_empty() || crashed {
        let lines: Vec<_> = errors
            .lines()
            .filter(|l| l.contains("error") || l.contains("panicked") || l.contains("Assert"))
            .collect();
        return Built::Failed(format!(
            "{}: {}",
            output.status,
            if lines.is_empty() { first(&errors) } else { lines.join("\n") }
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
