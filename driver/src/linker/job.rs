//! What adcc in the linker's place has to know of the command that links.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::heads::Head;
use crate::ranks;

/// The compiler, and how it is called to make derivatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The compiler.
    pub compiler: PathBuf,
    /// Options that load the plugin, and the plugin's.
    pub options: Vec<OsString>,
    /// Folders in which the user has the compiler look for programs first (`-B`).
    pub prefixes: Vec<OsString>,
    /// The linker, where the user names it with its folder.
    pub linker: Option<PathBuf>,
    /// Heads of the command.
    pub heads: Vec<Head>,
    /// Whether commands are shown.
    pub prints: bool,
}

impl Job {
    /// Tells the plugin that messages between ranks have derivatives, where there is an mpi.h.
    pub fn use_mpi(&mut self, header: Option<&Path>) {
        let Some(header) = header else { return };
        let mut option = OsString::from(ranks::OPTION);
        option.push(header);
        self.options.extend(["-mllvm".into(), option]);
    }

    /// As text, one word a line; no word of a command line has a NUL in it.
    pub fn text(&self) -> Vec<u8> {
        let compiler = [self.compiler.clone().into_os_string()];
        let prints = [OsString::from(if self.prints { "1" } else { "0" })];
        let prefixes = self.prefixes.iter().map(|p| marked("B", p));
        let options = self.options.iter().map(|o| marked("o", o));
        let heads = self.heads.iter().map(|head| {
            let directions = head.directions.map(|n| n.to_string()).unwrap_or_default();
            let word = format!("{directions} {}", head.option);
            marked(if head.from_environment { "e" } else { "h" }, OsStr::new(&word))
        });
        let linker = self.linker.iter().map(|l| marked("l", l.as_os_str()));
        let words = compiler
            .into_iter()
            .chain(prints)
            .chain(linker)
            .chain(prefixes)
            .chain(options)
            .chain(heads);
        words.map(OsString::into_vec).collect::<Vec<_>>().join(&0)
    }

    /// From that.
    pub fn of_text(text: &[u8]) -> Job {
        let mut words = text.split(|&b| b == 0).map(OsStr::from_bytes);
        let mut job = Job {
            compiler: words.next().unwrap_or_default().into(),
            prints: words.next().is_some_and(|w| w == "1"),
            ..Job::default()
        };
        for word in words {
            let bytes = word.as_bytes();
            let rest = OsStr::from_bytes(bytes.get(1..).unwrap_or_default()).to_os_string();
            match bytes.first() {
                Some(b'B') => job.prefixes.push(rest),
                Some(b'l') => job.linker = Some(rest.into()),
                Some(mark @ (b'h' | b'e')) => {
                    let rest = rest.to_string_lossy();
                    let (directions, option) = rest.split_once(' ').unwrap_or(("", &rest));
                    let head = Head::parse(option, *mark == b'e');
                    job.heads.push(Head { directions: directions.parse().ok(), ..head });
                }
                _ => job.options.push(rest),
            }
        }
        job
    }
}

fn marked(mark: &str, word: &OsStr) -> OsString {
    let mut all = OsString::from(mark);
    all.push(word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_survives_its_text() {
        let job = Job {
            compiler: "/usr/bin/clang-22".into(),
            options: vec!["-fpass-plugin=/a b/x.so".into(), "-mllvm".into(), "".into()],
            prefixes: vec!["/opt/bin".into()],
            linker: Some("/opt/bin/ld.gold".into()),
            heads: vec![
                Head::parse("--ad-adjoint=f(y)/(x, z)", false),
                Head::parse("--ad-tangent=g", true),
                Head { directions: Some(4), ..Head::parse("--ad-tangent=g(y)/(x, z)", true) },
            ],
            prints: true,
        };
        assert_eq!(Job::of_text(&job.text()), job);
        let plain = Job { compiler: "c".into(), ..Job::default() };
        assert_eq!(Job::of_text(&plain.text()), plain);
    }
}
