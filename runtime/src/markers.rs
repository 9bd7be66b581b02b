//! What the directives of checkpointing (ad.h) do in a program that is compiled without the plugin:
//! nothing.
//!
//! The plugin takes them out of what it differentiates. Fortran calls the names with an underscore,
//! and passes addresses.

use libc::{c_double, c_int, c_ulong, c_void};

/// The loop around it is checkpointed.
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_loop(_snapshots: c_int) {}

/// The loop around it has independent steps.
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_independent() {}

/// The loop around it iterates to a fixed point.
#[unsafe(no_mangle)]
pub extern "C" fn ad_fixed_point(_tolerance: c_double) {}

/// A checkpointed region begins.
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_begin() {}

/// A checkpointed region ends.
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_end() {}

/// Calls from here on are recorded.
#[unsafe(no_mangle)]
pub extern "C" fn ad_split_begin() {}

/// Calls from here on are as others.
#[unsafe(no_mangle)]
pub extern "C" fn ad_split_end() {}

/// So many bytes at an address belong to the state of the checkpointed loop that follows.
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_state(_at: *const c_void, _bytes: c_ulong) {}

/// Fortran's name of [`ad_checkpoint_loop`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_loop_(_snapshots: *const c_int) {}

/// Fortran's name of [`ad_checkpoint_independent`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_independent_() {}

/// Fortran's name of [`ad_fixed_point`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_fixed_point_(_tolerance: *const c_void) {}

/// Fortran's name of [`ad_checkpoint_begin`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_begin_() {}

/// Fortran's name of [`ad_checkpoint_end`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_end_() {}

/// Fortran's name of [`ad_split_begin`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_split_begin_() {}

/// Fortran's name of [`ad_split_end`].
#[unsafe(no_mangle)]
pub extern "C" fn ad_split_end_() {}

/// Fortran's name of [`ad_checkpoint_state`]; the number of bytes is an integer of 4 or 8 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ad_checkpoint_state_(_at: *const c_void, _bytes: *const c_void) {}
