//! Diagnostics: a code, the place of the request and of the cause, the reason, the remedy.
//!
//! Codes are stable and listed in docs/diagnostics.md. Errors of one run are collected and reported together.

use crate::llvm::{Context, Severity, Value};

/// A stable code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Code {
    /// A bad option.
    Option = 2,
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
    /// An instruction without a rule on active data.
    Instruction = 37,
    /// Control flow that cannot be reversed.
    Control = 40,
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
    pub fn new(code: Code, site: Option<Value>, reason: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
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

/// "file:line:column" of an instruction, or `None` without line information.
pub fn place(site: Value) -> Option<String> {
    site.location().map(|(file, line, column)| format!("{file}:{line}:{column}"))
}

/// Reports `diagnostics` of one request, most fundamental first, duplicates once.
pub fn report(context: Context, source_file: &str, origin: &Origin, diagnostics: &[Diagnostic]) {
    let mut said = vec![];
    for d in diagnostics {
        let cause = d.site.and_then(place);
        let request = origin.call.and_then(place);
        let mut text = format!("AD{:03}: {}", d.code as u32, d.reason);
        match &cause {
            Some(c) => text.push_str(&format!(" [cause at {c}]")),
            None if d.site.is_some() && d.site != origin.call => {
                text.push_str(&format!(" [cause: {}; compile with -g for its line]", site_text(d.site)));
            }
            None => {}
        }
        match &request {
            Some(r) => text.push_str(&format!(" [requested at {r}: {}]", origin.text)),
            None if origin.call.is_some() => text.push_str(&format!(" [requested in {source_file}: {}]", origin.text)),
            None => text.push_str(&format!(" [requested by {}]", origin.text)),
        }
        text.push_str(&format!("; remedy: {}", d.remedy));
        if said.contains(&text) {
            continue;
        }
        match origin.call {
            Some(call) if request.is_some() => call.diagnose(Severity::Error, &text),
            Some(call) if call.srcloc() != 0 => context.diagnose(Severity::Error, &text, call.srcloc()),
            _ => context.diagnose(Severity::Error, &text, 0),
        }
        said.push(text);
    }
}

fn site_text(site: Option<Value>) -> String {
    site.map(|s| s.to_string()).unwrap_or_default()
}
