//! Numbers of the unit in memory, and their shadows.

use iced_x86::{Instruction, OpKind};

use crate::{
    machine::state::State,
    memory::{
        indices::{self, powers},
        space::DISTANCE,
        unknown,
    },
    recording::scales,
    rules::extended::{Dual, Extended},
    translate::{
        Mode,
        slow_path::{operands::base_or_register, parts, record},
    },
};

/// Why a `long double` is refused.
const UNTYPED: &str = "it is a long double in an object of unknown type: its words have indices of \
    doubles; state the layout of the object (adshadow_layout)";
/// Why an argument is refused.
const FAR: &str = "it is a long double by value outside the range of double: its adjoint, which is \
    stored as a double, may be outside too; pass it in memory";
/// The shadow of what was made of active bits.
pub(super) const UNKNOWN: Extended = Extended::all_set();

/// What an instruction has in memory.
pub(super) fn memory_of(
    i: &Instruction,
    state: &State,
    mode: Mode,
) -> Result<Option<Memory>, String> {
    if i.op_count() == 0 || i.op0_kind() != OpKind::Memory {
        return Ok(None);
    }
    let at = i
        .virtual_address(0, 0, |r, _, _| base_or_register(r, state))
        .ok_or("its address is not known before it runs")?;
    Ok(Some(Memory { at, bytes: i.memory_size().size(), mode }))
}

/// A number in memory: of 4, 8 or 10 bytes.
pub(super) fn load(bytes: &[u8]) -> Extended {
    match *bytes {
        [a, b, c, d] => Extended::from(f64::from(f32::from_le_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] => Extended::from(f64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => Extended::load(bytes),
    }
}

/// The shadow of a number in memory, as the unit's registers have it: in a recording a double's.
pub(super) fn load_shadow(bytes: &[u8], value: &[u8], mode: Mode) -> Result<Extended, String> {
    if mode != Mode::Recording {
        return Ok(load(bytes));
    }
    let mut own = [0; 10];
    let index = record::index(bytes, bytes.len())?;
    if bytes.len() == 10 && indices::is_index_of_untyped(index) {
        return Err(UNTYPED.into());
    }
    if bytes.len() == 10 && index != 0 && powers::is_far_argument(index, load(value)) {
        return Err(FAR.into());
    }
    record::put(index, &mut own, 8);
    Ok(Extended::load(&own))
}

pub(super) fn store_shadow(
    shadow: Extended,
    to: &mut [u8],
    state: &mut State,
    mode: Mode,
) -> Result<(), String> {
    if mode != Mode::Recording {
        store(shadow, to);
        return Ok(());
    }
    let mut index = record::index(shadow.bytes(), 8)?;
    if to.len() != 10 {
        index = scales::plain(state, index)?;
    }
    to.fill(0);
    let size = to.len();
    record::put(index, to, size);
    Ok(())
}

pub(super) fn store(dot: Extended, to: &mut [u8]) {
    match to.len() {
        // A zero dot has no sign.
        4 => to.copy_from_slice(&(dot.to_f32() + 0.0).to_le_bytes()),
        8 => to.copy_from_slice(&(dot.to_f64() + 0.0).to_le_bytes()),
        _ => to.copy_from_slice(dot.bytes()),
    }
}

/// Memory that an instruction touches, and its shadow.
pub(super) struct Memory {
    pub(super) at: u64,
    pub(super) bytes: usize,
    pub(super) mode: Mode,
}

impl Memory {
    pub(super) fn value(&self) -> &[u8] {
        // SAFETY: the instruction reads this memory.
        unsafe { std::slice::from_raw_parts(self.at as *const u8, self.bytes) }
    }
    pub(super) fn shadow(&mut self) -> &mut [u8] {
        // SAFETY: the instruction touches this memory; its shadow is mapped, and nobody else has
        // it.
        unsafe {
            std::slice::from_raw_parts_mut(self.at.wrapping_add(DISTANCE) as *mut u8, self.bytes)
        }
    }
    /// The shadow of a long double with what lies between it and the next, as far as that is of the
    /// same four bytes.
    pub(super) fn with_padding(&mut self) -> Vec<u8> {
        let mut all = self.shadow().to_vec();
        if self.at.is_multiple_of(4) {
            // SAFETY: shadow memory of the cell that the last two bytes are of.
            let cell = unsafe { (self.at.wrapping_add(8 + DISTANCE) as *const [u8; 4]).read() };
            all.extend(&cell[2..]);
        }
        all
    }
    /// It gets an integer.
    pub(super) fn clear(&mut self) {
        if self.bytes < 4 {
            parts::clear(self.at, self.bytes, self.mode)
        } else {
            self.shadow().fill(0)
        }
    }
    /// It gets what is made of active bits.
    pub(super) fn lose(&mut self) {
        if self.bytes < 4 {
            parts::lose(self.at, self.bytes, self.mode)
        } else {
            self.shadow().fill(0xff)
        }
    }
    /// Integers made of active bits are unknown: no number.
    pub(super) fn dual(&mut self, is_integer: bool) -> Result<Dual, String> {
        if !is_integer {
            let mode = self.mode;
            if mode == Mode::Recording && self.bytes == 10 && indices::is_untyped(self.at) {
                return Err(UNTYPED.into());
            }
            let dot = self.shadow().to_vec();
            if mode == Mode::Tangent
                && self.bytes == 10
                && (unknown::is_extended(&self.with_padding()) || unknown::is_torn(&dot))
            {
                return Ok(Dual { x: load(self.value()), dot: UNKNOWN });
            }
            return Ok(Dual { x: load(self.value()), dot: load_shadow(&dot, self.value(), mode)? });
        }
        let mut wide = [if self.value()[self.bytes - 1] >= 0x80 { 0xff } else { 0 }; 8];
        wide[..self.bytes.min(8)].copy_from_slice(&self.value()[..self.bytes.min(8)]);
        let is_active = if self.bytes < 4 {
            parts::are_active(self.at, self.bytes)
        } else {
            self.shadow().iter().any(|b| *b != 0)
        };
        let dot = if is_active { UNKNOWN } else { Extended::ZERO };
        // Operands of arithmetic have 32 bits at most, which a double holds.
        Ok(Dual { x: Extended::from(i64::from_le_bytes(wide) as f64), dot })
    }
}
