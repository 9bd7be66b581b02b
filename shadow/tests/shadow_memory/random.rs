//! Random objects in one piece of memory, against a model that knows for each byte whose it is.

use adshadow::memory::{
    objects::{Extent, Object, Policy, ScalarKind},
    registry::{Mode, Registry},
    space,
};
use proptest::prelude::*;

const WORDS: usize = 64;
const BYTES: usize = 8 * WORDS;

/// The memory of a test, aligned as reals of all kinds are.
struct Memory(Vec<u128>);

impl Memory {
    fn new() -> Self {
        Self(vec![0; BYTES / 16])
    }

    fn at(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    fn byte(&mut self, i: usize) -> &mut u8 {
        // SAFETY: so many bytes.
        unsafe { &mut *self.0.as_mut_ptr().cast::<u8>().add(i) }
    }
}

fn in_shadow_memory(memory: &Memory, i: usize) -> *mut u8 {
    space::of(memory.at() + i as u64) as *mut u8
}

/// An object of the test: first byte, bytes, where its shadow is, what it holds.
#[derive(Clone, Debug)]
struct Part {
    from: usize,
    bytes: usize,
    /// Which memory has the shadow, and how many bytes further; none if constant.
    shadow: Option<(usize, usize)>,
    kind: ScalarKind,
}

fn part() -> impl Strategy<Value = Part> {
    let shadow = prop_oneof![8 => Just(Some((0, 0))), 2 => Just(Some((1, 0))), 1 => Just(Some((0, 64))), 2 => Just(None)];
    let kind = prop_oneof![4 => Just(ScalarKind::F64), 1 => Just(ScalarKind::F32), 1 => Just(ScalarKind::F80), 2 => Just(ScalarKind::Unknown)];
    (0..BYTES / 4 - 40, 0usize..16, shadow, kind, any::<bool>()).prop_map(
        |(from, count, shadow, kind, even)| {
            let from = if even { (4 * from) & !15 } else { 4 * from };
            Part { from, bytes: count.min(8) * kind.stride() as usize, shadow, kind }
        },
    )
}

/// Whose a byte is.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Owner {
    shadow: Option<(usize, usize)>,
    kind: ScalarKind,
    phase: usize,
}

/// The owners of all bytes, if the parts go together.
fn model(parts: &[Part]) -> Option<Vec<Option<Owner>>> {
    let mut owners: Vec<Option<Owner>> = vec![None; BYTES];
    let mut taken: [Vec<Option<usize>>; 2] = [vec![None; BYTES + 64], vec![None; BYTES + 64]];
    for part in parts {
        for i in part.from..part.from + part.bytes {
            let new = Owner {
                shadow: part.shadow,
                kind: part.kind,
                phase: part.from % part.kind.stride() as usize,
            };
            owners[i] = Some(match owners[i] {
                None => new,
                Some(old) if old.shadow != new.shadow => return None,
                Some(old) if old.kind == ScalarKind::Unknown => new,
                Some(old) if new.kind == ScalarKind::Unknown || new.shadow.is_none() => old,
                Some(old) if (old.kind, old.phase) != (new.kind, new.phase) => return None,
                Some(old) => old,
            });
            if let Some((memory, further)) = part.shadow {
                let place = &mut taken[memory][i + further];
                if place.is_some_and(|other| other != i) {
                    return None;
                }
                *place = Some(i);
            }
        }
    }
    Some(owners)
}

