//! Global variables that an inner adjoint shares with the code around it: their derivatives would be
//! lost.

use super::{STAND_IN, StandIn, varied};
use crate::{
    annotations::attributes::is_ours,
    codegen::{Queries, globals},
    diagnostics::{Code, Diagnostic, names::readable},
    llvm::{Function, Module, Opcode, Value},
};
use adanalysis::{
    context::Context,
    in_out::{InOut, MemoryRange},
    points_to::Object,
};
use adir::{Op, hashed::HashSet};
use std::{collections::BTreeSet, rc::Rc};

/// The global variables that a stand-in uses.
pub struct Shared {
    /// The stand-in.
    pub(super) function: Function,
    /// What it differentiates, unless that is ours: then it may be gone, and no other code calls it.
    source: Option<Function>,
    /// How the source names that.
    name: String,
    /// Those of which the function may read what they hold when it is called, or where that leads.
    read: Vec<Value>,
    /// Those that it may overwrite.
    written: Vec<Value>,
    /// Those that hold data of the function's that has a derivative.
    active: Vec<Value>,
}

/// What a stand-in of the adjoint of `source` shares with other code.
pub(super) fn shared(
    queries: &mut dyn Queries,
    stand_in: &StandIn,
    source: Function,
) -> Result<Shared, Vec<Diagnostic>> {
    let StandIn { function, ref types, ref params, .. } = *stand_in;
    let unit = queries.unit(source).map_err(|d| vec![d])?;
    let (body, memory) = (&unit.body, &unit.memory);
    let variable = |mut object: usize| loop {
        match memory.objects[object] {
            Object::Behind(slot) => object = memory.slot(slot).0,
            Object::Global(g) if matches!(body[g].op, Op::Global(false)) => {
                return Some(body.llvm(g));
            }
            _ => return None,
        }
    };
    let all = |places: &[MemoryRange]| -> Vec<Value> {
        places.iter().filter_map(|place| variable(place.object)).collect()
    };
    // Where what we made does not return, a check of ours has failed, or f, which was looked at, does not.
    let in_out = match is_ours(source) {
        true => unit.summary.in_out.if_it_returns(),
        false => &unit.summary.in_out,
    };
    let InOut { reads, writes, .. } = in_out;
    let (read, written) = (all(reads), all(writes));
    let needed = Context::of_request(&vec![false; params.len()]);
    let settled = globals::settle(queries, source, &varied(types, params), &needed, 1)?;
    Ok(Shared {
        function,
        source: Some(source).filter(|f| !is_ours(*f)),
        name: readable(&source.source_name()),
        read,
        written,
        active: settled.variables().to_vec(),
    })
}

/// Symbols of the variables that stand-ins use which `outer` reaches: as far as [`check_variables`] finds nothing
/// wrong, none of them has a derivative in the code around.
pub fn own_variables(queries: &mut dyn Queries, outer: Function) -> HashSet<Rc<str>> {
    let mut found = HashSet::default();
    let left = queries.inner().left.clone();
    let around = if left.is_empty() { return found } else { reached(queries.module(), outer, &[]) };
    for stand_in in left.iter().filter(|s| around.contains(&s.function)) {
        if let Ok(unit) = queries.unit(stand_in.effects) {
            found.extend(globals::named(&unit.body).into_keys());
        }
    }
    found
}

