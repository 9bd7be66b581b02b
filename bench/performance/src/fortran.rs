//! Codes in Fortran, by loops and by whole-array expressions, beside the same in C.
//!
//! All of a code have one program (bench/performance/fortran/program.c), and compute the same
//! numbers.

use std::path::PathBuf;

use adtoolchain::Workbench;

use crate::cases::{LIMIT, codes};
use crate::measure::{Effort, Measured, run};
use crate::page::{bytes, number, ratio, table};

/// A code, and its sizes.
#[derive(Debug)]
pub struct Code {
    /// Name of the files and of the function.
    pub name: &'static str,
    /// One line for the page.
    pub about: &'static str,
    /// What is measured: three sizes.
    pub sizes: &'static str,
    /// Sizes for a quick check.
    pub small: &'static str,
}

/// All of them, by their numbers in the program.
pub const CODES: &[Code] = &[
    Code {
        name: "gmm",
        about: "Gaussian mixture with a Wishart prior, d = 20, 50 components, 1000 points",
        sizes: "20 50 1000",
        small: "3 4 5",
    },
    Code {
        name: "burgers",
        about: "Burgers' equation, explicit steps, 2000 cells, 2000 steps",
        sizes: "2000 1000 1",
        small: "12 3 1",
    },
    Code {
        name: "heat",
        about: "heat conduction, implicit steps, 2000 cells, 500 steps",
        sizes: "2000 500 1",
        small: "9 3 1",
    },
    Code {
        name: "water",
        about: "shallow water, explicit steps, 128 x 128 cells, 50 steps",
        sizes: "128 50 1",
        small: "5 3 1",
    },
];

/// How a code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// In C.
    C,
    /// In Fortran, by loops.
    Loops,
    /// In Fortran, by whole-array expressions.
    Arrays,
}

/// All, the one that others are compared with first.
pub const SPELLINGS: [Spelling; 3] = [Spelling::C, Spelling::Loops, Spelling::Arrays];

impl Spelling {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Spelling::C => "C",
            Spelling::Loops => "Fortran, loops",
            Spelling::Arrays => "Fortran, whole arrays",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Spelling::C => "",
            Spelling::Loops => "_loops",
            Spelling::Arrays => "_arrays",
        }
    }
}

impl Code {
    /// Compiles one spelling at -O3, and runs it with these sizes.
    pub fn measure(
        &self,
        tools: &Workbench,
        spelling: Spelling,
        sizes: &str,
        effort: Effort,
    ) -> Result<Measured, String> {
        let program = self.compile(tools, spelling)?;
        let words: Vec<String> = sizes.split(' ').map(str::to_string).collect();
        let prefix = tools.file(&format!("{}{}.measured", self.name, spelling.suffix()));
        run(&program, &prefix, &words, effort)
    }

    fn compile(&self, tools: &Workbench, spelling: Spelling) -> Result<PathBuf, String> {
        let root = tools.root();
        let folder = root.join("bench/performance/fortran");
        let kernel = format!("{}{}", self.name, spelling.suffix());
        let is_fortran = spelling != Spelling::C;
        let text = |file: PathBuf| file.to_string_lossy().into_owned();
        let object = text(tools.file(&format!("fortran-{kernel}.o")));
        let main = text(tools.file(&format!("fortran-{kernel}.main.o")));
        let program = tools.file(&format!("fortran-{kernel}"));
        let include = |at: PathBuf| format!("-I{}", at.display());
        let driver = if is_fortran { "--ad-driver=fortran" } else { "--ad-driver=c" };
        let name = if is_fortran { format!("{kernel}_") } else { kernel.clone() };
        let mut words = vec![
            driver.to_string(),
            "-O3".into(),
            format!("--ad-adjoint={name}(y)/(x)"),
            format!("--ad-tangent={name}(y)/(x)"),
        ];
        if is_fortran {
            words.extend(["-J".into(), text(tools.file(""))]);
        } else {
            words.push(include(root.join("bench/objectives")));
        }
        let source = format!("{kernel}.{}", if is_fortran { "f90" } else { "c" });
        words.extend(["-c".into(), text(folder.join(source)), "-o".into(), object.clone()]);
        tools.adcc(&words)?;
        let case = CODES.iter().position(|code| code.name == self.name).unwrap_or(CODES.len());
        let mut words = vec![
            "-O3".to_string(),
            include(codes(root)),
            format!("-DKERNEL={kernel}"),
            format!("-DCASE={case}"),
        ];
        words.extend(is_fortran.then(|| "-DFORTRAN".into()));
        words.extend(["-c".into(), text(folder.join("program.c")), "-o".into(), main.clone()]);
        tools.adcc(&words)?;
        let words = [driver.into(), main, object, "-lm".into(), "-o".into(), text(program.clone())];
        tools.adcc(&words)?;
        Ok(program)
    }
}

/// The section of the page, and what does not agree.
pub fn section(tools: &Workbench, effort: Effort) -> Result<(String, Vec<String>), String> {
    let header = [
        "code", "primal, ms", "tangent", "gradient", "gradient / C's", "tape: traffic", "agreement",
    ];
    let (mut lines, mut failures) = (vec![header.map(String::from).to_vec()], vec![]);
    for code in CODES {
        let mut in_c = None;
        for spelling in SPELLINGS {
            eprintln!("adbench: {} in {}", code.name, spelling.name());
            let it = code.measure(tools, spelling, code.sizes, effort)?;
            let wrong = it.failures(LIMIT);
            let gradient = it.ratio("gradient");
            let first = *in_c.get_or_insert(gradient);
            lines.push(line(code, spelling, &it, gradient.zip(first).map(|(a, b)| a / b)));
            failures.extend(
                wrong.iter().map(|why| format!("{} in {}: {why}", code.name, spelling.name())),
            );
        }
    }
    let mut text = format!(
        "\n## Fortran\n\nThe same codes in C and in Fortran, by loops and by whole-array expressions, at -O3; ratios are to each program's own primal.\n\n{}\n",
        table(&lines)
    );
    for code in CODES {
        text.push_str(&format!(
            "- **{}**: {}. `bench/performance/fortran/{}*`\n",
            code.name, code.about, code.name
        ));
    }
    Ok((text, failures))
}

fn line(code: &Code, spelling: Spelling, it: &Measured, to_c: Option<f64>) -> Vec<String> {
    vec![
        format!("{}, {}", code.name, spelling.name()),
        it.time("primal").map_or(String::new(), |s| format!("{:.3}", s * 1e3)),
        ratio(it, "tangent"),
        ratio(it, "gradient"),
        number(to_c),
        bytes(it.traffic),
        it.agreement(LIMIT),
    ]
}
