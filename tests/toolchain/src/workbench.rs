//! A toolchain with a temporary folder: what a measurement works with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::command::succeed;
use crate::failure::Failure;
use crate::language::Language;
use crate::places::{DRIVER, PLUGIN, RUNTIME, Toolchain};

/// For one compile.
const LIMIT: Duration = Duration::from_secs(120);
/// adcc's code for a compiler that is not there.
const NO_COMPILER: &str = "ADCC02";

/// adcc, and a folder for objects and programs that is removed at the end.
#[derive(Debug)]
pub struct Workbench {
    /// Where adcc and all that it needs are.
    pub tools: Toolchain,
    folder: TempDir,
}

impl Workbench {
    /// With adcc, the plugin and the runtime; an error if they are not there.
    pub fn new() -> Result<Workbench, Failure> {
        let tools = Toolchain::find(&[DRIVER, PLUGIN, RUNTIME])?;
        let folder = tempfile::tempdir()
            .map_err(|why| Failure::File("a temporary folder".to_string(), why))?;
        Ok(Workbench { tools, folder })
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.tools.root
    }

    /// A file in the folder for objects and programs.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs adcc; what it says.
    pub fn adcc(&self, words: &[impl AsRef<OsStr>]) -> Result<String, Failure> {
        succeed(self.tools.adcc().args(words), LIMIT).map(|done| done.stderr)
    }

    /// Why nothing can be compiled from Fortran, in one line.
    pub fn missing_fortran(&self) -> Option<String> {
        let mut flang = Command::new(Language::Fortran.compiler());
        let why = succeed(flang.arg("--version"), LIMIT).err()?.to_string();
        Some(why.lines().last().unwrap_or("flang does not run").to_string())
    }

    /// What adcc says where clang is missing, in one line.
    pub fn missing_compiler(&self) -> Option<String> {
        let message = self.adcc(&["--version"]).err()?.to_string();
        message.lines().find(|line| line.contains(NO_COMPILER)).map(str::to_string)
    }
}
