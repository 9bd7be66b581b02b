//! The report's files: JSON, and text beside it.

use super::{FORMAT, Report, Reports, text};
use crate::{
    annotations::config::Config,
    diagnostics::{Code, Diagnostic},
    llvm::Module,
};
use std::{
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
};

/// Writes what was collected, where `-ad-report` asks for it. A module in which nothing was
/// differentiated writes nothing: in a build with one option for all sources it must not take the
/// place of another's report.
pub fn write(reports: &Reports, config: &Config, module: Module) -> Result<(), Diagnostic> {
    let Some(wanted) = config.report.as_deref().filter(|_| !reports.functions.is_empty()) else {
        return Ok(());
    };
    let source = module.primary_file();
    let report = Report { format: FORMAT, source: &source, functions: &reports.functions };
    let (json, words) = paths(wanted, Path::new(wanted).is_dir(), &source);
    let serialized = serde_json::to_string_pretty(&report).expect("the model has string keys only");
    put(&json, serialized + "\n")?;
    put(&words, text::print(&report, &reports.folders))
}

fn put(path: &Path, text: String) -> Result<(), Diagnostic> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text)).map_err(|e| {
        let remedy = "check the path: a file for one source, a folder (ending in '/') for several";
        Diagnostic::new(
            Code::Option,
            None,
            format!("cannot write the report '{}': {e}", path.display()),
            remedy,
        )
    })
}

/// The JSON's path and the text's: in a folder, named after the source; else as given, with both
/// endings.
fn paths(wanted: &str, is_folder: bool, source: &str) -> (PathBuf, PathBuf) {
    if wanted.ends_with('/') || is_folder {
        let path = Path::new(wanted).join(key(source));
        let with = |ending: &str| {
            PathBuf::from(
                [path.as_os_str(), OsStr::new(ending)].into_iter().collect::<std::ffi::OsString>(),
            )
        };
        return (with(".json"), with(".txt"));
    }
    let path = PathBuf::from(wanted);
    match path.extension().and_then(|e| e.to_str()) {
        Some("txt") => (path.with_extension("json"), path),
        _ => (path.clone(), path.with_extension("txt")),
    }
}

/// A source's path below the folder: two sources never share one. `..` and the root become names.
fn key(source: &str) -> PathBuf {
    let own = std::env::current_dir().ok();
    let source = Path::new(source);
    let source = own.as_deref().and_then(|own| source.strip_prefix(own).ok()).unwrap_or(source);
    let mut key = PathBuf::new();
    for part in source.components() {
        match part {
            Component::Normal(name) => key.push(name),
            Component::ParentDir => key.push("__"),
            Component::RootDir => key.push("_root"),
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    if key.as_os_str().is_empty() || key.as_os_str() == "-" { PathBuf::from("stdin") } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_text_beside_it() {
        let pair = |wanted, folder| {
            let (a, b) = paths(wanted, folder, "src/f.c");
            (a.to_str().unwrap().to_string(), b.to_str().unwrap().to_string())
        };
        assert_eq!(pair("r.json", false), ("r.json".into(), "r.txt".into()));
        assert_eq!(pair("o/r.txt", false), ("o/r.json".into(), "o/r.txt".into()));
        assert_eq!(pair("r", false), ("r".into(), "r.txt".into()));
        assert_eq!(pair("out/", false), ("out/src/f.c.json".into(), "out/src/f.c.txt".into()));
        assert_eq!(pair("out", true), ("out/src/f.c.json".into(), "out/src/f.c.txt".into()));
    }

    #[test]
    fn sources_have_distinct_keys_below_the_folder() {
        assert_eq!(key("./a/f.c"), Path::new("a/f.c"));
        assert_eq!(key("../a/f.c"), Path::new("__/a/f.c"));
        assert_eq!(key("/usr/f.c"), Path::new("_root/usr/f.c"));
        assert_eq!(key("-"), Path::new("stdin"));
    }
}
