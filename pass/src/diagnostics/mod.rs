//! Diagnostics: a code, the place of the request and of the cause, the reason, the remedy.
//!
//! Codes are stable and listed in docs/diagnostics.md. Errors of one run are collected and reported
//! together. Names of symbols in messages are those of the source ([`names`]).
//!
//! Comes in: what a stage found, at an instruction. Goes out: an error of the compiler. Must hold:
//! each has a code, a reason and a remedy.

pub mod names;

use crate::llvm::{Context, Function, Location, Module, Severity, Value};
use names::readable;

/// A stable code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Code {
    /// A bad option.
    Option = 2,
    /// A target that is not supported.
    Target = 3,
    /// A name that is reserved for requests and is none, or is not called.
    RequestName = 9,
    /// The first argument of a request is no function with a body.
    RequestFunction = 10,
    /// Arguments of a request do not fit the function.
    RequestArguments = 11,
    /// A marker at the wrong place.
    RequestMarker = 12,
    /// The result type of a request does not fit.
    RequestResult = 13,
    /// A spelling that is known but not supported yet.
    RequestUnsupported = 14,
    /// A head names an unknown function.
    HeadFunction = 15,
    /// A head names an unknown parameter, or one that cannot be active.
    HeadParameter = 16,
    /// A head does not parse.
    HeadSyntax = 17,
    /// A rule of the user's that does not fit its function.
    RuleType = 18,
    /// A rule of the user's that nothing uses.
    RuleUnused = 19,
    /// The function to differentiate may be replaced at link time.
    Interposable = 20,
    /// A call to a function without body and without rule.
    UnknownCallee = 21,
    /// A call through a pointer.
    IndirectCall = 22,
    /// Inline assembly.
    Assembly = 23,
    /// A number that is read from text that holds active data.
    Text = 24,
    /// A type whose derivative is not supported yet.
    Type = 30,
    /// Integer arithmetic on the bits of an active real.
    IntegerBits = 31,
    /// An active value goes to memory without a shadow.
    InactiveMemory = 32,
    /// A pointer that may or may not have a shadow.
    MixedActivity = 33,
    /// What a memory copy moves is not known.
    CopyType = 34,
    /// Volatile or atomic access to active data.
    Atomic = 35,
    /// A pointer that moves from one block to another by their distance.
    Distance = 36,
    /// An instruction without a rule on active data.
    Instruction = 37,
    /// A part of a real is moved as an integer.
    PartOfReal = 39,
    /// Control flow that cannot be reversed.
    Control = 40,
    /// A checkpointed loop or region that cannot become a function.
    Checkpoint = 50,
    /// A parallel region does what threads cannot undo side by side.
    Parallel = 51,
    /// A derivative that cannot be made, only to be validated.
    Validation = 60,
    /// Our own bug.
    Internal = 99,
}

/// A diagnostic in the making.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Its code.
    pub code: Code,
    /// The instruction that caused it, in the canonical copy or the user's code.
    pub site: Option<Value>,
    /// What is wrong.
    pub reason: String,
    /// What the user can do.
    pub remedy: String,
}

impl Diagnostic {
    /// A diagnostic at `site`.
    pub fn new(
        code: Code,
        site: Option<Value>,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { code, site, reason: reason.into(), remedy: remedy.into() }
    }
}

/// Where a request stands.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The request's call, for requests in the source.
    pub call: Option<Value>,
    /// How the user wrote it.
    pub text: String,
}

/// How many calls of a chain of inlined functions a message shows.
const SHOWN_CALLS: usize = 12;

/// "file:line:column" of an instruction, or `None` without line information.
pub fn place(site: Value) -> Option<String> {
    Some(text_of(lines(site).first()?))
}

/// Says in messages of the run-time library where a value stands.
pub fn place_text(site: Value, source: Function) -> String {
    match place(site) {
        Some(line) => format!("at {line}"),
        None => format!("in function '{}'", readable(&source.name())),
    }
}

/// The places of an instruction that have a line: its own, then those of the calls through which it
/// was inlined.
fn lines(site: Value) -> Vec<Location> {
    let chain = std::iter::successors(site.debug_location(), |l| l.inlined_at());
    chain.filter(|l| l.line() != 0).collect()
}

fn text_of(at: &Location) -> String {
    format!("{}:{}:{}", at.file().map(|f| f.name).unwrap_or_default(), at.line(), at.column())
}

