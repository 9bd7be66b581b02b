//! How a case is run: natively, translated, and by the slow path alone; frames as bytes.

use std::{cell::RefCell, collections::HashMap, ops::Range};

use adshadow::{
    machine::{
        registers,
        state::{self, State, Vector},
    },
    translate::{
        Mode, engine,
        slow_path::{self, site::Site},
    },
};
use iced_x86::{Instruction, Register};

use super::frame::{self, Frame, MEMORY, library, run, shadow_of};

/// Bytes of memory that instructions touch.
pub const MEMORY_BYTES: usize = 256;
const GENERAL: usize = std::mem::offset_of!(Frame, general);
/// Room for all that `xsave64` writes.
const AREA: usize = 4096;

pub fn bytes(frame: &Frame) -> &[u8] {
    // SAFETY: a struct of integers without padding.
    unsafe { std::slice::from_raw_parts((&raw const *frame).cast(), size_of::<Frame>()) }
}

pub fn bytes_mut(frame: &mut Frame) -> &mut [u8] {
    // SAFETY: a frame is plain numbers without padding, of which any bits are one.
    unsafe { std::slice::from_raw_parts_mut((&raw mut *frame).cast(), size_of::<Frame>()) }
}

/// Where a register lies in a frame: all of it that the processor has. None of one that has no
/// shadow.
pub fn place(register: Register) -> Option<Range<usize>> {
    if register.is_vector_register() {
        let at = 64 * register.number();
        Some(at..at + frame::registers().1)
    } else if register.is_gpr() {
        let at = GENERAL + 8 * register.full_register().number();
        Some(at..at + 8)
    } else {
        None
    }
}

pub fn memory() -> Range<usize> {
    MEMORY..MEMORY + MEMORY_BYTES
}

/// The functions of a library, and how they are run.
pub struct Machine {
    driver: u64,
    /// Translated code of the driver, and what shadows are there.
    entry: (u64, Mode),
    functions: Vec<u64>,
    area: RefCell<Box<Area>>,
    /// Sites of the slow path, by instruction and mode.
    sites: RefCell<HashMap<(Instruction, bool), &'static Site>>,
}

#[repr(C, align(64))]
struct Area([u8; AREA]);

impl Machine {
    /// Two functions of each sequence: behind the second one flags are dead.
    pub fn new(name: &str, sequences: &[Vec<Instruction>]) -> Self {
        let twice: Vec<Vec<Instruction>> =
            sequences.iter().flat_map(|s| [s.clone(), s.clone()]).collect();
        let (driver, functions) = library(name, &twice, false);
        let entry = (driver, Mode::Plain);
        Self {
            driver,
            entry,
            functions,
            area: RefCell::new(Box::new(Area([0; AREA]))),
            sites: RefCell::default(),
        }
    }

    /// From here on translated code is of this mode.
    pub fn enter(&mut self, mode: Mode) {
        self.entry = (engine::entry(self.driver, mode).expect("an entry"), mode);
    }

    pub fn mode(&self) -> Mode {
        self.entry.1
    }

    pub fn native(&self, function: usize, start: &Frame) -> Box<Frame> {
        let mut after = Box::new(start.clone());
        run(self.driver, self.functions[function], &mut after);
        after.target = 0;
        after
    }

    /// Values and shadows behind a function that runs translated.
    pub fn translated(
        &self,
        function: usize,
        start: &Frame,
        shadows: &Frame,
    ) -> (Box<Frame>, Box<Frame>) {
        let (mut after, mut left) = (Box::new(start.clone()), Box::new(shadows.clone()));
        frame::run_translated(self.entry.0, self.functions[function], &mut after, &mut left);
        (after.target, left.target, left.flags) = (0, 0, 0);
        (after, left)
    }

