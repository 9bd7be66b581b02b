//! `adcheckpoints --quick --write FILE`
//!
//! Prints the page; `--write` puts it into FILE and the plot beside it. `--quick` is a run of small
//! sizes. Exit code 1 when gradients do not agree or more steps run again than the theory says, 2
//! when something could not be compiled or run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adcheckpoints::figures::{Sizes, figures};
use adcheckpoints::page::{page, plot};
use adfigures::toolchain::Toolchain;

fn main() -> ExitCode {
    match options().and_then(|(sizes, file)| write_all(&sizes, file.as_deref())) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|why| eprintln!("error: {why}"));
            ExitCode::FAILURE
        }
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<(Sizes, Option<PathBuf>), String> {
    let (mut sizes, mut file) = (Sizes::full(), None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => sizes = Sizes::quick(),
            "--write" => file = Some(words.next().ok_or("--write needs a file")?.into()),
            _ => return Err(format!("unknown option {word}; there are --quick, --write")),
        }
    }
    Ok((sizes, file))
}

/// What does not agree.
fn write_all(sizes: &Sizes, file: Option<&Path>) -> Result<Vec<String>, String> {
    let tools = Toolchain::find(
        &std::env::temp_dir().join(format!("adcheckpoints-{}", std::process::id())),
    )?;
    let found = figures(&tools, sizes)?;
    let picture = file
        .and_then(Path::file_stem)
        .map_or("checkpointing.svg".into(), |stem| format!("{}.svg", stem.to_string_lossy()));
    let text = page(&found, sizes, &picture);
    println!("{text}");
    if let Some(file) = file {
        let write = |file: &Path, text: &str| {
            std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
        };
        write(file, &text)?;
        write(&file.with_file_name(&picture), &plot(&found))?;
    }
    Ok(found.failures)
}
