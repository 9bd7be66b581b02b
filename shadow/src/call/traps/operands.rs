//! The memory operands of the instruction that a fault is at. For some faults the kernel has no
//! address: of those that are none on x86-64, of those beyond a segment on i386.

use std::ffi::c_int;

use iced_x86::{Decoder, DecoderOptions, Register};

use crate::machine::word::BITS;

/// Their addresses, without what segments add.
///
/// # Safety
/// The instruction pointer is one.
pub unsafe fn addresses(registers: &[libc::greg_t]) -> Vec<u64> {
    const LONGEST: u64 = 15;
    let at = registers[POINTER as usize] as usize as u64;
    let in_page = LONGEST.min(4096 - at % 4096);
    // What is behind the page is looked at only if the instruction goes on there.
    let instruction = [in_page, LONGEST].into_iter().find_map(|bytes| {
        // SAFETY: the caller says that an instruction is there. Its page can be read, and the next
        // one if the instruction goes on there.
        let code = unsafe { std::slice::from_raw_parts(at as *const u8, bytes as usize) };
        Some(Decoder::with_ip(BITS, code, at, DecoderOptions::NONE).decode())
            .filter(|i| !i.is_invalid())
    });
    let value = |register: Register, _, _| {
        if register.is_segment_register() {
            return Some(0);
        }
        if !register.is_gpr() {
            return None;
        }
        let whole = registers[PLACES[register.full_register().number()] as usize] as usize as u64;
        Some(if register.size() == 4 { whole & 0xffff_ffff } else { whole })
    };
    // Registers are zero to iced.
    let all = |i: iced_x86::Instruction| {
        (0..i.op_count())
            .filter_map(|k| i.virtual_address(k, 0, value))
            .filter(|at| *at != 0)
            .collect()
    };
    instruction.map_or_else(Vec::new, all)
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::*;

    pub const POINTER: c_int = libc::REG_RIP;
    /// Where the kernel keeps registers, by their numbers.
    pub const PLACES: [c_int; 16] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];
}

#[cfg(target_arch = "x86")]
mod machine {
    use super::*;

    pub const POINTER: c_int = libc::REG_EIP;
    /// Where the kernel keeps registers, by their numbers.
    pub const PLACES: [c_int; 8] = [
        libc::REG_EAX,
        libc::REG_ECX,
        libc::REG_EDX,
        libc::REG_EBX,
        libc::REG_ESP,
        libc::REG_EBP,
        libc::REG_ESI,
        libc::REG_EDI,
    ];
}

use machine::{PLACES, POINTER};
