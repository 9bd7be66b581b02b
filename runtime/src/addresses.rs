//! Which words may be addresses (Linux).

/// Nothing lies before this address; and the bytes of a page.
pub(crate) const FIRST_PAGE: u64 = 4096;
/// User space ends here.
pub(crate) const LAST_ADDRESS: u64 =
    if cfg!(target_pointer_width = "64") { 1 << 47 } else { u32::MAX as u64 };

/// Whether a word that is loaded as a pointer leads to memory: where a union holds a number, it hardly
/// does, and no code goes there.
pub(crate) fn leads_to_memory(word: usize) -> bool {
    (FIRST_PAGE..LAST_ADDRESS).contains(&(word as u64)) && is_mapped(word as u64)
}

/// Whether there is memory at an address.
pub(crate) fn is_mapped(address: u64) -> bool {
    let page = (address & !(FIRST_PAGE - 1)) as usize as *mut libc::c_void;
    let mut resident = 0;
    // SAFETY: mincore looks at the page tables only; `resident` has a byte for the one page.
    unsafe { libc::mincore(page, FIRST_PAGE as usize, &mut resident) == 0 }
}
