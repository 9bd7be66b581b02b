//! The pages of `docs` against reality: each example of docs/diagnostics.md provokes the code of
//! its section and no other, with the message that the section shows, each program of the other
//! pages compiles and prints what the page says, the catalogue of codes is complete, each code that
//! a program can provoke has one in `tests/diag`, and files that pages name exist.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use adtests::harness::{self, Case};
use adtests::markdown::{self, Block};
use adtests::program::Places;
use adtoolchain::{DRIVER, Finished, Language, run};
use libtest_mimic::{Completion, Failed};

const LIMIT: Duration = Duration::from_secs(60);
/// Levels at which the examples are compiled.
const LEVELS: [&str; 2] = ["-O0", "-O2"];
/// Codes without a program in `tests/diag`: another LLVM, notes (tests/validation), faults of the plugin.
const WITHOUT_PROGRAM: [&str; 3] = ["AD001", "AD060", "AD099"];
/// Pages whose files and commands belong together, from the first to the last.
const WALKS: [&str; 4] = [
    "how-to/fortran-modules.md",
    "how-to/gradient-of-a-package.md",
    "how-to/use-heads.md",
    "tutorial/fortran-project.md",
];
/// The source that the shell examples of docs/diagnostics.md speak of.
const SHELL_SOURCE: &str = "double f(double x, double y) { return x * y; }\n";

fn main() -> ExitCode {
    harness::main(env!("CARGO_TARGET_TMPDIR"), |places| Ok(cases(places)))
}

