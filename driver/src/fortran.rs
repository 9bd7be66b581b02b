//! Names of Fortran dummy arguments for the heads that use them.
//!
//! `--ad-adjoint='burgers(un)/(u)'` names arguments, and LLVM IR from flang has no names. So flang
//! is asked for the HLFIR of each Fortran source first: `flang … -fsyntax-only -###` shows the
//! front end's command with all that the driver derives from the user's options, and that command
//! is run with `-emit-hlfir` in place of `-fsyntax-only`. (`-Xflang -emit-hlfir` does not work: the
//! driver adds an action of its own, and the front end accepts one only.) What is found goes to the
//! plugin as `-ad-argnames=SYMBOL:x,y,z`. Without such heads nothing of this is run.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command_line::CommandLine;
use crate::error::Error;
use crate::heads::{Head, is_fortran_name_of};
use crate::hlfir::{self, Names, Procedure};
use crate::options::Options;
use crate::run::print_command;
use crate::spelling::InputKind;

/// The option that needs the types of arguments.
const INTERFACE: &[u8] = b"-ad-interface=";

/// The `-ad-argnames=` and `-ad-argtypes=` options for this command; `words` are the user's.
///
/// A source that flang does not accept gives none: the compilation proper reports why.
///
/// # Errors
/// [`Error::FortranNames`] when the source is standard input, or when an argument passed by value
/// makes positions uncertain; [`Error::Io`] when flang cannot be run.
pub fn argument_names(
    compiler: &Path,
    line: &CommandLine,
    options: &mut Options,
    words: &[OsString],
) -> Result<Vec<OsString>, Error> {
    let has_interface = options.plugin.iter().any(|o| o.as_bytes().starts_with(INTERFACE));
    let names_something = |head: &Head| {
        has_interface
            || head.names_parameters
            || head.name.contains("::")
            || head.name.contains('%')
    };
    let heads: Vec<Head> =
        options.heads.iter().filter(|head| names_something(head)).cloned().collect();
    let sources: Vec<_> = line.sources().filter(|s| s.kind == InputKind::Fortran).collect();
    let (Some(first), false) = (heads.first(), sources.is_empty()) else {
        return Ok(vec![]);
    };
    if sources.iter().any(|source| source.path == "-") {
        return Err(Error::FortranNames {
            option: first.option.clone(),
            reason: "the names of arguments are not known when the source is standard input".into(),
        });
    }
    let mut found = Vec::new();
    let mut bound: Vec<(String, String)> = Vec::new();
    for command in front_end_commands(compiler, words, options.print_commands)? {
        let text = hlfir_text(&command, options.print_commands)?;
        let procedures = hlfir::procedures(&text);
        bound.extend(bind(options, &text, &procedures, line.no_underscoring));
        for procedure in procedures {
            let symbol = procedure.symbol(line.no_underscoring);
            let is_named = |head: &&Head| {
                is_fortran_name_of(&head.name, &symbol)
                    || is_fortran_name_of(&head.name, &procedure.name)
                    || bound.contains(&(head.name.clone(), symbol.clone()))
            };
            let Some(head) = heads.iter().find(is_named) else {
                continue;
            };
            match procedure.names {
                Names::Known(mut names) => {
                    if has_interface {
                        let list = procedure.declarations.join(";");
                        found.push(format!("-ad-argtypes={symbol}:{list}").into());
                    }
                    names.extend(procedure.result.map(|result| format!("={result}")));
                    found.push(format!("-ad-argnames={symbol}:{}", names.join(",")).into());
                }
                Names::Unknown(_) if !head.names_parameters => {}
                Names::Unknown(reason) => {
                    return Err(Error::FortranNames { option: head.option.clone(), reason });
                }
            }
        }
    }
    Ok(found)
}

