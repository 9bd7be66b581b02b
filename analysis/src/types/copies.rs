//! Copies of bytes, and where they go: what lies on one side lies on the other as well.
//!
//! A function hands its copies on to its callers, in terms of the memory that they see: what goes
//! through a variable of its own goes from where that got it ([`extend`]); of an integer that it is
//! given and stores, or loads and returns, its callers know the other side ([`Half`]). Errs towards
//! too few: evidence that is not carried to its places is brought to an unknown place
//! ([`super::Evidence::copy_in`]).

use super::{Field, ScalarKind, brought::ENDLESS, entry::LEAST_STRIDE, text, uses};
use crate::points_to::{Object, Offset, PointsTo, Targets, gcd, overlap};
use adir::{Body, Callee, Cast, Op, Ty, ValueId, hashed::HashMap};
use std::rc::Rc;

/// Copies of one function that come from those that it calls, or that several together make, beyond
/// which evidence is not carried to its places.
pub const MOST: usize = 64;

/// A copy of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copy {
    /// Where they go.
    pub to: Targets,
    /// Where they come from.
    pub from: Targets,
    /// Its length, where that is a constant.
    pub bytes: Option<u64>,
    /// Else the parameter that says it, if one does: callers may pass a constant.
    pub length: Option<u32>,
    /// Whether the source says that it is of characters.
    pub is_text: bool,
    /// Whether an integer is loaded and stored.
    pub is_word: bool,
    /// Of that: whether the source says that it is a member of a struct.
    pub is_member: bool,
    /// The members of what it moves, where the source spells them.
    pub members: Option<Rc<[Field]>>,
}

impl Copy {
    fn new(
        memory: &PointsTo,
        (from, to): (ValueId, ValueId),
        bytes: Option<u64>,
        is_text: bool,
    ) -> Copy {
        Copy {
            to: memory.targets(to).clone(),
            from: memory.targets(from).clone(),
            bytes,
            length: None,
            is_text,
            is_word: false,
            is_member: false,
            members: None,
        }
    }

    /// The same copy where a call in `body` makes it: its length may be what that passes.
    pub fn called(&self, body: &Body, call: ValueId) -> Copy {
        let passed = self.length.and_then(|p| body[call].operands.get(p as usize));
        let (bytes, length) = passed.map_or((self.bytes, None), |&v| length(body, v));
        Copy { bytes, length, ..self.clone() }
    }

    /// The objects between which it copies: destination and source.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let from = || self.from.objects.iter().map(|&o| o as usize);
        self.to.objects.iter().flat_map(|&to| from().map(move |from| (to as usize, from))).collect()
    }

    /// From where to where it copies: source and the offset in it, destination and the offset there.
    pub fn ways(&self) -> impl Iterator<Item = (usize, Offset, usize, Offset)> + '_ {
        self.from.each().flat_map(move |(from, start)| {
            self.to.each().map(move |(to, at)| (from as usize, start, to as usize, at))
        })
    }

    /// What this one takes from an object, which `earlier` has copied there, as far as both lengths
    /// are known; characters are no reals.
    fn after(&self, earlier: &Copy, object: u32) -> Option<Copy> {
        if self.is_text || earlier.is_text {
            return None;
        }
        let (read, written) = (self.from.within_object(object)?, earlier.to.within_object(object)?);
        if self.bytes.is_none() && self.length.is_some() && self.length == earlier.length {
            let is_all = read.is_exact() && read == written;
            return is_all.then(|| Copy {
                from: earlier.from.clone(),
                is_word: self.is_word || earlier.is_word,
                is_member: self.is_member && earlier.is_member,
                members: None,
                ..self.clone()
            });
        }
        let (bytes, all) = (self.bytes?, earlier.bytes?);
        let ahead = read.constant - written.constant;
        let stride = gcd(read.modulus, written.modulus);
        if stride != 0 {
            // The first of the places within what was written, and whether there are others.
            let first = ahead.rem_euclid(stride as i64);
            let fits = stride >= LEAST_STRIDE && first as u64 + bytes <= all;
            let within =
                Offset::new(first, if first as u64 + stride + bytes <= all { stride } else { 0 });
            return fits.then(|| Copy {
                to: self.to.clone(),
                from: earlier.from.plus(within),
                is_word: self.is_word || earlier.is_word,
                is_member: self.is_member && earlier.is_member,
                members: None,
                ..*self
            });
        }
        // What both have.
        let start = ahead.max(0);
        let last = 0i64.saturating_add_unsigned(all).min(ahead.saturating_add_unsigned(bytes));
        let both = u64::try_from(last - start).ok().filter(|n| *n > 0)?;
        let at = |offset: i64| Offset::new(offset, 0);
        Some(Copy {
            to: self.to.plus(at(start - ahead)),
            from: earlier.from.plus(at(start)),
            bytes: Some(both),
            length: None,
            is_text: false,
            is_word: self.is_word || earlier.is_word,
            is_member: self.is_member && earlier.is_member,
            members: None,
        })
    }
}

