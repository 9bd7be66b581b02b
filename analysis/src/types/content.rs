//! What memory behind a pointer holds, whoever accesses it.

use super::{Claim, Entry, Evidence, Field, ScalarKind, Types};
use crate::{
    dataflow::sets,
    points_to::{Object, Offset, PointsTo, overlap},
};
use adir::ValueId;
use bitvec::prelude::*;
use std::{collections::BTreeSet, ops::Range};

/// Words of a copy that are looked at one by one for pointers.
const MOST_WORDS: u64 = 64;

impl Types {
    /// What `bytes` bytes behind `pointer` may hold, sorted, each once.
    pub fn scalar(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> Vec<ScalarKind> {
        let of = |e: &Evidence| {
            Some(e.scalar(memory, pointer, bytes)).filter(|scalar| !scalar.is_empty())
        };
        self.answer(|e| {
            of(e).filter(|all| {
                !e.brings_others(memory, pointer, bytes, |scalar| all.contains(&scalar))
            })
        })
        .unwrap_or_default()
    }

    /// Whether a pointer may lie in the `bytes` bytes behind `pointer`: this function, what it
    /// calls or who calls it knows of one there, nothing is known, or there is a word that
    /// no code accesses. What is known of some bytes tells nothing of others.
    pub fn may_hold_pointers(&self, memory: &PointsTo, pointer: ValueId, bytes: u64) -> bool {
        let all = || [self.accesses(), self.known()].into_iter().chain(&self.callers);
        let scalar: Vec<ScalarKind> =
            all().flat_map(|e| e.scalar(memory, pointer, bytes)).collect();
        if scalar.is_empty()
            || scalar.contains(&ScalarKind::Ptr)
            || all().any(|e| {
                e.brings_others(memory, pointer, bytes, |scalar| scalar != ScalarKind::Ptr)
            })
        {
            return true;
        }
        if bytes > MOST_WORDS * ScalarKind::Ptr.bytes() {
            return false;
        }
        let known: Vec<Field> = all().flat_map(|e| e.within(memory, pointer, bytes)).collect();
        let is_open = |at: u64| {
            !known.iter().any(|&(start, scalar)| {
                start < at + ScalarKind::Ptr.bytes() && at < start + scalar.bytes()
            })
        };
        (0..bytes / ScalarKind::Ptr.bytes()).any(|word| is_open(word * ScalarKind::Ptr.bytes()))
    }

    /// The one kind of real that anyone knows of anywhere in the objects behind `pointers`, and in
    /// those between which copies move bytes with them. `None` where there are several or none, where
    /// not all callers are known, and where reals are not aligned to their size (packed structs).
    pub fn only_real(&self, memory: &PointsTo, pointers: &[ValueId]) -> Option<ScalarKind> {
        if self.has_more_callers {
            return None;
        }
        let mut objects = bitvec![0; memory.objects.len()];
        pointers.iter().flat_map(|&p| memory.points_to(p)).for_each(|o| objects.set(o, true));
        for (to, from) in self.flows.iter() {
            if objects[to] || objects[from] {
                [to, from].into_iter().for_each(|o| objects.set(o, true));
            }
        }
        let views = [self.accesses(), self.known()]
            .into_iter()
            .chain(&self.with_scratch)
            .chain(&self.callers);
        let found: Vec<ScalarKind> = views
            .flat_map(|view| sets::ones(&objects).flat_map(|o| view.reals(o)))
            .collect::<Option<_>>()?;
        let (&first, rest) = found.split_first()?;
        rest.iter().all(|kind| *kind == first).then_some(first)
    }

    /// The one kind of real that may lie where a copy takes bytes from: in the objects behind `source`,
    /// and in those from which copies brought something there, of which all accesses or some real are
    /// known. What else lies where the bytes go does not matter. `None` as for [`Types::only_real`], and
    /// where the bytes may come from anywhere.
    pub fn only_real_of(&self, memory: &PointsTo, source: ValueId) -> Option<ScalarKind> {
        if self.has_more_callers {
            return None;
        }
        let mut objects: Vec<usize> = memory.points_to(source).collect();
        let mut next = 0;
        while next < objects.len() {
            for from in self.flows.sources(objects[next]) {
                if !objects.contains(&from) {
                    objects.push(from);
                }
            }
            next += 1;
        }
        let views: Vec<&Evidence> = [self.accesses(), self.known()]
            .into_iter()
            .chain(&self.with_scratch)
            .chain(&self.callers)
            .collect();
        let mut only = None;
        for &o in &objects {
            let kinds: Vec<ScalarKind> =
                views.iter().flat_map(|view| view.reals(o)).collect::<Option<_>>()?;
            let is_own = matches!(memory.objects[o], Object::Local(_));
            if matches!(memory.objects[o], Object::Unknown)
                || kinds.is_empty() && !is_own
                || kinds.iter().any(|kind| *only.get_or_insert(*kind) != *kind)
            {
                return None;
            }
        }
        only
    }

    /// All that anyone knows of an object: this function, those that it calls, and its callers.
    pub fn entries(&self, object: usize) -> Vec<Entry> {
        let mut all: Vec<Entry> = [self.accesses(), self.known()]
            .into_iter()
            .chain(&self.callers)
            .flat_map(|view| view.of(object).copied())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether bytes are copied to where `pointer` leads, from other objects.
    pub fn is_copied_to(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        self.sources_of(memory, pointer).next().is_some()
    }

    /// The other objects from which bytes are copied to where `pointer` leads.
    pub fn sources_of(&self, memory: &PointsTo, pointer: ValueId) -> impl Iterator<Item = usize> {
        memory.points_to(pointer).flat_map(|o| self.flows.sources(o).filter(move |from| *from != o))
    }

    /// The other objects from which a word is moved as an integer, perhaps among others, to the place
    /// that `pointer` names: in the last step or before it is copied there.
    pub fn words_from(&self, memory: &PointsTo, pointer: ValueId) -> BTreeSet<usize> {
        let place = memory.targets(pointer);
        let is_there = |(object, at): (u32, Offset), bytes: Option<u64>| {
            place.each().any(|(o, there)| {
                let is_within =
                    bytes.is_none_or(|n| overlap(at, n, there, ScalarKind::Ptr.bytes()));
                o == object && is_within
            })
        };
        let mut found = BTreeSet::new();
        for copy in self.moved.iter().filter(|c| c.to.each().any(|to| is_there(to, c.bytes))) {
            for from in copy.from.objects.iter().map(|&o| o as usize) {
                let before = if copy.is_word { &self.flows } else { &self.words };
                found.extend(before.sources(from).chain(copy.is_word.then_some(from)));
            }
        }
        for object in memory.points_to(pointer) {
            for from in self.words_of_callees.sources(object) {
                found.extend(self.flows.sources(from).chain([from]));
            }
        }
        memory.points_to(pointer).for_each(|o| {
            found.remove(&o);
        });
        found
    }

    /// What accesses to the memory behind `pointer` take it for, sorted, each once: what the source
    /// calls integers is among them, though nothing proves it.
    pub fn seen(&self, memory: &PointsTo, pointer: ValueId) -> Vec<ScalarKind> {
        let scalar = self.scalar(memory, pointer, u64::MAX >> 2);
        if scalar.is_empty() && self.known().claims_integers(memory, pointer) {
            vec![ScalarKind::Int]
        } else {
            scalar
        }
    }

    /// Whether what `pointer` leads to holds one kind of thing and nothing else, for certain: it is
    /// this function's own, and all accesses and copies say it, its and those of what it calls. Of
    /// other memory, not all accesses are seen: callers, too, may have a part of it only.
    pub fn holds_only(&self, memory: &PointsTo, pointer: ValueId, scalar: ScalarKind) -> bool {
        memory.points_to(pointer).all(|o| {
            matches!(memory.objects[o], Object::Local(_)) && self.known().says_only(o, scalar)
        })
    }

    /// Whether integers lie where `pointer` leads, as code computes with one, and nobody knows of
    /// anything else there: this function, those that it calls, and its callers.
    pub fn knows_integers_only(&self, memory: &PointsTo, pointer: ValueId) -> bool {
        let views = || [self.known()].into_iter().chain(&self.callers);
        let is_proven = |e: &Entry| e.claim <= Claim::Proven;
        let mut objects = memory.points_to(pointer).peekable();
        !self.has_more_callers
            && objects.peek().is_some()
            && objects.all(|o| {
                views().flat_map(|e| e.kinds_in(o)).all(|kind| kind == ScalarKind::Int)
                    && views().any(|e| e.all(o).iter().any(is_proven))
            })
    }

    /// All kinds that there is evidence of anywhere.
    pub fn kinds(&self) -> impl Iterator<Item = ScalarKind> {
        let all = [Some(self.known()), self.with_scratch.as_ref()];
        all.into_iter().flatten().chain(&self.callers).flat_map(Evidence::kinds)
    }

    /// What this function, and those that it calls, surely access in an object, and what lies there
    /// by its type.
    pub fn accessed_in(&self, object: usize) -> impl Iterator<Item = ScalarKind> {
        self.own.surely_in(object).map(|(_, kind)| kind)
    }

    /// What surely lies in an object, and where; not sorted.
    pub fn surely_in(&self, object: usize) -> impl Iterator<Item = (Offset, ScalarKind)> {
        let all = [Some(self.known()), self.with_scratch.as_ref()];
        all.into_iter().flatten().chain(&self.callers).flat_map(move |e| e.surely_in(object))
    }

    /// Whether there is evidence of an object.
    pub fn has_evidence(&self, object: usize) -> bool {
        let mut views = [self.known()].into_iter().chain(&self.callers);
        views.any(|view| view.of(object).next().is_some())
    }

    /// Whether there is no evidence of some of the `bytes` bytes behind `pointer`.
    pub fn leaves_open(
        &self,
        memory: &PointsTo,
        pointer: ValueId,
        bytes: u64,
        range: Range<u64>,
    ) -> bool {
        let known = self.own.within(memory, pointer, bytes);
        !known.iter().any(|&(at, scalar)| at < range.end && range.start < at + scalar.bytes())
    }
}
