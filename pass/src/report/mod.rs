//! What the analyses decided, for people: `-ad-report=FILE` and remarks of pass `ad`.
//!
//! Each derivative ends in one call of [`Reports::adjoint`] or [`Reports::tangent`]. They read the analyses through
//! their public queries only and fill the model below, which knows no LLVM; `text` and `remarks`
//! show it, `write` puts it into files. Format of the JSON: docs/reference/report.md. When nobody asks, a
//! derivative costs one test of a flag.

mod collect;
mod reasons;
mod remarks;
mod text;
mod why;
mod write;

pub use write::write;

use crate::{
    annotations::config::Config,
    codegen::{
        GaveUp,
        adjoint::{Pair, Planned},
    },
    image::{
        names::{Id, SourcePlace, Step},
        unit::Unit,
    },
    llvm::{Context, Remark},
};
use adanalysis::{calls::Caller, stats};
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the JSON's format.
const FORMAT: u32 = 1;

/// What is known so far of one module.
pub struct Reports {
    file: bool,
    passed: bool,
    missed: bool,
    analysis: bool,
    /// Tangents that are being made.
    open: u32,
    functions: Vec<Variant>,
    /// Folders that relative names of files start from.
    folders: BTreeMap<String, String>,
}

impl Reports {
    /// Collects for the report's file if `file`, and for whom the context says that he listens.
    pub fn new(context: Context, file: bool) -> Reports {
        Reports {
            file,
            passed: context.wants_remarks(Remark::Passed),
            missed: context.wants_remarks(Remark::Missed),
            analysis: context.wants_remarks(Remark::Analysis),
            open: 0,
            functions: vec![],
            folders: BTreeMap::new(),
        }
    }
    fn wanted(&self) -> bool {
        self.file || self.passed || self.missed || self.analysis
    }
    /// A tangent is begun. What is made before it ends is made for calls in it.
    pub fn enter(&mut self) {
        self.open += 1;
    }
    /// It is done.
    pub fn leave(&mut self) {
        self.open -= 1;
    }
    /// How many derivatives there are in the report.
    pub fn known(&self) -> usize {
        self.functions.len()
    }
    /// Forgets those that came later: they are made again.
    pub fn forget(&mut self, known: usize) {
        self.functions.truncate(known);
    }
    fn keep(&mut self, unit: &Unit, (variant, folders): collect::Found) {
        remarks::give(self, unit, &variant);
        if self.file {
            self.functions.push(variant);
            self.folders.extend(folders);
        }
    }
}

impl Reports {
    /// Takes up an adjoint that is done.
    pub fn adjoint(
        &mut self,
        config: &Config,
        unit: &Unit,
        pair: &Pair,
        planned: &Planned,
        gave_up: Vec<GaveUp>,
    ) {
        if !self.wanted() {
            return;
        }
        let mut found =
            stats::time("report", || collect::adjoint(config, unit, pair.place, planned));
        found.0.gave_up = gave_up;
        self.keep(unit, found);
    }

    /// Takes up a tangent that is done.
    pub fn tangent(&mut self, config: &Config, unit: &Unit, caller: &Caller, gave_up: Vec<GaveUp>) {
        if !self.wanted() {
            return;
        }
        let made_for = if self.open > 1 { Purpose::Call } else { Purpose::Request };
        let mut found = stats::time("report", || collect::tangent(config, unit, caller, made_for));
        found.0.gave_up = gave_up;
        self.keep(unit, found);
    }
}

/// The report of one module.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    source: &'a str,
    functions: &'a [Variant],
}

/// The mode of a derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Tangent,
    Adjoint,
}

/// What a derivative was made for first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Purpose {
    /// A request or a head.
    Request,
    /// A call in differentiated code.
    Call,
}

/// One derivative of one function for one activity of its parameters.
#[derive(Serialize)]
struct Variant {
    symbol: String,
    /// Its name in the source.
    name: String,
    mode: Mode,
    made_for: Purpose,
    /// Of a request: pairs of parameters that do not overlap, as a test found before this
    /// derivative is called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    apart: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<SourcePlace>,
    parameters: Vec<Parameter>,
    /// Bounded searches that stopped at their limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gave_up: Vec<GaveUp>,
    counts: Counts,
    values: Vec<ValueFacts>,
    /// Adjoint only.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<Records>,
    /// Stores that the derivative leaves out: no code needs what they store.
    left_out: Vec<Step>,
    /// Calls to functions with a body. Adjoint only.
    calls: Vec<CallFacts>,
    /// How adjoints are added to shadow memory. Adjoints of code that threads run only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    additions: Vec<Addition>,
}

