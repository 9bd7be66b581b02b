//! Time per stage, printed with `-ad-time`: CPU time of the pass's thread, each moment counted for
//! one stage only.
//!
//! A stage that opens inside another stops the other's clock until it ends: generating the sweeps
//! of a caller does not count what its callees' analyses take. What no stage covers is "other", so
//! that the lines add up to the pass's time.

use std::{cell::RefCell, marker::PhantomData, time::Duration};

/// What no stage covers.
const OTHER: &str = "other";

thread_local! {
    static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
}

struct Clock {
    /// Stages in the order in which they first opened.
    times: Vec<(&'static str, Duration)>,
    /// Open stages, innermost last, as indices into `times`.
    open: Vec<usize>,
    /// Until when time is counted.
    counted: Duration,
}

impl Clock {
    /// Counts the time since the last call for the innermost open stage.
    fn count(&mut self, now: Duration) {
        let at = self.open.last().copied().unwrap_or(0);
        self.times[at].1 += now.saturating_sub(self.counted);
        self.counted = now;
    }
    fn open(&mut self, stage: &'static str, now: Duration) {
        self.count(now);
        let found = self.times.iter().position(|(s, _)| *s == stage);
        self.open.push(found.unwrap_or(self.times.len()));
        if found.is_none() {
            self.times.push((stage, Duration::ZERO));
        }
    }
    fn close(&mut self, now: Duration) {
        self.count(now);
        self.open.pop();
    }
}

/// Starts the clock of this thread, or takes it away.
pub fn enable(on: bool) {
    let clock = || Clock { times: vec![(OTHER, Duration::ZERO)], open: vec![], counted: now() };
    CLOCK.set(on.then(clock));
}

/// A stage that is running; it ends where this is dropped.
pub struct Stage(PhantomData<*const ()>);

/// Opens a stage: `let _t = stats::stage("import");`
pub fn stage(name: &'static str) -> Stage {
    CLOCK.with_borrow_mut(|c| c.as_mut().into_iter().for_each(|c| c.open(name, now())));
    Stage(PhantomData)
}

impl Drop for Stage {
    fn drop(&mut self) {
        CLOCK.with_borrow_mut(|c| c.as_mut().into_iter().for_each(|c| c.close(now())));
    }
}

/// Runs a stage.
pub fn time<T>(name: &'static str, run: impl FnOnce() -> T) -> T {
    let _stage = stage(name);
    run()
}

/// Prints the table on standard error.
pub fn print() {
    CLOCK.with_borrow_mut(|c| {
        let Some(clock) = c else { return };
        clock.count(now());
        for (stage, time) in &clock.times {
            eprintln!("adpass: {:>10.3} ms  {stage}", time.as_secs_f64() * 1e3);
        }
    });
}

/// CPU time of this thread: other processes on the machine do not count.
fn now() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is writable for the call; the clock exists on every system that LLVM 22 plugins
    // load on.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_inside_another_is_counted_once() {
        let at = Duration::from_millis;
        let mut clock =
            Clock { times: vec![(OTHER, Duration::ZERO)], open: vec![], counted: at(0) };
        clock.open("outer", at(1));
        clock.open("inner", at(3));
        clock.open("outer", at(7));
        clock.close(at(15));
        clock.close(at(31));
        clock.close(at(63));
        clock.count(at(127));
        let expected = [(OTHER, at(1 + 64)), ("outer", at(2 + 8 + 32)), ("inner", at(4 + 16))];
        assert_eq!(clock.times, expected);
    }

    #[test]
    fn without_a_clock_stages_run() {
        enable(false);
        assert_eq!(time("any", || 7), 7);
    }
}
