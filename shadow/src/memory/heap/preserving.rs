//! Allocation functions that leave vector registers as they are, for i386.
//!
//! Code of gcc takes `___tls_get_addr` for an instruction that changes three general registers and
//! no other; the loader's function may allocate when a thread first comes to a variable of its own.
//! The C library's allocation functions use no vector register there; those of [`heap`] may.

use std::arch::naked_asm;

use crate::memory::heap;

macro_rules! preserving {
    ($($name:ident),+) => {
        $(
            /// See [`heap`]. Three words of arguments are handed on, as many as one of them has.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() {
                naked_asm!(
                    "sub esp, 156",
                    "movups [esp + 16], xmm0",
                    "movups [esp + 32], xmm1",
                    "movups [esp + 48], xmm2",
                    "movups [esp + 64], xmm3",
                    "movups [esp + 80], xmm4",
                    "movups [esp + 96], xmm5",
                    "movups [esp + 112], xmm6",
                    "movups [esp + 128], xmm7",
                    "mov eax, [esp + 160]",
                    "mov [esp], eax",
                    "mov eax, [esp + 164]",
                    "mov [esp + 4], eax",
                    "mov eax, [esp + 168]",
                    "mov [esp + 8], eax",
                    "call {inner}",
                    "movups xmm0, [esp + 16]",
                    "movups xmm1, [esp + 32]",
                    "movups xmm2, [esp + 48]",
                    "movups xmm3, [esp + 64]",
                    "movups xmm4, [esp + 80]",
                    "movups xmm5, [esp + 96]",
                    "movups xmm6, [esp + 112]",
                    "movups xmm7, [esp + 128]",
                    "add esp, 156",
                    "ret",
                    inner = sym heap::$name,
                );
            }
        )+
    };
}

preserving!(malloc, calloc, realloc, free);

/// Whoever refers to this has the linker take the functions here. By their own names it may take
/// those of the C library, if that comes first.
pub static TAKEN: u8 = 1;
