//! What the tape was used for, in numbers: with `ADRT_STATS=1` in the environment, lines on
//! standard error at exit.
//!
//! ```text
//! adrt: 6 gradients, 1536000 bytes recorded, 256000 bytes at peak, 1 chunks of 1048576 bytes
//! adrt: 2 gradients, 1024000 bytes recorded, 256000 bytes at peak: march
//! adrt: 4 gradients, 512000 bytes recorded, 128000 bytes at peak: search
//! adrt: 1 checkpointed loops of 100 steps, 240 steps run again, 31 snapshots of at most 24000 bytes, 144000 bytes held at peak
//! ```
//!
//! The first line is of all gradients, those that follow are of the functions that recorded most,
//! the last is of checkpointed loops. Recorded is the traffic: all bytes that the arena handed out
//! between the marks and rewinds of all threads, each block rounded up to 16 bytes. The peak is the
//! largest amount in use at once in any one thread. Chunks are those taken from the system, and
//! their bytes. Counts go up when a gradient ends or takes a chunk, never where it takes a block;
//! without the variable, each of these places costs one look at a flag.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::BTreeMap,
    ffi::{CStr, c_char},
    fmt,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

const VARIABLE: &str = "ADRT_STATS";
/// Functions that have lines of their own.
const MOST_FUNCTIONS: usize = 20;

/// Sums over all threads.
#[derive(Default)]
struct Stats {
    /// Of all gradients, and by the function that was differentiated.
    tapes: Mutex<(Tapes, BTreeMap<String, Tapes>)>,
    chunks: AtomicU64,
    chunk_bytes: AtomicU64,
    /// Chunks that are files.
    files: AtomicU64,
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

/// Gradients, and what they recorded.
#[derive(Clone, Copy, Default)]
struct Tapes {
    gradients: u64,
    recorded: u64,
    peak: u64,
}

impl Tapes {
    fn add(&mut self, gradients: u64, recorded: u64, in_use: u64) {
        self.gradients += gradients;
        self.recorded += recorded;
        self.peak = self.peak.max(in_use);
    }
}

impl fmt::Display for Tapes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} gradients, {} bytes recorded, {} bytes at peak",
            self.gradients, self.recorded, self.peak
        )
    }
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

/// A gradient of the function of this name ended that recorded so much, with so much in use.
pub(crate) fn gradient(source: *const c_char, recorded: usize, in_use: usize) {
    if let Some(s) = stats() {
        s.count(name(source), 1, recorded as u64, in_use as u64);
    }
}

/// A part of a gradient gave back what it had recorded: a step that runs again, and what undoing a
/// loop needs.
pub(crate) fn repeated(source: *const c_char, recorded: usize, in_use: usize) {
    if let Some(s) = stats() {
        s.count(name(source), 0, recorded as u64, in_use as u64);
    }
}

/// What generated code calls the function; nothing, if it does not say.
fn name<'a>(source: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: generated code passes names in constant memory.
    (!source.is_null()).then(|| unsafe { CStr::from_ptr(source) }.to_string_lossy())
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
pub(crate) fn chunk(bytes: usize, is_file: bool) {
    if let Some(s) = stats() {
        s.chunk(bytes as u64, is_file);
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
    /// Counts gradients of a function, 1 or 0, and what they recorded.
    fn count(&self, source: Option<Cow<str>>, gradients: u64, recorded: u64, in_use: u64) {
        let mut tapes = self.tapes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        tapes.0.add(gradients, recorded, in_use);
        if let Some(source) = source {
            tapes.1.entry(source.into_owned()).or_default().add(gradients, recorded, in_use);
        }
    }
    fn chunk(&self, bytes: u64, is_file: bool) {
        self.files.fetch_add(u64::from(is_file), Relaxed);
        self.chunks.fetch_add(1, Relaxed);
        self.chunk_bytes.fetch_add(bytes, Relaxed);
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let tapes = self.tapes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let [chunks, bytes] = [&self.chunks, &self.chunk_bytes].map(|n| n.load(Relaxed));
        write!(f, "adrt: {}, {chunks} chunks of {bytes} bytes", tapes.0)?;
        match self.files.load(Relaxed) {
            0 => {}
            files => write!(f, ", {files} of them in files")?,
        }
        let mut functions: Vec<(&String, &Tapes)> = tapes.1.iter().collect();
        functions.sort_by_key(|(name, tapes)| (Reverse(tapes.recorded), *name));
        for (name, tapes) in functions.iter().take(MOST_FUNCTIONS) {
            write!(f, "\nadrt: {tapes}: {name}")?;
        }
        if let Some(others) = functions.len().checked_sub(MOST_FUNCTIONS).filter(|&n| n > 0) {
            write!(f, "\nadrt: and {others} functions that recorded less")?;
        }
        let [loops, steps, again, snapshots, state, most] =
            [&self.loops, &self.steps, &self.again, &self.snapshots, &self.state, &self.most_held]
                .map(|n| n.load(Relaxed));
        if loops > 0 {
            write!(
                f,
                "\nadrt: {loops} checkpointed loops of {steps} steps, {again} steps run again, "
            )?;
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
        s.chunk(64, false);
        s.count(None, 1, 48, 96);
        s.count(None, 1, 32, 32);
        s.chunk(128, false);
        assert_eq!(
            s.to_string(),
            "adrt: 2 gradients, 80 bytes recorded, 96 bytes at peak, 2 chunks of 192 bytes"
        );
    }

    #[test]
    fn functions_have_lines_those_that_record_most_first() {
        let s = Stats::default();
        s.count(Some("small".into()), 1, 16, 16);
        s.count(Some("large".into()), 1, 64, 512);
        s.count(Some("large".into()), 0, 32, 600);
        let text = s.to_string();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let large = "adrt: 1 gradients, 96 bytes recorded, 600 bytes at peak: large";
        assert_eq!(lines, [large, "adrt: 1 gradients, 16 bytes recorded, 16 bytes at peak: small"]);
        for i in 0..MOST_FUNCTIONS + 1 {
            s.count(Some(format!("other {i}").into()), 1, 32, 32);
        }
        let text = s.to_string();
        assert_eq!(text.lines().count(), 2 + MOST_FUNCTIONS);
        assert!(
            text.lines().nth(1) == Some(large)
                && text.ends_with("adrt: and 3 functions that recorded less"),
            "{text}"
        );
    }

    #[test]
    fn checkpointed_loops_have_a_line() {
        let s = Stats::default();
        s.loops.store(2, Relaxed);
        s.again.store(7, Relaxed);
        assert!(s.to_string().ends_with("2 checkpointed loops of 0 steps, 7 steps run again, 0 snapshots of at most 0 bytes, 0 bytes held at peak"));
    }
}
