//! Tokens that processes of one test run share. Whoever runs a case holds one, so that all test
//! binaries can run at once and the machine is not overloaded.
//!
//! They lie as bytes in a named pipe, whose path the variable [`VARIABLE`] passes on.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::Command;

/// The variable of the environment that holds the pipe's path.
pub const VARIABLE: &str = "ADTESTS_TOKENS";

/// The pipe, open.
#[derive(Debug)]
pub struct Tokens(File);

/// A token that is held; dropping it gives it back.
#[derive(Debug)]
pub struct Held<'a>(&'a Tokens);

impl Tokens {
    /// A new pipe at `path` with `count` tokens.
    pub fn create(path: &Path, count: usize) -> io::Result<Tokens> {
        let status = Command::new("mkfifo").arg(path).status()?;
        if !status.success() {
            return Err(io::Error::other(format!("mkfifo {}: {status}", path.display())));
        }
        let tokens = Tokens::open(path)?;
        (&tokens.0).write_all(&vec![b'+'; count])?;
        Ok(tokens)
    }

    /// The pipe of the test run that this process is part of; `None` where it runs by itself.
    pub fn shared() -> Option<Tokens> {
        let path = std::env::var_os(VARIABLE)?;
        Some(Tokens::open(Path::new(&path)).expect("the runner's pipe exists while it runs"))
    }

    fn open(path: &Path) -> io::Result<Tokens> {
        // Open for both, so that neither end waits for the other to be opened.
        OpenOptions::new().read(true).write(true).open(path).map(Tokens)
    }

    /// Waits for a token.
    pub fn take(&self) -> Held<'_> {
        let mut token = [0];
        (&self.0).read_exact(&mut token).expect("the pipe is open for writing here");
        Held(self)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        (&self.0.0).write_all(b"+").expect("the pipe is open for reading here");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_hold_a_token_than_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::create(&folder.path().join("tokens"), 2).unwrap();
        let (holding, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _held = tokens.take();
                        most.fetch_max(
                            1 + holding.fetch_add(1, Ordering::SeqCst),
                            Ordering::SeqCst,
                        );
                        std::thread::yield_now();
                        holding.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=2).contains(&most.into_inner()));
    }
}
