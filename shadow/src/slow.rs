//! The slow way: shadows of one instruction, with all registers saved.
//!
//! So far it knows instructions that meet nothing active: what they write has shadow zero.

use iced_x86::{Decoder, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, Register, UsedMemory};

use crate::{
    Error,
    emit::{reads, writes},
    general_mask::number,
    mirror::space::DISTANCE,
    state::{State, Vector},
};

/// Does what the instruction at the state's address does to shadows; it has not been executed yet.
pub fn shadows(state: &mut State, library: &str) -> Result<(), Error> {
    // SAFETY: the translation that asks was made from the instruction, so it is there; 15 bytes are the longest, and the code goes on behind it.
    let bytes = unsafe { std::slice::from_raw_parts(state.instruction as *const u8, 15) };
    let i = Decoder::with_ip(64, bytes, state.instruction, DecoderOptions::NONE).decode();
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(&i);
    if i.mnemonic() == Mnemonic::Vzeroall {
        state.vectors[..16].fill(Vector::default());
        return Ok(());
    }
    let active = |operand: String| Error::Active { library: library.into(), address: i.ip(), instruction: i.to_string(), operand };
    for used in info.used_registers().iter().filter(|u| reads(u.access())) {
        let register = used.register();
        if register.is_vector_register() && state.vectors[register.number()].0.iter().any(|w| *w != 0) && !is_zeroing(&i) {
            return Err(active(format!("{register:?}").to_lowercase()));
        }
        if register.is_gpr() && state.general[number(register)] != 0 && !is_address(&i, register) {
            return Err(active(format!("{register:?}").to_lowercase()));
        }
    }
    for memory in info.used_memory().iter().filter(|m| reads(m.access())) {
        let (at, bytes) = place(&i, memory, state)?;
        // SAFETY: the instruction reads this memory; its shadow is mapped.
        let shadow = unsafe { std::slice::from_raw_parts(at.wrapping_add(DISTANCE) as *const u8, bytes) };
        if shadow.iter().any(|b| *b != 0) {
            return Err(active(format!("operand in memory at {at:#x}")));
        }
    }
    for used in info.used_registers().iter().filter(|u| writes(u.access())) {
        let register = used.register();
        if register.is_vector_register() {
            let keeps = if i.encoding() == EncodingKind::Legacy { 2 } else { 0 };
            let words = if keeps == 2 { ..2 } else { ..8 };
            state.vectors[register.number()].0[words].fill(0);
        } else if register.is_gpr() {
            state.general[number(register)] = 0;
        }
    }
    for memory in info.used_memory().iter().filter(|m| writes(m.access())) {
        let (at, bytes) = place(&i, memory, state)?;
        // SAFETY: the instruction writes this memory; its shadow is mapped.
        unsafe { std::ptr::write_bytes(at.wrapping_add(DISTANCE) as *mut u8, 0, bytes) };
    }
    Ok(())
}

fn is_zeroing(i: &Instruction) -> bool {
    i.op_count() >= 2 && i.op_register(i.op_count() - 1) == i.op_register(i.op_count() - 2) && i.op_register(0).is_vector_register() && {
        let text = format!("{:?}", i.mnemonic());
        text.contains("xor") || text.contains("Xor")
    }
}

fn is_address(i: &Instruction, register: Register) -> bool {
    let is = |r: Register| r != Register::None && r.full_register() == register.full_register();
    (is(i.memory_base()) || is(i.memory_index())) && !(0..i.op_count()).any(|k| i.op_register(k).full_register() == register.full_register())
}

/// Where an instruction touches memory, and how many bytes of it: of all repetitions together.
fn place(i: &Instruction, memory: &UsedMemory, state: &State) -> Result<(u64, usize), Error> {
    let value = |register: Register, _: usize, _: usize| match register {
        Register::FS => {
            let base: u64;
            // SAFETY: the thread pointer is in the first word of what it points to.
            unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) base, options(nostack, readonly, preserves_flags)) };
            Some(base)
        }
        Register::GS => None,
        Register::ES | Register::CS | Register::SS | Register::DS => Some(0),
        r if r.is_gpr() => {
            let whole = state.gpr[number(r)];
            Some(if r.size() == 4 { whole & 0xffff_ffff } else { whole })
        }
        _ => None,
    };
    let refused = |why: &str| Error::Instruction { address: i.ip(), instruction: i.to_string(), why: why.into() };
    let at = memory.virtual_address(0, value).ok_or_else(|| refused("its address is not known before it runs"))?;
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
