//! Objects of one call without what they have in common: pieces, none of which overlaps another.
//!
//! Objects may be registered twice, or within each other. What they share is one memory with one
//! shadow if the distance between object and shadow is the same, so only what is not there already
//! becomes a piece. With another distance the shared memory would have two shadows; two pieces
//! apart whose shadows overlap would overwrite each other's on exit; a shadow that is an object as
//! well would change under the library's hands. All three are refused.

use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
};

use super::{
    Error,
    objects::{Extent, Object, ScalarKind},
    space,
};

/// A part of an object, that no other piece has.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The object.
    pub name: &'static str,
    /// Where it is; whole elements.
    pub range: Range<u64>,
    /// From there to the shadow; none if it is constant.
    pub distance: Option<u64>,
    /// What it holds.
    pub kind: ScalarKind,
    /// All of the variable or allocation that it is of, if that is known.
    pub whole: Option<Range<u64>>,
    /// Whether it is memory of the library, lent to a callback.
    pub lent: bool,
    /// In a recording, the index of its first element; none before it has any.
    pub base: Option<u32>,
    /// The pointers that it held when the library went on, of an object of pointers.
    pub pointers: Vec<u64>,
    /// In a recording, which words of a piece of [`ScalarKind::Words`] are no reals.
    pub others: Vec<Cell>,
}

impl Piece {
    /// Where its shadow is.
    pub fn shadow(&self) -> Option<Range<u64>> {
        let distance = self.distance?;
        Some(self.range.start.wrapping_add(distance)..self.range.end.wrapping_add(distance))
    }

    /// Whether its shadow is shadow memory itself: nothing is to be copied.
    pub fn is_library_memory(&self) -> bool {
        self.distance == Some(space::DISTANCE)
    }

    /// Whether its shadow memory is poisoned between calls: there are reals, and their shadows
    /// elsewhere.
    pub fn is_poisoned_between_calls(&self) -> bool {
        self.distance.is_some()
            && !self.is_library_memory()
            && !matches!(self.kind, ScalarKind::Pointers | ScalarKind::Integers)
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        (self.range.end - self.range.start) as usize
    }
}

/// What a recording takes a part of an object of unknown content for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// The eight bytes of a double.
    Double,
    /// Eight bytes that are no real.
    OtherWord,
    /// Four bytes that may be a float.
    Float,
    /// Four that are no real.
    Other,
    /// The last four of eight, where parts are counted by four bytes.
    Rest,
}

/// All pieces of a call.
#[derive(Default, Debug)]
pub struct Pieces {
    /// By their first address.
    pieces: BTreeMap<u64, Piece>,
    /// By the first address of their shadows, the first address of the piece.
    shadows: BTreeMap<u64, u64>,
}