/// An integer that a function is given and stores, or loads and returns: its caller knows the other
/// side of the copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Half {
    /// How it passes the call.
    pub by: Passage,
    /// Where it is stored, or loaded.
    pub at: Targets,
    /// Its size.
    pub bytes: u64,
}

/// How a value passes a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passage {
    /// As this argument.
    Param(u32),
    /// As the result.
    Result,
}

/// What a function and those that it calls move.
#[derive(Clone, Default, Debug)]
pub struct Moves {
    /// Between memory and memory.
    pub copies: Vec<Copy>,
    /// Between memory and the caller.
    pub halves: Vec<Half>,
    /// Where reals are moved to, or from, as integers.
    pub reals: Vec<(Targets, ScalarKind)>,
}

/// Where integers go, or come from, that functions are given or return; of the functions that are
/// called, `halves` says it, in this function's names.
pub fn of_calls(body: &Body, memory: &PointsTo, halves: &[(ValueId, Half)]) -> Moves {
    let mut moves = Moves::default();
    let address =
        |access: ValueId, operand: usize| memory.targets(body.operand(access, operand)).clone();
    for v in body.insts() {
        let Some(&value) = body[v].operands.first().filter(|o| matches!(body[**o].ty, Ty::Int(_)))
        else {
            continue;
        };
        for origin in uses::origins(body, value) {
            let bytes = body[value].bytes;
            match (&body[v].op, &body[origin].op) {
                (Op::Store, Op::Param(p)) => {
                    moves.halves.push(Half { by: Passage::Param(*p), at: address(v, 1), bytes })
                }
                (Op::Ret, Op::Load) => {
                    moves.halves.push(Half { by: Passage::Result, at: address(origin, 0), bytes })
                }
                _ => {}
            }
        }
    }
    for (call, half) in halves {
        match half.by {
            // A call may hand over fewer arguments than the function takes.
            Passage::Param(p) => {
                if let Some(&argument) = body[*call].operands.get(p as usize) {
                    moves.given(body, memory, argument, half, halves);
                }
            }
            Passage::Result => moves.returned(body, memory, *call, half),
        }
    }
    let is_known = |at: &Targets| !at.objects.is_empty() && !at.is_anywhere();
    moves.halves.retain(|half| is_known(&half.at));
    moves.halves.truncate(MOST);
    moves
}

impl Moves {
    /// An argument that the called function stores.
    fn given(
        &mut self,
        body: &Body,
        memory: &PointsTo,
        argument: ValueId,
        half: &Half,
        halves: &[(ValueId, Half)],
    ) {
        for origin in
            uses::origins(body, argument).into_iter().filter(|&o| body[o].bytes == half.bytes)
        {
            match body[origin].op {
                Op::Load => {
                    self.copy(memory.targets(body.operand(origin, 0)), &half.at, half.bytes)
                }
                Op::Param(p) => self.halves.push(Half { by: Passage::Param(p), ..half.clone() }),
                Op::Call(_) => {
                    let results = halves
                        .iter()
                        .filter(|(call, other)| *call == origin && other.by == Passage::Result);
                    results.for_each(|(_, other)| self.copy(&other.at, &half.at, half.bytes));
                }
                _ => self.reals.extend(
                    uses::bits_of_real(body, origin).map(|scalar| (half.at.clone(), scalar)),
                ),
            }
        }
    }

    /// A result that the called function has loaded.
    fn returned(&mut self, body: &Body, memory: &PointsTo, call: ValueId, half: &Half) {
        for (moved, user) in uses::uses_of_moved(body, call) {
            match body[user].op {
                Op::Store if body.operand(user, 0) == moved => {
                    self.copy(&half.at, memory.targets(body.operand(user, 1)), half.bytes)
                }
                Op::Ret => self.halves.push(Half { by: Passage::Result, ..half.clone() }),
                _ => self.reals.extend(
                    uses::seen_as_real(body, moved)
                        .filter(|scalar| scalar.bytes() == half.bytes)
                        .map(|scalar| (half.at.clone(), scalar)),
                ),
            }
        }
    }

    fn copy(&mut self, from: &Targets, to: &Targets, bytes: u64) {
        self.copies.push(Copy {
            to: to.clone(),
            from: from.clone(),
            bytes: Some(bytes),
            length: None,
            is_text: false,
            is_word: true,
            is_member: false,
            members: None,
        });
    }
}

/// The copies of a body: of memory, and by a load and a store of an integer. `spelled` has the
/// members of what a copy moves, as the source declares them.
pub fn of_memory(
    body: &Body,
    memory: &PointsTo,
    spelled: &HashMap<ValueId, Vec<Field>>,
) -> Vec<Copy> {
    let of = |v: ValueId| {
        let o = &body[v].operands;
        match body[v].op {
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                let (bytes, length) = length(body, o[2]);
                let is_text = text::is_character_copy(body, v);
                let spelled = spelled.get(&v).filter(|members| !members.is_empty());
                let members = spelled.map(|members| members.as_slice().into());
                Some(Copy { length, members, ..Copy::new(memory, (o[1], o[0]), bytes, is_text) })
            }
            Op::Store if !body[v].is_member => moved(body, memory, v),
            _ => None,
        }
    };
    body.insts().filter_map(of).collect()
}

