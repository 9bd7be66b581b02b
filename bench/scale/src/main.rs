//! The command that measures compile time: generates modules of N/8, N/4, N/2 and N functions with
//! equally large functions, compiles each with and without an adjoint of its root, and prints what it
//! took; then the same for single programs of shapes that are hard on a compiler, with a tangent and
//! an adjoint each. `adscale --help` lists the options.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use adscale::{
    measure::{self, Ended, Limits},
    module::{self, Settings},
    programs::{self, Outcome, Program},
    report::{self, Measured},
};
use adtoolchain::{Language, PLUGIN, Toolchain};
use clap::{Parser, builder::RangedU64ValueParser};

/// What an adjoint of a large module costs the compiler, by stage and as the module grows.
///
/// The exit code is 1 when the last line says FAIL, 2 when something could not be compiled.
#[derive(Parser)]
#[command(name = "adscale")]
struct Options {
    /// Functions of the largest module.
    #[arg(long, default_value_t = 2000)]
    functions: usize,
    /// Its instructions after clang -O1.
    #[arg(long, default_value_t = 200_000)]
    instructions: usize,
    /// Levels of calls.
    #[arg(long, default_value_t = 20)]
    depth: usize,
    /// The modules are the same for the same seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Most runs of one compilation; the median counts.
    #[arg(long, default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    repeat: usize,
    /// Seconds of processor time for one compilation, and for all runs of it together.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    limit: u64,
    /// Address space of the compiler in GiB.
    #[arg(long, value_name = "GIB", default_value_t = 8)]
    memory: u64,
    /// Leave out the modules: only the single programs.
    #[arg(long)]
    programs: bool,
    /// Folder for the modules and programs.
    #[arg(long, value_name = "FOLDER", default_value = "target/scale")]
    keep: PathBuf,
}

impl Options {
    fn limits(&self) -> Limits {
        Limits { time: Duration::from_secs(self.limit), memory: self.memory << 30 }
    }
}

