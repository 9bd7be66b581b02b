//! x86-64: arguments in registers and on the stack.

use std::arch::naked_asm;

use super::{captured, results};
use crate::{Error, general_mask::Mask, mirror::indices::of_double, state::State};

/// What was said of reals that are arguments.
#[derive(Default)]
pub struct Reals {
    /// `adshadow_floats`.
    pub floats: u32,
}

/// Registers of arguments, as [`capture`] saves them.
#[repr(C)]
pub struct Arguments {
    /// XMM0 to XMM7.
    pub vectors: [[u64; 2]; 8],
    /// RDI, RSI, RDX, RCX, R8, R9.
    pub general: [u64; 6],
}

/// Numbers of the registers that hold integer arguments.
const GENERAL: [usize; 6] = [7, 6, 2, 1, 8, 9];

impl Arguments {
    /// What the function is to find: in its registers, and on the stack.
    pub fn shadows(&self, mut stack: Vec<u8>, reals: &Reals, is_recorded: bool) -> Result<(Self, Vec<u8>), Error> {
        let mut vectors = self.vectors;
        for (k, vector) in vectors.iter_mut().enumerate() {
            // The ABI leaves what is above a real undefined.
            vector[1] = 0;
            if reals.floats & 1 << k != 0 {
                vector[0] &= 0xffff_ffff;
            }
        }
        if is_recorded {
            name(&mut vectors, &mut stack, reals.floats);
        }
        Ok((Self { vectors, general: self.general }, stack))
    }

    /// Gives the registers their shadows; says which general ones are active.
    pub fn load(&self, state: &mut State) -> Mask {
        let mut mask = Mask::default();
        for (to, from) in state.vectors.iter_mut().zip(self.vectors) {
            to.0[..2].copy_from_slice(&from);
        }
        for (number, shadow) in GENERAL.into_iter().zip(self.general) {
            if shadow != 0 {
                state.general[number] = shadow;
                mask = Mask::from_bits(mask.bits() | 1 << number).carrying();
            }
        }
        mask
    }
}

/// Makes shadows of indices: of doubles, where nobody says that there are floats.
fn name(vectors: &mut [[u64; 2]; 8], stack: &mut [u8], floats: u32) {
    let shadow = |word: u64, k: usize| {
        let has_floats = k < 24 && floats & 1 << k != 0 || k < 8 && floats & 1 << (24 + k) != 0;
        let is_double = word != 0 && word >> 32 == 0 && !has_floats;
        if is_double { of_double(word as u32) } else { word }
    };
    for (k, vector) in vectors.iter_mut().enumerate() {
        vector[0] = shadow(vector[0], k);
    }
    for (k, bytes) in stack.chunks_exact_mut(8).enumerate() {
        let word = u64::from_le_bytes((&*bytes).try_into().expect("eight bytes"));
        bytes.copy_from_slice(&shadow(word, k + 8).to_le_bytes());
    }
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
        "sub rsp, 88",
        "mov rdi, rsp",
        "call {results}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "mov rax, [rsp + 32]",
        "mov rdx, [rsp + 40]",
        "add rsp, 88",
        "ret",
        results = sym results,
    );
}

/// The same of a `long double`: in ST0.
#[unsafe(naked)]
pub extern "C" fn result_long() {
    naked_asm!(
        "sub rsp, 88",
        "mov rdi, rsp",
        "call {results}",
        "fld tbyte ptr [rsp + 48]",
        "add rsp, 88",
        "ret",
        results = sym results,
    );
}

/// The same of a complex `long double`: in ST0 and ST1.
#[unsafe(naked)]
pub extern "C" fn result_two_long() {
    naked_asm!(
        "sub rsp, 88",
        "mov rdi, rsp",
        "call {results}",
        "fld tbyte ptr [rsp + 64]",
        "fld tbyte ptr [rsp + 48]",
        "add rsp, 88",
        "ret",
        results = sym results,
    );
}
