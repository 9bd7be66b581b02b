//! Time per stage, printed with `-ad-time`.

use std::time::{Duration, Instant};

/// Times of the stages of one run.
pub struct Stats {
    on: bool,
    times: Vec<(&'static str, Duration)>,
}

impl Stats {
    /// Collects times if `on`.
    pub fn new(on: bool) -> Stats {
        Stats { on, times: vec![] }
    }
    /// Runs a stage. A stage that calls another counts both times.
    pub fn time<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        if !self.on {
            return run();
        }
        let start = Instant::now();
        let result = run();
        self.add(stage, start.elapsed());
        result
    }
    fn add(&mut self, stage: &'static str, elapsed: Duration) {
        match self.times.iter_mut().find(|(s, _)| *s == stage) {
            Some((_, t)) => *t += elapsed,
            None => self.times.push((stage, elapsed)),
        }
    }
    /// Prints the table on standard error.
    pub fn print(&self) {
        for (stage, time) in &self.times {
            eprintln!("adpass: {:>10.3} ms  {stage}", time.as_secs_f64() * 1e3);
        }
    }
}
