//! Instructions that touch more than operands: exchanges, strings, the stack, system calls.

use std::{cell::RefCell, ffi::c_long};

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::{
    library_calls,
    operands::{self, base_or_register},
    parts,
};
use crate::{
    machine::{
        general_mask::number,
        state::{State, UNKNOWN},
        word,
    },
    memory::space::DISTANCE,
    models::{
        memory::Call,
        syscalls::{self, Syscall},
    },
    rules::{self, Rule},
    translate::{
        Mode,
        instruction::{is_second_byte, is_system_call},
    },
};

const RAX: usize = 0;
const RCX: usize = 1;
const RSP: usize = 4;
const RSI: usize = 6;
const RDI: usize = 7;
/// Registers that a system call changes.
const WRITTEN: &[usize] = if word::IS_64 { &[RAX, RCX, 11] } else { &[RAX] };
/// Registers of its arguments: RDI, RSI, RDX, R10, R8, R9, or EBX, ECX, EDX, ESI, EDI, EBP.
const PASSED: [usize; 6] =
    if word::IS_64 { [RDI, RSI, 2, 10, 8, 9] } else { [3, RCX, 2, RSI, RDI, 5] };
/// The direction flag.
const DIRECTION: u64 = 0x400;

/// Whether an instruction is one of these.
pub fn is_of(i: &Instruction) -> bool {
    let by_mnemonic = is_system_call(i)
        || matches!(
            i.mnemonic(),
            Mnemonic::Xchg | Mnemonic::Maskmovq | Mnemonic::Maskmovdqu | Mnemonic::Vmaskmovdqu
        );
    let is_popped = i.mnemonic() == Mnemonic::Pop && i.op0_kind() == OpKind::Memory;
    by_mnemonic
        || is_popped
        || matches!(rules::rule(i.code()), Rule::MoveString | Rule::StoreString | Rule::LoadString)
}

/// Does what such an instruction does to shadows.
pub fn shadows(i: &Instruction, rule: Rule, state: &mut State, mode: Mode) -> Result<(), String> {
    match (i.mnemonic(), rule) {
        _ if is_system_call(i) => system_call(state, mode),
        (Mnemonic::Xchg, _) => exchange(i, state, mode),
        (Mnemonic::Pop, _) => popped(i, state),
        (_, Rule::MoveString) => {
            move_string(i, state, mode);
            Ok(())
        }
        (_, Rule::StoreString) => {
            store_string(i, state, mode);
            Ok(())
        }
        (_, Rule::LoadString) => load_string(i, state),
        _ => {
            mask_move(i, state);
            Ok(())
        }
    }
}

/// Bytes of shadow memory.
///
/// # Safety
/// The instruction is about to touch so many bytes there, so their shadow is mapped.
unsafe fn shadow<'a>(at: u64, bytes: usize) -> &'a mut [u8] {
    // SAFETY: by contract; no two are held at once.
    unsafe { std::slice::from_raw_parts_mut(at.wrapping_add(DISTANCE) as *mut u8, bytes) }
}

fn address(i: &Instruction, k: u32, state: &State) -> Result<u64, String> {
    i.virtual_address(k, 0, |r, _, _| base_or_register(r, state))
        .ok_or_else(|| "its address is not known before it runs".into())
}

/// Of a register, as much as its name says.
fn part(register: Register, state: &State) -> Vec<u8> {
    let from = usize::from(is_second_byte(register));
    state.general[number(register)].to_le_bytes()[from..from + register.size()].to_vec()
}

fn set_part(register: Register, part: &[u8], state: &mut State) {
    let from = usize::from(is_second_byte(register));
    let mut bytes = state.general[number(register)].to_le_bytes();
    if part.len() == 4 {
        bytes = [0; 8];
    }
    bytes[from..from + part.len()].copy_from_slice(part);
    state.general[number(register)] = u64::from_le_bytes(bytes);
}

fn exchange(i: &Instruction, state: &mut State, mode: Mode) -> Result<(), String> {
    let second = i.op1_register();
    let from_second = part(second, state);
    if i.op0_kind() == OpKind::Memory {
        let at = address(i, 0, state)?;
        let bytes = second.size();
        if bytes < 4 {
            if parts::are_active(at, bytes) || from_second.iter().any(|b| *b != 0) {
                parts::lose(at, bytes, mode);
                state.general[number(second)] = UNKNOWN;
            }
            return Ok(());
        }
        // SAFETY: the instruction touches this memory.
        let memory = unsafe { shadow(at, from_second.len()) };
        let old = memory.to_vec();
        memory.copy_from_slice(&from_second);
        set_part(second, &old, state);
        return Ok(());
    }
    let from_first = part(i.op0_register(), state);
    set_part(i.op0_register(), &from_second, state);
    set_part(second, &from_first, state);
    Ok(())
}

/// From the stack to memory, whose address is that behind the pop.
fn popped(i: &Instruction, state: &mut State) -> Result<(), String> {
    let bytes = i.memory_size().size();
    let from = state.gpr[RSP];
    let behind = |r: Register, _, _| {
        base_or_register(r, state).map(|at| if r == Register::RSP { at + bytes as u64 } else { at })
    };
    let to = i.virtual_address(0, 0, behind).ok_or("its address is not known before it runs")?;
    // SAFETY: the instruction reads one and writes the other.
    let dots = unsafe { shadow(from, bytes) }.to_vec();
    // SAFETY: the instruction writes so many bytes there.
    unsafe { shadow(to, bytes) }.copy_from_slice(&dots);
    Ok(())
}

