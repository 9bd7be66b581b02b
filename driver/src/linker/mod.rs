//! adcc in the linker's place: answers the requests that objects left open, then runs the linker.
//!
//! When adcc links, the compiler finds links to adcc under the linkers' names ([`stand_in`]), and so
//! calls it with the linker's own command line. What is linked is read ([`command`], [`object`]), as
//! far as a linker would load it ([`resolve`]). If a request needs more than its own unit
//! ([`mod@answers`]), the plugin makes derivatives ([`mod@derive`]), and the linker gets one object more. Any
//! other program is linked as it is.

mod answers;
mod cache;
mod command;
mod derive;
mod job;
mod live;
mod object;
mod ranks;
mod references;
mod resolve;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::run::{self, Scratch};
use answers::Answers;
pub use job::Job;
use resolve::Loaded;

/// The names under which compilers look for linkers.
const NAMES: [&str; 6] = ["ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold", "ld.wild"];

/// How linkers call what takes the place of a function.
const WRAPPER: &str = "__wrap_";

/// The variable that names the file with the [`Job`].
const JOB: &str = "ADCC_LINK_JOB";

/// Its name.
const JOB_FILE: &str = "link-job";

/// The name of a linker that this process was called by, on behalf of adcc.
pub fn name(invoked_as: &Path) -> Option<&str> {
    let name = invoked_as.file_name()?.to_str()?;
    (NAMES.contains(&name) && env::var_os(JOB).is_some()).then_some(name)
}

/// Has the compiler call adcc where it would call the linker. Returns what the compiler gets before
/// the user's words.
///
/// # Errors
/// [`Error::Io`].
pub fn stand_in(job: &Job, scratch: &mut Scratch, compiler: &mut Command) -> Result<(), Error> {
    let folder = folder(scratch)?;
    let file = scratch.path(JOB_FILE)?;
    fs::write(&file, job.text()).map_err(|e| Error::io("writing a temporary file", e))?;
    let making = |e| Error::io("making a temporary folder", e);
    fs::create_dir(&folder).map_err(making)?;
    let own = env::current_exe().map_err(|e| Error::io("finding adcc itself", e))?;
    for name in NAMES {
        symlink(&own, folder.join(name)).map_err(making)?;
    }
    compiler.env(JOB, file);
    Ok(())
}

/// The option by which the compiler finds adcc under the linkers' names.
///
/// # Errors
/// [`Error::Io`].
pub fn option(scratch: &mut Scratch) -> Result<OsString, Error> {
    let mut option = OsString::from("-B");
    option.push(folder(scratch)?);
    Ok(option)
}

/// Takes the linker that a user names with its folder (`--ld-path=`, `-fuse-ld=`) out of the words for
/// the compiler, which would call it directly.
pub fn take_named(words: &mut Vec<OsString>) -> Option<PathBuf> {
    let mut named = None;
    words.retain(|word| {
        let starts = [&b"--ld-path="[..], b"-fuse-ld="];
        let path = starts.iter().find_map(|start| word.as_bytes().strip_prefix(*start));
        let path = path.filter(|path| path.contains(&b'/'));
        if let Some(path) = path {
            named = Some(PathBuf::from(OsStr::from_bytes(path)));
        }
        path.is_none()
    });
    named
}

fn folder(scratch: &mut Scratch) -> Result<PathBuf, Error> {
    scratch.path("linkers")
}

