//! Errors of the driver itself: a stable code, the reason, the remedy.
//!
//! Printed as `adcc: error ADCC01: reason` and `adcc: remedy: …`. What the compiler, the plugin or
//! the linker report is theirs and passes through. Wrong use of an option of ours exits with 2,
//! everything else with 1. The codes are listed in docs/reference/adcc.md and never change their meaning.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::link::Obstacle;
use crate::target::Machine;
use crate::toolchain::LLVM_MAJOR;

/// What adcc itself can report.
#[derive(Debug, Error)]
pub enum Error {
    /// An `--ad-…` option is malformed.
    #[error("{option}: {reason}")]
    Usage {
        /// The option as the user wrote it.
        option: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No compiler to run.
    #[error("no {name} found: {reason}")]
    NoCompiler {
        /// `clang-22` and the like.
        name: String,
        /// Where it was looked for.
        reason: String,
        /// The variable that names one.
        variable: &'static str,
    },
    /// The compiler belongs to another LLVM.
    #[error("{path} uses LLVM {found}, but the plugin is built for LLVM {LLVM_MAJOR}")]
    WrongMajor {
        /// The compiler found.
        path: PathBuf,
        /// The major that its name tells.
        found: u32,
        /// The variable that names another one.
        variable: &'static str,
    },
    /// `libadpass.so` was not found.
    #[error("the plugin libadpass.so was not found (searched: {searched})")]
    NoPlugin {
        /// The places, comma-separated.
        searched: String,
    },
    /// `libadrt.a` was not found, and something is to be linked.
    #[error("the runtime libadrt.a{} was not found (searched: {searched})", if *machine == Machine::I386 { " for 32-bit x86" } else { "" })]
    NoRuntime {
        /// For which machine.
        machine: Machine,
        /// The places, comma-separated.
        searched: String,
    },
    /// A file beside the runtime was not found.
    #[error("{file} was not found (searched: {path})")]
    NoPart {
        /// Its name.
        file: &'static str,
        /// Where it should be.
        path: PathBuf,
    },
    /// There is no runtime for the target.
    #[error(
        "there is no runtime for target {name}: derivatives are made for x86-64 and, with -m32, for i386, under Linux"
    )]
    Target {
        /// The target.
        name: String,
    },
    /// No source of the command defines what a head names, or no object of the link.
    #[error("{reason} `{name}`, named by {option}")]
    HeadUnseen {
        /// What is missing.
        reason: &'static str,
        /// The function's name in the head.
        name: String,
        /// The option as the user wrote it.
        option: String,
    },
    /// A source of a language that this driver's compiler cannot compile with the plugin.
    #[error("{path} is {language}, but this is the {driver} compiler")]
    Language {
        /// The source file.
        path: String,
        /// Its language.
        language: &'static str,
        /// The language of the driver as invoked.
        driver: &'static str,
        /// The name to use instead.
        instead: &'static str,
    },
    /// Names of Fortran dummy arguments cannot be had.
    #[error("{option}: {reason}")]
    FortranNames {
        /// The option as the user wrote it.
        option: String,
        /// Why the names are unknown.
        reason: String,
    },
    /// A program that calls machine code, in a form in which that has no derivatives.
    #[error("{}", reason_of(obstacle))]
    Prebuilt {
        /// What is in the way.
        obstacle: Obstacle,
    },
    /// The linker was not found.
    #[error("no linker {name} found: not on PATH, nor beside the compiler")]
    NoLinker {
        /// `ld` and the like.
        name: String,
    },
    /// An object carries IR that this adcc cannot read.
    #[error("{}: it carries IR of another version of adcc, or is broken", path.display())]
    Strange {
        /// The object, or its archive.
        path: PathBuf,
    },
    /// The link takes a symbol for another one.
    #[error(
        "the link takes another symbol for `{symbol}` ({option}), which derivatives across files do not follow"
    )]
    Renamed {
        /// The symbol.
        symbol: String,
        /// The linker's option.
        option: String,
    },
    /// Two heads make functions of one name.
    #[error(
        "{option} and {other} of this link make functions of one name, {}",
        if *is_one_function { "in two ways" } else { "for two functions" }
    )]
    HeadTwice {
        /// The later head.
        option: String,
        /// The earlier one.
        other: String,
        /// Whether both are for the same function.
        is_one_function: bool,
    },
    /// Units of one program were compiled with the headers of two MPIs.
    #[error("units of this link were compiled with different MPIs: {} and {}", first.display(), second.display())]
    SeveralMpi {
        /// One header.
        first: PathBuf,
        /// Another.
        second: PathBuf,
    },
    /// Derivatives of messages between ranks cannot be compiled.
    #[error("derivatives of messages between ranks cannot be compiled against {}", header.display())]
    Rules {
        /// The program's mpi.h.
        header: PathBuf,
    },
    /// The operating system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The reason of the operating system.
        source: io::Error,
    },
}

