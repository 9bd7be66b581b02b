//! Operands of an instruction and their shadows: registers that the stub saved, and memory.

use iced_x86::{Instruction, Register, UsedMemory};

use super::unit;
use crate::{
    Error,
    machine::{general_mask::number, registers, state::State, word},
    rules::{native::WIDTH, tangent::Operand},
    translate::instruction::is_second_byte,
};

/// Value and dot of a register operand; nothing of what is none.
pub fn register_operand(register: Register, state: &State) -> Operand {
    let mut operand = Operand::default();
    if register.is_vector_register() {
        let n = register.number();
        // SAFETY: the stub saved the registers for this call.
        operand.value = unsafe { registers::vector(state, n) };
        for (bytes, word) in operand.dot.chunks_exact_mut(8).zip(state.vectors[n].0) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    } else if register.is_gpr() {
        let n = number(register);
        // The second byte of some registers has a name of its own.
        let from = usize::from(is_second_byte(register));
        operand.value[..8 - from].copy_from_slice(&state.gpr[n].to_le_bytes()[from..]);
        operand.dot[..8 - from].copy_from_slice(&state.general[n].to_le_bytes()[from..]);
    } else if register.is_mm() {
        let n = register.number();
        operand.value[..8].copy_from_slice(&unit::register(state, n)[..8]);
        operand.dot[..8].copy_from_slice(&state.x87[n][..8]);
    }
    operand
}

/// The shadow of a register that was computed; mask registers have none.
pub fn set_register(register: Register, dots: &[u8; WIDTH], state: &mut State) {
    if register.is_vector_register() {
        for (word, bytes) in state.vectors[register.number()].0.iter_mut().zip(dots.chunks_exact(8))
        {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
    } else if register.is_gpr() {
        let from = usize::from(is_second_byte(register));
        let mut bytes = state.general[number(register)].to_le_bytes();
        bytes[from..].copy_from_slice(&dots[..8 - from]);
        state.general[number(register)] = u64::from_le_bytes(bytes);
    } else if register.is_mm() {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&dots[..8]);
        unit::set(state, register.number(), bytes);
    }
}

/// What addresses are made of.
pub fn base_or_register(register: Register, state: &State) -> Option<u64> {
    match register {
        word::THREAD => Some(word::thread_pointer()),
        word::SHADOW => None,
        Register::ES | Register::CS | Register::SS | Register::DS => Some(0),
        r if r.is_gpr() => {
            let whole = state.gpr[number(r)];
            Some(if r.size() == 4 { whole & 0xffff_ffff } else { whole })
        }
        _ => None,
    }
}

/// Where an instruction touches memory, and how many bytes of it: of all repetitions together.
pub fn place(i: &Instruction, memory: &UsedMemory, state: &State) -> Result<(u64, usize), Error> {
    let value = |register: Register, _: usize, _: usize| base_or_register(register, state);
    let refused = |why: &str| Error::Instruction {
        address: i.ip(),
        instruction: i.to_string(),
        why: why.into(),
    };
    let at = memory
        .virtual_address(0, value)
        .ok_or_else(|| refused("its address is not known before it runs"))?;
    let bytes = memory.memory_size().size();
    if bytes == 0 {
        return Err(refused("how much memory it touches is not known"));
    }
    if i.has_rep_prefix() || i.has_repne_prefix() {
        const DIRECTION: u64 = 0x400;
        let total = bytes * state.gpr[1] as usize;
        let from = if state.flags & DIRECTION != 0 { at + bytes as u64 - total as u64 } else { at };
        return Ok((from, total));
    }
    Ok((at, bytes))
}

/// The bits that a narrow name of a register means.
pub fn part_of(register: Register) -> u64 {
    let whole = if register.size() == 2 { 0xffff } else { 0xff };
    if is_second_byte(register) { whole << 8 } else { whole }
}
