//! What a call can reach: from its pointer arguments to objects, and on through the pointers in
//! them.
//!
//! In an object of unknown content, a word is a pointer with a shadow if it is an address of
//! program memory and the word beside it in the shadow is one as well (`pair`). What it leads to
//! is an object, too. Such words are objects of their own in the registry, which keeps their shadow
//! memory zero and gives pointers that the library changes their shadows.

use std::{collections::BTreeMap, num::FpCategory, ops::Range};

use super::{
    blocks::{self, OfBlock},
    extents::{self, Variable},
    layout::{Declared, Layout},
    pairs::{Pair, pair},
};
use crate::{
    Error,
    call::library::allocations,
    machine::{running, word},
    memory::{
        heap::{self, Owner},
        objects::{Extent, Object, ScalarKind},
        space::{self, DISTANCE},
        trap_pointers,
    },
    process::modules,
};

/// Objects that one call reaches, at most.
const MOST: usize = 1 << 20;

/// A pointer, and the pointer to the shadow.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// Where it leads.
    pub primal: u64,
    /// Where its shadow leads; zero if what it leads to is constant.
    pub shadow: u64,
    /// What is there.
    pub kind: ScalarKind,
    /// Whether there is nothing else, of reals.
    pub is_sure: bool,
    /// What diagnostics call it.
    pub name: &'static str,
    /// Whether it was found in memory.
    pub is_found: bool,
}

impl Pointer {
    /// Whether it leads to library memory, whose dots are in shadow memory.
    pub fn is_library_memory(&self) -> bool {
        let distance = self.shadow.wrapping_sub(self.primal);
        distance == DISTANCE || trap_pointers::is(self.primal, self.shadow)
    }

    fn is_constant(&self) -> bool {
        self.shadow == 0 || self.shadow == self.primal
    }
}

/// Whether a word is an address of the program.
pub fn is_address(word: u64) -> bool {
    (!word::IS_64 || word >> 40 != 0) && space::has(word)
}

/// # Safety
/// There are eight bytes that can be read.
pub unsafe fn eight_bytes(at: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { (at as *const u64).read_unaligned() }
}

/// The words of a range that lie where pointers do.
pub fn words(range: &Range<u64>) -> impl Iterator<Item = u64> + use<> {
    (range.start.next_multiple_of(BYTES)..(range.end + 1).saturating_sub(BYTES))
        .step_by(BYTES as usize)
}

/// Bytes of a word.
const BYTES: u64 = word::BYTES as u64;

/// An object that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its last address.
    pub end: u64,
    /// From the object to its shadow.
    pub distance: u64,
    /// What it holds, if that is one thing.
    pub kind: ScalarKind,
    /// Whether pointers were looked for.
    pub is_scanned: bool,
}

/// Collects what a call reaches.
pub struct Reach<'a> {
    variables: &'a [Variable],
    /// By their first address; none overlap unless they have the same distance.
    pub found: BTreeMap<u64, Found>,
    /// For the registry.
    pub objects: Vec<Object>,
    /// Objects of unknown content: where pointers may be stored, and their words as they are now;
    /// no words if it is known what they are.
    pub watched: Vec<(Range<u64>, u64, Vec<u64>)>,
    /// Pointers that may be halves of reals.
    pub doubtful: Vec<u64>,
    /// Pointers into library memory that may hold pointers.
    pub library_pointers: Vec<u64>,
    /// Constant places of unknown size whose shadow memory is zero now.
    pub places: Vec<(u64, &'static str)>,
    /// Where constant objects may hold pointers, and constant pointers in others.
    pub constants: Vec<u64>,
    work: Vec<Pointer>,
    blocks: Option<OfBlock>,
    /// What objects of unknown content are for the registry.
    unknown: ScalarKind,
}

impl<'a> Reach<'a> {
    /// With the variables that the compiler described.
    pub fn new(variables: &'a [Variable], records: bool) -> Self {
        let unknown = if records { ScalarKind::Words } else { ScalarKind::Unknown };
        Self {
            unknown,
            variables,
            found: BTreeMap::new(),
            objects: Vec::new(),
            watched: Vec::new(),
            doubtful: Vec::new(),
            library_pointers: Vec::new(),
            places: Vec::new(),
            constants: Vec::new(),
            work: Vec::new(),
            blocks: None,
        }
    }

    /// The same, where blocks from before the request have a shadow on first touch.
    pub fn with_blocks(self, blocks: Option<OfBlock>) -> Self {
        Self { blocks, ..self }
    }

