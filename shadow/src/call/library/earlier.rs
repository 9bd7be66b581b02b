//! Memory that libraries made before the derivative was asked for, in calls that nobody saw.
//! Generated code gets it by pointers that libraries return, and by pointers in what those lead to.
//! In tangents its dots are in shadow memory, as those of all memory of libraries.
//!
//! The heap does not know it from the program's own blocks. Those that the derivative is asked for
//! with, or that pointers in them and in variables lead to, have shadows elsewhere: they are looked
//! for ([`Reached`]) when such a block is first met in an evaluation. Where one of these objects
//! cannot be searched: there it is unknown.
//!
//! It is unknown where variables of libraries end. The page of a pointer and the next one count as
//! the variable (`VARIABLE`); what lies there besides is no harm: its shadow memory is used by
//! calls only, and they do not find what is put there.

use std::{collections::BTreeMap, ops::Range};

use crate::{
    call::objects::{
        extents::{self, Variable},
        pairs::{Pair, pair},
        reach::words,
    },
    machine::word,
    memory::{
        heap::{self, Block, Owner},
        space::DISTANCE,
        trap_pointers,
    },
    process::modules,
};

/// Bytes behind a pointer to a variable that count at least, a power of two.
const VARIABLE: u64 = 4096;
/// Objects that pointers of the program are followed through.
const MOST: usize = 1 << 20;

/// What is known of a pointer in memory of libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It leads to an object with this shadow.
    Shadow(u64),
    /// It leads to an object that is constant.
    Constant,
    /// It leads to memory of libraries, as far as anyone knows.
    Library,
    /// It may lead to an object whose shadow is unknown.
    Unsure,
}

/// The block that a library may have made before: it was not seen to.
pub fn block(address: u64) -> Option<Block> {
    let is_one = |b: &Block| {
        b.owner == Owner::Ours && address < b.range.end && !heap::is_shadow(b.range.start)
    };
    heap::find(address).filter(|b| word::IS_64 && is_one(b))
}

/// Data of modules: where a visit of library memory may go on.
pub struct Data {
    all: Vec<Range<u64>>,
    variables: Vec<Range<u64>>,
}

impl Data {
    /// What is loaded now; none on i386, where any number may be an address.
    pub fn loaded() -> Self {
        // What the C library keeps is its own: that of the allocator leads to all blocks.
        const OTHERS: [&str; 3] = ["libc.so", "ld-linux", "linux-vdso"];
        let (mut all, mut variables) = (Vec::new(), Vec::new());
        if word::IS_64 {
            for module in modules::loaded()
                .into_iter()
                .filter(|m| !OTHERS.iter().any(|name| m.name().starts_with(name)))
            {
                all.extend(module.segments.iter().filter(|s| !s.2).map(|s| s.0..s.1));
                variables.extend(module.data);
            }
        }
        Self { all, variables }
    }

    /// Whether an address is of a variable or a constant.
    pub fn has(&self, address: u64) -> bool {
        self.all.iter().any(|r| r.contains(&address))
    }

    /// Where the variable may be that an address is in: whole pages, so that few are looked
    /// through. The loader's symbols would say it better, but it looks at all of them.
    pub fn around(&self, address: u64) -> Option<Range<u64>> {
        let page = address & !(VARIABLE - 1);
        let segment = self.variables.iter().find(|r| r.contains(&address))?;
        Some(segment.start.max(page)..segment.end.min(page + 2 * VARIABLE))
    }
}

/// Objects of the program with shadows, that the derivative was asked for with, or that these lead
/// to.
pub struct Reached {
    /// First address, the one behind the last, and how far away the shadow is.
    objects: BTreeMap<u64, (u64, u64)>,
    is_all: bool,
}

impl Reached {
    /// From pointers and their shadows.
    pub fn new(from: Vec<(u64, u64)>, variables: &[Variable]) -> Self {
        let mut it = Self { objects: BTreeMap::new(), is_all: true };
        let mut work: Vec<_> =
            from.into_iter().map(|(primal, shadow)| (primal, shadow, false)).collect();
        while let Some((primal, shadow, is_found)) = work.pop() {
            let is_own = shadow != 0
                && shadow != primal
                && shadow != primal.wrapping_add(DISTANCE)
                && !trap_pointers::is(primal, shadow);
            if primal == 0 || !is_own || it.shadow_of(primal).is_some() {
                continue;
            }
            let Ok(range) = extents::common("an object", primal, shadow, variables) else {
                it.is_all &=
                    is_found && (extents::is_left_over(primal) || extents::is_left_over(shadow));
                continue;
            };
            if it.objects.len() >= MOST {
                it.is_all = false;
                return it;
            }
            let distance = shadow.wrapping_sub(primal);
            it.objects.insert(range.start, (range.end, distance));
            for at in words(&range) {
                // SAFETY: within an object and its shadow.
                let (value, beside) =
                    unsafe { (word::at(at), word::at(at.wrapping_add(distance))) };
                // SAFETY: both words were read just now, in an object and its shadow.
                if unsafe { pair((value, beside), at, (&range, distance), variables) }
                    == Pair::Pointer
                {
                    work.push((value, beside, true));
                }
            }
        }
        it
    }

    /// The shadow of a pointer into one of them.
    fn shadow_of(&self, pointer: u64) -> Option<u64> {
        let (_, (end, distance)) = self.objects.range(..=pointer).next_back()?;
        (pointer < *end).then(|| pointer.wrapping_add(*distance))
    }

    /// What is known of a pointer to a block.
    pub fn known(&self, pointer: u64) -> Origin {
        match self.shadow_of(pointer) {
            Some(shadow) => Origin::Shadow(shadow),
            None if self.is_all => Origin::Library,
            None => Origin::Unsure,
        }
    }
}
