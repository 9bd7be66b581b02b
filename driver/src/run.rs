//! Runs the compiler: in place of adcc when nothing is left to do afterwards, else as a child.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

use crate::command_line::{Action, Argument, CommandLine};
use crate::error::Error;
use crate::heads::Head;
use crate::response;
use crate::spelling::InputKind;

/// The variable that names the file in which the plugin lists the heads it generated.
pub const HEADS_SEEN: &str = "ADPASS_HEADS_SEEN";
/// The variable by which the plugin takes options beside `-mllvm`.
pub const PLUGIN_OPTIONS: &str = "ADPASS_OPTIONS";

/// A folder for files of one run, made when first needed and removed at the end.
#[derive(Debug, Default)]
pub struct Scratch {
    folder: Option<TempDir>,
}

impl Scratch {
    /// A path in the folder.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be made.
    pub fn path(&mut self, name: &str) -> Result<PathBuf, Error> {
        if self.folder.is_none() {
            let folder = tempfile::Builder::new().prefix("adcc-").tempdir();
            let folder = folder.map_err(|e| Error::io("making a temporary folder", e))?;
            self.folder = Some(folder);
        }
        Ok(self.folder.as_ref().map(|f| f.path().join(name)).unwrap_or_default())
    }

    /// Whether something must be removed after the run.
    pub fn is_used(&self) -> bool {
        self.folder.is_some()
    }

    /// The compiler's words, with rewritten response files in the folder.
    ///
    /// # Errors
    /// [`Error::Io`] when a file cannot be written.
    pub fn words(&mut self, arguments: &[Argument]) -> Result<Vec<OsString>, Error> {
        let mut words = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Plain(text) => words.push(text.clone()),
                Argument::Rewritten(inner) => {
                    let path = self.path(&format!("response-{index}"))?;
                    fs::write(&path, response::write(inner))
                        .map_err(|e| Error::io("writing a response file", e))?;
                    let mut word = OsString::from("@");
                    word.push(path);
                    words.push(word);
                }
            }
        }
        Ok(words)
    }
}

/// Shows a command on standard error, quoted for a shell, variables that adcc sets in front.
pub fn print_command(command: &Command) {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quoted(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
    let shown: Vec<String> = variables.chain(words).collect();
    eprintln!("{}", shown.join(" "));
}

/// For a shell; common words stay bare (shlex would quote every `=`).
fn quoted(text: &OsStr) -> String {
    let is_bare = |b: &u8| b.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(b);
    match shlex::bytes::try_quote(text.as_bytes()) {
        Ok(bytes) if text.is_empty() || !text.as_bytes().iter().all(is_bare) => {
            String::from_utf8_lossy(&bytes).into_owned()
        }
        // A NUL, the only thing that quoting rejects, cannot stand in an argument.
        _ => text.to_string_lossy().into_owned(),
    }
}

/// Becomes the compiler. Returns only when that fails.
pub fn replace(mut command: Command) -> Error {
    let source = command.exec();
    Error::io(format!("running {}", command.get_program().to_string_lossy()), source)
}

/// Runs the compiler and waits.
///
/// # Errors
/// [`Error::Io`] when it cannot be started.
pub fn wait(command: &mut Command) -> Result<ExitStatus, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.status().map_err(|source| Error::io(format!("running {name}"), source))
}

/// The compiler's exit code; 128+n when signal n ended it, as a shell says it.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|n| 128 + n)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// Adds plugin options to [`PLUGIN_OPTIONS`], defaults before what the user has there, options
/// after it. An option is quoted only when it must be: white space, quotes or a backslash in it.
pub fn set_plugin_options(command: &mut Command, defaults: &[OsString], options: &[OsString]) {
    if defaults.is_empty() && options.is_empty() {
        return;
    }
    let mut value = OsString::new();
    append(&mut value, defaults);
    let own = env::var_os(PLUGIN_OPTIONS).filter(|own| !own.is_empty());
    if let Some(own) = own {
        if !value.is_empty() {
            value.push(" ");
        }
        value.push(own);
    }
    append(&mut value, options);
    command.env(PLUGIN_OPTIONS, value);
}

fn append(value: &mut OsString, options: &[OsString]) {
    for option in options {
        if !value.is_empty() {
            value.push(" ");
        }
        let bytes = option.as_bytes();
        let is_plain =
            !bytes.iter().any(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'\\'));
        match shlex::bytes::try_quote(bytes) {
            Ok(quoted) if !is_plain => value.push(OsStr::from_bytes(&quoted)),
            // A NUL, the only thing that quoting rejects, cannot stand in an argument.
            _ => value.push(option),
        }
    }
}

/// After a command whose heads were optional: each head of its own must have been met in one of
/// the sources. Outputs of the command are removed when not, as after any other error.
///
/// # Errors
/// [`Error::HeadUnseen`] for the first that was not.
pub fn check_heads_seen(line: &CommandLine, heads: &[Head], seen: &Path) -> Result<(), Error> {
    let seen = fs::read(seen).unwrap_or_default();
    let seen = String::from_utf8_lossy(&seen);
    let own = heads.iter().filter(|head| !head.from_environment);
    for head in own {
        if !seen.lines().any(|line| head.is_answered_by(line)) {
            for output in outputs(line) {
                // It may never have been written; the error below is what counts.
                let _ = fs::remove_file(output);
            }
            return Err(Error::HeadUnseen {
                reason: "no source of this command defines",
                name: head.name.clone(),
                option: head.option.clone(),
            });
        }
    }
    Ok(())
}

/// The files that the command leaves.
pub fn outputs(line: &CommandLine) -> Vec<PathBuf> {
    if let Some(output) = &line.output {
        let path = PathBuf::from(output);
        // Never a device such as /dev/null.
        return if path.is_file() { vec![path] } else { vec![] };
    }
    let suffix = match (line.action, line.emits_llvm) {
        (Action::Link, _) => return vec![PathBuf::from("a.out")],
        (Action::Assembly, true) => "ll",
        (Action::Assembly, false) => "s",
        (Action::Object, true) => "bc",
        (Action::Object, false) => "o",
        (Action::Preprocess | Action::Check, _) => return vec![],
    };
    line.sources()
        .filter(|s| s.kind != InputKind::Ir && s.path != "-")
        .filter_map(|s| Some(PathBuf::from(Path::new(&s.path).file_name()?).with_extension(suffix)))
        .collect()
}
