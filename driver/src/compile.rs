//! What adcc adds so that a compilation goes through the plugin.
//!
//! Nothing is added to a command that compiles nothing (`-E`, `-M`, `-fsyntax-only`, objects only):
//! clang would warn of unused arguments, and fail under `-Werror`. The additions come first, so that
//! the user's own words have the last say, except for search paths, which by their kind come last:
//! `-idirafter` for `ad.h` (an `-isystem /usr/include` would break libstdc++'s `#include_next`).

use std::ffi::{OsStr, OsString};

use crate::command_line::CommandLine;
use crate::error::Error;
use crate::options::Options;
use crate::spelling::Kind;
use crate::toolchain::{Driver, Places};

/// Tells the plugin that a head whose function this module does not define is no error.
pub const HEADS_OPTIONAL: &str = "-ad-heads-optional";

/// What goes before and after the user's words, and into the environment.
#[derive(Debug, Default)]
pub struct Additions {
    /// Before them.
    pub front: Vec<OsString>,
    /// After them.
    pub back: Vec<OsString>,
    /// Plugin options that cannot go by `-mllvm` (see [`plan`]).
    pub environment: Vec<OsString>,
    /// Whether `-ad-heads-optional` is among them.
    pub heads_are_optional: bool,
}

/// The additions for compiling. `argument_names`: `-ad-argnames=…` of Fortran procedures.
///
/// The plugin's options go by `-mllvm`, which clang and flang hand to their front ends only, also
/// under `-flto`. Clang hands them to its assembler too, which loads no plugin and rejects them: with
/// assembler inputs and with `-save-temps` they go by the environment, `ADPASS_OPTIONS`.
///
/// # Errors
/// [`Error::NoPlugin`]; [`Error::Language`] for a source that this compiler would give to another.
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
    additions
        .front
        .push(joined("-fpass-plugin=", places.plugin()?.as_os_str()));
    if driver != Driver::Fortran {
        additions.front.push("-fno-discard-value-names".into());
        if line.sources().any(|s| s.kind == Kind::CFamily)
            && let Some(dir) = places.include()
        {
            additions.front.extend(["-idirafter".into(), dir.into()]);
        }
    } else if let Some(dir) = places.modules() {
        // After the user's own: searched last.
        additions.back.extend(["-I".into(), dir.into()]);
    }

    let mut plugin = options.plugin.clone();
    plugin.extend(argument_names);
    let is_for_the_whole_build = options.heads.iter().any(|h| h.from_environment);
    if !options.heads.is_empty() && (sources > 1 || is_for_the_whole_build) {
        additions.heads_are_optional = true;
        plugin.push(HEADS_OPTIONAL.into());
    }
    let has_assembler = line.inputs.iter().any(|i| i.kind == Kind::Assembler);
    if has_assembler || line.saves_temps {
        additions.environment = plugin;
    } else {
        additions.front.extend(
            plugin
                .into_iter()
                .flat_map(|option| ["-mllvm".into(), option]),
        );
    }
    Ok(additions)
}

/// Clang gives Fortran to gcc and flang cannot compile C: both would go past the plugin.
fn check_languages(driver: Driver, line: &CommandLine) -> Result<(), Error> {
    for source in line.sources() {
        let (language, instead) = match (driver, source.kind) {
            (Driver::C | Driver::Cxx, Kind::Fortran) => ("Fortran", "adfc"),
            (Driver::Fortran, Kind::CFamily) => ("C or C++", "adcc or ad++"),
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
