//! The command that measures checkpointed loops: prints the page, and writes it with its plot beside
//! it. `adcheckpoints --help` lists the options.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adcheckpoints::figures::{Sizes, figures};
use adcheckpoints::page::{page, plot};
use adtoolchain::Workbench;
use clap::Parser;

/// Gradients of time-stepping codes with checkpoints: memory and time by the number of snapshots.
///
/// Prints the page. The exit code is 1 when gradients do not agree or more steps run again than the
/// theory says, 2 when something could not be compiled or run.
#[derive(Parser)]
#[command(name = "adcheckpoints")]
struct Options {
    /// Small sizes, for seconds only.
    #[arg(long)]
    quick: bool,
    /// The page is written there, and the plot beside it.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

fn main() -> ExitCode {
    let o = Options::parse();
    let sizes = if o.quick { Sizes::quick() } else { Sizes::full() };
    match write_all(&sizes, o.write.as_deref()) {
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

/// What does not agree.
fn write_all(sizes: &Sizes, file: Option<&Path>) -> Result<Vec<String>, String> {
    let tools = Workbench::new()?;
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
        write(&file.with_file_name(&picture), &plot(&found)?)?;
    }
    Ok(found.failures)
}
