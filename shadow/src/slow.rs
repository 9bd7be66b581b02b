//! The slow way: shadows of one instruction, with all registers saved.
//!
//! What meets nothing active has shadow zero in all that it writes. Else the rule of its form says what its result's shadow is (`rules`), or why
//! there is none.

use std::{cell::RefCell, collections::HashMap};

use iced_x86::{Decoder, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register, UsedMemory, UsedRegister};

use crate::{
    Error,
    emit::{Mode, reads, writes},
    general_mask::number,
    mirror::space::DISTANCE,
    recording, registers,
    rules::{
        is_constant,
        tangent::{self, Operand},
    },
    state::{State, Vector},
};

/// Does what the instruction at the state's address does to shadows; it has not been executed yet.
pub fn shadows(state: &mut State, mode: Mode, library: &str) -> Result<(), Error> {
    // SAFETY: the translation that asks was made from the instruction, so it is there; 15 bytes are the longest, and the code goes on behind it.
    let bytes = unsafe { std::slice::from_raw_parts(state.instruction as *const u8, 15) };
    let i = Decoder::with_ip(64, bytes, state.instruction, DecoderOptions::NONE).decode();
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(&i);
    if i.mnemonic() == Mnemonic::Vzeroall {
        state.vectors[..16].fill(Vector::default());
        return Ok(());
    }
    if let Some(done) = saved_state(&i, state) {
        return done;
    }
    if let Some(operand) = active_operand(&i, info.used_registers(), info.used_memory(), state)? {
        let refused = |why: String| Error::Active { library: library.into(), address: i.ip(), instruction: i.to_string(), operand: operand.clone(), why };
        return by_rule(&i, state, mode).map_err(refused);
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

/// Records what code of `emit::record` left over; it goes on with the results.
pub fn record(state: &mut State, library: &str) -> Result<(), Error> {
    shadows(state, Mode::Recording, library)?;
    // SAFETY: as in `shadows`.
    let bytes = unsafe { std::slice::from_raw_parts(state.instruction as *const u8, 15) };
    let i = Decoder::with_ip(64, bytes, state.instruction, DecoderOptions::NONE).decode();
    state.record.results = state.vectors[i.op0_register().number()];
    Ok(())
}

thread_local! {
    /// Shadows of vector registers that are saved in memory, by its address.
    static SAVED: RefCell<HashMap<u64, [Vector; 32]>> = RefCell::default();
}

/// Instructions that save or restore all vector registers, as the loader does when it binds a function at its first call: so with their shadows.
fn saved_state(i: &Instruction, state: &mut State) -> Option<Result<(), Error>> {
    use Mnemonic::*;
    let is_save = matches!(i.mnemonic(), Xsave | Xsave64 | Xsavec | Xsavec64 | Xsaveopt | Xsaveopt64 | Fxsave | Fxsave64);
    if !is_save && !matches!(i.mnemonic(), Xrstor | Xrstor64 | Fxrstor | Fxrstor64) {
        return None;
    }
    let refused = |why: &str| Error::Instruction { address: i.ip(), instruction: i.to_string(), why: why.into() };
    let Some(at) = i.virtual_address(0, 0, |r, _, _| base_or_register(r, state)) else {
        return Some(Err(refused("its address is not known before it runs")));
    };
    if is_save {
        SAVED.with_borrow_mut(|all| all.insert(at, state.vectors));
        return Some(Ok(()));
    }
    let Some(vectors) = SAVED.with_borrow_mut(|all| all.remove(&at)) else {
        return Some(Err(refused("it restores what was not saved by translated code")));
    };
    state.vectors = vectors;
    Some(Ok(()))
}

/// What an instruction reads that is active, if anything is.
fn active_operand(i: &Instruction, registers: &[UsedRegister], memory: &[UsedMemory], state: &State) -> Result<Option<String>, Error> {
    if is_constant(i) {
        return Ok(None);
    }
    for register in registers.iter().filter(|u| reads(u.access())).map(|u| u.register()) {
        let is_active = match register {
            r if r.is_vector_register() => state.vectors[r.number()].0.iter().any(|w| *w != 0),
            r if r.is_gpr() => state.general[number(r)] != 0 && !is_address(i, r),
            _ => false,
        };
        if is_active {
            return Ok(Some(format!("{register:?}").to_lowercase()));
        }
    }
    for memory in memory.iter().filter(|m| reads(m.access())) {
        let (at, bytes) = place(i, memory, state)?;
        // SAFETY: the instruction reads this memory; its shadow is mapped.
        let shadow = unsafe { std::slice::from_raw_parts(at.wrapping_add(DISTANCE) as *const u8, bytes) };
        if shadow.iter().any(|b| *b != 0) {
            return Ok(Some(format!("operand in memory at {at:#x}")));
        }
    }
    Ok(None)
}

/// The shadow of what the instruction computes, by the rule of its form; or why there is none.
fn by_rule(i: &Instruction, state: &mut State, mode: Mode) -> Result<(), String> {
    let mut operands = Vec::new();
    let mut result = None;
    for k in 0..i.op_count() {
        let mut operand = Operand::default();
        match i.op_kind(k) {
            OpKind::Register if i.op_register(k).is_vector_register() => {
                let n = i.op_register(k).number();
                // SAFETY: the stub saved the registers for this call.
                operand.value = unsafe { registers::vector(state, n) };
                for (bytes, word) in operand.dot.chunks_exact_mut(8).zip(state.vectors[n].0) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
            }
            OpKind::Register if i.op_register(k).is_gpr() => {
                let n = number(i.op_register(k));
                operand.value[..8].copy_from_slice(&state.gpr[n].to_le_bytes());
                operand.dot[..8].copy_from_slice(&state.general[n].to_le_bytes());
            }
            OpKind::Memory => {
                let at = i.virtual_address(k, 0, |r, _, _| base_or_register(r, state)).ok_or("its address is not known before it runs")?;
                let bytes = i.memory_size().size().min(operand.value.len());
                // SAFETY: the instruction is about to access this memory; its shadow is mapped.
                unsafe {
                    std::ptr::copy_nonoverlapping(at as *const u8, operand.value.as_mut_ptr(), bytes);
                    std::ptr::copy_nonoverlapping(at.wrapping_add(DISTANCE) as *const u8, operand.dot.as_mut_ptr(), bytes);
                }
                if k == 0 {
                    result = Some((at, bytes));
                }
            }
            _ => {}
        }
        operands.push(operand);
    }
    let mask = match i.op_mask() {
        Register::None => u64::MAX,
        // SAFETY: as above.
        register => unsafe { registers::mask(state, register.number()) },
    };
    let dots = match mode {
        Mode::Recording => recording::slow::shadow(i, &operands, mask, state)?,
        Mode::Plain | Mode::Tangent => tangent::dots(i, &operands, mask).map_err(|why| format!("{why:?}"))?,
    };
    match (i.op0_kind(), result) {
        (OpKind::Register, _) if i.op0_register().is_vector_register() => {
            for (word, bytes) in state.vectors[i.op0_register().number()].0.iter_mut().zip(dots.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
            Ok(())
        }
        (_, Some((at, bytes))) => {
            // SAFETY: the instruction writes this memory; its shadow is mapped.
            unsafe { std::ptr::copy_nonoverlapping(dots.as_ptr(), at.wrapping_add(DISTANCE) as *mut u8, bytes) };
            Ok(())
        }
        // Translations take it that general registers are inactive behind the slow way.
        _ if tangent::is_active(&dots) => Err("a general register would be active".into()),
        _ => Ok(()),
    }
}

fn is_address(i: &Instruction, register: Register) -> bool {
    let is = |r: Register| r != Register::None && r.full_register() == register.full_register();
    (is(i.memory_base()) || is(i.memory_index())) && !(0..i.op_count()).any(|k| i.op_register(k).full_register() == register.full_register())
}

/// What addresses are made of.
fn base_or_register(register: Register, state: &State) -> Option<u64> {
    match register {
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
    }
}

/// Where an instruction touches memory, and how many bytes of it: of all repetitions together.
fn place(i: &Instruction, memory: &UsedMemory, state: &State) -> Result<(u64, usize), Error> {
    let value = |register: Register, _: usize, _: usize| base_or_register(register, state);
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
