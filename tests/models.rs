//! The models of library functions (pass/models/), run beside the functions that they stand for.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

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

/// The models over flang's descriptors, compiled with other names, in one program with the library.
#[test]
fn arrays_of_fortran_are_as_the_library_makes_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let models = root.join("../pass/models/fortran");
    let sources = std::fs::read_dir(models).expect("the models").map(|f| f.expect("a file").path());
    let sources = sources.filter(|f| f.extension().is_some_and(|ending| ending == "c"));
    let flags = ["-std=c17", SANITIZERS, "-fno-sanitize-recover=all", "-DADCC_BESIDE_LIBRARY"];
    must(
        Command::new(Language::C.compiler())
            .args(flags)
            .args(sources)
            .args([&root.join("models/fortran.c"), &fortran_library()])
            .args(["-lm", "-o"])
            .arg(&program),
    );
    assert_eq!(must(&mut Command::new(program)).stdout, "Fortran agrees\n");
}

/// Flang's runtime library.
fn fortran_library() -> PathBuf {
    let flang = Language::Fortran.compiler();
    let folder = must(Command::new(flang).arg("-print-resource-dir")).stdout;
    let mut places = std::fs::read_dir(Path::new(folder.trim()).join("lib")).expect("libraries");
    let library = |place: std::io::Result<std::fs::DirEntry>| {
        let file = place.expect("a folder").path().join("libflang_rt.runtime.a");
        file.exists().then_some(file)
    };
    places.find_map(library).expect("flang's runtime library")
}
