//! Splits a command line: our `--ad-…` words on one side, the compiler's on the other, verbatim and
//! in order; and learns from the latter what the command will do.
//!
//! Nothing here rejects an option: that is the compiler's right. What is unknown errs towards
//! passing the words through unchanged.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::link::Form;
use crate::print::Print;
use crate::response::{self, Word};
use crate::spelling::{InputKind, kind_of_file, kind_of_language, values_after};
use crate::target::{TargetOptions, Width};

/// The last thing that the command does, in clang's order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// `-E`, `-M`, `-MM`
    Preprocess,
    /// `-fsyntax-only`, `--analyze`, `--precompile`: no code
    Check,
    /// `-S`
    Assembly,
    /// `-c`
    Object,
    /// none of these
    Link,
}

/// A word for the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// As the user wrote it.
    Plain(OsString),
    /// A response file that held something of ours: the rest of its words.
    Rewritten(Vec<OsString>),
}

/// An input file of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// As written; `-` is standard input.
    pub path: OsString,
    /// What it is.
    pub kind: InputKind,
}

/// Folders of headers.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Includes {
    first: Vec<PathBuf>,
    system: Vec<PathBuf>,
    last: Vec<PathBuf>,
}

impl Includes {
    /// Takes note of an option.
    fn option(&mut self, word: &OsStr, next: Option<&OsStr>) {
        let lists = [
            ("-isystem", &mut self.system),
            ("-idirafter", &mut self.last),
            ("-I", &mut self.first),
        ];
        for (option, list) in lists {
            match word.as_bytes().strip_prefix(option.as_bytes()) {
                Some([]) => return list.extend(next.map(PathBuf::from)),
                Some(folder) => return list.push(OsStr::from_bytes(folder).into()),
                None => {}
            }
        }
    }

    /// All, in the order in which they are searched.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.first.iter().chain(&self.system).chain(&self.last).map(PathBuf::as_path)
    }
}

/// A command line, understood.
#[derive(Debug)]
pub struct CommandLine {
    /// Our options, in order.
    pub ad: Vec<OsString>,
    /// For the compiler, in order.
    pub arguments: Vec<Argument>,
    /// What is compiled or linked.
    pub inputs: Vec<Input>,
    /// How far it goes.
    pub action: Action,
    /// The value of the last `-o`.
    pub output: Option<OsString>,
    /// `-emit-llvm`
    pub emits_llvm: bool,
    /// `-nostdlib`, `-nodefaultlibs` or `-r`: the user wants no library that he did not name.
    pub without_libraries: bool,
    /// `-r`: what is linked is linked again
    pub is_relocatable: bool,
    /// `-save-temps`: the assembler is then a tool of its own.
    pub saves_temps: bool,
    /// `-###`: nothing is run.
    pub dry_run: bool,
    /// `-fno-underscoring`
    pub no_underscoring: bool,
    /// What decides whether the shadow runtime can be linked.
    pub form: Form,
    /// `-rtlib=compiler-rt`: the compiler's own functions are not libgcc's
    pub compiler_rt: bool,
    /// The options for the target machine.
    pub machine: TargetOptions,
    /// The level of optimisation, as behind `-O`.
    pub level: String,
    /// Folders in which the compiler looks for programs first (`-B`).
    pub prefixes: Vec<OsString>,
    /// Folders in which the compiler looks for headers first (`-I`, `-isystem`), in its order.
    pub includes: Includes,
    /// `-flto`: objects hold nothing but IR.
    pub is_lto: bool,
    /// `--help`
    pub help: bool,
    /// `--version`
    pub version: bool,
    /// `--print-…` of ours, the last one.
    pub print: Option<Print>,
}

