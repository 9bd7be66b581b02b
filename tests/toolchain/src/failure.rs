//! What can go wrong with a toolchain and its commands.

use std::io;
use std::path::Path;

use crate::command::Finished;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A part or a tool is not there: which one, and the remedy.
    #[error("{0}")]
    Missing(String),
    /// A file or folder could not be made or read.
    #[error("{0}: {1}")]
    File(String, io::Error),
    /// A command did not start.
    #[error("$ {0}\n{1}")]
    NotStarted(String, String),
    /// A command ended without success, or at its time limit.
    #[error("$ {command}\n{done}")]
    Ended {
        /// As a shell would need it.
        command: String,
        /// How it ended, and what it printed.
        done: Finished,
    },
}

impl Failure {
    /// A file or folder with what the system says of it.
    pub fn of_file(file: &Path) -> impl FnOnce(io::Error) -> Failure {
        let name = file.display().to_string();
        move |why| Failure::File(name, why)
    }
}

/// For callers whose errors are messages.
impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        failure.to_string()
    }
}
