//! What adcc adds so that a compilation goes through the plugin.
//!
//! Only what this command uses: clang warns of unused arguments, and fails under `-Werror`. The
//! plugin and its options go where code is made (not with `-E`, `-M`, `-fsyntax-only`, nor with
//! objects only); the folder of `ad.h` or `ad.mod` goes wherever a source is read. The former come
//! before the user's arguments, which take precedence; the latter after them, to be searched last:
//! `-idirafter` for `ad.h` (an `-isystem /usr/include` would break libstdc++'s `#include_next`).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::command_line::{Action, CommandLine, Input};
use crate::error::Error;
use crate::options::Options;
use crate::ranks;
use crate::spelling::{InputKind, is_cpp_file};
use crate::toolchain::{Driver, Places};

/// Tells the plugin that a head whose function this module does not define is no error.
pub const TRACK_LINES: &str = "-Rpass-analysis=^adcc$";
/// Lets derivatives go through functions that exist only as machine code: what is linked has the
/// runtime for it.
const PREBUILT_SHADOW: &str = "-ad-prebuilt=shadow";
/// Lets requests refer to the runtime's check of their shadows: what is linked has it.
const CHECK: &str = "-ad-check";
/// Lets objects carry the IR of their module, and names the level of optimisation.
const OBJECTS: &str = "-ad-objects=";
/// Tells the plugin that tests of tables of virtual functions are there for it alone.
const CLASSES: &str = "-ad-classes";
/// What has clang say which classes a table of virtual functions serves, and test the tables that
/// calls load.
const CLASS_TESTS: &[&str] = &["-Xclang", "-flto-unit", "-Xclang", "-fwhole-program-vtables"];
const HEADS_OPTIONAL: &str = "-ad-heads-optional";

/// What goes before the user's arguments, and into the environment.
#[derive(Debug, Default)]
pub struct Additions {
    /// Before them.
    pub front: Vec<OsString>,
    /// Plugin options that cannot go by `-mllvm` (see [`plan`]).
    pub environment: Vec<OsString>,
    /// The same of those that are not the user's: they go before what the user has there.
    pub defaults: Vec<OsString>,
    /// Whether `-ad-heads-optional` is among the options.
    pub heads_are_optional: bool,
}

/// The additions for compiling. `argument_names`: `-ad-argnames=…` of Fortran procedures.
///
/// The plugin's options go by `-mllvm`, which clang and flang hand to their front ends only, also
/// under `-flto`. Clang hands them to its assembler too, which loads no plugin and rejects them:
/// with assembler inputs and with `-save-temps` they go by the environment, `ADPASS_OPTIONS`.
///
/// # Errors
/// [`Error::NoPlugin`]; [`Error::Language`] for a source that this compiler would give to another;
/// [`Error::Usage`] for a report of several sources in one file.
pub fn plan(
    driver: Driver,
    line: &CommandLine,
    options: &Options,
    argument_names: Vec<OsString>,
    places: &Places,
) -> Result<Additions, Error> {
    let mut additions = Additions::default();
    check_languages(driver, line)?;
    let sources = line.sources().count();
    if sources == 0 {
        return Ok(additions);
    }
    check_report(options, sources)?;
    additions.front = loading(driver, places)?;
    let mut defaults = defaults(places);
    defaults.extend(ranks::header(line).map(|header| joined(ranks::OPTION, header.as_os_str())));
    if carries_ir(line, options) {
        if line.is_lto {
            additions.front.push(FAT_OBJECTS.into());
        }
        defaults.push(joined(OBJECTS, OsStr::new(&line.level)));
    }
    let is_cpp = driver == Driver::Cxx || line.sources().any(|s| is_cpp_file(&s.path));
    // Link-time optimisation has tests of its own.
    if is_cpp && !line.is_lto {
        additions.front.extend(CLASS_TESTS.iter().map(OsString::from));
        defaults.push(CLASSES.into());
    }
    let mut plugin = options.plugin.clone();
    plugin.extend(argument_names);
    let is_for_the_whole_build = options.heads.iter().any(|h| h.from_environment);
    if !options.heads.is_empty() && (sources > 1 || is_for_the_whole_build) {
        additions.heads_are_optional = true;
        plugin.push(HEADS_OPTIONAL.into());
    }
    let has_assembler = line.inputs.iter().any(|i| i.kind == InputKind::Assembler);
    if has_assembler || line.saves_temps {
        (additions.environment, additions.defaults) = (plugin, defaults);
    } else {
        additions.front.extend(
            defaults.into_iter().chain(plugin).flat_map(|option| ["-mllvm".into(), option]),
        );
    }
    Ok(additions)
}

/// What a compiler of its own needs, with the options of the user: as [`plan`] and [`search_path`] for a
/// source, but objects carry no IR, because adcc does not link them.
///
/// # Errors
/// [`Error::NoPlugin`].
pub fn without_adcc(
    driver: Driver,
    options: &Options,
    places: &Places,
) -> Result<Vec<OsString>, Error> {
    let mut words = loading(driver, places)?;
    let plugin = defaults(places).into_iter().chain(options.plugin.iter().cloned());
    words.extend(plugin.flat_map(|option| ["-mllvm".into(), option]));
    let (option, folder) = folder_of(driver, places);
    if let Some(folder) = folder {
        words.extend([option.into(), folder.into()]);
    }
    Ok(words)
}

