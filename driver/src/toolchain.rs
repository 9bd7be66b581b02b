//! Finds the compiler to run and the files that adcc adds to its command line.
//!
//! The compiler: `ADCC_CLANG`, `ADCC_CLANGXX` or `ADCC_FLANG`; else `clang-22` (`clang++-22`,
//! `flang-22`) on PATH; else `/usr/lib/llvm-22/bin`. It is never run just to ask its version: that
//! would cost a process per compilation, and the plugin checks the version when it is loaded. A
//! file name or installation folder that tells another major is refused here all the same.
//!
//! The files: per-file variables first, then `ADCC_PREFIX`, then beside the executable (cargo's
//! target folder inside the source tree), then the install prefix around the executable. The
//! runtimes for i386 are in a folder `i386` beside those for x86-64.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::target::Machine;

/// The LLVM major that the plugin is built for.
pub const LLVM_MAJOR: u32 = 22;

/// Which compiler the driver stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// `adcc`
    C,
    /// `ad++`
    Cxx,
    /// `adfc`
    Fortran,
}

impl Driver {
    /// By the name it was called with: `ad++` and `adfc`, also with a folder, a target prefix
    /// (`x86_64-linux-gnu-ad++`) or a version suffix (`adfc-22`). Everything else is C.
    pub fn from_argv0(argv0: &Path) -> Driver {
        let name = argv0.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let base = name.strip_suffix(".exe").unwrap_or(&name);
        let base = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let base = base.strip_suffix('-').unwrap_or(base);
        let is = |stem: &str| {
            base.strip_suffix(stem).is_some_and(|before| before.is_empty() || before.ends_with('-'))
        };
        if is("ad++") {
            Driver::Cxx
        } else if is("adfc") {
            Driver::Fortran
        } else {
            Driver::C
        }
    }

    /// The value of `--ad-driver=`.
    pub fn from_option(value: &str) -> Option<Driver> {
        match value {
            "c" => Some(Driver::C),
            "c++" => Some(Driver::Cxx),
            "fortran" => Some(Driver::Fortran),
            _ => None,
        }
    }

    /// The language, for messages.
    pub fn language(self) -> &'static str {
        match self {
            Driver::C => "C",
            Driver::Cxx => "C++",
            Driver::Fortran => "Fortran",
        }
    }

    fn stem(self) -> &'static str {
        match self {
            Driver::C => "clang",
            Driver::Cxx => "clang++",
            Driver::Fortran => "flang",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Driver::C => "ADCC_CLANG",
            Driver::Cxx => "ADCC_CLANGXX",
            Driver::Fortran => "ADCC_FLANG",
        }
    }
}

/// The compiler to run for this driver.
///
/// # Errors
/// [`Error::NoCompiler`] when nothing executable is found, [`Error::WrongMajor`] when the name of
/// what was found tells another LLVM.
pub fn find_compiler(driver: Driver) -> Result<PathBuf, Error> {
    let variable = driver.variable();
    let named = nonempty(variable);
    let wanted = match &named {
        Some(name) => PathBuf::from(name),
        None => PathBuf::from(format!("{}-{LLVM_MAJOR}", driver.stem())),
    };
    let mut found = look_up(&wanted);
    if found.is_none() && named.is_none() {
        let fallback = PathBuf::from(format!("/usr/lib/llvm-{LLVM_MAJOR}/bin/{}", driver.stem()));
        found = is_executable(&fallback).then_some(fallback);
    }
    let Some(path) = found else {
        let reason = if named.is_some() {
            format!("{variable} names it, but there is no such program")
        } else {
            format!("not on PATH, nor in /usr/lib/llvm-{LLVM_MAJOR}/bin")
        };
        return Err(Error::NoCompiler { name: wanted.display().to_string(), reason, variable });
    };
    if named.is_some() && is_this_program(&path) {
        let reason = format!("{variable} names adcc itself");
        return Err(Error::NoCompiler { name: wanted.display().to_string(), reason, variable });
    }
    match major_in_path(&path) {
        Some(found) if found != LLVM_MAJOR => Err(Error::WrongMajor { path, found, variable }),
        _ => Ok(path),
    }
}