    /// Whether an object that was found has an address.
    pub fn at(&self, address: u64) -> Option<&Found> {
        self.found.range(..=address).next_back().map(|(_, f)| f).filter(|f| address < f.end)
    }

    /// A pointer that is not constant, and what it leads to.
    ///
    /// # Safety
    /// Pointers of the program lead to memory that can be read.
    pub unsafe fn follow(
        &mut self,
        pointer: Pointer,
        layout: Option<&Layout>,
    ) -> Result<(), Error> {
        match layout.filter(|_| {
            !pointer.is_library_memory() && !pointer.is_constant() && pointer.primal != 0
        }) {
            // SAFETY: as the caller says.
            Some(layout) => unsafe { self.object(pointer, Some(layout))? },
            None => self.work.push(pointer),
        }
        while let Some(pointer) = self.work.pop() {
            if pointer.primal == 0 || pointer.is_constant() {
                continue;
            }
            if pointer.is_library_memory() {
                // What the program knows of the library's memory is not all that is there.
                self.library_pointers.push(pointer.primal);
                continue;
            }
            // SAFETY: as the caller says.
            unsafe { self.object(pointer, None)? };
        }
        Ok(())
    }

    /// An object that no argument leads to; what was given now goes before what is known from
    /// earlier.
    ///
    /// # Safety
    /// As for `follow`.
    pub unsafe fn add(
        &mut self,
        primal: u64,
        distance: u64,
        kind: ScalarKind,
    ) -> Result<(), Error> {
        if self.at(primal).is_some() {
            return Ok(());
        }
        let (shadow, name) =
            (primal.wrapping_add(distance), "a variable, or an object of an earlier call,");
        // SAFETY: as the caller says.
        unsafe {
            self.follow(
                Pointer { primal, shadow, kind, is_sure: false, name, is_found: false },
                None,
            )
        }
    }

    unsafe fn object(&mut self, pointer: Pointer, layout: Option<&Layout>) -> Result<(), Error> {
        let Pointer { primal, shadow, name, .. } = pointer;
        let mut range = match extents::common(name, primal, shadow, self.variables) {
            Err(_)
                if pointer.is_found
                    && (extents::is_left_over(primal) || extents::is_left_over(shadow)) =>
            {
                return Ok(());
            }
            range => range?,
        };
        if self.unknown != ScalarKind::Words && allocations::is_shadow(shadow) {
            return Err(Error::OldShadow { pointer: primal, mode: "an adjoint" });
        }
        let distance = shadow.wrapping_sub(primal);
        // What the type of a whole variable says goes before all else.
        let is_it = |v: &&Variable| v.primal == range && v.distance == Some(distance);
        if let Some(declared) =
            self.variables.iter().rev().find(is_it).and_then(|v| v.declared).map(Declared::layout)
            && !declared.has_too_many(range.end - range.start)
        {
            if self.found.get(&range.start).is_none_or(|known| {
                known.end != range.end || known.distance != distance || !known.is_scanned
            }) {
                self.found.insert(
                    range.start,
                    Found { end: range.end, distance, kind: ScalarKind::Unknown, is_scanned: true },
                );
                // SAFETY: as the caller of `follow` says.
                unsafe { self.lay_out(name, range.start, range, distance, &declared) };
            }
            return Ok(());
        }
        let mut kind = in_step(pointer.kind, &range);
        let is_scanned = layout.is_some() || !is_real(pointer.kind) || !pointer.is_sure;
        if let Some(layout) = layout {
            self.found.insert(
                range.start,
                Found { end: range.end, distance, kind: ScalarKind::Unknown, is_scanned },
            );
            // SAFETY: as the caller of `follow` says.
            unsafe { self.lay_out(name, primal, range, distance, layout) };
            return Ok(());
        }
        if range.is_empty() {
            return Ok(());
        }
        if let Some((start, known)) = self.found.range(..range.end).next_back()
            && known.end > range.start
        {
            let is_same =
                *start <= range.start && known.end >= range.end && known.distance == distance;
            if is_same && (known.is_scanned || !is_scanned) {
                return Ok(());
            }
            if known.kind != kind {
                kind = ScalarKind::Unknown;
            }
            if known.distance == distance {
                range = range.start.min(*start)..range.end.max(known.end);
            }
        }
        if self.found.len() > MOST {
            return Err(Error::TooManyObjects { name, most: MOST });
        }
        self.found.insert(range.start, Found { end: range.end, distance, kind, is_scanned });
        if !is_scanned || kind != ScalarKind::Unknown && kind != ScalarKind::Pointers {
            // The allocator gives what is left of its unit, less than an element, to nobody.
            let whole = range.end - (range.end - range.start) % kind.stride();
            if is_scanned {
                // SAFETY: as the caller of `follow` says.
                unsafe { self.scan(name, range.start..whole, distance, kind) };
            } else {
                self.part(name, range.start..whole, distance, kind);
            }
            self.part(name, whole..range.end, distance, ScalarKind::Unknown);
        } else {
            // SAFETY: as the caller of `follow` says.
            unsafe { self.scan(name, range, distance, ScalarKind::Unknown) };
        }
        Ok(())
    }

