//! A small time-stepping code with a gradient written by hand goes through the driver.

use super::{
    super::{
        regions::{adrt_checkpoint_keep_end, adrt_checkpoint_region},
        schedule,
    },
    *,
};
use crate::tape::{
    adrt_rewind,
    tests::{mark, take},
};

const SIZE: usize = 7;

/// `u[j] = sin(u[j]) c[j] + a u[j + 1] u[j]`, with a that depends on the step; `w` holds the new
/// state for a while.
#[derive(Clone)]
struct Model {
    u: [f64; SIZE],
    c: [f64; SIZE],
    w: [f64; SIZE],
    step: u64,
    end: u64,
    /// How often steps run without records, and with.
    advanced: u64,
    recorded: u64,
    ub: [f64; SIZE],
    cb: [f64; SIZE],
    /// For loops within: how many steps each step of the outer one has, and its slots.
    inner: u64,
    inner_slots: u64,
    knows_inner: bool,
    /// An exception leaves the step after so many without records.
    throws_after: u64,
}

fn factor(step: u64) -> f64 {
    0.3 / (1.0 + step as f64)
}

impl Model {
    fn new(end: u64) -> Model {
        let of = |from: f64| std::array::from_fn(|j| from + 0.07 * (j * j % 5) as f64);
        Model {
            u: of(0.4),
            c: of(0.8),
            w: [0.0; SIZE],
            step: 0,
            end,
            advanced: 0,
            recorded: 0,
            ub: std::array::from_fn(|j| 1.1 - 0.2 * j as f64),
            cb: [0.0; SIZE],
            inner: 0,
            inner_slots: 1,
            knows_inner: false,
            throws_after: u64::MAX,
        }
    }
    /// The primal step. The exit is 3.
    fn run(&mut self) -> u64 {
        for j in 0..SIZE {
            self.w[j] = self.u[j].sin() * self.c[j]
                + factor(self.step) * self.u[(j + 1) % SIZE] * self.u[j];
        }
        self.u = self.w;
        self.step += 1;
        if self.step == self.end { 3 } else { 0 }
    }
    fn undo(&mut self, u: &[f64; SIZE], step: u64) {
        let wb = std::mem::replace(&mut self.ub, [0.0; SIZE]);
        for j in 0..SIZE {
            let a = factor(step) * wb[j];
            self.ub[j] += u[j].cos() * self.c[j] * wb[j] + a * u[(j + 1) % SIZE];
            self.ub[(j + 1) % SIZE] += a * u[j];
            // The coefficients are read from memory.
            self.cb[j] += u[j].sin() * wb[j];
        }
    }
    fn env(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }
}

/// What the reverse of a step reads.
struct Records {
    u: [f64; SIZE],
    step: u64,
}

unsafe extern "C-unwind" fn advance(env: *mut c_void) -> u64 {
    // SAFETY: the model of the test.
    let m = unsafe { &mut *env.cast::<Model>() };
    m.advanced += 1;
    if m.advanced > m.throws_after {
        m.u = [f64::NAN; SIZE];
        panic!("an exception");
    }
    m.run()
}
unsafe extern "C-unwind" fn forward(env: *mut c_void, left: *mut u64) -> *mut c_void {
    // SAFETY: the model of the test; the block has room.
    unsafe {
        let m = &mut *env.cast::<Model>();
        m.recorded += 1;
        let records = take(size_of::<Records>() as u64).cast::<Records>();
        records.write(Records { u: m.u, step: m.step });
        *left = m.run();
        records.cast()
    }
}
unsafe extern "C-unwind" fn reverse(env: *mut c_void, records: *mut c_void) {
    // SAFETY: the model of the test, and what `forward` returned.
    unsafe {
        let r = &*records.cast::<Records>();
        (*env.cast::<Model>()).undo(&r.u, r.step);
    }
}
const STEPS: Steps = Steps { advance, forward, reverse };

/// Declares the model's memory: in pieces, some twice.
fn declare_regions(m: &mut Model) {
    let bytes = size_of_val(&m.u) as u64;
    let u: *mut c_void = m.u.as_mut_ptr().cast();
    adrt_checkpoint_region(u, bytes, 17);
    adrt_checkpoint_region(u.wrapping_byte_add(16), 8, 3);
    adrt_checkpoint_region((&raw mut m.step).cast(), 8, 1);
    adrt_checkpoint_region(m.w.as_mut_ptr().cast(), bytes, 3);
    adrt_checkpoint_region(m.c.as_mut_ptr().cast(), bytes - 16, 2);
    adrt_checkpoint_region(m.c.as_mut_ptr().wrapping_add(2).cast(), bytes - 16, 2);
}

