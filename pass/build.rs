//! Compiles the C++ shim against LLVM 22's headers, and the models of library functions to bitcode
//! with its clang. `LLVM_SYS_221_PREFIX` (see `.cargo/config.toml`) says where they are.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The models, one bitcode file each.
const MODELS: &[&str] = &["list.c", "openmp.c", "resource.c", "tree.c", "strings.cpp"];

/// Models of flang's runtime, one bitcode file each.
const FORTRAN_MODELS: &[&str] = &[
    "allocate", "assign", "construct", "find", "inquire", "matmul", "quad", "read", "reduce",
    "reduce_by", "temporaries", "text", "transfer", "transform",
];

/// The shim's files.
const SHIM: &[&str] = &[
    "plugin", "select", "attributes", "function", "calls", "unwind", "globals", "diagnose",
    "remark", "registry", "models", "choices", "extent", "range", "markers", "outline", "stack",
    "exits", "labels", "windows", "carry", "parts", "handles", "leaving", "units", "open", "scope",
    "fortran", "same", "temporaries", "strips",
];

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let prefix = PathBuf::from(prefix);
    compile_models(&prefix.join("bin/clang"));
    compile_fortran_models(&prefix.join("bin"));
    compile_primer(&prefix.join("bin/clang++"));
    let mut shim = cc::Build::new();
    shim.cpp(true)
        .compiler(prefix.join("bin/clang++"))
        .std("c++17")
        .flag("-isystem")
        .flag(prefix.join("include").to_str().expect("the LLVM prefix is valid UTF-8"))
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("_GNU_SOURCE", None)
        // Glue: what takes time is in LLVM.
        .opt_level(1)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        // libstdc++'s own use of what it deprecates is reported where headers are compiled before.
        .flag("-Wno-deprecated-declarations");
    let headers = compile_headers(&shim);
    shim.files(SHIM.iter().map(|name| format!("shim/{name}.cpp")))
        .flag("-include-pch")
        .flag(headers.to_str().expect("OUT_DIR is valid UTF-8"))
        .compile("adshim");
}

/// The headers of LLVM and of the standard library that any file of the shim includes, compiled
/// once for all: LLVM's take five seconds, in each of two dozen files.
fn compile_headers(shim: &cc::Build) -> PathBuf {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (header, compiled) = (out.join("shim.h"), out.join("shim.h.pch"));
    let files = std::fs::read_dir("shim").expect("the shim is there");
    let mut includes = BTreeSet::new();
    for file in files.map(|entry| entry.expect("an entry").path()) {
        let text = std::fs::read_to_string(&file).expect("the shim is text");
        let outside =
            |line: &&str| ["#include \"llvm", "#include <"].iter().any(|s| line.starts_with(s));
        includes.extend(text.lines().filter(outside).map(str::to_owned));
    }
    let text: Vec<String> = includes.into_iter().map(|line| line + "\n").collect();
    std::fs::write(&header, text.concat()).expect("a file in OUT_DIR");
    let mut command = shim.get_compiler().to_command();
    command.args(["-x", "c++-header", "-fpch-instantiate-templates"]);
    let status = command.arg(&header).arg("-o").arg(&compiled).status();
    assert!(status.is_ok_and(|s| s.success()), "clang++ cannot compile LLVM's headers");
    compiled
}

/// As the front end emits them, without what it says of aliases: passes merge accesses to different
/// members of a node into one whose address is chosen.
fn compile_models(clang: &Path) {
    println!("cargo:rerun-if-changed=models");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for model in MODELS {
        let (name, is_cpp) =
            model.split_once('.').map(|(name, ending)| (name, ending == "cpp")).expect("a file");
        let language = if is_cpp {
            ["--driver-mode=g++", "-std=c++17"]
        } else {
            ["--driver-mode=gcc", "-std=c17"]
        };
        let compile = |ending: &str, width: &str| {
            let mut command = Command::new(clang);
            command.args(language).arg(width);
            command.args(["-O1", "-fno-strict-aliasing", "-Xclang", "-disable-llvm-passes"]);
            command.args(["-Wall", "-Wextra", "-Werror", "-c", "-emit-llvm", "-o"]);
            command.arg(out.join(format!("{name}{ending}.bc"))).arg(format!("models/{model}"));
            command
        };
        let status = compile("", "-m64").status();
        assert!(
            status.is_ok_and(|s| s.success()),
            "{} cannot compile models/{model}",
            clang.display()
        );
        // Where there are no headers for i386, its programs do without this model.
        if !compile("32", "-m32").output().is_ok_and(|o| o.status.success()) {
            std::fs::write(out.join(format!("{name}32.bc")), []).expect("a file in OUT_DIR");
        }
    }
}

/// Those over flang's descriptors, each function in one piece; writes which symbol is in which file.
fn compile_fortran_models(tools: &Path) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let run = |tool: &str, arguments: &[&str]| {
        let output = Command::new(tools.join(tool)).args(arguments).output();
        let output = output.unwrap_or_else(|e| panic!("{tool}: {e}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{tool} {arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("names are text")
    };
    let passes = "always-inline,function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),globaldce";
    let mut rows = vec![];
    for name in FORTRAN_MODELS {
        let source = format!("models/fortran/{name}.c");
        let [raw, bitcode] = [".raw.bc", ".bc"].map(|ending| {
            let file = out.join(format!("fortran_{name}{ending}"));
            file.to_str().expect("OUT_DIR is valid UTF-8").to_owned()
        });
        // What LLVM says of types tells members of descriptors from elements.
        let flags = ["-std=c17", "-O1", "-Xclang", "-disable-llvm-passes"];
        let rest = ["-Wall", "-Wextra", "-Werror", "-c", "-emit-llvm", "-o", &raw, &source];
        run("clang", &[&flags[..], &rest].concat());
        run("opt", &[&format!("-passes={passes}"), &raw, "-o", &bitcode]);
        let names =
            run("llvm-nm", &["--defined-only", "--extern-only", "--just-symbol-name", &bitcode]);
        rows.extend(
            names.lines().map(|symbol| format!("    ({symbol:?}, include_bytes!({bitcode:?})),\n")),
        );
    }
    rows.sort();
    let text = format!("&[\n{}]\n", rows.concat());
    std::fs::write(out.join("fortran.rs"), text).expect("a file in OUT_DIR");
}

/// As units are when they are packed: simplified, not vectorised, with lines, without lists of uses. Folders
/// are left out, so that all builds make the same.
fn compile_primer(clang: &Path) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let status = Command::new(clang)
        .args(["-O2", "-std=c++17", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"])
        .args(["-fno-discard-value-names", "-Rpass-analysis=^adcc$", "-fdebug-compilation-dir=/"])
        .args(["-Wall", "-Wextra", "-Werror", "-Xclang", "-emit-llvm-bc", "-c", "-o"])
        .arg(out.join("primer.bc"))
        .arg("models/primer.cpp")
        .status();
    assert!(
        status.is_ok_and(|s| s.success()),
        "{} cannot compile models/primer.cpp",
        clang.display()
    );
}
