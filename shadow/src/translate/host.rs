//! What the engine asks of the call boundary, which lies above it: functions that are given to it
//! before it runs a call.

use std::sync::OnceLock;

use crate::{
    Error,
    machine::{general_mask::Mask, state::State},
};

/// The functions of the call boundary that the engine needs.
pub struct Host {
    /// The functions of the interface, which always run as they are.
    pub interface: fn() -> Vec<u64>,
    /// The translator is about to run the first instruction of a function. Loads the shadows of its
    /// arguments, and returns which general registers are active; none if nobody made a call.
    pub enter: fn(&mut State) -> Option<Mask>,
    /// Whether a jump to an address, with this stack pointer, leaves the function that was called.
    pub leaves: fn(u64, u64) -> Result<bool, Error>,
    /// Translated code jumps to an address, which may be of a callback.
    pub calls_back: fn(u64) -> Result<(), Error>,
}

/// Without calls: translated code is entered and left by tests alone.
static NONE: Host =
    Host { interface: Vec::new, enter: |_| None, leaves: |_, _| Ok(false), calls_back: |_| Ok(()) };

static HOST: OnceLock<&'static Host> = OnceLock::new();

/// Gives the functions; the first ones stay.
pub fn set(host: &'static Host) {
    _ = HOST.set(host);
}

/// The functions that were given.
pub(super) fn get() -> &'static Host {
    HOST.get().copied().unwrap_or(&NONE)
}