/// What a gradient leaves: adjoints, how many steps ran without records and with.
type Outcome = (Vec<u64>, u64, u64);

fn outcome(m: &Model) -> Outcome {
    (m.ub.iter().chain(&m.cb).map(|v| v.to_bits()).collect(), m.advanced, m.recorded)
}

/// The gradient. Code behind the loop changes all memory; it must hold the same after the loop is
/// undone.
fn gradient(m: &mut Model, steps: &Steps, known: u64, slots: u64) -> Outcome {
    let mut primal = m.clone();
    while primal.run() == 0 {}
    let start = mark();
    declare_regions(m);
    let mut left = 0;
    let env = m.env();
    // SAFETY: the model lives on.
    unsafe {
        let run = adrt_checkpoint_forward(known, slots, steps, env, &mut left);
        let m = &mut *env.cast::<Model>();
        assert_eq!(
            (left, m.u, m.step, m.c),
            (3, primal.u, primal.step, primal.c),
            "the primal result"
        );
        (m.u, m.c, m.w, m.step) = ([7.0; SIZE], [8.0; SIZE], [9.0; SIZE], 99);
        let next = take(16);
        adrt_checkpoint_reverse(run);
        assert_eq!(take(16) as usize, next as usize + 16, "the tape is where it was");
        adrt_rewind(&start);
    }
    assert_eq!(
        (m.u, m.c, m.w, m.step),
        ([7.0; SIZE], [8.0; SIZE], [9.0; SIZE], 99),
        "memory as before"
    );
    outcome(m)
}

/// Without checkpoints.
fn plain(m: &mut Model) -> Vec<u64> {
    let mut states = vec![];
    loop {
        states.push((m.u, m.step));
        if m.run() != 0 {
            break;
        }
    }
    states.iter().rev().for_each(|(u, step)| m.undo(u, *step));
    assert!(m.ub.iter().chain(&m.cb).all(|v| v.is_normal()), "numbers that say something");
    outcome(m).0
}

#[test]
fn adjoints_are_the_same_to_the_last_bit() {
    for count in 1..=40 {
        let expected = plain(&mut Model::new(count));
        for slots in [1, 2, 3, 5, count, count + 7, u64::MAX] {
            let (known, advanced, recorded) =
                gradient(&mut Model::new(count), &STEPS, count, slots);
            assert_eq!(known, expected, "{count} steps, {slots} slots");
            let kept = if slots == u64::MAX { 1 } else { slots as u32 };
            assert_eq!(
                (advanced, recorded),
                (schedule::bound(count, kept), count),
                "{count} steps, {slots} slots"
            );

            let (unknown, advanced, recorded) = gradient(&mut Model::new(count), &STEPS, 0, slots);
            assert_eq!(unknown, expected, "{count} steps, {slots} slots, unknown");
            assert_eq!(recorded, count);
            // Each step runs once, and again as often as the schedule of the kept states says.
            let most = (schedule::repeats(count, kept).max(1) + 1) * count;
            assert!(
                count <= advanced && advanced <= most,
                "{count} steps, {slots} slots: {advanced}"
            );
            if slots >= count && kept > 1 {
                assert_eq!(advanced, count, "all states are kept");
            }
        }
    }
}

/// The reverse of a step that reads what the step left.
unsafe extern "C-unwind" fn reverse_in_place(env: *mut c_void, records: *mut c_void) {
    // SAFETY: `env` is the model of the test, and `records` what `forward` returned.
    unsafe {
        let (m, r) = (&*env.cast::<Model>(), &*records.cast::<Records>());
        let mut again = Model { u: r.u, step: r.step, ..m.clone() };
        again.run();
        assert_eq!((m.u, m.w, m.step), (again.u, again.w, again.step), "step {}", r.step);
        reverse(env, records);
    }
}

