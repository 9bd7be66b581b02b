//! Copies of functions that hand over what they throw, as they are made.

use super::{
    Copy, candidate, kept, rewrite_call, rewrite_invoke,
    throws::{self, Kind, Place},
};
use crate::{
    canon::{Shared, calls::unwind, copy_body, simplify, take_in_calls},
    diagnostics::names::HANDING,
    llvm::{Function, Module, Type, Value},
};
use adir::{
    hashed::HashMap,
    library::{RETHROW, THROW},
};

/// String attribute of copies that may be left by exceptions of the program's own.
pub const OPEN: &str = "adcc-open";
/// So many kinds may come from a call; where there are more, it throws.
const MOST_KINDS: usize = 16;
/// So many functions are copied for one call.
const MOST_COPIES: usize = 256;
/// Rounds of making throws jumps.
const ROUNDS: usize = 4;

/// A copy that is being made.
struct Draft {
    source: Function,
    function: Function,
    kinds: Vec<Kind>,
    /// Whether it may hand over an exception that is kept.
    keeps: bool,
}

/// The copy of a function that hands over; `None` if it has nothing to hand over.
pub fn copy_of(module: Module, source: Function, shared: &mut Shared) -> Option<Copy> {
    if let Some(known) = shared.pending.copies.get(&source) {
        return known.clone();
    }
    // All rely on each other to be left by exceptions of libraries only, and else begin again.
    for is_open in [false, true] {
        let drafts = drafts(module, source, shared, is_open);
        drafts.iter().for_each(|draft| draft.finish(module, shared));
        if is_open || drafts.iter().all(|draft| throws::is_quiet(draft.function)) {
            break;
        }
        for draft in &drafts {
            shared.pending.copies.remove(&draft.source);
            draft.function.delete_body();
        }
        drafts.iter().for_each(|draft| draft.function.delete());
    }
    shared.pending.copies.get(&source).cloned().flatten()
}

/// The copies of a function and of what it calls, as far as they hand over something.
fn drafts(module: Module, source: Function, shared: &mut Shared, is_open: bool) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = vec![];
    let mut sources = vec![source];
    while drafts.len() < sources.len() && sources.len() <= MOST_COPIES {
        let draft = Draft::new(module, sources[drafts.len()], shared);
        if is_open {
            draft.function.add_attribute_string(OPEN, "");
        }
        shared.targets(module);
        for call in unwind::calls(draft.function) {
            let Shared { pending, targets, .. } = &mut *shared;
            let targets = targets.as_ref().expect("just found");
            let callee = candidate(call)
                .filter(|f| !sources.contains(f) && !pending.copies.contains_key(f))
                .filter(|_| pending.may_throw(call, targets));
            sources.extend(callee);
        }
        drafts.push(draft);
    }
    let is_whole = sources.len() <= MOST_COPIES;
    find_kinds(&mut drafts, &shared.pending.copies, kept::can_keep(module));
    let is_used =
        |d: &Draft| is_whole && (d.keeps || !d.kinds.is_empty()) && d.kinds.len() <= MOST_KINDS;
    let (used, unused): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(is_used);
    for draft in unused {
        shared.pending.copies.insert(draft.source, None);
        draft.function.delete();
    }
    for Draft { source, function, kinds, keeps } in &used {
        let (source, function, kinds, keeps) = (*source, *function, kinds.clone(), *keeps);
        let copy = Copy { source, function, kinds, keeps, is_open };
        shared.pending.copies.insert(source, Some(copy));
    }
    used
}

