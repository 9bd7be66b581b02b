//! Options: one spelling, three ways in (`-mllvm -ad-…`, `adcc --ad-…`, the environment variable
//! `ADPASS_OPTIONS`).

use crate::{
    annotations::{
        heads::{self, Asked, MOST_DIRECTIONS, Mode},
        joint::Calls,
        policy::Policies,
    },
    llvm,
};

/// In which order adjoints are summed up (`-ad-sums`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sums {
    /// Free where a loop runs in vectors for it.
    #[default]
    Free,
    /// As the code is undone.
    Ordered,
}

/// The options of one run.
#[derive(Clone, Debug)]
pub struct Config {
    /// What heads ask for, tangents first.
    pub heads: Vec<Asked>,
    /// Heads as written.
    written: Vec<(Mode, String)>,
    /// The number of directions of heads that have none of their own.
    directions: Option<usize>,
    /// Names of parameters: (symbol, names in order).
    pub argnames: Vec<(String, Vec<String>)>,
    /// Fortran declarations of parameters: (symbol, declarations in order), as adfc writes them.
    pub argtypes: Vec<(String, Vec<String>)>,
    /// A head whose function is not defined here is no error.
    pub heads_optional: bool,
    /// The front end tests tables of virtual functions for this plugin alone.
    pub classes: bool,
    /// File to write C prototypes to.
    pub header: Option<String>,
    /// File to write a Fortran interface module to.
    pub interface: Option<String>,
    /// File or folder to write the report to.
    pub report: Option<String>,
    /// Functions and variables without influence on derivatives, by name.
    pub inactive: Vec<String>,
    /// Functions that run again in the reverse sweep instead of recording, by symbol.
    pub joint: Vec<String>,
    /// Functions that are recorded whatever others are, by symbol.
    pub split: Vec<String>,
    /// What becomes of the calls of all others.
    pub calls: Calls,
    /// In which order adjoints are summed up.
    pub sums: Sums,
    /// What becomes of calls to functions without body and without rule.
    pub prebuilt: Policies,
    /// Analyses switched off.
    pub disabled: Vec<String>,
    /// Images to print.
    pub print: Vec<String>,
    /// Print the time of each stage.
    pub time: bool,
    /// Instructions of the parts that large derivatives are divided into; none where they stay
    /// whole.
    pub parts: Option<u32>,
    /// The runtime is linked: requests may rely on its check of shadows.
    pub check: bool,
    /// Requests compare their derivatives with differences and with each other, when they run.
    pub validate: bool,
    /// Objects carry the IR of the module, with the level of optimisation, and requests that reach
    /// other files stay open.
    pub objects: Option<String>,
    /// The mpi.h of the program, where adcc found one: messages between ranks have derivatives.
    pub mpi: Option<String>,
    /// All requests stay open, not only those that reach other files: for tests.
    pub opens_all: bool,
    /// File that lists open requests of a link, and its units.
    pub link: Option<String>,
}

/// Instructions of a part of a large derivative: at this size, LLVM's times are still about linear.
const PART: u32 = 600;
/// The least that an option may ask for.
const LEAST_PART: u32 = 8;

impl Default for Config {
    fn default() -> Config {
        Config {
            heads: vec![],
            written: vec![],
            directions: None,
            argnames: vec![],
            argtypes: vec![],
            heads_optional: false,
            classes: false,
            header: None,
            interface: None,
            report: None,
            inactive: vec![],
            joint: vec![],
            split: vec![],
            calls: Calls::default(),
            sums: Sums::default(),
            prebuilt: Policies::default(),
            disabled: vec![],
            print: vec![],
            time: false,
            parts: Some(PART),
            check: false,
            validate: false,
            objects: None,
            mpi: None,
            opens_all: false,
            link: None,
        }
    }
}

/// Analyses that `-ad-disable` knows. `inlining` takes none of the user's calls into the copy:
/// every analysis then works across them; without `versions`, arguments that may overlap always
/// count as if they did; without `stencils`, each iteration of a loop loads and stores all cells
/// that it works on; without `strips`, loops of teams ask for each addition where the thread adds.
const ANALYSES: &[&str] = &[
    "points-to", "in-out", "dependency", "activity", "diff-liveness", "tbr", "recompute",
    "preaccumulation", "inlining", "versions", "stencils", "strips",
];
/// Images that `-ad-print` knows.
const IMAGES: &[&str] = &["canon", "body", "types", "plan", "derivative", "broken"];

