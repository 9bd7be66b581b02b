//! Inlining into the canonical copy: small, non-recursive functions with a body.

use super::{indirect, jumps, leaving, prepared::prepared, recursion::is_recursive};
use crate::{
    annotations::{checkpoint::OUTLINED, joint, registry},
    canon::{Shared, simplify},
    llvm::{Block, Debug, Function, Module, Opcode, Value},
};
use adir::hashed::{HashMap, HashSet};

/// A callee of at most this many instructions is inlined.
pub const CALLEE_LIMIT: usize = 800;
/// A function that has grown past this many instructions takes no more in.
pub const TOTAL_LIMIT: usize = 8_000;
/// What is larger than this, and called several times in a function, is inlined there only until the
/// function has `REPEATED_TOTAL` instructions: its derivatives are long, and one serves all calls.
const REPEATED_LIMIT: usize = 150;
const REPEATED_TOTAL: usize = 1_000;
/// Instructions that a call takes beside its arguments: a callee as small as its call adds nothing.
const CALL_SIZE: usize = 5;
/// On a path that leaves the function, which becomes a function of its own, only what is no larger is
/// inlined.
const LEAVING_LIMIT: usize = 24;
/// Rounds over the function; each takes in the calls that the one before brought.
const ROUNDS: usize = 12;

/// What the names of bodies end with that are only looked at.
const TRIAL: &str = ".ad.canon.trial";

/// Where calls are kept that would be inlined elsewhere.
#[derive(Clone, Copy)]
pub enum Kept {
    /// Nowhere.
    Nowhere,
    /// On all paths that leave the function: where it is inlined, they may be others.
    AllLeaving,
    /// On paths that leave the function, a copy of this one.
    Leaving(Function),
}

/// Inlines what is worth it, until the function has `most` instructions or the shared budget is
/// used up; whether anything was.
pub fn inline_calls(
    module: Module,
    function: Function,
    kept: Kept,
    most: usize,
    shared: &mut Shared,
) -> bool {
    if shared.budget == 0 {
        return false;
    }
    let leaving = |shared: &mut Shared| match kept {
        Kept::Nowhere => HashSet::default(),
        Kept::AllLeaving => leaving::all_blocks(function, shared),
        Kept::Leaving(source) => leaving::blocks(module, function, source, shared),
    };
    let mut facts =
        Facts { module, shared, sizes: HashMap::default(), kernels: HashMap::default() };
    let mut size = facts.size(function);
    let mut changed = false;
    let mut repeated = HashSet::default();
    for _ in 0..ROUNDS {
        let mut again = false;
        let leaving = leaving(facts.shared);
        let calls = calls(function);
        add_repeated(&calls, &mut repeated);
        for call in calls {
            let is_leaving = leaving.contains(&call.block());
            let Some(callee) = inlinable(call, function, &mut facts) else { continue };
            let from = prepared(module, callee, facts.shared);
            // What returns twice stays on its own: where nothing in it is active, it runs as it is.
            if jumps::has_any(module, from) {
                continue;
            }
            let callee_size = facts.size(from);
            let growth = callee_size.saturating_sub(CALL_SIZE + call.argument_count());
            let limit = if is_leaving { LEAVING_LIMIT } else { CALLEE_LIMIT };
            let repeats = callee_size > REPEATED_LIMIT && size + growth > REPEATED_TOTAL;
            if repeats && repeated.contains(&callee) && facts.is_whole(call, callee, from) {
                continue;
            }
            if callee_size > limit || size + growth > most || growth > facts.shared.budget {
                continue;
            }
            call.set_called(from);
            if call.inline() {
                size += growth;
                facts.shared.budget -= growth;
                again = true;
            } else {
                call.set_called(callee);
            }
        }
        changed |= again;
        if !again {
            break;
        }
    }
    changed
}

/// The calls of a function, in order.
fn calls(function: Function) -> Vec<Value> {
    function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call()).collect()
}

/// Adds the functions that several of the calls lead to.
fn add_repeated(calls: &[Value], repeated: &mut HashSet<Function>) {
    let mut seen = HashSet::default();
    let called = calls.iter().filter_map(|c| c.called().as_function());
    repeated.extend(called.filter(|&f| !seen.insert(f)));
}

/// Whether a function has loops over numbers, and moves nothing of which only what surrounds a call
/// says what it is.
fn is_kernel(f: Function) -> bool {
    let blocks = f.blocks();
    let place: HashMap<Block, usize> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    // Each cycle goes back in the order of the blocks somewhere.
    let goes_back = |(i, b): (usize, &Block)| {
        b.terminator().is_some_and(|t| t.successors().iter().any(|s| place[s] <= i))
    };
    blocks.iter().enumerate().any(goes_back)
        && !blocks.iter().flat_map(|b| b.instructions()).any(moves_words)
}

