//! What the target of the module at hand says that stages all over the plugin ask for: how large
//! addresses are, and how it rounds.
//!
//! A thread works on one module at a time, and reads this first. Without a module, as in unit
//! tests, it is x86-64.

use crate::{
    diag::{Code, Diagnostic},
    llvm::Module,
};
use std::cell::Cell;

/// What is asked for.
#[derive(Clone, Copy)]
struct Target {
    pointer: u64,
    long_double: u64,
    rounds_late: bool,
}

thread_local! {
    static TARGET: Cell<Target> = const { Cell::new(Target { pointer: 8, long_double: 16, rounds_late: false }) };
}

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
    TARGET.set(Target {
        pointer,
        long_double: module.alloc_size(context.f80()),
        rounds_late: pointer == 4 && has_no_sse2(),
    });
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

/// Runs a test as if the target were i386.
#[cfg(test)]
pub fn as_if_narrow(test: impl FnOnce()) {
    let before = TARGET.replace(Target { pointer: 4, long_double: 12, rounds_late: true });
    test();
    TARGET.set(before);
}

/// Bytes of a pointer.
pub fn pointer() -> u64 {
    TARGET.get().pointer
}

/// Bits of a pointer.
pub fn pointer_bits() -> u32 {
    8 * pointer() as u32
}

/// Bytes from one `long double` of x86 to the next.
pub fn long_double() -> u64 {
    TARGET.get().long_double
}

/// Whether values are rounded to their types only where they go to memory (the x87 unit). Then what
/// is computed a second time may differ from what was computed first, and so may what is decided by
/// it.
pub fn rounds_late() -> bool {
    TARGET.get().rounds_late
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
