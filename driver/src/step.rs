//! `--ad-link`: the step of a link that makes derivatives, alone, for links by another command.
//!
//! adcc is called in the linker's place ([`crate::linker`]), as by a compiler; the linker that it then
//! runs is a script that keeps the object of derivatives. The step sees the words in the order in
//! which the link will: objects, archives, shared libraries, `-L` and `-l`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::command_line::{Argument, CommandLine};
use crate::error::Error;
use crate::linker::{self, Job};
use crate::run::{self, Scratch};
use crate::spelling::InputKind;
use crate::target::Machine;

/// Names the file for the script.
const OUTPUT: &str = "ADCC_DERIVATIVES";
/// In the linker's place: what the step adds to the words of a link is its object, and that of the rules of messages.
const KEEP: &str = "#!/bin/sh\n\
    given=$#\n\
    for word; do case $word in */adcc-*/derivatives.o | */adcc-*/ranks.o) set -- \"$@\" \"$word\" ;; esac; done\n\
    shift $given\n\
    case $# in\n\
    0) ;;\n\
    1) exec cp \"$1\" \"$ADCC_DERIVATIVES\" ;;\n\
    *) exec ld -r \"$@\" -o \"$ADCC_DERIVATIVES\" ;;\n\
    esac\n";

/// Writes the object that `-o` names: it defines what requests among the inputs left open, and is empty
/// where they left nothing. Position-independent, for any link. Returns an exit code.
///
/// # Errors
/// [`Error::Usage`] without `-o`, or with sources; [`Error::Io`].
pub fn make(line: &CommandLine, mut job: Job) -> Result<u8, Error> {
    let usage = |reason: &str| Error::Usage { option: "--ad-link".into(), reason: reason.into() };
    let output = line.output.as_ref().ok_or_else(|| usage("-o OBJECT is missing"))?;
    if line.inputs.iter().any(|input| input.kind != InputKind::LinkerInput) {
        return Err(usage("takes objects, archives and libraries: compile sources with -c before"));
    }
    let mut scratch = Scratch::default();
    let keeper = scratch.path("keeper")?;
    let script = keeper.join("ld");
    fs::create_dir(&keeper)
        .and_then(|()| fs::write(&script, KEEP))
        .and_then(|()| fs::set_permissions(&script, fs::Permissions::from_mode(0o700)))
        .map_err(|e| Error::io("writing a temporary file", e))?;
    job.prefixes = vec![keeper.into()];
    let linkers = linker::option(&mut scratch)?;
    let linkers = OsStr::from_bytes(&linkers.as_bytes()["-B".len()..]).to_os_string();
    let mut command = Command::new(Path::new(&linkers).join("ld"));
    linker::stand_in(&job, &mut scratch, &mut command)?;
    command.arg("-shared");
    if Machine::of(&line.machine) == Machine::I386 {
        command.args(["-m", "elf_i386"]);
    }
    // What an earlier step has left is no answer.
    let _ = fs::remove_file(output);
    command.args(words(line)).env(OUTPUT, output);
    if job.prints {
        run::print_command(&command);
    }
    let code = run::exit_code(run::wait(&mut command)?);
    if code != 0 || Path::new(output).exists() {
        return Ok(code);
    }
    empty(line, &job, &mut scratch, output)
}

/// An object that defines nothing.
fn empty(
    line: &CommandLine,
    job: &Job,
    scratch: &mut Scratch,
    output: &OsStr,
) -> Result<u8, Error> {
    let is_narrow = Machine::of(&line.machine) == Machine::I386;
    let source = scratch.path("empty.ll")?;
    let machine = if is_narrow { "i386" } else { "x86_64" };
    fs::write(&source, format!("target triple = \"{machine}-pc-linux-gnu\"\n"))
        .map_err(|e| Error::io("writing a temporary file", e))?;
    let mut command = Command::new(&job.compiler);
    command.arg("-c").arg(source).arg("-o").arg(output);
    if is_narrow {
        command.arg("-m32");
    }
    Ok(run::exit_code(run::wait(&mut command)?))
}

/// What the linker reads of the compiler's words.
fn words(line: &CommandLine) -> Vec<OsString> {
    let mut kept = vec![];
    let all = line.arguments.iter().flat_map(|argument| match argument {
        Argument::Plain(word) => std::slice::from_ref(word),
        Argument::Rewritten(inner) => inner,
    });
    let mut all = all.peekable();
    while let Some(word) = all.next() {
        let bytes = word.as_bytes();
        let is_input = line.inputs.iter().any(|input| input.path == *word);
        if let Some(words) = bytes.strip_prefix(b"-Wl,") {
            kept.extend(words.split(|&b| b == b',').map(|w| OsStr::from_bytes(w).to_os_string()));
        } else if word == "-Xlinker" || word == "-o" {
            let value = all.next();
            kept.extend(value.filter(|_| word == "-Xlinker").cloned());
        } else if is_input || [&b"-L"[..], b"-l", b"-u"].iter().any(|o| bytes.starts_with(o)) {
            kept.push(word.clone());
            if bytes.len() == 2 {
                kept.extend(all.next().cloned());
            }
        }
    }
    kept
}
