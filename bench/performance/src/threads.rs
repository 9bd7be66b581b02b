//! Gradients of OpenMP regions: programs of bench/performance/threads, each of which measures its code without
//! directives, with one thread, and with as many as there are processors.

use std::path::PathBuf;
use std::time::Duration;

use adtoolchain::Workbench;

use crate::cases::LIMIT;
use crate::measure::{Effort, Measured, measured};
use crate::page::{number, table};
use crate::second::{Setting, command, compile, words};

/// Seconds for one program.
const SECONDS: Duration = Duration::from_secs(600);

/// One program, and what it is run on.
#[derive(Debug)]
pub struct Code {
    /// Name of the program.
    pub name: &'static str,
    /// For the page.
    about: &'static str,
    sizes: &'static str,
    /// Sizes for a quick check.
    pub small: &'static str,
}

/// All of them, in the order of the page.
pub const CODES: &[Code] = &[
    Code {
        name: "stencil",
        about: "ten steps of a nonlinear diffusion equation, a million cells",
        sizes: "1000000 10",
        small: "3000 2",
    },
    Code {
        name: "bodies",
        about: "softened potentials of all pairs of 1500 bodies",
        sizes: "1500",
        small: "40",
    },
    Code {
        name: "product",
        about: "five products of a sparse matrix, 200,000 rows of nine entries, by matrix and vector",
        sizes: "200000 5",
        small: "3000 1",
    },
    Code {
        name: "mixture",
        about: "a mixture of ten Gaussians, 40,000 points in eight dimensions, by weights and means",
        sizes: "40000",
        small: "300",
    },
    Code {
        name: "forces",
        about: "forces between 20,000 particles and 20 neighbours each, added by atomic updates",
        sizes: "20000",
        small: "300",
    },
];

impl Code {
    fn compile(&self, tools: &Workbench, options: &[String]) -> Result<PathBuf, String> {
        let options = [&["-fopenmp".to_string()], options].concat();
        let to = format!("threads-{}", self.name);
        compile(tools, &format!("threads/{}.c", self.name), &[], &options, &to)
    }

    fn run(
        &self,
        tools: &Workbench,
        effort: Effort,
        options: &[String],
        sizes: &str,
    ) -> Result<Measured, String> {
        let program = self.compile(tools, options)?;
        let (words, _) = words(None, None, sizes, "");
        let prefix = tools.file(&format!("threads-{}.measured", self.name));
        measured(&mut command(&program, &prefix, effort, &words), SECONDS)
    }

    /// Compiles and runs it at its small size.
    pub fn quick(&self, tools: &Workbench, effort: Effort) -> Result<Measured, String> {
        self.run(tools, effort, &[], self.small)
    }
}

/// The section of the page, and what does not agree.
pub fn section(setting: &Setting) -> Result<(String, Vec<String>), String> {
    let header = [
        "function", "primal, ms", "gradient / primal", "one thread", "all threads",
        "all threads / without", "primal speed-up", "gradient speed-up", "differences",
        "agreement",
    ];
    let (mut lines, mut failures) = (vec![header.map(String::from).to_vec()], vec![]);
    let mut threads = 0.0;
    for code in CODES {
        eprintln!("adbench: threads: {}", code.name);
        let it = code.run(setting.tools, setting.effort, setting.options, code.sizes)?;
        threads = it.count("threads").unwrap_or(f64::NAN);
        lines.push(line(code.name, &it));
        let wrong = it.failures(LIMIT);
        failures.extend(wrong.into_iter().map(|why| format!("threads, {}: {why}", code.name)));
    }
    let mut text = format!(
        "\n## Threads\n\n{} OpenMP regions (bench/performance/threads), on {threads} processors; times are those of the clock on the wall. *Gradient / primal* is that \
         of the code without directives; *one thread* and *all threads* are gradient over primal of the code with directives, with so many threads in both; then the \
         latter over the former, and how much faster primal and gradient are with all threads than without directives. *Differences*: the gradient along a direction. \
         *Agreement*: the gradients of one to four threads against that without directives.\n\n{}\n",
        setting.made.replace("processor time, ", ""),
        table(&lines),
    );
    for code in CODES {
        text.push_str(&format!(
            "- **{}**: {}. `bench/performance/threads/{}.h`\n",
            code.name, code.about, code.name
        ));
    }
    Ok((text, failures))
}

fn line(label: &str, it: &Measured) -> Vec<String> {
    let (without, with) = (it.ratio("gradient"), it.over("gradients", "primals"));
    let difference = it.checks.iter().find(|(name, _)| name == "differences");
    vec![
        label.into(),
        it.time("primal").map_or(String::new(), |s| format!("{:.3}", s * 1e3)),
        number(without),
        number(it.over("gradient1", "primal1")),
        number(with),
        number(with.zip(without).map(|(with, without)| with / without)),
        number(it.over("primal", "primals")),
        number(it.over("gradient", "gradients")),
        difference.map_or(String::new(), |(_, worst)| format!("{worst:.0e}")),
        it.agreement(LIMIT),
    ]
}
