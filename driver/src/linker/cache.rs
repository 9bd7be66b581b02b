//! Derivatives that earlier links made.
//!
//! What a link makes depends on the compiler and the plugin, on options, on what units and other
//! objects define and say of themselves, and on the IR of the units that it takes in. The key is of
//! all but the last: so a change in a file whose IR was not taken in changes nothing.
//!
//! ```text
//! FOLDER/KEY/N.units    the units that were taken in, a line each; then what was said, if anything
//! FOLDER/KEY/N.o        the object
//! ```
//! A unit stands there by its place in the link and a hash of its IR. An object is there before the list that leads to it, and both
//! appear at once, so links may run side by side.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

/// The variable that names the folder; `0`: there is none.
const VARIABLE: &str = "ADCC_CACHE";
/// More than so many bytes, and what was not used for longest goes.
const MOST_BYTES: u64 = 1 << 30;
/// What stands between units and messages.
const SAID: &str = "said:";

/// The entries with one key.
#[derive(Debug)]
pub struct Cache {
    all: PathBuf,
    own: PathBuf,
}

/// What a cache knows.
#[derive(Debug)]
pub struct Found {
    /// The object.
    pub object: PathBuf,
    /// What the compiler said when it was made.
    pub said: String,
}

impl Cache {
    /// The cache for what `parts` say, if this user has one.
    pub fn new(parts: &[&[u8]]) -> Option<Cache> {
        let folder = match env::var_os(VARIABLE) {
            Some(value) if value == "0" || value.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None => {
                let named = |name| env::var_os(name).map(PathBuf::from).filter(|f| f.is_absolute());
                let home = || named("HOME").filter(|home| home.is_dir());
                named("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))?.join("adcc")
            }
        };
        Some(Cache::in_folder(folder, parts))
    }

    fn in_folder(all: PathBuf, parts: &[&[u8]]) -> Cache {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let key = hexadecimal(&hash.finalize());
        Cache { own: all.join(key), all }
    }

    /// The object that was made of IR that is all among `units`.
    pub fn find(&self, units: &HashSet<&str>) -> Option<Found> {
        for entry in fs::read_dir(&self.own).ok()?.filter_map(Result::ok) {
            let list = entry.path();
            if list.extension().is_none_or(|e| e != "units") {
                continue;
            }
            let Ok(text) = fs::read_to_string(&list) else { continue };
            let Some((taken, said)) = text.split_once(SAID) else { continue };
            let object = list.with_extension("o");
            if taken.lines().all(|unit| units.contains(unit)) && object.is_file() {
                // Not the oldest any more; if that fails, it goes earlier.
                let now = fs::File::options().append(true).open(&list);
                let _ = now.and_then(|file| file.set_modified(SystemTime::now()));
                return Some(Found { object, said: said.into() });
            }
        }
        None
    }

    /// Keeps an object. Where that cannot be, the next link makes it again.
    pub fn keep(&self, object: &Path, taken: &[String], said: &str) {
        let keep = || -> std::io::Result<()> {
            fs::create_dir_all(&self.own)?;
            let bytes = fs::read(object)?;
            let name = digest(taken.join("\n").as_bytes());
            let place = |bytes: &[u8], name: String| -> std::io::Result<()> {
                let mut file = NamedTempFile::new_in(&self.own)?;
                file.write_all(bytes)?;
                file.persist(self.own.join(name))?;
                Ok(())
            };
            place(&bytes, format!("{name}.o"))?;
            let list: String = taken.iter().map(|unit| format!("{unit}\n")).collect();
            place(format!("{list}{SAID}{said}").as_bytes(), format!("{name}.units"))
        };
        if keep().is_ok() {
            self.shrink(MOST_BYTES);
        }
    }

    /// Removes what was not used for longest, down to so many bytes.
    fn shrink(&self, most: u64) {
        let files =
            |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut entries = vec![];
        for list in files(&self.all).flat_map(|key| files(&key.path())).map(|entry| entry.path()) {
            if list.extension().is_some_and(|e| e == "units")
                && let Ok(data) = list.metadata()
            {
                let bytes = list.with_extension("o").metadata().map_or(0, |data| data.len());
                entries.push((data.modified().ok(), bytes, list));
            }
        }
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        entries.sort();
        for (_, bytes, list) in entries {
            if total <= most {
                break;
            }
            // Others may have done so.
            let _ = fs::remove_file(&list);
            let _ = fs::remove_file(list.with_extension("o"));
            total -= bytes;
        }
    }
}

/// A hash of bytes, for a name.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes)[..16])
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What tells one version of a file from another.
pub fn identity(file: &Path) -> Vec<u8> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let mut identity = file.as_os_str().as_bytes().to_vec();
    if let Ok(data) = file.metadata() {
        let text = format!(" {} {} {}", data.len(), data.mtime(), data.mtime_nsec());
        identity.extend(text.bytes());
    }
    identity
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(units: &[&str]) -> Vec<String> {
        units.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_object_is_found_while_its_units_are_there() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let object = folder.path().join("made.o");
        fs::write(&object, "made").expect("write");
        let of = |parts: &[&[u8]]| Cache::in_folder(folder.path().join("cache"), parts);
        let cache = of(&[b"key", b""]);
        assert!(cache.find(&HashSet::from(["1", "2"])).is_none());
        cache.keep(&object, &taken(&["1", "2"]), "warning\n");
        let found = cache.find(&HashSet::from(["3", "2", "1"])).expect("all are there");
        assert_eq!(fs::read_to_string(found.object).expect("read"), "made");
        assert_eq!(found.said, "warning\n");
        assert!(cache.find(&HashSet::from(["1", "3"])).is_none());
        // Where one part ends and the next begins counts.
        assert!(of(&[b"", b"key"]).find(&HashSet::from(["1", "2"])).is_none());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let object = folder.path().join("made.o");
        fs::write(&object, [0; 100]).expect("write");
        let cache = Cache::in_folder(folder.path().join("cache"), &[]);
        let age = |unit: &str, seconds: u64| {
            let lists = fs::read_dir(&cache.own).expect("folder").filter_map(Result::ok);
            let text = format!("{unit}\n{SAID}");
            let own =
                lists.map(|e| e.path()).find(|p| fs::read(p).is_ok_and(|t| t == text.as_bytes()));
            let file = fs::File::options().append(true).open(own.expect("kept")).expect("open");
            let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(then).expect("set");
        };
        for (unit, seconds) in [("1", 20), ("2", 10), ("3", 30)] {
            cache.keep(&object, &taken(&[unit]), "");
            age(unit, seconds);
        }
        // Now it is the newest.
        assert!(cache.find(&HashSet::from(["2"])).is_some());
        cache.shrink(250);
        let left = ["1", "2", "3"].map(|unit| cache.find(&HashSet::from([unit])).is_some());
        assert_eq!(left, [false, true, true]);
    }
}
