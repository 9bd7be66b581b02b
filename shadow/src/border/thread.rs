//! A thread's side of the border: its variables, and the call that it is in.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ffi::{CStr, c_char},
    mem::take,
    ops::Range,
};

use super::{
    code::{Arguments, Results},
    extents::{self, Variable},
    heap::{self, Owner},
    home::{self, Lent},
    reach::{NO_MEMORY, Pointer, Reach, is_address, is_real, word},
    stack,
};
use crate::{
    Error,
    emit::Mode,
    engine,
    general_mask::Mask,
    mirror::{
        self,
        objects::{Kind, Policy},
        registry::{self, Registry},
        space::{self, DISTANCE},
    },
    state::{State, Vector},
};

/// Numbers of the registers that hold integer arguments.
const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];
/// What diagnostics call arguments.
const NAMES: [&str; 12] = [
    "the 1st pointer argument", "the 2nd pointer argument", "the 3rd pointer argument", "the 4th pointer argument", "the 5th pointer argument",
    "the 6th pointer argument", "the 7th pointer argument", "the 8th pointer argument", "the 9th pointer argument", "the 10th pointer argument",
    "the 11th pointer argument", "a pointer argument",
];

thread_local! {
    static BORDER: RefCell<Border> = RefCell::default();
    /// Whether library code runs: plain data, for the allocation functions.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The stack pointer at the start of the library function that runs.
    static ENTERED: Cell<u64> = const { Cell::new(0) };
    /// The name of the function that was called last.
    static FUNCTION: Cell<*const c_char> = const { Cell::new(std::ptr::null()) };
}

/// Whether this thread runs library code.
pub fn is_in_library() -> bool {
    INSIDE.get()
}

/// The name of the function that is called, or was called last; null if there is none.
pub fn function() -> *const c_char {
    FUNCTION.get()
}

/// A block that a library may have kept a pointer to.
#[derive(Clone, Debug)]
struct Kept {
    range: Range<u64>,
    distance: u64,
    /// The blocks of the heap that the object and its shadow start in, as far as they are of the heap.
    blocks: Vec<u64>,
}

