//! What adcc adds to a link: the runtime and what that needs, after the user's inputs.
//!
//! All of it is in a response file for the linker. As plain inputs the archives would be compiled
//! when `-x c` is in force; and build systems look for the compiler's own libraries in what
//! `-v` shows of a link, and would give our archives to links of other compilers.
//!
//! Linkers take from the archives only what is referred to, so a program without derivatives stays
//! as it is.
//!
//! The shadow runtime cannot be in every program ([`Obstacle`]). Such a link gets an archive in its
//! place that has the same functions and a mark: a program that calls no machine code is linked as
//! without it, and of others adcc says why they cannot be.
//!
//! A shared library exports nothing of the runtimes (`--exclude-libs`, which all linkers know): it
//! may be loaded beside others, into programs that know nothing of adcc, and has a tape runtime of
//! its own. It has no shadow runtime, of which a process can have but one, with the `malloc` of the
//! process: an archive in its place leads to that of the program (`guest.S`). A program that is
//! linked with such a library ([`guests`]) has one.

mod guests;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;

use crate::command_line::CommandLine;
use crate::error::Error;
use crate::options::Options;
use crate::response;
use crate::run::{self, Scratch};
use crate::target::Machine;
use crate::toolchain::Places;

/// Libraries of the system that the runtime refers to.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lm", "-lpthread", "-ldl"];

/// Sanitizers whose runtimes have allocation functions or shadow memory of their own.
const SANITIZERS: [&str; 9] = [
    "address", "hwaddress", "thread", "memory", "leak", "dataflow", "type", "numerical", "realtime",
];

/// In place of the shadow runtime: see `refused.s`.
const REFUSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libadrefused.a"));
const REFUSED_I386: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libadrefused32.a"));
/// In shared libraries: see `guest.S`.
const GUEST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libadguest.a"));
const GUEST_I386: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libadguest32.a"));
/// By this name shared libraries find the functions of the program's shadow runtime.
const TABLE: &str = "adshadow_functions_1";
/// What is in a program then.
const MARK: &[u8] = b"adcc: this link has no shadow runtime";

/// Why a program cannot have the shadow runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// `-no-pie`: the memory of the executable is too low for shadow memory at a fixed distance.
    NoPie,
    /// `-static`, `-static-pie`: functions of libraries are not found by their names at run time,
    /// and the C library has the only `malloc`.
    Static(String),
    /// `-fsanitize=NAME`
    Sanitizer(String),
}

/// What options say of it; the last of each kind counts.
#[derive(Clone, Debug, Default)]
pub struct Form {
    is_shared: bool,
    no_pie: bool,
    is_static: Option<String>,
    sanitizers: Vec<String>,
}

impl Form {
    /// Takes note of an option.
    pub fn option(&mut self, text: &str) {
        match text {
            "-shared" | "--shared" => self.is_shared = true,
            "-no-pie" | "-nopie" | "--no-pie" => self.no_pie = true,
            "-pie" | "--pie" => self.no_pie = false,
            "-static" | "--static" | "-static-pie" => self.is_static = Some(text.into()),
            _ => {
                let after = |start: &str| {
                    text.strip_prefix(start)
                        .map(|names| names.split(',').map(str::to_string).collect::<Vec<_>>())
                };
                if let Some(names) = after("-fsanitize=") {
                    self.sanitizers.extend(names);
                } else if let Some(names) = after("-fno-sanitize=") {
                    self.sanitizers
                        .retain(|s| !names.contains(s) && !names.iter().any(|n| n == "all"));
                }
            }
        }
    }

    /// Whether a shared library is linked.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// The first obstacle.
    pub fn obstacle(&self) -> Option<Obstacle> {
        if let Some(name) = self.sanitizers.iter().find(|name| SANITIZERS.contains(&name.as_str()))
        {
            return Some(Obstacle::Sanitizer(name.clone()));
        }
        if self.is_shared {
            return None;
        }
        match &self.is_static {
            Some(option) => Some(Obstacle::Static(option.clone())),
            None => self.no_pie.then_some(Obstacle::NoPie),
        }
    }
}

/// The words to append for the compiler; none when nothing is linked, or the user wants no libraries
/// (`-nostdlib`, `-nodefaultlibs`, `-r`).
///
/// # Errors
/// [`Error::NoRuntime`]; [`Error::Usage`] for `--ad-host` where there is no shadow runtime;
/// [`Error::Io`] where a temporary file cannot be written.
pub fn plan(
    line: &CommandLine,
    options: &Options,
    places: &Places,
    scratch: &mut Scratch,
) -> Result<Vec<OsString>, Error> {
    if !line.links() || line.without_libraries {
        return Ok(vec![]);
    }
    let shadow = match (places.shadow_runtime(), obstacle(line)) {
        (None, _) => Shadow::None,
        (Some(_), Some(_)) => Shadow::Other(written(line, REFUSED, REFUSED_I386, scratch)?),
        (Some(_), None) if line.form.is_shared() => {
            Shadow::Other(written(line, GUEST, GUEST_I386, scratch)?)
        }
        (Some(archive), None) => Shadow::Whole(archive.into()),
    };
    if options.is_host && !matches!(shadow, Shadow::Whole(_)) {
        return Err(Error::Usage {
            option: "--ad-host".into(),
            reason: "this link has no shadow runtime of its own: it is for programs, neither \
                -static nor -no-pie, without sanitizers"
                .into(),
        });
    }
    let is_host = options.is_host || matches!(shadow, Shadow::Whole(_)) && guests::any(line);
    let words = libraries(line, places, shadow, is_host)?;
    let file = scratch.path("libraries")?;
    fs::write(&file, response::write(&words))
        .map_err(|e| Error::io("writing a response file", e))?;
    let mut word = OsString::from("-Wl,@");
    word.push(&file);
    if !word.to_string_lossy()["-Wl,@".len()..].contains(',') {
        return Ok(vec![word]);
    }
    Ok(words.into_iter().flat_map(|word| ["-Xlinker".into(), word]).collect())
}

