//! The machine that a command compiles for, as far as its command line determines it: it decides
//! which runtime is linked.

use std::env;

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Machine {
    /// x86-64.
    X86_64,
    /// 32-bit x86: `-m32`, or a target `i386-…` to `i686-…`.
    I386,
    /// One for which there is no runtime, by its name.
    Other(String),
}

/// The options for it; the last one of each kind counts.
#[derive(Clone, Debug, Default)]
pub struct TargetOptions {
    /// `--target=`, `-target`
    pub triple: Option<String>,
    /// `-m32`, `-m64`, `-mx32`
    pub width: Option<Width>,
}

/// An option for the width of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// `-m32`
    Narrow,
    /// `-m64`
    Wide,
    /// `-mx32`
    Mixed,
}

impl Machine {
    /// The machine that the options select; without any, the one that adcc itself runs on.
    pub fn of(options: &TargetOptions) -> Machine {
        let name = options
            .triple
            .as_deref()
            .map_or(env::consts::ARCH, |t| t.split('-').next().unwrap_or(t));
        let named = match name {
            "x86_64" | "amd64" => Machine::X86_64,
            "x86" | "i386" | "i486" | "i586" | "i686" => Machine::I386,
            _ => return Machine::Other(options.triple.clone().unwrap_or_else(|| name.into())),
        };
        match options.width {
            None => named,
            Some(Width::Narrow) => Machine::I386,
            Some(Width::Wide) => Machine::X86_64,
            Some(Width::Mixed) => Machine::Other("x32".into()),
        }
    }

    /// The folder of its runtime, below that of x86-64.
    pub fn folder(&self) -> &'static str {
        match self {
            Machine::X86_64 => "",
            Machine::I386 | Machine::Other(_) => "i386",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_name_machines_and_widths_change_them() {
        let of = |triple: Option<&str>, width| {
            Machine::of(&TargetOptions { triple: triple.map(Into::into), width })
        };
        assert_eq!(of(Some("x86_64-linux-gnu"), None), Machine::X86_64);
        assert_eq!(of(Some("i686-unknown-linux-gnu"), None), Machine::I386);
        assert_eq!(of(Some("x86_64-linux-gnu"), Some(Width::Narrow)), Machine::I386);
        assert_eq!(of(Some("i386"), Some(Width::Wide)), Machine::X86_64);
        assert_eq!(of(Some("aarch64-linux-gnu"), None), Machine::Other("aarch64-linux-gnu".into()));
        assert_eq!(of(Some("x86_64"), Some(Width::Mixed)), Machine::Other("x32".into()));
        assert_eq!(of(None, Some(Width::Narrow)), Machine::I386);
    }
}
