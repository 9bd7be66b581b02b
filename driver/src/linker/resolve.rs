//! Which objects a link loads: those that are named, and members of archives that define what is
//! still missing.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use ::object::read::ReadCache;
use ::object::read::archive::ArchiveFile;
use ::object::{Object as _, ObjectSymbol as _, archive, elf, pod};

use super::command::{Input, Inputs};
use super::object::{self, Header, Object};
use crate::error::Error;

/// The objects of a link.
#[derive(Debug, Default)]
pub struct Loaded {
    /// In the order in which they are loaded.
    pub objects: Vec<Object>,
    /// Symbols that shared libraries define.
    pub shared: HashSet<String>,
    /// Symbols that shared libraries need.
    pub asked_by_shared: HashSet<String>,
    /// The word that names the last object with a unit.
    pub last_unit: Option<usize>,
    /// Whether there are inputs of which it is not known what they define: bitcode, linker scripts.
    pub is_partial: bool,
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

    /// What the units say of themselves, with the object that each is in.
    pub fn headers(&self) -> impl Iterator<Item = (usize, &Header)> {
        let objects = self.objects.iter().enumerate();
        objects.flat_map(|(n, object)| object.units.iter().map(move |unit| (n, &unit.header)))
    }
}

/// Loads what is linked. Of several archives and shared libraries that define a symbol the
/// first is taken.
///
/// A linker that `looks_back` takes members of archives for what is needed later, too; others only
/// within a group.
///
/// # Errors
/// [`Error::Io`]; [`Error::Strange`].
pub fn load(inputs: &Inputs, looks_back: bool) -> Result<Loaded, Error> {
    let mut state = State::of(inputs);
    state.loaded.is_partial = inputs.has_lazy_objects;
    state.need(&inputs.wanted);
    let mut group = None;
    for input in &inputs.files {
        if !looks_back && (input.group.is_none() || input.group != group) {
            state.lazy.clear();
        }
        group = input.group;
        let reading = |e| Error::io(format!("reading {}", input.path.display()), e);
        let Some(mut file) = File::open(&input.path).ok() else { continue };
        match kind(&mut file).map_err(reading)? {
            Kind::Object => {
                let bytes = fs::read(&input.path).map_err(reading)?;
                if let Some(object) = object::read(&bytes) {
                    if !object.units.is_empty() {
                        state.loaded.last_unit = Some(input.place);
                    }
                    state.add(object, &input.path);
                }
            }
            Kind::Archive => state.archive(file, input).map_err(reading)?,
            Kind::Shared => state.shared(file),
            Kind::Other => state.loaded.is_partial |= !is_system_script(&input.path),
        }
        state.settle().map_err(reading)?;
    }
    match state.strange {
        Some(path) => Err(Error::Strange { path }),
        None => Ok(state.loaded),
    }
}

/// Scripts that stand for the C library and the compiler's: they define nothing that units do.
fn is_system_script(path: &Path) -> bool {
    const NAMES: [&str; 5] = ["libc.so", "libm.so", "libgcc_s.so", "libm.a", "libpthread.so"];
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    NAMES.contains(&name.as_str())
}

/// What a file is to us.
enum Kind {
    /// An object that is linked statically.
    Object,
    Archive,
    /// A shared library: what it defines, no archive behind it is loaded for.
    Shared,
    /// A linker script, say: it carries nothing. A file that is not there, the linker reports.
    Other,
}

/// By the first bytes.
fn kind(file: &mut File) -> io::Result<Kind> {
    let mut start = [0; 18];
    let mut read = 0;
    while read < start.len() {
        match file.read(&mut start[read..])? {
            // An archive may be empty.
            0 => break,
            n => read += n,
        }
    }
    file.rewind()?;
    if start.starts_with(&archive::MAGIC) || start.starts_with(&archive::THIN_MAGIC) {
        return Ok(Kind::Archive);
    }
    let is_elf = start.starts_with(&elf::ELFMAG);
    Ok(match u16::from_le_bytes([start[16], start[17]]) {
        elf::ET_REL if is_elf => Kind::Object,
        elf::ET_DYN if is_elf => Kind::Shared,
        _ => Kind::Other,
    })
}

/// Where a member of an archive is.
enum Member {
    /// In that archive, from there on.
    Inside(usize, u64),
    /// Beside it: it only names its members.
    File(PathBuf),
}

struct State<'a> {
    inputs: &'a Inputs,
    loaded: Loaded,
    defined: HashSet<String>,
    missing: HashSet<String>,
    /// Symbols that are missing and were not looked for.
    next: Vec<String>,
    archives: Vec<(File, PathBuf)>,
    /// The first file with IR that cannot be read.
    strange: Option<PathBuf>,
    /// The members that define symbols.
    lazy: HashMap<String, Member>,
}

