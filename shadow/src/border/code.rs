//! Code with signatures that Rust does not know: what is called with the arguments of any function, and what returns any result.

use std::arch::naked_asm;

use super::thread;

/// Registers of arguments, as [`capture`] saves them.
#[repr(C)]
pub struct Arguments {
    /// XMM0 to XMM7.
    pub vectors: [[u64; 2]; 8],
    /// RDI, RSI, RDX, RCX, R8, R9.
    pub general: [u64; 6],
}

/// Shadows of a result, as [`result`] loads them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Results {
    /// XMM0 and XMM1.
    pub vectors: [[u64; 2]; 2],
    /// RAX and RDX.
    pub general: [u64; 2],
}

extern "C" fn captured(arguments: *const Arguments, stack: *const u8) {
    // SAFETY: `capture` just wrote them; behind its return address are the caller's arguments.
    unsafe { thread::captured(&*arguments, stack) };
}

extern "C" fn results(to: *mut Results) {
    // SAFETY: a place on `result`'s stack.
    unsafe { *to = thread::results() };
}

/// Keeps the arguments that it is called with.
#[unsafe(naked)]
pub extern "C" fn capture() {
    naked_asm!(
        "sub rsp, 184",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        "mov [rsp + 128], rdi",
        "mov [rsp + 136], rsi",
        "mov [rsp + 144], rdx",
        "mov [rsp + 152], rcx",
        "mov [rsp + 160], r8",
        "mov [rsp + 168], r9",
        "mov rdi, rsp",
        "lea rsi, [rsp + 192]",
        "call {captured}",
        "add rsp, 184",
        "ret",
        captured = sym captured,
    );
}

/// Returns the shadows of the last result.
#[unsafe(naked)]
pub extern "C" fn result() {
    naked_asm!(
        "sub rsp, 56",
        "mov rdi, rsp",
        "call {results}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "mov rax, [rsp + 32]",
        "mov rdx, [rsp + 40]",
        "add rsp, 56",
        "ret",
        results = sym results,
    );
}