    fn part(&mut self, name: &'static str, range: Range<u64>, distance: u64, kind: ScalarKind) {
        // Between words of i386 there may be less than a double.
        let is_cut = !word::IS_64 && !(range.end - range.start).is_multiple_of(kind.stride());
        let kind = if kind == ScalarKind::Unknown || is_cut { self.unknown } else { kind };
        let mut push = |range: Range<u64>, kind: ScalarKind| {
            if range.start < range.end {
                let extent = Extent::Bytes(range.end - range.start);
                self.objects.push(Object {
                    name,
                    primal: range.start,
                    shadow: Some(range.start.wrapping_add(distance)),
                    extent,
                    kind,
                });
            }
        };
        if kind != ScalarKind::Words {
            push(range, kind);
            return;
        }
        if !word::IS_64 {
            push(range.start.next_multiple_of(4)..range.end & !3, kind);
            return;
        }
        // What is left at the ends may be a float, and no double; or an integer, which as a float
        // is not normal.
        let whole =
            range.start.next_multiple_of(8).min(range.end)..(range.end & !7).max(range.start);
        let mut push_end = |range: Range<u64>| {
            let is_integer = |at: u64| {
                // SAFETY: four bytes of the object.
                let number = unsafe { (at as *const f32).read() };
                matches!(number.classify(), FpCategory::Subnormal | FpCategory::Nan)
            };
            let kind = if range.start < range.end && is_integer(range.start) {
                ScalarKind::Integers
            } else {
                ScalarKind::F32
            };
            push(range, kind);
        };
        push_end(range.start.next_multiple_of(4)..whole.start & !3);
        push_end(whole.end.max(whole.start).next_multiple_of(4)..range.end & !3);
        push(whole, kind);
    }

    /// The parts of an object whose layout is known from an address on.
    unsafe fn lay_out(
        &mut self,
        name: &'static str,
        from: u64,
        range: Range<u64>,
        distance: u64,
        layout: &Layout,
    ) {
        for (part, kind) in layout.parts(range.end - from) {
            let part = from + part.start..from + part.end;
            match kind {
                // SAFETY: as the caller of `follow` says.
                ScalarKind::Pointers => unsafe {
                    self.scan(name, part, distance, ScalarKind::Integers)
                },
                // SAFETY: the part lies in the object, which can be read with its shadow, as the
                // caller says.
                ScalarKind::Unknown => unsafe {
                    self.scan(name, part, distance, ScalarKind::Unknown)
                },
                _ => self.part(name, part, distance, kind),
            }
        }
        if range.start < from {
            // SAFETY: the rest of the object can be read with its shadow, as the caller says.
            unsafe { self.scan(name, range.start..from, distance, ScalarKind::Unknown) };
        }
    }