/// Bytes of an element, and how many there are.
fn elements(i: &Instruction, state: &State) -> (usize, usize) {
    let count =
        if i.has_rep_prefix() || i.has_repne_prefix() { state.gpr[RCX] as usize } else { 1 };
    (i.memory_size().size(), count)
}

/// The addresses of elements, in the order of the processor.
fn steps(from: u64, bytes: usize, count: usize, state: &State) -> impl Iterator<Item = u64> {
    let backward = state.flags & DIRECTION != 0;
    (0..count as u64).map(move |k| {
        if backward { from.wrapping_sub(k * bytes as u64) } else { from + k * bytes as u64 }
    })
}

fn move_string(i: &Instruction, state: &mut State, mode: Mode) {
    let (bytes, count) = elements(i, state);
    let (from, to) = (state.gpr[RSI], state.gpr[RDI]);
    let (total, forward) = ((bytes * count) as u64, state.flags & DIRECTION == 0);
    let apart = from + total <= to || to + total <= from;
    if forward && apart {
        parts::copy(from, to, total, mode);
        return;
    }
    if forward && to <= from {
        // SAFETY: the instruction copies this memory; so do shadows, in the same order.
        unsafe {
            std::ptr::copy(
                from.wrapping_add(DISTANCE) as *const u8,
                to.wrapping_add(DISTANCE) as *mut u8,
                total as usize,
            );
        }
        return;
    }
    for (from, to) in steps(from, bytes, count, state).zip(steps(to, bytes, count, state)) {
        // SAFETY: the instruction reads an element at one place and writes it at the other.
        unsafe {
            std::ptr::copy(
                from.wrapping_add(DISTANCE) as *const u8,
                to.wrapping_add(DISTANCE) as *mut u8,
                bytes,
            )
        };
    }
}

fn store_string(i: &Instruction, state: &mut State, mode: Mode) {
    let (bytes, count) = elements(i, state);
    let dot = state.general[RAX].to_le_bytes();
    if bytes < 4 {
        let is_inactive = dot[..bytes].iter().all(|b| *b == 0);
        if is_inactive && state.flags & DIRECTION == 0 {
            parts::clear_all(state.gpr[RDI], (bytes * count) as u64, mode);
            return;
        }
        for at in steps(state.gpr[RDI], bytes, count, state) {
            if is_inactive { parts::clear(at, bytes, mode) } else { parts::lose(at, bytes, mode) }
        }
        return;
    }
    for at in steps(state.gpr[RDI], bytes, count, state) {
        // SAFETY: the instruction writes this memory.
        unsafe { shadow(at, bytes) }.copy_from_slice(&dot[..bytes]);
    }
}

fn load_string(i: &Instruction, state: &mut State) -> Result<(), String> {
    let (bytes, count) = elements(i, state);
    let Some(at) = steps(state.gpr[RSI], bytes, count, state).last() else {
        return Ok(());
    };
    // SAFETY: the instruction reads this memory.
    let dots = unsafe { shadow(at, bytes) }.to_vec();
    let register = match bytes {
        1 => Register::AL,
        2 => Register::AX,
        4 => Register::EAX,
        _ => Register::RAX,
    };
    set_part(register, &dots, state);
    Ok(())
}

/// `maskmovdqu` and `maskmovq`: bytes of the first operand whose bit is set in the second, to where
/// RDI points.
fn mask_move(i: &Instruction, state: &mut State) {
    let (data, mask) = (
        operands::register_operand(i.op1_register(), state),
        operands::register_operand(i.op2_register(), state),
    );
    let at = state.gpr[RDI];
    for b in (0..i.op1_register().size()).filter(|&b| mask.value[b] >= 0x80) {
        // SAFETY: the instruction writes this byte.
        let byte = unsafe { shadow(at + b as u64, 1) };
        byte[0] = data.dot[b];
    }
}

thread_local! {
    /// Calls that are under way: what is known of them, their arguments, and shadows that were put
    /// aside.
    static PENDING: RefCell<Option<(Syscall, Call, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Before a system call, and again behind it.
fn system_call(state: &mut State, mode: Mode) -> Result<(), String> {
    if let Some((known, mut call, mut set_aside)) = PENDING.take() {
        call.result = state.gpr[RAX];
        // SAFETY: the call has been made.
        unsafe { known.after(&call) }
            .into_iter()
            .for_each(|action| library_calls::act(action, &mut set_aside, mode));
        WRITTEN.iter().for_each(|n| state.general[*n] = 0);
        return Ok(());
    }
    let number = state.gpr[RAX] as c_long;
    let known = syscalls::syscall(number)
        .ok_or_else(|| format!("it is not known what system call {number} writes"))?;
    let call = Call { args: PASSED.map(|n| state.gpr[n]), result: 0 };
    let mut set_aside = Vec::new();
    // SAFETY: the call comes next.
    unsafe { known.before(&call) }
        .into_iter()
        .for_each(|action| library_calls::act(action, &mut set_aside, mode));
    PENDING.set(Some((known, call, set_aside)));
    Ok(())
}
