//! The stack of registers, and their shadows.

use crate::{
    machine::{registers, state::State},
    rules::extended::{Dual, Extended},
};

/// Where a register's shadow says that it is that of eight bytes, in its first eight.
const BITS: usize = 10;
/// Registers of the unit.
pub(super) const COUNT: usize = 8;

/// The value of a register, by its number in the unit.
pub fn register(state: &State, number: usize) -> [u8; 10] {
    let depth = (number + COUNT - top(state)) % COUNT;
    // SAFETY: the stub saved the registers for this call.
    unsafe { registers::x87(state, depth) }
}

/// The number of a register in the unit, by its depth in the stack.
pub fn number(state: &State, depth: usize) -> usize {
    (top(state) + depth) % COUNT
}

/// The shadow of a register, by its number in the unit, for who takes it for that of a real.
pub fn shadow(state: &State, number: usize) -> [u8; 16] {
    let mut shadow = state.x87[number];
    if shadow[BITS] != 0 {
        shadow[BITS] = 0;
        shadow[..BITS].fill(0xff);
    }
    shadow
}

/// Gives a register a shadow.
pub fn set(state: &mut State, number: usize, dot: [u8; 16]) {
    state.x87[number] = dot;
    state.x87_active = u64::from(state.x87.iter().any(|d| *d != [0; 16]));
}

pub(super) fn top(state: &State) -> usize {
    // SAFETY: the stub saved the registers of the unit for this call.
    usize::from(unsafe { registers::x87_status(state) } >> 11 & 7)
}

/// The stack as it is before an instruction.
pub(super) struct Stack<'a> {
    pub(super) state: &'a mut State,
    pub(super) top: usize,
}

impl Stack<'_> {
    pub(super) fn number(&self, depth: usize) -> usize {
        (self.top + depth) % COUNT
    }
    pub(super) fn get(&self, depth: usize) -> Dual {
        // SAFETY: the stub saved the registers for this call.
        let x = Extended::load(&unsafe { registers::x87(self.state, depth) });
        Dual { x, dot: Extended::load(&shadow(self.state, self.number(depth))) }
    }
    /// The shadow of eight bytes that the register holds as an integer, if they are active.
    pub(super) fn bits(&self, depth: usize) -> Option<[u8; 8]> {
        let shadow = &self.state.x87[self.number(depth)];
        (shadow[BITS] != 0).then(|| std::array::from_fn(|k| shadow[k]))
    }
    pub(super) fn set_bits(&mut self, depth: usize, bits: [u8; 8]) {
        let mut shadow = [0; 16];
        shadow[..8].copy_from_slice(&bits);
        shadow[BITS] = 1;
        let number = self.number(depth);
        set(self.state, number, shadow);
    }
    pub(super) fn set(&mut self, depth: usize, dot: Extended) {
        let mut bytes = [0; 16];
        bytes[..10].copy_from_slice(dot.bytes());
        let number = self.number(depth);
        set(self.state, number, bytes);
    }
    pub(super) fn push(&mut self, dot: Extended) {
        self.top = (self.top + COUNT - 1) % COUNT;
        self.set(0, dot);
    }
    pub(super) fn pop(&mut self) {
        self.set(0, Extended::ZERO);
        self.top = (self.top + 1) % COUNT;
    }
}