impl Pieces {
    /// All, by address.
    pub fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.values()
    }

    /// All, by address.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Piece> {
        self.pieces.values_mut()
    }

    /// The piece that has an address.
    pub fn at(&self, address: u64) -> Option<&Piece> {
        let (_, piece) = self.pieces.range(..=address).next_back()?;
        (address < piece.range.end).then_some(piece)
    }

    /// Pieces that have a part of a range, by address.
    pub fn within(&self, range: Range<u64>) -> impl Iterator<Item = &Piece> {
        let first = self.at(range.start).map_or(range.start, |p| p.range.start);
        self.pieces.range(first..range.end.max(first)).map(|(_, p)| p)
    }

    /// The piece whose shadow has a part of a range.
    fn with_shadow_in(&self, range: Range<u64>) -> Option<&Piece> {
        let (_, start) = self.shadows.range(..range.end).next_back()?;
        let piece = &self.pieces[start];
        (piece.shadow()?.end > range.start).then_some(piece)
    }

    /// Adds what an object has that no piece has yet. After an error, nothing of it is there.
    pub fn add(&mut self, object: &Object, lent: bool) -> Result<(), Error> {
        if object.primal == 0 {
            return Ok(());
        }
        let (name, distance) = (object.name, object.distance());
        if let Some(object) = self.whole_of(object) {
            return self.add(&object, lent);
        }
        let range = object.primal..object.primal + object.bytes()?;
        if range.is_empty() {
            return Ok(());
        }
        space::covers(range.clone())?;
        let whole =
            matches!(object.extent, Extent::Whole(_) | Extent::Block).then(|| range.clone());
        let (mut fresh, mut unknown, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = range.start;
        for other in self.within(range.clone()) {
            let from = other.range.start.max(at);
            if other.distance != distance {
                return Err(Error::TwoShadows { one: other.name, other: name, at: from });
            }
            agree(other, object, from)?;
            if at < from {
                fresh.push(at..from);
            }
            at = other.range.end;
            if other.kind.gives_way() && !object.kind.gives_way() {
                unknown.push(from..at.min(range.end));
            } else if whole.is_some() {
                inside.push(other.range.start);
            }
        }
        if at < range.end {
            fresh.push(at..range.end);
        }
        for part in &fresh {
            self.check_shadow(name, part, distance)?;
        }
        for start in inside {
            let piece = self.pieces.get_mut(&start).expect("found above");
            piece.whole = piece.whole.take().or_else(|| whole.clone());
        }
        // What is known now replaces what was not.
        for part in unknown {
            self.cut_out(part.clone());
            fresh.push(part);
        }
        for range in joined(fresh) {
            let whole = whole.clone();
            self.insert(Piece {
                name,
                range,
                distance,
                kind: object.kind,
                whole,
                lent,
                base: None,
                pointers: Vec::new(),
                others: Vec::new(),
            });
        }
        Ok(())
    }

    /// What an object has outside of constant pieces.
    pub fn without_constants(&self, object: &Object) -> Result<Vec<Object>, Error> {
        let mut at = object.primal;
        let end = at + object.bytes()?;
        let constants =
            self.within(at..end).filter(|p| p.distance.is_none()).map(|p| p.range.clone());
        let mut parts = Vec::new();
        for constant in constants.chain(std::iter::once(end..end)) {
            if at < constant.start {
                let shadow = object.distance().map(|d| at.wrapping_add(d));
                parts.push(Object {
                    primal: at,
                    shadow,
                    extent: Extent::Bytes(constant.start - at),
                    ..object.clone()
                });
            }
            at = at.max(constant.end);
        }
        Ok(parts)
    }

    /// The whole object that one of unknown extent is in, if one is here.
    pub fn whole_of(&self, object: &Object) -> Option<Object> {
        let piece = self.at(object.primal).filter(|_| object.extent == Extent::Unknown)?;
        let whole = piece.whole.clone().filter(|_| piece.distance == object.distance())?;
        let shadow = object.distance().map(|d| whole.start.wrapping_add(d));
        let in_step = whole.start.abs_diff(object.primal).is_multiple_of(object.kind.stride());
        let kind = if in_step { object.kind } else { ScalarKind::Unknown };
        Some(Object {
            primal: whole.start,
            shadow,
            extent: Extent::Whole(whole.end - whole.start),
            kind,
            ..object.clone()
        })
    }

    /// Adds the pieces of the call outside of this one that have shadows: code under it may know
    /// them without a report.
    pub fn inherit(&mut self, outer: &Pieces) {
        for piece in outer.iter().filter(|p| p.distance.is_some()) {
            self.insert(Piece {
                lent: false,
                base: None,
                pointers: Vec::new(),
                others: Vec::new(),
                ..piece.clone()
            });
        }
    }

    fn check_shadow(
        &self,
        name: &'static str,
        range: &Range<u64>,
        distance: Option<u64>,
    ) -> Result<(), Error> {
        let shared =
            |other: &Piece, at| Err(Error::SharedShadow { one: name, other: other.name, at });
        if let Some(other) = self.with_shadow_in(range.clone()) {
            return shared(other, range.start);
        }
        let Some(distance) = distance else {
            return Ok(());
        };
        let shadow = range.start.wrapping_add(distance)..range.end.wrapping_add(distance);
        if let Some(other) =
            self.with_shadow_in(shadow.clone()).or_else(|| self.within(shadow.clone()).next())
        {
            return shared(other, shadow.start);
        }
        let on_itself = shadow.start < range.end && range.start < shadow.end;
        let is_in_shadow_memory = |zone: &Range<u64>| {
            shadow.start < space::of(zone.end) && space::of(zone.start) < shadow.end
        };
        if on_itself
            || (distance != space::DISTANCE && space::zones().iter().any(is_in_shadow_memory))
        {
            return Err(Error::SharedShadow { one: name, other: name, at: shadow.start });
        }
        Ok(())
    }

    fn insert(&mut self, piece: Piece) {
        if let Some(shadow) = piece.shadow() {
            self.shadows.insert(shadow.start, piece.range.start);
        }
        self.pieces.insert(piece.range.start, piece);
    }

    fn remove(&mut self, start: u64) -> Option<Piece> {
        let piece = self.pieces.remove(&start)?;
        if let Some(shadow) = piece.shadow() {
            self.shadows.remove(&shadow.start);
        }
        Some(piece)
    }

    /// Takes a range, which one piece has, out of that piece.
    fn cut_out(&mut self, range: Range<u64>) {
        let start = self.at(range.start).expect("a piece has it").range.start;
        let whole = self.remove(start).expect("it is there");
        for part in [whole.range.start..range.start, range.end..whole.range.end] {
            if !part.is_empty() {
                self.insert(Piece { range: part, ..whole.clone() });
            }
        }
    }

    /// Takes all out that are not among these, by their first addresses.
    pub fn take_others(&mut self, known: &HashSet<u64>) -> Pieces {
        let starts: Vec<_> = self.pieces.keys().copied().filter(|s| !known.contains(s)).collect();
        let mut others = Pieces::default();
        starts.into_iter().filter_map(|s| self.remove(s)).for_each(|piece| others.insert(piece));
        others
    }

    /// Takes all out that have a part of a range.
    pub fn forget(&mut self, range: Range<u64>) {
        let starts: Vec<_> = self.within(range).map(|p| p.range.start).collect();
        starts.into_iter().for_each(|s| drop(self.remove(s)));
    }

    /// Puts pieces back that were taken out.
    pub fn put_back(&mut self, others: Pieces) {
        others.pieces.into_values().for_each(|piece| self.insert(piece));
    }

    /// Takes all out that were lent.
    pub fn take_lent(&mut self) -> Vec<Piece> {
        let starts: Vec<_> = self.iter().filter(|p| p.lent).map(|p| p.range.start).collect();
        starts.into_iter().filter_map(|s| self.remove(s)).collect()
    }
}

/// Ranges, by address, with neighbours made one: elements that were cut are whole again.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|r| r.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

/// Whether two that share an address may hold the same there.
fn agree(piece: &Piece, object: &Object, at: u64) -> Result<(), Error> {
    let in_step = piece.range.start.abs_diff(object.primal).is_multiple_of(object.kind.stride());
    let same = piece.kind == object.kind && in_step;
    // A piece without a known kind gives way; an object without one takes over what is known; of
    // constants it does not matter.
    if same || object.shadow.is_none() || piece.kind.gives_way() || object.kind.gives_way() {
        return Ok(());
    }
    Err(Error::TwoKinds { one: piece.name, other: object.name, at })
}
