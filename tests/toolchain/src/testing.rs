//! For tests, which panic where something is missing or fails.

use std::process::Command;
use std::time::Duration;

use crate::command::{self, Finished};
use crate::places::{PLUGIN, RUNTIME, Toolchain};

/// Of a compile, and of a short run: on a machine that does other work as well. One with sanitizers takes half a minute alone.
pub const LIMIT: Duration = Duration::from_secs(180);

/// The toolchain.
///
/// # Panics
/// Where the plugin or the runtime is not built.
pub fn tools() -> Toolchain {
    Toolchain::find(&[PLUGIN, RUNTIME]).unwrap_or_else(|why| panic!("{why}"))
}

/// Runs a command, however it ends.
///
/// # Panics
/// Where it is not installed, or does not end.
pub fn end(command: &mut Command) -> Finished {
    let done = command::run(command, LIMIT).unwrap_or_else(|why| panic!("{why}"));
    assert!(!done.is_late, "{}", command::report(command, &done));
    done
}

/// Runs a command.
///
/// # Panics
/// Where it does not succeed.
pub fn must(command: &mut Command) -> Finished {
    command::succeed(command, LIMIT).unwrap_or_else(|why| panic!("{why}"))
}
