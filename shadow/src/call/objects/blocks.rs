//! Blocks of the heap that the program allocated before the request: the tape runtime notes them, and
//! gives them a shadow on first touch (runtime/src/blocks.rs). A library may come to such a block
//! first. It is asked for the shadow then, so that the block has one shadow, whoever comes first.

use std::ffi::c_void;

use crate::{
    machine::word,
    memory::heap::{self, Owner},
};

/// The shadow of a pointer into a block that is noted; null for all others.
pub type OfBlock = extern "C" fn(*mut c_void) -> *mut c_void;

/// The shadow of a pointer into a block of the program's that lay in memory before the request. On
/// i386 half of a real may be any address: there they have none.
pub fn shadow(of_block: Option<OfBlock>, pointer: u64) -> Option<u64> {
    let of_block = of_block.filter(|_| word::IS_64)?;
    heap::find(pointer).filter(|b| b.owner == Owner::Ours && !heap::is_shadow(b.range.start))?;
    let shadow = of_block(pointer as *mut c_void) as u64;
    (shadow != 0).then_some(shadow)
}
