//! A thread's side of the call boundary: its variables, and the call that it is in.

use std::{
    cell::{Cell, RefCell},
    ffi::{CStr, c_char},
    ops::Range,
};

use super::{
    abi::code::{Arguments, Results},
    boundary::{Boundary, Call, leads_to_library},
    interface,
    library::{earlier::Origin, stale_pointers},
    lifetime::constants,
    objects::{extents, layout::Layout, reach::Pointer},
    recorded::{self, Recorded},
    traps::fault,
    workers,
};
use crate::{
    Error,
    machine::{
        general_mask::Mask,
        running,
        state::{State, Vector},
        word,
    },
    memory::{
        self,
        indices::EXTENDED,
        objects::ScalarKind,
        space::{self, DISTANCE},
        trap_pointers, unknown,
    },
    translate::{host::Host, slow_path},
};

/// Bytes of a word.
const BYTES: u64 = word::BYTES as u64;

/// What diagnostics call arguments.
const NAMES: [&str; 12] = [
    "the 1st pointer argument", "the 2nd pointer argument", "the 3rd pointer argument",
    "the 4th pointer argument", "the 5th pointer argument", "the 6th pointer argument",
    "the 7th pointer argument", "the 8th pointer argument", "the 9th pointer argument",
    "the 10th pointer argument", "the 11th pointer argument", "a pointer argument",
];

thread_local! {
    static BOUNDARY: RefCell<Boundary> = RefCell::default();
    /// The stack pointer at the start of the library function that runs.
    static ENTERED: Cell<u64> = const { Cell::new(0) };
    /// Where it returns to.
    static BACK: Cell<u64> = const { Cell::new(0) };
}

/// The stack pointer that the library function began with; zero if none did. From now on there is
/// none.
pub(super) fn take_entered() -> u64 {
    ENTERED.replace(0)
}

/// What the engine needs of this room.
pub static HOST: Host =
    Host { interface: interface::addresses, enter: entered, leaves: has_left, calls_back };

/// Runs with this thread's side of the call boundary.
pub fn with<T>(run: impl FnOnce(&mut Boundary) -> Result<T, Error>) -> T {
    let done = BOUNDARY.with(|boundary| match boundary.try_borrow_mut() {
        Ok(mut boundary) => run(&mut boundary),
        Err(_) => Err(Error::Order("one call runs within another")),
    });
    done.unwrap_or_else(|e| crate::error::stop(&e))
}

/// A block is given back, which a call was given. Whoever frees it in the midst of a call of this
/// thread's has it there.
pub fn gone(block: Range<u64>) {
    let done = BOUNDARY.try_with(|boundary| {
        boundary.try_borrow_mut().map_or(Ok(()), |mut boundary| boundary.gone(block.clone()))
    });
    if let Ok(Err(e)) = done {
        crate::error::stop(&e);
    }
    // Another thread may have been given it.
    space::clear_if_covered(block);
}

/// `adshadow_constant`.
pub fn constant(at: u64, bytes: u64) {
    check_beside(at, Some(bytes));
    if constants::first_dot(at..at.saturating_add(bytes)).is_some() {
        check_constants(std::slice::from_ref(&(at..at + bytes)));
    }
}

/// `adshadow_constant_behind`.
pub fn constant_behind(pointer: u64) {
    check_beside(pointer, None);
    check_constants(&constants::behind(pointer));
}

/// `adshadow_constant_store`.
pub fn constant_store(at: u64, bytes: u64) {
    with(|boundary| match shadow_beside(boundary, at) {
        // What the reverse sweep finds there would be of another value.
        Some(_) if boundary.records => Err(beside(at)),
        Some(shadow) => {
            // SAFETY: the shadow of what is about to be overwritten.
            unsafe { std::ptr::write_bytes(shadow as *mut u8, 0, bytes as usize) };
            Ok(())
        }
        None => Ok(()),
    });
    constants::forget(at..at.saturating_add(bytes));
}