/// An addition of what a read contributes, by the threads of a team.
#[derive(Serialize)]
struct Addition {
    #[serde(flatten)]
    read: Step,
    how: How,
}

/// How threads add.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum How {
    /// As in serial code.
    Plain,
    /// In place where no other thread adds nearby, in a private copy elsewhere.
    InTurn,
}

/// A call to a function with a body.
#[derive(Serialize)]
struct CallFacts {
    #[serde(flatten)]
    call: Step,
    callee: String,
    /// Whether it runs as a derivative.
    active: bool,
    /// What a checkpoint of the call would save; missing where nothing is known of what it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<Vec<String>>,
    /// Why it is recorded although `-ad-calls=joint` asks for it to run again.
    #[serde(skip_serializing_if = "Option::is_none")]
    split_because: Option<String>,
}

/// A parameter, and what the request or the call made of it.
#[derive(Serialize)]
struct Parameter {
    value: Id,
    name: String,
    #[serde(rename = "type")]
    ty: String,
    /// const, active or shadowed.
    activity: &'static str,
    /// Useful because: from here to an output; empty where nothing active depends on it.
    useful_because: Vec<Step>,
}

/// How many values hold reals, and what became of them.
#[derive(Serialize)]
struct Counts {
    values: usize,
    varied: usize,
    useful: usize,
    active: usize,
}

/// A parameter or an instruction.
#[derive(Serialize)]
struct ValueFacts {
    id: Id,
    op: String,
    text: String,
    /// The source variable that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<String>,
    #[serde(rename = "type")]
    ty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<SourcePlace>,
    varied: bool,
    useful: bool,
    active: bool,
    /// Of a pointer: yes, no, mixed, none (it names no object).
    #[serde(skip_serializing_if = "Option::is_none")]
    shadow: Option<&'static str>,
    /// The step before it on a shortest way from an independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    varied_from: Option<Id>,
    /// The step after it on a shortest way to an output.
    #[serde(skip_serializing_if = "Option::is_none")]
    useful_to: Option<Id>,
}

/// What an adjoint keeps for its reverse sweep.
#[derive(Serialize)]
struct Records {
    /// Of the frame: records outside loops, and the ends of the loops' chains.
    frame_bytes: u64,
    /// In words.
    total: String,
    /// Outside loops.
    frame: Vec<Record>,
    loops: Vec<LoopRecords>,
    recomputed: Vec<Recomputed>,
}

/// One loop.
#[derive(Serialize)]
struct LoopRecords {
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<SourcePlace>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<Id>,
    depth: u32,
    /// Whether the number of iterations is known at the entry: one array per record, else one block
    /// per iteration.
    counted: bool,
    bytes_per_iteration: u64,
    /// Of the block that holds the records: per run of a counted loop, else per iteration.
    header_bytes: u64,
    records: Vec<Record>,
}

/// What a record or something recomputed is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Value,
    Shadow,
    Tape,
    Array,
    Branch,
    Derivative,
}

/// Something recorded.
#[derive(Serialize)]
struct Record {
    what: What,
    id: Id,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<SourcePlace>,
    bytes: u64,
    /// How many bits of that, where records share a byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<u32>,
    /// Why it is recorded rather than computed or loaded again.
    reason: String,
    /// What may overwrite the memory that it was loaded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    overwritten_by: Option<Step>,
    /// Whose derivatives read it: the first few.
    read_by: Vec<Step>,
    /// Whether there are more.
    more_readers: bool,
    /// From an independent to it.
    varied_because: Vec<Step>,
    /// From it to an output.
    useful_because: Vec<Step>,
}

impl Record {
    /// `8 B`, `2 bits`.
    fn size(&self) -> String {
        match self.bits {
            Some(1) => "1 bit".into(),
            Some(n) => format!("{n} bits"),
            None => format!("{} B", self.bytes),
        }
    }
}

/// Something that the reverse sweep has without a record.
#[derive(Serialize)]
struct Recomputed {
    what: What,
    id: Id,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<SourcePlace>,
    #[serde(rename = "type")]
    ty: String,
    /// Loaded again, or computed again.
    reloaded: bool,
    read_by: Vec<Step>,
}

/// `1 byte`, `8 bytes`.
fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

/// Says that the compiler made several copies of the same code.
fn copies(n: usize) -> String {
    if n == 1 { String::new() } else { format!(" ({n} copies)") }
}