/// What loads the plugin.
fn loading(driver: Driver, places: &Places) -> Result<Vec<OsString>, Error> {
    let mut words = vec![joined("-fpass-plugin=", places.plugin()?.as_os_str())];
    if driver != Driver::Fortran {
        words.push("-fno-discard-value-names".into());
    }
    // Asks for remarks of a pass that gives none: front ends then keep lines in the code, for the
    // plugin's messages, and emit no debug information for it. A later -Rpass-analysis of the user
    // takes its place and does the same.
    words.push(TRACK_LINES.into());
    Ok(words)
}

/// Options of the plugin that depend on the runtimes.
fn defaults(places: &Places) -> Vec<OsString> {
    let shadow = places.shadow_runtime().map(|_| PREBUILT_SHADOW.into());
    let check = places.runtime().ok().map(|_| CHECK.into());
    shadow.into_iter().chain(check).collect()
}

/// Whether the objects of this command carry IR, for the link.
fn carries_ir(line: &CommandLine, options: &Options) -> bool {
    let makes_objects = line.action >= Action::Object && !line.emits_llvm;
    makes_objects && !options.no_ir
}

/// The option that lets objects of link-time optimisation be objects, which hold their bitcode in a
/// section.
pub const FAT_OBJECTS: &str = "-ffat-lto-objects";

/// How derivatives are compiled at the link.
///
/// # Errors
/// [`Error::NoPlugin`].
pub fn at_link(
    driver: Driver,
    line: &CommandLine,
    options: &Options,
    places: &Places,
) -> Result<Vec<OsString>, Error> {
    let mut words = loading(driver, places)?;
    // Which heads there are the link finds out. Files about them are written where sources are
    // compiled, if there are any.
    let is_for_sources = |o: &OsString| {
        let of_heads =
            ["-ad-tangent=", "-ad-pattern=", "-ad-adjoint=", "-ad-directions="].into_iter();
        let files = ["-ad-header=", "-ad-interface=", "-ad-report="].into_iter();
        let files = files.filter(|_| line.sources().next().is_some());
        of_heads.chain(files).any(|start| o.as_bytes().starts_with(start.as_bytes()))
    };
    let plugin = options.plugin.iter().filter(|o| !is_for_sources(o)).cloned();
    words.extend(defaults(places).into_iter().chain(plugin).flat_map(|o| ["-mllvm".into(), o]));
    Ok(words)
}

/// The folder of `ad.h` or `ad.mod`, where a source is read: to be appended to the user's
/// arguments.
pub fn search_path(driver: Driver, line: &CommandLine, places: &Places) -> Vec<OsString> {
    let (option, folder) = folder_of(driver, places);
    let kinds: &[InputKind] = match driver {
        Driver::C | Driver::Cxx => &[InputKind::CFamily, InputKind::Header],
        Driver::Fortran => &[InputKind::Fortran],
    };
    // Standard input may be read without a language, by -E.
    let is_read = |input: &Input| kinds.contains(&input.kind) || input.path == "-";
    match folder {
        Some(folder) if line.inputs.iter().any(is_read) => vec![option.into(), folder.into()],
        _ => vec![],
    }
}

fn folder_of(driver: Driver, places: &Places) -> (&'static str, Option<&Path>) {
    match driver {
        Driver::C | Driver::Cxx => ("-idirafter", places.include()),
        Driver::Fortran => ("-I", places.modules()),
    }
}

/// One file cannot hold the reports of several sources: the last would take the place of the
/// others.
fn check_report(options: &Options, sources: usize) -> Result<(), Error> {
    let report = options.plugin.iter().find_map(|o| o.as_bytes().strip_prefix(b"-ad-report="));
    match report {
        Some(path)
            if sources > 1
                && !path.ends_with(b"/")
                && !Path::new(OsStr::from_bytes(path)).is_dir() =>
        {
            let path = String::from_utf8_lossy(path);
            Err(Error::Usage {
                option: format!("--ad-report={path}"),
                reason: format!("with several sources, name a folder: --ad-report={path}/"),
            })
        }
        _ => Ok(()),
    }
}

/// Clang gives Fortran to gcc and flang cannot compile C: both would go past the plugin.
fn check_languages(driver: Driver, line: &CommandLine) -> Result<(), Error> {
    for source in line.sources() {
        let (language, instead) = match (driver, source.kind) {
            (Driver::C | Driver::Cxx, InputKind::Fortran) => ("Fortran", "adfc"),
            (Driver::Fortran, InputKind::CFamily | InputKind::Preprocessed) => {
                ("C or C++", "adcc or ad++")
            }
            _ => continue,
        };
        return Err(Error::Language {
            path: source.path.to_string_lossy().into_owned(),
            language,
            driver: driver.language(),
            instead,
        });
    }
    Ok(())
}

fn joined(start: &str, rest: &OsStr) -> OsString {
    let mut word = OsString::from(start);
    word.push(rest);
    word
}