    /// Shadows behind one instruction, by the slow path; or why there are none.
    pub fn slow_path(
        &self,
        i: &Instruction,
        start: &Frame,
        shadows: &Frame,
    ) -> Result<Box<Frame>, String> {
        let (mode, mut work) = (self.mode(), Box::new(start.clone()));
        let mut area = self.area.borrow_mut();
        let here = (&raw mut *work) as u64;
        // SAFETY: the state of this thread, which runs no translated code now; the area has all
        // registers; the frame has shadow memory.
        unsafe {
            let state: &mut State = &mut *state::of_thread();
            lay_out(start, &mut area.0);
            state.area = area.0.as_mut_ptr();
            (state.gpr, state.flags) = (start.general, start.flags);
            state.gpr[7] = here;
            for (to, from) in state.vectors.iter_mut().zip(&shadows.vectors) {
                *to = Vector(std::array::from_fn(|k| {
                    u64::from_le_bytes(from[8 * k..8 * k + 8].try_into().expect("eight bytes"))
                }));
            }
            state.general = shadows.general;
            let shadow = shadow_of(&mut work);
            std::ptr::copy_nonoverlapping(shadows, shadow, 1);
            let site = *self
                .sites
                .borrow_mut()
                .entry((*i, mode == Mode::Recording))
                .or_insert_with(|| Site::leak(i));
            let done = slow_path::shadows(site, state, mode, &|_| String::new());
            let mut left = Box::new(shadows.clone());
            std::ptr::copy_nonoverlapping(shadow, &mut *left, 1);
            for (to, from) in left.vectors.iter_mut().zip(&state.vectors) {
                to[..frame::registers().1]
                    .chunks_exact_mut(8)
                    .zip(from.0)
                    .for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
            }
            left.general = state.general;
            state.vectors = [Vector::default(); 32];
            state.general = [0; 16];
            done.map_err(|e| e.to_string())?;
            Ok(left)
        }
    }
}

/// The registers of a frame as `xsave64` leaves them.
fn lay_out(frame: &Frame, area: &mut [u8; AREA]) {
    // SAFETY: no preconditions here.
    let at = |component: u32| std::arch::x86_64::__cpuid_count(0xd, component).ebx as usize;
    let (_, width, has_masks) = frame::registers();
    area.fill(0);
    area[512] = 0b11;
    for (n, v) in frame.vectors.iter().enumerate().take(16) {
        area[160 + 16 * n..][..16].copy_from_slice(&v[..16]);
    }
    if width >= 32 {
        area[512] |= 0b100;
        frame.vectors[..16]
            .iter()
            .enumerate()
            .for_each(|(n, v)| area[at(2) + 16 * n..][..16].copy_from_slice(&v[16..32]));
    }
    if width == 64 {
        area[512] |= 0b1100_0000;
        frame.vectors[..16]
            .iter()
            .enumerate()
            .for_each(|(n, v)| area[at(6) + 32 * n..][..32].copy_from_slice(&v[32..]));
        frame.vectors[16..]
            .iter()
            .enumerate()
            .for_each(|(n, v)| area[at(7) + 64 * n..][..64].copy_from_slice(v));
    }
    if has_masks {
        area[512] |= 0b10_0000;
        frame
            .masks
            .iter()
            .enumerate()
            .for_each(|(n, m)| area[at(5) + 8 * n..][..8].copy_from_slice(&m.to_le_bytes()));
    }
}

/// That the runtime finds in an area what was laid out there.
pub fn agrees_with_the_runtime(frame: &Frame) -> bool {
    let mut area = Box::new(Area([0; AREA]));
    lay_out(frame, &mut area.0);
    // SAFETY: the state of this thread, which runs no translated code now.
    unsafe {
        let state: &mut State = &mut *state::of_thread();
        state.area = area.0.as_mut_ptr();
        let (count, width, has_masks) = frame::registers();
        let is_same = |n: usize| registers::vector(state, n)[..width] == frame.vectors[n][..width];
        (0..count).all(is_same)
            && (0..8).all(|n| !has_masks || registers::mask(state, n) == frame.masks[n])
    }
}