/// Why there is no shadow runtime.
fn reason_of(obstacle: &Obstacle) -> String {
    const WHAT: &str = "differentiated code calls functions that exist only as machine code";
    match obstacle {
        Obstacle::NoPie => format!(
            "{WHAT}, but with -no-pie the addresses of the program are too low for shadow memory"
        ),
        Obstacle::Static(option) => format!(
            "{WHAT}, but with {option} the runtime cannot tell these functions from those of the C \
            library"
        ),
        Obstacle::Sanitizer(name) => {
            format!(
                "{WHAT}, but -fsanitize={name} takes the allocation functions and the address \
                space that their derivatives need"
            )
        }
    }
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Usage { .. } => "ADCC01",
            Error::NoCompiler { .. } => "ADCC02",
            Error::WrongMajor { .. } => "ADCC03",
            Error::NoPlugin { .. } => "ADCC04",
            Error::NoRuntime { .. } | Error::NoPart { .. } => "ADCC05",
            Error::HeadUnseen { .. } => "ADCC06",
            Error::Language { .. } => "ADCC07",
            Error::FortranNames { .. } => "ADCC08",
            Error::Io { .. } => "ADCC09",
            Error::Target { .. } => "ADCC10",
            Error::Prebuilt { .. } => "ADCC11",
            Error::NoLinker { .. } => "ADCC12",
            Error::Strange { .. } => "ADCC13",
            Error::Renamed { .. } => "ADCC14",
            Error::HeadTwice { .. } => "ADCC15",
            Error::SeveralMpi { .. } | Error::Rules { .. } => "ADCC16",
        }
    }

    /// What the user can do.
    pub fn remedy(&self) -> String {
        match self {
            Error::Usage { .. } => "see adcc --help".into(),
            Error::NoCompiler { variable, .. } | Error::WrongMajor { variable, .. } => {
                format!("install LLVM {LLVM_MAJOR}, or name its compiler in {variable}")
            }
            Error::NoPlugin { .. } => {
                "build it (cargo build --release), or set ADCC_PREFIX or ADCC_PLUGIN".into()
            }
            Error::NoRuntime { machine: Machine::I386, .. } => {
                "build it (make build, with a C library for i386 and `rustup target add i686-unknown-linux-gnu`), \
                 or set ADCC_PREFIX or ADCC_RUNTIME_I386"
                    .into()
            }
            Error::NoPart { .. } => "build it (make build)".into(),
            Error::Target { .. } => "link with the target's own compiler, or with -nostdlib".into(),
            Error::NoRuntime { .. } => {
                "build it (cargo build --release), set ADCC_PREFIX or ADCC_RUNTIME, \
                 or link with -nostdlib and name the libraries yourself"
                    .into()
            }
            Error::HeadUnseen { .. } => "check the spelling; in C++ qualify the name (ns::f); \
                 a static function that nothing calls does not reach the plugin, and an inline one only \
                 where its file is compiled with the head"
                .into(),
            Error::Language { instead, .. } => {
                format!("compile it with {instead} -c and give the object to the link")
            }
            Error::FortranNames { .. } => {
                "name arguments by position ($1, $2, …) or name the function alone".into()
            }
            Error::Prebuilt { obstacle } => {
                let form = match obstacle {
                    Obstacle::NoPie => "link with -pie, the default (and compile without -fno-pie)",
                    Obstacle::Static(_) => "link the libraries of the system as shared libraries; \
                        your own libraries may be archives",
                    Obstacle::Sanitizer(_) => "build without that sanitizer (-fsanitize=undefined can stay)",
                };
                format!("{form}; or compile the functions with the caller, or register derivatives \
                    of them; --ad-prebuilt=error lists them")
            }
            Error::NoLinker { .. } => "install binutils or lld, or name a linker with -fuse-ld=".into(),
            Error::Strange { .. } => "compile it again, or link with --ad-no-ir".into(),
            Error::Renamed { .. } => "link without the option, or with --ad-no-ir: requests then have the answers of their \
                own files"
                .into(),
            Error::HeadTwice { is_one_function: true, .. } => "give the same head wherever the program is built".into(),
            Error::HeadTwice { .. } => "give the head to the compilation of one of the files, or rename a function".into(),
            Error::SeveralMpi { .. } => "compile all units with the wrapper of one MPI (mpicc)".into(),
            Error::Rules { .. } => "install the MPI's development files as its mpicc expects them; supported are MPI 3.0 and later".into(),
            Error::Io { .. } => "check permissions and free space of the temporary folder".into(),
        }
    }

    /// 2 for wrong use of our options, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage { .. } => 2,
            _ => 1,
        }
    }

    /// An I/O error with what was tried.
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Error::Io { what: what.into(), source }
    }
}
