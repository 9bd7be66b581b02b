//! Other tools: programs in bench/performance/peers that read what a case's program left, and print
//! lines like it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adfigures::report::difference;
use adtoolchain::{Failure, Language, Workbench, succeed};

use crate::measure::{Effort, Measured, measured, numbers};

/// Seconds for a program of a peer.
const LIMIT: Duration = Duration::from_secs(1800);

/// A tool that the package registries have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// C++ by operator overloading, from Debian: records and reverses at each evaluation, as
    /// branches may change.
    Adolc,
    /// Python, compiled just in time, from Python's package index.
    Jax,
}

/// All, in the order of the columns.
pub const PEERS: [Peer; 2] = [Peer::Adolc, Peer::Jax];

impl Peer {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Adolc => "ADOL-C",
            Peer::Jax => "JAX",
        }
    }

    /// The program of this name, if it has been written.
    fn source(self, root: &Path, name: &str) -> Option<PathBuf> {
        let file = match self {
            Peer::Adolc => root.join(format!("bench/performance/peers/adolc/{name}.cpp")),
            Peer::Jax => root.join(format!("bench/performance/peers/jax/{name}.py")),
        };
        file.is_file().then_some(file)
    }

    /// Why it cannot run here, in one line.
    pub fn missing(self, tools: &Workbench) -> Option<String> {
        let outcome = match self {
            Peer::Adolc => compile(
                tools,
                &tools.root().join("bench/performance/peers/adolc/peer.h"),
                "adolc-is-there",
            )
            .map(|_| ()),
            Peer::Jax => {
                let mut command = Command::new(python(tools));
                succeed(command.args(["-c", "import jax, numpy"]), LIMIT).map(|_| ())
            }
        };
        outcome.err().map(|_| {
            format!("{} is not installed: scripts/setup-bench.sh installs it", self.name())
        })
    }

    /// Compiles and runs the program of this name (a case's, or another) on the instance whose files
    /// are at `prefix`; None where nobody wrote it, or it is too large.
    pub fn measure(
        self,
        tools: &Workbench,
        name: &str,
        prefix: &Path,
        effort: Effort,
    ) -> Result<Option<Measured>, String> {
        let Some(source) = self.source(tools.root(), name) else {
            return Ok(None);
        };
        let mut command = match self {
            Peer::Adolc => Command::new(compile(tools, &source, &format!("{name}-adolc"))?),
            // One thread, as everybody here.
            Peer::Jax => {
                let mut command = Command::new(python(tools));
                command.arg(&source).env("OMP_NUM_THREADS", "1");
                command
            }
        };
        command
            .env("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
            .env("JAX_PLATFORMS", "cpu")
            .env("JAX_ENABLE_X64", "1");
        let mut it = measured(
            command.arg(prefix).args([effort.seconds.to_string(), effort.runs.to_string()]),
            LIMIT,
        )?;
        // Nothing measured: too large for this tool.
        if it.times.is_empty() {
            return Ok(None);
        }
        let file = |suffix: &str| PathBuf::from(format!("{}{suffix}", prefix.display()));
        it.checks
            .push(("peer".into(), difference(&numbers(&file(".peer"))?, &numbers(&file(".out"))?)));
        Ok(Some(it))
    }
}

/// A C++ source, or a header alone, with ADOL-C.
fn compile(tools: &Workbench, source: &Path, name: &str) -> Result<PathBuf, Failure> {
    let program = tools.file(name);
    let mut command = Command::new(Language::Cpp.compiler());
    command
        .args(["-std=c++17", "-O3", "-o"])
        .arg(&program)
        .arg(format!("-I{}", tools.root().join("bench/objectives").display()));
    if source.extension().is_some_and(|e| e == "h") {
        command.args(["-x", "c++", "-fsyntax-only"]);
    }
    command.arg(source);
    if source.extension().is_some_and(|e| e == "cpp") {
        command.arg("-ladolc");
    }
    succeed(&mut command, LIMIT)?;
    Ok(program)
}

/// The interpreter that set-up made, or that of `AD_BENCH_PYTHON`.
fn python(tools: &Workbench) -> PathBuf {
    std::env::var_os("AD_BENCH_PYTHON")
        .map_or_else(|| tools.root().join("target/bench-venv/bin/python"), PathBuf::from)
}
