//! x86-64: arguments in registers and on the stack.

use std::arch::naked_asm;

use super::{captured, results};
use crate::{
    Error,
    machine::{general_mask::Mask, state::State},
    memory::indices::{behind_extended, of_double},
};

/// What was said of reals that are arguments.
#[derive(Default)]
pub struct Reals {
    /// `adshadow_floats`.
    pub floats: u32,
    /// `adshadow_arguments`: a letter for each four bytes on the stack.
    pub letters: Vec<u8>,
}

/// Registers of arguments, as [`capture`] saves them.
#[repr(C)]
pub struct Arguments {
    /// XMM0 to XMM7.
    pub vectors: [[u64; 2]; 8],
    /// RDI, RSI, RDX, RCX, R8, R9.
    pub general: [u64; 6],
}

/// Where `adshadow_floats` has the registers with two floats.
const PAIRS: usize = 24;

/// Numbers of the registers that hold integer arguments.
const GENERAL: [usize; 6] = [7, 6, 2, 1, 8, 9];

impl Arguments {
    /// What the function is to find: in its registers, and on the stack.
    pub fn shadows(
        &self,
        mut stack: Vec<u8>,
        reals: &Reals,
        is_recorded: bool,
    ) -> Result<(Self, Vec<u8>), Error> {
        let mut vectors = self.vectors;
        for (k, vector) in vectors.iter_mut().enumerate() {
            // The ABI leaves what is above a real undefined.
            vector[1] = 0;
            if reals.floats & 1 << k != 0 {
                vector[0] &= 0xffff_ffff;
            }
        }
        if is_recorded {
            name_vectors(&mut vectors, reals.floats);
            name_stack(&mut stack, &reals.letters);
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

/// The shadow of a real of which nobody says that it is a float: an index is a double's.
fn shadow(word: u64) -> u64 {
    if word != 0 && word >> 32 == 0 { of_double(word as u32) } else { word }
}

/// Makes shadows of the indices in registers.
fn name_vectors(vectors: &mut [[u64; 2]; 8], floats: u32) {
    for (k, vector) in vectors.iter_mut().enumerate() {
        if floats & (1 << k | 1 << (PAIRS + k)) == 0 {
            vector[0] = shadow(vector[0]);
        }
    }
}

/// Makes shadows of the indices on the stack, where letters say what is no double. A long double is
/// aligned to its size.
fn name_stack(stack: &mut [u8], letters: &[u8]) {
    for (k, bytes) in stack.chunks_exact_mut(8).enumerate() {
        let word = u64::from_le_bytes((&*bytes).try_into().expect("eight bytes"));
        let named = match letters.get(2 * k) {
            Some(b'f') => word,
            // Its second word: no index.
            Some(b'x') if k % 2 == 1 => continue,
            _ => shadow(word),
        };
        bytes.copy_from_slice(&named.to_le_bytes());
    }
    for (k, bytes) in
        stack.chunks_exact_mut(16).enumerate().filter(|(k, _)| letters.get(4 * k) == Some(&b'x'))
    {
        debug_assert_eq!(letters[4 * k..].get(..4), Some(b"xxxx".as_slice()));
        let index = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
        bytes[8..].copy_from_slice(&u64::from(behind_extended(index)).to_le_bytes());
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
