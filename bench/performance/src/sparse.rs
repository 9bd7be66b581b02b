//! Sparse Jacobians: programs of bench/performance/sparse.

use std::path::PathBuf;
use std::time::Duration;

use adtoolchain::Workbench;

use crate::cases::LIMIT;
use crate::measure::{Effort, Measured, measured};
use crate::page::{number, table};
use crate::second::{Setting, command, compile, generated_note, words};

/// Seconds for one program.
const SECONDS: Duration = Duration::from_secs(1800);

/// One program, and what it is run on.
#[derive(Debug)]
pub struct Code {
    /// Name of the program.
    pub name: &'static str,
    /// For the page.
    about: &'static str,
    also: &'static [&'static str],
    /// Name, file of data if there is one, sizes of generated inputs.
    instances: &'static [(&'static str, Option<&'static str>, &'static str)],
    /// Sizes for a quick check, small enough to compare with the dense Jacobian.
    pub small: &'static str,
}

/// All of them, in the order of the page.
pub const CODES: &[Code] = &[
    Code {
        name: "ba",
        about: "bundle adjustment, all residuals",
        also: &["bench/objectives/load_ba.c"],
        instances: &[
            ("p1k, generated", None, "5 100 1000"),
            ("n49 m7776 p31843", Some("ba/ba1_n49_m7776_p31843.txt"), "49 7776 31843"),
            ("n257 m65132 p225911", Some("ba/ba5_n257_m65132_p225911.txt"), "257 65132 225911"),
        ],
        small: "5 20 100",
    },
    Code {
        name: "stencil",
        about: "implicit reaction and diffusion in two dimensions, nine points; residual by new state",
        also: &[],
        instances: &[("40 x 40", None, "40"), ("300 x 300", None, "300")],
        small: "7",
    },
    Code {
        name: "chain",
        about: "a chain of poses in the plane, residuals between neighbours",
        also: &[],
        instances: &[("500 poses", None, "500"), ("30k poses", None, "30000")],
        small: "20",
    },
];

impl Code {
    fn compile(&self, tools: &Workbench, options: &[String]) -> Result<PathBuf, String> {
        let to = format!("sparse-{}", self.name);
        compile(tools, &format!("sparse/{}.c", self.name), self.also, options, &to)
    }

    /// Compiles and runs it at its small size.
    pub fn quick(&self, tools: &Workbench, effort: Effort) -> Result<Measured, String> {
        let program = self.compile(tools, &[])?;
        let (words, _) = words(None, None, self.small, "");
        let prefix = tools.file(&format!("sparse-{}.measured", self.name));
        measured(&mut command(&program, &prefix, effort, &words), SECONDS)
    }
}

/// The section of the page, and what does not agree.
pub fn section(setting: &Setting) -> Result<(String, Vec<String>), String> {
    let header = [
        "function", "rows x columns", "entries", "directions", "primal, ms", "tangent", "pattern",
        "colouring", "Jacobian", "in blocks", "direction / tangent", "in blocks", "dense",
        "agreement",
    ];
    let (mut lines, mut failures) = (vec![header.map(String::from).to_vec()], vec![]);
    for code in CODES {
        let program = code.compile(setting.tools, setting.options)?;
        for &(name, file, sizes) in code.instances {
            let (words, name) = words(setting.data, file, sizes, name);
            let label = format!("{} {name}", code.name);
            eprintln!("adbench: sparse: {label}");
            let prefix = setting.tools.file(&format!("sparse-{}.measured", code.name));
            let it = measured(&mut command(&program, &prefix, setting.effort, &words), SECONDS)?;
            lines.push(line(&label, &it));
            failures.extend(
                it.failures(LIMIT).into_iter().map(|why| format!("sparse, {label}: {why}")),
            );
        }
    }
    let mut text = format!(
        "\n## Sparse Jacobians\n\n{} Pattern by `__ad_pattern`, colouring and entries by `ad_sparse.h`, all directions with that of the check (bench/performance/sparse). Times are multiples of the \
         function itself: one tangent; the pattern with what the library computes from it; the colouring of columns; the compressed Jacobian, by tangents one after the other, and *in blocks* of eight \
         directions at once. *Direction / tangent*: what a direction of it costs, with seeds and entries, in tangents. *Dense*: how many \
         tangents the dense Jacobian takes, over the directions. *Agreement*: entries against the dense Jacobian where it has at most 4e6 entries, a product with a vector against the tangent, blocks against single \
         directions, and the check of the pattern.\n\n{}{}\n",
        setting.made,
        table(&lines),
        generated_note(&lines),
    );
    for code in CODES {
        text.push_str(&format!(
            "- **{}**: {}. `bench/performance/sparse/{}.c`\n",
            code.name, code.about, code.name
        ));
    }
    Ok((text, failures))
}

fn line(label: &str, it: &Measured) -> Vec<String> {
    let count = |what: &str| it.count(what).unwrap_or(f64::NAN);
    let directions = count("directions");
    let colouring = it
        .ratio("pattern_and_colours")
        .zip(it.ratio("pattern"))
        .map(|(both, pattern)| both - pattern);
    vec![
        label.into(),
        format!("{} x {}", count("rows"), count("columns")),
        format!("{}", count("nonzeros")),
        format!("{directions}"),
        it.time("primal").map_or(String::new(), |s| format!("{:.3}", s * 1e3)),
        number(it.ratio("tangent")),
        number(it.ratio("pattern")),
        number(colouring),
        number(it.ratio("compressed")),
        number(it.ratio("compressed_in_blocks")),
        number(it.over("compressed", "tangent").map(|r| r / directions)),
        number(it.over("compressed_in_blocks", "tangent").map(|r| r / directions)),
        number(Some(count("columns") / directions)),
        it.agreement(LIMIT),
    ]
}
