//! Sums in shadow memory to which the threads of a team add at the same time.
//!
//! Shadow memory is looked at in pieces of 16 KiB. The first thread of a team that adds to a piece owns it
//! for the rest of the region's reverse sweep and adds in place, without any lock. What other threads add to it they
//! keep: one by one while it is little, then in a copy of the piece. At the next barrier of the team, when no thread
//! adds, they add it to the piece. No analysis of the program is needed: a loop whose iterations touch
//! cells of their own shares no more than the pieces where the parts of two threads meet, and arrays that all threads
//! read have a private copy for each.
//!
//! What a statement overwrites, no other thread accesses between the same barriers, or the program has a race. So the
//! reverse sweep asks for what the thread itself has kept for a place before it reads or clears it
//! ([`adrt_sum_settle`]), and needs nothing of others.
//!
//! Two kinds of regions are not like that: those in which threads hand values on within critical sections, and those
//! around further teams. Their sums are atomic. A thread that is alone just adds.
//!
//! Generated code finds the pieces that a thread used last in tables (team.c; pass/src/codegen/sums.rs) and calls the
//! functions here for others. Loops ask once for many iterations (runs.rs). Privatisation of adjoints per thread: Hückelheim & Hascoët, Source-to-source automatic
//! differentiation of OpenMP parallel loops (ACM TOMS 48, 2022), section 4.

mod runs;

use crate::numbers::{ByNumber, ByWideNumber};
use std::{
    cell::RefCell,
    ops::AddAssign,
    ptr::with_exposed_provenance_mut,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

/// Bytes of a piece. Generated code knows it.
const PIECE: usize = 1 << 14;
/// Entries of the tables. Generated code knows it.
const SLOTS: usize = 64;
/// So many additions to a piece of another thread are kept one by one.
const FEW: u32 = 32;
/// Parts of the list of owners, each with a lock of its own.
const PARTS: usize = 64;

/// What generated code looks at first; `struct adrt_sums` of team.c.
#[repr(C)]
pub struct Tables {
    places: [Place; SLOTS],
    /// Pieces for which a thread keeps nothing.
    clean: [usize; SLOTS],
}

/// Where a thread adds to a piece.
#[repr(C)]
#[derive(Clone, Copy)]
struct Place {
    /// The piece's address, with the kind of reals in its lowest bit; 0 for none.
    key: usize,
    /// From an address in the piece to where the thread adds.
    distance: usize,
}

const NOWHERE: Place = Place { key: 0, distance: 0 };

unsafe extern "C" {
    fn adrt_sums_of_thread() -> *mut Tables;
}

/// Reals that are added.
pub trait Real: Copy + Default + PartialEq + AddAssign {
    /// Tells the kinds apart: 0 or 1.
    const KIND: usize;
    /// As a double, exactly.
    fn widened(self) -> f64;
    /// The nearest one.
    fn of(wide: f64) -> Self;
    /// Adds as one step for all threads.
    ///
    /// # Safety
    /// `at` is aligned, and accessed atomically meanwhile.
    unsafe fn add_atomically(self, at: *mut Self);
}

macro_rules! real {
    ($real:ty, $kind:literal, $atomic:ty) => {
        impl Real for $real {
            const KIND: usize = $kind;
            fn widened(self) -> f64 {
                self.into()
            }
            fn of(wide: f64) -> Self {
                wide as $real
            }
            unsafe fn add_atomically(self, at: *mut Self) {
                // SAFETY: the caller's promise.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                let mut old = cell.load(Relaxed);
                loop {
                    let new = (<$real>::from_bits(old) + self).to_bits();
                    match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                        Ok(_) => return,
                        Err(now) => old = now,
                    }
                }
            }
        }
    };
}
real!(f64, 0, AtomicU64);
real!(f32, 1, AtomicU32);

