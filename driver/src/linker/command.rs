//! A linker's command line: what is linked, in order.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::response;

/// An input of the linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// Whether all members of an archive are linked (`--whole-archive`).
    pub is_whole: bool,
    /// The word that names it.
    pub place: usize,
    /// The group of archives that it is in, which are searched again and again.
    pub group: Option<usize>,
}

/// What is linked.
#[derive(Debug, Default)]
pub struct Inputs {
    /// In order.
    pub files: Vec<Input>,
    /// Symbols that are wanted whether something refers to them or not (`-u`, `-e`).
    pub wanted: Vec<String>,
    /// Symbols whose undefined references are to `__wrap_SYMBOL` (`--wrap`).
    pub wrapped: Vec<String>,
    /// Symbols that the command defines, with the option (`--defsym`).
    pub renamed: Vec<(String, String)>,
    /// Objects that are linked only where they are needed (`--start-lib`).
    pub has_lazy_objects: bool,
    /// `-r`
    pub is_relocatable: bool,
    /// `-shared`
    pub is_shared: bool,
    /// `-pie`
    pub is_pie: bool,
    /// Symbols that other code may look for (`--export-dynamic-symbol`).
    pub exported: Vec<String>,
    /// Whether other code may look for any of its symbols (`--export-dynamic`), or it begins elsewhere
    /// than programs do (`-e`).
    pub is_open: bool,
    /// The emulation (`-m`).
    pub emulation: String,
    /// The words that name archives and libraries, or begin a group of them.
    pub libraries: Vec<usize>,
    /// The number of the group that has begun, and how many have.
    group: Option<usize>,
    groups: usize,
}

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-o", "-m", "-T", "-e", "-u", "-z", "-h", "-y", "-Y", "-a", "-A", "-b", "-c", "-f", "-F", "-G",
    "-R", "-I", "-soname", "-rpath", "-rpath-link", "-dynamic-linker", "-plugin", "-plugin-opt",
    "-Map", "-init", "-fini", "-assert", "-defsym", "-entry", "-undefined", "-script", "-sysroot",
    "-version-script", "-dynamic-list", "-format", "-architecture", "-auxiliary", "-filter",
    "-image-base", "-Ttext", "-Tdata", "-Tbss", "-wrap", "-retain-symbols-file", "-mllvm",
    "-thinlto-cache-dir", "-library", "-library-path", "-output", "-export-dynamic-symbol",
    "-exclude-libs", "-just-symbols", "-trace-symbol", "-push-state-file",
];

/// Whether by an option other code finds symbols of a program, or it begins elsewhere than programs do.
fn is_opening(option: &str) -> bool {
    const OPENING: [&str; 5] = ["-export-dynamic", "-dynamic-list", "-entry", "-init", "-fini"];
    ["-E", "-e"].contains(&option) || OPENING.iter().any(|start| option.starts_with(start))
}

/// The one symbol that an option shows to other code.
fn exported(option: &str) -> Option<&str> {
    let symbol = option.strip_prefix("-export-dynamic-symbol=")?;
    (!symbol.contains(['*', '?', '['])).then_some(symbol)
}

/// How libraries named by `-l` are looked for, from here on.
struct Search {
    folders: Vec<PathBuf>,
    is_static: bool,
}