impl CommandLine {
    /// Reads the words after the program's name.
    pub fn parse(raw: &[OsString]) -> CommandLine {
        let words = response::expand(raw);
        let mut reader = Reader { line: CommandLine::empty(), language: None, ended: false };
        let mut kept: Vec<Option<OsString>> = Vec::with_capacity(words.len());
        let mut index = 0;
        while index < words.len() {
            let word = &words[index].text;
            let values = if reader.ended { 0 } else { values_after(word) };
            kept.push(reader.word(word, words.get(index + 1).map(|w| w.text.as_os_str())));
            let next = (index + 1 + values).min(words.len());
            kept.extend(words[index + 1..next].iter().map(|value| Some(value.text.clone())));
            index = next;
        }
        let mut line = reader.line;
        line.arguments = rebuild(raw, &words, &kept);
        line
    }

    fn empty() -> CommandLine {
        CommandLine {
            ad: vec![],
            arguments: vec![],
            inputs: vec![],
            action: Action::Link,
            output: None,
            emits_llvm: false,
            without_libraries: false,
            is_relocatable: false,
            saves_temps: false,
            dry_run: false,
            no_underscoring: false,
            form: Form::default(),
            compiler_rt: false,
            machine: TargetOptions::default(),
            level: "0".into(),
            prefixes: vec![],
            includes: Includes::default(),
            is_lto: false,
            help: false,
            version: false,
            print: None,
        }
    }

    /// The inputs that become code in this command, through the plugin.
    pub fn sources(&self) -> impl Iterator<Item = &Input> {
        let reaches_code = self.action >= Action::Assembly;
        self.inputs.iter().filter(move |input| reaches_code && input.kind.becomes_code())
    }

    /// Whether the linker runs. Headers alone are precompiled and not linked.
    pub fn links(&self) -> bool {
        let is_linked = |input: &Input| input.kind != InputKind::Header;
        self.action == Action::Link && self.inputs.iter().any(is_linked)
    }
}

struct Reader {
    line: CommandLine,
    /// The kind that the last `-x` set.
    language: Option<InputKind>,
    /// `--` was met: only inputs follow.
    ended: bool,
}

impl Reader {
    /// Takes note of a word; returns what the compiler gets in its place (None: nothing).
    fn word(&mut self, word: &OsStr, next: Option<&OsStr>) -> Option<OsString> {
        if self.ended || word == "-" || !word.as_bytes().starts_with(b"-") {
            self.input(word);
            let is_dashed = self.ended && word != "-" && word.as_bytes().starts_with(b"-");
            let mut path = OsString::from(if is_dashed { "./" } else { "" });
            path.push(word);
            return Some(path);
        }
        if word.as_bytes().starts_with(b"--ad-") {
            self.line.ad.push(word.to_os_string());
            return None;
        }
        if word == "--" {
            // Dropped, so that options can be appended; file names get `./` instead.
            self.ended = true;
            return None;
        }
        self.option(word, next);
        Some(word.to_os_string())
    }

    fn input(&mut self, path: &OsStr) {
        // Without -x, standard input is a linker input here; clang accepts it with -E only.
        let kind = self.language.unwrap_or_else(|| kind_of_file(path));
        self.line.inputs.push(Input { path: path.to_os_string(), kind });
    }