/// Code compiled here reads so many bytes as constants, or an unknown number, by a pointer that
/// others may have stored. They must not be those of an object with a shadow; in a tangent that may
/// be, if nothing is in the shadow.
fn check_beside(at: u64, bytes: Option<u64>) {
    with(|boundary| {
        let Some(shadow) = shadow_beside(boundary, at) else { return Ok(()) };
        // SAFETY: the shadow of what is about to be read.
        let is_zero = |bytes: u64| unsafe { space::is_zero(shadow as *const u8, bytes as usize) };
        if !boundary.records && bytes.is_some_and(is_zero) { Ok(()) } else { Err(beside(at)) }
    });
}

/// The shadow that an object has which is not of libraries.
fn shadow_beside(boundary: &Boundary, at: u64) -> Option<u64> {
    match boundary.known_apart(at) {
        Origin::Shadow(shadow)
            if shadow != 0
                && shadow != at
                && shadow != at.wrapping_add(DISTANCE)
                && !trap_pointers::is(at, shadow) =>
        {
            Some(shadow)
        }
        _ => None,
    }
}

fn beside(at: u64) -> Error {
    // It is not in a call.
    running::forget_function();
    memory::Error::UsedBeside { at }.into()
}

fn check_constants(ranges: &[Range<u64>]) {
    if let Err(e) = ranges.iter().cloned().try_for_each(constants::check) {
        // It is not in a call.
        running::forget_function();
        crate::error::stop(&e);
    }
}

/// `adshadow_begin`.
pub fn begin(function: u64, name: *const c_char, mode: u32, stack_bytes: u64, frame: u64) {
    if running::is_in_library() && frame < ENTERED.get() {
        let outer = running::function_name().unwrap_or_default().into_owned();
        running::set_function(name);
        crate::error::stop(&Error::Nested { outer });
    }
    running::set_function(name);
    workers::is_of_program();
    if mode == 1 {
        stale_pointers::withdraw();
    }
    with(|boundary| {
        boundary.prepare()?;
        boundary.forget_dead(frame)?;
        // A call that an exception or longjmp left.
        boundary.abandon()?;
        boundary.discard_left()?;
        let recorded = match mode {
            0 => None,
            1 => Some(Recorded::new(name)?),
            _ => return Err(Error::Order("the mode must be 0 (tangent) or 1 (reverse)")),
        };
        boundary.mode = mode;
        boundary.call = Some(Call::new(function, mode, stack_bytes, recorded));
        Ok(())
    });
}

/// `adshadow_pointer`.
pub fn pointer(primal: u64, shadow: u64, kind: ScalarKind, is_sure: bool) {
    with(|boundary| {
        let pointers = &mut boundary.call()?.pointers;
        let name = NAMES[pointers.len().min(NAMES.len() - 1)];
        pointers.push(Pointer { primal, shadow, kind, is_sure, name, is_found: false });
        Ok(())
    });
}

/// `adshadow_layout`.
pub fn layout(letters: &CStr, stride: u32) {
    with(|boundary| {
        let call = boundary.call()?;
        call.layouts.push((call.pointers.len(), Layout::new(letters.to_bytes(), stride)));
        Ok(())
    });
}

/// `adshadow_floats`.
pub fn floats(registers: u32) {
    with(|boundary| {
        boundary.call()?.reals.floats = registers;
        Ok(())
    });
}

/// `adshadow_arguments`.
pub fn letters(letters: &CStr) {
    with(|boundary| {
        boundary.call()?.reals.letters = letters.to_bytes().to_vec();
        Ok(())
    });
}

/// What `capture` was called with.
///
/// # Safety
/// The stack has the arguments that `begin` declared.
pub unsafe fn captured(arguments: &Arguments, stack: *const u8) {
    with(|boundary| {
        let call = boundary.call()?;
        // SAFETY: as the caller says.
        let stack =
            unsafe { std::slice::from_raw_parts(stack, call.stack_bytes as usize) }.to_vec();
        call.captured = Some(arguments.shadows(stack, &call.reals, call.recorded.is_some())?);
        Ok(())
    });
}

/// `adshadow_entry`: brings the shadows of all that the call reaches to shadow memory.
pub fn entry() -> u64 {
    with(Boundary::enter)
}

/// Whether a function that returns leaves the stack so many bytes above its start. On i386 it takes
/// off the pointer to a result in memory.
fn returns_at(bytes: u64) -> bool {
    bytes == BYTES || !word::IS_64 && bytes == 2 * BYTES
}

