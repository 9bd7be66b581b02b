//! Teams of threads that run a parallel region: a tape for each thread, and the order in which they took turns.
//!
//! In the forward sweep, each thread of the team records its part of the region in a tape of its own, which goes by the
//! thread's number (lanes.rs; within a tape of split mode, which is reversed at any time, recording.rs). The reverse
//! sweep forks a team of as many threads; each undoes what the thread of that number recorded. Tapes are given back
//! when the gradient ends.
//!
//! What threads add to shared shadow memory meanwhile: sums.rs.
//!
//! Critical sections are undone one after the other, in the reverse of the order in which threads went through:
//! each run of a section has a number, its turn, which the forward sweep records. The undoing of the run waits until
//! all later ones of that section are undone. That cannot lock up where the forward sweep did not: its order,
//! backwards, is one that the waits allow. Runs are counted by the outermost team, as inner ones share sections.
//! Order of adjoint statements: Hascoët & Pascual, RR-7957, section 3.

use crate::{
    lanes::{self, Lanes},
    recording::{adrt_tape_begin, adrt_tape_end, adrt_tape_read, adrt_tape_release},
    sums::{self, Owners, Way},
    tape::{adrt_defer_free, give_up, is_recording},
};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ffi::{c_char, c_void},
    ptr::{null, null_mut},
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
};

unsafe extern "C" {
    fn adrt_openmp_critical(at: *mut c_void, thread: i32, section: *mut c_void);
    fn adrt_openmp_end_critical(at: *mut c_void, thread: i32, section: *mut c_void);
    fn adrt_openmp_ordered(at: *mut c_void, thread: i32);
    fn adrt_openmp_end_ordered(at: *mut c_void, thread: i32);
    fn adrt_openmp_set_lock(lock: *mut c_void);
    fn adrt_openmp_unset_lock(lock: *mut c_void);
    fn adrt_team_saw(section: usize);
    fn adrt_team_shows(section: usize);
    fn adrt_openmp_barrier(at: *mut c_void);
    fn adrt_openmp_threads() -> i32;
}

/// A team, between the start of its forward sweep and the end of the gradient.
pub struct Team {
    /// Where the directive stands, for OpenMP's runtime.
    at: *mut c_void,
    /// The outermost team around it, which may be itself: null stands for that.
    outermost: *const Team,
    /// In the lanes of the thread that forked it, its number.
    number: u64,
    lanes: Option<Arc<Lanes>>,
    parts: Mutex<Parts>,
    turns: Mutex<HashMap<usize, i64>>,
    changed: Condvar,
    /// Of an outermost team: whether sums must be seen by other threads at once. Threads hand values on in critical
    /// sections, or fork teams of their own.
    is_atomic: AtomicBool,
    /// Whether its threads run the version of the region for memory that does not overlap.
    is_apart: AtomicBool,
}

#[derive(Default)]
struct Parts {
    /// What each thread recorded, by its number.
    recorded: Vec<Recorded>,
    /// How many threads there were.
    size: i32,
    /// While they undo the region: who owns which piece of shadow memory, and how many threads are done.
    owners: Arc<Owners>,
    undone: i32,
}

/// What a thread recorded.
#[derive(Clone, Copy)]
enum Recorded {
    Nothing,
    /// In its own tape, or its lane: the frame of the region.
    Frame(*mut c_void),
    /// A tape of split mode.
    Tape(*mut c_void),
}

thread_local! {
    /// The team whose region this thread runs, or undoes.
    static PRESENT: Cell<*const Team> = const { Cell::new(null()) };
    /// Those before, the innermost last.
    static AROUND: RefCell<Vec<*const Team>> = const { RefCell::new(vec![]) };
    /// How this thread adds for the teams before.
    static WAYS: RefCell<Vec<Way>> = const { RefCell::new(vec![]) };
    /// Turns of the critical sections that this thread is in, the innermost last.
    static TAKEN: RefCell<Vec<(usize, i64)>> = const { RefCell::new(vec![]) };
}

