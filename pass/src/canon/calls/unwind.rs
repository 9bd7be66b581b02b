//! Exceptions in canonical form.
//!
//! Calls that cannot throw are marked `nounwind`, also where the front end marks nothing (-O0):
//! LLVM then turns their invokes into calls, and most clean-up code is gone. What remains has a
//! landing pad and a normal destination of its own per invoke, so that the image can say: the block
//! of the invoke ends with a choice, the call comes first in its normal destination, and the
//! landing pad stands for what the call did until it threw.
//!
//!   may_throw(f) = f has a call that may throw, or rethrows after one that may (least fixpoint:
//!   recursion alone throws nothing)

use crate::llvm::{Function, Opcode, Value};
use adir::{Callee, hashed::HashMap, library};

/// What is known of functions: whether they may throw.
#[derive(Default)]
pub struct Throwing {
    known: HashMap<Function, bool>,
}

impl Throwing {
    /// Marks the calls of `function` that cannot throw; whether there is an invoke among them.
    pub fn mark(&mut self, function: Function) -> bool {
        let mut is_news = false;
        for call in calls(function).filter(|c| !c.does_not_throw()) {
            if let Some(f) = call.called().as_function() {
                self.settle(f);
            }
            if !self.call_may_throw(call) {
                call.add_call_attribute("nounwind");
                is_news |= call.is_invoke();
            }
        }
        is_news
    }

    /// Whether `f` may throw.
    pub fn may_throw(&mut self, f: Function) -> bool {
        self.settle(f);
        self.known[&f]
    }

    /// Finds out about `f` and all that it calls.
    fn settle(&mut self, f: Function) {
        let mut reached = vec![];
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            if self.known.contains_key(&f) {
                continue;
            }
            if f.is_declaration() || f.is_interposable() || f.has_attribute("nounwind") {
                let may = !f.has_attribute("nounwind") && library_may_throw(f);
                self.known.insert(f, may);
                continue;
            }
            self.known.insert(f, false);
            reached.push(f);
            stack.extend(calls(f).filter_map(|c| c.called().as_function()));
        }
        while reached.iter().fold(false, |changed, &f| self.visit(f) | changed) {}
    }

    /// Looks at a body again; whether its function is now known to throw.
    fn visit(&mut self, f: Function) -> bool {
        if self.known[&f] {
            return false;
        }
        // An invoke hands the exception to code of its own function: it leaves by a resume, which
        // is only reached then.
        let (mut invokes, mut may) = (false, false);
        for call in calls(f).filter(|&c| self.call_may_throw(c)) {
            invokes |= call.is_invoke();
            may |= !call.is_invoke();
        }
        may |= invokes && insts(f).any(|i| i.opcode() == Opcode::LLVMResume);
        self.known.insert(f, may);
        may
    }

    fn call_may_throw(&self, call: Value) -> bool {
        !call.does_not_throw()
            && call
                .called()
                .as_function()
                .is_none_or(|f| self.known.get(&f).copied().unwrap_or(true))
    }
}

/// The instructions of a function.
pub fn insts(f: Function) -> impl Iterator<Item = Value> {
    f.blocks().into_iter().flat_map(|b| b.instructions())
}

/// The calls and invokes of a function.
pub fn calls(f: Function) -> impl Iterator<Item = Value> {
    insts(f).filter(|i| i.is_call())
}

/// Whether a function whose body is not known may throw.
fn library_may_throw(f: Function) -> bool {
    match library::classify(&f.name()) {
        _ if !f.is_declaration() => true,
        Some(Callee::Inactive | Callee::Passive) => library::throws(&f.name()),
        Some(_) => false,
        None => true,
    }
}

/// Gives invokes the shape that the image wants.
pub fn shape(function: Function) -> Result<(), String> {
    if function.split_invokes() {
        function.run_passes("loop-simplify,lcssa")?;
        function.drop_invoke_phis();
    }
    Ok(())
}
