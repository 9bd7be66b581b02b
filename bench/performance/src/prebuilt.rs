//! Derivatives through machine code: libraries that nobody compiles here, under the shadow runtime.
//!
//! Programs of bench/performance/prebuilt are compiled by adcc and linked with a library, end to
//! end. The runtime's own example then tells recording from reverse sweep: it calls the runtime as
//! generated code does.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use adtoolchain::{Workbench, succeed};

use crate::cases::codes;
use crate::measure::{Effort, Measured, measured};
use crate::page::table;

/// Seconds for one program.
const LIMIT: Duration = Duration::from_secs(1200);
/// Where Debian has the reference BLAS, whatever its alternatives say.
const BLAS: &str = "/usr/lib/x86_64-linux-gnu/blas";

/// What a program is linked with.
enum Library {
    /// A source of bench/performance/prebuilt, compiled by gcc with these options.
    Own(&'static str, &'static [&'static str]),
    /// A file of a folder.
    Installed(&'static str, &'static str),
}

/// A program, and the library that it calls.
pub struct Program {
    /// For tables.
    pub name: &'static str,
    source: &'static str,
    library: Library,
    /// What is measured.
    sizes: &'static str,
    /// What tests run.
    pub small: &'static str,
}

const fn burgers(name: &'static str, options: &'static [&'static str]) -> Program {
    Program {
        name,
        source: "burgers",
        library: Library::Own("burgers_library", options),
        sizes: "200 100",
        small: "12 3",
    }
}

const fn blas(
    name: &'static str,
    source: &'static str,
    sizes: &'static str,
    small: &'static str,
) -> Program {
    Program { name, source, library: Library::Installed(BLAS, "libblas.so.3"), sizes, small }
}

/// All of them.
pub const PROGRAMS: &[Program] = &[
    burgers("burgers, gcc -O2 scalar", &["-O2", "-fno-tree-vectorize"]),
    burgers("burgers, gcc -O2", &["-O2"]),
    burgers("burgers, gcc -O3 AVX2 FMA", &["-O3", "-mavx2", "-mfma"]),
    burgers(
        "burgers, gcc -O3 AVX-512",
        &["-O3", "-march=skylake-avx512", "-mprefer-vector-width=512"],
    ),
    blas("ddot 1e6, reference BLAS", "ddot", "1000000", "23"),
    blas("dgemm 512, reference BLAS", "dgemm", "512", "7"),
];

/// The section of the page, and what does not agree.
pub fn section(tools: &Workbench, effort: Effort) -> Result<(String, Vec<String>), String> {
    let header = ["through", "native, ms", "tangent", "gradient", "agreement"];
    let (mut lines, mut failures) = (vec![header.map(String::from).to_vec()], vec![]);
    for program in PROGRAMS {
        if let Some(why) = program.missing() {
            eprintln!("adbench: skipped: {}: {why}", program.name);
            continue;
        }
        eprintln!("adbench: {}", program.name);
        let it = match program.measure(tools, effort, program.sizes) {
            Err(why) if is_of_another_processor(&why) => {
                eprintln!("adbench: skipped: {why}");
                continue;
            }
            it => it?,
        };
        let wrong = it.failures(crate::cases::LIMIT);
        lines.push(line(program.name, &it, wrong.is_empty()));
        failures.extend(wrong.iter().map(|why| format!("{}: {why}", program.name)));
    }
    let split = example(tools.root())?;
    let text = format!(
        "\n## Prebuilt machine code\n\nLibraries without source, through the shadow runtime: programs compiled by adcc and linked with the library, nothing else. Times as above, \
         of whole calls, with what they copy; ratios to the same program's native time.\n\n{}\n\
         The same solver called as generated code calls it, recording and reverse sweep apart (`cargo {}`). Values are the same bits as natively; tangent and reverse sweep \
         agree to 1e-10.\n\n{split}",
        table(&lines),
        EXAMPLE.join(" ")
    );
    Ok((text, failures))
}

/// Whether a program has instructions that this processor does not have.
pub fn is_of_another_processor(why: &str) -> bool {
    why.contains("SIGILL")
}

fn line(name: &str, it: &Measured, agrees: bool) -> Vec<String> {
    let ratio = |kind| it.ratio(kind).map_or(String::new(), |r| format!("{r:.1}"));
    let native = it.time("primal").unwrap_or(f64::NAN);
    let checks = it.checks.iter().filter(|(name, _)| name != "differences");
    let worst = checks.fold(0.0, |worst: f64, (_, r)| worst.max(*r));
    let agreement = if agrees { format!("{worst:.0e}") } else { "WRONG".into() };
    vec![
        name.into(),
        format!("{:.3}", native * 1e3),
        ratio("tangent"),
        ratio("gradient"),
        agreement,
    ]
}

impl Program {
    /// Why it cannot be linked here, if it cannot.
    pub fn missing(&self) -> Option<String> {
        let Library::Installed(folder, file) = self.library else {
            return None;
        };
        let path = Path::new(folder).join(file);
        (!path.exists()).then(|| format!("{} is not installed", path.display()))
    }

    /// Compiles it, and runs it with these sizes.
    pub fn measure(
        &self,
        tools: &Workbench,
        effort: Effort,
        sizes: &str,
    ) -> Result<Measured, String> {
        let root = tools.root();
        let sources = root.join("bench/performance/prebuilt");
        let source = |name: &str| sources.join(format!("{name}.c"));
        let (folder, file) = match self.library {
            Library::Installed(folder, file) => (folder.into(), file.to_string()),
            Library::Own(name, options) => {
                let folder = tools.file(&self.name.replace([' ', ','], "-"));
                std::fs::create_dir_all(&folder)
                    .map_err(|e| format!("{}: {e}", folder.display()))?;
                let file = format!("lib{name}.so");
                let mut gcc = Command::new("gcc");
                gcc.args(options)
                    .args(["-shared", "-fPIC", "-o"])
                    .arg(folder.join(&file))
                    .arg(source(name));
                succeed(&mut gcc, LIMIT)?;
                (folder, file)
            }
        };
        let program = scratch_of(tools, self.name);
        let folder = folder.display();
        tools.adcc(&[
            "-O3".into(),
            "-g".into(),
            format!("-I{}", codes(root).display()),
            source(self.source).display().to_string(),
            format!("-L{folder}"),
            format!("-l:{file}"),
            format!("-Wl,-rpath,{folder}"),
            "-lm".into(),
            "-o".into(),
            program.clone(),
        ])?;
        let mut command = Command::new(&program);
        command.arg(format!("{program}.measured"));
        command
            .args([effort.seconds.to_string(), effort.runs.to_string()])
            .args(sizes.split_whitespace());
        measured(&mut command, LIMIT)
    }
}

/// Where the program of this name is put.
fn scratch_of(tools: &Workbench, name: &str) -> String {
    tools.file(&format!("{}.program", name.replace([' ', ','], "-"))).display().to_string()
}

const EXAMPLE: [&str; 6] = ["run", "--release", "-p", "adshadow", "--example", "burgers"];

/// What the runtime's example prints; it fails if values are not the same bits, or tangent and
/// reverse sweep do not agree.
fn example(root: &Path) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    let done = succeed(command.args(EXAMPLE).arg("--quiet").current_dir(root), LIMIT)?;
    Ok(done.stdout)
}
