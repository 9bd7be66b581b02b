//! On x86-64 an address with one more bit is none: the processor refuses it. It does not say which it was, so the instruction is looked at.

use std::ffi::c_int;

use iced_x86::{Decoder, DecoderOptions, Register};

/// What such a pointer has beside the address.
const NO_MEMORY: u64 = 1 << 62;

/// The shadow of a pointer to library memory.
pub fn of(pointer: u64) -> u64 {
    pointer ^ NO_MEMORY
}

/// Whether it is that.
pub fn is(pointer: u64, shadow: u64) -> bool {
    shadow == pointer ^ NO_MEMORY
}

/// Whether an address is such a shadow, of whatever pointer.
pub fn is_any(address: u64) -> bool {
    address >> 47 != 0
}

/// The library memory whose missing shadow an instruction has used that was stopped: what the kernel says of the address, and of registers.
///
/// # Safety
/// The instruction pointer is one.
pub unsafe fn used(address: u64, registers: &[libc::greg_t]) -> Option<u64> {
    if address != 0 {
        return None;
    }
    const LONGEST: u64 = 15;
    let at = registers[libc::REG_RIP as usize] as u64;
    let in_page = LONGEST.min(4096 - at % 4096);
    // What is behind the page is looked at only if the instruction goes on there.
    let instruction = [in_page, LONGEST].into_iter().find_map(|bytes| {
        // SAFETY: as the caller says.
        let code = unsafe { std::slice::from_raw_parts(at as *const u8, bytes as usize) };
        Some(Decoder::with_ip(64, code, at, DecoderOptions::NONE).decode()).filter(|i| !i.is_invalid())
    })?;
    let value = |register: Register, _, _| {
        if register.is_segment_register() {
            return Some(0);
        }
        if !register.is_gpr() {
            return None;
        }
        let whole = registers[PLACES[register.full_register().number()] as usize] as u64;
        Some(if register.size() == 4 { whole & 0xffff_ffff } else { whole })
    };
    let addresses = (0..instruction.op_count()).filter_map(|k| instruction.virtual_address(k, 0, value));
    { addresses }.map(|a| a ^ NO_MEMORY).find(|pointer| pointer >> 47 == 0 && *pointer >> 16 != 0)
}

/// Where the kernel keeps registers, by their numbers.
const PLACES: [c_int; 16] = [
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
