//! Compiles what Rust cannot say: the thread-local arena that generated code bumps, and how to ask
//! C++'s streams and Fortran's units for their files and C++'s strings for their characters; and
//! functions of quadruple precision.

fn main() {
    println!("cargo:rerun-if-changed=src/arena.c");
    println!("cargo:rerun-if-changed=src/quad.c");
    println!("cargo:rerun-if-changed=src/streams.cpp");
    println!("cargo:rerun-if-changed=src/strings.cpp");
    println!("cargo:rerun-if-changed=src/team.c");
    println!("cargo:rerun-if-changed=src/units.c");
    cc::Build::new().file("src/arena.c").pic(true).compile("adrt_arena");
    // Their functions are those of the program's own libraries, if it has streams or units.
    cc::Build::new().file("src/units.c").pic(true).compile("adrt_units");
    cc::Build::new().file("src/team.c").pic(true).compile("adrt_team");
    cc::Build::new().file("src/quad.c").pic(true).compile("adrt_quad");
    cc::Build::new()
        .cpp(true)
        .cpp_link_stdlib(None)
        .files(["src/streams.cpp", "src/strings.cpp"])
        .pic(true)
        .flag("-fno-exceptions")
        .compile("adrt_streams");
}