/// Links, in the place of the linker `name`.
///
/// # Errors
/// [`Error::Io`]; [`Error::NoLinker`]; [`Error::Strange`]; [`Error::HeadUnseen`].
pub fn link(name: &str, words: &[OsString]) -> Result<u8, Error> {
    let file = env::var_os(JOB).unwrap_or_default();
    let text = fs::read(&file).map_err(|e| Error::io("reading a temporary file", e))?;
    let job = Job::of_text(&text);
    let linker = find(name, &job)?;
    let inputs = command::parse(words);
    let mut scratch = Scratch::default();
    let mut command = Command::new(&linker);
    command.env_remove(JOB);
    // What is linked again later still carries the IR: that link answers.
    if inputs.is_relocatable {
        command.args(words);
        return Err(run::replace(command));
    }
    let loaded = resolve::load(&inputs, looks_back(&linker))?;
    let answers = answers::of(&loaded, &job.heads)?;
    answers::note_machine_code(&loaded, &answers);
    let header = ranks::header(&loaded)?;
    let mut made: Vec<PathBuf> = vec![];
    if !answers.are_none() {
        answers::check_names(&loaded, &inputs)?;
        let object = scratch.path("derivatives.o")?;
        let mut job = job.clone();
        job.use_mpi(header.as_deref());
        let code = derive::derive(&job, &inputs, &loaded, &answers, &mut scratch, &object)?;
        if code != 0 {
            return Ok(code);
        }
        note_machine_code(&file, &loaded, &answers, &object)?;
        made.push(object);
    }
    if let Some(header) = header
        && ranks::are_needed(&loaded, made.first().map(PathBuf::as_path))
    {
        made.push(ranks::rules(&header, &mut scratch, job.prints)?);
    }
    if made.is_empty() {
        command.args(words);
        return Err(run::replace(command));
    }
    // Before the archives behind the program's own objects: it needs what these need, and no archive
    // before them is to be loaded for it.
    let is_behind = |&&place: &&usize| loaded.last_unit.is_none_or(|last| place > last);
    // All may be in one response file.
    let is_beside = |&&place: &&usize| loaded.last_unit == Some(place);
    let mut libraries = inputs.libraries.iter();
    let at = libraries.find(is_behind).or_else(|| inputs.libraries.iter().find(is_beside));
    let at = at.copied().unwrap_or(words.len());
    command.args(&words[..at]).args(&made);
    for object in &made {
        command.args(wraps(object)?);
    }
    command.args(&words[at..]);
    Ok(run::exit_code(run::wait(&mut command)?))
}

/// Says that no derivative of the program runs machine code, where that is so.
fn note_machine_code(
    job: &OsStr,
    loaded: &Loaded,
    answers: &Answers,
    derivatives: &Path,
) -> Result<(), Error> {
    let is_used = || {
        let bytes = fs::read(derivatives).ok()?;
        Some(object::read(&bytes)?.uses_shadow_runtime())
    };
    if answers::use_no_machine_code(loaded, answers) && is_used() == Some(false) {
        fs::write(beside_job(job), "").map_err(|e| Error::io("writing a temporary file", e))?;
    }
    Ok(())
}

/// Options by which the functions that derivatives define in the place of others get their calls: such
/// that allocate and free memory, which derivatives want to know of.
fn wraps(derivatives: &Path) -> Result<Vec<String>, Error> {
    let reading = |e| Error::io("reading a temporary file", e);
    let bytes = fs::read(derivatives).map_err(reading)?;
    let defined = object::read(&bytes).map(|object| object.defined).unwrap_or_default();
    let wrapped = defined.iter().filter_map(|symbol| symbol.name.strip_prefix(WRAPPER));
    Ok(wrapped.map(|name| format!("--wrap={name}")).collect())
}

/// The file by which a link says that no derivative of the program runs machine code, whatever units
/// refer to.
fn beside_job(job: &OsStr) -> PathBuf {
    let mut file = job.to_os_string();
    file.push(".no-machine-code");
    file.into()
}

/// Whether the link has said so.
///
/// # Errors
/// [`Error::Io`].
pub fn used_no_machine_code(scratch: &mut Scratch) -> Result<bool, Error> {
    Ok(beside_job(scratch.path(JOB_FILE)?.as_os_str()).exists())
}

/// Whether a linker remembers archives for what it needs later: GNU ld and gold do not.
fn looks_back(linker: &Path) -> bool {
    let file = linker.canonicalize().unwrap_or_else(|_| linker.to_path_buf());
    let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    ["lld", "mold", "wild"].iter().any(|known| name.contains(known))
}

/// The linker that the compiler would have called.
fn find(name: &str, job: &Job) -> Result<PathBuf, Error> {
    if let Some(linker) = &job.linker {
        return Ok(linker.clone());
    }
    let beside = job.compiler.canonicalize().ok().and_then(|c| Some(c.parent()?.to_path_buf()));
    let path = env::var_os("PATH").unwrap_or_default();
    let own = env::current_exe().and_then(|e| e.canonicalize()).ok();
    let is_other = |file: &PathBuf| {
        fs::metadata(file).is_ok_and(|m| m.is_file()) && file.canonicalize().ok() != own
    };
    let folders =
        job.prefixes.iter().map(PathBuf::from).chain(beside).chain(env::split_paths(&path));
    folders
        .map(|folder| folder.join(name))
        .find(is_other)
        .ok_or_else(|| Error::NoLinker { name: name.to_string() })
}
