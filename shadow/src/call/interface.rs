//! The functions of `include/adshadow.h`.

use std::{
    arch::naked_asm,
    ffi::{CStr, c_char, c_void},
};

use super::{
    abi::{code, structs},
    library::{allocations, stale_pointers},
    objects::{
        blocks::OfBlock,
        extents::{self, Access, Variable},
        layout,
    },
    recorded, thread, workers,
};
use crate::{machine::state, memory::objects::ScalarKind, models::text, recording::evaluation};

/// These functions, which a callback under the translator may call: they run as they are.
pub fn addresses() -> Vec<u64> {
    let all: &[*const ()] = &[
        adshadow_variable_layout as *const (),
        adshadow_object as *const (),
        adshadow_extent as *const (),
        adshadow_object_pop as *const (),
        adshadow_global as *const (),
        adshadow_shared_global as *const (),
        adshadow_hidden_global as *const (),
        adshadow_library_pointers as *const (),
        adshadow_blocks as *const (),
        adshadow_shadow_of as *const (),
        adshadow_evaluation as *const (),
        adshadow_evaluation_end as *const (),
        adshadow_active as *const (),
        adshadow_own_thread as *const (),
        adshadow_records as *const (),
        adshadow_constant as *const (),
        adshadow_constant_store as *const (),
        adshadow_constant_behind as *const (),
        adshadow_begin as *const (),
        adshadow_layout as *const (),
        adshadow_struct as *const (),
        adshadow_pointer as *const (),
        adshadow_floats as *const (),
        adshadow_arguments as *const (),
        adshadow_capture as *const (),
        adshadow_entry as *const (),
        adshadow_leave as *const (),
        adshadow_result as *const (),
        adshadow_integer as *const (),
        adshadow_returned_bits as *const (),
        adshadow_returned as *const (),
        adshadow_returned_memory as *const (),
        adshadow_input as *const (),
        adshadow_output as *const (),
        adshadow_reverse as *const (),
        adshadow_tape as *const (),
        adshadow_discard as *const (),
        adshadow_calls as *const (),
        adshadow_give_up as *const (),
        adshadow_reverse_tape as *const (),
        adshadow_reverse_output as *const (),
        adshadow_reverse_pointer as *const (),
        adshadow_reverse_run as *const (),
        adshadow_reverse_input as *const (),
        code::capture as *const (),
        code::result as *const (),
        code::result_long as *const (),
        code::result_two_long as *const (),
        adshadow_result_x87 as *const (),
    ];
    all.iter().map(|f| *f as u64).collect()
}

/// Calls a function with the same arguments and one more, where the caller's frame ends: in a
/// register, or behind so many words on the stack.
#[cfg(target_arch = "x86_64")]
macro_rules! hand_on {
    ($register:literal, $words:literal, $function:ident) => {
        naked_asm!(concat!("lea ", $register, ", [rsp + 8]"), "jmp {}", sym $function)
    };
}
#[cfg(target_arch = "x86")]
macro_rules! hand_on {
    ($register:literal, $words:literal, $function:ident) => {
        naked_asm!(
            "lea eax, [esp + 4]",
            // What is pushed and this are 28 bytes: the stack is aligned then.
            concat!("sub esp, 20 - 4 * ", $words),
            "push 0",
            "push eax",
            concat!(".rept ", $words),
            "push dword ptr [esp + 28]",
            ".endr",
            "call {}",
            "add esp, 28",
            "ret",
            sym $function,
        )
    };
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_variable_layout(letters: *const c_char, stride: u32) {
    layout::next(letters, stride);
}

/// See the header, as for all of these. As others that need it, this one passes on where the
/// caller's frame ends.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_object(primal: *mut c_void, shadow: *mut c_void, bytes: u64) {
    hand_on!("rcx", 4, object);
}

extern "C" fn object(primal: *mut c_void, shadow: *mut c_void, bytes: u64, frame: u64) {
    thread::with(|boundary| {
        boundary.push(Variable::declared(primal as u64, shadow as u64, bytes), frame)
    });
}

/// See the header.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_extent(start: *mut c_void, bytes: u64) {
    hand_on!("rdx", 3, extent);
}

extern "C" fn extent(start: *mut c_void, bytes: u64, frame: u64) {
    thread::with(|boundary| boundary.push(Variable::bare(start as u64, bytes), frame));
}

/// See the header.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_object_pop(count: u64) {
    hand_on!("rsi", 2, object_pop);
}

