//! Commands under a time limit.
//!
//! `timeout` of the GNU core utilities keeps the limit: it ends a command with all of its children,
//! also where the process that asked for it is gone.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// What `timeout` exits with at the limit.
const LATE: i32 = 124;
/// The signal for commands that go on for a second after the limit.
const KILL: i32 = 9;
/// How `timeout` begins to say that it cannot start a command.
const NOT_STARTED: &str = "timeout: failed to run command";
/// How much of a failed command's output a message repeats, at the start and at the end.
const SHOWN_LINES: usize = 20;

/// What a command left behind.
#[derive(Clone, Debug)]
pub struct Finished {
    /// `Some(0)` for success; `None` when a signal or the time limit ended it.
    pub code: Option<i32>,
    /// Why it ended, for a message: `exit status: 1`, `signal: 11 (SIGSEGV)`, `time limit of 5 s`.
    pub ending: String,
    /// Whether the time limit ended it.
    pub is_late: bool,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
}

impl Finished {
    /// Whether it ended with code 0.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

/// The ending, and both ends of the output.
impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.ending.clone(), shorten(&self.stdout), shorten(&self.stderr)];
        f.write_str(parts.join("\n").trim_end())
    }
}

/// Runs a command for at most `limit`, without standard input, however it ends.
pub fn run(command: &mut Command, limit: Duration) -> Result<Finished, Failure> {
    let start = Instant::now();
    let output = limited(command, limit)
        .output()
        .map_err(|why| Failure::NotStarted(shown(command), format!("timeout: {why}")))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stderr = text(&output.stderr);
    let status = output.status;
    if matches!(status.code(), Some(126 | 127)) && stderr.starts_with(NOT_STARTED) {
        return Err(Failure::NotStarted(shown(command), stderr.trim_end().to_owned()));
    }
    let is_late = start.elapsed() >= limit && is_ended_by_timeout(status);
    Ok(Finished {
        code: status.code().filter(|_| !is_late),
        ending: match is_late {
            true => format!("time limit of {} s", limit.as_secs_f64()),
            false => status.to_string(),
        },
        is_late,
        stdout: text(&output.stdout),
        stderr,
    })
}

/// The same, where all but success is a failure.
pub fn succeed(command: &mut Command, limit: Duration) -> Result<Finished, Failure> {
    let done = run(command, limit)?;
    if done.is_success() { Ok(done) } else { Err(Failure::Ended { command: shown(command), done }) }
}

/// Whether the linker finds a library's file.
pub fn is_library_found(file: &str) -> bool {
    let mut gcc = Command::new("gcc");
    let asked = succeed(gcc.arg(format!("-print-file-name={file}")), Duration::from_secs(60));
    asked.is_ok_and(|done| done.stdout.trim().contains('/'))
}

/// A command as a shell would need it, so that it can be repeated by hand.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// A command and what came of it, for a message.
pub fn report(command: &Command, done: &Finished) -> String {
    format!("$ {}\n{done}", shown(command))
}

/// The command behind `timeout`.
fn limited(command: &Command, limit: Duration) -> Command {
    let mut limited = Command::new("timeout");
    limited.args(["--kill-after=1", &limit.as_secs_f64().to_string()]);
    limited.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

fn is_ended_by_timeout(status: ExitStatus) -> bool {
    status.code() == Some(LATE)
        || status.code() == Some(128 + KILL)
        || status.signal() == Some(KILL)
}

/// The first and the last lines of a text.
fn shorten(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 2 * SHOWN_LINES {
        return lines.join("\n");
    }
    let (start, end) = (&lines[..SHOWN_LINES], &lines[lines.len() - SHOWN_LINES..]);
    format!("{}\n[{} lines]\n{}", start.join("\n"), lines.len() - 2 * SHOWN_LINES, end.join("\n"))
}

/// A word as a shell would need it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./+,:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Finished {
        run(Command::new("sh").args(["-c", script]), limit).expect("sh starts")
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn code_and_output_arrive() {
        let done = shell("echo one; echo two >&2; exit 3", LONG);
        let found = (done.code, done.stdout.as_str(), done.stderr.as_str());
        assert_eq!(found, (Some(3), "one\n", "two\n"));
    }

    #[test]
    fn environment_and_folder_are_those_of_the_command() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-c", "echo $ONE$HOME; pwd -P"]).current_dir(folder.path());
        let done = succeed(command.env("ONE", "1").env_remove("HOME"), LONG).expect("it succeeds");
        let path = folder.path().canonicalize().expect("a path");
        assert_eq!(done.stdout, format!("1\n{}\n", path.display()));
    }

    #[test]
    fn more_output_than_a_pipe_holds_does_not_block() {
        let done = shell("yes | head -c 300000", LONG);
        assert_eq!((done.code, done.stdout.len()), (Some(0), 300_000));
    }

    #[test]
    fn the_time_limit_ends_a_command_with_its_children() {
        for script in ["sleep 30; true", "trap '' TERM; sleep 30; sleep 30"] {
            let start = Instant::now();
            let done = shell(script, Duration::from_millis(100));
            assert!(done.is_late && done.code.is_none(), "{script}: {done}");
            assert!(done.ending.contains("time limit of 0.1 s"), "{}", done.ending);
            assert!(start.elapsed() < LONG);
        }
    }

    #[test]
    fn a_code_of_124_within_the_limit_is_an_ordinary_one() {
        let done = shell("exit 124", LONG);
        assert_eq!((done.code, done.is_late), (Some(124), false));
    }

    #[test]
    fn a_signal_is_no_success() {
        let done = shell("kill -SEGV $$", LONG);
        assert_eq!(done.code, None);
        assert!(done.ending.contains("SIGSEGV"), "{}", done.ending);
    }

    #[test]
    fn a_command_that_is_not_there_is_named() {
        let failure = run(&mut Command::new("no-such-command"), LONG).expect_err("it is not there");
        assert!(matches!(&failure, Failure::NotStarted(..)), "{failure}");
        assert!(failure.to_string().contains("no-such-command"), "{failure}");
    }

    #[test]
    fn a_failure_shows_command_and_output() {
        let script = "echo said; exit 2";
        let failure = succeed(Command::new("sh").args(["-c", script]), LONG).expect_err("code 2");
        assert_eq!(failure.to_string(), "$ sh -c 'echo said; exit 2'\nexit status: 2\nsaid");
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        let text: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let short = shorten(&text.join("\n"));
        assert!(short.starts_with("0\n1\n") && short.ends_with("98\n99"), "{short}");
        assert!(short.contains("19\n[60 lines]\n80"), "{short}");
        assert_eq!(shorten("a\nb\n"), "a\nb");
    }

    #[test]
    fn a_word_with_parentheses_is_quoted() {
        assert_eq!(quoted("-O2"), "-O2");
        assert_eq!(quoted("-ad-adjoint=f(y)/(x, z)"), "'-ad-adjoint=f(y)/(x, z)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