/// Finds what the functions of drafts may hand over (least fixpoint).
fn find_kinds(drafts: &mut [Draft], known: &HashMap<Function, Option<Copy>>, can_keep: bool) {
    loop {
        let mut is_news = false;
        for i in 0..drafts.len() {
            let (mut kinds, mut keeps) = (vec![], false);
            // What a handler has caught it may throw again.
            let throws_again =
                unwind::calls(drafts[i].function).any(|c| throws::is_call_of(c, RETHROW));
            for call in unwind::calls(drafts[i].function) {
                let pad = throws::pad_of(call).filter(|_| !throws_again);
                let way = |kind| throws::way(drafts[i].function, pad?, kind, true);
                let leaves = |kind: &Kind| way(*kind).is_none_or(|way| way.passes());
                let catches_all = pad.is_some_and(throws::catches_all);
                let (of_call, kept) = match call.called().as_function() {
                    Some(f) => of_call(call, f, drafts, known),
                    None => (vec![], false),
                };
                kinds.extend(of_call.into_iter().filter(leaves));
                keeps |= can_keep && kept && !catches_all;
            }
            let draft = &mut drafts[i];
            kinds.retain(|kind| !draft.kinds.contains(kind));
            is_news |= !kinds.is_empty() || keeps && !draft.keeps;
            draft.keeps |= keeps;
            for kind in kinds {
                if !draft.kinds.contains(&kind) {
                    draft.kinds.push(kind);
                }
            }
        }
        if !is_news {
            return;
        }
    }
}

/// What comes from a call of a function: exceptions that are handed over, and others.
fn of_call(
    call: Value,
    f: Function,
    drafts: &[Draft],
    known: &HashMap<Function, Option<Copy>>,
) -> (Vec<Kind>, bool) {
    if f.is_declaration() {
        let kind = if f.name() == THROW { throws::known_kind(call) } else { None };
        return (Vec::from_iter(kind), kind.is_none() && kept::throws_kept(call));
    }
    if let Some(draft) = drafts.iter().find(|d| d.source == f) {
        return (draft.kinds.clone(), draft.keeps);
    }
    match known.get(&f) {
        Some(Some(copy)) => (copy.kinds.clone(), copy.keeps),
        _ => (vec![], false),
    }
}

impl Draft {
    /// A copy of `source` with a place, simplified, in which calls are inlined, or known if they can be.
    fn new(module: Module, source: Function, shared: &mut Shared) -> Draft {
        let params = [source.ty().function_params(), vec![module.context().ptr()]].concat();
        let ty = Type::function(source.ty().function_result(), &params, false);
        let function = module.add_function(&format!("{}{HANDING}", source.name()), ty);
        copy_body(module, function, source);
        function.set_external(false);
        function.clear_result_attributes();
        for name in ["memory", "noreturn", "nounwind"] {
            function.remove_attribute(name);
        }
        for name in ["noalias", "nonnull"] {
            function.add_param_attribute(params.len() - 1, name);
        }
        unwind::calls(function).for_each(Value::clear_tail);
        // What only prepares is not charged to the canonical copies. Where a pass fails, what is there is
        // still a copy of the function.
        let budget = shared.budget;
        if simplify(module, function, shared).is_ok() {
            let _ = take_in_calls(module, function, source, shared);
        }
        throws::take_apart(module, function);
        shared.budget = budget;
        Draft { source, function, kinds: vec![], keeps: false }
    }

    /// Has the copy hand over what it throws, and what copies that it calls hand over.
    fn finish(&self, module: Module, shared: &mut Shared) {
        let function = self.function;
        let place = Place(*function.params().last().expect("the place"));
        function.split_invokes();
        for call in unwind::calls(function).collect::<Vec<_>>() {
            let known = candidate(call).and_then(|f| shared.pending.copies.get(&f)?.clone());
            match known {
                Some(copy) if call.is_invoke() => {
                    rewrite_invoke(module, function, call, &copy, &mut shared.pending.kinds);
                }
                Some(copy) => rewrite_call(module, call, &copy, place),
                None => {}
            }
        }
        for _ in 0..ROUNDS {
            if !throws::resolve(module, function, &mut shared.pending.kinds, Some(place))
                || simplify(module, function, shared).is_err()
            {
                break;
            }
        }
        if self.keeps {
            kept::keep(module, function, place);
        }
    }
}
