//! Parts of reals: one or two bytes that are stored to memory, loaded from it, or copied.
//!
//! The shadow of a real belongs to all of its bytes, so a byte of a shadow means nothing: with one
//! byte stored over it an index would be another, a dot another number. Four bytes (*a cell*,
//! aligned: a float, or half of a double) of which a part is stored to are **open**: their shadow
//! is [`OPEN`], which is no index and no number, and what each byte is part of is kept here. Who
//! loads bytes one by one has them as they are; who loads all four finds that nothing is known.
//! When all four bytes are parts of one cell again, at their places, the cell has its shadow; when
//! none is part of a real it is inactive. So copies byte by byte, in whatever order, give the copy
//! its shadow, and a real of which one byte was changed is refused.
//!
//! An open lower half opens the upper one as well: a double of these bits would have nearly the
//! right dot, or another's index.
//!
//! The lower half of a double that becomes a constant ([`clear_half`]) shortens the number, as a
//! conversion does: in recordings its index goes to the upper half. So lower halves are made zero
//! by the functions of fdlibm, `SET_LOW_WORD(z, 0)`.
//!
//! Where a real lies that is not aligned (`super::unaligned`), or a byte of one is stored, each
//! byte is open for itself: its shadow is all ones, and no cell is. Bytes stored over a part of
//! such a real stay open until none of it is left: what the others leave of a shadow could be an
//! index or a number.
//!
//! A general register into which bytes were loaded has a code (`CODE`) for a shadow, with a number
//! for each byte: the last 254 loads are known by number.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use iced_x86::{Instruction, Mnemonic, OpAccess, OpKind, Register};

use super::{
    operands::{base_or_register, part_of},
    site::Details,
    unaligned::{Piece, Pieces, set_shadow_byte, shadow_byte},
};
use crate::{
    machine::{
        general_mask::number,
        state::{State, UNKNOWN},
        word,
    },
    memory::{
        indices::{DOUBLE, EXTENDED, cut, index_of_double},
        space::{self, DISTANCE},
    },
    rules::{self, Rule},
    translate::{
        Mode,
        instruction::{is_second_byte, reads},
    },
};

/// The shadow of an open cell: NaN as a float and as the upper half of a double, no index.
pub const OPEN: u32 = 0xffff_fffe;
/// The upper half of 32 bits whose lower half has the numbers of one or two bytes.
const CODE: u64 = 0xfff0;
/// The number of a byte of which nothing is known; zero is that of one that is part of no real.
const LOST: u8 = 0xff;
/// Bytes that are kept at most. What was kept before is lost then, and refused if it is met.
const MOST: usize = 1 << 16;
/// How far bytes that are open for themselves are looked for in a row.
const LONGEST: u64 = 64;

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Part of no real.
    Inactive,
    /// Unknown.
    Lost,
    /// Of a cell with this shadow, the byte with this number. Upper halves of doubles in recordings
    /// are distinguished by their lower halves' shadows.
    Of(u32, u8, u32),
}

/// A byte that is kept: what it is, and its value, if that is known. Where another value is found
/// the byte was written since.
#[derive(Clone, Copy)]
struct StoredByte {
    part: Part,
    value: Option<u8>,
}

#[derive(Default)]
struct Parts {
    /// Bytes of open cells, by address.
    bytes: HashMap<u64, StoredByte>,
    /// Reals that are not aligned.
    pieces: Pieces,
    /// Bytes that are open for themselves.
    single: HashSet<u64>,
    /// Where those begin that are open behind the first bytes of a real, which are left as they
    /// are.
    left: HashSet<u64>,
    /// Bytes that were loaded, by number less one.
    loaded: Vec<StoredByte>,
    next: usize,
    /// How often all shadows had been made zero when this was said.
    cleared: u64,
}

thread_local! {
    static PARTS: RefCell<Parts> = RefCell::default();
}

/// A call begins.
pub fn forget() {
    with(|parts| {
        parts.bytes.clear();
        parts.single.clear();
        parts.left.clear();
    });
}