/// Whether an instruction moves words without saying what they are.
fn moves_words(i: Value) -> bool {
    let is_number = |v: Value| v.ty().is_float() || v.ty().is_int() || v.ty().is_pointer();
    let is_copied =
        |u: Value| u.is_instruction() && u.opcode() == Opcode::LLVMStore && u.operand(0) == i;
    match i.opcode() {
        Opcode::LLVMLoad => {
            !is_number(i) || i.ty().is_int() && i.users().into_iter().any(is_copied)
        }
        Opcode::LLVMStore => !is_number(i.operand(0)),
        Opcode::LLVMIntToPtr | Opcode::LLVMPtrToInt | Opcode::LLVMBitCast => true,
        Opcode::LLVMCall => {
            i.intrinsic().is_some_and(|x| x.is_memcpy() || x.is_memmove())
                && !i.operand(1).is_global_constant()
        }
        _ => false,
    }
}

fn inlinable(call: Value, into: Function, facts: &mut Facts<'_>) -> Option<Function> {
    let callee = call.called().as_function()?;
    let fits = !callee.is_declaration()
        && callee != into
        && !callee.is_interposable()
        && !callee.is_variadic()
        && callee.ty() == call.called_type()
        && (!is_kept_apart(callee) || facts.throws_into_handler(call, callee))
        && crate::annotations::attributes::stands_for(callee).is_none()
        && (call.call_string(crate::annotations::attributes::POSSIBLE).is_none()
            || facts.throws_into_handler(call, callee)
            || facts.is_plain(call, callee))
        && registry::of(callee).is_none()
        && !is_recursive(facts.module, callee, facts.shared);
    fits.then_some(callee)
}

/// Whether the user wants calls to `f` kept. At -O0 the attribute says nothing: every function has
/// it. The assembly of a naked function returns by itself.
fn is_kept_apart(f: Function) -> bool {
    f.has_attribute("noinline") && !f.has_attribute("optnone")
        || f.has_attribute("naked")
        || f.attribute_string(OUTLINED).is_some()
        || joint::is_annotated_joint(f)
}

/// Whether the function's own handlers may catch what a call throws.
fn has_handler(call: Value) -> bool {
    let pads =
        |b: Block| b.instructions().into_iter().find(|i| i.opcode() == Opcode::LLVMLandingPad);
    call.is_invoke()
        && pads(call.invoke_destinations().1)
            .and_then(Value::clauses)
            .is_some_and(|clauses| !clauses.is_empty())
}

struct Facts<'a> {
    module: Module,
    shared: &'a mut Shared,
    sizes: HashMap<Function, usize>,
    kernels: HashMap<Function, bool>,
}

impl Facts<'_> {
    fn size(&mut self, f: Function) -> usize {
        *self
            .sizes
            .entry(f)
            .or_insert_with(|| f.blocks().iter().map(|b| b.instructions().len()).sum())
    }

    /// Whether a call is one of a function that the user wants kept, but for what it throws: where
    /// both are in one function, the exception is a jump (calls/throws.rs).
    fn throws_into_handler(&mut self, call: Value, callee: Function) -> bool {
        let is_plain = !callee.has_attribute("naked")
            && callee.attribute_string(OUTLINED).is_none()
            && !joint::is_annotated_joint(callee);
        is_plain && has_handler(call) && self.shared.throwing.may_throw(callee)
    }

    /// Whether a call can as well stay: nothing in the callee becomes known where it is inlined that
    /// has to be, the targets of calls, what an exception leads to, or what words are.
    fn is_whole(&mut self, call: Value, callee: Function, from: Function) -> bool {
        call.call_string(crate::annotations::attributes::POSSIBLE).is_none()
            && !self.throws_into_handler(call, callee)
            && *self
                .kernels
                .entry(from)
                .or_insert_with(|| indirect::calls(from).is_empty() && is_kernel(from))
    }

    /// Whether a call to a possible target may be inlined: its body is plain, as it stands or for
    /// the call's constants.
    fn is_plain(&mut self, call: Value, f: Function) -> bool {
        let constants: Vec<(usize, Value)> = (0..call.argument_count())
            .map(|i| (i, call.operand(i)))
            .filter(|(_, a)| a.as_int().is_some())
            .collect();
        if indirect::is_plain(f) {
            return true;
        }
        if constants.is_empty() || self.size(f) > CALLEE_LIMIT {
            return false;
        }
        let trial = self.module.add_function(&format!("{}{TRIAL}", f.name()), f.ty());
        trial.clone_body(f, Debug::Own(None), |_, _| {});
        trial.remove_attribute("optnone");
        trial.remove_attribute("noinline");
        for (i, constant) in constants {
            trial.params()[i].replace_uses(constant);
        }
        // What is only looked at is not charged.
        let budget = self.shared.budget;
        let is_plain = simplify(self.module, trial, self.shared).is_ok()
            && (indirect::is_plain(trial)
                || inline_calls(self.module, trial, Kept::Nowhere, CALLEE_LIMIT, self.shared)
                    && simplify(self.module, trial, self.shared).is_ok()
                    && indirect::is_plain(trial));
        trial.delete();
        self.shared.budget = budget;
        is_plain
    }
}
