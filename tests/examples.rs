//! The programs of `examples`: each folder is copied, and `make` in the copy builds and runs its
//! programs, which compare derivatives with closed forms or differences. One that needs a library
//! which is not installed is skipped.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use adtests::harness::{self, Case};
use adtests::program::Places;
use adtoolchain::{DRIVER, is_library_found, succeed};
use libtest_mimic::{Completion, Failed};

const LIMIT: Duration = Duration::from_secs(120);
/// What a program prints last when its gradient is right.
const RIGHT: &str = "right";
/// Folders that need a library, what the linker finds where it is installed, and Debian's package.
const NEEDS: [(&str, &str, &str); 2] = [
    ("cvode", "libsundials_cvodes.so", "libsundials-dev"),
    ("newton", "libipopt.so", "coinor-libipopt-dev"),
];
/// The commands under which the driver is called, and the variables of the Makefiles for them.
const COMMANDS: [(&str, &str); 3] = [("ADCC", "adcc"), ("ADCXX", "ad++"), ("ADFC", "adfc")];

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), cases)
}

fn cases(places: &Arc<Places>) -> Result<Vec<Case>, String> {
    let folder = places.tools.root.join("examples");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    if names.len() < 8 || NEEDS.iter().any(|(name, ..)| !names.iter().any(|n| n == name)) {
        return Err(format!("examples has only {names:?}"));
    }
    let case = |name: String| {
        let places = places.clone();
        Case::new(format!("examples/{name}"), move || {
            if let Some((_, _, package)) =
                NEEDS.iter().find(|(of, file, _)| *of == name && !is_library_found(file))
            {
                let why = format!("{package} is not installed; scripts/setup.sh installs it");
                return Ok(Completion::ignored_with(why));
            }
            runs(&places, &name).map(|()| Completion::Completed)
        })
    };
    Ok(names.into_iter().map(case).collect())
}

/// `make` succeeds in a copy of the folder, and its program says that the gradient is right. The
/// folder has a page.
fn runs(places: &Places, name: &str) -> Result<(), Failed> {
    let source = places.tools.root.join("examples").join(name);
    if !source.join("README.md").is_file() {
        return Err(format!("examples/{name} has no README.md").into());
    }
    let folder = places.scratch.join("examples").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    copy_files(&source, &folder)?;
    let bin = folder.join("bin");
    fs::create_dir(&bin)?;
    let mut make = Command::new("make");
    make.current_dir(&folder);
    // Not the jobs of an outer `make`, whose pipe is not passed on.
    make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    for (variable, command) in COMMANDS {
        let link = bin.join(command);
        std::os::unix::fs::symlink(places.tools.part(DRIVER), &link)?;
        make.arg(format!("{variable}={}", link.display()));
    }
    let done = succeed(&mut make, LIMIT)?;
    if done.stdout.lines().last() == Some(RIGHT) {
        return Ok(());
    }
    Err(format!("make does not say '{RIGHT}' at the end: {done}").into())
}

/// Copies what git would: the files of a folder, without what a build by hand left in it.
fn copy_files(from: &Path, to: &Path) -> Result<(), Failed> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_source = name == "Makefile"
            || [".c", ".h", ".cpp", ".f90"].iter().any(|ending| name.ends_with(ending));
        if is_source && !name.ends_with("_b.h") {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