/// Those of this thread. What they say holds as long as the shadows do: once all were made zero,
/// the next evaluation may have the same ones for other reals, at places of their own.
fn with<R>(f: impl FnOnce(&mut Parts) -> R) -> R {
    PARTS.with_borrow_mut(|parts| {
        let cleared = space::times_cleared();
        if parts.cleared != cleared {
            parts.bytes.clear();
            parts.single.clear();
            parts.left.clear();
            parts.pieces = Pieces::default();
            parts.cleared = cleared;
        }
        f(parts)
    })
}

/// Whether an instruction stores or loads one or two bytes, and what becomes of shadows is said
/// here.
pub fn is_of(i: &Instruction) -> bool {
    let is_narrow = |k: u32| match i.op_kind(k) {
        OpKind::Memory => i.memory_size().size() < 4,
        OpKind::Register => i.op_register(k).is_gpr() && i.op_register(k).size() < 4,
        _ => false,
    };
    match i.mnemonic() {
        Mnemonic::Mov => {
            let is_general = |k: u32| i.op_kind(k) != OpKind::Register || i.op_register(k).is_gpr();
            let is_constant = i.op0_kind() == OpKind::Register
                && !matches!(i.op1_kind(), OpKind::Register | OpKind::Memory);
            is_narrow(0) && is_general(0) && is_general(1) && !is_constant
        }
        Mnemonic::Movzx | Mnemonic::Movsx => is_narrow(1),
        // Bytes of flags, and what else is stored that is no number.
        _ => {
            i.op0_kind() == OpKind::Memory
                && is_narrow(0)
                && rules::rule(i.code()) == Rule::Compare
                && i.mnemonic() != Mnemonic::Cmp
                && i.mnemonic() != Mnemonic::Test
        }
    }
}

fn cell(address: u64) -> u64 {
    address & !3
}

/// The upper half of a double's shadow in recordings.
const UPPER: u32 = (DOUBLE >> 32) as u32;

/// Whether a cell's shadow is that of the lower half of a double, in recordings.
fn is_lower(shadow: u32) -> bool {
    shadow >> 30 == 1
}

/// What tells an upper half from others.
fn beside(at: u64, own: u32) -> u32 {
    if own == UPPER { shadow(at - 4) } else { 0 }
}

fn shadow(cell: u64) -> u32 {
    // SAFETY: the program touches memory of this cell, so its shadow is mapped.
    unsafe { (cell.wrapping_add(DISTANCE) as *const u32).read_unaligned() }
}

fn set_shadow(cell: u64, shadow: u32) {
    // SAFETY: shadow memory of an aligned cell that the program touches; it is this thread's.
    unsafe { (cell.wrapping_add(DISTANCE) as *mut u32).write(shadow) };
}

fn value(address: u64) -> u8 {
    // SAFETY: of an aligned cell of which the program touches a part.
    unsafe { (address as *const u8).read() }
}

/// Whether a byte lies behind an active `long double`, in the cell of its exponent: compilers put
/// integers there. A float's dot would be below 1e-40, its index that one of all that looks like
/// [`EXTENDED`], behind a double's.
fn is_behind_extended(address: u64) -> bool {
    let at = cell(address);
    let is_exponent = |own: u32| own >> 16 == 0 && own & 0x7fff != 0;
    // The first bit of the significand is there, in no index.
    let is_significand = |before: u32| {
        before >> 31 == 1 && before < OPEN || before == UPPER && shadow(at) == EXTENDED.into()
    };
    address & 2 != 0 && is_exponent(shadow(at)) && is_significand(shadow(at - 4))
}

/// Whether any cell of which such bytes are part has a shadow.
pub fn are_active(at: u64, bytes: usize) -> bool {
    (at..at + bytes as u64)
        .any(|address| shadow(cell(address)) != 0 && !is_behind_extended(address))
}

impl Parts {
    fn known(&self, address: u64) -> Option<Part> {
        let stored = self.bytes.get(&address)?;
        stored.value.is_none_or(|was| was == value(address)).then_some(stored.part)
    }

