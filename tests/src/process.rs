//! Runs a command with a time limit; its output goes through files, so that no pipe can fill up and
//! block it.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often a running command is looked at.
const POLL: Duration = Duration::from_millis(4);

/// What a command left behind.
#[derive(Debug)]
pub struct Finished {
    /// `Some(0)` for success; `None` when a signal or the time limit ended it.
    pub code: Option<i32>,
    /// Why it ended, for a message: `exit status: 1`, `signal: 11 (SIGSEGV)`, `time limit of 5 s`.
    pub ending: String,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
}

/// Runs `command` in `folder` (which keeps the output as `NAME.out` and `NAME.err`) for at most
/// `limit`.
pub fn run(
    command: &mut Command,
    folder: &Path,
    name: &str,
    limit: Duration,
) -> io::Result<Finished> {
    let out = folder.join(format!("{name}.out"));
    let err = folder.join(format!("{name}.err"));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .spawn()
        .map_err(|error| {
            io::Error::new(error.kind(), format!("{:?}: {error}", command.get_program()))
        })?;
    let start = Instant::now();
    let (code, ending) = loop {
        if let Some(status) = child.try_wait()? {
            break (status.code(), status.to_string());
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break (None, format!("time limit of {} s", limit.as_secs_f64()));
        }
        std::thread::sleep(POLL);
    };
    let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Finished { code, ending, stdout: text(&out)?, stderr: text(&err)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, name: &str, limit: Duration) -> Finished {
        let folder = std::env::temp_dir().join(format!("adtests-process-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        run(Command::new("sh").args(["-c", script]), &folder, name, limit).unwrap()
    }

    #[test]
    fn code_and_output_arrive() {
        let done = shell("echo one; echo two >&2; exit 3", "code", Duration::from_secs(20));
        assert_eq!(
            (done.code, done.stdout.as_str(), done.stderr.as_str()),
            (Some(3), "one\n", "two\n")
        );
    }

    #[test]
    fn more_output_than_a_pipe_holds_does_not_block() {
        let done = shell("yes | head -c 300000", "much", Duration::from_secs(20));
        assert_eq!((done.code, done.stdout.len()), (Some(0), 300_000));
    }

    #[test]
    fn the_time_limit_ends_a_run_without_success() {
        let start = Instant::now();
        let done = shell("exec sleep 30", "slow", Duration::from_millis(100));
        assert_eq!(done.code, None);
        assert!(done.ending.contains("time limit"), "{}", done.ending);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_signal_is_no_success() {
        let done = shell("kill -SEGV $$", "signal", Duration::from_secs(20));
        assert_eq!(done.code, None);
    }
}
