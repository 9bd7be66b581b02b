//! The memory that the steps of a checkpointed loop work on.
//!
//! Generated code declares before the loop what the steps reach, object by object; objects may
//! overlap or come twice. What the loop does to a byte is the worst of what is declared of it:
//!
//! ```text
//! carried               steps change it and read what earlier steps left: in every snapshot
//! read-only             steps read it and never change it: saved once
//! scratch               steps change it and read only what they wrote themselves: in no snapshot
//! read-only and scratch carried: what one pointer changes, another reads
//! ```

use crate::tape::give_up;
use std::cell::{Cell, RefCell};

/// What steps do to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// They change it, and read what earlier steps left.
    Carried,
    /// They read it and never change it; code behind the loop may.
    ReadOnly,
    /// They change it, and never read what they did not write.
    Scratch,
}

impl RegionKind {
    /// As generated code encodes it. What is unknown is kept in every snapshot.
    fn from_code(code: u64) -> RegionKind {
        match code {
            2 => RegionKind::ReadOnly,
            3 => RegionKind::Scratch,
            _ => RegionKind::Carried,
        }
    }
    fn bit(self) -> u8 {
        match self {
            RegionKind::Carried => 1,
            RegionKind::ReadOnly => 2,
            RegionKind::Scratch => 4,
        }
    }
    /// Of bytes with all of these declarations.
    fn of_bits(bits: u8) -> Option<RegionKind> {
        match bits {
            0 => None,
            2 => Some(RegionKind::ReadOnly),
            4 => Some(RegionKind::Scratch),
            _ => Some(RegionKind::Carried),
        }
    }
}

/// Bytes from one address up to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first byte.
    pub start: usize,
    /// Behind the last.
    pub end: usize,
}

impl Range {
    /// How many bytes these are.
    pub fn bytes(&self) -> usize {
        self.end - self.start
    }
}

/// All that steps reach: disjoint ranges, ascending, as long as they can be.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Regions {
    /// In every snapshot.
    pub carried: Vec<Range>,
    /// Saved once.
    pub read_only: Vec<Range>,
    /// In no snapshot.
    pub scratch: Vec<Range>,
    /// What is carried and has a size that only the user knows.
    pub declared: Vec<Range>,
}

impl Regions {
    /// The declarations of each byte, once.
    pub fn new(pieces: &[(Range, RegionKind)]) -> Regions {
        // Where something begins to hold or ends, ascending; of each kind, how many ranges lie over
        // the present byte.
        let mut edges: Vec<(usize, bool, RegionKind)> = pieces
            .iter()
            .flat_map(|&(r, kind)| [(r.start, true, kind), (r.end, false, kind)])
            .collect();
        edges.sort_unstable_by_key(|e| e.0);
        let (mut regions, mut open, mut from) = (Regions::default(), [0usize; 3], 0);
        for (at, begins, kind) in edges {
            let bits = [RegionKind::Carried, RegionKind::ReadOnly, RegionKind::Scratch]
                .into_iter()
                .filter(|&k| open[k as usize] > 0);
            if let Some(now) = RegionKind::of_bits(bits.map(RegionKind::bit).sum()) {
                regions.append(now, Range { start: from, end: at });
            }
            from = at;
            let count = &mut open[kind as usize];
            *count = if begins { *count + 1 } else { *count - 1 };
        }
        regions
    }
    fn append(&mut self, kind: RegionKind, range: Range) {
        if range.bytes() == 0 {
            return;
        }
        let list = match kind {
            RegionKind::Carried => &mut self.carried,
            RegionKind::ReadOnly => &mut self.read_only,
            RegionKind::Scratch => &mut self.scratch,
        };
        match list.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => list.push(range),
        }
    }
    /// What steps change, in any order.
    pub fn changed(&self) -> Vec<Range> {
        [&self.carried, &self.scratch].into_iter().flatten().copied().collect()
    }
    /// Everything, in any order.
    pub fn all(&self) -> Vec<Range> {
        [&self.carried, &self.read_only, &self.scratch].into_iter().flatten().copied().collect()
    }
}

thread_local! {
    /// What was declared since the last loop.
    static PENDING: RefCell<Vec<(Range, RegionKind, bool)>> = const { RefCell::new(vec![]) };
    static KEEPS_END: Cell<bool> = const { Cell::new(false) };
    static ROUNDS_FREELY: Cell<bool> = const { Cell::new(false) };
}

/// Of a region's kind: the user declared its size.
const DECLARED: u64 = 16;

/// Memory that belongs to the state of the checkpointed loop that this thread starts next: `kind` 1
/// carried, 2 read-only, 3 scratch; 16 more where the program says how large it is.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_checkpoint_region(at: *mut libc::c_void, bytes: u64, kind: u64) {
    let start = at as usize;
    if start == 0 || bytes == 0 {
        return;
    }
    let Some(end) = usize::try_from(bytes).ok().and_then(|bytes| start.checked_add(bytes)) else {
        too_large(bytes)
    };
    let _ = PENDING.try_with(|declared| {
        declared.borrow_mut().push((
            Range { start, end },
            RegionKind::from_code(kind & !DECLARED),
            kind & DECLARED != 0,
        ))
    });
}

/// Ends the process: no memory has so many bytes behind its address.
fn too_large(bytes: u64) -> ! {
    give_up(
        &format!("AD201: no memory for a snapshot of {bytes} bytes"),
        "state the true size with ad_checkpoint_state(pointer, bytes)",
    )
}

