//! What a called function knows of its memory from its caller.

use super::{Claim, Entry, Evidence, ScalarKind, known::Known};
use crate::points_to::{Binding, Offset, PointsTo, Targets, gcd};
use adir::hashed::HashMap;
use std::rc::Rc;

/// The object that stands for all that is not known: in it, nothing is brought to a place.
const UNKNOWN: usize = 0;

impl Evidence {
    /// What a function that is called knows from its caller, whose evidence this is.
    pub fn passed_on(&self, memory: &PointsTo, binding: &Binding) -> Evidence {
        let mut passed = Evidence::default();
        // Many names of a callee may stand for the same memory.
        let mut first: HashMap<(&Targets, bool), usize> = HashMap::default();
        for (object, targets) in binding.iter() {
            let is_block = binding.blocks().contains(&object);
            let same =
                (object != UNKNOWN).then(|| *first.entry((targets, is_block)).or_insert(object));
            match same.filter(|same| *same != object) {
                Some(same) => passed.repeat(same, object),
                None => self.pass_on(memory, targets, is_block, (&mut passed, object)),
            }
        }
        passed
    }

    /// Adds to `passed` what is known of one of the callee's objects, which is one of several
    /// blocks of the heap or not.
    fn pass_on(
        &self,
        memory: &PointsTo,
        targets: &Targets,
        is_block: bool,
        (passed, object): (&mut Evidence, usize),
    ) {
        for (o, base) in targets.each() {
            let o = o as usize;
            let is_mixed = self.is_mixed(o);
            for e in self.of(o) {
                let modulus = gcd(base.modulus, e.offset.modulus);
                let offset = Offset::new(e.offset.constant - base.constant, modulus);
                // What lies in one of several blocks may lie in this one.
                if is_mixed && is_block {
                    if e.scalar != ScalarKind::Int {
                        passed.copied_in.add(object, e.scalar, (offset, e.bytes));
                    }
                    continue;
                }
                // Where the caller sees all accesses, what they say is proven.
                let claim = match self.settles(memory, o, e) {
                    true => e.claim.min(Claim::Struct),
                    false => e.claim,
                };
                if is_mixed && e.is_vague_integer() {
                    continue;
                }
                let least = match base.is_exact() {
                    true => e.least.saturating_sub(base.constant),
                    false => i64::MIN,
                };
                let moved = Entry { claim, ..*e }.moved(base, offset);
                passed.add_further(object, moved.map(|e| Entry { least, ..e }));
            }
            for (kind, (at, bytes)) in self.copied_in.of(o) {
                let modulus = gcd(base.modulus, at.modulus);
                let at = Offset::new(at.constant - base.constant, modulus);
                passed.copied_in.add(object, kind, (at, bytes));
            }
        }
        if let Some(known) = passed.entries.get_mut(&object) {
            *known = Rc::new(without_repetition(known));
        }
    }

    /// Notes of `other` what is known of `object`.
    fn repeat(&mut self, object: usize, other: usize) {
        if let Some(known) = self.entries.get(&object).cloned() {
            self.entries.insert(other, known);
        }
        self.copied_in.repeat(object, other);
    }
}

/// The same without entries that others include, sorted.
fn without_repetition(known: &Known) -> Known {
    let all = known.list();
    // Only an offset that stands for several includes another.
    let several: Vec<&Entry> = all.iter().filter(|e| !e.offset.is_exact()).collect();
    let is_more = |e: &&Entry| !several.iter().any(|other| other.includes(e));
    let mut list: Vec<Entry> = all.iter().filter(is_more).copied().collect();
    list.sort();
    list.into_iter().collect()
}
