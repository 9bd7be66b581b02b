//! Compiles the C++ shim against LLVM 22's headers, and the models of library functions to bitcode with its clang.
//! `LLVM_SYS_221_PREFIX` (see `.cargo/config.toml`) says where they are.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The models, one bitcode file each.
const MODELS: &[&str] = &["list", "tree"];

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let prefix = PathBuf::from(prefix);
    compile_models(&prefix.join("bin/clang"));
    let include = prefix.join("include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(["shim/plugin.cpp", "shim/function.cpp", "shim/calls.cpp", "shim/unwind.cpp", "shim/globals.cpp", "shim/diagnose.cpp", "shim/remark.cpp", "shim/registry.cpp", "shim/models.cpp", "shim/extent.cpp"])
        .flag("-isystem")
        .flag(include.to_str().expect("the LLVM prefix is valid UTF-8"))
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("_GNU_SOURCE", None)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .compile("adshim");
}

/// No vectors, no unrolled loops, no alias information: the models are to be differentiated, not run.
fn compile_models(clang: &Path) {
    println!("cargo:rerun-if-changed=models");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for model in MODELS {
        let status = Command::new(clang)
            .args(["-std=c17", "-O2", "-fno-strict-aliasing", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"])
            .args(["-Wall", "-Wextra", "-Werror", "-c", "-emit-llvm", "-o"])
            .arg(out.join(format!("{model}.bc")))
            .arg(format!("models/{model}.c"))
            .status();
        assert!(status.is_ok_and(|s| s.success()), "{} cannot compile models/{model}.c", clang.display());
    }
}
