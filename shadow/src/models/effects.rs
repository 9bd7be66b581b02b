//! The effects that the rows of [`super::memory`] and [`super::syscalls`] are made of. All read
//! what a call that has just returned has left.

use super::memory::{Action, Call, Effect};
use crate::machine::word;

/// Bytes of `fenv_t`: the x87's 28, and MXCSR on x86-64.
pub(super) const FENV: usize = if word::IS_64 { 32 } else { 28 };
/// Bytes of an address, and of `long`.
pub(super) const WORD: usize = word::BYTES;
/// What `sprintf` is given room for: all of memory.
pub(super) const ALL: u64 = usize::MAX as u64;
const PAGE: u64 = 4096;

/// What an effect comes to; ranges without bytes are left out.
pub(super) fn actions(effect: Effect, call: &Call) -> Vec<Action> {
    let mut all = Vec::new();
    effect(call, &mut all);
    all.retain(|action| match action {
        Action::Copy { n, .. }
        | Action::Clear { n, .. }
        | Action::Hold { n, .. }
        | Action::Release { n, .. } => *n != 0,
    });
    all
}

pub(super) fn nothing(_: &Call, _: &mut Vec<Action>) {}

pub(super) fn copy(all: &mut Vec<Action>, to: u64, from: u64, n: u64) {
    all.push(Action::Copy { to, from, n });
}

pub(super) fn clear(all: &mut Vec<Action>, at: u64, n: u64) {
    all.push(Action::Clear { at, n });
}

pub(super) fn hold(all: &mut Vec<Action>, from: u64, n: u64) {
    all.push(Action::Hold { from, n });
}

/// Something of a fixed size, if it was asked for.
pub(super) fn stored(all: &mut Vec<Action>, at: u64, n: usize) {
    if at != 0 {
        clear(all, at, n as u64);
    }
}

/// A word with a sign.
pub(super) fn signed(word: u64) -> i64 {
    word as isize as i64
}

/// Whether an `int` function returned zero.
pub(super) fn succeeded(call: &Call) -> bool {
    call.result as i32 == 0
}

/// Bytes of a text, with its end.
pub(super) fn text(at: u64) -> u64 {
    // SAFETY: a call has just read or written the text there.
    unsafe { libc::strlen(at as *const _) as u64 + 1 }
}

/// `strncpy`: a text, then zeros.
pub(super) fn copy_padded(call: &Call, all: &mut Vec<Action>) {
    let [to, from, n, ..] = call.args;
    // SAFETY: so many bytes were written.
    let length = unsafe { libc::strnlen(to as *const _, n as usize) } as u64;
    copy(all, to, from, length);
    clear(all, to + length, n - length);
}

/// A text in new memory.
pub(super) fn duplicate(call: &Call, all: &mut Vec<Action>) {
    fresh(all, call.result);
    if call.result != 0 {
        // Of the text's end only the new one is sure to exist.
        copy(all, call.result, call.args[0], text(call.result) - 1);
    }
}

/// Bytes that may be used of a block of the heap.
fn usable(block: u64) -> u64 {
    // SAFETY: null, or a block of this process's allocator that is not freed.
    unsafe { libc::malloc_usable_size(block as *mut _) as u64 }
}

/// New memory.
pub(super) fn fresh(all: &mut Vec<Action>, block: u64) {
    if block != 0 {
        clear(all, block, usable(block));
    }
}

/// `posix_memalign`.
pub(super) fn allocate_through(call: &Call, all: &mut Vec<Action>) {
    if succeeded(call) {
        clear(all, call.args[0], WORD as u64);
        // SAFETY: it has stored the address of the block there.
        fresh(all, unsafe { word::at(call.args[0]) });
    }
}

/// The bytes of `reallocarray`; as it fails where the product overflows, anything there.
pub(super) fn product(call: &Call) -> u64 {
    call.args[1].saturating_mul(call.args[2])
}

/// Before a block changes its size.
pub(super) fn hold_block(all: &mut Vec<Action>, block: u64, n: u64) {
    if block != 0 {
        hold(all, block, usable(block).min(n));
    }
}

