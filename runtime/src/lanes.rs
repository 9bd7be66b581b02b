//! Tapes of the threads of teams within one gradient.
//!
//! A thread forks teams again and again, and which thread of the system gets which number in a team may change. So each
//! number has a tape of its own, a lane, which the forking thread keeps; a thread of a team uses its lane in place of
//! its own tape. Regions lie in a lane one behind the other, and what they recorded is given up when the gradient ends,
//! as in any other tape; the chunks stay for the next gradient. The thread of number 0 is the one that forks: it goes
//! on in its own tape.
//!
//! A thread of a team forks inner teams with the lanes of its number, not with those of the thread of the system: in
//! the reverse sweep, that number may be another thread's.

use crate::tape::{Lane, Mark, enter, leave};
use std::{
    cell::RefCell,
    ffi::c_char,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// What a region recorded in a lane.
struct Part {
    /// Of which team it is.
    team: u64,
    /// Where the lane was before.
    mark: Mark,
    /// Nobody reads it any more.
    is_over: bool,
}

// SAFETY: positions are only handed on.
unsafe impl Send for Part {}

#[derive(Default)]
struct Numbered {
    /// `None` while a thread uses it, and of number 0.
    lane: Option<Lane>,
    parts: Vec<Part>,
    /// Those of the teams that the thread of this number forks.
    inner: Arc<Lanes>,
}

/// The lanes of the teams that one thread forks, which may itself be of a team.
#[derive(Default)]
pub struct Lanes(Mutex<Vec<Numbered>>);

/// What a thread had before it used a lane.
struct Before {
    /// Its tape lies in this; `None` where it goes on in its own.
    lane: Option<Lane>,
    lanes: Arc<Lanes>,
}

thread_local! {
    /// Of the teams that this thread forks now.
    static OWN: RefCell<Arc<Lanes>> = RefCell::default();
    /// The innermost last.
    static BEFORE: RefCell<Vec<Before>> = const { RefCell::new(vec![]) };
}

/// A number for a team, higher than those before.
pub fn number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    NUMBERS.fetch_add(1, Relaxed)
}

impl Lanes {
    /// Those of the teams that this thread forks now.
    pub fn own() -> Arc<Lanes> {
        OWN.with_borrow(Arc::clone)
    }

    fn all(&self) -> MutexGuard<'_, Vec<Numbered>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// This thread is that of that number from now on, and uses its lane.
    pub fn enter(&self, number: usize) {
        let (lane, inner) = {
            let mut all = self.all();
            if all.len() <= number {
                all.resize_with(number + 1, Numbered::default);
            }
            (all[number].lane.take(), all[number].inner.clone())
        };
        let lane = (number > 0).then(|| {
            let mut lane = lane.unwrap_or_default();
            lane.swap();
            lane
        });
        let before = Before { lane, lanes: OWN.replace(inner) };
        BEFORE.with_borrow_mut(|all| all.push(before));
    }

    /// The same, and records its part of a region of the function that is named so.
    pub fn record(&self, number: usize, team: u64, source: *const c_char) {
        self.enter(number);
        if number > 0 {
            let part = Part { team, mark: enter(source), is_over: false };
            self.all()[number].parts.push(part);
        }
    }

    /// The thread is done with it.
    pub fn leave(&self, number: usize) {
        let Some(before) = BEFORE.with_borrow_mut(Vec::pop) else { return };
        OWN.set(before.lanes);
        if let Some(mut lane) = before.lane {
            lane.swap();
            self.all()[number].lane = Some(lane);
        }
    }

    /// Nobody reads any more what a team recorded, and none of its threads runs.
    pub fn give_up(&self, team: u64) {
        let mut number = 1;
        loop {
            let mut over = vec![];
            {
                let mut all = self.all();
                let Some(numbered) = all.get_mut(number) else { return };
                // Later teams have higher numbers, and each has one part in a lane.
                let at = numbered.parts.partition_point(|p| p.team < team);
                let parts = numbered.parts.iter_mut().skip(at);
                parts.take_while(|p| p.team == team).for_each(|p| p.is_over = true);
                while let Some(part) = numbered.parts.pop_if(|p| p.is_over) {
                    over.push(part.mark);
                }
            }
            if let Some(mark) = over.last() {
                self.enter(number);
                // SAFETY: taken in this lane, and all later ones are over.
                unsafe { leave(mark) }
                self.leave(number);
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::tests::take;
    use std::ptr::null;

    #[test]
    fn lanes_go_on_where_they_were_and_begin_again_when_all_is_over() {
        let lanes = Arc::<Lanes>::default();
        let in_thread = |team: Option<u64>, bytes: u64| {
            let lanes = &lanes;
            std::thread::scope(|s| {
                let run = move || {
                    let own = take(16) as usize;
                    match team {
                        Some(team) => lanes.record(1, team, null()),
                        None => lanes.enter(1),
                    }
                    let block = take(bytes) as usize;
                    lanes.leave(1);
                    assert_eq!(take(16) as usize, own + 16);
                    block
                };
                s.spawn(run).join().expect("no panic")
            })
        };
        let first = in_thread(Some(1), 16);
        assert_eq!(in_thread(Some(2), 16), first + 16);
        assert_eq!(in_thread(None, 16), first + 32);
        lanes.give_up(1);
        assert_eq!(in_thread(Some(3), 16), first + 48);
        lanes.give_up(3);
        lanes.give_up(2);
        assert_eq!(in_thread(Some(4), 16), first);
    }

    #[test]
    fn inner_teams_have_lanes_of_their_own() {
        let lanes = Arc::<Lanes>::default();
        let in_number = |number: usize, then: &dyn Fn()| {
            lanes.record(number, 1, null());
            then();
            lanes.leave(number);
        };
        let block = |lanes: &Lanes, number: usize| {
            lanes.enter(number);
            let block = take(16) as usize;
            lanes.leave(number);
            block
        };
        let outer = block(&lanes, 1);
        let inner = std::cell::Cell::new([0; 2]);
        for number in [0, 1] {
            in_number(number, &|| {
                let own = Lanes::own();
                own.record(1, 2 + number as u64, null());
                let mut blocks = inner.get();
                blocks[number] = take(16) as usize;
                inner.set(blocks);
                own.leave(1);
            });
        }
        // Another thread of the system goes on with the tapes of these numbers.
        let before = inner.get();
        std::thread::scope(|s| {
            s.spawn(|| {
                for number in [0, 1] {
                    lanes.enter(number);
                    assert_eq!(block(&Lanes::own(), 1), before[number] + 16);
                    lanes.leave(number);
                }
                assert_eq!(block(&lanes, 1), outer + 16);
            });
        });
    }
}
