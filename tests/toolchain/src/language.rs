//! Languages and their compilers, and LLVM's tools.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The LLVM that the plugin is built for.
const MAJOR: u32 = 22;
/// Names another compiler for C.
const CLANG: &str = "AD_CLANG";

/// Options for links: lld is five times as fast as GNU ld here, and nothing reads the debug
/// information of the runtime.
pub const FAST_LINK: [&str; 2] = ["-fuse-ld=lld", "-Wl,--strip-debug"];

/// The language of a source, which chooses the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.c`, and `.ll`
    C,
    /// `.cpp`
    Cpp,
    /// `.f90`
    Fortran,
}

impl Language {
    /// By the file's extension; `None` for a file that is no program (a header, say).
    pub fn of(file: &Path) -> Option<Language> {
        match file.extension()?.to_str()? {
            // The C compiler takes LLVM IR as well.
            "c" | "ll" => Some(Language::C),
            "cpp" => Some(Language::Cpp),
            "f90" => Some(Language::Fortran),
            _ => None,
        }
    }

    /// The compiler that the plugin works with. For C, `AD_CLANG` names another one.
    pub fn compiler(self) -> OsString {
        match self {
            Language::C => std::env::var_os(CLANG).unwrap_or_else(|| versioned("clang")),
            Language::Cpp => versioned("clang++"),
            Language::Fortran => versioned("flang"),
        }
    }
}

/// A tool of LLVM, such as `opt`.
pub fn llvm(tool: &str) -> Command {
    Command::new(versioned(tool))
}

fn versioned(tool: &str) -> OsString {
    format!("{tool}-{MAJOR}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_extension() {
        assert_eq!(Language::of(Path::new("a.c")), Some(Language::C));
        assert_eq!(Language::of(Path::new("a.cpp")), Some(Language::Cpp));
        assert_eq!(Language::of(Path::new("a.f90")), Some(Language::Fortran));
        assert_eq!(Language::of(Path::new("check.h")), None);
    }
}