impl Config {
    /// Reads the command line and the environment. Errors are worded for the user.
    pub fn read() -> Result<Config, Vec<String>> {
        let mut options: Vec<(String, String)> = llvm::command_line_options();
        let environment = std::env::var("ADPASS_OPTIONS").unwrap_or_default();
        let mut errors = vec![];
        match words(&environment) {
            Ok(list) => {
                for word in list {
                    let (name, value) = word.split_once('=').unwrap_or((&word, ""));
                    options.push((name.trim_start_matches('-').to_string(), value.to_string()));
                }
            }
            Err(e) => errors.push(format!("ADPASS_OPTIONS: {e}")),
        }
        let mut config = Config::default();
        for (name, value) in options {
            if let Err(e) = config.set(&name, &value) {
                errors.push(e);
            }
        }
        errors.extend(config.take_heads());
        errors.extend(
            config
                .split
                .iter()
                .filter(|f| config.joint.contains(f))
                .map(|f| format!("-ad-joint and -ad-split both name '{f}'")),
        );
        if errors.is_empty() { Ok(config) } else { Err(errors) }
    }

    /// Knows what heads ask for, once all options are read; what is wrong with their directions.
    fn take_heads(&mut self) -> Option<String> {
        self.heads = heads::asked(&self.written, self.directions);
        let is_used = self.written.iter().any(|(mode, _)| *mode != Mode::Pattern);
        // A link has its heads from the list.
        (self.directions.is_some() && !is_used && self.link.is_none()).then(|| {
            "-ad-directions has no effect: no head asks for a tangent or an adjoint; remedy: add \
            -ad-tangent or -ad-adjoint, or in the source a request with ad_width"
                .into()
        })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let list = || {
            value
                .split(',')
                .map(|s| s.trim().to_string())
                .filter(|s| !s.is_empty())
                .collect::<Vec<_>>()
        };
        let needed = || {
            if value.is_empty() {
                Err(format!("-{name} needs a value"))
            } else {
                Ok(value.to_string())
            }
        };
        match name {
            "ad-tangent" => self.written.push((Mode::Tangent, needed()?)),
            "ad-pattern" => self.written.push((Mode::Pattern, needed()?)),
            "ad-adjoint" => self.written.push((Mode::Adjoint, needed()?)),
            "ad-directions" => {
                let n = heads::directions(value);
                let n = n.ok_or(format!(
                    "-{name}: '{value}' is not a number from 1 to {MOST_DIRECTIONS}"
                ))?;
                self.directions = Some(n);
            }
            "ad-argnames" => {
                let (symbol, names) =
                    value.split_once(':').ok_or("-ad-argnames has the form SYMBOL:x,y,z")?;
                self.argnames
                    .push((symbol.into(), names.split(',').map(|s| s.trim().into()).collect()));
            }
            "ad-argtypes" => {
                let (symbol, types) =
                    value.split_once(':').ok_or("-ad-argtypes has the form SYMBOL:TYPE;TYPE")?;
                self.argtypes
                    .push((symbol.into(), types.split(';').map(|s| s.trim().into()).collect()));
            }
            "ad-heads-optional" => self.heads_optional = true,
            "ad-classes" => self.classes = true,
            "ad-header" => self.header = Some(needed()?),
            "ad-interface" => self.interface = Some(needed()?),
            "ad-report" => self.report = Some(needed()?),
            "ad-disable" => self.disabled.extend(known(name, list(), ANALYSES)?),
            "ad-print" => self.print.extend(known(name, list(), IMAGES)?),
            "ad-inactive" => self.inactive.extend(list()),
            "ad-joint" => self.joint.extend(list()),
            "ad-split" => self.split.extend(list()),
            "ad-calls" => {
                self.calls = match value {
                    "auto" => Calls::Auto,
                    "split" => Calls::Split,
                    "joint" => Calls::Joint,
                    _ => {
                        return Err(format!("-{name}: '{value}' is not one of auto, split, joint"));
                    }
                }
            }
            "ad-sums" => {
                self.sums = match value {
                    "free" => Sums::Free,
                    "ordered" => Sums::Ordered,
                    _ => return Err(format!("-{name}: '{value}' is not one of free, ordered")),
                }
            }
            "ad-prebuilt" => self.prebuilt.set(&needed()?).map_err(|e| format!("-{name}: {e}"))?,
            "ad-mpi" => self.mpi = Some(needed()?),
            "ad-time" => self.time = true,
            "ad-parts" => {
                let size = value.parse::<u32>().ok().filter(|&n| n == 0 || n >= LEAST_PART);
                let size = size
                    .ok_or(format!("-{name}: '{value}' is neither 0 nor {LEAST_PART} or more"))?;
                self.parts = (size > 0).then_some(size);
            }
            "ad-check" => self.check = true,
            "ad-validate" => (self.check, self.validate) = (true, true),
            "ad-objects" => self.objects = Some(value.into()),
            "ad-open" => {
                self.opens_all = match value {
                    "needed" => false,
                    "all" => true,
                    _ => return Err(format!("-{name}: '{value}' is not one of needed, all")),
                }
            }
            "ad-link" => self.link = Some(needed()?),
            _ => return Err(format!("unknown option -{name}")),
        }
        Ok(())
    }

