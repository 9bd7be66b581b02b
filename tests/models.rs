//! The models of library functions (pass/models/), run beside the functions that they stand for.

use std::{path::Path, process::Command};

const COMPILER: &str = "clang-22";
const SANITIZERS: &str = "-fsanitize=address,undefined";

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool is installed");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn agrees(model: &str, says: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let (object, program) = (folder.path().join("model.o"), folder.path().join("program"));
    let source = root.join(format!("../pass/models/{model}.c"));
    run(Command::new(COMPILER)
        .args(["-std=c17", "-O1", "-g", SANITIZERS, "-c", "-o"])
        .arg(&object)
        .arg(source));
    let test = root.join(format!("models/{model}.cpp"));
    let options = [
        "--driver-mode=g++", "-std=c++17", "-O1", "-g", SANITIZERS, "-fno-sanitize-recover=all",
        "-o",
    ];
    run(Command::new(COMPILER).args(options).args([&program, &test, &object]));
    assert_eq!(run(&mut Command::new(program)), says);
}

#[test]
fn trees_are_as_the_library_makes_them() {
    agrees("tree", "trees agree\n");
}

#[test]
fn lists_are_as_the_library_makes_them() {
    agrees("list", "lists agree\n");
}