/// The translator is about to run the first instruction of a function: its arguments' shadows.
/// Returns which general registers are active; none if it was not called through the call boundary.
pub fn entered(state: &mut State) -> Option<Mask> {
    BOUNDARY.with(|boundary| {
        let mut boundary = boundary.try_borrow_mut().ok()?;
        let call = boundary.call.as_mut().filter(|c| c.is_entered)?;
        state.vectors = [Vector::default(); 32];
        state.general = [0; 16];
        let mut mask = Mask::default();
        let stack = state.gpr[4];
        if let Some((arguments, bytes)) = &call.captured {
            mask = arguments.load(state);
            // SAFETY: stack arguments are behind the return address; the stack has shadow memory,
            // or `enter` said so.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    bytes.as_ptr(),
                    space::of(stack + BYTES) as *mut u8,
                    bytes.len(),
                )
            };
        }
        for s in &call.structs {
            s.copy_shadows(&call.pointers, stack + BYTES);
        }
        ENTERED.set(stack);
        // SAFETY: a function that is entered finds its return address there.
        BACK.set(unsafe { word::at(stack) });
        running::enter_library();
        Some(mask)
    })
}

/// Whether a jump to an address with this stack pointer leaves the library function: it returns, or
/// an exception or longjmp passes. Then no code calls `leave`, so that is done here: code that goes
/// on finds shadows as they are.
pub fn has_left(address: u64, stack: u64) -> Result<bool, Error> {
    let left = running::is_in_library() && stack > ENTERED.get();
    if left {
        running::leave_library();
        if address != BACK.get() || !returns_at(stack - ENTERED.get()) {
            BOUNDARY.with(|boundary| {
                boundary.try_borrow_mut().map_or(Ok(()), |mut boundary| boundary.abandon())
            })?;
        }
    }
    Ok(left)
}

/// Translated code jumps to an address of the program's. If that is code compiled here, variables
/// that only it can name come now. (That jump is indirect: the thread's table does not have its
/// target yet, so the engine is asked.)
pub fn calls_back(address: u64) -> Result<(), Error> {
    if !running::is_in_library() || !extents::globals().are_named_at(address) {
        return Ok(());
    }
    BOUNDARY.with(|boundary| match boundary.try_borrow_mut() {
        Ok(mut boundary) if !boundary.calls_back => boundary.bring_globals(),
        _ => Ok(()),
    })
}

/// `adshadow_leave`.
pub fn leave(state: &State) {
    running::leave_library();
    with(|boundary| {
        if !boundary.call()?.is_entered {
            return Err(Error::Order("a call returned that was not entered"));
        }
        let name = |word: u64| if boundary.mode == 0 { word } else { recorded::named(word) };
        let lanes = |k: usize| [name(state.vectors[k].0[0]), name(state.vectors[k].0[1])];
        let long = |number: usize| {
            let mut bytes = slow_path::unit::shadow(state, number);
            let (low, rest) = bytes.split_at_mut(8);
            // One that was stored as ten bytes has more than its index: see `indices`.
            if rest.iter().all(|b| *b == 0)
                || rest[..2] == EXTENDED.to_le_bytes() && rest[2..].iter().all(|b| *b == 0)
            {
                low.copy_from_slice(
                    &name(u64::from_le_bytes((&*low).try_into().expect("eight bytes")))
                        .to_le_bytes(),
                );
            }
            bytes
        };
        // The unit's registers are filled from the last one down.
        boundary.results = Results {
            vectors: [lanes(0), lanes(1)],
            general: [state.general[0], state.general[2]],
            x87: [long(7), long(6)],
        };
        boundary.leave(false)
    });
}

/// What `adshadow_result_x87` asks: so many registers of the x87 unit have the result.
pub fn order_x87(count: u32) {
    with(|boundary| {
        if boundary.mode == 0
            && boundary.results.x87[..count.min(2) as usize]
                .iter()
                .any(|dot| unknown::is_extended(dot))
        {
            return Err(memory::Error::Unknown {
                what: "its result".into(),
                made: unknown::origin(),
            }
            .into());
        }
        if count == 2 {
            // The first of two was pushed last.
            boundary.results.x87.swap(0, 1);
        }
        Ok(())
    });
}

