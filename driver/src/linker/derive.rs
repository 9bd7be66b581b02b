//! Has the plugin answer the requests of a link.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::answers::Answers;
use super::cache::{self, Cache};
use super::command::Inputs;
use super::job::Job;
use super::live;
use super::resolve::Loaded;
use crate::error::Error;
use crate::run::{self, Scratch};

/// Writes `object`, which defines the open requests. Returns the compiler's exit code.
///
/// # Errors
/// [`Error::Io`].
pub fn derive(
    job: &Job,
    inputs: &Inputs,
    loaded: &Loaded,
    answers: &Answers,
    scratch: &mut Scratch,
    object: &Path,
) -> Result<u8, Error> {
    let writing = |e| Error::io("writing a temporary file", e);
    let list = scratch.path("units")?;
    let text = list_of(inputs, loaded, answers, scratch)?;
    let structure = structure_of(&text);
    fs::write(&list, text).map_err(writing)?;
    let start = scratch.path("derivatives.ll")?;
    let is_narrow = inputs.emulation == "elf_i386";
    let machine = if is_narrow { "i386" } else { "x86_64" };
    let text =
        format!("source_filename = \"derivatives\"\ntarget triple = \"{machine}-pc-linux-gnu\"\n");
    fs::write(&start, text).map_err(writing)?;

    let mut words = job.options.clone();
    words.push(format!("-O{}", level(loaded)).into());
    words.push(match (inputs.is_shared, inputs.is_pie) {
        (true, _) => "-fPIC".into(),
        (_, true) => "-fPIE".into(),
        _ => "-fno-pic".into(),
    });
    if is_narrow {
        words.push("-m32".into());
    }
    let cache = cache_of(job, &words, &structure);
    let all = loaded.objects.iter().flat_map(|object| &object.units);
    let units: Vec<String> =
        all.enumerate().map(|(n, unit)| format!("{n} {}", cache::digest(&unit.ir))).collect();
    let present = units.iter().map(String::as_str).collect();
    if let Some(found) = cache.as_ref().and_then(|cache| cache.find(&present))
        && fs::copy(&found.object, object).is_ok()
    {
        eprint!("{}", found.said);
        return Ok(0);
    }

    let mut link = OsString::from("-ad-link=");
    link.push(&list);
    let mut command = Command::new(&job.compiler);
    command.args(&words).arg("-mllvm").arg(link);
    command.arg("-c").arg(&start).arg("-o").arg(object);
    if io::stderr().is_terminal() {
        command.arg("-fcolor-diagnostics");
    }
    if job.prints {
        run::print_command(&command);
    }
    command.stderr(Stdio::piped());
    let starting = |e| Error::io(format!("running {}", job.compiler.display()), e);
    let done = command.spawn().and_then(Child::wait_with_output).map_err(starting)?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    eprint!("{said}");
    let code = run::exit_code(done.status);
    if let Some(cache) = cache.filter(|_| code == 0) {
        let mut taken = list.into_os_string();
        taken.push(TAKEN);
        if let Ok(text) = fs::read_to_string(taken) {
            let numbers = text.lines().map(|line| line.parse::<usize>().ok());
            let taken: Option<Vec<String>> = numbers.map(|n| units.get(n?).cloned()).collect();
            if let Some(taken) = taken {
                cache.keep(object, &taken, &said);
            }
        }
    }
    Ok(code)
}

/// Behind the list's name, the plugin writes which units it has taken in.
const TAKEN: &str = ".taken";

/// Where earlier links have left what they made of this; none where the plugin does more than to make
/// an object.
fn cache_of(job: &Job, words: &[OsString], structure: &str) -> Option<Cache> {
    let is_more = |word: &OsString| {
        ["-ad-report", "-ad-header", "-ad-interface", "-ad-print", "-ad-time"]
            .iter()
            .any(|option| word.as_bytes().starts_with(option.as_bytes()))
    };
    if words.iter().any(is_more) || env::var_os(run::HEADS_SEEN).is_some() || job.prints {
        return None;
    }
    let plugin = words.iter().find_map(|w| w.as_bytes().strip_prefix(b"-fpass-plugin="))?;
    let own = env::var_os(run::PLUGIN_OPTIONS).unwrap_or_default();
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    Cache::new(&[
        &cache::identity(&job.compiler),
        &cache::identity(Path::new(OsStr::from_bytes(plugin))),
        own.as_bytes(),
        &words.join(&0),
        structure.as_bytes(),
    ])
}

/// The highest level of a unit.
fn level(loaded: &Loaded) -> &str {
    let levels = loaded.objects.iter().flat_map(|o| &o.units).map(|u| u.header.level.as_str());
    let rank = |level: &str| match level {
        "0" => 0,
        "1" | "g" => 1,
        "z" => 2,
        "s" => 3,
        "3" => 5,
        "fast" => 6,
        _ => 4,
    };
    levels.max_by_key(|level| rank(level)).unwrap_or("2")
}

