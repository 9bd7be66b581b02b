//! The interface of calls into prebuilt code, used by C programs as generated code uses it:
//! compiled by gcc, linked with the static library, run as processes of their own.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::atomic::{AtomicUsize, Ordering},
    time::SystemTime,
};

/// The static library that this test was built with: the newest, where several were built.
fn runtime() -> PathBuf {
    let here = std::env::current_exe().expect("a test is a file");
    let files = here
        .parent()
        .expect("in a folder")
        .read_dir()
        .expect("readable")
        .filter_map(|f| Some(f.ok()?.path()));
    let is_ours = |p: &PathBuf| {
        p.file_name()
            .and_then(|n| n.to_str())
            .is_some_and(|n| n.starts_with("libadshadow") && n.ends_with(".a"))
    };
    let made =
        |p: &PathBuf| p.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    files.filter(is_ours).max_by_key(made).expect("cargo builds the static library with the tests")
}

fn gcc(arguments: &[&str], to: &Path) {
    let done = Command::new("gcc")
        .args(MACHINE)
        .args(arguments)
        .arg("-o")
        .arg(to)
        .output()
        .expect("gcc is installed");
    assert!(done.status.success(), "gcc {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Compiles a file twice, as a library if it has one and as a program, and runs the program.
fn run(
    file: &str,
    flags: &[&str],
    libraries: &[&str],
    has_library: bool,
    arguments: &[&str],
) -> Output {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let source = folder.join("tests/call_boundary").join(file);
    let include = format!("-I{}", folder.join("include").display());
    // Each program has files of its own: tests run at the same time, as threads or as processes.
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("boundary-{}-{number}", std::process::id()));
    let (program, library) = (to.with_extension("program"), to.with_extension("so"));
    let (source, runtime) = (source.to_str().expect("a path"), runtime());
    if has_library {
        let all = [flags, &["-DLIBRARY", "-shared", "-fPIC", source, "-lm"]].concat();
        gcc(&all, &library);
    }
    let mut all = [flags, &[&include, source]].concat();
    all.extend(has_library.then(|| library.to_str().expect("a path")));
    all.extend(libraries);
    all.extend([runtime.to_str().expect("a path"), "-lm", "-lpthread", "-ldl"]);
    gcc(&all, &program);
    let mut command = Command::new("timeout");
    command
        .arg("60")
        .args(LAYOUT)
        .arg(&program)
        .args(arguments)
        .envs([("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1")]);
    let output = command.output().expect("it runs");
    for file in [program, library] {
        let _ = std::fs::remove_file(file); // not all have a library
    }
    output
}

fn text(output: &Output) -> String {
    format!(
        "{}{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn passes(file: &str, flags: &[&str], libraries: &[&str], has_library: bool) {
    let output = run(file, flags, libraries, has_library, &[]);
    assert!(output.status.success(), "{file} {flags:?}: {}", text(&output));
}

#[cfg(target_arch = "x86_64")]
const FLAGS: [&[&str]; 5] = [&["-O0"], &["-O1"], &["-O2"], &["-O3"], &["-O3", "-mavx2", "-mfma"]];
/// For processors with the x87 unit alone, and for those of today.
#[cfg(target_arch = "x86")]
const FLAGS: [&[&str]; 5] = [
    &["-O0"],
    &["-O1", "-march=i686"],
    &["-O2"],
    &["-O2", "-msse2", "-mfpmath=sse"],
    &["-O3", "-mavx2", "-mfma", "-mfpmath=sse"],
];
/// On i386 halves of doubles are addresses by chance, which is refused then: so the layout is the
/// same each time.
const LAYOUT: &[&str] = if cfg!(target_arch = "x86") { &["setarch", "-R"] } else { &[] };
/// Options of gcc for the machine.
const MACHINE: &[&str] = if cfg!(target_arch = "x86") { &["-m32"] } else { &[] };

#[test]
fn calls_in_tangent_mode() {
    FLAGS.iter().for_each(|flags| passes("tangent.c", flags, &[], true));
}

/// A library as the distribution ships it. `scripts/setup.sh` has its package.
fn with_installed(file: &str, flags: &[&str], folder: &str, names: &[&str]) {
    let at = PathBuf::from(if cfg!(target_arch = "x86") {
        "/usr/lib/i386-linux-gnu"
    } else {
        "/usr/lib/x86_64-linux-gnu"
    })
    .join(folder);
    let paths: Vec<_> = names.iter().map(|n| at.join(n)).collect();
    if let Some(missing) = paths.iter().find(|p| !p.exists()) {
        let name = missing.file_name().unwrap_or_default().to_string_lossy();
        let why = format!("{} is not installed", missing.display());
        if cfg!(target_arch = "x86") {
            // scripts/setup.sh installs those of x86-64 only.
            println!("{}{why}", admachine::SKIPPED);
        } else {
            admachine::skip_without(&name, &why);
        }
        return;
    }
    let folder = |n: &str| format!("-Wl,-rpath,/usr/lib/x86_64-linux-gnu/{n}");
    let (lapack, blas) = (folder("lapack"), folder("blas"));
    let mut libraries = vec![lapack.as_str(), blas.as_str()];
    libraries.extend(paths.iter().map(|p| p.to_str().expect("a path")));
    passes(file, flags, &libraries, false);
}

#[test]
fn the_gnu_scientific_library() {
    with_installed("gsl.c", &["-O2"], "", &["libgsl.so", "libgslcblas.so"]);
}

#[test]
fn reference_lapack_and_blas() {
    with_installed(
        "numeric.c",
        &["-O2", "-DLAPACK"],
        "",
        &["lapack/liblapack.so.3", "blas/libblas.so.3"],
    );
}

#[test]
fn openblas() {
    with_installed("numeric.c", &["-O1", "-DLAPACK"], "", &["libopenblas.so.0"]);
}

#[test]
fn fftw() {
    with_installed("numeric.c", &["-O2", "-DFFTW"], "", &["libfftw3.so"]);
}

#[test]
fn cminpack() {
    with_installed("numeric.c", &["-O2", "-DMINPACK"], "", &["libcminpack.so"]);
}

#[test]
fn calls_in_recording_mode() {
    FLAGS.iter().for_each(|flags| passes("adjoint.c", flags, &[], true));
}

#[test]
fn what_cannot_be_right_is_refused() {
    let cases = [
        ("extent", "AS010", "1st pointer argument"),
        ("shadow extent", "AS010", "its shadow"),
        ("hidden", "AS010", "stores"),
        ("freed", "AS010", "stores"),
        ("constant", "AS027", "would be lost"),
        ("constant of unknown size", "AS027", "would be lost"),
        ("nested", "AS007", "within a library call of calls"),
        ("threads", "AS006", "pthread_create"),
        ("order", "AS008", "no call that was begun"),
        ("reverse", "AS008", "no call is left"),
        ("name", "AS008", "of another function"),
        ("width", "AS004", "half"),
        ("integers", "AS004", "integers"),
        ("long double", "AS004", "in an object of unknown type"),
        ("copy of a long double", "AS004", "in an object of unknown type"),
        ("long double of many ones", "AS004", "in an object of unknown type"),
        ("long double stored", "AS032", "1st pointer argument"),
        ("other thread", "AS004", "earlier call"),
        ("read as a constant", "AS027", "so far"),
        ("shadow of a tangent", "AS013", "so far"),
        ("frame that has returned", "AS010", "so far"),
        ("frame that was left", "AS010", "so far"),
        ("thread that runs", "AS006", "a thread of boundary"),
        ("real in integer", "AS033", "1st pointer argument"),
        ("tangent and recording", "AS049", "a tangent and a recording exist at the same time"),
        ("library memory", "AS013", "`fresh`"),
        ("pointer to library memory", "AS013", "`fresh_at`"),
        ("handler", "the handler of the program", "11"),
        ("fault", "the call of `wild`", "address 0x10"),
        ("instruction", "AS012", "first by aesenc"),
    ];
    for (what, code, part) in cases {
        let output = run("errors.c", &["-O1", "-maes", "-mfpmath=sse"], &[], true, &[what]);
        let printed = text(&output);
        assert!(
            !output.status.success() && printed.contains(code) && printed.contains(part),
            "{what}: {printed}"
        );
    }
}

#[test]
fn installed_libraries_in_recording_mode() {
    let names = [
        "lapack/liblapack.so.3", "blas/libblas.so.3", "libgsl.so", "libgslcblas.so", "libfftw3.so",
    ];
    with_installed("reverse.c", &["-O2"], "", &names);
}

#[test]
fn exceptions_pass_through() {
    FLAGS.iter().for_each(|flags| passes("exceptions.cpp", flags, &["-lstdc++"], true));
}