fn cases(places: &Arc<Places>) -> Vec<Case> {
    let read = |page: &str| {
        fs::read_to_string(places.tools.root.join(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
    };
    let mut cases = catalogue_cases(&read("docs/diagnostics.md"), places);
    for page in pages(places) {
        if page != "docs/diagnostics.md" {
            let name = page.trim_start_matches("docs/");
            if WALKS.contains(&name) {
                let (text, places, stem) = (read(&page), places.clone(), stem(name));
                cases.push(case(name.into(), move || walk(&places, &stem, &text)));
            } else {
                cases.extend(guide_cases(name, &read(&page), places));
            }
        }
    }
    for (name, test) in [
        ("codes", is_complete as fn(&Places) -> _),
        ("programs", has_programs),
        ("files", names_files),
    ] {
        let places = places.clone();
        cases.push(case(name.into(), move || test(&places)));
    }
    cases
}

/// The pages of `docs` and README.md, by path from the root.
fn pages(places: &Places) -> Vec<String> {
    let mut found = vec!["README.md".to_string()];
    let mut folders = vec!["docs".to_string()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(places.tools.root.join(&folder));
        for entry in entries.unwrap_or_else(|e| panic!("{folder}: {e}")).filter_map(Result::ok) {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn case(name: String, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Case {
    Case::new(name, || test().map(|()| Completion::Completed))
}

/// The diagnostics: each example with its section's code.
fn catalogue_cases(page: &str, places: &Arc<Places>) -> Vec<Case> {
    let mut cases = vec![];
    let mut messages: HashMap<String, String> = HashMap::new();
    for block in markdown::blocks(page) {
        let Some(code) = code_of(&block.section) else { continue };
        let name = format!("diagnostics.md:{}:{code}", block.line);
        match block.language.as_str() {
            "c" | "cpp" => {
                // The message of a section is that of its first example.
                let message = messages.insert(code.clone(), String::new()).unwrap_or_default();
                for level in LEVELS {
                    let (block, places, code) = (block.clone(), places.clone(), code.clone());
                    let message = message.clone();
                    cases.push(case(format!("{name}{level}"), move || {
                        provokes(&places, &block, level, &code, &message)
                    }));
                }
            }
            "sh" => {
                let places = places.clone();
                cases.push(case(name, move || {
                    let folder = folder(&places, &format!("diagnostics{}", block.line))?;
                    fs::write(folder.join("f.c"), SHELL_SOURCE)?;
                    runs_as_shown(&places, &folder, &block.text, false)
                }));
            }
            "text" => {
                messages.insert(code, block.text.clone());
            }
            other => panic!("{name}: a block of language '{other}'"),
        }
    }
    cases
}

/// An example gives `code` and no other: from the compiler, or where the code is one of run time,
/// from the program. It prints `message`, where `…` stands for anything.
fn provokes(
    places: &Places,
    block: &Block,
    level: &str,
    code: &str,
    message: &str,
) -> Result<(), Failed> {
    let folder = folder(places, &format!("diagnostics{}{level}", block.line))?;
    let is_run = code.starts_with("AD2");
    let text = format!("#include <ad.h>\n{}", block.text);
    let done = build(places, &folder, &block.language, &text, level, is_run)?;
    let finished = if is_run {
        expect(done.code == Some(0), "does not compile", &done)?;
        let done = run(&mut Command::new(folder.join("program")), LIMIT)?;
        expect(done.code != Some(0), "ends well", &done)?;
        done
    } else {
        expect(done.code == Some(1), "is no error", &done)?;
        done
    };
    let codes: BTreeSet<String> =
        finished.stderr.split("error").skip(1).filter_map(code_at_start).collect();
    expect(
        codes.len() == 1 && codes.contains(code),
        &format!("gives {codes:?} instead of {code}"),
        &finished,
    )?;
    let mut rest = finished.stderr.as_str();
    for part in message.trim().split('…') {
        let Some((_, after)) = rest.split_once(part.trim()) else {
            return expect(false, &format!("does not print '{part}'"), &finished);
        };
        rest = after;
    }
    Ok(())
}

/// A page: programs that a shell block compiles, and all others that have a `main`. What a shell
/// block prints stands in it, or in a block without language behind it.
fn guide_cases(file: &str, page: &str, places: &Arc<Places>) -> Vec<Case> {
    let mut cases = vec![];
    let blocks = markdown::blocks(page);
    let stem = stem(file);
    let mut start = 0; // of the blocks since the last shell block or heading
    for (index, block) in blocks.iter().enumerate() {
        if blocks[start].section != block.section {
            start = index;
        }
        let name = format!("{file}:{}", block.line);
        if block.language == "sh" {
            let sources: Vec<Block> = blocks[start..index].to_vec();
            start = index + 1;
            if sources.is_empty() || !block.text.starts_with("$ ad") {
                continue;
            }
            let (places, mut block, stem) = (places.clone(), block.clone(), stem.clone());
            if markdown::commands(&block.text).1.is_empty()
                && let Some(next) = blocks.get(index + 1)
                && next.language.is_empty()
            {
                block.text.push_str(&next.text);
            }
            cases.push(case(name, move || {
                let folder = folder(&places, &format!("{stem}{}", block.line))?;
                let files = sources_in(&block.text);
                if files.len() != sources.len() {
                    return Err(format!("{} blocks for the files {files:?}", sources.len()).into());
                }
                for (file, source) in files.iter().zip(&sources) {
                    fs::write(folder.join(file), &source.text)?;
                }
                runs_as_shown(&places, &folder, &block.text, true)
            }));
        } else if ["c", "cpp"].contains(&block.language.as_str()) && block.text.contains("int main")
        {
            let is_shown = blocks
                .get(index + 1)
                .is_some_and(|next| next.language == "sh" && next.section == block.section);
            if is_shown {
                continue; // the shell block runs it
            }
            for level in LEVELS {
                let (places, block) = (places.clone(), block.clone());
                let folder = format!("{stem}{}{level}", block.line);
                cases.push(case(format!("{name}{level}"), move || {
                    prints_its_comments(&places, &folder, &block, level)
                }));
            }
        }
    }
    cases
}

/// A name for folders.
fn stem(file: &str) -> String {
    file.chars().map(|c| if "./".contains(c) { '_' } else { c }).collect()
}

/// A page that builds one thing: each block that begins with the name of a file, in a comment, is
/// that file, or its continuation; shell blocks are run where they stand, and print what they show.
fn walk(places: &Places, stem: &str, page: &str) -> Result<(), Failed> {
    // Nothing is left of an earlier run.
    fs::remove_dir_all(folder(places, stem)?)?;
    let folder = folder(places, stem)?;
    let mut commands = 0;
    for block in markdown::blocks(page) {
        if block.language == "sh" {
            commands += 1;
            runs_as_shown(places, &folder, &block.text, true)?;
            continue;
        }
        let name = block.text.lines().next().unwrap_or_default();
        let name = name.trim_start_matches(['/', '*', '!', '#', ' ']).trim_end_matches("*/").trim();
        let is_name = !name.contains(' ') && (name.contains('.') || name == "Makefile");
        if !is_name {
            return Err(format!("line {}: a block without the name of its file", block.line).into());
        }
        let before = fs::read_to_string(folder.join(name)).unwrap_or_default();
        fs::write(folder.join(name), before + "\n" + &block.text)?;
    }
    if commands > 0 { Ok(()) } else { Err("no commands".into()) }
}

/// A program whose output stands in its comments: each number that it prints behind a label is in
/// one of them, and each line without numbers says that something agrees.
fn prints_its_comments(
    places: &Places,
    folder_name: &str,
    block: &Block,
    level: &str,
) -> Result<(), Failed> {
    let folder = folder(places, folder_name)?;
    let done = build(places, &folder, &block.language, &block.text, level, true)?;
    expect(done.code == Some(0), "does not compile", &done)?;
    let done = run(&mut Command::new(folder.join("program")), LIMIT)?;
    expect(done.code == Some(0) && !done.stdout.is_empty(), "fails or prints nothing", &done)?;
    let comments: Vec<&str> =
        block.text.split("/*").skip(1).filter_map(|c| c.split("*/").next()).collect();
    let comments: Vec<&str> = comments.into_iter().flat_map(markdown::numbers).collect();
    for line in done.stdout.lines() {
        let numbers = markdown::numbers(line.split_once(':').map_or(line, |(_, rest)| rest));
        let is_explained = !numbers.is_empty() && numbers.iter().all(|n| comments.contains(n));
        expect(
            is_explained || line.ends_with(": agree"),
            &format!("prints '{line}', which no comment says"),
            &done,
        )?;
    }
    Ok(())
}

/// Runs the commands of a shell block. What they print is the rest of the block, where `…` stands
/// for anything; commands that must not succeed print it on standard error.
fn runs_as_shown(
    places: &Places,
    folder: &Path,
    block: &str,
    is_success: bool,
) -> Result<(), Failed> {
    let (commands, output) = markdown::commands(block);
    let mut shell = Command::new("sh");
    shell.args(["-c", &commands.join(" && ")]).current_dir(folder);
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env(
        "PATH",
        format!("{}:{}:{path}", drivers(places, folder)?.display(), places.tools.build.display()),
    );
    let done = run(&mut shell, LIMIT)?;
    expect((done.code == Some(0)) == is_success, "ends otherwise than the page says", &done)?;
    let printed = if is_success { &done.stdout } else { &done.stderr };
    let mut rest = printed.as_str();
    for part in output.trim().split('…') {
        let Some((_, after)) = rest.split_once(part.trim()) else {
            return expect(false, &format!("does not print '{part}'"), &done);
        };
        rest = after;
    }
    let is_exact = !is_success || printed.trim() == output.trim();
    expect(is_exact, "prints something else than the page says", &done)
}

/// The names under which the driver is called, as links beside each other.
fn drivers(places: &Places, folder: &Path) -> Result<PathBuf, Failed> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    for name in ["adcc", "ad++", "adfc"] {
        let link = bin.join(name);
        if fs::symlink_metadata(&link).is_err() {
            std::os::unix::fs::symlink(places.tools.part(DRIVER), link)?;
        }
    }
    Ok(bin)
}

/// The sources that commands name, each once, in order.
fn sources_in(block: &str) -> Vec<String> {
    let (commands, _) = markdown::commands(block);
    let words: Vec<&str> = commands.iter().flat_map(|c| c.split_whitespace()).collect();
    let mut found: Vec<String> = vec![];
    for word in words {
        let is_source =
            [".c", ".cpp", ".f90"].iter().any(|e| word.ends_with(e)) && !word.starts_with('-');
        if is_source && !found.iter().any(|f| f == word) {
            found.push(word.into());
        }
    }
    found
}

/// Every code of the plugin and of the runtime has a section, and every section a code.
fn is_complete(places: &Places) -> Result<(), Failed> {
    let page = fs::read_to_string(places.tools.root.join("docs/diagnostics.md"))?;
    let listed: BTreeSet<String> =
        markdown::headings(&page).iter().filter_map(|h| code_of(h)).collect();
    let mut known = plugin_codes(places)?;
    known.insert("AD001".into()); // pass/shim: said before there is anything else
    let mut folders = ["src", "ranks"].map(|f| places.tools.root.join("runtime").join(f)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                known.extend(codes_in(&fs::read_to_string(path)?));
            }
        }
    }
    let missing: Vec<_> = known.symmetric_difference(&listed).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("docs/diagnostics.md and the sources disagree on {missing:?}").into())
    }
}

/// Every source file that a page names exists.
fn names_files(places: &Places) -> Result<(), Failed> {
    let mut named_in = pages(places);
    named_in.extend(["ARCHITECTURE.md".into(), "CONTRIBUTING.md".into()]);
    let mut absent = vec![];
    let mut named = 0;
    for page in named_in {
        let text = fs::read_to_string(places.tools.root.join(&page))?;
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c))) {
            let word = word.trim_end_matches('.');
            if [
                "pass/", "runtime/", "rules/", "driver/", "tests/", "fuzz/", "bench/", "analysis/",
                "ir/", "shadow/", "examples/", "docs/",
            ]
            .iter()
            .any(|f| word.starts_with(f))
            {
                named += 1;
                if !places.tools.root.join(word).exists() {
                    absent.push(format!("{page}: {word}"));
                }
            }
        }
    }
    if absent.is_empty() && named > 30 {
        Ok(())
    } else {
        Err(format!("of {named} files that pages name, absent: {absent:?}").into())
    }
}