    /// What a byte of memory is part of.
    fn of(&self, address: u64) -> Part {
        if let Some(found) = self.of_unaligned(address) {
            return found;
        }
        let found = match shadow(cell(address)) {
            0 => Part::Inactive,
            u32::MAX => Part::Lost,
            OPEN => self.known(address).unwrap_or(Part::Lost),
            _ if is_behind_extended(address) => Part::Inactive,
            shadow => Part::Of(shadow, (address & 3) as u8, beside(cell(address), shadow)),
        };
        if matches!(found, Part::Of(0, ..)) { Part::Inactive } else { found }
    }

    fn is_single(&self, address: u64) -> bool {
        !self.single.is_empty() && self.single.contains(&address) && shadow_byte(address) == 0xff
    }

    /// Whether bytes of a cell are known one by one.
    fn is_by_bytes(&self, at: u64) -> bool {
        !self.pieces.is_empty() && !self.pieces.within(at..at + 4).is_empty()
            || (at..at + 4).any(|address| self.is_single(address))
    }

    /// The same of a byte beside a real that is not aligned, or of one.
    fn of_unaligned(&self, address: u64) -> Option<Part> {
        if self.is_single(address) {
            let known = self.known(address).unwrap_or(Part::Lost);
            // Beside nothing that is left of a real it is a byte of a shadow by chance.
            return Some(if known == Part::Inactive && !self.is_beside_part(address) {
                Part::Lost
            } else {
                known
            });
        }
        if let Some(piece) = self.pieces.at(address) {
            return Some(match piece.shadow {
                0 => Part::Inactive,
                u32::MAX => Part::Lost,
                own => Part::Of(own, (address - piece.start) as u8, beside(piece.start, own)),
            });
        }
        let is_near = shadow(cell(address)) != OPEN && self.is_by_bytes(cell(address));
        is_near.then(|| if shadow_byte(address) == 0 { Part::Inactive } else { Part::Lost })
    }

    /// A byte is open for itself.
    fn open_single(&mut self, address: u64) {
        if !self.is_single(address) {
            let part = self.of(address);
            self.bytes.insert(address, StoredByte { part, value: Some(value(address)) });
            self.single.insert(address);
        }
    }

    /// Bytes of a cell are open for themselves, so far as they are part of anything; those of a
    /// real that was aligned are lost with it.
    fn take_apart(&mut self, at: u64, mode: Mode) {
        if self.is_by_bytes(at) || shadow(at) == 0 {
            return;
        }
        let has_upper = match mode {
            Mode::Recording => is_lower(shadow(at)) && shadow(at + 4) == UPPER,
            Mode::Plain | Mode::Tangent => at & 4 == 0 && shadow(at + 4) != 0,
        };
        let parts: Vec<Part> = (at..at + 4).map(|address| self.of(address)).collect();
        if has_upper && !self.is_by_bytes(at + 4) {
            self.open(at + 4, mode);
        }
        for (address, part) in (at..).zip(parts) {
            if part == Part::Inactive {
                set_shadow_byte(address, 0);
                continue;
            }
            self.bytes.insert(address, StoredByte { part, value: Some(value(address)) });
            self.single.insert(address);
            set_shadow_byte(address, 0xff);
        }
    }

    /// A byte is stored where bytes are known one by one.
    fn store_single(&mut self, address: u64, part: Part, mode: Mode) {
        self.take_apart(cell(address), mode);
        if let Some(piece) = self.pieces.at(address) {
            self.open_real(piece, address, mode);
        }
        match part {
            // What is left of a real keeps all its bytes open, or the others were a number.
            Part::Inactive if !self.is_single(address) => {
                self.bytes.remove(&address);
                set_shadow_byte(address, 0);
            }
            Part::Inactive | Part::Of(..) | Part::Lost => {
                self.bytes.insert(address, StoredByte { part, value: None });
                self.single.insert(address);
                set_shadow_byte(address, 0xff);
            }
        }
    }