/// Puts procedures into the heads that name them as bindings of a type (`mod::type::name`,
/// `type%name`), and says which.
fn bind(
    options: &mut Options,
    text: &str,
    procedures: &[Procedure],
    no_underscoring: bool,
) -> Vec<(String, String)> {
    let bindings = hlfir::bindings(text);
    let mut found = Vec::new();
    for head in &mut options.heads {
        let wanted = head.name.replace(' ', "").replace('%', "::").to_lowercase();
        let is_meant = |name: &str| {
            wanted.contains("::") && (name == wanted || name.ends_with(&format!("::{wanted}")))
        };
        // A module's procedure comes before what a type of the module's name binds.
        let is_procedure = |p: &Procedure| is_fortran_name_of(&head.name, &p.name);
        let mut meant = bindings.iter().filter(|(name, _)| is_meant(name)).map(|(_, p)| p);
        let Some(procedure) = meant.next().filter(|_| !procedures.iter().any(is_procedure)) else {
            continue;
        };
        if meant.any(|other| other != procedure) {
            continue;
        }
        let symbol = hlfir::linker_symbol(procedure, no_underscoring);
        let bound = head.option_with_symbol(&symbol);
        // The plugin's options have one dash.
        for given in &mut options.plugin {
            if *given == head.option[1..] {
                *given = bound[1..].into();
            }
        }
        found.push((head.name.clone(), symbol.clone()));
        head.name = symbol;
        head.option = bound;
    }
    found
}

/// The `-fc1` commands of a syntax check, one per source.
fn front_end_commands(
    compiler: &Path,
    words: &[OsString],
    print: bool,
) -> Result<Vec<Vec<OsString>>, Error> {
    let mut command = Command::new(compiler);
    command.args(words).args(["-fsyntax-only", "-###"]).stdin(Stdio::null());
    if print {
        print_command(&command);
    }
    let output = command
        .output()
        .map_err(|source| Error::io(format!("running {}", compiler.display()), source))?;
    Ok(output.stderr.split(|&b| b == b'\n').filter_map(as_front_end_command).collect())
}

/// A line of `-###`, each word quoted for a shell.
fn as_front_end_command(line: &[u8]) -> Option<Vec<OsString>> {
    let words: Vec<OsString> = shlex::bytes::split(line.strip_prefix(b" ")?)?
        .into_iter()
        .map(OsString::from_vec)
        .collect();
    (words.get(1)? == "-fc1").then_some(words)
}

