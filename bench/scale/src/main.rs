//! `adscale --functions N --instructions N --depth N --seed S --repeat N --limit CPU-SECONDS --memory GIB --keep DIR`
//!
//! Generates modules of N/8, N/4, N/2 and N functions with equally large functions, compiles each
//! with and without an adjoint of its root, and prints what it took. Exit code 1 when the last line
//! says FAIL.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use adfuzz::toolchain::Toolchain;
use adscale::{
    measure::{self, Ended, Limits},
    module::{self, Settings},
    report::{self, Measured},
};

struct Options {
    functions: usize,
    instructions: usize,
    depth: usize,
    seed: u64,
    repeat: usize,
    limits: Limits,
    keep: PathBuf,
}

fn options() -> Result<Options, String> {
    let mut o = Options {
        functions: 2000,
        instructions: 200_000,
        depth: 20,
        seed: 1,
        repeat: 3,
        limits: Limits { time: Duration::from_secs(300), memory: 8 << 30 },
        keep: "target/scale".into(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or(format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|e| format!("{name} {value}: {e}"));
        match name.as_str() {
            "--functions" => o.functions = number()? as usize,
            "--instructions" => o.instructions = number()? as usize,
            "--depth" => o.depth = number()? as usize,
            "--seed" => o.seed = number()?,
            "--repeat" => o.repeat = number()?.max(1) as usize,
            "--limit" => o.limits.time = Duration::from_secs(number()?),
            "--memory" => o.limits.memory = number()? << 30,
            "--keep" => o.keep = value.into(),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(o)
}

fn main() -> ExitCode {
    match options().and_then(|o| series(&o)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

fn series(o: &Options) -> Result<bool, String> {
    let tools = Toolchain::find(&o.keep, &[])?;
    let size = fit(o, &tools)?;
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
    println!("{line}");
    Ok(passes)
}

/// The estimated size of functions with which the module has the number of instructions that is
/// asked for.
fn fit(o: &Options, tools: &Toolchain) -> Result<usize, String> {
    let wanted = o.instructions / o.functions.max(1);
    let settings = Settings { functions: o.functions, size: wanted, depth: o.depth, seed: o.seed };
    let counted = instructions(o, tools, &write(o, &settings)?)?;
    Ok(wanted * o.instructions / counted.max(1))
}

fn write(o: &Options, settings: &Settings) -> Result<PathBuf, String> {
    let file = o.keep.join(format!("scale{}.c", settings.functions));
    std::fs::write(&file, module::module(settings)?)
        .map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// Instructions of a module after clang -O1.
fn instructions(o: &Options, tools: &Toolchain, source: &Path) -> Result<usize, String> {
    let ir = source.with_extension("ll");
    let mut command = Command::new(&tools.clang);
    command.args(["-O1", "-S", "-emit-llvm", "-w"]).arg(source).arg("-o").arg(&ir);
    match measure::run(&mut command, &source.with_extension("err"), o.limits) {
        Ok(Ended::Done(_)) => {}
        Ok(other) => return Err(format!("{}: {other:?}", source.display())),
        Err(e) => return Err(format!("{}: {e}", tools.clang)),
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
        let mut left = o.limits.time.as_secs_f64() * 1e3;
        // All runs together take no longer than one may.
        while runs.len() < o.repeat {
            let mut command = Command::new(&tools.clang);
            command
                .args(["-O2", "-w", "-c"])
                .arg(&source)
                .arg("-o")
                .arg(source.with_extension("o"));
            if is_adjoint {
                command
                    .arg(format!("-fpass-plugin={}", tools.built.join("libadpass.so").display()));
                command.arg("-DREQUEST").arg("-I").arg(tools.root.join("runtime/include"));
                command.env("ADPASS_OPTIONS", "-ad-time");
            }
            let ended = measure::run(&mut command, &source.with_extension("err"), o.limits);
            let ended = ended.map_err(|e| format!("{}: {e}", tools.clang))?;
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
        instructions: instructions(o, tools, &source)?,
        plain: compile(false)?,
        adjoint: compile(true)?,
    })
}