    fn option(&mut self, word: &OsStr, next: Option<&OsStr>) {
        let line = &mut self.line;
        line.form.option(&word.to_string_lossy());
        line.includes.option(word, next);
        let stop_at = |line: &mut CommandLine, action| line.action = line.action.min(action);
        match word.to_string_lossy().as_ref() {
            "-E" | "-M" | "-MM" | "--preprocess" | "--dependencies" | "--user-dependencies" => {
                stop_at(line, Action::Preprocess);
            }
            "-fsyntax-only" | "--analyze" | "--precompile" | "-emit-ast" | "-verify-pch"
            | "-module-file-info" | "-extract-api" | "-rewrite-objc" => {
                stop_at(line, Action::Check);
            }
            "-S" | "--assemble" => stop_at(line, Action::Assembly),
            "-c" | "--compile" => stop_at(line, Action::Object),
            "-emit-llvm" => line.emits_llvm = true,
            "-nostdlib" | "--no-standard-libraries" | "-nodefaultlibs" | "-r" => {
                line.without_libraries = true;
                line.is_relocatable |= word == "-r";
            }
            "-###" => line.dry_run = true,
            "-fno-underscoring" => line.no_underscoring = true,
            "-funderscoring" => line.no_underscoring = false,
            "-rtlib=compiler-rt" | "--rtlib=compiler-rt" => line.compiler_rt = true,
            "-rtlib=libgcc" | "--rtlib=libgcc" => line.compiler_rt = false,
            "-m32" => line.machine.width = Some(Width::Narrow),
            "-m64" => line.machine.width = Some(Width::Wide),
            "-mx32" => line.machine.width = Some(Width::Mixed),
            "-target" => line.machine.triple = next.map(|t| t.to_string_lossy().into_owned()),
            text if text.starts_with("--target=") => {
                line.machine.triple = Some(text["--target=".len()..].into());
            }
            "--help" => line.help = true,
            "--version" => line.version = true,
            text if Print::from_option(text).is_some() => line.print = Print::from_option(text),
            "-x" | "--language" => self.language = next.and_then(kind_of_language),
            "-o" | "--output" => line.output = next.map(OsStr::to_os_string),
            text if text.starts_with("--language=") => {
                self.language = kind_of_language(OsStr::new(&text["--language=".len()..]));
            }
            "-fno-lto" => line.is_lto = false,
            text if text == "-flto" || text.starts_with("-flto=") => line.is_lto = true,
            "-O" => line.level = "1".into(),
            "-B" => line.prefixes.extend(next.map(OsStr::to_os_string)),
            text if text.starts_with("-O") => line.level = text["-O".len()..].into(),
            text if text.starts_with("-B") => {
                line.prefixes.push(OsStr::from_bytes(&word.as_bytes()["-B".len()..]).into());
            }
            text if text.starts_with("-save-temps") || text.starts_with("--save-temps") => {
                line.saves_temps = true;
            }
            text if text.starts_with("-x") => {
                self.language = kind_of_language(OsStr::new(&text[2..]));
            }
            _ => {
                if let Some(output) = word.as_bytes().strip_prefix(b"-o")
                    && !word.as_bytes().starts_with(b"-object")
                {
                    line.output = Some(OsStr::from_bytes(output).to_os_string());
                }
            }
        }
    }
}

