//! Where the parts of this project are: its sources, and what `cargo build` made.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::language::Language;

/// The plugin.
pub const PLUGIN: &str = "libadpass.so";
/// The runtime of the tape.
pub const RUNTIME: &str = "libadrt.a";
/// The same for 32-bit programs.
pub const RUNTIME_32: &str = "i386/libadrt.a";
/// The shadow runtime for 32-bit programs.
pub const SHADOW_RUNTIME_32: &str = "i386/libadshadow.a";
/// The wrapper compiler.
pub const DRIVER: &str = "adcc";

/// Names the folder of the parts.
const BUILD: &str = "AD_BUILD_DIR";
/// Below the root, where cargo puts the parts unless it is told otherwise.
const USUAL: &str = "target/release";
/// What the environment may add to the work of adcc: it would be tested or measured, too.
const ADDED: [&str; 5] =
    ["ADCC_OPTIONS", "ADPASS_OPTIONS", "ADCC_PREFIX", "ADCC_PLUGIN", "ADCC_RUNTIME"];

/// Where the parts are.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The project's root.
    pub root: PathBuf,
    /// The folder of what was built.
    pub build: PathBuf,
}

impl Toolchain {
    /// The folder that `AD_BUILD_DIR` names; or where this program was built, if plugin and driver are
    /// there; or `target/release`. Nothing is checked: see `find`.
    pub fn locate() -> Toolchain {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().unwrap_or(root);
        let own = std::env::current_exe().unwrap_or_default();
        // Programs lie beside the parts, tests in a folder there, which has a plugin but no driver.
        let has_parts = |f: &&Path| [PLUGIN, DRIVER].iter().all(|part| f.join(part).is_file());
        let beside = || own.ancestors().skip(1).take(2).find(has_parts);
        let build = match std::env::var_os(BUILD) {
            Some(folder) => std::path::absolute(&folder).unwrap_or(folder.into()),
            None => beside().map_or_else(|| root.join(USUAL), Path::to_path_buf),
        };
        Toolchain { root, build }
    }

    /// The same; an error if one of these parts is not there.
    pub fn find(parts: &[&str]) -> Result<Toolchain, Failure> {
        let tools = Toolchain::locate();
        tools.missing(parts).map_or(Ok(tools), |why| Err(Failure::Missing(why)))
    }

    /// The first of these parts that is not there, as a sentence with its remedy.
    pub fn missing(&self, parts: &[&str]) -> Option<String> {
        let absent = parts.iter().map(|part| self.build.join(part)).find(|file| !file.is_file())?;
        Some(format!(
            "{} does not exist: run `make build` first, or set {BUILD} to its folder",
            absent.display()
        ))
    }

    /// A part of the build.
    pub fn part(&self, name: &str) -> PathBuf {
        self.build.join(name)
    }

    /// The folder of `ad.h`.
    pub fn headers(&self) -> PathBuf {
        self.root.join("runtime/include")
    }

    /// The option by which compilers load the plugin.
    pub fn plugin_option(&self) -> OsString {
        option("-fpass-plugin=", &self.part(PLUGIN))
    }

    /// A compiler with the plugin and, in C and C++, its headers.
    pub fn compiler(&self, language: Language) -> Command {
        let mut command = Command::new(language.compiler());
        command.arg(self.plugin_option());
        if language != Language::Fortran {
            command.arg("-I").arg(self.headers());
        }
        command
    }

    /// Options for links with the runtime of the tape.
    pub fn link_options(&self) -> Vec<OsString> {
        let mut options = vec![option("-L", &self.build)];
        options.extend(["-lm", "-ladrt", "-lm", "-lpthread", "-ldl"].map(OsString::from));
        options
    }

    /// adcc, without what the environment would add.
    pub fn adcc(&self) -> Command {
        let mut command = Command::new(self.part(DRIVER));
        for name in ADDED {
            command.env_remove(name);
        }
        // What a test looks at is made for it.
        command.env("ADCC_CACHE", "0");
        command
    }

    /// adcc for a language, whatever its name.
    pub fn adcc_for(&self, language: Language) -> Command {
        let mut command = self.adcc();
        command.arg(match language {
            Language::C => "--ad-driver=c",
            Language::Cpp => "--ad-driver=c++",
            Language::Fortran => "--ad-driver=fortran",
        });
        command
    }

    /// opt with the plugin.
    pub fn opt(&self) -> Command {
        let mut command = crate::llvm("opt");
        command.arg(option("-load-pass-plugin=", &self.part(PLUGIN)));
        command
    }
}

/// An option that ends in a path.
fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_part_is_named() {
        let tools = Toolchain { root: "/".into(), build: "/no/such".into() };
        let why = tools.missing(&[PLUGIN]).expect("nothing is built there");
        assert!(why.contains("/no/such/libadpass.so") && why.contains(BUILD), "{why}");
        assert_eq!(tools.missing(&[]), None);
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(Toolchain::locate().root.join("ARCHITECTURE.md").is_file());
    }
}