fn main() -> ExitCode {
    match series(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

fn series(o: &Options) -> Result<bool, String> {
    let tools = Toolchain::find(&[PLUGIN])?;
    std::fs::create_dir_all(&o.keep).map_err(|e| format!("{}: {e}", o.keep.display()))?;
    if o.programs {
        return all_programs(o, &tools);
    }
    let size = fit(o)?;
    let sizes: Vec<usize> =
        [8, 4, 2, 1].iter().map(|d| o.functions / d).filter(|n| *n >= o.depth).collect();
    let mut all = vec![];
    for functions in sizes {
        all.push(one(o, &tools, Settings { functions, size, depth: o.depth, seed: o.seed })?);
    }
    let largest =
        all.last().ok_or(format!("{} functions do not fill {} levels", o.functions, o.depth))?;
    let Measured { functions, instructions, .. } = largest;
    let Options { depth, seed, repeat, .. } = o;
    println!(
        "{functions} functions on {depth} levels, {instructions} instructions after clang -O1, seed {seed}"
    );
    println!("medians of up to {repeat} runs");
    println!("\n{}\n{}", report::stage_table(largest), report::series_table(&all));
    let (passes, line) = report::verdict(largest);
    println!("{line}\n");
    Ok(passes & all_programs(o, &tools)?)
}

/// Compiles the single programs, and prints a line for each. Whether all pass.
fn all_programs(o: &Options, tools: &Toolchain) -> Result<bool, String> {
    println!(
        "{:<38}{:>10}{:>13}{:>8}{:>10}",
        "program", "alone, s", "tangent and", "times", "peak MiB"
    );
    println!("{:<38}{:>10}{:>13}", "", "", "adjoint, s");
    let mut passes = true;
    for program in programs::all(o.seed) {
        print!("{:<38}", program.name);
        if let Some(header) = program.missing() {
            println!("  skipped: there is no <{header}>");
            continue;
        }
        let outcome = compile_program(o, tools, &program)?;
        if let Ok(Outcome { plain, with, peak }) = &outcome {
            print!(
                "{:>10.2}{:>13.2}{:>8.1}{:>10}",
                plain / 1e3,
                with / 1e3,
                with / plain,
                peak >> 20
            );
        }
        let (is_well, line) = programs::verdict(&outcome);
        println!("  {line}");
        passes &= is_well;
    }
    Ok(passes)
}

/// Compiles a program alone and with its derivatives, some times each; an error of the second is its
/// outcome.
fn compile_program(
    o: &Options,
    tools: &Toolchain,
    program: &Program,
) -> Result<Result<Outcome, String>, String> {
    let source = program.write(&o.keep)?;
    let once = |with: bool| {
        let mut command = Command::new(program.language().compiler());
        command.args(["-O2", "-w", "-c"]).arg(&source).arg("-o").arg(source.with_extension("o"));
        command.args(program.headers().map(|folder| format!("-I{folder}")));
        if program.language() != Language::Fortran {
            command.arg("-I").arg(tools.headers());
        }
        if with {
            command.arg(tools.plugin_option());
            if program.options.is_empty() {
                command.arg("-DREQUEST");
            }
            command.env("ADPASS_OPTIONS", program.options);
        }
        measure::run(&mut command, &source.with_extension("err"), o.limits())
            .map_err(|e| format!("{:?}: {e}", command.get_program()))
    };
    let (mut plain, mut with, mut peak) = (vec![], vec![], 0);
    // One after the other, so that other work on the machine slows both.
    for _ in 0..o.repeat {
        let Ended::Done(alone) = once(false)? else {
            return Err(format!("{} could not be compiled alone", source.display()));
        };
        plain.push(alone.user);
        match once(true)? {
            Ended::Done(used) => {
                with.push(used.user);
                peak = used.peak.max(peak);
            }
            Ended::Timeout(_) => return Ok(Err(format!("more than {} s", o.limit))),
            Ended::Failed(why) => {
                let refusal = why.lines().find(|l| l.contains("error:")).unwrap_or(&why);
                return Ok(Err(refusal.chars().take(160).collect()));
            }
        }
    }
    Ok(Ok(Outcome { plain: report::median(plain), with: report::median(with), peak }))
}

/// The estimated size of functions with which the module has the number of instructions that is
/// asked for.
fn fit(o: &Options) -> Result<usize, String> {
    let wanted = o.instructions / o.functions.max(1);
    let settings = Settings { functions: o.functions, size: wanted, depth: o.depth, seed: o.seed };
    let counted = instructions(o, &write(o, &settings)?)?;
    Ok(wanted * o.instructions / counted.max(1))
}

fn write(o: &Options, settings: &Settings) -> Result<PathBuf, String> {
    let file = o.keep.join(format!("scale{}.c", settings.functions));
    std::fs::write(&file, module::module(settings)?)
        .map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// Instructions of a module after clang -O1.
fn instructions(o: &Options, source: &Path) -> Result<usize, String> {
    let ir = source.with_extension("ll");
    let mut command = Command::new(Language::C.compiler());
    command.args(["-O1", "-S", "-emit-llvm", "-w"]).arg(source).arg("-o").arg(&ir);
    match measure::run(&mut command, &source.with_extension("err"), o.limits()) {
        Ok(Ended::Done(_)) => {}
        Ok(other) => return Err(format!("{}: {other:?}", source.display())),
        Err(e) => return Err(format!("{:?}: {e}", command.get_program())),
    }
    let text = std::fs::read_to_string(&ir).map_err(|e| format!("{}: {e}", ir.display()))?;
    let _ = std::fs::remove_file(ir);
    // Instructions are indented by two, the cases of a switch by more.
    Ok(text.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ") && *l != "  ]").count())
}

fn one(o: &Options, tools: &Toolchain, settings: Settings) -> Result<Measured, String> {
    let source = write(o, &settings)?;
    let compile = |is_adjoint: bool| {
        let mut runs = vec![];
        let mut left = o.limits().time.as_secs_f64() * 1e3;
        // All runs together take no longer than one may.
        while runs.len() < o.repeat {
            let mut command = Command::new(Language::C.compiler());
            command
                .args(["-O2", "-w", "-c"])
                .arg(&source)
                .arg("-o")
                .arg(source.with_extension("o"));
            if is_adjoint {
                command.arg(tools.plugin_option());
                command.arg("-DREQUEST").arg("-I").arg(tools.headers());
                command.env("ADPASS_OPTIONS", "-ad-time");
            }
            let ended = measure::run(&mut command, &source.with_extension("err"), o.limits());
            let ended = ended.map_err(|e| format!("{:?}: {e}", command.get_program()))?;
            let user = if let Ended::Done(used) = &ended { used.user } else { f64::INFINITY };
            runs.push(ended);
            left -= user;
            if left < user {
                break;
            }
        }
        Ok::<_, String>(report::cost(&runs))
    };
    Ok(Measured {
        functions: settings.functions,
        instructions: instructions(o, &source)?,
        plain: compile(false)?,
        adjoint: compile(true)?,
    })
}
