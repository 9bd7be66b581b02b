//! Which addresses are those of code, in the program and its libraries.
//!
//! Most linkers put instructions in segments of their own. Others (gold, and all where constants are
//! not to have pages of their own: `-z noseparate-code`) put constants beside them: there, the
//! section headers of the file tell.

use libc::{PF_W, PF_X, PT_LOAD, c_int, c_void, dl_iterate_phdr, dl_phdr_info};
use std::{
    ffi::{CStr, OsStr},
    fs::File,
    io,
    mem::MaybeUninit,
    ops::Range,
    os::unix::{ffi::OsStrExt, fs::FileExt},
    path::Path,
    slice,
    sync::{Mutex, PoisonError},
};

#[cfg(target_pointer_width = "32")]
use libc::{Elf32_Ehdr as Header, Elf32_Phdr as Segment, Elf32_Shdr as Section};
#[cfg(target_pointer_width = "64")]
use libc::{Elf64_Ehdr as Header, Elf64_Phdr as Segment, Elf64_Shdr as Section};

/// `sh_flags` of a section: it is loaded, it holds instructions.
const SHF_ALLOC: usize = 2;
const SHF_EXECINSTR: usize = 4;

/// What is loaded of an object.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Instructions.
    pub code: Vec<Range<usize>>,
    /// All else. What is neither is not known.
    pub data: Vec<Range<usize>>,
}

/// Whether `address` lies in code.
pub fn holds(address: usize) -> bool {
    let mut search = (address, false);
    if address != 0 {
        // SAFETY: `visit` takes what the loader gives, and the search outlives the call.
        unsafe { dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    }
    search.1
}

/// Looks at one object; an answer other than zero ends the search.
///
/// # Safety
/// `object` is the loader's, `data` the address and whether it was found.
unsafe extern "C" fn visit(object: *mut dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let (object, search) = unsafe { (&*object, &mut *data.cast::<(usize, bool)>()) };
    // SAFETY: the loader's.
    let segments = unsafe { segments(object) };
    let is_there = |s: &Segment| s.p_flags & PF_X != 0 && range(object, s).contains(&search.0);
    if !loaded(segments).any(is_there) {
        return 0;
    }
    search.1 = has_own_segments(segments) || {
        // SAFETY: the loader's.
        unsafe { mixed(object) }.code.iter().any(|code| code.contains(&search.0))
    };
    1
}

/// What is code in a loaded object, and what is not.
///
/// # Safety
/// `object` is the loader's.
pub unsafe fn parts(object: &dl_phdr_info) -> Parts {
    // SAFETY: the caller's promise.
    let segments = unsafe { segments(object) };
    if !has_own_segments(segments) {
        // SAFETY: the caller's promise.
        return unsafe { mixed(object) };
    }
    let mut parts = Parts::default();
    for segment in loaded(segments) {
        let is_code = segment.p_flags & PF_X != 0;
        let side = if is_code { &mut parts.code } else { &mut parts.data };
        side.push(range(object, segment));
    }
    parts
}

/// # Safety
/// `object` is the loader's.
unsafe fn segments(object: &dl_phdr_info) -> &[Segment] {
    match object.dlpi_phdr.is_null() {
        true => &[],
        // SAFETY: the loader gives as many segments as it says.
        false => unsafe { slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) },
    }
}

fn loaded(segments: &[Segment]) -> impl Iterator<Item = &Segment> {
    segments.iter().filter(|s| s.p_type == PT_LOAD)
}

fn range(object: &dl_phdr_info, segment: &Segment) -> Range<usize> {
    let start = object.dlpi_addr.wrapping_add(segment.p_vaddr) as usize;
    start..start + segment.p_memsz as usize
}

/// Whether instructions have segments of their own: constants have one, too.
fn has_own_segments(segments: &[Segment]) -> bool {
    loaded(segments).any(|s| s.p_flags & (PF_X | PF_W) == 0)
}

/// Objects whose sections were read: where their headers are, and after how many loads and unloads.
static READ: Mutex<Vec<(usize, [u64; 2], Parts)>> = Mutex::new(Vec::new());