/// The turn of a run that no team counts.
const UNCOUNTED: i64 = -1;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Team {
    fn new(at: *mut c_void, outermost: *const Team) -> Team {
        Team {
            at,
            outermost,
            number: lanes::number(),
            lanes: (!is_recording()).then(Lanes::own),
            parts: Mutex::default(),
            turns: Mutex::default(),
            changed: Condvar::new(),
            is_atomic: AtomicBool::new(false),
            is_apart: AtomicBool::new(false),
        }
    }
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
    let team = Box::into_raw(Box::new(Team::new(at, outermost)));
    adrt_defer_free(adrt_team_release as *const c_void, 1, team.cast(), 0, 0);
    team
}

/// Says which of two versions of the region the threads run: that for memory that does not overlap, or the other.
///
/// # Safety
/// The team is alive, and its threads have not begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_choose(team: *const Team, is_apart: i32) {
    // SAFETY: the caller's promise.
    unsafe { &*team }.is_apart.store(is_apart != 0, Relaxed);
}

/// Which version that is.
///
/// # Safety
/// The team is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_is_apart(team: *const Team) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { &*team }.is_apart.load(Relaxed).into()
}

/// Gives a team back, with its tapes.
///
/// # Safety
/// It is one of [`adrt_team_begin`], given back once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_release(team: *mut Team) {
    // SAFETY: the caller's promise.
    let team = unsafe { Box::from_raw(team) };
    for recorded in std::mem::take(&mut locked(&team.parts).recorded) {
        if let Recorded::Tape(tape) = recorded {
            adrt_tape_release(tape);
        }
    }
    team.lanes.iter().for_each(|lanes| lanes.give_up(team.number));
}

/// The thread `own` of the team begins its forward sweep of the function that is named so: the token for its end.
///
/// # Safety
/// The team is alive; the name is null or stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_record(
    team: *const Team,
    own: i32,
    source: *const c_char,
) -> u64 {
    enter(team);
    // SAFETY: the caller's promise.
    let team = unsafe { &*team };
    match &team.lanes {
        // SAFETY: the caller's promise.
        None => return unsafe { adrt_tape_begin(source) },
        Some(lanes) => lanes.record(own as usize, team.number, source),
    }
    0
}

/// The thread `own` of `size` is done with it: what it recorded waits for `reverse`.
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
    // SAFETY: the caller's promise.
    let team = unsafe { &*team };
    let recorded = match &team.lanes {
        None => {
            let none: [*const c_void; 0] = [];
            // SAFETY: the caller's promise; nothing is read of the shadows, as there are none.
            Recorded::Tape(unsafe { adrt_tape_end(token, frame, reverse, none.as_ptr(), 0) })
        }
        Some(_) => Recorded::Frame(frame),
    };
    leave_lane(team, own);
    let (mut parts, own) = (locked(&team.parts), own as usize);
    if parts.recorded.len() <= own {
        parts.recorded.resize(own + 1, Recorded::Nothing);
    }
    parts.recorded[own] = recorded;
    parts.size = size;
    if size > 1 && !team.outermost.is_null() {
        team.outermost().is_atomic.store(true, Relaxed);
    }
    leave();
}

/// The thread `own` has used its lane, if it has one.
fn leave_lane(team: &Team, own: i32) {
    team.lanes.iter().for_each(|lanes| lanes.leave(own as usize));
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

/// The thread `own` of `size` begins to undo what the thread of that number recorded for `reverse`: its frame. Its
/// variables lie below `top` from now on.
///
/// # Safety
/// The team is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_undo(
    team: *const Team,
    own: i32,
    size: i32,
    reverse: *const c_void,
    top: *const c_void,
) -> *mut c_void {
    enter(team);
    // SAFETY: the caller's promise.
    let team = unsafe { &*team };
    // A thread that is alone in a team within another goes on as it was.
    if team.outermost.is_null() || size > 1 {
        let way = match team.outermost().is_atomic.load(Relaxed) {
            true => Way::Atomic,
            false if size > 1 => {
                let owners = locked(&team.parts).owners.clone();
                Way::Pieces(owners, own as u32, top.addr())
            }
            false => Way::Alone,
        };
        let before = sums::begin(way);
        WAYS.with_borrow_mut(|ways| ways.push(before));
    }
    let parts = locked(&team.parts);
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
    let recorded = parts.recorded[own as usize];
    drop(parts);
    team.lanes.iter().for_each(|lanes| lanes.enter(own as usize));
    match recorded {
        Recorded::Nothing => null_mut(),
        Recorded::Frame(frame) => frame,
        // SAFETY: nothing is read of the shadows, as there are none.
        Recorded::Tape(tape) => unsafe {
            let none: [*const c_void; 0] = [];
            adrt_tape_read(tape, reverse, none.as_ptr(), 0)
        },
    }
}