impl Search {
    fn find(&self, name: &str) -> Option<PathBuf> {
        let names = match name.strip_prefix(':') {
            Some(exact) => vec![exact.to_string()],
            None if self.is_static => vec![format!("lib{name}.a")],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        self.folders.iter().find_map(|folder| {
            names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
        })
    }
}

/// Reads the words behind the linker's name.
pub fn parse(words: &[OsString]) -> Inputs {
    let expanded = response::expand(words);
    // `-L` counts for what stands before it, too.
    let mut folders = vec![];
    let mut each = expanded.iter().map(|w| w.text.as_os_str());
    while let Some(word) = each.next() {
        match after(word, &["-L", "--library-path=", "-library-path="]) {
            Some(folder) if folder.is_empty() => folders.extend(each.next().map(PathBuf::from)),
            Some(folder) => folders.push(folder.into()),
            None => {}
        }
    }
    let mut search = Search { folders, is_static: false };
    let mut inputs = Inputs::default();
    let (mut is_whole, mut states) = (false, vec![]);
    let mut at = 0;
    while at < expanded.len() {
        let word = &expanded[at].text;
        let text = word.to_string_lossy().into_owned();
        let next = expanded.get(at + 1).map(|w| w.text.clone());
        let place = expanded[at].argument;
        at += 1;
        if !text.starts_with('-') {
            inputs.add(word.into(), is_whole, place);
            continue;
        }
        // Both -x and --x, but for -o… and the like.
        let one = if text.starts_with("--") { &text[1..] } else { &text[..] };
        match exported(one) {
            Some(symbol) => inputs.exported.push(symbol.into()),
            None => inputs.is_open |= is_opening(one),
        }
        match one {
            "-shared" | "-Bshareable" => inputs.is_shared = true,
            "-pie" | "-pic-executable" => inputs.is_pie = true,
            "-no-pie" => inputs.is_pie = false,
            "-r" | "-i" | "-relocatable" => inputs.is_relocatable = true,
            "-static" | "-Bstatic" | "-dn" | "-non_shared" => search.is_static = true,
            "-Bdynamic" | "-dy" | "-call_shared" => search.is_static = false,
            "-whole-archive" => is_whole = true,
            "-no-whole-archive" => is_whole = false,
            "-push-state" => states.push((search.is_static, is_whole)),
            "-pop-state" => {
                (search.is_static, is_whole) = states.pop().unwrap_or((false, false));
            }
            "-start-group" | "-(" => {
                inputs.note_library(place);
                inputs.group = Some(inputs.groups);
                inputs.groups += 1;
            }
            "-end-group" | "-)" => inputs.group = None,
            "-start-lib" => {
                inputs.note_library(place);
                inputs.has_lazy_objects = true;
            }
            _ => {
                let library = after(word, &["-l", "--library=", "-library="]);
                if let Some(name) = library.filter(|_| !one.starts_with("-lto")) {
                    let name = match name.is_empty() {
                        true => {
                            at += 1;
                            next.clone().unwrap_or_default()
                        }
                        false => name,
                    };
                    inputs.note_library(place);
                    if let Some(path) = search.find(&name.to_string_lossy()) {
                        inputs.add(path, is_whole, place);
                    }
                    continue;
                }
                let wanted = after(word, &["--undefined=", "-undefined=", "--entry=", "-u", "-e"]);
                match wanted.map(|w| w.to_string_lossy().into_owned()) {
                    Some(symbol) if one.starts_with("-u") && symbol.is_empty() => {
                        inputs.wanted.extend(next.as_ref().map(|s| s.to_string_lossy().into()));
                    }
                    Some(symbol) if text.starts_with("--undefined=") => inputs.wanted.push(symbol),
                    _ => {}
                }
                for option in ["-wrap", "-defsym"] {
                    let Some(rest) = one.strip_prefix(option) else { continue };
                    let value = match rest.strip_prefix('=') {
                        Some(value) => value.to_string(),
                        None if rest.is_empty() => {
                            next.clone().unwrap_or_default().to_string_lossy().into()
                        }
                        None => continue,
                    };
                    if option == "-wrap" {
                        inputs.wrapped.push(value);
                        continue;
                    }
                    let symbol = value.split('=').next().unwrap_or_default().to_string();
                    inputs.renamed.push((symbol, format!("-{option}={value}")));
                }
                if one == "-m" {
                    inputs.emulation = next.clone().unwrap_or_default().to_string_lossy().into();
                } else if let Some(name) = text.strip_prefix("-m").filter(|n| n.starts_with("elf"))
                {
                    inputs.emulation = name.into();
                }
                if one == "-L" || WITH_VALUE.contains(&one) {
                    at += 1;
                }
            }
        }
    }
    inputs
}

impl Inputs {
    /// What the linker takes for an undefined symbol.
    pub fn meant_by<'a>(&self, symbol: &'a str) -> Cow<'a, str> {
        let is_wrapped = |symbol: &str| self.wrapped.iter().any(|wrapped| wrapped == symbol);
        match symbol.strip_prefix("__real_").filter(|own| is_wrapped(own)) {
            Some(own) => own.into(),
            None if is_wrapped(symbol) => format!("__wrap_{symbol}").into(),
            None => symbol.into(),
        }
    }

    fn add(&mut self, path: PathBuf, is_whole: bool, place: usize) {
        if is_archive_or_library(&path) {
            self.note_library(place);
        }
        self.files.push(Input { path, is_whole, place, group: self.group });
    }

    fn note_library(&mut self, place: usize) {
        self.libraries.push(place);
    }
}

