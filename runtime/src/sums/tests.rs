//! Sums of whole numbers, which are exact in any order.

use super::*;
use std::sync::Barrier;

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
