//! On x86-64 an address with one more bit is none: the processor refuses it. It does not say which
//! it was, so the instruction is looked at.

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

/// The library memory whose missing shadow an instruction has used that was stopped: what the
/// kernel says of the address, zero if it knows none; or the instruction's operands.
pub fn used(address: u64, operands: impl Fn() -> Vec<u64>) -> Option<u64> {
    let is_memory = |pointer: &u64| pointer >> 47 == 0 && *pointer >> 16 != 0;
    let pointers = || operands().into_iter().map(|a| a ^ NO_MEMORY).find(is_memory);
    (address == 0).then(pointers).flatten()
}
