//! Which states of a loop are kept while its steps are undone, last to first, and which steps run
//! again for it.
//!
//! A snapshot of the state before some step is kept per slot, that before step 0 among them. To
//! undo step `i`, the state before it is restored, or computed from the last snapshot before; then
//! the step runs once more with records, and backwards: its *turn*. The schedule is optimal: with
//! `c` slots, the steps that run without records are as few as they can be,
//!
//! ```text
//! t(l, c) = r l - b(c + 1, r - 1)    with b(c, r - 1) < l <= b(c, r),  b(c, r) = (c + r)! / (c! r!)
//! ```
//!
//! and no step runs more than `r` times. Source: Griewank, Walther, Algorithm 799: revolve, ACM
//! TOMS 26 (2000), section 2.

/// What to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Keep the present state, that before this step, in the next slot.
    Save(u64),
    /// Go back to the last kept state, that before this step.
    Restore(u64),
    /// Run steps without records: from the first up to the second, without it.
    Advance(u64, u64),
    /// Run this step with records, and undo it.
    Turn(u64),
    /// Give up the last kept state.
    Drop,
}

/// How many steps `repeats` runs of each can undo with so many slots: b(slots, repeats), or the
/// largest number there is.
pub fn reach(slots: u32, repeats: u64) -> u64 {
    let (small, large) = if u64::from(slots) < repeats {
        (u64::from(slots), repeats)
    } else {
        (repeats, u64::from(slots))
    };
    // After factor k the product is b(large, k), a whole number.
    let mut product: u128 = 1;
    for k in 1..=small {
        product = product * u128::from(large + k) / u128::from(k);
        if product > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    product as u64
}

/// The most often that a step runs without records when `steps` are undone with so many slots.
pub fn repeats(steps: u64, slots: u32) -> u64 {
    debug_assert!(slots > 0);
    if slots == 1 {
        return steps.saturating_sub(1);
    }
    // With two slots or more, the number grows as a root of the steps.
    (0..).find(|&r| reach(slots, r) >= steps).expect("reach grows without bound")
}

/// How many steps run without records: t(l, c).
pub fn bound(steps: u64, slots: u32) -> u64 {
    match repeats(steps, slots) {
        0 => 0,
        r => (u128::from(r) * u128::from(steps) - u128::from(reach(slots + 1, r - 1))) as u64,
    }
}

/// How far to run from a kept state, with `steps` to undo from there, until the next is kept;
/// `free` slots are left.
pub fn stride(steps: u64, free: u32) -> u64 {
    if steps < 2 || free == 0 {
        return steps.saturating_sub(1);
    }
    // From there on steps - n are undone with the free slots, later n with one more. Any n is
    // optimal for which both stay within the numbers of repetitions that the whole allows.
    let slots = free + 1;
    let r = repeats(steps, slots);
    let least =
        steps.saturating_sub(reach(free, r)).max(if r < 2 { 1 } else { reach(slots, r - 2) });
    let most = reach(slots, r - 1).min(steps - reach(free, r - 1).min(steps - 1));
    debug_assert!(1 <= least && least <= most && most < steps, "{steps} steps, {free} free");
    // The longest way keeps fewer states in short loops.
    most
}

/// The kept states, and the step to be undone next.
#[derive(Clone, Debug)]
pub struct Schedule {
    slots: u32,
    /// Steps before which the state is kept, ascending.
    kept: Vec<u64>,
    /// The present state is that before this step; `None`: unknown.
    at: Option<u64>,
    /// Steps before this one are still to be undone.
    end: u64,
}

impl Schedule {
    /// All `steps` are to be undone, and the state before the first is there.
    pub fn new(steps: u64, slots: u32) -> Schedule {
        Schedule { slots: slots.max(1), kept: vec![], at: Some(0), end: steps }
    }
    /// The steps ran, and the states before those in `kept`, ascending and the first among them,
    /// were kept on the way.
    pub fn after(steps: u64, slots: u32, kept: Vec<u64>) -> Schedule {
        debug_assert!(steps == 0 || kept.first() == Some(&0));
        Schedule { slots: slots.max(1), kept, at: None, end: steps }
    }
}

impl Iterator for Schedule {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let last = self.kept.last().copied();
        if last.is_some_and(|k| k >= self.end) {
            self.kept.pop();
            return Some(Action::Drop);
        }
        if self.end == 0 {
            return None;
        }
        let Some(at) = self.at else {
            let last = last.expect("the state before the first step is kept");
            self.at = Some(last);
            return Some(Action::Restore(last));
        };
        if at + 1 == self.end {
            (self.end, self.at) = (at, None);
            return Some(Action::Turn(at));
        }
        if last != Some(at) && (self.kept.len() as u32) < self.slots {
            self.kept.push(at);
            return Some(Action::Save(at));
        }
        let to = at + stride(self.end - at, self.slots - self.kept.len() as u32);
        self.at = Some(to);
        Some(Action::Advance(at, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fewest steps without records, by trying all ways: `least[c][l]`.
    fn least(steps: usize, slots: usize) -> Vec<Vec<u64>> {
        let mut table = vec![vec![0u64; steps + 1]; slots + 1];
        for c in 1..=slots {
            for l in 2..=steps {
                let alone = (l as u64) * (l as u64 - 1) / 2;
                let split = (1..l)
                    .filter(|_| c > 1)
                    .map(|n| n as u64 + table[c - 1][l - n] + table[c][n])
                    .min();
                table[c][l] = split.map_or(alone, |s| s.min(alone));
            }
        }
        table
    }

    /// Runs a schedule; the number of steps without records. Checks that each action is possible,
    /// and what is undone.
    fn play(
        schedule: Schedule,
        steps: u64,
        slots: u32,
        mut state: Option<u64>,
        mut kept: Vec<u64>,
    ) -> u64 {
        let (mut advanced, mut undone) = (0, steps);
        for action in schedule {
            match action {
                Action::Save(i) => {
                    assert_eq!(state, Some(i));
                    kept.push(i);
                    assert!(kept.len() <= slots as usize);
                }
                Action::Restore(i) => {
                    assert_eq!(kept.last(), Some(&i));
                    state = Some(i);
                }
                Action::Advance(from, to) => {
                    assert!(state == Some(from) && from < to);
                    advanced += to - from;
                    state = Some(to);
                }
                Action::Turn(i) => {
                    assert!(state == Some(i) && i + 1 == undone);
                    (undone, state) = (i, None);
                }
                Action::Drop => assert!(kept.pop().is_some()),
            }
        }
        assert_eq!((undone, kept.len()), (0, 0));
        advanced
    }

    #[test]
    fn as_few_steps_run_again_as_can_be() {
        let least = least(200, 20);
        for slots in 1..=20 {
            for steps in 1..=200 {
                let played = play(Schedule::new(steps, slots), steps, slots, Some(0), vec![]);
                assert_eq!(played, bound(steps, slots), "{steps} steps, {slots} slots");
                assert_eq!(
                    played, least[slots as usize][steps as usize],
                    "{steps} steps, {slots} slots"
                );
            }
        }
    }

    #[test]
    fn no_step_runs_more_often_than_the_bound_says() {
        for (steps, slots) in [(200, 3), (137, 5), (10_000, 10), (99, 1)] {
            let mut runs = vec![0u64; steps as usize];
            for action in Schedule::new(steps, slots) {
                if let Action::Advance(from, to) = action {
                    (from..to).for_each(|i| runs[i as usize] += 1);
                }
            }
            assert_eq!(
                runs.into_iter().max(),
                Some(repeats(steps, slots)),
                "{steps} steps, {slots} slots"
            );
        }
    }

    #[test]
    fn a_sweep_goes_on_from_what_was_kept() {
        for kept in [vec![0], vec![0, 1, 2], vec![0, 5, 39], vec![0, 10, 20, 30]] {
            let slots = kept.len() as u32 + 1;
            play(Schedule::after(40, slots, kept.clone()), 40, slots, None, kept);
        }
        assert_eq!(Schedule::after(0, 3, vec![]).next(), None);
    }

    #[test]
    fn numbers_stay_within_their_range() {
        assert_eq!(reach(2, 2), 6);
        assert_eq!(reach(0, 9), 1);
        assert_eq!(reach(60, 600), u64::MAX);
        assert_eq!(repeats(1, 5), 0);
        assert_eq!(bound(1 << 20, 1), (1 << 20) * ((1 << 20) - 1) / 2);
    }
}