impl State<'_> {
    fn of(inputs: &Inputs) -> State<'_> {
        State {
            inputs,
            loaded: Loaded::default(),
            defined: HashSet::new(),
            missing: HashSet::new(),
            next: vec![],
            archives: vec![],
            strange: None,
            lazy: HashMap::new(),
        }
    }

    fn need(&mut self, symbols: &[String]) {
        for symbol in symbols.iter().filter(|s| !self.defined.contains(*s)) {
            if self.missing.insert(symbol.clone()) {
                self.next.push(symbol.clone());
            }
        }
    }

    fn add(&mut self, mut object: Object, from: &Path) {
        let headers = object.units.iter_mut().map(|unit| &mut unit.header);
        let reaches = headers.flat_map(|header| {
            let heads = header.heads.iter_mut().map(|head| &mut head.reach);
            header.open.iter_mut().map(|open| &mut open.reach).chain(heads)
        });
        let missing = reaches.flat_map(|reach| &mut reach.missing);
        for symbol in missing.chain(&mut object.undefined) {
            *symbol = self.inputs.meant_by(symbol).into_owned();
        }
        if object.is_strange {
            self.strange.get_or_insert_with(|| from.to_path_buf());
        }
        for symbol in &object.defined {
            self.missing.remove(&symbol.name);
            self.defined.insert(symbol.name.clone());
        }
        self.need(&object.undefined);
        self.loaded.objects.push(object);
    }

    /// Takes note of what a shared library defines. Of the file, only the list of symbols is read.
    fn shared(&mut self, file: File) {
        let cache = ReadCache::new(file);
        let Ok(library) = ::object::File::parse(&cache) else { return };
        let asked = library.dynamic_symbols().filter(|s| s.is_undefined());
        let asked = asked.filter_map(|s| Some(s.name().ok()?.to_string()));
        self.loaded.asked_by_shared.extend(asked);
        for name in library.dynamic_symbols().filter(|s| s.is_definition()).flat_map(|s| s.name()) {
            self.missing.remove(name);
            self.defined.insert(name.to_string());
            self.loaded.shared.insert(name.to_string());
        }
    }

    /// Takes note of an archive: of its list of symbols only, unless all of it is linked.
    fn archive(&mut self, mut file: File, input: &Input) -> io::Result<()> {
        if input.is_whole {
            let mut bytes = vec![];
            file.read_to_end(&mut bytes)?;
            let Ok(archive) = ArchiveFile::parse(&*bytes) else { return Ok(()) };
            for member in archive.members().flatten() {
                let object = match archive.is_thin() {
                    true => object::read(&fs::read(beside(&input.path, member.name()))?),
                    false => member.data(&*bytes).ok().and_then(object::read),
                };
                if let Some(object) = object {
                    self.add(object, &input.path);
                }
            }
            return Ok(());
        }
        let number = self.archives.len();
        let cache = ReadCache::new(file.try_clone()?);
        let Ok(archive) = ArchiveFile::parse(&cache) else { return Ok(()) };
        if let Ok(Some(symbols)) = archive.symbols() {
            for symbol in symbols.flatten() {
                let Ok(name) = std::str::from_utf8(symbol.name()) else { continue };
                if self.lazy.contains_key(name) {
                    continue;
                }
                let place = match archive.is_thin() {
                    true => match archive.member(symbol.offset()) {
                        Ok(member) => Member::File(beside(&input.path, member.name())),
                        Err(_) => continue,
                    },
                    false => Member::Inside(number, symbol.offset().0),
                };
                self.lazy.insert(name.to_string(), place);
                if self.missing.contains(name) {
                    self.next.push(name.to_string());
                }
            }
        }
        self.archives.push((file, input.path.clone()));
        Ok(())
    }

    /// Loads members until nothing that is missing is in an archive.
    fn settle(&mut self) -> io::Result<()> {
        while let Some(symbol) = self.next.pop() {
            if !self.missing.contains(&symbol) {
                continue;
            }
            let (bytes, path) = match self.lazy.remove(&symbol) {
                Some(Member::Inside(archive, start)) => {
                    let (file, path) = &self.archives[archive];
                    (member(file, start)?, path.clone())
                }
                Some(Member::File(path)) => (fs::read(&path)?, path),
                None => continue,
            };
            if let Some(object) = object::read(&bytes) {
                self.add(object, &path);
            }
        }
        Ok(())
    }
}

/// The file of a member that an archive only names.
fn beside(archive: &Path, name: &[u8]) -> PathBuf {
    let folder = archive.parent().unwrap_or_else(|| Path::new(""));
    folder.join(OsStr::from_bytes(name))
}

/// The member of an archive that starts there, behind its header.
fn member(archive: &File, start: u64) -> io::Result<Vec<u8>> {
    let mut header = [0; size_of::<archive::Header>()];
    archive.read_exact_at(&mut header, start)?;
    let (header, _) = pod::from_bytes::<archive::Header>(&header).map_err(|()| broken())?;
    let size = std::str::from_utf8(&header.size).ok().and_then(|s| s.trim().parse().ok());
    let mut bytes = vec![0; size.ok_or_else(broken)?];
    archive.read_exact_at(&mut bytes, start + size_of::<archive::Header>() as u64)?;
    Ok(bytes)
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a member of the archive is broken")
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
        let loaded = Loaded { objects, ..Loaded::default() };
        let mut winners: Vec<(&str, usize)> = loaded.winners().into_iter().collect();
        winners.sort_unstable();
        assert_eq!(winners, [("f", 1), ("g", 0), ("h", 0)]);
    }
}
