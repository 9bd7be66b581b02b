//! Sums of whole numbers, which are exact in any order.

use super::{
    runs::{Run, adrt_sum_run_double, adrt_sum_run_float, adrt_sum_settled_run},
    *,
};
use std::{collections::HashMap, sync::Barrier};

const THREADS: u32 = 4;
const CELLS: usize = 3 * PIECE;

/// Bytes of shadow memory of doubles, floats behind them, and doubles that are not aligned.
struct Shadow(Vec<u8>);

impl Shadow {
    fn at(&self, byte: usize) -> usize {
        self.0.as_ptr().expose_provenance() + byte
    }
}

fn read<R: Real>(at: usize) -> f64 {
    // SAFETY: within the shadow memory of a test.
    unsafe { with_exposed_provenance_mut::<R>(at).read_unaligned() }.widened()
}

/// Runs a team of threads, and gives each its number and the team's barrier.
fn team(way: impl Fn(&Arc<Owners>, u32) -> Way + Sync, run: impl Fn(u32, &dyn Fn()) + Sync) {
    let (owners, barrier) = (Arc::<Owners>::default(), Barrier::new(THREADS as usize));
    std::thread::scope(|s| {
        for thread in 0..THREADS {
            let (owners, barrier, run, way) = (&owners, &barrier, &run, &way);
            s.spawn(move || {
                begin(way(owners, thread));
                let meet = || meet(|| _ = barrier.wait());
                // The others would wait for a thread that fails.
                let run = std::panic::AssertUnwindSafe(|| run(thread, &meet));
                if std::panic::catch_unwind(run).is_err() {
                    std::process::abort();
                }
                meet();
                begin(Way::Alone);
            });
        }
    });
}

fn pieces(owners: &Arc<Owners>, thread: u32) -> Way {
    Way::Pieces(owners.clone(), thread, 0)
}

