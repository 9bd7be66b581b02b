//! What developers do often: `cargo xtask book`, `links`, `spelling`; each ends with an error that
//! lists file and line of what is wrong.

mod book;
mod links;
mod spelling;

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// What is wrong, and where: `file:line: text`.
type Findings = Vec<String>;

const USAGE: &str = "usage: cargo xtask [book | links | spelling]...";

fn main() -> ExitCode {
    let tasks: Vec<String> = std::env::args().skip(1).collect();
    if tasks.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let mut is_clean = true;
    for task in tasks {
        let found = match task.as_str() {
            "book" => book::build(root),
            "links" => links::check(root),
            "spelling" => spelling::check(root),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::FAILURE;
            }
        };
        found.iter().for_each(|line| eprintln!("{line}"));
        println!("{task}: {}", if found.is_empty() { "clean" } else { "see above" });
        is_clean &= found.is_empty();
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Files that git knows, or would add, whose names end so; relative to the root.
fn files(root: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .expect("git lists the files of the repository");
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let wanted =
        |name: &&str| endings.iter().any(|e| name.ends_with(e)) && root.join(name).exists();
    names.lines().filter(wanted).map(PathBuf::from).collect()
}
