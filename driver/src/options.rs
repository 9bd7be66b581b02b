//! Our own options: `--ad-…` of the command line, and of `ADCC_OPTIONS` for builds that are not to
//! be edited.
//!
//! A handful is the driver's; all others go to the plugin under the same name (`--ad-x=v` becomes
//! `-ad-x=v`), which knows them and rejects what it does not know. A value is written with `=`
//! only: `--ad-tangent f` would leave open whether `f` is an input.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::error::Error;
use crate::heads::{self, Head, MOST_DIRECTIONS};
use crate::toolchain::Driver;

/// The variable with more `--ad-…` options, split as a shell does.
pub const VARIABLE: &str = "ADCC_OPTIONS";

/// Options that mean nothing without a value.
const WANT_VALUE: &[&str] = &[
    "tangent", "pattern", "adjoint", "disable", "header", "interface", "report", "joint", "split",
    "calls", "driver", "directions",
];
/// Switches of the driver: a value would be a mistake.
const SWITCHES: &[&str] = &["print-commands", "verbose", "no-ir", "host", "link", "check"];
/// What the plugin calls `--ad-check`; adcc always has it check shadows.
const VALIDATE: &str = "--ad-validate";
/// What the plugin calls `--ad-directions=`.
pub const DIRECTIONS: &[u8] = b"-ad-directions=";
/// The plugin takes these once: the last one counts.
const LAST_COUNTS: &[&str] = &["header", "interface", "report", "directions"];

/// What the `--ad-…` options say.
#[derive(Debug, Default)]
pub struct Options {
    /// `--ad-driver=`
    pub driver: Option<Driver>,
    /// `--ad-print-commands`
    pub print_commands: bool,
    /// `--ad-verbose`
    pub verbose: bool,
    /// `--ad-no-ir`: objects carry no IR, and no request stays open
    pub no_ir: bool,
    /// `--ad-link`: only the step of a link that makes derivatives
    pub is_step: bool,
    /// `--ad-host`: the program has the shadow runtime, for shared libraries that it loads
    pub is_host: bool,
    /// `--ad-tangent=`, `--ad-pattern=` and `--ad-adjoint=`, in order, each with all that it asks for.
    pub heads: Vec<Head>,
    /// For the plugin: `-ad-NAME=VALUE`, in order.
    pub plugin: Vec<OsString>,
    /// Whether `--ad-directions=` comes from the environment.
    has_directions_of_environment: bool,
}

impl Options {
    /// Reads the options of the environment (as text, None: unset), then of the command line.
    ///
    /// # Errors
    /// [`Error::Usage`]: a missing or unexpected value, an unknown driver, an unbalanced quote, or
    /// a word in the environment that is no `--ad-…` option.
    pub fn parse(environment: Option<&OsStr>, line: &[OsString]) -> Result<Options, Error> {
        let mut options = Options::default();
        for word in split(environment.unwrap_or_default())? {
            if !word.as_bytes().starts_with(b"--ad-") {
                return Err(usage(&word, format!("{VARIABLE} may hold only --ad-… options")));
            }
            if word.as_bytes().starts_with(b"--ad-driver") {
                return Err(usage(
                    &word,
                    format!("not allowed in {VARIABLE}: it would apply to all drivers"),
                ));
            }
            options.take(&word, true)?;
        }
        for word in line {
            options.take(word, false)?;
        }
        options.take_directions();
        Ok(options)
    }

    /// Lets heads have the directions of `--ad-directions=`. In the environment, this speaks to all
    /// commands of a build, also to those without heads.
    fn take_directions(&mut self) {
        let given = self.plugin.iter().find_map(|o| o.as_bytes().strip_prefix(DIRECTIONS));
        let directions = given.and_then(|n| heads::directions(&String::from_utf8_lossy(n)));
        self.heads = self.heads.iter().flat_map(|head| head.all(directions)).collect();
        let are_used = self.heads.iter().any(|head| head.directions.is_some());
        if self.has_directions_of_environment && !are_used {
            self.plugin.retain(|o| !o.as_bytes().starts_with(DIRECTIONS));
        }
    }

    fn take(&mut self, word: &OsStr, from_environment: bool) -> Result<(), Error> {
        let bytes = &word.as_bytes()["--ad-".len()..];
        let (name, value) = match bytes.iter().position(|&b| b == b'=') {
            Some(at) => (&bytes[..at], Some(&bytes[at + 1..])),
            None => (bytes, None),
        };
        let name = String::from_utf8_lossy(name);
        if name.is_empty() {
            return Err(usage(word, "an option's name must follow --ad-"));
        }
        let name: &str = &name;
        if WANT_VALUE.contains(&name) && value.is_none_or(|v| v.trim_ascii().is_empty()) {
            return Err(usage(word, format!("a value is missing; write --ad-{name}=VALUE")));
        }
        if SWITCHES.contains(&name) && value.is_some() {
            return Err(usage(word, "takes no value"));
        }
        let text =
            |value: Option<&[u8]>| String::from_utf8_lossy(value.unwrap_or_default()).into_owned();
        match name {
            "driver" => {
                let driver = Driver::from_option(&text(value))
                    .ok_or_else(|| usage(word, "the drivers are c, c++ and fortran"))?;
                self.driver = Some(driver);
            }
            "print-commands" => self.print_commands = true,
            "verbose" => self.verbose = true,
            "no-ir" => self.no_ir = true,
            "host" => self.is_host = true,
            "link" => self.is_step = true,
            "check" => self.forward(OsStr::new(VALIDATE)),
            "tangent" | "pattern" | "adjoint" => {
                self.heads.push(Head::parse(&word.to_string_lossy(), from_environment));
                self.forward(word);
            }
            "disable" => self.join_disabled(word),
            "directions" if heads::directions(&text(value)).is_none() => {
                return Err(usage(word, format!("not a number from 1 to {MOST_DIRECTIONS}")));
            }
            _ if LAST_COUNTS.contains(&name) => {
                if name == "directions" {
                    self.has_directions_of_environment = from_environment;
                }
                let start = format!("-ad-{name}=");
                self.plugin.retain(|p| !p.as_bytes().starts_with(start.as_bytes()));
                self.forward(word);
            }
            _ => self.forward(word),
        }
        Ok(())
    }

