//! Shared libraries among what is linked that use the program's shadow runtime.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::read::elf::{ElfFile32, ElfFile64};
use object::{Endianness, Object, ObjectSymbol};

use super::TABLE;
use crate::command_line::{Argument, CommandLine};

/// Whether one is given as a file, or by `-l` in a folder that the command names. The system's
/// folders are not searched: `--ad-host` says it for libraries there.
pub fn any(line: &CommandLine) -> bool {
    let words: Vec<&OsStr> = line
        .arguments
        .iter()
        .flat_map(|argument| match argument {
            Argument::Plain(word) => std::slice::from_ref(word),
            Argument::Rewritten(inner) => inner,
        })
        .map(OsString::as_os_str)
        .collect();
    let folders = values(&words, b"-L");
    let named = values(&words, b"-l").into_iter().flat_map(|name| {
        let file = format!("lib{}.so", name.to_string_lossy());
        folders.iter().map(move |folder| Path::new(folder).join(&file))
    });
    let is_library = |path: &PathBuf| path.to_string_lossy().contains(".so");
    let given = line.inputs.iter().map(|input| PathBuf::from(&input.path)).filter(is_library);
    given.chain(named).any(|path| refers(&path))
}

/// The values of an option, written with it or behind it.
fn values<'a>(words: &[&'a OsStr], option: &[u8]) -> Vec<&'a OsStr> {
    let mut values = vec![];
    let mut each = words.iter();
    while let Some(word) = each.next() {
        match word.as_bytes().strip_prefix(option) {
            Some(b"") => values.extend(each.next()),
            Some(value) => values.push(OsStr::from_bytes(value)),
            None => {}
        }
    }
    values
}

/// Whether a file is a shared library that refers to the table.
fn refers(path: &Path) -> bool {
    fn has<'a>(file: &impl Object<'a>) -> bool {
        file.dynamic_symbols().any(|s| s.is_undefined() && s.name() == Ok(TABLE))
    }
    // What is no such file, a linker script for example, is the linker's business.
    let Ok(bytes) = fs::read(path) else { return false };
    ElfFile64::<Endianness>::parse(&*bytes).is_ok_and(|file| has(&file))
        || ElfFile32::<Endianness>::parse(&*bytes).is_ok_and(|file| has(&file))
}