/// After that: `Release` gets the new size, and gives as much as was held.
pub(super) fn moved_block(all: &mut Vec<Action>, call: &Call, n: u64) {
    if call.result != 0 {
        fresh(all, call.result);
        all.push(Action::Release { to: call.result, n });
    }
}

pub(super) fn is_mapped(call: &Call) -> bool {
    call.result != libc::MAP_FAILED as u64
}

pub(super) fn whole_pages(n: u64) -> u64 {
    n.next_multiple_of(PAGE)
}

/// `mremap`. What was at the old place is gone, unless it was asked to stay, as zeros.
pub(super) fn moved_mapping(call: &Call, all: &mut Vec<Action>) {
    if is_mapped(call) {
        clear(all, call.args[0], whole_pages(call.args[1]));
        clear(all, call.result, whole_pages(call.args[2]));
        all.push(Action::Release { to: call.result, n: call.args[2] });
    }
}

/// As many bytes as a call says, if it did not fail.
pub(super) fn received(all: &mut Vec<Action>, at: u64, result: u64) {
    if signed(result) > 0 {
        clear(all, at, result);
    }
}

/// The same into several buffers.
pub(super) fn scattered(all: &mut Vec<Action>, buffers: u64, count: u64, result: u64) {
    let mut left = signed(result).max(0) as u64;
    for i in 0..count & 0xffff_ffff {
        if left == 0 {
            return;
        }
        // SAFETY: the call has read so many of them.
        let buffer = unsafe { *(buffers as *const libc::iovec).add(i as usize) };
        let n = left.min(buffer.iov_len as u64);
        clear(all, buffer.iov_base as u64, n);
        left -= n;
    }
}

/// `recvfrom`: bytes, and an address with its size.
pub(super) fn received_from(call: &Call, all: &mut Vec<Action>) {
    received(all, call.args[1], call.result);
    let (address, size) = (call.args[4], call.args[5]);
    if signed(call.result) >= 0 && address != 0 && size != 0 {
        clear(all, size, 4);
        // SAFETY: the call has stored the size there.
        let size = u64::from(unsafe { *(size as *const u32) });
        clear(all, address, size.min(size_of::<libc::sockaddr_storage>() as u64));
    }
}

/// `recvmsg`: buffers, an address, other data, and what the header says of them.
pub(super) fn message(call: &Call, all: &mut Vec<Action>) {
    if signed(call.result) < 0 {
        return;
    }
    // SAFETY: the call has read and written the header there.
    let header = unsafe { *(call.args[1] as *const libc::msghdr) };
    scattered(all, header.msg_iov as u64, header.msg_iovlen as u64, call.result);
    stored(
        all,
        header.msg_name as u64,
        (header.msg_namelen as usize).min(size_of::<libc::sockaddr_storage>()),
    );
    stored(all, header.msg_control as u64, header.msg_controllen);
    stored(all, call.args[1], size_of::<libc::msghdr>());
}

/// `fread`: whole items, and what may have been read of one more.
pub(super) fn items(all: &mut Vec<Action>, at: u64, size: u64, count: u64, result: u64) {
    clear(all, at, size * (result + 1).min(count));
}

/// A text that `sprintf` wrote to a buffer of `size` bytes, of `result` characters if all had room.
pub(super) fn printed(all: &mut Vec<Action>, at: u64, size: u64, result: u64) {
    let result = result as i32;
    if result >= 0 && size != 0 {
        clear(all, at, size.min(result as u64 + 1));
    } else if size != 0 && size != ALL {
        // It failed halfway.
        clear(all, at, size);
    }
}

/// The same to new memory, whose address is stored.
pub(super) fn print_allocated(call: &Call, all: &mut Vec<Action>) {
    clear(all, call.args[0], WORD as u64);
    if call.result as i32 >= 0 {
        // SAFETY: it has stored the address of the text there.
        fresh(all, unsafe { word::at(call.args[0]) });
    }
}
