//! What shared libraries use of the shadow runtime: its functions, as one table that the program
//! exports.
//!
//! Shadow memory lies at a fixed distance from all memory of a process, and the allocation functions
//! are those of the whole process. So a process has one shadow runtime, and that is the program's.
//! A shared library has none of its own: its calls go through this table, which is found by its name
//! when the library is loaded (`driver/src/guest.S`). Nothing else of this crate need be exported.
//!
//! `adshadow_discard` is not in it: the numbers of recordings are those of the program's own tape
//! runtime, and a shared library has another one.

use std::ffi::c_void;

use super::interface::*;

/// The table. A function's place never changes; where one does, or a signature, the name of the
/// table gets the next number.
#[repr(transparent)]
pub struct Functions<const COUNT: usize>([*const c_void; COUNT]);

// SAFETY: addresses of code, which nobody changes.
unsafe impl<const COUNT: usize> Sync for Functions<COUNT> {}

macro_rules! functions {
    ($($name:ident,)*) => {
        /// All functions of `include/adshadow.h` but one, in its order.
        #[unsafe(no_mangle)]
        pub static adshadow_functions_1: Functions<{ [$(stringify!($name)),*].len() }> =
            Functions([$($name as *const c_void),*]);

        /// Their names.
        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

functions! {
    adshadow_variable_layout,
    adshadow_object,
    adshadow_extent,
    adshadow_object_pop,
    adshadow_global,
    adshadow_shared_global,
    adshadow_hidden_global,
    adshadow_library_pointers,
    adshadow_own_thread,
    adshadow_evaluation,
    adshadow_evaluation_end,
    adshadow_records,
    adshadow_active,
    adshadow_constant,
    adshadow_constant_store,
    adshadow_constant_behind,
    adshadow_begin,
    adshadow_struct,
    adshadow_pointer,
    adshadow_layout,
    adshadow_input,
    adshadow_floats,
    adshadow_arguments,
    adshadow_capture,
    adshadow_entry,
    adshadow_leave,
    adshadow_result,
    adshadow_result_x87,
    adshadow_integer,
    adshadow_returned_bits,
    adshadow_returned,
    adshadow_returned_memory,
    adshadow_output,
    adshadow_tape,
    adshadow_calls,
    adshadow_give_up,
    adshadow_reverse,
    adshadow_reverse_tape,
    adshadow_reverse_output,
    adshadow_reverse_pointer,
    adshadow_reverse_run,
    adshadow_reverse_input,
    adshadow_blocks,
    adshadow_shadow_of,
}

/// Keeps the table in programs that have the shadow runtime.
pub fn keep() {
    std::hint::black_box(&raw const adshadow_functions_1);
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    /// A library that was linked earlier has the same places.
    #[test]
    fn order_is_that_of_shared_libraries_and_all_functions_are_there() {
        let guest = include_str!("../../../driver/src/guest.S");
        let places: Vec<&str> = guest
            .lines()
            .filter_map(|line| line.strip_prefix("forward "))
            .flat_map(|names| names.split(", "))
            .collect();
        let names: Vec<&str> =
            NAMES.iter().filter_map(|name| name.strip_prefix("adshadow_")).collect();
        assert_eq!(places, names);
        let header = include_str!("../../include/adshadow.h");
        for name in header.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let is_function = header.contains(&format!("{name}("));
            if name.starts_with("adshadow_") && is_function && name != "adshadow_discard" {
                assert!(NAMES.contains(&name), "{name}");
            }
        }
    }
}
