//! Compiles the one variable that Rust cannot export: the thread's state, at a fixed distance from the thread pointer.

fn main() {
    println!("cargo:rerun-if-changed=src/state.c");
    cc::Build::new().file("src/state.c").pic(true).flag("-ftls-model=initial-exec").compile("adshadow_state");
}
