//! States that say of each place what was stored in it since the function's entry.
//!
//! States share the pieces in which they do not differ, so that a copy costs little, and a join
//! costs what differs; what is stored is shared as well ([`super::shared`]).

use super::{Lattice, shared::Pooled};
use std::rc::Rc;

/// What one place holds, relative to the function's entry.
#[derive(Debug)]
pub struct Content<T> {
    /// It may be what it was at the entry.
    pub may_keep_entry: bool,
    /// What was stored since, by a name of this place; `None` for nothing.
    stored: Option<Rc<T>>,
    /// The same by names of what may be the same place.
    aliased: Option<Rc<T>>,
}

impl<T> Clone for Content<T> {
    fn clone(&self) -> Content<T> {
        let (stored, aliased) = (self.stored.clone(), self.aliased.clone());
        Content { may_keep_entry: self.may_keep_entry, stored, aliased }
    }
}

fn are_same<T: Eq>(a: Option<&Rc<T>>, b: Option<&Rc<T>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

impl<T: Eq> PartialEq for Content<T> {
    fn eq(&self, other: &Content<T>) -> bool {
        self.may_keep_entry == other.may_keep_entry
            && are_same(self.stored.as_ref(), other.stored.as_ref())
            && are_same(self.aliased.as_ref(), other.aliased.as_ref())
    }
}

/// Adds to what was stored; whether that was news.
fn add<T: Pooled>(mine: &mut Option<Rc<T>>, stored: &Rc<T>) -> bool {
    let all = more(mine.as_ref(), stored);
    let grows = all.is_some();
    *mine = all.or(mine.take());
    grows
}

impl<T: Pooled> Content<T> {
    const INITIAL: Content<T> = Content { may_keep_entry: true, stored: None, aliased: None };

    /// What was stored since the entry by a name of the place, if anything was.
    pub fn stored(&self) -> Option<&Rc<T>> {
        self.stored.as_ref()
    }
    /// All that may have been stored since the entry.
    pub fn held(&self) -> impl Iterator<Item = &Rc<T>> {
        self.stored.iter().chain(&self.aliased)
    }
    /// Whether no more is known than that stores elsewhere may have been stores here.
    pub fn is_only_aliased(&self) -> bool {
        self.may_keep_entry && self.stored.is_none()
    }
    fn is_initial(&self) -> bool {
        self.is_only_aliased() && self.aliased.is_none()
    }
    fn join(&mut self, other: &Content<T>) -> bool {
        let keeps = self.may_keep_entry.join(&other.may_keep_entry);
        let adds = other.stored.as_ref().is_some_and(|theirs| add(&mut self.stored, theirs));
        let aliases = other.aliased.as_ref().is_some_and(|theirs| add(&mut self.aliased, theirs));
        keeps | adds | aliases
    }
}

/// Places whose contents are one piece of a state.
pub const PIECE: usize = 16;

type Piece<T> = [Content<T>; PIECE];

/// Contents of all places at one point, by number.
#[derive(Debug)]
pub struct Contents<T> {
    /// Whether the point is reached.
    reached: bool,
    /// A piece that is missing is as it was at the entry.
    pieces: Vec<Option<Rc<Piece<T>>>>,
}

impl<T> Clone for Contents<T> {
    fn clone(&self) -> Contents<T> {
        Contents { reached: self.reached, pieces: self.pieces.clone() }
    }
}

/// A point that is not reached.
impl<T> Default for Contents<T> {
    fn default() -> Contents<T> {
        Contents { reached: false, pieces: vec![] }
    }
}

impl<T: Pooled> Contents<T> {
    /// At the function's entry.
    pub fn entry() -> Contents<T> {
        Contents { reached: true, pieces: vec![] }
    }
    /// Whether the point is reached.
    pub fn is_reached(&self) -> bool {
        self.reached
    }
    /// The content of a place, if it may differ from that at the entry.
    pub fn get(&self, place: u32) -> Option<&Content<T>> {
        let piece = self.pieces.get(place as usize / PIECE)?.as_ref()?;
        Some(&piece[place as usize % PIECE])
    }
    /// Whether a place holds something else than in another state.
    pub fn differs_at(&self, other: &Contents<T>, place: u32) -> bool {
        let piece = |c: &'_ Contents<T>| c.pieces.get(place as usize / PIECE).cloned().flatten();
        let at = place as usize % PIECE;
        match (piece(self), piece(other)) {
            (None, None) => false,
            (Some(a), Some(b)) => !Rc::ptr_eq(&a, &b) && a[at] != b[at],
            (Some(one), None) | (None, Some(one)) => !one[at].is_initial(),
        }
    }
    /// Overwrites a place.
    pub fn set(&mut self, place: u32, stored: &Rc<T>) {
        let stored = (!stored.is_nothing()).then(|| stored.clone());
        *self.content(place) = Content { may_keep_entry: false, stored, aliased: None };
    }
    /// Perhaps overwrites a place.
    pub fn add(&mut self, place: u32, stored: &Rc<T>) {
        let before = self.get(place).and_then(Content::stored);
        if let Some(all) = more(before, stored) {
            self.content(place).stored = Some(all);
        }
    }
    /// Perhaps overwrites a place by the name of another one, which may be the same.
    pub fn add_aliased(&mut self, place: u32, stored: &Rc<T>) {
        let before = self.get(place).and_then(|content| content.aliased.as_ref());
        if let Some(all) = more(before, stored) {
            self.content(place).aliased = Some(all);
        }
    }
    fn content(&mut self, place: u32) -> &mut Content<T> {
        let (piece, at) = (place as usize / PIECE, place as usize % PIECE);
        if self.pieces.len() <= piece {
            self.pieces.resize(piece + 1, None);
        }
        let piece = self.pieces[piece].get_or_insert_with(untouched);
        &mut Rc::make_mut(piece)[at]
    }
    /// Places that may have changed since the entry.
    pub fn changed(&self) -> impl Iterator<Item = (u32, &Content<T>)> {
        let pieces = self.pieces.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        pieces
            .flat_map(|(i, p)| p.iter().enumerate().map(move |(k, c)| ((i * PIECE + k) as u32, c)))
            .filter(|(_, c)| !c.is_initial())
    }
}

/// What was stored before and now, if that is news: a piece that others share stays theirs where
/// nothing is.
fn more<T: Pooled>(before: Option<&Rc<T>>, stored: &Rc<T>) -> Option<Rc<T>> {
    if stored.is_nothing() || before.is_some_and(|before| Rc::ptr_eq(before, stored)) {
        return None;
    }
    let all = match before {
        Some(before) => T::with_pool(|pool| pool.join(before, stored)),
        None => stored.clone(),
    };
    (!before.is_some_and(|before| Rc::ptr_eq(before, &all))).then_some(all)
}

fn untouched<T: Pooled>() -> Rc<Piece<T>> {
    Rc::new([const { Content::INITIAL }; PIECE])
}

fn is_same<T: Pooled>(a: Option<&Rc<Piece<T>>>, b: Option<&Rc<Piece<T>>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
        (Some(p), None) | (None, Some(p)) => p.iter().all(Content::is_initial),
    }
}

