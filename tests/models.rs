//! The models of library functions (pass/models/), run beside the functions that they stand for.

use std::{path::Path, process::Command};

use adtoolchain::{Language, testing::must};

const SANITIZERS: &str = "-fsanitize=address,undefined";

fn agrees(model: &str, says: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let (object, program) = (folder.path().join("model.o"), folder.path().join("program"));
    let source = root.join(format!("../pass/models/{model}.c"));
    let compiler = Language::C.compiler();
    must(
        Command::new(&compiler)
            .args(["-std=c17", "-O1", "-g", SANITIZERS, "-c", "-o"])
            .arg(&object)
            .arg(source),
    );
    let test = root.join(format!("models/{model}.cpp"));
    let options = [
        "--driver-mode=g++", "-std=c++17", "-O1", "-g", SANITIZERS, "-fno-sanitize-recover=all",
        "-o",
    ];
    must(Command::new(&compiler).args(options).args([&program, &test, &object]));
    assert_eq!(must(&mut Command::new(program)).stdout, says);
}

#[test]
fn trees_are_as_the_library_makes_them() {
    agrees("tree", "trees agree\n");
}

#[test]
fn lists_are_as_the_library_makes_them() {
    agrees("list", "lists agree\n");
}