/// Every code of the plugin has a program that provokes it.
fn has_programs(places: &Places) -> Result<(), Failed> {
    let mut provoked = BTreeSet::new();
    for file in fs::read_dir(places.tools.root.join("tests/diag"))? {
        let text = fs::read_to_string(file?.path())?;
        provoked.extend(text.lines().filter(|l| l.contains("ad-error:")).flat_map(codes_in));
    }
    let known = plugin_codes(places)?;
    let missing: Vec<_> =
        known.difference(&provoked).filter(|c| !WITHOUT_PROGRAM.contains(&c.as_str())).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("no program in tests/diag provokes {missing:?}").into())
    }
}

/// The codes of pass/src/diagnostics/mod.rs: `Name = 42,`.
fn plugin_codes(places: &Places) -> Result<BTreeSet<String>, Failed> {
    let text = fs::read_to_string(places.tools.root.join("pass/src/diagnostics/mod.rs"))?;
    let number =
        |line: &str| line.trim().strip_suffix(',')?.split_once(" = ")?.1.parse::<u32>().ok();
    let codes: BTreeSet<String> =
        text.lines().filter_map(number).map(|n| format!("AD{n:03}")).collect();
    if codes.len() < 20 {
        Err(format!("only {codes:?} in pass/src/diagnostics/mod.rs").into())
    } else {
        Ok(codes)
    }
}

