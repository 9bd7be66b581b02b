//! Calls through pointers that stay so.

use super::Check;
use crate::{
    annotations::attributes::{CROWDED, TARGETS},
    canon::{MOST_CHOICES, MOST_TARGETS},
    diagnostics::Code,
};
use adir::ValueId;

impl Check<'_> {
    /// A call through a pointer for which there is no choice of functions (canon/calls/indirect).
    pub(super) fn indirect(&mut self, call: ValueId) {
        let targets =
            self.body.llvm(call).call_string(TARGETS).and_then(|n| n.parse().ok()).unwrap_or(0);
        let (text, remedy) = match targets {
            0 => (
                "the target of a call through a function pointer is not known: no function of its \
                type in this file has its address taken"
                    .to_owned(),
                "define the functions that it may call in this file, or call the function by name",
            ),
            _ if self.body.llvm(call).call_string(CROWDED).is_some() => (
                format!(
                    "calls through function pointers in this function have more than \
                    {MOST_CHOICES} targets together"
                ),
                "divide the function, or let functions with such calls not be inlined there",
            ),
            n if n <= MOST_TARGETS => (
                format!(
                    "a call through a function pointer may reach functions other than those of \
                    its type in this file ({n})"
                ),
                "define the functions that it may call in this file, or call the function by name",
            ),
            n => (
                format!(
                    "a call through a function pointer may reach {n} functions; the limit is \
                    {MOST_TARGETS}"
                ),
                "keep the functions in a constant table, or give them a type of their own",
            ),
        };
        self.say(Code::IndirectCall, call, text, remedy);
    }
}