/// Whether a byte of an owner's element holds a part of its number.
fn is_used(owner: Owner, i: usize) -> bool {
    owner.kind != ScalarKind::F80 || (i - owner.phase) % 16 < 10
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn dots_go_there_and_back(
        parts in proptest::collection::vec(part(), 0..6),
        dots in proptest::collection::vec(any::<u8>(), 2 * BYTES + 128),
        writes in proptest::collection::vec((0..WORDS, any::<u64>()), 0..12),
        drop in any::<bool>(),
    ) {
        let mut primal = Memory::new();
        space::covers(primal.at()..primal.at() + BYTES as u64).expect("heap");
        for (i, byte) in (0..BYTES).zip([7, 1, 9].into_iter().cycle()) {
            *primal.byte(i) = byte;
        }
        let mut shadows = [vec![0u8; BYTES + 64], vec![0u8; BYTES + 64]];
        for (i, dot) in dots.iter().enumerate() {
            shadows[i / (BYTES + 64)][i % (BYTES + 64)] = *dot;
        }
        let before = shadows.clone();
        let objects: Vec<_> = parts.iter().map(|p| Object {
            name: "part",
            primal: primal.at() + p.from as u64,
            shadow: p.shadow.map(|(memory, further)| shadows[memory].as_mut_ptr() as u64 + (p.from + further) as u64),
            extent: Extent::Bytes(p.bytes as u64),
            kind: p.kind,
        }).collect();
        // What is left over of earlier calls, and of the library.
        for i in 0..BYTES {
            // SAFETY: the heap is covered.
            unsafe { in_shadow_memory(&primal, i).write(0x55) };
        }
        let policy = if drop { Policy::Drop } else { Policy::Refuse };
        let mut registry = Registry::default();
        // SAFETY: all parts are within the memories.
        let entered = unsafe { registry.enter(&objects, policy, Mode::Tangent) };
        let owners = model(&parts);
        prop_assert_eq!(entered.is_ok(), owners.is_some(), "{:?}", entered);
        if let Some(owners) = owners {
            let mut expected = [0x55u8; BYTES];
            for (i, owner) in owners.iter().enumerate() {
                match owner {
                    None => {}
                    Some(Owner { shadow: Some((memory, further)), .. }) if is_used(owner.expect("is"), i) => {
                        expected[i] = before[*memory][i + further];
                    }
                    Some(_) => expected[i] = 0,
                }
            }
            // SAFETY: covered.
            let found: Vec<u8> = (0..BYTES).map(|i| unsafe { in_shadow_memory(&primal, i).read() }).collect();
            prop_assert_eq!(&found[..], &expected[..]);
            let mut lost = false;
            // A word of a long double without the rest of it is refused
            // (tests/prebuilt/long_double_signs_right_or_refused.c).
            let is_torn = |word: usize| owners[8 * word..8 * (word + 1)].iter().any(|o| o.is_some_and(|o| o.kind == ScalarKind::F80));
            for (word, value) in writes.iter().filter(|(word, _)| !is_torn(*word)) {
                for (i, byte) in (8 * word..).zip(value.to_le_bytes()) {
                    lost |= owners[i].is_some_and(|o| o.shadow.is_none()) && byte != 0;
                    expected[i] = byte;
                    // SAFETY: covered.
                    unsafe { in_shadow_memory(&primal, i).write(byte) };
                }
            }
            // A later write may take away what an earlier one left.
            lost &= owners.iter().zip(expected).any(|(o, e)| o.is_some_and(|o| o.shadow.is_none()) && e != 0);
            // SAFETY: as for `enter`.
            let left = unsafe { registry.leave() };
            prop_assert_eq!(left.is_err(), lost && !drop, "{:?}", left);
            let mut after = before.clone();
            for (i, owner) in owners.iter().enumerate() {
                // SAFETY: covered.
                let found = unsafe { in_shadow_memory(&primal, i).read() };
                prop_assert_eq!(found, if owner.is_some() { 0 } else { expected[i] });
                if let Some(owner) = owner && let Some((memory, further)) = owner.shadow && is_used(*owner, i) {
                    after[memory][i + further] = expected[i];
                }
            }
            if left.is_ok() {
                prop_assert_eq!(&shadows, &after);
            }
        }
        space::clear(primal.at()..primal.at() + BYTES as u64).expect("heap");
    }
}
