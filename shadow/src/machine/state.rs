//! What a thread has beside the processor's own registers while it runs translated code.
//!
//! Translated code reaches the state through the segment register of thread-local storage, so it
//! needs no register of the program's.

/// Native functions that are under way in one thread at once, by callbacks, at most.
pub const RETURNS: usize = 1024;
/// The shadow of a value that was computed from bits of active reals: it may be looked at, and is
/// NaN to who takes it for a dot. All bits are set, so that a real that is put together of parts of
/// it is NaN too, in every format.
pub const UNKNOWN: u64 = u64::MAX;
/// Squares of the least sums that a constant that rounds can make: of doubles, four times, and of
/// floats, eight times.
pub const LIMITS: [u64; 8] = {
    let (double, float) = (0x44f0_0000_0000_0000, 0x5680_0000_5680_0000);
    [double, double, double, double, float, float, float, float]
};
/// Stubs that append entries to a recording.
pub const STUBS: usize = 12 * 9;
/// Shadows, values and partials that statements of one block keep.
pub const LEAVES: usize = 64;
/// See [`LEAVES`].
pub const VALUES: usize = 64;
/// See above.
pub const ADJOINTS: usize = 160;
/// Entries of a thread's [`Table`].
pub const TABLE: usize = 4096;

/// The state of one thread. Its place is in `state.c`; all offsets are those of this struct.
#[repr(C, align(64))]
pub struct State {
    /// General registers while Rust code runs, in the order of their numbers.
    pub gpr: [u64; 16],
    /// RFLAGS while Rust code runs.
    pub flags: u64,
    /// Where the program is to go on: an address of the program's, not one of translated code.
    pub next: u64,
    /// The slot of the jump that led here, zero if there is none: it is to lead to the translation
    /// next time.
    pub link: u64,
    /// Where the processor is to go on.
    pub jump: u64,
    /// The thread's table of translations, for indirect jumps.
    pub table: *mut Table,
    /// The code that saves the program's registers and calls `dispatch`.
    pub dispatch: u64,
    /// Why `dispatch` is called: a [`Reason`].
    pub reason: u64,
    /// The general registers that may be active there: the bits of a `Mask`.
    pub context: u64,
    /// What stubs keep of registers that they use.
    pub saved: [u64; 4],
    /// Where the next return address goes that a native function must not see: into the thread's
    /// own stack of them.
    pub returns: *mut u64,
    /// The program's vector and x87 registers while Rust code runs: the area that `xsave64` wrote.
    pub area: *mut u8,
    /// What Rust code is to find the shadows of: a [`crate::translate::slow_path::site::Site`], or
    /// a function with a library model by its address.
    pub instruction: u64,
    /// What shadow code keeps of vector registers that it uses.
    pub scratch: [Vector; 4],
    /// The shadow of what has no derivative: NaN as a double and as two floats; twice.
    pub unknown: [u64; 2],
    /// Shadows of vector registers.
    pub vectors: [Vector; 32],
    /// Shadows of general registers.
    pub general: [u64; 16],
    /// [`LIMITS`].
    pub limits: [u64; 8],
    /// Shadows of the registers of the x87 unit, by their numbers in the unit, not by their places
    /// in its stack: ten bytes of each.
    pub x87: [[u8; 16]; 8],
    /// Zero if none of them is active.
    pub x87_active: u64,
    /// What a test keeps of a borrowed register.
    pub aside: Vector,
    /// The recording of this thread.
    pub record: Record,
}

/// What code that records shares with Rust code: see [`crate::recording`].
#[repr(C, align(64))]
pub struct Record {
    /// Where the next entry goes.
    pub cursor: u64,
    /// If the cursor is beyond, Rust code has to find room.
    pub limit: u64,
    /// The index of the next entry.
    pub next: u64,
    /// If it is beyond, Rust code has to find more indices.
    pub last: u64,
    /// Code that appends entries, by shape: `emit::record::Shape`.
    pub stubs: [u64; STUBS],
    /// What that keeps of registers: RAX, RCX, RDX, RSI, RDI, R8 and flags. What statements keep is
    /// named where they are written.
    pub saved: [u64; 8],
    /// What is added to the bits of a float's exponent to have a double's.
    pub bias: u64,
    /// Indices of an instruction's operands, lane by lane.
    pub indices: [Vector; 3],
    /// Partials by its operands, or their values.
    pub partials: [Vector; 3],
    /// Indices of its results.
    pub results: Vector,
    /// `emit::record::direct::CONSTANTS`.
    pub constants: [Vector; 12],
    /// What statements keep until they are recorded: shadows of leaves.
    pub leaves: [u64; LEAVES],
    /// Values.
    pub values: [u64; VALUES],
    /// Partials of their results.
    pub adjoints: [u64; ADJOINTS],
    /// The partial of what was not multiplied.
    pub one: f64,
}

/// A vector register, as wide as they come.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default)]
pub struct Vector(pub [u64; 8]);

/// Why translated code calls Rust code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Reason {
    /// A jump to code that the jump does not know.
    Jump = 0,
    /// A call from the program that was compiled here.
    Enter = 1,
    /// An instruction whose shadows Rust code computes, before the instruction itself.
    Shadows = 2,
    /// A function with a library model, before it runs.
    Before = 3,
    /// The same, behind it.
    After = 4,
    /// An instruction that code which records cannot do: Rust code does, and comes back to it.
    Record = 5,
    /// A statement for which there is no code, or whose code cannot do it.
    Statement = 6,
}

/// Where the translation of an address of the program's is, for one context.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Entry {
    /// The address, and the context in the 16 bits above it; zero in no entry.
    pub key: u64,
    /// The code.
    pub code: u64,
}

/// Translations by address, direct mapped. An entry that does not fit is asked of the engine.
#[repr(C)]
pub struct Table {
    /// Address of the program's, and where its translation is.
    pub entries: [Entry; TABLE],
}

impl Table {
    /// What an entry has for an address.
    pub fn key(address: u64, context: u64) -> u64 {
        address ^ context << 48
    }

    /// The entry of an address; `stubs::look_up` computes the same.
    pub fn index(address: u64) -> usize {
        ((address ^ (address >> 4)) as usize) & (TABLE - 1)
    }
}

unsafe extern "C" {
    fn adshadow_state_of_thread() -> *mut State;
    fn adshadow_state_offset() -> libc::c_long;
    fn adshadow_state_size() -> libc::c_long;
}

/// The state of this thread.
pub fn of_thread() -> *mut State {
    // SAFETY: no preconditions.
    unsafe { adshadow_state_of_thread() }
}

/// Where the state lies, from the thread pointer: in all threads.
pub fn offset() -> i32 {
    // SAFETY: no preconditions.
    let (offset, size) = unsafe { (adshadow_state_offset(), adshadow_state_size()) };
    assert!(size_of::<State>() <= size as usize, "state.c makes room for all of the state");
    i32::try_from(offset).expect("thread-local storage is near the thread pointer")
}
