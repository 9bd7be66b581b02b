//! The target of a module: whether there are derivatives for it, and what stages ask of it.

use crate::{
    diagnostics::{Code, Diagnostic},
    llvm::Module,
};
use adir::target;

/// How the triples of i386 begin, and of its successors with addresses of 32 bits.
const I386: [&str; 4] = ["i386", "i486", "i586", "i686"];

/// Reads the target of a module.
pub fn read(module: Module) {
    let context = module.context();
    let pointer = module.alloc_size(context.ptr());
    let has_no_sse2 = || {
        let features =
            |f: crate::llvm::Function| f.attribute_string("target-features").unwrap_or_default();
        module
            .functions()
            .into_iter()
            .any(|f| !f.is_declaration() && !features(f).split(',').any(|x| x == "+sse2"))
    };
    let long_double = module.alloc_size(context.f80());
    target::set(pointer, long_double, pointer == 4 && has_no_sse2());
}

/// Why there are no derivatives for a target; a module without triple is taken to be what it is
/// tested on.
pub fn refusal(triple: &str) -> Option<Diagnostic> {
    let mut parts = triple.split('-');
    let machine = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let is_linux = rest.iter().any(|p| p.starts_with("linux"));
    // Addresses of 32 bits in code of 64: the runtime is not built for that.
    let is_narrow = rest.iter().any(|p| p.ends_with("x32"));
    let is_known = triple.is_empty()
        || (machine == "x86_64" || I386.contains(&machine)) && is_linux && !is_narrow;
    let refuse = || {
        let text = format!(
            "no derivatives for target '{triple}': x86-64 and i386 under Linux are supported"
        );
        Diagnostic::new(
            Code::Target,
            None,
            text,
            "compile for x86_64-linux-gnu, or with -m32 for i386",
        )
    };
    (!is_known).then(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_under_linux_is_known_and_nothing_else() {
        for known in [
            "", "x86_64-pc-linux-gnu", "x86_64-unknown-linux-musl", "i386-pc-linux-gnu",
            "i686-unknown-linux-gnu",
        ] {
            assert!(refusal(known).is_none(), "{known}");
        }
        for other in [
            "aarch64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-pc-linux-gnux32",
            "i386-apple-macosx", "arm-linux-gnueabi",
        ] {
            assert!(refusal(other).is_some_and(|d| d.reason.contains(other)), "{other}");
        }
    }
}