/// A list without what a unit's IR is: its name, its file, its size.
fn structure_of(list: &str) -> String {
    let mut unit = "";
    let mut lines = vec![];
    for line in list.lines() {
        match line.split_once(' ') {
            Some(("unit", rest)) => {
                unit = rest.split(' ').next().unwrap_or_default();
                lines.push("unit".into());
            }
            Some(("object", _)) => {
                unit = "";
                lines.push(line.into());
            }
            Some(("size", _)) => {}
            _ if unit.is_empty() => lines.push(line.into()),
            _ => lines.push(line.replace(unit, "@")),
        }
    }
    lines.join("\n")
}

/// What the plugin reads: units with the symbols of their objects, and symbols of the others. Of
/// several units in one object (`-r`) nobody tells whose a symbol is.
fn list_of(
    inputs: &Inputs,
    loaded: &Loaded,
    answers: &Answers,
    scratch: &mut Scratch,
) -> Result<String, Error> {
    let mut lines: Vec<String> = inputs.wrapped.iter().map(|s| format!("wraps {s}")).collect();
    for head in &answers.heads {
        let kind = if head.is_optional { 2 } else { u8::from(head.is_tried) };
        let directions = head.directions.map(|n| format!("*{n}")).unwrap_or_default();
        let mode = format!("{}{directions}", head.mode);
        lines.push(format!("head {kind} {mode} {} {}", head.generates, head.text));
        if !head.names.is_empty() {
            lines.push(format!("names {}:{}", head.symbol, head.names.join(",")));
        }
    }
    let mut number = 0;
    let winners = loaded.winners();
    let live = live::of(inputs, loaded);
    for (nth, object) in loaded.objects.iter().enumerate() {
        let names = || object.defined.iter().map(|symbol| symbol.name.as_str());
        if !object.units.is_empty() {
            lines.push("object of units".into());
        }
        for unit in &object.units {
            let file = scratch.path(&format!("unit-{number}"))?;
            number += 1;
            fs::write(&file, &unit.ir).map_err(|e| Error::io("writing a temporary file", e))?;
            let header = &unit.header;
            lines.push(format!("unit {} {}", header.unit, file.display()));
            lines.push(format!("source {}", header.source));
            lines.push(format!("size {} {}", header.size, header.coding));
            let opens =
                header.open.iter().filter(|o| answers.requests.contains(o.function.as_str()));
            lines.extend(opens.map(|open| match open.is_needed {
                true => format!("opens {}", open.function),
                false => format!("tries {}", open.function),
            }));
            lines.extend(header.registers.iter().map(|symbol| format!("registers {symbol}")));
            lines.extend(header.addresses.iter().filter_map(|address| {
                let is_live =
                    |symbol: &&String| live.as_ref().is_none_or(|all| all.contains(*symbol));
                let tables: Vec<&String> = address.tables.iter().filter(is_live).collect();
                let is_elsewhere = address.is_elsewhere && is_live(&&address.symbol);
                let parts =
                    [&address.symbol, &address.ty].into_iter().chain(tables.iter().copied());
                let parts: Vec<&str> = parts.map(String::as_str).collect();
                let is_taken = is_elsewhere || !tables.is_empty();
                is_taken.then(|| format!("takes {} {}", u8::from(is_elsewhere), parts.join("|")))
            }));
            lines.extend(names().map(|name| match winners[name] == nth {
                true => format!("defines {name}"),
                false => format!("loses {name}"),
            }));
            // What is weak in one of them and not in the object, another one defines.
            if object.units.len() > 1 {
                let strong = object.defined.iter().filter(|symbol| !symbol.is_weak);
                lines.extend(strong.map(|symbol| format!("loses {}", symbol.name)));
            }
        }
        if object.units.is_empty() {
            lines.extend(names().map(|name| format!("has {name}")));
        }
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_of_a_list_is_what_does_not_change_with_ir() {
        let list = |unit: &str, symbol: &str| {
            format!(
                "head 1 adjoint f(y)/(x)\nobject of units\nunit {unit} /tmp/{unit}/unit-0\nsource a.c\n\
                 size {} 1\nopens adcc.link_with_adcc.{unit}.0\ndefines {symbol}\ndefines s.ad.{unit}\n\
                 object of units\nhas 01\n",
                unit.len()
            )
        };
        assert_eq!(structure_of(&list("01", "f")), structure_of(&list("234", "f")));
        assert_ne!(structure_of(&list("01", "f")), structure_of(&list("01", "g")));
        assert!(structure_of(&list("01", "f")).ends_with("has 01"));
    }
}
