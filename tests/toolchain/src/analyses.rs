//! The analyses that the plugin can switch off: it lists them when it is asked to switch off one
//! that it has not.

use std::time::Duration;

use crate::command::{run, shown};
use crate::failure::Failure;
use crate::language::Language;
use crate::places::Toolchain;

/// The option that makes the plugin list them.
const QUESTION: &str = "-ad-disable=?";
/// All of them at once.
pub const ALL: &str = "all";
const LIMIT: Duration = Duration::from_secs(60);

impl Toolchain {
    /// The analyses that can be switched off, as the plugin names them.
    pub fn analyses(&self) -> Result<Vec<String>, Failure> {
        let mut command = self.compiler(Language::C);
        command.args(["-mllvm", QUESTION, "-x", "c", "-c", "/dev/null", "-o", "/dev/null"]);
        let done = run(&mut command, LIMIT)?;
        listed(&done.stderr).ok_or_else(|| Failure::Ended { command: shown(&command), done })
    }
}

/// The names in `'?' is not one of tbr, recompute, all`, without `all`.
fn listed(message: &str) -> Option<Vec<String>> {
    let (_, list) = message.split_once("'?' is not one of ")?;
    let names = list.lines().next()?.split(',').map(|name| name.trim().to_string());
    Some(names.filter(|name| name != ALL).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_analyses_are_those_of_the_message() {
        let message = "error: AD002: -ad-disable: '?' is not one of recompute, reload, tbr, all\n1 error generated.";
        assert_eq!(listed(message).unwrap(), ["recompute", "reload", "tbr"]);
        assert_eq!(listed("error: no such file"), None);
    }
}