    /// A byte of a real that is not aligned is stored: all are open for themselves.
    ///
    /// An aligned real may have been stored over the first ones since, with the same bytes in its
    /// shadow: a number in reverse order, as files of other processors have it. So the shadow in
    /// front is left as it is, if the stored byte is behind it: what is open of the rest is enough
    /// to say that the real is not known. Else the bytes in front are open as well, or what is left
    /// of the other's shadow would be an index or a dot of its own.
    fn open_real(&mut self, piece: Piece, address: u64, mode: Mode) {
        let all = self.pieces.within(piece.start..piece.end);
        let first = all.iter().map(|piece| piece.start).min().unwrap_or(piece.start);
        let (before, behind) = (cell(first), cell(first) + 4);
        let is_bare = |this: &Self, address: u64| {
            !this.is_single(address) && this.pieces.at(address).is_none()
        };
        let has_shadow = (before..first).any(|at| is_bare(self, at) && shadow_byte(at) != 0);
        let is_zero = shadow(before) == 0;
        // Two bytes, for the upper ones of a dot are no number then.
        let is_enough = all.iter().map(|piece| piece.start + piece.bytes).max() >= Some(behind + 2);
        let is_left = (has_shadow || is_zero) && address >= behind && is_enough;
        let from = match () {
            () if is_left => behind,
            () if has_shadow && shadow(before - 4) != OPEN => before - 4,
            () if has_shadow || is_zero || mode == Mode::Recording && first & 3 == 3 => before,
            () => first,
        };
        let opened: Vec<u64> = all
            .iter()
            .flat_map(|piece| piece.start..piece.start + piece.bytes)
            .filter(|at| *at >= from)
            .collect();
        opened.iter().for_each(|address| self.open_single(*address));
        for at in from..first {
            if is_bare(self, at) {
                let part = if shadow_byte(at) == 0 { Part::Inactive } else { Part::Lost };
                self.bytes.insert(at, StoredByte { part, value: None });
                self.single.insert(at);
                set_shadow_byte(at, 0xff);
            }
        }
        if is_left {
            self.left.insert(behind);
        }
        all.iter().for_each(|piece| self.pieces.remove(piece.start));
        opened.iter().for_each(|address| set_shadow_byte(*address, 0xff));
    }

    /// Bytes around one that are open for themselves.
    fn run(&self, address: u64) -> std::ops::Range<u64> {
        let start = (0..LONGEST)
            .map(|k| address.wrapping_sub(k))
            .take_while(|at| self.is_single(*at))
            .last()
            .unwrap_or(address);
        let end = (address..address + LONGEST)
            .take_while(|at| self.is_single(*at))
            .last()
            .map_or(address, |at| at + 1);
        start..end
    }

    /// Whether any of the bytes around one that are open for themselves is, or may be, part of a
    /// real.
    fn is_beside_part(&self, address: u64) -> bool {
        self.run(address).any(|at| self.known(at) != Some(Part::Inactive))
    }

    /// Bytes that are open for themselves become inactive when none around them is part of a real
    /// any more.
    fn settle(&mut self, address: u64) {
        if !self.is_single(address) || self.is_beside_part(address) {
            return;
        }
        let run = self.run(address);
        if self.left.contains(&run.start) {
            return;
        }
        for at in run {
            self.single.remove(&at);
            self.bytes.remove(&at);
            set_shadow_byte(at, 0);
        }
    }

    /// Four bytes that are open for themselves and are together again have their shadow. Those in
    /// front of them may be the lower half, which is first.
    fn close_single(&mut self, address: u64) {
        let Some(Part::Of(own, k, beside_it)) =
            self.is_single(address).then(|| self.known(address)).flatten()
        else {
            return;
        };
        let first = address.wrapping_sub(k.into());
        let is_whole = (0..4u8).all(|k| {
            let at = first.wrapping_add(k.into());
            match self.is_single(at) {
                true => self.known(at) == Some(Part::Of(own, k, beside_it)),
                false => {
                    shadow(cell(at)) != OPEN && shadow_byte(at) == own.to_le_bytes()[usize::from(k)]
                }
            }
        });
        let is_inactive = |at: u64| self.is_single(at) && self.known(at) == Some(Part::Inactive);
        let lower = || first.wrapping_sub(4)..first;
        let waits = lower().any(|at| self.is_single(at) && !is_inactive(at));
        let is_upper_of_other = own == UPPER
            && !lower().zip(beside_it.to_le_bytes()).all(|(at, byte)| {
                if is_inactive(at) { byte == 0 } else { shadow_byte(at) == byte }
            });
        if !is_whole || waits || is_upper_of_other {
            return;
        }
        for (k, byte) in own.to_le_bytes().into_iter().enumerate() {
            let at = first + k as u64;
            self.single.remove(&at);
            self.bytes.remove(&at);
            set_shadow_byte(at, byte);
        }
        self.pieces.add(first, 4);
        self.pieces.join(first);
        [first.wrapping_sub(1), first + 4].into_iter().for_each(|beside| self.settle(beside));
        self.close_single(first + 4);
    }