/// A call, from `begin` to `leave`.
struct Call {
    function: u64,
    mode: u32,
    stack_bytes: u64,
    floats: u32,
    pointers: Vec<Pointer>,
    /// Shadows of registers and of stack arguments.
    captured: Option<(Arguments, Vec<u8>)>,
    /// What `Reach` says of it.
    watched: Vec<(Range<u64>, u64, Vec<u64>)>,
    homes: Vec<u64>,
    places: Vec<(u64, &'static str)>,
    is_entered: bool,
}

/// See the head.
struct Border {
    registry: Registry,
    variables: Vec<Variable>,
    kept: BTreeMap<u64, Kept>,
    lent: Vec<Lent>,
    call: Option<Call>,
    mode: u32,
    results: Results,
    is_prepared: bool,
    /// Whether code compiled here was called by a library: its variables come with each call.
    calls_back: bool,
    /// Heap objects and variables of the last call, in case that it returns a pointer.
    last: Vec<Kept>,
}

impl Default for Border {
    fn default() -> Self {
        Self {
            registry: Registry::with_foreign(shadow_of_library),
            variables: Vec::new(),
            kept: BTreeMap::new(),
            lent: Vec::new(),
            call: None,
            mode: 0,
            results: Results::default(),
            is_prepared: false,
            calls_back: false,
            last: Vec::new(),
        }
    }
}

/// The shadow of a pointer to memory of libraries: of blocks that they allocated, of their variables; code has none.
fn shadow_of_library(pointer: u64) -> Option<u64> {
    if heap::find(pointer).is_some_and(|b| b.owner == Owner::Library) {
        return Some(pointer.wrapping_add(DISTANCE));
    }
    extents::is_in_module(pointer).then_some(0)
}

/// Runs with this thread's border.
fn with<T>(run: impl FnOnce(&mut Border) -> Result<T, Error>) -> T {
    let done = BORDER.with(|border| match border.try_borrow_mut() {
        Ok(mut border) => run(&mut border),
        Err(_) => Err(Error::Order("one is called within another")),
    });
    done.unwrap_or_else(|e| crate::error::stop(&e))
}

/// Changes the variables of this thread.
pub fn with_variables(run: impl FnOnce(&mut Vec<Variable>)) {
    with(|border| {
        run(&mut border.variables);
        Ok(())
    });
}

/// `adshadow_begin`.
pub fn begin(function: u64, name: *const c_char, mode: u32, stack_bytes: u64) {
    let here = 0u8;
    let stack = &raw const here as u64;
    if INSIDE.get() && stack < ENTERED.get() {
        let outer = FUNCTION.replace(name);
        // SAFETY: a name that generated code gave.
        let outer = if outer.is_null() { String::new() } else { unsafe { CStr::from_ptr(outer) }.to_string_lossy().into_owned() };
        crate::error::stop(&Error::Nested { outer });
    }
    FUNCTION.set(name);
    with(|border| {
        border.prepare()?;
        // A call that an exception or longjmp left.
        border.abandon()?;
        if mode != 0 {
            return Err(Error::Order("recording is not there yet"));
        }
        border.mode = mode;
        border.call = Some(Call {
            function,
            mode,
            stack_bytes,
            floats: 0,
            pointers: Vec::new(),
            captured: None,
            watched: Vec::new(),
            homes: Vec::new(),
            places: Vec::new(),
            is_entered: false,
        });
        Ok(())
    });
}

/// `adshadow_pointer`.
pub fn pointer(primal: u64, shadow: u64, kind: Kind) {
    with(|border| {
        let pointers = &mut border.call()?.pointers;
        let name = NAMES[pointers.len().min(NAMES.len() - 1)];
        pointers.push(Pointer { primal, shadow, kind, name, is_found: false });
        Ok(())
    });
}

/// `adshadow_floats`.
pub fn floats(registers: u32) {
    with(|border| {
        border.call()?.floats = registers;
        Ok(())
    });
}

/// What `capture` was called with.
///
/// # Safety
/// The stack has the arguments that `begin` was told of.
pub unsafe fn captured(arguments: &Arguments, stack: *const u8) {
    with(|border| {
        let call = border.call()?;
        let mut vectors = arguments.vectors;
        for (k, vector) in vectors.iter_mut().enumerate() {
            // The ABI leaves what is above a real undefined.
            vector[1] = 0;
            if call.floats & 1 << k != 0 {
                vector[0] &= 0xffff_ffff;
            }
        }
        // SAFETY: as the caller says.
        let stack = unsafe { std::slice::from_raw_parts(stack, call.stack_bytes as usize) }.to_vec();
        call.captured = Some((Arguments { vectors, general: arguments.general }, stack));
        Ok(())
    });
}

/// `adshadow_entry`: brings the shadows of all that the call reaches to shadow memory.
pub fn entry() -> u64 {
    with(Border::enter)
}

/// The translator is about to run the first instruction of a function: its arguments' shadows. Returns which general registers are
/// active; none if it was not called through the border.
pub fn entered(state: &mut State) -> Option<Mask> {
    BORDER.with(|border| {
        let mut border = border.try_borrow_mut().ok()?;
        let call = border.call.as_mut().filter(|c| c.is_entered)?;
        state.vectors = [Vector::default(); 32];
        state.general = [0; 16];
        let mut mask = Mask::default();
        let stack = state.gpr[4];
        if let Some((arguments, bytes)) = &call.captured {
            for (to, from) in state.vectors.iter_mut().zip(arguments.vectors) {
                to.0[..2].copy_from_slice(&from);
            }
            for (number, shadow) in ARGUMENTS.into_iter().zip(arguments.general) {
                if shadow != 0 {
                    state.general[number] = shadow;
                    mask = Mask::from_bits(mask.bits() | 1 << number).carrying();
                }
            }
            // SAFETY: stack arguments are behind the return address; the stack has a mirror, or `enter` said so.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), space::of(stack + 8) as *mut u8, bytes.len()) };
        }
        ENTERED.set(stack);
        INSIDE.set(true);
        Some(mask)
    })
}

/// Whether a jump that leads here with this stack pointer has left the library function: it returned, or an exception or longjmp passes.
pub fn has_left(stack: u64) -> bool {
    let left = INSIDE.get() && stack > ENTERED.get();
    if left {
        INSIDE.set(false);
    }
    left
}

/// Translated code jumps to an address of the program's. If that is code compiled here, variables that only it can name come now. (That jump is
/// indirect: the thread's table does not have its target yet, so the engine is asked.)
pub fn calls_back(address: u64) -> Result<(), Error> {
    if !INSIDE.get() || !extents::globals().are_named_at(address) {
        return Ok(());
    }
    BORDER.with(|border| match border.try_borrow_mut() {
        Ok(mut border) if !border.calls_back => border.bring_globals(),
        _ => Ok(()),
    })
}

/// `adshadow_leave`.
pub fn leave(state: &State) {
    INSIDE.set(false);
    with(|border| {
        if !border.call()?.is_entered {
            return Err(Error::Order("a call is left that was not entered"));
        }
        let lanes = |k: usize| [state.vectors[k].0[0], state.vectors[k].0[1]];
        border.results = Results { vectors: [lanes(0), lanes(1)], general: [state.general[0], state.general[2]] };
        border.leave(false)
    });
}

/// `adshadow_result`.
pub fn results() -> Results {
    with(|border| Ok(border.results))
}

/// `adshadow_returned`.
pub fn returned(pointer: u64) -> u64 {
    if pointer == 0 {
        return 0;
    }
    with(|border| {
        for kept in take(&mut border.last) {
            border.keep(kept);
        }
        if let Some(shadow) = border.shadow_of(pointer) {
            return Ok(shadow.unwrap_or(0));
        }
        if border.mode != 0 {
            return Ok(pointer ^ NO_MEMORY);
        }
        space::covers(pointer..pointer + 1)?;
        border.lend(&[pointer]);
        Ok(pointer.wrapping_add(DISTANCE))
    })
}

/// Variables of the whole program with shadows, and how far away those are; all of them, or those that a library can name.
fn globals(all: bool) -> Vec<(u64, u64)> {
    let globals = extents::globals();
    let own = globals.own.iter().filter(|_| all);
    globals.exported.iter().chain(own).filter_map(|v| Some((v.primal.start, v.distance?))).collect()
}

impl Border {
    fn all_variables(&self) -> Vec<Variable> {
        extents::globals().all().chain(&self.variables).cloned().collect()
    }

