//! `adtest [--all] [FILTER]`: the tests of the workspace from one queue, those whose names contain
//! the filter. With `--all`, the large cross products run whole.
//!
//! The runtimes for 32-bit x86 are among them where they were built (`make build`).

use std::process::ExitCode;

use adtests::harness::ALL;
use adtests::queue;

fn main() -> ExitCode {
    let (options, filter): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with('-'));
    if options.iter().any(|word| word != "--all") || filter.len() > 1 {
        eprintln!("usage: adtest [--all] [FILTER]");
        return ExitCode::FAILURE;
    }
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut builds = vec![words("--release")];
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(|exe| exe.parent());
    if beside.is_some_and(|folder| folder.join("i386/libadshadow.a").is_file()) {
        builds.push(words("--release --target i686-unknown-linux-gnu -p adrt -p adshadow"));
    } else {
        println!("skipped: the runtimes for 32-bit x86, which were not built");
    }
    let variables: &[(&str, &str)] = if options.is_empty() { &[] } else { &[(ALL, "1")] };
    match queue::run(&builds, variables, filter.first().map(String::as_str)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