    /// From now on each byte of a cell is kept.
    fn open(&mut self, at: u64, mode: Mode) {
        if shadow(at) == OPEN {
            return;
        }
        for address in at..at + 4 {
            self.bytes.insert(
                address,
                StoredByte { part: self.of(address), value: Some(value(address)) },
            );
        }
        let has_upper = match mode {
            Mode::Recording => is_lower(shadow(at)) && shadow(at + 4) == UPPER,
            Mode::Plain | Mode::Tangent => at & 4 == 0 && shadow(at + 4) != 0,
        };
        if has_upper {
            self.open(at + 4, mode);
        }
        set_shadow(at, OPEN);
    }

    /// Whether a byte and the others of the cell that it is part of are together, each at its
    /// place.
    fn is_whole(&self, address: u64) -> bool {
        match self.known(address) {
            Some(Part::Inactive) => true,
            Some(Part::Of(shadow, k, beside)) => {
                let first = address.wrapping_sub(k.into());
                (0..4u8).all(|k| {
                    self.known(first.wrapping_add(k.into())) == Some(Part::Of(shadow, k, beside))
                })
            }
            Some(Part::Lost) | None => false,
        }
    }

    /// Closes a cell, if all its bytes are whole.
    fn close(&mut self, at: u64, mode: Mode) {
        let waits = match (mode, self.known(at)) {
            (Mode::Recording, Some(Part::Of(UPPER, _, beside))) => shadow(at - 4) != beside,
            (Mode::Recording, _) => false,
            (Mode::Plain | Mode::Tangent, _) => at & 4 != 0 && shadow(at - 4) == OPEN,
        };
        if waits || shadow(at) != OPEN || !(at..at + 4).all(|address| self.is_whole(address)) {
            return;
        }
        let bytes: [u8; 4] = std::array::from_fn(|k| match self.known(at + k as u64) {
            Some(Part::Of(shadow, k, _)) => shadow.to_le_bytes()[usize::from(k)],
            _ => 0,
        });
        set_shadow(at, u32::from_le_bytes(bytes));
        self.close(at + 4, mode);
    }

    fn store(&mut self, at: u64, bytes: &[(Part, Option<u8>)], mode: Mode) {
        if self.bytes.len() > MOST {
            self.bytes.clear();
        }
        let end = at + bytes.len() as u64;
        (cell(at)..end)
            .step_by(4)
            .filter(|at| shadow(*at) != 0 && shadow(*at) != OPEN)
            .for_each(|at| self.pieces.find(at));
        let by_bytes = |this: &Self, address: u64, part: Part| match part {
            Part::Of(_, k, _) => {
                address.wrapping_sub(k.into()) & 3 != 0 || this.is_by_bytes(cell(address))
            }
            Part::Inactive | Part::Lost => this.is_by_bytes(cell(address)),
        };
        if (at..).zip(bytes).any(|(address, byte)| by_bytes(self, address, byte.0)) {
            let all: Vec<(u64, (Part, Option<u8>))> = (at..).zip(bytes.iter().copied()).collect();
            all.iter().for_each(|(address, (part, _))| self.store_single(*address, *part, mode));
            // No value is compared yet, as below.
            all.iter().for_each(|(address, _)| self.close_single(*address));
            all.iter().for_each(|(address, _)| self.settle(*address));
            for (address, (part, value)) in all {
                if self.is_single(address) {
                    self.bytes.insert(address, StoredByte { part, value });
                }
            }
            return;
        }
        let is_changed = |(address, byte): &(u64, &(Part, Option<u8>))| {
            byte.0 != Part::Inactive || shadow(cell(*address)) != 0 && !is_behind_extended(*address)
        };
        let changed: Vec<(u64, (Part, Option<u8>))> =
            (at..).zip(bytes).filter(is_changed).map(|(address, byte)| (address, *byte)).collect();
        for (address, _) in &changed {
            self.open(cell(*address), mode);
        }
        // What is stored now is in memory behind the instruction: no value is compared yet.
        for (address, (part, _)) in &changed {
            self.bytes.insert(*address, StoredByte { part: *part, value: None });
        }
        for (address, (part, _)) in &changed {
            let first = if let Part::Of(_, k, _) = part {
                address.wrapping_sub((*k).into())
            } else {
                *address
            };
            for at in [cell(first), cell(*address), cell(first.wrapping_add(3))] {
                if shadow(at) == OPEN {
                    self.close(at, mode);
                }
            }
        }
        for (address, (part, value)) in changed {
            self.bytes.insert(address, StoredByte { part, value });
        }
    }