#[test]
fn each_step_is_undone_in_the_memory_that_it_left() {
    let steps = Steps { reverse: reverse_in_place, ..STEPS };
    for count in [1, 2, 13] {
        let expected = plain(&mut Model::new(count));
        for (known, slots) in [(0, 1), (0, 3), (count, 1), (count, 3), (count, 20)] {
            adrt_checkpoint_keep_end();
            assert_eq!(
                gradient(&mut Model::new(count), &steps, known, slots).0,
                expected,
                "{count} steps, {slots} slots"
            );
        }
    }
    let unasked = || gradient(&mut Model::new(5), &steps, 5, 2);
    assert!(
        std::panic::catch_unwind(unasked).is_err(),
        "the last step finds what code behind the loop left"
    );
}

/// A step of the outer loop: a checkpointed loop of `inner` steps.
mod outer {
    use super::*;

    struct Inner {
        run: *mut c_void,
        end: u64,
    }

    /// Limits the model to the steps of one outer step; its true end.
    fn begin(m: &mut Model) -> u64 {
        std::mem::replace(&mut m.end, m.step + m.inner)
    }
    fn finish(m: &mut Model, end: u64) -> u64 {
        m.end = end;
        if m.step == end { 3 } else { 0 }
    }
    pub unsafe extern "C-unwind" fn advance(env: *mut c_void) -> u64 {
        // SAFETY: the model of the test.
        let m = unsafe { &mut *env.cast::<Model>() };
        let end = begin(m);
        m.advanced += 1;
        while m.run() == 0 {}
        finish(m, end)
    }
    pub unsafe extern "C-unwind" fn forward(env: *mut c_void, left: *mut u64) -> *mut c_void {
        // SAFETY: the model of the test, and blocks of the tape.
        unsafe {
            let m = &mut *env.cast::<Model>();
            let end = begin(m);
            declare_regions(m);
            let (known, slots) = (if m.knows_inner { m.inner } else { 0 }, m.inner_slots);
            let records = take(size_of::<Inner>() as u64).cast::<Inner>();
            let mut exit = 0;
            let run = adrt_checkpoint_forward(known, slots, &super::STEPS, env, &mut exit);
            assert_eq!(exit, 3);
            // The end lies in no region: the inner loop's reverse needs it as it was.
            records.write(Inner { run, end: m.end });
            *left = finish(&mut *env.cast::<Model>(), end);
            records.cast()
        }
    }
    pub unsafe extern "C-unwind" fn reverse(env: *mut c_void, records: *mut c_void) {
        // SAFETY: `env` is the model of the test, and `records` what `forward` returned.
        unsafe {
            let records = &*records.cast::<Inner>();
            let end = std::mem::replace(&mut (*env.cast::<Model>()).end, records.end);
            adrt_checkpoint_reverse(records.run);
            (*env.cast::<Model>()).end = end;
        }
    }
    pub const STEPS: Steps = Steps { advance, forward, reverse };
}

#[test]
fn a_step_may_be_a_checkpointed_loop() {
    for (count, inner) in [(1, 1), (1, 6), (4, 5), (7, 3), (12, 8)] {
        let expected = plain(&mut Model::new(count * inner));
        for (slots, inner_slots) in [(1, 1), (2, 3), (3, 1), (9, 9)] {
            for (known, knows_inner) in [(0, false), (0, true), (count, false), (count, true)] {
                let mut m = Model { inner, inner_slots, knows_inner, ..Model::new(count * inner) };
                let (found, ..) = gradient(&mut m, &outer::STEPS, known, slots);
                assert_eq!(
                    found, expected,
                    "{count} times {inner} steps, {slots} and {inner_slots} slots"
                );
            }
        }
    }
}

#[test]
fn a_gradient_within_a_split_recording_gives_its_chunks_back() {
    let expected = plain(&mut Model::new(30));
    let token = crate::recording::tests::begin();
    for _ in 0..3 {
        assert_eq!(gradient(&mut Model::new(30), &STEPS, 0, 3).0, expected);
        assert_eq!(gradient(&mut Model::new(30), &STEPS, 30, 3).0, expected);
    }
    crate::recording::adrt_tape_abandon(token);
    assert_eq!(gradient(&mut Model::new(30), &STEPS, 30, 3).0, expected);
}