/// The thread `own` of `size` has undone its part.
///
/// # Safety
/// The team is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_undone(team: *const Team, own: i32, size: i32) {
    // SAFETY: the caller's promise.
    let team = unsafe { &*team };
    leave_lane(team, own);
    if team.outermost.is_null() || size > 1 {
        if size > 1 {
            meet(team);
            let mut parts = locked(&team.parts);
            parts.undone += 1;
            if parts.undone == size {
                (parts.undone, parts.owners) = (0, Arc::default());
            }
        }
        sums::begin(WAYS.with_borrow_mut(Vec::pop).unwrap_or_default());
    }
    leave();
}

/// A barrier of the team, in the reverse sweep. One thread alone waits for nobody; within another team, it adds for
/// that one, whose other threads are not at a barrier.
///
/// # Safety
/// As `__kmpc_barrier` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_meet(at: *mut c_void, _thread: i32) {
    // SAFETY: the function asks.
    let threads = unsafe { adrt_openmp_threads() };
    if threads == 1 {
        return;
    }
    // SAFETY: the team lives until the gradient ends, and this thread runs for it.
    let team = unsafe { PRESENT.get().as_ref() };
    match team.filter(|team| locked(&team.parts).size == threads) {
        Some(team) => meet(team),
        // SAFETY: the program's own barrier.
        None => unsafe { adrt_openmp_barrier(at) },
    }
}

fn meet(team: &Team) {
    // SAFETY: all threads of the team come here.
    sums::meet(|| unsafe { adrt_openmp_barrier(team.at) });
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
    hands_on();
    // SAFETY: the caller's promise.
    unsafe { adrt_team_join(at, thread, section) }
}

/// Enters the critical section in which the thread adds its part to the variables of a reduction: nothing else is
/// handed on.
///
/// # Safety
/// As `__kmpc_critical` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_join(at: *mut c_void, thread: i32, section: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_critical(at, thread, section) }
    count(section as usize);
}

/// Values are handed on from thread to thread in what follows.
fn hands_on() {
    counting().into_iter().for_each(|team| team.is_atomic.store(true, Relaxed));
}

/// Takes a lock.
///
/// # Safety
/// As `omp_set_lock` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_take_lock(_at: *mut c_void, _thread: i32, lock: *mut c_void) {
    hands_on();
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_set_lock(lock) }
    count(lock.addr());
}

/// Gives it back.
///
/// # Safety
/// As `omp_unset_lock` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_give_lock(
    _at: *mut c_void,
    _thread: i32,
    lock: *mut c_void,
    _turn: i64,
) {
    uncount(lock.addr());
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_unset_lock(lock) }
}

/// Begins the part of a loop that threads run in the order of the iterations.
///
/// # Safety
/// As `__kmpc_ordered` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_take_ordered(
    at: *mut c_void,
    thread: i32,
    section: *mut c_void,
) {
    hands_on();
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_ordered(at, thread) }
    count(section.addr());
}

/// Ends it.
///
/// # Safety
/// As `__kmpc_end_ordered` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_team_give_ordered(
    at: *mut c_void,
    thread: i32,
    section: *mut c_void,
    _turn: i64,
) {
    uncount(section.addr());
    // SAFETY: the caller's promise.
    unsafe { adrt_openmp_end_ordered(at, thread) }
}

