//! Second derivatives and several directions: programs of bench/performance/second, each compiled
//! once for products with the Hessian and once for tangents and adjoints in several directions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adtoolchain::Workbench;

use crate::cases::LIMIT;
use crate::measure::{Effort, Measured, measured, statistics};
use crate::page::{bytes, number, table};
use crate::peers::Peer;

/// Seconds for one program.
const SECONDS: Duration = Duration::from_secs(1800);
/// Directions at once, beside one.
const WIDTHS: [u32; 4] = [2, 4, 8, 16];

/// What a program measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Gradient, Hessian times vector, the whole Hessian where it is small.
    Second,
    /// Tangents and adjoints of several widths.
    Directions,
}

/// One program, and what it is run on.
#[derive(Debug)]
pub struct Code {
    /// Name of the program.
    pub name: &'static str,
    /// The function to R, for the page.
    pub about: &'static str,
    /// Sources of the program beside its own, from the project's root.
    also: &'static [&'static str],
    instances: &'static [Sizes],
    /// Sizes for a quick check.
    pub small: &'static str,
}

/// One size or file of data.
#[derive(Debug)]
struct Sizes {
    name: &'static str,
    /// Below the folder of data; none where inputs are always generated.
    file: Option<&'static str>,
    /// Of generated inputs.
    sizes: &'static str,
    /// The sections that show it.
    of: &'static [What],
}

const BOTH: &[What] = &[What::Second, What::Directions];

/// All of them, in the order of the page.
pub const CODES: &[Code] = &[
    Code {
        name: "gmm",
        about: "the objective",
        also: &["bench/objectives/load_gmm.c"],
        instances: &[
            Sizes {
                name: "d2 K10 n1k",
                file: Some("gmm/gmm_d2_K10.txt"),
                sizes: "2 10 1000",
                of: BOTH,
            },
            Sizes { name: "d5 K10 n1k", file: None, sizes: "5 10 1000", of: &[What::Second] },
            Sizes {
                name: "d20 K50 n1k",
                file: Some("gmm/gmm_d20_K50.txt"),
                sizes: "20 50 1000",
                of: BOTH,
            },
        ],
        small: "3 4 10",
    },
    Code {
        name: "ba",
        about: "half the sum of squares of all residuals; for several directions all residuals",
        also: &["bench/objectives/load_ba.c"],
        instances: &[Sizes {
            name: "n49 m7776 p31843",
            file: Some("ba/ba1_n49_m7776_p31843.txt"),
            sizes: "49 7776 31843",
            of: BOTH,
        }],
        small: "5 20 100",
    },
    Code {
        name: "lstm",
        about: "the loss",
        also: &["bench/objectives/load_lstm.c"],
        instances: &[
            Sizes {
                name: "l2 c1024",
                file: Some("lstm/lstm_l2_c1024.txt"),
                sizes: "2 1024 14",
                of: BOTH,
            },
            Sizes {
                name: "l4 c4096",
                file: Some("lstm/lstm_l4_c4096.txt"),
                sizes: "4 4096 14",
                of: BOTH,
            },
        ],
        small: "2 10 3",
    },
    Code {
        name: "burgers",
        about: "half the sum of squares of the last state; for several directions the last state",
        also: &[],
        instances: &[Sizes {
            name: "2000 cells, 2000 steps",
            file: None,
            sizes: "2000 1000",
            of: BOTH,
        }],
        small: "12 3",
    },
];

/// How a section is made.
#[derive(Debug)]
pub struct Setting<'a> {
    /// Where compilers are.
    pub tools: &'a Workbench,
    /// The folder of real inputs.
    pub data: Option<&'a Path>,
    /// Other tools.
    pub peers: &'a [Peer],
    /// How long to measure.
    pub effort: Effort,
    /// More options of adcc.
    pub options: &'a [String],
    /// The sentence on command, machine and medians.
    pub made: &'a str,
}

