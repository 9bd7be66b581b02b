//! Compiles the C++ shim against LLVM 22's headers. `LLVM_SYS_221_PREFIX` (see `.cargo/config.toml`) says where they are.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let include = PathBuf::from(prefix).join("include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(["shim/plugin.cpp", "shim/function.cpp", "shim/calls.cpp", "shim/unwind.cpp", "shim/globals.cpp", "shim/diagnose.cpp", "shim/remark.cpp", "shim/registry.cpp", "shim/extent.cpp"])
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