    /// Whether an image is to be printed.
    pub fn prints(&self, image: &str) -> bool {
        self.print.iter().any(|p| p == image)
    }
    /// Whether an analysis is on.
    pub fn uses(&self, analysis: &str) -> bool {
        !self.disabled.iter().any(|d| d == analysis)
    }
    /// Whether heads ask for anything.
    pub fn has_heads(&self) -> bool {
        !self.heads.is_empty()
    }
}

/// `all` stands for the whole list.
fn known(option: &str, values: Vec<String>, list: &[&str]) -> Result<Vec<String>, String> {
    if values.iter().any(|v| v == "all") {
        return Ok(list.iter().map(|s| s.to_string()).collect());
    }
    match values.iter().find(|v| !list.contains(&v.as_str())) {
        Some(v) => Err(format!("-{option}: '{v}' is not one of {}, all", list.join(", "))),
        None => Ok(values),
    }
}

/// Splits as a shell does: white space separates, quotes and backslashes protect.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().push(chars.next().ok_or("ends in a backslash")?)
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_quoted_blanks() {
        assert_eq!(words("-a='f(y) / (x, z)'  -b").unwrap(), ["-a=f(y) / (x, z)", "-b"]);
        assert_eq!(words(r#""a\"b" c\ d ''"#).unwrap(), ["a\"b", "c d", ""]);
        assert!(words("'a").is_err());
    }

    #[test]
    fn unknown_options_and_values_are_refused() {
        let mut c = Config::default();
        assert!(c.set("ad-nonsense", "").is_err());
        assert!(c.set("ad-disable", "tbrr").is_err());
        assert!(c.set("ad-adjoint", "").is_err());
        assert!(c.set("ad-calls", "").is_err() && c.set("ad-calls", "all").is_err());
        assert!(c.set("ad-calls", "split").is_ok() && c.calls == Calls::Split);
        assert!(c.set("ad-sums", "").is_err() && c.set("ad-sums", "split").is_err());
        assert!(c.set("ad-sums", "ordered").is_ok() && c.sums == Sums::Ordered);
        assert!(c.set("ad-parts", "").is_err() && c.set("ad-parts", "3").is_err());
        assert!(c.set("ad-parts", "0").is_ok() && c.parts.is_none());
        assert!(c.set("ad-parts", "100").is_ok() && c.parts == Some(100));
        assert!(c.set("ad-disable", "all").is_ok() && !c.uses("tbr"));
        for wrong in ["", "0", "65", "-1", "4.0", "four"] {
            assert!(c.set("ad-directions", wrong).is_err(), "{wrong}");
        }
        assert!(c.set("ad-directions", "64").is_ok() && c.take_heads().is_some());
        assert!(c.set("ad-pattern", "f").is_ok() && c.take_heads().is_some());
        assert!(c.set("ad-adjoint", "f").is_ok() && c.take_heads().is_none());
        let directions: Vec<_> = c.heads.iter().map(|asked| asked.directions).collect();
        assert_eq!(directions, [None, None, Some(64)]);
    }
}