/// The length of a copy, if it is a constant, or the parameter that says it.
fn length(body: &Body, v: ValueId) -> (Option<u64>, Option<u32>) {
    let is_wider = |v: ValueId| body[body.operand(v, 0)].bytes <= body[v].bytes;
    match body[v].op {
        _ if let Some(n) = body[v].constant => (u64::try_from(n).ok(), None),
        Op::Param(p) => (None, Some(p)),
        Op::Cast(Cast::Int) if is_wider(v) => length(body, body.operand(v, 0)),
        _ => (None, None),
    }
}

/// The same of members of structs: what they hold lies at the very places that are accessed, and
/// nowhere else.
pub fn of_members(body: &Body, memory: &PointsTo) -> Vec<Copy> {
    body.insts()
        .filter(|&v| matches!(body[v].op, Op::Store) && body[v].is_member)
        .filter_map(|v| moved(body, memory, v))
        .collect()
}

/// What a store copies that stores an integer which was loaded.
fn moved(body: &Body, memory: &PointsTo, store: ValueId) -> Option<Copy> {
    let loaded = body.operand(store, 0);
    let is_moved = matches!(body[loaded].ty, Ty::Int(_)) && matches!(body[loaded].op, Op::Load);
    is_moved.then(|| {
        let ends = (body.operand(loaded, 0), body.operand(store, 1));
        Copy {
            is_word: true,
            is_member: body[store].is_member,
            ..Copy::new(memory, ends, Some(body[loaded].bytes), false)
        }
    })
}

/// What copies do to memory that is not hidden, by way of hidden memory in several of them as well;
/// `None` where some such way is not known byte by byte, or there are too many.
pub fn between_visible(steps: &[Copy], is_hidden: &dyn Fn(usize) -> bool) -> Option<Vec<Copy>> {
    let mut all = steps.to_vec();
    let mut at = 0;
    while at < all.len() {
        for k in 0..=at {
            for (later, earlier) in [(at, k), (k, at)] {
                let (later, earlier) = (all[later].clone(), all[earlier].clone());
                for &o in later.from.objects.iter().filter(|o| is_hidden(**o as usize)) {
                    let (Some(read), Some(written)) =
                        (later.from.within_object(o), earlier.to.within_object(o))
                    else {
                        continue;
                    };
                    let (bytes, written_bytes) =
                        (later.bytes.unwrap_or(ENDLESS), earlier.bytes.unwrap_or(ENDLESS));
                    if overlap(read, bytes, written, written_bytes) {
                        let way = later.after(&earlier, o)?;
                        if !all.contains(&way) {
                            all.push(way);
                        }
                    }
                }
            }
        }
        at += 1;
        if all.len() > steps.len() + MOST {
            return None;
        }
    }
    let is_visible = |o: u32| !is_hidden(o as usize);
    all.iter_mut().for_each(|copy| {
        copy.to.retain(is_visible);
        copy.from.retain(is_visible);
    });
    all.retain(|copy| !copy.to.objects.is_empty() && !copy.from.objects.is_empty());
    Some(all)
}

/// Adds a function's own copies, those of the functions that it calls, and what goes by way of its
/// own variables in several of them. Whether that was news, and whether all have found a place.
pub fn extend(
    known: &mut Vec<Copy>,
    own: &[Copy],
    called: impl Iterator<Item = Copy>,
    memory: &PointsTo,
) -> (bool, bool) {
    let before = known.len();
    let add = |known: &mut Vec<Copy>, copy: Copy, most: usize| {
        if known.len() < most && !known.contains(&copy) {
            known.push(copy);
        }
    };
    own.iter().for_each(|copy| add(known, copy.clone(), usize::MAX));
    let most = own.len() + MOST;
    called.for_each(|copy| add(known, copy, most));
    let is_own = |o: &u32| matches!(memory.objects.get(*o as usize), Some(Object::Local(_)));
    let mut at = 0;
    while at < known.len() && known.len() < most {
        let one = known[at].clone();
        let mut further = vec![];
        for other in &known[..=at] {
            further.extend(
                one.from.objects.iter().filter(|o| is_own(o)).filter_map(|&o| one.after(other, o)),
            );
            further.extend(
                other
                    .from
                    .objects
                    .iter()
                    .filter(|o| is_own(o))
                    .filter_map(|&o| other.after(&one, o)),
            );
        }
        further.into_iter().filter(|c| c.to != c.from).for_each(|copy| add(known, copy, most));
        at += 1;
    }
    (known.len() > before, known.len() < most)
}
