//! Measures a solver of Burgers' equation that gcc compiled: natively, its tangent, its recording,
//! the reverse sweep. It prints a table in Markdown.
//!
//! `cargo run --release -p adshadow --example burgers [cells steps]`

use std::process::Command;

use adshadow::{
    memory::{
        indices,
        objects::{Extent, Object, Policy, ScalarKind},
        registry::{self, Registry},
        space,
    },
    recording::{self, ThreadBars},
    translate::{Mode, engine},
};

const SOURCE: &str = "
void solve(double *u, double *v, double *a, double *b, long n, long steps) {
    const double h = 1.0 / (n - 1), dt = 0.2 * h, nu = 1e-3, c = dt / h, d = nu * dt / (h * h);
    for (long s = 0; s < steps; s++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                long k = i * n + j;
                a[k] = u[k] - c * u[k] * (u[k] - u[k - n]) - c * v[k] * (u[k] - u[k - 1])
                     + d * (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4.0 * u[k]);
                b[k] = v[k] - c * u[k] * (v[k] - v[k - n]) - c * v[k] * (v[k] - v[k - 1])
                     + d * (v[k + n] + v[k - n] + v[k + 1] + v[k - 1] - 4.0 * v[k]);
            }
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                u[i * n + j] = a[i * n + j];
                v[i * n + j] = b[i * n + j];
            }
    }
}
";

type Solve = extern "C" fn(*mut f64, *mut f64, *mut f64, *mut f64, i64, i64);

fn compile(flags: &[&str]) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, library) = (folder.path().join("solve.c"), folder.path().join("solve.so"));
    std::fs::write(&source, SOURCE).expect("written");
    let done = Command::new("gcc")
        .args(flags)
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source)
        .status()
        .expect("gcc is installed");
    assert!(done.success());
    let path = std::ffi::CString::new(library.to_str().expect("a path")).expect("a path");
    // SAFETY: a library of one function, without initialisers.
    let address =
        unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), c"solve".as_ptr()) };
    address as u64
}

fn start(n: usize) -> [Vec<f64>; 4] {
    let at = |k: usize| ((k / n) as f64 / n as f64, (k % n) as f64 / n as f64);
    let u: Vec<f64> =
        (0..n * n).map(at).map(|(x, y)| 0.3 + (6.3 * x).sin() * (3.1 * y).sin() * 0.5).collect();
    let v: Vec<f64> =
        (0..n * n).map(at).map(|(x, y)| 0.2 + (3.1 * x).sin() * (6.3 * y).cos() * 0.4).collect();
    [u.clone(), v.clone(), u, v]
}

fn code(address: u64) -> Solve {
    // SAFETY: the function has this signature, and so have its translations.
    unsafe { std::mem::transmute(address as *const ()) }
}

fn objects<'a>(arrays: &'a [Vec<f64>; 4], shadows: &'a [Vec<f64>; 4]) -> Vec<Object> {
    let of = |(a, s): (&Vec<f64>, &Vec<f64>)| Object {
        name: "array",
        primal: a.as_ptr() as u64,
        shadow: Some(s.as_ptr() as u64),
        extent: Extent::Whole(8 * a.len() as u64),
        kind: ScalarKind::F64,
    };
    arrays.iter().zip(shadows).map(of).collect()
}

/// Calls a translation with arrays and their shadows.
fn call(f: Solve, arrays: &mut [Vec<f64>; 4], n: usize, steps: usize) {
    let [u, v, a, b] = arrays;
    f(u.as_mut_ptr(), v.as_mut_ptr(), a.as_mut_ptr(), b.as_mut_ptr(), n as i64, steps as i64);
}

/// Of the processor, for this thread: other work on the machine counts little.
fn seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock that every thread has.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn timed<T>(what: impl FnOnce() -> T) -> (f64, T) {
    let begun = seconds();
    let result = what();
    (seconds() - begun, result)
}

/// The most memory that the process has had, in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("");
    line.trim().trim_end_matches(" kB").parse::<f64>().map_or(f64::NAN, |kib| kib / 1024.0)
}

/// A library, and what calls of it are to do.
struct Solver {
    name: String,
    function: u64,
    n: usize,
    steps: usize,
}

/// What a recording took.
struct Recorded {
    recording: f64,
    reverse: f64,
    bytes: f64,
    values: f64,
}

fn direction(k: usize) -> f64 {
    ((k * 7919) % 1013) as f64 / 1013.0 - 0.5
}

fn weight(k: usize) -> f64 {
    ((k * 104_729) % 977) as f64 / 977.0 - 0.4
}

fn bits(a: &[f64]) -> Vec<u64> {
    a.iter().map(|x| x.to_bits()).collect()
}

impl Solver {
    fn native(&self) -> (f64, [Vec<f64>; 4]) {
        let mut arrays = start(self.n);
        let (time, ()) = timed(|| call(code(self.function), &mut arrays, self.n, self.steps));
        (time, arrays)
    }

    /// Time, values, and the weighted sum of the results' dots.
    fn tangent(&self) -> (f64, [Vec<f64>; 4], f64) {
        let mut arrays = start(self.n);
        let mut shadows = [0, 1, 2, 3].map(|_| vec![0.0; self.n * self.n]);
        for (k, dot) in shadows[..2].iter_mut().flatten().enumerate() {
            *dot = direction(k);
        }
        let mut registry = Registry::default();
        let (time, ()) = timed(|| {
            let tangent = code(engine::entry(self.function, Mode::Tangent).expect("an entry"));
            // SAFETY: the arrays stay.
            unsafe {
                registry
                    .enter(&objects(&arrays, &shadows), Policy::Refuse, registry::Mode::Tangent)
                    .expect("fits")
            };
            call(tangent, &mut arrays, self.n, self.steps);
            // SAFETY: the objects that were entered are still there, with their shadows.
            unsafe { registry.leave().expect("fits") };
        });
        let forward =
            shadows[0].iter().chain(&shadows[1]).enumerate().map(|(k, dot)| weight(k) * dot).sum();
        (time, arrays, forward)
    }

