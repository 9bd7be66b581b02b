//! Has the plugin answer the requests of a link.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::answers::Answers;
use super::command::Inputs;
use super::job::Job;
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
    let text = list_of(loaded, answers, scratch)?;
    fs::write(&list, text).map_err(writing)?;
    let start = scratch.path("derivatives.ll")?;
    let is_narrow = inputs.emulation == "elf_i386";
    let machine = if is_narrow { "i386" } else { "x86_64" };
    let text =
        format!("source_filename = \"derivatives\"\ntarget triple = \"{machine}-pc-linux-gnu\"\n");
    fs::write(&start, text).map_err(writing)?;

    let mut link = OsString::from("-ad-link=");
    link.push(&list);
    let mut command = Command::new(&job.compiler);
    command.args(&job.options).arg("-mllvm").arg(link);
    command.arg(format!("-O{}", level(loaded)));
    match (inputs.is_shared, inputs.is_pie) {
        (true, _) => command.arg("-fPIC"),
        (_, true) => command.arg("-fPIE"),
        _ => command.arg("-fno-pic"),
    };
    if is_narrow {
        command.arg("-m32");
    }
    command.arg("-c").arg(&start).arg("-o").arg(object);
    if job.prints {
        run::print_command(&command);
    }
    Ok(run::exit_code(run::wait(&mut command)?))
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

/// What the plugin reads: units with the symbols of their objects, and symbols of the others. Of
/// several units in one object nobody tells whose a symbol is.
fn list_of(loaded: &Loaded, answers: &Answers, scratch: &mut Scratch) -> Result<String, Error> {
    let mut lines = vec![];
    for head in &answers.heads {
        lines.push(format!("head {} {} {}", u8::from(head.is_tried), head.mode, head.text));
        if !head.names.is_empty() {
            lines.push(format!("names {}:{}", head.symbol, head.names.join(",")));
        }
    }
    let mut number = 0;
    let winners = loaded.winners();
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
            lines.push(format!("size {} {}", header.size, u8::from(header.is_compressed)));
            let opens =
                header.open.iter().filter(|o| answers.requests.contains(o.function.as_str()));
            lines.extend(opens.map(|open| match open.is_needed {
                true => format!("opens {}", open.function),
                false => format!("tries {}", open.function),
            }));
            lines.extend(header.registers.iter().map(|symbol| format!("registers {symbol}")));
            lines.extend(header.addresses.iter().map(|address| {
                let parts = [&address.symbol, &address.ty].into_iter().chain(&address.tables);
                let parts: Vec<&str> = parts.map(String::as_str).collect();
                format!("takes {} {}", u8::from(address.is_elsewhere), parts.join("|"))
            }));
            lines.extend(names().map(|name| match winners[name] == nth {
                true => format!("defines {name}"),
                false => format!("loses {name}"),
            }));
        }
        if object.units.is_empty() {
            lines.extend(names().map(|name| format!("has {name}")));
        }
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}