/// What is wrong with the derivative of `outer` as far as it reaches stand-ins that share variables
/// with the code around them.
pub fn check_variables(queries: &mut dyn Queries, outer: Function) -> Vec<Diagnostic> {
    let mut found = vec![];
    let module = queries.module();
    for shared in &queries.inner().shared {
        let inside: Vec<Function> = [shared.function].into_iter().chain(shared.source).collect();
        let around = reached(module, outer, &inside);
        if !around.contains(&shared.function) {
            continue;
        }
        let is_around = |user: &Value| {
            let f = user.block().function();
            !inside.contains(&f) && around.contains(&f) && !is_comparison(user)
        };
        let is_kept = |g: &Value| shared.read.contains(g);
        let is_written = |g: &Value| {
            instructions_of(*g)
                .into_iter()
                .any(|i| is_around(&i) && (i.opcode() != Opcode::LLVMLoad || i.ty().is_pointer()))
        };
        // More than a store to it.
        let is_kept_around = |g: &Value| {
            let is_store = |i: &Value| i.opcode() == Opcode::LLVMStore && i.operand(1) == *g;
            instructions_of(*g).into_iter().any(|i| is_around(&i) && !is_store(&i))
        };
        let is_used = |g: &Value| instructions_of(*g).iter().any(is_around);
        let holds_data = |g: &&Value| !globals::is_integers(g.global_type());
        let lost = shared.read.iter().filter(|g| is_written(g));
        let lost = lost.chain(shared.active.iter().filter(|g| is_kept(g) || is_used(g)));
        // What the code around stored there, the function overwrites with constants.
        let overwritten = shared.written.iter().filter(|g| is_written(g) && is_kept_around(g));
        let lost = lost.chain(overwritten).filter(holds_data);
        let names: BTreeSet<String> = lost.map(|g| readable(&g.name())).collect();
        found.extend(names.into_iter().map(|name| {
            let text = format!(
                "global variable '{name}' connects '{}', of which an inner request takes the \
                adjoint, with the code around that request: its derivative would be lost",
                shared.name
            );
            let remedy = "pass the memory to the function as an argument, in the inner request as \
                well; or make the inner request a tangent";
            Diagnostic::new(Code::InactiveMemory, None, text, remedy)
        }));
    }
    found
}

/// The functions that `f` may call, itself among them; neither `ends` nor stand-ins are looked into.
fn reached(module: Module, f: Function, ends: &[Function]) -> HashSet<Function> {
    // Calls through pointers may go to all of which an address is taken.
    let is_taken = |f: &Function| {
        let is_other = |u: Value| !u.is_instruction() || !u.is_call() || u.called() != f.value();
        !f.is_declaration() && f.value().users().into_iter().any(is_other)
    };
    let taken: Vec<Function> = module.functions().into_iter().filter(is_taken).collect();
    let mut seen = HashSet::from_iter([f]);
    let mut work = vec![f];
    while let Some(f) = work.pop() {
        // Derivatives name variables that the functions use: to record them, for one.
        if f.is_declaration() || ends.contains(&f) || f.attribute_string(STAND_IN).is_some() {
            continue;
        }
        for inst in f.blocks().into_iter().flat_map(|b| b.instructions()) {
            let operands = (0..inst.operand_count()).filter_map(|i| inst.operand(i).as_function());
            work.extend(operands.filter(|g| seen.insert(*g)));
            let called = inst.is_call().then(|| inst.called());
            if called.is_some_and(|c| c.as_function().is_none() && !c.is_assembly()) {
                work.extend(taken.iter().copied().filter(|g| seen.insert(*g)));
            }
        }
    }
    seen
}

/// Whether an instruction that uses the address of a variable only tests whether pointers lead there
/// (codegen/handles): a helper does, its caller, or what is left of it where it was inlined.
fn is_comparison(user: &Value) -> bool {
    let is_helper = |f: Function| f.name().starts_with(globals::CHECKS);
    let all_compare = |v: &Value| {
        let users = v.users();
        !users.is_empty() && users.iter().all(is_comparison)
    };
    is_helper(user.block().function())
        || user.is_call() && user.called().as_function().is_some_and(is_helper)
        || match user.opcode() {
            Opcode::LLVMICmp => true,
            Opcode::LLVMPtrToInt | Opcode::LLVMSub | Opcode::LLVMAddrSpaceCast => all_compare(user),
            _ => false,
        }
}

/// The instructions that use an address, or others made of it as constants.
fn instructions_of(address: Value) -> Vec<Value> {
    let (mut found, mut work) = (vec![], vec![address]);
    while let Some(v) = work.pop() {
        for user in v.users() {
            if user.is_instruction() {
                found.push(user);
            } else if !user.is_global_variable() {
                work.push(user);
            }
        }
    }
    found
}
