//! Active numbers that a comparison found equal: the program's user is told, once for each place.

use std::{collections::HashSet, ffi::CStr, sync::Mutex};

use iced_x86::{Instruction, Mnemonic, OpKind};

use super::operands::{base_or_register, register_operand};
use crate::{Error, border::thread, emit::Mode, error, mirror::space::DISTANCE, rules::tangent::Operand, state::State};

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
    if a == b && may_part { tell(i, a, library(i.ip())) } else { Ok(()) }
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

fn tell(i: &Instruction, value: f64, library: String) -> Result<(), Error> {
    let tie = Error::Tie { library, address: i.ip(), instruction: i.to_string(), value };
    match std::env::var(VARIABLE).as_deref() {
        Ok("error") => return Err(tie),
        Ok("quiet") => return Ok(()),
        _ => {}
    }
    let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
    let told = told.get_or_insert_default();
    if told.len() < MOST && told.insert(i.ip()) {
        let function = thread::function();
        // SAFETY: the name that generated code gave, a constant of its own.
        let function = if function.is_null() { c"?" } else { unsafe { CStr::from_ptr(function) } };
        error::note(&tie, &function.to_string_lossy());
    }
    Ok(())
}