/// As a shell finds a command: a path as it is, a bare name on PATH.
fn look_up(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return is_executable(program).then(|| program.to_path_buf());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(program)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Running oneself as the compiler would never end.
fn is_this_program(path: &Path) -> bool {
    match (path.canonicalize(), env::current_exe().and_then(|e| e.canonicalize())) {
        (Ok(path), Ok(exe)) => path == exe,
        _ => false,
    }
}

/// The LLVM major that a path tells: `clang-21`, or a folder `llvm-21` after resolving links.
fn major_in_path(path: &Path) -> Option<u32> {
    let of_name = path.file_name()?.to_str()?.rsplit_once('-').and_then(|(_, n)| n.parse().ok());
    of_name.or_else(|| {
        path.canonicalize().ok()?.components().rev().find_map(|part| {
            part.as_os_str().to_str()?.strip_prefix("llvm-")?.split('.').next()?.parse().ok()
        })
    })
}

/// Where the files that adcc adds may be.
#[derive(Debug)]
pub struct Places {
    /// The machine that the runtimes are for.
    machine: Machine,
    /// `libadpass.so` candidates, best first.
    plugin: Vec<PathBuf>,
    /// `libadrt.a` candidates.
    runtime: Vec<PathBuf>,
    /// `libadshadow.a` candidates.
    shadow: Vec<PathBuf>,
    /// Folders that may hold `ad.h`.
    include: Vec<PathBuf>,
    /// Folders that may hold `ad.mod`.
    modules: Vec<PathBuf>,
}

impl Places {
    /// From the environment and the place of the executable (links resolved).
    pub fn from_environment(machine: Machine) -> Places {
        let exe = env::current_exe().and_then(|e| e.canonicalize()).ok();
        let one = |name| nonempty(name).map(PathBuf::from);
        let prefix = one("ADCC_PREFIX");
        let (runtime, shadow) = match machine {
            Machine::I386 => ("ADCC_RUNTIME_I386", "ADCC_SHADOW_I386"),
            Machine::X86_64 | Machine::Other(_) => ("ADCC_RUNTIME", "ADCC_SHADOW"),
        };
        let mut places = Places::around(machine, prefix.as_deref(), exe.as_deref());
        // A variable that names one file is an instruction of the user: nothing else is tried.
        for (name, list) in [
            ("ADCC_PLUGIN", &mut places.plugin),
            (runtime, &mut places.runtime),
            (shadow, &mut places.shadow),
            ("ADCC_INCLUDE", &mut places.include),
            ("ADCC_MODULES", &mut places.modules),
        ] {
            if let Some(path) = one(name) {
                *list = vec![path];
            }
        }
        places
    }

    fn around(machine: Machine, prefix: Option<&Path>, exe: Option<&Path>) -> Places {
        let mut places = Places {
            machine,
            plugin: vec![],
            runtime: vec![],
            shadow: vec![],
            include: vec![],
            modules: vec![],
        };
        if let Some(prefix) = prefix {
            places.add_prefix(prefix);
        }
        if let Some(bin) = exe.and_then(Path::parent) {
            places.plugin.push(bin.join("libadpass.so"));
            let own = bin.join(places.machine.folder());
            places.runtime.push(own.join("libadrt.a"));
            places.shadow.push(own.join("libadshadow.a"));
            places.modules.push(bin.to_path_buf());
            if let Some(tree) = bin.parent().and_then(Path::parent) {
                places.include.push(tree.join("runtime/include"));
                places.modules.push(tree.join("runtime/fortran"));
            }
            if let Some(prefix) = bin.parent() {
                places.add_prefix(prefix);
            }
        }
        places
    }

    fn add_prefix(&mut self, prefix: &Path) {
        for folder in ["lib/adcc", "lib"] {
            let folder = prefix.join(folder);
            self.plugin.push(folder.join("libadpass.so"));
            let own = folder.join(self.machine.folder());
            self.runtime.push(own.join("libadrt.a"));
            self.shadow.push(own.join("libadshadow.a"));
        }
        for dir in ["include", "include/adcc"] {
            self.include.push(prefix.join(dir));
            self.modules.push(prefix.join(dir));
        }
        self.modules.push(prefix.join("include/fortran"));
    }

    /// The plugin.
    ///
    /// # Errors
    /// [`Error::NoPlugin`] with every place that was looked at.
    pub fn plugin(&self) -> Result<&Path, Error> {
        first_file(&self.plugin).ok_or_else(|| Error::NoPlugin { searched: listed(&self.plugin) })
    }

    /// The runtime library.
    ///
    /// # Errors
    /// [`Error::NoRuntime`] with every place that was looked at; [`Error::Target`] where there is
    /// none for the machine.
    pub fn runtime(&self) -> Result<&Path, Error> {
        if let Machine::Other(name) = &self.machine {
            return Err(Error::Target { name: name.clone() });
        }
        first_file(&self.runtime).ok_or_else(|| Error::NoRuntime {
            machine: self.machine.clone(),
            searched: listed(&self.runtime),
        })
    }

    /// The shadow runtime. None is no error: then calls of prebuilt functions that meet active data
    /// are.
    pub fn shadow_runtime(&self) -> Option<&Path> {
        let is_known = !matches!(self.machine, Machine::Other(_));
        first_file(&self.shadow).filter(|_| is_known)
    }

    /// The folder of `ad.h`. None is no error: a program with command-line requests needs no
    /// header.
    pub fn include(&self) -> Option<&Path> {
        self.include.iter().find(|dir| dir.join("ad.h").is_file()).map(PathBuf::as_path)
    }

    /// The folder of `ad.mod`, the compiled Fortran module. None is no error, as for the header.
    pub fn modules(&self) -> Option<&Path> {
        self.modules.iter().find(|dir| dir.join("ad.mod").is_file()).map(PathBuf::as_path)
    }
}

fn first_file(candidates: &[PathBuf]) -> Option<&Path> {
    candidates.iter().find(|file| file.is_file()).map(PathBuf::as_path)
}

fn listed(candidates: &[PathBuf]) -> String {
    let shown: Vec<String> = candidates.iter().map(|c| c.display().to_string()).collect();
    shown.join(", ")
}

/// An environment variable that is set and not empty.
pub fn nonempty(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_invoked_name_decides_the_driver() {
        for (name, driver) in [
            ("adcc", Driver::C),
            ("/usr/bin/adcc", Driver::C),
            ("ad++", Driver::Cxx),
            ("/usr/bin/ad++", Driver::Cxx),
            ("x86_64-linux-gnu-ad++-22", Driver::Cxx),
            ("./adfc", Driver::Fortran),
            ("adfc-22.1", Driver::Fortran),
            ("load++", Driver::C),
            ("/ad++/adcc", Driver::C),
            ("", Driver::C),
        ] {
            assert_eq!(Driver::from_argv0(Path::new(name)), driver, "{name}");
        }
    }

    #[test]
    fn the_major_is_read_from_names_only() {
        assert_eq!(major_in_path(Path::new("/nowhere/clang-21")), Some(21));
        assert_eq!(major_in_path(Path::new("clang++-22")), Some(22));
        assert_eq!(major_in_path(Path::new("/nowhere/clang")), None);
        assert_eq!(major_in_path(Path::new("/nowhere/x86-64-clang")), None);
    }

    #[test]
    fn prefix_comes_before_the_executable() {
        let around = |machine| {
            Places::around(
                machine,
                Some(Path::new("/opt/ad")),
                Some(Path::new("/src/target/release/adcc")),
            )
        };
        let places = around(Machine::X86_64);
        assert_eq!(places.runtime[0], Path::new("/opt/ad/lib/adcc/libadrt.a"));
        assert_eq!(places.runtime[1], Path::new("/opt/ad/lib/libadrt.a"));
        let narrow = around(Machine::I386);
        assert_eq!(narrow.runtime[0], Path::new("/opt/ad/lib/adcc/i386/libadrt.a"));
        assert_eq!(narrow.shadow[2], Path::new("/src/target/release/i386/libadshadow.a"));
        assert_eq!(places.plugin[0], Path::new("/opt/ad/lib/adcc/libadpass.so"));
        assert_eq!(places.plugin[2], Path::new("/src/target/release/libadpass.so"));
        assert_eq!(places.plugin[3], Path::new("/src/target/lib/adcc/libadpass.so"));
        assert!(places.include.contains(&PathBuf::from("/src/runtime/include")));
        assert!(places.modules.contains(&PathBuf::from("/src/runtime/fortran")));
    }
}
