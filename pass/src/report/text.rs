//! The report as text: per derivative a summary, what is recorded and why, and the marked lines of
//! the source.

use super::{
    Addition, How, LoopRecords, Mode, Parameter, Purpose, Recomputed, Record, Records, Report,
    Variant, What, bytes, copies,
};
use crate::image::names::{SourcePlace, Step};
use adir::hashed::HashMap;
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    path::Path,
};

/// Steps of a chain that are shown; of longer ones the middle is left out.
const CHAIN_SHOWN: usize = 12;
/// Things of one kind that are named at one line of the source.
const NAMED_PER_LINE: usize = 4;
/// Things recomputed that are listed per derivative.
const RECOMPUTED_SHOWN: usize = 20;

/// The whole text. `folders` tells where relative names of files start.
pub fn print(report: &Report, folders: &BTreeMap<String, String>) -> String {
    let mut out = format!("{}\n", report.source);
    let mut sources = Sources { folders, read: HashMap::default() };
    // What was asked for comes first, then what it calls.
    for purpose in [Purpose::Request, Purpose::Call] {
        for v in report.functions.iter().filter(|v| v.made_for == purpose) {
            variant(&mut out, v, &mut sources).expect("a string takes all that is written to it");
        }
    }
    out
}

/// `x[i] at f.c:7:16`, without the file where it is `file`.
pub fn step(step: &Step, file: Option<&str>) -> String {
    match &step.place {
        Some(p) => format!("{} at {}", step.text, place(p, file)),
        None => step.text.clone(),
    }
}

/// Steps of a chain, joined by arrows.
pub fn chain(steps: &[Step], file: Option<&str>) -> String {
    let shown = |s: &Step| step(s, file);
    if steps.len() <= CHAIN_SHOWN {
        return steps.iter().map(shown).collect::<Vec<_>>().join(" -> ");
    }
    let half = CHAIN_SHOWN / 2;
    let (head, tail) = (&steps[..half], &steps[steps.len() - half..]);
    let left_out = format!("({} steps)", steps.len() - 2 * half);
    let parts = head.iter().map(shown).chain([left_out]).chain(tail.iter().map(shown));
    parts.collect::<Vec<_>>().join(" -> ")
}

/// Folders of files that are not the user's: there, the place where the code was inlined tells
/// more.
const SYSTEM: &[&str] = &["/usr/", "/opt/"];

/// The innermost place in a file of the user's, or itself where there is none.
fn own(p: &SourcePlace) -> &SourcePlace {
    let is_system = |p: &SourcePlace| SYSTEM.iter().any(|s| p.file.starts_with(s));
    let mut at = Some(p);
    while let Some(q) = at {
        if !is_system(q) {
            return q;
        }
        at = q.inlined_at.as_deref();
    }
    p
}

/// `f.c:7:16`, without the file where it is `file`.
fn place(p: &SourcePlace, file: Option<&str>) -> String {
    let p = own(p);
    let start = if file == Some(&p.file) { String::new() } else { format!("{}:", p.file) };
    let inlined = match &p.inlined_at {
        Some(at) => format!(" (inlined at {})", place(at, file)),
        None => String::new(),
    };
    match p.column {
        0 => format!("{start}{}{inlined}", p.line),
        c => format!("{start}{}:{c}{inlined}", p.line),
    }
}

/// `x and y, x and z`.
pub fn pairs(pairs: &[[String; 2]]) -> String {
    pairs.iter().map(|[a, b]| format!("{a} and {b}")).collect::<Vec<_>>().join(", ")
}

fn variant(out: &mut String, v: &Variant, sources: &mut Sources) -> fmt::Result {
    let file = v.place.as_ref().map(|p| p.file.as_str());
    let mode = if v.mode == Mode::Adjoint { "adjoint" } else { "tangent" };
    let purpose = if v.made_for == Purpose::Request { "a request" } else { "calls" };
    let at = v.place.as_ref().map_or_else(String::new, |p| format!(" ({})", place(p, None)));
    writeln!(out, "\n{mode} of {}{at}, for {purpose}", v.name)?;
    let list: Vec<String> =
        v.parameters.iter().map(|p| format!("{} {}", p.name, p.activity)).collect();
    writeln!(
        out,
        "  parameters: {}",
        if list.is_empty() { "none".into() } else { list.join(", ") }
    )?;
    if !v.apart.is_empty() {
        writeln!(out, "  runs if these do not overlap: {}", pairs(&v.apart))?;
    }
    let c = &v.counts;
    writeln!(
        out,
        "  values: {} hold reals; {} varied, {} useful, {} active",
        c.values, c.varied, c.useful, c.active
    )?;
    for g in &v.gave_up {
        writeln!(out, "  {} gave up: {}; this costs {}", g.analysis, g.reason, g.cost)?;
    }
    for p in v.parameters.iter().filter(|p| p.activity != "const") {
        writeln!(out, "  {}", outlet(p, file))?;
    }
    if let Some(r) = &v.records {
        records(out, r, file)?;
    }
    for left in &v.left_out {
        writeln!(out, "  omits {}: no code needs what it stores", step(left, file))?;
    }
    for c in &v.calls {
        let mode = if c.active { "split into two sweeps" } else { "run as it is" };
        let snapshot = match c.snapshot.as_deref() {
            None => String::new(),
            Some([]) => "; a checkpoint would save nothing".into(),
            Some(saved) => format!("; a checkpoint would save {}", saved.join(", ")),
        };
        let why = c.split_because.as_deref().map_or(String::new(), |why| {
            format!("; recorded although calls are to be joint: {why}")
        });
        writeln!(out, "  call of {}: {mode}{snapshot}{why}", step(&c.call, file))?;
    }
    additions(out, &v.additions, file)?;
    lines(out, v, sources)
}