/// *at += d.
///
/// # Safety
/// No other thread accesses it.
unsafe fn add<R: Real>(at: *mut R, d: R) {
    // SAFETY: the caller's promise; packed structs are not aligned.
    unsafe {
        let mut sum = at.read_unaligned();
        sum += d;
        at.write_unaligned(sum);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Which thread of a team owns which piece. Nothing, until the first thread asks.
#[derive(Default)]
pub struct Owners {
    parts: OnceLock<Box<[Mutex<ByNumber<u32>>]>>,
    /// The last barriers, odd and even, at which a thread had kept something.
    kept: [AtomicU64; 2],
}

impl Owners {
    fn part(&self, piece: usize) -> MutexGuard<'_, ByNumber<u32>> {
        let parts = self.parts.get_or_init(|| (0..PARTS).map(|_| Mutex::default()).collect());
        locked(&parts[piece / PIECE % PARTS])
    }
    /// Whether a thread owns a piece, which it does from now on if nobody did.
    fn is_own(&self, piece: usize, thread: u32) -> bool {
        *self.part(piece).entry(piece).or_insert(thread) == thread
    }
}

/// How the threads of a team add.
#[derive(Clone, Default)]
pub enum Way {
    /// The thread is alone.
    #[default]
    Alone,
    /// Each addition is one step for all threads.
    Atomic,
    /// By pieces: this is the thread of that number, whose own variables lie below that address.
    Pieces(Arc<Owners>, u32, usize),
}

/// A thread's part of a piece, for one kind of reals.
enum Part {
    /// The thread owns the piece.
    Own,
    /// It has kept so many additions.
    Few(u32),
    /// It keeps a copy; whether anything was added to it since the last barrier.
    Copy(Box<[u8; PIECE]>, bool),
}

/// The sums of one thread.
#[derive(Default)]
struct Sums {
    way: Way,
    parts: ByNumber<Part>,
    /// What was kept one by one: per address and kind, the sum.
    few: ByWideNumber<f64>,
    /// Whether some of these are not aligned, and may reach from one piece into the next.
    has_unaligned: bool,
    /// Copies to which something was added.
    changed: Vec<usize>,
    /// Barriers so far.
    barriers: u64,
}

thread_local! {
    static SUMS: RefCell<Sums> = RefCell::default();
}

fn tables() -> &'static mut Tables {
    // SAFETY: a thread's own, and no other reference to it is used meanwhile.
    unsafe { &mut *adrt_sums_of_thread() }
}

/// The entry of a piece in the tables.
fn slot(at: usize) -> usize {
    ((at / PIECE) ^ (at / PIECE / SLOTS)) % SLOTS
}

fn place(at: usize, kind: usize) -> &'static mut Place {
    &mut tables().places[slot(at) ^ (kind * SLOTS / 2)]
}

/// Begins another way to add, and returns the way before.
pub fn begin(way: Way) -> Way {
    *tables() = Tables { places: [NOWHERE; SLOTS], clean: [0; SLOTS] };
    SUMS.with_borrow_mut(|sums| {
        sums.parts.clear();
        sums.few.clear();
        sums.has_unaligned = false;
        sums.changed.clear();
        sums.barriers = 0;
        std::mem::replace(&mut sums.way, way)
    })
}

/// A barrier of the team, at which `wait` waits for all of it: what threads have kept becomes seen.
pub fn meet(wait: impl Fn()) {
    let (owners, number) = SUMS.with_borrow_mut(|sums| {
        sums.barriers += 1;
        let owners =
            if let Way::Pieces(owners, ..) = &sums.way { Some(owners.clone()) } else { None };
        if let Some(owners) = &owners
            && !(sums.few.is_empty() && sums.changed.is_empty())
        {
            owners.kept[sums.barriers as usize % 2].store(sums.barriers, Relaxed);
        }
        (owners, sums.barriers)
    });
    wait();
    // No thread is two barriers ahead of another.
    let has_kept = |o: Arc<Owners>| o.kept[number as usize % 2].load(Relaxed) == number;
    if owners.is_some_and(has_kept) {
        SUMS.with_borrow_mut(Sums::flush);
        wait();
    }
}

