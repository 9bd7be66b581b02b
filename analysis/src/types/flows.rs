//! Between which objects bytes flow: pairs of a destination and a source.
//!
//! A set of sources per destination, as bits: a function with many calls has pairs by the hundred
//! thousand, as each call brings those of its callee with every object that a parameter may lead to.

use crate::dataflow::sets;
use bitvec::prelude::*;
use std::collections::BTreeMap;

/// Pairs `(to, from)` of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// By destination. None is empty, and the last bit of each is set.
    sources: BTreeMap<usize, BitVec>,
}

impl Flows {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// From where bytes flow to an object.
    pub fn sources(&self, to: usize) -> impl Iterator<Item = usize> {
        self.sources.get(&to).into_iter().flat_map(sets::ones)
    }

    /// All pairs, by destination.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.sources
            .iter()
            .flat_map(|(&to, sources)| sets::ones(sources).map(move |from| (to, from)))
    }

    /// Adds those of `other`.
    pub fn join(&mut self, other: &Flows) {
        other.sources.iter().for_each(|(&to, sources)| self.add(to, sources));
    }

    /// Adds those of a called function: each object stands for the ones that `objects` has for it.
    pub fn add_translated<'a>(&mut self, callee: &Flows, objects: impl Fn(usize) -> &'a [u32]) {
        for (&to, sources) in &callee.sources {
            let targets = objects(to);
            if targets.is_empty() {
                continue;
            }
            let mut translated = BitVec::new();
            let all = sets::ones(sources).flat_map(&objects);
            all.for_each(|&from| set(&mut translated, from as usize));
            targets.iter().for_each(|&to| self.add(to as usize, &translated));
        }
    }

    /// The pairs of which `keeps` holds.
    pub fn filtered(&self, keeps: impl Fn(usize, usize) -> bool) -> Flows {
        self.iter().filter(|&(to, from)| keeps(to, from)).collect()
    }

    /// Flows in any number of steps of these (Warshall's algorithm).
    pub fn closed(mut self) -> Flows {
        let all: Vec<usize> = self.sources.keys().copied().collect();
        for over in all {
            let further = self.sources[&over].clone();
            let reached = self.sources.values_mut().filter(|s| s.get(over).is_some_and(|b| *b));
            reached.for_each(|sources| sets::add(sources, &further));
        }
        self
    }

    /// Flows of which at least one step is one of `steps`; these are the flows in any number of steps.
    pub fn through(&self, steps: &Flows) -> Flows {
        // From where each is reached by a last step of these.
        let mut last = steps.clone();
        for (&to, over) in &steps.sources {
            let before = sets::ones(over).filter_map(|over| self.sources.get(&over));
            before.for_each(|sources| last.add(to, sources));
        }
        let mut all = last.clone();
        for (&to, over) in &self.sources {
            let before = sets::ones(over).filter_map(|over| last.sources.get(&over));
            before.for_each(|sources| all.add(to, sources));
        }
        all
    }

    fn add(&mut self, to: usize, sources: &BitVec) {
        if !sources.is_empty() {
            sets::add(self.sources.entry(to).or_default(), sources);
        }
    }
}

/// Adds a bit.
fn set(bits: &mut BitVec, at: usize) {
    if bits.len() <= at {
        bits.resize(at + 1, false);
    }
    bits.set(at, true);
}

impl Extend<(usize, usize)> for Flows {
    fn extend<I: IntoIterator<Item = (usize, usize)>>(&mut self, pairs: I) {
        pairs.into_iter().for_each(|(to, from)| set(self.sources.entry(to).or_default(), from));
    }
}

impl FromIterator<(usize, usize)> for Flows {
    fn from_iter<I: IntoIterator<Item = (usize, usize)>>(pairs: I) -> Flows {
        let mut flows = Flows::default();
        flows.extend(pairs);
        flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    type Pairs = BTreeSet<(usize, usize)>;

    fn pairs() -> impl Strategy<Value = Pairs> {
        proptest::collection::btree_set((0..9usize, 0..9usize), 0..20)
    }

    /// Pairs in one step more, until there are no more.
    fn closed(mut pairs: Pairs) -> Pairs {
        loop {
            let further: Pairs = joined(&pairs, &pairs).difference(&pairs).copied().collect();
            if further.is_empty() {
                return pairs;
            }
            pairs.extend(further);
        }
    }

    fn joined(later: &Pairs, earlier: &Pairs) -> Pairs {
        let all = later.iter().flat_map(|l| earlier.iter().map(move |e| (l, e)));
        all.filter(|(l, e)| l.1 == e.0).map(|(l, e)| (l.0, e.1)).collect()
    }

    fn of(pairs: &Pairs) -> Flows {
        pairs.iter().copied().collect()
    }

    proptest! {
        #[test]
        fn closures_are_those_of_pairs(steps in pairs()) {
            prop_assert_eq!(of(&steps).closed(), of(&closed(steps)));
        }

        #[test]
        fn flows_through_steps_are_those_of_pairs(all in pairs(), steps in pairs()) {
            let all = closed(all);
            let last: Pairs = steps.union(&joined(&steps, &all)).copied().collect();
            let expected: Pairs = last.union(&joined(&all, &last)).copied().collect();
            prop_assert_eq!(of(&all).through(&of(&steps)), of(&expected));
        }

        #[test]
        fn each_object_stands_for_several(callee in pairs(), names in proptest::collection::vec(
            proptest::collection::vec(0..30u32, 0..4), 9,
        )) {
            let mut flows = Flows::default();
            flows.add_translated(&of(&callee), |o| &names[o]);
            let expected: Pairs = callee
                .iter()
                .flat_map(|&(t, f)| names[t].iter().flat_map({
                    let names = &names;
                    move |&to| names[f].iter().map(move |&from| (to as usize, from as usize))
                }))
                .collect();
            prop_assert_eq!(flows.iter().collect::<Pairs>(), expected.clone());
            prop_assert_eq!(flows, of(&expected));
        }
    }
}
