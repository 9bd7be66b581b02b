//! The program's vector and mask registers, as `xsave64` left them, or `xsave`, which has the same
//! places for them.

use std::sync::OnceLock;

#[cfg(target_arch = "x86")]
use std::arch::x86::__cpuid_count;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__cpuid_count;

use super::state::State;

/// Where components of the area begin: upper halves of YMM, masks, upper halves of ZMM, ZMM from 16
/// on.
struct Layout {
    avx: usize,
    masks: usize,
    upper: usize,
    more: usize,
}

const AVX: u32 = 2;
const MASKS: u32 = 5;
const UPPER: u32 = 6;
const MORE: u32 = 7;
/// XMM registers, in the part that is always there.
const XMM: usize = 160;
/// The components that are there; others have their initial value, zero.
const PRESENT: usize = 512;

fn layout() -> &'static Layout {
    static LAYOUT: OnceLock<Layout> = OnceLock::new();
    LAYOUT.get_or_init(|| {
        let at = |component: u32| __cpuid_count(0xd, component).ebx as usize;
        Layout { avx: at(AVX), masks: at(MASKS), upper: at(UPPER), more: at(MORE) }
    })
}

/// Copies bytes of the area, or zeros where the component is not there.
///
/// # Safety
/// The state's area was written by `call_rust`, for the call that is under way.
unsafe fn copy(state: &State, component: u32, at: usize, to: &mut [u8]) {
    // SAFETY: the header is part of every area.
    let present = unsafe { state.area.add(PRESENT).cast::<u64>().read_unaligned() };
    if present & 1 << component == 0 {
        to.fill(0);
        return;
    }
    // SAFETY: the component is there, and no register of it reaches beyond its end.
    unsafe { std::ptr::copy_nonoverlapping(state.area.add(at), to.as_mut_ptr(), to.len()) };
}

/// A vector register, as wide as they come.
///
/// # Safety
/// As for the whole module: the state's area was written for the call that is under way.
pub unsafe fn vector(state: &State, number: usize) -> [u8; 64] {
    let (layout, mut all) = (layout(), [0; 64]);
    // SAFETY: by contract; the offsets are the processor's.
    unsafe {
        if number < 16 {
            copy(state, 1, XMM + 16 * number, &mut all[..16]);
            copy(state, AVX, layout.avx + 16 * number, &mut all[16..32]);
            copy(state, UPPER, layout.upper + 32 * number, &mut all[32..]);
        } else {
            copy(state, MORE, layout.more + 64 * (number - 16), &mut all);
        }
    }
    all
}

/// A mask register.
///
/// # Safety
/// As for [`vector`].
pub unsafe fn mask(state: &State, number: usize) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: by contract.
    unsafe { copy(state, MASKS, layout().masks + 8 * number, &mut bytes) };
    u64::from_le_bytes(bytes)
}

/// A register of the x87, by its depth in the stack.
///
/// # Safety
/// As for [`vector`].
pub unsafe fn x87(state: &State, depth: usize) -> [u8; 10] {
    let mut bytes = [0; 10];
    // SAFETY: by contract; the stack begins behind 32 bytes, 16 for each register.
    unsafe { copy(state, 0, 32 + 16 * depth, &mut bytes) };
    bytes
}

/// The status word of the x87 unit.
///
/// # Safety
/// As for [`vector`].
pub unsafe fn x87_status(state: &State) -> u16 {
    let mut bytes = [0; 2];
    // SAFETY: by contract; it is the second word of the area.
    unsafe { copy(state, 0, 2, &mut bytes) };
    u16::from_le_bytes(bytes)
}
