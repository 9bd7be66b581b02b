//! Which states to keep while a loop runs whose number of steps is unknown.
//!
//! Each kept state has a level: how often the steps after it will have to run again at most. A
//! state is dispensable where a later one has a higher level. A new state takes a free slot, or
//! that of a dispensable one; where there is none, it takes the place of the last and is one level
//! higher. With `c` slots, after l steps the highest level is the fewest repetitions with which l
//! steps can be undone. Source: Wang, Moin, Iaccarino, Minimal repetition dynamic checkpointing
//! algorithm, SIAM J. Sci. Comput. 31 (2009), section 3.

/// A kept state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kept {
    step: u64,
    slot: u32,
    level: u32,
}

/// The states that are kept so far.
#[derive(Clone, Debug)]
pub struct Online {
    slots: u32,
    kept: Vec<Kept>,
}

impl Online {
    /// Nothing is kept yet.
    pub fn new(slots: u32) -> Online {
        Online { slots: slots.max(1), kept: vec![] }
    }

    /// The state before `step` is there, which is the number of calls before: the slot that keeps
    /// it, if it is kept. What was in the slot is given up.
    pub fn reach(&mut self, step: u64) -> Option<u32> {
        let count = self.kept.len() as u32;
        if count < self.slots {
            // The first stays to the end.
            let level = if step == 0 { u32::MAX } else { 0 };
            self.kept.push(Kept { step, slot: count, level });
            return Some(count);
        }
        if count == 1 {
            return None;
        }
        // The first, but for the start, that has a higher level behind it.
        let (mut highest, mut dispensable) = (0, None);
        for (i, kept) in self.kept.iter().enumerate().skip(1).rev() {
            if highest > kept.level {
                dispensable = Some(i);
            }
            highest = highest.max(kept.level);
        }
        let (at, level) = match dispensable {
            Some(i) => (i, 0),
            None => (self.kept.len() - 1, self.kept[self.kept.len() - 1].level + 1),
        };
        let slot = self.kept.remove(at).slot;
        self.kept.push(Kept { step, slot, level });
        Some(slot)
    }

    /// The steps before which the state is kept, and their slots, ascending.
    pub fn kept(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.kept.iter().map(|k| (k.step, k.slot))
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Action, Schedule, repeats};
    use super::*;

    /// How often each step runs without records after the loop ended.
    fn runs(steps: u64, slots: u32) -> Vec<u64> {
        let mut online = Online::new(slots);
        (0..steps).for_each(|i| _ = online.reach(i));
        let kept: Vec<u64> = online.kept().map(|(step, _)| step).collect();
        assert!(kept.is_sorted() && kept.len() <= slots as usize && kept[0] == 0);
        let mut runs = vec![0; steps as usize];
        for action in Schedule::after(steps, slots, kept) {
            if let Action::Advance(from, to) = action {
                (from..to).for_each(|i| runs[i as usize] += 1);
            }
        }
        runs
    }

    #[test]
    fn no_step_runs_more_often_than_it_must() {
        for slots in 2..=20 {
            for steps in 1..=200 {
                let most = runs(steps, slots).into_iter().max().unwrap_or(0);
                // The first run of the loop, which did not know its end, counts as one.
                assert!(
                    most < repeats(steps, slots).max(1) + 1,
                    "{steps} steps, {slots} slots: {most}"
                );
            }
        }
    }

    #[test]
    fn each_slot_holds_one_state() {
        let mut online = Online::new(4);
        for step in 0..1000 {
            online.reach(step);
            let mut slots: Vec<u32> = online.kept().map(|(_, slot)| slot).collect();
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len() as u64, (step + 1).min(4));
        }
    }

    #[test]
    fn one_slot_keeps_the_start() {
        let mut online = Online::new(1);
        assert_eq!(online.reach(0), Some(0));
        assert_eq!((1..9).filter_map(|i| online.reach(i)).count(), 0);
    }
}