    /// The number of a byte that is loaded.
    fn number(&mut self, part: Part, value: u8) -> u8 {
        match part {
            Part::Inactive => 0,
            Part::Lost => LOST,
            Part::Of(..) => {
                let stored = StoredByte { part, value: Some(value) };
                let most = usize::from(LOST) - 1;
                if self.loaded.len() < most {
                    self.loaded.push(stored);
                    return self.loaded.len() as u8;
                }
                self.next = (self.next + 1) % most;
                self.loaded[self.next] = stored;
                self.next as u8 + 1
            }
        }
    }

    fn numbered(&self, number: u8, value: u8) -> Part {
        match number {
            0 => Part::Inactive,
            LOST => Part::Lost,
            _ => self
                .loaded
                .get(usize::from(number) - 1)
                .filter(|stored| stored.value == Some(value))
                .map_or(Part::Lost, |stored| stored.part),
        }
    }

    /// What a byte of a general register is part of.
    fn of_register(&self, shadow: u64, k: u8, value: u8) -> Part {
        let half = shadow as u32;
        match half {
            0 => Part::Inactive,
            // Beside what is left of a real, of which nothing is known, a part was written.
            _ if shadow >> 32 == u64::from(u32::MAX)
                && shadow.to_le_bytes()[usize::from(k)] == 0 =>
            {
                Part::Inactive
            }
            u32::MAX | OPEN => Part::Lost,
            _ if shadow >> 16 == CODE => self.numbered(shadow.to_le_bytes()[usize::from(k)], value),
            _ => Part::Of(half, k, 0),
        }
    }
}

/// Whether words of a copy overlap: what is about to be stored is there already up to an aligned
/// word, and is something.
pub fn overlaps(at: u64, shadow: &[u8]) -> bool {
    let there = (at.next_multiple_of(8) - at) as usize;
    let is_same = |k: usize| shadow_byte(at + k as u64) == shadow[k];
    let is_there = (1..8).contains(&there)
        && shadow.len() == 8
        && (0..there).all(is_same)
        && shadow[..there].iter().any(|byte| *byte != 0);
    // What lies there without being aligned is written again.
    is_there && with(|parts| parts.pieces.within(at..at + there as u64).is_empty())
}

/// An instruction has stored something active, of `size` bytes each, and its shadow: if it is not
/// aligned, it is kept where it lies.
pub fn stored(at: u64, bytes: usize, size: u64) {
    // On i386 doubles lie at multiples of four.
    let alignment = if word::IS_64 { size.min(8) } else { 4 };
    if at & (alignment - 1) == 0 || (at..at + bytes as u64).all(|address| shadow_byte(address) == 0)
    {
        return;
    }
    with(|parts| {
        (at..at + bytes as u64).step_by(size as usize).for_each(|at| parts.pieces.add(at, size))
    });
}

