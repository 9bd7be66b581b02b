//! Assembles the archives that adcc links in place of the shadow runtime where that cannot work
//! (src/link.rs), for both machines.

fn main() {
    println!("cargo:rerun-if-changed=src/refused.s");
    for (name, width) in [("adrefused", "-m64"), ("adrefused32", "-m32")] {
        cc::Build::new()
            .file("src/refused.s")
            .target("x86_64-unknown-linux-gnu")
            .no_default_flags(true)
            .flag(width)
            .cargo_metadata(false)
            .compile(name);
    }
}
