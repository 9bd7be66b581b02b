//! Programs of several ranks (MPI): which mpi.h a command uses.
//!
//! Derivatives of messages are C that is compiled against the program's own mpi.h, as handles and constants are others in
//! each MPI (`linker/ranks.rs`). Where none is found, messages of active data have no derivative.

use std::env;
use std::path::{Path, PathBuf};

use crate::command_line::CommandLine;

/// Tells the plugin that messages have derivatives, and what its objects were compiled with.
pub const OPTION: &str = "-ad-mpi=";

/// Variables with further folders, for the compiler.
const VARIABLES: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];
/// Folders that it knows itself.
const FOLDERS: [&str; 3] = ["/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"];

/// The mpi.h that a source of the command would include.
pub fn header(line: &CommandLine) -> Option<PathBuf> {
    let variables = VARIABLES.iter().filter_map(env::var_os);
    let more: Vec<PathBuf> =
        variables.flat_map(|v| env::split_paths(&v).collect::<Vec<_>>()).collect();
    let folders = line.includes.all().chain(more.iter().map(PathBuf::as_path));
    let mut folders = folders.chain(FOLDERS.iter().map(Path::new));
    let header = folders.find_map(|folder| {
        let header = folder.join("mpi.h");
        header.is_file().then_some(header)
    })?;
    std::path::absolute(header).ok()
}