extern "C" fn object_pop(count: u64, frame: u64) {
    thread::with(|boundary| boundary.pop(count as usize, frame));
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_global(primal: *mut c_void, shadow: *mut c_void, bytes: u64) {
    extents::globals().add(Variable::declared(primal as u64, shadow as u64, bytes), Access::Named);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_shared_global(primal: *mut c_void, shadow: *mut c_void, bytes: u64) {
    extents::globals()
        .add(Variable::declared(primal as u64, shadow as u64, bytes), Access::Escaped);
    if bytes > extents::MOST_BROUGHT {
        adshadow_active(primal, shadow);
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_hidden_global(primal: *mut c_void, shadow: *mut c_void, bytes: u64) {
    extents::globals().add(Variable::declared(primal as u64, shadow as u64, bytes), Access::Hidden);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_library_pointers(
    primal: *mut c_void,
    shadow: *mut c_void,
    stride: u64,
    count: u64,
) {
    thread::library_pointers(primal as u64, shadow as u64, stride, count);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_blocks(of_block: Option<OfBlock>) {
    thread::with(|boundary| {
        boundary.blocks = of_block;
        Ok(())
    });
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_shadow_of(pointer: *mut c_void) -> *mut c_void {
    thread::shadow_of(pointer as u64) as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_evaluation() {
    thread::with(|boundary| boundary.forget_retained());
    evaluation::begin(text::forget);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_active(primal: *mut c_void, shadow: *mut c_void) {
    if !primal.is_null() && !shadow.is_null() {
        thread::with(|boundary| {
            boundary.prepare()?;
            boundary.known_before(primal as u64, shadow as u64)
        });
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_own_thread() {
    workers::is_of_program();
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_records() {
    stale_pointers::withdraw();
    thread::with(|boundary| {
        boundary.records = true;
        Ok(())
    });
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_constant(at: *const c_void, bytes: u64) {
    thread::constant(at as u64, bytes);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_constant_store(at: *mut c_void, bytes: u64) {
    thread::constant_store(at as u64, bytes);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_constant_behind(pointer: *const c_void) {
    thread::constant_behind(pointer as u64);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_evaluation_end() {
    thread::with(|boundary| boundary.end_evaluation());
    evaluation::end();
}

/// See the header.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_begin(
    function: *mut c_void,
    name: *const c_char,
    mode: u32,
    stack_bytes: u64,
) {
    hand_on!("r8", 5, begin);
}

extern "C" fn begin(
    function: *mut c_void,
    name: *const c_char,
    mode: u32,
    stack_bytes: u64,
    frame: u64,
) {
    thread::begin(function as u64, name, mode, stack_bytes, frame);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_struct(bytes: u64, copy: u64) {
    structs::next(bytes, (copy != u64::MAX).then_some(copy));
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_pointer(primal: *mut c_void, shadow: *mut c_void, kind: u32) {
    const PERHAPS: u32 = 8;
    thread::pointer(primal as u64, shadow as u64, kind_of(kind), kind & PERHAPS == 0);
}

fn kind_of(number: u32) -> ScalarKind {
    match number & 7 {
        1 => ScalarKind::F32,
        2 => ScalarKind::F64,
        3 => ScalarKind::F80,
        4 => ScalarKind::Pointers,
        _ => ScalarKind::Unknown,
    }
}

/// See the header.
///
/// # Safety
/// The letters are a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adshadow_layout(letters: *const c_char, stride: u32) {
    // SAFETY: a string of generated code.
    thread::layout(unsafe { CStr::from_ptr(letters) }, stride);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_floats(registers: u32) {
    thread::floats(registers);
}

/// See the header.
///
/// # Safety
/// The letters are a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adshadow_arguments(letters: *const c_char) {
    // SAFETY: a string of generated code.
    thread::letters(unsafe { CStr::from_ptr(letters) });
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_capture() -> *mut c_void {
    code::capture as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_entry() -> *mut c_void {
    thread::entry() as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_leave() {
    // SAFETY: this thread's own.
    thread::leave(unsafe { &*state::of_thread() });
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_result() -> *mut c_void {
    code::result as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_result_x87(count: u32) -> *mut c_void {
    thread::order_x87(count);
    if count == 2 { code::result_two_long as *mut c_void } else { code::result_long as *mut c_void }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_integer(shadow: u64) {
    structs::check_integer(shadow);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_returned_bits(bytes: u32) {
    thread::check_returned_bits(bytes);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_returned(pointer: *mut c_void) -> *mut c_void {
    thread::returned(pointer as u64) as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_returned_memory(
    pointer: *mut c_void,
    kind: u32,
    levels: u32,
) -> *mut c_void {
    allocations::take_over(pointer as u64, kind_of(kind), levels);
    thread::returned(pointer as u64) as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_input() -> u32 {
    recorded::input()
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_output(index: u32) {
    recorded::output(index);
}

/// See the header.
///
/// # Safety
/// The name is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adshadow_reverse(name: *const c_char) {
    // SAFETY: names are strings of generated code.
    recorded::reverse(unsafe { CStr::from_ptr(name) });
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_tape() -> *mut c_void {
    recorded::tape() as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_discard(recording: u64) {
    recorded::discard(recording);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_calls() -> *mut c_void {
    recorded::calls() as *mut c_void
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_give_up(calls: *mut c_void) {
    recorded::give_up(calls as u64);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_reverse_tape(tape: *mut c_void) {
    recorded::reverse_tape(tape as u64);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_reverse_output(k: u32, bar: f64) {
    recorded::reverse_output(k, bar);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_reverse_pointer(k: u32, shadow: *mut c_void) {
    recorded::reverse_pointer(k, shadow as u64);
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_reverse_run() {
    recorded::reverse_run();
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn adshadow_reverse_input(k: u32) -> f64 {
    recorded::reverse_input(k)
}