    fn bring_globals(&mut self) -> Result<(), Error> {
        self.calls_back = true;
        let variables = self.all_variables();
        let mut reach = Reach::new(&variables);
        // SAFETY: variables of the program, whose library has not come to them.
        unsafe {
            for (primal, distance) in globals(true) {
                reach.add(primal, distance)?;
            }
            let Some(call) = &mut self.call else { return Ok(()) };
            self.registry.extend(&reach.objects, registry::Mode::Tangent)?;
            call.watched.append(&mut reach.watched);
        }
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), Error> {
        if !self.is_prepared {
            if !heap::sees_all() {
                return Err(Error::Allocator);
            }
            space::install_on_thread()?;
            heap::set_mirrored();
            self.is_prepared = true;
        }
        Ok(())
    }

    fn call(&mut self) -> Result<&mut Call, Error> {
        self.call.as_mut().ok_or(Error::Order("there is no call that was begun"))
    }

    fn abandon(&mut self) -> Result<(), Error> {
        INSIDE.set(false);
        match &self.call {
            Some(call) if call.is_entered => self.leave(true),
            _ => {
                self.call = None;
                Ok(())
            }
        }
    }

    fn enter(&mut self) -> Result<u64, Error> {
        let mut call = self.call.take().ok_or(Error::Order("there is no call that was begun"))?;
        let variables = self.all_variables();
        let mut reach = Reach::new(&variables);
        let (pointers, mode) = (&call.pointers, call.mode);
        // SAFETY: pointers of the program's, as generated code gave them.
        unsafe {
            for pointer in pointers {
                reach.follow(*pointer)?;
            }
            let may_store = !reach.homes.is_empty() || pointers.iter().any(|p| p.primal != 0 && !is_real(p.kind));
            for (primal, shadow) in home::take_back(&reach.homes.clone(), &mut self.lent) {
                reach.follow(Pointer { primal, shadow, kind: Kind::Unknown, name: "a pointer in library memory", is_found: true })?;
            }
            let given: Vec<_> = reach.found.iter().map(|(start, f)| (*start..f.end, f.distance)).collect();
            self.last = given.into_iter().map(|(range, distance)| Kept::new(range, distance)).collect();
            if may_store {
                for kept in take(&mut self.last) {
                    self.keep(kept);
                }
            }
            self.kept.retain(|_, kept| kept.blocks.iter().all(|b| heap::is_kept(*b)));
            let kept = self.kept.values().map(|k| (k.range.start, k.distance));
            let kept = kept.chain(self.variables.iter().filter(|v| v.is_kept).filter_map(|v| Some((v.primal.start, v.distance?))));
            for (primal, distance) in kept.chain(globals(self.calls_back)).collect::<Vec<_>>() {
                reach.add(primal, distance)?;
            }
            for pointer in pointers {
                reach.constant(*pointer);
            }
            self.registry.enter(&reach.objects, Policy::Refuse, registry::Mode::Tangent)?;
        }
        (call.watched, call.homes, call.places) = (reach.watched, reach.homes, reach.places);
        call.is_entered = true;
        let entry = engine::entry(call.function, if mode == 0 { Mode::Tangent } else { Mode::Plain })?;
        self.call = Some(call);
        Ok(entry)
    }