/// Reals of memory that is about to be copied that will not be aligned, or are not: where each will
/// be, and its bytes.
fn moved(from: u64, to: u64, bytes: u64) -> Vec<(u64, u64)> {
    with(|parts| {
        let mut all = Vec::new();
        if (from ^ to) & 3 != 0 {
            for at in (from.next_multiple_of(8)..(from + bytes).saturating_sub(7)).step_by(8) {
                if (shadow(at) != 0 || shadow(at + 4) != 0)
                    && parts.pieces.within(at..at + 8).is_empty()
                {
                    all.push((at - from + to, 8));
                }
            }
        }
        let whole = parts
            .pieces
            .within(from..from + bytes)
            .into_iter()
            .filter(|piece| piece.start >= from && piece.end <= from + bytes);
        all.extend(whole.map(|piece| (piece.start - from + to, piece.end - piece.start)));
        all
    })
}

/// They are there.
fn copied(all: &[(u64, u64)]) {
    with(|parts| all.iter().for_each(|(at, bytes)| parts.pieces.add(*at, *bytes)));
}

/// One or two bytes of memory become parts of no real.
pub fn clear(at: u64, bytes: usize, mode: Mode) {
    with(|parts| parts.store(at, &[(Part::Inactive, None); 2][..bytes], mode));
}

/// A cell gets an integer, in recordings.
pub fn clear_half(at: u64) {
    let double = || u64::from(shadow(at + 4)) << 32 | u64::from(shadow(at));
    if at & 3 == 0
        && let Some(cut) = index_of_double(double()).and_then(cut)
    {
        set_shadow(at + 4, (cut >> 32) as u32);
    }
    // SAFETY: the program writes this memory.
    unsafe { (at.wrapping_add(DISTANCE) as *mut u32).write_unaligned(0) };
}

/// What they are is not known.
pub fn lose(at: u64, bytes: usize, mode: Mode) {
    with(|parts| parts.store(at, &[(Part::Lost, None); 2][..bytes], mode));
}

/// Bytes that a copy, or whoever writes them, changes of cells at either end of a range that other
/// bytes of these cells have no part in: at most three each.
pub fn ends(at: u64, bytes: u64) -> [std::ops::Range<u64>; 2] {
    let end = at + bytes;
    let first = at..end.min(at.next_multiple_of(4));
    let last = cell(end).max(first.end)..end;
    [first, last]
}

/// What bytes are, to be stored elsewhere.
pub fn take(range: std::ops::Range<u64>) -> Vec<Part> {
    with(|parts| range.map(|address| parts.of(address)).collect())
}

/// Stores bytes that [`take`] gave.
pub fn put(at: u64, taken: &[Part], mode: Mode) {
    let bytes: Vec<(Part, Option<u8>)> = taken.iter().map(|part| (*part, None)).collect();
    with(|parts| parts.store(at, &bytes, mode));
}

/// Does what such an instruction does to shadows.
pub fn shadows(
    i: &Instruction,
    details: &Details,
    state: &mut State,
    mode: Mode,
) -> Result<(), String> {
    let at = |k: u32, state: &State| {
        i.virtual_address(k, 0, |r, _, _| base_or_register(r, state))
            .ok_or("its address is not known before it runs")
    };
    if i.op0_kind() == OpKind::Memory {
        let (at, bytes) = (at(0, state)?, i.memory_size().size());
        if i.mnemonic() != Mnemonic::Mov {
            debug_assert!(
                details
                    .memory
                    .iter()
                    .all(|m| !reads(m.access()) || m.access() == OpAccess::NoMemAccess)
            );
            clear(at, bytes, mode);
            return Ok(());
        }
        with(|parts| {
            let stored: Vec<(Part, Option<u8>)> =
                (0..bytes).map(|k| of_operand(parts, i, k, state)).collect();
            parts.store(at, &stored, mode);
        });
        return Ok(());
    }
    let to = i.op0_register();
    let numbers = with(|parts| -> Result<[u8; 2], String> {
        let mut numbers = [0; 2];
        match i.op1_kind() {
            OpKind::Memory => {
                let at = at(1, state)?;
                for (number, address) in
                    numbers.iter_mut().zip(at..at + i.memory_size().size() as u64)
                {
                    *number = parts.number(parts.of(address), value(address));
                }
            }
            _ => {
                for (k, number) in numbers.iter_mut().enumerate().take(i.op1_register().size()) {
                    let (part, value) = of_operand(parts, i, k, state);
                    *number = parts.number(part, value.unwrap_or(0));
                }
            }
        }
        Ok(numbers)
    })?;
    let n = number(to);
    let code = |numbers: [u8; 2]| {
        if numbers == [0; 2] { 0 } else { CODE << 16 | u64::from(u16::from_le_bytes(numbers)) }
    };
    state.general[n] = match to.size() {
        4 | 8 => code(numbers),
        // The rest of the register stays as it is; of a real of which a part was changed nothing is
        // known.
        bytes => {
            let old = state.general[n];
            let rest: [u8; 2] = match old {
                0 => [0; 2],
                _ if old >> 16 == CODE => [old as u8, (old >> 8) as u8],
                _ => [LOST; 2],
            };
            let is_known = old == 0 || old >> 16 == CODE;
            let new = match (bytes, is_second_byte(to)) {
                (1, false) => [numbers[0], rest[1]],
                (1, true) => [rest[0], numbers[0]],
                _ => numbers,
            };
            match () {
                () if is_known => code(new),
                // What is left of a real lies beside bytes of none.
                () if numbers == [0; 2] => !part_of(to),
                () => UNKNOWN,
            }
        }
    };
    Ok(())
}

