//! What adcc must know of the compilers' option spelling: which options take the next word as
//! their value (it is then no input), and which language a file name or `-x` tells.
//!
//! The table was made by asking clang-22 and flang-22: each option of `clang --autocomplete=-` was
//! put last on a command line, and those answered by "argument to … is missing" are here. The
//! test `table_of_separate_values_is_clangs` asks again.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Options whose value is the next word. Sorted.
#[rustfmt::skip]
pub const SEPARATE_VALUE: &[&str] = &[
    "--analyzer-output", "--assert", "--config", "--define-macro", "--dyld-prefix",
    "--for-linker", "--force-link", "--imacros", "--include", "--include-directory",
    "--include-directory-after", "--include-prefix", "--include-with-prefix",
    "--include-with-prefix-after", "--include-with-prefix-before", "--language",
    "--library-directory", "--no-system-header-prefix", "--output", "--param", "--prefix",
    "--print-file-name", "--print-prog-name", "--resource", "--serialize-diagnostics",
    "--specs", "--std", "--sysroot", "--system-header-prefix", "--undefine-macro",
    "--vfsoverlay", "-A", "-B", "-D", "-F", "-G", "-I", "-J", "-L", "-MF", "-MJ", "-MQ", "-MT",
    "-T", "-U", "-V", "-Xanalyzer", "-Xassembler", "-Xclang", "-Xclangas", "-Xcuda-fatbinary",
    "-Xcuda-ptxas", "-Xflang", "-Xlinker", "-Xoffload-linker", "-Xopenmp-target",
    "-Xpreprocessor", "-allowable_client", "-arch", "-b", "-bundle_loader", "-ccc-gcc-name",
    "-ccc-install-dir", "-client_name", "-compatibility_version", "-current_version",
    "-cxx-isystem", "-darwin-target-variant", "-darwin-target-variant-triple",
    "-dependency-dot", "-dependency-file", "-dsym-dir", "-dumpdir", "-dylib_file", "-e",
    "-exported_symbols_list", "-fdebug-compilation-dir",
    "-fexperimental-openacc-macro-override", "-filelist", "-fintrinsic-modules-path",
    "-fmodules-user-build-path", "-force_load", "-framework", "-ftrapv-handler",
    "-gen-cdb-fragment-path", "-hlsl-entry", "-iapinotes-modules", "-idirafter", "-iframework",
    "-iframeworkwithsysroot", "-imacros", "-image_base", "-imultilib", "-include",
    "-include-pch", "-init", "-install_name", "-iprefix", "-iquote", "-isysroot", "-isystem",
    "-isystem-after", "-ivfsoverlay", "-iwithprefix", "-iwithprefixbefore", "-iwithsysroot",
    "-l", "-meabi", "-mllvm", "-mmlir", "-module-dependency-dir", "-module-dir",
    "-mthread-model", "-multiply_defined", "-o", "-read_only_relocs", "-resource-dir",
    "-rpath", "-seg1addr", "-segs_read_only_addr", "-serialize-diagnostics", "-specs",
    "-stdlib++-isystem", "-sub_library", "-target", "-u", "-umbrella", "-undefined",
    "-unexported_symbols_list", "-validator-version", "-vfsoverlay", "-weak_framework",
    "-weak_library", "-working-directory", "-x", "-z",
];

/// How many of the following words belong to this option.
pub fn values_after(option: &OsStr) -> usize {
    let Some(text) = option.to_str() else {
        return 0;
    };
    match text {
        "-sectcreate" => 3,
        "-segaddr" => 2,
        _ if SEPARATE_VALUE.binary_search(&text).is_ok() => 1,
        _ if text.starts_with("-Xarch_") || text.starts_with("-Xopenmp-target=") => 1,
        _ => 0,
    }
}

/// What an input is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// C, C++, Objective-C, CUDA and the like: clang's front end.
    CFamily,
    /// The same after its preprocessor: search paths would be unused arguments.
    Preprocessed,
    /// A header to precompile: no code comes of it.
    Header,
    /// Fortran: flang's front end.
    Fortran,
    /// LLVM's own representation, text or bitcode.
    Ir,
    /// Assembler.
    Assembler,
    /// Object, archive, linker script: everything else.
    LinkerInput,
}

impl InputKind {
    /// Whether a compilation of it runs the optimiser, and so the plugin.
    pub fn becomes_code(self) -> bool {
        match self {
            InputKind::CFamily | InputKind::Preprocessed | InputKind::Fortran | InputKind::Ir => {
                true
            }
            InputKind::Header | InputKind::Assembler | InputKind::LinkerInput => false,
        }
    }
}