    /// What it took, values, and the sum of the inputs' bars in the direction.
    fn reverse(&self) -> (Recorded, [Vec<f64>; 4], f64) {
        let cells = self.n * self.n;
        let mut arrays = start(self.n);
        let mut bars = [0, 1, 2, 3].map(|_| vec![0.0; cells]);
        for (k, bar) in bars[..2].iter_mut().flatten().enumerate() {
            *bar = weight(k);
        }
        let mut registry = Registry::default();
        let segment = recording::begin().expect("a segment");
        let mut fresh = |count: u32| recording::inputs(count).ok();
        let (recording, (read, written)) = timed(|| {
            let recorded = code(engine::entry(self.function, Mode::Recording).expect("an entry"));
            // SAFETY: the arrays stay.
            let read = unsafe {
                registry
                    .enter(
                        &objects(&arrays, &bars),
                        Policy::Refuse,
                        registry::Mode::Recording(&mut fresh),
                    )
                    .expect("fits")
            };
            call(recorded, &mut arrays, self.n, self.steps);
            // SAFETY: the objects that were entered are still there, with their shadows.
            (read, unsafe { registry.leave().expect("fits") })
        });
        recording::end(&segment).expect("it was begun");
        let took = recording::statistics();
        let (reverse, ()) = timed(|| {
            // SAFETY: the shadows are there.
            unsafe { written.iter().for_each(|w| indices::hand_over(w, &mut ThreadBars)) };
            recording::evaluate(segment).expect("the last");
            // SAFETY: the shadows are there, as when this was recorded.
            unsafe { read.iter().for_each(|r| indices::give_back(r, &ThreadBars)) };
        });
        let backward =
            bars[0].iter().chain(&bars[1]).enumerate().map(|(k, bar)| direction(k) * bar).sum();
        (
            Recorded { recording, reverse, bytes: took.bytes as f64, values: took.values as f64 },
            arrays,
            backward,
        )
    }
}

const ROUNDS: usize = 5;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let (n, steps): (usize, usize) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(100));
    let mut compilations: Vec<&[&str]> =
        vec![&["-O2", "-fno-tree-vectorize"], &["-O2"], &["-O3", "-mavx2", "-mfma"]];
    if is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq") {
        compilations.push(&["-O3", "-march=skylake-avx512"]);
    }
    let solver =
        |flags: &&[&str]| Solver { name: flags.join(" "), function: compile(flags), n, steps };
    let solvers: Vec<Solver> = compilations.iter().map(solver).collect();
    // Natively alone first, for memory.
    let native: Vec<_> = solvers.iter().map(|s| s.native().1).collect();
    let native_peak = peak();
    let (start_up, ()) = timed(|| {
        space::install_on_thread().expect("shadow memory");
        Solver { n: 3, steps: 1, name: String::new(), ..solvers[0] }.tangent();
    });

    let mut tangents = Vec::new();
    for (s, native) in solvers.iter().zip(&native) {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let ((of_native, _), (of_tangent, arrays, forward)) = (s.native(), s.tangent());
            assert!(
                arrays.iter().zip(native).all(|(a, b)| bits(a) == bits(b)),
                "values are the same bits"
            );
            rounds.push((of_native, of_tangent, forward));
        }
        tangents.push(rounds);
    }
    let tangent_peak = peak();
    println!(
        "| compiled by gcc | native, s | tangent | recording | reverse sweep | both | the first, both | bytes for each value | values for each update |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for ((s, native), tangents) in solvers.iter().zip(&native).zip(tangents) {
        let mut natives: Vec<f64> = tangents.iter().map(|t| t.0).collect();
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let ((of_native, _), (took, arrays, backward)) = (s.native(), s.reverse());
            let forward = tangents[0].2;
            assert!((forward - backward).abs() <= 1e-10 * forward.abs(), "{forward} {backward}");
            assert!(
                arrays.iter().zip(native).all(|(a, b)| bits(a) == bits(b)),
                "values are the same bits"
            );
            natives.push(of_native);
            rounds.push(took);
        }
        let native = median(natives);
        let over = |times: Vec<f64>| median(times) / native;
        let updates = (2 * (n - 2) * (n - 2) * steps) as f64;
        println!(
            "| {} | {native:.4} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            s.name,
            over(tangents.iter().map(|t| t.1).collect()),
            over(rounds.iter().map(|r| r.recording).collect()),
            over(rounds.iter().map(|r| r.reverse).collect()),
            over(rounds.iter().map(|r| r.recording + r.reverse).collect()),
            (rounds[0].recording + rounds[0].reverse) / native,
            rounds[0].bytes / rounds[0].values,
            rounds[0].values / updates
        );
    }
    println!(
        "\n{n} x {n} cells, {steps} steps. Times are of the processor, medians of {ROUNDS}, as multiples of the native one. *The first* also waits for the"
    );
    println!(
        "kernel's memory, which later recordings find there. Start-up, with the first call: {:.1} ms. Memory at most: natively {native_peak:.0} MB,",
        1e3 * start_up
    );
    println!("with tangents {tangent_peak:.0} MB.");
}
