//! Pointers in the shadows of global variables, when a request starts.

use crate::{code, refuse};
use std::ffi::{c_char, c_void};

/// A global variable and its shadow.
#[repr(C)]
pub struct Variable {
    primal: usize,
    shadow: usize,
    bytes: u64,
}

impl Variable {
    /// Whether an address lies in it.
    fn holds(&self, pointer: usize) -> bool {
        (self.primal..self.primal + self.bytes as usize).contains(&pointer)
    }
}

/// Fills the pointers of a shadow: `count` of them, `stride` bytes apart. Each leads to the shadow
/// of the variable that its primal leads to, or to the same function; it is null where the primal
/// leads elsewhere.
///
/// The address behind the end of a variable is often the start of another one, which the table need
/// not have. So it belongs to the variable only if `is_all` is not 0: the pointers lead to
/// variables of the table alone. Rows of those without shadow have null there.
///
/// # Safety
/// `primal` and `shadow` have that many pointers; the table has `variables` rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_lead_to_shadows(
    primal: *const u8,
    shadow: *mut u8,
    stride: u64,
    count: u64,
    table: *const Variable,
    variables: u64,
    is_all: u64,
) {
    // SAFETY: the caller's promise.
    let table = unsafe { std::slice::from_raw_parts(table, variables as usize) };
    // SAFETY: the caller's promise.
    for (at, pointer) in unsafe { pointers(primal, stride, count) } {
        // SAFETY: the caller's promise.
        unsafe {
            let found = match shadow_of(pointer, table, is_all != 0) {
                0 if code::holds(pointer) => pointer,
                found => found,
            };
            shadow.add(at).cast::<*mut c_void>().write_unaligned(found as *mut c_void);
        }
    }
}

/// Takes their shadows from pointers that lead to variables of the table, which have none:
/// differentiated code reads these by their names as constants. `count` pointers, `stride` bytes
/// apart.
///
/// # Safety
/// `primal` and `shadow` have that many pointers; the table has `variables` rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_withhold_shadows(
    primal: *const u8,
    shadow: *mut u8,
    stride: u64,
    count: u64,
    table: *const Variable,
    variables: u64,
) {
    // SAFETY: the caller's promise.
    let table = unsafe { std::slice::from_raw_parts(table, variables as usize) };
    // SAFETY: the caller's promise.
    for (at, pointer) in unsafe { pointers(primal, stride, count) } {
        if table.iter().any(|v| v.holds(pointer)) && !code::holds(pointer) {
            // SAFETY: the caller's promise.
            unsafe { shadow.add(at).cast::<usize>().write_unaligned(0) }
        }
    }
}

/// Ends the process where a pointer of a global variable that has no shadow leads to one that has:
/// what differentiated code reads there would have no derivative. `count` pointers, `stride` bytes
/// apart; `name` is that of the variable.
///
/// # Safety
/// `primal` has that many pointers; the table has `variables` rows; `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_check_pointers(
    primal: *const u8,
    stride: u64,
    count: u64,
    table: *const Variable,
    variables: u64,
    name: *const c_char,
) {
    // SAFETY: the caller's promise.
    let table = unsafe { std::slice::from_raw_parts(table, variables as usize) };
    // SAFETY: the caller's promise.
    for (_, pointer) in unsafe { pointers(primal, stride, count) } {
        if table.iter().any(|v| v.holds(pointer)) {
            // SAFETY: the caller's promise.
            unsafe { refuse::adrt_pointer_to_shadowed(name) }
        }
    }
}

/// `count` pointers, `stride` bytes apart, each with its distance from the first, in bytes.
///
/// # Safety
/// `start` has that many pointers as long as the iterator is used.
unsafe fn pointers(
    start: *const u8,
    stride: u64,
    count: u64,
) -> impl Iterator<Item = (usize, usize)> {
    // SAFETY: the caller's promise.
    (0..count as usize)
        .map(move |i| i * stride as usize)
        .map(move |at| (at, unsafe { start.add(at).cast::<usize>().read_unaligned() }))
}

/// The address that corresponds to `pointer` in a shadow, or 0. One behind the end of a variable
/// belongs to it if the table has all variables that the pointer may lead to, and none starts
/// there.
fn shadow_of(pointer: usize, table: &[Variable], is_all: bool) -> usize {
    let within = |v: &&Variable| v.holds(pointer);
    let behind = |v: &&Variable| is_all && v.primal + v.bytes as usize == pointer;
    let found =
        table.iter().find(within).or_else(|| table.iter().find(behind)).filter(|v| v.shadow != 0);
    found.map_or(0, |v| v.shadow + (pointer - v.primal))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: u64 = size_of::<usize>() as u64;

    #[test]
    fn pointers_lead_as_far_into_the_shadow() {
        let variable = |primal, shadow, bytes| Variable { primal, shadow, bytes };
        let table = [variable(0x1000, 0x9000, 16), variable(0x1010, 0x5000, 8)];
        for is_all in [false, true] {
            assert_eq!(shadow_of(0x1008, &table, is_all), 0x9008);
            assert_eq!(shadow_of(0x1010, &table, is_all), 0x5000);
            assert_eq!(shadow_of(0x2000, &table, is_all), 0);
            assert_eq!(shadow_of(0, &table, is_all), 0);
        }
    }

    #[test]
    fn ends_belong_to_variables_where_no_other_may_start() {
        let variable = |primal, shadow, bytes| Variable { primal, shadow, bytes };
        let table = [variable(0x1000, 0x9000, 16)];
        assert_eq!(shadow_of(0x1010, &table, true), 0x9010);
        assert_eq!(shadow_of(0x1010, &table, false), 0);
        let table = [variable(0x1000, 0x9000, 16), variable(0x1010, 0, 8)];
        assert_eq!(shadow_of(0x1010, &table, true), 0);
        assert_eq!(shadow_of(0x1018, &table, true), 0);
    }

    #[test]
    fn functions_are_their_own_shadows() {
        static VARIABLE: u64 = 1;
        let primal = [shadow_of as *const c_void, std::ptr::null(), (&raw const VARIABLE).cast()];
        let mut shadow = [std::ptr::null::<c_void>(); 3];
        // SAFETY: three pointers each, and no row.
        unsafe {
            adrt_lead_to_shadows(
                primal.as_ptr().cast(),
                shadow.as_mut_ptr().cast(),
                POINTER,
                3,
                [].as_ptr(),
                0,
                0,
            )
        };
        assert_eq!(shadow, [primal[0], std::ptr::null(), std::ptr::null()]);
    }

    #[test]
    fn every_pointer_of_a_run_is_filled() {
        let (values, shadows) = ([1.0f64; 4], [0.0f64; 4]);
        let table = [Variable {
            primal: values.as_ptr() as usize,
            shadow: shadows.as_ptr() as usize,
            bytes: 32,
        }];
        let primal = [values.as_ptr() as usize + 8, 7, 0, 7, values.as_ptr() as usize, 7];
        let mut shadow = [99usize; 6];
        // SAFETY: three pointers, with a word between each two.
        unsafe {
            adrt_lead_to_shadows(
                primal.as_ptr().cast(),
                shadow.as_mut_ptr().cast(),
                2 * POINTER,
                3,
                table.as_ptr(),
                1,
                0,
            )
        };
        assert_eq!(
            shadow,
            [shadows.as_ptr() as usize + 8, 99, 0, 99, shadows.as_ptr() as usize, 99]
        );
    }
}