/// By the file's suffix.
pub fn kind_of_file(path: &OsStr) -> InputKind {
    let suffix = Path::new(path).extension().map(OsStrExt::as_bytes).unwrap_or_default();
    match suffix {
        b"c" | b"C" | b"cc" | b"CC" | b"cp" | b"cpp" | b"CPP" | b"cxx" | b"CXX" | b"c++"
        | b"C++" | b"m" | b"M" | b"mm" | b"cu" | b"hip" | b"cl" | b"clcpp" | b"cppm" | b"ccm"
        | b"cxxm" | b"c++m" | b"ixx" => InputKind::CFamily,
        b"i" | b"ii" | b"mi" | b"mii" | b"cui" | b"iim" => InputKind::Preprocessed,
        b"h" | b"H" | b"hh" | b"hp" | b"hpp" | b"hxx" | b"h++" => InputKind::Header,
        b"f" | b"F" | b"for" | b"FOR" | b"fpp" | b"FPP" | b"ftn" | b"FTN" | b"f90" | b"F90"
        | b"f95" | b"F95" | b"f03" | b"F03" | b"f08" | b"F08" | b"f18" | b"F18" | b"cuf"
        | b"CUF" | b"i90" => InputKind::Fortran,
        b"ll" | b"bc" | b"fir" | b"mlir" => InputKind::Ir,
        b"s" | b"S" | b"sx" | b"asm" | b"ASM" => InputKind::Assembler,
        _ => InputKind::LinkerInput,
    }
}

/// Whether a file is C++, or a language that extends it, by its suffix.
pub fn is_cpp_file(path: &OsStr) -> bool {
    let suffix = Path::new(path).extension().map(OsStrExt::as_bytes).unwrap_or_default();
    matches!(
        suffix,
        b"C" | b"cc"
            | b"CC"
            | b"cp"
            | b"cpp"
            | b"CPP"
            | b"cxx"
            | b"CXX"
            | b"c++"
            | b"C++"
            | b"M"
            | b"mm"
            | b"cu"
            | b"hip"
            | b"clcpp"
            | b"cppm"
            | b"ccm"
            | b"cxxm"
            | b"c++m"
            | b"ixx"
            | b"ii"
            | b"mii"
    )
}

/// By the value of `-x`; None for `none`, which goes back to suffixes.
pub fn kind_of_language(language: &OsStr) -> Option<InputKind> {
    let text = language.to_string_lossy();
    Some(match &*text {
        "none" => return None,
        "ir" => InputKind::Ir,
        "assembler" | "assembler-with-cpp" => InputKind::Assembler,
        _ if text.starts_with("f9") || text.starts_with("f77") => InputKind::Fortran,
        _ if text.ends_with("-header") || text.ends_with("-header-cpp-output") => InputKind::Header,
        _ if text.ends_with("cpp-output") => InputKind::Preprocessed,
        _ => InputKind::CFamily,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn table_is_sorted() {
        assert!(SEPARATE_VALUE.is_sorted());
    }

    #[test]
    fn files_and_languages() {
        for (name, kind) in [
            ("a.c", InputKind::CFamily),
            ("dir.c/a.o", InputKind::LinkerInput),
            ("x.tab.cc", InputKind::CFamily),
            ("a.ii", InputKind::Preprocessed),
            ("solver.F90", InputKind::Fortran),
            ("old.f", InputKind::Fortran),
            ("a.S", InputKind::Assembler),
            ("a.ll", InputKind::Ir),
            ("a.h", InputKind::Header),
            ("liba.so.1", InputKind::LinkerInput),
            ("noext", InputKind::LinkerInput),
        ] {
            assert_eq!(kind_of_file(OsStr::new(name)), kind, "{name}");
        }
        assert_eq!(kind_of_language(OsStr::new("none")), None);
        assert_eq!(kind_of_language(OsStr::new("f95-cpp-input")), Some(InputKind::Fortran));
        assert_eq!(kind_of_language(OsStr::new("c++-header")), Some(InputKind::Header));
        assert_eq!(kind_of_language(OsStr::new("c++")), Some(InputKind::CFamily));
        assert_eq!(kind_of_language(OsStr::new("c++-cpp-output")), Some(InputKind::Preprocessed));
    }

    #[test]
    fn values_belong_to_their_options() {
        for (option, count) in
            [("-o", 1), ("-oprog", 0), ("-Xarch_host", 1), ("-sectcreate", 3), ("-Wl,-z", 0)]
        {
            assert_eq!(values_after(OsStr::new(option)), count, "{option}");
        }
    }

    /// Each entry, put last, must be answered by "argument … is missing" from clang or flang.
    #[test]
    fn table_of_separate_values_is_clangs() {
        let asks = |compiler: &str, option: &str| {
            let output =
                Command::new(compiler).args(["-###", "-c", "x.c", option]).output().ok()?;
            Some(String::from_utf8_lossy(&output.stderr).contains("is missing"))
        };
        for option in SEPARATE_VALUE {
            let Some(by_clang) = asks("clang-22", option) else {
                admachine::skip_without("clang", "clang-22 is not on PATH");
                return;
            };
            let by_flang = || asks("flang-22", option).unwrap_or(true);
            assert!(by_clang || by_flang(), "{option} takes no separate value");
        }
    }
}
