//! The command that runs the tests of the workspace from one queue. `adtest --help` lists the
//! options.

use std::process::ExitCode;

use adtests::harness::{ALL, TURN};
use adtests::queue;
use clap::Parser;

/// Runs the tests of the workspace from one queue.
///
/// The runtimes for 32-bit x86 are among them where they were built (`make build`).
#[derive(Parser)]
#[command(name = "adtest")]
struct Options {
    /// Run the large cross products whole: each program at each level, each library at each.
    #[arg(long)]
    all: bool,
    /// Another part of the cross products: without it the part is always the same.
    #[arg(long, default_value_t = 0)]
    turn: usize,
    /// Only tests whose names contain it.
    filter: Option<String>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    // Not optimised, the tests of the analyses compile in a fifth of the time.
    let mut builds =
        vec![words("--release --workspace --exclude adanalysis"), words("-p adanalysis")];
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(|exe| exe.parent());
    if beside.is_some_and(|folder| folder.join("i386/libadshadow.a").is_file()) {
        let narrow = "--release --target i686-unknown-linux-gnu";
        builds.push(words(&format!("{narrow} -p adrt")));
        // Unit tests of the shadow runtime are those of this machine's own, which take a minute to compile.
        let which = if options.all { "" } else { " --test *" };
        builds.push(words(&format!("{narrow} -p adshadow{which}")));
    } else {
        println!("skipped: the runtimes for 32-bit x86, which were not built");
    }
    let turn = options.turn.to_string();
    let mut variables = vec![(TURN, turn.as_str())];
    variables.extend(options.all.then_some((ALL, "1")));
    match queue::run(&builds, &variables, options.filter.as_deref()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