/// `adshadow_result`.
pub fn results() -> Results {
    with(|boundary| {
        let [first, _] = boundary.results.vectors[0];
        // A float, or a double. What comes back in general registers is not to have a shadow.
        let is_unknown = word::IS_64
            && (unknown::is_double(first) || first >> 32 == 0 && unknown::is_float(first as u32));
        if boundary.mode == 0 && is_unknown {
            return Err(memory::Error::Unknown {
                what: "its result".into(),
                made: unknown::origin(),
            }
            .into());
        }
        Ok(boundary.results)
    })
}

/// `adshadow_returned_bits`.
pub fn check_returned_bits(bytes: u32) {
    with(|boundary| {
        let is_whole = |shadow: u64| match boundary.mode {
            0 => returns_bits(shadow, bytes),
            _ => recorded::is_index(shadow, bytes.min(BYTES as u32)),
        };
        let registers = bytes.div_ceil(BYTES as u32) as usize;
        let mut of_each = boundary.results.general.into_iter().take(registers).map(is_whole);
        if of_each.any(|is| is) { Err(Error::ReturnedBits) } else { Ok(()) }
    });
}

/// Whether a register of a result of so many bytes has the dot of a real whose bits were only
/// moved. A result of several registers may be a pair of reals (complex numbers of single precision
/// with addresses of 32 bits), of which no bit may be unknown.
fn returns_bits(dot: u64, bytes: u32) -> bool {
    let [low, high] = [dot as u32, (dot >> 32) as u32];
    let is_single = || low != 0 && !unknown::is_float(low);
    match bytes {
        _ if u64::from(bytes) > BYTES => dot != 0,
        8 if high != 0 => !unknown::is_float(high),
        _ => is_single(),
    }
}

/// `adshadow_returned`.
pub fn returned(pointer: u64) -> u64 {
    if pointer == 0 {
        return 0;
    }
    with(|boundary| {
        boundary.retain_last();
        if let Some(shadow) = boundary.shadow_of(pointer) {
            return Ok(shadow.unwrap_or(0));
        }
        if boundary.mode != 0 {
            fault::given(pointer);
            return Ok(trap_pointers::of(pointer));
        }
        space::covers(pointer..pointer + 1)?;
        if let Origin::Shadow(shadow) = boundary.known(pointer) {
            return Ok(shadow);
        }
        boundary.lend(&[pointer]);
        stale_pointers::note(pointer);
        Ok(pointer.wrapping_add(DISTANCE))
    })
}

/// `adshadow_shadow_of`.
pub fn shadow_of(pointer: u64) -> u64 {
    with(|boundary| {
        boundary.prepare()?;
        match boundary.known(pointer) {
            Origin::Shadow(shadow) => {
                boundary.touched(pointer, shadow)?;
                Ok(shadow)
            }
            Origin::Library if leads_to_library(pointer) => boundary.library_shadow(pointer),
            _ => Ok(0),
        }
    })
}

impl Boundary {
    /// The shadow of a pointer to memory of libraries that the program has loaded.
    fn library_shadow(&mut self, pointer: u64) -> Result<u64, Error> {
        if self.records {
            fault::given(pointer);
            return Ok(trap_pointers::of(pointer));
        }
        space::covers(pointer..pointer + 1)?;
        self.lend(&[pointer]);
        stale_pointers::note(pointer);
        Ok(pointer.wrapping_add(DISTANCE))
    }
}

/// `adshadow_library_pointers`.
pub fn library_pointers(primal: u64, shadow: u64, stride: u64, count: u64) {
    with(|boundary| {
        boundary.prepare()?;
        for at in (0..count).map(|k| k * stride) {
            // SAFETY: pointers of a variable and of its shadow, as generated code says.
            let (pointer, beside) = unsafe { (word::at(primal + at), word::at(shadow + at)) };
            if pointer == 0 || beside != 0 || !leads_to_library(pointer) {
                continue;
            }
            let new = boundary.library_shadow(pointer)?;
            // SAFETY: the shadow of the program's variable, as generated code says.
            unsafe { word::set(shadow + at, new) };
        }
        Ok(())
    });
}
