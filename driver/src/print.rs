//! `--print-…`: what other compilers and build systems need of adcc, for a shell's `$(…)`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::command_line::CommandLine;
use crate::compile;
use crate::error::Error;
use crate::link::{self, Shadow};
use crate::options::{self, Options};
use crate::run;
use crate::toolchain::{self, Driver, Places};

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// `--print-plugin`: the path of the plugin.
    Plugin,
    /// `--print-shadow`: the path of the shadow runtime as a shared library.
    Shadow,
    /// `--print-cflags`: options for compilations.
    Cflags,
    /// `--print-id`: what objects depend on beside sources and options, for the key of a cache.
    Id,
    /// `--print-libs`: what ends a link, of a shared library with `-shared`.
    Libs,
}

impl Print {
    /// By the option.
    pub fn from_option(word: &str) -> Option<Print> {
        match word {
            "--print-plugin" => Some(Print::Plugin),
            "--print-shadow" => Some(Print::Shadow),
            "--print-id" => Some(Print::Id),
            "--print-cflags" => Some(Print::Cflags),
            "--print-libs" => Some(Print::Libs),
            _ => None,
        }
    }

    fn option(self) -> &'static str {
        match self {
            Print::Plugin => "--print-plugin",
            Print::Shadow => "--print-shadow",
            Print::Id => "--print-id",
            Print::Cflags => "--print-cflags",
            Print::Libs => "--print-libs",
        }
    }
}

/// The words to print.
///
/// # Errors
/// Those of finding what is named; [`Error::Usage`] for a word that a shell would split.
pub fn words(
    print: Print,
    driver: Driver,
    line: &CommandLine,
    options: &Options,
    places: &Places,
) -> Result<Vec<String>, Error> {
    let words = match print {
        Print::Plugin => vec![places.plugin()?.into()],
        Print::Shadow => vec![beside_runtime(places, "adshadow.so")?],
        Print::Cflags => compile::without_adcc(driver, options, places)?,
        Print::Libs => libraries(line, options, places)?,
        Print::Id => vec![],
    };
    if print == Print::Id {
        return id(driver, places);
    }
    let text = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        match word.contains(char::is_whitespace) {
            true => Err(Error::Usage {
                option: print.option().into(),
                reason: format!("`{word}` has white space in it, at which a shell would split it"),
            }),
            false => Ok(word),
        }
    };
    words.into_iter().map(text).collect()
}

/// The versions, places, sizes and times of what compiles, and the variables that change it.
fn id(driver: Driver, places: &Places) -> Result<Vec<String>, Error> {
    let own = env::current_exe().map_err(|e| Error::io("finding adcc itself", e))?;
    let compiler = toolchain::find_compiler(driver)?;
    let mut parts = vec![format!("adcc {}", env!("CARGO_PKG_VERSION"))];
    for file in [&own, &compiler, places.plugin()?] {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let data = fs::metadata(&file).map_err(|e| Error::io(file.display().to_string(), e))?;
        parts.push(format!("{} {} {}", file.display(), data.len(), data.mtime_nsec()));
        parts.push(data.mtime().to_string());
    }
    for name in [options::VARIABLE, run::PLUGIN_OPTIONS] {
        parts.push(format!("{name}={}", env::var_os(name).unwrap_or_default().display()));
    }
    Ok(parts)
}

/// For the compiler driver: names of libraries go to the linker as they are, because drivers and
/// build systems move and unite those that they know.
fn libraries(
    line: &CommandLine,
    options: &Options,
    places: &Places,
) -> Result<Vec<OsString>, Error> {
    let shadow = match places.shadow_runtime() {
        Some(_) if line.form.is_shared() => Shadow::Other(beside_runtime(places, "libadguest.a")?),
        Some(archive) if line.form.obstacle().is_none() => Shadow::Whole(archive.into()),
        _ => Shadow::None,
    };
    let mut words = vec![];
    let mut linker = link::libraries(line, places, shadow, options.is_host)?.into_iter();
    while let Some(word) = linker.next() {
        if Path::new(&word).is_absolute() {
            words.push(word);
            continue;
        }
        let mut joined = OsString::from("-Wl,");
        joined.push(&word);
        if word == "--exclude-libs" || word == "-u" {
            joined.push(",");
            joined.push(linker.next().unwrap_or_default());
        }
        words.push(joined);
    }
    Ok(words)
}

fn beside_runtime(places: &Places, file: &'static str) -> Result<OsString, Error> {
    let path = places.runtime()?.with_file_name(file);
    if path.is_file() { Ok(path.into()) } else { Err(Error::NoPart { file, path }) }
}