/// How threads add to shadow memory.
fn additions(out: &mut String, all: &[Addition], file: Option<&str>) -> fmt::Result {
    for how in [How::InTurn, How::Plain] {
        let reads: Vec<String> =
            all.iter().filter(|a| a.how == how).map(|a| step(&a.read, file)).collect();
        if reads.is_empty() {
            continue;
        }
        let way = match how {
            How::InTurn => {
                "in place where no other thread adds nearby, elsewhere in a copy of their own"
            }
            How::Plain => "as without threads, since no other thread adds there",
        };
        writeln!(out, "  threads add to shadows {way}: {}", reads.join(", "))?;
    }
    Ok(())
}

/// Where an active parameter goes.
fn outlet(p: &Parameter, file: Option<&str>) -> String {
    match (&p.useful_because[..], p.activity) {
        ([], "shadowed") => format!("{} is not read for any output", p.name),
        ([], _) => format!("{} is active, but no output depends on it", p.name),
        (steps, _) => format!("{} is useful: {}", p.name, chain(steps, file)),
    }
}

fn records(out: &mut String, r: &Records, file: Option<&str>) -> fmt::Result {
    writeln!(out, "  records {}", r.total)?;
    let unit = |l: Option<&LoopRecords>| match l {
        None => "per call".to_string(),
        Some(l) => match &l.place {
            Some(p) => format!("per iteration of the loop at {}", place(p, file)),
            None => "per iteration".into(),
        },
    };
    let (brief, full): (Vec<_>, Vec<_>) =
        r.frame.iter().partition(|f| f.place.is_none() || f.what == What::Shadow);
    if !brief.is_empty() {
        let list: Vec<String> =
            brief.iter().map(|f| format!("{} ({})", f.text, f.size())).collect();
        writeln!(out, "    taken along {}: {}", unit(None), list.join(", "))?;
    }
    for record in full {
        one_record(out, record, &unit(None), file)?;
    }
    // Unrolled loops and copies of inlined ones say the same.
    let mut texts: Vec<(String, usize)> = vec![];
    for l in &r.loops {
        let mut text = String::new();
        for record in &l.records {
            one_record(&mut text, record, &unit(Some(l)), file)?;
        }
        if !l.records.is_empty() && !l.counted {
            writeln!(
                text,
                "    the number of iterations is not known at the entry: {} more {}",
                bytes(l.header_bytes),
                unit(Some(l))
            )?;
        }
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, n)) => *n += 1,
            None if text.is_empty() => {}
            None => texts.push((text, 1)),
        }
    }
    for (text, n) in texts {
        out.push_str(&text);
        if n > 1 {
            writeln!(out, "    and so in {n} copies of this loop")?;
        }
    }
    let line = |n: &Recomputed| {
        let how = if n.reloaded { "loads again" } else { "computes again" };
        let at = n.place.as_ref().map_or_else(String::new, |p| format!(" at {}", place(p, file)));
        format!("  {how} {}{at}", n.text)
    };
    let mut again: Vec<String> = vec![];
    for line in r.recomputed.iter().filter(|n| n.counts()).map(line) {
        if !again.contains(&line) {
            again.push(line);
        }
    }
    for line in again.iter().take(RECOMPUTED_SHOWN) {
        writeln!(out, "{line}")?;
    }
    if again.len() > RECOMPUTED_SHOWN {
        writeln!(out, "  computes again {} more", again.len() - RECOMPUTED_SHOWN)?;
    }
    Ok(())
}

fn one_record(out: &mut String, r: &Record, unit: &str, file: Option<&str>) -> fmt::Result {
    let at = r.place.as_ref().map_or_else(String::new, |p| format!(" at {}", place(p, file)));
    writeln!(out, "    {} {unit}: {}{at}", r.size(), r.text)?;
    writeln!(out, "      because: {}", r.reason)?;
    let readers: Vec<String> = r.read_by.iter().map(|s| step(s, file)).collect();
    if !readers.is_empty() {
        writeln!(
            out,
            "      read by: {}{}",
            readers.join("; "),
            if r.more_readers { "; …" } else { "" }
        )?;
    }
    if !r.varied_because.is_empty() {
        writeln!(out, "      varied: {}", chain(&r.varied_because, file))?;
    }
    if !r.useful_because.is_empty() {
        writeln!(out, "      useful: {}", chain(&r.useful_because, file))?;
    }
    Ok(())
}

