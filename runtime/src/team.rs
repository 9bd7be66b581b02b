//! Teams of threads that run a parallel region: a tape for each thread, and the order in which they took turns.
//!
//! In the forward sweep, each thread of the team records its part of the region in a tape of its own
//! (recording.rs), which the team keeps by the thread's number. The reverse sweep forks a team of as many threads;
//! each undoes what the thread of that number recorded. Tapes are given back when the gradient ends.
//!
//! Critical sections are undone one after the other, in the reverse of the order in which threads went through:
//! each run of a section has a number, its turn, which the forward sweep records. The undoing of the run waits until
//! all later ones of that section are undone. That cannot lock up where the forward sweep did not: its order,
//! backwards, is one that the waits allow. Runs are counted by the outermost team, as inner ones share sections.
//! Order of adjoint statements: Hascoët & Pascual, RR-7957, section 3.

use crate::{
    recording::{adrt_tape_begin, adrt_tape_end, adrt_tape_read, adrt_tape_release},
    tape::{adrt_defer_free, give_up},
};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ffi::{c_char, c_void},
    ptr::{null, null_mut},
    sync::{Condvar, Mutex, MutexGuard},
};

unsafe extern "C" {
    fn adrt_openmp_critical(at: *mut c_void, thread: i32, section: *mut c_void);
    fn adrt_openmp_end_critical(at: *mut c_void, thread: i32, section: *mut c_void);
}

/// A team, between the start of its forward sweep and the end of the gradient.
pub struct Team {
    /// Where the directive stands, for OpenMP's runtime.
    at: *mut c_void,
    /// The outermost team around it, which may be itself: null stands for that.
    outermost: *const Team,
    parts: Mutex<Parts>,
    turns: Mutex<HashMap<usize, i64>>,
    changed: Condvar,
}

#[derive(Default)]
struct Parts {
    /// The tape of each thread, by its number.
    tapes: Vec<*mut c_void>,
    /// How many threads there were.
    size: i32,
}

thread_local! {
    /// The team whose region this thread runs, or undoes.
    static PRESENT: Cell<*const Team> = const { Cell::new(null()) };
    /// Those before, the innermost last.
    static AROUND: RefCell<Vec<*const Team>> = const { RefCell::new(vec![]) };
    /// Turns of the critical sections that this thread is in, the innermost last.
    static TAKEN: RefCell<Vec<(usize, i64)>> = const { RefCell::new(vec![]) };
}

/// The turn of a run that no team counts.
const UNCOUNTED: i64 = -1;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Team {
    fn outermost(&self) -> &Team {
        // SAFETY: a team lives until the gradient ends, and inner ones end with it.
        if self.outermost.is_null() { self } else { unsafe { &*self.outermost } }
    }
}

/// The outermost team around this thread.
fn counting<'a>() -> Option<&'a Team> {
    // SAFETY: it lives until the gradient ends, and this thread runs for it.
    unsafe { PRESENT.get().as_ref() }.map(Team::outermost)
}

/// A team whose forward sweep begins, of a directive that stands at `at`. It lives until the gradient that is under
/// way ends.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_begin(at: *mut c_void) -> *mut Team {
    let outermost = counting().map_or(null(), |team| team as *const Team);
    let team = Box::into_raw(Box::new(Team {
        at,
        outermost,
        parts: Mutex::default(),
        turns: Mutex::default(),
        changed: Condvar::new(),
    }));
    adrt_defer_free(adrt_team_release as *const c_void, 1, team.cast(), 0, 0);
    team
}

/// Gives a team back, with its tapes.
///
/// # Safety
/// It is one of [`adrt_team_begin`], given back once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_release(team: *mut Team) {
    // SAFETY: the caller's promise.
    let team = unsafe { Box::from_raw(team) };
    let tapes = std::mem::take(&mut locked(&team.parts).tapes);
    tapes.into_iter().filter(|t| !t.is_null()).for_each(|t| adrt_tape_release(t));
}

/// A thread of the team begins its forward sweep of the function that is named so: the token for its end.
///
/// # Safety
/// The team is alive; the name is null or stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_record(team: *const Team, source: *const c_char) -> u64 {
    enter(team);
    // SAFETY: the caller's promise.
    unsafe { adrt_tape_begin(source) }
}

/// The thread `own` of `size` is done with it: its tape waits for `reverse`.
///
/// # Safety
/// The team is alive, and `token` is of [`adrt_team_record`] on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_recorded(
    team: *const Team,
    token: u64,
    own: i32,
    size: i32,
    frame: *mut c_void,
    reverse: *const c_void,
) {
    // SAFETY: the caller's promise; nothing is read of the shadows, as there are none.
    let (tape, team) = unsafe {
        let none: [*const c_void; 0] = [];
        (adrt_tape_end(token, frame, reverse, none.as_ptr(), 0), &*team)
    };
    let (mut parts, own) = (locked(&team.parts), own as usize);
    if parts.tapes.len() <= own {
        parts.tapes.resize(own + 1, null_mut());
    }
    parts.tapes[own] = tape;
    parts.size = size;
    leave();
}

/// How many threads ran the region in the forward sweep.
///
/// # Safety
/// The team is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_size(team: *const Team) -> i32 {
    // SAFETY: the caller's promise.
    locked(unsafe { &(*team).parts }).size
}

/// Where the directive stands.
///
/// # Safety
/// The team is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_place(team: *const Team) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { (*team).at }
}

