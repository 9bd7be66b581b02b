//! A folder for one test, with fake or real compilers, and adcc with a clean environment.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::OnceLock;

use assert_cmd::Command;
use tempfile::TempDir;

/// A folder of one test.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// An empty folder with `libadpass.so`, `libadrt.a`, `libadshadow.a` and `include/ad.h`, all of
    /// them empty, and fake compilers.
    pub fn new() -> Bench {
        let bench = Bench { folder: tempfile::tempdir().expect("temporary folder") };
        // One file in the tree, linked: a script just written may be busy while other tests fork.
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/compiler.sh");
        for compiler in ["clang-22", "clang++-22", "flang-22"] {
            bench.link_to(&fake, &format!("fake/{compiler}"));
        }
        for file in ["libadpass.so", "libadrt.a", "libadshadow.a", "include/ad.h"] {
            bench.file(file, "");
        }
        bench
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A path in the folder, as text.
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("make folder");
        fs::write(&path, content).expect("write file");
        path
    }

    /// Writes an executable script.
    pub fn program(&self, name: &str, content: &str) -> PathBuf {
        let path = self.file(name, content);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("make executable");
        path
    }

    /// Links `name` to adcc.
    pub fn link(&self, name: &str) -> PathBuf {
        self.link_to(&adcc_path(), name)
    }

    /// Links `name` to a file.
    pub fn link_to(&self, file: &Path, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("make folder");
        symlink(file, &path).expect("link");
        path
    }

    /// `program` in this folder, without any variable of ours.
    pub fn clean(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("AD") {
                command.env_remove(name);
            }
        }
        // What a test looks at is made for it.
        command.env("ADCC_CACHE", "0");
        command
    }

    /// adcc (or a link to it) with fake compilers.
    pub fn fake(&self, program: &Path) -> Command {
        let mut command = self.clean(program);
        command
            .env("ADCC_CLANG", self.path("fake/clang-22"))
            .env("ADCC_CLANGXX", self.path("fake/clang++-22"))
            .env("ADCC_FLANG", self.path("fake/flang-22"))
            .env("ADCC_PLUGIN", self.path("libadpass.so"))
            .env("ADCC_RUNTIME", self.path("libadrt.a"))
            .env("ADCC_SHADOW", self.path("libadshadow.a"))
            .env("ADCC_INCLUDE", self.path("include"))
            .env("LOG", self.path("log"));
        command
    }

    /// What the fake compilers wrote, on one line each call; the folder's own name left out.
    pub fn log(&self) -> String {
        let text = fs::read_to_string(self.path("log")).unwrap_or_default();
        let text = text.replace(&format!("{}/", self.folder.path().display()), "");
        text.lines().map(without_linkers).collect::<Vec<_>>().join(" ")
    }

    /// The last line of the fake compilers' log after running adcc with these words.
    pub fn words(&self, line: &str) -> String {
        let _ = fs::remove_file(self.path("log"));
        self.fake(&adcc_path()).args(line.split_whitespace()).assert().success();
        self.log()
    }
}

/// A word of a command line, without the folder in which the compiler finds adcc as the linker.
fn without_linkers(word: &str) -> String {
    let part = |word: &str| match word.strip_prefix("-B") {
        Some(folder) if folder.ends_with("/linkers") => "-B=linkers".to_string(),
        _ if word.contains("/adcc-") && word.ends_with("/libadshadow.a") => "=stand-in".to_string(),
        _ => word.to_string(),
    };
    word.split(' ').map(part).collect::<Vec<_>>().join(" ")
}

/// The program under test.
pub fn adcc_path() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_adcc"))
}

/// Whether clang and flang of LLVM 22 are here; they must be, unless `AD_ALLOW_SKIP` says that not.
pub fn has_compilers() -> bool {
    let has = ["clang", "clang++", "flang"]
        .iter()
        .all(|c| Path::new("/usr/lib/llvm-22/bin").join(c).exists());
    if !has {
        admachine::skip_without("clang", "clang, clang++ and flang of LLVM 22 are not installed");
    }
    has
}

/// Where `cargo build --release` puts its results.
pub fn release_folder() -> PathBuf {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| tree.join("target"), PathBuf::from);
    let beside = target.join("release");
    if beside.join("libadpass.so").exists() { beside } else { tree.join("target/release") }
}

/// adcc under a name, with the workspace's own plugin and runtimes; none without compilers.
pub fn driver(bench: &Bench, name: &str) -> Option<Command> {
    let named = |variable: &str, file: &str| {
        env::var_os(variable).map_or_else(|| release_folder().join(file), PathBuf::from)
    };
    let plugin = named("ADCC_PLUGIN", "libadpass.so");
    let runtime = named("ADCC_RUNTIME", "libadrt.a");
    if !plugin.exists() || !runtime.exists() {
        panic!("{} or {} is not built (make build)", plugin.display(), runtime.display());
    }
    if !has_compilers() {
        return None;
    }
    let mut command = bench.clean(&bench.link(name));
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    command.env("ADCC_PLUGIN", plugin).env("ADCC_RUNTIME", runtime).env("ADCC_INCLUDE", header);
    Some(command)
}

/// A plugin that only shows what reaches it (tests/standin/plugin.cpp), built once per process.
pub fn standin_plugin() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            if !Path::new("/usr/lib/llvm-22/include/llvm").exists() {
                admachine::skip_without("llvm-dev", "the headers of LLVM 22 are not installed");
                return None;
            }
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standin/plugin.cpp");
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
            let library = folder.join("libstandin.so");
            let is_newer = |a: &Path, b: &Path| {
                let time = |p: &Path| p.metadata().and_then(|m| m.modified()).ok();
                time(a) > time(b)
            };
            if is_newer(&library, &source) {
                return Some(library);
            }
            // Under a name of this process, then moved: test programs run beside each other.
            let fresh = folder.join(format!("libstandin-{}.so", std::process::id()));
            let status = Process::new("/usr/lib/llvm-22/bin/clang++")
                .args(["-O0", "-w", "-fno-rtti", "-fPIC", "-shared"])
                .arg("-I/usr/lib/llvm-22/include")
                .arg(&source)
                .arg("-o")
                .arg(&fresh)
                .status();
            assert!(status.is_ok_and(|s| s.success()), "the stand-in plugin does not build");
            fs::rename(&fresh, &library).expect("move the stand-in plugin");
            Some(library)
        })
        .as_deref()
}
