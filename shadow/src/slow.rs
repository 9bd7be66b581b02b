//! The slow way: shadows of one instruction, with all registers saved.
//!
//! What meets nothing active has shadow zero in all that it writes. Else the rule of its form says what its result's shadow is (`rules`), or why
//! there is none. What general registers compute of active bits is unknown, a shadow that is NaN to who takes it for a dot.
//!
//! [`unit`] is for the x87 unit, [`places`] for instructions that touch more than operands, [`masked`] for memory of which a mask leaves out parts, [`ties`] for
//! comparisons.

mod masked;
mod places;
mod ties;
pub(crate) mod unit;

use std::{cell::RefCell, collections::HashMap};

use iced_x86::{Code, Decoder, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register, UsedMemory, UsedRegister};

use crate::{
    Error,
    emit::{Mode, reads, writes},
    general_mask::number,
    mirror::space::DISTANCE,
    recording, registers,
    rules::{
        is_constant,
        native::{self, WIDTH},
        tangent::{self, Operand},
    },
    state::{State, UNKNOWN, Vector},
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
    if let Some(done) = ties::look(&i, state, library) {
        return done;
    }
    let touching = |why: String| {
        let operand = "what it touches".into();
        Error::Active { library: library.into(), address: i.ip(), instruction: i.to_string(), operand, why }
    };
    if unit::is_of(&i) {
        return unit::shadows(&i, state, mode).map_err(touching);
    }
    if let Some(done) = places::shadows(&i, state) {
        return done.map_err(touching);
    }
    if masked::is_of(&i) {
        let done = by_rule(&i, state, mode);
        // What no rule knows does nothing to what is inactive.
        let is_register = i.op0_kind() == OpKind::Register;
        if done.is_err() && is_register && matches!(active_operand(&i, info.used_registers(), info.used_memory(), state), Ok(None)) {
            set_register(i.op0_register(), &[0; WIDTH], state);
            return Ok(());
        }
        return done.map_err(touching);
    }
    if let Some(operand) = active_operand(&i, info.used_registers(), info.used_memory(), state)? {
        let refused = |why: String| Error::Active { library: library.into(), address: i.ip(), instruction: i.to_string(), operand: operand.clone(), why };
        return match by_rule(&i, state, mode) {
            Err(_) if is_integer(&i) => {
                let place = |k: u32| i.virtual_address(k, 0, |r, _, _| base_or_register(r, state));
                let memory = (i.op0_kind() == OpKind::Memory).then(|| place(0)).flatten();
                set_unknown(&i, info.used_registers(), memory, state);
                Ok(())
            }
            done => done.map_err(refused),
        };
    }
    for used in info.used_registers().iter().filter(|u| writes(u.access())) {
        let register = used.register();
        if register.is_vector_register() {
            let keeps = if i.encoding() == EncodingKind::Legacy { 2 } else { 0 };
            let words = if keeps == 2 { ..2 } else { ..8 };
            state.vectors[register.number()].0[words].fill(0);
        } else if register.is_gpr() && register.size() >= 4 {
            state.general[number(register)] = 0;
        } else if register.is_gpr() {
            // The rest of the register stays as it is.
            let part = if register.size() == 2 { 0xffff } else { 0xff } << if is_second_byte(register) { 8 } else { 0 };
            state.general[number(register)] &= !part;
        } else if register.is_mm() {
            state.x87[register.number()] = [0; 16];
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

/// Whether an instruction computes with general registers and memory alone.
fn is_integer(i: &Instruction) -> bool {
    let general = |k: u32| i.op_kind(k) != OpKind::Register || i.op_register(k).is_gpr();
    (0..i.op_count()).all(general) && (i.op0_kind() == OpKind::Register || i.op0_kind() == OpKind::Memory)
}

/// All that an instruction writes is unknown.
fn set_unknown(i: &Instruction, registers: &[UsedRegister], memory: Option<u64>, state: &mut State) {
    for register in registers.iter().filter(|u| writes(u.access())).map(|u| u.register()).filter(|r| r.is_gpr()) {
        state.general[number(register)] = UNKNOWN;
    }
    if let Some(at) = memory {
        // SAFETY: the instruction writes this memory, or at least reads it; its shadow is mapped.
        unsafe { std::ptr::write_bytes(at.wrapping_add(DISTANCE) as *mut u8, 0xff, i.memory_size().size()) };
    }
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
            r if r.is_vector_register() => state.vectors[r.number()].0.iter().any(|w| tangent::is_active(&w.to_le_bytes())),
            r if r.is_gpr() => tangent::is_active(&state.general[number(r)].to_le_bytes()) && !is_address(i, r),
            r if r.is_mm() => state.x87[r.number()] != [0; 16],
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
        if tangent::is_active(shadow) {
            return Ok(Some(format!("operand in memory at {at:#x}")));
        }
    }
    Ok(None)
}

/// The shadow of what the instruction computes, by the rule of its form; or why there is none.
fn by_rule(i: &Instruction, state: &mut State, mode: Mode) -> Result<(), String> {
    let mask = match i.op_mask() {
        Register::None => u64::MAX,
        // SAFETY: the stub saved the registers for this call.
        register => unsafe { registers::mask(state, register.number()) },
    };
    if i.memory_index().is_vector_register() {
        return masked::scattered(i, mask, state);
    }
    let mut operands: Vec<Operand> = (0..i.op_count()).map(|k| register_operand(i.op_register(k), state)).collect();
    if native::has_hidden_mask(i) {
        operands.push(register_operand(Register::XMM0, state));
    }
    let Some(k) = (0..i.op_count()).find(|&k| i.op_kind(k) == OpKind::Memory) else {
        let dots = dots(i, &operands, mask, state, mode)?;
        set_register(i.op0_register(), &dots, state);
        return Ok(());
    };
    let at = i.virtual_address(k, 0, |r, _, _| base_or_register(r, state)).ok_or("its address is not known before it runs")?;
    let touched = masked::touched(i, k, mask, &operands);
    operands[k as usize] = Operand { value: touched.read(at), dot: touched.read(at.wrapping_add(DISTANCE)) };
    let dots = dots(i, &operands, mask, state, mode)?;
    if k == 0 {
        touched.write(at.wrapping_add(DISTANCE), &dots);
    } else {
        set_register(i.op0_register(), &dots, state);
    }
    Ok(())
}

/// `bzhi`, by which compilers take the sign of a real away, as the `and` with the bits that it keeps.
fn as_and(i: &Instruction, operands: &[Operand]) -> Option<(Instruction, Vec<Operand>)> {
    if i.mnemonic() != Mnemonic::Bzhi || operands[2].dot[0] != 0 {
        return None;
    }
    let (bits, count) = (8 * i.op0_register().size() as u32, u32::from(operands[2].value[0]));
    let kept = if count < bits { (1u64 << count) - 1 } else { u64::MAX };
    let and = match bits {
        64 => Instruction::with2(Code::And_r64_rm64, Register::RAX, Register::RCX),
        _ => Instruction::with2(Code::And_r32_rm32, Register::EAX, Register::ECX),
    };
    let mut mask = Operand::default();
    mask.value[..8].copy_from_slice(&kept.to_le_bytes());
    Some((and.ok()?, vec![operands[1].clone(), mask]))
}

fn dots(i: &Instruction, operands: &[Operand], mask: u64, state: &mut State, mode: Mode) -> Result<[u8; WIDTH], String> {
    if let Some((and, operands)) = as_and(i, operands) {
        return dots(&and, &operands, mask, state, mode);
    }
    match mode {
        Mode::Recording => recording::slow::shadow(i, operands, mask, state),
        Mode::Plain | Mode::Tangent => tangent::dots(i, operands, mask).map_err(|why| format!("{why:?}")),
    }
}

/// Value and dot of a register operand; nothing of what is none.
fn register_operand(register: Register, state: &State) -> Operand {
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

fn is_second_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

/// The shadow of a register that was computed; mask registers have none.
fn set_register(register: Register, dots: &[u8; WIDTH], state: &mut State) {
    if register.is_vector_register() {
        for (word, bytes) in state.vectors[register.number()].0.iter_mut().zip(dots.chunks_exact(8)) {
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

fn is_address(i: &Instruction, register: Register) -> bool {
    let is = |r: Register| r != Register::None && r.full_register() == register.full_register();
    (is(i.memory_base()) || is(i.memory_index())) && !(0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Register && is(i.op_register(k)))
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
