//! i386: all arguments are on the stack.

use std::arch::naked_asm;

use super::{captured, results};
use crate::{
    Error,
    call::objects::layout::Layout,
    machine::{general_mask::Mask, state::State},
    memory::{
        indices::{behind_extended, of_double},
        objects::ScalarKind,
    },
};

/// What was said of reals that are arguments.
#[derive(Default)]
pub struct Reals {
    /// `adshadow_floats`: it says nothing here.
    pub floats: u32,
    /// `adshadow_arguments`: a letter for each word on the stack.
    pub letters: Vec<u8>,
}

/// Registers of arguments: there are none.
#[repr(C)]
pub struct Arguments;

impl Arguments {
    /// What the function is to find on the stack: shadows of reals, and zeros elsewhere.
    pub fn shadows(
        &self,
        stack: Vec<u8>,
        reals: &Reals,
        is_recorded: bool,
    ) -> Result<(Self, Vec<u8>), Error> {
        let is_active = stack.iter().any(|byte| *byte != 0);
        if is_recorded && is_active && reals.letters.is_empty() {
            return Err(Error::Order(
                "`adshadow_arguments`, which declares the reals among the stack arguments, comes \
                before `adshadow_capture`",
            ));
        }
        if reals.letters.is_empty() {
            return Ok((Self, stack));
        }
        let mut shadows = vec![0; stack.len()];
        for (range, kind) in Layout::new(&reals.letters, 0).parts(stack.len() as u64) {
            let range = range.start as usize..range.end as usize;
            let bytes = match kind {
                ScalarKind::F32 => 4,
                ScalarKind::F64 => 8,
                ScalarKind::F80 => 10,
                ScalarKind::Integers
                | ScalarKind::Pointers
                | ScalarKind::Unknown
                | ScalarKind::Words => continue,
            };
            for (to, from) in shadows[range.clone()]
                .chunks_exact_mut(kind.stride() as usize)
                .zip(stack[range].chunks_exact(kind.stride() as usize))
            {
                if is_recorded && bytes > 4 {
                    let index = u32::from_le_bytes(from[..4].try_into().expect("four bytes"));
                    to[..8].copy_from_slice(&of_double(index).to_le_bytes());
                    if kind == ScalarKind::F80 {
                        to[8..bytes].copy_from_slice(&behind_extended(index).to_le_bytes());
                    }
                } else {
                    to[..bytes].copy_from_slice(&from[..bytes]);
                }
            }
        }
        Ok((Self, shadows))
    }

    /// Registers have no shadows then.
    pub fn load(&self, _state: &mut State) -> Mask {
        Mask::default()
    }
}

/// Keeps the arguments that it is called with.
#[unsafe(naked)]
pub extern "C" fn capture() {
    naked_asm!(
        "lea eax, [esp + 4]",
        "sub esp, 4",
        // Arguments of the call: there is nothing at the first one.
        "push eax",
        "push eax",
        "call {captured}",
        "add esp, 12",
        "ret",
        captured = sym captured,
    );
}

/// Returns the shadows of the last result in EAX and EDX.
#[unsafe(naked)]
pub extern "C" fn result() {
    naked_asm!(
        "sub esp, 92",
        "mov [esp], esp",
        "add dword ptr [esp], 8",
        "call {results}",
        "mov eax, [esp + 40]",
        "mov edx, [esp + 48]",
        "add esp, 92",
        "ret",
        results = sym results,
    );
}

/// The same of a real: in ST0.
#[unsafe(naked)]
pub extern "C" fn result_long() {
    naked_asm!(
        "sub esp, 92",
        "mov [esp], esp",
        "add dword ptr [esp], 8",
        "call {results}",
        "fld tbyte ptr [esp + 56]",
        "add esp, 92",
        "ret",
        results = sym results,
    );
}

/// The same of two: in ST0 and ST1.
#[unsafe(naked)]
pub extern "C" fn result_two_long() {
    naked_asm!(
        "sub esp, 92",
        "mov [esp], esp",
        "add dword ptr [esp], 8",
        "call {results}",
        "fld tbyte ptr [esp + 72]",
        "fld tbyte ptr [esp + 56]",
        "add esp, 92",
        "ret",
        results = sym results,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[u32]) -> Vec<u8> {
        all.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn shadows(letters: &str, stack: &[u32], is_recorded: bool) -> Vec<u8> {
        let reals = Reals { letters: letters.into(), ..Reals::default() };
        Arguments.shadows(words(stack), &reals, is_recorded).expect("it was said").1
    }

    #[test]
    fn letters_say_what_words_are() {
        // An integer, a double, a float, a long double, a pointer, what no letter reaches.
        let stack = [7, 5, 0, 6, 9, 0, 0xabcd_0000, 0x5656_5656, 3];
        assert_eq!(
            shadows("iddfxxxp", &stack, true),
            words(&[0, 0x4000_0005, 0x4000_0000, 6, 0x4000_0009, 0x4000_0000, 0x4000, 0, 0])
        );
        // Dots are as they are, without the padding of a long double.
        assert_eq!(shadows("iddfxxxp", &stack, false), words(&[0, 5, 0, 6, 9, 0, 0, 0, 0]));
        // A constant has no index.
        assert_eq!(shadows("dd", &[0, 0], true), words(&[0, 0]));
        assert!(Arguments.shadows(words(&[1]), &Reals::default(), true).is_err());
        assert!(Arguments.shadows(words(&[0]), &Reals::default(), true).is_ok());
    }
}
