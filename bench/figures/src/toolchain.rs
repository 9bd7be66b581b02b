//! adcc, found beside the plugin and the runtime, and run with a time limit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::codes::Code;
use adtests::analyses;

/// Seconds for a compile and for a run.
const LIMITS: (u32, u32) = (120, 120);
const PARTS: [&str; 3] = ["adcc", "libadpass.so", "libadrt.a"];
/// adcc's code for a compiler that is not there.
const NO_COMPILER: &str = "ADCC02";

/// Where the parts are.
#[derive(Debug)]
pub struct Toolchain {
    /// The project's root.
    root: PathBuf,
    /// Holds adcc, libadpass.so and libadrt.a.
    built: PathBuf,
    /// For objects and programs; removed at the end.
    work: PathBuf,
}

impl Drop for Toolchain {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.work);
    }
}

impl Toolchain {
    /// In `AD_BUILD_DIR`, or where this program was built, or in `target/release`; the error names
    /// the remedy.
    pub fn find(work: &Path) -> Result<Toolchain, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
        let mut places: Vec<PathBuf> = match std::env::var_os("AD_BUILD_DIR") {
            Some(folder) => vec![folder.into()],
            None => std::env::current_exe()
                .iter()
                .flat_map(|exe| exe.ancestors().skip(1).take(2))
                .map(PathBuf::from)
                .collect(),
        };
        if std::env::var_os("AD_BUILD_DIR").is_none() {
            places.push(root.join("target/release"));
        }
        let complete = |folder: &&PathBuf| PARTS.iter().all(|part| folder.join(part).is_file());
        let built = places.iter().find(complete).ok_or_else(|| {
            format!("{} are not in one folder: run `cargo build --release`, or set AD_BUILD_DIR to theirs", PARTS.join(", "))
        })?;
        let work = work.to_path_buf();
        fs::create_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
        Ok(Toolchain { built: built.clone(), root, work })
    }

    /// A file in the folder for objects and programs.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    /// What adcc says where clang is missing.
    pub fn missing_compiler(&self) -> Option<String> {
        self.adcc(&["--version".into()]).err().filter(|message| message.contains(NO_COMPILER))
    }

    /// The analyses that can be switched off: the plugin lists them when it is asked to switch off
    /// one that it has not.
    pub fn analyses(&self) -> Result<Vec<String>, String> {
        let source = self.scratch("nothing.c");
        fs::write(&source, "").map_err(|e| format!("{}: {e}", source.display()))?;
        let words = [
            "-c".into(),
            format!("-{}", analyses::QUESTION),
            path(&source),
            "-o".into(),
            path(&self.scratch("nothing.o")),
        ];
        match self.adcc(&words) {
            Ok(_) => Err("the plugin accepts -ad-disable=?".into()),
            Err(message) => {
                analyses::listed(&message).ok_or(format!("no list of analyses in: {message}"))
            }
        }
    }

    /// Compiles the source of `code` without those analyses; what the compiler and the plugin say.
    pub fn differentiate(
        &self,
        code: &Code,
        without: &str,
        has_tangent: bool,
        object: &Path,
    ) -> Result<String, String> {
        let mut words = vec![
            "-O3".into(),
            "-c".into(),
            "--ad-time".into(),
            format!("--ad-adjoint={}", code.head),
        ];
        if has_tangent {
            words.push(format!("--ad-tangent={}", code.head));
        }
        if !without.is_empty() {
            words.push(format!("--ad-disable={without}"));
        }
        if code.is_fortran() {
            words.push("--ad-driver=fortran".into());
        }
        words.extend([path(&self.root.join(code.source)), "-o".into(), path(object)]);
        self.adcc(&words)
    }

    /// Compiles the program of `code` and links it with the object.
    pub fn link(&self, code: &Code, object: &Path, program: &Path) -> Result<String, String> {
        let mut words =
            vec!["-O3".into(), format!("-I{}", path(&self.root.join("bench/objectives")))];
        words.push(path(&self.root.join(format!("bench/figures/codes/{}.c", code.name))));
        words.extend(code.also.iter().map(|file| path(&self.root.join(file))));
        words.extend([path(object), "-lm".into(), "-o".into(), path(program)]);
        self.adcc(&words)
    }

    /// Runs a program with the tape's statistics on; its output on both streams.
    pub fn run(&self, program: &Path, arguments: &[String]) -> Result<(String, String), String> {
        let mut command = limited(LIMITS.1);
        let output = finish(command.arg(program).args(arguments).env("ADRT_STATS", "1"))?;
        Ok((text(&output.stdout), text(&output.stderr)))
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Runs adcc without what the environment would add; what it says.
    pub fn adcc(&self, words: &[String]) -> Result<String, String> {
        let mut command = limited(LIMITS.0);
        command.arg(self.built.join("adcc")).args(words);
        // What the environment adds would be measured too.
        for name in ["ADCC_OPTIONS", "ADPASS_OPTIONS", "ADCC_PREFIX", "ADCC_PLUGIN", "ADCC_RUNTIME"]
        {
            command.env_remove(name);
        }
        finish(&mut command).map(|output| text(&output.stderr))
    }
}

/// A command that begins with its limit of time.
pub fn limited(seconds: u32) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "1", &seconds.to_string()]);
    command
}

/// Runs it; its output, or an error that shows command and output where it fails.
pub fn finish(command: &mut Command) -> Result<Output, String> {
    let shown = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{shown}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{shown}\n{}\n{}", output.status, text(&output.stderr)))
}

fn path(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