    fn leave(&mut self, is_abandoned: bool) -> Result<(), Error> {
        let call = self.call.take().expect("the caller saw it");
        let entered = ENTERED.replace(0);
        // SAFETY: what the call reached is there until it is left.
        unsafe {
            for (at, name) in &call.places {
                if word(space::of(*at)) != 0 {
                    return Err(mirror::Error::WrittenToConstant { name, at: *at }.into());
                }
            }
            if is_abandoned { self.registry.unwind(registry::Mode::Tangent).map(drop)? } else { self.registry.leave().map(drop)? }
            for (range, distance, words) in &call.watched {
                for (at, old) in range.clone().step_by(8).zip(words) {
                    let (new, shadow) = (word(at), at.wrapping_add(*distance));
                    if new != *old
                        && is_address(new)
                        && word(shadow) == 0
                        && let Some(to) = self.shadow_of(new).flatten().or_else(|| shadow_of_library(new))
                        && to != 0
                    {
                        (shadow as *mut u64).write_unaligned(to);
                    }
                }
            }
        }
        if entered != 0 {
            space::clear(entered..entered + 8 + call.stack_bytes)?;
            stack::clear_below(entered);
        }
        if call.mode == 0 {
            self.lend(&call.homes);
        }
        Ok(())
    }

    fn lend(&mut self, from: &[u64]) {
        let mut lent = take(&mut self.lent);
        home::lend(from, &mut lent, |pointer| self.shadow_of(pointer).flatten());
        self.lent = lent;
    }

    /// The shadow of a pointer into a known object; `Some(None)` if that is constant.
    fn shadow_of(&self, pointer: u64) -> Option<Option<u64>> {
        let of = |distance: u64| Some(pointer.wrapping_add(distance));
        if let Some(variable) = self.variables.iter().rev().find(|v| v.primal.contains(&pointer)) {
            return Some(variable.distance.and_then(of));
        }
        if let Some(variable) = extents::globals().all().find(|v| v.primal.contains(&pointer)) {
            return Some(variable.distance.and_then(of));
        }
        let (_, kept) = self.kept.range(..=pointer).next_back()?;
        let is_there = kept.range.contains(&pointer) && kept.blocks.iter().all(|b| heap::is_kept(*b));
        is_there.then(|| of(kept.distance))
    }

    fn keep(&mut self, kept: Kept) {
        if let Some(variable) = self.variables.iter_mut().rev().find(|v| v.primal.contains(&kept.range.start)) {
            variable.is_kept = true;
            return;
        }
        // Other memory than the heap's, and no variable of a function, is there for ever.
        kept.blocks.iter().for_each(|b| heap::keep(*b));
        self.kept.insert(kept.range.start, kept);
    }
}

impl Kept {
    fn new(range: Range<u64>, distance: u64) -> Self {
        let places = [range.start, range.start.wrapping_add(distance)];
        let blocks = places.into_iter().filter_map(heap::find).map(|b| b.range.start).collect();
        Self { range, distance, blocks }
    }
}