impl Sums {
    fn add<R: Real>(&mut self, at: usize, d: R) {
        let (owners, thread, top) = match &self.way {
            Way::Alone => return self.add_in_place(at, d, true),
            Way::Atomic => return add_atomically(at, d),
            Way::Pieces(owners, thread, top) => (owners, *thread, *top),
        };
        let (piece, local) = (at & !(PIECE - 1), 0u8);
        // The thread's own variables lie below `top`. The tables do not have the piece where those of others begin.
        let is_mixed = piece < top && top < piece + PIECE;
        if at < top && (&raw const local).addr() < at {
            return self.add_in_place(at, d, !is_mixed);
        }
        if !at.is_multiple_of(size_of::<R>()) {
            self.has_unaligned = true;
            return self.keep(at, d);
        }
        let part = self
            .parts
            .entry(piece | R::KIND)
            .or_insert_with(|| if owners.is_own(piece, thread) { Part::Own } else { Part::Few(0) });
        match part {
            Part::Own => self.add_in_place(at, d, !is_mixed),
            Part::Few(n) if *n < FEW => {
                *n += 1;
                self.keep(at, d);
            }
            part => {
                if let Part::Few(_) = part {
                    *part = Part::Copy(Box::new([0; PIECE]), false);
                }
                let Part::Copy(copy, is_changed) = part else { return };
                if !std::mem::replace(is_changed, true) {
                    self.changed.push(piece | R::KIND);
                }
                let own = copy.as_mut_ptr();
                // SAFETY: an aligned real is in one piece.
                unsafe { add(own.add(at - piece).cast::<R>(), d) };
                let distance = own.expose_provenance().wrapping_sub(piece);
                if !is_mixed {
                    *place(at, R::KIND) = Place { key: piece | R::KIND, distance };
                }
                tables().clean[slot(at)] = 0;
            }
        }
    }

    /// Adds where only this thread adds; in the whole piece, if the tables may have it.
    fn add_in_place<R: Real>(&self, at: usize, d: R, in_tables: bool) {
        // SAFETY: only this thread adds here.
        unsafe { add(with_exposed_provenance_mut::<R>(at), d) };
        if in_tables {
            *place(at, R::KIND) = Place { key: at & !(PIECE - 1) | R::KIND, distance: 0 };
        }
    }

    fn keep<R: Real>(&mut self, at: usize, d: R) {
        *self.few.entry(few_key(at) | R::KIND as u64).or_default() += d.widened();
        let last = at + size_of::<R>() - 1;
        tables().clean[slot(at)] = 0;
        tables().clean[slot(last)] = 0;
    }

    /// Adds what the thread has kept for the `bytes` bytes at `at`, which it has to itself.
    fn settle(&mut self, at: usize, bytes: usize) {
        let first = at & !(PIECE - 1);
        if (first..at + bytes).step_by(PIECE).all(|piece| self.keeps_nothing(piece)) {
            tables().clean[slot(at)] = first;
            return;
        }
        let before = size_of::<f64>() - 1;
        if self.few.len() > 2 * (bytes + before) {
            for key in few_key(at - before)..few_key(at + bytes) {
                self.few.remove(&key).into_iter().for_each(|d| add_few(key, d));
            }
        } else if !self.few.is_empty() {
            let is_there = |key: u64| key >= few_key(at - before) && key < few_key(at + bytes);
            self.few.extract_if(|&key, _| is_there(key)).for_each(|(key, d)| add_few(key, d));
        }
        let end = at + bytes;
        for piece in (first..end).step_by(PIECE) {
            let (from, to) = (at.max(piece) - piece, end.min(piece + PIECE) - piece);
            self.settle_part::<f64>(piece, from, to);
            self.settle_part::<f32>(piece, from, to);
        }
    }