/// Empty when flang rejects the source.
fn hlfir_text(words: &[OsString], print: bool) -> Result<String, Error> {
    let mut command = Command::new(&words[0]);
    let with_action = words[1..].iter().map(|word| match word.as_bytes() {
        b"-fsyntax-only" => OsStr::new("-emit-hlfir"),
        _ => word,
    });
    command.args(with_action).args(["-o", "-"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    if print {
        print_command(&command);
    }
    let output = command
        .output()
        .map_err(|source| Error::io(format!("running {}", words[0].display()), source))?;
    Ok(if output.status.success() {
        String::from_utf8_lossy(&output.stdout).into_owned()
    } else {
        String::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const SOURCE: &str = "
module physics
  implicit none
  type :: state
    real(8) :: a
  contains
    procedure :: advance
  end type
contains
  subroutine advance(self, dt)
    class(state) :: self
    real(8) :: dt
    self%a = self%a + dt
  end subroutine
  function Step(U, tag, n) result(un)
    integer :: n
    real(8) :: U(n), un(n), local(n)
    character(*) :: tag
    local = U
    if (tag == 'x') local = 2*local
    un = local
  end function
  subroutine bound(z) bind(c, name='Bound_C')
    real(8) :: z
    z = 2*z
  end subroutine
end module
character(4) function label(x, s)
  real(8) :: x
  character(*) :: s
  label = s
end function
subroutine Burgers(u, un)
  real(8) :: u(10), un(10)
  un = u
end subroutine
subroutine byvalue(c, x)
  complex(8), value :: c
  real(8) :: x
  x = real(c)
end subroutine
";

    fn flang() -> Option<&'static Path> {
        let path = Path::new("/usr/lib/llvm-22/bin/flang");
        if path.exists() {
            return Some(path);
        }
        admachine::skip_without("flang", "flang of LLVM 22 is not there");
        None
    }

    fn names_for(heads: &[&str], extra: &[&str]) -> Option<Result<Vec<OsString>, Error>> {
        let flang = flang()?;
        let dir = tempfile::tempdir().expect("temporary folder");
        let file = dir.path().join("physics.f90");
        fs::write(&file, SOURCE).expect("write");
        let mut words: Vec<OsString> = ["-O2", "-c", "-J"].map(OsString::from).to_vec();
        words.push(dir.path().into());
        words.extend(extra.iter().map(OsString::from));
        words.push(file.into());
        let line = CommandLine::parse(&words);
        let heads: Vec<OsString> =
            heads.iter().map(|h| format!("--ad-adjoint={h}").into()).collect();
        let mut options = Options::parse(None, &heads).expect("good heads");
        Some(argument_names(flang, &line, &mut options, &words))
    }

    #[test]
    fn names_come_from_flang_itself() {
        let heads = [
            "BURGERS(un)/(u)", "step(un)/(u)", "physics%advance(self)/(dt)", "bound_c(z)/(z)",
            "label(x)/(x)",
        ];
        let Some(names) = names_for(&heads, &[]) else {
            return;
        };
        let mut names = names.expect("names");
        names.sort();
        let expected = [
            "-ad-argnames=Bound_C:z",
            "-ad-argnames=_QMphysicsPadvance:self,dt",
            "-ad-argnames=_QMphysicsPstep:un,u,tag,n,,=un",
            "-ad-argnames=burgers_:u,un",
            "-ad-argnames=label_:label,,x,s,",
        ];
        assert_eq!(names, expected);
        let names = names_for(&["burgers(un)/(u)"], &["-fno-underscoring"]);
        assert_eq!(names.expect("flang").expect("names"), ["-ad-argnames=burgers:u,un"]);
    }

    /// The number of names is the number of arguments in flang's LLVM IR.
    #[test]
    fn positions_are_those_of_llvm_ir() {
        let Some(flang) = flang() else { return };
        let dir = tempfile::tempdir().expect("temporary folder");
        let file = dir.path().join("physics.f90");
        fs::write(&file, SOURCE).expect("write");
        let run = |words: &[&str]| {
            let output = Command::new(flang)
                .args(words)
                .arg(&file)
                .args(["-o", "-"])
                .current_dir(dir.path())
                .output()
                .expect("flang runs");
            String::from_utf8(output.stdout).expect("text")
        };
        let ir = run(&["-S", "-emit-llvm"]);
        let procedures = hlfir::procedures(&run(&["-fc1", "-emit-hlfir"]));
        assert_eq!(procedures.len(), 6);
        for procedure in procedures {
            let Names::Known(names) = &procedure.names else {
                continue;
            };
            let define = format!("@{}(", procedure.symbol(false));
            let line = ir.lines().find(|l| l.starts_with("define") && l.contains(&define));
            let (_, rest) = line.expect(&define).split_once(&define).expect("split");
            let count = rest.split(')').next().expect("list").split(',').count();
            assert_eq!(names.len(), count, "{procedure:?}: {rest}");
        }
    }

    #[test]
    fn unknown_positions_are_errors_and_without_heads_nothing_runs() {
        let Some(names) = names_for(&["byvalue(x)/(c)"], &[]) else {
            return;
        };
        assert_eq!(names.expect_err("by value").code(), "ADCC08");
        assert_eq!(names_for(&["byvalue($3)/($1)"], &[]).expect("flang").expect("names").len(), 0);
        assert_eq!(names_for(&["other(x)/(y)"], &[]).expect("flang").expect("names").len(), 0);
    }
}
