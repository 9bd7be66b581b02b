//! Assembles the archives that adcc links in place of the shadow runtime (src/link.rs), for both
//! machines: where that cannot work, and in shared libraries.

fn main() {
    for source in ["refused.s", "guest.S"] {
        println!("cargo:rerun-if-changed=src/{source}");
        let stem = &source[..source.len() - 2];
        for (suffix, width) in [("", "-m64"), ("32", "-m32")] {
            cc::Build::new()
                .file(format!("src/{source}"))
                .target("x86_64-unknown-linux-gnu")
                .no_default_flags(true)
                .flag(width)
                .cargo_metadata(false)
                .compile(&format!("ad{stem}{suffix}"));
        }
    }
}
