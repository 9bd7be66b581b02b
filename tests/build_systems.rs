//! adcc in build systems, and installed: each folder of `tests/build_systems` is a project with a
//! script `run.sh`, which builds it and fails where something is other than it should be. It runs in
//! a folder of its own, with the sources of `common` beside the project's.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adtoolchain::testing::{must, tools};
use adtoolchain::{DRIVER, succeed};

/// Of a script, which builds its project in several ways.
const LIMIT: Duration = Duration::from_secs(240);

/// Runs a project's script; `programs` are those that it needs beside compilers.
fn build(project: &str, programs: &[&str]) {
    for program in programs {
        if !is_there(program) {
            admachine::skip_without(program, &format!("{program} is not installed"));
            return;
        }
    }
    let tools = tools();
    if let Some(why) = tools.missing(&[DRIVER, "adshadow.so", "libadguest.a"]) {
        panic!("{why}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).expect("made");
    let named = |name: &str| -> PathBuf {
        let link = bin.join(name);
        std::os::unix::fs::symlink(tools.part(DRIVER), &link).expect("linked");
        link
    };
    let [cc, cxx, fc] = ["adcc", "ad++", "adfc"].map(named);
    let work = folder.path().join("project");
    std::fs::create_dir(&work).expect("made");
    let sources = tools.root.join("tests/build_systems");
    for from in ["common", project] {
        must(Command::new("cp").arg("-R").arg(sources.join(from).join(".")).arg(&work));
    }
    // Others may look into it.
    must(Command::new("chmod").args(["-R", "a+rX"]).arg(folder.path()));
    let mut script = Command::new("bash");
    script.args(["-eu", "-o", "pipefail", "run.sh"]).current_dir(&work);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AD") {
            script.env_remove(name);
        }
    }
    // In the tree, adcc finds the header by itself.
    if !is_in_tree(&tools.build, &tools.root) {
        script.env("ADCC_INCLUDE", tools.headers());
    }
    script.env("CC", cc).env("CXX", cxx).env("FC", fc);
    script.env("ROOT", &tools.root).env("BUILD", &tools.build);
    let done = succeed(&mut script, LIMIT).unwrap_or_else(|why| panic!("{why}"));
    for line in done.stdout.lines().filter(|line| line.starts_with(admachine::PARTLY)) {
        println!("{line}");
    }
    let last = done.stdout.lines().last().unwrap_or_default();
    assert!(["right", "done"].contains(&last), "{project} ends with '{last}'");
}

/// Whether the folder of what was built is where cargo puts it.
fn is_in_tree(build: &Path, root: &Path) -> bool {
    build.canonicalize().ok() == root.join("target/release").canonicalize().ok()
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[test]
fn make_in_parallel() {
    build("make", &["make"]);
}

#[test]
fn requests_and_interfaces_of_fortran() {
    build("fortran", &["flang-22"]);
}

#[test]
fn several_files_of_fortran() {
    build("fortran_files", &["flang-22", "make"]);
}

#[test]
fn cmake_with_adcc_as_the_compilers() {
    build("cmake", &["cmake"]);
}

#[test]
fn cmake_with_the_package() {
    build("cmake_package", &["cmake"]);
}

#[test]
fn meson() {
    build("meson", &["meson", "ninja"]);
}

#[test]
fn autoconf_automake_libtool() {
    build("autotools", &["autoreconf", "libtoolize"]);
}

#[test]
fn ccache() {
    build("ccache", &["ccache"]);
}

#[test]
fn sandboxes_and_equal_objects() {
    build("sandbox", &[]);
}

#[test]
fn an_installation_moved_for_another_user() {
    build("install", &["make", "pkg-config"]);
}

#[test]
fn the_debian_package_and_the_tar_file() {
    build("debian", &["dpkg-deb", "dpkg-shlibdeps", "pkg-config"]);
}

#[test]
fn the_step_alone_before_another_link() {
    build("step", &[]);
}
