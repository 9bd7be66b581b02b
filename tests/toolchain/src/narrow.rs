//! Programs for 32-bit x86: what they need, and whether this machine has it.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::command::succeed;
use crate::failure::Failure;
use crate::language::Language;
use crate::places::Toolchain;

const LIMIT: Duration = Duration::from_secs(60);

impl Toolchain {
    /// Why there are no 32-bit programs here of a compiler and a language; `runtime` is the part that
    /// they are linked with.
    pub fn missing_32(
        &self,
        runtime: &str,
        compiler: &OsStr,
        language: Language,
    ) -> Option<String> {
        self.missing(&[runtime]).or_else(|| {
            probe(compiler, language).err()?;
            let compiler = compiler.display();
            Some(format!("{compiler} -m32 makes no program that runs (gcc-multilib, g++-multilib)"))
        })
    }
}

/// Compiles and runs a program that needs the language's library.
fn probe(compiler: &OsStr, language: Language) -> Result<(), Failure> {
    let (name, header) = match language {
        Language::Cpp => ("probe.cpp", "vector"),
        Language::C | Language::Fortran => ("probe.c", "stdio.h"),
    };
    let folder =
        tempfile::tempdir().map_err(|why| Failure::File("a temporary folder".into(), why))?;
    let (source, program) = (folder.path().join(name), folder.path().join("probe"));
    let text = format!("#include <{header}>\nint main(void) {{ return 0; }}\n");
    fs::write(&source, text).map_err(Failure::of_file(&source))?;
    let mut compile = Command::new(compiler);
    succeed(compile.args(["-m32", "-o"]).args([&program, &source]), LIMIT)?;
    succeed(&mut Command::new(&program), LIMIT).map(|_| ())
}
