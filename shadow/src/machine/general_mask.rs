//! Which general registers may hold active data at some place of the program: known when code is
//! translated.

use iced_x86::Register;

/// A set of general registers. Those that are not in it have shadow zero, in the thread's state
/// too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mask(u16);

impl Mask {
    /// All of them: right everywhere.
    pub const ALL: Mask = Mask(0xffff);

    /// Whether loads carry shadows along, whatever they are. Where they do not, each load is
    /// tested, and code that carries goes on where one has loaded active data. The bit is that of
    /// the stack pointer, which is never active.
    pub fn carries(self) -> bool {
        self.0 & CARRIES != 0
    }
    /// The same, and loads carry shadows along.
    pub fn carrying(self) -> Self {
        Mask(self.0 | CARRIES)
    }
    /// At the end of a block: if nothing is active, loads are tested again.
    pub fn at_end(self) -> Self {
        if self.0 == CARRIES { Mask(0) } else { self }
    }

    /// Whether it has any register.
    pub fn is_any_active(self) -> bool {
        self.0 & !CARRIES != 0
    }

    /// Its bits, by the numbers of registers.
    pub fn bits(self) -> u16 {
        self.0
    }
    /// The set with these bits.
    pub fn from_bits(bits: u16) -> Self {
        Mask(bits)
    }
    /// Whether it has a register, or a part of one.
    pub fn has(self, register: Register) -> bool {
        self.0 & !CARRIES & 1 << number(register) != 0
    }
    /// With or without a register.
    pub fn set(&mut self, register: Register, is_active: bool) {
        let bit = 1 << number(register);
        self.0 = if is_active { self.0 | bit | CARRIES } else { self.0 & (!bit | CARRIES) };
    }
    /// Whether another one has all of its registers.
    pub fn is_in(self, other: Mask) -> bool {
        self.0 & !other.0 == 0
    }
    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

const CARRIES: u16 = 1 << 4;

/// The number of a general register, or of the one that it is part of.
pub fn number(register: Register) -> usize {
    register.full_register().number()
}