fn is_archive_or_library(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    name.ends_with(".a") || name.contains(".so")
}

/// What follows the first of `starts` that the word begins with.
fn after(word: &OsStr, starts: &[&str]) -> Option<OsString> {
    let bytes = word.as_bytes();
    starts
        .iter()
        .find_map(|s| bytes.strip_prefix(s.as_bytes()))
        .map(|rest| OsStr::from_bytes(rest).to_os_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Inputs {
        parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    fn names(inputs: &Inputs) -> Vec<String> {
        inputs.files.iter().map(|i| i.path.display().to_string()).collect()
    }

    #[test]
    fn values_are_no_inputs() {
        let inputs = of("-pie -dynamic-linker /lib64/ld.so -m elf_x86_64 -o a.out crt1.o -L/x \
            --hash-style=gnu a.o -z now -rpath /y --version-script v b.o c.a d.o");
        assert_eq!(names(&inputs), ["crt1.o", "a.o", "b.o", "c.a", "d.o"]);
        assert_eq!(inputs.emulation, "elf_x86_64");
        assert!(inputs.is_pie && !inputs.is_shared && !inputs.is_relocatable);
        // Before the archive.
        assert_eq!(inputs.libraries, [18]);
    }

    #[test]
    fn libraries_are_found_as_the_linker_does() {
        let dir = tempfile::tempdir().expect("temporary folder");
        for name in ["liba.a", "liba.so", "libb.a", "odd.a"] {
            std::fs::write(dir.path().join(name), "").expect("write");
        }
        let line = format!(
            "x.o -la -lb -Bstatic -la -Bdynamic -l:odd.a -lnone -L{} --push-state --whole-archive \
            -l b --pop-state -lb",
            dir.path().display()
        );
        let inputs = of(&line);
        let at = |name: &str| dir.path().join(name).display().to_string();
        let expected = ["liba.so", "libb.a", "liba.a", "odd.a", "libb.a", "libb.a"].map(at);
        assert_eq!(names(&inputs)[1..], expected);
        let whole: Vec<bool> = inputs.files.iter().map(|i| i.is_whole).collect();
        assert_eq!(whole, [false, false, false, false, false, true, false]);
        assert_eq!(inputs.libraries.first(), Some(&1));
    }

    #[test]
    fn archives_of_a_group_belong_together() {
        let inputs = of("a.o --start-group b.a c.a --end-group d.a -( e.a -)");
        let groups: Vec<Option<usize>> = inputs.files.iter().map(|i| i.group).collect();
        assert_eq!(groups, [None, Some(0), Some(0), None, Some(1)]);
    }

    #[test]
    fn symbols_may_be_taken_for_others() {
        let inputs = of("--wrap f -wrap=g --defsym=h=g+4 -defsym i=h a.o");
        let symbols: Vec<&str> = inputs.renamed.iter().map(|(symbol, _)| symbol.as_str()).collect();
        assert_eq!(symbols, ["h", "i"]);
        assert_eq!(inputs.renamed[0].1, "--defsym=h=g+4");
        let meant = ["f", "g", "h", "__real_f", "__real_h"].map(|symbol| inputs.meant_by(symbol));
        assert_eq!(meant, ["__wrap_f", "__wrap_g", "h", "f", "__real_h"]);
    }

    #[test]
    fn symbols_may_be_wanted() {
        assert_eq!(of("-u f --undefined=g a.o").wanted, ["f", "g"]);
        assert!(of("-r a.o").is_relocatable && of("-shared a.o").is_shared);
        assert_eq!(names(&of("-e main a.o")), ["a.o"]);
        assert!(of("-e begin a.o").is_open && of("--export-dynamic a.o").is_open);
        let shown = of("--export-dynamic-symbol=f -dynamic-linker l a.o");
        assert!(shown.exported == ["f"] && !shown.is_open);
    }
}