impl Recomputed {
    /// Addresses and integers are computed again everywhere, at next to no cost.
    fn counts(&self) -> bool {
        self.what == What::Value
            && (self.reloaded || matches!(self.ty.as_str(), "float" | "double"))
    }
}

/// What is said of one line of the source.
#[derive(Default)]
struct Marks {
    active: usize,
    loops: Vec<String>,
    records: Vec<String>,
    reloads: Vec<String>,
    recomputes: Vec<String>,
}

impl Marks {
    fn text(&self) -> String {
        let mut parts = vec![];
        match self.active {
            0 => {}
            1 => parts.push("active".to_string()),
            n => parts.push(format!("active ({n} values)")),
        }
        for list in [&self.loops, &self.records] {
            let mut shown: Vec<&String> = vec![];
            for text in list.iter() {
                if !shown.contains(&text) {
                    shown.push(text);
                    parts.push(format!(
                        "{text}{}",
                        copies(list.iter().filter(|t| *t == text).count())
                    ));
                }
            }
        }
        for (what, list) in [("loads again", &self.reloads), ("computes again", &self.recomputes)] {
            if !list.is_empty() {
                let more = if list.len() > NAMED_PER_LINE {
                    format!(", {} more", list.len() - NAMED_PER_LINE)
                } else {
                    String::new()
                };
                parts.push(format!(
                    "{what} {}{more}",
                    list[..list.len().min(NAMED_PER_LINE)].join(", ")
                ));
            }
        }
        parts.join("; ")
    }
}

/// The marks of each line, by file.
type MarksByFile<'a> = BTreeMap<&'a str, BTreeMap<u32, Marks>>;

fn mark<'a>(
    marks: &mut MarksByFile<'a>,
    place: &'a Option<SourcePlace>,
    add: impl FnOnce(&mut Marks),
) {
    if let Some(p) = place.as_ref().map(own) {
        add(marks.entry(&p.file).or_default().entry(p.line).or_default());
    }
}

fn marks(v: &Variant) -> MarksByFile<'_> {
    let mut marks = BTreeMap::new();
    for value in v.values.iter().filter(|x| x.active) {
        mark(&mut marks, &value.place, |m| m.active += 1);
    }
    let Some(r) = &v.records else { return marks };
    for record in &r.frame {
        mark(&mut marks, &record.place, |m| {
            m.records.push(format!("records {}/call: {}", record.size(), record.text))
        });
    }
    for l in r.loops.iter().filter(|l| !l.records.is_empty()) {
        let counted = if l.counted { "" } else { ", uncounted" };
        mark(&mut marks, &l.place, |m| {
            m.loops.push(format!("loop: {} B/iteration{counted}", l.bytes_per_iteration))
        });
        for record in &l.records {
            let text = format!("records {}/iteration: {}", record.size(), record.text);
            mark(&mut marks, &record.place, |m| m.records.push(text));
        }
    }
    for n in r.recomputed.iter().filter(|n| n.counts()) {
        mark(&mut marks, &n.place, |m| {
            let list = if n.reloaded { &mut m.reloads } else { &mut m.recomputes };
            if !list.contains(&n.text) {
                list.push(n.text.clone());
            }
        });
    }
    marks
}

/// The marked lines of the source, the function's own file first.
fn lines(out: &mut String, v: &Variant, sources: &mut Sources) -> fmt::Result {
    let marks = marks(v);
    if marks.is_empty() {
        return writeln!(
            out,
            "  no lines: the code has no line information; compile with adcc, -g or -Rpass=ad"
        );
    }
    let own = v.place.as_ref().map(|p| p.file.as_str());
    let mut files: Vec<_> = marks.into_iter().collect();
    files.sort_by_key(|(file, _)| Some(*file) != own);
    for (file, marks) in files {
        if Some(file) == own {
            writeln!(out)?;
        } else {
            writeln!(out, "\n  {file}, inlined:")?;
        }
        let source = sources.lines(file);
        let mut last = None;
        for (line, m) in marks {
            if last.is_some_and(|l: u32| l + 1 != line) {
                writeln!(out, "        ...")?;
            }
            match source.get(line as usize - 1) {
                Some(text) => {
                    writeln!(out, "{line:6} | {}", text.trim_end().replace('\t', "    "))?
                }
                None => writeln!(out, "{line:6} |")?,
            }
            writeln!(out, "       ^ {}", m.text())?;
            last = Some(line);
        }
    }
    Ok(())
}

/// Source files, read once each; a file that cannot be read has no lines.
struct Sources<'a> {
    folders: &'a BTreeMap<String, String>,
    read: HashMap<String, Vec<String>>,
}

impl Sources<'_> {
    fn lines(&mut self, file: &str) -> &[String] {
        let folders = self.folders;
        self.read.entry(file.to_string()).or_insert_with(|| {
            let folder = folders.get(file).map_or("", |f| f.as_str());
            let bytes = std::fs::read(Path::new(folder).join(file))
                .or_else(|_| std::fs::read(file))
                .unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect()
        })
    }
}
