//! Which objects a link loads: those that are named, and members of archives that define what is
//! still missing.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use ::object::read::archive::ArchiveFile;

use super::command::Inputs;
use super::object::{self, Object};
use crate::error::Error;

/// The objects of a link.
#[derive(Debug, Default)]
pub struct Loaded {
    /// In the order in which they are loaded.
    pub objects: Vec<Object>,
}

impl Loaded {
    /// The object whose definition of each symbol counts: the first that is not weak, or else the
    /// first.
    pub fn winners(&self) -> HashMap<&str, usize> {
        let mut winners: HashMap<&str, (usize, bool)> = HashMap::new();
        for (number, object) in self.objects.iter().enumerate() {
            for symbol in &object.defined {
                let winner = winners.entry(&symbol.name).or_insert((number, symbol.is_weak));
                if winner.1 && !symbol.is_weak {
                    *winner = (number, false);
                }
            }
        }
        winners.into_iter().map(|(name, (number, _))| (name, number)).collect()
    }

    /// Whether a request waits for an answer.
    pub fn is_open(&self) -> bool {
        self.objects.iter().flat_map(|o| &o.units).any(|u| !u.header.open.is_empty())
    }
}

/// An archive whose members are loaded when they are needed.
struct Archive {
    bytes: Vec<u8>,
}

/// Loads what is linked. Of several archives that define a symbol the first is taken.
///
/// # Errors
/// [`Error::Io`].
pub fn load(inputs: &Inputs) -> Result<Loaded, Error> {
    let mut state = State::default();
    state.need(&inputs.wanted);
    for input in &inputs.files {
        let Some(bytes) = super::read(input.path.as_os_str())? else { continue };
        match object::read(&bytes) {
            Some(object) => state.add(object),
            None if bytes.starts_with(b"!<arch>\n") => state.archive(bytes, input.is_whole),
            None => {}
        }
        state.settle();
    }
    Ok(state.loaded)
}

#[derive(Default)]
struct State {
    loaded: Loaded,
    defined: HashSet<String>,
    missing: HashSet<String>,
    /// Symbols that are missing and were not looked for.
    next: Vec<String>,
    archives: Vec<Archive>,
    /// The archive and the member that define a symbol.
    lazy: HashMap<String, (usize, Range<usize>)>,
}

impl State {
    fn need(&mut self, symbols: &[String]) {
        for symbol in symbols.iter().filter(|s| !self.defined.contains(*s)) {
            if self.missing.insert(symbol.clone()) {
                self.next.push(symbol.clone());
            }
        }
    }

    fn add(&mut self, object: Object) {
        for symbol in &object.defined {
            self.missing.remove(&symbol.name);
            self.defined.insert(symbol.name.clone());
        }
        self.need(&object.undefined);
        self.loaded.objects.push(object);
    }

    fn archive(&mut self, bytes: Vec<u8>, is_whole: bool) {
        let Ok(archive) = ArchiveFile::parse(&*bytes) else { return };
        if archive.is_thin() {
            return;
        }
        if is_whole {
            let members = archive.members().flatten().filter_map(|m| m.data(&*bytes).ok());
            members
                .filter_map(object::read)
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|o| self.add(o));
            return;
        }
        let number = self.archives.len();
        if let Ok(Some(symbols)) = archive.symbols() {
            for symbol in symbols.flatten() {
                let Ok(name) = std::str::from_utf8(symbol.name()) else { continue };
                if self.lazy.contains_key(name) {
                    continue;
                }
                let Ok(member) = archive.member(symbol.offset()) else { continue };
                let (start, size) = member.file_range();
                let range = start as usize..(start + size) as usize;
                self.lazy.insert(name.to_string(), (number, range));
                if self.missing.contains(name) {
                    self.next.push(name.to_string());
                }
            }
        }
        self.archives.push(Archive { bytes });
    }

    /// Loads members until nothing that is missing is in an archive.
    fn settle(&mut self) {
        while let Some(symbol) = self.next.pop() {
            if !self.missing.contains(&symbol) {
                continue;
            }
            let Some((archive, range)) = self.lazy.get(&symbol).cloned() else { continue };
            let member = self.archives[archive].bytes.get(range).and_then(object::read);
            match member {
                Some(object) => self.add(object),
                None => {
                    self.lazy.remove(&symbol);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::object::Defined;
    use super::*;

    fn object(defined: &[(&str, bool)]) -> Object {
        let symbol = |&(name, is_weak): &(&str, bool)| Defined { name: name.into(), is_weak };
        Object { defined: defined.iter().map(symbol).collect(), ..Object::default() }
    }

    #[test]
    fn definitions_that_are_not_weak_count() {
        let objects = vec![
            object(&[("f", true), ("g", true), ("h", false)]),
            object(&[("f", false), ("g", true)]),
            object(&[("f", true)]),
        ];
        let loaded = Loaded { objects };
        let mut winners: Vec<(&str, usize)> = loaded.winners().into_iter().collect();
        winners.sort_unstable();
        assert_eq!(winners, [("f", 1), ("g", 0), ("h", 0)]);
    }
}
