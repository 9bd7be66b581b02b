//! Names of functions in all that is loaded: those that modules export, and those that the symbol
//! tables of their files have, which the loader does not know: of a library that was linked
//! statically, say.

use std::{
    collections::HashMap,
    fs::File,
    os::unix::fs::FileExt,
    sync::{Arc, Mutex},
};

use super::{exports, modules::Symbol};
use crate::machine::word::{BYTES, IS_64};

/// Functions of files, by path: names, and where they are from the beginning of the module. They
/// stay as they are, so each is read once.
type Files = HashMap<String, Arc<Vec<(&'static str, u64)>>>;
static FILES: Mutex<Option<Files>> = Mutex::new(None);

/// Name and address of each function whose name may be one of a family of [`adrules::outside`] and
/// is wanted.
pub fn each(is_wanted: &dyn Fn(&str) -> bool, visit: &mut dyn FnMut(&'static str, u64)) {
    let beginnings: Vec<[u8; 3]> = adrules::outside::beginnings().collect();
    let mut sieve = [false; 1 << 15];
    let place = |letters: [u8; 3]| {
        letters.iter().fold(0, |at, c| at << 5 | usize::from(c.to_ascii_lowercase() & 31))
    };
    beginnings.iter().for_each(|letters| sieve[place(*letters)] = true);
    let is_wanted = |name: &str| {
        name.as_bytes().first_chunk().is_some_and(|letters| sieve[place(*letters)])
            && is_wanted(name)
    };
    exports::exported(&|_| true, &is_wanted, &mut |name, address| {
        visit(name.to_owned().leak(), address)
    });
    for (path, base, _) in exports::sections() {
        let mut files = FILES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = files.get_or_insert_default().entry(path).or_insert_with_key(|path| {
            let path = if path.is_empty() { "/proc/self/exe" } else { path };
            Arc::new(of_file(path, &is_wanted).unwrap_or_default())
        });
        known.iter().for_each(|(name, value)| visit(name, base + value));
    }
}

/// The functions of a file's symbol table, if it has one.
fn of_file(path: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<(&'static str, u64)>> {
    const TABLE: u64 = 2;
    let file = File::open(path).ok()?;
    let read = |at: u64, bytes: u64| {
        let mut all = vec![0; usize::try_from(bytes).ok()?];
        file.read_exact_at(&mut all, at).ok().map(|()| all)
    };
    let number = |from: &[u8], at: usize, bytes: usize| {
        from[at..at + bytes].iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte))
    };
    let header = read(0, 64)?;
    if !header.starts_with(b"\x7fELF") || (header[4] == 2) != IS_64 {
        return None;
    }
    // Places in the headers (gABI, chapter 4): of the sections, their size and count.
    let (sections, size, count) = if IS_64 { (0x28, 0x3a, 0x3c) } else { (0x20, 0x2e, 0x30) };
    let (start, size, count) =
        (number(&header, sections, BYTES), number(&header, size, 2), number(&header, count, 2));
    let sections = read(start, size * count)?;
    let each: Vec<&[u8]> = sections.chunks_exact(size as usize).collect();
    // Kind, place, bytes and the section that belongs to it.
    let (place, bytes, link) = if IS_64 { (24, 32, 40) } else { (16, 20, 24) };
    let table = each.iter().find(|s| number(s, 4, 4) == TABLE)?;
    let strings = each.get(number(table, link, 4) as usize)?;
    let content = |s: &[u8]| read(number(s, place, BYTES), number(s, bytes, BYTES));
    let (table, strings) = (content(table)?, content(strings)?);
    let symbols = table.chunks_exact(size_of::<Symbol>()).map(|bytes| {
        // SAFETY: plain numbers, in as many bytes.
        unsafe { bytes.as_ptr().cast::<Symbol>().read_unaligned() }
    });
    let name = |symbol: &Symbol| {
        let rest = strings.get(symbol.name as usize..)?;
        std::str::from_utf8(&rest[..rest.iter().position(|c| *c == 0)?])
            .ok()
            .filter(|name| is_wanted(name))
            .map(|name| &*name.to_owned().leak())
    };
    Some(
        symbols
            .filter(|s| s.is_function() && !s.is_indirect())
            .filter_map(|s| Some((name(&s)?, s.value as u64)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[unsafe(no_mangle)]
    extern "C" fn mpi_allreduce_of_this_file_(x: u32) -> u32 {
        x.rotate_left(3)
    }
    #[unsafe(no_mangle)]
    extern "C" fn gex_of_this_file(x: u32) -> u32 {
        x.rotate_left(5)
    }

    #[test]
    fn functions_that_are_not_exported_are_found() {
        assert_eq!(mpi_allreduce_of_this_file_(gex_of_this_file(1)), 256);
        let mut found = vec![];
        each(&|name| adrules::outside::carries(name).is_some(), &mut |name, address| {
            found.push((name, address))
        });
        assert!(
            found.contains(&("gex_of_this_file", gex_of_this_file as *const () as u64)),
            "{found:?}"
        );
        assert!(!found.iter().any(|(name, _)| name.starts_with("mpi_allreduce_of")));
    }
}
