//! The executable and the libraries that are loaded: what lies where.

use std::{ffi::CStr, ops::Range};

#[cfg(target_arch = "x86")]
use libc::Elf32_Phdr as Header;
#[cfg(target_arch = "x86_64")]
use libc::Elf64_Phdr as Header;

/// An entry of a symbol table (gABI, chapter 4).
#[cfg(target_arch = "x86_64")]
#[repr(C)]
pub struct Symbol {
    /// Where in the string table its name is.
    pub name: u32,
    info: u8,
    other: u8,
    section: u16,
    /// Its address, before the module was loaded somewhere.
    pub value: usize,
    /// Its bytes.
    pub size: usize,
}

/// The same.
#[cfg(target_arch = "x86")]
#[repr(C)]
pub struct Symbol {
    /// Where in the string table its name is.
    pub name: u32,
    /// Its address, before the module was loaded somewhere.
    pub value: usize,
    /// Its bytes.
    pub size: usize,
    info: u8,
    other: u8,
    section: u16,
}

impl Symbol {
    /// Whether it is a variable.
    pub fn is_variable(&self) -> bool {
        self.info & 15 == 1
    }

    /// Whether the module has it, not another one, and it is a function.
    pub fn is_function(&self) -> bool {
        self.section != 0 && (self.info & 15 == 2 || self.is_indirect())
    }

    /// Whether it is a function that returns the one that is meant.
    pub fn is_indirect(&self) -> bool {
        self.info & 15 == 10
    }
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its path; empty for the executable.
    pub path: String,
    /// Its segments: first address, the one behind the last, and whether it may be executed.
    pub segments: Vec<(u64, u64, bool)>,
    /// Its variables, with the tables that the loader fills.
    pub data: Vec<Range<u64>>,
    /// Its variables of the thread that asks, if it has any and they are there.
    pub own: Option<Range<u64>>,
}

impl Module {
    /// Whether an address is in its code.
    pub fn has_code(&self, address: u64) -> bool {
        self.segments.iter().any(|(from, to, runs)| *runs && (*from..*to).contains(&address))
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The code of these modules around an address: a segment.
pub fn code_around(modules: &[Module], address: u64) -> Option<Range<u64>> {
    let code = modules.iter().flat_map(|m| &m.segments).filter(|(_, _, runs)| *runs);
    code.map(|(from, to, _)| *from..*to).find(|range| range.contains(&address))
}

/// All that are loaded at present.
pub fn loaded() -> Vec<Module> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        data: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: `data` is the vector below, `info` is the loader's for the time of the call.
        let (all, info) = unsafe { (&mut *data.cast::<Vec<Module>>(), &*info) };
        let path = if info.dlpi_name.is_null() {
            String::new()
        } else {
            // SAFETY: names of the loader are strings.
            unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned()
        };
        // SAFETY: so many headers are there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let loaded = || headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
        let range = |h: &Header| {
            let from = info.dlpi_addr.wrapping_add(h.p_vaddr) as u64;
            from..from + h.p_memsz as u64
        };
        let segments =
            loaded().map(|h| (range(h).start, range(h).end, h.p_flags & libc::PF_X != 0)).collect();
        let data = loaded().filter(|h| h.p_flags & libc::PF_W != 0).map(range).collect();
        let storage =
            headers.iter().find(|h| h.p_type == libc::PT_TLS && !info.dlpi_tls_data.is_null());
        let own = storage
            .map(|h| info.dlpi_tls_data as u64..info.dlpi_tls_data as u64 + h.p_memsz as u64);
        all.push(Module { path, segments, data, own });
        0
    }
    let mut all = Vec::new();
    // SAFETY: `visit` takes what is handed to it here.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut all).cast()) };
    all
}

/// How many were unloaded so far: where one was, another may be by now.
pub fn unloads() -> u64 {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        data: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: `data` is the number below, `info` is the loader's for the time of the call.
        unsafe { *data.cast::<u64>() = (*info).dlpi_subs };
        // The first one knows.
        1
    }
    let mut count = 0u64;
    // SAFETY: `visit` takes what is handed to it here.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut count).cast()) };
    count
}

/// Whether an address is in a loaded module.
pub fn is_in_module(address: u64) -> bool {
    // SAFETY: plain data that `dladdr` fills; any address may be asked for.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address as *const _, &mut info) != 0
    }
}
