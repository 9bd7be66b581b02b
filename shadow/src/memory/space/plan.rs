//! Where shadow memory lies in the address space, on either machine.
//!
//! x86-64: 16 TiB below. i386, in 4 GiB of which a 64-bit kernel gives all to the program: the
//! executable and its heap have their shadows 1 GiB below, libraries, mappings and stacks likewise:
//!
//! ```text
//! 0x0001_0000 free        0x1000_0000 shadows of the heap        0x4000_0000 free        0x5000_0000 executable, heap
//! 0x8000_0000 shadows of libraries        0xc000_0000 libraries, mappings, stacks        0xffff_e000 the kernel's
//! ```
//!
//! What the program maps between, because there is no more room where the kernel begins, has no
//! shadow.

#[cfg(target_arch = "x86_64")]
mod machine {
    use std::ops::Range;

    /// What is added to an address to get that of its shadow.
    pub const DISTANCE: u64 = 0u64.wrapping_sub(0x1000_0000_0000);
    /// The first address that the distance reaches: shadows need an address that may be mapped.
    pub const LOWEST: u64 = 0u64.wrapping_sub(DISTANCE) + 0x1_0000;
    /// Where the program's half of the address space ends, less the last page, which is never
    /// mapped.
    pub const HIGHEST: u64 = 0x7fff_ffff_f000;
    /// What may have shadows.
    #[allow(clippy::single_range_in_vec_init)] // There are two on i386.
    pub const WINDOWS: [Range<u64>; 1] = [LOWEST..HIGHEST];
    /// What has none and is nobody's.
    pub const FREE: [Range<u64>; 0] = [];
    const GIB: u64 = 1 << 30;
    /// Mappings that are nearer to each other than this are of one zone.
    pub const GAP: u64 = 64 * GIB;
    /// Room below and above the executable and its heap.
    pub const ROOM_OF_HEAP: (u64, u64) = (64 * GIB, 2048 * GIB);
    /// Room below and above other mappings.
    pub const ROOM: (u64, u64) = (4096 * GIB, 4096 * GIB);
}

#[cfg(target_arch = "x86")]
mod machine {
    use std::ops::Range;

    /// What is added to an address to get that of its shadow.
    pub const DISTANCE: u64 = 0u64.wrapping_sub(0x4000_0000);
    /// The first address that has a shadow.
    pub const LOWEST: u64 = 0x5000_0000;
    /// Where the program's address space ends.
    pub const HIGHEST: u64 = 0xffff_e000;
    /// What may have shadows.
    pub const WINDOWS: [Range<u64>; 2] = [LOWEST..0x8000_0000, 0xc000_0000..HIGHEST];
    /// What has none and is nobody's.
    pub const FREE: [Range<u64>; 2] = [0x4000_0000..0x5000_0000, 0x0100_0000..0x1000_0000];
    const GIB: u64 = 1 << 30;
    /// Mappings that are nearer to each other than this are of one zone.
    pub const GAP: u64 = GIB;
    /// Room below and above the executable and its heap.
    pub const ROOM_OF_HEAP: (u64, u64) = (GIB, GIB);
    /// Room below and above other mappings.
    pub const ROOM: (u64, u64) = (GIB, GIB);
}

pub use machine::*;