/// Counts a run of a section.
fn count(section: usize) {
    let next = |team: &Team| {
        let mut turns = locked(&team.turns);
        let next = turns.entry(section).or_default();
        *next += 1;
        *next - 1
    };
    let turn = counting().map_or(UNCOUNTED, next);
    TAKEN.with_borrow_mut(|taken| taken.push((section, turn)));
}

/// The thread leaves a section.
fn uncount(section: usize) {
    TAKEN.with_borrow_mut(|taken| {
        if let Some(i) = taken.iter().rposition(|(s, _)| *s == section) {
            taken.remove(i);
        }
    });
}

/// Locks of cells of memory, each of many. Atomic operations wait for no more than a few instructions.
static CELLS: [AtomicBool; 64] = [const { AtomicBool::new(false) }; 64];

fn lock_of(cell: *const c_void) -> &'static AtomicBool {
    &CELLS[cell.addr() / size_of::<f64>() % CELLS.len()]
}

/// Begins an atomic operation on a cell of memory.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_take_cell(cell: *const c_void) {
    hands_on();
    let lock = lock_of(cell);
    while lock.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
        std::thread::yield_now();
    }
    // SAFETY: the function notes an address.
    unsafe { adrt_team_saw((&raw const *lock).addr()) }
    count((&raw const *lock).addr());
}

/// Which one this is, of those on all cells of its lock.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_turn_cell(cell: *const c_void) -> i64 {
    adrt_team_turn((&raw const *lock_of(cell)).cast_mut().cast())
}

/// Ends it.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_give_cell(cell: *const c_void, _turn: i64) {
    let lock = lock_of(cell);
    uncount((&raw const *lock).addr());
    // SAFETY: the function notes an address.
    unsafe { adrt_team_shows((&raw const *lock).addr()) }
    lock.store(false, Release);
}

/// The reverse of [`adrt_team_give_cell`].
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_take_cell_back(cell: *const c_void, turn: i64) {
    adrt_team_take_back(null_mut(), 0, (&raw const *lock_of(cell)).cast_mut().cast(), turn);
}

/// The reverse of [`adrt_team_take_cell`].
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_give_cell_back(cell: *const c_void) {
    adrt_team_give_back(null_mut(), 0, (&raw const *lock_of(cell)).cast_mut().cast());
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
    uncount(section as usize);
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
    // SAFETY: the function notes an address.
    unsafe { adrt_team_saw(section.addr()) }
}

/// The reverse of [`adrt_team_take`]: the run before may be undone.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_team_give_back(_at: *mut c_void, _thread: i32, section: *mut c_void) {
    let Some(team) = counting() else { return };
    // SAFETY: the function notes an address.
    unsafe { adrt_team_shows(section.addr()) }
    if let Some(next) = locked(&team.turns).get_mut(&(section as usize)) {
        *next -= 1;
    }
    team.changed.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::adrt_sum_double;

    fn team() -> Team {
        Team::new(null_mut(), null())
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

    #[test]
    fn a_barrier_of_an_inner_team_of_one_leaves_the_sums_of_the_outer_one() {
        let (owners, mut cell) = (Arc::<Owners>::default(), 0.0);
        let at = &raw mut cell;
        let begin = |number| _ = sums::begin(Way::Pieces(owners.clone(), number, 0));
        begin(0);
        adrt_sum_double(at, 1.0);
        begin(1);
        adrt_sum_double(at, 2.0);
        let outer = team();
        enter(&outer);
        let inner = Team { outermost: &raw const outer, ..team() };
        locked(&inner.parts).size = 1;
        enter(&inner);
        // SAFETY: there is no OpenMP runtime here.
        unsafe { adrt_team_meet(null_mut(), 0) };
        // SAFETY: no other thread adds.
        assert_eq!(unsafe { at.read() }, 1.0, "the other thread may add here at the same time");
        leave();
        leave();
        sums::meet(|| ());
        // SAFETY: the same.
        assert_eq!(unsafe { at.read() }, 3.0);
        sums::begin(Way::Alone);
    }
}
