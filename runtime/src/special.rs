//! Special functions under C names: the derivatives of log-gamma that libm lacks.
//!
//! | symbol | value | partial |
//! |---|---|---|
//! | `adrt_digamma(x)` | psi(x) = (log Gamma)'(x) | `adrt_trigamma(x)` |
//! | `adrt_trigamma(x)` | psi'(x) | `adrt_polygamma(2, x)` |
//! | `adrt_polygamma(n, x)` | n-th derivative of psi, 0 <= n <= 20, else NaN | `adrt_polygamma(n+1, x)` |
//!
//! Each also with suffix `f` for float and, on x86, `l` for long double; the latter has the
//! range and accuracy of double. Values at poles, accuracy and sources: `adrules::special`.
//! Pure functions: no errno, no allocation, nothing that can unwind.

use adrules::special;
use std::ffi::c_int;

/// psi(x). -inf at +0, +inf at -0, NaN at the negative integers.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_digamma(x: f64) -> f64 {
    special::digamma(x)
}

/// psi(x), computed in double.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_digammaf(x: f32) -> f32 {
    special::digamma(f64::from(x)) as f32
}

/// psi'(x). +inf at 0 and the negative integers.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_trigamma(x: f64) -> f64 {
    special::trigamma(x)
}

/// psi'(x), computed in double.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_trigammaf(x: f32) -> f32 {
    special::trigamma(f64::from(x)) as f32
}

/// n-th derivative of psi. NaN unless 0 <= n <= 20, and at the negative integers for even n.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_polygamma(n: c_int, x: f64) -> f64 {
    special::polygamma(n, x)
}

/// n-th derivative of psi, computed in double.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_polygammaf(n: c_int, x: f32) -> f32 {
    special::polygamma(n, f64::from(x)) as f32
}

/// Defines a long double entry that rounds its floating argument and calls the double one.
///
/// Rust has no 80-bit type. System V ABI of x86-64, 3.2.3: a long double argument lies on the
/// stack, here at 8(%rsp) on entry and 32(%rsp) after the frame of 24 bytes, which also aligns the
/// stack; the result goes to st(0); an integer argument stays in edi. On i386, all arguments lie on
/// the stack: the integer, if there is one, before the real, and results of type double go to st(0)
/// as well.
#[cfg(target_arch = "x86_64")]
macro_rules! long_double_entry {
    ($name:literal, $target:path) => {
        std::arch::global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",@progbits"),
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "sub $24, %rsp",
            ".cfi_adjust_cfa_offset 24",
            "fldt 32(%rsp)",
            "fstpl 8(%rsp)",
            "movsd 8(%rsp), %xmm0",
            "call {target}",
            "movsd %xmm0, 8(%rsp)",
            "fldl 8(%rsp)",
            "add $24, %rsp",
            ".cfi_adjust_cfa_offset -24",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            target = sym $target,
            options(att_syntax)
        );
    };
}

#[cfg(target_arch = "x86")]
macro_rules! long_double_entry {
    ($name:literal, $target:path) => {
        long_double_entry!($name, $target, "fldt 32(%esp)", "fstpl (%esp)", "");
    };
    ($name:literal, $target:path, with an integer) => {
        long_double_entry!($name, $target, "fldt 36(%esp)", "fstpl 4(%esp)", "mov 32(%esp), %eax\nmov %eax, (%esp)");
    };
    ($name:literal, $target:path, $load:literal, $store:literal, $integer:literal) => {
        std::arch::global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",@progbits"),
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "sub $28, %esp",
            ".cfi_adjust_cfa_offset 28",
            $load,
            $store,
            $integer,
            "call {target}",
            "add $28, %esp",
            ".cfi_adjust_cfa_offset -28",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            target = sym $target,
            options(att_syntax)
        );
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
long_double_entry!("adrt_digammal", adrt_digamma);
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
long_double_entry!("adrt_trigammal", adrt_trigamma);
#[cfg(target_arch = "x86_64")]
long_double_entry!("adrt_polygammal", adrt_polygamma);
#[cfg(target_arch = "x86")]
long_double_entry!("adrt_polygammal", adrt_polygamma, with an integer);

