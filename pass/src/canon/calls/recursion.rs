//! Which functions may call themselves, directly or through others with a body or a pointer.
//!
//! What one question has found stays known: the functions that it reaches are complete components of
//! the call graph, and canonicalisation leaves the bodies of users' functions alone. So all questions
//! together look at each function once.

use super::indirect;
use crate::{
    annotations::tasks::{self, Task},
    canon::Shared,
    llvm::{Function, Module, Value},
};
use adir::hashed::HashMap;
use petgraph::{algo::kosaraju_scc, graph::DiGraph};

/// The answers so far.
#[derive(Default)]
pub struct Recursion(HashMap<Function, bool>);

/// Whether `f` may call itself.
pub fn is_recursive(module: Module, f: Function, shared: &mut Shared) -> bool {
    if let Some(&known) = shared.recursion.0.get(&f) {
        return known;
    }
    let mut graph = DiGraph::<Function, ()>::new();
    let mut nodes = HashMap::from_iter([(f, graph.add_node(f))]);
    let mut open = vec![f];
    while let Some(g) = open.pop() {
        for callee in callees(module, g, shared) {
            // What is known reaches nothing that is not.
            if shared.recursion.0.contains_key(&callee) {
                continue;
            }
            let to = *nodes.entry(callee).or_insert_with(|| {
                open.push(callee);
                graph.add_node(callee)
            });
            graph.update_edge(nodes[&g], to, ());
        }
    }
    for component in kosaraju_scc(&graph) {
        let is_cycle = component.len() > 1 || graph.contains_edge(component[0], component[0]);
        shared.recursion.0.extend(component.into_iter().map(|node| (graph[node], is_cycle)));
    }
    shared.recursion.0[&f]
}

/// The functions with a body that calls of `g` may lead to.
fn callees(module: Module, g: Function, shared: &mut Shared) -> Vec<Function> {
    let insts = g.blocks().into_iter().flat_map(|b| b.instructions());
    let calls: Vec<Value> = insts.filter(|i| i.is_call()).collect();
    let mut found = vec![];
    for call in calls {
        match call.called().as_function() {
            // Its function is called where the task is met.
            Some(_) if tasks::is_of(call, &[tasks::ALLOCATE]) => {
                found.extend(Task::of(call).map(|task| task.entry));
            }
            Some(callee) => found.push(callee),
            None if indirect::is_indirect(call) => found.extend(shared.targets(module).of(call)),
            None => {}
        }
    }
    found.retain(|callee| !callee.is_declaration());
    found
}