#[test]
fn a_second_gradient_takes_no_new_memory() {
    let run = || {
        gradient(&mut Model::new(40), &STEPS, 0, 4);
        gradient(&mut Model::new(40), &STEPS, 40, 4);
        tape::tests::held()
    };
    let held = run();
    assert_eq!(run(), held);
}

#[test]
fn a_loop_that_is_not_undone_is_freed() {
    let mut m = Model::new(20);
    let start = mark();
    let mut left = 0;
    declare_regions(&mut m);
    let env = m.env();
    // SAFETY: the model lives on. The handle is freed once: the allocator would tell of a second
    // time.
    unsafe {
        adrt_checkpoint_forward(20, 3, &STEPS, env, &mut left);
        adrt_rewind(&start);
    }
    assert_eq!(left, 3);
}

#[test]
fn memory_is_put_back_when_an_exception_leaves_a_step_that_runs_again() {
    let mut m = Model::new(30);
    let start = mark();
    let mut left = 0;
    declare_regions(&mut m);
    let env = m.env();
    // SAFETY: the model lives on.
    unsafe {
        let run = adrt_checkpoint_forward(30, 2, &STEPS, env, &mut left);
        let m = &mut *env.cast::<Model>();
        m.throws_after = m.advanced + 17;
        m.c = [8.0; SIZE];
        let before = (m.u, m.c, m.w, m.step);
        let here = take(16);
        let left = std::panic::catch_unwind(|| adrt_checkpoint_reverse(run));
        assert!(left.is_err());
        let m = &mut *env.cast::<Model>();
        assert_eq!((m.u, m.c, m.w, m.step), before);
        assert_eq!(take(16) as usize, here as usize + 16);
        adrt_rewind(&start);
    }
}

#[test]
fn what_a_repeated_step_frees_waits_until_it_is_undone() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static FREED: AtomicU64 = AtomicU64::new(0);
    unsafe extern "C" fn freed(_: *mut c_void) {
        FREED.fetch_add(1, Relaxed);
    }
    unsafe extern "C-unwind" fn forward_that_frees(
        env: *mut c_void,
        left: *mut u64,
    ) -> *mut c_void {
        tape::adrt_defer_free(freed as *const c_void, 1, env, 0, 0);
        // SAFETY: the driver calls this in place of `forward`, with what that takes.
        unsafe { forward(env, left) }
    }
    unsafe extern "C-unwind" fn reverse_that_looks(env: *mut c_void, records: *mut c_void) {
        // SAFETY: `env` is the model of the test, and `records` what `forward` returned.
        unsafe {
            let undone = (*env.cast::<Model>()).end - 1 - (*records.cast::<Records>()).step;
            assert_eq!(
                FREED.load(Relaxed),
                undone.saturating_sub(1),
                "those of steps that are undone, but for the last"
            );
            reverse(env, records);
        }
    }
    let steps = Steps { advance, forward: forward_that_frees, reverse: reverse_that_looks };
    gradient(&mut Model::new(20), &steps, 20, 3);
    assert_eq!(FREED.load(Relaxed), 20);
}

/// Runs this test again in a process of its own, with `case` in the environment: what it says on
/// standard error.
fn run_in_another_process(test: &str, case: &str, check: &str) -> (bool, String) {
    let mut command = std::process::Command::new(std::env::current_exe().expect("a test runs"));
    command
        .args(["--exact", &format!("checkpoint::driver::tests::{test}"), "--nocapture"])
        .env(CASE, case)
        .env("ADRT_CHECK", check);
    let output = command.output().expect("it runs");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}
const CASE: &str = "ADRT_TEST_CASE";