/// The parts of an object whose constants lie beside its instructions.
///
/// # Safety
/// `object` is the loader's.
unsafe fn mixed(object: &dl_phdr_info) -> Parts {
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let when = [object.dlpi_adds, object.dlpi_subs];
    all.retain(|known| known.1 == when);
    let at = object.dlpi_phdr as usize;
    if let Some((.., parts)) = all.iter().find(|known| known.0 == at) {
        return parts.clone();
    }
    // SAFETY: the caller's promise.
    let segments = unsafe { segments(object) };
    let name = match object.dlpi_name.is_null() {
        true => c"",
        // SAFETY: names of the loader are strings.
        false => unsafe { CStr::from_ptr(object.dlpi_name) },
    };
    let is_kernels = name.to_bytes().starts_with(b"linux-");
    let path = match name.is_empty() {
        true => Path::new("/proc/self/exe"),
        false => Path::new(OsStr::from_bytes(name.to_bytes())),
    };
    let sections = sections(path, segments).unwrap_or_default();
    let mut parts = Parts::default();
    for segment in loaded(segments) {
        let whole = range(object, segment);
        if segment.p_flags & PF_X == 0 {
            parts.data.push(whole);
            continue;
        }
        if is_kernels {
            parts.code.push(whole);
            continue;
        }
        for section in sections.iter().filter(|s| s.sh_flags as usize & SHF_ALLOC != 0) {
            let start = object.dlpi_addr.wrapping_add(section.sh_addr) as usize;
            let is_code = section.sh_flags as usize & SHF_EXECINSTR != 0;
            if whole.contains(&start) {
                let side = if is_code { &mut parts.code } else { &mut parts.data };
                side.push(start..start + section.sh_size as usize);
            }
        }
    }
    all.push((at, when, parts.clone()));
    parts
}

/// The section headers of a file, if it is the one that was loaded: it has these segments.
fn sections(path: &Path, segments: &[Segment]) -> io::Result<Vec<Section>> {
    let file = File::open(path)?;
    let header: Header = read(&file, 0, 1)?.remove(0);
    let is_elf = header.e_ident.starts_with(b"\x7fELF");
    let count = usize::from(header.e_phnum);
    if !is_elf || usize::from(header.e_shentsize) != size_of::<Section>() || count != segments.len()
    {
        return Ok(vec![]);
    }
    let of_file: Vec<Segment> = read(&file, header.e_phoff as usize, count)?;
    let is_same = |(a, b): (&Segment, &Segment)| {
        [a.p_vaddr, a.p_memsz, a.p_offset] == [b.p_vaddr, b.p_memsz, b.p_offset]
    };
    match of_file.iter().zip(segments).all(is_same) {
        true => read(&file, header.e_shoff as usize, header.e_shnum.into()),
        false => Ok(vec![]),
    }
}

/// So many records of a file. `T` consists of integers.
fn read<T: Copy>(file: &File, at: usize, count: usize) -> io::Result<Vec<T>> {
    let mut all = vec![MaybeUninit::<T>::zeroed(); count];
    let bytes = size_of_val(all.as_slice());
    // SAFETY: the vector's, which is not used otherwise meanwhile.
    let place = unsafe { slice::from_raw_parts_mut(all.as_mut_ptr().cast::<u8>(), bytes) };
    file.read_exact_at(place, at as u64)?;
    // SAFETY: any bytes are integers.
    Ok(all.into_iter().map(|one| unsafe { one.assume_init() }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_code_and_variables_are_not() {
        static VARIABLE: u64 = 3;
        let local = VARIABLE;
        assert!(holds(holds as *const () as usize));
        assert!(holds(dl_iterate_phdr as *const () as usize), "of a library");
        assert!(
            !holds(&raw const VARIABLE as usize) && !holds(&raw const local as usize) && !holds(0)
        );
    }

    /// What the sections say of this program, where its segments say it, too.
    #[test]
    fn sections_agree_with_segments() {
        unsafe extern "C" fn first(object: *mut dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
            // SAFETY: the loader's.
            let (object, mixed) = unsafe { (&*object, mixed(&*object)) };
            let is_in = |all: &[Range<usize>], at: usize| all.iter().any(|part| part.contains(&at));
            static VARIABLE: u64 = 3;
            assert!(object.dlpi_phnum > 0);
            assert!(is_in(&mixed.code, holds as *const () as usize));
            assert!(!is_in(&mixed.code, &raw const VARIABLE as usize));
            1
        }
        // SAFETY: the program comes first.
        unsafe { dl_iterate_phdr(Some(first), std::ptr::null_mut()) };
    }
}
