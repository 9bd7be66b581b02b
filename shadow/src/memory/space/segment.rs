//! The segment register that leads to shadow memory.
//!
//! On x86-64 it is GS. Its base is negative: `arch_prctl` takes no such base, only the instruction
//! WRGSBASE does, which Linux allows to programs since 5.9. On i386 it is FS, which no code uses
//! there; the base is that of a descriptor of the thread's (`set_thread_area`). New threads inherit
//! either from the thread that makes them.

use super::{DISTANCE, Error, space};

/// Reserves shadow memory, if that was not done, and lets the segment of this thread lead there.
pub fn install_on_thread() -> Result<(), Error> {
    space();
    machine::install()
}

/// Gives the segment of this thread back.
pub fn uninstall_on_thread() {
    machine::uninstall();
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use std::arch::asm;

    use super::*;

    /// Whether programs may read and write the bases of FS and GS.
    fn is_allowed() -> bool {
        const FSGSBASE: u64 = 1 << 1;
        // SAFETY: no preconditions.
        unsafe { libc::getauxval(libc::AT_HWCAP2) & FSGSBASE != 0 }
    }

    /// The base of the segment GS.
    fn segment() -> u64 {
        let base: u64;
        // SAFETY: the caller saw that programs may do this.
        unsafe { asm!("rdgsbase {}", out(reg) base, options(nomem, nostack, preserves_flags)) };
        base
    }

    fn set_segment(base: u64) {
        // SAFETY: the caller saw that programs may do this, and that nobody else uses GS.
        unsafe { asm!("wrgsbase {}", in(reg) base, options(nostack, preserves_flags)) };
    }

    pub(super) fn install() -> Result<(), Error> {
        if !is_allowed() {
            return Err(Error::Segment("the processor or the kernel does not let programs set it (Linux 5.9 does, from Ivy Bridge on)".into()));
        }
        match segment() {
            DISTANCE => Ok(()),
            0 => {
                set_segment(DISTANCE);
                Ok(())
            }
            other => Err(Error::Segment(format!(
                "something else in this program uses it (its base is {other:#x})"
            ))),
        }
    }

    pub(super) fn uninstall() {
        if is_allowed() && segment() == DISTANCE {
            set_segment(0);
        }
    }
}

#[cfg(target_arch = "x86")]
mod machine {
    use std::{
        arch::asm,
        sync::atomic::{AtomicU32, Ordering},
    };

    use super::*;
    use crate::memory::space::plan::LOWEST;

    /// What the kernel calls `struct user_desc`.
    #[repr(C)]
    struct Descriptor {
        entry: u32,
        base: u32,
        limit: u32,
        /// From the lowest bit: 32-bit code, contents (two), read and execute only, limit in pages,
        /// not present, usable.
        flags: u32,
    }

    const ANY: u32 = u32::MAX;
    /// It grows down: offsets up to the limit have no memory. What is below the first address with
    /// a shadow would be led to the program's own.
    const FLAGS: u32 = 1 | 1 << 1 | 1 << 4 | 1 << 6;
    const LIMIT: u32 = (LOWEST >> 12) as u32 - 1;
    /// The entry of the table, the same in all threads; zero before the first thread asked for one.
    static ENTRY: AtomicU32 = AtomicU32::new(0);

    fn selector() -> u16 {
        let it: u16;
        // SAFETY: a segment register is read.
        unsafe { asm!("mov {0:x}, fs", out(reg) it, options(nomem, nostack, preserves_flags)) };
        it
    }

    fn of_entry(entry: u32) -> u16 {
        // The global table, for programs.
        (entry << 3 | 3) as u16
    }

    pub(super) fn install() -> Result<(), Error> {
        let known = ENTRY.load(Ordering::Acquire);
        match selector() {
            0 => {}
            fs if known != 0 && fs == of_entry(known) => return Ok(()),
            fs => {
                return Err(Error::Segment(format!(
                    "something else in this program uses FS (its selector is {fs:#x})"
                )));
            }
        }
        let mut descriptor = Descriptor {
            entry: if known == 0 { ANY } else { known },
            base: DISTANCE as u32,
            limit: LIMIT,
            flags: FLAGS,
        };
        // SAFETY: it fills the entry's number; other entries are as they were.
        if unsafe { libc::syscall(libc::SYS_set_thread_area, &raw mut descriptor) } != 0 {
            return Err(Error::Segment(format!(
                "the kernel gives no descriptor for it: {}",
                std::io::Error::last_os_error()
            )));
        }
        let entry =
            ENTRY.compare_exchange(0, descriptor.entry, Ordering::AcqRel, Ordering::Acquire);
        if entry.is_err_and(|other| other != descriptor.entry) {
            return Err(Error::Segment("two threads were given different descriptors".into()));
        }
        // SAFETY: a selector of a descriptor that is there; no code uses FS.
        unsafe {
            asm!("mov fs, {0:x}", in(reg) of_entry(descriptor.entry), options(nostack, preserves_flags))
        };
        Ok(())
    }

    pub(super) fn uninstall() {
        let known = ENTRY.load(Ordering::Acquire);
        if known != 0 && selector() == of_entry(known) {
            // SAFETY: a null selector; nobody else uses FS.
            unsafe { asm!("mov fs, {0:x}", in(reg) 0u16, options(nostack, preserves_flags)) };
        }
    }
}
