//! Active numbers that a comparison found equal: the program's user is told, once for each place.
//!
//! A library may keep its last argument and what it computed of it: the same argument, with a derivative now, gets the result without one. So where the other
//! number is one of the library's variables, or was loaded from there, that is an error. Caches that order their keys, or look at them as integers, are not seen.

use std::{collections::HashSet, ffi::CStr, ops::Range, sync::Mutex};

use iced_x86::{Instruction, Mnemonic, OpKind};

use super::operands::{base_or_register, register_operand};
use crate::{
    Error,
    border::thread,
    emit::Mode,
    error,
    mirror::space::{self, DISTANCE},
    modules,
    rules::tangent::Operand,
    state::State,
};

/// Places that are told of, in one process: where a recording is made, every number of an object with a shadow counts as active.
const MOST: usize = 4;
/// What is to be done: `error` ends the program, `quiet` says nothing.
const VARIABLE: &str = "ADSHADOW_TIES";

static TOLD: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

/// Looks at the operands of a comparison that has been made.
pub fn look(i: &Instruction, state: &State, mode: Mode, library: &dyn Fn(u64) -> String) -> Result<(), Error> {
    let bytes = if matches!(i.mnemonic(), Mnemonic::Ucomisd | Mnemonic::Comisd | Mnemonic::Vucomisd | Mnemonic::Vcomisd) { 8 } else { 4 };
    let operands = [register_operand(i.op0_register(), state), second(i, bytes, state)];
    let [a, b] = operands.each_ref().map(|o| number(o, bytes));
    // With the same dot both stay equal. Of two indices nobody can say it, and mostly one number was computed twice.
    let shadows = operands.each_ref().map(|o| &o.dot[..bytes]);
    let is_passive = |shadow: &[u8]| shadow.iter().all(|byte| *byte == 0);
    let may_part = shadows[0] != shadows[1] && (mode == Mode::Tangent || shadows.into_iter().any(is_passive));
    if a != b || !may_part {
        return Ok(());
    }
    let memory = (i.op1_kind() == OpKind::Memory && is_passive(shadows[1])).then(|| i.virtual_address(1, 0, |r, _, _| base_or_register(r, state))).flatten();
    let is_kept = shadows.into_iter().any(is_passive) && bytes == 8 && is_kept(i.ip(), a.to_bits(), memory);
    let place = Place { address: i.ip(), instruction: i.to_string(), library: library(i.ip()) };
    tell(place, a, is_kept)
}

/// Where numbers were compared.
struct Place {
    address: u64,
    instruction: String,
    library: String,
}

/// The C library found so many bytes equal, for code that goes on at an address.
pub fn look_at_bytes(name: &str, at: [u64; 2], bytes: u64, (back, library): (u64, &str)) -> Result<(), Error> {
    const WORD: usize = 8;
    for offset in (0..bytes - bytes % WORD as u64).step_by(WORD) {
        // SAFETY: bytes that were compared, and their shadows.
        let of = |start: u64| unsafe { ((start + offset) as *const u64).read_unaligned() };
        let shadows = at.map(|start| of(start.wrapping_add(DISTANCE)));
        let Some(passive) = shadows.iter().position(|shadow| *shadow == 0).filter(|k| shadows[1 - k] != 0) else { continue };
        let place = Place { address: back, instruction: name.into(), library: library.into() };
        return tell(place, f64::from_bits(of(at[0])), is_kept(back, of(at[0]), Some(at[passive] + offset)));
    }
    Ok(())
}

/// Whether a number is one that the library with this code has in its variables, without a derivative: the one that was compared, if it was in memory. In the
/// program's own variables others may well be the same. Numbers of few digits may be anywhere.
fn is_kept(code: u64, bits: u64, memory: Option<u64>) -> bool {
    if bits as u32 == 0 {
        return false;
    }
    let modules = modules::loaded();
    let Some(module) = modules.iter().find(|m| m.has_code(code)) else { return false };
    let mut data = module.data.iter().chain(&module.own);
    if let Some(at) = memory {
        return data.any(|range| range.contains(&at));
    }
    // SAFETY: variables of a loaded module, and their shadows.
    let of = |at: u64| unsafe { (at as *const u64).read() };
    let has = |range: &Range<u64>| {
        space::covers(range.clone()).is_ok()
            && (range.start.next_multiple_of(8)..range.end.saturating_sub(7)).step_by(8).any(|at| of(at) == bits && of(at.wrapping_add(DISTANCE)) == 0)
    };
    !module.path.is_empty() && data.any(has)
}

fn second(i: &Instruction, bytes: usize, state: &State) -> Operand {
    if i.op1_kind() == OpKind::Register {
        return register_operand(i.op1_register(), state);
    }
    let mut operand = Operand::default();
    if let Some(at) = i.virtual_address(1, 0, |r, _, _| base_or_register(r, state)) {
        // SAFETY: the instruction has just read this memory; its shadow is mapped.
        unsafe {
            operand.value[..bytes].copy_from_slice(std::slice::from_raw_parts(at as *const u8, bytes));
            operand.dot[..bytes].copy_from_slice(std::slice::from_raw_parts(at.wrapping_add(DISTANCE) as *const u8, bytes));
        }
    }
    operand
}

fn number(operand: &Operand, bytes: usize) -> f64 {
    let v = &operand.value;
    match bytes {
        8 => f64::from_le_bytes(v[..8].try_into().expect("eight bytes")),
        _ => f32::from_le_bytes(v[..4].try_into().expect("four bytes")).into(),
    }
}

fn tell(Place { address, instruction, library }: Place, value: f64, is_kept: bool) -> Result<(), Error> {
    let tie = match is_kept {
        true => Error::Kept { library, address, instruction, value },
        false => Error::Tie { library, address, instruction, value },
    };
    match std::env::var(VARIABLE).as_deref() {
        Ok("quiet") => return Ok(()),
        Ok("error") => return Err(tie),
        _ if is_kept => return Err(tie),
        _ => {}
    }
    let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
    let told = told.get_or_insert_default();
    if told.len() < MOST && told.insert(address) {
        let function = thread::function();
        // SAFETY: the name that generated code gave, a constant of its own.
        let function = if function.is_null() { c"?" } else { unsafe { CStr::from_ptr(function) } };
        error::note(&tie, &function.to_string_lossy());
    }
    Ok(())
}