    /// `--ad-x=v` becomes `-ad-x=v`; the same one twice is passed once.
    fn forward(&mut self, word: &OsStr) {
        let option = OsStr::from_bytes(&word.as_bytes()[1..]).to_os_string();
        if !self.plugin.contains(&option) {
            self.plugin.push(option);
        }
    }

    /// Several `--ad-disable=` add up to one list.
    fn join_disabled(&mut self, word: &OsStr) {
        let start = b"-ad-disable=";
        match self.plugin.iter_mut().find(|p| p.as_bytes().starts_with(start)) {
            Some(list) => {
                list.push(",");
                list.push(OsStr::from_bytes(&word.as_bytes()[start.len() + 1..]));
            }
            None => self.forward(word),
        }
    }
}

fn split(text: &OsStr) -> Result<Vec<OsString>, Error> {
    let words = shlex::bytes::split(text.as_bytes())
        .ok_or_else(|| usage(OsStr::new(VARIABLE), "a quote is not closed"))?;
    Ok(words.into_iter().map(OsString::from_vec).collect())
}

fn usage(option: &OsStr, reason: impl Into<String>) -> Error {
    Error::Usage { option: option.to_string_lossy().into_owned(), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(environment: &str, line: &[&str]) -> Result<Options, Error> {
        let line: Vec<OsString> = line.iter().map(OsString::from).collect();
        Options::parse(Some(OsStr::new(environment)), &line)
    }

    #[test]
    fn names_are_kept_for_the_plugin() {
        let line = ["--ad-tangent=f(y)/(x, z)", "--ad-print-commands", "--ad-new-one", "--ad-n=3"];
        let options = parse("", &line).expect("good options");
        assert!(options.print_commands && !options.verbose);
        assert_eq!(options.plugin, ["-ad-tangent=f(y)/(x, z)", "-ad-new-one", "-ad-n=3"]);
        assert_eq!(options.heads.len(), 1);
        let options = parse("--ad-check", &["--ad-check"]).expect("good options");
        assert_eq!(options.plugin, ["-ad-validate"]);
    }

    #[test]
    fn environment_comes_first_and_is_split_as_a_shell_does() {
        let text = r"--ad-adjoint='f(y)/(x, z)' --ad-disable=tbr --ad-header=a\ b.h";
        let options = parse(text, &["--ad-disable=activity", "--ad-header=c.h"]).expect("good");
        let expected = ["-ad-adjoint=f(y)/(x, z)", "-ad-disable=tbr,activity", "-ad-header=c.h"];
        assert_eq!(options.plugin, expected);
        assert!(options.heads[0].from_environment);
    }

    #[test]
    fn repeated_heads_stay_and_equal_ones_do_not() {
        let options =
            parse("--ad-tangent=f", &["--ad-tangent=f", "--ad-tangent=g"]).expect("good options");
        assert_eq!(options.plugin, ["-ad-tangent=f", "-ad-tangent=g"]);
    }

    #[test]
    fn directions_are_those_of_all_heads() {
        let of = |environment: &str, line: &[&str]| {
            let options = parse(environment, line).expect("good options");
            let heads = options.heads.iter().map(|head| head.directions).collect::<Vec<_>>();
            (heads, options.plugin.len())
        };
        let four = "--ad-directions=4";
        assert_eq!(of("", &["--ad-adjoint=f", four]), (vec![None, Some(4)], 2));
        assert_eq!(
            of(four, &["--ad-adjoint=f*2", "--ad-tangent=g"]).0,
            [None, Some(2), None, Some(4)]
        );
        assert_eq!(of(four, &["--ad-adjoint=f", "--ad-directions=8"]), (vec![None, Some(8)], 2));
        // For the whole build: not every command has heads. Without any at all, the plugin says so.
        assert_eq!(of(four, &[]), (vec![], 0));
        assert_eq!(of("", &[four]), (vec![], 1));
    }

    #[test]
    fn mistakes_name_the_option() {
        for (environment, line, expected) in [
            ("", "--ad-tangent", "--ad-tangent: a value is missing"),
            ("", "--ad-header=", "--ad-header=: a value is missing"),
            ("", "--ad-verbose=1", "--ad-verbose=1: takes no value"),
            ("", "--ad-directions=0", "--ad-directions=0: not a number from 1 to 64"),
            ("", "--ad-directions=x", "--ad-directions=x: not a number from 1 to 64"),
            ("", "--ad-directions", "--ad-directions: a value is missing"),
            ("", "--ad-check=1", "--ad-check=1: takes no value"),
            ("", "--ad-", "--ad-: an option's name"),
            ("", "--ad-driver=pascal", "--ad-driver=pascal: the drivers are"),
            ("-O2", "--ad-x", "-O2: ADCC_OPTIONS may hold only"),
            ("--ad-x='a", "--ad-x", "ADCC_OPTIONS: a quote"),
            ("--ad-driver=c", "--ad-x", "--ad-driver=c: not allowed in ADCC_OPTIONS"),
        ] {
            let error = parse(environment, &[line]).expect_err(line);
            assert!(error.to_string().starts_with(expected), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