/// Compiles a program of `folder` with its headers.
pub fn compile(
    tools: &Workbench,
    source: &str,
    also: &[&str],
    options: &[String],
    to: &str,
) -> Result<PathBuf, String> {
    let root = tools.root();
    let program = tools.file(to);
    let text = |file: PathBuf| file.to_string_lossy().into_owned();
    let mut words = vec!["-O3".to_string()];
    words.extend_from_slice(options);
    words.extend([
        format!("-I{}", crate::cases::codes(root).display()),
        format!("-I{}", root.join("bench/objectives").display()),
        text(root.join("bench/performance").join(source)),
    ]);
    words.extend(also.iter().map(|file| text(root.join(file))));
    words.extend(["-lm".into(), "-o".into(), text(program.clone())]);
    tools.adcc(&words)?;
    Ok(program)
}

/// What is run: PREFIX SECONDS RUNS WORD...
pub fn command(program: &Path, prefix: &Path, effort: Effort, words: &[String]) -> Command {
    let mut command = Command::new(program);
    command.arg(prefix).args([effort.seconds.to_string(), effort.runs.to_string()]).args(words);
    command
}

/// The words of an instance, and its name, marked where the file is not there.
pub fn words(
    data: Option<&Path>,
    file: Option<&str>,
    sizes: &str,
    name: &str,
) -> (Vec<String>, String) {
    let found = file.zip(data).map(|(file, folder)| folder.join(file)).filter(|f| f.is_file());
    match found {
        Some(file) => (vec![file.to_string_lossy().into_owned()], name.into()),
        None => {
            let mark = if file.is_some() { " \\*" } else { "" };
            (sizes.split(' ').map(str::to_string).collect(), format!("{name}{mark}"))
        }
    }
}

impl Code {
    /// Compiles it for `what`.
    pub fn compile(
        &self,
        tools: &Workbench,
        what: What,
        options: &[String],
    ) -> Result<PathBuf, String> {
        let mut options = options.to_vec();
        options.extend((what == What::Directions).then(|| "-DDIRECTIONS".to_string()));
        let to = format!("{what:?}-{}", self.name);
        compile(tools, &format!("second/{}.c", self.name), self.also, &options, &to)
    }

    /// Compiles and runs it at its small size.
    pub fn quick(&self, tools: &Workbench, what: What, effort: Effort) -> Result<Measured, String> {
        let program = self.compile(tools, what, &[])?;
        let (words, _) = words(None, None, self.small, "");
        let prefix = tools.file(&format!("{what:?}-{}.measured", self.name));
        measured(&mut command(&program, &prefix, effort, &words), SECONDS)
    }
}

/// The section on second derivatives, and what does not agree.
pub fn second(setting: &Setting) -> Result<(String, Vec<String>), String> {
    let mut lines = vec![words_of(&[
        "function", "primal, ms", "gradient / primal", "product / gradient", "product / primal",
        "tape of the gradient", "tape of the product", "differences", "agreement",
    ])];
    let mut header =
        words_of(&["function", "inputs", "gradient, ms", "adcc, ms", "adcc / (inputs x product)"]);
    header.extend(setting.peers.iter().map(|peer| format!("{}, ms", peer.name())));
    header.push("agreement".into());
    let (mut wholes, mut failures) = (vec![header], vec![]);
    for_each(setting, What::Second, |code, label, program, words| {
        let prefix = setting.tools.file(&format!("second-{}.measured", code.name));
        let none = Effort { runs: 0, ..setting.effort };
        let (of_gradient, _) = statistics(&mut command(program, &prefix, none, words))?;
        let (of_product, _) = statistics(command(program, &prefix, none, words).arg("product"))?;
        let mut it = measured(&mut command(program, &prefix, setting.effort, words), SECONDS)?;
        let difference = it.checks.iter().find(|(name, _)| name == "differences");
        let milliseconds = |it: &Measured, kind: &str| {
            it.time(kind).map_or(String::new(), |s| format!("{:.3}", s * 1e3))
        };
        lines.push(vec![
            label.into(),
            milliseconds(&it, "primal"),
            number(it.ratio("gradient")),
            number(it.over("product", "gradient")),
            number(it.ratio("product")),
            bytes(of_gradient),
            bytes(of_product),
            difference.map_or(String::new(), |(_, r)| format!("{r:.0e}")),
            it.agreement(LIMIT),
        ]);
        if let Some(hessian) = it.time("hessian") {
            let inputs = it.count("inputs").unwrap_or(f64::NAN);
            let product = it.time("product").unwrap_or(f64::NAN);
            let mut line = vec![
                label.into(),
                format!("{inputs}"),
                milliseconds(&it, "gradient"),
                milliseconds(&it, "hessian"),
                number(Some(hessian / (inputs * product))),
            ];
            for peer in setting.peers {
                let name = format!("{}_hessian", code.name);
                let theirs = peer.measure(setting.tools, &name, &prefix, setting.effort)?;
                line.push(theirs.as_ref().map_or(String::new(), |it| milliseconds(it, "hessian")));
                it.checks.extend(theirs.into_iter().flat_map(|it| it.checks));
            }
            line.push(it.agreement(LIMIT));
            wholes.push(line);
        }
        failures
            .extend(it.failures(LIMIT).into_iter().map(|why| format!("second, {label}: {why}")));
        Ok(())
    })?;
    let mut text = format!(
        "\n## Second derivatives\n\n{} Hessian times vector is the tangent of the gradient, by nested requests (bench/performance/second). *Differences*: \
         the product against central differences of gradients, bounded by 1e-4. *Agreement*: the product against its transpose, the whole Hessian against its \
         transpose, the products and other tools.\n\n{}{}\nA whole Hessian, column by column: one product for each input. Each tool in a process of its own.\n\n{}\n",
        setting.made,
        table(&lines),
        generated_note(&lines),
        table(&wholes),
    );
    for code in CODES {
        text.push_str(&format!(
            "- **{}**: {}. `bench/performance/second/{}.c`\n",
            code.name, code.about, code.name
        ));
    }
    Ok((text, failures))
}