/// What byte `k` of the last operand is, and its value.
fn of_operand(parts: &Parts, i: &Instruction, k: usize, state: &State) -> (Part, Option<u8>) {
    let last = i.op_count() - 1;
    if i.op_kind(last) != OpKind::Register {
        return (Part::Inactive, i.try_immediate(last).ok().map(|n| n.to_le_bytes()[k]));
    }
    let register: Register = i.op_register(last);
    let k = k + usize::from(is_second_byte(register));
    let value = state.gpr[number(register)].to_le_bytes()[k];
    (parts.of_register(state.general[number(register)], k as u8, value), Some(value))
}

/// Copies shadows. Where both ranges begin at the same place of a cell, cells of which a part is
/// copied are taken apart; elsewhere bytes are copied as they are, for reals that are not aligned.
pub fn copy(from: u64, to: u64, bytes: u64, mode: Mode) {
    let raw = |from: u64, to: u64, bytes: u64| {
        // SAFETY: shadows of memory that the program copies.
        unsafe {
            std::ptr::copy(
                from.wrapping_add(DISTANCE) as *const u8,
                to.wrapping_add(DISTANCE) as *mut u8,
                bytes as usize,
            )
        };
    };
    let ends = ends(to, bytes);
    let is_active = |end: &std::ops::Range<u64>| {
        !end.is_empty()
            && (shadow(cell(end.start)) != 0 || shadow(cell(end.start - to + from)) != 0)
    };
    if (from ^ to) & 3 != 0 || !ends.iter().any(is_active) {
        if bytes == 0 {
            return;
        }
        if (from ^ to) & 3 != 0 {
            // What is open is taken apart, for its cell is written to in part.
            with(|parts| {
                [cell(to), cell(to + bytes - 1)]
                    .into_iter()
                    .filter(|at| shadow(*at) == OPEN)
                    .for_each(|at| parts.take_apart(at, mode))
            });
        }
        let reals = moved(from, to, bytes);
        raw(from, to, bytes);
        return copied(&reals);
    }
    let taken = ends.clone().map(|end| take(end.start - to + from..end.end - to + from));
    let (first, last) = (ends[0].end, ends[1].start);
    let reals = moved(first - to + from, first, last - first);
    raw(first - to + from, first, last - first);
    copied(&reals);
    ends.iter().zip(&taken).for_each(|(end, taken)| put(end.start, taken, mode));
}

/// Clears shadows.
pub fn clear_all(at: u64, bytes: u64, mode: Mode) {
    if space::covers(at..at + bytes).is_err() {
        // What is not in reach has no shadow to be cleared.
        return;
    }
    let ends = ends(at, bytes);
    let _ = space::clear(ends[0].end..ends[1].start);
    for end in ends.into_iter().filter(|end| !end.is_empty()) {
        put(end.start, &[Part::Inactive; 3][..(end.end - end.start) as usize], mode);
    }
}
