//! Compiles the one variable that Rust cannot export: the thread-local arena that generated code
//! bumps.

fn main() {
    println!("cargo:rerun-if-changed=src/arena.c");
    cc::Build::new().file("src/arena.c").pic(true).compile("adrt_arena");
}
