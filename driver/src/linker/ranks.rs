//! Rules of messages between ranks (runtime/ranks/), which are compiled for each link of a program that needs them: against
//! the mpi.h that its units were compiled with. What earlier links compiled is in the cache.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cache::{self, Cache};
use super::object;
use super::resolve::Loaded;
use crate::error::Error;
use crate::run::{self, Scratch};
use crate::toolchain::{self, Driver};

/// The source that includes the others.
const MAIN: &str = "ranks.c";

macro_rules! sources {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../runtime/ranks/", $name)))),*]
    };
}

/// The rules, by file.
const SOURCES: [(&str, &str); 15] = sources![
    "ranks.h", "ranks.c", "layouts.c", "threads.c", "parts.c", "bytes.c", "comms.c", "points.c",
    "requests.c", "collective.c", "factors.c", "later.c", "among.c", "neighbours.c", "fortran.c"
];

/// The mpi.h of a program's units; none where none of them sends messages.
///
/// # Errors
/// [`Error::SeveralMpi`].
pub fn header(loaded: &Loaded) -> Result<Option<PathBuf>, Error> {
    let resolved = |header: &PathBuf| header.canonicalize().unwrap_or_else(|_| header.clone());
    let all: BTreeSet<PathBuf> =
        loaded.headers().filter_map(|(_, unit)| unit.mpi.as_ref().map(resolved)).collect();
    let mut all = all.into_iter();
    match (all.next(), all.next()) {
        (Some(first), Some(second)) => Err(Error::SeveralMpi { first, second }),
        (header, _) => Ok(header),
    }
}

/// Whether the units of a link, or the object of its derivatives, refer to rules.
pub fn are_needed(loaded: &Loaded, derivatives: Option<&Path>) -> bool {
    let of_link = || derivatives.and_then(|file| object::read(&fs::read(file).ok()?));
    loaded.objects.iter().any(|object| object.uses_rules_of_messages())
        || of_link().is_some_and(|object| object.uses_rules_of_messages())
}

/// Compiles the rules.
///
/// # Errors
/// [`Error::Io`]; [`Error::NoCompiler`]; [`Error::Rules`].
pub fn rules(header: &Path, scratch: &mut Scratch, prints: bool) -> Result<PathBuf, Error> {
    let compiler = toolchain::find_compiler(Driver::C)?;
    let content = fs::read(header).map_err(|e| Error::io("reading mpi.h", e))?;
    let mut parts: Vec<&[u8]> = SOURCES.iter().map(|(_, text)| text.as_bytes()).collect();
    let identity = cache::identity(&compiler);
    parts.extend([&b"ranks"[..], &identity, header.as_os_str().as_bytes(), &content]);
    let cache = Cache::new(&parts);
    let object = scratch.path("ranks.o")?;
    let writing = |e| Error::io("writing a temporary file", e);
    if let Some(found) = cache.as_ref().and_then(|cache| cache.find(&HashSet::new()))
        && fs::copy(&found.object, &object).is_ok()
    {
        return Ok(object);
    }
    let folder = scratch.path("ranks")?;
    fs::create_dir_all(&folder).map_err(writing)?;
    for (name, text) in SOURCES {
        fs::write(folder.join(name), text).map_err(writing)?;
    }
    let mut command = Command::new(&compiler);
    command.args(["-std=gnu11", "-O2", "-fPIC", "-w", "-c"]).arg(folder.join(MAIN));
    command.arg("-I").arg(header.parent().unwrap_or(Path::new("."))).arg("-o").arg(&object);
    if prints {
        run::print_command(&command);
    }
    if run::exit_code(run::wait(&mut command)?) != 0 {
        return Err(Error::Rules { header: header.to_path_buf() });
    }
    if let Some(cache) = cache {
        cache.keep(&object, &[], "");
    }
    Ok(object)
}