/// Code behind the loop that this thread starts next may change what undoing its last step reads:
/// the driver keeps it.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_checkpoint_keep_end() {
    let _ = KEEPS_END.try_with(|keeps| keeps.set(true));
}

/// Ends the program unless `holds`: an access of the checkpointed loop that starts next may reach
/// beyond what its steps surely access of the memory `name`, so its size is unknown.
///
/// # Safety
/// `name` is a text that ends with zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_checkpoint_require(holds: u64, name: *const libc::c_char) {
    if holds == 0 {
        // SAFETY: the caller's promise.
        let name = unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy();
        give_up(
            &format!("AD213: a snapshot must hold {name}, whose size is not known"),
            "state the size before the loop: ad_checkpoint_state(pointer, bytes)",
        );
    }
}

/// A step with records may round otherwise than one without, in the loop that this thread starts
/// next: what they leave is not compared.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_checkpoint_rounds_freely() {
    let _ = ROUNDS_FREELY.try_with(|rounds| rounds.set(true));
}

/// Bytes of carried memory that are small.
const SMALL: usize = 256;

/// What was declared of the loop that starts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Declarations {
    /// Its memory.
    pub regions: Regions,
    /// Of what is carried, what is small enough to be kept for each step.
    pub small: Vec<Range>,
    /// Its end is to be kept.
    pub keeps_end: bool,
    /// What a step leaves may differ by rounding.
    pub rounds_freely: bool,
}

/// What was declared since the last call on this thread.
pub fn take() -> Declarations {
    let pending = PENDING.try_with(RefCell::take).unwrap_or_default();
    let pieces: Vec<_> = pending.iter().map(|&(range, kind, _)| (range, kind)).collect();
    let declared: Vec<_> =
        pending.iter().filter(|s| s.1 == RegionKind::Carried && s.2).map(|s| (s.0, s.1)).collect();
    let regions = Regions { declared: Regions::new(&declared).carried, ..Regions::new(&pieces) };
    let small: Vec<_> = pieces
        .iter()
        .copied()
        .filter(|(range, kind)| *kind == RegionKind::Carried && range.bytes() <= SMALL)
        .collect();
    let small = Regions::new(&small).carried;
    let flag =
        |f: &'static std::thread::LocalKey<Cell<bool>>| f.try_with(Cell::take).unwrap_or(false);
    Declarations {
        regions,
        small,
        keeps_end: flag(&KEEPS_END),
        rounds_freely: flag(&ROUNDS_FREELY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [RegionKind; 3] = [RegionKind::Carried, RegionKind::ReadOnly, RegionKind::Scratch];

    fn is_in(list: &[Range], byte: usize) -> bool {
        list.iter().any(|r| r.start <= byte && byte < r.end)
    }

    #[test]
    fn each_byte_has_one_kind_the_worst() {
        // Ranges over 40 bytes from a small generator; each byte is compared with what is said of
        // it alone.
        let mut state = 7u64;
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..3000 {
            let pieces: Vec<(Range, RegionKind)> = (0..next(7))
                .map(|_| {
                    let start = 1 + next(40) as usize;
                    (Range { start, end: start + 1 + next(9) as usize }, KINDS[next(3) as usize])
                })
                .collect();
            let regions = Regions::new(&pieces);
            for byte in 0..60 {
                let of: Vec<RegionKind> =
                    pieces.iter().filter(|(r, _)| is_in(&[*r], byte)).map(|s| s.1).collect();
                let has = |k| of.contains(&k);
                let mixed = has(RegionKind::ReadOnly) && has(RegionKind::Scratch);
                let expected = [
                    has(RegionKind::Carried) || mixed,
                    has(RegionKind::ReadOnly) && !has(RegionKind::Carried) && !mixed,
                    has(RegionKind::Scratch) && !has(RegionKind::Carried) && !mixed,
                ];
                let found = [&regions.carried, &regions.read_only, &regions.scratch]
                    .map(|list| is_in(list, byte));
                assert_eq!(found, expected, "byte {byte} of {pieces:?}");
            }
            for list in [&regions.carried, &regions.read_only, &regions.scratch] {
                assert!(
                    list.windows(2).all(|w| w[0].end < w[1].start),
                    "{list:?}: disjoint, ascending, no two that touch"
                );
            }
        }
    }

    #[test]
    fn nothing_and_null_are_no_regions() {
        adrt_checkpoint_region(std::ptr::null_mut(), 8, 1);
        adrt_checkpoint_region(64 as *mut _, 0, 1);
        assert_eq!(take(), Declarations::default());
        adrt_checkpoint_region(64 as *mut _, 8, 2);
        adrt_checkpoint_keep_end();
        let Declarations { regions, keeps_end, .. } = take();
        assert!(
            keeps_end
                && regions.read_only == [Range { start: 64, end: 72 }]
                && regions.declared.is_empty()
        );
        [1, 17, 18]
            .into_iter()
            .for_each(|kind| adrt_checkpoint_region((64 * kind as usize) as *mut _, 8, kind));
        let Declarations { regions, .. } = take();
        assert!(regions.carried.len() == 2 && regions.read_only.len() == 1);
        assert_eq!(regions.declared, [Range { start: 64 * 17, end: 64 * 17 + 8 }]);
        assert_eq!(take(), Declarations::default());
    }
}
