//! `adcc`, `ad++`, `adfc`: clang, clang++ and flang with the differentiation plugin loaded.
//!
//! The way of a command: [`command_line`] splits it into ours and the compiler's; [`options`] reads
//! ours; [`toolchain`] finds the compiler and our files; [`fortran`] fetches argument names where
//! heads need them; [`compile`] and [`link`] say what to add; [`run`] runs it. adcc never looks
//! into a source: that is the compiler's work. What the compiler calls as the linker is adcc again
//! ([`linker`]): it answers the requests that objects left open, then runs the linker.

mod command_line;
mod compile;
mod declarations;
mod error;
mod fortran;
mod heads;
mod help;
mod hlfir;
mod link;
mod linker;
mod options;
mod print;
mod ranks;
mod response;
mod run;
mod spelling;
mod step;
mod target;
mod toolchain;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use command_line::CommandLine;
use error::Error;
use linker::Job;
use options::Options;
use run::Scratch;
use target::Machine;
use toolchain::{Driver, Places};

fn main() -> ExitCode {
    let mut words = env::args_os();
    let invoked_as = PathBuf::from(words.next().unwrap_or_default());
    let words: Vec<OsString> = words.collect();
    let done = match linker::name(&invoked_as) {
        Some(name) => linker::link(name, &words),
        None => drive(&invoked_as, &words),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("adcc: error {}: {error}", error.code());
            eprintln!("adcc: remedy: {}", error.remedy());
            ExitCode::from(error.exit_code())
        }
    }
}

/// Does what the command line says; returns the exit code.
fn drive(invoked_as: &Path, words: &[OsString]) -> Result<u8, Error> {
    let by_name = Driver::from_argv0(invoked_as);
    if words.first().is_some_and(|w| ["-cc1", "-cc1as", "-fc1"].iter().any(|tool| w == tool)) {
        // The compiler's own inner tools: not a driver's command line.
        return command_of(&toolchain::find_compiler(by_name)?, words).replace(false);
    }
    let line = CommandLine::parse(words);
    let environment = toolchain::nonempty(options::VARIABLE);
    let mut options = Options::parse(environment.as_deref(), &line.ad)?;
    if line.help {
        // A reader that closes the pipe early (`| head`) is no error.
        let _ = io::stdout().write_all(help::PAGE.as_bytes());
        return Ok(0);
    }
    let driver = options.driver.unwrap_or(by_name);
    let places = Places::from_environment(Machine::of(&line.machine));
    if let Some(print) = line.print {
        let words = print::words(print, driver, &line, &options, &places)?;
        let _ = writeln!(io::stdout(), "{}", words.join(" "));
        return Ok(0);
    }
    let compiler = toolchain::find_compiler(driver)?;
    if line.version {
        // The compiler's first: build systems read the first line.
        let code = command_of(&compiler, words).wait(options.print_commands)?;
        let _ = writeln!(
            io::stdout(),
            "adcc {} for LLVM {}",
            env!("CARGO_PKG_VERSION"),
            toolchain::LLVM_MAJOR
        );
        return Ok(code);
    }

    if options.is_step {
        let job = Job {
            compiler,
            options: compile::at_link(driver, &line, &options, &places)?,
            linker: None,
            prefixes: vec![],
            heads: options.heads.clone(),
            prints: options.print_commands,
        };
        return step::make(&line, job);
    }
    let mut scratch = Scratch::default();
    let mut user = scratch.words(&line.arguments)?;
    user.extend(compile::search_path(driver, &line, &places));
    let names = fortran::argument_names(&compiler, &line, &mut options, &user)?;
    let additions = compile::plan(driver, &line, &options, names, &places)?;
    let libraries = link::plan(&line, &options, &places, &mut scratch)?;
    if options.verbose {
        show_places(driver, &compiler, &places);
    }

    let may_answer = line.links() && !line.is_relocatable && !line.dry_run && !options.no_ir;
    let job = may_answer
        .then(|| compile::at_link(driver, &line, &options, &places))
        .and_then(Result::ok)
        .map(|words| Job {
            compiler: compiler.clone(),
            options: words,
            prefixes: line.prefixes.clone(),
            linker: linker::take_named(&mut user),
            heads: options.heads.clone(),
            prints: options.print_commands,
        });
    let mut all = additions.front;
    if job.is_some() {
        all.push(linker::option(&mut scratch)?);
        if line.is_lto && !all.iter().any(|word| word == compile::FAT_OBJECTS) {
            all.push(compile::FAT_OBJECTS.into());
        }
    }
    all.extend(user);
    all.extend(libraries);
    let mut invocation = command_of(&compiler, &all);
    if let Some(job) = &job {
        linker::stand_in(job, &mut scratch, &mut invocation.command)?;
    }
    run::set_plugin_options(&mut invocation.command, &additions.defaults, &additions.environment);
    let has_own_heads = options.heads.iter().any(|head| !head.from_environment);
    let mut seen = None;
    if additions.heads_are_optional && has_own_heads && !line.dry_run {
        let file = scratch.path("heads-seen")?;
        invocation.command.env(run::HEADS_SEEN, &file);
        seen = Some(file);
    }
    if !scratch.is_used() {
        return invocation.replace(options.print_commands);
    }
    let code = invocation.wait(options.print_commands)?;
    if let Some(file) = seen.filter(|_| code == 0) {
        run::check_heads_seen(&line, &options.heads, &file)?;
    }
    if code == 0 && !(job.is_some() && linker::used_no_machine_code(&mut scratch)?) {
        link::check(&line)?;
    }
    Ok(code)
}

/// A compiler's command, ready to run.
struct Invocation {
    command: Command,
}

fn command_of(compiler: &Path, words: &[OsString]) -> Invocation {
    let mut command = Command::new(compiler);
    command.args(words);
    Invocation { command }
}

impl Invocation {
    fn replace(self, print: bool) -> Result<u8, Error> {
        if print {
            run::print_command(&self.command);
        }
        Err(run::replace(self.command))
    }

    fn wait(mut self, print: bool) -> Result<u8, Error> {
        if print {
            run::print_command(&self.command);
        }
        Ok(run::exit_code(run::wait(&mut self.command)?))
    }
}

fn show_places(driver: Driver, compiler: &Path, places: &Places) {
    let shown = |path: Option<&Path>| match path {
        Some(path) => path.display().to_string(),
        None => "not found".into(),
    };
    eprintln!("adcc: language: {}", driver.language());
    eprintln!("adcc: compiler: {}", compiler.display());
    eprintln!("adcc: plugin:   {}", shown(places.plugin().ok()));
    eprintln!("adcc: runtime:  {}", shown(places.runtime().ok()));
    eprintln!("adcc: header:   {}", shown(places.include()));
    eprintln!("adcc: modules:  {}", shown(places.modules()));
}