/// A step that forgets that it is in a loop after so many calls: it goes on, or leaves.
fn unfaithful(case: &str) {
    if case == "right" {
        return assert_eq!(
            gradient(&mut Model::new(20), &STEPS, 0, 3).0,
            plain(&mut Model::new(20))
        );
    }
    static CALLS: AtomicU64 = AtomicU64::new(0);
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    unsafe extern "C-unwind" fn leaves(env: *mut c_void) -> u64 {
        // SAFETY: `env` is the model of the test.
        let left = unsafe { advance(env) };
        if CALLS.fetch_add(1, Relaxed) == 25 { 1 } else { left }
    }
    unsafe extern "C-unwind" fn stays(env: *mut c_void, left: *mut u64) -> *mut c_void {
        // SAFETY: the driver calls this in place of `forward`, with what that takes.
        let records = unsafe { forward(env, left) };
        // SAFETY: the driver gives a place for the number of steps that are left.
        unsafe { *left = 0 };
        records
    }
    unsafe extern "C-unwind" fn other_exit(env: *mut c_void, left: *mut u64) -> *mut c_void {
        // SAFETY: the driver calls this in place of `forward`, with what that takes.
        let records = unsafe { forward(env, left) };
        // SAFETY: the driver gives a place for the number of steps that are left.
        unsafe { *left += u64::from(*left != 0) };
        records
    }
    unsafe extern "C-unwind" fn counts(env: *mut c_void) -> u64 {
        // SAFETY: `env` is the model of the test.
        unsafe {
            (*env.cast::<Model>()).u[3] += 1e-9 * CALLS.fetch_add(1, Relaxed) as f64;
            advance(env)
        }
    }
    unsafe extern "C-unwind" fn writes_kept(env: *mut c_void) -> u64 {
        // SAFETY: `env` is the model of the test.
        unsafe {
            (*env.cast::<Model>()).c[2] += 1e-9;
            advance(env)
        }
    }
    unsafe extern "C-unwind" fn reads_scratch(env: *mut c_void) -> u64 {
        // SAFETY: `env` is the model of the test.
        unsafe {
            let m = &mut *env.cast::<Model>();
            m.u[5] += 1e-9 * m.w[1];
            advance(env)
        }
    }
    let (steps, known) = match case {
        "small" => (STEPS, 20),
        "counts" => (Steps { advance: counts, ..STEPS }, 0),
        "writes kept" => (Steps { advance: writes_kept, ..STEPS }, 20),
        "reads scratch" => (Steps { advance: reads_scratch, ..STEPS }, 0),

        "leaves" => (Steps { advance: leaves, ..STEPS }, 0),
        "stays" => (Steps { forward: stays, ..STEPS }, 0),
        "other exit" => (Steps { forward: other_exit, ..STEPS }, 0),
        "too few" => (STEPS, 21),
        "too many" => (STEPS, 19),
        _ => return,
    };
    let mut m = Model::new(20);
    match case {
        // The state is larger than the program says.
        "small" => {
            adrt_checkpoint_region((&raw mut m.step).cast(), 8, 1);
            adrt_checkpoint_region(m.u.as_mut_ptr().cast(), size_of_val(&m.u) as u64 - 16, 17);
        }
        _ => declare_regions(&mut m),
    }
    let (start, env, mut left) = (mark(), m.env(), 0);
    // SAFETY: the model lives on.
    unsafe {
        adrt_checkpoint_reverse(adrt_checkpoint_forward(known, 3, &steps, env, &mut left));
        adrt_rewind(&start);
    }
}

#[test]
fn steps_that_do_otherwise_when_they_run_again_end_the_program() {
    if let Ok(case) = std::env::var(CASE) {
        return unfaithful(&case);
    }
    let name = "steps_that_do_otherwise_when_they_run_again_end_the_program";
    assert!(run_in_another_process(name, "none", "0").0);
    for (case, message) in [
        ("leaves", " leaves the loop"),
        ("stays", "step 20 of 20 stays in the loop"),
        ("other exit", "step 20 of 20 leaves the loop"),
        ("too few", "step 20 of 21 leaves the loop"),
        ("too many", "step 19 of 19 stays in the loop"),
    ] {
        let (succeeds, stderr) = run_in_another_process(name, case, "0");
        assert!(
            !succeeds && stderr.contains("adrt: error AD207: step ") && stderr.contains(message),
            "{case}: {stderr}"
        );
    }
}

#[test]
fn memory_before_steps_is_compared_on_demand() {
    let name = "memory_before_steps_is_compared_on_demand";
    if let Ok(case) = std::env::var(CASE) {
        return unfaithful(&case);
    }
    assert!(run_in_another_process(name, "right", "1").0);
    for (case, check) in
        [("counts", "1"), ("writes kept", "1"), ("reads scratch", "1"), ("small", "0")]
    {
        let (succeeds, stderr) = run_in_another_process(name, case, check);
        let is_reported =
            stderr.contains("adrt: error AD209: before step ") && stderr.contains("bytes at 0x");
        assert!(!succeeds && is_reported, "{case}: {stderr}");
    }
}