/// What is linked for derivatives through machine code.
pub enum Shadow {
    /// Nothing: it was not built.
    None,
    /// The runtime itself.
    Whole(OsString),
    /// An archive that has its functions.
    Other(OsString),
}

/// The words for the linker.
///
/// # Errors
/// [`Error::NoRuntime`].
pub fn libraries(
    line: &CommandLine,
    places: &Places,
    shadow: Shadow,
    is_host: bool,
) -> Result<Vec<OsString>, Error> {
    // The archives have some of libm's functions, and of the compiler's (`__divdc3`), for their own
    // use: the program's are those that it would have without them.
    let mut words = vec![OsString::from("-lm")];
    if !line.compiler_rt {
        words.push("-lgcc".into());
    }
    let runtime = places.runtime()?;
    if line.form.is_shared() {
        let name = runtime.file_name().unwrap_or_default();
        words.extend(["--exclude-libs".into(), name.to_os_string()]);
    }
    words.push(runtime.into());
    // The C library first: else its functions that the shadow runtime stands in for would bring
    // that into every program.
    match shadow {
        Shadow::None => {}
        Shadow::Other(archive) => words.extend(["-lc".into(), archive]),
        Shadow::Whole(archive) => {
            if is_host {
                words.extend(["-u".into(), TABLE.into()]);
            }
            words.push(format!("--export-dynamic-symbol={TABLE}").into());
            words.extend(["-lc".into(), archive]);
        }
    }
    words.extend(SYSTEM_LIBRARIES.map(OsString::from));
    Ok(words)
}

/// What keeps the shadow runtime out of this link.
fn obstacle(line: &CommandLine) -> Option<Obstacle> {
    (line.links() && !line.without_libraries && !line.dry_run)
        .then(|| line.form.obstacle())
        .flatten()
}

/// An archive of adcc's own, written for this link.
fn written(
    line: &CommandLine,
    wide: &[u8],
    narrow: &[u8],
    scratch: &mut Scratch,
) -> Result<OsString, Error> {
    let archive = if Machine::of(&line.machine) == Machine::I386 { narrow } else { wide };
    let path = scratch.path("libadshadow.a")?;
    fs::write(&path, archive).map_err(|e| Error::io("writing a temporary archive", e))?;
    Ok(path.into())
}

/// After a link that has succeeded: it must not want the shadow runtime where that cannot be. Its
/// output is removed, as after any other error.
///
/// # Errors
/// [`Error::Prebuilt`].
pub fn check(line: &CommandLine) -> Result<(), Error> {
    let Some(obstacle) = obstacle(line) else { return Ok(()) };
    let outputs = run::outputs(line);
    let has_mark = |output: &OsStr| match fs::read(output) {
        Ok(bytes) => Ok(bytes.windows(MARK.len()).any(|w| w == MARK)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(Error::io("reading what was linked", e)),
    };
    for output in &outputs {
        if has_mark(output.as_os_str())? {
            // What counts is the error below.
            let _ = fs::remove_file(output);
            return Err(Error::Prebuilt { obstacle });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &[&str]) -> Option<Obstacle> {
        let mut form = Form::default();
        options.iter().for_each(|o| form.option(o));
        form.obstacle()
    }

    #[test]
    fn the_last_option_of_a_kind_counts() {
        assert_eq!(of(&["-no-pie"]), Some(Obstacle::NoPie));
        assert_eq!(of(&["-no-pie", "-pie"]), None);
        assert_eq!(of(&["-no-pie", "-shared"]), None);
        assert_eq!(of(&["-static-pie"]), Some(Obstacle::Static("-static-pie".into())));
        assert_eq!(of(&["-fsanitize=undefined,bounds"]), None);
        assert_eq!(
            of(&["-fsanitize=undefined,address", "-shared"]),
            Some(Obstacle::Sanitizer("address".into()))
        );
        assert_eq!(of(&["-fsanitize=undefined,address", "-fno-sanitize=address"]), None);
        assert_eq!(of(&["-fsanitize=thread", "-fno-sanitize=all"]), None);
    }

    /// A function that is missing would be an undefined symbol in the user's link.
    #[test]
    fn what_stands_in_has_all_functions() {
        let header = include_str!("../../shadow/include/adshadow.h");
        let stand_in = include_str!("refused.s");
        let names: Vec<&str> = header
            .match_indices("adshadow_")
            .filter_map(|(at, start)| {
                let rest = &header[at + start.len()..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
                rest[end..].starts_with('(').then(|| &rest[..end])
            })
            .collect();
        assert!(names.len() > 30, "{names:?}");
        let words: Vec<&str> = stand_in.split([' ', ',', '\n']).collect();
        for name in names {
            assert!(words.contains(&name), "{name}");
        }
    }
}