/// The compiler's words: each argument as written, unless words were taken out of it.
fn rebuild(raw: &[OsString], words: &[Word], kept: &[Option<OsString>]) -> Vec<Argument> {
    let mut arguments = Vec::with_capacity(raw.len());
    let mut pairs = words.iter().zip(kept).peekable();
    for (index, text) in raw.iter().enumerate() {
        let mut rest = Vec::new();
        let mut is_changed = false;
        let mut in_file = false;
        while let Some((word, kept)) = pairs.next_if(|(word, _)| word.argument == index) {
            in_file = word.in_file;
            is_changed |= kept.as_deref() != Some(&word.text);
            rest.extend(kept.clone());
        }
        match (in_file, is_changed) {
            (true, true) => arguments.push(Argument::Rewritten(rest)),
            (false, true) => arguments.extend(rest.into_iter().map(Argument::Plain)),
            (_, false) => arguments.push(Argument::Plain(text.clone())),
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> CommandLine {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        CommandLine::parse(&words)
    }

    fn plain(line: &CommandLine) -> String {
        let words: Vec<String> = line
            .arguments
            .iter()
            .map(|a| match a {
                Argument::Plain(text) => text.to_string_lossy().into_owned(),
                Argument::Rewritten(words) => format!("{words:?}"),
            })
            .collect();
        words.join(" ")
    }

    fn inputs(line: &CommandLine) -> Vec<(String, InputKind)> {
        line.inputs.iter().map(|i| (i.path.to_string_lossy().into_owned(), i.kind)).collect()
    }

    #[test]
    fn ours_are_taken_out_and_the_rest_is_verbatim() {
        let line = parse("-O2 --ad-tangent=f -c a.c --ad-print-commands -o a.o -Wl,--ad-x");
        assert_eq!(line.ad, ["--ad-tangent=f", "--ad-print-commands"]);
        assert_eq!(plain(&line), "-O2 -c a.c -o a.o -Wl,--ad-x");
        assert_eq!(line.action, Action::Object);
        assert_eq!(line.output.as_deref(), Some(OsStr::new("a.o")));
    }

    #[test]
    fn values_are_no_inputs_and_no_options() {
        let line = parse("-o x.c -include y.c -Xlinker --ad-foo -MF -c -D E a.c");
        assert_eq!(inputs(&line), [("a.c".into(), InputKind::CFamily)]);
        assert_eq!(line.action, Action::Link);
        assert!(line.ad.is_empty());
        assert_eq!(plain(&line), "-o x.c -include y.c -Xlinker --ad-foo -MF -c -D E a.c");
    }

    #[test]
    fn language_holds_until_the_next() {
        let line = parse("-x c a.txt - -xnone b.o -x f95 c --language=assembler d");
        let kinds: Vec<InputKind> = line.inputs.iter().map(|i| i.kind).collect();
        let (c, f) = (InputKind::CFamily, InputKind::Fortran);
        assert_eq!(kinds, [c, c, InputKind::LinkerInput, f, InputKind::Assembler]);
    }

    #[test]
    fn the_earliest_stop_wins() {
        for (text, action) in [
            ("-c -E a.c", Action::Preprocess),
            ("-MM -c a.c", Action::Preprocess),
            ("-MD -MMD -c a.c", Action::Object),
            ("-fsyntax-only -c a.c", Action::Check),
            ("-c -S a.c", Action::Assembly),
            ("-shared -fPIC a.c", Action::Link),
        ] {
            assert_eq!(parse(text).action, action, "{text}");
        }
        assert!(!parse("-shared").links());
        assert!(parse("a.o").links() && !parse("a.h").links());
        assert_eq!(parse("a.o b.a -lm").sources().count(), 0);
        assert_eq!(parse("-E a.c").sources().count(), 0);
        assert_eq!(parse("a.c b.ll c.f90 d.s e.h").sources().count(), 3);
    }

    #[test]
    fn folders_of_headers_are_in_the_compilers_order() {
        let line = parse("-idirafter d -isystem b -Ia -isystemc -I e -iquote q x.c");
        let all: Vec<&str> = line.includes.all().filter_map(Path::to_str).collect();
        assert_eq!(all, ["a", "e", "b", "c", "d"]);
    }

    #[test]
    fn after_two_dashes_only_inputs() {
        let line = parse("-c -- -weird.c --ad-x.c a.c");
        assert_eq!(plain(&line), "-c ./-weird.c ./--ad-x.c a.c");
        assert_eq!(line.inputs.len(), 3);
        assert!(line.ad.is_empty());
    }

    #[test]
    fn a_response_file_is_rewritten_only_when_ours_is_in_it() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let at = |name: &str, content: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).expect("write");
            OsString::from(format!("@{}", path.display()))
        };
        let ours = at("ours", "-c '--ad-tangent=f(y)/(x, z)' 'a b.c' -o");
        let theirs = at("theirs", "-O2 c.c");
        let line = CommandLine::parse(&[ours, "out.c".into(), theirs.clone()]);
        assert_eq!(line.ad, ["--ad-tangent=f(y)/(x, z)"]);
        assert_eq!(line.action, Action::Object);
        assert_eq!(
            inputs(&line),
            [("a b.c".into(), InputKind::CFamily), ("c.c".into(), InputKind::CFamily)]
        );
        let rest = ["-c", "a b.c", "-o"].map(OsString::from).to_vec();
        let expected =
            [Argument::Rewritten(rest), Argument::Plain("out.c".into()), Argument::Plain(theirs)];
        assert_eq!(line.arguments, expected);
    }
}