/// Numbers that look like chance.
fn chance(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

/// Adds everywhere, and compares with the sums that must be there after each barrier.
fn adds_everywhere(way: impl Fn(&Arc<Owners>, u32) -> Way + Sync) {
    let shadow = Shadow(vec![0; CELLS * 8 + CELLS * 4 + 64]);
    let floats = CELLS * 8;
    let double = |k: usize| shadow.at(8 - shadow.at(0) % 8 + k * 8);
    let float = |k: usize| shadow.at(8 - shadow.at(0) % 8 + floats + k * 4);
    let places = |thread: u32, round: u64| {
        let mut state = u64::from(thread) * 1000 + round;
        (0..20_000).map(move |i| (chance(&mut state) % (CELLS / (1 + i % 7)), i))
    };
    team(way, |thread, meet| {
        for round in 0..4 {
            for (k, i) in places(thread, round) {
                match i % 3 {
                    0 => adrt_sum_float(with_exposed_provenance_mut(float(k)), 1.0),
                    _ => adrt_sum_double(with_exposed_provenance_mut(double(k)), i as f64),
                }
            }
            meet();
            if thread == 0 {
                let mut sums = ByNumber::<f64>::default();
                for (k, i) in (0..=round).flat_map(|r| (0..THREADS).flat_map(move |t| places(t, r)))
                {
                    let (at, d) = if i % 3 == 0 { (float(k), 1.0) } else { (double(k), i as f64) };
                    *sums.entry(at).or_default() += d;
                }
                for (&at, &sum) in &sums {
                    let is_float = at >= float(0);
                    assert_eq!(if is_float { read::<f32>(at) } else { read::<f64>(at) }, sum);
                }
            }
            meet();
        }
    });
}

#[test]
fn pieces_have_the_sums_after_a_barrier() {
    adds_everywhere(pieces);
}

#[test]
fn atomic_sums_are_the_same() {
    adds_everywhere(|_, _| Way::Atomic);
}

#[test]
fn a_thread_sees_what_it_kept_itself() {
    let shadow = Shadow(vec![0; 4 * PIECE]);
    let at = |thread: u32, k: usize| {
        shadow.at(16 - shadow.at(0) % 8 + 8 * (k * THREADS as usize + thread as usize))
    };
    team(pieces, |thread, meet| {
        for k in 0..300 {
            for i in 0..=k % 3 {
                adrt_sum_double(with_exposed_provenance_mut(at(thread, k)), (i + 1) as f64);
            }
        }
        for k in 0..300 {
            let own = at(thread, k);
            adrt_sum_settle(with_exposed_provenance_mut(own), 8);
            assert_eq!(read::<f64>(own), [1.0, 3.0, 6.0][k % 3]);
            // SAFETY: no other thread has it.
            unsafe { with_exposed_provenance_mut::<f64>(own).write(0.0) };
        }
        meet();
        (0..300).for_each(|k| assert_eq!(read::<f64>(at(thread, k)), 0.0));
    });
}

#[test]
fn what_no_thread_added_to_keeps_its_bits() {
    let shadow = Shadow(vec![0x80; 2 * PIECE]);
    let base = 8 - shadow.at(0) % 8;
    team(pieces, |thread, _| {
        for k in (0..1000).filter(|k| k % 10 == 0) {
            if thread == 0 {
                // SAFETY: sums begin at zero; no other thread writes.
                unsafe { with_exposed_provenance_mut::<u64>(shadow.at(base + 8 * k)).write(0) };
            }
        }
    });
    team(pieces, |_, _| {
        for k in (0..1000).filter(|k| k % 10 == 0) {
            adrt_sum_double(with_exposed_provenance_mut(shadow.at(base + 8 * k)), 1.0);
        }
    });
    for k in 0..1000 {
        let at = shadow.at(base + 8 * k);
        match k % 10 {
            0 => assert_eq!(read::<f64>(at), f64::from(THREADS)),
            _ => assert_eq!(read::<f64>(at).to_bits(), 0x8080_8080_8080_8080),
        }
    }
}

#[test]
fn places_that_are_not_aligned_are_kept_one_by_one() {
    let shadow = Shadow(vec![0; 3 * PIECE]);
    let base = shadow.at(0).next_multiple_of(PIECE) - shadow.at(0) + PIECE - 4 - 12 * 50;
    for way in [pieces as fn(&Arc<Owners>, u32) -> Way, |_, _| Way::Atomic] {
        team(way, |_, _| {
            for k in 0..100 {
                adrt_sum_double(with_exposed_provenance_mut(shadow.at(base + 12 * k)), k as f64);
            }
        });
    }
    for k in 0..100 {
        assert_eq!(read::<f64>(shadow.at(base + 12 * k)), 2.0 * f64::from(THREADS) * k as f64);
    }
}

#[test]
fn variables_of_a_thread_are_added_to_in_place() {
    team(
        |owners, thread| {
            // Whoever comes first owns the piece; this thread's variables are still its own. They may lie above
            // this frame, which is gone by then, but not as far as that.
            let here = 0u8;
            Way::Pieces(owners.clone(), thread, (&raw const here).addr() + PIECE)
        },
        |_, _| {
            let mut own = [0.0f64; 64];
            for (k, cell) in own.iter_mut().enumerate() {
                adrt_sum_double(cell, k as f64);
            }
            assert!(own.iter().enumerate().all(|(k, x)| *x == k as f64));
        },
    );
}

/// *at += d by a loop of so many iterations, as generated code does: whole runs at a distance, and others by the tables.
fn loop_of<R: Real>(
    ask: extern "C" fn(usize, usize, isize, u64) -> Run,
    by_tables: extern "C" fn(*mut R, R),
    (at, step, count): (usize, isize, u64),
    d: R,
) {
    let mut done = 0;
    while done < count {
        let here = |k: u64| at.wrapping_add_signed(step * k as isize);
        // What an iteration accesses ends behind its cell.
        let run = ask(here(done), 2 * size_of::<R>(), step, count - done);
        assert!(run.iterations + run.distance > 0 || run.iterations > 0);
        for k in done..done + run.iterations {
            // SAFETY: nobody else adds there.
            unsafe {
                add(with_exposed_provenance_mut(here(k).wrapping_add(run.distance as usize)), d)
            }
        }
        done += run.iterations;
        if run.iterations == 0 {
            let end = done + run.distance;
            (done..end).for_each(|k| by_tables(with_exposed_provenance_mut(here(k)), d));
            done = end;
        }
        assert!(done <= count, "no more iterations than there are");
    }
}

#[test]
fn loops_add_the_same_in_runs() {
    let shadow = Shadow(vec![0; 8 * CELLS + 64]);
    let base = 8 - shadow.at(0) % 8;
    for way in [pieces as fn(&Arc<Owners>, u32) -> Way, |_, _| Way::Atomic] {
        let shadow = &shadow;
        let walks = |thread: u32| {
            let mut state = u64::from(thread) + 5;
            (0..200).map(move |i| {
                let step = chance(&mut state) as isize % 7 - 3;
                let (at, count) = (chance(&mut state) % CELLS, chance(&mut state) as u64 % 3000);
                let end = at as isize + step * count as isize;
                let count = if (0..CELLS as isize).contains(&end) { count } else { 1 };
                (at, step, count, i % 3 == 0)
            })
        };
        // The second half is of floats, in the first half of the cells.
        let place = |at: usize, is_float: bool| {
            let half = CELLS * 4;
            if is_float {
                shadow.at(base + half + at / 2 * 4)
            } else {
                shadow.at(base + at / 2 * 8)
            }
        };
        team(way, |thread, _| {
            for (at, step, count, is_float) in walks(thread) {
                let (at, step) = (at & !1, step * 2);
                let count = count / 2;
                match is_float {
                    true => {
                        let walk = (place(at, true), step / 2 * 4, count);
                        loop_of(adrt_sum_run_float, adrt_sum_float, walk, 1.0);
                    }
                    false => {
                        let walk = (place(at, false), step / 2 * 8, count);
                        loop_of(adrt_sum_run_double, adrt_sum_double, walk, 1.0);
                    }
                }
            }
        });
        let mut sums = HashMap::<(usize, bool), f64>::default();
        for (at, step, count, is_float) in (0..THREADS).flat_map(walks) {
            for k in 0..count as isize / 2 {
                let at = (at & !1).wrapping_add_signed(step * 2 * k);
                *sums.entry((place(at, is_float), is_float)).or_default() += 1.0;
            }
        }
        assert!(sums.len() > 1000);
        for (&(at, is_float), &sum) in &sums {
            assert_eq!(if is_float { read::<f32>(at) } else { read::<f64>(at) }, sum);
            let bytes = if is_float { size_of::<f32>() } else { size_of::<f64>() };
            // SAFETY: the team is gone.
            unsafe { with_exposed_provenance_mut::<u8>(at).write_bytes(0, bytes) };
        }
    }
}

#[test]
fn a_loop_settles_what_the_thread_kept() {
    let shadow = Shadow(vec![0; 8 * PIECE]);
    let first = shadow.at(0).next_multiple_of(PIECE);
    team(pieces, |thread, meet| {
        let own = first + thread as usize * 8 * 40;
        // All threads share one piece: all but one keep what they add, one by one or in a copy.
        for k in 0..40 {
            adrt_sum_double(with_exposed_provenance_mut(own + 8 * k), 1.0);
        }
        let run = adrt_sum_settled_run(own, 8, 8, 40, 0);
        let by_tables = if run.iterations == 0 { run.distance } else { 0 };
        assert!(run.iterations == 40 || by_tables > 0);
        if by_tables > 0 {
            adrt_sum_settle(with_exposed_provenance_mut(own), 40 * 8);
            assert_eq!(adrt_sum_settled_run(own, 8, 8, 0, 0), Run { iterations: 0, distance: 0 });
        }
        (0..40).for_each(|k| assert_eq!(read::<f64>(own + 8 * k), 1.0));
        meet();
        // Nothing is kept for the next piece.
        let free = first + PIECE + thread as usize * PIECE;
        assert_eq!(adrt_sum_settled_run(free, 8, 8, 40, 0).iterations, 40);
        assert_eq!(adrt_sum_settled_run(free, 8, 8, 40, 16).iterations, 0, "sums in a copy");
    });
}
