//! Runs a command with limits on processor time and memory; the kernel says what it took, which
//! commands of the toolchain crate are not asked.

use std::{
    fs::File,
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

/// A command may take this many times its limit on the clock, where other processes keep the
/// machine busy.
const PATIENCE: u32 = 4;
/// How often a running command is looked at.
const POLL: Duration = Duration::from_millis(5);

/// Limits of one run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// CPU time.
    pub time: Duration,
    /// Address space in bytes.
    pub memory: u64,
}

/// What a run took.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// User CPU time in milliseconds.
    pub user: f64,
    /// Largest resident set in bytes.
    pub peak: u64,
    /// Standard error.
    pub errors: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// Well.
    Done(Used),
    /// At the time limit, with what it took and said until then.
    Timeout(Used),
    /// Otherwise, with what it said.
    Failed(String),
}

/// Runs `command`; its standard error goes through the file `errors`.
pub fn run(command: &mut Command, errors: &Path, limits: Limits) -> io::Result<Ended> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(errors)?)
        .process_group(0);
    let memory = libc::rlimit { rlim_cur: limits.memory, rlim_max: limits.memory };
    // SAFETY: setrlimit may be called between fork and exec, and nothing else is.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_AS, &memory) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        });
    }
    let start = Instant::now();
    let pid = command.spawn()?.id() as libc::pid_t;
    let mut is_late = false;
    let (status, usage) = loop {
        if let Some(ended) = wait(pid, libc::WNOHANG)? {
            break ended;
        }
        if cpu_time(pid) > limits.time || start.elapsed() > limits.time * PATIENCE {
            is_late = true;
            // SAFETY: the group is that of our child, which nobody has waited for yet.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
            match wait(pid, 0)? {
                Some(ended) => break ended,
                None => return Err(io::Error::other("a killed process did not end")),
            }
        }
        std::thread::sleep(POLL);
    };
    let stderr = String::from_utf8_lossy(&std::fs::read(errors)?).into_owned();
    let user = usage.ru_utime.tv_sec as f64 * 1e3 + usage.ru_utime.tv_usec as f64 / 1e3;
    let used = |errors| Used { user, peak: usage.ru_maxrss as u64 * 1024, errors };
    Ok(if is_late {
        Ended::Timeout(used(stderr))
    } else if status.success() {
        Ended::Done(used(stderr))
    } else {
        let lines: Vec<&str> =
            stderr.lines().filter(|l| !l.starts_with("adpass:")).take(5).collect();
        Ended::Failed(format!("{status}: {}", lines.join("\n")))
    })
}

/// CPU time of a running process so far.
fn cpu_time(pid: libc::pid_t) -> Duration {
    let mut clock = 0;
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both are writable for the calls.
    match unsafe {
        libc::clock_getcpuclockid(pid, &mut clock) == 0 && libc::clock_gettime(clock, &mut t) == 0
    } {
        true => Duration::new(t.tv_sec as u64, t.tv_nsec as u32),
        false => Duration::ZERO,
    }
}

/// Status and usage of a child that ended.
fn wait(pid: libc::pid_t, flags: libc::c_int) -> io::Result<Option<(ExitStatus, libc::rusage)>> {
    let mut status = 0;
    // SAFETY: a struct of numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both are writable for the call.
    match unsafe { libc::wait4(pid, &mut status, flags, &mut usage) } {
        0 => Ok(None),
        p if p == pid => Ok(Some((ExitStatus::from_raw(status), usage))),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, time: Duration) -> Ended {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { time, memory: 1 << 32 };
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), &folder.path().join("errors"), limits).unwrap()
    }

    #[test]
    fn time_and_memory_are_those_of_the_command() {
        let script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo said >&2";
        let Ended::Done(used) = shell(script, Duration::from_secs(60)) else {
            panic!("it should end well")
        };
        assert!(used.user > 1.0 && used.peak > 100_000, "{used:?}");
        assert_eq!(used.errors, "said\n");
    }

    #[test]
    fn the_limit_is_one_of_cpu_time() {
        let ended = shell("while :; do :; done", Duration::from_millis(300));
        let Ended::Timeout(used) = ended else { panic!("{ended:?}") };
        assert!(used.user > 50.0 && used.user < 5000.0, "{used:?}");
    }

    #[test]
    fn a_run_that_sleeps_is_ended_with_its_children() {
        let start = Instant::now();
        let ended = shell("echo begun >&2; sleep 60; true", Duration::from_millis(200));
        let Ended::Timeout(used) = ended else { panic!("{ended:?}") };
        assert_eq!(used.errors, "begun\n");
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_failure_says_why() {
        let ended = shell("echo no >&2; exit 3", Duration::from_secs(60));
        let Ended::Failed(why) = ended else { panic!("{ended:?}") };
        assert!(why.contains("exit status: 3") && why.contains("no"), "{why}");
    }
}