#[cfg(test)]
mod tests {
    use super::*;

    const EULER: f64 = 0.577_215_664_901_532_9;

    #[test]
    fn every_precision_computes_the_same_function() {
        assert!((adrt_digamma(1.0) + EULER).abs() < 1e-15);
        assert_eq!(adrt_digammaf(1.0), -EULER as f32);
        assert_eq!(adrt_polygamma(0, 0.3), adrt_digamma(0.3));
        assert_eq!(adrt_polygamma(1, 0.3), adrt_trigamma(0.3));
        assert_eq!(adrt_trigammaf(0.5), adrt_trigamma(0.5) as f32);
        assert_eq!(adrt_polygammaf(2, 0.5), adrt_polygamma(2, 0.5) as f32);
        assert!(adrt_digammaf(-1.0).is_nan() && adrt_polygamma(-1, 1.0).is_nan());
    }

    /// Calls `f(n, x)`, or `f(x)`, with x passed and returned as a long double.
    #[cfg(target_arch = "x86")]
    macro_rules! call_on_stack {
        ($f:literal, $x:expr, $place:literal, $n:expr) => {{
            let mut pair: [f64; 2] = [$x, 0.0];
            // SAFETY: the stack pointer is kept in a register that calls preserve, aligned for the
            // call, and restored; the x87 stack is empty before and after; the registers of a C
            // call are clobbered.
            unsafe {
                std::arch::asm!(
                    "mov edi, esp",
                    "fld qword ptr [eax]",
                    "sub esp, 48",
                    "and esp, -16",
                    "mov [esp + 32], eax",
                    "mov [esp], ecx",
                    concat!("fstp tbyte ptr [esp + ", $place, "]"),
                    concat!("call ", $f),
                    "mov eax, [esp + 32]",
                    "mov esp, edi",
                    "fstp qword ptr [eax + 8]",
                    in("eax") &raw mut pair,
                    in("ecx") $n,
                    out("edi") _,
                    clobber_abi("C"),
                );
            }
            pair[1]
        }};
    }

    #[cfg(target_arch = "x86")]
    #[test]
    fn long_double_entries_keep_the_calling_convention() {
        for x in [0.3, 1.0, 7.5, 123.0, -0.7] {
            assert_eq!(call_on_stack!("adrt_digammal", x, "0", 0), adrt_digamma(x));
            assert_eq!(call_on_stack!("adrt_trigammal", x, "0", 0), adrt_trigamma(x));
            assert_eq!(call_on_stack!("adrt_polygammal", x, "4", 3), adrt_polygamma(3, x));
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn long_double_entries_keep_the_calling_convention() {
        /// Calls `f(n, x)` with x passed and returned as a long double.
        macro_rules! call {
            ($f:literal, $n:expr, $x:expr) => {{
                let (x, mut result): (f64, f64) = ($x, 0.0);
                // SAFETY: the stack pointer is aligned on entry to the block and restored; the
                // x87 stack is empty before and after; the registers of a C call are clobbered.
                unsafe {
                    std::arch::asm!(
                        "fld qword ptr [{x}]",
                        "sub rsp, 16",
                        "fstp tbyte ptr [rsp]",
                        concat!("call ", $f),
                        "add rsp, 16",
                        "fstp qword ptr [r12]",
                        x = in(reg) &x,
                        // Callee-saved, so that it survives the call.
                        in("r12") &mut result,
                        in("edi") $n,
                        clobber_abi("C"),
                    );
                }
                result
            }};
        }
        for x in [0.3, 1.0, 7.5, 123.0, -0.7] {
            assert_eq!(call!("adrt_digammal", 0, x), adrt_digamma(x));
            assert_eq!(call!("adrt_trigammal", 0, x), adrt_trigamma(x));
            assert_eq!(call!("adrt_polygammal", 3, x), adrt_polygamma(3, x));
        }
    }
}