/// The thread `own` of `size` begins to undo what the thread of that number recorded for `reverse`: its frame.
///
/// # Safety
/// The team is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_undo(
    team: *const Team,
    own: i32,
    size: i32,
    reverse: *const c_void,
) -> *mut c_void {
    enter(team);
    // SAFETY: the caller's promise.
    let parts = locked(unsafe { &(*team).parts });
    if parts.size != size {
        give_up(
            &format!(
                "AD228: a parallel region ran with {} threads, and its reverse sweep was given {size}",
                parts.size
            ),
            "leave the number of threads as it is between both sweeps, and turn its dynamic adjustment off \
            (OMP_DYNAMIC=false)",
        );
    }
    let tape = parts.tapes[own as usize];
    drop(parts);
    // SAFETY: nothing is read of the shadows, as there are none.
    unsafe {
        let none: [*const c_void; 0] = [];
        adrt_tape_read(tape, reverse, none.as_ptr(), 0)
    }
}

/// This thread has undone its part.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_undone() {
    leave();
}

fn enter(team: *const Team) {
    AROUND.with_borrow_mut(|around| around.push(PRESENT.replace(team)));
}

fn leave() {
    PRESENT.set(AROUND.with_borrow_mut(Vec::pop).unwrap_or(null()));
}

/// Enters a critical section.
///
/// # Safety
/// As `__kmpc_critical` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_take(at: *mut c_void, thread: i32, section: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_critical(at, thread, section) }
    let count = |team: &Team| {
        let mut turns = locked(&team.turns);
        let next = turns.entry(section as usize).or_default();
        *next += 1;
        *next - 1
    };
    let turn = counting().map_or(UNCOUNTED, count);
    TAKEN.with_borrow_mut(|taken| taken.push((section as usize, turn)));
}

/// Which run this is of the critical section that the thread is in.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_turn(section: *mut c_void) -> i64 {
    let of = |taken: &mut Vec<(usize, i64)>| {
        taken.iter().rfind(|(s, _)| *s == section as usize).map_or(UNCOUNTED, |(_, turn)| *turn)
    };
    TAKEN.with_borrow_mut(of)
}

/// Leaves it.
///
/// # Safety
/// As `__kmpc_end_critical` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_give(
    at: *mut c_void,
    thread: i32,
    section: *mut c_void,
    _turn: i64,
) {
    TAKEN.with_borrow_mut(|taken| {
        if let Some(i) = taken.iter().rposition(|(s, _)| *s == section as usize) {
            taken.remove(i);
        }
    });
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_end_critical(at, thread, section) }
}

/// The reverse of [`adrt_team_give`]: waits until all later runs are undone.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_take_back(
    _at: *mut c_void,
    _thread: i32,
    section: *mut c_void,
    turn: i64,
) {
    let Some(team) = counting().filter(|_| turn != UNCOUNTED) else { return };
    let mut turns = locked(&team.turns);
    while turns.get(&(section as usize)) != Some(&(turn + 1)) {
        turns = team.changed.wait(turns).unwrap_or_else(|poisoned| poisoned.into_inner());
    }
}

/// The reverse of [`adrt_team_take`]: the run before may be undone.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_give_back(_at: *mut c_void, _thread: i32, section: *mut c_void) {
    let Some(team) = counting() else { return };
    if let Some(next) = locked(&team.turns).get_mut(&(section as usize)) {
        *next -= 1;
    }
    team.changed.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team() -> Team {
        Team {
            at: null_mut(),
            outermost: null(),
            parts: Mutex::default(),
            turns: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    const SECTION: *mut c_void = 64 as *mut c_void;

    /// Runs a section, and says which run it was.
    fn run() -> i64 {
        // SAFETY: there is no OpenMP runtime here.
        unsafe { adrt_team_take(null_mut(), 0, SECTION) };
        let turn = adrt_team_turn(SECTION);
        // SAFETY: the same.
        unsafe { adrt_team_give(null_mut(), 0, SECTION, turn) };
        turn
    }

    fn undo(turn: i64, then: impl FnOnce()) {
        adrt_team_take_back(null_mut(), 0, SECTION, turn);
        then();
        adrt_team_give_back(null_mut(), 0, SECTION);
    }

    #[test]
    fn threads_undo_sections_in_the_reverse_order() {
        const THREADS: usize = 4;
        const RUNS: usize = 25;
        let team = team();
        let at = &raw const team as usize;
        let order = Mutex::new(vec![]);
        let all_ran = std::sync::Barrier::new(THREADS);
        std::thread::scope(|s| {
            for _ in 0..THREADS {
                s.spawn(|| {
                    enter(at as *const Team);
                    let turns: Vec<i64> = (0..RUNS).map(|_| run()).collect();
                    all_ran.wait();
                    turns.iter().rev().for_each(|&turn| undo(turn, || locked(&order).push(turn)));
                    leave();
                });
            }
        });
        let backwards: Vec<i64> = (0..(THREADS * RUNS) as i64).rev().collect();
        assert_eq!(*locked(&order), backwards);
    }

    #[test]
    fn no_team_counts_what_runs_outside_of_regions() {
        assert_eq!(run(), UNCOUNTED);
        undo(UNCOUNTED, || ());
    }

    #[test]
    fn inner_teams_count_with_the_outermost() {
        let outer = team();
        enter(&outer);
        assert_eq!(run(), 0);
        let inner = Team { outermost: counting().expect("the outer one"), ..team() };
        enter(&inner);
        assert_eq!(run(), 1);
        undo(1, || ());
        leave();
        undo(0, || ());
        leave();
        assert!(counting().is_none());
    }
}
