//! What generated code declares of the runtimes' functions is what they are: the types of each
//! declaration, beside those of the Rust source, for x86-64 and i386.

use std::{collections::BTreeMap, fs, path::Path};

use adtoolchain::Language;
use adtoolchain::testing::{end, tools};

/// Programs of tests/c whose derivatives call the tape's runtime in most of its ways.
const CODES: &[&str] = &[
    "split.c", "split_exceptions.cpp", "checkpoint_loops.c", "checkpoint_independent.c",
    "checkpoint_sizes.c", "checkpoint_split.c", "files_read_again.c", "global_pointers.c",
    "global_refused.c", "heap_freed_by_callee.c", "heap_realloc.c", "libm_double.c",
    "no_derivative.c", "pointers_refused.c", "pointers_to_functions.c", "recursion.c",
    "tables_of_functions.c", "workspaces.c",
];
/// Programs of tests/prebuilt: the same for the shadow runtime.
const PREBUILT: &[&str] = &[
    "basic.c", "structs.c", "library_memory.c", "kept.c", "globals.c", "roles.c", "layouts.c",
    "tapes.c",
];
/// Functions that must be among what was looked at.
const LEAST: usize = 15;

/// Result and parameters as LLVM's types.
type Signature = Vec<String>;

/// LLVM's name of a Rust type, where a word has so many bits.
fn llvm_type(rust: &str, word: u32) -> String {
    let rust = rust.trim();
    match rust {
        "" | "!" | "()" => "void".into(),
        "u64" | "i64" => "i64".into(),
        "u32" | "i32" | "c_int" | "libc::c_int" => "i32".into(),
        "usize" | "isize" | "c_ulong" => format!("i{word}"),
        // Two words (runtime/src/sums/runs.rs).
        "Run" => "{ i64, i64 }".into(),
        "f64" => "double".into(),
        "f32" => "float".into(),
        // What may be null is a pointer to a function.
        _ if rust.starts_with('*') || rust.starts_with("Option<") || rust.contains("fn(") => {
            "ptr".into()
        }
        _ => panic!("a type without a name here: {rust}"),
    }
}

/// The functions of C's calling convention that sources define, with their types.
fn defined(folder: &Path, prefix: &str, word: u32, all: &mut BTreeMap<String, Signature>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            defined(&path, prefix, word, all);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        for (at, _) in text.match_indices(&format!(" fn {prefix}")) {
            let before = &text[text[..at].rfind('\n').map_or(0, |n| n + 1)..at];
            let rest = &text[at + 4..];
            if !before.contains("extern \"C") {
                continue;
            }
            let (Some(open), Some(close), Some(body)) =
                (rest.find('('), rest.find(')'), rest.find(['{', ';']))
            else {
                continue;
            };
            let params = rest[open + 1..close].split(',').filter(|p| p.contains(':'));
            let result = rest[close..body].split_once("->").map_or("", |(_, t)| t);
            let types = params.map(|p| llvm_type(p.split_once(':').expect("filtered").1, word));
            all.insert(
                rest[..open].to_string(),
                std::iter::once(llvm_type(result, word)).chain(types).collect(),
            );
        }
    }
}

/// The declarations of a module.
fn declared(ir: &str, prefix: &str, all: &mut BTreeMap<String, Signature>) {
    const ATTRIBUTES: [&str; 5] =
        ["dso_local", "extern_weak", "noundef", "nonnull", "local_unnamed_addr"];
    for line in ir.lines().filter_map(|l| l.strip_prefix("declare ")) {
        let Some((result, rest)) =
            line.split_once(" @").filter(|(_, rest)| rest.starts_with(prefix))
        else {
            continue;
        };
        let (name, params) = rest.split_once('(').expect("a function");
        let params = &params[..params.rfind(')').expect("its end")];
        let first = |t: &str| match t.find('{') {
            Some(at) => t[at..].to_string(),
            None => {
                t.split_whitespace().find(|w| !ATTRIBUTES.contains(w)).unwrap_or_default().into()
            }
        };
        let types = params.split(',').filter(|p| !p.trim().is_empty()).map(first);
        all.insert(name.to_string(), std::iter::once(first(result)).chain(types).collect());
    }
}

fn check(folder: &str, programs: &[&str], source: &str, prefix: &str, machine: &str, word: u32) {
    let tools = tools();
    let mut wanted = BTreeMap::new();
    defined(&tools.root.join(source), prefix, word, &mut wanted);
    let mut found = BTreeMap::new();
    for program in programs {
        let file = tools.root.join("tests").join(folder).join(program);
        if !file.is_file() {
            continue;
        }
        let text = fs::read_to_string(&file).expect("readable");
        let mut clang = tools.compiler(Language::of(&file).expect("a source"));
        clang.args([machine, "-w", "-O1", "-S", "-emit-llvm", "-o", "-"]);
        clang.args(["-mllvm", "-ad-prebuilt=shadow"]).arg("-I").arg(tools.root.join("tests/c"));
        for option in text
            .lines()
            .filter_map(|l| l.split_once("ad-option: "))
            .map(|(_, o)| o.trim_end_matches("*/").trim())
        {
            clang.args(["-mllvm", option]);
        }
        let done = end(clang.arg(&file));
        // What a target cannot compile, tests of programs speak of.
        if done.is_success() {
            declared(&done.stdout, prefix, &mut found);
        }
    }
    assert!(found.len() >= LEAST, "{machine} {source}: only {:?}", found.keys());
    for (name, types) in &found {
        let Some(source) = wanted.get(name) else { continue };
        assert_eq!(types, source, "{machine}: {name}");
    }
    let known = found.keys().filter(|name| wanted.contains_key(*name)).count();
    assert!(known >= LEAST, "{machine} {source}: only {known} of {:?}", found.keys());
}

#[test]
fn of_the_tape() {
    check("c", CODES, "runtime/src", "adrt_", "-m64", 64);
    check("c", CODES, "runtime/src", "adrt_", "-m32", 32);
}

#[test]
fn of_the_shadow_runtime() {
    check("prebuilt", PREBUILT, "shadow/src/call", "adshadow_", "-m64", 64);
    check("prebuilt", PREBUILT, "shadow/src/call", "adshadow_", "-m32", 32);
}

#[test]
fn types_are_read() {
    let mut all = BTreeMap::new();
    declared(
        "declare noundef ptr @adrt_x(ptr noundef, i64, double) #1\ndeclare void @adrt_y()\n",
        "adrt_",
        &mut all,
    );
    assert_eq!(all["adrt_x"], ["ptr", "ptr", "i64", "double"]);
    assert_eq!(all["adrt_y"], ["void"]);
    assert_eq!(
        [llvm_type("usize", 32), llvm_type(" *const u8", 32), llvm_type("!", 64)],
        ["i32", "ptr", "void"]
    );
}
