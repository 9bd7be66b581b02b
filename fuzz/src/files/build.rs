//! Builds programs of several files as their users would: each file is compiled by adcc at a level of its
//! own, some are in archives, and adcc links.

use adtoolchain::Language;

use super::{Division, MOST_FILES};
use crate::check::{self, Failure, FailureKind, With};
use crate::compiler::{self, Built, Compiler};
use crate::idioms;
use crate::print::Printer;
use crate::{driver, rng::Rng};

/// Programs that share files.
const GROUP: usize = 5;
/// What some files are compiled with.
const OPTIONS: [&[&str]; 6] =
    [&[], &[], &["-g"], &["-ffunction-sections", "-fdata-sections"], &["-fno-inline"], &["-fPIC"]];

const INCLUDES: &str =
    "#include <math.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n";

/// The files of these programs, each in its modes, and whether it may be in an archive. File 0 has the
/// requests.
pub fn files(subjects: &[With]) -> Vec<(String, bool)> {
    let divisions: Vec<(String, String)> = subjects
        .iter()
        .map(|(s, modes)| {
            let text = driver::text(&s.program, s.number, modes);
            (Printer::new(&s.program, s.number).definitions(), text + &check::entry(s.number))
        })
        .collect();
    let divided: Vec<Division> = subjects
        .iter()
        .zip(&divisions)
        .map(|((s, _), (definitions, driver))| {
            Division::new(definitions, driver, s.number, s.program.files.unwrap_or_default())
        })
        .collect();
    let file = |k: usize| {
        let mut names = 0;
        let parts: String = divided.iter().map(|d| d.part(k, &mut names)).collect();
        let start = if k == 0 { check::PREAMBLE } else { INCLUDES };
        let text = || format!("{start}{}{parts}", idioms::definitions(&parts));
        let may_be_archived = divided.iter().all(|d| d.may_be_archived(k));
        (!parts.is_empty()).then(|| (text(), may_be_archived))
    };
    (0..MOST_FILES).map_while(file).collect()
}

/// Tests all at one level, which is that of their first files.
pub fn together(compiler: &Compiler, subjects: &[With], level: u32) -> Vec<Failure> {
    let mut failures = vec![];
    let mut lists: Vec<Vec<With>> = subjects.chunks(GROUP).rev().map(<[With]>::to_vec).collect();
    while let Some(mut list) = lists.pop() {
        match build(compiler, &list, level) {
            Built::Done(exe) => failures.extend(check::results(compiler, &exe, &list, level)),
            Built::Refused(refusals) if refusals.iter().all(|r| r.of.is_some()) => {
                let found = check::drop_refused(&mut list, &refusals, level);
                if !found.is_empty() {
                    lists.push(list);
                }
                failures.extend(found);
            }
            Built::Refused(refusals) if check::is_one(&list) => {
                let refused = |mode| FailureKind::Refused(mode, refusals[0].code.clone());
                failures.push(check::alone(&list, level, refusals[0].text.clone(), refused));
            }
            Built::Failed(why) if check::is_one(&list) => {
                failures.push(check::alone(&list, level, why, FailureKind::Compiler));
            }
            _ if list.len() == 1 => {
                let (s, modes) = &list[0];
                lists.extend(check::one_by_one(modes).map(|modes| vec![(*s, modes)]));
            }
            _ => {
                lists.push(list.split_off(list.len() / 2));
                lists.push(list);
            }
        }
    }
    failures
}

/// Compiles all files and links them.
fn build(with: &Compiler, list: &[With], level: u32) -> Built {
    let mut rng = Rng::new(u64::from(level), list[0].0.number as u64);
    let (mut objects, mut archived) = (vec![], vec![]);
    for (k, (text, may_be_archived)) in files(list).iter().enumerate() {
        // The first file has the level that is tested; others may have another.
        let own = if k == 0 || rng.chance(50) { level } else { rng.below(4) as u32 };
        let options = *rng.pick(&OPTIONS);
        match with.compile_apart(text, &format!("file{k}"), own, options) {
            Built::Done(object) if *may_be_archived && rng.chance(30) => archived.push(object),
            Built::Done(object) => objects.push(object),
            other => return other,
        }
    }
    with.link_apart(&objects, &archived, level)
}

/// Whether a program is refused in one file, too, in that mode.
pub fn is_refused_in_one_file(
    compiler: &Compiler,
    subject: &check::Subject,
    failure: &Failure,
) -> bool {
    let mut whole = subject.clone();
    whole.program.files = None;
    let is_refused = |level| {
        let found = check::single(compiler, &whole, failure.kind.mode(), level);
        found.is_some_and(|found| found.kind == failure.kind)
    };
    (0..4).any(is_refused)
}

impl Compiler {
    /// Compiles a file of several by adcc.
    fn compile_apart(&self, text: &str, name: &str, level: u32, options: &[&str]) -> Built {
        let (source, object) =
            (self.work.join(format!("{name}.c")), self.work.join(format!("{name}.o")));
        let _ = std::fs::remove_file(&object);
        if let Err(e) = std::fs::write(&source, text) {
            return Built::Failed(format!("{}: {e}", source.display()));
        }
        let mut command = self.tools.adcc_for(Language::C);
        command.args(["-w", "-fcommon", "-ferror-limit=0", &format!("-O{level}")]);
        command.args(options).args(self.machine).args(self.switched_off());
        command.arg("-c").arg(&source).arg("-o").arg(&object);
        compiler::build(&mut command, object)
    }

    /// Links the files of programs by adcc, some of them as members of an archive.
    fn link_apart(
        &self,
        objects: &[std::path::PathBuf],
        archived: &[std::path::PathBuf],
        level: u32,
    ) -> Built {
        let (exe, archive) = (self.work.join("apart"), self.work.join("libapart.a"));
        let _ = std::fs::remove_file(&exe);
        let _ = std::fs::remove_file(&archive);
        let mut command = self.tools.adcc_for(Language::C);
        command.arg(format!("-O{level}")).args(self.machine).args(self.switched_off());
        command.arg("-fuse-ld=lld").arg(self.work.join("main.o")).args(objects);
        if !archived.is_empty() {
            let mut ar = std::process::Command::new("ar");
            ar.arg("rcs").arg(&archive).args(archived);
            match compiler::build(&mut ar, archive.clone()) {
                Built::Done(archive) => command.arg(archive),
                other => return other,
            };
        }
        command.arg("-lm").arg("-o").arg(&exe);
        compiler::build(&mut command, exe)
    }

    fn switched_off(&self) -> Option<String> {
        self.option().map(|option| format!("-{option}"))
    }
}