/// The section on several directions, and what does not agree.
pub fn directions(setting: &Setting) -> Result<(String, Vec<String>), String> {
    let mut header = words_of(&["function", "mode", "one / primal"]);
    header.extend(WIDTHS.map(|w| format!("{w} / one")));
    header.extend(WIDTHS.map(|w| format!("one more of {w}")));
    header.push("agreement".into());
    let (mut lines, mut failures) = (vec![header], vec![]);
    for_each(setting, What::Directions, |code, label, program, words| {
        let prefix = setting.tools.file(&format!("directions-{}.measured", code.name));
        let it = measured(&mut command(program, &prefix, setting.effort, words), SECONDS)?;
        for mode in ["tangent", "adjoint"] {
            let one = format!("{mode}1");
            let over = |w: u32| it.over(&format!("{mode}{w}"), &one);
            let mut line = vec![label.to_string(), mode.into(), number(it.ratio(&one))];
            line.extend(WIDTHS.map(|w| number(over(w))));
            line.extend(WIDTHS.map(|w| number(over(w).map(|r| (r - 1.0) / f64::from(w - 1)))));
            line.push(it.agreement(LIMIT));
            lines.push(line);
        }
        failures.extend(
            it.failures(LIMIT).into_iter().map(|why| format!("directions, {label}: {why}")),
        );
        Ok(())
    })?;
    let text = format!(
        "\n## Several directions\n\n{} Tangents and adjoints in 2, 4, 8 and 16 directions at once (`ad_width`), over one request of one direction. *One more*: what each \
         direction beyond the first costs, in requests of one direction. *Agreement*: each direction against that of a request of its own.\n\n{}{}",
        setting.made,
        table(&lines),
        generated_note(&lines),
    );
    Ok((text, failures))
}

/// Compiles each program, and calls `act` for each of its instances that the section shows.
fn for_each(
    setting: &Setting,
    what: What,
    mut act: impl FnMut(&Code, &str, &Path, &[String]) -> Result<(), String>,
) -> Result<(), String> {
    for code in CODES {
        let program = code.compile(setting.tools, what, setting.options)?;
        for instance in code.instances.iter().filter(|i| i.of.contains(&what)) {
            let (words, name) = words(setting.data, instance.file, instance.sizes, instance.name);
            eprintln!("adbench: {what:?}: {} {name}", code.name);
            act(code, &format!("{} {name}", code.name), &program, &words)?;
        }
    }
    Ok(())
}

/// The line that explains marked instances, if there are any in a table.
pub fn generated_note(lines: &[Vec<String>]) -> &'static str {
    if lines.iter().any(|line| line[0].ends_with('*')) {
        "\n\\* Real data are not there: generated inputs of the same sizes.\n"
    } else {
        ""
    }
}

fn words_of(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| word.to_string()).collect()
}