/// ", inlined at …" for each call through which the code of `site` was inlined, innermost first.
pub fn inlined_text(site: Value) -> String {
    let lines = lines(site);
    let calls = lines.get(1..).unwrap_or_default();
    let mut text: String =
        calls.iter().take(SHOWN_CALLS).map(|l| format!(", inlined at {}", text_of(l))).collect();
    if calls.len() > SHOWN_CALLS {
        text.push_str(&format!(" and {} more calls", calls.len() - SHOWN_CALLS));
    }
    text
}

/// A message of which all is known but through which calls its cause was inlined.
struct Message {
    reason: String,
    cause: String,
    request_and_remedy: String,
    /// One per copy of the cause, without repetition.
    chains: Vec<String>,
}

/// " [requested at …]".
pub fn request_text(origin: &Origin, source_file: &str) -> String {
    match origin.call.and_then(place) {
        Some(r) => format!(" [requested at {r}: {}]", readable(&origin.text)),
        None if origin.call.is_some() => {
            format!(" [requested in {source_file}: {}]", readable(&origin.text))
        }
        None => format!(" [requested by {}]", readable(&origin.text)),
    }
}

impl Message {
    fn of(d: &Diagnostic, source_file: &str, origin: &Origin) -> Message {
        let request = origin.call.and_then(place);
        let cause = match d.site.and_then(place) {
            _ if d.site.is_none() || d.site == origin.call => String::new(),
            Some(at) => format!("cause at {at}"),
            None if request.is_some() => format!("cause: {}, which has no line", site_text(d.site)),
            None => format!("cause: {}; compile with -g for its line", site_text(d.site)),
        };
        let request = request_text(origin, source_file);
        Message {
            reason: format!("AD{:03}: {}", d.code as u32, readable(&d.reason)),
            cause,
            request_and_remedy: format!("{request}; remedy: {}", readable(&d.remedy)),
            chains: vec![d.site.map(inlined_text).unwrap_or_default()],
        }
    }
    fn is_as(&self, other: &Message) -> bool {
        (&self.reason, &self.cause, &self.request_and_remedy)
            == (&other.reason, &other.cause, &other.request_and_remedy)
    }
    fn text(&self) -> String {
        let mut text = self.reason.clone();
        if !self.cause.is_empty() {
            let others = match self.chains.len() - 1 {
                0 => String::new(),
                n => format!(", and in {n} other {}", if n == 1 { "place" } else { "places" }),
            };
            text.push_str(&format!(" [{}{}{others}]", self.cause, self.chains[0]));
        }
        text + &self.request_and_remedy
    }
}

/// Says something of a request that is no error, also where warnings are errors.
pub fn report_note(module: Module, origin: &Origin, d: &Diagnostic) {
    eprintln!("adcc: note {}", Message::of(d, &module.source_file(), origin).text());
}

/// Reports `diagnostics` of one request, most fundamental first, duplicates once: one message for
/// all inlined copies of a cause.
pub fn report(context: Context, source_file: &str, origin: &Origin, diagnostics: &[Diagnostic]) {
    report_as(Severity::Error, context, source_file, origin, diagnostics);
}

/// The same, where they need not be errors.
pub fn report_as(
    severity: Severity,
    context: Context,
    source_file: &str,
    origin: &Origin,
    diagnostics: &[Diagnostic],
) {
    let mut messages: Vec<Message> = vec![];
    for d in diagnostics {
        let new = Message::of(d, source_file, origin);
        match messages.iter_mut().find(|m| m.is_as(&new)) {
            Some(old) if old.chains.contains(&new.chains[0]) => {}
            Some(old) => old.chains.extend(new.chains),
            None => messages.push(new),
        }
    }
    for text in messages.iter().map(Message::text) {
        match origin.call {
            Some(call) if place(call).is_some() => call.diagnose(severity, &text),
            Some(call) if call.srcloc() != 0 => context.diagnose(severity, &text, call.srcloc()),
            _ => context.diagnose(severity, &text, 0),
        }
    }
}

fn site_text(site: Option<Value>) -> String {
    let of = |site: Value| {
        let text = site.to_string().trim().to_string();
        match site.is_instruction() {
            true => format!("{text} in '{}'", readable(&site.block().function().name())),
            false => text,
        }
    };
    site.map(of).unwrap_or_default()
}