    /// Whether the thread keeps nothing for a piece.
    fn keeps_nothing(&self, piece: usize) -> bool {
        let is_empty = |kind| match self.parts.get(&(piece | kind)) {
            None | Some(Part::Own) => true,
            Some(Part::Few(n)) => *n == 0,
            Some(Part::Copy(_, is_changed)) => !is_changed,
        };
        !self.has_unaligned && is_empty(f64::KIND) && is_empty(f32::KIND)
    }

    fn settle_part<R: Real>(&mut self, piece: usize, from: usize, to: usize) {
        if let Some(Part::Copy(copy, true)) = self.parts.get_mut(&(piece | R::KIND)) {
            move_cells::<R>(copy, piece, from / size_of::<R>(), to.div_ceil(size_of::<R>()));
        }
    }

    /// Adds all that the thread has kept: no thread adds to shadow memory meanwhile.
    fn flush(&mut self) {
        let Way::Pieces(owners, ..) = &self.way else { return };
        for key in self.changed.drain(..) {
            let (piece, kind) = (key & !1, key & 1);
            let Some(Part::Copy(copy, is_changed)) = self.parts.get_mut(&key) else { continue };
            *is_changed = false;
            *place(piece, kind) = NOWHERE;
            let _alone = owners.part(piece);
            match kind {
                f64::KIND => move_cells::<f64>(copy, piece, 0, PIECE / size_of::<f64>()),
                _ => move_cells::<f32>(copy, piece, 0, PIECE / size_of::<f32>()),
            }
        }
        for part in self.parts.values_mut() {
            if let Part::Few(n) = part {
                *n = 0;
            }
        }
        self.has_unaligned = false;
        for (key, d) in self.few.drain() {
            let _alone = owners.part((key >> 1) as usize);
            add_few(key, d);
        }
    }
}

/// Adds cells of a copy to the piece, and clears them. Other cells of the piece, which may be no reals, stay.
fn move_cells<R: Real>(copy: &mut [u8; PIECE], piece: usize, from: usize, to: usize) {
    let (own, whole) = (copy.as_mut_ptr().cast::<R>(), with_exposed_provenance_mut::<R>(piece));
    for i in from..to {
        // SAFETY: within the piece; the thread adds alone.
        unsafe {
            let cell = own.add(i);
            let d = cell.read_unaligned();
            if d != R::default() {
                add(whole.add(i), d);
                cell.write_unaligned(R::default());
            }
        }
    }
}

/// The key of the first kind of reals at an address.
fn few_key(at: usize) -> u64 {
    (at as u64) << 1
}

fn add_few(key: u64, d: f64) {
    let at = (key >> 1) as usize;
    // SAFETY: the thread adds alone.
    unsafe {
        match (key & 1) as usize {
            f64::KIND => add(with_exposed_provenance_mut::<f64>(at), d),
            _ => add(with_exposed_provenance_mut::<f32>(at), f32::of(d)),
        }
    }
}

fn add_atomically<R: Real>(at: usize, d: R) {
    /// For reals that are not aligned.
    static ALONE: Mutex<()> = Mutex::new(());
    let here = with_exposed_provenance_mut::<R>(at);
    if at.is_multiple_of(align_of::<R>()) {
        // SAFETY: all threads of the team add in this way.
        unsafe { d.add_atomically(here) }
    } else {
        let _alone = locked(&ALONE);
        // SAFETY: the same.
        unsafe { add(here, d) }
    }
}

/// Adds `d` to the double at `at`, of shadow memory to which other threads may add.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_sum_double(at: *mut f64, d: f64) {
    SUMS.with_borrow_mut(|sums| sums.add(at.expose_provenance(), d));
}

/// The same of a float.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_sum_float(at: *mut f32, d: f32) {
    SUMS.with_borrow_mut(|sums| sums.add(at.expose_provenance(), d));
}

/// Adds what the thread has kept for the `bytes` bytes at `at`, before it reads or overwrites them.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_sum_settle(at: *mut u8, bytes: usize) {
    SUMS.with_borrow_mut(|sums| sums.settle(at.expose_provenance(), bytes));
}

#[cfg(test)]
mod tests;
