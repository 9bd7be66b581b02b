//! The rooms of this crate form layers: each imports from those below it only.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Lowest first.
const LAYERS: [&str; 10] = [
    "llvm", "diagnostics", "annotations", "canon", "image", "codegen", "report", "frontend",
    "link", "driver",
];

/// Rooms that a source names as `crate::ROOM`, in imports and elsewhere, with the line of each.
fn rooms_named(source: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    let (mut depth, mut group): (u32, Option<u32>) = (0, None);
    for (number, line) in source.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default();
        for (at, _) in line.match_indices("crate::") {
            found.extend(word(&line[at + "crate::".len()..]).map(|w| (number + 1, w)));
        }
        // Members of `use crate::{ … }`, which start after its brace or a comma one level deep.
        let mut starts = false;
        for (at, c) in line.char_indices() {
            match c {
                '{' => {
                    depth += 1;
                    if line[..at].ends_with("crate::") {
                        (group, starts) = (Some(depth), true);
                        continue;
                    }
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    if group.is_some_and(|g| depth < g) {
                        group = None;
                    }
                }
                ',' => starts = group == Some(depth),
                c if c.is_whitespace() => continue,
                _ => {
                    let first_of_line = line[..at].trim().is_empty() && group == Some(depth);
                    if starts || first_of_line {
                        found.extend(word(&line[at..]).map(|w| (number + 1, w)));
                    }
                }
            }
            starts &= c == ',';
        }
    }
    found.retain(|(_, room)| LAYERS.contains(&room.as_str()));
    found.sort();
    found.dedup();
    found
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the crate's sources are there") {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_module_names_a_higher_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = vec![];
    for (rank, layer) in LAYERS.iter().enumerate() {
        let mut files = vec![];
        sources(&root.join(layer), &mut files);
        assert!(!files.is_empty(), "{layer} has sources");
        for file in files {
            let text = fs::read_to_string(&file).expect("a source can be read");
            let is_higher = |room: &str| LAYERS[rank + 1..].contains(&room);
            for (line, room) in rooms_named(&text).into_iter().filter(|(_, r)| is_higher(r)) {
                wrong.push(format!("{}:{line}: {layer} names {room}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_a_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(root).expect("the crate's sources are there") {
        let entry = entry.expect("a folder can be read");
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(name == "lib.rs" || LAYERS.contains(&name.as_str()), "{name} is in no layer");
    }
}

#[test]
fn names_are_found_wherever_they_stand() {
    let rooms = |source: &str| {
        rooms_named(source)
            .into_iter()
            .map(|(line, room)| format!("{line} {room}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(rooms("use crate::driver::Session;"), ["1 driver"]);
    assert_eq!(
        rooms("use crate::{llvm, report::{canon, x}, image};"),
        ["1 image", "1 llvm", "1 report"]
    );
    assert_eq!(
        rooms("use crate::{\n    codegen::{\n        canon,\n    },\n    image,\n};"),
        ["2 codegen", "5 image"]
    );
    assert_eq!(rooms("fn f() { crate::frontend::g() } // crate::driver"), ["1 frontend"]);
    assert!(rooms("use adir::{image, llvm};").is_empty());
}