    /// Looks for pointers with shadows; what is said of the rest.
    unsafe fn scan(
        &mut self,
        name: &'static str,
        range: Range<u64>,
        distance: u64,
        rest: ScalarKind,
    ) {
        let start = if rest == ScalarKind::Integers {
            range.start
        } else {
            range.start.next_multiple_of(BYTES)
        };
        let mut words = Vec::new();
        let (mut from, mut is_pointers, mut last) = (range.start, false, start);
        for at in (start..(range.end + 1).saturating_sub(BYTES)).step_by(BYTES as usize) {
            // SAFETY: within the object and its shadow.
            let (primal, shadow) = unsafe { (word::at(at), word::at(at.wrapping_add(distance))) };
            // A pointer where a pointer must be is one even if it was there before.
            if rest == ScalarKind::Unknown {
                words.push(primal);
            }
            last = at + BYTES;
            // Left from a call in the other mode.
            let library_shadow = primal.wrapping_add(DISTANCE);
            let records = self.unknown == ScalarKind::Words;
            let is_old =
                if records { shadow == library_shadow } else { trap_pointers::is(primal, shadow) };
            let shadow = if is_old && is_address(primal) {
                let new = if records { trap_pointers::of(primal) } else { library_shadow };
                // SAFETY: generated code or `leave` has put it there.
                unsafe { word::set(at.wrapping_add(distance), new) };
                new
            } else if shadow == 0
                && is_address(primal)
                && let Some(new) = blocks::shadow(self.blocks, primal)
            {
                // SAFETY: the word beside lies in the shadow, and holds nothing.
                unsafe { word::set(at.wrapping_add(distance), new) };
                new
            } else {
                shadow
            };
            // SAFETY: the word and the one beside it lie in the object and its shadow, which can be
            // read.
            let found = unsafe { pair((primal, shadow), at, (&range, distance), self.variables) };
            let is_pointer = found != Pair::None;
            self.doubtful.extend((found == Pair::Doubtful).then_some(at));
            if is_pointer {
                self.work.push(Pointer {
                    primal,
                    shadow,
                    kind: ScalarKind::Unknown,
                    is_sure: true,
                    name: "a pointer in an object",
                    is_found: true,
                });
            }
            if is_address(primal) && !is_pointer && (word::IS_64 || heap::find(primal).is_some()) {
                self.constants.push(primal);
            }
            if is_pointer != is_pointers {
                self.part(
                    name,
                    from..at,
                    distance,
                    if is_pointers { ScalarKind::Pointers } else { rest },
                );
                (from, is_pointers) = (at, is_pointer);
            }
        }
        if is_pointers {
            self.part(name, from..last, distance, ScalarKind::Pointers);
            from = last;
        }
        self.part(name, from..range.end, distance, rest);
        self.watched.push((start..last, distance, words));
    }

    /// What pointers in a constant object lead to.
    unsafe fn constants_in(&mut self, primal: u64) {
        match extents::containing(primal, self.variables) {
            _ if heap::find(primal).is_some() && !modules::is_in_module(primal) => {
                self.constants.push(primal)
            }
            Some(range) => {
                for at in words(&range) {
                    // SAFETY: as the caller says.
                    self.constants
                        .extend(Some(unsafe { word::at(at) }).filter(|word| is_address(*word)));
                }
            }
            None => {}
        }
    }

    /// A constant argument, after all others: what no other object has of it.
    ///
    /// # Safety
    /// As for `follow`.
    pub unsafe fn constant(&mut self, pointer: Pointer) {
        let Pointer { primal, name, .. } = pointer;
        if !pointer.is_constant() || !is_address(primal) || self.at(primal).is_some() {
            return;
        }
        if heap::find(primal).is_some_and(|b| b.owner == Owner::Library) {
            // Its dots live in shadow memory, whatever the argument is taken for.
            self.library_pointers.push(primal);
            return;
        }
        if !self.variables.iter().any(|v| v.primal.contains(&primal))
            && extents::is_of_library(primal, running::function() as u64)
        {
            // So do those of its variables.
            return;
        }
        if !is_real(pointer.kind) {
            // SAFETY: a pointer that is given leads to memory; what is read of variables lies
            // within them.
            unsafe { self.constants_in(primal) };
        }
        let Some(range) = extents::containing(primal, self.variables) else {
            // SAFETY: shadow memory of an address of the program's is there.
            if unsafe { eight_bytes(space::of(primal & !7)) } == 0 {
                self.places.push((primal & !7, name));
            }
            return;
        };
        let before = self.found.range(..primal).next_back().map_or(0, |(_, f)| f.end);
        let behind = self.found.range(primal..).next().map_or(u64::MAX, |(start, _)| *start);
        let (from, to) = (range.start.max(before), range.end.min(behind));
        if from < to {
            self.objects.push(Object {
                name,
                primal: from,
                shadow: None,
                extent: Extent::Bytes(to - from),
                kind: ScalarKind::Unknown,
            });
        }
    }
}

/// Whether there are reals and nothing else.
pub fn is_real(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::F32 | ScalarKind::F64 | ScalarKind::F80)
}

/// Reals are at multiples of their size, but not beyond this.
const ALIGNMENT: u64 = if word::IS_64 { 16 } else { 4 };

/// What an object of whole elements holds; unknown if it has others. Blocks of the heap are longer
/// than what was asked for.
fn in_step(kind: ScalarKind, range: &Range<u64>) -> ScalarKind {
    let stride = kind.stride();
    let is_whole = || {
        (range.end - range.start).is_multiple_of(stride)
            || heap::find(range.start).is_some_and(|b| b.range == *range)
    };
    if is_real(kind) && range.start.is_multiple_of(stride.min(ALIGNMENT)) && is_whole() {
        kind
    } else {
        ScalarKind::Unknown
    }
}
