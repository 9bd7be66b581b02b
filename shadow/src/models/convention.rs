//! Where functions of libm have their arguments and results: the calling conventions of x86-64 and
//! of i386 (psABI 3.2.3 and 2.2, as compilers have it on Linux).
//!
//! x86-64: floats and doubles in vector registers, a complex float in one of them, long doubles on
//! the stack and at return on the x87's. i386: all arguments in words of the stack. Reals come back
//! on the x87's stack, as the 80 bits that are there, whatever the function's format is; a complex
//! float in EAX and EDX; wider complex numbers in memory, which the caller gives a pointer to, the
//! first word on the stack.

use super::{
    number::Format,
    table::{Target, ValuePlace},
};
use crate::machine::{
    state::State,
    word::{self, BYTES},
};

/// Where the arguments of a function are, one after the other.
#[derive(Default)]
pub struct Arguments {
    #[cfg(target_arch = "x86_64")]
    generals: usize,
    #[cfg(target_arch = "x86_64")]
    vectors: usize,
    /// Whether the last real was the first part of a complex number.
    #[cfg(target_arch = "x86_64")]
    is_second: bool,
    stack: usize,
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::*;

    /// General registers for arguments, by number: RDI, RSI, RDX, RCX, R8, R9.
    pub const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];
    /// General registers that a function need not keep: RAX, RCX, RDX, RSI, RDI, R8 to R11.
    pub const CALLER_SAVED: [usize; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];

    impl Arguments {
        /// Of a function with a result of so many reals.
        pub fn new(_result: Format, _parts: usize) -> Self {
            Self::default()
        }

        /// Of an integer or a pointer.
        pub fn word(&mut self) -> ValuePlace {
            self.generals += 1;
            ValuePlace::General(ARGUMENTS[self.generals - 1])
        }

        /// Of a real, in a function whose reals are parts of complex numbers or are not.
        pub fn real(&mut self, format: Format, is_complex: bool) -> ValuePlace {
            let is_second = is_complex && self.is_second;
            self.is_second = !is_second;
            let is_in_register = match format {
                Format::F32 if is_second => return ValuePlace::Vector(self.vectors - 1, 4),
                Format::F32 | Format::F64 => true,
                Format::F80 => false,
                Format::F128 => !is_complex,
            };
            if is_in_register {
                self.vectors += 1;
                return ValuePlace::Vector(self.vectors - 1, 0);
            }
            self.stack += 16;
            ValuePlace::Stack(self.stack - 16)
        }
    }

    /// Where part `i` of a result of so many reals is, and in which format.
    pub fn returned(format: Format, i: usize, parts: usize) -> (Format, Target) {
        let at = match format {
            Format::F32 => Target::ValuePlace(ValuePlace::Vector(0, 4 * i)),
            Format::F128 if parts > 1 => Target::Returned(16 * i),
            Format::F64 | Format::F128 => Target::ValuePlace(ValuePlace::Vector(i, 0)),
            Format::F80 => Target::ValuePlace(ValuePlace::X87(i)),
        };
        (format, at)
    }
}

#[cfg(target_arch = "x86")]
mod machine {
    use super::*;

    /// Words on the stack that functions of memory have as arguments, at most: bytes above the
    /// return address.
    pub const ARGUMENTS: [usize; 6] = [0, 4, 8, 12, 16, 20];
    /// General registers that a function need not keep: EAX, ECX, EDX.
    pub const CALLER_SAVED: [usize; 3] = [0, 1, 2];

    /// Bytes that a number has on the stack, and in a complex number.
    fn room(format: Format) -> usize {
        match format {
            Format::F32 => 4,
            Format::F64 => 8,
            Format::F80 => 12,
            Format::F128 => 16,
        }
    }

    fn is_in_memory(format: Format, parts: usize) -> bool {
        format == Format::F128 || parts > 1 && format != Format::F32
    }

    impl Arguments {
        /// Of a function with a result of so many reals.
        pub fn new(result: Format, parts: usize) -> Self {
            // The pointer to a result in memory is on the stack as well.
            Self { stack: if parts > 0 && is_in_memory(result, parts) { 4 } else { 0 } }
        }

        /// Of an integer or a pointer.
        pub fn word(&mut self) -> ValuePlace {
            self.stack += 4;
            ValuePlace::Stack(self.stack - 4)
        }

        /// Of a real.
        pub fn real(&mut self, format: Format, _is_complex: bool) -> ValuePlace {
            if format == Format::F128 {
                self.stack = self.stack.next_multiple_of(16);
            }
            self.stack += room(format);
            ValuePlace::Stack(self.stack - room(format))
        }
    }

    /// Where part `i` of a result of so many reals is, and in which format.
    pub fn returned(format: Format, i: usize, parts: usize) -> (Format, Target) {
        match format {
            _ if is_in_memory(format, parts) => (format, Target::Returned(room(format) * i)),
            _ if parts == 1 => (Format::F80, Target::ValuePlace(ValuePlace::X87(0))),
            _ => (format, Target::ValuePlace(ValuePlace::General([0, 2][i]))),
        }
    }
}

pub use machine::{ARGUMENTS, CALLER_SAVED, returned};

/// Where an argument on the stack is: so many bytes behind the return address, which a function
/// finds on top.
pub fn stack_argument(state: &State, at: usize) -> u64 {
    state.gpr[4] + (BYTES + at) as u64
}

/// Integers and pointers that a function was given, in its first registers or words on the stack.
pub fn arguments(state: &State) -> [u64; 6] {
    ARGUMENTS.map(|n| match word::IS_64 {
        true => state.gpr[n],
        // SAFETY: the function is entered, so its return address is on top of the stack; the frame of
        // its caller lies behind, so that many words can be read even if it takes fewer arguments.
        false => unsafe { word::at(stack_argument(state, n)) },
    })
}
