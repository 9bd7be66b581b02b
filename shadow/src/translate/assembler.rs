//! What all emitters need of the assembler: the thread's state as operands, and constants that fit
//! nowhere.

use std::mem::offset_of;

use iced_x86::{
    IcedError,
    code_asm::{AsmMemoryOperand, CodeAssembler, dword_ptr},
};

use crate::machine::{
    state::State,
    word::{self, of_thread, word_ptr},
};

/// An assembler that knows where the thread's state is.
pub struct Assembler {
    /// iced's.
    pub code: CodeAssembler,
    state: i32,
}

/// A member of the state, by its offset.
macro_rules! member {
    ($name:ident) => {
        std::mem::offset_of!($crate::machine::state::State, $name)
    };
}
pub(crate) use member;

impl Assembler {
    /// An empty one, for a state at this distance from the thread pointer.
    pub fn new(state: i32) -> Result<Self, IcedError> {
        Ok(Self { code: CodeAssembler::new(word::BITS)?, state })
    }

    /// Where the state lies, from the thread pointer.
    pub fn state(&self) -> i32 {
        self.state
    }

    /// The displacement of a place of the state, as addresses of this machine have it.
    pub fn at(&self, offset: usize) -> i64 {
        let at = self.state + offset as i32;
        if word::IS_64 { at.into() } else { (at as u32).into() }
    }

    /// A word of the state.
    pub fn of_state(&self, offset: usize) -> AsmMemoryOperand {
        of_thread(word_ptr(self.at(offset)))
    }

    /// The place of a general register in the state.
    pub fn gpr(&self, number: usize) -> AsmMemoryOperand {
        self.of_state(offset_of!(State, gpr) + 8 * number)
    }

    /// One of the places that stubs use.
    pub fn saved(&self, number: usize) -> AsmMemoryOperand {
        self.of_state(offset_of!(State, saved) + 8 * number)
    }

    /// Eight bytes of the state become zero.
    pub fn clear(&mut self, offset: usize) -> Result<(), IcedError> {
        if word::IS_64 {
            let place = self.of_state(offset);
            return self.code.mov(place, 0);
        }
        self.set(offset, 0)
    }

    /// Four bytes of the state become zero.
    pub fn clear_half(&mut self, offset: usize) -> Result<(), IcedError> {
        self.code.mov(of_thread(dword_ptr(self.at(offset))), 0)
    }

    /// Stores a constant to eight bytes of the state: no register, no flag.
    pub fn set(&mut self, offset: usize, value: u64) -> Result<(), IcedError> {
        self.code.mov(of_thread(dword_ptr(self.at(offset))), value as u32 as i32)?;
        self.code.mov(of_thread(dword_ptr(self.at(offset + 4))), (value >> 32) as u32 as i32)
    }
}