/// A piece that is listed as it was at the entry is like one that is not.
impl<T: Pooled> PartialEq for Contents<T> {
    fn eq(&self, other: &Contents<T>) -> bool {
        let pieces = self.pieces.len().max(other.pieces.len());
        let at = |c: &'_ Contents<T>, i: usize| c.pieces.get(i).cloned().flatten();
        self.reached == other.reached
            && (0..pieces).all(|i| is_same(at(self, i).as_ref(), at(other, i).as_ref()))
    }
}

impl<T: Pooled> Lattice for Contents<T> {
    fn join(&mut self, other: &Contents<T>) -> bool {
        if !other.reached {
            return false;
        }
        if !self.reached {
            *self = other.clone();
            return true;
        }
        let mut grows = false;
        if self.pieces.len() < other.pieces.len() {
            self.pieces.resize(other.pieces.len(), None);
        }
        for (i, mine) in self.pieces.iter_mut().enumerate() {
            let theirs = other.pieces.get(i).and_then(Option::as_ref);
            match (&mut *mine, theirs) {
                (None, None) => {}
                (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
                (mine, theirs) => {
                    let theirs = theirs.cloned().unwrap_or_else(untouched);
                    let own = mine.get_or_insert_with(untouched);
                    let mut all = Piece::clone(own);
                    let mut more = false;
                    for (a, b) in all.iter_mut().zip(&*theirs) {
                        more |= a.join(b);
                    }
                    grows |= more;
                    // The next comparison is cheap.
                    if all == *theirs {
                        *own = theirs;
                    } else if more {
                        *own = Rc::new(all);
                    }
                }
            }
        }
        grows
    }
}
