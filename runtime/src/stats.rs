//! What the tape was used for, in numbers: with `ADRT_STATS=1` in the environment, one line on standard error at exit.
//!
//! ```text
//! adrt: 6 gradients, 1536000 bytes recorded, 256000 bytes at peak, 1 chunks of 1048576 bytes
//! ```
//!
//! Recorded is the traffic: all bytes that the arena handed out between the marks and rewinds of all threads, each block
//! rounded up to 16 bytes. The peak is the largest amount in use at once in any one thread. Chunks are those taken from
//! the system, and their bytes. Counts go up when a gradient ends or takes a chunk, never where it takes a block; without
//! the variable, each of these places costs one look at a flag.

use std::{
    fmt,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

const VARIABLE: &str = "ADRT_STATS";

/// Sums over all threads.
#[derive(Default)]
struct Stats {
    gradients: AtomicU64,
    recorded: AtomicU64,
    peak: AtomicU64,
    chunks: AtomicU64,
    chunk_bytes: AtomicU64,
    /// Checkpointed loops, their steps, and how many of these ran again.
    loops: AtomicU64,
    steps: AtomicU64,
    again: AtomicU64,
    snapshots: AtomicU64,
    /// Bytes of the largest state.
    state: AtomicU64,
    /// Bytes that checkpointed loops hold now, and held at most.
    held: AtomicU64,
    most_held: AtomicU64,
}

static STATS: OnceLock<Option<Stats>> = OnceLock::new();

/// The sums if they are asked for.
fn stats() -> Option<&'static Stats> {
    let start = || {
        let is_on = std::env::var_os(VARIABLE).is_some_and(|v| !v.is_empty() && v != "0");
        // SAFETY: `print` takes nothing and does not unwind.
        (is_on && unsafe { libc::atexit(print) } == 0).then(Stats::default)
    };
    STATS.get_or_init(start).as_ref()
}

/// A gradient ended that recorded so much, with so much in use.
pub(crate) fn gradient(recorded: usize, in_use: usize) {
    if let Some(s) = stats() {
        s.gradient(recorded as u64, in_use as u64);
    }
}

/// A part of a gradient gave back what it had recorded: a step that runs again, and what undoing a loop needs.
pub(crate) fn repeated(recorded: usize, in_use: usize) {
    if let Some(s) = stats() {
        s.traffic(recorded as u64, in_use as u64);
    }
}

/// A checkpointed loop ran so many steps.
pub(crate) fn checkpointed(steps: u64) {
    if let Some(s) = stats() {
        s.loops.fetch_add(1, Relaxed);
        s.steps.fetch_add(steps, Relaxed);
    }
}

/// So many steps run once more.
pub(crate) fn again(steps: u64) {
    if let Some(s) = stats() {
        s.again.fetch_add(steps, Relaxed);
    }
}

/// A snapshot of a state of so many bytes is taken.
pub(crate) fn snapshot(bytes: usize) {
    if let Some(s) = stats() {
        s.snapshots.fetch_add(1, Relaxed);
        s.state.fetch_max(bytes as u64, Relaxed);
    }
}

/// A checkpointed loop holds so many bytes more: of a snapshot, or of memory that it puts back.
pub(crate) fn hold(bytes: usize) {
    if let Some(s) = stats() {
        let held = s.held.fetch_add(bytes as u64, Relaxed) + bytes as u64;
        s.most_held.fetch_max(held, Relaxed);
    }
}

/// It does not hold them any more.
pub(crate) fn let_go(bytes: usize) {
    if let Some(s) = stats() {
        s.held.fetch_sub(bytes as u64, Relaxed);
    }
}

/// A chunk was taken from the system.
pub(crate) fn chunk(bytes: usize) {
    if let Some(s) = stats() {
        s.chunk(bytes as u64);
    }
}

extern "C" fn print() {
    use std::io::Write;
    if let Some(s) = stats() {
        // Standard error may be closed: nobody is left to be told.
        let _ = writeln!(std::io::stderr(), "{s}");
    }
}

impl Stats {
    fn gradient(&self, recorded: u64, in_use: u64) {
        self.gradients.fetch_add(1, Relaxed);
        self.traffic(recorded, in_use);
    }
    fn traffic(&self, recorded: u64, in_use: u64) {
        self.recorded.fetch_add(recorded, Relaxed);
        self.peak.fetch_max(in_use, Relaxed);
    }
    fn chunk(&self, bytes: u64) {
        self.chunks.fetch_add(1, Relaxed);
        self.chunk_bytes.fetch_add(bytes, Relaxed);
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [gradients, recorded, peak, chunks, bytes] =
            [&self.gradients, &self.recorded, &self.peak, &self.chunks, &self.chunk_bytes].map(|n| n.load(Relaxed));
        write!(f, "adrt: {gradients} gradients, {recorded} bytes recorded, {peak} bytes at peak, {chunks} chunks of {bytes} bytes")?;
        let [loops, steps, again, snapshots, state, most] =
            [&self.loops, &self.steps, &self.again, &self.snapshots, &self.state, &self.most_held].map(|n| n.load(Relaxed));
        if loops > 0 {
            write!(f, "\nadrt: {loops} checkpointed loops of {steps} steps, {again} steps run again, ")?;
            write!(f, "{snapshots} snapshots of at most {state} bytes, {most} bytes held at peak")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_holds_sums_and_the_largest_peak() {
        let s = Stats::default();
        s.chunk(64);
        s.gradient(48, 96);
        s.gradient(32, 32);
        s.chunk(128);
        assert_eq!(s.to_string(), "adrt: 2 gradients, 80 bytes recorded, 96 bytes at peak, 2 chunks of 192 bytes");
    }
}