/// `AD021` of `AD021: a function without body and rule`.
fn code_of(heading: &str) -> Option<String> {
    let (word, _) = heading.split_once(':')?;
    codes_in(word).into_iter().next().filter(|code| code == word)
}

/// `AD021` of `: AD021: function …`, what follows the word `error` in a message.
fn code_at_start(text: &str) -> Option<String> {
    let text = text.trim_start_matches([':', ' ']);
    codes_in(text.get(..5)?).into_iter().next()
}

/// The codes that a text contains as words.
fn codes_in(text: &str) -> BTreeSet<String> {
    let is_code = |w: &&str| {
        w.len() == 5 && w.starts_with("AD") && w[2..].bytes().all(|b| b.is_ascii_digit())
    };
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_code).map(str::to_string).collect()
}

fn folder(places: &Places, name: &str) -> Result<PathBuf, Failed> {
    let folder = places.scratch.join("documents").join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Compiles a text, and where `is_program` links it.
fn build(
    places: &Places,
    folder: &Path,
    language: &str,
    text: &str,
    level: &str,
    is_program: bool,
) -> Result<Finished, Failed> {
    let (language, standard, source) = match language {
        "c" => (Language::C, "-std=gnu17", "program.c"),
        _ => (Language::Cpp, "-std=c++17", "program.cpp"),
    };
    fs::write(folder.join(source), text)?;
    let mut compile = places.tools.compiler(language);
    compile.args([level, standard, "-g", source]).current_dir(folder);
    if text.contains("#pragma omp") {
        compile.arg("-fopenmp");
    }
    if is_program {
        compile.args(places.tools.link_options()).args(["-o", "program"]);
    } else {
        compile.args(["-c", "-o", "program.o"]);
    }
    Ok(run(&mut compile, LIMIT)?)
}

fn expect(holds: bool, what: &str, done: &Finished) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("{what}: {done}").into()) }
}
