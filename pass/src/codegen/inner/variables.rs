//! Global variables that an inner adjoint shares with the code around it: their derivatives would be
//! lost.

use super::{StandIn, varied};
use crate::{
    annotations::attributes::is_ours,
    codegen::{Queries, globals},
    diagnostics::{Code, Diagnostic, names::readable},
    llvm::{Function, Module, Opcode, Value},
};
use adanalysis::{context::Context, points_to::Object};
use adir::{Op, hashed::HashSet};
use std::collections::BTreeSet;

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
    let reads = unit.summary.in_out.reads.iter();
    let read = reads.filter_map(|place| variable(place.object)).collect();
    let needed = Context::of_request(&vec![false; params.len()]);
    let settled = globals::settle(queries, source, &varied(types, params), &needed, 1)?;
    Ok(Shared {
        function,
        source: Some(source).filter(|f| !is_ours(*f)),
        name: readable(&source.source_name()),
        read,
        active: settled.variables().to_vec(),
    })
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
            !inside.contains(&f) && around.contains(&f)
        };
        let is_kept = |g: &Value| shared.read.contains(g);
        let is_written = |g: &Value| {
            instructions_of(*g)
                .into_iter()
                .any(|i| is_around(&i) && (i.opcode() != Opcode::LLVMLoad || i.ty().is_pointer()))
        };
        let is_used = |g: &Value| instructions_of(*g).iter().any(is_around);
        let holds_data = |g: &&Value| !globals::is_integers(g.global_type());
        let lost = shared.read.iter().filter(|g| is_written(g));
        let lost = lost.chain(shared.active.iter().filter(|g| is_kept(g) || is_used(g)));
        let lost = lost.filter(holds_data);
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

/// The functions that `f` may call, itself among them; `ends` are not looked into.
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
        if f.is_declaration() || ends.contains(&f) {
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
