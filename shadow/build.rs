//! Compiles what Rust cannot say: the thread's state, at a fixed distance from the thread pointer,
//! and arithmetic of long doubles.

fn main() {
    println!("cargo:rerun-if-changed=src/machine/state.c");
    cc::Build::new()
        .file("src/machine/state.c")
        .pic(true)
        .flag("-ftls-model=initial-exec")
        .compile("adshadow_state");
    println!("cargo:rerun-if-changed=src/models/long_double.c");
    cc::Build::new()
        .file("src/models/long_double.c")
        .pic(true)
        .flag("-ffp-contract=off")
        .compile("adshadow_long_double");
    println!("cargo:rustc-link-lib=m");
}
